-- bars.sql - what a chart of bars is made of, and where its bars stand: one under the other, in one
-- or more panels side by side. Whoever wants a chart inserts its bars and its texts, in a lab's
-- report.sql, say; plots/bars.gp draws what the view says. Numbers in a text stand in braces, the
-- figure rounds them. (gnuplot 5.4 ends a text at its first comma, in quotes too: the views of
-- figures have | in its place.)

-- `n` orders the rows, `line` is a bar's place in its row; bars of one line lie over each other,
-- the later over the earlier. Styles: full, light, hatched; on a logarithmic axis dot, ring,
-- square, frame. `ink`: a variant's colour, as in the table `ink`. `lab` is empty for a chart of
-- all labs.
create table bar(lab, chart, panel, row, n, line, style, start, value, text, ink);

-- The row of a file that a bar's value is of, where it is one row's; `is_rate`: of its time's
-- reciprocal. Then the quartiles are drawn, too.
create table bar_row(lab, chart, panel, row, line, origin, of_lab, of_line, is_rate);

-- `what`: title (goes after the figure's), note (after the machine's name), panel (heading of panel
-- `n`), key (what a style, and where it matters an ink, stands for), line (across all bars at the
-- value `n`).
create table bar_text(lab, chart, what, n, text, style, ink);

-- What a lab's report.sql says of its ladder (ladder.sql): the library that its kernels are held
-- against, where that is not its first, one for each kind of work; and what bounds them, so many
-- operations of one of lab 0's measures (bytes, of loads and copies) at the ladder's size; and which
-- kernels are a source's that prints no times of them.
create table peer(lab, variant);
create table demand(lab, name, measure, operations);
create table sourced(lab, variant);

-- What a row's name says where its work is not that of most of the lab's rows.
create table work_apart as
select lab, parameters, ' (' || group_concat(pair, ', ') || ')' as apart
from (select distinct lab, parameters from shown where kind <> 'cpu') join gpu_work using (lab)
  join parameter using (parameters)
where key not in ('cpu_threads', 'transfer') and instr(';' || work || ';', ';' || pair || ';') = 0
group by lab, parameters;

-- What is told of a row under the mouse, in lines.
create table told_of as
with in_unit as (
  select *, case when time_s < 1e-3 then 1e6 when time_s < 1 then 1e3 else 1 end as scale,
    case when time_s < 1e-3 then 'µs' when time_s < 1 then 'ms' else 's' end as unit
  from timed)
select in_unit.origin, lab, line, variant
  || iif(size = '', '', '| ' || replace(size, 'x', '×'))
  || iif(block = '', '', '| ' || replace(block, 'x', '×')) || coalesce('\nGPUs: ' || gpus, '')
  || printf('\n{%.9g} %s', time_s * scale, unit)
  || coalesce('\nquartiles {' || (time_q1_s * scale) || '} and {' || (time_q3_s * scale) || '}', '')
    || iif(in_unit.origin = 'own', '', '\n' || origin.machine) as about
from in_unit join origin using (origin);

create view figure_bars as
with height as (
  select lab, chart, row, min(n) as n, max(line) as lines from bar group by lab, chart, row),
place as (
  select *, sum(lines + 0.5) over (partition by lab, chart order by n, row) - lines as top
  from height),
-- A row of fewer lines in one panel than in another stands in the row's middle.
here as (
  select lab, chart, row, panel, max(line) as lines from bar group by lab, chart, row, panel),
-- A bar that would flatten the others, more than six times as long as the next, is cut where at
-- least half of its panel's bars stay whole.
ranked as (
  select lab, chart, panel, max(value) as value,
    lead(max(value)) over panels as next, row_number() over panels as i, count(*) over (
      partition by lab, chart, panel) as count
  from bar group by lab, chart, panel, row, line
  window panels as (partition by lab, chart, panel order by max(value))),
whole as (
  select lab, chart, panel, coalesce(
    min(value) filter (where count > 2 and i >= (count + 1) / 2 and next > 6 * value),
    max(value)) as longest
  from ranked group by lab, chart, panel)
select nullif(bar.lab, '') as lab, chart, 'bar' as what, panel as n,
  top + (place.lines - here.lines) / 2.0 + bar.line - 0.5 as y,
  style, ink, start, value, iif(style in ('full', 'light', 'hatched') and value > longest,
    1.2 * longest, value) as shown,
  value * iif(is_rate, time_s / time_q3_s, time_q1_s / time_s) as q1,
  value * iif(is_rate, time_s / time_q1_s, time_q3_s / time_s) as q3,
  replace(nullif(text, ''), ',', '|') as text,
  coalesce(about, replace(row || coalesce('\n' || nullif(text, ''), ''), ',', '|')) as about,
  top + place.lines / 2.0 as row_y,
  iif(row_number() over (partition by bar.lab, chart, row order by panel, bar.line) = 1,
    replace(row, ',', '|'), null) as row,
  bar.rowid as i
from bar join place using (lab, chart, row) join here using (lab, chart, row, panel)
  join whole using (lab, chart, panel) left join bar_row using (lab, chart, panel, row, line)
  left join good on good.origin = bar_row.origin and good.lab = of_lab and good.line = of_line
  left join told_of on told_of.origin = bar_row.origin and told_of.lab = of_lab
    and told_of.line = of_line
union all
select nullif(lab, ''), chart, what, n, null, style, ink, null, null, null, null, null,
  replace(text, ',', '|'), null, null, null, rowid
from bar_text
where exists (select * from bar where bar.lab = bar_text.lab and bar.chart = bar_text.chart)
union all
select distinct nullif(lab, ''), chart, 'key', null, null, 'gap', null, null, null, null,
  null, null, 'gap: cut short', null, null, null, 1e9
from ranked join whole using (lab, chart, panel)
where value > longest and exists (
  select * from bar where bar.lab = ranked.lab and bar.chart = ranked.chart
    and style in ('full', 'light', 'hatched'))
order by chart, lab, what, i;
