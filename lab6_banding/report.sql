-- report.sql - lab 6's own facts: bytes a pixel, and what they take at least.

-- How kernels' loads lie, by the profiler.
create table asked as
select e.id, e.source, e.variant, p.global_load_sectors_per_request as sectors
from examined e join profiled p using (lab, variant, size, block)
where lab = 'lab6_banding' and basis = 'counters' and p.parameters is e.parameters;

insert into told
select id, source, json_object(variant || '_sectors', sectors) from asked
where variant in ('naive', 'shared_tile')
union all
select id, source, json_object('naive_bytes', bytes / area)
from plain where lab = 'lab6_banding';

-- A gain of less than 1 % is none.
insert into told
select v.id, v.source || ';' || n.source, json_object(
  'read_only_same', iif(v.variant = 'read_only' and abs(n.time_s / v.time_s - 1) < 0.01, '', null),
  'packed4_slower', iif(v.variant = 'packed4' and v.time_s > n.time_s, '', null))
from mine_best v join plain n using (lab) where lab = 'lab6_banding';

-- The two conversions are what packed4 has more than packed4_convert_free, which works on frames of
-- its own.
insert into told
select p.id, p.source || ';' || f.source, json_object('convert_ms', (p.time_s - f.time_s) * 1e3)
from mine_best p join mine_best f using (lab)
where lab = 'lab6_banding' and p.variant = 'packed4' and f.variant = 'packed4_convert_free';

-- The tile's gain at the largest size.
insert into told
select * from (
  select t.id, t.source || ';' || n.source, json_object('large_size', t.size,
    'large_gain', min(n.time_s) / min(t.time_s))
  from mine t join mine n using (lab, size)
  where lab = 'lab6_banding' and t.variant = 'shared_tile' and n.variant = 'naive'
  group by t.size order by t.area desc limit 1);

-- From end to end, here and in the article.
insert into told
select f.id, f.source || ';' || c.source, json_object(
  'kernel_of_end_percent', 100 * f.time_s / f.end_to_end_s,
  'end_to_end_gain', c.time_s / f.end_to_end_s)
from fastest f join cpu_best c using (lab) where lab = 'lab6_banding'
union all
select id, source, json_object('article_end_to_end_ms', end_to_end_s * 1e3)
from row where lab = 'lab6_banding' and origin glob 'beside*' and end_to_end_s > 0;

-- The article has these without their times.
insert into sourced values ('lab6_banding', 'read_only'), ('lab6_banding', 'packed4'),
  ('lab6_banding', 'packed4_convert_free');

-- The ladder's bounds, for frames of three values and the table: its bytes, and its operations.
insert into demand
select lab, 'memory', 'memory', bytes from rung where lab = 'lab6_banding' and variant = 'naive'
union all
select lab, 'integer operations', 'int32', 2 * int_ops
from rung where lab = 'lab6_banding' and variant = 'naive';

-- What the last rungs take at the ladder's size, and what the bytes alone would, of the last one's.
insert into told
select id, source, json_object(variant || '_ladder_ms', time_s * 1e3)
from rung
where lab = 'lab6_banding' and variant in ('shared_tile', 'pixels4', 'rolling_tile');
