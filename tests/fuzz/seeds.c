/* Seeds of a fuzz entry in one text file, and back. A line `==== NAME` begins a seed; the lines
 * below it are its bytes, and a line end counts for nothing. \n, \r, \t, \0 and \\ mean what they
 * mean in C, \xHH is any byte by two hexadecimal digits.
 *     cc -std=c99 -o seeds tests/fuzz/seeds.c
 *     ./seeds unpack DIRECTORY < tests/fuzz/seeds/text.txt
 *     ./seeds pack FILE... > tests/fuzz/seeds/text.txt */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    WIDTH = 96, /* a line of as many characters ends */
    LINE = 1024 /* the longest line that is read */
};

static void die(const char *what, const char *about)
{
    fprintf(stderr, "seeds: %s: %s\n", what, about);
    exit(1);
}

/* The bytes that have a letter of their own behind a backslash, and the letters. */
static const char bytes[] = {'\n', '\r', '\t', '\0', '\\'};
static const char letters[] = {'n', 'r', 't', '0', '\\'};

/* ---- pack ---- */

/* Writes a byte, as two digits where it must not stand for itself; gives how many characters. */
static int put_byte(int byte, int digits)
{
    const char *const own = (const char *)memchr(bytes, byte, sizeof bytes);
    if (own) {
        return printf("\\%c", letters[own - bytes]);
    }
    return printf(digits || byte < ' ' || byte > '~' ? "\\x%02x" : "%c", (unsigned)byte);
}

static void pack(const char *path)
{
    const char *const slash = strrchr(path, '/');
    FILE *const file = fopen(path, "rb");
    int column = 0;
    int byte;
    int next;
    if (!file) {
        die("cannot read", path);
    }
    printf("==== %s\n", slash ? slash + 1 : path);
    for (byte = getc(file); byte != EOF; byte = next) {
        next = getc(file);
        /* No line begins like a name, and none ends with a blank. */
        column += put_byte(byte,
            (byte == '=' && column == 0) || (byte == ' ' && (next == EOF || column + 1 >= WIDTH)));
        if (byte == '\n' || column >= WIDTH) {
            putchar('\n');
            column = 0;
        }
    }
    if (column != 0) {
        putchar('\n');
    }
    fclose(file);
}

/* ---- unpack ---- */

static FILE *open_seed(const char *directory, const char *name)
{
    char path[2 * LINE];
    FILE *file;
    if (name[0] == '\0' || strchr(name, '/') ||
        strlen(directory) + strlen(name) + 2u > sizeof path) {
        die("no name of a seed", name);
    }
    sprintf(path, "%s/%s", directory, name);
    file = fopen(path, "wb");
    if (!file) {
        die("cannot write", path);
    }
    return file;
}

/* The byte of the escape behind a backslash; the cursor moves past it. */
static int escaped(const char **at)
{
    const char *own;
    unsigned byte;
    char const kind = *(*at)++;
    if (kind == 'x') {
        if (sscanf(*at, "%2x", &byte) != 1) {
            die("no hexadecimal digits", *at);
        }
        *at += 2;
        return (int)byte;
    }
    own = (const char *)memchr(letters, kind, sizeof letters);
    if (!own) {
        die("no such escape", *at - 1);
    }
    return bytes[own - letters];
}

static void unpack(const char *directory)
{
    char line[LINE];
    FILE *file = NULL;
    while (fgets(line, sizeof line, stdin)) {
        const char *at = line;
        if (!strchr(line, '\n') && !feof(stdin)) {
            die("too long a line", line);
        }
        line[strcspn(line, "\n")] = '\0';
        if (strncmp(line, "==== ", 5) == 0) {
            if (file) {
                fclose(file);
            }
            file = open_seed(directory, line + 5);
            continue;
        }
        while (*at != '\0') {
            int const byte = *at++;
            if (!file) {
                die("bytes in front of the first name", line);
            }
            putc(byte == '\\' ? escaped(&at) : byte, file);
        }
    }
    if (file && fclose(file) != 0) {
        die("cannot write below", directory);
    }
}

int main(int argc, char **argv)
{
    int i;
    if (argc == 3 && strcmp(argv[1], "unpack") == 0) {
        unpack(argv[2]);
    } else if (argc > 1 && strcmp(argv[1], "pack") == 0) {
        for (i = 2; i < argc; i++) {
            pack(argv[i]);
        }
    } else {
        die("usage", "seeds unpack DIRECTORY < TEXT, seeds pack FILE... > TEXT");
    }
    return 0;
}
