-- facts.sql - what the sentences of the report say: {"name": value, ...}, about what, by which rows
-- (schema.sql). A value of null is no fact; a flag is `iif(..., '', null)`. The name says how many
-- digits are shown (analyse.sh).

-- The whole ---------------------------------------------------------------------------------------

insert into told
select '', '', json_object('machine', machine, 'gpu_label', iif(kernels, label, null),
  'gpu_measured', iif(kernels and not stands_in, '', null),
  'gpu_recorded', iif(stands_in, '', null),
  'problems', iif(exists (select * from problems where status <> 'skipped'), '', null),
  'rows_wrong_or_failed', (
    select sum(coalesce(count, 1)) from problems where status <> 'skipped'),
  'rows_noisy', noisy, 'rows_noisy_cpu', noisy_cpu,
  'no_problems', iif(exists (select * from problems), null, ''),
  'not_profiled', iif(exists (select * from profile), null, ''),
  'profiled', iif(exists (select * from profile), '', null),
  'nothing_measured', iif(exists (select * from mine where origin = 'own')
    or exists (select * from spread), null, ''))
from teller join (
  select count(*) as noisy, sum(kind = 'cpu') as noisy_cpu from good, unsteady
  where origin = 'own' and coalesce(trials, 3) >= 3 and 100 * noise > percent)
union all
select '', 'run.json', json_object('recorded_commit', max(value) filter (where key = 'commit'),
  'recorded_date', max(substr(value, 1, 10)) filter (where key = 'date'))
from run where of = 'cpu'
union all
select '', 'run.json', json_object('gpu', max(value) filter (where key = 'gpu'),
  'date_gpu', max(substr(value, 1, 10)) filter (where key = 'date' and stands_in))
from run, teller where of = 'gpu'
union all
select '', group_concat(lab || '.csv'), json_object('rows', sum(rows), 'rows_ok',
  sum(ok + emulated), 'rows_skipped', nullif(sum(skipped), 0),
  'rows_emulated', nullif(sum(emulated), 0))
from status
union all
select processor, source, json_object('memory_gb_per_s', gb_per_s, 'fma_gflop_per_s', gflop_per_s,
  'ridge', gflop_per_s / gb_per_s)
from ceiling;

-- Each lab ----------------------------------------------------------------------------------------

insert into told
select id, '', json_object('counterpart', counterpart.variant) from counterpart join at using (lab)
union all
select id, '', json_object('rungs_size', size) from plain
union all
select distinct id, '', json_object('label', title)
from mine join labs using (lab) where mine.origin = 'own'
union all
select distinct id, '', json_object('no_kernel', iif(lab in (select lab from plain), null, ''))
from mine where origin = 'own'
union all
select at.id, '', json_object('overlapping', group_concat(variant, ', '))
from overlapping join mine_best using (lab, variant) join at using (lab) group by lab;

insert into told
select distinct id, file, json_object('measured', '') from mine where origin = 'own'
union all
select id, '', json_object('size', size) from at;

-- Streams of frames on the GPU, the largest first, beside the slower direction's copies alone.
create table streamed as
select good.*, max(copy_in_s, copy_out_s) as bus_s,
  row_number() over (partition by lab order by area desc, end_to_end_s) as i
from good join teller on origin = gpu_origin
where transfer = 'stream' and end_to_end_s > 0 and copy_in_s > 0 and copy_out_s > 0;

insert into told
select id, source, json_object('stream_size', size, 'stream_ms', end_to_end_s * 1e3,
  'stream_of_bus', end_to_end_s / bus_s, 'stream_kernel_percent', 100 * time_s / end_to_end_s)
from streamed where i = 1
union all
select s.id, s.source || ';' || c.source, json_object('stream_cpu_gain', c.time_s / s.end_to_end_s)
from streamed s join cpu_best c using (lab, size, recording) where i = 1;

insert into told
select id, source, json_object('fastest_variant', variant, 'end_to_end_ms', end_to_end_s * 1e3)
from fastest
union all
select id, both, json_object('fastest_speedup', speedup) from fastest
union all
select g.id, n.source || ';' || g.source, json_object('gain_' || g.variant, n.time_s / g.time_s,
  'gain_of_' || g.variant, iif(n.time_s > 1.2 * g.time_s, '', null)) -- is it one?
from mine_best g join plain n using (lab, work, recording)
where g.kind = 'gpu' and g.variant <> n.variant
  and (g.lab, g.variant) not in (select lab, variant from overlapping);

-- One copy of pageable memory, to the device, in all rows of a lab's size.
insert into told
select '', group_concat(source, ';'), json_object('copies_lab', substr(id, 4), 'copies_least_ms', 1e3 * least,
  'copies_most_ms', 1e3 * most)
from (
  select *, max(most / least) from (
    select id, min(source) filter (where copy_in_s = least) || ';' || min(source) filter (where copy_in_s = most)
      as source, least, most
    from (select *, min(copy_in_s) over same as least, max(copy_in_s) over same as most
      from good join teller on origin = gpu_origin where transfer is null and copy_in_s > 1e-3
      window same as (partition by lab, size, parameters)) group by lab, size, parameters))
where most > 1.5 * least;

insert into told
select id, source, json_object('vendor_variant', variant) from vendor
union all
select id, both, json_object('vendor_loss', iif(gain < 1, 1 / gain, null)) from vendor;

-- The plain kernel's smallest block at the lab's size, against its best.
create table blocks as
select m.*, n.time_s as best_s, m.source || ';' || n.source as both,
  row_number() over (partition by m.lab order by m.threads_per_block, m.block_x) as nth,
  count(*) over (partition by m.lab) as n
from mine m join plain n using (lab, size, variant, kind);

