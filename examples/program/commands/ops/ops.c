/* graphsplit ops: the operator lists that --acc-ops takes by name, where they are from, and which
 * is meant by a name that is almost one of them. */
#include "core/cli.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define NEAR_EDITS   2u
#define NAME_BYTES   32u
#define SOURCE_WIDTH 76u

/* ---- names ---- */

const cli_operator_list *cli_operators_find(gsp_str name)
{
    const cli_operator_list *list;
    for (list = cli_operator_lists; list->name != NULL; list++) {
        if (gsp_str_equal(gsp_str_of(list->name), name)) {
            return list;
        }
    }
    return NULL;
}

static gsp_str in_small_letters(gsp_str name, char room[NAME_BYTES])
{
    uint32_t i;
    for (i = 0; i < name.size; i++) {
        char c = name.data[i];
        room[i] = (char)(c >= 'A' && c <= 'Z' ? c + 32 : c);
    }
    name.data = room;
    return name;
}

static int begins_with(gsp_str text, gsp_str with)
{
    return with.size >= 4u && text.size >= with.size &&
           memcmp(text.data, with.data, with.size) == 0;
}

const cli_operator_list *cli_operators_near(gsp_str name)
{
    const cli_operator_list *nearest = NULL;
    const cli_operator_list *list;
    uint32_t least = NEAR_EDITS + 1u;
    char room[NAME_BYTES];
    if (name.size < 4u || name.size > NAME_BYTES) {
        return NULL;
    }
    name = in_small_letters(name, room);
    for (list = cli_operator_lists; list->name != NULL; list++) {
        gsp_str own = gsp_str_of(list->name);
        uint32_t edits = cli_distance(own, name);
        if (edits > NEAR_EDITS && (begins_with(own, name) || begins_with(name, own))) {
            edits = NEAR_EDITS;
        }
        if (edits < least) {
            least = edits;
            nearest = list;
        }
    }
    return nearest;
}

void cli_operators_text(const cli_operator_list *list, cli_buffer *out)
{
    uint32_t i;
    for (i = 0; list->lines[i] != NULL; i++) {
        cli_puts(out, list->lines[i]);
    }
}

/* ---- what stands in a list ---- */

/* The first line of a list, without `# ` and its end. */
static gsp_str about(const cli_operator_list *list)
{
    gsp_str line = gsp_str_of(list->lines[0] + 2);
    line.size--;
    return line;
}

/* Line i is about the operator of the line before: other types. */
static int is_again(const cli_operator_list *list, uint32_t i)
{
    const char *before = i != 0 ? list->lines[i - 1u] : "";
    size_t word = strcspn(list->lines[i], " \n");
    return strncmp(list->lines[i], before, word) == 0 && strcspn(before, " \n") == word;
}

static uint32_t count_operators(const cli_operator_list *list)
{
    uint32_t n = 0;
    uint32_t i;
    for (i = 0; list->lines[i] != NULL; i++) {
        n += list->lines[i][0] != '#' && !is_again(list, i) ? 1u : 0u;
    }
    return n;
}

/* The paragraph of the comment that begins with "Source: ", without that, on one line. */
static gsp_str source(const cli_operator_list *list, cli_buffer *room)
{
    static const char head[] = "# Source: ";
    gsp_str text = {NULL, 0};
    int inside = 0;
    uint32_t i;
    for (i = 0; list->lines[i] != NULL && list->lines[i][0] == '#'; i++) {
        const char *line = list->lines[i];
        if (strncmp(line, head, sizeof head - 1u) == 0) {
            inside = 1;
            line += sizeof head - 1u;
        } else if (!inside || line[2] != ' ') {
            inside = 0;
            continue;
        } else {
            line += strspn(line, "# ");
            cli_puts(room, " ");
        }
        cli_put(room, line, strcspn(line, "\n"));
    }
    text.data = room->data;
    text.size = (uint32_t)room->size;
    return text;
}

/* ---- output ---- */

/* Words below one another from a column on. */
static void put_wrapped(cli_buffer *out, gsp_str text, int column)
{
    uint32_t at = 0;
    size_t width = SOURCE_WIDTH;
    while (at < text.size) {
        const char *space = (const char *)memchr(text.data + at, ' ', text.size - at);
        uint32_t end = space != NULL ? (uint32_t)(space - text.data) : text.size;
        if (width + 1u + end - at > SOURCE_WIDTH) {
            cli_printf(out, "%s%*s", at != 0 ? "\n" : "", column, "");
            width = 0;
        } else {
            cli_puts(out, " ");
            width++;
        }
        cli_put(out, text.data + at, end - at);
        width += end - at;
        at = end + 1u;
    }
    cli_puts(out, "\n");
}

