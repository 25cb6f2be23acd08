# The operator lists as a C file: awk -f operator_lists.awk ../../ops/*.ops > operator_lists.c
# One literal per line of a list.
BEGIN {
    print "/* Made from examples/ops by operator_lists.awk; tests/program/ops.sh says when they differ. */"
    print "#include \"data/data.h\"\n\n#include <stddef.h>\n"
    print "/* clang-format off */"
}
FNR == 1 {
    if (count) print "    NULL\n};\n"
    name = FILENAME
    sub(/.*\//, "", name)
    sub(/\.ops$/, "", name)
    names[++count] = name
    gsub(/[^0-9a-z]/, "_", name)
    print "static const char *const " name "[] = {"
}
{
    line = $0
    gsub(/"/, "\\\"", line)
    while (length(line) > 88) {
        print "    \"" substr(line, 1, 88) "\""
        line = substr(line, 89)
    }
    print "    \"" line "\\n\","
}
END {
    print "    NULL\n};\n"
    print "const cli_operator_list cli_operator_lists[] = {"
    for (i = 1; i <= count; i++) {
        name = names[i]
        gsub(/[^0-9a-z]/, "_", name)
        print "    {\"" names[i] "\", " name "},"
    }
    print "    {NULL, NULL}\n};"
    print "/* clang-format on */"
}
