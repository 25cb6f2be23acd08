/* Operator lists as JSON. */
#include "commands/ops/ops.h"

#include "output/output.h"

#include <inttypes.h>
#include <string.h>

void ops_json(cli_session *s)
{
    cli_buffer *out = &s->out;
    const cli_operator_list *list;
    cli_puts(out, "{\"pass\": \"ops\", \"lists\": [");
    for (list = cli_operator_lists; list->name != NULL; list++) {
        cli_buffer room;
        cli_buffer_init(&room, s);
        cli_printf(out,
            "%s\n  {\"name\": \"%s\", \"operators\": %" PRIu32 ", \"upper_bound\": %s, \"about\": ",
            list != cli_operator_lists ? "," : "", list->name, ops_count(list),
            ops_is_bound(s, list) ? "true" : "false");
        cli_json_string(out, ops_about(list));
        cli_puts(out, ", \"version\": ");
        cli_json_string(out, ops_version(list));
        cli_puts(out, ", \"source\": ");
        cli_json_string(out, ops_source(list, &room));
        cli_puts(out, "}");
    }
    cli_puts(out, "]}\n");
}

/* "i8,qi8" as an array of strings; nothing for a line without types. */
static void put_types(cli_buffer *out, const char *types)
{
    const char *comma = "";
    const char *end;
    types += strspn(types, " ");
    end = types + strcspn(types, " \n");
    if (strcspn(types, "=<>?(") < (size_t)(end - types) || strncmp(end, " in ", 4u) == 0) {
        end = types; /* a constraint */
    }
    cli_puts(out, "[");
    while (types < end) {
        gsp_str type = {types, (uint32_t)strcspn(types, ", \n")};
        cli_puts(out, comma);
        cli_json_string(out, type);
        types += type.size + (types[type.size] == ',' ? 1u : 0u);
        comma = ", ";
    }
    cli_puts(out, "]");
}

/* One list: its operators, each with its sets of types. */
void ops_json_list(cli_session *s, const cli_operator_list *list)
{
    cli_buffer *out = &s->out;
    cli_buffer room;
    const char *close = "";
    cli_buffer_init(&room, s);
    cli_printf(out,
        "{\"pass\": \"ops\", \"name\": \"%s\", \"upper_bound\": %s, \"about\": ", list->name,
        ops_is_bound(s, list) ? "true" : "false");
    cli_json_string(out, ops_about(list));
    cli_puts(out, ", \"version\": ");
    cli_json_string(out, ops_version(list));
    cli_puts(out, ", \"source\": ");
    cli_json_string(out, ops_source(list, &room));
    cli_puts(out, ", \"operators\": [");
    for (uint32_t i = 0; list->lines[i] != NULL; i++) {
        gsp_str name = {list->lines[i], (uint32_t)strcspn(list->lines[i], " \n")};
        if (list->lines[i][0] == '#') {
            continue;
        }
        if (ops_is_again(list, i)) {
            cli_puts(out, ", ");
        } else {
            cli_printf(out, "%s\n  {\"name\": ", close);
            cli_json_string(out, name);
            cli_puts(out, ", \"types\": [");
        }
        put_types(out, name.data + name.size);
        close = "]},";
    }
    cli_puts(out, "]}]}\n");
}

void ops_json_covers(const ops_covers *c, cli_buffer *out)
{
    cli_puts(out, "{\"pass\": \"ops\", \"model\": ");
    cli_json_string(out, gsp_str_of(c->path));
    cli_printf(out, ", \"callable\": %" PRIu32 ", \"lists\": [", c->callable);
    for (size_t i = 0; i < c->n; i++) {
        const ops_cover *x = &c->covers[i];
        cli_printf(out,
            "%s\n  {\"name\": \"%s\", \"upper_bound\": %s, \"on_accelerators\": %" PRIu32
            ", \"subgraphs\": %" PRIu32 ", \"accelerator_subgraphs\": %" PRIu32
            ", \"values\": %" PRIu32 ", \"bytes\": %" PRIu64 ", ",
            i != 0 ? "," : "", x->list->name, x->is_bound ? "true" : "false", x->on_acc,
            x->n_subgraphs, x->n_acc, x->values, x->bytes);
        cli_json_macs(out, &x->macs, NULL, 0);
        cli_puts(out, "}");
    }
    cli_puts(out, "]}\n");
}
