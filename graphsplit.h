/* ------------------------------------------------------------------------------------------------
 * >>config   Compile-time switches and compiler adaption
 * ------------------------------------------------------------------------------------------------ */
#ifndef GRAPHSPLIT_H_INCLUDED
#define GRAPHSPLIT_H_INCLUDED

#ifdef GSP_CONFIG_HEADER
#include GSP_CONFIG_HEADER
#endif

#include <limits.h>
#include <stddef.h>
#include <stdint.h>

#define GSP_VERSION_MAJOR  0
#define GSP_VERSION_MINOR  1
#define GSP_VERSION_PATCH  0
#define GSP_VERSION_STRING "0.1.0"

#ifdef GSP_NO_ALL_PASSES
#ifndef GSP_WITH_TEXT
#define GSP_NO_TEXT
#endif
#ifndef GSP_WITH_SUPPORT
#define GSP_NO_SUPPORT
#endif
#ifndef GSP_WITH_SPLIT
#define GSP_NO_SPLIT
#endif
#ifndef GSP_WITH_MODULE
#define GSP_NO_MODULE
#endif
#endif

#ifndef GSP_API
#ifdef GRAPHSPLIT_STATIC
#if defined(__GNUC__) || defined(__clang__)
#define GSP_API __attribute__((unused)) static
#else
#define GSP_API static
#endif
#else
#define GSP_API extern
#endif
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* ------------------------------------------------------------------------------------------------
 * >>status   Status values and error details                                                 (API)
 * ------------------------------------------------------------------------------------------------ */

/* Every function that can fail returns a gsp_status. The list is append-only. */
#define GSP_STATUS_LIST(X)                                                             \
    X(OK, "success")                                                                   \
    X(ARG, "an argument is outside of what the function accepts")                      \
    X(DESC, "a desc was not zero-initialised, or holds an impossible combination")     \
    X(NOMEM, "the arena is too small")                                                 \
    X(OVERFLOW, "a size does not fit into 64 bits, or a count into 32")                \
    X(PARSE, "the text cannot be read")                                                \
    X(CYCLE, "the graph, or the order asked for, is cyclic")                           \
    X(DUPLICATE, "a name is given twice")                                              \
    X(UNDEFINED, "a name is used that nothing before it defines")                      \
    X(DAMAGED, "a stored module is damaged or was written by another kind of machine") \
    X(LIMIT, "a limit that the caller set cannot be met")                              \
    X(EMPTY, "there is nothing to work on")                                            \
    X(NO_FIT, "something does not fit where it has to go")

typedef enum gsp_status {
#define GSP_STATUS_ENUM(name, text) GSP_STATUS_##name,
    GSP_STATUS_LIST(GSP_STATUS_ENUM)
#undef GSP_STATUS_ENUM
        GSP_STATUS_COUNT,
    GSP_STATUS_FORCE_U32 = 0x7FFFFFFF
} gsp_status;

#define GSP_OK   GSP_STATUS_OK
#define GSP_NONE UINT32_MAX /* no node, no string, no subgraph */

/* What exactly went wrong: one sentence each, see gsp_detail_text(). Append-only. */
#define GSP_DETAIL_LIST(X)                                                              \
    X(NONE, "no further detail")                                                        \
    X(NULL_ARGUMENT, "a pointer that must not be null is null")                         \
    X(CANARY, "the desc was not zero-initialised")                                      \
    X(BOUND, "the arena holds fewer bytes than the bound")                              \
    X(CAPACITY, "there are more items than the counts given at the start")              \
    X(TOO_MANY, "there are more than 2^32 - 2 items")                                   \
    X(SIZE, "a size exceeds 64 bits")                                                   \
    X(NUMBER, "expected a number")                                                      \
    X(NAME, "expected a node name")                                                     \
    X(NAME_TWICE, "this name is already taken")                                         \
    X(NAME_UNKNOWN, "no node of this name stands before this place")                    \
    X(NAME_LATER, "this node stands only later in the graph: out of order, or a cycle") \
    X(OP, "expected placeholder, get_attr, call_function, call_method or call_module")  \
    X(TARGET, "expected [target=...]")                                                  \
    X(USERS, "expected [num_users=N]")                                                  \
    X(USERS_WRONG, "num_users is not the number of distinct users")                     \
    X(ARGS, "expected (args = (...), kwargs = {...})")                                  \
    X(BRACKET, "a bracket is not closed, or closes nothing")                            \
    X(KEY, "expected a key and ': '")                                                   \
    X(DEFAULT, "expected (default=...)")                                                \
    X(TYPE, "expected a type such as f32[1, 3], tuple(...) or int, or key=value")       \
    X(ANNOTATION, "expected key=value")                                                 \
    X(LINE, "expected '%name : ...', 'return ...', 'graph():' or 'module NAME'")        \
    X(HEADER, "expected 'graph():'")                                                    \
    X(RETURN, "expected a graph to end in 'return ...'")                                \
    X(AFTER_RETURN, "text stands after 'return'")                                       \
    X(TRAILING, "expected the end of the line")                                         \
    X(NUL_BYTE, "the text holds a NUL byte")                                            \
    X(MODULE_NAME, "expected a module name, each name once, 'main' first")              \
    X(STATE, "a builder function was called where it has no meaning")                   \
    X(CONSTANT, "this constant would not read back from the text form")                 \
    X(MAGIC, "this is no stored module, or one of another version or byte order")       \
    X(RANGE, "an index points outside of its array")                                    \
    X(ROWS, "the stored rows of inputs and users do not agree with the arguments")      \
    X(KIND, "a node has a kind that does not exist")                                    \
    X(PIN, "a pin names nothing in the graph")                                          \
    X(RULE, "a support rule program does not leave exactly one value")                  \
    X(TAG, "a callable node has no tag, or a tag that does not exist")                  \
    X(TAG_EMPTY, "a tag has no nodes")                                                  \
    X(TAG_ORDER, "the tags stand in an order that the data forbids")                    \
    X(TAG_NAME, "a tag has no name, or the name of another tag")                        \
    X(SUBGRAPHS, "more subgraphs than the limit")

typedef enum gsp_detail {
#define GSP_DETAIL_ENUM(name, text) GSP_DETAIL_##name,
    GSP_DETAIL_LIST(GSP_DETAIL_ENUM)
#undef GSP_DETAIL_ENUM
        GSP_DETAIL_COUNT,
    GSP_DETAIL_FORCE_U32 = 0x7FFFFFFF
} gsp_detail;

/* Details of a failure; pass NULL where they are not wanted. Every failing call fills it wholly. */
typedef struct gsp_error {
    gsp_status status;
    gsp_detail detail;
    uint32_t node;  /* the node (or pin, or tag) at fault; GSP_NONE: not about one */
    uint32_t other; /* a second one, e.g. the node at the other end of an edge; or GSP_NONE */
    size_t line;    /* text: 1-based line, 0: not about text */
    size_t column;  /* text: 1-based column, in bytes */
    uint64_t need;  /* NOMEM: the bytes that suffice; LIMIT: the count that was reached */
    uint64_t limit; /* NOMEM: the bytes that were there; LIMIT: the count that was allowed */
} gsp_error;

