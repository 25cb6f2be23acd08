/* The manifest of --emit: which pieces there are, what they read and yield. */
#include "commands/run_pieces/run_pieces.h"

#include <string.h>

typedef struct reader {
    cli_json_in json;
    run_pieces *p;
} reader;

static void read_names(reader *r, run_names *names)
{
    int begun = 0;
    cli_json_expect(&r->json, '[', "expected a list of names");
    while (cli_json_next(&r->json, &begun, ']')) {
        if ((names->n & (names->n - 1u)) == 0) { /* room is the next power of two */
            names->all = (gsp_str *)cli_grow(
                r->json.session, names->all, (names->n * (size_t)2 + 1u) * sizeof *names->all);
        }
        names->all[names->n++] = cli_json_plain(&r->json);
    }
}

static void read_bind(reader *r, run_bind *names)
{
    int begun = 0;
    cli_json_expect(&r->json, '{', "expected names, as inside: outside");
    while (cli_json_next(&r->json, &begun, '}')) {
        cli_bind *bind;
        names->all = (cli_bind *)cli_grow(
            r->json.session, names->all, ((size_t)names->n + 1u) * sizeof *names->all);
        bind = &names->all[names->n++];
        bind->inner = cli_json_plain(&r->json);
        cli_json_expect(&r->json, ':', "expected a colon behind the name");
        bind->outer = cli_json_plain(&r->json);
    }
}

static void read_shape(reader *r, cli_buffer *type)
{
    const char *comma = "";
    uint64_t most = UINT64_MAX / 16u; /* the bytes of the largest element */
    int begun = 0;
    cli_json_expect(&r->json, '[', "expected the dimensions of a shape");
    while (cli_json_next(&r->json, &begun, ']')) {
        int const is_name = cli_json_peek(&r->json) == '"';
        uint32_t const at = r->json.at;
        gsp_str const dim = is_name ? cli_json_plain(&r->json) : cli_json_word(&r->json);
        uint64_t size = 1;
        if (!is_name && !gsp_str_number(dim, &size)) {
            cli_json_fail(&r->json, at, "expected a dimension, a number from 0 on or a name");
        } else if (size > most) {
            cli_json_fail(&r->json, at, "the shape has more bytes than 64 bits can count");
        }
        most /= size != 0 ? size : 1u;
        cli_puts(type, comma);
        cli_put_text(type, dim);
        comma = ", ";
    }
}

/* A dtype and a shape become a TYPE of graph text. */
static gsp_str read_type(reader *r)
{
    gsp_str type = {NULL, 0};
    cli_buffer shape;
    int begun = 0;
    int is_tensor = 0;
    cli_buffer_init(&shape, r->json.session);
    cli_json_expect(&r->json, '{', "expected dtype and shape, or type");
    while (cli_json_next(&r->json, &begun, '}')) {
        gsp_str const key = cli_json_key(&r->json);
        if (cli_json_is(key, "dtype") || cli_json_is(key, "type")) {
            type = cli_json_plain(&r->json);
        } else if (cli_json_is(key, "shape")) {
            read_shape(r, &shape);
            is_tensor = 1;
        } else {
            cli_json_skip(&r->json);
        }
    }
    if (is_tensor) {
        cli_buffer whole;
        cli_buffer_init(&whole, r->json.session);
        cli_put_text(&whole, type);
        cli_puts(&whole, "[");
        cli_put(&whole, shape.data, shape.size);
        cli_puts(&whole, "]");
        type.data = whole.data;
        type.size = (uint32_t)whole.size;
    }
    return type;
}

static void read_types(reader *r)
{
    run_pieces *p = r->p;
    int begun = 0;
    cli_json_expect(&r->json, '{', "expected the types of values");
    while (cli_json_next(&r->json, &begun, '}')) {
        run_type *type;
        if ((p->n_types & (p->n_types - 1u)) == 0) {
            p->types = (run_type *)cli_grow(
                p->session, p->types, (p->n_types * (size_t)2 + 1u) * sizeof *p->types);
        }
        type = &p->types[p->n_types++];
        type->name = cli_json_plain(&r->json);
        cli_json_expect(&r->json, ':', "expected a colon behind the name");
        type->type = read_type(r);
    }
}

static void read_begins(reader *r)
{
    run_pieces *p = r->p;
    int begun = 0;
    cli_json_expect(&r->json, '{', "expected names of tiles, and where they begin");
    while (cli_json_next(&r->json, &begun, '}')) {
        uint32_t n = 0;
        int more = 0;
        run_tile *tile;
        p->tiles = (run_tile *)cli_grow(
            p->session, p->tiles, ((size_t)p->n_tiles + 1u) * sizeof *p->tiles);
        tile = &p->tiles[p->n_tiles++];
        memset(tile, 0, sizeof *tile);
        tile->name = cli_json_plain(&r->json);
        cli_json_expect(&r->json, ':', "expected a colon behind the name");
        cli_json_expect(&r->json, '[', "expected where the tile begins");
        while (cli_json_next(&r->json, &more, ']')) {
            double const at = cli_json_number(&r->json);
            tile->begin[n] = cli_whole(at);
            n += n + 1u < CLI_NPY_DIMS ? 1u : 0u;
        }
    }
}

static void read_streamed(reader *r)
{
    int begun = 0;
    cli_json_expect(&r->json, '{', "expected input and begin");
    while (cli_json_next(&r->json, &begun, '}')) {
        gsp_str const key = cli_json_key(&r->json);
        if (cli_json_is(key, "input")) {
            r->p->streamed = cli_json_plain(&r->json);
        } else if (cli_json_is(key, "begin")) {
            read_begins(r);
        } else {
            cli_json_skip(&r->json);
        }
    }
}

