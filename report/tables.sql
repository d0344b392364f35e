-- tables.sql - the report's tables. Every view here, and in a lab's own report.sql, becomes
-- tables/NAME.csv in full precision; steps on the way are tables. README.md tells what they hold.

-- The machine, and 2012 by tables 3 and 4 of its report -------------------------------------------

-- What the latest run of the machine, and of the one that tells of the GPU, said of processor `of`.
create table run as
with latest as (
  select origin, record, row_number() over (
    partition by origin order by json_extract(record, '$.date') desc, id desc) as i
  from described where sound),
teller_of(of, origin) as (select 'cpu', 'own' union all select 'gpu', gpu_origin from teller)
select of, key, value
from latest join teller_of using (origin), json_each(record) where i = 1;

-- `nvcc 13.0, gcc (Ubuntu ...) 13.3.0` names both compilers.
insert into run
select of, 'cpu_compiler',
  iif(value glob 'nvcc*, *', substr(value, instr(value, ', ') + 2), value)
from run where of = 'cpu' and key = 'compiler'
union all
select of, 'gpu_compiler', substr(value, 1, instr(value || ',', ',') - 1)
from run where of = 'gpu' and key = 'compiler' and value glob 'nvcc*';

-- What a multiprocessor does in a clock, where it is known: README.md tells the columns and sources.
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

-- Whose each lab's rows are, if they are not all of one commit and host. The host of older rows than
-- the last run's is not known.
create view recordings as
with part as (
  select every_row.lab, "commit", max(date) as date, count(*) as rows,
    json_extract(record, '$.host') as host
  from every_row left join described on sound and described.origin = 'own'
    and described.lab = every_row.lab and json_extract(record, '$.commit') = "commit"
  where every_row.origin = 'own' and "commit" is not null group by every_row.lab, "commit")
select lab, rows, "commit", substr(date, 1, 10) as date, host from part
where (select count(distinct "commit") > 1 or count(distinct host) > 1 from part)
order by substr(lab, 4) + 0, part.date;

-- What came of the rows ---------------------------------------------------------------------------

create view status as
select lab, count(*) as rows, sum(status = 'ok' and kind <> 'emulated') as ok,
  sum(status = 'wrong') as wrong, sum(status = 'skipped') as skipped,
  sum(status = 'failed') as failed, sum(status = 'ok' and kind = 'emulated') as emulated
from every_row where origin = 'own' group by lab order by substr(lab, 4) + 0;

create view problems as
with problem as (
  select lab, status, count(*) as count, variant, file || ':' || min(line) as place, note, line
  from every_row where origin = 'own' and status <> 'ok' group by lab, status, variant, note
  union all
  select lab, 'missing', null, '', lab || '.csv', 'not measured', 0
  from labs where lab not in (select lab from every_row where origin = 'own')
  union all
  select '', 'missing', null, '', 'run.json', 'the machine is not described', 0
  where not exists (select * from run where of = 'cpu'))
select lab, status, count, variant, place as "where", note from problem
order by instr('wrong failed skipped missing', status), lab, count desc, line;

-- A row whose quartiles are further apart, in percent of its median, than a difference has to be for
-- `make compare-runs` to tell it: by its samples alone another run may say something else. Of each
-- variant with such rows how many, of how many, and the worst; the 15 worst of these.
create table unsteady as select 10 as percent;
create view noisy as
with spread as (
  select *, 100 * coalesce(noise, (time_q3_s - time_q1_s) / time_s) as noise_percent
  from good where origin = 'own' and coalesce(trials, 3) >= 3),
counted as (
  select *, sum(noise_percent > percent) over variants as noisy_rows, count(*) over variants as n,
    row_number() over (partition by lab, variant order by noise_percent desc, line) as i
  from spread, unsteady window variants as (partition by lab, variant))
