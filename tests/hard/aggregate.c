/* One operator that yields a flat aggregate of a hundred thousand tensors, and a getitem for each:
 * what reads the TYPE of the aggregate anew for every getitem takes hours. Every pass is timed
 * beside reading the text. */
#include "examples/extra/graphsplit_draw.h"
#include "examples/extra/graphsplit_fingerprint.h"
#include "tests/t.h"

#include <time.h>

typedef struct shape {
    t_string text;
    gsp_arena arena;
    gsp_module m;
    gsp_graph g;
    gsp_counts c;
    double limit; /* seconds */
    gsp_arena work;
    gsp_placement placement;
    uint32_t *part_of;
    clock_t start;
} shape;

static void put(t_string *s, const char *before, uint32_t number, const char *behind)
{
    t_puts(s, before);
    t_number(s, number);
    t_puts(s, behind);
}

/* mul, unbind into k tensors, k getitems, and a cat that reads them when `closed`; else cat reads
 * the aggregate and the return every getitem. */
static void put_block(t_string *s, uint32_t block, uint32_t k, int closed)
{
    uint32_t i;
    put(s, "    %m", block, " : [num_users=1] = call_function[target=torch.mul](args = (%x, 2), ");
    t_puts(s, "kwargs = {})  # f32[4]\n");
    put(s, "    %u", block, " : [num_users=1] = call_function[target=torch.unbind](args = (%m");
    put(s, "", block, ",), kwargs = {})  # tuple(");
    for (i = 0; i < k; i++) {
        t_puts(s, i != 0u ? ", f32[]" : "f32[]");
    }
    t_puts(s, ")\n");
    for (i = 0; i < k; i++) {
        put(s, "    %g", block, "_");
        put(s, "", i, " : [num_users=1] = call_function[target=operator.getitem](args = (%u");
        put(s, "", block, ", ");
        put(s, "", i, "), kwargs = {})  # f32[]\n");
    }
    put(s, "    %c", block, " : [num_users=1] = call_function[target=torch.cat](args = (");
    for (i = 0; i < k && closed; i++) {
        put(s, i != 0u ? ", %g" : "[%g", block, "_");
        t_number(s, i);
    }
    if (closed) {
        t_puts(s, "],), kwargs = {})  # f32[4]\n");
    } else {
        put(s, "%u", block, ",), kwargs = {})  # f32[4]\n");
    }
}

static void open_shape(shape *s, int closed)
{
    uint32_t const k = t_fast ? 20000u : 100000u;
    gsp_error err;
    uint32_t i;
    uint32_t v;
    memset(s, 0, sizeof(*s));
    t_puts(&s->text, "graph():\n    %x : [num_users=2] = placeholder[target=x]  # f32[4]\n");
    put_block(&s->text, 0u, k, closed);
    put_block(&s->text, 1u, k, closed);
    t_puts(&s->text, "    return (c0, c1");
    for (i = 0; i < k && !closed; i++) {
        put(&s->text, ", g0_", i, "");
        put(&s->text, ", g1_", i, "");
    }
    t_puts(&s->text, ")\n");
    s->start = clock();
    T_EQUAL(t_read(&s->arena, s->text.data, s->text.size, &s->m, &err), GSP_OK);
    /* Half a second is what a machine under load may take away. */
    s->limit = 20.0 * (double)(clock() - s->start) / CLOCKS_PER_SEC + 0.5;
    s->g = gsp_module_graph(&s->m, 0u);
    s->c = gsp_graph_counts(&s->g);
    s->part_of = (uint32_t *)t_alloc(s->c.nodes * sizeof(uint32_t));
    for (v = 0; v < s->c.nodes; v++) {
        s->part_of[v] = 2u * v / s->c.nodes;
    }
    t_arena_open(&s->work, 0u);
}

static void close_shape(shape *s)
{
    t_arena_close(&s->work);
    t_arena_close(&s->arena);
    free(s->part_of);
    t_free(&s->text);
}

static void begin(shape *s, size_t bound)
{
    t_arena_close(&s->work);
    t_arena_open(&s->work, bound);
    s->start = clock();
}

static void done(const shape *s, gsp_status status, const char *pass)
{
    double const took = (double)(clock() - s->start) / CLOCKS_PER_SEC;
    if (!T_EQUAL(status, GSP_OK) || !T_CHECK(took < s->limit)) {
        printf("%s: %s, %.3f s of %.3f\n", pass, gsp_status_name(status), took, s->limit);
    }
}

static int count_bytes(void *user, const char *data, size_t size)
{
    (void)data;
    *(size_t *)user += size;
    return 0;
}

