-- report.sql - lab 8's own facts: the last rung of either ladder, beside the first tree or scan and CUB.
insert into told
select 'lab8', last.source || ';' || first.source || ';' || cub.source, json_object(
  last.op || '_size', last.size, last.op || '_ms', 1e3 * last.time_s,
  last.op || '_gain', first.time_s / last.time_s, last.op || '_peer', cub.time_s / last.time_s)
from (
  select *, iif(variant = 'last_block', 'sum', 'scan') as op from mine_best
  where lab = 'lab8_reduction' and variant in ('last_block', 'scan_lookback')) last
join mine_best first on first.lab = last.lab
  and first.variant = iif(op = 'sum', 'tree_interleaved', 'scan_steps')
join mine_best cub on cub.lab = last.lab and cub.variant = 'cub_' || op;

-- Each ladder is held against its library, and bound by its bytes.
insert into peer values ('lab8_reduction', 'cub_sum'), ('lab8_reduction', 'cub_scan');
insert into demand
select lab, 'memory, read once', 'memory', 4 * max(area) from rung where lab = 'lab8_reduction' group by lab
union all
select lab, 'memory, read and written', 'memory', 8 * max(area) from rung where lab = 'lab8_reduction'
group by lab;
