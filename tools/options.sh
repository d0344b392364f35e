# options.sh - how a script with options begins. It names them, sources this file, and finds in "$@"
# what follows them:
#
#   here=$(unset CDPATH && cd -- "$(dirname -- "$0")" && pwd) || exit 1
#   results='' compare='' options='results' flags='compare'
#   . "$here/../tools/options.sh"
#
# `--results DIR` sets $results, the flag `--compare` $compare to yes; --help prints the comment
# at its top. $work is an empty folder that goes with the script. Texts are bytes, and numbers have
# points, in any locale.
# shellcheck shell=sh disable=SC2154  # options and flags are the script's

set -u
export LC_ALL=C
unset CDPATH

# say TEXT: a line on stderr; refuse TEXT: the same, and the end, with exit status 2.
say() {
    printf '%s: %s\n' "${0##*/}" "$1" >&2
}

refuse() {
    say "$1"
    exit 2
}

# need_student: who hands in: $name, and $number, which names files.
need_student() {
    if [ -z "$name" ] || [ -z "$number" ]; then
        refuse 'whose? NAME="Ada Lovelace" NUMBER=1815'
    fi
    case $number in
    [.-]* | *[!A-Za-z0-9._-]*) refuse "NUMBER=$number: letters, digits, '.', '_' and '-'" ;;
    esac
}

# put FILE TARGET: moves the file, which appears there whole, behind a link, too; where it cannot, that is the end.
put() {
    target=$2
    [ ! -L "$target" ] || target=$(readlink -f "$target")
    if [ ! -e "$target" ] || [ -f "$target" ]; then
        mv "$1" "$target.tmp-$$" && mv "$target.tmp-$$" "$target" && return
        rm -f "$target.tmp-$$"
    fi
    say "cannot write $2" && exit 1
}

while [ $# -gt 0 ]; do
    case $1 in
        -h | --help) sed -n '2,/^$/s/^# \{0,1\}//p' "$0" && exit 0 ;;
        --*) option=${1#--} ;;
        *) break ;;
    esac
    case " $flags / $options " in
        *" $option "*/*) eval "$option=yes" ;;
        */*" $option "*)
            [ $# -gt 1 ] || refuse "$1 needs a value"
            eval "$option=\$2"
            shift
            ;;
        *) refuse "unknown option '$1'; --help lists them" ;;
    esac
    shift
done

work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
trap 'exit 130' HUP INT TERM
