/* Files of other formats, by their bytes or names: what they are, and what to give instead. */
#include "input/input.h"

#include <string.h>

#define MOST_SOUGHT ((size_t)1 << 20) /* bytes that must contain a word */

/* clang-format off */
#define PRINT  "python3 examples/pytorch/graphsplit_fx.py print MODEL.pt2 > net.fx"
#define EXPORT "; export the model as .tflite or .onnx, or from PyTorch as .pt2, and print that: " \
               PRINT
#define LAYERS "; `read` makes a table of its layers, which `pipe --table` takes"
#define SAVED  "a file of torch.save() or torch.jit.save(); load it in Python, save " \
               "torch.export.export(model, inputs) as .pt2, and print that: " PRINT
#define PT2    "a program of torch.export; print its graph: " PRINT
#define KERAS  "a Keras model or its weights; make it a .tflite file with " \
               "tf.lite.TFLiteConverter.from_keras_model(model).convert()"
#define ONNX   "an ONNX model, which graphsplit-onnx reads (make onnx)"
#define MLIR   "MLIR, which graphsplit does not read" EXPORT
#define CODE   "the Python code of a module; print its graph instead: print(gm.graph)"

#define HEAD(text) text, sizeof(text) - 1u
#define ANY        NULL, 0
#define ZIP        HEAD("PK\003\004")

/* All that is not NULL has to fit, and the first row that fits counts. A text begins at its first
 * word that is no comment. */
typedef struct format {
    int is_text;
    const char *ending; /* of the name */
    const char *head;   /* [n_head] the bytes at `at` */
    size_t n_head;
    size_t at;
    const char *word; /* anywhere */
    const char *what; /* the rest of the sentence "FILE is ..." */
} format;

static const format formats[] = {
    {0, NULL, HEAD("TFL3"), 4, NULL,
     "a TensorFlow Lite model; it is read from a file whose name ends in .tflite"},
    {0, ".onnx", ANY, 0, NULL, ONNX},
    {0, NULL, HEAD("\x08"), 0, ":", ONNX}, /* ir_version comes first, and a graph is there */
    {0, NULL, HEAD("\x1f\x8b"), 0, NULL, "compressed by gzip; unpack it first, with gunzip"},
    {0, ".pt2", ZIP, 0, NULL, PT2},
    {0, NULL, ZIP, 0, "/archive_format", PT2},
    {0, NULL, ZIP, 0, "/data.pkl", SAVED},
    {0, ".keras", ZIP, 0, NULL, KERAS},
    {0, NULL, ZIP, 0, NULL, "a ZIP archive" EXPORT},
    {0, NULL, HEAD("\x80\x02\x8a\x0a"), 0, NULL, SAVED},
    {0, NULL, HEAD("GGUF"), 0, NULL, "GGUF, weights without a graph" LAYERS},
    {0, NULL, HEAD("\0{\""), 7, NULL, "safetensors, weights without a graph" LAYERS},
    {0, NULL, HEAD("\x89HDF\r\n\x1a\n"), 0, NULL, KERAS},
    {0, NULL, HEAD("ML\xefR"), 0, NULL, MLIR},
    {1, ".mlir", ANY, 0, NULL, MLIR},
    {1, NULL, HEAD("module {"), 0, NULL, MLIR},
    {1, NULL, HEAD("module @"), 0, NULL, MLIR},
    {1, NULL, HEAD("module attributes"), 0, NULL, MLIR},
    {1, NULL, HEAD("func.func"), 0, NULL, MLIR},
    {1, NULL, HEAD("HloModule"), 0, NULL, "HLO, which graphsplit does not read" EXPORT},
    {1, NULL, HEAD("<"), 0, "<net", "a model of OpenVINO, which graphsplit does not read" EXPORT},
    {1, NULL, HEAD("ExportedProgram:"), 0, NULL,
     "the print of a torch.export program; print its graph instead: print(program.graph)"},
    {1, NULL, HEAD("opcode "), 0, NULL,
     "the table of a graph; print the graph instead: print(gm.graph)"},
    {1, NULL, HEAD("def forward("), 0, NULL, CODE},
    {1, NULL, HEAD("class GraphModule("), 0, NULL, CODE},
    {1, NULL, ANY, 0, "\ndef forward(", CODE},
};

