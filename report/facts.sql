-- facts.sql - what the sentences of the report say, a select each: name, value, digits, source
-- (schema.sql). A fact whose value is null is none; a flag's value is ''. A lab's facts are named
-- after it: lab2.size.

-- The whole ---------------------------------------------------------------------------------------

insert into fact select 'machine', machine, null, '' from teller;
insert into fact select 'gpu_label', label, null, '' from teller where kernels;
insert into fact select 'gpu_measured', '', null, '' from teller where kernels and not stands_in;
insert into fact select 'gpu_recorded', '', null, '' from teller where stands_in;
insert into fact select 'gpu', value, null, 'run.json' from gpu_run where key = 'gpu';
insert into fact select 'date_gpu', substr(value, 1, 10), null, 'run.json'
  from gpu_run, teller where key = 'date' and stands_in;

create table tally as
select count(*) as rows, sum(status = 'ok') as ok, nullif(sum(status = 'wrong'), 0) as wrong,
  nullif(sum(status = 'skipped'), 0) as skipped, nullif(sum(status = 'failed'), 0) as failed,
  sum(status = 'ok' and kind = 'emulated') as emulated, group_concat(distinct file) as files
from row where origin = 'own';
insert into fact select 'rows', rows, null, files from tally;
insert into fact select 'rows_ok', ok, null, files from tally;
insert into fact select 'rows_wrong', wrong, null, files from tally;
insert into fact select 'rows_skipped', skipped, null, files from tally;
insert into fact select 'rows_failed', failed, null, files from tally;
insert into fact select 'rows_emulated', emulated, null, files from tally;
insert into fact select 'problems', '', null, ''
  where exists (select * from problem where status <> 'skipped');
insert into fact select 'no_problems', '', null, '' where not exists (select * from problem);
insert into fact select 'not_profiled', '', null, '' where not exists (select * from profile);
insert into fact select 'nothing_measured', '', null, ''
  where not exists (select * from mine where origin = 'own');

insert into fact select processor || '.copy_gb_per_s', gb_per_s, 3, source from ceiling;
insert into fact select processor || '.fma_gflop_per_s', gflop_per_s, 3, source from ceiling;
insert into fact select processor || '.ridge', gflop_per_s / gb_per_s, 3, source from ceiling;

-- Each lab ----------------------------------------------------------------------------------------

insert into fact select distinct id || '.measured', '', null, file from mine where origin = 'own';
insert into fact select distinct id || '.title', title, null, ''
  from mine join labs using (lab) where mine.origin = 'own';
insert into fact select id || '.size', size, null, '' from at;
insert into fact select id || '.cpu_ms', time_s * 1e3, 3, source
  from best where origin = 'own' and role = 'serial';
insert into fact select id || '.cpu_here_ms', time_s * 1e3, 3, source
  from best, teller where origin = 'own' and role = 'serial' and stands_in;

-- The fastest kernel, against the plain one and the CPU beside it.
create table fastest as
select *, min(time_s) from mine_best where kind = 'gpu' and role is not 'yardstick' group by lab;
create table naive as select * from mine_best where variant = 'naive' and kind = 'gpu';
create table pair as
select f.*, n.time_s as naive_s, f.source || ';' || n.source as both
from fastest f join naive n using (lab);

insert into fact select id || '.fastest_variant', variant, null, source from fastest;
insert into fact select id || '.fastest_block', block, null, source from fastest;
insert into fact select id || '.fastest_ms', time_s * 1e3, 3, source from fastest;
insert into fact select id || '.fastest_speedup', speedup, 3, source || ';' || serial_source
  from fastest;
insert into fact select id || '.fastest_gain', naive_s / time_s, 2, both
  from pair where variant <> 'naive';
insert into fact select id || '.host_cpu_ms', serial_s * 1e3, 3, serial_source from fastest;
insert into fact select id || '.end_to_end_ms', end_to_end_s * 1e3, 3, source from fastest;
insert into fact select id || '.end_to_end_speedup', serial_s / end_to_end_s, 3,
  source || ';' || serial_source from fastest;
