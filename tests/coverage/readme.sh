# readme_cell FIELD TEXT: writes a cell of the table in tests/README.md that says what tests reach.
readme_cell() {
    awk -v field="$1" -v text=" $2 " 'BEGIN { FS = OFS = "|" } /^\| share of all \|/ { $field = text } { print }' tests/README.md > $dir/README.md &&
        cp $dir/README.md tests/README.md
}
