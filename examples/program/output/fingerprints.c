/* Parts that are the same program under other names, which need only one compilation. */
#include "output/output.h"

#include <inttypes.h>
#include <stdlib.h>

#define ROWS 10u /* programs, without --all */

typedef struct program {
    gsp_fingerprint print;
    uint32_t graph;
} program;

static int by_print(const void *a, const void *b)
{
    const program *x = (const program *)a;
    const program *y = (const program *)b;
    int k;
    for (k = 0; k < 2; k++) {
        if (x->print.words[k] != y->print.words[k]) {
            return x->print.words[k] < y->print.words[k] ? -1 : 1;
        }
    }
    return x->graph < y->graph ? -1 : 1;
}

static int is_same(const program *a, const program *b)
{
    return a->print.words[0] == b->print.words[0] && a->print.words[1] == b->print.words[1];
}

/* The run of equal programs that starts at `begin`; programs of most parts come first. */
typedef struct run {
    uint32_t begin;
    uint32_t count;
    uint32_t first; /* graph */
} run;

static int by_count(const void *a, const void *b)
{
    const run *x = (const run *)a;
    const run *y = (const run *)b;
    if (x->count != y->count) {
        return x->count > y->count ? -1 : 1;
    }
    return x->first < y->first ? -1 : 1;
}

static void put_run(cli_buffer *out, const gsp_module *m, const program *all, const run *r)
{
    uint32_t shown = r->count < 4u ? r->count : 4u;
    char text[33];
    uint32_t i;
    gsp_fingerprint_write(all[r->begin].print, text);
    cli_printf(out, "  %s  %" PRIu32 " graph%s:", text, r->count, cli_plural(r->count));
    for (i = 0; i < shown; i++) {
        cli_puts(out, " ");
        cli_put_text(out, gsp_module_str(m, m->graphs[all[r->begin + i].graph].name));
    }
    cli_puts(out, shown < r->count ? " ...\n" : "\n");
}

const gsp_fingerprint *cli_fingerprints(cli_session *s, const gsp_module *module)
{
    gsp_fingerprints_result found;
    gsp_arena arena;
    cli_arena(s, &arena, gsp_fingerprints_bound(module));
    return gsp_fingerprints_run(&arena, module, &found, NULL) == GSP_OK ? found.prints : NULL;
}

void cli_json_fingerprint(cli_buffer *b, const gsp_fingerprint *print)
{
    char text[33];
    if (print == NULL) {
        cli_puts(b, "\"fingerprint\": null");
        return;
    }
    gsp_fingerprint_write(*print, text);
    cli_printf(b, "\"fingerprint\": \"%s\"", text);
}

void cli_put_programs(cli_buffer *out, const gsp_module *module, uint32_t first, uint32_t count)
{
    cli_session *s = out->session;
    program *all = (program *)cli_alloc(s, (size_t)count + 1u, sizeof *all);
    run *runs = (run *)cli_alloc(s, (size_t)count + 1u, sizeof *runs);
    const gsp_fingerprint *prints = cli_fingerprints(s, module);
    uint32_t n = 0;
    uint32_t shown;
    uint32_t i;
    if (count == 0 || prints == NULL) {
        return;
    }
    for (i = 0; i < count; i++) {
        all[i].print = prints[first + i];
        all[i].graph = first + i;
    }
    qsort(all, count, sizeof *all, by_print);
    for (i = 0; i < count; i++) {
        if (i == 0 || !is_same(&all[i - 1u], &all[i])) {
            runs[n].begin = i;
            runs[n].first = all[i].graph;
            runs[n++].count = 0;
        }
        runs[n - 1u].count++;
    }
    qsort(runs, n, sizeof *runs, by_count);
    shown = cli_rows(s, n, ROWS);
    cli_puts(out, "\n");
    cli_put_styled(out, CLI_BOLD, "Programs");
    cli_printf(out,
        "  %" PRIu32 " graph%s, %" PRIu32 " to compile: equal fingerprints mean the same program\n",
        count, cli_plural(count), n);
    for (i = 0; i < shown; i++) {
        put_run(out, module, all, &runs[i]);
    }
    cli_put_rest(out, n, shown, NULL);
}
