/* Accelerators, operator lists and pins, as the options say them. */
#include "input/input.h"

#include <string.h>

#define CLI_MOST_ACCELERATORS 254u

static int is_option(const cli_given *given, const char *name)
{
    return strcmp(given->option->name, name) == 0;
}

/* ---- accelerators ---- */

static int is_word(gsp_str name)
{
    uint32_t i;
    for (i = 0; i < name.size; i++) {
        char c = name.data[i];
        int letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
        if (!letter && (i == 0 || c < '0' || c > '9')) {
            return 0;
        }
    }
    return name.size != 0;
}

/* The kind of this name, or GSP_NONE. */
static uint32_t find_kind(const cli_place *place, gsp_str name)
{
    uint32_t k;
    for (k = 0; k < place->n_kinds; k++) {
        if (gsp_str_equal(gsp_str_of(place->names[k]), name)) {
            return k;
        }
    }
    return GSP_NONE;
}

static int add_accelerator(cli_session *s, cli_place *place, gsp_str name, uint32_t *kind)
{
    char *copy = cli_copy(s, name);
    *kind = find_kind(place, name);
    if (!is_word(name) || *kind == 0) {
        return cli_usage_error(s,
            "'%s' is not a valid name for an accelerator: expected letters, digits and _, and cpu "
            "is the CPU",
            copy);
    }
    if (*kind != GSP_NONE) {
        return CLI_EXIT_OK;
    }
    if (place->n_kinds > CLI_MOST_ACCELERATORS) {
        return cli_usage_error(s, "there are more than %u accelerators", CLI_MOST_ACCELERATORS);
    }
    *kind = place->n_kinds;
    place->names[place->n_kinds++] = copy;
    return CLI_EXIT_OK;
}

static void add_wanted(
    cli_session *s, cli_place *place, const gsp_table *table, const char *path, int is_list)
{
    size_t i;
    place->wanted = (cli_wanted *)cli_grow(
        s, place->wanted, (place->n_wanted + table->n_entries + 1u) * sizeof *place->wanted);
    for (i = 0; i < table->n_entries; i++) {
        if (!table->entries[i].remove) {
            place->wanted[place->n_wanted].name = table->entries[i].name;
            place->wanted[place->n_wanted].is_list = is_list;
            place->wanted[place->n_wanted++].path = path;
        }
    }
}

static void append_table(cli_session *s, gsp_rule *rule, const gsp_table *more)
{
    size_t n = rule->table.n_entries;
    gsp_table_entry *all = (gsp_table_entry *)cli_alloc(s, n + more->n_entries + 1u, sizeof *all);
    if (n != 0) {
        memcpy(all, rule->table.entries, n * sizeof *all);
    }
    if (more->n_entries != 0) {
        memcpy(all + n, more->entries, more->n_entries * sizeof *all);
    }
    rule->kind = GSP_RULE_TABLE;
    rule->table.entries = all;
    rule->table.n_entries += more->n_entries;
    rule->table.trusted = 1; /* a name that matches nothing is reported */
}

/* Adds the text of an operator file, or a word of the command line, to the table of an accelerator.
 * */
static int add_table(
    cli_session *s, gsp_rule *rule, gsp_str text, gsp_table *more, const char *path)
{
    gsp_arena arena;
    gsp_error err;
    cli_arena(s, &arena, gsp_table_bound(text));
    if (gsp_table_read(&arena, text, more, &err) == GSP_OK) {
        append_table(s, rule, more);
        return CLI_EXIT_OK;
    }
    if (path == NULL) {
        return cli_usage_error(s, "the operator '%s' cannot be read: %s", cli_copy(s, text),
            gsp_detail_text(err.detail));
    }
    return cli_text_error(s, path, text, &err);
}