/* gsp_status_name: the name as written in this header, without prefix ("NOMEM"); "?" for others.
 * Time: O(1). */
GSP_API const char *gsp_status_name(gsp_status status);

/* gsp_status_text: one short English sentence; "" when compiled with GSP_NO_MESSAGES. Time: O(1). */
GSP_API const char *gsp_status_text(gsp_status status);

/* gsp_detail_text: one short English sentence; "" when compiled with GSP_NO_MESSAGES. Time: O(1). */
GSP_API const char *gsp_detail_text(gsp_detail detail);

/* ------------------------------------------------------------------------------------------------
 * >>memory   Two-ended arena over memory of the caller                                       (API)
 * ------------------------------------------------------------------------------------------------ */

/* Results grow from the low end, scratch from the high end. Nothing is ever freed one by one: take a
 * mark, work, rewind. All fields are read-only for the caller. */
typedef struct gsp_arena {
    unsigned char *base;
    size_t size;
    size_t low;     /* bytes in use at the low end */
    size_t high;    /* bytes in use at the high end */
    size_t touched; /* greatest low + high since init or gsp_arena_watch() */
} gsp_arena;

typedef struct gsp_mark {
    size_t low;
    size_t high;
} gsp_mark;

/* Every address that the arena gives out is a multiple of this. */
#define GSP_ALIGN 16u

/* gsp_arena_init: take over `size` bytes at `memory` (any alignment; NULL only with size 0).
 * The memory stays the caller's and must outlive everything made in it. Time: O(1). */
GSP_API void gsp_arena_init(gsp_arena *arena, void *memory, size_t size);

/* gsp_arena_left: bytes between the two ends. Time: O(1). */
GSP_API size_t gsp_arena_left(const gsp_arena *arena);

/* gsp_arena_mark: the present state of both ends. Time: O(1). */
GSP_API gsp_mark gsp_arena_mark(const gsp_arena *arena);

/* gsp_arena_rewind: back to a mark; what was given out since is gone. Time: O(1). */
GSP_API void gsp_arena_rewind(gsp_arena *arena, gsp_mark mark);

/* gsp_arena_push: `count * size` bytes at the low end, aligned, not cleared; NULL when they do not
 * fit (then nothing changes). Time: O(1). */
GSP_API void *gsp_arena_push(gsp_arena *arena, size_t count, size_t size);

/* gsp_arena_push_high: the same at the high end. Time: O(1). */
GSP_API void *gsp_arena_push_high(gsp_arena *arena, size_t count, size_t size);

/* gsp_arena_watch: start measuring `touched` afresh from the present use. Time: O(1). */
GSP_API void gsp_arena_watch(gsp_arena *arena);

/* ------------------------------------------------------------------------------------------------
 * >>bitset   Sets of node ids                                                                (API)
 * ------------------------------------------------------------------------------------------------ */

/* A view on words in the caller's memory; bits at and above `n` are always 0. */
typedef struct gsp_bitset {
    uint32_t *words; /* [gsp_bitset_words(n)] */
    uint32_t n;      /* ids 0 .. n - 1 */
} gsp_bitset;

/* gsp_bitset_words: number of 32-bit words that a set over n ids takes. Time: O(1). */
GSP_API size_t gsp_bitset_words(uint32_t n);

/* gsp_bitset_init: a view on `words` [gsp_bitset_words(n)], emptied. Time: O(n / 32). */
GSP_API void gsp_bitset_init(gsp_bitset *set, uint32_t *words, uint32_t n);

/* gsp_bitset_set, _clear, _has: one id below n (others: no effect, 0). Time: O(1). */
GSP_API void gsp_bitset_set(gsp_bitset *set, uint32_t id);
GSP_API void gsp_bitset_clear(gsp_bitset *set, uint32_t id);
GSP_API int gsp_bitset_has(const gsp_bitset *set, uint32_t id);

/* gsp_bitset_fill: all ids, or none. Time: O(n / 32). */
GSP_API void gsp_bitset_fill(gsp_bitset *set, int all);

/* gsp_bitset_or, _and, _andnot: a = a op b, word-parallel; both over the same n (else no effect).
 * Time: O(n / 32). */
GSP_API void gsp_bitset_or(gsp_bitset *a, const gsp_bitset *b);
GSP_API void gsp_bitset_and(gsp_bitset *a, const gsp_bitset *b);
GSP_API void gsp_bitset_andnot(gsp_bitset *a, const gsp_bitset *b);

/* gsp_bitset_equal: 1 when both hold the same ids of the same range. Time: O(n / 32). */
GSP_API int gsp_bitset_equal(const gsp_bitset *a, const gsp_bitset *b);

/* gsp_bitset_count: number of ids in the set. Time: O(n / 32). */
GSP_API uint32_t gsp_bitset_count(const gsp_bitset *set);

/* gsp_bitset_next: the least id >= from in the set, or GSP_NONE. Iterate with
 * `for (v = gsp_bitset_next(s, 0); v != GSP_NONE; v = gsp_bitset_next(s, v + 1))`.
 * Time: O(words skipped). */
GSP_API uint32_t gsp_bitset_next(const gsp_bitset *set, uint32_t from);

/* ------------------------------------------------------------------------------------------------
 * >>graph   Modules, graphs, nodes, arguments, annotations                                   (API)
 * ------------------------------------------------------------------------------------------------ */

typedef uint32_t gsp_node;   /* index of a node in its graph: 0 .. n_nodes - 1, in graph order */
typedef uint32_t gsp_string; /* index of an interned string in its module */

/* Bytes of text that somebody else owns; not NUL-terminated. */
typedef struct gsp_text {
    const char *data;
    uint32_t size; /* bytes */
} gsp_text;

typedef enum gsp_op {
    GSP_OP_NONE,
    GSP_OP_PLACEHOLDER,
    GSP_OP_GET_ATTR,
    GSP_OP_CALL_FUNCTION, /* the three calls are the callable nodes: only they are placed */
    GSP_OP_CALL_METHOD,
    GSP_OP_CALL_MODULE,
    GSP_OP_OUTPUT, /* exactly one, the last node of its graph */
    GSP_OP_COUNT,
    GSP_OP_FORCE_U32 = 0x7FFFFFFF
} gsp_op;

/* What a node yields. */
typedef enum gsp_out {
    GSP_OUT_TENSOR,    /* a tensor; also every node without annotation (0 bytes) */
    GSP_OUT_AGGREGATE, /* a tuple or list that holds a tensor: no tensor, but it has tensor metadata */
    GSP_OUT_OTHER,     /* anything else: int, bool, a tuple of ints, ... */
    GSP_OUT_COUNT,
    GSP_OUT_FORCE_U32 = 0x7FFFFFFF
} gsp_out;

