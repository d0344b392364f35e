-- tables.sql - the report's tables. Every view here, and in a lab's own report.sql, becomes
-- tables/NAME.csv in full precision; steps on the way are tables. README.md tells what they hold.

-- The machine, and 2012 by tables 3 and 4 of its report -------------------------------------------

create table described as
select origin, key as lab, value as record, row_number() over (
  partition by origin order by json_extract(value, '$.date') desc, id desc) as i
from (select origin, cast(readfile(origin || '/run.json') as text) as text from origin),
  json_each(iif(json_valid(text), text, '{}'));

insert into broken
select origin, 'run.json', 'no JSON' from origin
where not json_valid(coalesce(cast(readfile(origin || '/run.json') as text), '{}'));

-- What the latest run of the machine, and of the one that tells of the GPU, said: name, value.
create table own_run as
select key, value from described, json_each(record) where i = 1 and origin = 'own';
create table gpu_run as
select key, value from described, json_each(record)
where i = 1 and origin = (select gpu_origin from teller);

-- `nvcc 13.0, gcc (Ubuntu ...) 13.3.0` names both compilers.
create table compiler as
select own.value as cpu, gpu.value as gpu from (select 1)
left join (select iif(value glob 'nvcc*, *', substr(value, instr(value, ', ') + 2), value) as value
  from own_run where key = 'compiler') own
left join (select substr(value, 1, instr(value || ',', ',') - 1) as value
  from gpu_run where key = 'compiler' and value glob 'nvcc*') gpu;

-- CUDA cores (FP32 lanes) of a multiprocessor: CUDA C++ Programming Guide, "Arithmetic
-- Instructions".
create table cores(capability, cores);
insert into cores values
  ('5.0', 128), ('5.2', 128), ('5.3', 128), ('6.0', 64), ('6.1', 128), ('6.2', 128), ('7.0', 64),
  ('7.2', 64), ('7.5', 64), ('8.0', 64), ('8.6', 128), ('8.7', 128), ('8.9', 128), ('9.0', 128),
  ('10.0', 128), ('10.3', 128), ('12.0', 128), ('12.1', 128);

create table item(shown_in, item, key, unit, divisor, past, n integer primary key);
insert into item(shown_in, item, key, unit, divisor, past) values
  ('environment', 'OS', 'os', '', null, 'Ubuntu 10.04 LTS (64bit)'),
  ('environment', 'CPU', 'cpu', '', null, '2 x Intel Xeon E5450, 3.00 GHz'),
  ('environment', 'CPU threads', 'cpu_threads', '', null, '16 (as printed; the two have 8 cores)'),
  ('environment', 'memory', 'memory_bytes', ' GiB', 1 << 30, '16 GB'),
  ('environment', 'GPU', 'gpu', '', null, 'NVIDIA Tesla C2050'),
  ('environment', 'GPU memory', 'global_memory_bytes', ' GiB', 1 << 30, '3 GB'),
  ('environment', 'CPU compiler', 'cpu_compiler', '', null, 'gcc 4.3.4'),
  ('environment', 'GPU compiler', 'gpu_compiler', '', null, 'NVIDIA CUDA compiler driver 4.0'),
  ('environment', 'commit', 'commit', '', null, ''),
  ('environment', 'date', 'date', '', null, '2012-07-17'),
  ('device', 'CUDA driver', 'driver_cuda', '', null, '4.10'),
  ('device', 'CUDA runtime', 'runtime_cuda', '', null, '4.0'),
  ('device', 'compute capability', 'compute_capability', '', null, '2.0'),
  ('device', 'multiprocessors', 'multiprocessors', '', null, '14'),
  ('device', 'CUDA cores', 'cores', '', null, '448'),
  ('device', 'clock', 'sm_clock_before_mhz', ' MHz', null, '1150 MHz'),
  ('device', 'global memory', 'global_memory_bytes', ' MiB', 1 << 20, '2687 MB'),
  ('device', 'memory bus', 'memory_bus_bits', ' bit', null, '384 bit'),
  ('device', 'constant memory', 'constant_memory_bytes', ' bytes', null, '65536 bytes'),
  ('device', 'shared memory per block', 'shared_memory_per_block_bytes', ' bytes', null,
   '49152 bytes'),
  ('device', 'registers per block', 'registers_per_block', '', null, '32768'),
  ('device', 'warp size', 'warp_size', '', null, '32'),
  ('device', 'threads per block', 'max_threads_per_block', '', null, '1024');

