/* All tests in one program: build/tests [--fast | fast] [--seed N] [--file GRAPH.fx] [FILTER...]
 * or only this: build/tests --equal GRAPH.fx MADE, where MADE is the porcelain of a pass;
 * or build/tests --baseline, which prints tests/contract/baseline.csv as it is now.
 *
 * cc -std=c99 -O2 -g -I. tests/main.c tests/unit/[a-z]*.c tests/contract/[a-z]*.c \
 *    tests/oracle/[a-z]*.c tests/hard/[a-z]*.c -o build/tests */
#define GRAPHSPLIT_IMPLEMENTATION
#include "tests/t.h"
#include "tests/contract/entry.h"

#include <inttypes.h>

int t_fast;
uint64_t t_seed = 20240611u;

static int n_passed;
static int n_failed;
static int n_skipped;
static int n_filters;
static char **filters;
static const char *suite = "";

/* The running test. */
static const char *test_name = "";
static int test_failures;
static const char *test_skipped;

int t_failed(void)
{
    return test_failures != 0;
}

void t_skip(const char *why)
{
    test_skipped = why;
}

int t_skip_with_gaps(void)
{
    if (GSP_GAP != 0u) {
        t_skip("gaps lie between arrays");
    }
    return GSP_GAP != 0u;
}

static int fail_at(const char *file, int line, const char *what)
{
    if (test_failures++ >= 20) {
        return 0;
    }
    printf("%s:%d: %s/%s: %s", file, line, suite, test_name, what);
    return 1;
}

int t_check(int ok, const char *file, int line, const char *what)
{
    if (!ok && fail_at(file, line, what)) {
        printf("\n");
    }
    return ok;
}

int t_check_equal(uint64_t a, uint64_t b, const char *file, int line, const char *what)
{
    if (a != b && fail_at(file, line, what)) {
        printf(": %" PRIu64 " and %" PRIu64 "\n", a, b);
    }
    return a == b;
}

int t_check_text(gsp_str a, const char *b, const char *file, int line, const char *what)
{
    int const ok = gsp_str_equal(a, gsp_str_of(b));
    if (!ok && fail_at(file, line, what)) {
        printf(": '%.*s', expected '%s'\n", (int)a.size, a.data ? a.data : "", b);
    }
    return ok;
}

static int wanted(const char *name)
{
    char full[256];
    int i;
    snprintf(full, sizeof(full), "%s/%s", suite, name);
    for (i = 0; i < n_filters; i++) {
        if (strstr(full, filters[i]) != NULL) {
            return 1;
        }
    }
    return n_filters == 0;
}

void t_run(const char *name, void (*test)(void))
{
    if (!wanted(name)) {
        return;
    }
    test_name = name;
    test_failures = 0;
    test_skipped = NULL;
    test();
    if (test_failures != 0) {
        n_failed++;
        printf("FAIL %s/%s (%d checks)\n", suite, name, test_failures);
    } else if (test_skipped != NULL) {
        n_skipped++;
        printf("skip %s/%s: %s\n", suite, name, test_skipped);
    } else {
        n_passed++;
    }
    fflush(stdout);
}

static const char *file_argument;
static const char *made_argument;

static void test_file(void)
{
    oracle_check_file(file_argument);
}

static void test_equal(void)
{
    oracle_check_equal(file_argument, made_argument);
}

int main(int argc, char **argv)
{
    int i;
    setvbuf(stdout, NULL, _IOLBF, BUFSIZ); /* a crash loses no line */
    filters = argv;
    for (i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--fast") == 0 || strcmp(argv[i], "fast") == 0) {
            t_fast = 1;
        } else if (strcmp(argv[i], "--seed") == 0 && i + 1 < argc) {
            t_seed = strtoull(argv[++i], NULL, 0);
        } else if (strcmp(argv[i], "--file") == 0 && i + 1 < argc) {
            file_argument = argv[++i];
        } else if (strcmp(argv[i], "--equal") == 0 && i + 2 < argc) {
            file_argument = argv[++i];
            made_argument = argv[++i];
        } else if (strcmp(argv[i], "--baseline") == 0) {
            t_string rows = baseline_rows();
            fwrite(rows.data, 1u, rows.size, stdout);
            t_free(&rows);
            return test_failures != 0;
        } else {
            filters[n_filters++] = argv[i];
        }
    }
    if (file_argument != NULL) {
        n_filters = 0;
        suite = "file";
        t_run(file_argument, made_argument != NULL ? test_equal : test_file);
    } else {
        printf("seed %" PRIu64 "\n", t_seed);
#define T_RUN_SUITE(name) \
    suite = #name;        \
    suite_##name();
        T_SUITES(T_RUN_SUITE)
#undef T_RUN_SUITE
    }
    printf("%d passed, %d failed", n_passed, n_failed);
    if (n_skipped != 0) {
        printf(", %d skipped", n_skipped);
    }
    printf("\n");
    return n_failed != 0;
}