/* Arguments are a flat stream of tokens in reading order: an opening token stands before its
 * elements, a closing token after them. At the top level of a call stand the positional arguments and
 * then, from the first KEY on, the keyword arguments; of a placeholder its default, if any; of the
 * output the returned value. */
typedef enum gsp_arg_kind {
    GSP_ARG_NONE,
    GSP_ARG_NODE,     /* value: the node */
    GSP_ARG_CONSTANT, /* value: its spelling, a gsp_string (numbers, None, strings, dtypes, anything) */
    GSP_ARG_KEY,      /* value: a gsp_string; the key of the element that follows (dict, keyword) */
    GSP_ARG_TUPLE, /* opening tokens; value: index of the matching CLOSE less own index */
    GSP_ARG_LIST,
    GSP_ARG_DICT,
    GSP_ARG_SLICE,
    GSP_ARG_CLOSE, /* value: own index less that of its opening token */
    GSP_ARG_COUNT,
    GSP_ARG_FORCE_U32 = 0x7FFFFFFF
} gsp_arg_kind;

typedef struct gsp_arg {
    uint32_t kind; /* gsp_arg_kind */
    uint32_t value;
} gsp_arg;

/* One `key=value` of an annotation. A node's attributes are a run that ends with key GSP_KEY_NONE. */
typedef struct gsp_attr {
    gsp_string key; /* a gsp_key for the keys below, else any string */
    gsp_string value;
} gsp_attr;

/* Keys that the library knows. They are the first strings of every module, in this order. */
#define GSP_KEY_LIST(X)   \
    X(NONE, "")           \
    X(ANNOTATION, ":")    \
    X(BYTES, "bytes")     \
    X(PARAMS, "params")   \
    X(MODULE, "module")   \
    X(MEM, "mem")         \
    X(COMPUTE, "compute") \
    X(CPU, "cpu")         \
    X(COMM, "comm")       \
    X(ACC, "acc")         \
    X(KEY, "key")         \
    X(MUTATES, "mutates") \
    X(ALIAS, "alias")     \
    X(STORAGE, "storage") \
    X(STATE, "state")     \
    X(BARRIER, "barrier") \
    X(GROUP, "group")     \
    X(SCOPE, "scope")     \
    X(STAGE, "stage")     \
    X(DEVICE, "device")   \
    X(PART, "part")       \
    X(MAIN, "main")       \
    X(OUTPUT, "output")   \
    X(GETITEM, "operator.getitem")

typedef enum gsp_key {
#define GSP_KEY_ENUM(name, text) GSP_KEY_##name,
    GSP_KEY_LIST(GSP_KEY_ENUM)
#undef GSP_KEY_ENUM
        GSP_KEY_COUNT,
    GSP_KEY_FORCE_U32 = 0x7FFFFFFF
} gsp_key;

#define GSP_FLAG_ACC   1u /* has acc=: gsp_node_acc() says which */
#define GSP_FLAG_GROUP 2u /* has group= */
#define GSP_FLAG_BYTES 4u /* has bytes=, which wins over the type */

/* How many of everything; what bounds are computed from. */
typedef struct gsp_counts {
    uint32_t graphs;
    uint32_t nodes;   /* placeholders, attributes and outputs included */
    uint32_t edges;   /* distinct pairs of input and user, the output included */
    uint32_t args;    /* argument tokens */
    uint32_t attrs;   /* attributes, terminators included */
    uint32_t strings; /* distinct strings, the known keys included */
    uint32_t bytes;   /* bytes of all distinct strings */
} gsp_counts;

typedef struct gsp_graph_entry {
    gsp_string name;
    uint32_t first; /* first node of the graph in the module's node arrays */
    uint32_t n_nodes;
} gsp_graph_entry;

/* A leaf module that is called, or a parameter that is read: where it is met first. */
typedef struct gsp_use {
    gsp_string target; /* qualified name */
    uint32_t graph;
    gsp_node node;
} gsp_use;

/* A module: a root graph (graph 0), the child graphs it calls, and what they all share. Everything
 * lies in one relocatable block without pointers: copy the bytes, keep them in flash, send them, and
 * gsp_module_open() makes a view of them again. The view holds pointers into the block; all arrays are
 * read-only. Node arrays hold the graphs one after the other; ids inside a graph start at 0. */
typedef struct gsp_module {
    const void *block;
    size_t block_size; /* bytes */
    gsp_counts counts;
    uint32_t n_params;
    uint32_t n_leaves;
    const uint64_t *bytes;         /* [nodes] bytes of the output */
    const gsp_graph_entry *graphs; /* [graphs] graph 0 is the root */
    const uint32_t *by_name;       /* [graphs] graph indices by ascending name id */
    const gsp_string *name;        /* [nodes] */
    const gsp_string *target;      /* [nodes] */
    const gsp_string *type;        /* [nodes] TYPE of the annotation, GSP_KEY_NONE: none */
    const uint32_t *attr;          /* [nodes] start of the run in attrs */
    const uint32_t *arg_begin;     /* [nodes + 1] into args */
    const uint32_t *in_begin;      /* [nodes + 1] into inputs */
    const uint32_t *user_begin;    /* [nodes + 1] into users */
    const gsp_node *inputs;       /* [edges] distinct inputs of a node, in order of first meeting */
    const gsp_node *users;        /* [edges] distinct users of a node, ascending */
    const gsp_arg *args;          /* [args] */
    const gsp_attr *attrs;        /* [attrs] */
    const gsp_use *params;        /* [n_params] distinct targets of get_attr, by first use */
    const gsp_use *leaves;        /* [n_leaves] distinct called modules that are no child graph */
    const uint32_t *string_begin; /* [strings + 1] into chars */
    const uint8_t *op;            /* [nodes] gsp_op */
    const uint8_t *out;           /* [nodes] gsp_out */
    const uint8_t *flags;         /* [nodes] GSP_FLAG_ */
    const char *chars;            /* [bytes] */
} gsp_module;

/* One graph of a module: a small value, copied freely; the module must outlive it. */
typedef struct gsp_graph {
    const gsp_module *module;
    uint32_t id;    /* index in module->graphs */
    uint32_t first; /* of its nodes in the module's node arrays */
    uint32_t n_nodes;
} gsp_graph;

/* gsp_module_graph: graph `id` of a module (id < counts.graphs). Time: O(1). */
GSP_API gsp_graph gsp_module_graph(const gsp_module *module, uint32_t id);

/* gsp_graph_counts: the counts of one graph; strings and bytes are the whole module's, since names are
 * shared. This is what bounds of passes over that graph want. Time: O(1). */
GSP_API gsp_counts gsp_graph_counts(const gsp_graph *graph);

/* ------------------------------------------------------------------------------------------------
 * >>build   Making a module step by step                                                     (API)
 * ------------------------------------------------------------------------------------------------ */

/* A builder keeps its first error: call on, and look at the status of gsp_build_finish(). Transparent
 * so that it can live on the stack; all fields are private. */