create table description as
select n, shown_in, item, past,
  case when value is null then '' when divisor is null then value || unit
    else rtrim(rtrim(printf('%f', cast(printf('%.4g', value * 1.0 / divisor) as real)), '0'), '.')
      || unit end as this
from item left join (
  select key, iif(key = 'date', substr(value, 1, 10), value) as value from own_run
    where key in ('os', 'cpu', 'cpu_threads', 'memory_bytes', 'commit', 'date')
  union all select 'cpu_compiler', cpu from compiler
  union all select 'gpu_compiler', gpu from compiler
  union all select key, value || iif(key = 'gpu' and stands_in, ' (recorded)', '')
    from gpu_run, teller
    where key not in ('os', 'cpu', 'cpu_threads', 'memory_bytes', 'commit', 'date')
  union all select 'cores', m.value * cores.cores
    from gpu_run m join gpu_run c join cores on cores.capability = c.value
    where m.key = 'multiprocessors' and c.key = 'compute_capability') using (key);

create view environment as
select item, this, past from description where shown_in = 'environment' order by n;
create view device as
select item, this, past from description where shown_in = 'device'
  and exists (select * from gpu_run where key = 'gpu' and value <> '') order by n;

-- What came of the rows ---------------------------------------------------------------------------

create view status as
select lab, count(*) as rows, sum(status = 'ok' and kind <> 'emulated') as ok,
  sum(status = 'wrong') as wrong, sum(status = 'skipped') as skipped,
  sum(status = 'failed') as failed, sum(status = 'ok' and kind = 'emulated') as emulated
from row where origin = 'own' group by lab;

create table problem as
select row_number() over (order by
    instr('broken wrong failed skipped missing', status), lab, count desc, line) as n, *
from (
  select lab, status, count(*) as count, variant, file || ':' || min(line) as place, note, line
  from row where origin = 'own' and status <> 'ok' group by lab, status, variant, note
  union all
  select replace(file, '.csv', ''), 'broken', null, '', place || file, note, 0
  from broken join origin using (origin)
  union all
  select lab, 'missing', null, '', lab || '.csv', 'not measured', 0
  from labs where lab not in (select lab from row where origin = 'own')
  union all
  select '', 'missing', null, '', 'run.json', 'the machine is not described', 0
  where not exists (select * from own_run) and not exists (
    select * from broken where origin = 'own' and file = 'run.json'));

create view problems as
select lab, status, count, variant, place as "where", note from problem where n <= 200
union all
select '', 'more', sum(count), '', '', 'and ' || count(*) || ' more of this kind'
from problem where n > 200 having count(*) > 0;

-- Each lab ----------------------------------------------------------------------------------------

create view variants as
select lab, mark as machine, variant, kind, block, time_s * 1e3 as time_ms, end_to_end_s * 1e3 as end_to_end_ms,
  gb_per_s, iif(role is 'yardstick', null, gflop_per_s) as gflop_per_s, speedup,
  occupancy * 100 as occupancy_percent, max_error, tolerance
from best join mark using (origin) order by lab, origin desc, rank;

create view cpu as
select lab, size, min(time_s * 1e3) filter (where origin = 'own' and role = 'serial') as cpu_ms,
  min(time_s * 1e3) filter (where origin = 'own' and role = 'scales') as cpu_omp_ms,
  min(time_s * 1e3) filter (where origin = 'past') as past_cpu_ms
from (
  select origin, lab, size, area, width, role, time_s from mine where role in ('serial', 'scales')
  union all
  select origin, lab, size, area, width, role, time_s from past where role = 'serial')
where lab in (select lab from mine) group by lab, size order by lab, area, width;

