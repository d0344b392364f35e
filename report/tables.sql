-- tables.sql - the report's tables. Every view here, and in a lab's own report.sql, becomes
-- tables/NAME.csv in full precision; steps on the way are tables. README.md tells what they hold.

-- The machine, and 2012 by tables 3 and 4 of its report -------------------------------------------

-- What the latest run of the machine, and of the one that tells of the GPU, said of processor `of`.
create table run as
with described as (
  select origin, value as record, row_number() over (
    partition by origin order by json_extract(value, '$.date') desc, id desc) as i
  from (select origin, cast(readfile(origin || '/run.json') as text) as text from origin),
    json_each(iif(json_valid(text), text, '{}'))),
teller_of(of, origin) as (select 'cpu', 'own' union all select 'gpu', gpu_origin from teller)
select of, key, value
from described join teller_of using (origin), json_each(record) where i = 1;

-- `nvcc 13.0, gcc (Ubuntu ...) 13.3.0` names both compilers.
insert into run
select of, 'cpu_compiler',
  iif(value glob 'nvcc*, *', substr(value, instr(value, ', ') + 2), value)
from run where of = 'cpu' and key = 'compiler'
union all
select of, 'gpu_compiler', substr(value, 1, instr(value || ',', ',') - 1)
from run where of = 'gpu' and key = 'compiler' and value glob 'nvcc*';

