-- report.sql - lab 5's own tables and facts: pixels of three and four bytes, and ways of transfer.

-- Each variant on colours, at the lab's size and its best block.
create table colours as
select type, mark as machine, good.*, min(time_s)
from good join mark using (origin) join at using (lab, size)
join (select parameters, value as type from parameter
  where key = 'type' and value in ('rgb24', 'rgba32')) using (parameters)
where lab = 'lab5_gaussian' and cpu_threads is null and transfer is null
  and (kind = 'cpu' or cache is not 'hot')
group by type, origin, variant;

-- Each variant by type of pixel, each at its best block.
create table by_type as
with gray as (
  select origin, variant, kind, rank, time_s, source from best where lab = 'lab5_gaussian')
select mark as machine, gray.*, gray.time_s as gray_s,
  max(colours.time_s) filter (where type = 'rgb24') as rgb24_s,
  max(colours.time_s) filter (where type = 'rgba32') as rgba32_s,
  gray.source || ';' || group_concat(colours.source, ';') as sources
from gray join mark using (origin) join colours using (origin, variant)
group by origin, variant;

create view lab5_types as
select machine, variant, kind, gray_s * 1e3 as gray_ms, rgb24_s * 1e3 as rgb24_ms,
  rgba32_s * 1e3 as rgba32_ms, rgb24_s / rgba32_s as rgb24_over_rgba32
from by_type order by origin desc, rank;

-- How much longer three bytes a pixel take than four: the slides' kernel, here and there.
insert into told
select 'lab5', sources, json_object('rgb24_slower_percent', 100 * (rgb24_s / rgba32_s - 1))
from by_type, teller
where origin = gpu_origin and variant = 'constant_fixed' and rgb24_s > rgba32_s and rgba32_s > 0
union all
select 'lab5', group_concat(source, ';'), json_object('slides_rgb24_slower_percent', 100 * (
  max(time_s) filter (where value = 'rgb24') / max(time_s) filter (where value = 'rgba32') - 1))
from row join parameter on parameter.parameters = row.parameters and key = 'type'
where lab = 'lab5_gaussian' and origin glob 'beside*' and value in ('rgb24', 'rgba32');

-- What the section claims: local memory costs, and a loop where its unrolled twin is as fast as
-- `naive`; whole words gain more than rows and columns do.
create table gained as
select b.variant, p.time_s / b.time_s as gain, b.source
from mine_best b join plain p using (lab, work, recording) where lab = 'lab5_gaussian' and b.kind = 'gpu';
insert into told
select 'lab5', group_concat(source, ';'), json_object('loop_costs', iif(
    max(gain) filter (where variant = 'constant') < 0.9
    and max(gain) filter (where variant = 'array') < 0.9 * max(gain) filter (
      where variant = 'constant')
    and max(gain) filter (where variant = 'constant_fixed') >= 0.9, '', null),
  'words_gain', iif(max(gain) filter (where variant = 'flat_bytes') > max(gain) filter (
    where variant in ('separable', 'register_rows')), '', null))
from gained where variant in ('array', 'constant', 'constant_fixed', 'flat_bytes', 'separable',
  'register_rows')
having count(*) = 6;

-- The ladder is held against NPP. Its bounds: the loads and multiply-adds of all taps, those of rows
-- and columns alone, and the bytes.
insert into peer values ('lab5_gaussian', 'npp');
insert into demand
with tapped as (
  select lab, max(bytes) as bytes, max(flops) as flops, 2 * cast(value as integer) + 1 as side
  from rung join parameter using (parameters)
  where lab = 'lab5_gaussian' and key = 'radius' group by lab)
select lab, printf('loads, %d a pixel', side * side), 'loads', 2 * flops from tapped
union all select lab, printf('multiply-adds, %d a pixel', side * side), 'fma', flops from tapped
union all select lab, printf('multiply-adds, %d a pixel', 2 * side), 'fma', flops * 2 / side
from tapped
union all select lab, 'memory', 'memory', bytes from tapped;

