/* --html: a report in one file. The page (report.html) draws itself from the data that this file
 * inserts; it needs no network. */
#include "commands/split/split.h"

#include "report/report.h"

#include <inttypes.h>
#include <string.h>

/* Numbers strings in the order of their first use. */
typedef struct string_numbers {
    uint32_t *of_string; /* [strings] number + 1, 0 if not used yet */
    gsp_atom *met;
    uint32_t n;
} string_numbers;

static void numbers_init(string_numbers *x, const split *p)
{
    uint32_t n = p->graph.module->counts.strings;
    x->of_string = (uint32_t *)cli_alloc(p->session, n, sizeof *x->of_string);
    x->met = (gsp_atom *)cli_alloc(p->session, n, sizeof *x->met);
    x->n = 0;
}

static uint32_t numbers_of(string_numbers *x, gsp_atom s)
{
    if (x->of_string[s] == 0) {
        x->met[x->n] = s;
        x->of_string[s] = ++x->n;
    }
    return x->of_string[s] - 1u;
}

static void put_id(cli_buffer *out, uint32_t id)
{
    if (id == GSP_NONE) {
        cli_puts(out, ",-1");
    } else {
        cli_printf(out, ",%" PRIu32, id);
    }
}

/* One node: name, op, operator, type, bytes, parameters, subgraph, reason, culprit, inputs. */
static void put_node(
    const split *p, const split_facts *f, cli_buffer *out, string_numbers *types, gsp_node v)
{
    const gsp_graph *g = &p->graph;
    gsp_atom type = g->module->type[g->first + v];
    uint32_t n;
    const gsp_node *in = gsp_node_inputs(g, v, &n);
    uint32_t i;
    uint64_t params = gsp_node_is_callable(g, v) ? gsp_node_params(g, v) : 0u;
    for (i = 0; i < n && gsp_node_is_callable(g, v); i++) {
        params += gsp_node_op(g, in[i]) == GSP_OP_GET_ATTR ? gsp_node_bytes(g, in[i]) : 0u;
    }
    cli_puts(out, v != 0 ? ",\n[" : "[");
    cli_json_string(out, gsp_node_name(g, v));
    cli_printf(out, ",%u", (unsigned)gsp_node_op(g, v));
    put_id(out, f->operator_of[v]);
    put_id(out, type == GSP_KEY_NONE ? GSP_NONE : numbers_of(types, type));
    cli_printf(out, ",%" PRIu64 ",%" PRIu64, gsp_node_bytes(g, v), params);
    put_id(out, p->result.subgraph_of[v]);
    cli_printf(out, ",%u", (unsigned)p->result.reason[v]);
    put_id(out, p->result.culprit[v]);
    cli_puts(out, ",[");
    for (i = 0; i < n; i++) {
        cli_printf(out, "%s%" PRIu32, i != 0 ? "," : "", in[i]);
    }
    cli_puts(out, "]]");
}

static void put_subgraphs(const split *p, const split_facts *f, cli_buffer *out)
{
    const gsp_split_result *r = &p->result;
    uint32_t i;
    cli_puts(out, ",\n\"subgraphs\":[");
    for (i = 0; i < r->n_subgraphs; i++) {
        const split_subgraph *s = &f->subgraphs[i];
        cli_puts(out, i != 0 ? ",\n{\"tag\":" : "\n{\"tag\":");
        cli_json_string(out, gsp_str_of(p->tags[i]));
        cli_printf(out, ",\"kind\":%u,\"nodes\":%" PRIu32, (unsigned)r->subgraph_kind[i],
            r->subgraph_begin[i + 1u] - r->subgraph_begin[i]);
        cli_printf(out, ",\"n_in\":%" PRIu32 ",\"in\":%" PRIu64 ",\"n_out\":%" PRIu32, s->n_in,
            s->in, s->n_out);
        cli_printf(out, ",\"out\":%" PRIu64 ",\"params\":%" PRIu64 "}", s->out, s->params);
    }
    cli_puts(out, "]");
}

static void put_share(cli_buffer *out, const char *name, const split_share *share)
{
    cli_printf(out, "\"%s\":[%" PRIu64 ",%" PRIu64 "],", name, share->on_acc, share->all);
}

