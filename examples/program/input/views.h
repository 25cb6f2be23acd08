/* --views: operators that only give a tensor another shape yield a view of it. */
#ifndef CLI_INPUT_VIEWS_H
#define CLI_INPUT_VIEWS_H

#include "core/session.h"

/* cli_views_set: the module with alias=0 at such operators of ONNX and TFLite. */
int cli_views_set(cli_session *s);

#endif
