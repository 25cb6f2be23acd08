/* Names of files from names of parts. A part may have any name: those of a plan, of a prefix and
 * of a model are not the program's. */
#include "output/output.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define LONGEST 200u /* bytes; most systems allow 255, of which endings take some */

/* Only the program gives these names. */
static const char *const reserved[] = {"manifest", "root", "whole"};

/* The stem that a part requests. */
typedef struct wish {
    const char *folded;
    size_t part;
    int is_free; /* not reserved, or the program's own */
} wish;

char *cli_file_folded(cli_session *s, gsp_str name)
{
    char *copy = cli_copy(s, name);
    uint32_t i;
    for (i = 0; i < name.size; i++) {
        copy[i] = (char)(copy[i] >= 'A' && copy[i] <= 'Z' ? copy[i] + 32 : copy[i]);
    }
    return copy;
}

/* Windows has more separators than '/', and other bytes that no file name holds. C1 control
 * characters are two bytes of UTF-8. */
static int is_plain(const unsigned char *at, size_t size)
{
    return size > 1u
               ? at[0] != 0xC2u || at[1] >= 0xA0u
               : size == 1u && *at >= 0x20u && *at != 0x7Fu && strchr("/\\:*?\"<>|", *at) == NULL;
}

static char *plain(cli_session *s, const char *name)
{
    cli_buffer b;
    size_t left = strlen(name);
    cli_buffer_init(&b, s);
    if (*name == '.' || *name == '\0') {
        cli_puts(&b, "_");
        name += *name == '.';
        left = strlen(name);
    }
    while (left != 0 && b.size < LONGEST) {
        const unsigned char *at = (const unsigned char *)name;
        size_t size = cli_utf8_size(at, left);
        int const is_kept = is_plain(at, size);
        size += size == 0 ? 1u : 0u;
        cli_put(&b, is_kept ? name : "_", is_kept ? size : 1u);
        name += size;
        left -= size;
    }
    cli_put(&b, "", 1u);
    return b.data;
}

static int by_name(const void *a, const void *b)
{
    return strcmp(((const wish *)a)->folded, ((const wish *)b)->folded);
}

/* The program's own parts first, then in the order of parts. */
static int compare(const void *a, const void *b)
{
    const wish *x = (const wish *)a;
    const wish *y = (const wish *)b;
    int const order = by_name(a, b);
    if (order != 0) {
        return order;
    }
    return x->is_free != y->is_free ? y->is_free - x->is_free
                                    : (x->part > y->part) - (x->part < y->part);
}

/* Stems of other numbers end in another number, so only wishes are in the way. */
static char *numbered(cli_session *s, const char *stem, size_t number, const wish *wishes, size_t n)
{
    cli_buffer b;
    wish made = {NULL, 0, 0};
    size_t lines = 1;
    do {
        size_t i;
        cli_buffer_init(&b, s);
        cli_puts(&b, stem);
        for (i = 0; i < lines; i++) {
            cli_puts(&b, "_");
        }
        cli_printf(&b, "%" PRIu64, (uint64_t)number);
        cli_put(&b, "", 1u);
        made.folded = cli_file_folded(s, gsp_str_of(b.data));
        lines++;
    } while (bsearch(&made, wishes, n, sizeof *wishes, by_name) != NULL);
    return b.data;
}

static int is_reserved(const char *folded)
{
    size_t i = 0;
    while (i < CLI_COUNT(reserved) && strcmp(folded, reserved[i]) != 0) {
        i++;
    }
    return i < CLI_COUNT(reserved);
}

void cli_file_names(cli_session *s, cli_part *parts, size_t n_parts)
{
    wish *wishes = (wish *)cli_alloc(s, n_parts + 1u, sizeof *wishes);
    size_t n = 0;
    size_t i;
    for (i = 0; i < n_parts; i++) {
        if (parts[i].same == NULL) {
            parts[i].stem = plain(s, parts[i].name);
            wishes[n].folded = cli_file_folded(s, gsp_str_of(parts[i].stem));
            wishes[n].part = i;
            wishes[n].is_free = parts[i].is_own || !is_reserved(wishes[n].folded);
            n++;
        }
    }
    qsort(wishes, n, sizeof *wishes, compare);
    for (i = 0; i < n; i++) {
        cli_part *part = &parts[wishes[i].part];
        if (!wishes[i].is_free || (i != 0 && by_name(&wishes[i - 1u], &wishes[i]) == 0)) {
            part->stem = numbered(s, part->stem, wishes[i].part, wishes, n);
        }
    }
    for (i = 0; i < n_parts; i++) {
        parts[i].stem = parts[i].same != NULL ? parts[i].same->stem : parts[i].stem;
    }
}