-- What a multiprocessor does in a clock, where it is known: `cores`, `int32`, `special` results of
-- FP32, of integer multiply-adds, of exponentials (CUDA C++ Programming Guide, "Throughput of Native
-- Arithmetic Instructions"); `loads` words of the load/store units, `shared_bytes`, `tensor_...`
-- dense multiply-adds (NVIDIA's white papers of the architectures from Maxwell to Hopper).
.import --csv report/cores.csv cores
insert into run
select of, 'cores', many.value * cores.cores
from run many join run using (of) join cores on capability = run.value
where of = 'gpu' and many.key = 'multiprocessors' and run.key = 'compute_capability';

.import --csv report/environment.csv item
create table description as
select item.rowid as n, "table", item, past, case
    when value is null then '' when key = 'date' then substr(value, 1, 10)
    when key = 'gpu' and stands_in then value || ' (recorded)'
    when divisor = '' then value || unit
    else rtrim(rtrim(printf('%f', cast(printf('%.4g', value * 1.0 / divisor) as real)), '0'), '.')
      || unit end as this
from item left join run using (of, key) join teller;

-- What neither tells is left out.
create view environment as
select item, this, past from description
where "table" = 'environment' and this || past <> '' order by n;
create view device as
select item, this, past from description where "table" = 'device' and this || past <> ''
  and exists (select * from run where of = 'gpu' and key = 'gpu' and value <> '') order by n;

-- What came of the rows ---------------------------------------------------------------------------

create view status as
select lab, count(*) as rows, sum(status = 'ok' and kind <> 'emulated') as ok,
  sum(status = 'wrong') as wrong, sum(status = 'skipped') as skipped,
  sum(status = 'failed') as failed, sum(status = 'ok' and kind = 'emulated') as emulated
from row where origin = 'own' group by lab;

create view problems as
with problem as (
  select lab, status, count(*) as count, variant, file || ':' || min(line) as place, note, line
  from row where origin = 'own' and status <> 'ok' group by lab, status, variant, note
  union all
  select lab, 'missing', null, '', lab || '.csv', 'not measured', 0
  from labs where lab not in (select lab from row where origin = 'own')
  union all
  select '', 'missing', null, '', 'run.json', 'the machine is not described', 0
  where not exists (select * from run where of = 'cpu'))
select lab, status, count, variant, place as "where", note from problem
order by instr('wrong failed skipped missing', status), lab, count desc, line;

-- Each lab ----------------------------------------------------------------------------------------

create view variants as
select lab, mark as machine, variant, kind, block, time_s * 1e3 as time_ms,
  end_to_end_s * 1e3 as end_to_end_ms, gb_per_s,
  iif(role is 'yardstick', null, gflop_per_s) as gflop_per_s, speedup,
  occupancy * 100 as occupancy_percent, max_error, tolerance
from best join mark using (origin) order by lab, origin desc, rank;

create view best_by_size as
select lab, variant, kind, size, block, min(time_s) * 1e3 as time_ms, gb_per_s,
  iif(role is 'yardstick', null, gflop_per_s) as gflop_per_s, gop_per_s, speedup
from mine group by lab, variant, size order by lab, min(rank) over (partition by lab, variant), area;

create view cpu as
select lab, size, min(time_s * 1e3) filter (where origin = 'own' and role = 'serial') as cpu_ms,
  min(time_s * 1e3) filter (where origin = 'own' and role = 'scales') as cpu_omp_ms,
  min(time_s * 1e3) filter (where origin = 'past') as past_cpu_ms
from now_and_then where role in ('serial', 'scales') group by lab, size order by lab, area, width;

-- The fastest kernel against the CPU: one thread as the source has it, one thread at its best, all
-- cores at their best (facts.sql). The CPU's data are hot: the kernel's time with hot data, too.
create view baselines as
select f.lab, f.size, f.variant, f.time_s * 1e3 as time_ms, (
    select min(time_s) * 1e3 from good h
    where h.lab = f.lab and h.origin = f.origin and h.work = f.work and h.size = f.size
      and h.variant = f.variant and h.cache = 'hot' and h.transfer is null) as hot_ms, f.serial_s * 1e3 as cpu_ms,
  f.serial_s / f.time_s as cpu_gain, o.variant as one_thread_variant, o.time_s * 1e3 as one_thread_ms,
  o.gain as one_thread_gain, c.variant as cpu_best_variant, c.time_s * 1e3 as cpu_best_ms,
  c.gain as cpu_best_gain
from fastest f left join one_thread o using (lab) left join cpu_best c using (lab) order by lab;

create view occupancy as
select lab, variant, block, threads_per_block, registers, shared_bytes, local_bytes, constant_bytes,
  blocks_per_sm, warps_per_sm, threads_per_sm, occupancy * 100 as occupancy_percent, limiter,
  time_s * 1e3 as time_ms
from mine join at using (lab, size) where kind = 'gpu'
order by lab, rank, coalesce(threads_per_block, block_x * coalesce(block_y, 1)), block_x;

-- The plain kernel by size and square block, now and then.
create table by_block as
select lab, id, is_past, size, area, width, iif(is_past, past_label, label) as machine,
  block_x as side, block, time_s * 1e3 as time_ms, speedup, source || ';' || serial_source as both
from now_and_then, teller
where variant = 'naive' and block_x = block_y and lab in (select lab from past);

-- A lab's own tables are those lines of the above, a view each; blocks become columns.
.once labs.sql
select printf('create view %s_%s as select %s from %s where lab = %Q;',
  id, name, group_concat('"' || c || '"', ', '), name, lab)
from (
  select id, lab, v.name, info.name as c
  from (select distinct id, lab from mine), sqlite_master v, pragma_table_info(v.name) info
  where v.name in ('variants', 'cpu', 'occupancy') and c <> 'lab')
group by id, name
union all
select printf('create view %s_%s as select size, machine%s from by_block where lab = %Q
    group by area, width, is_past having count(%s) > 0;', id, name, group_concat(
    printf(', max(%s) filter (where side = %d) as "%dx%d"', value, side, side, side), ''),
  lab, value)
from (select distinct id, lab, side from by_block order by id, side),
  (select 'gpu' as name, 'time_ms' as value union all select 'speedup', 'speedup')
group by id, lab, name;
.read labs.sql

-- Amdahl's law ------------------------------------------------------------------------------------

-- The parallel program by its threads: of several works and sizes that with the most rows, of
-- equals the largest. Its speedup is over one thread, or over the serial program.
create table scaled as
with threads as (
  select *, min(time_s) from good
  where origin = 'own' and role = 'scales' and cpu_threads > 0 and not is_ceiling
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
-- `bound`: the speedup if the kernel took no time.
create table steps as
with timed as (
  select mine.*, read_s + write_s as files_s, copy_in_s + copy_out_s as copies_s,
    row_number() over (
      partition by lab order by mine.size = at.size desc, mine.area desc, time_s) as i
  from mine join at using (lab)
  where kind = 'gpu' and role is not 'yardstick'
    and read_s + copy_in_s + copy_out_s + write_s is not null)
select *, files_s + copies_s + time_s as total_s,
  (files_s + serial_s) / (files_s + copies_s) as bound
from timed where i = 1;

create view split as
select lab, size, variant, block, read_s * 1e3 as read_ms, copy_in_s * 1e3 as copy_in_ms,
  time_s * 1e3 as kernel_ms, copy_out_s * 1e3 as copy_out_ms, write_s * 1e3 as write_ms,
  total_s * 1e3 as total_ms, serial_s * 1e3 as cpu_ms, (files_s + serial_s) * 1e3 as cpu_total_ms,
  serial_s / time_s as kernel_speedup, (files_s + serial_s) / total_s as total_speedup,
  bound as "limit"
from steps order by lab;

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
select lab, mark as machine, variant, kind, processor, size, block, flop_per_byte, gflop_per_s,
  gb_per_s, roof_gflop_per_s, 100 * share as roof_percent,
  iif(by_memory, 'memory', 'arithmetic') as bound
from under_roof join mark using (origin) order by lab, rank;

-- How times grow with the size --------------------------------------------------------------------

-- A curve: a variant with the block that is best at the lab's size, at four sizes or more. u and v
-- are ln x and ln t about their means.
create table point as
with curve as (
  select m.*, min(m.time_s)
  from mine m join mine_best b
    on b.lab = m.lab and b.origin = m.origin and b.variant = m.variant and b.block = m.block
  where m.x > 0 group by m.lab, m.variant, m.x)
select *, ln(x) - avg(ln(x)) over curve as u, ln(time_s) - avg(ln(time_s)) over curve as v,
  avg(ln(time_s)) over curve as mean_t,
  row_number() over (partition by lab, variant order by x) as i, count(*) over curve as points
from curve window curve as (partition by lab, variant);

-- Lines through the first k points and through the rest, for each k that leaves three on each side,
-- and one through all of them, k = points, which stands for the large sizes. xx, xy, yy: variances;
-- rms: of what is left of ln t.
create table line as
with cut as (
  select lab, variant, points, i as k from point
  where points >= 4 and (i between 3 and points - 3 or i = points)),
half as (
  select lab, variant, points, k, i <= k and k < points as small, count(*) as n, avg(u) as mu,
    avg(v) as mv, avg(u * u) - avg(u) * avg(u) as xx, avg(u * v) - avg(u) * avg(v) as xy,
    avg(v * v) - avg(v) * avg(v) as yy
  from cut join point using (lab, variant, points) group by lab, variant, k, small)
select lab, variant, points, k, max(xy / xx) filter (where small) as exponent_small,
  max(mv - xy / xx * mu) filter (where small) as small_start,
  max(xy / xx) filter (where not small) as exponent_large,
  max(mv - xy / xx * mu) filter (where not small) as large_start,
  sqrt(sum(n * max(0, yy - xy * xy / xx)) / points) as rms
from half group by lab, variant, k having min(xx) > 1e-9;

-- The lines that leave least. Two must halve what one leaves, and that be more than 1 %: times are
-- known no better. They cross at `bend_u`.
create table fit as
select *, min(rms), (large_start - small_start) / (exponent_small - exponent_large) as bend_u
from (
  select *, max(rms) filter (where k = points) over (partition by lab, variant) as one_rms
  from line)
where k = points or (one_rms > 0.01 and rms <= one_rms / 2) group by lab, variant;

create table card as
select max(value * 1.0) filter (where key = 'l2_bytes') as l2,
  max(value * 1.0) filter (where key = 'multiprocessors') as multiprocessors,
  coalesce((select gb_per_s from ceiling where processor = 'gpu'),
    (select max(gb_per_s) from mine where kind <> 'cpu' and role is not 'yardstick')) as gb_per_s,
  (select gflop_per_s from ceiling where processor = 'gpu') as gflop_per_s
from run where of = 'gpu';

-- Each curve's fit, the point that is nearest to its bend, and what that points to. Where the lines
-- cross outside the gap between the two groups, the bend is that point itself.
create table growth as
with bent as (
  select fit.*, last.origin, last.id, last.kind, last.role, last.block, last.rank, last.sizes_are,
    last.gb_per_s, last.gflop_per_s, last.threads_per_sm, bend.size as bend_size, bend.bytes,
    bend.x * exp(iif(bend.i = k, max(0, bend_u - bend.u), min(0, bend_u - bend.u))) as bend_x,
    min(abs(bend.u - bend_u))
  from fit
  join point last on last.lab = fit.lab and last.variant = fit.variant and last.i = fit.points
  left join point bend on bend.lab = fit.lab and bend.variant = fit.variant
    and bend.i in (k, k + 1) and k < fit.points
  group by fit.lab, fit.variant)
select bent.*, card.multiprocessors * threads_per_sm as resident,
  iif(sizes_are = 'product', bend_x * bend_x, bend_x)
    between multiprocessors * threads_per_sm / 2 and multiprocessors * threads_per_sm * 2
    as is_full,
  bytes between l2 / 2 and l2 * 2 as is_cache, bent.gb_per_s >= 0.7 * card.gb_per_s as is_bandwidth,
  bent.gflop_per_s >= 0.7 * card.gflop_per_s as is_arithmetic,
  (select max(time_s) filter (where i <= k) <= 3 * min(time_s)
    from point where point.lab = bent.lab and point.variant = bent.variant) as is_launch
from bent, card;

-- Table 19 of 2012 has no vectors.
create view exponents as
select lab, mark as machine, variant, block, case when sizes_are = 'vector' then null
    when sizes_are = 'product' then iif(kind = 'cpu', 3, 1)
    else iif(kind = 'cpu', 1, 0) end as theory_2012,
  exponent_small, exponent_large, bend_size, points, 100 * rms as rms_percent,
  iif(kind = 'cpu', '', substr(iif(is_launch, ', launch', '') || iif(is_full, ', full', '')
    || iif(is_cache, ', cache', '') || iif(is_bandwidth, ', bandwidth', '')
    || iif(is_arithmetic, ', arithmetic', ''), 3)) as why
from growth join mark using (origin) order by lab, rank;

create view fit_points as
select lab, variant, p.block, size, x, time_s * 1e3 as time_ms,
  1e3 * exp(mean_t + coalesce(small_start + u * iif(i <= k, exponent_small, null),
    large_start + u * exponent_large)) as fit_ms
from point p join growth using (lab, variant) order by lab, p.rank, i;

-- What a multiprocessor holds ---------------------------------------------------------------------

-- The counters of each kernel whose size and block were measured, beside the row of its case.
create table profiled as
select c.*, r.size, r.block, joined.occupancy, joined.bytes
from counters c
join (select distinct origin, lab, width, height, depth, block_x, block_y, size, block from row) r
  on r.origin = c.origin and r.lab = c.lab and r.width = c.width and r.height = c.height
  and r.depth is c.depth and r.block_x is c.block_x and r.block_y is c.block_y
left join mine joined on joined.lab = c.lab and joined.variant = c.variant
  and joined.size = r.size and joined.block = r.block and joined.parameters is c.parameters
where c.origin = (select gpu_origin from teller) and c.status = 'ok';
update profiled set dram_share = coalesce(dram_share, dram_throughput);

create view profile as
select lab, variant, size, block, 100 * occupancy as occupancy_percent,
  100 * achieved_occupancy as achieved_percent, bytes / 1e6 as compulsory_mb,
  (dram_read_bytes + dram_write_bytes) / 1e6 as dram_mb, l2_asked_bytes / 1e6 as l2_mb,
  global_load_sectors_per_request as load_sectors,
  global_store_sectors_per_request as store_sectors,
  shared_load_conflicts / shared_loads as conflicts_per_load,
  stall, 100 * stall_share as stall_percent
from profiled order by line;

-- Table 20 of 2012 beside today's kernels. In code for compute capability 1.x a kernel's arguments
-- and 16 bytes more are shared memory; `argument_bytes` is from the listings, tables 7, 12 and 16.
.import --csv report/resources_2012.csv printed_resources
create view resources_2012 as
select program, p.registers as registers_2012, b.registers, p.shared_bytes as shared_2012,
  argument_bytes + 16 as shared_computed, b.shared_bytes, p.constant_bytes as constant_2012,
  b.constant_bytes
from printed_resources p left join labs using (program)
  left join mine_best b on b.lab = labs.lab and b.variant = p.variant and b.kind = 'gpu'
order by p.rowid;

-- Tables 21 to 23 of 2012, as they follow from its registers and bytes.
.import --csv report/occupancy_2012.csv printed_occupancy
create view occupancy_2012 as select * from printed_occupancy;