/* Text, drawing, fingerprint, validation. */
static void time_readers(shape *s)
{
    size_t bytes = 0;
    gsp_fingerprints_result prints;
    gsp_module again;
    begin(s, 0u);
    done(s, gsp_text_write(&s->m, NULL, count_bytes, &bytes, NULL), "text");
    T_CHECK(bytes > s->text.size / 2u);
    begin(s, gsp_draw_bound(&s->m));
    done(s, gsp_draw_module(&s->work, &s->m, NULL, count_bytes, &bytes, NULL), "draw");
    begin(s, gsp_fingerprints_bound(&s->m));
    done(s, gsp_fingerprints_run(&s->work, &s->m, &prints, NULL), "fingerprints");
    begin(s, 0u);
    done(s, gsp_module_open(&again, s->m.block, s->m.block_size, 0, NULL), "check");
}

/* A table that asks every tensor around a node for its dtype. */
static void time_split(shape *s)
{
    gsp_table_entry entries[2];
    gsp_rule rules[2];
    gsp_accelerator accelerator;
    gsp_support_desc support;
    gsp_split_desc desc;
    gsp_split_result split;
    gsp_signatures_result signatures;
    gsp_arena placed;
    gsp_mark mark;
    memset(entries, 0, sizeof(entries));
    memset(rules, 0, sizeof(rules));
    memset(&support, 0, sizeof(support));
    memset(&desc, 0, sizeof(desc));
    entries[0].name = gsp_str_of("operator.*");
    entries[0].dtypes = gsp_str_of("i8,f32");
    entries[1].name = gsp_str_of("torch.unbind");
    rules[0].kind = GSP_RULE_TABLE;
    rules[0].table.entries = entries;
    rules[0].table.n_entries = 2;
    rules[1].kind = GSP_RULE_DTYPES;
    rules[1].dtypes = gsp_str_of("f16,f32");
    accelerator.rules = rules;
    accelerator.n_rules = 1;
    support.accelerators = &accelerator;
    support.n_accelerators = 1;
    t_arena_open(&placed, gsp_support_bound(&s->g, &support));
    mark = gsp_arena_mark(&placed);
    accelerator.rules = &rules[1];
    s->start = clock();
    done(s, gsp_support_run(&placed, &s->g, &support, &s->placement, NULL), "support, dtypes");
    accelerator.rules = rules;
    gsp_arena_rewind(&placed, mark);
    s->start = clock();
    done(s, gsp_support_run(&placed, &s->g, &support, &s->placement, NULL), "support, table");
    begin(s, gsp_signatures_bound(&s->g));
    done(s, gsp_signatures_run(&s->work, &s->g, &s->placement, &signatures, NULL), "signatures");
    desc.placement = &s->placement;
    begin(s, gsp_split_bound(&s->g, &desc));
    done(s, gsp_split_run(&s->work, &s->g, &desc, &split, NULL), "split");
    t_arena_close(&placed);
}

static void time_modules(shape *s)
{
    gsp_str const names[2] = {{"a", 1u}, {"b", 1u}};
    gsp_split_by_tags_desc tags;
    gsp_split_by_tags_result tagged;
    gsp_split_module_desc parts;
    gsp_split_module_result parted;
    memset(&tags, 0, sizeof(tags));
    memset(&parts, 0, sizeof(parts));
    tags.n_tags = 2;
    tags.tag_of = s->part_of;
    tags.names = names;
    begin(s, gsp_split_by_tags_bound(&s->g, &tags));
    done(s, gsp_split_by_tags_run(&s->work, &s->g, &tags, &tagged, NULL), "module");
    parts.n_parts = 2;
    parts.part_of = s->part_of;
    begin(s, gsp_split_module_bound(&s->g, &parts));
    done(s, gsp_split_module_run(&s->work, &s->g, &parts, &parted, NULL), "parts");
}

static void time_pipe(shape *s)
{
    gsp_stages_even_desc stages;
    gsp_stages_even_result cut;
    gsp_pipeline_desc pipe;
    gsp_pipeline_result piped;
    memset(&stages, 0, sizeof(stages));
    memset(&pipe, 0, sizeof(pipe));
    stages.n_stages = 4;
    begin(s, gsp_stages_even_bound(&s->g, &stages));
    done(s, gsp_stages_even_run(&s->work, &s->g, &stages, &cut, NULL), "stages");
    pipe.params.stage_of = s->part_of;
    begin(s, gsp_pipeline_bound(&s->g, &pipe));
    done(s, gsp_pipeline_run(&s->work, &s->g, &pipe, &piped, NULL), "pipe");
}

static gsp_status count_kernel(void *user, const gsp_call *call)
{
    uint32_t i;
    for (i = 0; i < call->n_results; i++) {
        call->results[i] = ++*(uint64_t *)user;
    }
    return GSP_OK;
}