static int same_names(const run_names *a, const run_names *b)
{
    uint32_t i = 0;
    while (i < a->n && i < b->n && gsp_str_equal(a->all[i], b->all[i])) {
        i++;
    }
    return i == a->n && i == b->n;
}

/* The last piece is one before it; calls of one file have a name, and values of their own. */
static int is_listed_twice(const run_pieces *p)
{
    const run_piece *last = &p->pieces[p->n_pieces - 1u];
    uint32_t i = 0;
    while (!gsp_str_equal(p->pieces[i].name, last->name) ||
           !same_names(&p->pieces[i].inputs, &last->inputs) ||
           !same_names(&p->pieces[i].outputs, &last->outputs)) {
        i++;
    }
    return i + 1u < p->n_pieces;
}

static void read_piece(reader *r)
{
    run_pieces *p = r->p;
    uint32_t const at = r->json.at;
    run_piece *piece;
    int begun = 0;
    p->pieces = (run_piece *)cli_grow(
        p->session, p->pieces, ((size_t)p->n_pieces + 1u) * sizeof *p->pieces);
    piece = &p->pieces[p->n_pieces++];
    memset(piece, 0, sizeof *piece);
    cli_json_expect(&r->json, '{', "expected a piece");
    while (cli_json_next(&r->json, &begun, '}')) {
        gsp_str const key = cli_json_key(&r->json);
        gsp_str *text = cli_json_is(key, "name")      ? &piece->name
                        : cli_json_is(key, "file")    ? &piece->file
                        : cli_json_is(key, "graph")   ? &piece->graph
                        : cli_json_is(key, "refused") ? &piece->refused
                        : cli_json_is(key, "kind")    ? &piece->kind
                        : cli_json_is(key, "device")  ? &piece->device
                                                      : NULL;
        if (text != NULL) {
            *text = cli_json_plain(&r->json);
        } else if (cli_json_is(key, "inputs") || cli_json_is(key, "outputs")) {
            read_names(r, cli_json_is(key, "inputs") ? &piece->inputs : &piece->outputs);
        } else if (cli_json_is(key, "bind")) {
            read_bind(r, &piece->bind);
        } else if (cli_json_is(key, "graph_bind")) {
            read_bind(r, &piece->graph_bind);
        } else {
            cli_json_skip(&r->json);
        }
    }
    if (piece->name.data == NULL || piece->file.data == NULL) {
        cli_json_fail(&r->json, at, "a piece requires name, file, inputs and outputs");
    } else if (is_listed_twice(p)) {
        cli_json_fail(&r->json, at, "the piece is listed twice");
    }
}

static void read_manifest(reader *r)
{
    int begun = 0;
    int has_pieces = 0;
    cli_json_expect(&r->json, '{', "expected a manifest of --emit: an object with pieces");
    while (cli_json_next(&r->json, &begun, '}')) {
        gsp_str const key = cli_json_key(&r->json);
        if (cli_json_is(key, "pieces")) {
            int more = 0;
            has_pieces = 1;
            cli_json_expect(&r->json, '[', "expected a list of pieces");
            while (cli_json_next(&r->json, &more, ']')) {
                read_piece(r);
            }
        } else if (cli_json_is(key, "inputs") || cli_json_is(key, "outputs")) {
            read_names(r, cli_json_is(key, "inputs") ? &r->p->inputs : &r->p->outputs);
        } else if (cli_json_is(key, "values")) {
            read_types(r);
        } else if (cli_json_is(key, "streamed")) {
            read_streamed(r);
        } else {
            cli_json_skip(&r->json);
        }
    }
    if (r->json.code == CLI_EXIT_OK && cli_json_peek(&r->json) != '\0') {
        cli_json_fail(&r->json, r->json.at, "expected the end of the file");
    }
    if (!has_pieces) {
        cli_json_fail(&r->json, 0, "a manifest of --emit has pieces");
    }
}

int run_pieces_read(run_pieces *p)
{
    cli_session *s = p->session;
    size_t const size = strlen(s->path);
    int const is_file = size > 5u && strcmp(s->path + size - 5u, ".json") == 0;
    const char *slash = strrchr(s->path, '/');
    gsp_str dir = gsp_str_of(s->path);
    char *data = NULL;
    size_t length = 0;
    reader r;
    memset(&r, 0, sizeof r);
    r.p = p;
    r.json.session = s;
    r.json.path = is_file ? s->path : cli_path(s, s->path, "manifest.json");
    if (is_file) {
        dir.size = slash != NULL ? (uint32_t)(slash - s->path) : 0u;
    }
    p->dir = is_file && slash == NULL ? "." : cli_copy(s, dir);
    r.json.code = cli_file_read(s, r.json.path, &data, &length);
    if (r.json.code == CLI_EXIT_OK && length > UINT32_MAX) {
        return cli_error(s, GSP_STATUS_LIMIT, "%s is larger than 4 GiB", r.json.path);
    }
    if (r.json.code == CLI_EXIT_OK) {
        r.json.text.data = data;
        r.json.text.size = (uint32_t)length;
        read_manifest(&r);
    }
    return r.json.code;
}

gsp_str run_pieces_type(const run_pieces *p, gsp_str name)
{
    gsp_str none = {NULL, 0};
    uint32_t i = 0;
    while (i < p->n_types && !gsp_str_equal(p->types[i].name, name)) {
        i++;
    }
    return i < p->n_types ? p->types[i].type : none;
}