insert into fact select id || '.end_to_end_slower', '', null, source || ';' || serial_source
  from fastest where serial_s < end_to_end_s;
insert into fact select g.id || '.gain_' || g.variant, n.time_s / g.time_s, 2,
  n.source || ';' || g.source
  from mine_best g join naive n using (lab) where g.kind = 'gpu' and g.variant <> 'naive';
insert into fact select id || '.naive_ms', time_s * 1e3, 3, source from naive;
insert into fact select id || '.naive_block', block, null, source from naive;

-- The fastest program of the CPU beside the kernel, a library's too, and the fastest library on the
-- GPU.
create table cpu_best as
select c.*, min(c.time_s), f.time_s as kernel_s, c.source || ';' || f.source as both
from best c join fastest f using (lab, origin) where c.kind = 'cpu' group by c.lab;
insert into fact select id || '.cpu_best_variant', variant, null, source from cpu_best;
insert into fact select id || '.cpu_best_ms', time_s * 1e3, 3, source from cpu_best;
insert into fact select id || '.cpu_best_gain', time_s / kernel_s, 2, both from cpu_best;

create table vendor as
select v.*, min(v.time_s), f.time_s / v.time_s as gain, f.source || ';' || v.source as both
from mine_best v join fastest f using (lab) where v.kind = 'vendor' group by v.lab;
insert into fact select id || '.vendor_variant', variant, null, source from vendor;
insert into fact select id || '.vendor_ms', time_s * 1e3, 3, source from vendor;
insert into fact select id || '.vendor_gain', gain, 2, both from vendor;
insert into fact select id || '.vendor_slower', '', null, both from vendor where gain < 1;
insert into fact select id || '.vendor_faster', '', null, both from vendor where gain >= 1;

-- The plain kernel's blocks at the lab's size: the smallest and the largest, of equals the square
-- one, against the best. A loss of less than 1 % is not told: times are known no better.
create table blocks as
select m.*, n.time_s as best_s, n.occupancy as best_occupancy, m.source || ';' || n.source as both,
  row_number() over (partition by m.lab order by m.threads_per_block, m.block_x) as nth,
  row_number() over (partition by m.lab order by m.threads_per_block desc,
    m.block_x = m.block_y desc, m.block_x desc) as nth_last,
  count(*) over (partition by m.lab) as n
from mine m join naive n using (lab, size, variant, kind);
create table smallest as select * from blocks where nth = 1 and n > 1;
create table slower as
select * from blocks where nth_last = 1 and n > 1 and time_s / best_s - 1 >= 0.01;
insert into fact select id || '.smallest_block', block, null, source from smallest;
insert into fact select id || '.smallest_block_ms', time_s * 1e3, 3, source from smallest;
insert into fact select id || '.largest_block', block, null, source from slower;
insert into fact select id || '.largest_slower_percent', (time_s / best_s - 1) * 100, 2, both
  from slower;
insert into fact select id || '.best_occupancy_percent', best_occupancy * 100, 3, both
  from smallest;
insert into fact select id || '.smallest_occupancy_percent', occupancy * 100, 3, source
  from smallest;
insert into fact select id || '.largest_occupancy_percent', occupancy * 100, 3, source from slower;
insert into fact select id || '.occupancy_same', '', null, both from smallest s
  where occupancy >= best_occupancy and not exists (
    select * from blocks b where b.lab = s.lab and nth_last = 1 and b.occupancy < best_occupancy);

-- The plain kernel's share of the CPU's time, square blocks, all sizes; the same in 2012.
create table share as
select *, row_number() over (partition by lab, period order by speedup, area, block_x) as nth_least,
  row_number() over (partition by lab, period order by speedup desc, area, block_x) as nth_most
from (
  select lab, id, '' as period, size, area, block_x, block_y, block, speedup, variant,
    source || ';' || serial_source as both from mine
  union all
  select lab, id, 'past_', size, area, block_x, block_y, block, speedup, variant,
    source || ';' || serial_source from past)
where variant = 'naive' and block_x = block_y and speedup is not null
  and lab in (select lab from past) and lab in (select lab from mine);
