# drawn.sh - what a test of figures needs beside tap.sh: how they look, as a golden text.
#
#   golden_look NAME FIGURE.svg...
#   golden_drawn NAME FILE        the same of any text whose first line is gnuplot's version
#
# golden/NAME has a line a figure: its name and size; of texts, lines, points (symbols), areas,
# images and what is told under the mouse how many, between which x and which y, and a sum of all
# that is seen of them: form, place, colour, width, dashes, letters. What a sum does not tell the
# figures do: draw them with and without the change. Another gnuplot places things elsewhere; the
# first line says with which the text was made, and with another it is not compared.
# shellcheck shell=sh

# pixels: places and colours of each image's, one column in three: PNG may be packed in many ways.
pixels() {
    for tap_data in *.png.*; do
        [ -e "$tap_data" ] || return 0
        base64 -d <"$tap_data" >image && rm "$tap_data"
        gnuplot -e "set table '${tap_data%.png.*}.images' append;
            plot 'image' binary filetype=png every 3:1 using 1:2:3 with rgbimage" && rm image
    done
}

# look FIGURE.svg...: the golden text.
look() {
    # shellcheck disable=SC2154  # tap.sh sets it
    tap_parts=$folder/parts
    rm -rf "$tap_parts" && mkdir "$tap_parts"
    awk -v parts="$tap_parts" -f tests/drawn.awk "$@" >"$folder/drawn"
    gnuplot --version
    (cd "$tap_parts" && pixels && cksum -- *) | awk '
        FILENAME == "-" { sum[$3] = $1 % 100000; next }
        { head = $1 " " $2; part = $1 "." $3; sub(/^[^ ]* [^ ]* /, "") }
        head != last { if (last != "") print line; last = line = head }
        { line = line " | " $0 " #" sum[part] }
        END { if (last != "") print line }' - "$folder/drawn"
}

golden_drawn() {
    tap_recorded=$(head -n 1 "tests/golden/$1" 2>/dev/null)
    if [ "${ACCEPT:-}" = 1 ] || [ "$tap_recorded" = "$(head -n 1 "$2")" ]; then
        golden "$1" "$2"
    else
        skip "$1" "it was made with $tap_recorded, and another places things elsewhere"
    fi
}

golden_look() {
    tap_look=$1
    shift
    look "$@" >"$folder/look"
    golden_drawn "$tap_look" "$folder/look"
}
