/* graphsplit pipe: options, the passes, and the requested outputs. */
#include "commands/pipe/pipe.h"

#include "output/output.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#define FIELD(name) offsetof(pipe_options, name)

static const cli_option options[] = {
    {"--split-spec", "PATH=POINT,...", CLI_LIST, 0, 0, 0,
        "cut at the modules with these paths; POINT is beginning (the module is the first of the "
        "stage after the cut) or end (the last of the stage before it); markers in the graph cut "
        "too"},
    CLI_IGNORE_WRITES(FIELD(ignore_writes)),
    {"--marker", "TARGET", CLI_STRING, FIELD(marker), 0, 0,
        "calls of this function mark cuts; default torch.ops.pippy._pipe_split.default"},
    {"--stages", "N", CLI_STRING, FIELD(stages), 0, 0,
        "cut into N stages in graph order, ignoring markers"},
    {"--policy", "HOW", CLI_STRING, FIELD(policy), 0, 0,
        "how --stages cuts: nodes (equal numbers, the default), params (equal bytes of "
        "parameters), "
        "threshold (at most --threshold bytes of parameters per stage) or optimal (minimise the "
        "largest stage time: compute= of its nodes, comm= of the values that enter and leave)"},
    {"--threshold", "BYTES", CLI_BYTES, FIELD(threshold), 1, UINT64_MAX - 1u,
        "for threshold: the limit per stage; default all bytes of parameters / N. A node above the "
        "limit ends a stage without parameters, otherwise begins one"},
    {"--memory", "BYTES", CLI_BYTES, FIELD(memory), 1, UINT64_MAX - 1u,
        "for optimal: the memory of a device, for parameters and, with --microbatches, for the "
        "microbatches that it keeps for backward; without it, for the peak of live bytes"},
    {"--bandwidth", "[A,B=]BYTES_PER_S", CLI_LIST, 0, 1, UINT64_MAX - 1u,
        "for optimal and --schedule: bytes per second between devices, for values without comm=; "
        "without it these take no time. A,B=: between two of the devices, either way; may be "
        "repeated; values then pass from stage to stage"},
    {"--device", "NAME:BYTES[:SPEED]", CLI_LIST, 0, 0, 0,
        "a device for one stage, its memory, and what divides times there (default 1); one per "
        "stage, in the order of the stages. The policy is then optimal"},
    {"--any-order", NULL, CLI_FLAG, FIELD(any_order), 0, 0,
        "for --device: in the best order of devices; of up to 12 devices of 6 kinds all orders, "
        "otherwise some, with a bound"},
    {"--table", "FILE", CLI_STRING, FIELD(table), 0, 0,
        "in place of a graph, a CSV table of layers in a row: layer, bytes of parameters, seconds "
        "or MACs (at 10^12 per second), bytes of activation, bytes of kv; a first line may name "
        "them: layer,params,macs,activation,kv (or kv_per_token). Of a .gguf or .safetensors file "
        "the table that `read` makes"},
    {"--kv", "BYTES_PER_LAYER", CLI_BYTES, FIELD(kv), 1, UINT64_MAX - 1u,
        "for --device: bytes that a device keeps for each of its layers (the cache of keys and "
        "values): numbered modules such as layers.3, or else called modules with parameters; kv= "
        "of a node wins"},
    {"--context", "TOKENS", CLI_NUMBER, FIELD(context), 1, (uint64_t)1 << 40,
        "for --device: tokens of context, by which kv_per_token= of a node counts, such as a table "
        "has that `read` makes of a .gguf; default 1. How many fit is told beside"},
    {"--carried", NULL, CLI_FLAG, FIELD(carried), 0, 0,
        "for optimal: a value passes through every stage up to the last that reads it, and takes "
        "memory there"},
    {"--balance", "time|bytes|latency", CLI_STRING, FIELD(goal), 0, 0,
        "for optimal: minimise the largest stage time (the default if any node has compute=) or "
        "the "
        "largest stage memory; with --device also the sum of the stage times, for one microbatch, "
        "in which a value takes time once per stage that it enters"},
    {"--param-copies", "C", CLI_NUMBER, FIELD(copies), 1, 1u << 20,
        "for optimal and --schedule: bytes of parameters count C times, for gradients and "
        "optimiser state; default 1"},
    {"--first-time", "SECONDS", CLI_STRING, FIELD(first_time), 0, 0,
        "for optimal and --schedule: extra time of the first stage"},
    {"--last-time", "SECONDS", CLI_STRING, FIELD(last_time), 0, 0,
        "for optimal and --schedule: extra time of the last stage"},
    {"--keep-groups", NULL, CLI_FLAG, FIELD(keep_groups), 0, 0,
        "for optimal: nodes of the same group= are in one stage; with a backward part (backward=1, "
        "or module= of class Backward) on one device, which then has several stages"},
    {"--cpu-cores", "N", CLI_NUMBER, FIELD(cores), 1, 1024,
        "for optimal: besides the stages, up to N more on CPU cores, at cpu= seconds; --stages "
        "counts devices then, and nodes with acc=0 stay on CPU cores"},
    {"--replicas", NULL, CLI_FLAG, FIELD(replicas), 0, 0,
        "for optimal: a stage may run on several of the --stages devices, each with a share of the "
        "--microbatches; with --bandwidth, keeping their parameters equal takes time"},
    {"--orders", "N", CLI_NUMBER, FIELD(orders), 1, GSP_STAGES_OPTIMAL_ORDERS,
        "for optimal: try N topological orders and keep the best; above 1, all orders if there are "
        "not too many, otherwise some more; 1: graph order alone"},
    {"--max-work", "N", CLI_NUMBER, FIELD(max_work), 1, UINT64_MAX,
        "for optimal: visit at most N nodes per order, then take the best cut so far; default 2^26 "
        "(less than a second), for --balance latency 3 * 2^24, for --balance bytes of large "
        "graphs 2^22"},
    {"--microbatches", "M", CLI_NUMBER, FIELD(microbatches), 1, 1u << 24,
        "number of microbatches; a stage keeps those whose backward pass is still to come"},
    {"--schedule", "KIND", CLI_STRING, FIELD(schedule), 0, 0,
        "the schedule, which says when every stage works on every microbatch: gpipe, 1f1b, "
        "interleaved, looped-bfs; with backward in two parts interleaved-zb, zb-h1, zb-h2 and, "
        "with "
        "two stages per device in the shape of a V, zbv, v-half, v-min, dualpipev; or that of "
        "@FILE, "
        "as --schedule-csv and PyTorch write it"},
    {"--chunks", "V", CLI_NUMBER, FIELD(chunks), 1, 1u << 20,
        "for interleaved, interleaved-zb and looped-bfs: stages per device, default 2; stage I is "
        "on "
        "device I modulo N / V"},
    {"--backward", "F", CLI_NUMBER, FIELD(backward), 1, 1000,
        "for --schedule: backward takes F times compute=; default 2"},
    {"--task-times", "F:I:W,...", CLI_LIST, 0, 0, 0,
        "for --schedule: seconds of a microbatch forward, backward for the input and backward for "
        "the "
        "parameters, for all stages or per stage; default: the costs of the stages"},
    {"--inference", NULL, CLI_FLAG, FIELD(inference), 0, 0,
        "for --schedule: forward only; a stage needs memory for its parameters, its peak of live "
        "bytes, and the inputs that wait for it"},
    {"--svg", "FILE", CLI_STRING, FIELD(svg), 0, 0, "write the schedule as a chart"},
    {"--trace", "FILE", CLI_STRING, FIELD(trace), 0, 0,
        "write the run as a trace for Perfetto and chrome://tracing"},
    {"--schedule-csv", "FILE", CLI_STRING, FIELD(csv), 0, 0,
        "write the schedule as CSV, as PyTorch's pipelines read it: a row per device, a cell per "
        "task "
        "(1F0: stage 1 forward, microbatch 0; B, I and W: backward, its parts for input and "
        "parameters)"},
    {"--transfers", NULL, CLI_FLAG, FIELD(transfers), 0, 0,
        "for --schedule-csv: with sends and receives, and what sharded parameters need "
        "(compute_comms)"},
    {"--multi-use", "[TARGET=]USE", CLI_LIST, 0, 0, 0,
        "a parameter that several stages use: replicate (each stage has a copy, the default) or "
        "transmit (the first stage passes it on); for all parameters, or for TARGET; may be "
        "repeated, "
        "also with commas"},
    {"--stage-device", "I=DEVICE", CLI_LIST, 0, 0, 0,
        "set the keyword argument device= of function calls in stage I to DEVICE; may be repeated"},
    {"--loss-output", "I", CLI_STRING, FIELD(loss), 0, 0,
        "training: returned value I is the loss; the root gets its backward part"},
    {"--loss-key", NULL, CLI_FLAG, FIELD(loss_key), 0, 0,
        "training: the loss is the value of the key loss in a returned dict"},
    {"--loss-spec", "SPEC", CLI_STRING, FIELD(spec), 0, 0,
        "training: SPEC has the structure of the returned value, with True at the loss and False "
        "elsewhere: \"(False, {'loss': True})\""},
    {"--keep-targets", NULL, CLI_FLAG, FIELD(keep_targets), 0, 0,
        "called modules keep their dotted targets; otherwise layers.0.lin becomes layers_0_lin"},
    {"--plan", "FILE", CLI_STRING, FIELD(cut), 0, 0,
        "take the stages from a plan file instead of cutting; report what no longer matches"},
    {"--save-plan", "FILE", CLI_STRING, FIELD(save), 0, 0, "write the stages as a plan file"},
    CLI_TIMES_UNIT(FIELD(times.unit)),
    CLI_TIMES_RATES(FIELD(times.rates)),
    CLI_PART_FILE(FIELD(part)),
    CLI_FINGERPRINTS(FIELD(fingerprints)),
    {"--stages-for", "none|torch|megatron|deepspeed|llama.cpp|accelerate|openvino|onnxruntime",
        CLI_CHOICE, FIELD(stages_for), 0, 0,
        "print the stages instead of tables, as the split spec of torch.distributed.pipelining, "
        "the "
        "layout string of Megatron-LM, DeepSpeed's list of partitions, options of llama.cpp, the "
        "device_map of Accelerate (JSON), the affinity of each node for OpenVINO's HETERO (JSON), "
        "or "
        "the layers of ONNX Runtime with the annotation of each node (JSON)"},
    {"--emit", "DIR", CLI_STRING, FIELD(emit), 0, 0,
        "write one file per stage and manifest.json into DIR, which is created if necessary"},
};

