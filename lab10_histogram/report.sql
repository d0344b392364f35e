-- report.sql - lab 10: what bounds its ladder, and its times by what the bytes are.
insert into demand
select lab, 'memory', 'memory', max(bytes) from rung where lab = 'lab10_histogram' group by lab;

create table of_kind as
select variant, value as data, min(time_s) as time_s, source
from good join teller on origin = gpu_origin join parameter using (parameters)
where lab = 'lab10_histogram' and key = 'data' and kind <> 'cpu' and cache is not 'hot' and transfer is null
  and area = (select max(area) from good where lab = 'lab10_histogram' and kind <> 'cpu')
group by variant, value;

create view lab10_kinds as
select variant, 1e3 * max(time_s) filter (where data = 'uniform') as uniform,
  1e3 * max(time_s) filter (where data = 'one') as one, 1e3 * max(time_s) filter (where data = 'image') as image
from of_kind group by variant order by uniform desc;

insert into told
select 'lab10', source, json_object('global_' || data || '_ms', 1e3 * time_s)
from of_kind where variant = 'global_atomics' and data <> 'image'
union all
select 'lab10', b.source || ';' || c.source, json_object('lane_memory_percent', 100 * b.gb_per_s / c.gb_per_s)
from mine_best b join ceiling c on processor = 'gpu' where lab = 'lab10_histogram' and variant = 'lane_copies'
union all
select 'lab10', v.source || ';' || f.source, json_object('vendor_' || f.data || '_loss', v.time_s / f.time_s)
from fastest join of_kind f using (variant) join vendor on vendor.id = fastest.id
  join of_kind v on v.variant = vendor.variant and v.data = f.data
where fastest.lab = 'lab10_histogram' and f.data <> 'uniform';

-- Do the counters, then the loads, the banks and memory decide?
insert into told
select 'lab10', (select group_concat(source, ';') from of_kind), json_object('in_turn', iif(
  g.one > 2 * g.uniform and max(s.uniform, s.one, s.image) < 1.05 * min(s.uniform, s.one, s.image)
  and w.uniform < s.uniform / 2 and l.uniform < 0.9 * w.uniform and abs(l.one / w.one - 1) < 0.05
  and (select 100 * b.gb_per_s / c.gb_per_s > 85 from mine_best b join ceiling c on processor = 'gpu'
    where b.lab = 'lab10_histogram' and b.variant = l.variant), '', null))
from lab10_kinds g join lab10_kinds s on s.variant = 'shared_atomics'
  join lab10_kinds w on w.variant = 'wide_loads' join lab10_kinds l on l.variant = 'lane_copies'
where g.variant = 'global_atomics';
