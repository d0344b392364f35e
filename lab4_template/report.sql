-- report.sql - lab 4's own facts: how long the loads of all taps take, by lab 0's rate; the ladder's
-- bounds; and the time against the template.

create table tapped as
select origin, lab, line, x * cast(value as integer)
  * cast(substr(value, instr(value, 'x') + 1) as integer) as taps
from mine join parameter using (parameters) where lab = 'lab4_template' and key = 'template';

-- Two loads a tap, no lane empty and each warp on one row.
insert into told
select 'lab4', source || ';' || rate_source, json_object('loads_ms', 1e3 * 2 * taps / loads)
from plain join tapped using (origin, lab, line)
  join (select max(source) as rate_source from rate where measure = 'loads') join unit_rate;

-- The ladder is held against NPP, which does the whole work. Its bounds: a tap's two loads, a tap's
-- multiply-add, by INT32 units or tensor cores, and the bytes.
insert into peer values ('lab4_template', 'npp');
insert into demand
with most as (
  select lab, max(bytes) as bytes, max(taps) as taps from rung join tapped using (origin, lab, line)
  group by lab)
select lab, 'loads, two a tap', 'loads', 8 * taps from most
union all select lab, 'multiply-adds, INT32 units', 'int32', 2 * taps from most
union all select lab, 'multiply-adds, int8 tensor peak', 'tensor_int8', 2 * taps from most
union all select lab, 'memory', 'memory', bytes from most;

-- Time against the template's side, at the picture that most templates were measured with; else as
-- the rows that are shown: a family of curves, and from which side on `fft` is the faster one.
create table by_template as
with sided as (
  select good.*, cast(p.value as integer) as side, p.value as template_size
  from good join teller on origin = gpu_origin join gpu_work using (lab)
    join parameter p using (parameters)
    join (select work, template from work) w on w.work = gpu_work.work
  where lab = 'lab4_template' and kind <> 'cpu' and cache is not 'hot' and good.transfer is null
    and p.key = 'template' and p.value = printf('%dx%d', p.value, p.value)
    and replace(good.work, p.value, '') = replace(gpu_work.work, w.template, '')),
pictured as (
  select size from sided group by size
  having count(distinct side) >= 3 order by count(distinct side) desc, area desc limit 1),
fastest_of as (
  select *, min(time_s) from sided join pictured using (size) group by variant, side)
select * from fastest_of
where variant in (select variant from fastest_of group by variant having count(*) > 1);

insert into plotted
select lab, 0, 'template', variant, ink, ink, null, side, template_size, time_s, time_q1_s,
  time_q3_s, speedup, gb_per_s, gflop_per_s, origin, line
from by_template join ink using (lab, variant);

insert into told
with beside_fft as (
  select v.*, f.time_s < v.time_s as fft_wins, v.source || ';' || f.source as both
  from by_template v join by_template f using (side)
  where f.variant = 'fft' and v.variant = 'integer_dp4a')
select 'lab4', group_concat(both, ';'), json_object('fft_from_integer_dp4a',
  min(side) filter (where side > lost), 'template_picture', max(size))
from (select *, coalesce(max(side) filter (where not fft_wins) over (), 0) as lost from beside_fft)
having count(*) > 0;

-- Over several GPUs: for each match the least of all keys.
insert into exchange
select source, 'link_reduce', cast(value as integer), 8, 0
from several join parameter using (parameters)
where lab = 'lab4_template' and variant = 'divided' and gpus > 1 and key = 'top';