typedef struct gsp_builder {
    gsp_arena *arena;
    gsp_mark mark;
    gsp_error error;
    gsp_counts cap;
    gsp_counts used;
    int open;           /* inside a graph */
    uint32_t current;   /* node being described, in the whole module; GSP_NONE: none */
    uint32_t container; /* innermost open argument container, GSP_NONE: none */
    gsp_module m;
    uint64_t *bytes;
    gsp_graph_entry *graphs;
    gsp_string *name;
    gsp_string *target;
    gsp_string *type;
    uint32_t *attr;
    uint32_t *arg_begin;
    gsp_arg *args;
    gsp_attr *attrs;
    uint32_t *string_begin;
    uint8_t *op;
    uint8_t *out;
    uint8_t *flags;
    char *chars;
    uint32_t *hash; /* [hash_mask + 1] string ids, GSP_NONE: free */
    uint32_t hash_mask;
    uint32_t *node_of;   /* [strings] node of this name in the current graph, in the whole module */
    uint32_t *suffix;    /* [strings] next free number for this base name ... */
    uint32_t *suffix_in; /* [strings] ... in this graph */
} gsp_builder;

/* gsp_build_bound: bytes for building a module of at most these counts, the module included.
 * SIZE_MAX when they do not fit into size_t. Only the module stays after gsp_build_finish().
 * Time: O(1). */
GSP_API size_t gsp_build_bound(const gsp_counts *counts);

/* gsp_build_counts: counts for at most so many graphs, nodes, argument tokens, attributes, strings and
 * bytes of strings as the caller will add; what the builder adds itself is put on top. Time: O(1). */
GSP_API gsp_counts gsp_build_counts(uint32_t graphs, uint32_t nodes, uint32_t args, uint32_t attrs,
                                    uint32_t strings, uint32_t bytes);

/* gsp_build_init: start a module of at most `counts` (see gsp_build_counts).
 *
 * What:      reserves everything that building takes; nothing later fails for lack of memory, only for
 *            more items than counted (OVERFLOW, detail CAPACITY)
 * Errors:    ARG, OVERFLOW, NOMEM (need)
 * Time:      O(strings)
 * Memory:    gsp_build_bound()
 */
GSP_API gsp_status gsp_build_init(gsp_builder *b, gsp_arena *arena, const gsp_counts *counts,
                                  gsp_error *err);

/* gsp_build_graph: start a graph; the one before must have its output. The first is the root; its name
 * is "main" when `name` is empty. Time: O(name). */
GSP_API void gsp_build_graph(gsp_builder *b, gsp_text name);

/* gsp_build_node: add a node to the current graph and return its id there (GSP_NONE after an error).
 * Its arguments, type and attributes follow before the next node. `op` is any but GSP_OP_OUTPUT; a name
 * that is taken is an error (DUPLICATE). Time: O(name + target). */
GSP_API gsp_node gsp_build_node(gsp_builder *b, gsp_op op, gsp_text name, gsp_text target);

/* gsp_build_output: add the output node, which ends the graph. One argument, the returned value, has to
 * follow. Time: O(1). */
GSP_API gsp_node gsp_build_output(gsp_builder *b);

/* gsp_build_arg_node, _arg_text, _key, _open, _close: the arguments of the current node, in reading
 * order (see gsp_arg_kind). A constant is given as it is spelled in the text form; one that would not
 * read back is an error. Nothing is nested too deeply. Time: O(size of the text). */
GSP_API void gsp_build_arg_node(gsp_builder *b, gsp_node node);
GSP_API void gsp_build_arg_text(gsp_builder *b, gsp_text spelling);
GSP_API void gsp_build_key(gsp_builder *b, gsp_text key);
GSP_API void gsp_build_open(gsp_builder *b, gsp_arg_kind container);
GSP_API void gsp_build_close(gsp_builder *b);

/* gsp_build_type: the TYPE of the current node ("f32[1, 3]", "tuple(f32[2], i64[2])", "int").
 * Sets what it yields and, unless `bytes=` says otherwise, its bytes. Time: O(size). */
GSP_API void gsp_build_type(gsp_builder *b, gsp_text type);

/* gsp_build_attr: one key=value of the current node, known or not. Known numbers are checked.
 * Time: O(size). */
GSP_API void gsp_build_attr(gsp_builder *b, gsp_text key, gsp_text value);

/* gsp_build_adopt: take over all strings and attribute runs of a module, ids unchanged, before the first
 * graph. Copying graphs is then a matter of ids: no text is looked at again. The functions below want
 * ids of the adopted module, or those that gsp_build_string() and gsp_build_name() gave.
 * Time: O(strings + bytes + attrs). */
GSP_API void gsp_build_adopt(gsp_builder *b, const gsp_module *module);

/* gsp_build_string: the id of a string, new or not. Time: O(size). */
GSP_API gsp_string gsp_build_string(gsp_builder *b, gsp_text text);

/* gsp_build_name: a node name that is free in the current graph, as PyTorch makes them: runs of bytes
 * outside [0-9A-Za-z_] become one '_', a leading digit gets '_' in front, and a name that is taken gets
 * the next free number ("add" -> "add_1", "add_1" -> "add_2"). Time: O(size) amortised: the next number
 * of a base is remembered. */
GSP_API gsp_string gsp_build_name(gsp_builder *b, gsp_text wanted);

/* gsp_build_node_id: as gsp_build_node(), by ids. Time: O(1). */
GSP_API gsp_node gsp_build_node_id(gsp_builder *b, gsp_op op, gsp_string name, gsp_string target);

/* gsp_build_arg: one argument token; the value of an opening or closing one is ignored. Time: O(1). */
GSP_API void gsp_build_arg(gsp_builder *b, gsp_arg arg);

/* gsp_build_like: give the current node the type and bytes of a node of the adopted module, and with
 * `attributes` != 0 its whole annotation (else only `bytes=`). Time: O(attributes). */
GSP_API void gsp_build_like(gsp_builder *b, const gsp_graph *graph, gsp_node node, int attributes);

/* gsp_build_finish: the module.
 *
 * What:      checks the last graph, makes the rows of inputs and users and the tables of parameters and
 *            leaf modules, and leaves one compact block at the low end of the arena
 * Out:       module    filled only on success
 * Errors:    the first error of any builder call; else UNDEFINED, PARSE (a graph without output), EMPTY
 *            (no graph); on error the arena is as before gsp_build_init()
 * Time:      O(nodes + args + strings)
 * Memory:    within gsp_build_bound()
 */
GSP_API gsp_status gsp_build_finish(gsp_builder *b, gsp_module *module, gsp_error *err);

/* ------------------------------------------------------------------------------------------------
 * >>query   Questions about a finished graph                                                 (API)
 * ------------------------------------------------------------------------------------------------ */

/* gsp_text_of: a text view of a NUL-terminated string (NULL: empty). Time: O(size). */
GSP_API gsp_text gsp_text_of(const char *s);

/* gsp_text_equal: 1 when both hold the same bytes. Time: O(size). */
GSP_API int gsp_text_equal(gsp_text a, gsp_text b);