select lab, variant, noisy_rows, n as rows, size, block, cpu_threads, (
    select value from parameter p
    where p.parameters = counted.parameters and key in ('type', 'measure')
    order by key desc) as type,
  time_s * 1e3 as time_ms, noise_percent
from counted where i = 1 and noisy_rows > 0 order by noise_percent desc limit 15;

-- Who is compared ---------------------------------------------------------------------------------

-- Each lab's plain kernel; its fastest, of those whose launches do not overlap and that do the same
-- work as exactly; the fastest program of the CPU beside it, a library's too; the fastest on one
-- thread; the fastest library on the GPU that is held to no wider bound. All of one recording.
create table plain as
select b.* from mine_best b join first_kernel using (lab, variant) where kind = 'gpu';
create table fastest as
select b.*, min(b.time_s), b.source || ';' || b.serial_source as both, p.time_s / b.time_s as plain_gain,
  b.source || ';' || p.source as both_kernels
from mine_best b join gpu_work using (lab, work) join plain p using (lab, work, recording)
where b.kind = 'gpu' and b.role is not 'yardstick' and ifnull(b.tolerance <= 1.001 * p.tolerance, true)
  and (b.lab, b.variant) not in (select lab, variant from overlapping)
group by b.lab;
create table cpu_best as
select c.*, min(c.time_s), c.time_s / f.time_s as gain, c.source || ';' || f.source as both
from best c join fastest f using (lab, origin, work, recording) where c.kind = 'cpu' group by c.lab;
create table one_thread as
select c.*, min(c.time_s), c.time_s / f.time_s as gain, c.source || ';' || f.source as both
from best c join fastest f using (lab, origin, work, recording)
where c.role in ('serial', 'tuned') group by c.lab;
create table vendor as
select v.*, min(v.time_s), f.time_s / v.time_s as gain, f.source || ';' || v.source as both
from mine_best v join fastest f using (lab, work, recording)
where v.kind = 'vendor' and v.role is not 'yardstick'
  and ifnull(v.tolerance <= 1.001 * f.tolerance, true) and v.source not in (select source from singly)
group by v.lab;

-- 2012 at the lab's size, by the names of today's counterparts.
create table past_best as
select past.*, min(past.time_s) from past join at using (lab, size) group by past.lab, past.variant;

-- What the abstract has the least and the greatest of.
create table headline as
select 'plain_gain' as name, id, both_kernels as source, plain_gain as value
from fastest where (lab, variant) not in (select lab, variant from first_kernel)
union all select 'cpu_best_gain', id, both, gain from cpu_best
union all
select 'past_gain', p.id, p.source || ';' || b.source, p.time_s / b.time_s
from past_best p join counterpart using (lab, variant) join mine_best b using (lab, variant)
union all
select 'end_to_end_gain', f.id, f.source || ';' || c.source, c.time_s / f.end_to_end_s
from fastest f join cpu_best c using (lab) where f.end_to_end_s > 0;

-- Each lab ----------------------------------------------------------------------------------------

create view variants as
select lab, mark as machine, variant, kind, block, time_s * 1e3 as time_ms,
  100 * coalesce(noise, (time_q3_s - time_q1_s) / time_s) as noise_percent,
  end_to_end_s * 1e3 as end_to_end_ms, gb_per_s,
  iif(role is 'yardstick', null, gflop_per_s) as gflop_per_s, gop_per_s, speedup,
  occupancy * 100 as occupancy_percent, max_error, tolerance
from best join mark using (origin) order by substr(lab, 4) + 0, origin desc, rank;

-- Each kernel and library at its best block, as many times as fast as the lab's plain kernel. What the
-- profiler counted stands beside it where that was this block.
create view rungs as
select b.lab, b.size, b.variant, b.kind, b.block, b.time_s * 1e3 as time_ms, 100 * b.noise as time_noise,
  iif(b.work = f.work and b.recording = f.recording and b.role is not 'yardstick'
    and (b.lab, b.variant) not in (select lab, variant from overlapping)
    and b.source not in (select source from singly), f.time_s / b.time_s, null)
    as gain, j.leading, 100 * j.share as share_percent, j.bound
