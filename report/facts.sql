-- facts.sql - what the sentences of the report say: {"name": value, ...}, about what, by which rows
-- (schema.sql). A value of null is no fact; a flag is `iif(..., '', null)`. The name says how many
-- digits are shown (analyse.sh).

-- The whole ---------------------------------------------------------------------------------------

insert into told
select '', '', json_object('machine', machine, 'gpu_label', iif(kernels, label, null),
  'gpu_measured', iif(kernels and not stands_in, '', null),
  'gpu_recorded', iif(stands_in, '', null),
  'problems', iif(exists (select * from problems where status <> 'skipped'), '', null),
  'no_problems', iif(exists (select * from problems), null, ''),
  'not_profiled', iif(exists (select * from profile), null, ''),
  'waits_counted', iif(exists (select * from profile where stall is not null), '', null),
  'nothing_measured', iif(exists (select * from mine where origin = 'own')
    or exists (select * from spread), null, ''))
from teller
union all
select '', 'run.json', json_object('gpu', max(value) filter (where key = 'gpu'),
  'date_gpu', max(substr(value, 1, 10)) filter (where key = 'date' and stands_in))
from run, teller where of = 'gpu'
union all
select '', group_concat(lab || '.csv'), json_object('rows', sum(rows), 'rows_ok',
  sum(ok + emulated), 'rows_wrong', nullif(sum(wrong), 0), 'rows_skipped', nullif(sum(skipped), 0),
  'rows_failed', nullif(sum(failed), 0), 'rows_emulated', sum(emulated))
from status
union all
select processor, source, json_object('copy_gb_per_s', gb_per_s, 'fma_gflop_per_s', gflop_per_s,
  'ridge', gflop_per_s / gb_per_s)
from ceiling;

-- Each lab ----------------------------------------------------------------------------------------

insert into told
select distinct id, file, json_object('measured', '') from mine where origin = 'own'
union all
select distinct id, '', json_object('title', title)
from mine join labs using (lab) where mine.origin = 'own'
union all
select id, '', json_object('size', size) from at
union all
select id, source, json_object('cpu_ms', time_s * 1e3,
  'cpu_here_ms', iif(stands_in, time_s * 1e3, null))
from best, teller where origin = 'own' and role = 'serial';

-- Streams of frames on the GPU, the largest first, beside the slower direction's copies alone.
create table streamed as
select good.*, max(copy_in_s, copy_out_s) as bus_s,
  row_number() over (partition by lab order by area desc, end_to_end_s) as i
from good join teller on origin = gpu_origin
where transfer = 'stream' and end_to_end_s > 0 and copy_in_s > 0 and copy_out_s > 0;

create view streams as
select lab, variant, size, block, frames, end_to_end_s * 1e3 as frame_ms, bus_s * 1e3 as bus_ms,
  end_to_end_s / bus_s as of_bus, 1 / end_to_end_s as frames_per_s
from streamed order by lab, area, i;

insert into told
select id, source, json_object('stream_variant', variant, 'stream_size', size,
  'stream_frames', frames, 'stream_ms', end_to_end_s * 1e3, 'stream_bus_ms', bus_s * 1e3,
  'stream_per_s', 1 / end_to_end_s, 'stream_of_bus', end_to_end_s / bus_s,
  'stream_both_ms', copy_both_s * 1e3, 'stream_kernel_percent', 100 * time_s / end_to_end_s,
  'stream_by_bus', iif(end_to_end_s <= 1.05 * copy_both_s, '', null))
from streamed where i = 1;

create table naive as select * from mine_best where variant = 'naive' and kind = 'gpu';

-- The fastest kernel of those that do the lab's work as exactly as the plain one, against that and
-- the CPU beside it.
create table fastest as
select b.*, min(b.time_s), b.source || ';' || b.serial_source as both
from mine_best b join gpu_work g on g.lab = b.lab and g.work = b.work
left join naive n on n.lab = b.lab
where b.kind = 'gpu' and b.role is not 'yardstick'
  and ifnull(b.tolerance <= 1.001 * n.tolerance, true)
group by b.lab;

insert into told
select id, source, json_object('fastest_variant', variant, 'fastest_block', block,
  'fastest_ms', time_s * 1e3, 'end_to_end_ms', end_to_end_s * 1e3)
from fastest
union all
select id, both, json_object('fastest_speedup', speedup) from fastest
union all
select id, serial_source, json_object('host_cpu_ms', serial_s * 1e3) from fastest
union all
select f.id, f.source || ';' || n.source, json_object('fastest_gain', n.time_s / f.time_s)
from fastest f join naive n using (lab) where f.variant <> 'naive'
union all
select g.id, n.source || ';' || g.source, json_object('gain_' || g.variant, n.time_s / g.time_s)
from mine_best g join naive n using (lab) where g.kind = 'gpu' and g.variant <> 'naive';