static void put_people(cli_session *s)
{
    cli_buffer *out = &s->out;
    const cli_operator_list *list;
    for (list = cli_operator_lists; list->name != NULL; list++) {
        cli_buffer room;
        cli_buffer_init(&room, s);
        cli_puts(out, "  ");
        cli_put_style(out, CLI_BOLD);
        cli_printf(out, "%-11s", list->name);
        cli_put_style(out, CLI_PLAIN);
        cli_put_text(out, about(list));
        cli_printf(out, " (%" PRIu32 " operators)\n", count_operators(list));
        cli_put_style(out, CLI_DIM);
        put_wrapped(out, source(list, &room), 13);
        cli_put_style(out, CLI_PLAIN);
    }
    cli_printf(out,
               "\nNames for --acc-ops and --accelerator, alone or among operators: '--acc-ops "
               "edgetpu',\n'--acc-ops ethos-u55,tflite.CAST,!tflite.MUL'. '%s ops NAME' prints a "
               "list as an operator file.\nThe lists go by names and types; what a vendor's "
               "compiler takes also hangs on shapes and attributes.\n",
               s->front->program);
}

static void put_json(cli_session *s)
{
    cli_buffer *out = &s->out;
    const cli_operator_list *list;
    cli_puts(out, "{\"pass\": \"ops\", \"lists\": [");
    for (list = cli_operator_lists; list->name != NULL; list++) {
        cli_buffer room;
        cli_buffer_init(&room, s);
        cli_printf(out, "%s\n  {\"name\": \"%s\", \"operators\": %" PRIu32 ", \"about\": ",
                   list != cli_operator_lists ? "," : "", list->name, count_operators(list));
        cli_json_string(out, about(list));
        cli_puts(out, ", \"source\": ");
        cli_json_string(out, source(list, &room));
        cli_puts(out, "}");
    }
    cli_puts(out, "]}\n");
}

/* "i8,qi8" as strings; nothing for a line without types. */
static void put_types(cli_buffer *out, const char *types)
{
    const char *comma = "";
    types += strspn(types, " ");
    cli_puts(out, "[");
    while (*types != '\n' && *types != '\0') {
        gsp_str type = {types, (uint32_t)strcspn(types, ",\n")};
        cli_puts(out, comma);
        cli_json_string(out, type);
        types += type.size + (types[type.size] == ',' ? 1u : 0u);
        comma = ", ";
    }
    cli_puts(out, "]");
}

/* One list: its operators, each with the sets of types that it is taken with. */
static void put_json_list(cli_session *s, const cli_operator_list *list)
{
    cli_buffer *out = &s->out;
    cli_buffer room;
    const char *close = "";
    uint32_t i;
    cli_buffer_init(&room, s);
    cli_printf(out, "{\"pass\": \"ops\", \"name\": \"%s\", \"about\": ", list->name);
    cli_json_string(out, about(list));
    cli_puts(out, ", \"source\": ");
    cli_json_string(out, source(list, &room));
    cli_puts(out, ", \"operators\": [");
    for (i = 0; list->lines[i] != NULL; i++) {
        gsp_str name = {list->lines[i], (uint32_t)strcspn(list->lines[i], " \n")};
        if (list->lines[i][0] == '#') {
            continue;
        }
        if (is_again(list, i)) {
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

int cli_operators_put(cli_session *s)
{
    const cli_operator_list *list;
    s->out.colour = cli_wants_colour(s);
    if (s->common.json) {
        put_json(s);
    } else if (s->common.porcelain) {
        for (list = cli_operator_lists; list->name != NULL; list++) {
            cli_printf(&s->out, "list %s %" PRIu32 "\n", list->name, count_operators(list));
        }
    } else {
        put_people(s);
    }
    return CLI_EXIT_OK;
}

int cli_operators_unknown(cli_session *s, const char *name)
{
    const cli_operator_list *list = cli_operators_near(gsp_str_of(name));
    if (list != NULL) {
        return cli_usage_error(s, "there is no operator list '%s'; did you mean '%s'?", name,
                               list->name);
    }
    return cli_usage_error(s,
                           "there is no operator list '%s'; '%s ops' prints those that there are",
                           name, s->front->program);
}

static int run(cli_session *s, int argc, char **argv)
{
    const cli_operator_list *list;
    int code = cli_options_read(s, NULL, argc, argv);
    if (code != CLI_EXIT_OK || s->n_positional == 0) {
        return code != CLI_EXIT_OK ? code : cli_operators_put(s);
    }
    if (s->n_positional > 1u) {
        return cli_usage_error(s, "only one NAME is taken, and '%s' is one too many",
                               s->positional[1]);
    }
    list = cli_operators_find(gsp_str_of(s->positional[0]));
    if (list == NULL) {
        return cli_operators_unknown(s, s->positional[0]);
    }
    if (s->common.json) {
        put_json_list(s, list);
    } else {
        cli_operators_text(list, &s->out);
    }
    return CLI_EXIT_OK;
}

const cli_pass cli_ops_pass = {
    "ops",
    "[NAME]",
    "Prints the operator lists of accelerators that --acc-ops takes by name",
    "Without NAME: all lists, with the public documents that they are from. With NAME: that list "
    "as\nan operator file, to be kept and changed.\n",
    NULL,
    0,
    run,
};
