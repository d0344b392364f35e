-- report.sql - lab 3's own facts: the instructions of a tap.

-- By the profiler: the instructions of 32 lanes, over the taps.
create table slots as
select e.*, issued / (width * height * pow(2 * value + 1, 2)) as per_tap
from examined e join parameter using (parameters)
where lab = 'lab3_bilateral' and basis = 'counters' and key = 'radius';

insert into told
select 'lab3', source, json_object(variant || '_per_tap', per_tap) from slots
where variant in ('naive', 'fast_exp')
union all
select 'lab3', of.source || ';' || next.source, json_object(
  next.variant || '_fewer_percent', 100 * (1 - next.per_tap / of.per_tap),
  next.variant || '_sooner_percent', 100 * (1 - next.time_s / of.time_s))
from slots of join slots next on (of.variant, next.variant) = ('naive', 'fast_exp');

-- The ladder's bounds: an exponential for each tap or for each pair of pixels, and the bytes.
insert into demand
with tapped as (
  select lab, max(bytes) as bytes, max(width * height * pow(2 * value + 1, 2)) as taps
  from rung join parameter using (parameters)
  where lab = 'lab3_bilateral' and key = 'radius' group by lab)
select lab, 'exponentials, one a tap', 'exp', taps from tapped
union all select lab, 'exponentials, one a pair', 'exp', taps / 2 from tapped
union all select lab, 'memory', 'memory', bytes from tapped;
