/* --stages-for of `pipe`. A node belongs to the module of its path (gsp_node_scope()); those
 * without one follow. */
#include "commands/pipe/pipe.h"

#include <inttypes.h>
#include <string.h>

/* Called nodes with a path, in graph order. */
typedef struct place {
    gsp_node node;
    gsp_str path;
    uint32_t stage;
} place;

/* A layer: what is numbered among its siblings (layers.3), or a module that holds none of these. */
typedef struct layer {
    gsp_str path;
    uint32_t stage;
    uint32_t numbered;
} layer;

typedef struct hand_over {
    const pipe_job *p;
    cli_buffer *out;
    place *places;
    uint32_t n_places;
    layer *layers;
    uint32_t n_layers;
} hand_over;

/* The length of the prefix with one component more than that of length n. */
static uint32_t grow(gsp_str path, uint32_t n)
{
    n += n != 0 && n < path.size ? 1u : 0u;
    while (n < path.size && path.data[n] != '.') {
        n++;
    }
    return n;
}

static gsp_str prefix_of(gsp_str path, uint32_t n)
{
    path.size = n;
    return path;
}

/* 1 if a path is a module or is below it. */
static int is_below(gsp_str path, gsp_str module)
{
    return path.size >= module.size && memcmp(path.data, module.data, module.size) == 0 &&
           (path.size == module.size || module.size == 0 || path.data[module.size] == '.');
}

/* Stages are intervals of graph order, as all three forms have it. */
static int find_places(hand_over *h)
{
    const pipe_job *p = h->p;
    const gsp_graph *g = &p->graph;
    uint32_t stage = 0;
    gsp_node v;
    h->places = (place *)cli_alloc(p->session, (size_t)g->n_nodes + 1u, sizeof *h->places);
    for (v = 0; v < g->n_nodes; v++) {
        gsp_str const path = gsp_node_scope(g, v);
        if (!gsp_node_is_callable(g, v) || p->made.stage_of[v] == GSP_NONE) {
            continue;
        }
        if (p->made.stage_of[v] < stage) {
            return cli_error(p->session, GSP_STATUS_ARG,
                "--stages-for: %%%s of stage %" PRIu32 " comes after nodes of stage "
                "%" PRIu32 "; --orders 1 cuts in graph order",
                cli_copy(p->session, gsp_node_name(g, v)), p->made.stage_of[v], stage);
        }
        stage = p->made.stage_of[v];
        h->places[h->n_places].node = v;
        h->places[h->n_places].path = path;
        h->places[h->n_places++].stage = stage;
    }
    return CLI_EXIT_OK;
}

/* ---- torch ---- */

/* 1 if all nodes of a module are contiguous and begin (step 1) or end (step -1) at a place. */
static int is_edge(const hand_over *h, uint32_t at, gsp_str module, int forward)
{
    uint32_t first = at;
    uint32_t last = at;
    uint32_t i;
    while (first > 0 && is_below(h->places[first - 1u].path, module)) {
        first--;
    }
    while (last + 1u < h->n_places && is_below(h->places[last + 1u].path, module)) {
        last++;
    }
    for (i = 0; i < h->n_places; i++) {
        if ((i < first || i > last) && is_below(h->places[i].path, module)) {
            return 0;
        }
    }
    return forward ? first == at : last == at;
}

/* The module whose begin or end a cut is: the whole path, or, if no function without a path is at
 * the cut, the shortest prefix. Empty if there is none. */
static gsp_str find_edge(const hand_over *h, uint32_t at, int forward, int shorten)
{
    gsp_str const path = h->places[at].path;
    uint32_t n = 0;
    while (n < path.size) {
        n = shorten ? grow(path, n) : path.size;
        if (is_edge(h, at, prefix_of(path, n), forward)) {
            return prefix_of(path, n);
        }
    }
    return prefix_of(path, 0);
}

static int put_torch(hand_over *h)
{
    uint32_t i;
    cli_puts(h->out, "{");
    for (i = 1; i < h->n_places; i++) {
        uint32_t const stage = h->places[i].stage;
        int const shorten = h->places[i].path.size != 0 && h->places[i - 1u].path.size != 0;
        int begins = 1;
        gsp_str module;
        if (stage == h->places[i - 1u].stage) {
            continue;
        }
        module = find_edge(h, i, 1, shorten);
        if (module.size == 0) {
            begins = 0;
            module = find_edge(h, i - 1u, 0, shorten);
        }
        if (module.size == 0) {
            return cli_error(h->p->session, GSP_STATUS_ARG,
                "--stages-for torch: stage %" PRIu32 " begins at %%%s, where no module "
                "that is called once begins or ends",
                stage, cli_copy(h->p->session, gsp_node_name(&h->p->graph, h->places[i].node)));
        }
        cli_puts(h->out, stage > 1u ? ", " : "");
        cli_json_string(h->out, module);
        cli_puts(h->out, begins ? ": SplitPoint.BEGINNING" : ": SplitPoint.END");
    }
    cli_puts(h->out, "}\n");
    return CLI_EXIT_OK;
}

