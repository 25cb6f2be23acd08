/* The contents of an operator list. */
#include "commands/ops/ops.h"

#include "input/input.h"

#include <string.h>

/* The first line of a list, without `# ` and the newline. */
gsp_str ops_about(const cli_operator_list *list)
{
    gsp_str line = gsp_str_of(list->lines[0] + 2);
    line.size--;
    return line;
}

int ops_is_again(const cli_operator_list *list, uint32_t i)
{
    const char *before = i != 0 ? list->lines[i - 1u] : "";
    size_t word = strcspn(list->lines[i], " \n");
    return strncmp(list->lines[i], before, word) == 0 && strcspn(before, " \n") == word;
}

uint32_t ops_count(const cli_operator_list *list)
{
    uint32_t n = 0;
    for (uint32_t i = 0; list->lines[i] != NULL; i++) {
        n += list->lines[i][0] != '#' && !ops_is_again(list, i) ? 1u : 0u;
    }
    return n;
}

int ops_is_bound(cli_session *s, const cli_operator_list *list)
{
    cli_buffer lines;
    gsp_str text;
    cli_buffer_init(&lines, s);
    cli_operators_text(list, &lines);
    text.data = lines.data;
    text.size = (uint32_t)lines.size;
    return cli_operators_are_bound(text);
}

gsp_str ops_version(const cli_operator_list *list)
{
    static const char head[] = "# Version: ";
    gsp_str text = {NULL, 0};
    for (uint32_t i = 0; list->lines[i] != NULL && list->lines[i][0] == '#'; i++) {
        if (strncmp(list->lines[i], head, sizeof head - 1u) == 0) {
            text.data = list->lines[i] + sizeof head - 1u;
            text.size = (uint32_t)strcspn(text.data, ";\n");
        }
    }
    return text;
}

gsp_str ops_source(const cli_operator_list *list, cli_buffer *room)
{
    static const char head[] = "# Source: ";
    gsp_str text = {NULL, 0};
    int inside = 0;
    for (uint32_t i = 0; list->lines[i] != NULL && list->lines[i][0] == '#'; i++) {
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
