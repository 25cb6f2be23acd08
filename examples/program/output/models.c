/* Models of parts, for formats whose parts are graph text besides. A model has weights, so only one
 * is in memory at a time. It is made once to find out if that is possible, and again to be
 * written. */
#include "output/output.h"

#include <inttypes.h>
#include <string.h>

static int make(cli_session *s, const cli_part *part, cli_buffer *out, cli_buffer *why)
{
    cli_buffer_init(out, s);
    cli_buffer_init(why, s);
    return s->format->model(s, part, out, why);
}

static void tell(cli_session *s, const char *name, const cli_buffer *why, size_t n)
{
    cli_buffer b;
    cli_buffer_init(&b, s);
    cli_printf(&b, "%s: %s has no %s file: ", s->front->program, name, s->format->model_suffix);
    cli_put(&b, why->data, why->size);
    if (n > 1u) {
        cli_printf(&b, "; nor %s %" PRIu64 " more", n == 2u ? "has" : "have", (uint64_t)n - 1u);
    }
    cli_puts(&b, "\n");
    cli_progress_end(s);
    cli_tell(&b);
}

int cli_models_find(
    cli_session *s, cli_part *parts, size_t n_parts, const char **files, size_t *n_files)
{
    const char *without = NULL;
    cli_buffer first = {NULL, NULL, 0, 0, 0};
    size_t n = 0;
    size_t i;
    if (s->format->model == NULL) {
        return CLI_EXIT_OK;
    }
    for (i = 0; i < n_parts; i++) {
        cli_buffer model;
        cli_buffer why;
        int code;
        if (parts[i].made_of != NULL) {
            continue;
        }
        code = make(s, &parts[i], &model, &why);
        if (code != CLI_EXIT_OK) {
            return code;
        }
        parts[i].has_model = model.size != 0;
        if (parts[i].has_model) {
            files[(*n_files)++] = cli_model_name(s, &parts[i], NULL);
        }
        cli_release(s, model.data);
        if (why.size != 0) {
            gsp_str const text = {why.data, (uint32_t)why.size};
            parts[i].lacks = cli_copy(s, text);
        }
        if (why.size != 0 && n++ == 0) {
            without = parts[i].name;
            first = why;
        }
    }
    if (n != 0) {
        tell(s, without, &first, n);
    }
    return CLI_EXIT_OK;
}

char *cli_model_name(cli_session *s, const cli_part *part, const char *dir)
{
    cli_buffer b;
    if (!part->has_model) {
        return NULL;
    }
    cli_buffer_init(&b, s);
    if (dir != NULL) {
        cli_printf(&b, "%s/", dir);
    }
    cli_printf(&b, "%s%s", part->stem, s->format->model_suffix);
    cli_put(&b, "", 1u);
    return b.data;
}

int cli_model_write(cli_session *s, const cli_part *part, const char *dir)
{
    cli_buffer model;
    cli_buffer why;
    int code;
    if (!part->has_model) {
        return CLI_EXIT_OK;
    }
    code = make(s, part, &model, &why);
    code = code == CLI_EXIT_OK ? cli_write_new(s, cli_model_name(s, part, dir), &model) : code;
    cli_release(s, model.data);
    return code;
}

static int has_ending(const char *path, const char *ending)
{
    size_t const size = strlen(path);
    size_t const n = ending == NULL ? 0u : strlen(ending);
    return n != 0 && size > n && strcmp(path + size - n, ending) == 0;
}

int cli_emit_model(cli_session *s, const char *path, const char *graph)
{
    const cli_format *format = s->format;
    cli_part part;
    cli_buffer out;
    cli_buffer why;
    int code;
    cli_buffer_init(&out, s);
    cli_buffer_init(&why, s);
    memset(&part, 0, sizeof part);
    part.name = "main";
    part.kind = "root";
    if (graph != NULL && !has_ending(path, ".fx")) {
        return cli_error(s, GSP_STATUS_ARG, "--emit-model %s: only text has the graph %s reordered",
            path, graph);
    }
    part.path = cli_copy(s, gsp_str_of(path));
    part.graph = gsp_module_graph(&s->module, 0);
    if (has_ending(path, format->model_suffix)) {
        code = format->model(s, &part, &out, &why);
    } else if (format->ending != NULL && has_ending(path, format->suffix)) {
        code = format->part(s, &part, &out, &why);
        code = code == CLI_EXIT_OK && why.size == 0 ? cli_fill(s, &out, &out) : code;
    } else if (has_ending(path, ".fx") || strcmp(path, "-") == 0) {
        code = cli_text_part(s, &part, &out, &why);
    } else {
        return cli_error(s, GSP_STATUS_ARG, "--emit-model %s: the model can be written as .fx%s%s",
            path, format->ending != NULL ? " or " : "",
            format->ending != NULL ? format->ending : "");
    }
    if (code == CLI_EXIT_OK && why.size != 0) {
        return cli_error(s, GSP_STATUS_ARG, "--emit-model %s: %.*s", path, (int)why.size, why.data);
    }
    code = code == CLI_EXIT_OK ? cli_write_file(s, path, &out) : code;
    return code == CLI_EXIT_OK && cli_has_data(s, &part) ? format->data(s, &part) : code;
}
