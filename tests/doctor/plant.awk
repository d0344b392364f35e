# plant.awk - copies functions of a .cu file under other names, changes the copies, and adds a variant
# that runs them to its table: a mistake in a real kernel, beside the kernel.
# usage: awk -v names="KERNEL [LAUNCHER...]" -v as=NAME -f plant.awk LAB.cu >PART
#        awk -v part=PART -f plant.awk LAB.cu
# The first prints the copies and, behind a line `----`, the variant's entry, for sed to change; the
# second the file with such a part in it. The first of the names is the kernel's and the variant's.
BEGIN {
    count = split(names, name, " ")
    while (part && (getline line <part) > 0)
        if (line == "----")
            in_entry = 1
        else if (in_entry)
            entry = entry line "\n"
        else
            copies = copies line "\n"
}

# renamed(LINE): each name that stands alone becomes NAME_OF; in texts, the variant's own, just NAME.
function renamed(line,  i, done) {
    for (i = 1; i <= count; i++) {
        done = ""
        while (match(line, "(^|[^A-Za-z0-9_.])" name[i] "([^A-Za-z0-9_]|$)")) {
            from = substr(line, RSTART, RLENGTH)
            sub(name[i], i == 1 ? as : name[i] "_" as, from)
            done = done substr(line, 1, RSTART - 1) from
            line = substr(line, RSTART + RLENGTH)
        }
        line = done line
    }
    return line
}

part {
    if (/^static const variant variants\[\]/)
        printf "%s", copies
    print
    if (/^static const variant variants\[\]/)
        printf "%s", entry
    next
}

/^template/ { head = $0 "\n"; next }
/^[a-z_]/ && !/;$/ {
    for (i = 1; i <= count; i++)
        if ($0 ~ "[ *]" name[i] "[(]")
            copying = 1
}
copying { text = text renamed(head $0) "\n"; head = "" }
/^}/ { copying = 0; head = "" }
!/^template/ { head = "" }

/^ *GPU_VARIANT\($/ { opened = $0; next }
$0 ~ "^ *(GPU_VARIANT[(])?\"" name[1] "\"," && !taking { taking = 1 }
taking {
    own = own renamed(opened $0) "\n"
    if (opened)
        depth++
    opened = ""
    depth += gsub(/[(]/, "(") - gsub(/[)]/, ")")
    if (depth <= 0)
        taking = 0
}
END {
    if (!part)
        printf "%s\n----\n%s", text, own
}