create view occupancy as
select lab, variant, block, threads_per_block, registers, shared_bytes, local_bytes, constant_bytes,
  blocks_per_sm, warps_per_sm, threads_per_sm, occupancy * 100 as occupancy_percent, limiter,
  time_s * 1e3 as time_ms
from mine join at using (lab, size) where kind = 'gpu'
order by lab, rank, coalesce(threads_per_block, block_x * coalesce(block_y, 1)), block_x;

-- The plain kernel by size and square block, now and then.
create table by_block as
select lab, origin = 'past' as is_past, size, area, width, iif(origin = 'past', past_label, label)
  as machine, block_x as side, block, time_s * 1e3 as time_ms, speedup
from (
  select origin, lab, size, area, width, block_x, block_y, block, time_s, speedup from mine
  where variant = 'naive' union all
  select origin, lab, size, area, width, block_x, block_y, block, time_s, speedup from past
  where variant = 'naive'), teller
where block_x = block_y and lab in (select lab from past);

-- A lab's own tables are those lines of the above, a view each; blocks become columns.
.once labs.sql
select printf('create view %s_%s as select %s from %s where lab = %Q;',
  id, name, columns, name, lab)
from (select distinct id, lab from mine), (
  select 'variants' as name, 'machine, variant, kind, block, time_ms, end_to_end_ms, gb_per_s,
    gflop_per_s, speedup, occupancy_percent, max_error, tolerance' as columns
  union all select 'cpu', 'size, cpu_ms, cpu_omp_ms, past_cpu_ms'
  union all select 'occupancy', 'variant, block, threads_per_block, registers, shared_bytes,
    local_bytes, constant_bytes, blocks_per_sm, warps_per_sm, threads_per_sm, occupancy_percent,
    limiter, time_ms')
union all
select printf('create view %s_%s as select size, machine%s from by_block where lab = %Q
    group by area, width, is_past having count(%s) > 0;', id, name, group_concat(
    printf(', max(%s) filter (where side = %d) as "%dx%d"', value, side, side, side), ''),
  lab, value)
from (select distinct id, lab, side from by_block join at using (lab) order by id, side limit 500),
  (select 'gpu' as name, 'time_ms' as value union all select 'speedup', 'speedup')
group by id, lab, name;
.read labs.sql

-- Amdahl's law ------------------------------------------------------------------------------------

-- The parallel program by its threads: of several works and sizes that with the most rows, of
-- equals the largest. Its speedup is over one thread, or over the serial program.
create table scaled as
with threads as (
  select *, min(time_s) from good
  where origin = 'own' and role = 'scales' and cpu_threads > 0
  group by lab, work, size, cpu_threads),
ranked as (
  select lab, work, size, row_number() over (
    partition by lab order by count(*) desc, max(area) desc) as i
  from threads group by lab, work, size)
select lab, id, size, cpu_threads, time_s, gb_per_s, source, base_source, base_s / time_s as s
from (
  select threads.*, coalesce(max(time_s) filter (where cpu_threads = 1) over (partition by lab),
      serial_s) as base_s,
    coalesce(max(source) filter (where cpu_threads = 1) over (partition by lab), serial_source)
      as base_source
  from threads join ranked using (lab, work, size) where i = 1)
where base_s is not null;

-- 1/S = (1 - P) + P/N: the P whose times differ least, in squares of the share, from the measured.
create table law as
select *, 1 / (1 - p + p / cpu_threads) as fit_speedup
from scaled join (
  select lab, min(1.0, max(0.0, sum(u * v) / sum(u * u))) as p
  from (select lab, s * (1 - 1.0 / cpu_threads) as u, s - 1 as v from scaled) group by lab
) using (lab);

create view scaling as
select lab, size, cpu_threads, time_s * 1e3 as time_ms, s as speedup, fit_speedup
from law order by lab, cpu_threads;

create view amdahl as
select lab, size, max(cpu_threads) as cpu_threads_max, max(s) as speedup_max,
  100 * p as parallel_percent, iif(p < 1, 1 / (1 - p), null) as "limit",
  iif(sum(cpu_threads > 1) > 1,
    100 * sqrt(avg((fit_speedup / s - 1) * (fit_speedup / s - 1))), null) as rms_percent
from law group by lab;

