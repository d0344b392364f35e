#!/bin/sh
# mutants.t - each planted bug of the lists for `make test-mutants` still changes its file: code that
# moved on leaves no line behind that plants nothing. Whether tests find them takes hours.
. tests/tap.sh

tab=$(printf '\t')
stale() {
    grep -hv '^#' ./*/mutants.tsv | while IFS=$tab read -r name file script tests _; do
        if [ -z "$tests" ]; then
            echo "$name: no test"
        elif sed -E "$script" "$file" | cmp -s - "$file"; then
            echo "$name: $file"
        fi
    done
}
is 'each line changes its file' "$(stale 2>&1)" ''
is 'no bug has two names' "$(grep -hv '^#' ./*/mutants.tsv | cut -f 2-4 | sort | uniq -d)" ''

done_testing
