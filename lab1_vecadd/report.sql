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

insert into told
select 'lab1', source, json_object('blocks_per_ns', per_ns, 'blocks_largest', largest,
  'blocks_most', most, 'blocks_fewest', fewest)
from start_rate;

-- The warps that were there, of those that fit, where they mostly wait for data from memory; how much
-- of memory's rate a copy has; whether the fastest kernel moves more than a copy where lab 0 has no more.
insert into told
select 'lab1', place || file || ':' || line, json_object(
  'fewest_warps', iif(variant = 'vector4' and achieved_occupancy = min(achieved_occupancy) over (),
    '', null))
from profiled join origin using (origin)
where lab = 'lab1_vecadd' and stall = 'long_scoreboard'
union all
select 'lab1', e.source, json_object('above_copy', iif(dram > 1, '', null))
from examined e join fastest using (lab, variant)
where lab = 'lab1_vecadd' and basis = 'counters';

-- Wider loads are what helps where they bring a twentieth more.
insert into told
select 'lab1', v.source || ';' || n.source, json_object('wide_loads',
  iif(v.bound = 'DRAM' and v.dram >= 1.05 * n.dram, '', null))
from examined v join examined n using (lab)
where lab = 'lab1_vecadd' and v.variant = 'vector4' and n.variant = 'naive';

-- The best copy each way, of all that were timed on their own, beside the CPU's best program.
create table copied as
with way as (
  select good.* from good join gpu_work using (lab, work) join at using (lab, size)
    join teller on origin = gpu_origin
  where lab = 'lab1_vecadd' and kind = 'gpu' and transfer is null and copy_in_s > 0
    and copy_out_s > 0)
select i.lab, i.copy_in_s + o.copy_out_s as copies_s, i.source || ';' || o.source as source
from (select *, min(copy_in_s) from way) i join (select *, min(copy_out_s) from way) o using (lab);

insert into told
select 'lab1', p.source || ';' || c.both, json_object('copies_ms', copies_s * 1e3,
  'copies_cpu_gain', copies_s / c.time_s)
from copied p join cpu_best c using (lab) where copies_s > c.time_s;

-- From page-locked memory at the lab's size: one after the other, and overlapped, beside the copies
-- of the slower direction alone.
insert into told
select 'lab1', p.source || ';' || o.source, json_object('pinned_ms', p.end_to_end_s * 1e3,
  'overlapped_ms', o.end_to_end_s * 1e3,
  'overlapped_of_bus', o.end_to_end_s / max(p.copy_in_s, p.copy_out_s))
from good p join good o using (lab, variant, size, block) join at using (lab, size)
where lab = 'lab1_vecadd' and p.origin = 'own' and o.origin = 'own' and p.transfer = 'pinned'
  and o.transfer = 'overlapped' and p.copy_in_s > 0;
