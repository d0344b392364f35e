-- figures.sql - what the figures of tables show, ready to be drawn: the colours of variants, and
-- for each figure its panels, curves and texts. Numbers in a text stand in braces and | for a
-- comma, as in bars.sql.

-- A kernel's place among the lab's kernels, and below zero a CPU program's among its own.
create table ink as
select lab, variant, is_cpu, row_number() over (partition by lab, is_cpu order by first)
    * iif(is_cpu, -1, 1) as ink
from (select lab, variant, max(kind = 'cpu') as is_cpu, min((origin <> 'own') * 1e9 + line) as first
  from row where origin in ('own', 'gpu') group by lab, variant);

-- Bars --------------------------------------------------------------------------------------------

-- What other recorded machines measured of the same work and size; pixels' types may differ.
create table beside as
select lab, id, machine, variant, kind, size, block, time_s, end_to_end_s, transfer, work,
  dense_rank() over (partition by lab order by machine) + 1 as panel
from row join origin using (origin) join at using (lab, id, size)
  join alike using (lab, parameters)
where origin glob 'beside*' and status = 'ok' and kind <> 'cpu' and not is_cpu;

create table kernel as
select best.*, ink, variant || ifnull(apart, '') as row,
  iif(block = '', '', ', ' || replace(block, 'x', '×')) as at_block
from mine_best as best join ink using (lab, variant) left join work_apart using (lab, parameters)
where kind <> 'cpu';

-- variants: each kernel at its best block and at 32x32; other machines in panels of their own.
-- end_to_end: beside the kernel's time that with the copies.
create table chart as select 'variants' as chart union all select 'end_to_end';

insert into bar
select lab, chart, 1, row, rank, 1, 'full', 0, time_s * 1e3,
  printf('{%.9g} ms%s', time_s * 1e3, at_block), ink from kernel, chart
union all
select lab, 'variants', 1, row, mine.rank, 2, 'light', 0, mine.time_s * 1e3,
  printf('{%.9g} ms, 32×32', mine.time_s * 1e3), ink
from mine join kernel using (lab, variant, size)
where mine.block = '32x32' and kernel.block <> '32x32'
union all
select lab, 'variants', panel, row, rank, 1, 'hatched', 0, 1e3 * min(beside.time_s),
  printf('{%.9g} ms, %s', 1e3 * min(beside.time_s), replace(beside.block, 'x', '×')), ink
from beside join kernel using (lab, variant)
where beside.work = kernel.work and beside.transfer is null and beside.time_s > 0
group by lab, panel, variant
union all
select lab, 'end_to_end', 2, row, rank, 1, 'full', 0, end_to_end_s * 1e3,
  printf('{%.9g} ms', end_to_end_s * 1e3), ink from kernel where end_to_end_s > 0
union all
select lab, 'end_to_end', 2, row, rank, panel, 'hatched', 0, 1e3 * min(beside.end_to_end_s),
  printf('%s: {%.9g} ms', machine, 1e3 * min(beside.end_to_end_s)), ink
from beside join kernel using (lab, variant)
where beside.work = kernel.work and beside.transfer is null and beside.end_to_end_s > 0
group by lab, panel, variant;

insert into bar_row
select lab, chart, 1, row, 1, origin, lab, line, 0 from kernel, chart
union all
select lab, 'variants', 1, row, 2, mine.origin, lab, mine.line, 0
from mine join kernel using (lab, variant, size)
where mine.block = '32x32' and kernel.block <> '32x32';

insert into bar_text(lab, chart, what, n, text)
select lab, chart, 'title', 1, ', ' || replace(size, 'x', '×')
from at, chart
union all
select lab, chart, 'note', 1,
  '; ' || group_concat(printf('%s {%.9g} ms', variant, time_s * 1e3), ', ')
from (select * from mine_best where kind = 'cpu' order by rank), chart group by lab, chart
union all
select lab, chart, 'note', 2, printf('; fastest: %s, {%.9g} times one CPU thread', variant, speedup)
from (
  select *, max(speedup) from kernel
  where kind = 'gpu' and role is not 'yardstick' and row = variant
    and (lab, variant) not in (select lab, variant from overlapping) group by lab), chart
