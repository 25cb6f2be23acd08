/* Runs the program inside a fuzz entry, in the current directory, which tests/fuzz/run.sh makes.
 * Whatever it is given, it ends with a documented status, and a failure is told in clean text. */
#ifndef GRAPHSPLIT_FUZZ_PROGRAM_H
#define GRAPHSPLIT_FUZZ_PROGRAM_H

#ifndef _XOPEN_SOURCE
#define _XOPEN_SOURCE 700
#endif

#include "fuzz.h"

#include "commands/dispatch.c"
#include "core/options.c"
#include "input/input.h"

#include <setjmp.h>
#include <unistd.h>

enum { FUZZ_ARGS = 64, FUZZ_FILES = 16 };

/* What a run printed; lives until the next one. */
typedef struct fuzz_printed {
    int code;
    char *out;
    size_t out_size;
    char *err;
    size_t err_size;
} fuzz_printed;

static jmp_buf fuzz_leave;
static int fuzz_inside;

void __real_exit(int code);
void __wrap_exit(int code);

/* The program ends early where the system gives no more memory; here the run ends (ld --wrap). */
void __wrap_exit(int code)
{
    if (fuzz_inside) {
        longjmp(fuzz_leave, code + 1);
    }
    __real_exit(code);
}

/* A request for memory that no system fulfils is no defect. */
const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
    return "allocator_may_return_null=1:max_allocation_size_mb=1024";
}

static inline void fuzz_write(const char *path, const void *data, size_t size)
{
    FILE *file = fopen(path, "wb");
    REQUIRE(file != NULL);
    REQUIRE(fwrite(data, 1, size, file) == size);
    REQUIRE(fclose(file) == 0);
}

static inline int fuzz_holds(const char *path, const void *data, size_t size)
{
    char *found = (char *)malloc(size + 1u);
    FILE *file = fopen(path, "rb");
    int const same = file != NULL && found != NULL && fread(found, 1, size + 1u, file) == size &&
                     memcmp(found, data, size) == 0;
    if (file != NULL) {
        fclose(file);
    }
    free(found);
    return same;
}

/* Printable text in lines. */
static inline void fuzz_check_clean(const char *text, size_t size)
{
    REQUIRE(size == 0 || text[size - 1u] == '\n');
    for (size_t i = 0; i < size; i++) {
        REQUIRE(((unsigned char)text[i] >= 0x20u && text[i] != 0x7F) || text[i] == '\n');
    }
}

/* What failed is told; a difference or an assignment that is not valid is a result. */
static inline void fuzz_check_end(const fuzz_printed *p)
{
    REQUIRE(p->code == CLI_EXIT_OK || p->code == CLI_EXIT_FAILED || p->code == CLI_EXIT_USAGE);
    fuzz_check_clean(p->err, p->err_size);
    if (p->code != CLI_EXIT_OK && p->out_size == 0) {
        REQUIRE(p->err_size > 12u && strstr(p->err, "graphsplit: ") != NULL);
    }
    if (p->code == CLI_EXIT_USAGE &&
        p->out_size != 0) { /* eval: what cannot be read is no answer */
        REQUIRE(strncmp(p->out, "error ", 6u) == 0 || strncmp(p->out, "{\"error\": ", 10u) == 0);
    }
}

/* With FUZZ_SHOW in the environment: the command line, how it ended, and what it said. */
static inline void fuzz_show(int argc, char **argv, const fuzz_printed *p)
{
    if (getenv("FUZZ_SHOW") != NULL) {
        for (int i = 0; i < argc; i++) {
            fprintf(stderr, "%s ", argv[i]);
        }
        fprintf(stderr, "\n%s%sstatus %d\n", p->out, p->err, p->code);
    }
}

/* fuzz_program: as cli_main() runs it. What it leaves to the end of the process is closed here. */
static inline fuzz_printed *fuzz_program(int argc, char **argv)
{
    static const cli_format *const formats[] = {
        &cli_tflite_format, CLI_NET_FORMATS, &cli_piper_format, &cli_text_format};
    static const cli_front front = {"graphsplit", "", formats, CLI_COUNT(formats)};
    static fuzz_printed printed;
    static cli_session session;
    FILE *const terminal = stderr;
    int const first = dup(0);
    free(printed.out);
    free(printed.err);
    memset(&printed, 0, sizeof printed);
    cli_session_init(&session, &front);
    session.progress_wanted = 0;
    stderr = open_memstream(&printed.err, &printed.err_size);
    REQUIRE(stderr != NULL && first >= 0);
    fuzz_inside = 1;
    printed.code = setjmp(fuzz_leave);
    printed.code = printed.code == 0 ? run(&session, argc, argv) : printed.code - 1;
    fuzz_inside = 0;
    fclose(stderr);
    stderr = terminal;
    for (int i = first; i < first + FUZZ_FILES; i++) {
        close(i);
    }
    printed.out_size = session.out.size;
    printed.out = (char *)malloc(printed.out_size + 1u);
    REQUIRE(printed.out != NULL);
    if (printed.out_size != 0) {
        memcpy(printed.out, session.out.data, printed.out_size);
    }
    printed.out[printed.out_size] = '\0';
    cli_session_end(&session);
    fuzz_show(argc, argv, &printed);
    fuzz_check_end(&printed);
    return &printed;
}

/* fuzz_command: the same with the words of a line. */
static inline fuzz_printed *fuzz_command(const char *line)
{
    static char words[512];
    char *argv[FUZZ_ARGS];
    char *word;
    int argc = 0;
    REQUIRE(strlen(line) < sizeof words);
    strcpy(words, line);
    for (word = strtok(words, " "); word != NULL && argc < FUZZ_ARGS; word = strtok(NULL, " ")) {
        argv[argc++] = word;
    }
    return fuzz_program(argc, argv);
}

#endif