/* gsp_module_string: the bytes of a string (empty for an id that does not exist). Time: O(1). */
GSP_API gsp_text gsp_module_string(const gsp_module *module, gsp_string s);

/* gsp_module_find_graph: index of the child graph of this name, GSP_NONE: none. Time: O(log graphs). */
GSP_API uint32_t gsp_module_find_graph(const gsp_module *module, gsp_string name);

/* gsp_node_name, _target, _type: texts of a node. Time: O(1). */
GSP_API gsp_text gsp_node_name(const gsp_graph *graph, gsp_node node);
GSP_API gsp_text gsp_node_target(const gsp_graph *graph, gsp_node node);
GSP_API gsp_text gsp_node_type(const gsp_graph *graph, gsp_node node);

/* gsp_node_op, _out, _is_callable: kinds of a node. Time: O(1). */
GSP_API gsp_op gsp_node_op(const gsp_graph *graph, gsp_node node);
GSP_API gsp_out gsp_node_out(const gsp_graph *graph, gsp_node node);
GSP_API int gsp_node_is_callable(const gsp_graph *graph, gsp_node node);

/* gsp_node_bytes: bytes of the output. Time: O(1). */
GSP_API uint64_t gsp_node_bytes(const gsp_graph *graph, gsp_node node);

/* gsp_node_attr: value of an attribute, NULL data when the node has none of that key.
 * Time: O(attributes of the node). */
GSP_API gsp_text gsp_node_attr(const gsp_graph *graph, gsp_node node, gsp_key key);

/* gsp_node_params: parameter bytes of a called module (`params=`), of a get_attr its output bytes, else
 * 0. Time: O(attributes of the node). */
GSP_API uint64_t gsp_node_params(const gsp_graph *graph, gsp_node node);

/* gsp_node_class: what support tables match: the class (`module=`) of a called module, else the target.
 * Time: O(attributes of the node). */
GSP_API gsp_text gsp_node_class(const gsp_graph *graph, gsp_node node);

/* gsp_node_scope: the path of the module in which the node was called: `scope=`, else the target of a
 * called module, else empty. Time: O(attributes of the node). */
GSP_API gsp_text gsp_node_scope(const gsp_graph *graph, gsp_node node);

/* gsp_node_acc: the support override: -1 none, 0 the CPU, k accelerator k.
 * Time: O(attributes of the node). */
GSP_API int gsp_node_acc(const gsp_graph *graph, gsp_node node);

/* gsp_node_inputs, _users: distinct inputs (order of first meeting), distinct users (ascending).
 * Time: O(1). */
GSP_API const gsp_node *gsp_node_inputs(const gsp_graph *graph, gsp_node node, uint32_t *count);
GSP_API const gsp_node *gsp_node_users(const gsp_graph *graph, gsp_node node, uint32_t *count);

/* gsp_node_args: argument tokens of a node. Time: O(1). */
GSP_API const gsp_arg *gsp_node_args(const gsp_graph *graph, gsp_node node, uint32_t *count);

/* gsp_graph_find: the node of this name, GSP_NONE: none. Time: O(nodes). */
GSP_API gsp_node gsp_graph_find(const gsp_graph *graph, gsp_text name);

/* gsp_text_number: a decimal of only digits. 1 on success, 0 for anything else or beyond 64 bits.
 * Time: O(size). */
GSP_API int gsp_text_number(gsp_text text, uint64_t *value);

#ifndef GSP_NO_COST
/* gsp_text_decimal: a decimal such as 1.5e-06, correctly rounded to nearest-even as strtod does, in
 * integer arithmetic only, so that every machine gives the same bits. Takes also inf and nan. 1 on
 * success. Time: O(size) up to 19 digits and exponents to +-27, else O(size^2), size <= 800. */
GSP_API int gsp_text_decimal(gsp_text text, double *value);

/* gsp_node_seconds: `mem=`, `compute=`, `cpu=` or `comm=` of a node, 0 without it.
 * Time: O(attributes of the node). */
GSP_API double gsp_node_seconds(const gsp_graph *graph, gsp_node node, gsp_key key);
#endif

/* gsp_type_next: walks the tensors of a TYPE: the next one at or after *at. Fills its dtype ("f32") and
 * its dimensions as text ("1, 3"), moves *at behind it; 0 when there is none left. Time: O(size). */
GSP_API int gsp_type_next(gsp_text type, uint32_t *at, gsp_text *dtype, gsp_text *dims);

/* ------------------------------------------------------------------------------------------------
 * >>check   Opening a stored module, validation                                              (API)
 * ------------------------------------------------------------------------------------------------ */

/* gsp_module_open: a view of a stored module.
 *
 * What:      checks every count, offset, id and row, so that no later query or pass can leave the block;
 *            `trusted` != 0 checks only the header (a block of your own, in flash)
 * In:        block     aligned to 8; must outlive the view
 * Errors:    ARG (alignment), DAMAGED (node: where, if known), CYCLE (an input at or after its user)
 * Time:      O(block), O(1) when trusted
 * Memory:    none
 */
GSP_API gsp_status gsp_module_open(gsp_module *module, const void *block, size_t size, int trusted,
                                   gsp_error *err);

/* ------------------------------------------------------------------------------------------------
 * >>text   Reading and writing the graph text                                                (API)
 * ------------------------------------------------------------------------------------------------ */
#ifndef GSP_NO_TEXT

typedef struct gsp_text_desc {
    uint32_t start_canary;
    uint8_t check_users;    /* read: 1: num_users must be right */
    uint8_t no_annotations; /* write: 1: leave out what stands after "  # " */
    uint8_t hoist;          /* write: 1: placeholders first, in their own order */
    uint8_t as_module;      /* write: 1: a `module NAME` line also where there is one graph */
    uint32_t end_canary;
} gsp_text_desc;

/* Receives pieces of text in order; returns 0 to go on, anything else to stop. */
typedef int (*gsp_sink)(void *user, const char *data, size_t size);

/* gsp_text_count: what a text holds, at most.
 *
 * What:      the counting pass: how many nodes, tokens, strings a text can hold; gsp_build_bound() of
 *            the result is what gsp_text_read() needs
 * Errors:    ARG, OVERFLOW (2^32 items, 4 GiB of text)
 * Time:      O(size), no parsing
 * Memory:    none
 */
GSP_API gsp_status gsp_text_count(const char *text, size_t size, gsp_counts *counts,
                                  gsp_error *err);

/* gsp_text_read: a module from its text form.
 *
 * In:        text      what PyTorch prints for a graph, with annotations (README, `graph text`)
 *            desc      NULL: defaults
 * Out:       module    root first; a text without `module` lines gives one graph, "main"
 * Errors:    ARG, DESC, PARSE (line, column, detail), OVERFLOW (sizes), NOMEM (need)
 *            on error no output is written and the arena is unchanged
 * Time:      O(size)
 * Memory:    gsp_build_bound(gsp_text_count()); only the module stays
 * Stack:     < 512 bytes, no recursion however deep the nesting
 * Threads:   reentrant; arena and outputs must not be shared
 */