where speedup > 0
union all select lab, 'end_to_end', 'panel', 1, 'kernel' from at
union all select lab, 'end_to_end', 'panel', 2, 'end to end, copies counted' from at
union all select lab, 'variants', 'panel', 1, label from at, teller
where lab in (select lab from bar where chart = 'variants' and panel > 1)
union all select distinct lab, 'variants', 'panel', panel, machine from beside where time_s > 0;

-- split: the shares of a run's time that its steps take. In the text the limit that all but the
-- kernel set to any kernel's speedup.
create table step(k, name, ink);
insert into step values
  (1, 'read', 7), (2, 'copy in', 5), (3, 'kernel', 1), (4, 'copy out', 2), (5, 'write', 3);

insert into bar
select '', 'split', 1, id || ', ' || replace(size, 'x', '×'), substr(lab, 4) + 0, 1, 'full',
  1e2 * (sum(s) over part - s) / total_s, 1e2 * sum(s) over part / total_s,
  iif(k = 5, printf('{%.9g} ms%s; %s', total_s * 1e3,
    coalesce(', limit {' || bound || '}×', ''), variant), ''), ink
from (
  select steps.*, k, ink, case k when 1 then read_s when 2 then copy_in_s when 3 then time_s
      when 4 then copy_out_s else write_s end as s
  from steps, step)
window part as (partition by lab order by k);
insert into bar_text(lab, chart, what, text, style, ink)
select '', 'split', 'key', name, 'full', ink from step;

-- What the styles of a lab's own bars stand for.
insert into bar_text(lab, chart, what, text, style)
select distinct lab, chart, 'key', case style when 'full' then 'each at its best block'
  when 'light' then 'at 32×32' else 'recorded' end, style
from bar where chart in ('variants', 'end_to_end') order by style = 'hatched', style = 'light';

-- What the profiler counted ------------------------------------------------------------------------

