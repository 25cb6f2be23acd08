/* graphsplit: the command-line program, and the formats that it reads. */
#include "commands/commands.h"
#include "input/input.h"

static const cli_format *const formats[] = {
    &cli_tflite_format,
    CLI_NET_FORMATS,
    &cli_piper_format,
    &cli_text_format,
};

int main(int argc, char **argv)
{
    static const cli_front front = {
        "graphsplit",
        "Splits computation graphs: TensorFlow Lite models, or the text that PyTorch prints.",
        formats,
        CLI_COUNT(formats),
    };
    return cli_main(&front, argc, argv);
}