GSP_API gsp_status gsp_text_read(gsp_arena *arena, const char *text, size_t size,
                                 const gsp_text_desc *desc, gsp_module *module, gsp_error *err);

/* gsp_text_write: a module as text; reading it back gives an equal module.
 *
 * Errors:    ARG, DESC, LIMIT (the sink asked to stop)
 * Time:      O(size of the text)
 * Memory:    none
 */
GSP_API gsp_status gsp_text_write(const gsp_module *module, const gsp_text_desc *desc,
                                  gsp_sink sink, void *user, gsp_error *err);

/* gsp_text_write_graph: one graph, from `graph():` to its `return`. As gsp_text_write(). Time: as
 * gsp_text_write(). Memory: none. Errors: as gsp_text_write(). */
GSP_API gsp_status gsp_text_write_graph(const gsp_graph *graph, const gsp_text_desc *desc,
                                        gsp_sink sink, void *user, gsp_error *err);

/* gsp_text_write_value: one argument token run `args[0 .. count)` as it stands in a text, `output` != 0:
 * as after `return`. As gsp_text_write(). Time: O(size of the text). Memory: none. Errors: LIMIT. */
GSP_API gsp_status gsp_text_write_value(const gsp_graph *graph, const gsp_arg *args, uint32_t count,
                                        int output, gsp_sink sink, void *user, gsp_error *err);
#endif

/* ------------------------------------------------------------------------------------------------
 * >>support   Which accelerator takes which node                                             (API)
 * ------------------------------------------------------------------------------------------------ */

#define GSP_KIND_CPU  0u
#define GSP_KIND_NONE 255u /* no callable node: placed nowhere */

/* Why a callable node is where it is. */
#define GSP_REASON_LIST(X)                                         \
    X(NONE, "not a callable node")                                 \
    X(SUPPORTED, "supported by its accelerator")                   \
    X(UNSUPPORTED, "no accelerator supports it")                   \
    X(PINNED, "pinned by the caller")                              \
    X(NON_TENSOR_IN, "reads a non-tensor value from elsewhere")    \
    X(NON_TENSOR_OUT, "hands a non-tensor value elsewhere")        \
    X(FUSED, "fused with a node that is not on this accelerator")  \
    X(GROUP, "its atomic group cannot run there as a whole")       \
    X(SMALL, "its accelerator subgraph is below the minimum size") \
    X(LIMIT, "its accelerator subgraph gave way to the limit on subgraphs")

typedef enum gsp_reason {
#define GSP_REASON_ENUM(name, text) GSP_REASON_##name,
    GSP_REASON_LIST(GSP_REASON_ENUM)
#undef GSP_REASON_ENUM
        GSP_REASON_COUNT,
    GSP_REASON_FORCE_U32 = 0x7FFFFFFF
} gsp_reason;

/* gsp_reason_name, _text: "NON_TENSOR_IN"; a short English phrase ("" with GSP_NO_MESSAGES).
 * Time: O(1). */
GSP_API const char *gsp_reason_name(gsp_reason reason);
GSP_API const char *gsp_reason_text(gsp_reason reason);

/* Where every node of a graph may run, and why. `kind` is all that a caller with an own opinion has to
 * fill; the others may be NULL as an input of gsp_split_run(). */
typedef struct gsp_placement {
    uint32_t n_nodes;
    uint32_t n_kinds;  /* 1 + number of accelerators, at most 255 */
    uint8_t *kind;     /* [n] 0: CPU, k: accelerator k, GSP_KIND_NONE: not callable */
    uint8_t *reason;   /* [n] gsp_reason */
    gsp_node *culprit; /* [n] the node that caused it, GSP_NONE: the node itself, or nobody */
    uint32_t *group;   /* [n] one id (< n) for all nodes that must stay together, GSP_NONE: alone */
} gsp_placement;

#ifndef GSP_NO_SUPPORT

/* Accepted dtypes of one argument of an operator. */
typedef struct gsp_arg_dtypes {
    gsp_text key;      /* keyword; empty: positional */
    uint32_t position; /* from 0, when positional */
    gsp_text dtypes;   /* "i8,qi8"; empty: any */
} gsp_arg_dtypes;

/* One line of a support table. A name that ends in '*' matches a prefix. Lines are looked at in order;
 * the last that speaks of a node decides. */
typedef struct gsp_table_entry {
    gsp_text name;
    gsp_text dtypes;            /* accepted for all tensor inputs and outputs; empty: any */
    const gsp_arg_dtypes *args; /* [n_args] further conditions, or NULL */
    uint32_t n_args;
    uint32_t remove; /* 1: takes the name out again */
} gsp_table_entry;

typedef struct gsp_table {
    const gsp_table_entry *entries;
    uint32_t n_entries;
} gsp_table;

typedef int (*gsp_support_func)(void *user, const gsp_graph *graph, gsp_node node);

/* A support rule is a little program in postfix order over a stack of at most 64 truth values: the
 * first four push one, the last three replace values by one. One value must be left. */
typedef enum gsp_rule_kind {
    GSP_RULE_ANNOTATION, /* acc= of the node is its accelerator; 0 without annotation */
    GSP_RULE_TABLE,      /* the table takes the node */
    GSP_RULE_CALL,       /* func(user, graph, node) != 0 */
    GSP_RULE_DTYPES,     /* all tensors that the node reads and yields have one of `dtypes` */
    GSP_RULE_NOT,
    GSP_RULE_ALL, /* of the last `count` values */
    GSP_RULE_ANY,
    GSP_RULE_COUNT,
    GSP_RULE_FORCE_U32 = 0x7FFFFFFF
} gsp_rule_kind;

typedef struct gsp_rule {
    uint32_t kind; /* gsp_rule_kind */
    uint32_t count;
    gsp_table table;
    gsp_support_func func;
    void *user;
    gsp_text dtypes;
} gsp_rule;

typedef struct gsp_accelerator {
    const gsp_rule *rules; /* none: nothing but acc= and pins */
    uint32_t n_rules;
} gsp_accelerator;

/* What a pin speaks of. */
typedef enum gsp_pin_what {
    GSP_PIN_NAME,   /* node names */
    GSP_PIN_SCOPE,  /* module paths: the path itself and all below it */
    GSP_PIN_TARGET, /* targets, classes of called modules included */
    GSP_PIN_COUNT,
    GSP_PIN_FORCE_U32 = 0x7FFFFFFF
} gsp_pin_what;

/* `*` and `?` in the pattern match any run of bytes and any byte. */
typedef struct gsp_pin {
    uint32_t what; /* gsp_pin_what */
    uint32_t kind; /* 0: CPU, k: accelerator k */
    gsp_text pattern;
} gsp_pin;

typedef struct gsp_support_desc {
    uint32_t start_canary;
    uint32_t n_accelerators;             /* 0: one, which takes what acc= says */
    const gsp_accelerator *accelerators; /* in order of priority */
    const gsp_pin *pins; /* the last that matches a node wins; over acc= and the tables */
    uint32_t n_pins;
    uint32_t ignore_annotation; /* 1: acc= does not override the rules */
    uint32_t ignore_groups;     /* 1: group= means nothing */
    uint32_t end_canary;
} gsp_support_desc;