-- Ways for the picture to get there and back: of one variant, size and block, that which was
-- measured in the most ways, of equals the largest. Its pageable row may be another block's, as the
-- default sweep measures it of the fastest alone.
create table way as
with timed as (
  select good.*, min(end_to_end_s)
  from good join gpu_work using (lab, work), teller
  where lab = 'lab5_gaussian' and kind <> 'cpu' and origin = gpu_origin and end_to_end_s > 0
    and transfer is not 'stream'
  group by variant, size, block, transfer),
place as (
  select variant, size, block from timed group by variant, size, block
  having count(*) > 1 order by count(*) desc, max(area) desc, min(time_s) limit 1)
select timed.*, coalesce(transfer, 'pageable') as name,
  min(iif(timed.block = place.block, 0, end_to_end_s))
from timed join place using (variant, size)
where timed.block = place.block or transfer is null group by transfer;

create view transfers as
select variant, name as transfer, size, block, time_s * 1e3 as kernel_ms,
  end_to_end_s * 1e3 as end_to_end_ms
from way order by transfer is not null, line;

insert into told
select * from (
  select 'lab5', source, json_object('transfer_best', name, 'transfer_best_ms', end_to_end_s * 1e3,
    'transfer_variant', variant)
  from way order by end_to_end_s limit 1)
union all
select * from (
  select 'lab5', source, json_object('transfer_worst', name, 'transfer_worst_ms', end_to_end_s * 1e3)
  from way order by end_to_end_s desc limit 1)
union all
select 'lab5', source, json_object('transfer_pageable_ms', end_to_end_s * 1e3)
from way where transfer is null;

-- Bars: types of pixel, each variant beside itself: the first kernel, the library, and what other
-- machines measured of more than one type, where they have all types; a panel a machine.
create table typed as
with timed as (
  select 1 as panel, 'full' as style, type, variant, block, time_s, kind, origin, lab, line
  from (
    select 'gray' as type, variant, block, time_s, kind, origin, lab, line from kernel
    where lab = 'lab5_gaussian'
    union all
    select type, variant, block, time_s, kind, origin, lab, line from colours where kind <> 'cpu')
  union all
  select panel, 'hatched', value, variant, block, time_s, kind, null, lab, null
  from beside join parameter on parameters = work and key = 'type'
  where lab = 'lab5_gaussian' and transfer is null and time_s > 0)
select timed.*, ink, row_number() over (partition by panel, variant
  order by type <> 'gray', type <> 'rgb24') as type_line
from timed join ink using (lab, variant)
where (panel, variant) in (
    select panel, variant from timed group by panel, variant
    having count(*) = (select count(distinct type) from timed where panel = 1))
  and (ink = 1 or kind = 'vendor' or variant in (
    select variant from timed where panel > 1 group by variant having count(*) > 1));

insert into bar
select lab, 'types', panel, variant, ink, type_line, style, 0, time_s * 1e3,
  printf('%s: {%.9g} ms%s', type, time_s * 1e3,
    iif(block = '', '', ', ' || replace(block, 'x', '×'))), ink
from typed;
insert into bar_row
select lab, 'types', panel, variant, type_line, origin, lab, line, 0 from typed;

insert into bar_text(lab, chart, what, n, text, style)
select lab, 'types', what, n, text, style from bar_text
where lab = 'lab5_gaussian' and chart = 'variants' and what in ('title', 'panel')
union all
select 'lab5_gaussian', 'types', 'key', null, 'each at its best block', 'full'
union all
select distinct 'lab5_gaussian', 'types', 'key', null, 'recorded', style
from typed where style = 'hatched';

-- Bars on a logarithmic axis: the CPU's programs, and the first kernel alone and with its copies,
-- on this machine and, as a slide of the seminar has them, on another.
create table sliding as
with timed as (
  select 1 as line, 'dot' as style, variant, kind, time_s, end_to_end_s, block, null as machine,
    origin, lab, line as of_line
  from mine_best
  union all
  select 2, 'square', variant, kind, time_s, end_to_end_s, block, origin.machine, null,
    row.lab, null
  from row join origin using (origin) join gpu_work using (lab, work) join at using (lab, size)
  where row.origin glob 'beside*' and transfer is null and status = 'ok'),
chosen as (
  select timed.*, ink from timed join ink using (lab, variant)
  where lab = 'lab5_gaussian'
    and (kind = 'cpu' or (lab, variant) in (select lab, variant from first_kernel)))