/* What is given for a list of operators. */
static const format lists[] = {
    {0, NULL, HEAD("TFL3"), 4, NULL, "a TensorFlow Lite model"},
    {0, ".onnx", ANY, 0, NULL, "an ONNX model"},
    {0, NULL, ZIP, 0, NULL, "a ZIP archive"},
    {0, NULL, HEAD("\xef\xbb\xbf"), 0, NULL, "text behind a byte order mark"},
    {1, NULL, HEAD("graph("), 0, NULL, "a graph"},
    {1, NULL, HEAD("{"), 0, NULL, "JSON"},
    {1, NULL, HEAD("["), 0, NULL, "JSON or TOML"},
    {1, NULL, HEAD("<"), 0, NULL, "XML or HTML"},
    {1, NULL, HEAD("|"), 0, NULL, "a Markdown table"},
    {1, NULL, HEAD("- "), 0, NULL, "YAML"},
    {1, NULL, HEAD("---"), 0, NULL, "YAML"},
    {1, NULL, HEAD("\""), 0, NULL, "CSV"},
};
/* clang-format on */

static int has_ending(const char *path, const char *ending)
{
    size_t size = strlen(path);
    size_t n = strlen(ending);
    return size > n && strcmp(path + size - n, ending) == 0;
}

static int has_word(const char *data, size_t size, const char *word)
{
    size_t n = strlen(word);
    const char *end = data + (size < MOST_SOUGHT ? size : MOST_SOUGHT);
    while ((size_t)(end - data) >= n) {
        const char *at = (const char *)memchr(data, word[0], (size_t)(end - data) - n + 1u);
        if (at == NULL || memcmp(at, word, n) == 0) {
            return at != NULL;
        }
        data = at + 1;
    }
    return 0;
}

/* The place of the first word outside comments. */
static size_t first_word(const char *data, size_t size)
{
    size_t at = 0;
    int comment = 0;
    while (at < size && (comment || strchr(" \t\r\n#", data[at]) != NULL) && data[at] != '\0') {
        comment = data[at] == '#' || (comment && data[at] != '\n');
        at++;
    }
    return at;
}

static int fits(const format *f, const char *path, const char *data, size_t size)
{
    size_t at = f->at + (f->is_text ? first_word(data, size) : 0u);
    return (f->ending == NULL || has_ending(path, f->ending)) &&
           (f->head == NULL || (size >= f->n_head && at <= size - f->n_head &&
                                   memcmp(data + at, f->head, f->n_head) == 0)) &&
           (f->word == NULL || has_word(data, size, f->word));
}

static const char *name_of(const char *path)
{
    return strcmp(path, "-") == 0 ? "standard input" : path;
}

/* 1 if the word may be an element type: letters and a number, as f32, qi8, int8 or f8e4m3fn. */
static int is_element_type(gsp_str word)
{
    static const char *const heads[] = {"i", "u", "f", "bf", "b", "c", "s", "qi", "qu", "int",
        "uint", "float", "bfloat", "complex"};
    static const char *const wholes[] = {"bool", "int", "float", "complex", "str", "string"};
    uint32_t n = 0;
    size_t i;
    while (n < word.size && word.data[n] >= 'a' && word.data[n] <= 'z') {
        n++;
    }
    for (i = 0; n == word.size && i < CLI_COUNT(wholes); i++) {
        if (gsp_str_equal(word, gsp_str_of(wholes[i]))) {
            return 1;
        }
    }
    for (i = 0; n < word.size && word.data[n] >= '0' && word.data[n] <= '9' && i < CLI_COUNT(heads);
         i++) {
        if (strlen(heads[i]) == n && memcmp(word.data, heads[i], n) == 0) {
            return 1;
        }
    }
    return 0;
}

