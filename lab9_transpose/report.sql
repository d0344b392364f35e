-- report.sql - lab 9: kernels beside the copy of as many bytes, at their best blocks and the plain one with
-- blocks as high as its own are wide; the CPU's program at the size of the tables and at its best.
create table beside_copy as
select m.*, copy.time_s / m.time_s as share, m.source || ';' || copy.source as both
from mine m join at using (lab, size) join mine_best copy using (lab, size, recording)
where lab = 'lab9_transpose' and m.kind <> 'cpu' and copy.variant = 'memcpy';

insert into told
select 'lab9', both, json_object(variant || '_copy_percent', 100 * max(share))
from beside_copy where variant in ('coalesced_reads', 'coalesced_writes', 'padded_tile', 'shared_tile',
  'rows_per_thread', 'vector_loads', 'wide_tile', 'cublas') group by variant
union all
select 'lab9', a.both || ';' || b.both, json_object('coalesced_reads_block', b.block,
  'coalesced_reads_wide_block', a.block, 'coalesced_reads_wide_percent', 100 * a.share)
from beside_copy a join (select *, max(share) from beside_copy where variant = 'coalesced_reads') b
  on a.variant = b.variant and a.block_x = b.block_y and a.block_y = b.block_x and a.block_x > b.block_x
union all
select 'lab9', group_concat(both, ';'), json_object('one_lags', iif(
  max(share) filter (where variant in ('coalesced_reads', 'coalesced_writes', 'padded_tile', 'shared_tile')) <
  0.9 * max(share) filter (where variant = 'rows_per_thread') and max(share) < 1.05, '', null))
from beside_copy
union all
select 'lab9', here.source || ';' || most.source,
  json_object('cpu_gb', here.gb_per_s, 'cpu_most_gb', most.gb_per_s, 'cpu_most_size', most.size)
from cpu_best here join (select *, max(gb_per_s) from good where lab = 'lab9_transpose' and kind = 'cpu'
  and area > 1e6) most using (lab, variant, recording)
where most.gb_per_s > 1.5 * here.gb_per_s;

-- What bounds its ladder, each element read and written once.
insert into demand
select lab, 'memory', 'memory', max(bytes) from rung where lab = 'lab9_transpose' group by lab;