select variant as row, ink > 0 as n, time_s * 1e3 as ms, * from chosen
union all
select variant || ', with copies', 2, end_to_end_s * 1e3, line, style, variant, kind, time_s,
  end_to_end_s, block, machine, null, lab, null, ink from chosen where kind <> 'cpu';

insert into bar
select lab, 'slide', 1, row, n + 1e-2 * abs(ink), line, style, null, ms,
  coalesce(machine || ': ', '') || printf('{%.9g} ms', ms)
    || iif(n = 1, ', ' || replace(block, 'x', '×'), ''), ink
from sliding where ms > 0;
insert into bar_row
select lab, 'slide', 1, row, line, origin, lab, of_line, 0 from sliding where n < 2;

insert into bar_text(lab, chart, what, n, text, style)
select lab, 'slide', what, n, text, style from bar_text
where lab = 'lab5_gaussian' and chart = 'variants' and what = 'title'
union all select 'lab5_gaussian', 'slide', 'key', 1, 'measured', 'dot'
union all select 'lab5_gaussian', 'slide', 'key', 2, 'recorded', 'square';

-- Bars: ways of transfer, the kernel's own time dark in the bar of the whole.
create table transferred as
select 1 as panel, 'light' as style, name, time_s, end_to_end_s, variant from way
union all
select panel, 'hatched', coalesce(transfer, 'pageable'), min(time_s), min(end_to_end_s), variant
from beside where lab = 'lab5_gaussian' and work = (select work from way)
  and variant = (select variant from way) and end_to_end_s > 0
group by panel, coalesce(transfer, 'pageable');

insert into bar
select 'lab5_gaussian', 'transfers', panel, name, n, 1, style, 0, end_to_end_s * 1e3,
  printf('{%.9g} ms', end_to_end_s * 1e3)
    || coalesce(', kernel {' || (time_s * 1e3) || '}', ''), ink
from transferred join ink using (variant)
  join (select name, row_number() over (order by transfer is not null, line) as n from way)
    using (name)
where ink.lab = 'lab5_gaussian'
union all
select 'lab5_gaussian', 'transfers', panel, name, null, 1, 'full', 0, time_s * 1e3, '', ink
from transferred join ink using (variant) where ink.lab = 'lab5_gaussian' and time_s > 0
  and name in (select name from way);

insert into bar_text(lab, chart, what, n, text, style)
select lab, 'transfers', what, n, text, style from bar_text
where lab = 'lab5_gaussian' and chart = 'variants' and what in ('title', 'panel')
union all
select distinct 'lab5_gaussian', 'transfers', 'note', 1,
  printf('; %s kernel, blocks of %s', variant, replace(block, 'x', '×')), null from way
  where transfer is not null
union all
select 'lab5_gaussian', 'transfers', 'note', 2, printf('; fastest: %s, {%.9g} times %s', a.name,
  b.end_to_end_s / a.end_to_end_s, b.name), null
from (select *, min(end_to_end_s) from way) a, (select *, max(end_to_end_s) from way) b
union all select 'lab5_gaussian', 'transfers', 'key', 1, 'end to end', 'light'
union all select 'lab5_gaussian', 'transfers', 'key', 2, 'kernel alone, in device memory', 'full'
union all
select distinct 'lab5_gaussian', 'transfers', 'key', 3, 'recorded', style
from transferred where style = 'hatched';

-- Over several GPUs: two rows to each neighbour behind every pass, while the next one goes on; or
-- once for as many passes as a halo is for, 16 at most, before the next one begins.
insert into exchange
with passed as (
  select several.*, max(iif(key = 'passes', cast(value as integer), 1)) as passes,
    width * max(case pair when 'type=rgb24' then 3 when 'type=rgba32' then 4 else 1 end)
      as row_bytes
  from several join parameter using (parameters)
  where lab = 'lab5_gaussian' and gpus > 1 group by source),
together as (
  select *, iif(variant = 'bands', 1, min(16, passes, height / gpus / 2)) as passes_of_one
  from passed where variant in ('bands', 'deep_bands'))
select source, 'link_send_both', (passes - 1) / passes_of_one, 2 * row_bytes * passes_of_one,
  iif(variant = 'bands', 1 - 1.0 / passes, 0)
from together;
