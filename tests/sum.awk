# sum.awk - for other scripts: sum_of(text) is # and five digits of its cksum, by which one sees that
# it is another. `sums` names a file to make it of.
function sum_of(text,    command, sum)
{
    printf "%s", text >sums
    close(sums)
    command = "cksum <'" sums "'"
    command | getline sum
    close(command)
    return sprintf("#%05d", sum % 100000)
}
