# readme_cell FIELD TEXT: writes a cell of the table in README that says what tests reach.
readme_cell() {
    awk -v field="$1" -v text=" $2 " 'BEGIN { FS = OFS = "|" } /^\| share of all \|/ { $field = text } { print }' README.md > $dir/README.md &&
        cp $dir/README.md README.md
}