-- From file to file, around the fastest kernel; at the lab's size, or the largest with all steps.
create table steps as
select *, row_number() over (partition by lab order by mine.size = at.size desc, mine.area desc,
    time_s) as i,
  read_s + write_s as files_s, copy_in_s + copy_out_s as copies_s,
  read_s + write_s + copy_in_s + copy_out_s + time_s as total_s
from mine join at using (lab)
where kind = 'gpu' and role is not 'yardstick'
  and read_s + copy_in_s + copy_out_s + write_s is not null;

create view split as
select lab, size, variant, block, read_s * 1e3 as read_ms, copy_in_s * 1e3 as copy_in_ms,
  time_s * 1e3 as kernel_ms, copy_out_s * 1e3 as copy_out_ms, write_s * 1e3 as write_ms,
  total_s * 1e3 as total_ms, serial_s * 1e3 as cpu_ms, (files_s + serial_s) * 1e3 as cpu_total_ms,
  serial_s / time_s as kernel_speedup, (files_s + serial_s) / total_s as total_speedup,
  (files_s + serial_s) / (files_s + copies_s) as "limit"
from steps where i = 1 order by lab;

-- Ceilings and the roofline -----------------------------------------------------------------------

create table ceiling as
with rate as (
  select *, kind as processor from good where is_ceiling and kind in ('cpu', 'gpu')
    and origin = iif(kind = 'cpu', 'own', (select gpu_origin from teller)))
select processor, max(gb) as gb_per_s, max(gflop) as gflop_per_s,
  group_concat(source, ';') as source
from (
  select processor, max(gb_per_s) as gb, null as gflop, source from rate
  where work = 'measure=copy' group by processor
  union all
  select processor, null, max(gflop_per_s), source from rate
  where work = 'measure=fma' group by processor)
group by processor;

create view ceilings as
select processor, mark as machine, gb_per_s, gflop_per_s,
  gflop_per_s / gb_per_s as ridge_flop_per_byte
from ceiling join teller join mark on origin = iif(processor = 'cpu', 'own', gpu_origin)
order by processor desc;

-- A row whose work has no operations has a roof in bytes.
create table under_roof as
select b.*, c.processor, c.source as roof_source, b.flops / b.bytes as flop_per_byte,
  b.flops / b.bytes < c.gflop_per_s / c.gb_per_s as by_memory,
  nullif(min(c.gflop_per_s, b.flops / b.bytes * c.gb_per_s), 0) as roof_gflop_per_s,
  iif(b.flops > 0, b.gflop_per_s / min(c.gflop_per_s, b.flops / b.bytes * c.gb_per_s),
    b.gb_per_s / c.gb_per_s) as share
from mine_best b join ceiling c on c.processor = iif(b.kind = 'cpu', 'cpu', 'gpu')
where b.bytes > 0 and b.flops is not null and c.gb_per_s > 0 and c.gflop_per_s > 0
  and b.role is not 'yardstick';

create view roofline as
select lab, mark as machine, variant, kind, processor, size, block, flop_per_byte, gflop_per_s, gb_per_s,
  roof_gflop_per_s, 100 * share as roof_percent, iif(by_memory, 'memory', 'arithmetic') as bound
from under_roof join mark using (origin) order by lab, rank;

-- How times grow with the size --------------------------------------------------------------------

-- A curve: a variant with the block that is best at the lab's size, at four sizes or more. ln x and
-- ln t are taken about their means.
create table point as
select *, ln(x) - avg(ln(x)) over curve as u, ln(time_s) - avg(ln(time_s)) over curve as v,
  row_number() over (partition by lab, variant order by x) as i, count(*) over curve as points
from (
  select m.* from mine m join mine_best b
    on b.lab = m.lab and b.origin = m.origin and b.variant = m.variant and b.block = m.block
  where m.x > 0 group by m.lab, m.variant, m.x having m.time_s = min(m.time_s))
window curve as (partition by lab, variant);

-- Lines through the first k points and through the rest, for each k that leaves three on each side,
-- and through all of them (k = points). xx, xy, yy: variances; rms: of what is left of ln t.
create table line as
with cut as (
  select lab, variant, points, i as k from point
  where points >= 4 and (i between 3 and points - 3 or i = points)),