/* A word of `a,b`: an operator, or a list of the program by name. */
static int add_word(cli_session *s, cli_place *place, gsp_rule *rule, gsp_str word)
{
    const cli_operator_list *list = cli_operators_find(word);
    gsp_table more = {NULL, 0, 0, NULL};
    cli_buffer lines;
    int code;
    if (list != NULL) {
        cli_buffer_init(&lines, s);
        cli_operators_text(list, &lines);
        word.data = lines.data;
        word.size = (uint32_t)lines.size;
        place->is_bound |= cli_operators_are_bound(word);
        place->once[rule - place->rules + 1] |= (uint8_t)cli_operators_run_once(word);
    }
    code = add_table(s, rule, word, &more, list != NULL ? list->name : NULL);
    if (code == CLI_EXIT_OK) {
        add_wanted(s, place, &more, list != NULL ? list->name : NULL, list != NULL);
    }
    return code;
}

static int add_words(cli_session *s, cli_place *place, gsp_rule *rule, gsp_str list)
{
    uint32_t at = 0;
    int code = CLI_EXIT_OK;
    while (code == CLI_EXIT_OK && at < list.size) {
        gsp_str word = list;
        const char *comma = (const char *)memchr(list.data + at, ',', list.size - at);
        word.data = list.data + at;
        word.size = comma != NULL ? (uint32_t)(comma - word.data) : list.size - at;
        at += word.size + 1u;
        code = add_word(s, place, rule, word);
    }
    return code;
}

/* Adds one OPS. */
static int add_operators(cli_session *s, cli_place *place, gsp_rule *rule, const char *spec)
{
    gsp_table more = {NULL, 0, 0, NULL};
    gsp_str text;
    const char *path;
    int code;
    if (spec[0] == '@' && cli_operators_find(gsp_str_of(spec + 1)) != NULL &&
        !cli_is_file(spec + 1)) {
        return cli_usage_error(
            s, "there is no file %s; write the name of a list without @", spec + 1);
    }
    code = cli_list_spec(s, spec, &text, &path);
    rule->kind = GSP_RULE_TABLE;
    if (code != CLI_EXIT_OK || path == NULL) {
        return code != CLI_EXIT_OK ? code : add_words(s, place, rule, text);
    }
    place->is_bound |= cli_operators_are_bound(text);
    place->once[rule - place->rules + 1] |= (uint8_t)cli_operators_run_once(text);
    code = cli_foreign_list(s, path, text);
    if (code == CLI_EXIT_OK) {
        code = add_table(s, rule, text, &more, path);
    }
    if (code == CLI_EXIT_OK) {
        add_wanted(s, place, &more, path, 0);
    }
    return code;
}

/* NAME, NAME=OPS, or the OPS of "acc". */
static int read_accelerator(
    cli_session *s, cli_place *place, gsp_rule *rules, const cli_given *given)
{
    const char *equals = strchr(given->value, '=');
    const char *spec = given->value;
    gsp_str name = gsp_str_of("acc");
    uint32_t kind;
    int code;
    if (is_option(given, "--accelerator")) {
        name = gsp_str_of(given->value);
        spec = equals != NULL ? equals + 1 : NULL;
        name.size = equals != NULL ? (uint32_t)(equals - given->value) : name.size;
    }
    code = add_accelerator(s, place, name, &kind);
    if (code != CLI_EXIT_OK || spec == NULL) {
        return code;
    }
    place->accelerators[kind - 1u].rules = &rules[kind - 1u];
    place->accelerators[kind - 1u].n_rules = 1;
    return add_operators(s, place, &rules[kind - 1u], spec);
}

static int read_accelerators(cli_session *s, cli_place *place)
{
    gsp_rule *rules = (gsp_rule *)cli_alloc(s, CLI_MOST_ACCELERATORS, sizeof *rules);
    int code = CLI_EXIT_OK;
    size_t i;
    place->names = (const char **)cli_alloc(s, CLI_MOST_ACCELERATORS + 1u, sizeof *place->names);
    place->accelerators =
        (gsp_accelerator *)cli_alloc(s, CLI_MOST_ACCELERATORS, sizeof *place->accelerators);
    place->rules = rules;
    place->names[0] = "cpu";
    place->n_kinds = 1;
    for (i = 0; i < s->n_given && code == CLI_EXIT_OK; i++) {
        if (is_option(&s->given[i], "--acc-ops") || is_option(&s->given[i], "--accelerator")) {
            code = read_accelerator(s, place, rules, &s->given[i]);
        }
    }
    if (place->n_kinds == 1u) {
        place->names[place->n_kinds++] = "acc";
    }
    place->desc.n_accelerators = place->n_kinds - 1u;
    place->desc.accelerators = place->accelerators;
    return code;
}

