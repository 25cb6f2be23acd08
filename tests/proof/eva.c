/* Entries that read bytes: each function here is one start of Frama-C's Eva, which has to end
 * without an alarm. Inputs are any bytes, of every size up to EVA_BYTES, or a text with unknown
 * bytes at one place after another. Every input ends where its memory ends. */
#include <stddef.h>
#include <stdint.h>
#include "string.c" /* bodies: memcmp and memchr keep what they learn of the bytes */
#define GSP_MEMCPY memcpy
#define GSP_MEMSET memset
#define GSP_MEMCMP memcmp
#define GSP_NO_ALL_PASSES
#define GSP_WITH_TEXT
#define GSP_WITH_SPLIT
#define GSP_WITH_DEDUP /* types of algorithms.h, as the next three */
#define GSP_WITH_MEMORY
#define GSP_WITH_PARTITION
#define GSP_WITH_PIPELINE
#define GRAPHSPLIT_IMPLEMENTATION
#include "graphsplit.h"

#include "algorithms/plan_file.c"

#include "__fc_builtin.h"

static char bytes[EVA_BYTES];
static char others[EVA_BYTES];
static uint64_t block[EVA_BYTES / 8];

static gsp_str any_text(char *data, uint32_t size)
{
    gsp_str text;
    Frama_C_make_unknown(data, EVA_BYTES);
    text.size = size;
    text.data = data + (EVA_BYTES - size);
    return text;
}

/* The header of a stored module. */
void eva_module_open(void)
{
    gsp_module module;
    gsp_error error;
    /*@ loop unroll EVA_BYTES + 1; */
    for (uint32_t words = 0; words <= EVA_BYTES / 8u; words++) {
        Frama_C_make_unknown((char *)block, EVA_BYTES);
        (void)gsp_module_open(&module, block + (EVA_BYTES / 8u - words), 8u * words, 1, &error);
    }
}

/* The bytes of the text of each key. */
void eva_key(void)
{
    gsp_str const text = gspi_key((uint32_t)Frama_C_unsigned_int_interval(0, UINT32_MAX));
    uint32_t sum = 0;
    /*@ loop unroll 64; */
    for (uint32_t i = 0; i < text.size; i++) {
        sum += (unsigned char)text.data[i];
    }
}

void eva_str_glob(void)
{
    /*@ loop unroll EVA_BYTES + 1; */
    for (uint32_t i = 0; i <= EVA_BYTES; i++) {
        /*@ loop unroll EVA_BYTES + 1; */
        for (uint32_t k = 0; k <= EVA_BYTES; k++) {
            gsp_str const pattern = any_text(bytes, i);
            (void)gsp_str_glob(pattern, any_text(others, k));
        }
    }
}

void eva_type_next(void)
{
    /*@ loop unroll EVA_BYTES + 1; */
    for (uint32_t i = 0; i <= EVA_BYTES; i++) {
        uint32_t at = 0;
        gsp_str dtype;
        gsp_str dims;
        (void)gsp_type_next(any_text(bytes, i), &at, &dtype, &dims);
    }
}

void eva_type_container(void)
{
    /*@ loop unroll EVA_BYTES + 1; */
    for (uint32_t i = 0; i <= EVA_BYTES; i++) {
        uint32_t count;
        (void)gsp_type_container(any_text(bytes, i), &count);
    }
}

void eva_text_count(void)
{
    /*@ loop unroll EVA_BYTES + 1; */
    for (uint32_t i = 0; i <= EVA_BYTES; i++) {
        gsp_counts counts;
        gsp_error error;
        gsp_str const text = any_text(bytes, i);
        (void)gsp_text_count(text.data, text.size, &counts, &error);
    }
}

/* Memory of an arena, of which nothing is known. Eva computes with its addresses: ARENA_BEGIN up to
 * ARENA_END are valid by -absolute-valid-range. */
#define ARENA_BEGIN 0x10000
#define ARENA_END   0x12000

static gsp_arena any_arena(void)
{
    gsp_arena arena;
    Frama_C_make_unknown((char *)ARENA_BEGIN, ARENA_END - ARENA_BEGIN);
    gsp_arena_init(&arena, (void *)ARENA_BEGIN, ARENA_END - ARENA_BEGIN);
    return arena;
}

static void read_table(gsp_str text)
{
    gsp_arena arena = any_arena();
    gsp_table table;
    gsp_error error;
    (void)gsp_table_read(&arena, text, &table, &error);
}

static void read_plan(gsp_str text)
{
    gsp_arena arena = any_arena();
    cli_plan_text plan;
    const char *wrong;
    gsp_error error;
    (void)cli_plan_parse(&arena, text, &plan, &wrong, &error);
}

static void read_text(gsp_str text)
{
    gsp_arena arena = any_arena();
    gsp_module module;
    gsp_error error;
    (void)gsp_text_read(&arena, text.data, text.size, NULL, &module, &error);
}

