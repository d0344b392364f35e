-- compare.sql - several machines beside each other: each variant at its best block, at one size a
-- lab, that at which most of the machines' CPUs and GPUs were measured. Time in ms.

create table common as
select lab, size from (
  select lab, size, area, row_number() over (
    partition by lab order by sum(gpu) + sum(cpu) desc, area desc) as i
  from (select lab, origin, size, area, max(kind = 'gpu') as gpu, max(role is 'serial') as cpu
    from shown group by lab, origin, size) group by lab, size) where i = 1;

create table compared as
select *, min(time_s) * 1e3 as time_ms from shown join common using (lab, size)
where kind <> 'vendor' group by lab, origin, variant;

.once columns.sql
select 'create view compare as select lab, variant, size,
  iif(count(distinct block) > 1, group_concat(block, ''/''), max(block)) as block' ||
  group_concat(printf(', max(time_ms) filter (where origin = %Q) as "%w"', origin, machine), '') ||
  ' from (select * from compared order by origin) group by lab, variant
  order by lab, min(origin), min(rank);'
from (select * from origin order by origin);
.read columns.sql
