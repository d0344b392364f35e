-- report.sql - lab 2's own figure and facts: what a power of two costs the CPU's program and the
-- plain kernel, and what the profiler counted.

-- The programs of one thread by size, now and in 2012: the time of a multiply-add.
create table step_time as
select origin, machine, variant, role, size, width, source, lab, line, 1e9 * time_s / area as ns
from good join origin using (origin)
where lab = 'lab2_matprod' and origin in ('own', 'past') and role in ('serial', 'tuned')
  and cpu_threads is null and depth is width;

-- How much longer at 1024 than on both sides of it.
create table cliff as
select role, max(ns) filter (where width = 1024) / avg(ns) filter (where width in (1000, 1040))
    as factor, group_concat(source, ';') as source
from step_time where origin = 'own' and width in (1000, 1024, 1040)
group by role having count(*) = 3;

insert into told
select 'lab2', source, json_object('cliff_gain', iif(factor > 1.2 and not stands_in, factor, null))
from cliff, teller where role = 'serial';

-- The bytes that must move at least; by the profiler, warps' loads from shared memory beside their
-- multiply-adds.
insert into told
select 'lab2', place || file || ':' || line, case variant
  when 'naive' then json_object('least_mb', bytes / 1e6)
  else json_object('shared_tile_loads_per_fma', shared_loads / fma) end
from (select *, 1.0 * width * height * depth / 32 as fma from profiled) join origin using (origin)
where lab = 'lab2_matprod' and variant in ('naive', 'shared_tile');

-- Each kernel beside the library at the same precision, in squares: how many times as fast, and its
-- greatest error as a part of the library's.
create table beside_library as
with quickest as (
  select *, min(time_s) from mine
  where lab = 'lab2_matprod' and kind in ('gpu', 'vendor') and depth is width and width = height
  group by variant, width)
select q.variant, q.width, c.time_s / q.time_s as gain, q.max_error / c.max_error as error,
  q.source || ';' || c.source as source
from quickest q join quickest c using (width)
where c.variant = 'cublas' and q.variant <> c.variant and q.work = c.work
  and q.recording = c.recording
order by q.width, q.variant;

insert into told
select 'lab2', source, json_object(variant || '_4096_percent', 100 * gain)
from beside_library where width = 4096 and variant in ('shared_tile', 'register_tile_1d',
  'register_tile_2d', 'double_buffer', 'warp_tile')
union all
select 'lab2', source, json_object('reaches_library', iif(gain >= 0.95, '', null))
from beside_library where width = 4096 and variant = 'warp_tile'
union all
select 'lab2', source, json_object(variant || '_1024_percent', 100 * gain)
from beside_library where width = 1024 and variant in ('warp_tile', 'slice_k')
union all
select 'lab2', source, json_object(variant || '_' || width || '_gain', gain,
  variant || '_error_percent', iif(width = 4096, 100 * error, null))
from beside_library
where variant = 'tensor_split' and width in (1024, 2048, 4096, 8192)
  or variant = 'tensor_fp64' and width = 4096;

-- What `wgmma` leaves of lab 0's rate of it.
insert into told
select 'lab2', t.source || ';' || r.source, json_object('wgmma_percent',
  100 * flops / time_s / per_s)
from rung t join rate r on measure = 'tensor_tf32' and processor = 'gpu'
where lab = 'lab2_matprod' and variant = 'tensor_tf32_hopper' and flops / time_s <= per_s;

-- Bars: a panel a program, a row a size.
create table cliff_panel as
select 1 as panel, 'own' as origin, 'serial' as role union all select 2, 'own', 'tuned'
union all select 3, 'past', 'serial';

insert into bar
select lab, 'cliff', panel, 'N = ' || size, width, 1, iif(origin = 'past', 'hatched', 'full'), 0,
  ns, printf('{%.9g} ns', ns), iif(role = 'tuned', -2, -1)
from step_time join cliff_panel using (origin, role)
where width in (select width from step_time where origin = 'own' and width >= 256)
  and exists (select * from cliff);
insert into bar_row
select lab, 'cliff', panel, 'N = ' || size, 1, origin, lab, line, 0
from step_time join cliff_panel using (origin, role);

insert into bar_text(lab, chart, what, n, text)
select 'lab2_matprod', 'cliff', 'panel', panel,
  max(variant) || iif(origin = 'past', ', the report of 2012', '')
from cliff_panel join step_time using (origin, role) group by panel;
insert into bar_text(lab, chart, what, text, style, ink) values
  ('lab2_matprod', 'cliff', 'key', 'measured', 'full', -1),
  ('lab2_matprod', 'cliff', 'key', 'recorded', 'hatched', -1);

-- The ladder's bounds: every multiply-add on FP32 units, on tensor cores, or three times on those.
insert into demand
select lab, name, measure, times * flops from (
  select 'FP32 units' as name, 'fma' as measure, 1 as times
  union all select 'TF32 tensor peak', 'tensor_tf32', 1
  union all select 'FP16 tensor peak / 3', 'tensor_fp16', 3)
join (select lab, max(flops) as flops from rung where lab = 'lab2_matprod' group by lab);

-- The fastest kernel whose greatest error is no more than the library's, at the ladder's size.
create table accurate as
select r.*, min(r.time_s), p.variant as peer, p.time_s as peer_s, p.max_error as peer_error,
  r.source || ';' || p.source as both
from rung r join rung p on p.lab = r.lab and p.variant = 'cublas' and p.work = r.work
  and p.recording = r.recording
where r.lab = 'lab2_matprod' and r.kind = 'gpu' and r.max_error <= p.max_error group by r.lab;

insert into told
select 'lab2', both, json_object('accurate_variant', variant,
  'accurate_gain', peer_s / time_s, 'accurate_error_gain', peer_error / max_error,
  'accurate_tensor', iif(variant glob 'tensor*', '', null))
from accurate;

-- Over several GPUs each has a panel of B, and fetches those of the others: `replicated_b` before
-- it multiplies, the rings while they multiply the panel before.
insert into exchange
select source, 'link_send_both', gpus - 1, 4.0 * width * depth / gpus,
  iif(variant = 'replicated_b', 0, 1 - 1.0 / gpus)
from several
where lab = 'lab2_matprod' and gpus > 1 and variant in ('replicated_b', 'ring', 'tensor_ring');

-- The tutorial's table, its kernels beside today's of the same form at the same sizes and block. Its
-- kernel without shared memory adds into a variable, as `register_sum` does.
create view lab2_tutorial as
select t.size, t.variant, 1e3 * t.time_s as printed_ms, now.variant as today, 1e3 * now.time_s as time_ms,
  t.time_s / now.time_s as gain
from row t join mine now on now.lab = t.lab and now.size = t.size and now.block is t.block
  and now.variant = iif(t.variant = 'naive', 'register_sum', t.variant)
where t.lab = 'lab2_matprod' and t.origin glob 'beside*'
order by t.width, t.line;
