-- curves.sql - the curves of measured rows: which points, of whom, in which order. plots/curves.gp
-- draws them. Numbers in a text stand in braces and | for a comma, as in bars.sql.

-- The blocks that are steps of one growth: squares where there are any, else those of one width or
-- of one height. Others (32x8, 16x16) have no order, and no line is to join them.
create table ordered as
with shape as (
  select distinct lab, block, block_x, coalesce(block_y, 1) as block_y
  from now_and_then join counterpart using (lab, variant) where block_x > 0),
of_lab as (
  select lab, max(block_x > 1 and block_x = block_y) as squares,
    min(count(distinct block_x), count(distinct block_y)) as sides
  from shape group by lab)
select lab, block from shape join of_lab using (lab)
where iif(squares, block_x = block_y, sides = 1);

-- Sizes beside which, less than 5 % away, there is one with more rows, as 1000 and 1040 beside
-- 1024: they were measured for what is so of the other, and a curve that has all goes up and down
-- there.
create table aside as
with extent as (
  select lab, size, iif(sizes_are = 'image', 1.0 * width * height, width) as x, count(*) as n
  from now_and_then group by lab, size)
select distinct a.lab, a.size from extent a join extent b using (lab)
where a.n < b.n and abs(ln(1.0 * a.x / b.x)) between 1e-9 and 0.05;

-- A curve is a `series` of a family: each variant at its best block, by size; of these those that
-- come to the largest size with a rate, from a 64th of it on (`leading`); of the kernel that 2012
-- has, too, or else the first, each block, by size, beside the serial program's times; the same by
-- block, each size. A lab's report.sql may have more.
create table plotted as
with point as (
  select now_and_then.*, ink, block_x * coalesce(block_y, 1) as threads,
    (lab, variant) in (select lab, variant from counterpart) as is_first,
    iif(sizes_are = 'image', 1.0 * width * height, width) as extent,
    row_number() over (partition by is_past, lab, variant, size order by time_s, line) as fastest
  from now_and_then join ink using (lab, variant) where (lab, size) not in aside)
select lab, is_past, 'variant' as family, variant as series, abs(ink) - 1e3 * (ink < 0) as n, ink,
  null as shade, extent as x, size as x_name, time_s, time_q1_s, time_q3_s, speedup, gb_per_s,
  gflop_per_s, origin, line
from point where fastest = 1 and not is_past
union all
select lab, is_past, 'block', block, threads + 1e-4 * block_x, ink, ln(threads) / ln(1024), extent,
  size, time_s, time_q1_s, time_q3_s, speedup, gb_per_s, gflop_per_s, origin, line
from point where is_first and threads > 0
union all
select lab, is_past, 'block', 'CPU', 0, ink, null, extent, size, time_s, time_q1_s, time_q3_s,
  null, null, null, origin, line
from point where kind = 'cpu' and role is 'serial'
union all
select lab, is_past, 'size', size, extent, ink, null, threads,
  block, time_s, time_q1_s, time_q3_s, speedup, gb_per_s, gflop_per_s, origin, line
from point join ordered using (lab, block) where is_first and threads > 0;

insert into plotted
select lab, is_past, 'leading', series, n, ink, shade, x, x_name, time_s, time_q1_s, time_q3_s,
  speedup, gb_per_s, gflop_per_s, origin, line
from (
  select *, max(x) over (partition by lab) as largest,
    max(x) over (partition by lab, series) as its_largest
  from plotted where family = 'variant' and coalesce(gb_per_s, gflop_per_s) is not null)
where its_largest = largest and x >= largest / 64;

-- If no eye could tell variants apart, nowhere more than 5 % from each other, the first is
-- drawn, and the key says which it stands for.
create table twin as
with pair as (
  select a.lab, a.series as leader, a.n as leader_n, b.series, count(*) as common,
    max(abs(b.time_s / a.time_s - 1)) as gap,
    max(abs(ifnull(b.gb_per_s / a.gb_per_s, 1) - 1)) as rate_gap
  from plotted a join plotted b using (lab, family, x)
  where a.family = 'variant' and a.n < b.n group by 1, 2, 3, 4),
same as (
  select * from pair where gap <= 0.05 and rate_gap <= 0.05 and common = (
    select count(*) from plotted p
    where p.lab = pair.lab and family = 'variant' and p.series = pair.series))
select lab, series, leader, min(leader_n) as leader_n from same
where (lab, leader) not in (select lab, series from same) group by lab, series;

-- A row a point; of a twin one row without a point, for the key. Then what a family tells below the
-- title: the fastest kernel at the largest x that several of the lab's work have, beside the
-- slowest. Then the ceilings that lab 0 measured, for all labs; below zero is the ink of the CPU's.
create view figure_curves as
with here as (
  select plotted.*, leader, about, iif(family in ('variant', 'leading'), apart, null) as apart,
    row_number() over (
      partition by plotted.lab, is_past, family, plotted.series order by x) as i_point
  from plotted left join told_of using (origin, lab, line) left join (
      select origin, lab, line, apart from shown join work_apart using (lab, parameters))
    using (origin, lab, line)
    left join twin on family = 'variant' and twin.lab = plotted.lab
      and twin.series = plotted.series),
last as (
  select lab, family, iif(family = 'block', replace(series, 'x', '×'), series) as name, x, x_name,
    time_s, max(x) over (partition by lab, family) as largest,
    row_number() over (partition by lab, family, x order by time_s, n) as place, together
  from (
    select *, count(*) over (partition by lab, family, x) as together from here
    where not is_past and ink > 0 and apart is null
      and family in ('variant', 'leading', 'block', 'template'))
  where together > 1),
noted as (
  select f.lab, f.family, printf('; fastest at %s: %s| {%.9g} times %s',
    replace(f.x_name, 'x', '×'), f.name, s.time_s / f.time_s, s.name) as text
  from last f join last s using (lab, family, x)
  where f.x = f.largest and f.place = 1 and s.place = s.together)
select * from (
  select lab, family, is_past, dense_rank() over (partition by lab, family order by n) as i,
    iif(family in ('block', 'size'), replace(series, 'x', '×'), series) || ifnull(apart, '')
      || coalesce(' ≈ ' || leader, '') as name,
    coalesce((select ink from ink where ink.lab = here.lab and variant = leader), ink) as ink,
    shade,
    iif(leader is null, x, null) as x, replace(x_name, 'x', '×') as x_name, time_s, time_q1_s,
    time_q3_s, speedup, gb_per_s, gflop_per_s, about
  from here where leader is null or i_point = 1
  union all
  select lab, family || ' note', 0, 0, text, null, null, null, null, null, null, null, null, null,
    null, null
  from noted
  union all
  select null, 'ceiling', 0, 1, upper(processor) || printf(' memory: {%.9g} GB/s', gb_per_s),
    iif(processor = 'cpu', -1, 1), null, null, null, null, null, null, null, gb_per_s, null, null
  from ceiling where gb_per_s > 0
  union all
  select null, 'ceiling', 0, 1, upper(processor) || printf(' FMA: {%.9g} GFLOP/s', gflop_per_s),
    iif(processor = 'cpu', -1, 1), null, null, null, null, null, null, null, null, gflop_per_s, null
  from ceiling where gflop_per_s > 0
  union all
  select lab, 'ceiling', 0, 1, printf('%s: {%.9g} GFLOP/s', replace(name, ',', '|'), gflop_per_s),
    i + 1, null, null, null, null, null, null, null, null, gflop_per_s, null
  from allowed_rate)
order by substr(lab, 4) + 0, family, is_past, i, x;