static void time_run(shape *s)
{
    gsp_exec_plan_desc desc;
    gsp_exec_plan frames;
    gsp_exec_desc run;
    gsp_value *values;
    gsp_value x = 1;
    gsp_arena scratch;
    uint64_t calls = 0;
    memset(&desc, 0, sizeof(desc));
    memset(&run, 0, sizeof(run));
    desc.aggregates = 8u * s->c.nodes;
    run.kernel = count_kernel;
    run.user = &calls;
    begin(s, gsp_exec_plan_bound(&s->g, &desc));
    done(s, gsp_exec_plan_run(&s->work, &s->g, &desc, &frames, NULL), "frames");
    if (t_failed()) {
        return;
    }
    t_arena_open(&scratch, gsp_exec_bound(&frames));
    values = (gsp_value *)t_alloc((frames.n_outputs + 1u) * sizeof(gsp_value));
    s->start = clock();
    done(s, gsp_exec_run(&scratch, &frames, &run, &x, values, NULL), "run");
    T_CHECK(calls != 0u);
    free(values);
    t_arena_close(&scratch);
}

static void time_memory(shape *s)
{
    gsp_liveness_result peak;
    gsp_memory_plan_desc desc;
    gsp_memory_plan_result offsets;
    memset(&desc, 0, sizeof(desc));
    desc.max_work = 1;
    begin(s, gsp_liveness_bound(&s->g, NULL));
    done(s, gsp_liveness_run(&s->work, &s->g, NULL, &peak, NULL), "peak");
    begin(s, gsp_memory_plan_bound(&s->g, &desc));
    done(s, gsp_memory_plan_run(&s->work, &s->g, &desc, &offsets, NULL), "offsets");
}

static gsp_dedup_result dedup(shape *s)
{
    gsp_dedup_desc desc;
    gsp_dedup_result r;
    memset(&desc, 0, sizeof(desc));
    memset(&r, 0, sizeof(r));
    desc.max_outputs = 20u * s->c.nodes;
    begin(s, gsp_dedup_bound(&s->g, &desc));
    done(s, gsp_dedup_run(&s->work, &s->g, &desc, &r, NULL), "dedup");
    return r;
}

static void time_all(shape *s)
{
    time_readers(s);
    time_split(s);
    time_modules(s);
    time_pipe(s);
    time_run(s);
    time_memory(s);
}

static void test_closed(void)
{
    shape s;
    open_shape(&s, 1);
    time_all(&s);
    T_EQUAL(dedup(&s).selection.n_calls, 2);
    close_shape(&s);
}

/* The elements leave: mul, unbind and cat are the block, the getitems stay outside. */
static void test_open(void)
{
    shape s;
    gsp_dedup_result r;
    open_shape(&s, 0);
    time_all(&s);
    r = dedup(&s);
    T_EQUAL(r.selection.n_calls, 2);
    T_EQUAL(r.selection.n_items, s.c.nodes - 8u + 2u);
    close_shape(&s);
}

/* Writes k tensors by the positions of one operator, twice. */
static void test_written(void)
{
    uint32_t const k = t_fast ? 20000u : 100000u;
    gsp_dependences effects;
    shape s;
    gsp_error err;
    uint32_t i;
    uint32_t twice;
    memset(&s, 0, sizeof(s));
    t_puts(&s.text, "graph():\n");
    for (i = 0; i < k; i++) {
        put(&s.text, "    %x", i, " : [num_users=2] = placeholder[target=x");
        put(&s.text, "", i, "]  # f32[4]\n");
    }
    for (twice = 0; twice < 2u; twice++) {
        put(&s.text, "    %f", twice, " : [num_users=0] = call_function[target=add_](args = ([");
        for (i = 0; i < k; i++) {
            put(&s.text, i != 0u ? ", %x" : "%x", i, "");
        }
        t_puts(&s.text, "], 1), kwargs = {})  # none mutates=0");
        for (i = 1; i < k; i++) {
            put(&s.text, ",", i, "");
        }
        t_puts(&s.text, "\n");
    }
    t_puts(&s.text, "    return None\n");
    s.start = clock();
    T_EQUAL(t_read(&s.arena, s.text.data, s.text.size, &s.m, &err), GSP_OK);
    s.limit = 20.0 * (double)(clock() - s.start) / CLOCKS_PER_SEC + 0.5;
    s.g = gsp_module_graph(&s.m, 0u);
    s.c = gsp_graph_counts(&s.g);
    t_arena_open(&s.work, 0u);
    begin(&s, gsp_dependences_bound(&s.g, NULL));
    done(&s, gsp_dependences_run(&s.work, &s.g, NULL, &effects, NULL), "effects");
    T_EQUAL(effects.n_dependences, 1);
    close_shape(&s);
}

void suite_hard_aggregate(void)
{
    t_run("closed", test_closed);
    t_run("open", test_open);
    t_run("written", test_written);
}