/* ---- options ---- */

static uint32_t multi_use(gsp_str word)
{
    return gsp_str_equal(word, gsp_str_of("replicate"))  ? (uint32_t)GSP_MULTI_USE_REPLICATE
           : gsp_str_equal(word, gsp_str_of("transmit")) ? (uint32_t)GSP_MULTI_USE_TRANSMIT
                                                         : (uint32_t)GSP_MULTI_USE_COUNT;
}

/* One item of --multi-use: USE, or TARGET=USE. */
static int read_use(pipe_job *p, gsp_str item, gsp_stage_param_use *uses)
{
    gsp_str word = item;
    uint32_t at = item.size;
    while (at > 0 && item.data[at - 1u] != '=') {
        at--;
    }
    word.data += at;
    word.size -= at;
    if (multi_use(word) == (uint32_t)GSP_MULTI_USE_COUNT) {
        return cli_error(p->session, GSP_STATUS_ARG,
            "--multi-use %s: expected replicate or transmit", cli_copy(p->session, item));
    }
    if (at == 0) {
        p->desc.params.multi_use = multi_use(word);
    } else {
        gsp_stage_param_use *use = &uses[p->desc.params.n_uses++];
        use->target = item;
        use->target.size = at - 1u;
        use->multi_use = multi_use(word);
    }
    return CLI_EXIT_OK;
}

