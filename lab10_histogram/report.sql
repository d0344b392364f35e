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

insert into told
with kind as (select k.*, 100 * b.gb_per_s / c.gb_per_s as memory_percent
  from lab10_kinds k left join mine_best b on b.lab = 'lab10_histogram' and b.variant = k.variant
    left join ceiling c on processor = 'gpu')
select 'lab10', '', json_object('global_uniform_ms', g.uniform, 'global_one_ms', g.one,
  'lane_memory_percent', l.memory_percent, 'in_turn', iif(g.one > 2 * g.uniform
    and max(s.uniform, s.one, s.image) < 1.05 * min(s.uniform, s.one, s.image) and w.uniform < s.uniform / 2
    and l.uniform < 0.9 * w.uniform and abs(l.one / w.one - 1) < 0.05 and l.memory_percent > 85, '', null))
from kind g join kind s on s.variant = 'shared_atomics' join kind w on w.variant = 'wide_loads'
  join kind l on l.variant = 'lane_copies'
where g.variant = 'global_atomics'
union all
select 'lab10', '', json_object('vendor_one_loss', v.one / f.one, 'vendor_image_loss', v.image / f.image)
from fastest join kind f using (variant) join vendor on vendor.id = 'lab10'
  join kind v on v.variant = vendor.variant
where fastest.lab = 'lab10_histogram';
