/* Graphs as text: twelve shapes, names of one hash, and what was slow once. */
#ifndef GRAPHSPLIT_TESTS_STEPS_GRAPHS_H
#define GRAPHSPLIT_TESTS_STEPS_GRAPHS_H

#include "graphsplit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct text {
    char *data;
    size_t size;
    size_t room;
} text;

/* Adds text with a number, twice if asked. */
static void put(text *t, const char *format, unsigned a)
{
    if (t->room - t->size < 256u) {
        t->room = 2u * t->room + 4096u;
        t->data = (char *)realloc(t->data, t->room);
        if (t->data == NULL) {
            abort();
        }
    }
    t->size += (size_t)snprintf(t->data + t->size, 256u, format, a, a);
}

typedef char name_text[12];

/* The shapes: inputs of call v, of which 0 is a placeholder. */
typedef enum shape {
    CHAIN,
    STAR,
    REVERSED_STAR,
    LADDER,
    CLIQUE,
    TREE,
    LAYERED,
    BUTTERFLY,
    FAN,
    INTERLEAVED,
    FUSED,
    UNSUPPORTED,
    N_SHAPES
} shape;

static const char *const shape_names[] = {"chain", "star", "reversed star", "ladder", "clique",
    "tree", "layered", "butterfly", "fan", "interleaved", "all fused", "none supported"};

/* Input i of call v of n; returns 0 behind the last. */
static int input_of(shape kind, uint32_t v, uint32_t n, uint32_t i, uint32_t *from)
{
    uint32_t const width = 64u;
    uint32_t count = 1u;
    *from = v - 1u;
    switch (kind) {
    case STAR: /* one node that all others read */
        *from = 0u;
        break;
    case REVERSED_STAR: /* one node that reads all others */
        count = v == n ? n : 1u;
        *from = v == n ? i : 0u;
        break;
    case LADDER:
    case INTERLEAVED:
        count = v > 2u ? 2u : 1u;
        *from = v - 1u - (v > 2u ? i : 0u);
        break;
    case CLIQUE:
        count = v;
        *from = i;
        break;
    case TREE:
        *from = (v - 1u) / 2u;
        break;
    case LAYERED: /* two of the layer before, taken by a fixed draw */
        count = 2u;
        *from = v <= width
                    ? 0u
                    : (v - 1u) / width * width - width + 1u + (v * 7919u + i * 104729u) % width;
        break;
    case BUTTERFLY: /* as in a Fourier transform over 64 values */
        count = 2u;
        *from = v <= width ? 0u : v - width;
        if (i == 1u && v > width) {
            uint32_t const at = (v - 1u) % width ^ 1u << (v - 1u) / width % 6u;
            *from = (v - 1u) / width * width - width + 1u + at;
        }
        break;
    case FAN: /* out to 63, and in again */
        count = v % width == 0u ? width - 1u : 1u;
        *from = v % width == 0u ? v - 1u - i : v / width * width;
        break;
    default:
        break;
    }
    return i < count;
}

static void build_text(text *t, shape kind, uint32_t n, const name_text *names)
{
    uint32_t from;
    t->size = 0;
    put(t, "graph():\n    %%n0 : [num_users=1] = placeholder[target=x]  # f32[4]\n", 0u);
    for (uint32_t v = 1u; v <= n; v++) {
        int const scalar = kind == FUSED && v != n;
        if (names != NULL) {
            put(t, "    %%", 0u);
            put(t, names[v], 0u);
        } else {
            put(t, "    %%n%u", v);
        }
        put(t, " : [num_users=1] = ", 0u);
        put(t, v % 64u < 8u ? "call_module" : "call_function", 0u);
        put(t, "[target=f%u](args = (", v % 7u);
        for (uint32_t i = 0u; input_of(kind, v, n, i, &from); i++) {
            put(t, i == 0u ? "" : ", ", 0u);
            put(t, names != NULL && from != 0u ? "%%" : "%%n%u", from);
            if (names != NULL && from != 0u) {
                put(t, names[from], 0u);
            }
        }
        put(t, "), kwargs = {})", 0u);
        put(t, scalar ? "  # int" : "  # f32[4]", 0u);
        put(t, kind == UNSUPPORTED ? "\n" : " acc=%u\n",
            kind == INTERLEAVED ? v % 2u : v / 16u % 2u);
    }
    put(t, "    return ", 0u);
    put(t, names != NULL ? names[n] : "n%u", n);
    put(t, "\n", 0u);
}

