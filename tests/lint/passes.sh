#!/bin/sh
# The bytes per node and edge in the table of passes of the manual are what the bounds say: the figure is the
# growth of the bound, rounded up. Rows that name a bound instead of figures are left alone.
. "$(dirname "$0")/lib.sh"
cc=${CC:-cc}

# rows: NAME BYTES_PER_NODE BYTES_PER_EDGE
rows() {
    awk '/^ \* 11 PASSES/ { on = 1 } /^ \* 12 / { exit }
        on && match($0, /[0-9]+ \+ [0-9]+/) && $2 ~ /^gsp_.*_run$/ {
            split(substr($0, RSTART, RLENGTH), figure, / \+ /)
            sub(/_run$/, "", $2)
            if ($2 != "gsp_preview") print $2, figure[1], figure[2] # its bound wants a split
        }' $header
}
program() {
    cat << 'END'
#define GRAPHSPLIT_IMPLEMENTATION
#include "graphsplit.h"
#include <stdio.h>
static gsp_module m;
static gsp_graph g;
static void of(uint32_t nodes, uint32_t edges)
{
    m.counts.graphs = 1;
    m.counts.nodes = nodes;
    m.counts.edges = edges;
    g.module = &m;
    g.n_nodes = nodes;
}
static void row(const char *name, size_t node, size_t edge, size_t a, size_t b)
{
    if ((node + 999999) / 1000000 != a || (edge + 999999) / 1000000 != b) {
        printf("%s: %.2f + %.2f, the manual says %u + %u\n", name, (double)node / 1e6,
               (double)edge / 1e6, (unsigned)a, (unsigned)b);
    }
}
#define ROW(name, bound, a, b) \
    do { \
        of(1000000, 0); \
        size_t const none = bound; \
        of(2000000, 0); \
        size_t const node = bound - none; \
        of(1000000, 1000000); \
        row(name, node, bound - none, a, b); \
    } while (0)
int main(void)
{
END
    rows | while read -r name a b; do
        arguments='&g, NULL'
        ! grep -q "${name}_bound(const gsp_graph \*graph);" $header || arguments='&g'
        echo "    ROW(\"$name\", ${name}_bound($arguments), $a, $b);"
    done
    echo '    return 0;'
    echo '}'
}
figures() {
    program > "$out/passes.c"
    $cc -std=c99 -O0 -I. -o "$out/passes" "$out/passes.c" && "$out/passes"
    [ "$(rows | wc -l)" -ge 10 ] || echo "only $(rows | wc -l) rows with figures"
}
listed() {
    awk '/Only the API/ { exit }
        /^ \* 11 PASSES/ { on = 1 } /^ \* 12 / { on = 0 }
        on && $2 ~ /^gsp_/ { row[$2] = 1 }
        /^GSP_API gsp_status gsp_[a-z_]+_run\(/ { name = $3; sub(/\(.*/, "", name); if (!(name in row)) print name " has no row" }' $header
}

check "bytes per node and edge are those of the bounds" figures
check "every pass has a row" listed
finish