/* ---- pins ---- */

static void add_pin(cli_session *s, cli_place *place, const gsp_pin *pin, const cli_given *from)
{
    uint32_t n = place->desc.n_pins;
    if ((n & (n - 1u)) == 0) { /* room is the next power of two */
        size_t room = n != 0 ? (size_t)n * 2u : 1u;
        place->pins = (gsp_pin *)cli_grow(s, place->pins, room * sizeof *place->pins);
        place->pin_from = (const cli_given **)cli_grow(
            s, (void *)place->pin_from, room * sizeof *place->pin_from);
    }
    place->pins[n] = *pin;
    place->pin_from[n] = from;
    place->desc.n_pins = n + 1u;
}

static int add_pins(
    cli_session *s, cli_place *place, gsp_pin *pin, const char *spec, const cli_given *from)
{
    const char *path;
    gsp_str list;
    uint32_t at = 0;
    int code = cli_list_spec(s, spec, &list, &path);
    if (code != CLI_EXIT_OK) {
        return code;
    }
    for (;;) {
        pin->pattern = cli_list_next(list, &at);
        if (pin->pattern.size == 0) {
            return CLI_EXIT_OK;
        }
        add_pin(s, place, pin, from);
    }
}

/* The field of a --pin up to the next colon; moves *at after the colon. */
static gsp_str next_part(const char **at)
{
    gsp_str part = gsp_str_of(*at);
    const char *colon = strchr(*at, ':');
    if (colon != NULL) {
        part.size = (uint32_t)(colon - *at);
        *at = colon + 1;
    } else {
        *at = NULL;
    }
    return part;
}

static int read_pin(cli_session *s, cli_place *place, const cli_given *given)
{
    static const char *const whats[] = {"name", "scope", "target"};
    const char *at = given->value;
    gsp_pin pin = {0};
    gsp_str kind = next_part(&at);
    gsp_str what = {NULL, 0};
    if (at != NULL) {
        what = next_part(&at);
    }
    if (at == NULL) {
        return cli_usage_error(
            s, "--pin expects KIND:WHAT:LIST, such as cpu:scope:blk.1, got '%s'", given->value);
    }
    pin.kind = find_kind(place, kind);
    if (pin.kind == GSP_NONE && gsp_str_equal(kind, gsp_str_of("acc"))) {
        pin.kind = 1;
    }
    while (pin.what < CLI_COUNT(whats) && !gsp_str_equal(what, gsp_str_of(whats[pin.what]))) {
        pin.what++;
    }
    if (pin.kind == GSP_NONE || pin.what == CLI_COUNT(whats)) {
        return cli_usage_error(s,
            "--pin %s: KIND is cpu or the name of an accelerator, WHAT is "
            "name, scope or target",
            given->value);
    }
    return add_pins(s, place, &pin, at, given);
}

int cli_place_read(cli_session *s, cli_place *place)
{
    int code;
    size_t i;
    memset(place, 0, sizeof *place);
    code = read_accelerators(s, place);
    for (i = 0; i < s->n_given && code == CLI_EXIT_OK; i++) {
        const cli_given *given = &s->given[i];
        gsp_pin pin = {0};
        if (is_option(given, "--pin")) {
            code = read_pin(s, place, given);
        } else if (is_option(given, "--acc-nodes") || is_option(given, "--cpu-nodes")) {
            pin.kind = is_option(given, "--acc-nodes") ? 1u : GSP_KIND_CPU;
            code = add_pins(s, place, &pin, given->value, given);
        }
    }
    place->desc.pins = place->pins;
    return code;
}
