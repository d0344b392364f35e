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

-- `what`: title (goes after the figure's), note (after the machine's name), panel (heading of panel
-- `n`), key (what a style, and where it matters an ink, stands for).
create table bar_text(lab, chart, what, n, text, style, ink);

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
select nullif(lab, '') as lab, chart, 'bar' as what, panel as n,
  top + (place.lines - here.lines) / 2.0 + line - 0.5 as y,
  style, ink, start, value, iif(style in ('full', 'light', 'hatched') and value > longest,
    1.2 * longest, value) as shown, replace(nullif(text, ''), ',', '|') as text,
  top + place.lines / 2.0 as row_y,
  iif(row_number() over (partition by lab, chart, row order by panel, line) = 1,
    replace(row, ',', '|'), null) as row,
  bar.rowid as i
from bar join place using (lab, chart, row) join here using (lab, chart, row, panel)
  join whole using (lab, chart, panel)
union all
select nullif(lab, ''), chart, what, n, null, style, ink, null, null, null, replace(text, ',', '|'),
  null, null, rowid
from bar_text
where exists (select * from bar where bar.lab = bar_text.lab and bar.chart = bar_text.chart)
union all
select distinct nullif(lab, ''), chart, 'key', null, null, 'gap', null, null, null, null,
  'gap: cut short', null, null, 1e9
from ranked join whole using (lab, chart, panel)
where value > longest and exists (
  select * from bar where bar.lab = ranked.lab and bar.chart = ranked.chart
    and style in ('full', 'light', 'hatched'))
order by chart, lab, what, i;
