/* graphsplit partition: a graph on devices of limited memory. */
#include "commands/partition/partition.h"

#include "output/output.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#define MOST_SWEEPS 1000000u
#define MOST_PARTS  65536u

static const cli_option options[] = {
    {"--device", "NAME:BYTES", CLI_LIST, 0, 0, 0,
        "a device and its memory; may be repeated, in order of preference; logical ids are 0, 1, "
        "..."},
    {"--devices", "FILE", CLI_LIST, 0, 0, 0,
        "devices from a file, NAME BYTES [ID] per line (below)"},
    {"--mode", "size|sparse-nn|cost|kl|aot|kway|heft", CLI_CHOICE,
        offsetof(partition_options, mode), 0, 0, "how partitions are chosen (below); default size"},
    {"--count", "sum|peak", CLI_CHOICE, offsetof(partition_options, count), 0, 0,
        "what a device must hold: sum, as PyTorch, parameters and every value; or parameters and "
        "the "
        "peak of live values (size, aot). With aot, too little is an error"},
    CLI_TRANSFER_RATE(offsetof(partition_options, rate)),
    CLI_IGNORE_WRITES(offsetof(partition_options, ignore_writes)),
    {"--repair", NULL, CLI_FLAG, offsetof(partition_options, repair), 0, 0,
        "size, cost, kl: where the mode finds no placement, search for one; the search ends "
        "on small graphs, and else by --work"},
    {"--saturate-host", NULL, CLI_FLAG, offsetof(partition_options, saturate), 0, 0,
        "idle devices take copies of all partitions, as many sets as fit"},
    {"--assign", "NODE=K,...", CLI_LIST, 0, 0, 0,
        "aot: the partition of every called node: NODE=K,NODE=K or @FILE; may be repeated"},
    {"--partition-devices", "K=ID,...", CLI_LIST, 0, 0, 0,
        "aot: logical ids of the devices of partition K"},
    {"--sweeps", "N", CLI_NUMBER, offsetof(partition_options, sweeps), 1, MOST_SWEEPS,
        "kl: number of sweeps over all nodes; default 1"},
    {"--work", "N", CLI_NUMBER, offsetof(partition_options, work), 1, UINT64_MAX,
        "cost, kl: stop after N trials with the best result so far, which is marked as stopped; "
        "cost without it: LIMIT after about a second; "
        "kway: the best of N attempts; --repair: more than its 134217728 visits"},
    {"--parts", "K", CLI_NUMBER, offsetof(partition_options, parts), 1, MOST_PARTS,
        "kway: the number of parts"},
    {"--imbalance", "E", CLI_STRING, offsetof(partition_options, imbalance), 0, 0,
        "kway: no part may have more than (1 + E) times the mean load, which is rounded up, or the "
        "load of the heaviest node; default 0.03"},
    {"--best-effort", NULL, CLI_FLAG, offsetof(partition_options, best_effort), 0, 0,
        "kway: where no parts keep to --imbalance, take those that exceed it by as little as was "
        "found"},
    {"--objective", "edges|bytes", CLI_CHOICE, offsetof(partition_options, objective), 0, 0,
        "kway: what the cut counts: edges, or bytes of values, once per part that reads them; "
        "default "
        "edges"},
    {"--preset", "eco|fast|strong", CLI_CHOICE, offsetof(partition_options, preset), 0, 0,
        "kway: the best of 16, 4 or 64 attempts (16 times as many below 256 nodes, fast 8 below "
        "2048; fewer on large graphs, to take about a second, and if none wins); default eco"},
    {"--seed", "N", CLI_NUMBER, offsetof(partition_options, seed), 0, UINT64_MAX,
        "kway: decides random ties; heft: the order of moves; default 0"},
    {"--fix", "FILE", CLI_STRING, offsetof(partition_options, fix), 0, 0,
        "kway: the part of every node that must have it, one integer per line; -1: any"},
    {"--svg", "FILE", CLI_STRING, offsetof(partition_options, svg), 0, 0,
        "write a drawing of when each partition runs, with the critical path; '-' for standard "
        "output"},
    {"--save", "FILE", CLI_STRING, offsetof(partition_options, save), 0, 0,
        "write NODE=K for every called node, as --assign @FILE reads it"},
    {"--plan", "FILE", CLI_STRING, offsetof(partition_options, plan), 0, 0,
        "take partitions and devices from a plan file, as with aot; report what no longer matches"},
    {"--save-plan", "FILE", CLI_STRING, offsetof(partition_options, save_plan), 0, 0,
        "write partitions and the logical ids of their devices as a plan file"},
    CLI_PART_FILE(offsetof(partition_options, part)),
    CLI_EMIT_SUBMODULES(offsetof(partition_options, emit)),
    CLI_TIMES_UNIT(offsetof(partition_options, times.unit)),
    CLI_TIMES_RATES(offsetof(partition_options, times.rates)),
    CLI_FINGERPRINTS(offsetof(partition_options, fingerprints)),
};

