-- report.sql - lab 5's own tables and facts: pixels of three and four bytes, and ways of transfer.

-- Each variant on colours, at the lab's size and its best block.
create table colours as
select type, good.*, min(time_s)
from good join at using (lab, size)
join (select parameters, value as type from parameter
  where key = 'type' and value in ('rgb24', 'rgba32')) using (parameters)
where lab = 'lab5_gaussian' and origin <> 'past' and cpu_threads is null and transfer is null
  and (kind = 'cpu' or cache is not 'hot')
group by type, origin, variant;

create view lab5_variants_rgb24 as
select mark as machine, variant, kind, block, time_s * 1e3 as time_ms, end_to_end_s * 1e3 as end_to_end_ms,
  gb_per_s, speedup
from colours join mark using (origin) where type = 'rgb24' order by origin desc, line;

create view lab5_variants_rgba32 as
select mark as machine, variant, kind, block, time_s * 1e3 as time_ms, end_to_end_s * 1e3 as end_to_end_ms,
  gb_per_s, speedup
from colours join mark using (origin) where type = 'rgba32' order by origin desc, line;

-- Ways for the picture to get there and back: of one variant, size and block, that which was
-- measured in the most ways, of equals the largest.
create table way as
with timed as (
  select good.*, min(end_to_end_s)
  from good join gpu_work using (lab, work), teller
  where lab = 'lab5_gaussian' and kind <> 'cpu' and origin = gpu_origin and end_to_end_s > 0
  group by variant, size, block, transfer),
place as (
  select variant, size, block from timed group by variant, size, block
  having count(*) > 1 order by count(*) desc, max(area) desc, min(time_s) limit 1)
select timed.*, coalesce(transfer, 'pageable') as name
from timed join place using (variant, size, block);

create view transfers as
select variant, name as transfer, size, block, time_s * 1e3 as kernel_ms,
  end_to_end_s * 1e3 as end_to_end_ms
from way order by transfer is not null, line;

insert into fact select 'lab5.transfer_best', name, null, source
  from way order by end_to_end_s limit 1;
insert into fact select 'lab5.transfer_best_ms', min(end_to_end_s) * 1e3, 3, source from way;
insert into fact select 'lab5.transfer_worst', name, null, source
  from way order by end_to_end_s desc limit 1;
insert into fact select 'lab5.transfer_worst_ms', max(end_to_end_s) * 1e3, 3, source from way;
insert into fact select 'lab5.transfer_pageable_ms', end_to_end_s * 1e3, 3, source
  from way where transfer is null;
