-- report.sql - lab 1's own facts: how many blocks start, how many warps are there, and what the
-- copies take.

-- Blocks that start in a nanosecond, at the lab's size: the plain kernel's of the smallest size and
-- of those beside which it is the same to 5 %. It is the start that takes the time where neither
-- the bytes of a block nor how many of them a multiprocessor holds make a difference.
create table start_rate as
with launched as (
  select mine.*, ceil(1.0 * width / threads_per_block) / time_s / 1e9 as of_block
  from mine join at using (lab, size) where lab = 'lab1_vecadd' and variant = 'naive'),
least as (select of_block as of_least, min(threads_per_block) from launched)
select lab, size, avg(of_block) as per_ns, min(threads_per_block) as smallest,
  max(threads_per_block) as largest, max(blocks_per_sm) as most, min(blocks_per_sm) as fewest,
  group_concat(source, ';') as source
from launched join least on of_block between 0.95 * of_least and 1.05 * of_least
having count(*) > 1 and most > fewest;

-- Beside it vector4's, a thread of which makes four elements, where it is the same; and the bytes
-- that as many blocks of the plain kernel's best size would move, where memory cannot.
insert into told
select 'lab1', source, json_object('blocks_per_ns', per_ns, 'blocks_largest', largest,
  'blocks_most', most, 'blocks_fewest', fewest)
from start_rate
union all
select 'lab1', source, json_object('vector4_blocks_per_ns', of_block)
from (
  select v.source, per_ns,
    ceil((v.width / 4 + 1.0) / v.threads_per_block) / v.time_s / 1e9 as of_block
  from mine v join start_rate using (lab, size)
  where v.variant = 'vector4' and v.threads_per_block = smallest)
where of_block between 0.95 * per_ns and 1.05 * per_ns
union all
select 'lab1', s.source || ';' || n.source, json_object('blocks_best_gb_per_s', gb_per_s)
from (
  select n.source, per_ns * n.threads_per_block * n.bytes / n.width as gb_per_s
  from naive n join start_rate using (lab) where n.threads_per_block > largest) n, start_rate s
where gb_per_s > (select gb_per_s from ceiling where processor = 'gpu');

-- The warps that were there, of those that fit, where they mostly wait for data from memory; the
-- bytes that the fastest kernel moves.
insert into told
select 'lab1', place || file || ':' || line, json_object(
  variant || '_warps_percent', 100 * achieved_occupancy,
  'fewest_warps', iif(variant = 'vector4' and achieved_occupancy = min(achieved_occupancy) over (),
    '', null))
from profiled join origin using (origin)
where lab = 'lab1_vecadd' and stall = 'long_scoreboard'
union all
select 'lab1', e.source, json_object('moved_gb', dram_bytes / 1e9, 'least_gb', e.bytes / 1e9,
  'above_copy', iif(dram > 1, '', null))
from examined e join fastest using (lab, variant)
where lab = 'lab1_vecadd' and basis = 'counters';

-- The fastest kernel with data that caches may hold, where that makes no difference; the best copy
-- each way, of all that were timed on their own, beside the kernel and the CPU's best program.
insert into told
select 'lab1', f.source, json_object('hot_ms', hot_ms)
from baselines b join fastest f using (lab)
where lab = 'lab1_vecadd' and abs(hot_ms / b.time_ms - 1) < 0.02;

create table copied as
with way as (
  select good.* from good join gpu_work using (lab, work) join at using (lab, size)
    join teller on origin = gpu_origin
  where lab = 'lab1_vecadd' and kind = 'gpu' and copy_in_s > 0 and copy_out_s > 0)
select i.lab, i.copy_in_s + o.copy_out_s as copies_s, i.source || ';' || o.source as source
from (select *, min(copy_in_s) from way) i join (select *, min(copy_out_s) from way) o using (lab);

insert into told
select 'lab1', p.source || ';' || c.both, json_object('copies_ms', copies_s * 1e3,
  'copies_kernel_gain', copies_s / f.time_s, 'copies_cpu_gain', copies_s / c.time_s)
from copied p join fastest f using (lab) join cpu_best c using (lab) where copies_s > c.time_s;