/* ---- options ---- */

static int read_rate(partition *p)
{
    if (p->opt.rate != NULL && p->opt.times.unit == CLI_TIMES_NODES) {
        return cli_usage_error(p->session,
            "--time-unit nodes cannot be combined with --transfer-rate, which is in seconds");
    }
    return cli_rate_read(p->session, p->opt.rate, &p->desc.has_rate, &p->desc.transfer_rate);
}

static int read_options(partition *p, int argc, char **argv)
{
    cli_session *s = p->session;
    uint32_t outputs;
    int code;
    p->opt.count = PARTITION_AS_GIVEN;
    code = cli_options_read(s, &p->opt, argc, argv);
    if (code != CLI_EXIT_OK) {
        return code;
    }
    outputs = s->common.porcelain + s->common.json;
    outputs += p->opt.svg != NULL && strcmp(p->opt.svg, "-") == 0 ? 1u : 0u;
    if (outputs > 1u) {
        return cli_usage_error(
            s, "only one of --porcelain, --json and --svg - can write to standard output");
    }
    if ((code = cli_one_file(s)) != CLI_EXIT_OK || (code = read_rate(p)) != CLI_EXIT_OK) {
        return code;
    }
    if (p->opt.plan != NULL && p->opt.mode != GSP_PARTITION_SIZE &&
        p->opt.mode != GSP_PARTITION_AOT) {
        return cli_usage_error(s,
            "--plan cannot be combined with --mode %s: each assigns the nodes",
            partition_modes[p->opt.mode]);
    }
    p->opt.mode = p->opt.plan != NULL ? (uint32_t)GSP_PARTITION_AOT : p->opt.mode;
    if (p->opt.count == PARTITION_PEAK && p->opt.mode != GSP_PARTITION_SIZE &&
        p->opt.mode != GSP_PARTITION_AOT) {
        return cli_usage_error(s, "--count peak requires --mode size or aot");
    }
    p->desc.mode = p->opt.mode;
    p->desc.saturate = p->opt.saturate;
    p->desc.n_sweeps = (uint32_t)p->opt.sweeps;
    p->desc.max_work = p->opt.work;
    code = partition_read_devices(p);
    code = code == CLI_EXIT_OK ? partition_repair_options(p) : code;
    return code == CLI_EXIT_OK ? partition_kway_options(p) : code;
}

/* ---- the pass ---- */

static gsp_status work(void *user, gsp_arena *arena, gsp_error *err)
{
    partition *p = (partition *)user;
    p->begun = cli_now();
    return gsp_partition_run(arena, &p->graph, &p->desc, &p->result, err);
}

static int run_once(partition *p, gsp_error *err)
{
    gsp_arena arena;
    int code;
    p->bound = gsp_partition_bound(&p->graph, &p->desc);
    if ((code = partition_check_search(p)) != CLI_EXIT_OK ||
        (code = cli_pass_arena(p->session, &arena, p->bound)) != CLI_EXIT_OK) {
        return code;
    }
    partition_watch(p);
    err->status = cli_measure(p->session, &arena, work, p, &p->timing, err);
    partition_unwatch(p);
    return CLI_EXIT_OK;
}

static int run_partition(partition *p)
{
    gsp_error err;
    int code;
    cli_progress(p->session, "placing nodes");
    code = run_once(p, &err);
    code = code == CLI_EXIT_OK ? partition_check_end(p, &err) : code;
    if (code == CLI_EXIT_OK && p->opt.repair && partition_repairable(p, &err)) {
        code = partition_repair(p, &err);
        code = code == CLI_EXIT_OK && err.status == GSP_OK ? run_once(p, &err) : code;
    }
    return code == CLI_EXIT_OK && err.status != GSP_OK ? partition_refuse(p, &err) : code;
}

/* ---- output ---- */

static void put_assignment(const partition *p, cli_buffer *out)
{
    const gsp_partition_result *r = &p->result;
    uint32_t i;
    uint32_t k;
    for (i = 0; i < r->n_parts; i++) {
        cli_printf(out, "# partition %" PRIu32 ": --partition-devices %" PRIu32 "=", r->part_id[i],
            r->part_id[i]);
        partition_put_ids(p, i, out);
        cli_puts(out, "\n");
        for (k = r->part_begin[i]; k < r->part_begin[i + 1u]; k++) {
            cli_put_text(out, gsp_node_name(&p->graph, r->nodes[k]));
            cli_printf(out, "=%" PRIu32 "\n", r->part_id[i]);
        }
    }
}

