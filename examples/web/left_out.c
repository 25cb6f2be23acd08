/* What the first program of the page leaves out, so that it is small. The second program has all of
 * it (build.sh): the page starts that for downloads and for the tables behind the picture. */
#include "algorithms/algorithms.h"
#include "commands/split/split.h"
#include "core/core.h"
#include "input/input.h"
#include "output/output.h"
#include "report/report.h"

#include <string.h>

#define LEFT_TO_SECOND 3 /* exit status: page.js asks the second program */

/* The page already contains the drawing code, so the report consists of the data only. */
const char *const report_page[] = {"@DATA@\n", NULL};

/* The page reads no plan, so names of parts are "root" and "_run_on_KIND_N". */
void cli_file_names(cli_session *s, cli_part *parts, size_t n_parts)
{
    size_t i;
    for (i = 0; i < n_parts; i++) {
        parts[i].stem = cli_copy(s, gsp_str_of(parts[i].name));
    }
}

/* The second program writes files of subgraphs and plans. */
int split_emit(const split *p)
{
    (void)p;
    return LEFT_TO_SECOND;
}

int split_save_plan(const split *p)
{
    (void)p;
    return LEFT_TO_SECOND;
}

int cli_emit_model(cli_session *s, const char *path, const char *graph)
{
    (void)s;
    (void)path;
    (void)graph;
    return LEFT_TO_SECOND;
}

int cli_text_part(cli_session *s, const cli_part *part, cli_buffer *out, cli_buffer *why)
{
    (void)s;
    (void)part;
    (void)out;
    (void)why;
    return LEFT_TO_SECOND;
}

/* The second program names the accelerator of a compiled program. */
const char *cli_operators_vendor(gsp_str name)
{
    (void)name;
    return NULL;
}

/* The second program has the report for people, and what --rewrite-to finds. */
void split_people(const split *p, cli_buffer *out)
{
    (void)p;
    (void)out;
}

void split_porcelain_rewrite(const split *p, cli_buffer *out)
{
    (void)p;
    (void)out;
}

void split_porcelain_worth(const split *p, cli_buffer *out)
{
    (void)p;
    (void)out;
}

/* The page has no option that needs more than the pass. */
int split_is_exact(const split_options *opt)
{
    (void)opt;
    return 0;
}

int split_choose(split *p)
{
    (void)p;
    return CLI_EXIT_OK;
}

int split_run_peaks_make(const split *p, split_run_peaks *peaks, gsp_error *err)
{
    (void)p;
    (void)peaks;
    (void)err;
    return 0;
}

int split_least_peak_check(split *p)
{
    (void)p;
    return CLI_EXIT_OK;
}

const uint64_t *split_value(const split *p, int *code)
{
    (void)p;
    *code = CLI_EXIT_OK;
    return NULL;
}

int split_from_plan(split *p)
{
    (void)p;
    return CLI_EXIT_USAGE;
}

int split_plan_error(const split *p, const gsp_error *err)
{
    return cli_pass_error(p->session, &p->graph, err);
}

void cli_unknown_tell(cli_session *s)
{
    (void)s;
}

int cli_dims_set(cli_session *s)
{
    return s->n_dims == 0 ? CLI_EXIT_OK : CLI_EXIT_USAGE;
}

/* No other name is near. */
void cli_put_near(const gsp_graph *graph, gsp_str name, cli_buffer *out)
{
    (void)graph;
    (void)name;
    (void)out;
}

uint32_t cli_distance(gsp_str a, gsp_str b)
{
    (void)a;
    (void)b;
    return UINT32_MAX;
}

int cli_pass_arena(cli_session *s, gsp_arena *arena, size_t bound)
{
    cli_arena(s, arena, bound);
    return CLI_EXIT_OK;
}

gsp_status cli_measure(
    cli_session *s, gsp_arena *arena, cli_work work, void *user, cli_timing *timing, gsp_error *err)
{
    (void)s;
    (void)timing;
    return work(user, arena, err);
}

void cli_time_line(
    cli_session *s, uint32_t nodes, uint32_t edges, size_t bound, const cli_timing *timing)
{
    (void)s;
    (void)nodes;
    (void)edges;
    (void)bound;
    (void)timing;
}

static void put_nothing(const split *p, cli_buffer *out)
{
    (void)p;
    (void)out;
}

void split_people_proof(const split *p, cli_buffer *out)
{
    put_nothing(p, out);
}

void split_html_tables(const split *p, const split_facts *f, cli_buffer *out)
{
    (void)f;
    put_nothing(p, out);
}

void split_json(const split *p, cli_buffer *out)
{
    put_nothing(p, out);
}

void split_map(const split *p, cli_buffer *out)
{
    put_nothing(p, out);
}

void split_dot(const split *p, cli_buffer *out)
{
    put_nothing(p, out);
}

void split_dot_support(const split *p, cli_buffer *out)
{
    put_nothing(p, out);
}

int split_dot_module(const split *p, cli_buffer *out)
{
    put_nothing(p, out);
    return CLI_EXIT_OK;
}

