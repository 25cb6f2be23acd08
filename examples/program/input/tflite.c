/* TensorFlow Lite models as a file format. Parts are written as graph text, and as models. */
#include "input/input.h"

#define LARGE ((size_t)1 << 26)

/* Weights are most of a large file, and no pass reads them. All bytes stay, for models of parts. */
static int load(cli_session *s)
{
    char *data = NULL;
    size_t size = 0;
    const char *mapped = cli_map(s->path, LARGE, &size);
    int code;
    if (mapped != NULL) {
        return cli_tflite_take(s, mapped, size);
    }
    code = cli_binary_read(s, s->path, &data, &size);
    return code == CLI_EXIT_OK ? cli_tflite_take(s, data, size) : code;
}

const cli_format cli_tflite_format = {
    ".tflite",
    ".fx",
    load,
    cli_text_part,
    NULL,
    NULL,
    NULL,
    1,
    NULL,
#ifndef CLI_NO_STDIN
    ".tflite",
    cli_tflite_part,
#else
    NULL,
    NULL,
#endif
    NULL,
#ifndef CLI_NO_STDIN
    cli_tflite_tiles,
#else
    NULL,
#endif
    NULL,
};
