/* Files of other formats, by their bytes or names: what they are, and what to give instead. */
#include "input/input.h"

#include <string.h>

#define MOST_SOUGHT ((size_t)1 << 20) /* bytes that must contain a word */

/* clang-format off */
#define PRINT  "python3 examples/pytorch/graphsplit_fx.py print MODEL.pt2 > net.fx"
#define EXPORT "; export the model as .tflite or .onnx, or from PyTorch as .pt2, and print that: " \
               PRINT
#define SAVED  "a file of torch.save() or torch.jit.save(); load it in Python, save " \
               "torch.export.export(model, inputs) as .pt2, and print that: " PRINT
#define PT2    "a program of torch.export; print its graph: " PRINT
#define KERAS  "a Keras model or its weights; make it a .tflite file with " \
               "tf.lite.TFLiteConverter.from_keras_model(model).convert()"
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
    {0, ".onnx", ANY, 0, NULL, "an ONNX model, which graphsplit-onnx reads (make onnx)"},
    {0, NULL, HEAD("\x1f\x8b"), 0, NULL, "compressed by gzip; unpack it first, with gunzip"},
    {0, ".pt2", ZIP, 0, NULL, PT2},
    {0, NULL, ZIP, 0, "/archive_format", PT2},
    {0, NULL, ZIP, 0, "/data.pkl", SAVED},
    {0, ".keras", ZIP, 0, NULL, KERAS},
    {0, NULL, ZIP, 0, NULL, "a ZIP archive" EXPORT},
    {0, NULL, HEAD("\x80\x02\x8a\x0a"), 0, NULL, SAVED},
    {0, NULL, HEAD("GGUF"), 0, NULL, "GGUF, weights without a graph" EXPORT},
    {0, NULL, HEAD("\0{\""), 7, NULL, "safetensors, weights without a graph" EXPORT},
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

/* What is given for a list of operators, or NULL where it may be one. */
static const char *list_format(const char *path, const char *data, size_t size)
{
    size_t at = first_word(data, size);
    size_t i;
    for (i = 0; i < CLI_COUNT(lists); i++) {
        if (fits(&lists[i], path, data, size)) {
            return lists[i].what;
        }
    }
    while (at < size && data[at] != '\0' && strchr(" \t\r\n,;", data[at]) == NULL) {
        at++;
    }
    if (at < size && (data[at] == ',' || data[at] == ';')) {
        return "CSV";
    }
    return size != 0 && memchr(data, '\0', size) != NULL ? "no text" : NULL;
}

int cli_foreign_list(cli_session *s, const char *path, gsp_str text)
{
    const char *what = list_format(path, text.data, text.size);
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
