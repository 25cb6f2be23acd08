/* A file format of the program, and a part that is written in it. */
#ifndef CLI_CORE_FORMAT_H
#define CLI_CORE_FORMAT_H

#include "core/session.h"

typedef struct cli_part cli_part;

/* How a file becomes a module, and how a part becomes a file. */
struct cli_format {
    const char *ending; /* of its files: ".fx"; NULL: any file that no other format takes */
    const char *suffix; /* of parts that --emit writes: ".fx" */

    /* session->path into session->module, which lies in memory of the session. A failure is told
     * by cli_error() or cli_usage_error(); returns an exit status. */
    int (*load)(cli_session *s);

    /* Writes the bytes of the file of a part. Returns an exit status. */
    int (*part)(cli_session *s, const cli_part *part, cli_buffer *out);

    /* The rest may be NULL or 0. */
    int (*has_data)(const cli_part *part);             /* a file path + ".data" belongs to it */
    int (*data)(cli_session *s, const cli_part *part); /* writes that file */
    int (*tensor)(const gsp_graph *graph, gsp_node v, uint32_t i, gsp_str *name);
    uint32_t holds_parameters; /* parts hold the parameters that they read */
    /* Whether the loaded graph's input or output `original` is this node of this graph; `element`:
     * one of its elements, GSP_NONE: all of it. */
    void (*stands_for)(const gsp_graph *graph, gsp_node v, gsp_str original, uint32_t element);
    /* A second file of a part, of this ending: the model that runs. Writes nothing for a part
     * without an operator, and a clause that says why, if a part cannot be written. Returns an exit
     * status. */
    const char *model_suffix;
    int (*model)(cli_session *s, const cli_part *part, cli_buffer *out, cli_buffer *why);
};

typedef struct cli_bind {
    gsp_str inner;
    gsp_str outer;
} cli_bind;

struct cli_part {
    const char *name;
    const char *kind;   /* "cpu", an accelerator, "root" for nodes outside of all submodules */
    const char *device; /* NULL: none */
    gsp_graph graph;
    int is_own; /* the program gave the name, so that its file has it */
    char *stem; /* name of the file without endings; filled by cli_emit(), like `path` */
    char *path;
    cli_buffer content;
    int has_model;           /* filled by cli_emit() */
    const cli_part *same;    /* an earlier part, whose file this one shares; or NULL */
    const cli_part *made_of; /* not NULL: not a part, but all of these in one file */
    size_t n_made_of;
    const cli_bind *bind; /* [n_bind] names outside for the names of inputs and outputs inside */
    uint32_t n_bind;
};

#endif