/* gsp_table_bound: bytes that a table of this text takes. Time: O(size). */
GSP_API size_t gsp_table_bound(gsp_text text);

/* gsp_table_read: a support table from an operator file: one name a line, `NAME*`, `NAME i8,qi8`,
 * `!NAME`, `#` comments. The table points into the text.
 *
 * Errors:    ARG, PARSE (line, column), NOMEM
 * Time:      O(size)
 * Memory:    gsp_table_bound(), stays
 */
GSP_API gsp_status gsp_table_read(gsp_arena *arena, gsp_text text, gsp_table *table,
                                  gsp_error *err);

/* gsp_glob: 1 when `text` matches `pattern` (`*`, `?`). Time: O(text * stars), O(text) with one star. */
GSP_API int gsp_glob(gsp_text pattern, gsp_text text);

/* gsp_support_bound: bytes for gsp_support_run() on a graph of these counts. Time: O(1). */
GSP_API size_t gsp_support_bound(const gsp_counts *counts, const gsp_support_desc *desc);

/* gsp_support_run: for every callable node the first accelerator that takes it.
 *
 * What:      rules of each accelerator, then acc= (over the rules), then pins (over both). The nodes of
 *            one group= go to the first accelerator that takes them all, else to the CPU.
 * In:        desc      NULL: one accelerator, acc= alone
 * Out:       out       kind, reason (SUPPORTED, UNSUPPORTED, PINNED, GROUP), culprit, group
 * Errors:    ARG (detail PIN: node = the pin without `*` or `?` that names nothing; RULE; KIND), DESC,
 *            NOMEM
 * Time:      O(nodes * rules + strings * table entries + nodes * globs + pins)
 * Memory:    gsp_support_bound(): 10 bytes a node stay
 * Example:   examples/hello.c
 */
GSP_API gsp_status gsp_support_run(gsp_arena *arena, const gsp_graph *graph,
                                   const gsp_support_desc *desc, gsp_placement *out,
                                   gsp_error *err);
#endif

/* ------------------------------------------------------------------------------------------------
 * >>acc   Accelerator nodes: no non-tensor value crosses                                     (API)
 * ------------------------------------------------------------------------------------------------ */
#ifndef GSP_NO_SPLIT

/* gsp_acc_bound: bytes for gsp_acc_run(). At most 8 bytes a node + 64. Time: O(1). */
GSP_API size_t gsp_acc_bound(const gsp_counts *counts);

/* gsp_acc_run: take nodes off an accelerator until no non-tensor value (int, tuple, ...) passes between
 * it and anything else, the caller included.
 *
 * What:      the greatest fixpoint below the given placement: it does not depend on visiting order.
 *            Nodes of one group leave together.
 * In, out:   io        kind is reduced; reason and culprit (if not NULL) say why: NON_TENSOR_IN,
 *                      NON_TENSOR_OUT, GROUP. Untouched on error.
 * Errors:    ARG (detail KIND), NOMEM
 * Time:      O(nodes + edges)
 * Memory:    gsp_acc_bound(), nothing stays
 * See:       torch.fx splitter_base, FxNetAccNodesFinder
 */
GSP_API gsp_status gsp_acc_run(gsp_arena *arena, const gsp_graph *graph, gsp_placement *io,
                               gsp_error *err);

/* ------------------------------------------------------------------------------------------------
 * >>fuse   Fusion groups: nodes that must run in one subgraph                                (API)
 * ------------------------------------------------------------------------------------------------ */

typedef struct gsp_fuse_desc {
    uint32_t start_canary;
    uint32_t skip; /* 1: only the given groups, no fusion over non-tensor values */
    uint32_t end_canary;
} gsp_fuse_desc;

typedef struct gsp_fuse_result {
    uint32_t n_groups;     /* groups are numbered by first member; those on the CPU included */
    const gsp_node *order; /* [n] an order of all nodes that respects data and keeps groups whole;
                            * NULL: there are no groups, and graph order does */
} gsp_fuse_result;

/* gsp_fuse_bound: bytes for gsp_fuse_run(). At most 32 bytes a node + 256. Time: O(1). */
GSP_API size_t gsp_fuse_bound(const gsp_counts *counts, const gsp_fuse_desc *desc);

/* gsp_fuse_run: fusion groups.
 *
 * What:      Accelerator nodes that pass values without tensor metadata between each other belong
 *            together, with all nodes on paths between them. A group that cannot be on one accelerator
 *            as a whole is none: its nodes leave for the CPU, and so do groups that held one of them.
 *            Groups that share a node or wait for each other are one. Given groups (io->group) are
 *            never torn, also on the CPU.
 * In, out:   io        kind is reduced, group is replaced by the final groups; reason and culprit:
 *                      FUSED, GROUP. kind and group must not be NULL. Untouched on error.
 * Out:       result    order lies at the low end of the arena
 * Errors:    ARG (detail KIND), DESC, NOMEM
 * Time:      O(nodes + edges) without groups, or when no group is tangled with a node outside its
 *            accelerator; each tangled group costs one search over the nodes between its first and last
 *            member
 * Memory:    gsp_fuse_bound(), 4 bytes a node stay
 * See:       torch.fx tools_common, FxNetAccFusionsFinder; Tarjan 1972; Pearce 2016
 */
GSP_API gsp_status gsp_fuse_run(gsp_arena *arena, const gsp_graph *graph, const gsp_fuse_desc *desc,
                                gsp_placement *io, gsp_fuse_result *result, gsp_error *err);

/* ------------------------------------------------------------------------------------------------
 * >>split   CPU and accelerator subgraphs                                                    (API)
 * ------------------------------------------------------------------------------------------------ */

typedef enum gsp_limit_policy {
    GSP_LIMIT_ERROR,  /* more subgraphs than the limit: status LIMIT */
    GSP_LIMIT_DEMOTE, /* the least valuable accelerator subgraphs go to the CPU until it holds */
    GSP_LIMIT_COUNT,
    GSP_LIMIT_FORCE_U32 = 0x7FFFFFFF
} gsp_limit_policy;

typedef struct gsp_split_desc {
    uint32_t start_canary;
    uint32_t min_size;       /* nodes; smaller accelerator subgraphs go to the CPU; 0: 1 */
    uint32_t waive_min_size; /* 1: min_size does not count when every callable node is supported */
    uint32_t limit;          /* subgraphs in all; 0: no limit */
    uint32_t limit_policy;   /* gsp_limit_policy */
    uint32_t skip_fusion;    /* 1: no fusion groups over non-tensor values */
    uint32_t allow_non_tensor;      /* 1: non-tensor values may cross */
    const gsp_placement *placement; /* where nodes may run; required */
    const uint64_t *value;          /* [n] DEMOTE: value of a node; NULL: 1 each */
    const char *prefix;             /* of tags; NULL: "_run_on_" */
    const char *const
        *names; /* [n_kinds] names of kinds in tags; NULL: "cpu", then "acc" if there is
                                * one accelerator, else "acc1", "acc2", ... */
    uint32_t end_canary;
} gsp_split_desc;

