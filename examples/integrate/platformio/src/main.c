/* PlatformIO builds what lies in src/. */
#include "../../graphsplit.c"

#include "../../app.c"