-- The fastest program of the CPU beside the kernel, a library's too; the fastest on one thread; and
-- the fastest library on the GPU that is held to no wider bound than the kernel.
create table cpu_best as
select c.*, min(c.time_s), c.time_s / f.time_s as gain, c.source || ';' || f.source as both
from best c join fastest f using (lab, origin) where c.kind = 'cpu' group by c.lab;
create table one_thread as
select c.*, min(c.time_s), c.time_s / f.time_s as gain, c.source || ';' || f.source as both
from best c join fastest f using (lab, origin) where c.role in ('serial', 'tuned') group by c.lab;
create table vendor as
select v.*, min(v.time_s), f.time_s / v.time_s as gain, f.source || ';' || v.source as both
from mine_best v join fastest f using (lab)
where v.kind = 'vendor' and v.role is not 'yardstick'
  and ifnull(v.tolerance <= 1.001 * f.tolerance, true)
group by v.lab;

insert into told
select id, source, json_object('cpu_best_variant', variant, 'cpu_best_ms', time_s * 1e3)
from cpu_best
union all
select id, both, json_object('cpu_best_gain', gain) from cpu_best
union all
select id, source, json_object('one_thread_variant', variant)
from one_thread
union all
select id, both, json_object('one_thread_gain', gain) from one_thread
union all
select id, source, json_object('vendor_variant', variant, 'vendor_ms', time_s * 1e3) from vendor
union all
select id, both, json_object('vendor_gain', gain, 'vendor_loss', iif(gain < 1, 1 / gain, null),
  'vendor_slower', iif(gain < 1, '', null),
  'vendor_faster', iif(gain >= 1, '', null))
from vendor;

-- The plain kernel's smallest block at the lab's size, against its best.
create table blocks as
select m.*, n.time_s as best_s, m.source || ';' || n.source as both,
  row_number() over (partition by m.lab order by m.threads_per_block, m.block_x) as nth,
  count(*) over (partition by m.lab) as n
from mine m join naive n using (lab, size, variant, kind);

insert into told
select id, source, json_object('smallest_block', block,
  'smallest_occupancy_percent', occupancy * 100)
from blocks where nth = 1 and n > 1
union all
select id, both, json_object('smallest_block_gain', time_s / best_s)
from blocks where nth = 1 and n > 1
;

-- Blocks of 32 x 32 against 16 x 16: the greatest ratio, the least, and the loss at the largest size.
insert into told
select id, both, json_object('large_block_' || name || '_gain', ratio,
  'large_block_' || name || '_size', size)
from (
  select *, 'most' as name, row_number() over (partition by id order by ratio desc, area) as i
  from large_block where not is_past
  union all
  select *, 'least', row_number() over (partition by id order by ratio, area)
  from large_block where not is_past)
where i = 1
union all
select id, both, json_object('large_block_last_slower_percent',
  iif(ratio > 1, 100 * (ratio - 1), null))
from (select *, max(area) from large_block where not is_past group by id);

-- The plain kernel's share of the CPU's time, square blocks, all sizes; the same in 2012.
create table share as
select *, iif(is_past, 'past_', '') as period,
  row_number() over (partition by lab, is_past order by speedup, area, side) as nth_least,
  row_number() over (partition by lab, is_past order by speedup desc, area, side) as nth_most
from by_block where speedup is not null;

insert into told
select id, both, json_object(name || '_percent', 100 / speedup, name || '_size', size,
  name || '_block', block)
from (
  select *, period || 'share_max' as name from share where nth_least = 1
  union all
  select *, period || 'share_min' from share where nth_most = 1);

-- 2012 at the lab's size.
create table past_best as
select past.*, min(past.time_s) from past join at using (lab, size) group by past.lab, past.variant;

insert into told
select id, source, json_object('past_naive_ms', time_s * 1e3)
from past_best where variant = 'naive'
union all
select p.id, p.source || ';' || b.source, json_object('past_cpu_gain', p.time_s / b.time_s)
from past_best p join best b using (lab, variant) where p.role = 'serial' and b.origin = 'own'
union all
select p.id, p.source || ';' || n.source, json_object('past_naive_gain', p.time_s / n.time_s)
from past_best p join naive n using (lab, variant);

-- OpenMP, with the most threads.
create table most_threads as
select scaled.*, max(cpu_threads), c.source as copy_source, scaled.gb_per_s > c.gb_per_s as cached
from scaled left join ceiling c on processor = 'cpu' group by lab;

insert into told
select id, source, json_object('scaling_threads', cpu_threads, 'scaling_gb_per_s', gb_per_s,
  'scaling_one_memory', iif(cached, null, ''))
from most_threads
union all
select id, source || ';' || base_source, json_object('scaling_speedup', s) from most_threads
union all
select id, source || ';' || copy_source, json_object('scaling_from_cache', iif(cached, '', null))
from most_threads;

-- From file to file.
insert into told
select id, source, json_object('split_size', size, 'split_kernel_percent', 100 * time_s / total_s,
  'split_copy_percent', 100 * copies_s / total_s, 'split_io_percent', 100 * files_s / total_s)
