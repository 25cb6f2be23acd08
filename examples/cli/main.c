/* graphsplit: the command-line program, and the formats that it reads. */
#include "cli.h"

static const cli_format *const formats[] = {
    &cli_tflite_format,
    &cli_text_format,
};

int main(int argc, char **argv)
{
    static const cli_front front = {
        "graphsplit",
        "Splits computation graphs, given as the text that PyTorch prints for them.",
        formats,
        CLI_COUNT(formats),
    };
    return cli_main(&front, argc, argv);
}
