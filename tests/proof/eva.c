/* Entries that read bytes, on inputs of any bytes and of every size up to EVA_BYTES: each function
 * here is one start of Frama-C's Eva, which has to end without an alarm. Every input ends where its
 * memory ends. */
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#define GSP_MEMCPY memcpy
#define GSP_MEMSET memset
#define GSP_MEMCMP memcmp
#define GSP_NO_ALL_PASSES
#define GSP_WITH_TEXT
#define GRAPHSPLIT_IMPLEMENTATION
#include "graphsplit.h"

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