static void put_shares(const split *p, const split_facts *f, cli_buffer *out)
{
    cli_puts(out, ",\n\"shares\":{");
    put_share(out, "nodes", &f->nodes);
    put_share(out, "yielded", &f->yielded);
    put_share(out, "params", &f->params);
    cli_printf(out,
        "\"n_acc\":%" PRIu32 ",\"crossings\":%" PRIu32 ",\"crossing_bytes\":%" PRIu64
        ",\"boundary\":%" PRIu32 ",\"boundary_bytes\":%" PRIu64 ",\"upper\":%d}",
        f->n_acc, f->crossings, f->crossing_bytes, f->boundary, f->boundary_bytes,
        p->place.is_bound);
}

/* Of unsupported nodes: why, and what about; sorts by the number of the node. */
static void put_objections(const split *p, const split_facts *f, cli_buffer *out)
{
    const char *comma = "";
    gsp_node v;
    cli_puts(out, ",\n\"objections\":{");
    for (v = 0; v < p->graph.n_nodes; v++) {
        cli_buffer text;
        gsp_str phrase;
        cli_buffer_init(&text, p->session);
        split_put_objection(p, &text, v);
        if (text.size != 0 || f->unfit[v] != 0) {
            phrase.data = text.data;
            phrase.size = (uint32_t)text.size;
            cli_printf(out, "%s\"%" PRIu32 "\":[%u,", comma, v, (unsigned)f->unfit[v]);
            cli_json_string(out, phrase);
            cli_puts(out, "]");
            comma = ",";
        }
        cli_release(p->session, text.data);
    }
    cli_puts(out, "}");
}

void split_html_changes(const split *p, const split_facts *f, cli_buffer *out)
{
    uint32_t i;
    cli_puts(out, "\"kinds\":[");
    for (i = 0; i < p->result.n_kinds; i++) {
        cli_printf(out, "%s\"%s\"", i != 0 ? "," : "", p->result.names[i]);
    }
    cli_puts(out, "],\n\"reasons\":[");
    for (i = 0; i < GSP_REASON_COUNT; i++) {
        cli_printf(out, "%s\"%s\"", i != 0 ? "," : "", split_reason_text(p, i));
    }
    cli_puts(out, "],\n\"unfit\":[");
    for (i = 0; i < SPLIT_UNFIT_COUNT; i++) {
        cli_printf(out, "%s\"%s\"", i != 0 ? "," : "", split_unfit_text(p, i));
    }
    cli_puts(out, "]");
    put_shares(p, f, out);
    put_objections(p, f, out);
    put_subgraphs(p, f, out);
}

static void put_data(const split *p, cli_buffer *out)
{
    split_facts facts;
    string_numbers types;
    uint32_t i;
    gsp_node v;
    split_facts_make(p, &facts);
    numbers_init(&types, p);
    cli_puts(out, "{\"tool\":\"graphsplit " GSP_VERSION_STRING "\",\"model\":");
    cli_json_string(out, gsp_str_of(p->session->path));
    cli_puts(out, ",\n");
    split_html_changes(p, &facts, out);
    split_html_tables(p, &facts, out);
    cli_puts(out, ",\n\"operators\":[");
    for (i = 0; i < facts.n_operators; i++) {
        cli_puts(out, i != 0 ? "," : "");
        cli_json_string(out, facts.operators[i].name);
    }
    cli_puts(out, "],\n\"nodes\":[\n");
    for (v = 0; v < p->graph.n_nodes; v++) {
        put_node(p, &facts, out, &types, v);
    }
    cli_puts(out, "],\n\"types\":[");
    for (i = 0; i < types.n; i++) {
        cli_puts(out, i != 0 ? "," : "");
        cli_json_string(out, gsp_module_str(p->graph.module, types.met[i]));
    }
    cli_puts(out, "]}\n");
}

/* A script element must contain nothing that looks like markup; '<' occurs only in strings of the
 * JSON. */
static void put_embedded(cli_buffer *out, const cli_buffer *json)
{
    size_t begin = 0;
    size_t i;
    for (i = 0; i < json->size; i++) {
        if (json->data[i] == '<') {
            cli_put(out, json->data + begin, i - begin);
            cli_puts(out, "\\u003c");
            begin = i + 1u;
        }
    }
    cli_put(out, json->data + begin, json->size - begin);
}

void split_html(const split *p, cli_buffer *out)
{
    cli_buffer json;
    size_t i;
    cli_buffer_init(&json, p->session);
    put_data(p, &json);
    for (i = 0; report_page[i] != NULL; i++) {
        if (strcmp(report_page[i], "@DATA@\n") == 0) {
            put_embedded(out, &json);
        } else {
            cli_puts(out, report_page[i]);
        }
    }
    cli_release(p->session, json.data);
}