from steps
union all
select id, source || coalesce(';' || serial_source, ''), json_object(
  'split_speedup', (files_s + serial_s) / total_s, 'split_limit', bound,
  'split_hopeless', iif(bound < 1, '', null), 'split_worthwhile', iif(bound >= 1, '', null))
from steps;

-- How times grow.
insert into told
select id, '', json_object('exponent_cpu', exponent_large) from growth where role = 'serial'
union all
select id, '', json_object('exponent_naive_small', exponent_small,
  'exponent_naive_large', exponent_large, 'exponent_bend', bend_size,
  'bend_full', iif(is_full, '', null))
from growth where variant = 'naive'
union all
select id, 'run.json', json_object('resident_threads', resident)
from growth where variant = 'naive' and bend_size is not null
union all
select '', '', json_object('bound_percent', 100 * share, 'bound_launches', launches) from threshold
union all
select '', '', json_object('misfit_percent', percent) from misfit
union all
select '', '', json_object('unsteady_percent', percent) from unsteady
union all
select '', 'run.json', json_object('multiprocessors', cast(value as int))
from run where of = 'gpu' and key = 'multiprocessors';

-- What bounds kernels: how many of them by the way of the data, by units, by waiting.
insert into told
select '', '', json_object('diagnosed', count(*), 'not_told', nullif(sum(bound is null), 0),
  'bound_by_transfers', sum(bound in ('DRAM', 'L2', 'shared memory', 'L1')),
  'bound_by_units', sum(bound in (
    'load issue', 'FP32', 'INT32', 'special functions', 'tensor cores', 'issue slots')),
  'bound_by_waiting', sum(bound in ('latency', 'launch')))
from examined having count(*) > 0;

-- The fastest kernel's share of the units that do the work's operations, unless it is more than
-- these can, on tensor cores; of memory.
insert into told
select u.id, u.source || ';' || u.units_source, json_object(
  'fastest_float_percent', iif(operands = 'floats', 100 * of_units, null),
  'fastest_integer_percent', iif(operands = 'integers', 100 * of_units, null))
from under_roof u join fastest f using (lab, variant) where u.kind = 'gpu' and of_units <= 1
union all
select e.id, e.source, json_object('fastest_dram_percent', 100 * dram)
from examined e join fastest f using (lab, variant);

-- Each kernel: its time at its best block; what of each unit it took in the case that was examined,
-- and a flag that names what bounds it.
insert into told
select id, source, json_object(variant || '_ms', time_s * 1e3, variant || '_block', block,
  variant || '_occupancy_percent', occupancy * 100)
from mine_best where kind <> 'cpu'
union all
select id, source, json_object(variant || '_dram_percent', 100 * dram,
  variant || '_l2_percent', 100 * l2, variant || '_loads_percent', 100 * loads,
  variant || '_shared_percent', 100 * shared, variant || '_l1_percent', 100 * l1,
  variant || '_fp32_percent', 100 * fp32, variant || '_int32_percent', 100 * int32,
  variant || '_special_percent', 100 * special, variant || '_tensor_percent', 100 * tensor,
  variant || '_issue_percent', 100 * issue)
from examined
union all
select id, source, json_object(variant || '_by_' || coalesce(key, bound), '')
from examined left join unit on unit = bound where bound is not null;
insert into told
select mine.id, mine.source, json_object(p.variant || '_achieved_percent', 100 * achieved_occupancy,
  p.variant || '_l2_mb', l2_asked_bytes / 1e6, p.variant || '_l2_bytes', l2_asked_bytes / area)
from profiled p join mine using (lab, variant, size, block) where mine.parameters is p.parameters;

-- The least and the greatest speedups of all labs, over each of three programs of the CPU,
-- with the copies over the last of them, and of the plain kernel's over 2012.
create table headline as
select 'serial_gain' as name, id, both as source, speedup as value from fastest
union all select 'cpu_best_gain', id, both, gain from cpu_best
union all
select 'past_gain', p.id, p.source || ';' || n.source, p.time_s / n.time_s
from past_best p join naive n using (lab, variant)
union all
select 'end_to_end_gain', f.id, f.source || ';' || c.source, c.time_s / f.end_to_end_s
from fastest f join cpu_best c using (lab);
insert into told
select '', source, json_object(extreme || name, value, extreme || name || '_lab', substr(id, 4))
from (
  select *, 'least_' as extreme, row_number() over (partition by name order by value) as i
  from headline
  union all
  select *, 'most_', row_number() over (partition by name order by value desc) from headline)
where i = 1;

-- A kernel that is faster than the plain one at its best, with the least share of the warps.
insert into told
select id, source, json_object('lean_variant', variant, 'lean_block', block, 'lean_ms', time_s * 1e3,
  'lean_occupancy_percent', 100 * occupancy)
from (
  select m.*, row_number() over (partition by m.lab order by m.occupancy) as i
  from mine m join naive n using (lab, size)
  where m.kind = 'gpu' and m.work = n.work and m.time_s < n.time_s and m.occupancy < n.occupancy)
where i = 1;
