/* Coverage by operator lists for programs. */
#include "commands/ops/ops.h"

#include <inttypes.h>

void ops_porcelain_covers(const ops_covers *c, cli_buffer *out)
{
    for (size_t i = 0; i < c->n; i++) {
        const ops_cover *x = &c->covers[i];
        cli_printf(out,
            "cover %s on_acc=%" PRIu32 " callable=%" PRIu32 " subgraphs=%" PRIu32
            " acc_subgraphs=%" PRIu32 " values=%" PRIu32 " bytes=%" PRIu64 "\n",
            x->list->name, x->on_acc, c->callable, x->n_subgraphs, x->n_acc, x->values, x->bytes);
    }
}
