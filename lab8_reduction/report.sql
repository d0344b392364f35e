-- report.sql - lab 8's own facts: times of the last rung of either ladder, and at which share of the rate
-- at which lab 0 reads memory kernels move what must be moved.
insert into told
select 'lab8', source, json_object(iif(variant = 'last_block', 'sum_ms', 'scan_ms'), 1e3 * time_s)
from mine_best where lab = 'lab8_reduction' and variant in ('last_block', 'scan_lookback')
union all
select 'lab8', last.source || ';' || first.source, json_object('scan_gain', first.time_s / last.time_s,
  'gain_of_one_pass', iif(first.time_s > 1.2 * last.time_s, '', null))
from mine_best last join mine_best first using (lab)
where lab = 'lab8_reduction' and last.variant = 'scan_lookback' and first.variant = 'scan_steps'
union all
select 'lab8', b.source || ';' || c.source,
  json_object(variant || '_memory_percent', 100 * b.gb_per_s / c.gb_per_s,
    'near_memory', iif(variant = 'last_block' and b.gb_per_s > 0.8 * c.gb_per_s, '', null))
from mine_best b join ceiling c on processor = 'gpu'
where lab = 'lab8_reduction' and variant in ('atomic', 'last_block', 'cub_sum', 'scan_lookback', 'cub_scan');

-- Each ladder is held against its library, and bound by its bytes.
insert into peer values ('lab8_reduction', 'cub_sum'), ('lab8_reduction', 'cub_scan');
insert into demand
select lab, 'memory, read once', 'memory', 4 * max(area) from rung where lab = 'lab8_reduction' group by lab
union all
select lab, 'memory, read and written', 'memory', 8 * max(area) from rung where lab = 'lab8_reduction'
group by lab;