void eva_table(void)
{
    /*@ loop unroll EVA_BYTES + 1; */
    for (uint32_t i = 0; i <= EVA_BYTES; i++) {
        read_table(any_text(bytes, i));
    }
}

static char given[256];

/* The first `size` bytes of a text. */
static gsp_str cut(const char *text, uint32_t size)
{
    gsp_str t;
    t.size = size;
    t.data = given + (sizeof given - size);
    if (size > 0u) {
        memcpy(given + (sizeof given - size), text, size);
    }
    return t;
}

static const char a_table[] = "a i8 b(1)>=rank?#\n!x* dim(0,-1) in 1,2 c==3x3";

/* Any EVA_BYTES bytes at one place after another. */
void eva_table_bytes(void)
{
    /*@ loop unroll 256; */
    for (uint32_t i = 0; i + EVA_BYTES < sizeof a_table; i++) {
        gsp_str const text = cut(a_table, sizeof a_table - 1u);
        Frama_C_make_unknown(given + (sizeof given - text.size) + i, EVA_BYTES);
        read_table(text);
    }
}

static const char a_plan[] = "plan 1\n[b] c\nx\n[b]\n%y*#d\n";

/* Any bytes after the first line. */
void eva_plan(void)
{
    /*@ loop unroll EVA_BYTES + 1; */
    for (uint32_t i = 0; i <= EVA_BYTES; i++) {
        gsp_str const text = cut(a_plan, 7u + i);
        Frama_C_make_unknown(given + (sizeof given - i), i);
        read_plan(text);
    }
}

/* Each byte in turn is each of those that plans tell apart. */
void eva_plan_meanings(void)
{
    static const char meanings[] = {
        '\0', '\t', '\n', '\r', ' ', '#', '%', '*', '?', '[', ']', '1', 'b', '-', '\x7F', '\x80'};
    /*@ loop unroll 256; */
    for (uint32_t i = 0; i < sizeof a_plan - 1u; i++) {
        /*@ loop unroll 256; */
        for (uint32_t k = 0; k < sizeof meanings; k++) {
            gsp_str const text = cut(a_plan, sizeof a_plan - 1u);
            given[sizeof given - text.size + i] = meanings[k];
            read_plan(text);
        }
    }
}

/* The text of a graph; at the place of each byte what replaces it: any byte (`?`), bytes with a
 * meaning (`*`), or nothing. */
static const char a_graph[] =
    "graph():\n"
    "%x:[num_users=1]=placeholder[target=x]\n"
    "%a:[num_users=1]=call_function[target=b](args = (%x, [1]), kwargs = {c: 2})  # i8[4] m=1\n"
    "return a\n";
static const char places[] =
    "* ? ??? ?"
    "*  ??   ?   ??? ??  ?  ?? ? ??  ?  ?  ?"
    "*  ?   ?   ??    ??    ?   ??   ?  ?   **       *  **   *        *  * *  *   *  *   **  *"
    "*     * *";

void eva_text_byte(void)
{
    /*@ loop unroll 256; */
    for (uint32_t i = 0; i < sizeof a_graph - 1u; i++) {
        if (places[i] == '?') {
            gsp_str const text = cut(a_graph, sizeof a_graph - 1u);
            Frama_C_make_unknown(given + (sizeof given - text.size) + i, 1);
            read_text(text);
        }
    }
}

void eva_text_meanings(void)
{
    static const char meanings[] = {'\n', ' ', '#', ')', '[', '='};
    /*@ loop unroll 256; */
    for (uint32_t i = 0; i < sizeof a_graph - 1u; i++) {
        /*@ loop unroll 256; */
        for (uint32_t k = 0; k < (places[i] == '*' ? sizeof meanings : 0u); k++) {
            gsp_str const text = cut(a_graph, sizeof a_graph - 1u);
            given[sizeof given - text.size + i] = meanings[k];
            read_text(text);
        }
    }
}

/* A stored module of which every EVA_BYTES-th byte after the head is unknown in turn. */
void eva_module_checked(void)
{
    static uint64_t copy[256];
    gsp_arena arena = any_arena();
    gsp_module module;
    gsp_module opened;
    gsp_error error;
    if (gsp_text_read(&arena, a_graph, sizeof a_graph - 1u, NULL, &module, &error) != GSP_OK) {
        return;
    }
    size_t const size = module.block_size;
    uint64_t *const stored = copy + (sizeof copy / 8u - (size + 7u) / 8u);
    /*@ loop unroll 2048; */
    for (size_t i = sizeof(gspi_head); i < size; i += EVA_BYTES) {
        memcpy(stored, module.block, size);
        Frama_C_make_unknown((char *)stored + i, 1);
        (void)gsp_module_open(&opened, stored, size, 0, &error);
    }
}

/* The text cut off before every place with a mark. */
void eva_text_cut(void)
{
    /*@ loop unroll 256; */
    for (uint32_t i = 0; i < sizeof a_graph; i++) {
        if (places[i] != ' ') {
            read_text(cut(a_graph, i));
        }
    }
}