static int read_uses(pipe_job *p)
{
    cli_session *s = p->session;
    gsp_stage_param_use *uses;
    size_t bytes = 0;
    size_t i;
    for (i = 0; i < s->n_given; i++) {
        bytes += strlen(s->given[i].value) + 1u;
    }
    uses = (gsp_stage_param_use *)cli_alloc(s, bytes + 1u, sizeof *uses);
    for (i = 0; i < s->n_given; i++) {
        uint32_t at = 0;
        gsp_str item;
        if (strcmp(s->given[i].option->name, "--multi-use") != 0) {
            continue;
        }
        while ((item = pipe_list_item(gsp_str_of(s->given[i].value), &at)).size > 0) {
            int code = read_use(p, item, uses);
            if (code != CLI_EXIT_OK) {
                return code;
            }
        }
    }
    p->desc.params.uses = uses;
    return CLI_EXIT_OK;
}

/* I=DEVICE; a negative index becomes one that no stage has. */
static int read_devices(pipe_job *p)
{
    cli_session *s = p->session;
    gsp_stage_device *devices = (gsp_stage_device *)cli_alloc(s, s->n_given + 1u, sizeof *devices);
    size_t i;
    p->device_from = (const char **)cli_alloc(s, s->n_given + 1u, sizeof *p->device_from);
    for (i = 0; i < s->n_given; i++) {
        const char *equals = strchr(s->given[i].value, '=');
        gsp_str index = gsp_str_of(s->given[i].value);
        int64_t stage;
        if (strcmp(s->given[i].option->name, "--stage-device") != 0) {
            continue;
        }
        index.size = equals != NULL ? (uint32_t)(equals - s->given[i].value) : 0u;
        if (equals == NULL || equals[1] == '\0' || !pipe_integer(index, &stage)) {
            return cli_usage_error(
                s, "--stage-device expects I=DEVICE, got '%s'", s->given[i].value);
        }
        devices[p->move.n_devices].stage = stage >= 0 ? (uint32_t)stage : UINT32_MAX;
        p->device_from[p->move.n_devices] = s->given[i].value;
        devices[p->move.n_devices++].device = gsp_str_of(equals + 1);
    }
    p->move.devices = devices;
    return CLI_EXIT_OK;
}