/* Each partition is a part; its note holds the logical ids of its devices. */
static int save_plan(const partition *p)
{
    const gsp_partition_result *r = &p->result;
    cli_session *s = p->session;
    gsp_str *texts = (gsp_str *)cli_alloc(s, (size_t)r->n_parts * 2u + 1u, sizeof *texts);
    cli_plan_desc desc = {0};
    uint32_t i;
    for (i = 0; i < r->n_parts; i++) {
        cli_buffer name;
        cli_buffer note;
        cli_buffer_init(&name, s);
        cli_buffer_init(&note, s);
        cli_printf(&name, "%" PRIu32, r->part_id[i]);
        partition_put_ids(p, i, &note);
        texts[i].data = name.data;
        texts[i].size = (uint32_t)name.size;
        texts[r->n_parts + i].data = note.data;
        texts[r->n_parts + i].size = (uint32_t)note.size;
    }
    desc.n_parts = r->n_parts;
    desc.part_of = r->part_of;
    desc.names = texts;
    desc.notes = texts + r->n_parts;
    return cli_plan_save(s, p->opt.save_plan, &p->graph, &desc);
}

/* Attributes that a partition writes and one on other devices reads. */
static void tell_attributes(const partition *p)
{
    cli_session *s = p->session;
    uint32_t const n = p->result.n_parts;
    cli_buffer *devices = (cli_buffer *)cli_alloc(s, (size_t)n + 1u, sizeof *devices);
    uint8_t *kind = (uint8_t *)cli_alloc(s, (size_t)n + 1u, 1u);
    char **names = (char **)cli_alloc(s, (size_t)n + 1u, sizeof *names);
    cli_named_parts parts;
    uint32_t i;
    for (i = 0; i < n; i++) {
        uint32_t same = 0;
        names[i] = cli_copy(s, partition_submodule(p, i));
        cli_buffer_init(&devices[i], s);
        partition_put_ids(p, i, &devices[i]);
        cli_put(&devices[i], "", 1u);
        while (n <= UINT8_MAX && strcmp(devices[same].data, devices[i].data) != 0) {
            same++;
        }
        kind[i] = (uint8_t)same;
    }
    parts.part_of = p->result.part_of;
    parts.kind = n <= UINT8_MAX ? kind : NULL;
    parts.home = NULL;
    parts.names = names;
    cli_tell_attributes(s, &p->graph, &parts);
}

static void put_report(const partition *p, cli_buffer *out)
{
    if (p->session->common.porcelain) {
        partition_porcelain(p, out);
    } else if (p->session->common.json) {
        partition_json(p, out);
    } else if (p->opt.svg == NULL || strcmp(p->opt.svg, "-") != 0) {
        partition_people(p, out);
        if (p->opt.fingerprints) {
            cli_put_programs(out, &p->result.parts->module, 1u, p->result.parts->n_parts);
        }
    }
}

static int write_files(const partition *p, const cli_buffer *svg)
{
    cli_session *s = p->session;
    cli_buffer plan;
    int code = CLI_EXIT_OK;
    cli_buffer_init(&plan, s);
    if (p->opt.save != NULL) {
        put_assignment(p, &plan);
        code = cli_write_file(s, p->opt.save, &plan);
    }
    if (code == CLI_EXIT_OK && p->opt.save_plan != NULL) {
        code = save_plan(p);
    }
    if (code == CLI_EXIT_OK && p->opt.part != NULL) {
        code = cli_part_write(s, p->opt.part, &p->graph, p->result.part_of);
    }
    if (code == CLI_EXIT_OK && svg->size != 0) {
        code = cli_write_file(s, p->opt.svg, svg);
    }
    if (code == CLI_EXIT_OK && p->opt.emit != NULL) {
        code = partition_emit(p);
    }
    if (code != CLI_EXIT_OK) {
        cli_unwrite(s);
    }
    return code;
}

/* All output is made before any of it is written. */
static int write_all(const partition *p)
{
    cli_session *s = p->session;
    const char *stopped_by = partition_stopped_by(p);
    cli_buffer svg;
    int code;
    cli_progress(s, "printing");
    cli_buffer_init(&svg, s);
    if (p->opt.svg != NULL) {
        partition_svg(p, strcmp(p->opt.svg, "-") == 0 ? &s->out : &svg);
    }
    put_report(p, &s->out);
    code = write_files(p, &svg);
    if (code != CLI_EXIT_OK) {
        return code;
    }
    if (stopped_by != NULL) {
        cli_progress_end(s);
        fprintf(stderr,
            "%s: stopped by %s after %" PRIu64 " trials: the best valid result so far\n",
            s->front->program, stopped_by, p->result.work);
    }
    if (!p->result.single && p->opt.mode == GSP_PARTITION_KL && p->result.total <= 0.0) {
        cli_buffer note;
        cli_buffer_init(&note, s);
        cli_printf(&note,
            "%s: kl has nothing to gain: the latency is 0 (mem=, compute= and "
            "--transfer-rate give times)\n",
            s->front->program);
        cli_tell(&note);
    }
    if (p->opt.mode == PARTITION_KWAY || p->opt.mode == PARTITION_HEFT) {
        size_t const most = p->mode_bound > p->bound ? p->mode_bound : p->bound; /* for --arena */
        cli_time_line(s, p->graph.n_nodes, p->counts.edges, most, &p->mode_timing);
    } else {
        cli_time_line(s, p->graph.n_nodes, p->counts.edges, p->bound, &p->timing);
    }
    return CLI_EXIT_OK;
}