/* ---- layers ---- */

/* 1 if some numbered layer is below a module. */
static int holds_layers(const hand_over *h, gsp_str module)
{
    uint32_t i;
    for (i = 0; i < h->n_layers; i++) {
        if (h->layers[i].numbered && is_below(h->layers[i].path, module)) {
            return 1;
        }
    }
    return 0;
}

/* blk.3.exps, a row of a table: the experts of a layer of llama.cpp, which may stand apart. */
static int is_experts(gsp_str path)
{
    uint32_t const n = cli_numbered_prefix(path);
    return n != 0 && path.size >= n + 5u && memcmp(path.data + n, ".exps", 5u) == 0;
}

static gsp_str layer_of(const hand_over *h, gsp_str path)
{
    uint32_t n = is_experts(path) ? path.size : cli_numbered_prefix(path);
    if (n == 0) {
        do {
            n = grow(path, n);
        } while (n < path.size && holds_layers(h, prefix_of(path, n)));
    }
    return prefix_of(path, n);
}

static int same_layer(const layer *a, gsp_str path)
{
    return gsp_str_equal(a->path, path);
}

/* First those with numbers, which say where other layers begin; then all in order. */
static void collect_layers(hand_over *h, int numbered)
{
    uint32_t n = 0;
    uint32_t i;
    layer *found = (layer *)cli_alloc(h->p->session, (size_t)h->n_places + 1u, sizeof *found);
    for (i = 0; i < h->n_places; i++) {
        gsp_str const path = h->places[i].path;
        gsp_str const own = layer_of(h, path);
        uint32_t const number = cli_numbered_prefix(path) != 0 && !is_experts(path) ? 1u : 0u;
        if (path.size == 0 || (numbered && !number) || (n > 0 && same_layer(&found[n - 1u], own))) {
            continue;
        }
        found[n].path = own;
        found[n].stage = h->places[i].stage;
        found[n++].numbered = number;
    }
    h->layers = found;
    h->n_layers = n;
}

/* Layers are whole, and no stage is without. */
static int check_layers(const hand_over *h)
{
    cli_session *s = h->p->session;
    uint32_t at = 0; /* layer */
    uint32_t stage = 0;
    uint32_t i;
    uint32_t k;
    for (i = 0; i < h->n_places; i++) {
        gsp_str const path = h->places[i].path;
        at += path.size != 0 && !same_layer(&h->layers[at], layer_of(h, path)) ? 1u : 0u;
        if (path.size != 0 && h->places[i].stage != h->layers[at].stage) {
            return cli_error(s, GSP_STATUS_ARG,
                "--stages-for: the layer %s is in stages %" PRIu32 " and %" PRIu32
                ", and layers are whole there",
                cli_copy(s, h->layers[at].path), h->layers[at].stage, h->places[i].stage);
        }
    }
    for (i = 0; i < h->n_layers; i++) {
        for (k = 0; k < i; k++) {
            if (same_layer(&h->layers[k], h->layers[i].path)) {
                return cli_error(s, GSP_STATUS_ARG,
                    "--stages-for: the layer %s is called again after others",
                    cli_copy(s, h->layers[i].path));
            }
        }
        if (h->layers[i].stage > stage + (i != 0 ? 1u : 0u)) {
            break;
        }
        stage = h->layers[i].stage;
    }
    if (stage + 1u < h->p->made.n_stages || h->n_layers == 0) {
        return cli_error(s, GSP_STATUS_ARG,
            "--stages-for: stage %" PRIu32 " has no layer (paths of modules come from "
            "call_module and scope=)",
            h->n_layers == 0 ? 0u : stage + 1u);
    }
    return CLI_EXIT_OK;
}

static int find_layers(hand_over *h)
{
    collect_layers(h, 1);
    collect_layers(h, 0);
    return check_layers(h);
}

static int put_deepspeed(hand_over *h)
{
    uint32_t i;
    int const code = find_layers(h);
    if (code != CLI_EXIT_OK) {
        return code;
    }
    cli_puts(h->out, "[0");
    for (i = 1; i < h->n_layers; i++) {
        if (h->layers[i].stage != h->layers[i - 1u].stage) {
            cli_printf(h->out, ", %" PRIu32, i);
        }
    }
    cli_printf(h->out, ", %" PRIu32 "]\n", h->n_layers);
    return CLI_EXIT_OK;
}

