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
