/* The operator lists of the program, by name or by a similar name. */
#include "input/input.h"

#include <string.h>

#define NEAR_EDITS 2u
#define NAME_BYTES 32u

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

int cli_operators_have(gsp_str name)
{
    const cli_operator_list *list;
    for (list = cli_operator_lists; list->name != NULL; list++) {
        const char *const *line;
        for (line = list->lines; *line != NULL; line++) {
            gsp_str own = gsp_str_of(*line);
            own.size = (uint32_t)strcspn(*line, " \n");
            if (gsp_str_equal(own, name)) {
                return 1;
            }
        }
    }
    return 0;
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

/* 1 if a line begins with `mark`. */
static int has_line(gsp_str text, const char *mark)
{
    size_t size = strlen(mark);
    const char *at = text.data;
    const char *end = text.data + text.size;
    while (at != NULL && (size_t)(end - at) >= size) {
        if (memcmp(at, mark, size) == 0) {
            return 1;
        }
        at = (const char *)memchr(at, '\n', (size_t)(end - at));
        at = at != NULL ? at + 1 : NULL;
    }
    return 0;
}

int cli_operators_are_bound(gsp_str text)
{
    return has_line(text, "# Upper bound");
}

int cli_operators_run_once(gsp_str text)
{
    return has_line(text, "# One subgraph");
}

int cli_operators_unknown(cli_session *s, const char *name)
{
    const cli_operator_list *list = cli_operators_near(gsp_str_of(name));
    if (list != NULL) {
        return cli_usage_error(
            s, "there is no operator list '%s'; did you mean '%s'?", name, list->name);
    }
    return cli_usage_error(
        s, "there is no operator list '%s'; '%s ops' prints all lists", name, s->front->program);
}