from mine_best b join plain f using (lab)
  left join judged j on j.origin = b.origin and j.lab = b.lab and j.line = b.line
    and j.basis = 'counters'
where b.kind <> 'cpu' order by substr(b.lab, 4) + 0, b.rank;

-- The fastest kernel of each lab, and how many times as fast it is; the library is that of the ladder.
create view headlines as
select f.lab, f.size, f.variant, f.time_s * 1e3 as time_ms, 100 * f.noise as time_noise,
  f.plain_gain as over_plain, v.variant as library, v.time_s / f.time_s as over_library, c.gain as over_cpu,
  100 * c.noise as over_cpu_noise, c.time_s / f.end_to_end_s as over_cpu_copies,
  100 * c.noise as over_cpu_copies_noise, past.value as over_2012
from fastest f left join held_against h on h.lab = f.lab
  left join mine_best v on v.lab = f.lab and v.variant = h.variant and v.work = f.work
    and v.recording = f.recording and v.source not in (select source from singly)
  left join cpu_best c on c.lab = f.lab
  left join headline past on past.id = f.id and past.name = 'past_gain'
order by substr(f.lab, 4) + 0;

create view best_by_size as
select lab, variant, kind, size, block, min(time_s) * 1e3 as time_ms,
  100 * noise as noise_percent, gb_per_s,
  iif(role is 'yardstick', null, gflop_per_s) as gflop_per_s, gop_per_s, speedup
from mine group by lab, variant, size
order by substr(lab, 4) + 0, min(rank) over (partition by lab, variant), area;

create view cpu as
select lab, size, min(time_s * 1e3) filter (where origin = 'own' and role = 'serial') as cpu_ms,
  min(time_s * 1e3) filter (where origin = 'own' and role = 'scales') as cpu_omp_ms,
  100 * max(noise) filter (where origin = 'own' and role = 'serial') as cpu_noise,
  100 * max(noise) filter (where origin = 'own' and role = 'scales') as cpu_omp_noise,
  min(time_s * 1e3) filter (where origin = 'past') as past_cpu_ms
from now_and_then where role in ('serial', 'scales') group by lab, size
order by substr(lab, 4) + 0, area, width;

-- The fastest kernel against the CPU: one thread as the source has it, one thread at its best, all
-- cores at their best (facts.sql). The CPU's data are hot: the kernel's time with hot data, too.
create view baselines as
select f.lab, f.size, f.variant, f.time_s * 1e3 as time_ms, (
    select min(time_s) * 1e3 from good h
    where h.lab = f.lab and h.origin = f.origin and h.work = f.work and h.size = f.size
      and h.variant = f.variant and h.cache = 'hot' and h.transfer is null) as hot_ms,
  f.serial_s * 1e3 as cpu_ms,
  f.serial_s / f.time_s as cpu_gain, 100 * s.noise as cpu_noise, o.variant as one_thread_variant,
  o.time_s * 1e3 as one_thread_ms, o.gain as one_thread_gain, 100 * o.noise as one_thread_noise,
  c.variant as cpu_best_variant, c.time_s * 1e3 as cpu_best_ms, c.gain as cpu_best_gain,
  100 * c.noise as cpu_best_noise
from fastest f left join one_thread o using (lab) left join cpu_best c using (lab)
  left join good s on s.source = f.serial_source order by substr(f.lab, 4) + 0;

-- Of each kernel at its best block.
create view occupancy as
select lab, variant, block, threads_per_block, registers, shared_bytes, local_bytes, constant_bytes,
  blocks_per_sm, warps_per_sm, threads_per_sm, occupancy * 100 as occupancy_percent, limiter,
  min(time_s) * 1e3 as time_ms
from mine join at using (lab, size) where kind = 'gpu'
group by lab, variant order by substr(lab, 4) + 0, rank;

