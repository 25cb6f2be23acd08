/* All tests in one program; build/tests --help says how to call it.
 *
 * cc -std=c99 -O2 -g -I. -Iexamples/program tests/main.c tests/unit/[a-z]*.c \
 *    tests/contract/[a-z]*.c tests/oracle/[a-z]*.c tests/hard/[a-z]*.c \
 *    examples/program/core/[a-z]*.c examples/program/algorithms/[a-z]*.c \
 *    examples/tflite/tflite.c -o build/tests */
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

/* ---- names of enums ---- */

typedef const char *(*namer)(uint64_t value);

static const char *status_name(uint64_t value)
{
    return gsp_status_name((gsp_status)value);
}

static const char *detail_name(uint64_t value)
{
    switch (value) {
#define T_DETAIL(name, text) \
    case GSP_DETAIL_##name: \
        return #name;
        GSP_DETAIL_LIST(T_DETAIL, T_DETAIL, T_DETAIL)
#undef T_DETAIL
    default:
        return "?";
    }
}

static const char *reason_name(uint64_t value)
{
    return gsp_reason_name((gsp_reason)value);
}

static const char *op_name(uint64_t value)
{
    static const char *const names[] = {
        "NONE", "PLACEHOLDER", "GET_ATTR", "CALL_FUNCTION", "CALL_METHOD", "CALL_MODULE", "OUTPUT"};
    return value < T_COUNT_OF(names) ? names[value] : "?";
}

static const char *kind_name(uint64_t value)
{
    return value == GSP_KIND_CPU ? "CPU" : value == GSP_KIND_NONE ? "NONE" : "accelerator";
}

/* The text of a check says which enum it compares: by a constant, else by a field. */
static namer find_namer(const char *what)
{
    static const struct {
        const char *word;
        namer name;
    } words[] = {{"GSP_OK", status_name}, {"GSP_STATUS_", status_name},
        {"GSP_DETAIL_", detail_name}, {"GSP_REASON_", reason_name}, {"GSP_OP_", op_name},
        {"GSP_KIND_", kind_name}, {"detail", detail_name}, {"status", status_name}};
    for (uint32_t i = 0; i < T_COUNT_OF(words); i++) {
        if (strstr(what, words[i].word) != NULL) {
            return words[i].name;
        }
    }
    return NULL;
}

static int check_named(
    uint64_t a, uint64_t b, namer name, const char *file, int line, const char *what)
{
    if (a != b && fail_at(file, line, what)) {
        if (name != NULL) {
            printf(": %s (%" PRIu64 ") and %s (%" PRIu64 ")\n", name(a), a, name(b), b);
        } else {
            printf(": %" PRIu64 " and %" PRIu64 "\n", a, b);
        }
    }
    return a == b;
}

int t_check_equal(uint64_t a, uint64_t b, const char *file, int line, const char *what)
{
    return check_named(a, b, a != b ? find_namer(what) : NULL, file, line, what);
}

int t_check_status(gsp_status a, gsp_status b, const char *file, int line, const char *what)
{
    return check_named((uint64_t)a, (uint64_t)b, status_name, file, line, what);
}

int t_check_detail(gsp_detail a, gsp_detail b, const char *file, int line, const char *what)
{
    return check_named((uint64_t)a, (uint64_t)b, detail_name, file, line, what);
}

int t_check_field(const gsp_error *err, const char *file, int line, const char *what)
{
    int const named = (err->status == GSP_STATUS_ARG || err->status == GSP_STATUS_DESC) &&
                      (err->detail == GSP_DETAIL_NULL_ARGUMENT ||
                          err->detail == GSP_DETAIL_CHOICE || err->detail == GSP_DETAIL_RANGE);
    return t_check(err->field != NULL && (!named || *err->field != '\0'), file, line, what);
}

int t_check_text(gsp_str a, const char *b, const char *file, int line, const char *what)
{
    int const ok = gsp_str_equal(a, gsp_str_of(b));
    if (!ok && fail_at(file, line, what)) {
        printf(": '%.*s', expected '%s'\n", (int)a.size, a.data ? a.data : "", b);
    }
    return ok;
}

/* ---- which tests run ---- */

/* What becomes of the tests of the suites. */
enum { RUN, LIST, MATCH };
static int mode = RUN;

static int matches(const char *name, const char *filter)
{
    char full[256];
    snprintf(full, sizeof(full), "%s/%s", suite, name);
    return strstr(full, filter) != NULL;
}

static int wanted(const char *name)
{
    int i = 0;
    while (i < n_filters && !matches(name, filters[i])) {
        i++;
    }
    return n_filters == 0 || i < n_filters;
}

/* A filter that no test matches yet, and the names most like it. */
#define NEAR_NAMES 3

static const char *unmatched;
static const char *near_name[NEAR_NAMES];
static size_t near_edits[NEAR_NAMES];

/* How many letters have to be taken out of both words until they are the same. */
static size_t count_edits(const char *a, const char *b)
{
    size_t row[64];
    size_t const n = strlen(b) < 63u ? strlen(b) : 63u;
    for (size_t j = 0; j <= n; j++) {
        row[j] = j;
    }
    for (; *a != '\0'; a++) {
        size_t diagonal = row[0]++;
        for (size_t j = 1; j <= n; j++) {
            size_t const above = row[j];
            size_t const less = above < row[j - 1u] ? above : row[j - 1u];
            row[j] = *a == b[j - 1u] ? diagonal : less + 1u;
            diagonal = above;
        }
    }
    return row[n];
}