/* Layers in a row that are numbered are the transformer's; earlier ones belong to the embedding in
 * the first stage, later ones to the loss in the last. */
static int put_megatron(hand_over *h)
{
    cli_session *s = h->p->session;
    uint32_t const stages = h->p->made.n_stages;
    uint32_t begin = 0;
    uint32_t end;
    uint32_t stage;
    uint32_t i;
    int const code = find_layers(h);
    if (code != CLI_EXIT_OK) {
        return code;
    }
    while (begin < h->n_layers && !h->layers[begin].numbered) {
        begin++;
    }
    for (end = begin; end < h->n_layers && h->layers[end].numbered; end++) {
    }
    for (i = 0; i < h->n_layers; i++) {
        uint32_t const wanted = i < begin ? 0u : stages - 1u;
        if ((i < begin || i >= end) && (h->layers[i].stage != wanted || h->layers[i].numbered)) {
            return cli_error(s, GSP_STATUS_ARG,
                "--stages-for megatron: %s is in stage %" PRIu32
                ", and nodes before the layers belong to the first stage, "
                "nodes after them to the last",
                cli_copy(s, h->layers[i].path), h->layers[i].stage);
        }
    }
    cli_puts(h->out, "E");
    for (stage = 0, i = begin; stage < stages; stage++) {
        uint32_t n = 0;
        for (; i < end && h->layers[i].stage == stage; i++) {
            n++;
        }
        cli_puts(h->out, stage != 0 ? "|" : "");
        if (n == 1u) {
            cli_puts(h->out, "t");
        } else if (n != 0) {
            cli_printf(h->out, "t*%" PRIu32, n);
        }
    }
    cli_puts(h->out, "L\n");
    return CLI_EXIT_OK;
}

/* ---- devices ---- */

/* The device of a stage: a number, or a name as a JSON string. */
static void put_device(const hand_over *h, uint32_t stage)
{
    gsp_str const name = pipe_on(h->p, stage);
    uint64_t number = stage;
    if (name.size == 0 || gsp_str_number(name, &number)) {
        cli_printf(h->out, "%" PRIu64, number);
    } else {
        cli_json_string(h->out, name);
    }
}

static int put_accelerate(hand_over *h)
{
    int const code = find_layers(h);
    if (code != CLI_EXIT_OK) {
        return code;
    }
    for (uint32_t i = 0; i < h->n_layers; i++) {
        cli_puts(h->out, i != 0 ? ",\n " : "{");
        cli_json_string(h->out, h->layers[i].path);
        cli_puts(h->out, ": ");
        put_device(h, h->layers[i].stage);
    }
    cli_puts(h->out, "}\n");
    return CLI_EXIT_OK;
}

static int require_devices(const hand_over *h, const char *form, const char *example)
{
    return h->p->plan.devices.n != 0
               ? CLI_EXIT_OK
               : cli_usage_error(h->p->session,
                     "--stages-for %s requires --device NAME:BYTES with its names, such as %s",
                     form, example);
}

static int put_openvino(hand_over *h)
{
    int const code = require_devices(h, "openvino", "GPU.0:8G");
    if (code != CLI_EXIT_OK) {
        return code;
    }
    for (uint32_t i = 0; i < h->n_places; i++) {
        cli_puts(h->out, i != 0 ? ",\n " : "{");
        cli_json_string(h->out, gsp_node_name(&h->p->graph, h->places[i].node));
        cli_puts(h->out, ": ");
        put_device(h, h->places[i].stage);
    }
    cli_puts(h->out, h->n_places != 0 ? "}\n" : "{}\n");
    return CLI_EXIT_OK;
}

/* The rules of ONNX Runtime's session.layer_assignment_settings: a device and the annotation of its
 * nodes, which has to be this word exactly; and the annotation of each node. */
static int put_onnxruntime(hand_over *h)
{
    int const code = require_devices(h, "onnxruntime", "gpu:0:8G");
    if (code != CLI_EXIT_OK) {
        return code;
    }
    cli_puts(h->out, "{\"session.layer_assignment_settings\": \"");
    for (uint32_t i = 0; i < h->p->made.n_stages; i++) {
        gsp_str const name = pipe_on(h->p, i);
        for (uint32_t k = 0; k < name.size; k++) {
            if (strchr("();=,\"\\", name.data[k]) != NULL) {
                return cli_usage_error(h->p->session,
                    "--stages-for onnxruntime: its settings cannot name the device %s",
                    cli_copy(h->p->session, name));
            }
        }
        cli_puts(h->out, i != 0 ? ";" : "");
        cli_put_text(h->out, name);
        cli_printf(h->out, "(=stage_%" PRIu32 ")", i);
    }
    cli_puts(h->out, "\",\n\"layer_ann\":\n{");
    for (uint32_t i = 0; i < h->n_places; i++) {
        cli_puts(h->out, i != 0 ? ",\n " : "");
        cli_json_string(h->out, gsp_node_name(&h->p->graph, h->places[i].node));
        cli_printf(h->out, ": \"stage_%" PRIu32 "\"", h->places[i].stage);
    }
    cli_puts(h->out, "}}\n");
    return CLI_EXIT_OK;
}

