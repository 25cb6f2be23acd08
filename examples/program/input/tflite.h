/* TensorFlow Lite models as a file format. */
#ifndef CLI_INPUT_TFLITE_H
#define CLI_INPUT_TFLITE_H

#include "core/format.h"

extern const cli_format cli_tflite_format;

#endif