-- A line for each kernel and unit that has a share: `n` is the kernel's place, with a gap of half a
-- line between labs, `unit` that of the unit's column. The kernel's fullest unit is marked, by the
-- rule of diagnosis.sql. What is said once of a kernel stands with its first unit. (The last column
-- is never empty: gnuplot would take another's.)
create view figure_profile as
with unit as (
  select line, 1 as i, 'DRAM' as heading, coalesce(
    (dram_read_bytes + dram_write_bytes) / time_s / (select dram from unit_rate), dram_share) as share
  from profiled
  union all select line, 2, 'L2', l2_share from profiled
  union all select line, 3, 'L1', l1_share from profiled
  union all select line, 4, 'shared', shared_share from profiled
  union all select line, 5, 'loads', load_share from profiled
  union all select line, 6, 'issue', issue_share from profiled
  union all select line, 7, 'FP32', fp32_share from profiled
  union all select line, 8, 'INT32', int32_share from profiled
  union all select line, 9, 'special', special_share from profiled
  union all select line, 10, 'tensor', tensor_share from profiled),
filled as (
  select *, dense_rank() over (order by i) as place,
    row_number() over (partition by line order by i) = 1 as is_first,
    row_number() over (partition by line order by share / iif(i = 1, 0.9, 1) desc, i) = 1
      and share > 0 as is_fullest
  from unit where share is not null)
select dense_rank() over (order by substr(lab, 4) + 0, line)
    + 0.5 * dense_rank() over (order by substr(lab, 4) + 0) - 0.5 as n,
  iif(is_first, substr(lab, 1, instr(lab, '_') - 1) || ' ' || variant
    || iif(block = '', '', ' ' || replace(block, 'x', '×')), null) as row,
  iif(is_first, stall || printf(' {%.9g} %%', 100 * stall_share), null) as text,
  iif(is_first, 100 * occupancy, null) as occupancy_percent,
  iif(is_first, 100 * achieved_occupancy, null) as achieved_percent,
  place as unit, heading, 100 * share as percent, is_fullest
from filled join profiled using (line) order by n, i;

-- Rooflines ---------------------------------------------------------------------------------------

-- A picture a processor. Points: of each lab the fastest kernel, the first one, and the library
-- that the ladder holds them against; of the CPU all programs. x: by the bytes of memory.
-- `is_counted`: a point whose bytes were. Roofs: memory's is a slope, those of units are flat, as
-- lab 0 measured them; those of tensor cores stand by their peak if a point is theirs. A point has
-- the roof of its own units. Whole decades around points and ridges. The labels stand beside the
-- picture in the order of their points' heights, a line (0.045 of the height) apart: downwards each
-- below the one before, then upwards from the lower edge. Heights are shares of the picture's, from
-- above.
create view figure_roofline as
with placed as (
  select u.processor, u.origin, u.lab, u.line, u.variant, u.kind, role, share, op_per_byte as x,
    operations_per_s as y, memory_roof, u.is_counted,
    dense_rank() over (order by substr(u.lab, 4) + 0) as ink,
    row_number() over kinds as place,
    row_number() over (
      partition by u.processor, u.lab, u.kind order by (u.lab, u.variant) in (
        select lab, variant from fastest) desc, operations_per_s desc, u.rank) as speed,
    case when on_tensor_cores then 'tensor_' || case when u.variant glob '*int8*' then 'int8'
          when u.variant glob '*tf32*' then 'tf32' else 'fp16' end
      when operands = 'floats' then 'fma' else 'int32' end as measure
  from under_roof u
  where op_per_byte > 0 and operations_per_s > 0
    and (u.lab, u.variant) not in (select lab, variant from overlapping)
  window kinds as (partition by u.processor, u.lab, u.kind order by u.rank)),
chosen as (
  select *, case when kind = 'vendor' or processor = 'cpu' and role is null then 'library'
      when role is 'serial' or kind = 'gpu' and speed > 1 then 'first' else 'fastest' end as style
  from placed
  where processor = 'cpu' or kind = 'gpu' and (speed = 1 or place = 1)
    or (lab, variant) in (select lab, variant from held_against)),
roof as (
  select processor, 1 as n, null as measure, gb_per_s as per_s,
    printf('%s {%.9g} GB/s', iif(processor = 'cpu', 'memory', 'DRAM'), gb_per_s) as text
  from ceiling where gb_per_s > 0
  union all
  select processor, 2, key, value, printf('%s {%.9g} TOP/s',
    iif(key = 'fma', 'FP32', 'INT32'), value / 1e3)
  from ceiling, json_each(json_object('fma', gflop_per_s, 'int32', gop_per_s)) where value > 0
  union all
  select 'gpu', 2, measure, peak, printf('%s tensor peak {%.9g} TOP/s',
    upper(substr(measure, 8)), peak / 1e3)
  from lab0_peak
  where peak > 0 and measure glob 'tensor*' and measure in (select measure from chosen)),
ranged as (
  select processor, pow(10, floor(log10(0.9 * min(x_least, coalesce(ridge, x_least))))) as x_low,
    pow(10, ceil(log10(1.1 * max(x_most, coalesce(ridge, x_most))))) as x_high,
    pow(10, floor(log10(0.9 * y_least))) as y_low,
    pow(10, ceil(log10(1.3 * max(y_most, coalesce(top, y_most))))) as y_high
  from (
    select processor, min(x) as x_least, max(x) as x_most, min(y) as y_least, max(y) as y_most
    from chosen group by processor) join (
    select processor, max(per_s) filter (where n = 2) as top, max(per_s) filter (where n = 2)
      / max(per_s) filter (where n = 1) as ridge
    from roof group by processor) using (processor)),
high as (
  select chosen.*, x_low, x_high, y_low, y_high, min(per_s, x * memory_roof) as own_roof,
    log10(y_high / y) / log10(y_high / y_low) as height,
    row_number() over (partition by processor order by y desc, lab) as i,
    count(*) over (partition by processor) as count,
    sum(is_counted) over (partition by processor) as counted
  from chosen join ranged using (processor) left join roof using (processor, measure)),
apart as (
  select *, step * i + max(height - step * i) over (partition by processor order by i) as down
  from (select *, min(0.045, 1.0 / count) as step from high))
select a.processor, 'point' as what, a.lab, ink, measure, style, x, y, to_x, to_y,
  log10(x / x_low) / log10(x_high / x_low) as point_x, height as point_y,
  min(down, 1 - step * (count - i)) as label_y, printf('%s %.20s%s%s',
    substr(a.lab, 1, instr(a.lab, '_') - 1), variant,
    iif(y <= 1.05 * own_roof and (share is not null or measure glob 'tensor*'),
      printf(' {%.9g} %%', 100 * y / own_roof), ''),
    iif(counted and not is_counted, ' *', '')) as text, about, x_low, x_high, y_low, y_high
from apart a left join told_of using (origin, lab, line) left join (
    select processor, lab, x as to_x, y as to_y from chosen where style = 'fastest' and speed = 1)
  f on f.processor = a.processor and f.lab = a.lab and style = 'first' and a.processor = 'gpu'
union all
select processor, 'roof', null, n, measure, null, null, per_s, null, null, null, null, null,
  text, null, x_low, x_high, y_low, y_high
from roof join ranged using (processor)
union all
select distinct processor, 'note', null, null, null, null, null, null, null, null, null, null, null,
  case when counted = count then 'bytes: counted by the profiler'
    when counted = 0 then 'bytes: each input read once| each output written once'
    else 'bytes: counted by the profiler; *: each input read once| each output written once' end,
  null, null, null, null, null
from apart
order by processor desc, what, y desc;

-- Powers of the size ------------------------------------------------------------------------------

-- A panel a lab: the serial program and the first kernel, what was measured and what was fitted.
create view figure_exponents as
with curve as (
  select growth.*, ink, dense_rank() over (order by substr(lab, 4) + 0) as panel, theory_2012,
    row_number() over (partition by lab order by growth.kind <> 'cpu') as i
  from growth join ink using (lab, variant) join exponents using (lab, variant)
  where (role is 'serial' or growth.kind = 'gpu') and growth.rank = (
    select min(rank) from growth g
    where g.lab = growth.lab and (g.kind = 'cpu') = (growth.kind = 'cpu')
      and (g.role is 'serial' or g.kind = 'gpu')))
select panel, curve.lab, curve.i, ink, fit_points.x, time_ms, fit_ms, mine.time_q1_s * 1e3 as q1_ms,
  mine.time_q3_s * 1e3 as q3_ms, about,
  (select p.x from point p where p.lab = curve.lab and p.variant = curve.variant
    and p.size = bend_size) as bend_x,
  curve.variant || iif(curve.block = '', '', ' ' || replace(curve.block, 'x', '×')) || ': '
    || coalesce('{' || curve.exponent_small || '}| from ' || replace(bend_size, 'x', '×')
      || ': ', '')
    || coalesce('{' || curve.exponent_large || '}',
      printf('no power fits (off by {%.9g} %%)', 100 * rms))
    || coalesce('; 2012 expected ' || theory_2012, '') as text,
  -- x counts the positions of a template, or what the lab's axis says
  iif(curve.lab in (
      select lab from work join row using (parameters) where template glob '[0-9]*x*'),
    'positions', (select size_axis from labs where labs.lab = curve.lab)) as x_title
from curve join fit_points using (lab, variant)
  left join mine on mine.lab = curve.lab and mine.variant = curve.variant
    and mine.size = fit_points.size and mine.block = fit_points.block
  left join told_of on told_of.origin = mine.origin and told_of.lab = mine.lab
    and told_of.line = mine.line
order by panel, curve.i, fit_points.x;

-- Speedup by threads ------------------------------------------------------------------------------

-- A panel a lab. A law that misses the points by more than 15 % is not drawn as if it held.
create view figure_amdahl as
with holds as (
  select scaled.*, share, rms_percent from scaled join fitted on series = lab)
select holds.lab, dense_rank() over (order by substr(holds.lab, 4) + 0) as panel,
  holds.cpu_threads, s as speedup,
  s * holds.time_s / time_q3_s as low, s * holds.time_s / time_q1_s as high, share,
  replace(holds.size, 'x', '×') || iif(share is null,
    printf(': no P fits (off by {%.9g} %%)', rms_percent), printf(': P = {%.9g} %%', 100 * share))
    as text, about
from holds left join good on good.source = holds.source
  left join told_of on told_of.origin = good.origin and told_of.lab = good.lab
    and told_of.line = good.line
order by substr(holds.lab, 4) + 0, holds.cpu_threads;

-- A stream's first frames --------------------------------------------------------------------------

-- The last stream of each lab's file, the largest. One that was emulated only if there is no
-- other: its steps as long as each other, in their order. A frame has the colour of its slot.
create view figure_timeline as
with stream as (
  select stream_steps.*, kind = 'emulated' as is_emulated,
    row_number() over (partition by origin, lab, parameters, size order by start_s, line) as turn
  from stream_steps, teller where origin = iif(kind = 'emulated', 'own', gpu_origin)),
last as (
  select lab, origin, parameters, size, row_number() over (
    partition by lab order by is_emulated, line desc) as nth from stream)
select stream.lab, frame, 1 + (frame - 1) % 4 as ink,
  case step when 'copy in' then 1 when 'kernel' then 2 else 3 end as lane, step,
  iif(is_emulated, turn - 1, start_s * 1e3) as start, iif(is_emulated, turn, end_s * 1e3) as end,
  is_emulated, printf('%s| %s| blocks of %d×%d', stream.variant,
    replace(stream.size, 'x', '×'), stream.block_x, stream.block_y) as what,
  iif(bus_s is null, '', printf('; a frame takes {%.9g} ms| the slower copy alone {%.9g} ms',
    end_to_end_s * 1e3, bus_s * 1e3)) as text
from stream join last using (lab, origin, parameters, size)
  left join streamed on streamed.lab = stream.lab and streamed.origin = stream.origin
    and streamed.parameters = stream.parameters and streamed.variant = stream.variant
    and streamed.size = stream.size and streamed.block_x = stream.block_x
where nth = 1 order by substr(stream.lab, 4) + 0, frame, lane;

-- Occupancy and time by block ---------------------------------------------------------------------

-- The first kernel, the fastest of those that have more than one block, and 2012 by its program of
-- the same name, whose blocks were square. `x`: the block's place among those of the lab, by
-- threads; `in_order`: all are steps of one growth. `alike`: the two kernels whose occupancy is the
-- same. A single block is no figure.
create view figure_occupancy as
with chosen as (
  select lab, kernel.variant, ink, row_number() over (partition by lab order by ink) as i
  from (
    select *, row_number() over (partition by lab order by time_s, ink) as speed
    from kernel where kind = 'gpu' and role is not 'yardstick' and (lab, variant) in (
      select lab, variant from mine join at using (lab, size) group by lab, variant
      having count(distinct block) > 1)) as kernel
  where speed = 1 or (lab, variant) in (select lab, variant from first_kernel)),
measured as (
  select lab, chosen.i, variant, ink, size, block,
    block_x * coalesce(block_y, 1) as threads, block_x,
    100 * occupancy as occupancy_percent, time_s * 1e3 as time_ms, time_q1_s * 1e3 as q1_ms,
    time_q3_s * 1e3 as q3_ms, about
  from mine join at using (lab, size) join chosen using (lab, variant)
    left join told_of using (origin, lab, line)),
past as (
  select lab, 3 as i, null as variant, ink, null as size, key || 'x' || key as block,
    key * key as threads, cast(key as integer) as block_x, cast(value as real) as occupancy_percent,
    null as time_ms, null, null, null
  from printed_occupancy join labs using (program) join chosen using (lab), json_each(json_object(
    '1', "1", '2', "2", '4', "4", '8', "8", '16', "16", '32', "32"))
  where chosen.i = 1 and row = 'occupancy_percent'),
both as (select * from measured union all select * from past),
of_lab as (
  select lab, max(size) as size, min(occupancy_percent) >= 100 as is_flat,
    min((lab, block) in (select lab, block from ordered)) as in_order
  from measured where occupancy_percent is not null
  group by lab having count(distinct block) > 1),
pair as (
  select a.lab, a.variant || ', ' || b.variant as alike,
    max(abs(a.occupancy_percent - b.occupancy_percent)) as gap
  from measured a join measured b using (lab, block) where a.i = 1 and b.i = 2 group by a.lab)
select lab, i, variant, ink, of_lab.size, in_order, is_flat,
  (select replace(alike, ',', '|') from pair where pair.lab = both.lab and gap = 0) as alike,
  dense_rank() over (partition by lab order by threads, block_x) as x,
  replace(block, 'x', '×') as block, occupancy_percent, time_ms, q1_ms, q3_ms, about
from both join of_lab using (lab) order by substr(lab, 4) + 0, i, x;