-- The plain kernel by size and square block, now and then.
create table by_block as
select lab, id, is_past, size, area, width, height, iif(is_past, past_label, label) as machine,
  block_x as side, block, time_s * 1e3 as time_ms, speedup,
  source || coalesce(';' || serial_source, '') as both
from now_and_then join counterpart using (lab, variant), teller
where block_x = block_y and lab in (select lab from past);

-- What a block of 32 x 32 threads takes of the time of one of 16 x 16, now and then. 2012 divided
-- the size by the block without rounding up, so that a picture lower than a block had no block.
create table large_block as
select b.lab, b.id, b.is_past, b.machine, b.size, b.area, b.width, b.height,
  b.time_ms / a.time_ms as ratio,
  a.both || ';' || b.both as both
from by_block a join by_block b using (lab, is_past, size)
where a.side = 16 and b.side = 32 and not (is_past and b.height < 32);

create view block_ratio as
select lab, machine, count(*) as sizes, sum(ratio >= 1.01) as slower_sizes,
  min(ratio) as ratio_least, max(size) filter (where i = 1) as ratio_least_size,
  max(ratio) as ratio_most, max(size) filter (where j = 1) as ratio_most_size
from (select *, row_number() over (partition by lab, is_past order by ratio, area) as i,
    row_number() over (partition by lab, is_past order by ratio desc, area) as j from large_block)
group by lab, is_past;

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

-- Over several GPUs: each variant with cold data, at its best block. A library's from host memory
-- count as hot.
create table several as
select timed.*, iif(timed.sizes_are = 'vector', gpus, 1) as wider,
  iif(timed.sizes_are = 'vector', 1, gpus) as higher, min(time_s)
from timed join teller on origin = gpu_origin
where gpus > 0 and not is_ceiling and (cache is not 'hot' or kind = 'vendor') and transfer is null
group by lab, variant, work, size, gpus, nodes;

-- Beside one GPU's time: strong scaling is of the same problem; weak of one so many times as wide,
-- a vector's, or as high. A series is a problem on one GPU and the GPUs of so many nodes.
create table spread as
with way as (select 'strong' as way union all select 'weak')
select way, m.*, o.size as one_size, o.time_s as one_s, o.source as one_source,
  o.time_s / m.time_s * iif(way = 'weak', m.gpus, 1) as s,
  m.line + iif(m.kind = 'vendor', 1e9, 0) as place, -- libraries behind a lab's own
  printf('%s %s %s %s %s %d', way, m.lab, m.variant, m.work, o.size, m.nodes) as series
from several m join several o using (lab, variant, work), way
where m.gpus > 1 and o.gpus = 1 and m.width = o.width * iif(way = 'weak', m.wider, 1)
  and m.height = o.height * iif(way = 'weak', m.higher, 1) and m.depth is o.depth;

-- What a lab's report.sql says of what moves between GPUs, for the model of gpus.sql. `link`: how
-- long a message takes, by the way it takes. `exchange`: of a row of `several` so many messages of
-- so many bytes, one after the other, which may go on behind this share of the arithmetic.
create table link(way, gpus, nodes, bytes, time_s, source);
create table exchange(source, way, messages, bytes, behind);

-- 1/S = (1 - P) + P/N: the P whose times differ least, in squares of the share, from the measured.
-- A series is a lab's, by threads, or one by GPUs.
create table law as
with point(series, n, s) as (
  select lab, cpu_threads, s from scaled
  union all
  select series, gpus, s from spread where way = 'strong'
  union all
  select distinct series, 1, 1 from spread where way = 'strong'),
share as (
  select series, min(1.0, max(0.0, sum(u * v) / sum(u * u))) as p
  from (select series, s * (1 - 1.0 / n) as u, s - 1 as v from point) group by series)
select *, 1 / (1 - p + p / n) as fit_speedup from point join share using (series);

