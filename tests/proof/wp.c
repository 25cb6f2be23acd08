/* What the contracts of the folders beside are about: graphsplit.h, annotated by annotate.awk. */
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#define GSP_MEMCPY copy
#define GSP_MEMSET set_words
#define GSP_MEMCMP compare
#define GSP_NO_ALL_PASSES
#define GSP_WITH_SPLIT

/* What is trusted of memset, for words: the memory model keeps bytes and words apart. */
/*@ requires \valid((uint32_t *)to + (0 .. bytes / 4 - 1)) && bytes % 4 == 0;
    assigns ((uint32_t *)to)[0 .. bytes / 4 - 1], \result \from to;
    ensures byte == 0 ==> \forall integer i; 0 <= i < bytes / 4 ==> ((uint32_t *)to)[i] == 0;
    ensures byte == 0xFF ==>
        \forall integer i; 0 <= i < bytes / 4 ==> ((uint32_t *)to)[i] == 0xFFFFFFFF; */
void *set_words(void *to, int byte, size_t bytes);

/*@ predicate words(void *p, integer bytes) =
        bytes % 4 == 0 && \valid_read((uint32_t *)p + (0 .. bytes / 4 - 1));

    predicate chars(void *p, integer bytes) = \valid_read((char *)p + (0 .. bytes - 1));

    predicate same_words(void *a, void *b, integer bytes) =
        \forall integer i; 0 <= i < bytes / 4 ==> ((uint32_t *)a)[i] == ((uint32_t *)b)[i];

    predicate same_chars(void *a, void *b, integer bytes) =
        \forall integer i; 0 <= i < bytes ==> ((char *)a)[i] == ((char *)b)[i]; */

/* What is trusted of memcmp, for words and for characters. */
/*@ requires (words(a, bytes) && words(b, bytes)) || (chars(a, bytes) && chars(b, bytes));
    assigns \result \from ((char *)a)[0 .. bytes - 1], ((char *)b)[0 .. bytes - 1];
    ensures words(a, bytes) && words(b, bytes) ==> (\result == 0 <==> same_words(a, b, bytes));
    ensures chars(a, bytes) && chars(b, bytes) ==> (\result == 0 <==> same_chars(a, b, bytes)); */
int compare(const void *a, const void *b, size_t bytes);

/* What is trusted of memcpy: it has room. What it writes is not known. */
/*@ requires chars(from, bytes);
    assigns ((char *)to)[0 .. bytes - 1], \result \from to;
    ensures \result == to; */
void *copy(void *to, const void *from, size_t bytes);

/* The number that n digits spell. */
/*@ logic integer digits(char *s, integer n) =
        n <= 0 ? 0 : 10 * digits(s, n - 1) + (s[n - 1] - '0'); */

/* Sorting: ids refer to keys below the number `keys`, which may be any. */
/*@ axiomatic Keys { logic integer keys reads \nothing; } */

/*@ predicate before(integer a, integer b, uint64_t *key) =
        key[a] < key[b] || (key[a] == key[b] && a < b);

    predicate refer(uint32_t *ids, integer n) = \forall integer i; 0 <= i < n ==> ids[i] < keys;

    predicate child(integer k, integer i) = k == 2 * i + 1 || k == 2 * i + 2;

    // No parent at `root` or after it comes before one of its children.
    predicate heap(uint32_t *ids, integer root, integer end, uint64_t *key) =
        \forall integer i, k; root <= i && child(k, i) && k < end ==>
            !before(ids[i], ids[k], key);

    predicate at_most(uint32_t *ids, integer n, integer id, uint64_t *key) =
        \forall integer i; 0 <= i < n ==> !before(id, ids[i], key);

    logic integer one(integer a, integer b) = a == b ? 1 : 0;

    // How often id is among the first n.
    logic integer count(uint32_t *ids, integer id, integer n) =
        n <= 0 ? 0 : count(ids, id, n - 1) + one(ids[n - 1], id); */

/* Rows and tokens of a stored module, whose types come first. */
#include "annotated.h"