static int read_loss(pipe_job *p)
{
    cli_session *s = p->session;
    int64_t index = 0;
    p->has_loss = p->opt.loss != NULL || p->opt.loss_key || p->opt.spec != NULL;
    if ((p->opt.loss != NULL) + (p->opt.spec != NULL) + (int)p->opt.loss_key > 1) {
        return cli_usage_error(
            s, "only one of --loss-output, --loss-key and --loss-spec can name the loss");
    }
    if (p->opt.loss != NULL && !pipe_integer(gsp_str_of(p->opt.loss), &index)) {
        return cli_usage_error(s, "--loss-output expects a number, got '%s'", p->opt.loss);
    }
    p->loss.loss = p->opt.loss_key       ? (uint32_t)GSP_LOSS_KEY
                   : p->opt.spec != NULL ? (uint32_t)GSP_LOSS_SPEC
                                         : (uint32_t)GSP_LOSS_OUTPUT;
    p->loss.output = index >= 0 ? (uint32_t)index : UINT32_MAX;
    p->loss.spec = gsp_str_of(p->opt.spec);
    return CLI_EXIT_OK;
}

/* FILE, or the table that stands for it: the only format then. */
static int take_file(pipe_job *p)
{
    static const cli_format *const table[] = {&cli_table_format};
    cli_session *s = p->session;
    cli_front *front;
    if (p->opt.table == NULL) {
        return cli_one_file(s);
    }
    if (s->n_positional != 0) {
        return cli_usage_error(
            s, "--table %s is the input, and '%s' is one too", p->opt.table, s->positional[0]);
    }
    front = (cli_front *)cli_alloc(s, 1u, sizeof *front);
    *front = *s->front;
    front->formats = table;
    front->n_formats = CLI_COUNT(table);
    s->front = front;
    s->path = p->opt.table;
    return CLI_EXIT_OK;
}

static int read_options(pipe_job *p, int argc, char **argv)
{
    cli_session *s = p->session;
    int code = cli_options_read(s, &p->opt, argc, argv);
    if (code != CLI_EXIT_OK || s->common.help || (code = take_file(p)) != CLI_EXIT_OK ||
        (code = pipe_marks_read(p)) != CLI_EXIT_OK ||
        (code = pipe_device_options(p)) != CLI_EXIT_OK ||
        (code = pipe_policy_read(p)) != CLI_EXIT_OK || (code = read_uses(p)) != CLI_EXIT_OK ||
        (code = read_devices(p)) != CLI_EXIT_OK) {
        return code;
    }
    p->desc.keep_targets = p->opt.keep_targets;
    return read_loss(p);
}

/* ---- the pass: cuts, and the module ---- */

static gsp_status work(void *user, gsp_arena *arena, gsp_error *err)
{
    pipe_job *p = (pipe_job *)user;
    gsp_status status = GSP_OK;
    if (gsp_arena_left(arena) < p->bound) { /* one figure for all passes */
        err->status = GSP_STATUS_NOMEM;
        err->detail = GSP_DETAIL_BOUND;
        err->need = p->bound;
        err->limit = gsp_arena_left(arena);
        return GSP_STATUS_NOMEM;
    }
    if (p->automatic) {
        status = pipe_policy_run(p, arena, err);
    } else if (p->opt.cut == NULL) {
        gsp_stages_from_marks_result marks;
        status = gsp_stages_from_marks_run(arena, &p->graph, &p->marks, &marks, err);
        p->stage_of = status == GSP_OK ? marks.stage_of : NULL;
        p->n_stages = status == GSP_OK ? marks.n_stages : 0u;
    }
    p->desc.params.stage_of = p->stage_of;
    return status == GSP_OK ? gsp_pipeline_run(arena, &p->graph, &p->desc, &p->made, err) : status;
}

