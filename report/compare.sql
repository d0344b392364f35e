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

-- Bars, of all labs the CPU and the kernel that most machines have, of equals the fastest; of a lab
-- all its variants. On a logarithmic axis each machine has a shape and a colour.
create table compared_bar as
select compared.*, variant || ', ' || replace(size, 'x', '×') as row,
  dense_rank() over (order by origin) as machine_n,
  min(rank) over (partition by lab, variant) as row_rank
from compared;

insert into bar
select lab, 'compare', 1, row, row_rank, machine_n, machine_n, null, time_ms,
  printf('{%.9g} ms', time_ms), machine_n
from compared_bar
union all
select '', 'compare', 1, id || iif(kind = 'cpu', ' CPU', ' GPU') || ', ' || replace(size, 'x', '×'),
  lab || (kind <> 'cpu'), machine_n, machine_n, null, time_ms,
  printf('{%.9g} ms', time_ms), machine_n
from compared_bar join (
  select lab, variant, row_number() over (
    partition by lab, kind = 'cpu' order by kind = 'cpu' and role is 'serial' desc,
      count(*) desc, sum(time_ms)) as i
  from compared where role is not 'yardstick' group by lab, variant) using (lab, variant)
where i = 1;

insert into bar_row
select lab, 'compare', 1, row, machine_n, origin, lab, line, 0 from compared_bar;

insert into bar_text(lab, chart, what, n, text, style, ink)
select distinct bar.lab, 'compare', 'key', machine_n, machine, machine_n, machine_n
from compared_bar join origin using (origin) join bar on bar.lab in ('', compared_bar.lab)
order by machine_n;
