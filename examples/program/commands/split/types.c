/* Why a node is unsupported, beyond the name of its operator: a list contains the operator, but not
 * with these types; or the operator is a program for another accelerator. */
#include "commands/split/types.h"

#include <string.h>

/* ---- types ---- */

/* What the list of an accelerator says about a node, regardless of pins and acc=. */
static gsp_why list_says(const cli_place *place, const gsp_graph *graph, gsp_node v, uint32_t kind)
{
    gsp_support_desc desc = place->desc;
    gsp_why why;
    desc.n_pins = 0;
    desc.ignore_annotation = 1;
    if (gsp_support_why(graph, &desc, v, kind, &why, NULL) != GSP_OK) {
        memset(&why, 0, sizeof why);
        why.culprit = GSP_NONE;
    }
    return why;
}

int split_is_listed(const cli_place *place, const gsp_graph *graph, gsp_node v)
{
    uint32_t kind;
    for (kind = 1; kind < place->n_kinds; kind++) {
        gsp_why why = list_says(place, graph, v, kind);
        if (why.takes || why.culprit != GSP_NONE) {
            return 1;
        }
    }
    return 0;
}

int split_objection_of(const cli_place *place, const gsp_graph *graph, gsp_node v,
                       split_objection *o)
{
    uint32_t kind;
    for (kind = 1; kind < place->n_kinds; kind++) {
        gsp_why why = list_says(place, graph, v, kind);
        if (why.culprit != GSP_NONE) {
            o->kind = kind;
            o->dtypes = why.accepted;
            o->node = why.culprit;
            o->dtype = why.dtype;
            return 1;
        }
    }
    return 0;
}

/* ---- programs of accelerators ---- */

/* Custom operators that contain a compiled program of a vendor. */
static const struct {
    const char *target;
    const char *vendor;
} programs[] = {
    {"tflite.custom.edgetpu_custom_op", "the Google Edge TPU"},
    {"tflite.custom.ethos_u", "an Arm Ethos-U"},
    {"tflite.custom.NeutronGraph", "an NXP eIQ Neutron NPU"},
    {"tflite.custom.vsi_npu", "a VeriSilicon NPU"},
    {"tflite.custom.DISPATCH_OP", "the accelerator that LiteRT compiled the model for"},
};

const char *split_vendor_of(gsp_str name)
{
    size_t i;
    for (i = 0; i < CLI_COUNT(programs); i++) {
        if (gsp_str_equal(gsp_str_of(programs[i].target), name)) {
            return programs[i].vendor;
        }
    }
    return NULL;
}