static int refuse(pipe_job *p, const gsp_error *err)
{
    cli_session *s = p->session;
    const gsp_graph *g = &p->graph;
    switch (err->detail) {
    case GSP_DETAIL_PARAMETER:
        return cli_error(s, err->status, "--multi-use %s: no get_attr reads this parameter",
            cli_copy(s, p->desc.params.uses[err->node].target));
    case GSP_DETAIL_STAGE:
        return cli_error(s, err->status,
            "%s reads %%%s, which marks a cut and has no value; remove that input",
            err->node + 1u == g->n_nodes ? "the return" : cli_copy(s, gsp_node_name(g, err->node)),
            cli_copy(s, gsp_node_name(g, err->other)));
    case GSP_DETAIL_WRITTEN:
        return cli_error(s, err->status,
            "%%%s writes the parameter %s, and several stages would have a copy of "
            "it; --multi-use %s=transmit keeps it in one",
            cli_copy(s, gsp_node_name(g, err->node)), cli_copy(s, gsp_node_target(g, err->other)),
            cli_copy(s, gsp_node_target(g, err->other)));
    default:
        return p->stage_of != NULL ? cli_pass_error(s, g, err)
               : p->automatic      ? pipe_policy_refuse(p, err)
                                   : pipe_marks_refuse(p, err);
    }
}

static size_t add_sizes(size_t a, size_t b)
{
    return a > SIZE_MAX - b ? SIZE_MAX : a + b;
}

/* Modules that a stage writes and another one has a copy of; parameters are refused. */
static void tell_modules(const pipe_job *p)
{
    cli_session *s = p->session;
    const gsp_pipeline_result *r = &p->made;
    char **names = (char **)cli_alloc(s, (size_t)r->n_stages + 1u, sizeof *names);
    uint32_t *home = (uint32_t *)cli_alloc(s, p->graph.n_nodes, sizeof *home);
    cli_named_parts parts;
    uint32_t i;
    for (i = 0; i < p->graph.n_nodes; i++) {
        home[i] = r->params.home[r->params.kept[i]];
    }
    for (i = 0; i < r->n_stages; i++) {
        names[i] = cli_copy(s, gsp_module_str(&r->module, r->module.graphs[i + 1u].name));
    }
    parts.part_of = r->stage_of;
    parts.kind = NULL;
    parts.names = names;
    parts.home = home;
    cli_tell_modules(s, &p->graph, &parts);
    if (p->opt.ignore_writes == 0) {
        pipe_tell_copies(s, &p->graph, &parts);
    }
}

static int run_pipe(pipe_job *p)
{
    gsp_arena arena;
    gsp_error err;
    int code;
    cli_progress(p->session, "cutting into stages");
    p->bound = gsp_stages_from_marks_bound(&p->graph, &p->marks);
    if (p->automatic && (code = pipe_policy_bound(p, &p->bound)) != CLI_EXIT_OK) {
        return code;
    }
    p->bound = add_sizes(p->bound, gsp_pipeline_bound(&p->graph, &p->desc));
    code = cli_pass_arena(p->session, &arena, p->bound);
    if (code != CLI_EXIT_OK) {
        return code;
    }
    memset(&err, 0, sizeof err);
    if (cli_measure(p->session, &arena, work, p, &p->timing, &err) != GSP_OK) {
        return refuse(p, &err);
    }
    p->module = p->made.module;
    tell_modules(p);
    return pipe_policy_check(p);
}

/* ---- what comes on top: backward part, devices ---- */

