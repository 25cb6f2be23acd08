/* Parts of a .tflite file as .tflite files: the operators of the file with their options, and the
 * tensors and weights that they use. */
#ifndef CLI_INPUT_TFLITE_PART_H
#define CLI_INPUT_TFLITE_PART_H

#include "core/format.h"

#include "examples/tflite/tflite.h"

/* cli_tflite_source: keeps the file for cli_tflite_part(); its bytes must stay. */
void cli_tflite_source(cli_session *s, const tflite_model *model);

/* cli_tflite_model: the model that was kept; NULL: the input is none. */
const tflite_model *cli_tflite_model(const cli_session *s);

/* cli_tflite_part: the bytes of the file of a part; nothing if the part has no operator, and a
 * clause in `why` if it cannot be written. Returns an exit status. */
int cli_tflite_part(cli_session *s, const cli_part *part, cli_buffer *out, cli_buffer *why);

#endif