/* Names whose 32-bit hashes are all equal: the second word undoes what the first one did, and the
 * last letter, which the library adds to the hash, is the same. */
static void collide(name_text *names, uint32_t n)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
    uint32_t made = 0u;
    for (uint32_t draw = 0u; made <= n; draw++) {
        uint32_t word;
        uint32_t other;
        uint32_t h = 8u;
        int plain = 1;
        char *name = names[made];
        for (uint32_t i = 0u, rest = draw; i < 4u; i++, rest /= 52u) {
            name[i] = letters[rest % 52u];
        }
        memcpy(&word, name, 4u);
        h = (h ^ word) * 0x9E3779B1u;
        h ^= h >> 15;
        other = h ^ 0x12345678u;
        memcpy(name + 4, &other, 4u);
        memcpy(name + 8, "z", 2u);
        for (uint32_t i = 4u; i < 8u; i++) {
            plain = plain && strchr(letters, name[i]) != NULL && name[i] != '\0';
        }
        made += plain ? 1u : 0u;
        if (plain && made > 1u && gspi_hash(name, 8u, 0u) != gspi_hash(names[0], 8u, 0u)) {
            fprintf(stderr, "steps: the hash has changed, so these names do not collide\n");
            exit(1);
        }
    }
}

/* ---- inputs that were slow once (tests/program/slow.sh) ---- */

static void put_times(text *t, const char *format, unsigned n)
{
    for (unsigned i = 0u; i < n; i++) {
        put(t, format, i);
    }
}

static void put_head(text *t)
{
    put(t, "graph():\n    %%a : [num_users=1] = placeholder[target=a]  # f32[4]\n", 0u);
}

/* A line of node n, its first argument being given; put_end() ends it. */
static void put_call(text *t, const char *op, unsigned target, unsigned n)
{
    put(t, "    %%n%u : [num_users=1] = ", n);
    put(t, op, target);
    put(t, "](args = (", 0u);
}

static void put_end(text *t)
{
    put(t, "), kwargs = {})  # f32[4]\n", 0u);
}

#define FUNCTION "call_function[target=f%u"
#define MODULE   "call_module[target=s%u"
#define LONG     "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"

/* Words behind `return` that are no nodes. */
static void slow_words(text *t)
{
    put_head(t);
    put_times(t,
        "    %%n%u" LONG " : [num_users=1] = call_function[target=f](args = (%%a,), kwargs = {})\n",
        4000u);
    put(t, "    return (", 0u);
    put_times(t, "q%u" LONG ", ", 8000u);
    put(t, "a)\n", 0u);
}

/* Calls of graphs one below the other: so many calls of the next, and what each graph returns. */
static void slow_graphs(text *t, unsigned depth, unsigned calls, const char *returned)
{
    put(t, "module main\n", 0u);
    for (unsigned i = 0u; i <= depth; i++) {
        put_head(t);
        for (unsigned k = 0u; k < (i == 0u ? 1u : calls); k++) {
            put_call(t, i < depth ? MODULE : FUNCTION, i + 1u, k);
            put(t, k == 0u ? "%%a," : "%%n%u,", k - 1u);
            put_end(t);
        }
        put(t, "    return ", 0u);
        put(t, i == 0u ? "n0" : returned, 0u);
        put(t, i < depth ? "\nmodule s%u\n" : "\n", i + 1u);
    }
}

static void slow_calls(text *t)
{
    slow_graphs(t, 40u, 2u, "n1");
}

static void slow_tuples(text *t)
{
    slow_graphs(t, 30u, 1u, "(n0, n0)");
}

static void slow_chain(text *t)
{
    slow_graphs(t, 4500u, 1u, "n0");
}

/* Child graphs that are empty. */
static void slow_empty(text *t)
{
    put(t, "module main\n", 0u);
    put_head(t);
    put(t, "    return a\n", 0u);
    put_times(t, "module s%u\ngraph():\n    return 1\n", 28000u);
}