/* A stage on what a device named cpu, CPU or cpu:0 is. */
static int is_on_cpu(const hand_over *h, uint32_t stage)
{
    gsp_str const name = pipe_on(h->p, stage);
    return name.size >= 3u &&
           (memcmp(name.data, "cpu", 3u) == 0 || memcmp(name.data, "CPU", 3u) == 0);
}

/* Layers of each stage; those on the CPU count with the device before them, else with the next. */
static uint32_t count_blocks(const hand_over *h, uint32_t *counts)
{
    uint32_t n = 0;
    uint32_t device = 0;
    while (device + 1u < h->p->made.n_stages && is_on_cpu(h, device)) {
        device++;
    }
    for (uint32_t i = 0; i < h->n_layers; i++) {
        uint32_t const stage = h->layers[i].stage;
        if (h->layers[i].numbered) {
            device = stage > device && !is_on_cpu(h, stage) ? stage : device;
            counts[device]++;
            n++;
        }
    }
    counts[device]++; /* what follows the layers */
    return n;
}

/* The layers on the CPU, and experts that are elsewhere than their layer, by the names of their
 * tensors; nothing there is special to a shell. */
static void put_overrides(const hand_over *h)
{
    uint32_t block = 0; /* layers so far */
    uint32_t on = 0;    /* the stage of the last */
    uint32_t n = 0;
    for (uint32_t i = 0; i < h->n_layers; i++) {
        uint32_t const stage = h->layers[i].stage;
        int const apart = is_experts(h->layers[i].path) && stage != on;
        block += h->layers[i].numbered;
        on = h->layers[i].numbered ? stage : on;
        if (apart || (h->layers[i].numbered && is_on_cpu(h, stage))) {
            cli_puts(h->out, n++ != 0 ? "," : " --override-tensor ");
            cli_printf(h->out, "blk[.]%" PRIu32 "[.]%s=", block - 1u, apart ? ".*_exps[.]" : "");
            cli_put_text(h->out, is_on_cpu(h, stage) ? gsp_str_of("CPU") : pipe_on(h->p, stage));
        }
    }
    cli_puts(h->out, "\n");
}

/* Options of llama.cpp. Its layers are the numbered ones and one for what follows them; the
 * embedding is always on the CPU. */
static int put_llama(hand_over *h)
{
    uint32_t const stages = h->p->made.n_stages;
    uint32_t *counts = (uint32_t *)cli_alloc(h->p->session, (size_t)stages + 1u, sizeof *counts);
    uint32_t n;
    uint32_t shown = 0;
    int const code = find_layers(h);
    if (code != CLI_EXIT_OK) {
        return code;
    }
    n = count_blocks(h, counts);
    if (n == 0) {
        return cli_error(h->p->session, GSP_STATUS_ARG,
            "--stages-for llama.cpp: no layer is numbered, such as blk.3 or layers.3");
    }
    for (uint32_t i = 0; i < stages; i++) {
        if (is_on_cpu(h, i)) {
            continue;
        }
        if (shown++ == 0) {
            cli_printf(h->out, "--n-gpu-layers %" PRIu32 " --tensor-split ", n + 1u);
        }
        cli_printf(h->out, "%s%" PRIu32, shown != 1u ? "," : "", counts[i]);
    }
    if (shown != 0) {
        put_overrides(h);
    } else {
        cli_puts(h->out, "--n-gpu-layers 0\n");
    }
    return CLI_EXIT_OK;
}

int pipe_hand_over(const pipe_job *p, cli_buffer *out)
{
    static int (*const forms[])(hand_over *) = {put_torch, put_megatron, put_deepspeed, put_llama,
        put_accelerate, put_openvino, put_onnxruntime};
    hand_over h;
    int code;
    memset(&h, 0, sizeof h);
    h.p = p;
    h.out = out;
    code = find_places(&h);
    return code == CLI_EXIT_OK ? forms[p->opt.stages_for - 1u](&h) : code;
}
