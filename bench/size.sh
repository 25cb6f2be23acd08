#!/bin/sh
# Code, data and worst stack of the library at -Os on small machines and this one: what a program links that
# calls every function of one pass or add-on and nothing else, of the passes meant for devices, and of all. Compilers
# that are not installed are skipped by name.
# usage: sh bench/size.sh             the table; compared with bench/size.csv, fails above 2 % growth
#        sh bench/size.sh --store     makes bench/size.csv anew
#        sh bench/size.sh --readme    and writes the table into examples/README.md
# ONLY='cortex-m4 ...': the table of these machines alone
cd "$(dirname "$0")/.." || exit 1
export CCACHE_DISABLE=1 # a cache of objects keeps no call graphs
[ $# -eq 0 ] || ONLY=
out=${B:-build}/size
rm -rf "$out"
mkdir -p "$out" || exit 1
printf '#define GRAPHSPLIT_IMPLEMENTATION\n#include "graphsplit.h"\n#ifdef EXTRA\n#include EXTRA\n#endif\n' > "$out/impl.c"
: > "$out/skipped"
passes=$(sed -n 's/^#ifndef GSP_WITH_\([A-Z]*\)$/\1/p' graphsplit.h | sort -u)
flags='-std=c99 -Os -ffreestanding -ffunction-sections -fdata-sections -DGSP_NO_MESSAGES -DGSP_NO_ASSERT -I.'

# symbols OBJECT: the public functions in it.
symbols() {
    case $1 in
    *wasm*) llvm-nm "$1" 2> /dev/null || llvm-nm-14 "$1" ;;
    *) nm "$1" 2> /dev/null || "${nm_tool:-nm}" "$1" ;;
    esac | awk '$2 == "T" { print $3 }' | sort
}

# linked TARGET COMPILER...: what is left of $out/impl.o when only the functions in $out/roots are called.
linked() {
    shift
    case $1 in
    clang*)
        "$@" -nostdlib -Wl,--no-entry -Wl,--allow-undefined $(sed 's/^/-Wl,--export=/' "$out/roots") -o "$out/linked" "$out/impl.o"
        ;;
    *)
        "$@" -nostdlib -static -Wl,--gc-sections -Wl,--unresolved-symbols=ignore-all -Wl,-e,"$(head -n 1 "$out/roots")" \
            $(sed 's/^/-Wl,-u,/' "$out/roots") -o "$out/linked" "$out/impl.o" 2> "$out/log" || { cat "$out/log" >&2; exit 1; }
        ;;
    esac
}