/* A node n0 of many arguments, and the positions of those that it mutates. */
static void put_mutates(text *t, const char *arg, unsigned args, const char *two, unsigned last)
{
    put_call(t, FUNCTION, 0u, 0u);
    put_times(t, arg, args);
    put(t, "), kwargs = {})  # f32[4] mutates=", 0u);
    put_times(t, two, args / 2u);
    put(t, "%u\n", last);
}

/* A parameter, and a node that reads it and n0: both are values of two stages. */
static void put_weight(text *t)
{
    put_head(t);
    put(t, "    %%w : [num_users=1] = get_attr[target=w]  # f32[4]\n", 0u);
}

static void put_reader(text *t, const char *args)
{
    put_call(t, FUNCTION, 0u, 1u);
    put(t, args, 0u);
    put_end(t);
    put(t, "    return n1\n", 0u);
}

/* Positions to and fro, of a value that others read. */
static void slow_mutates(text *t)
{
    put_head(t);
    put_mutates(t, "%%a, ", 40000u, "39999,0,", 1u);
    put(t, "    return n0\n", 0u);
}

static void slow_far_mutates(text *t)
{
    put_head(t);
    put_mutates(t, "%%a, ", 100000u, "99999,0,", 1u);
    put(t, "    return n0\n", 0u);
}

static void slow_written(text *t)
{
    put_weight(t);
    put_mutates(t, "%%a, ", 40000u, "39999,0,", 1u);
    put_reader(t, "%%n0, %%w");
}

/* Positions beyond the arguments, of a parameter. */
static void slow_beyond(text *t)
{
    put_weight(t);
    put_mutates(t, "%%w, ", 40000u, "999999,", 999999u);
    put_reader(t, "%%n0, %%w, %%a");
}

/* Elements whose numbers are multiples of the number of nodes. */
static void slow_elements(text *t)
{
    put_head(t);
    put(t,
        "    %%t : [num_users=1] = call_function[target=f](args = (%%a,), kwargs = {})"
        "  # tuple(f32[4])\n",
        0u);
    for (unsigned i = 0u; i < 7000u; i++) {
        put_call(t, "call_function[target=operator.getitem", 0u, i);
        put(t, "%%t, %u", i * 7003u);
        put_end(t);
    }
    put(t, "    return (", 0u);
    put_times(t, "n%u, ", 7000u);
    put(t, "a)\n", 0u);
}

/* Parameters that all stages copy. */
static void slow_copies(text *t)
{
    put_head(t);
    put_times(t, "    %%w%u : [num_users=1] = get_attr[target=w%u]  # f32[4]\n", 50u);
    for (unsigned i = 0u; i < 2000u; i++) {
        put_call(t, FUNCTION, 0u, i);
        put(t, i == 0u ? "%%a" : "%%n%u", i - 1u);
        put_times(t, ", %%w%u", 50u);
        put_end(t);
    }
    put(t, "    return n1999\n", 0u);
}

/* A chain in which each call has an operator and a type of its own. */
static void put_kinds(text *t, unsigned n)
{
    put_head(t);
    for (unsigned i = 0u; i < n; i++) {
        put_call(t, FUNCTION, i, i);
        put(t, i == 0u ? "%%a," : "%%n%u,", i - 1u);
        put(t, "), kwargs = {})  # z%u[4]\n", i);
    }
    put(t, "    return n%u\n", n - 1u);
}

static void slow_targets(text *t)
{
    put_kinds(t, 11000u);
}

typedef struct slow_input {
    const char *name;
    void (*build)(text *t);
} slow_input;

static const slow_input slow_inputs[] = {
    {"words", slow_words},
    {"calls", slow_calls},
    {"tuples", slow_tuples},
    {"chain of graphs", slow_chain},
    {"empty graphs", slow_empty},
    {"mutates", slow_mutates},
    {"mutates, far", slow_far_mutates},
    {"mutates, written", slow_written},
    {"mutates, beyond", slow_beyond},
    {"elements", slow_elements},
    {"copies", slow_copies},
    {"targets", slow_targets},
};
#define N_SLOW (sizeof slow_inputs / sizeof slow_inputs[0])

#endif
