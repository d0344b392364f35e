-- report.sql - lab 10: what bounds its ladder, and its times by what the bytes are.
insert into demand
select lab, 'memory', 'memory', max(bytes) from rung where lab = 'lab10_histogram' group by lab;

create view lab10_kinds as
with timed_kind as (
  select variant, value as data, 1e3 * min(time_s) as time_ms from good join teller on origin = gpu_origin
    join parameter using (parameters)
  where lab = 'lab10_histogram' and key = 'data' and kind <> 'cpu' and cache is not 'hot' and transfer is null
    and area = (select max(area) from good where lab = 'lab10_histogram' and kind <> 'cpu')
  group by variant, value)
select variant, max(time_ms) filter (where data = 'uniform') as uniform,
  max(time_ms) filter (where data = 'one') as one, max(time_ms) filter (where data = 'image') as image
from timed_kind group by variant order by max(time_ms) filter (where data = 'uniform') desc;
