/* Why a node is unsupported, beyond the name of its operator: a list that has the operator, but not
 * with these types; or an operator that is a program for another accelerator. */
#include "commands/split/types.h"

#include <string.h>

/* ---- types ---- */

static int is_among(gsp_str list, gsp_str item)
{
    uint32_t begin = 0;
    while (begin < list.size) {
        gsp_str one = {list.data + begin, 0};
        while (begin + one.size < list.size && one.data[one.size] != ',') {
            one.size++;
        }
        if (gsp_str_equal(one, item)) {
            return 1;
        }
        begin += one.size + 1u;
    }
    return list.size == 0;
}

/* The first tensor of a value whose dtype is not among these. */
static int has_other(const gsp_graph *graph, gsp_node v, gsp_str dtypes, gsp_str *dtype)
{
    gsp_str type = gsp_node_type(graph, v);
    gsp_str dims;
    uint32_t at = 0;
    while (gsp_type_next(type, &at, dtype, &dims)) {
        if (!is_among(dtypes, *dtype)) {
            return 1;
        }
    }
    return 0;
}

/* The line of an accelerator's list that decides about an operator; NULL: none, or it says no. */
static const gsp_table_entry *entry_of(const gsp_accelerator *accelerator, gsp_str name)
{
    const gsp_table *table;
    uint32_t i;
    if (accelerator->n_rules == 0 || accelerator->rules[0].kind != GSP_RULE_TABLE) {
        return NULL;
    }
    table = &accelerator->rules[0].table;
    for (i = table->n_entries; i > 0; i--) {
        const gsp_table_entry *e = &table->entries[i - 1u];
        uint32_t n = e->name.size;
        int prefix = n != 0 && e->name.data[n - 1u] == '*';
        if (prefix ? name.size >= n - 1u && memcmp(name.data, e->name.data, n - 1u) == 0
                   : gsp_str_equal(e->name, name)) {
            return e->remove ? NULL : e;
        }
    }
    return NULL;
}

int split_is_listed(const cli_place *place, gsp_str name)
{
    uint32_t kind;
    for (kind = 1; kind < place->n_kinds; kind++) {
        if (entry_of(&place->accelerators[kind - 1u], name) != NULL) {
            return 1;
        }
    }
    return 0;
}

int split_objection_of(const cli_place *place, const gsp_graph *graph, gsp_node v,
                       split_objection *o)
{
    uint32_t n;
    const gsp_node *inputs = gsp_node_inputs(graph, v, &n);
    uint32_t kind;
    uint32_t i;
    for (kind = 1; kind < place->n_kinds; kind++) {
        const gsp_table_entry *e =
            entry_of(&place->accelerators[kind - 1u], gsp_node_class(graph, v));
        if (e == NULL) {
            continue;
        }
        o->kind = kind;
        o->dtypes = e->dtypes;
        for (i = 0; i <= n; i++) {
            o->node = i < n ? inputs[i] : v;
            if (has_other(graph, o->node, e->dtypes, &o->dtype)) {
                return 1;
            }
        }
    }
    return 0;
}

/* ---- programs of accelerators ---- */

/* Custom operators in which a vendor's compiler leaves its program. */
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