half as (
  select lab, variant, points, k, i <= k as small, count(*) as n, avg(u) as mu, avg(v) as mv,
    avg(u * u) - avg(u) * avg(u) as xx, avg(u * v) - avg(u) * avg(v) as xy,
    avg(v * v) - avg(v) * avg(v) as yy
  from cut join point using (lab, variant, points) group by lab, variant, k, i <= k)
select lab, variant, points, k, max(xy / xx) filter (where small) as small_slope,
  max(mv - xy / xx * mu) filter (where small) as small_start,
  max(xy / xx) filter (where not small) as large_slope,
  max(mv - xy / xx * mu) filter (where not small) as large_start,
  sqrt(sum(n * max(0, yy - xy * xy / xx)) / points) as rms
from half group by lab, variant, k having min(xx) > 1e-9;

-- The bend must halve what the one line leaves, and that be more than 1 %: times are known no
-- better. It lies where the lines cross if that is between the groups, else halfway between these.
create table bend as
select *, exp((select avg(ln(x)) from point p where p.lab = l.lab and p.variant = l.variant)
    + iif(cross_u between below_u and above_u, cross_u, (below_u + above_u) / 2)) as bend_x
from (
  select b.*, (b.large_start - b.small_start) / (b.small_slope - b.large_slope) as cross_u,
    below.u as below_u, above.u as above_u, below.x as below_x, above.x as above_x,
    below.size as below_size, above.size as above_size,
    below.bytes as below_bytes, above.bytes as above_bytes
  from (select *, min(rms) from line where k < points group by lab, variant) b
  join line one using (lab, variant)
  join point below on below.lab = b.lab and below.variant = b.variant and below.i = b.k
  join point above on above.lab = b.lab and above.variant = b.variant and above.i = b.k + 1
  where one.k = one.points and one.rms > 0.01 and b.rms <= one.rms / 2) l;

-- A curve's fit: exponents below and above the bend; without one `exponent_large` alone.
create table growth as
select one.lab, one.variant, p.origin, p.id, p.kind, p.role, p.block, p.rank, p.sizes_are, one.points,
  bend.k, bend_x, iif(bend.k is null, null, bend.small_slope) as exponent_small,
  iif(bend.k is null, one.small_slope, bend.large_slope) as exponent_large,
  iif(bend.k is null, one.small_start, bend.small_start) as small_start,
  iif(bend.k is null, one.small_start, bend.large_start) as large_start,
  iif(bend_x * bend_x < below_x * above_x, below_size, above_size) as bend_size,
  coalesce(bend.rms, one.rms) as rms,
  p.gb_per_s, p.gflop_per_s, p.threads_per_sm,
  -- bytes at the bend, between those of its neighbours on logarithmic axes
  below_bytes * pow(above_bytes / below_bytes, ln(bend_x / below_x) / ln(above_x / below_x))
    as bend_bytes,
  p.kind <> 'cpu' and (select max(time_s) <= 3 * (select min(time_s) from point a
      where a.lab = one.lab and a.variant = one.variant) from point s
    where s.lab = one.lab and s.variant = one.variant and s.i <= coalesce(bend.k, one.points))
    as is_launch
from line one left join bend using (lab, variant)
join point p on p.lab = one.lab and p.variant = one.variant and p.i = p.points
where one.k = one.points;

create table reason as
select lab, variant, bend_bytes between l2 / 2 and l2 * 2 as is_cache,
  iif(sizes_are = 'product', bend_x * bend_x, bend_x)
    between multiprocessors * threads_per_sm / 2 and multiprocessors * threads_per_sm * 2
    as is_full,
  gb_per_s >= 0.7 * roof.gb as is_bandwidth, gflop_per_s >= 0.7 * roof.gflop as is_arithmetic
from growth, (
  select max(cast(value as real)) filter (where key = 'l2_bytes') as l2,
    max(cast(value as real)) filter (where key = 'multiprocessors') as multiprocessors
  from gpu_run), (
  select coalesce((select gb_per_s from ceiling where processor = 'gpu'),
      (select max(gb_per_s) from mine where kind <> 'cpu' and role is not 'yardstick')) as gb,
    (select gflop_per_s from ceiling where processor = 'gpu') as gflop) as roof
