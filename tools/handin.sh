#!/bin/sh
# handin.sh - `make handin`: two pages about one lab and one variant of it, for a teacher.
#
#   sh tools/handin.sh --results DIR --labs LABS.csv --lab LAB --variant NAME --name NAME \
#                      --number NUMBER --out handin MACHINE
#
#   OUT/lab2_answers.md            the lab's questions, with room for answers: made once, then yours
#   OUT/lab2.md, .html, .pdf       the pages, with these answers
#   OUT/figures/                   what they show
#
# Without --variant it is the variant of the newest row that the recorded results lack, or else that of
# the newest. Its time stands beside those of the lab's kernels at the size at which most of them have
# one; where it has none, on a CPU, theirs are the recorded ones. What cannot be made here is told in a
# line. Exit status: 0; 1 where a step failed; 2 for a wrong command line or without rows.

# shellcheck disable=SC2016  # backticks of Markdown
here=$(unset CDPATH && cd -- "$(dirname -- "$0")" && pwd) || exit 1
root=$here/..
results='' labs='' lab='' variant='' name='' number='' out=''
options='results labs lab variant name number out' flags=''
# shellcheck source=tools/options.sh
. "$here/options.sh"
[ $# -eq 1 ] || refuse 'needs the name of a machine'
for value in "$results" "$labs" "$lab" "$out"; do
  [ -n "$value" ] || refuse 'needs --results, --labs, --lab and --out'
done
need_student
command -v sqlite3 >/dev/null || refuse 'needs sqlite3, which make setup installs'
machine=$1 id=${lab%%_*} rows=$results/$1/$lab.csv
[ -s "$rows" ] || refuse "there are no rows of $lab: make run-$id VARIANTS=mine"

# kernels FILE...: their kernels that have rows, the newest last.
kernels() {
  for file; do awk -f "$here/csv.awk" -f "$here/column.awk" date variant kind "$file"; done | sort -s |
    sed -n 's/^[^,]*,\(.*\),\(gpu\|emulated\)$/\1/p'
}
kernels "$root"/data/reference/*/"$lab.csv" >"$work/recorded" 2>/dev/null
kernels "$rows" >"$work/own"
: "${variant:=$(grep -vxF -f "$work/recorded" "$work/own" | tail -n 1)}"
: "${variant:=$(tail -n 1 "$work/own")}"
grep -qxF -e "$variant" "$work/own" ||
  refuse "'$variant' has no rows of $lab: make run-$id VARIANTS='$variant'"

sh "$root/report/analyse.sh" --results "$results" --labs "$labs" --out "$work/out" "$machine" 2>"$work/said" ||
  { cat "$work/said" >&2 && exit 1; }
tables=$work/out/tables

# Rows that were written before the newest change of a source, as a row's date is.
since=$(sh "$here/newest_source.sh" "$root/$lab")
is_older="coalesce(date, '') < '$since'"

# ask TABLE: the rows that the select on stdin gives become that table.
ask() {
  sqlite3 -bail -csv -header "$work/out/results.db" >"$tables/$1.csv"
}

# `hand_case` is the variant's best row beside most others, `hand_kernel` each kernel's best row beside it.
sqlite3 -bail "$work/out/results.db" <<END_OF_SQL || exit 1
create table hand_case as
select m.*, count(distinct g.variant) as beside
from good m join good g using (origin, lab, parameters, size)
where m.origin = 'own' and m.lab = '$lab' and m.variant = '$variant' and m.kind in ('gpu', 'vendor')
  and g.cache is m.cache and g.kind <> 'cpu' group by m.line order by beside desc, m.cache = 'cold' desc, m.area desc,
  m.time_s limit 1;
create table hand_kernel as
select r.origin, r.lab, r.line, r.variant, r.kind, r.block, r.size, r.speedup, r.noise, min(r.time_s) as time_s
from good r join hand_case c using (origin, lab, parameters, size)
where r.cache is c.cache and r.kind in ('gpu', 'vendor') and r.role is not 'yardstick' group by r.variant
union all
select origin, lab, line, variant, kind, block, size, speedup, noise, time_s from rung
where lab = '$lab' and not exists (select * from hand_case);
create table hand_bar as
select hand_kernel.*, row_number() over (order by time_s desc) as n,
  max(time_s) over () >= 100 * min(time_s) over () as is_wide,
  case when exists (select * from hand_case) and variant = '$variant' then 2 when kind = 'vendor' then 3 else 1 end as whose
from hand_kernel;
insert into bar
select '', 'handin', 1, variant, n, 1, iif(is_wide, point, style), 0, time_s * 1e3,
  printf('{%.9g} ms', time_s * 1e3), ink
from hand_bar join drawn_as using (whose);
insert into bar_row select '', 'handin', 1, variant, 1, origin, lab, line, 0 from hand_bar;
insert into bar_text(lab, chart, what, n, text) select '', 'handin', 'title', 1, ', ' || size from hand_bar limit 1;
insert into bar_text(lab, chart, what, text, style, ink)
select distinct '', 'handin', 'key',
  case whose when 2 then '$variant' when 3 then 'libraries' else 'the lab''s kernels' end,
  iif(is_wide, point, style), ink
from hand_bar join drawn_as using (whose) order by whose;
END_OF_SQL
ask figure_handin <<'END_OF_SQL'
select * from figure_bars where chart = 'handin';
END_OF_SQL
ask handin_kernels <<END_OF_SQL
select variant || iif(variant <> 'mine' and whose = 2, ', mine', '') as variant, size, block,
  time_s * 1e3 as time_ms, speedup, 100 * noise as noise_percent, 100 * (
    select v.time_s from hand_kernel v left join peer using (lab) where v.kind = 'vendor'
      and v.variant = coalesce(peer.variant, v.variant) order by v.line limit 1) / time_s as peer_percent
from hand_bar order by time_s desc;
END_OF_SQL
ask handin_blocks <<END_OF_SQL
with at_case as (
  select size, parameters, cache from hand_case
  union all
  select size, parameters, cache from (select * from row where origin = 'own' and lab = '$lab'
    and variant = '$variant' order by area desc, line limit 1) limit 1)
select block, size, status || iif($is_older, ', older', '') as status, time_s * 1e3 as time_ms,
  100 * occupancy as occupancy_percent, limiter, max_error
from row join at_case using (size, parameters) where origin = 'own' and lab = '$lab'
  and variant = '$variant' and row.cache is at_case.cache order by threads_per_block, line;
END_OF_SQL
# pairs CONDITION MOST: a size and a block of the variant's rows a line, the smallest first, and how many
# more there are.
pairs() {
  sqlite3 "$work/out/results.db" "select trim(size || ' ' || coalesce(block, '')) from row where origin = 'own'
    and lab = '$lab' and variant = '$variant' and $1 group by size, block
    order by area, threads_per_block, line" |
    awk -v most="$2" 'NR <= most; END { if (NR > most) print "and " (NR - most) " more" }'
}
ask handin_wrong <<END_OF_SQL
select size, block, status || iif($is_older, ', older', '') as status, note from row where origin = 'own'
  and lab = '$lab' and variant = '$variant' and status in ('wrong', 'failed') group by size, block
  order by area, threads_per_block, line limit 10;
END_OF_SQL
more_wrong=$(pairs "status in ('wrong', 'failed')" 10 | sed -n 's/^and //p')
older=$(pairs "$is_older" 8 | paste -s -d , - | sed 's/,/, /g')
here_is=$(sqlite3 "$work/out/results.db" "select group_concat(item || ': ' || this, '; ') from environment
  where item in ('OS', 'CPU', 'CPU cores', 'memory', 'GPU', 'GPU memory', 'GPU compiler', 'commit', 'date')")
bound=$(sqlite3 "$work/out/results.db" "select bound from judged join hand_case using (origin, lab, line)
  where bound is not null limit 1")

# The figure; draw.sh says why there is none.
printf 'name\tscript\tsource\tx\ty\tcurve\tfilter\ttitle\nhandin\tbars.gp\tfigure_handin\t\ttime / ms\thandin\t\t%s\n' \
  "${lab%%_*}: each kernel at its best block" >"$work/figures.tsv"
sh "$root/plots/draw.sh" --results "$results" --labs "$labs" --tables "$tables" --out "$work/figures" \
  --formats 'svg png pdf' --list "$work/figures.tsv" "$machine" 2>"$work/said" || cat "$work/said" >&2

# The answers: each question and room below it. The file is the student's from now on.
mkdir -p "$out" || exit 1
answers=$out/${id}_answers.md
if [ ! -e "$answers" ]; then
  sed -n p "$root/$lab"/questions*.md | awk '
    /^[0-9]+[.] / && n++ { print "\n*(your answer)*\n" }
    { sub(/^   /, ""); print }
    END { print "\n*(your answer)*" }' >"$answers" || exit 1
fi

# The pages' text. Braces of the answers are no directives.
title=$(awk -f "$here/csv.awk" -f "$here/column.awk" lab title "$labs" | sed -n "s/^$lab,//p")
{
  printf '# %s: %s\n\n**%s**, %s. Variant `%s` on %s.\n\n' "$lab" "$title" "$name" "$number" "$variant" "$machine"
  printf '## This machine\n\n'
  printf '%s.\n\n' "$here_is" | sed 's/[][*_<>`\\{}]/\\&/g'
  printf '## The lab\n\n'
  awk '/^    / { found = 1 } found && !/^    / { exit } found' "$root/$lab/README.md"
  printf '\n## My variant\n\n'
  grep -h "\"$variant\"" "$root/$lab"/*.cu | sed -n "s/.*\"$variant\", *\"\([^\"]*\)\".*/\`$variant\`: \1./p" | head -n 1
  [ -z "$bound" ] || printf 'It is bound by %s.\n' "$bound"
  [ -z "$older" ] || printf '**Older than the source of %s, which changed at %s:** the rows at %s.\n' "$lab" "$since" "$older"
  [ -n "$(sqlite3 "$work/out/results.db" 'select 1 from hand_case')" ] ||
    echo "\`$variant\` has no time here: its kernels ran on the CPU. The other times are recorded ones."
  printf '\n{{table handin_kernels}}\n\n## My block sizes\n\n{{table handin_blocks}}\n\n'
  printf '{{if figure:handin}}\n{{figure handin Each kernel at its best block}}\n{{end}}\n\n'
  printf '{{if table:handin_wrong}}\n## What was wrong\n\n{{table handin_wrong}}\n%s{{end}}\n\n## Questions\n\n' \
    "${more_wrong:+
And $more_wrong.
}"
  sed 's/{{/{ {/g' "$answers"
} >"$work/page.md"
find "$tables" -size 0 -exec rm {} +
# What cannot be made now is not left as it was: it would tell of older rows, and be packed.
failed=0
sh "$root/report/build.sh" --figures "$work/figures/$machine" --out "$work/out" --template "$work/page.md" \
  --name "$id" --formats 'md html pdf' --short >"$work/said" || failed=1
for page in md html pdf; do
  rm -f "$out/$id.$page"
  [ ! -f "$work/out/$id.$page" ] || { put "$work/out/$id.$page" "$out/$id.$page" && echo "$out/$id.$page"; }
done
[ ! -d "$work/out/figures" ] || cp -R "$work/out/figures" "$out/"
[ -z "$older" ] ||
  say "rows of '$variant' are older than $lab/, changed at $since: $older; make run-$id VARIANTS='$variant'"
open=$(grep -cxF '*(your answer)*' "$answers")
if [ "$open" -eq 0 ]; then
  echo "$answers: your answers, as they are in the pages"
else
  echo "$answers: $open without an answer; make handin once more puts yours in"
fi
exit "$failed"
