-- report.sql - lab 4's own facts: the kernel of 2012 summed in memory, as `global_sum` does today.

create table summed as
select best.time_s, past.time_s as past_s, best.source || ';' || past.source as source
from best left join (
  select past.*, min(time_s) from past join at using (lab, size)
  where variant = 'naive' and lab = 'lab4_template') past using (lab)
where best.lab = 'lab4_template' and best.variant = 'global_sum';

insert into told
select 'lab4', source, json_object('past_global_sum_gain', past_s / time_s)
from summed;

-- How many blocks of 32 x 32 threads the positions of a 64 x 64 template make, where they cost most.
insert into told
select 'lab4', both, json_object('large_block_most_blocks', 
  ((width - 64) / 32 + 1) * ((height - 64) / 32 + 1))
from (
  select large_block.*, row_number() over (order by ratio desc, area) as i
  from large_block where id = 'lab4' and not is_past)
where i = 1;
