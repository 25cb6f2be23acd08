// An execution provider for tests, as a library that ONNX Runtime loads: it takes Relu and Add of
// equal shapes of float, and its subgraphs are those of examples/hosts/onnxruntime.cpp.
// provider_subgraphs() tells them.
#include "examples/hosts/onnxruntime.cpp"

#include <chrono>
#include <cstring>
#include <memory>

static const OrtApi *ort;
static std::vector<std::string> subgraphs; // names of nodes, of all calls of GetCapability so far
static double milliseconds;

extern "C" const char *provider_subgraphs()
{
    static std::string text;
    text.clear();
    for (const std::string &line : subgraphs) {
        text += line + "\n";
    }
    return text.c_str();
}

extern "C" double provider_milliseconds()
{
    return milliseconds;
}

static std::string word(
    OrtStatus *(ORT_API_CALL *get)(const OrtNode *, const char **) noexcept, const OrtNode *node)
{
    const char *text = "";
    ort->ReleaseStatus(get(node, &text));
    return text;
}

static bool supports(const OrtNode *node)
{
    std::string op = word(ort->Node_GetOperatorType, node);
    return op == "Relu" || op == "Add";
}

static std::string name_of(const OrtValueInfo *value)
{
    const char *name = "";
    ort->ReleaseStatus(ort->GetValueInfoName(value, &name));
    return name;
}

static OrtStatus *outputs_of(const OrtNode *node, std::vector<const OrtValueInfo *> *out)
{
    size_t n = 0;
    OrtStatus *s = ort->Node_GetNumOutputs(node, &n);
    out->resize(n);
    return s ? s : ort->Node_GetOutputs(node, out->data(), n);
}

// A compiled subgraph: steps on named buffers.
struct step {
    std::string op;
    std::vector<std::string> in;
    std::string out;
};

struct compiled : OrtNodeComputeInfo {
    std::vector<std::string> inputs, outputs;
    std::vector<step> steps;
};

static OrtStatus *ORT_API_CALL create_state(
    OrtNodeComputeInfo *, OrtNodeComputeContext *, void **state)
{
    *state = nullptr;
    return nullptr;
}

static void ORT_API_CALL release_state(OrtNodeComputeInfo *, void *)
{
}

static OrtStatus *ORT_API_CALL compute(OrtNodeComputeInfo *self, void *, OrtKernelContext *context)
{
    auto *c = static_cast<compiled *>(self);
    std::unordered_map<std::string, std::vector<float>> values;
    std::vector<int64_t> dims;
    for (size_t i = 0; i < c->inputs.size(); i++) {
        const OrtValue *value = nullptr;
        OrtTensorTypeAndShapeInfo *shape = nullptr;
        size_t rank = 0, count = 0;
        void *data = nullptr;
        OrtStatus *s = ort->KernelContext_GetInput(context, i, &value);
        s = s ? s : ort->GetTensorTypeAndShape(value, &shape);
        s = s ? s : ort->GetDimensionsCount(shape, &rank);
        dims.resize(rank);
        s = s ? s : ort->GetDimensions(shape, dims.data(), rank);
        s = s ? s : ort->GetTensorShapeElementCount(shape, &count);
        s = s ? s : ort->GetTensorMutableData(const_cast<OrtValue *>(value), &data);
        ort->ReleaseTensorTypeAndShapeInfo(shape);
        if (s) {
            return s;
        }
        values[c->inputs[i]].assign(static_cast<float *>(data), static_cast<float *>(data) + count);
    }
    for (const step &one : c->steps) {
        std::vector<float> result = values[one.in[0]];
        for (size_t k = 0; k < result.size(); k++) {
            result[k] =
                one.op == "Add" ? result[k] + values[one.in[1]][k] : std::max(result[k], 0.0f);
        }
        values[one.out] = result;
    }
    for (size_t i = 0; i < c->outputs.size(); i++) {
        OrtValue *value = nullptr;
        void *data = nullptr;
        OrtStatus *s = ort->KernelContext_GetOutput(context, i, dims.data(), dims.size(), &value);
        s = s ? s : ort->GetTensorMutableData(value, &data);
        if (s) {
            return s;
        }
        const std::vector<float> &from = values[c->outputs[i]];
        std::memcpy(data, from.data(), from.size() * sizeof(float));
    }
    return nullptr;
}

static OrtStatus *ORT_API_CALL compile(OrtEp *, const OrtGraph **graphs, const OrtNode **fused,
    size_t count, OrtNodeComputeInfo **infos, OrtNode **) noexcept
{
    for (size_t i = 0; i < count; i++) {
        auto c = std::make_unique<compiled>();
        c->ort_version_supported = ORT_API_VERSION;
        c->CreateState = create_state;
        c->Compute = compute;
        c->ReleaseState = release_state;
        ort_rows r;
        std::vector<const OrtValueInfo *> in, out;
        OrtStatus *s = ort_read(*ort, graphs[i], &r);
        s = s ? s : ort_inputs(*ort, fused[i], &in);
        s = s ? s : outputs_of(fused[i], &out);
        std::transform(in.begin(), in.end(), std::back_inserter(c->inputs), name_of);
        std::transform(out.begin(), out.end(), std::back_inserter(c->outputs), name_of);
        for (size_t v = 0; v < r.nodes.size() && s == nullptr; v++) {
            s = ort_inputs(*ort, r.nodes[v], &in);
            s = s ? s : outputs_of(r.nodes[v], &out);
            if (s) {
                return s;
            }
            step one = {word(ort->Node_GetOperatorType, r.nodes[v]), {}, name_of(out[0])};
            std::transform(in.begin(), in.end(), std::back_inserter(one.in), name_of);
            c->steps.push_back(one);
        }
        if (s) {
            return s;
        }
        infos[i] = c.release();
    }
    return nullptr;
}

