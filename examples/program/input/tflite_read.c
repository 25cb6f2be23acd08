/* The bytes of a TensorFlow Lite model as the module of the session. */
#include "input/input.h"

#include <stdio.h>
#include <string.h>

static int refused(cli_session *s, const tflite_error *err)
{
    char text[TFLITE_SENTENCE];
    (void)tflite_sentence(err, text, sizeof text);
    return cli_error(s, err->status, "%s: %s", s->path, text);
}

/* Prints what the graph cannot express, one line each, on standard error. */
static void put_notes(cli_session *s, const tflite_model *model)
{
    cli_buffer notes;
    cli_buffer lines;
    size_t from = 0;
    size_t i;
    if (s->quiet) {
        return;
    }
    cli_buffer_init(&notes, s);
    cli_buffer_init(&lines, s);
    (void)tflite_notes(model, cli_sink, &notes);
    cli_progress_end(s);
    for (i = 0; i < notes.size; i++) {
        if (notes.data[i] == '\n') {
            cli_printf(&lines, "%s: %s: ", s->front->program, cli_shown(s, s->path));
            cli_put(&lines, notes.data + from, i + 1u - from);
            from = i + 1u;
        }
    }
    cli_tell(&lines);
}

int cli_tflite_take(cli_session *s, const char *data, size_t size)
{
    tflite_counts counts;
    tflite_model model;
    tflite_error err;
    gsp_arena arena;
    size_t bound;
    tflite_attributes how = s->attributes == CLI_ATTRIBUTES_KEYWORDS ? TFLITE_KEYWORDS
                            : s->attributes == CLI_ATTRIBUTES_NONE   ? TFLITE_PLAIN
                                                                     : TFLITE_ANNOTATIONS;
    if (tflite_count(data, size, &counts, &err) != GSP_OK) {
        int is_damaged = size >= 8u && memcmp(data + 4, "TFL3", 4u) == 0;
        int code = is_damaged ? CLI_EXIT_OK : cli_foreign(s, s->path, data, size);
        return code != CLI_EXIT_OK ? code : refused(s, &err);
    }
    bound = tflite_bound(&counts);
    if (bound == SIZE_MAX) {
        return cli_error(s, GSP_STATUS_OVERFLOW,
            "%s: the graph needs more memory than this machine can address", s->path);
    }
    cli_arena(s, &arena, bound);
    if (tflite_read_as(&arena, data, size, how, &model, &err) != GSP_OK) {
        return refused(s, &err);
    }
    put_notes(s, &model);
    s->module = model.module;
#ifndef CLI_NO_STDIN /* the page of the browser writes no models */
    cli_tflite_source(s, &model);
#endif
    return CLI_EXIT_OK;
}
