-- report.sql - lab 0's own tables: what was measured beside what the device's properties come to,
-- the CPU's rates by threads, and the latency of a load by what the loads go over.

-- The device at its highest clocks: clocks a nanosecond, of all multiprocessors too, and GB/s of two
-- bits a clock on each line of the memory's bus.
create table lab0_device as
select *, clock * multiprocessors as gclocks from (
  select 1e-3 * coalesce(max(value) filter (where key = 'sm_clock_max_mhz'),
      max(value) filter (where key = 'sm_clock_before_mhz')) as clock,
    max(value) filter (where key = 'multiprocessors') as multiprocessors,
    max(value) filter (where key = 'memory_clock_max_mhz') * 2e-3 / 8
      * max(value) filter (where key = 'memory_bus_bits') as memory,
    max(value) filter (where key = 'l2_bytes') as l2_bytes,
    max(value) filter (where key = 'compute_capability') as capability
  from run where of = 'gpu');

-- Lanes, words or bytes a clock and multiprocessor, times two where a multiply-add is two operations.
create table lab0_peak as
with known as (select * from lab0_device left join cores using (capability))
select 'copy' as measure, memory as peak from known
union all select 'read', memory from known
union all select 'fma', 2 * gclocks * nullif(cores, '') from known
union all select 'shared', gclocks * nullif(shared_bytes, '') from known
union all select 'loads', 4 * gclocks * nullif(loads, '') from known
union all select 'int32', 2 * gclocks * nullif(int32, '') from known
union all select 'exp', gclocks * nullif(special, '') from known
union all select 'tensor_fp16', 2 * gclocks * nullif(tensor_fp16, '') from known
union all select 'tensor_tf32', 2 * gclocks * nullif(tensor_tf32, '') from known
union all select 'tensor_int8', 2 * gclocks * nullif(tensor_int8, '') from known
union all select 'tensor_fp64', 2 * gclocks * nullif(tensor_fp64, '') from known;

create table lab0_row as
select good.*, substr(work, 9) as measure, mark as machine, kind = 'cpu' as is_cpu
from good join mark using (origin), teller
where lab = 'lab0_ceilings' and is_ceiling and transfer is null
  and (kind = 'cpu' or cache is not 'hot') and origin = iif(kind = 'cpu', 'own', gpu_origin);

-- Each variant at its best. Where nothing but copy and fma was measured the ceilings say it all.
create view lab0_rates as
with valued as (
  select *, case when measure in ('copy', 'read', 'l2', 'shared', 'loads', 'constant', 'l2_store', 'tags')
        then 'GB/s'
      when measure in ('int32', 'tensor_int8', 'atomics', 'blocks') then 'GOP/s'
      when measure = 'launch' then 'µs' else 'GFLOP/s' end as unit
  from lab0_row where measure <> 'latency' and cpu_threads is null),
ranked as (
  select *, row_number() over (partition by measure, variant order by case unit
      when 'µs' then time_s when 'GB/s' then -gb_per_s when 'GOP/s' then -gop_per_s
      else -gflop_per_s end, line) as i,
    case unit when 'µs' then 1e6 * time_s when 'GB/s' then gb_per_s when 'GOP/s' then gop_per_s
      else gflop_per_s end as rate,
    min(line) over (partition by measure) as place
  from valued)
select machine, ranked.measure, variant, size, block, rate, unit, peak,
  100 * rate / peak as peak_percent
from ranked left join lab0_peak on lab0_peak.measure = ranked.measure and not is_cpu
where i = 1
  and exists (select * from lab0_row where lab0_row.measure not in ('copy', 'read', 'fma'))
order by place, is_cpu, line;

create view lab0_of_peak as
select measure, variant, rate, unit, peak_percent from lab0_rates where peak_percent is not null;

-- A load that waits for the one before, by the bytes that the loads go over.
create table lab0_chase as
select *, 4.0 * width as set_bytes, 1 / gop_per_s as load_ns, min(time_s)
from lab0_row where measure = 'latency' group by size;

create view lab0_latency as
select machine, size, iif(width % 256, set_bytes / 1024, width / 256) as set_kib, load_ns,
  load_ns * clock as load_clocks
from lab0_chase, lab0_device order by width;

create view figure_lab0_latency as
select set_bytes, load_ns, l2_bytes, max(set_bytes) filter (where load_ns < 1.1 * least_ns) over ()
  as l1_bytes
from (select *, min(load_ns) over () as least_ns from lab0_chase), lab0_device order by width;

-- What more threads of the CPU gain.
create view lab0_threads as
select cpu_threads, max(gb_per_s) filter (where measure = 'copy') as copy_gb_per_s,
  max(gflop_per_s) filter (where measure = 'fma') as fma_gflop_per_s
from lab0_row where cpu_threads > 0 group by cpu_threads order by cpu_threads;

-- The links between GPUs.
insert into link
select variant, gpus, nodes, 1e9 * gb_per_s * time_s, min(time_s), source
from timed join teller on origin = gpu_origin
where lab = 'lab0_ceilings' and variant glob 'link_*' and gpus > 1
group by 1, 2, 3, 4;

create table lab0_message as
select timed.*, round(link.bytes) as message_bytes, min(line) over (partition by variant) as place,
  dense_rank() over (order by link.nodes, link.gpus) as few,
  iif(variant glob '*_both', 'link_copy_both', 'link_copy') as like_copy
from link join timed using (source);

-- Each way between as few GPUs as were measured: the time of the shortest message, and the rate of
-- the longest beside the copy's.
create view lab0_links as
with way as (
  select variant, like_copy, place, nodes, gpus, 1e6 * min(time_s) as shortest_us,
    max(message_bytes) / 1048576 as longest_mib,
    max(gb_per_s) filter (where message_bytes = most) as gb_per_s
  from (select *, max(message_bytes) over (partition by variant) as most from lab0_message where few = 1)
  group by variant)
select way.variant, way.gpus, way.shortest_us, way.longest_mib, way.gb_per_s,
  100 * way.gb_per_s / copy.gb_per_s as copy_percent
from way left join way copy on copy.variant = way.like_copy
  and way.variant not in (copy.variant, 'link_gather', 'link_reduce')
order by way.place;

insert into plotted
select lab, 0, iif(variant glob '*_both', 'link_both', 'link'), variant, place,
  dense_rank() over (order by place), null, message_bytes,
  iif(message_bytes < 1048576, printf('%g KiB', message_bytes / 1024),
    printf('%g MiB', message_bytes / 1048576)), time_s, time_q1_s, time_q3_s, null, gb_per_s, null, origin, line
from lab0_message where few = 1;