/* All arrays are read-only and lie at the low end of the arena. */
typedef struct gsp_split_result {
    uint32_t n_nodes;
    uint32_t n_kinds;
    uint32_t n_groups;
    uint32_t n_raw;                 /* subgraphs before small ones were removed */
    uint32_t n_subgraphs;           /* and after; tags count these */
    const uint8_t *kind;            /* [n] after fusion, before small subgraphs went */
    const uint8_t *reason;          /* [n] gsp_reason of where the node is in the end */
    const gsp_node *culprit;        /* [n] */
    const uint32_t *group;          /* [n] fusion or given group, GSP_NONE: alone */
    const uint32_t *raw_of;         /* [n] raw subgraph of a node, GSP_NONE: not callable */
    const uint8_t *raw_kind;        /* [n_raw] */
    const uint32_t *subgraph_of;    /* [n] subgraph of a node, GSP_NONE: not callable */
    const uint8_t *subgraph_kind;   /* [n_subgraphs] */
    const uint32_t *subgraph_begin; /* [n_subgraphs + 1] into nodes */
    const gsp_node *nodes;          /* callable nodes by subgraph, each in graph order */
    const char *prefix;             /* from the desc */
    const char *const *names;
} gsp_split_result;

/* gsp_split_resolve: the desc with all defaults filled in (desc NULL: all defaults). Time: O(1). */
GSP_API gsp_split_desc gsp_split_resolve(const gsp_split_desc *desc);

/* gsp_split_bound: bytes for gsp_split_run(): at most 40 a node + 8 an edge + 1024 with one
 * accelerator; GSP_LIMIT_DEMOTE takes 12 a node more. SIZE_MAX: more than size_t can say. Time: O(1). */
GSP_API size_t gsp_split_bound(const gsp_counts *counts, const gsp_split_desc *desc);

/* gsp_split_run: cut a graph into CPU and accelerator subgraphs that can run one after the other.
 *
 * What:      gsp_acc_run(), gsp_fuse_run(), then phases: kinds take turns, and a node goes into the
 *            first phase that suits its kind and comes no earlier than its inputs (a group: as one).
 *            The first phase is of the first kind that has a node without callable inputs. Small
 *            accelerator subgraphs join the CPU subgraph before them; neighbours on the CPU join.
 * In:        desc      placement is required
 * Out:       result    subgraphs, maps both ways, reasons; no callable node: no subgraphs
 * Errors:    ARG (no placement; detail KIND), DESC, NOMEM (need), OVERFLOW,
 *            LIMIT (need = subgraphs, limit = the limit); on error the arena is unchanged
 * Time:      O(nodes + edges), plus what gsp_fuse_run() says; GSP_LIMIT_DEMOTE: O(subgraphs log)
 * Memory:    gsp_split_bound(); about 32 bytes a node stay
 * Stack:     < 512 bytes, no recursion
 * Order:     everything in graph order; same input, same bytes, on every machine
 * Threads:   reentrant; arena and outputs must not be shared
 * Example:   examples/hello.c
 * See:       torch.fx splitter_base, _SplitterBase
 */
GSP_API gsp_status gsp_split_run(gsp_arena *arena, const gsp_graph *graph,
                                 const gsp_split_desc *desc, gsp_split_result *result,
                                 gsp_error *err);

/* gsp_split_tag: writes the tag of a subgraph ("_run_on_acc_0") and a NUL, cut to `size` bytes; returns
 * its full length. Time: O(length). */
GSP_API size_t gsp_split_tag(const gsp_split_result *result, uint32_t subgraph, char *buffer,
                             size_t size);
#endif

/* ------------------------------------------------------------------------------------------------
 * >>module   Graphs from tags                                                                (API)
 * ------------------------------------------------------------------------------------------------ */
#ifndef GSP_NO_MODULE

typedef struct gsp_tags_desc {
    uint32_t start_canary;
    uint32_t n_tags;
    const uint32_t *tag_of; /* [n] tag of every callable node; others are ignored */
    const gsp_text *names;  /* [n_tags] */
    uint32_t return_tuple;  /* 1: submodules return a tuple even for one value */
    uint32_t end_canary;
} gsp_tags_desc;

typedef struct gsp_tags_result {
    gsp_module module;        /* the root, then one graph a tag, in tag order */
    const uint32_t *graph_of; /* [n] graph that holds a callable node now; GSP_NONE: others */
    const gsp_node *node_of;  /* [n] its id there */
} gsp_tags_result;

/* gsp_tags_bound: bytes for gsp_tags_run(). Data-independent; `name_bytes` is the sum of the sizes of
 * all tag names. SIZE_MAX: more than size_t can say. Time: O(1). */
GSP_API size_t gsp_tags_bound(const gsp_counts *counts, uint32_t n_tags, size_t name_bytes);

/* gsp_tags_run: a module with one graph a tag and a root that calls them in tag order.
 *
 * What:      Inputs of a submodule stand in order of first meeting, outputs in order of their first
 *            reading outside, the root's return last; several outputs come as a tuple, which the root
 *            unpacks by operator.getitem. get_attr nodes are copied before their first reader in every
 *            submodule that reads them; those that the root returns stay there. Nodes keep name, type
 *            and annotations. A name that is taken in the root gets the next free number.
 *            A called module or attribute `a.b` of the input is `TAG.a.b` in the result.
 * Errors:    ARG (details TAG: node; TAG_EMPTY, TAG_NAME: node = the tag), DESC, NOMEM (need), OVERFLOW,
 *            CYCLE (detail TAG_ORDER: node reads other); on error the arena is unchanged
 * Time:      O(nodes + edges + args + strings)
 * Memory:    gsp_tags_bound()
 * Stack:     < 512 bytes
 * Order:     deterministic, no hashing decides anything
 * Threads:   reentrant
 * Example:   examples/hello.c
 * See:       torch.fx split_utils, split_by_tags
 */
GSP_API gsp_status gsp_tags_run(gsp_arena *arena, const gsp_graph *graph, const gsp_tags_desc *desc,
                                gsp_tags_result *result, gsp_error *err);

/* gsp_tags_find: the copy of node `old` of the input in graph `graph` of the result: a callable node, a
 * copied get_attr, or the placeholder that stands for it; GSP_NONE: none. Time: O(nodes of the graph). */
GSP_API gsp_node gsp_tags_find(const gsp_graph *input, const gsp_tags_result *result, gsp_node old,
                               uint32_t graph);
#endif

#ifdef __cplusplus
}
#endif

/* ------------------------------------------------------------------------------------------------
 * Only the API? Stop here.
 * ------------------------------------------------------------------------------------------------ */
#endif /* GRAPHSPLIT_H_INCLUDED */
