-- report.sql - lab 2's own figure and facts: what a power of two costs the CPU's program and the
-- plain kernel, and what the profiler counted.

-- The programs of one thread by size, now and in 2012: the time of a multiply-add.
create table step_time as
select origin, machine, variant, role, size, width, source, lab, line, 1e9 * time_s / area as ns
from good join origin using (origin)
where lab = 'lab2_matprod' and origin in ('own', 'past') and role in ('serial', 'tuned')
  and cpu_threads is null and depth is width;

-- How much longer at 1024 than on both sides of it; and in 2012 than at half of it.
create table cliff as
select role, max(ns) filter (where width = 1024) / avg(ns) filter (where width in (1000, 1040))
    as factor, group_concat(source, ';') as source
from step_time where origin = 'own' and width in (1000, 1024, 1040)
group by role having count(*) = 3;

insert into told
select 'lab2', source, json_object('cliff_gain', iif(role = 'serial', factor, null),
  'cliff_tuned_gain', iif(role = 'tuned', factor, null))
from cliff
union all
select 'lab2', group_concat(source, ';'), json_object('past_cliff_gain',
  max(ns) filter (where width = 1024) / max(ns) filter (where width = 512))
from step_time where origin = 'past' and width in (512, 1024) and exists (select * from cliff)
having count(*) = 2;

-- The bytes that must move at least; by the profiler, warps' loads from shared memory beside their
-- multiply-adds.
insert into told
select 'lab2', place || file || ':' || line, case variant
  when 'naive' then json_object('least_mb', bytes / 1e6)
  when 'shared_tile' then json_object('shared_tile_loads_per_fma', shared_loads / fma)
  when 'cublas' then json_object('cublas_fma_per_load', fma / nullif(shared_loads, 0)) end
from (select *, 1.0 * width * height * depth / 32 as fma from profiled) join origin using (origin)
where lab = 'lab2_matprod' and variant in ('naive', 'shared_tile', 'cublas');

-- How much longer a kernel's multiply-add takes beside the power of two, and how much all differ.
create table beside_power as
select variant, block, threads_per_block, avg(ns) filter (where width <> 1024)
    / max(ns) filter (where width = 1024) as factor,
  max(ns) / min(ns) - 1 as spread, group_concat(source, ';') as source
from (select *, time_s / area as ns from mine)
where lab = 'lab2_matprod' and kind = 'gpu' and depth is width and width in (1000, 1024, 1040)
group by variant, block having count(*) = 3;

-- It is told if that is so of the plain kernel's smallest block but not of register_sum's.
insert into told
select 'lab2', n.source || ';' || r.source, json_object('beside_gain', n.factor,
  'beside_block', n.block, 'beside_register_percent', 100 * r.spread)
from (select *, min(threads_per_block) from beside_power where variant = 'naive') n
join beside_power r on r.variant = 'register_sum' and r.block = n.block
where n.factor > 1.1 and r.spread < 0.02;

-- The plain kernel's and register_sum's best rates at the largest size, which the L2 does not hold,
-- and at the one before, which it does: where one falls by more than 10 % and the other does not.
create table outgrown as
with rate as (
  select *, max(gflop_per_s) as best, dense_rank() over (order by area desc) as i from mine
  where lab = 'lab2_matprod' and variant in ('naive', 'register_sum') and depth is width
  group by variant, size)
select large.variant, large.size, large.bytes, large.best, small.size as small_size,
  small.best as small_best, large.source || ';' || small.source as source
from rate large join rate small using (variant) join card on l2 between small.bytes and large.bytes
where large.i = 1 and small.i = 2;

insert into told
select 'lab2', n.source || ';' || r.source, json_object('outgrown_size', n.size,
  'outgrown_small_size', n.small_size,
  'outgrown_gflop_per_s', n.best, 'outgrown_small_gflop_per_s', n.small_best,
  'outgrown_register_gflop_per_s', r.best)
from outgrown n join outgrown r using (size)
where n.variant = 'naive' and r.variant = 'register_sum'
  and n.best < 0.9 * n.small_best and r.best > 0.9 * r.small_best;

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
where c.variant = iif(q.variant like 'tensor_tf32%', 'cublas_tf32', 'cublas')
  and q.variant <> c.variant
order by q.width, q.variant;

insert into told
select 'lab2', source, json_object(variant || '_4096_percent', 100 * gain)
from beside_library where width = 4096 and variant in ('shared_tile', 'register_tile_1d',
  'register_tile_2d', 'vector_loads', 'double_buffer', 'warp_tile', 'tensor_tf32',
  'tensor_tf32_hopper', 'cublas_bf16x9')
union all
select 'lab2', source, json_object(variant || '_1024_percent', 100 * gain)
from beside_library where width = 1024 and variant in ('warp_tile', 'slice_k')
union all
select 'lab2', source, json_object('cublas_over_shared_tile', 1 / gain)
from beside_library where width = 1024 and variant = 'shared_tile'
union all
select 'lab2', source, json_object(variant || '_' || width || '_gain', gain,
  variant || '_error_percent', iif(width = 4096, 100 * error, null))
from beside_library
where variant in ('tensor_split', 'tensor_int8_slices') and width in (1024, 2048, 4096, 8192);

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

-- The fastest kernel whose greatest error is no more than the library's, at the ladder's size and at
-- the largest; and the fastest of all, if that is another.
create table accurate as
select r.*, min(r.time_s), p.variant as peer, p.time_s as peer_s, p.max_error as peer_error,
  r.source || ';' || p.source as both
from rung r join rung p on p.lab = r.lab and p.variant = 'cublas'
where r.lab = 'lab2_matprod' and r.kind = 'gpu' and r.max_error <= p.max_error group by r.lab;

insert into told
select 'lab2', both, json_object('accurate_variant', variant,
  'accurate_gain', peer_s / time_s, 'accurate_error_gain', peer_error / max_error)
from accurate
union all
select 'lab2', r.source || ';' || a.source, json_object('coarse_variant', r.variant,
  'coarse_gain', a.time_s / r.time_s, 'coarse_error_gain', r.max_error / a.max_error)
from (select *, min(time_s) from rung where lab = 'lab2_matprod' and kind = 'gpu') r
join accurate a on r.variant <> a.variant;

create table outlasting as
select *, min(time_s) from (
  select m.*, a.size as ladder_size, m.variant = a.peer as is_peer,
    rank() over (partition by m.variant order by m.area desc) as i
  from accurate a join mine m on m.lab = a.lab and m.variant in (a.variant, a.peer))
where i = 1 group by variant;

insert into told
select 'lab2', m.source || ';' || p.source, json_object('largest_size', m.size,
  'largest_gain', p.time_s / m.time_s, 'largest_tflop_per_s', m.gflop_per_s / 1e3)
from outlasting m join outlasting p using (size)
where not m.is_peer and p.is_peer and m.size <> m.ladder_size;

-- Over several GPUs each has a panel of B, and fetches those of the others: `replicated_b` before
-- it multiplies, the rings while they multiply the panel before.
insert into exchange
select source, 'link_send_both', gpus - 1, 4.0 * width * depth / gpus,
  iif(variant = 'replicated_b', 0, 1 - 1.0 / gpus)
from several
where lab = 'lab2_matprod' and gpus > 1 and variant in ('replicated_b', 'ring', 'tensor_ring');