insert into told
select id, source, json_object('smallest_block', block,
  'smallest_occupancy_percent', occupancy * 100)
from blocks where nth = 1 and n > 1
union all
select id, both, json_object('smallest_block_gain', time_s / best_s,
  'smallest_lanes', iif(threads_per_block < 32 and time_s > 2 * best_s, threads_per_block, null))
from blocks where nth = 1 and n > 1
union all
select '', source || ';' || units_source, json_object('cpu_least_roof_percent', 100 * share,
  'cpu_least_roof_lab', substr(id, 4))
from (select *, min(share) from under_roof where processor = 'cpu'
  and (lab, variant) in (select lab, variant from cpu_best) having share is not null)
union all
select m.id, group_concat(m.source, ';'), json_object('square_occupancy_percent',
  iif(min(occupancy) = max(occupancy), 100 * occupancy, null))
from mine m join counterpart using (lab, variant) join at using (lab, size)
where block in ('16x16', '32x32') and lab in (select lab from past) group by lab having count(*) = 2;

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

insert into told
select id, source, json_object('past_counterpart_ms', time_s * 1e3)
from past_best join counterpart using (lab, variant)
union all
select p.id, p.source || ';' || b.source, json_object('past_cpu_gain', p.time_s / b.time_s)
from past_best p join best b using (lab, variant)
where p.role = 'serial' and b.origin = (select gpu_origin from teller)
union all
select id, source, json_object('past_counterpart_gain', value) from headline
where name = 'past_gain';

-- From file to file.
insert into told
select id, source, json_object('split_size', size, 'split_kernel_percent', 100 * time_s / total_s)
from steps
union all
select id, source || coalesce(';' || serial_source, ''), json_object(
  'split_speedup', (files_s + serial_s) / total_s, 'split_limit', bound,
  'split_hopeless', iif(bound < 1, '', null), 'split_worthwhile', iif(bound >= 1, '', null))
from steps;

-- How times grow.
insert into told
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
select '', '', json_object('unsteady_percent', percent) from unsteady;

-- What bounds kernels: how many of them by the way of the data, by units, by waiting.
insert into told
select '', '', json_object('diagnosed', count(bound),
  'bound_by_transfers', sum(bound in ('DRAM', 'L2', 'shared memory', 'L1', 'atomics', 'constants')),
  'bound_by_units', sum(bound in (
    'load issue', 'FP32', 'INT32', 'special functions', 'tensor cores', 'issue slots')),
  'bound_by_waiting', sum(bound in ('latency', 'launch', 'block starts')))
from examined having count(bound) > 0;

-- Each kernel: its time at its best block; what of each unit it took in the case that was examined,
-- and a flag that names what bounds it.
insert into told
select id, source, json_object(variant || '_ms', time_s * 1e3, variant || '_block', block,
  variant || '_occupancy_percent', occupancy * 100)
from mine_best where kind <> 'cpu'
union all
select examined.id, source, json_object(variant || '_dram_percent', 100 * dram,
  variant || '_l2_percent', 100 * l2, variant || '_loads_percent', 100 * loads,
  variant || '_shared_percent', 100 * shared, variant || '_l1_percent', 100 * l1,
  variant || '_fp32_percent', 100 * fp32, variant || '_int32_percent', 100 * int32,
  variant || '_special_percent', 100 * special, variant || '_tensor_percent', 100 * tensor,
  variant || '_issue_percent', 100 * issue)
from examined join at using (lab, size)
union all
select examined.id, source, json_object(variant || '_by_' || coalesce(key, bound), '')
from examined join at using (lab, size) left join unit on unit = bound
where key is not null or bound in ('latency', 'launch');
insert into told
select mine.id, mine.source, json_object(p.variant || '_achieved_percent', 100 * achieved_occupancy,
  p.variant || '_l2_mb', l2_asked_bytes / 1e6, p.variant || '_l2_bytes', l2_asked_bytes / mine.area)
from profiled p join mine using (lab, variant, size, block) join at using (lab, size)
where mine.parameters is p.parameters;

insert into told
select '', source, json_object(
  extreme || name, iif(n > 1, value, null), extreme || name || '_lab', iif(n > 1, substr(id, 4), null),
  'only_' || name, iif(n = 1 and extreme = 'most_', value, null),
  'only_' || name || '_lab', iif(n = 1 and extreme = 'most_', substr(id, 4), null))
from (
  select *, 'least_' as extreme, row_number() over (partition by name order by value) as i,
    count(*) over (partition by name) as n
  from headline
  union all
  select *, 'most_', row_number() over (partition by name order by value desc),
    count(*) over (partition by name)
  from headline)
where i = 1
union all
select '', '', json_object('all_labs', iif(repeated = 7, '', null), 'labs_run', iif(repeated < 7, run, null))
from (
  select count(*) filter (where n <= 7) as repeated, group_concat(n, ', ') as run
  from (select distinct substr(id, 4) + 0 as n from mine where origin = 'own' and id <> 'lab0' order by n))
union all
select '', '', json_object('only_size', iif(count(*) = 1, max(size), null)) from at
where id in (select id from mine where origin = 'own' and id <> 'lab0');

-- A kernel that is faster than the plain one at its best, with the least share of the warps.
insert into told
select id, source, json_object('lean_variant', variant, 'lean_ms', time_s * 1e3,
  'lean_occupancy_percent', 100 * occupancy)
from (
  select m.*, row_number() over (partition by m.lab order by m.occupancy) as i
  from mine m join plain n using (lab, size)
  where m.kind = 'gpu' and m.work = n.work and m.recording = n.recording and m.time_s < n.time_s
    and (m.lab, m.variant) not in (select lab, variant from overlapping)
    and m.occupancy < n.occupancy)
where i = 1;