/*@ predicate ascends(uint32_t *row, integer n) =
        \valid_read(row + (0 .. n - 1)) &&
        \forall integer i, k; 0 <= i <= k < n ==> row[i] <= row[k];

    predicate users_row(gsp_module *m, integer u) =
        m->user_begin[u] <= m->user_begin[u + 1] &&
        ascends(m->users + m->user_begin[u], m->user_begin[u + 1] - m->user_begin[u]);

    predicate member(uint32_t *row, integer n, integer id) =
        \exists integer i; 0 <= i < n && row[i] == id;

    predicate distinct(uint32_t *row, integer n) =
        \forall integer i, k; 0 <= i < k < n ==> row[i] != row[k];

    // Node v of a graph reads node u of the module.
    predicate reads(gsp_module *m, integer v, integer u) =
        member(m->users + m->user_begin[u], m->user_begin[u + 1] - m->user_begin[u], v);

    predicate within(uint32_t *row, integer n, integer least, integer end) =
        \forall integer i; 0 <= i < n ==> least <= row[i] < end;

    // Node v of the graph that begins at `first` comes after input i, and reads it.
    predicate input(gsp_module *m, integer first, integer v, integer i) =
        m->inputs[i] < v && reads(m, v, first + m->inputs[i]);

    predicate has_bit(uint32_t word, integer i) = (word & (1 << i)) != 0;

    predicate marked(uint32_t *words, integer i) = has_bit(words[i / 32], i % 32);

    predicate container(integer kind) = GSP_ARG_TUPLE <= kind <= GSP_ARG_SLICE;

    // Token i of n in a row of node v of the graph that begins at `first`.
    predicate token(gsp_module *m, integer first, integer v, gsp_arg *a, integer i, integer n) =
        a[i].kind == GSP_ARG_NODE ? a[i].value < v && reads(m, v, first + a[i].value) :
        a[i].kind == GSP_ARG_CLOSE ? 0 < a[i].value <= i && container(a[i - a[i].value].kind) &&
            a[i - a[i].value].value == a[i].value :
        container(a[i].kind) ? 0 < a[i].value < n - i &&
            a[i + a[i].value].kind == GSP_ARG_CLOSE && a[i + a[i].value].value == a[i].value :
        (a[i].kind == GSP_ARG_CONSTANT || a[i].kind == GSP_ARG_KEY) &&
            a[i].value < m->counts.strings; */

/* The arrays of a stored module. */
/*@ // The arrays have the sizes that the counts say; this is what the layout of the block gives.
    predicate laid_out(gsp_module *m) =
        \valid_read(m->graphs + (0 .. m->counts.graphs - 1)) &&
        \valid_read(m->by_name + (0 .. m->counts.graphs - 1)) &&
        \valid_read(m->name + (0 .. m->counts.nodes - 1)) &&
        \valid_read(m->target + (0 .. m->counts.nodes - 1)) &&
        \valid_read(m->type + (0 .. m->counts.nodes - 1)) &&
        \valid_read(m->attr + (0 .. m->counts.nodes - 1)) &&
        \valid_read(m->op + (0 .. m->counts.nodes - 1)) &&
        \valid_read(m->out + (0 .. m->counts.nodes - 1)) &&
        \valid_read(m->arg_begin + (0 .. m->counts.nodes)) &&
        \valid_read(m->in_begin + (0 .. m->counts.nodes)) &&
        \valid_read(m->user_begin + (0 .. m->counts.nodes)) &&
        \valid_read(m->inputs + (0 .. m->counts.edges - 1)) &&
        \valid_read(m->users + (0 .. m->counts.edges - 1)) &&
        \valid_read(m->args + (0 .. m->counts.args - 1)) &&
        \valid_read(m->attrs + (0 .. m->counts.attrs - 1)) &&
        \valid_read(m->params + (0 .. m->n_params - 1)) &&
        \valid_read(m->leaves + (0 .. m->n_leaves - 1)) &&
        \valid_read(m->string_begin + (0 .. m->counts.strings)) &&
        m->n_stored == m->counts.strings &&
        \valid_read(m->chars + (0 .. m->counts.bytes - 1));

    predicate offsets(uint32_t *begin, integer n, integer end) =
        begin[0] == 0 && begin[n] == end &&
        \forall integer i, k; 0 <= i <= k <= n ==> begin[i] <= begin[k];

    predicate graph_entry(gsp_module *m, integer i) =
        0 < m->graphs[i].n_nodes && m->graphs[i].first + m->graphs[i].n_nodes <= m->counts.nodes &&
        m->graphs[i].name < m->counts.strings && m->by_name[i] < m->counts.graphs;

    predicate attrs(gsp_module *m) =
        m->counts.attrs > 0 && m->attrs[m->counts.attrs - 1].key == GSP_KEY_NONE &&
        \forall integer i; 0 <= i < m->counts.attrs ==>
            m->attrs[i].key < m->counts.strings && m->attrs[i].value < m->counts.strings;

    predicate symbols(gsp_module *m, gsp_symbol *s, integer n) =
        \forall integer i; 0 <= i < n ==> s[i].target < m->counts.strings &&
            s[i].graph < m->counts.graphs && s[i].node < m->graphs[s[i].graph].n_nodes; */

/* The size of a block. */
/*@ axiomatic Layout {
        logic integer bytes(integer graphs, integer nodes, integer edges, integer args,
            integer attrs, integer strings, integer bytes, integer params, integer leaves)
            reads \nothing; }

    logic integer layout(gsp_module *m) =
        bytes(m->counts.graphs, m->counts.nodes, m->counts.edges, m->counts.args,
            m->counts.attrs, m->counts.strings, m->counts.bytes, m->n_params, m->n_leaves); */

#define GRAPHSPLIT_IMPLEMENTATION
#include "annotated.h"