/* The word that begins at `*at` or after blanks there; `*at` moves behind it. */
static gsp_str next_word(gsp_str line, uint32_t *at)
{
    gsp_str word = {NULL, 0};
    while (*at < line.size && strchr(" \t\r", line.data[*at]) != NULL) {
        ++*at;
    }
    word.data = line.data + *at;
    while (*at < line.size && strchr(" \t\r,;#", line.data[*at]) == NULL) {
        ++*at;
        word.size++;
    }
    return word;
}

/* 1 if `word` may begin a constraint, such as rank(0)?==4, act? in none,relu or bodies: any. */
static int begins_constraint(gsp_str word, gsp_str next)
{
    uint32_t i = 0;
    while (i < word.size && strchr("()<>=!?:", word.data[i]) == NULL) {
        i++;
    }
    return (i != 0 && i < word.size) || gsp_str_equal(next, gsp_str_of("in"));
}

/* What a line of a list is, or NULL where it may be an operator with its element types. */
static const char *line_format(gsp_str line)
{
    uint32_t at = 0;
    gsp_str const name = next_word(line, &at);
    char const end = at < line.size ? line.data[at] : '\n';
    gsp_str const type = next_word(line, &at);
    gsp_str const next = next_word(line, &at);
    uint32_t digits = 0;
    if (name.size == 0 && (end == '#' || end == '\n')) {
        return NULL;
    }
    if (end == ',' || end == ';') {
        return "CSV";
    }
    while (digits < name.size && name.data[digits] >= '0' && name.data[digits] <= '9') {
        digits++;
    }
    if (digits != 0 && digits + 1u == name.size && strchr(".)", name.data[digits]) != NULL) {
        return "a numbered list";
    }
    if (name.data[name.size - 1u] == ':') {
        return "YAML";
    }
    if (memchr(name.data, '(', name.size) != NULL) {
        return "a list of signatures";
    }
    if (type.size == 0 || is_element_type(type) || begins_constraint(type, next)) {
        return NULL;
    }
    return type.data[0] == '=' ? "a list of assignments"
           : end == '\t'       ? "a table with tabs"
           : name.size == 1u   ? "a list with bullets"
                               : "a list with a word before or after each operator";
}

/* What is given for a list of operators, or NULL where it may be one. */
static const char *list_format(const char *path, gsp_str text)
{
    const char *what = NULL;
    gsp_str line = text;
    size_t i;
    for (i = 0; i < CLI_COUNT(lists); i++) {
        if (fits(&lists[i], path, text.data, text.size)) {
            return lists[i].what;
        }
    }
    if (text.size != 0 && memchr(text.data, '\0', text.size) != NULL) {
        return "no text";
    }
    while (what == NULL && line.data < text.data + text.size) {
        uint32_t const left = (uint32_t)(text.data + text.size - line.data);
        const char *end = (const char *)memchr(line.data, '\n', left);
        line.size = end != NULL ? (uint32_t)(end - line.data) : left;
        what = line_format(line);
        line.data += line.size + (end != NULL);
    }
    return what;
}

int cli_foreign_list(cli_session *s, const char *path, gsp_str text)
{
    const char *what = list_format(path, text);
    if (what == NULL) {
        return CLI_EXIT_OK;
    }
    return cli_error(s, GSP_STATUS_PARSE,
        "%s is %s; a list of operators has one per line, as '%s ops xnnpack' prints", name_of(path),
        what, s->front->program);
}

int cli_foreign(cli_session *s, const char *path, const char *data, size_t size)
{
    int is_graph = has_word(data, size, "graph(");
    size_t i;
    for (i = 0; i < CLI_COUNT(formats); i++) {
        if (!(is_graph && formats[i].is_text) && fits(&formats[i], path, data, size)) {
            return cli_error(s, GSP_STATUS_PARSE, "%s is %s", name_of(path), formats[i].what);
        }
    }
    return CLI_EXIT_OK;
}