static void keep_if_near(const char *name)
{
    size_t edits = count_edits(name, unmatched);
    for (uint32_t i = 0; i < NEAR_NAMES; i++) {
        const char *const kept = near_name[i];
        size_t const kept_edits = near_edits[i];
        if (kept != NULL && strcmp(kept, name) == 0) {
            return;
        }
        if (kept == NULL || edits < kept_edits) {
            near_name[i] = name;
            near_edits[i] = edits;
            name = kept;
            edits = kept_edits;
        }
        if (name == NULL) {
            return;
        }
    }
}

/* 1 if the test is dealt with, and does not run. */
static int only_named(const char *name)
{
    if (mode == LIST && wanted(name)) {
        printf("%s/%s\n", suite, name);
    }
    if (mode == MATCH && unmatched != NULL) {
        keep_if_near(suite);
        keep_if_near(name);
        unmatched = matches(name, unmatched) ? NULL : unmatched;
    }
    return mode != RUN || !wanted(name);
}

void t_run(const char *name, void (*test)(void))
{
    if (only_named(name)) {
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

static void visit_tests(int what)
{
    mode = what;
#define T_RUN_SUITE(name) \
    suite = #name; \
    suite_##name();
    T_SUITES(T_RUN_SUITE)
#undef T_RUN_SUITE
}

/* Every NAME has to match a test: 1, or 0 and a message. */
static int all_match(void)
{
    for (int i = 0; i < n_filters; i++) {
        memset(near_name, 0, sizeof(near_name));
        unmatched = filters[i];
        visit_tests(MATCH);
        if (unmatched != NULL) {
            fprintf(stderr, "no test matches '%s'; near it: %s, %s, %s (--list lists all)\n",
                unmatched, near_name[0], near_name[1], near_name[2]);
            return 0;
        }
    }
    return 1;
}

static int print_table(t_string (*table)(void))
{
    t_string rows = table();
    fwrite(rows.data, 1u, rows.size, stdout);
    t_free(&rows);
    return test_failures != 0;
}

static const char usage[] =
    "usage: build/tests [--fast] [--seed N] [NAME...]   tests whose SUITE/TEST contains a NAME\n"
    "       build/tests --list [NAME...]                their names\n"
    "       build/tests --file GRAPH.fx                 the oracles on a graph\n"
    "       build/tests --equal GRAPH.fx MADE           the same graph? MADE: porcelain of a pass\n"
    "       build/tests --baseline                      tests/contract/baseline.csv as it is now\n"
    "       build/tests --bounds                        tests/contract/bounds.csv as it is now\n"
    "exit status: 0, 1: a test failed, 2: no such option or test\n";

typedef struct options {
    const char *wrong; /* an argument that is no option, or one whose value is missing */
    int list;
    int help;
    t_string (*table)(void); /* only print it */
} options;

/* The option at argv[0]; how many arguments it takes with its values, 0 if it is none. */
static int read_option(options *o, int left, char **argv)
{
    if (strcmp(argv[0], "--fast") == 0 || strcmp(argv[0], "fast") == 0) {
        t_fast = 1;
    } else if (strcmp(argv[0], "--list") == 0) {
        o->list = 1;
    } else if (strcmp(argv[0], "--help") == 0) {
        o->help = 1;
    } else if (strcmp(argv[0], "--baseline") == 0) {
        o->table = baseline_results;
    } else if (strcmp(argv[0], "--bounds") == 0) {
        o->table = baseline_bounds;
    } else if (strcmp(argv[0], "--seed") == 0 && left > 1) {
        t_seed = strtoull(argv[1], NULL, 0);
        return 2;
    } else if (strcmp(argv[0], "--file") == 0 && left > 1) {
        file_argument = argv[1];
        return 2;
    } else if (strcmp(argv[0], "--equal") == 0 && left > 2) {
        file_argument = argv[1];
        made_argument = argv[2];
        return 3;
    } else {
        return 0;
    }
    return 1;
}

static options read_options(int argc, char **argv)
{
    options o = {NULL, 0, 0, NULL};
    filters = argv;
    for (int i = 1; i < argc;) {
        int const n = read_option(&o, argc - i, argv + i);
        if (n == 0 && argv[i][0] == '-') {
            o.wrong = argv[i];
            return o;
        }
        if (n == 0) {
            filters[n_filters++] = argv[i];
        }
        i += n != 0 ? n : 1;
    }
    return o;
}

static int run_tests(void)
{
    if (file_argument != NULL) {
        n_filters = 0;
        suite = "file";
        t_run(file_argument, made_argument != NULL ? test_equal : test_file);
    } else {
        printf("seed %" PRIu64 "\n", t_seed);
        visit_tests(RUN);
    }
    printf("%d passed, %d failed", n_passed, n_failed);
    if (n_skipped != 0) {
        printf(", %d skipped", n_skipped);
    }
    printf("\n");
    return n_failed != 0;
}

int main(int argc, char **argv)
{
    options const o = read_options(argc, argv);
    setvbuf(stdout, NULL, _IOLBF, BUFSIZ); /* a crash loses no line */
    if (o.wrong != NULL) {
        fprintf(stderr, "'%s' is no option, or its value is missing\n%s", o.wrong, usage);
        return 2;
    }
    if (o.help) {
        fputs(usage, stdout);
        return 0;
    }
    if (o.table != NULL) {
        return print_table(o.table);
    }
    if (!all_match()) {
        return 2;
    }
    if (o.list) {
        visit_tests(LIST);
        return 0;
    }
    return run_tests();
}