/* The page takes in its place what other options change in the report: of nodes a number of them,
 * and what they have, the subgraph, the reason and the culprit, each + 1. */
void split_model_explorer(const split *p, cli_buffer *out)
{
    const gsp_split_result *r = &p->result;
    const char *before = ",\n\"runs\":[";
    split_facts facts;
    gsp_node v = 0;
    split_facts_make(p, &facts);
    cli_puts(out, "{");
    split_html_changes(p, &facts, out);
    while (v < p->graph.n_nodes) {
        gsp_node const first = v;
        do {
            v++;
        } while (v < p->graph.n_nodes && r->subgraph_of[v] == r->subgraph_of[first] &&
                 r->reason[v] == r->reason[first] && r->culprit[v] == r->culprit[first]);
        cli_printf(out, "%s%u,%u,%u,%u", before, v - first, r->subgraph_of[first] + 1u,
            r->reason[first] + 1u, r->culprit[first] + 1u);
        before = ",";
    }
    cli_puts(out, "]}");
}

void cli_put_programs(cli_buffer *out, const gsp_module *module, uint32_t first, uint32_t count)
{
    (void)out;
    (void)module;
    (void)first;
    (void)count;
}

/* The page contains the lists, passes the chosen one on, and reports problems with it itself. */

const cli_operator_list *cli_operators_find(gsp_str name)
{
    (void)name;
    return NULL;
}

/* The script ends a list that is an upper bound in '#'; no list that it gives is empty. */
int cli_operators_are_bound(gsp_str text)
{
    return text.data[text.size - 1u] == '#';
}

/* The mark "#1" of such a list is before that. */
int cli_operators_run_once(gsp_str text)
{
    uint32_t end = text.size - (cli_operators_are_bound(text) ? 1u : 0u);
    return end >= 3u && memcmp(text.data + end - 3u, "#1\n", 3) == 0;
}

int cli_place_check(cli_session *s, const cli_place *place, const gsp_graph *graph)
{
    (void)s;
    (void)place;
    (void)graph;
    return CLI_EXIT_OK;
}

void cli_place_tell_nothing(cli_session *s, const cli_place *place, const gsp_graph *graph)
{
    (void)s;
    (void)place;
    (void)graph;
}

void cli_inside_set(cli_session *s)
{
    (void)s;
}

/* Nodes that run graphs go where these go, which the second program finds. */
int cli_place_calls(cli_session *s, const cli_place *place, const gsp_graph *graph,
    gsp_placement *io, cli_bodies *bodies)
{
    (void)s;
    (void)place;
    (void)io;
    (void)bodies;
    return graph->module->counts.graphs > 1u ? LEFT_TO_SECOND : CLI_EXIT_OK;
}

gsp_node cli_bodies_way(const cli_bodies *bodies, gsp_graph *graph, gsp_node node)
{
    (void)bodies;
    (void)graph;
    (void)node;
    return GSP_NONE;
}

/* The order of writes takes dependences, which the second program has. */
int cli_order_writes(cli_session *s, gsp_graph *graph, uint32_t ignore)
{
    (void)s;
    (void)ignore;
    return cli_is_written(graph) ? LEFT_TO_SECOND : CLI_EXIT_OK;
}

/* The second program reads names that may say that a call writes. */
int cli_written_set(cli_session *s)
{
    static const char *const names[] = {
        "*_", "*_.*", "*.setitem", "*.i*", "inplace", "out*", "*.setattr"};
    uint32_t i;
    size_t k;
    for (i = GSP_KEY_COUNT; i < s->module.counts.strings; i++) {
        gsp_str const name = gsp_module_str(&s->module, i);
        for (k = 0; k < CLI_COUNT(names); k++) {
            if (gsp_str_glob(gsp_str_of(names[k]), name)) {
                return LEFT_TO_SECOND;
            }
        }
    }
    return CLI_EXIT_OK;
}

int cli_written_check(cli_session *s)
{
    (void)s;
    return CLI_EXIT_OK;
}

int cli_check_writes(cli_session *s, const gsp_graph *graph, const uint32_t *part)
{
    (void)s;
    (void)graph;
    (void)part;
    return CLI_EXIT_OK;
}

void cli_tell_attributes(cli_session *s, const gsp_graph *graph, const cli_named_parts *parts)
{
    (void)s;
    (void)graph;
    (void)parts;
}

int cli_foreign(cli_session *s, const char *path, const char *data, size_t size)
{
    (void)s;
    (void)path;
    (void)data;
    (void)size;
    return CLI_EXIT_OK;
}

int cli_foreign_list(cli_session *s, const char *path, gsp_str text)
{
    (void)s;
    (void)path;
    (void)text;
    return CLI_EXIT_OK;
}

void cli_check_returned(cli_session *s)
{
    (void)s;
}

void cli_place_near(cli_session *s, const cli_place *place, const gsp_graph *graph,
    const gsp_pin *pin, cli_buffer *out)
{
    (void)s;
    (void)place;
    (void)graph;
    (void)pin;
    (void)out;
}
