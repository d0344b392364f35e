-- report.sql - lab 3's own facts: the instructions of a tap, what bank conflicts cost, and how alike
-- the blocks are.

-- By the profiler: the issue slots that were used, over the taps of 32 lanes. A scheduler has a slot
-- a clock, and a multiprocessor four schedulers from compute capability 7.0 on.
create table slots as
select e.*, e.issue * c.time_s * gclocks * 1e9 * 4 / (issued_loads / 32) as per_tap,
  shared_load_conflicts / shared_loads as conflicts
from examined e join profiled c using (lab, variant, parameters, size, block), lab0_device
where e.lab = 'lab3_bilateral' and basis = 'counters' and capability * 1.0 >= 7;

insert into told
select 'lab3', source, json_object(variant || '_per_tap', per_tap) from slots
union all
select 'lab3', source, json_object('conflicts', conflicts, 'conflicts_block', block)
from slots where variant = 'shared_tile' and conflicts > 0
union all
select 'lab3', of.source || ';' || next.source, json_object(
  next.variant || '_fewer_percent', 100 * (1 - next.per_tap / of.per_tap),
  next.variant || '_sooner_percent', 100 * (1 - next.time_s / of.time_s))
from slots of join slots next on (of.variant, next.variant) in (
  values ('naive', 'fast_exp'), ('fast_exp', 'shared_tile'));

-- The plain kernel's blocks of full warps at the lab's size: how far their times lie apart.
insert into told
select 'lab3', group_concat(source, ';'), iif(count(*) < 2, '{}', json_object(
  'full_from_block', min(block) filter (where nth = 1),
  'full_apart_percent', 100 * (max(time_s) / min(time_s) - 1)))
from (
  select mine.*, row_number() over (order by threads_per_block) as nth
  from mine join at using (lab, size)
  where lab = 'lab3_bilateral' and variant = 'naive' and threads_per_block >= 32);
