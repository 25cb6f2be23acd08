# The page of reports as a C file: awk -f include.awk report.html | awk -f embed.awk > page.c
# One literal per line of the page, in strings that fit 100 columns.
BEGIN {
    print "/* Made from report.html and view.* by embed.awk; tests/program/report.sh says when they differ. */"
    print "#include \"report/report.h\"\n\n#include <stddef.h>\n"
    print "/* clang-format off */"
    print "const char *const report_page[] = {"
}
{
    line = $0
    gsub(/\\/, "&&", line)
    gsub(/"/, "\\\\&", line)
    while (length(line) > 88) {
        cut = 88
        while (substr(line, cut, 1) == "\\") cut--
        print "    \"" substr(line, 1, cut) "\""
        line = substr(line, cut + 1)
    }
    print "    \"" line "\\n\","
}
END {
    print "    NULL"
    print "};"
    print "/* clang-format on */"
}