where kind <> 'cpu';

-- Table 19 of 2012 has no vectors.
create view exponents as
select lab, mark as machine, variant, block, case when sizes_are = 'vector' then null
    when sizes_are = 'product' then iif(kind = 'cpu', 3, 1)
    else iif(kind = 'cpu', 1, 0) end as theory_2012,
  exponent_small, exponent_large, bend_size, points, 100 * rms as rms_percent,
  substr(iif(is_launch, ', launch', '') || iif(is_full, ', full', '')
    || iif(is_cache, ', cache', '') || iif(is_bandwidth, ', bandwidth', '')
    || iif(is_arithmetic, ', arithmetic', ''), 3) as why
from growth join mark using (origin) left join reason using (lab, variant) order by lab, rank;

create view fit_points as
select lab, variant, p.block, size, x, time_s * 1e3 as time_ms,
  1e3 * exp((select avg(ln(q.time_s)) from point q where q.lab = p.lab and q.variant = p.variant)
    + iif(p.i <= coalesce(g.k, 0), small_start + u * coalesce(exponent_small, exponent_large),
      large_start + u * exponent_large)) as fit_ms
from point p join growth g using (lab, variant) order by lab, p.rank, i;

-- What a multiprocessor holds ---------------------------------------------------------------------

create view profile as
select c.lab, c.variant, r.size, r.block, 100 * joined.occupancy as occupancy_percent,
  100 * achieved_occupancy as achieved_percent, joined.bytes / 1e6 as compulsory_mb,
  (dram_read_bytes + dram_write_bytes) / 1e6 as dram_mb, l2_bytes / 1e6 as l2_mb,
  100 * issue_utilisation as issue_percent, 100 * sm_throughput as sm_percent,
  100 * dram_throughput as dram_percent
from counters c
join (select distinct lab, width, height, block_x, block_y, size, block from row) r
  on r.lab = c.lab and r.width = c.width and r.height = c.height and r.block_x is c.block_x
  and r.block_y is c.block_y
left join mine joined on joined.lab = c.lab and joined.variant = c.variant
  and joined.size = r.size and joined.block = r.block and joined.parameters is c.parameters
where c.origin = (select gpu_origin from teller) and c.status = 'ok' order by c.line;

-- Tables 21 to 23 of 2012, from its registers and bytes by the rules of compute capability 2.0, as
-- common/occupancy.c has them: 48 warps and 8 blocks a multiprocessor; a warp's registers in units
-- of 64 from one of two halves of 32768; 49152 bytes of shared memory in units of 128.
create table fermi as
with kernel(n, program, registers, shared_bytes) as (
  values (1, 'matprod', 9, 2092), (2, 'bilateral', 18, 2108), (3, 'template', 14, 2112)),
side(side) as (values (1), (2), (4), (8), (16), (32)),
need as (
  select *, (side * side + 31) / 32 as warps, (registers * 32 + 63) / 64 * 64 as per_warp,
    (shared_bytes + 127) / 128 * 128 as shared from kernel, side)
select *, min(48 / warps, 32768 / 2 / per_warp * 2 / warps, 49152 / shared, 8) as blocks from need;

create view occupancy_2012 as
select program, registers, shared_bytes, quantity as row,
  max(value) filter (where side = 1) as "1", max(value) filter (where side = 2) as "2",
  max(value) filter (where side = 4) as "4", max(value) filter (where side = 8) as "8",
  max(value) filter (where side = 16) as "16", max(value) filter (where side = 32) as "32"
from (
  select *, 1 as q, 'threads_per_sm' as quantity, blocks * warps * 32 as value from fermi union all
  select *, 2, 'warps_per_sm', blocks * warps from fermi union all
  select *, 3, 'blocks_per_sm', blocks from fermi union all
  select *, 4, 'occupancy_percent', cast(round(100.0 * blocks * warps / 48) as integer) from fermi)
group by n, q order by n, q;
