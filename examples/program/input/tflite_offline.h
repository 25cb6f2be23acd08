/* A memory plan in a .tflite file, as TensorFlow Lite Micro takes it. */
#ifndef CLI_INPUT_TFLITE_OFFLINE_H
#define CLI_INPUT_TFLITE_OFFLINE_H

#include "core/session.h"

/* cli_tflite_offline: the bytes of the input with the metadata OfflineMemoryAllocation, which
 * replaces an older one: per tensor its offset in the arena, or -1: the interpreter places it.
 * offsets[node of the main graph] UINT64_MAX: none. Returns an exit status. */
int cli_tflite_offline(cli_session *s, const uint64_t *offsets, cli_buffer *out);

#endif
