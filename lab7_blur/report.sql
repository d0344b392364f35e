-- report.sql - lab 7's own tables: which algorithm for a Gaussian blur? For each, at each size and
-- its best block, how many floats it reads and writes a pixel if no cache helps, how many memory
-- moved by the profiler, its operations a pixel, how many million pixels a second lab 0's copy
-- would read and write, and how many it was. `side` is the window's, 2 radius + 1.

create view lab7_algorithms as
with fastest as (
  select *, min(time_s), 2 * (
      select cast(value as integer) from parameter p
      where p.parameters = mine.parameters and key = 'radius') + 1 as side
  from mine where lab = 'lab7_blur' and kind = 'gpu' group by variant, size),
-- A tap takes a product and a sum; the recursive filter takes 7 operations in each of four passes,
-- which read and write once each, as its two transpositions do.
counted as (
  select *,
    case variant when 'copy' then 2 when 'conv2d' then side * side + 1
      when 'separable' then 2 * (side + 1) when 'recursive' then 12 end as memory,
    case variant when 'copy' then 0 when 'conv2d' then 2 * side * side
      when 'separable' then 4 * side when 'recursive' then 28 end as operations
  from fastest)
select c.parameters, c.width, c.height, c.variant as algorithm, c.block_x, c.block_y,
  c.memory as memory_per_pixel, (
    select (dram_read_bytes + dram_write_bytes) / 4 / c.area from profiled p
    where p.lab = c.lab and p.variant = c.variant and p.parameters is c.parameters
      and p.size = c.size and p.block = c.block) as dram_per_pixel,
  c.operations as flops_per_pixel,
  iif(c.operations = 0, 0, c.operations * 1.0 / c.memory) as ratio,
  1e-6 * per_s / 4 / c.memory as estimated_mp_per_s,
  1e-6 * c.area / c.time_s as measured_mp_per_s
from counted c join rate on rate.measure = 'copy' and processor = 'gpu'
where c.memory is not null order by c.area, c.rank;

-- Table 1 of the blog post, its rates beside those at the lab's size.
create view lab7_table1 as
select algorithm, memory_per_pixel, dram_per_pixel, flops_per_pixel,
  1e-6 * (select max(elements_per_s) from row
    where row.lab = 'lab7_blur' and origin glob 'beside*' and variant = algorithm)
    as printed_mp_per_s, estimated_mp_per_s, measured_mp_per_s
from lab7_algorithms join at on lab = 'lab7_blur' and size = width || 'x' || height
order by instr('copy conv2d separable recursive', algorithm);

create table estimated as
select a.*, source from lab7_table1 a join mine_best b on b.lab = 'lab7_blur' and variant = algorithm
where kind = 'gpu' and role is not 'yardstick';
insert into told
select 'lab7', source, json_object(algorithm || '_estimate_gain', measured_mp_per_s / estimated_mp_per_s)
from estimated
union all
select 'lab7', source, json_object('estimate_fails',
  iif(measured_mp_per_s > 1.5 * estimated_mp_per_s, '', null))
from estimated where algorithm = 'conv2d'
union all
select 'lab7', source, json_object(algorithm || '_moved', dram_per_pixel)
from estimated where algorithm <> 'recursive'
union all
select 'lab7', source, json_object(algorithm || '_measured', measured_mp_per_s)
from estimated where algorithm <> 'conv2d' and (
  select max(measured_mp_per_s) filter (where algorithm = 'separable')
    > max(measured_mp_per_s) filter (where algorithm = 'recursive') from estimated)
union all
select 'lab7', source, json_object('recursive_printed', printed_mp_per_s)
from estimated where algorithm = 'recursive'
union all
select e.id, e.source, json_object('recursive_stall', p.stall, 'recursive_lines', max(e.width, e.height))
from examined e join profiled p using (lab, variant, size, block)
where lab = 'lab7_blur' and e.variant = 'recursive' and basis = 'counters'
  and p.parameters is e.parameters and p.stall = 'long_scoreboard';

-- The rungs that the post does not have: beside `separable` and `recursive`, what they gain at the
-- lab's size, and how far they are off.
insert into told
select b.id, b.source || ';' || o.source, json_object(b.variant || '_gain', o.time_s / b.time_s)
from mine_best b join mine_best o on o.lab = b.lab
  and o.variant = iif(b.variant glob 'separable*', 'separable', 'recursive')
where b.lab = 'lab7_blur'
  and b.variant in ('separable_fused', 'separable_tensor', 'recursive_chunks');

-- The ladder's bounds: 2 (2r+1) multiply-adds a pixel, and each pixel read and written once.
insert into demand
with of_all as (
  select lab, max(flops) as flops, max(bytes) as bytes from rung
  where lab = 'lab7_blur' group by lab)
select lab, 'multiply-adds, FP32 units', 'fma', flops from of_all
union all select lab, 'memory', 'memory', bytes from of_all;

-- Bars on a logarithmic axis: rates at the largest size, measured and estimated; beside them those
-- that other recorded machines' sources print, whatever their size.
create table rated as
select algorithm, 1 as line, 'dot' as style, measured_mp_per_s as rate, printf(
    '{%.9g} MPixel/s, %s×%s', measured_mp_per_s, block_x, block_y) as text
from lab7_algorithms join at on lab = 'lab7_blur' and size = width || 'x' || height
union all
select algorithm, 2, 'ring', estimated_mp_per_s, printf(
  '{%.9g} estimated, %g floats a pixel', estimated_mp_per_s, memory_per_pixel)
from lab7_algorithms join at on lab = 'lab7_blur' and size = width || 'x' || height
where estimated_mp_per_s > 0
union all
select variant, 3, iif(role is 'yardstick', 'square', 'frame'), 1e-6 * elements_per_s, printf(
  iif(role is 'yardstick', '%s: %g MPixel/s', '%s: %g estimated, %g floats a pixel'),
  machine, 1e-6 * elements_per_s, bytes / 4 / area)
from row join origin using (origin)
where lab = 'lab7_blur' and origin glob 'beside*' and elements_per_s > 0;

insert into bar
select lab, 'algorithms', 1, variant, ink, min(line, count(*) over (
    partition by variant order by line)), style, null, rate, text, ink
from rated join ink on lab = 'lab7_blur' and variant = algorithm;

insert into bar_row
select mine.lab, 'algorithms', 1, variant, 1, origin, mine.lab, line, 1
from mine join at using (lab, size) join lab7_algorithms a on a.algorithm = mine.variant
  and a.width = mine.width and a.height = mine.height and a.block_x = mine.block_x
  and a.block_y = mine.block_y
where mine.lab = 'lab7_blur';

insert into bar_text(lab, chart, what, n, text, style)
select lab, 'algorithms', what, n, text, style from bar_text
where lab = 'lab7_blur' and chart = 'variants' and what = 'title'
union all
select 'lab7_blur', 'algorithms', 'key', line, case style when 'dot' then 'measured'
  when 'ring' then 'estimate: lab 0''s copy × 2 / floats'
  when 'square' then 'recorded' else 'recorded estimate' end, style
from rated group by style order by line, style desc;