# measure TARGET SET SIZE_TOOL COMPILER FLAG...: one line of the table as CSV. clang tells no stack, and
# WebAssembly counts constants as data.
measure() {
    target=$1 set=$2 tool=$3
    shift 3
    rm -f "$out"/*.ci
    graph=-fcallgraph-info=su
    case $1 in clang*) graph= ;; esac
    "$@" $flags $graph -c -o "$out/impl.o" "$out/impl.c" || exit 1
    stack=-
    symbols "$out/impl.o" > "$out/symbols"
    case $set in
    foundation) cp "$out/symbols" "$out/foundation" && cp "$out/symbols" "$out/roots" ;;
    splitter) grep -E '^gsp_(acc_nodes|split)_(bound|run|tag)$' "$out/symbols" > "$out/roots" ;;
    device)
        grep -E '^gsp_(support|reason|table|acc_nodes|fuse|move_non_tensor|split|liveness|memory_plan|split_by_memory|exec|exec_plan|call)_[a-z]+$' "$out/symbols" |
        grep -vx gsp_split_simple > "$out/roots" ;;
    all) cp "$out/symbols" "$out/every" && cp "$out/symbols" "$out/roots" ;;
    *.h) comm -23 "$out/symbols" "$out/every" > "$out/roots" ;;
    *) comm -23 "$out/symbols" "$out/foundation" > "$out/roots" ;;
    esac
    [ -s "$out/roots" ] || return 0
    [ -z "$graph" ] || stack=$(cat "$out"/*.ci | awk -f tests/lint/callgraph.awk | awk '
        FNR == NR { root[$1]; next }
        $1 == "stack" && $2 in root && $3 > most { most = $3 }
        END { print most + 0 }' "$out/roots" -)
    linked "$target" "$@"
    # Data from the object, since linking aligns even nothing; text from what is linked.
    { "$tool" "$out/impl.o"; "$tool" "$out/linked"; } | awk -v target="$target" -v set="$set" -v stack="$stack" '
        NR == 2 { data = target == "wasm32" ? 0 : $2; bss = $3 }
        NR == 4 { printf "%s,%s,%d,%d,%d,%s\n", target, set, target == "wasm32" ? $1 + $2 : $1, data, bss, stack }'
}

# target NAME PACKAGES SIZE_TOOL COMPILER FLAG...: PACKAGES are Debian's that have the tools.
target() {
    name=$1 packages=$2 tool=$3
    shift 3
    case " ${ONLY:-$name} " in *" $name "*) ;; *) return ;; esac
    missing=
    linker=
    case $1 in clang*) linker=wasm-ld ;; esac
    for part in "$1" "$tool" $linker; do
        command -v "$part" > /dev/null || missing="$missing${missing:+, }$part"
    done
    if [ -n "$missing" ]; then
        echo "skipped: $name: not found: $missing (Debian: apt install $packages)" >&2
        echo "$name" >> "$out/skipped"
        return
    fi
    if ! "$@" -c -x c -o "$out/probe.o" /dev/null 2> "$out/probe.log"; then
        echo "skipped: $name: $* fails: $(head -n 1 "$out/probe.log")" >&2
        echo "$name" >> "$out/skipped"
        return
    fi
    nm_tool=${tool%size}nm
    measure "$name" all "$tool" "$@"
    measure "$name" foundation "$tool" "$@" -DGSP_NO_ALL_PASSES
    measure "$name" splitter "$tool" "$@" -DGSP_NO_ALL_PASSES -DGSP_WITH_SPLIT -DGSP_NO_FUSE -DGSP_NO_MOVE_NON_TENSOR
    measure "$name" device "$tool" "$@" -DGSP_NO_ALL_PASSES -DGSP_WITH_SPLIT -DGSP_WITH_MEMORY
    for pass in $passes; do
        measure "$name" "$(echo "$pass" | tr A-Z a-z)" "$tool" "$@" -DGSP_NO_ALL_PASSES "-DGSP_WITH_$pass"
    done
    for extra in examples/extra/graphsplit_*.h; do
        extra=$(basename "$extra" .h)
        measure "$name" "$extra.h" "$tool" "$@" "-DEXTRA=\"examples/extra/$extra.h\"" \
            "-D$(echo "$extra" | tr a-z A-Z)_IMPLEMENTATION"
    done
}

wasm_size=$(command -v llvm-size || command -v llvm-size-14 || echo llvm-size)
{
    echo target,set,text,data,bss,stack
    target cortex-m0+ gcc-arm-none-eabi arm-none-eabi-size arm-none-eabi-gcc -mcpu=cortex-m0plus -mthumb
    target cortex-m4 gcc-arm-none-eabi arm-none-eabi-size arm-none-eabi-gcc -mcpu=cortex-m4 -mthumb
    target cortex-m55 gcc-arm-none-eabi arm-none-eabi-size arm-none-eabi-gcc -mcpu=cortex-m55 -mthumb
    target rv32imac gcc-riscv64-unknown-elf riscv64-unknown-elf-size riscv64-unknown-elf-gcc -march=rv32imac -mabi=ilp32
    target wasm32 'clang lld llvm' "$wasm_size" clang --target=wasm32
    target x86-64 gcc size gcc -m64 -fno-pic -no-pie
} > "$out/size.csv" || exit 1

# The table: text by target, then data + bss and the worst stack over all targets.
table() {
    awk -F , '
        FNR == 1 { next }
        { text[$2, $1] = $3; zero[$2] += $4 + $5; if ($6 + 0 > stack[$2] + 0 && $1 != "x86-64") stack[$2] = $6
          if (!($1 in seen)) { seen[$1] = 1; target[++n] = $1 }
          if (!($2 in known)) { known[$2] = 1; set[++m] = $2 } }
        END {
            printf "| bytes of code at -Os |"; for (i = 1; i <= n; i++) printf " %s |", target[i]; print " data + bss | stack, 32 bit |"
            printf "|---|"; for (i = 1; i <= n + 2; i++) printf "---|"; print ""
            for (k = 1; k <= m; k++) {
                printf "| %s |", set[k]
                for (i = 1; i <= n; i++) printf " %s |", text[set[k], target[i]]
                printf " %d | %s |\n", zero[set[k]], stack[set[k]] == "" ? "-" : stack[set[k]]
            }
        }' "$1"
}

case $1 in
--store) exec cp "$out/size.csv" bench/size.csv ;;
--readme)
    table "$out/size.csv" > "$out/table"
    awk -v table="$out/table" '
        /^<!-- size -->$/ { print; while ((getline line < table) > 0) print line; skip = 1; next }
        /^<!-- end of size -->$/ { skip = 0 }
        !skip { print }' examples/README.md > "$out/README.md" && cp "$out/README.md" examples/README.md
    exit
    ;;
esac
table "$out/size.csv"
awk -F , -v skipped="$(wc -l < "$out/skipped")" '
    FNR == 1 { next }
    FNR == NR { before[$1 "," $2] = $3; next }
    !(($1 "," $2) in before) { print "new: " $1 " " $2; next }
    { old = before[$1 "," $2]
      if ($3 > old * 1.02) {
          printf "FAILED: %s on %s grew from %d to %d bytes of code (%.1f %%); if it has to, sh bench/size.sh --store\n", $2, $1, old, $3, 100 * ($3 - old) / old
          failed++
      } else passed++
      # section 9 of the manual; device reads tables with constraints
      limit = $2 ~ /^(foundation|splitter|memory)$/ ? 512 : $2 == "device" ? 512 + 192 : 768
      if ($1 == "cortex-m4" && $6 >= limit) {
          printf "FAILED: %s on %s takes %d bytes of stack, not less than %d\n", $2, $1, $6, limit
          failed++
      }
      if ($4 + $5 != 0) { printf "FAILED: %s on %s has %d bytes of data or bss\n", $2, $1, $4 + $5; failed++ } }
    END {
        printf "%d passed, %d failed%s\n", passed, failed, skipped != 0 ? ", " skipped + 0 " skipped" : ""
        exit failed > 0 || passed + skipped == 0
    }' bench/size.csv "$out/size.csv"