insert into fact select id || '.' || period || 'share_max_percent', 100 / speedup, 3, both
  from share where nth_least = 1;
insert into fact select id || '.' || period || 'share_max_size', size, null, both
  from share where nth_least = 1;
insert into fact select id || '.' || period || 'share_max_block', block, null, both
  from share where nth_least = 1;
insert into fact select id || '.' || period || 'share_min_percent', 100 / speedup, 3, both
  from share where nth_most = 1;
insert into fact select id || '.' || period || 'share_min_size', size, null, both
  from share where nth_most = 1;
insert into fact select id || '.' || period || 'share_min_block', block, null, both
  from share where nth_most = 1;

-- 2012 at the lab's size.
create table past_best as
select past.*, min(past.time_s) from past join at using (lab, size) group by past.lab, past.variant;
insert into fact select id || '.past_cpu_ms', time_s * 1e3, 3, source
  from past_best where role = 'serial';
insert into fact select id || '.past_naive_ms', time_s * 1e3, 3, source
  from past_best where variant = 'naive';
insert into fact select p.id || '.past_cpu_gain', p.time_s / b.time_s, 2,
  p.source || ';' || b.source
  from past_best p join best b using (lab, variant)
  where p.role = 'serial' and b.origin = 'own';
insert into fact select p.id || '.past_naive_gain', p.time_s / n.time_s, 2,
  p.source || ';' || n.source from past_best p join naive n using (lab, variant);

-- OpenMP, with the most threads.
create table most_threads as
select *, max(cpu_threads) from scaled group by lab;
insert into fact select id || '.scaling_threads', cpu_threads, null, source from most_threads;
insert into fact select id || '.scaling_speedup', s, 3, source || ';' || base_source
  from most_threads;
insert into fact select id || '.scaling_gb_per_s', gb_per_s, 3, source from most_threads;
insert into fact select m.id || '.scaling_from_cache', '', null, m.source || ';' || c.source
  from most_threads m join ceiling c on processor = 'cpu' where m.gb_per_s > c.gb_per_s;
insert into fact select m.id || '.scaling_one_memory', '', null, m.source
  from most_threads m where not exists (
    select * from ceiling c where processor = 'cpu' and m.gb_per_s > c.gb_per_s);

-- From file to file.
create table whole as
select *, (files_s + serial_s) / (files_s + copies_s) as bound,
  source || coalesce(';' || serial_source, '') as both from steps where i = 1;
insert into fact select id || '.split_size', size, null, source from whole;
insert into fact select id || '.split_kernel_percent', 100 * time_s / total_s, 3, source from whole;
insert into fact select id || '.split_copy_percent', 100 * copies_s / total_s, 3, source from whole;
insert into fact select id || '.split_io_percent', 100 * files_s / total_s, 3, source from whole;
insert into fact select id || '.split_speedup', (files_s + serial_s) / total_s, 3, both from whole;
insert into fact select id || '.split_limit', bound, 3, both from whole;
insert into fact select id || '.split_hopeless', '', null, both from whole where bound < 1;
insert into fact select id || '.split_worthwhile', '', null, both from whole where bound >= 1;

-- How times grow.
insert into fact select id || '.exponent_cpu', exponent_large, 2, '' from growth
  where role = 'serial';
insert into fact select id || '.exponent_naive_small', exponent_small, 2, '' from growth
  where variant = 'naive';
insert into fact select id || '.exponent_naive_large', exponent_large, 2, '' from growth
  where variant = 'naive';
insert into fact select id || '.exponent_bend', bend_size, null, '' from growth
  where variant = 'naive';
insert into fact select id || '.bend_full', '', null, ''
  from growth join reason using (lab, variant) where variant = 'naive' and is_full;
insert into fact select id || '.resident_threads', threads_per_sm * value, 3, 'run.json'
  from growth, gpu_run
  where variant = 'naive' and key = 'multiprocessors' and bend_size is not null;

insert into fact select u.id || '.fastest_roof_percent', 100 * u.share, 3,
  u.source || ';' || u.roof_source
  from under_roof u join fastest f using (lab, variant) where u.kind = 'gpu';

delete from fact where value is null;