static int refuse_loss(pipe_job *p, const gsp_error *err)
{
    cli_session *s = p->session;
    switch (err->detail) {
    case GSP_DETAIL_LOSS_INDEX:
        return cli_error(s, err->status,
            "--loss-output %s: the graph returns %" PRIu64 " value%s, counted from 0", p->opt.loss,
            err->limit, cli_plural(err->limit));
    case GSP_DETAIL_LOSS_KEY:
        return cli_error(s, err->status, "--loss-key: the graph returns no dict with a key 'loss'");
    case GSP_DETAIL_LOSS_VALUE:
        return cli_error(s, err->status,
            "the loss must be the value of a node, and the value returned there is not");
    case GSP_DETAIL_LOSS_SPEC:
        return cli_error(s, err->status,
            "--loss-spec %s: from column %zu on ('%s') it does not have the structure "
            "of the returned value",
            p->opt.spec, err->column, p->opt.spec + err->column - 1u);
    case GSP_DETAIL_LOSS_NONE:
        return cli_error(s, err->status, "--loss-spec %s: True does not occur", p->opt.spec);
    default:
        return cli_pass_error(s, &p->graph, err);
    }
}

static int add_backward(pipe_job *p)
{
    gsp_arena arena;
    gsp_error err;
    size_t bound = gsp_backward_bound(&p->made.module, &p->loss);
    if (bound == SIZE_MAX) {
        return cli_error(p->session, GSP_STATUS_OVERFLOW, "the backward part is too large");
    }
    cli_arena(p->session, &arena, bound);
    if (gsp_backward_run(&arena, &p->made, &p->loss, &p->backward, &err) != GSP_OK) {
        return refuse_loss(p, &err);
    }
    p->module = p->backward.module;
    return CLI_EXIT_OK;
}

static int rewrite_devices(pipe_job *p)
{
    cli_session *s = p->session;
    gsp_arena arena;
    gsp_error err;
    gsp_module moved;
    size_t bound;
    p->move.n_stages = p->made.n_stages;
    bound = gsp_stage_devices_bound(&p->module, &p->move);
    if (bound == SIZE_MAX) {
        return cli_error(s, GSP_STATUS_OVERFLOW, "the module is too large");
    }
    cli_arena(s, &arena, bound);
    if (gsp_stage_devices_run(&arena, &p->module, &p->move, &moved, &err) == GSP_OK) {
        p->module = moved;
        return CLI_EXIT_OK;
    }
    if (err.detail == GSP_DETAIL_STAGE_INDEX) {
        return cli_error(s, err.status,
            "--stage-device %s: the pipeline has %" PRIu32 " stage%s, counted from 0",
            p->device_from[err.node], p->made.n_stages, cli_plural(p->made.n_stages));
    }
    if (err.detail == GSP_DETAIL_DEVICE) {
        return cli_error(s, err.status,
            "--stage-device: '%s' is not a device that graph text can hold",
            cli_copy(s, p->move.devices[err.node].device));
    }
    return cli_pass_error(s, &p->graph, &err);
}

/* ---- output ---- */

/* The files that show the schedule; "-" replaces the tables. */
typedef struct picture {
    const char *path;
    void (*put)(const pipe_job *p, cli_buffer *out);
} picture;

static int is_picture_to_out(const pipe_job *p)
{
    const char *const paths[] = {p->opt.svg, p->opt.trace, p->opt.csv};
    uint32_t i;
    for (i = 0; i < CLI_COUNT(paths); i++) {
        if (paths[i] != NULL && strcmp(paths[i], "-") == 0) {
            return 1;
        }
    }
    return 0;
}

static int write_pictures(const pipe_job *p)
{
    cli_session *s = p->session;
    const picture pictures[] = {
        {p->opt.svg, pipe_svg}, {p->opt.trace, pipe_trace}, {p->opt.csv, pipe_csv}};
    uint32_t i;
    for (i = 0; i < CLI_COUNT(pictures); i++) {
        const char *path = pictures[i].path;
        cli_buffer file;
        int code;
        if (path == NULL) {
            continue;
        }
        if (strcmp(path, "-") == 0) {
            pictures[i].put(p, &s->out);
            continue;
        }
        cli_buffer_init(&file, s);
        pictures[i].put(p, &file);
        code = cli_write_file(s, path, &file);
        if (code != CLI_EXIT_OK) {
            return code;
        }
    }
    return CLI_EXIT_OK;
}

static int write_files(const pipe_job *p)
{
    int code = p->opt.save != NULL ? pipe_cut_save(p) : CLI_EXIT_OK;
    if (code == CLI_EXIT_OK && p->opt.part != NULL) {
        code = cli_part_write(p->session, p->opt.part, &p->graph, p->stage_of);
    }
    if (code == CLI_EXIT_OK) {
        code = write_pictures(p);
    }
    if (code == CLI_EXIT_OK && p->opt.emit != NULL) {
        code = pipe_emit(p);
    }
    if (code != CLI_EXIT_OK) {
        cli_unwrite(p->session);
    }
    return code;
}

