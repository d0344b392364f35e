-- report.sql - lab 4's own facts: how long the loads take, by lab 0's rate, in each block; what L1
-- and L2 take for a tap; and the kernel of 2012, which summed in memory as `global_sum` does today.

create table summed as
select best.time_s, past.time_s as past_s, best.source || ';' || past.source as source
from best left join (
  select past.*, min(time_s) from past join at using (lab, size)
  where variant = 'naive' and lab = 'lab4_template') past using (lab)
where best.lab = 'lab4_template' and best.variant = 'global_sum';

insert into told
select 'lab4', source, json_object('past_global_sum_gain', past_s / time_s)
from summed;

insert into told
select 'lab4', source, json_object('fft_error', max_error)
from best where lab = 'lab4_template' and variant = 'fft' and origin = 'own';

-- `rows`: of the picture, that a warp lies on. In blocks of other widths warps differ in that: they
-- are left out.
create table laid as
select *, max(1, min(32, threads_per_block) / block_x) as rows,
  (threads_per_block + 31) / 32 as warps
from mine
where lab = 'lab4_template' and kind = 'gpu' and (32 % block_x = 0 or block_x % 32 = 0);

-- The map's positions, and the blocks that they make.
create table placed as
with mapped as (
  select laid.*, width - cast(template.value as integer) + 1 as map_width
  from laid join parameter as template using (parameters) where template.key = 'template')
select *, (map_width + block_x - 1) / block_x
  * ((cast(x / map_width as integer) + block_y - 1) / block_y) as blocks
from mapped;

insert into told
select 'lab4', large_block.both, json_object('large_block_most_blocks', blocks)
from (select *, max(ratio) from large_block where id = 'lab4' and not is_past) as large_block
join placed using (size) where variant = 'naive' and block = '32x32';

-- The plain kernel's loads. L1 answers a warp in a cycle for each of its rows, and in one for the
-- template's byte, which is the same for all lanes. A cycle is 32 words of lab 0's loads. `block_s`:
-- those of one block, on its multiprocessor; `rounds`: the blocks that the busiest one gets.
create table loading as
with tapped as (
  select placed.*, round(issued_loads / 2 / x) as taps, 32 / loads as cycle_s, multiprocessors
  from placed, unit_rate, card where variant = 'naive'),
cut as (select *, warps * (rows + 1) * taps * cycle_s as share_s from tapped)
select *, share_s * x / threads_per_block as loads_s, share_s * multiprocessors as block_s,
  cast((blocks - 1) / multiprocessors as integer) + 1 as rounds
from cut;

-- Two loads a tap, no lane empty and each warp on one row.
insert into told
select 'lab4', source || ';' || rate_source, json_object('loads_ms', 1e3 * issued_loads / loads)
from naive join (select max(source) as rate_source from rate where measure = 'loads')
join unit_rate
where id = 'lab4';

-- Blocks in their order: at the lab's size those narrower than a warp, beside their loads, which are
-- told if they hold; at the smallest picture those within a tenth of the least, and a thread's tap.
create table ordered_blocks as
select *, row_number() over (partition by what order by threads_per_block) as nth,
  row_number() over (partition by what order by threads_per_block desc) as nth_last
from (
  select 'rows' as what, loading.* from loading join at using (lab, size) where block_x < 32
  union all
  select 'alike', loading.* from loading
  join (select area, min(time_s) as least_s from loading group by area order by area limit 1)
    using (area)
  where time_s <= 1.1 * least_s);

insert into told
select 'lab4', group_concat(source, ';'), json_object(
  what || '_from_block', min(block) filter (where nth = 1),
  what || '_to_block', min(block) filter (where nth_last = 1),
  what || '_least_ms', 1e3 * min(time_s), what || '_most_ms', 1e3 * max(time_s),
  'rows_off_percent', iif(what = 'rows', 100 * max(abs(loads_s / time_s - 1)), null),
  'taps', iif(what = 'alike', cast(max(taps) as integer), null),
  'tap_ns', iif(what = 'alike', 1e9 * min(time_s) / max(taps), null))
from ordered_blocks group by what
having count(*) >= 3 and (what = 'alike' or max(abs(loads_s / time_s - 1)) < 0.1);

-- A block of 32x32 on its multiprocessor, where none has two.
insert into told
select 'lab4', source, json_object('wide_block', block, 'wide_block_ms', 1e3 * block_s,
  'small_size', size, 'small_wide_ms', 1e3 * time_s)
from (select *, min(area) from loading where block = '32x32') where rounds = 1;

-- By the profiler: L1's cycles for a load, the bytes that L2 is asked for.
insert into told
select 'lab4', e.source, json_object('constant_rows', rows, 'constant_cycles', e.l1 / e.loads,
  'constant_seen_block', e.block)
from examined e join laid using (origin, lab, line)
where e.variant = 'constant_template' and basis = 'counters'
union all
select 'lab4', source, json_object('global_sum_l2_gb', l2_bytes / 1e9)
from examined where lab = 'lab4_template' and variant = 'global_sum';

-- The ladder is held against NPP, which does the whole work. Its bounds: a tap's two loads, a tap's
-- multiply-add, by INT32 units or tensor cores, and the bytes.
insert into peer values ('lab4_template', 'npp');
insert into demand
with tapped as (
  select lab, max(bytes) as bytes, max(x * cast(value as integer)
    * cast(substr(value, instr(value, 'x') + 1) as integer)) as taps
  from rung join parameter using (parameters)
  where lab = 'lab4_template' and key = 'template' group by lab)
select lab, 'loads, two a tap', 'loads', 8 * taps from tapped
union all select lab, 'multiply-adds, INT32 units', 'int32', 2 * taps from tapped
union all select lab, 'multiply-adds, int8 tensor peak', 'tensor_int8', 2 * taps from tapped
union all select lab, 'memory', 'copy', bytes from tapped;

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
  where f.variant = 'fft' and v.variant in ('integer_dp4a', 'tensor_int8_hopper'))
select 'lab4', group_concat(both, ';'), json_object('fft_from_' || variant,
  min(side) filter (where side > lost), 'template_picture', max(size))
from (select *, coalesce(max(side) filter (where not fft_wins) over (partition by variant), 0)
    as lost from beside_fft)
group by variant;

-- Over several GPUs: for each match the least of all keys.
insert into exchange
select source, 'link_reduce', cast(value as integer), 8, 0
from several join parameter using (parameters)
where lab = 'lab4_template' and variant = 'divided' and gpus > 1 and key = 'top';