-- What is off by more than this from what was measured, root mean square, is no fit. `share`: a P
-- that is one.
create table misfit as select 15 as percent;
create table fitted as
select *, iif(rms_percent > percent, null, p) as share
from (
  select series, max(n) as n_max, max(s) as speedup_max, p,
    iif(sum(n > 1) > 1,
      100 * sqrt(avg((fit_speedup / s - 1) * (fit_speedup / s - 1))), null) as rms_percent
  from law group by series), misfit;

create view amdahl as
select lab, size, n_max as cpu_threads_max, speedup_max, 100 * share as parallel_percent,
  1 / nullif(1 - share, 0) as "limit", rms_percent
from fitted join (select distinct lab, size from scaled) on series = lab
order by substr(lab, 4) + 0;

-- From file to file, around the fastest kernel; at the lab's size, or the largest with all steps.
-- `bound`: the speedup if the kernel took no time.
create table steps as
with timed as (
  select mine.*, read_s + write_s as files_s, copy_in_s + copy_out_s as copies_s,
    row_number() over (
      partition by lab order by mine.size = at.size desc, mine.area desc,
        mine.variant is fastest.variant desc, mine.time_s) as i
  from mine join at using (lab) join gpu_work using (lab, work)
    left join (select lab, variant from fastest) as fastest using (lab)
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
from steps order by substr(lab, 4) + 0;

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
where c.origin = (select gpu_origin from teller) and c.status = 'ok'
  and ifnull(c.parameters, '') not glob 'measure=*';
update profiled set dram_share = coalesce(dram_share, dram_throughput);

create view profile as
select lab, variant, size, block, 100 * occupancy as occupancy_percent,
  100 * achieved_occupancy as achieved_percent, bytes / 1e6 as compulsory_mb,
  (dram_read_bytes + dram_write_bytes) / 1e6 as dram_mb, l2_asked_bytes / 1e6 as l2_mb,
  global_load_sectors_per_request as load_sectors,
  global_store_sectors_per_request as store_sectors,
  shared_load_conflicts / shared_loads as conflicts_per_load,
  stall, 100 * stall_share as stall_percent
from profiled order by substr(lab, 4) + 0, line;

-- Times that the profiler tells otherwise, by more than 1 us and 5 %.
create view profiled_times as
select r.lab, r.variant, r.size, r.block, r.time_s * 1e3 as time_ms, 100 * r.noise as time_noise,
  p.time_s * 1e3 as profiler_ms, 100 * (r.time_s / p.time_s - 1) as differs_percent
from profiled p join mine r on r.lab = p.lab and r.variant = p.variant
  and r.parameters is p.parameters and r.size = p.size and r.block = p.block
where abs(r.time_s - p.time_s) > max(1e-6, 0.05 * p.time_s)
order by abs(r.time_s / p.time_s - 1) desc;

-- Lab 0's kernels, each of which keeps one unit as busy as it gets: what the profiler says of that
-- unit then is what its shares of other kernels are to be seen against.
create view calibration as
with stressed(measure, key) as (
  values ('copy', 'dram'), ('read', 'dram'), ('l2', 'l2'), ('shared', 'shared'), ('loads', 'loads'), ('fma', 'fp32'),
    ('int32', 'int32'), ('exp', 'special'), ('tensor_fp16', 'tensor'), ('tensor_tf32', 'tensor'),
    ('tensor_int8', 'tensor'), ('tensor_fp64', 'tensor'))
select measure, variant, width as size, block_x as block, unit as leading, 100 * case key
    when 'dram' then dram_share when 'l2' then l2_share when 'shared' then shared_share
    when 'loads' then load_share when 'fp32' then fp32_share when 'int32' then int32_share
    when 'special' then special_share else tensor_share end as share_percent,
  100 * issue_share as issue_percent, stall, 100 * stall_share as stall_percent
from counters join stressed on parameters = 'measure=' || measure join unit using (key)
where origin = (select gpu_origin from teller) and status = 'ok' order by line;

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