static const char *groups_advice(const partition *p)
{
    switch (p->opt.mode) {
    case GSP_PARTITION_AOT:
        return "give them one partition";
    case PARTITION_KWAY:
        return "no parts with the group in one were found; a larger --imbalance may allow them";
    default:
        return "the mode does not know groups; --mode kway keeps them together, and so may "
               "--mode aot --assign";
    }
}

static int run(cli_session *s, int argc, char **argv)
{
    partition p;
    int code;
    memset(&p, 0, sizeof p);
    p.session = s;
    if ((code = read_options(&p, argc, argv)) != CLI_EXIT_OK ||
        (code = cli_load_main(s, &p.graph, &p.counts)) != CLI_EXIT_OK ||
        (code = cli_times_set(s, &p.opt.times, 1)) != CLI_EXIT_OK ||
        (code = cli_order_writes(s, &p.graph, p.opt.ignore_writes)) != CLI_EXIT_OK ||
        (code = partition_read_assignment(&p)) != CLI_EXIT_OK ||
        (code = partition_kway(&p)) != CLI_EXIT_OK || (code = partition_heft(&p)) != CLI_EXIT_OK ||
        (code = partition_fill(&p)) != CLI_EXIT_OK || (code = run_partition(&p)) != CLI_EXIT_OK ||
        (code = partition_find_needs(&p)) != CLI_EXIT_OK ||
        (code = partition_check_capacities(&p)) != CLI_EXIT_OK ||
        (code = cli_groups_check(s, &p.graph, p.result.part_of, groups_advice(&p))) !=
            CLI_EXIT_OK ||
        (code = cli_check_writes(s, &p.graph, p.result.parts->graph_of)) != CLI_EXIT_OK) {
        return code;
    }
    partition_heft_times(&p);
    partition_make_maps(&p);
    tell_attributes(&p);
    return write_all(&p);
}

const cli_pass cli_partition_pass = {
    "partition",
    "[options] FILE",
    "Cuts a graph into partitions that fit the memory of several devices",
    "Modes: size fills one device after the other in graph order. sparse-nn spreads embeddings "
    "over\n"
    "devices of equal size and puts everything else on all of them. cost starts with one "
    "partition\n"
    "per node and merges partitions as long as the total latency does not rise. kl starts with "
    "the\n"
    "result of size and swaps nodes as long as the latency falls. aot uses --assign and\n"
    "--partition-devices as given. A graph that fits the largest device is one partition there\n"
    "(aot: never). kway makes --parts K of about equal load, weight= of a node or 1, with a small\n"
    "cut; no part reads one of a greater number. The devices are the parts. heft places nodes "
    "where\n"
    "they end first (Topcuoglu et al. 2002) and then moves them; what counts, and the latency, is\n"
    "the time if a device runs one partition at a time. It is never slower than size and, up to\n"
    "400 called nodes, cost.\n"
    "\n"
    "A plan file of --save-plan has one part per partition, named by its number, with the logical\n"
    "ids of its devices after the name: [0] 2,3. --partition-devices wins over these ids. If some\n"
    "names are not numbers, the parts are partitions 0, 1, ... in the order of the file.\n"
    "\n"
    "A device file has one device per line: NAME BYTES [ID], and # comments. ID is the logical "
    "id;\n"
    "without it, the number of devices before it.\n"
    "    npu0  32MiB      # logical id 0\n"
    "    npu1  32MiB 7\n"
    "\n"
    "Seconds come from mem= and compute= in the graph: a node takes the larger of both. "
    "Partitions\n"
    "that do not depend on each other run at the same time, even on one device: the latency is "
    "that\n"
    "of the critical path.\n"
    "\n"
    "cost and kl show their progress, once a minute if standard error is no terminal; an\n"
    "interrupt (^C) takes the best result so far. They want --work for more than 1024 called\n"
    "nodes (fewer with many devices).\n",
    options,
    CLI_COUNT(options),
    run,
    {"--device a:16MiB --device b:24MiB --save parts.txt net.fx",
        "--mode kway --parts 8 --part 8.part net.fx"},
};