static int write_all(const pipe_job *p)
{
    cli_session *s = p->session;
    cli_buffer stages;
    int code = CLI_EXIT_OK;
    cli_buffer_init(&stages, s);
    if (p->opt.stages_for != 0) {
        code = pipe_hand_over(p, &stages);
    }
    if (code == CLI_EXIT_OK) {
        code = write_files(p);
    }
    if (code != CLI_EXIT_OK) {
        return code;
    }
    pipe_policy_note(p);
    pipe_tell_skips(p);
    cli_actions_tell(s, &p->plan.given);
    if (s->common.porcelain) {
        pipe_porcelain(p, &s->out);
    } else if (s->common.json) {
        pipe_json(p, &s->out);
    } else if (p->opt.stages_for != 0) {
        cli_put(&s->out, stages.data, stages.size);
    } else if (!is_picture_to_out(p)) {
        pipe_people(p, &s->out);
        if (p->opt.fingerprints) {
            cli_put_programs(&s->out, &p->made.module, 1u, p->made.n_stages);
        }
        pipe_people_figures(p, &s->out);
    }
    cli_time_line(s, p->graph.n_nodes, p->counts.edges, p->bound, &p->timing);
    return CLI_EXIT_OK;
}

static int run(cli_session *s, int argc, char **argv)
{
    pipe_job p;
    int code;
    memset(&p, 0, sizeof p);
    p.session = s;
    code = read_options(&p, argc, argv);
    if (code != CLI_EXIT_OK || s->common.help ||
        (code = cli_load_main(s, &p.graph, &p.counts)) != CLI_EXIT_OK ||
        (code = cli_times_set(s, &p.opt.times, 0)) != CLI_EXIT_OK ||
        (code = cli_order_writes(s, &p.graph, p.opt.ignore_writes)) != CLI_EXIT_OK) {
        return code;
    }
    code = p.opt.cut != NULL ? pipe_cut_read(&p) : CLI_EXIT_OK;
    if (code == CLI_EXIT_OK) {
        code = run_pipe(&p);
    }
    if (code == CLI_EXIT_OK && p.opt.cut != NULL) {
        code = cli_check_writes(s, &p.graph, p.stage_of);
    }
    if (code == CLI_EXIT_OK && !p.opt.keep_groups) {
        code = cli_groups_check(
            s, &p.graph, p.made.stage_of, "--policy optimal --keep-groups keeps groups together");
    }
    if (code == CLI_EXIT_OK) {
        code = pipe_plan_make(&p);
    }
    if (code == CLI_EXIT_OK && p.has_loss) {
        code = add_backward(&p);
    }
    if (code == CLI_EXIT_OK && p.move.n_devices != 0) {
        code = rewrite_devices(&p);
    }
    if (code == CLI_EXIT_OK && !s->common.porcelain) {
        code = pipe_weigh(&p);
        p.has_peaks = code == CLI_EXIT_OK && pipe_inference_weigh(&p);
    }
    return code == CLI_EXIT_OK ? write_all(&p) : code;
}

const cli_pass cli_pipe_pass = {
    "pipe",
    "[options] FILE",
    "Cuts a graph into the stages of a pipeline, forward and backward",
    "PATH names every call whose scope= (of a called module without one: its target) is PATH or "
    "below\n"
    "it; consecutive calls count as one. A marker cuts at its place. Cuts before the first and\n"
    "after the last called node make no stage. The parts of a plan are stages in the order of "
    "their\n"
    "numbers or, if some names are not numbers, in the order of the file.\n"
    "FILE may be an instance of Piper (.json). fixed= and kept= of nodes, in bytes and bytes per\n"
    "microbatch, replace parameters and outputs as memory of a stage; each=S,S,... are the "
    "seconds\n"
    "to move an output to each of its readers.\n"
    "--arena and --time cover the cuts and the stages; the backward part and the devices have "
    "memory\n"
    "of their own.\n",
    options,
    CLI_COUNT(options),
    run,
    {"--stages 4 --policy optimal net.fx",
        "--stages 4 --schedule 1f1b --microbatches 8 --svg run.svg net.fx"},
};