static void ORT_API_CALL release_infos(OrtEp *, OrtNodeComputeInfo **infos, size_t count) noexcept
{
    for (size_t i = 0; i < count; i++) {
        delete static_cast<compiled *>(infos[i]);
    }
}

// Stands in for AddNodesToFuse, and keeps the names of the nodes of each subgraph.
static const OrtEpApi *ep_api;
static OrtEpApi told_api;
static OrtApi told;

static OrtStatus *ORT_API_CALL tell(OrtEpGraphSupportInfo *info, const OrtNode *const *nodes,
    size_t count, const OrtNodeFusionOptions *options) noexcept
{
    std::string line;
    for (size_t i = 0; i < count; i++) {
        line += (i ? " " : "") + word(ort->Node_GetName, nodes[i]);
    }
    subgraphs.push_back(line);
    return ep_api->EpGraphSupportInfo_AddNodesToFuse(info, nodes, count, options);
}

static OrtStatus *ORT_API_CALL get_capability(
    OrtEp *, const OrtGraph *graph, OrtEpGraphSupportInfo *info) noexcept
{
    ep_api = ort->GetEpApi();
    std::memcpy(&told_api, ep_api, sizeof(told_api));
    told_api.EpGraphSupportInfo_AddNodesToFuse = tell;
    std::memcpy(&told, ort, sizeof(told));
    told.GetEpApi = []() noexcept -> const OrtEpApi * { return &told_api; };
    auto start = std::chrono::steady_clock::now();
    OrtStatus *s = graphsplit_capability(told, graph, info, supports);
    milliseconds =
        std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
    return s;
}

static const char *ORT_API_CALL ep_name(const OrtEp *) noexcept
{
    return "GraphsplitTest";
}

static const char *ORT_API_CALL factory_name(const OrtEpFactory *) noexcept
{
    return "GraphsplitTest";
}

static const char *ORT_API_CALL vendor(const OrtEpFactory *) noexcept
{
    return "graphsplit";
}

static const char *ORT_API_CALL version(const OrtEpFactory *) noexcept
{
    return "1.0.0";
}

static uint32_t ORT_API_CALL vendor_id(const OrtEpFactory *) noexcept
{
    return 0x10000;
}

static OrtStatus *ORT_API_CALL supported_devices(OrtEpFactory *factory,
    const OrtHardwareDevice *const *devices, size_t count, OrtEpDevice **ep_devices, size_t room,
    size_t *n) noexcept
{
    *n = 0;
    for (size_t i = 0; i < count && *n < room; i++) {
        if (ort->HardwareDevice_Type(devices[i]) == OrtHardwareDeviceType_CPU) {
            return ort->GetEpApi()->CreateEpDevice(
                factory, devices[i], nullptr, nullptr, &ep_devices[(*n)++]);
        }
    }
    return nullptr;
}

static OrtStatus *ORT_API_CALL create_ep(OrtEpFactory *, const OrtHardwareDevice *const *,
    const OrtKeyValuePairs *const *, size_t, const OrtSessionOptions *, const OrtLogger *,
    OrtEp **ep) noexcept
{
    *ep = new OrtEp();
    (*ep)->ort_version_supported = ORT_API_VERSION;
    (*ep)->GetName = ep_name;
    (*ep)->GetCapability = get_capability;
    (*ep)->Compile = compile;
    (*ep)->ReleaseNodeComputeInfos = release_infos;
    return nullptr;
}

static void ORT_API_CALL release_ep(OrtEpFactory *, OrtEp *ep) noexcept
{
    delete ep;
}

static bool ORT_API_CALL no_streams(const OrtEpFactory *) noexcept
{
    return false;
}

static OrtStatus *ORT_API_CALL no_transfer(OrtEpFactory *, OrtDataTransferImpl **transfer) noexcept
{
    *transfer = nullptr;
    return nullptr;
}

static OrtStatus *ORT_API_CALL no_allocator(OrtEpFactory *, const OrtMemoryInfo *,
    const OrtKeyValuePairs *, OrtAllocator **allocator) noexcept
{
    *allocator = nullptr;
    return nullptr;
}

extern "C" OrtStatus *CreateEpFactories(const char *, const OrtApiBase *base, const OrtLogger *,
    OrtEpFactory **factories, size_t room, size_t *n)
{
    ort = base->GetApi(ORT_API_VERSION);
    if (room < 1) {
        return ort->CreateStatus(ORT_INVALID_ARGUMENT, "no room");
    }
    auto *factory = new OrtEpFactory();
    factory->ort_version_supported = ORT_API_VERSION;
    factory->GetName = factory_name;
    factory->GetVendor = vendor;
    factory->GetVendorId = vendor_id;
    factory->GetVersion = version;
    factory->GetSupportedDevices = supported_devices;
    factory->CreateEp = create_ep;
    factory->ReleaseEp = release_ep;
    factory->IsStreamAware = no_streams;
    factory->CreateDataTransfer = no_transfer;
    factory->CreateAllocator = no_allocator;
    factories[0] = factory;
    *n = 1;
    return nullptr;
}

extern "C" OrtStatus *ReleaseEpFactory(OrtEpFactory *factory)
{
    delete factory;
    return nullptr;
}
