-- report.sql - lab 2's own figure and facts: what a power of two costs the CPU's program.

-- The programs of one thread by size, now and in 2012: the time of a multiply-add.
create table step_time as
select origin, machine, variant, role, size, width, source, lab, line, 1e9 * time_s / area as ns
from good join origin using (origin)
where lab = 'lab2_matprod' and origin in ('own', 'past') and role in ('serial', 'tuned')
  and cpu_threads is null and depth is width;

-- How much longer at 1024 than on both sides of it; and in 2012 than at half of it.
create table cliff as
select role, max(ns) filter (where width = 1024) / avg(ns) filter (where width in (1000, 1040))
    as factor, group_concat(source, ';') as source
from step_time where origin = 'own' and width in (1000, 1024, 1040)
group by role having count(*) = 3;

insert into told
select 'lab2', source, json_object('cliff_gain', iif(role = 'serial', factor, null),
  'cliff_tuned_gain', iif(role = 'tuned', factor, null))
from cliff
union all
select 'lab2', group_concat(source, ';'), json_object('past_cliff_gain',
  max(ns) filter (where width = 1024) / max(ns) filter (where width = 512))
from step_time where origin = 'past' and width in (512, 1024) having count(*) = 2;

-- Bars: a panel a program, a row a size.
create table cliff_panel as
select 1 as panel, 'own' as origin, 'serial' as role union all select 2, 'own', 'tuned'
union all select 3, 'past', 'serial';

insert into bar
select lab, 'cliff', panel, 'N = ' || size, width, 1, iif(origin = 'past', 'hatched', 'full'), 0,
  ns, printf('{%.9g} ns', ns), iif(role = 'tuned', -2, -1)
from step_time join cliff_panel using (origin, role)
where width in (select width from step_time where origin = 'own' and width >= 256)
  and exists (select * from cliff);
insert into bar_row
select lab, 'cliff', panel, 'N = ' || size, 1, origin, lab, line, 0
from step_time join cliff_panel using (origin, role);

insert into bar_text(lab, chart, what, n, text)
select 'lab2_matprod', 'cliff', 'panel', panel,
  max(variant) || iif(origin = 'past', ', the report of 2012', '')
from cliff_panel join step_time using (origin, role) group by panel;
insert into bar_text(lab, chart, what, text, style, ink) values
  ('lab2_matprod', 'cliff', 'key', 'measured', 'full', -1),
  ('lab2_matprod', 'cliff', 'key', 'recorded', 'hatched', -1);
