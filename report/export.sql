-- export.sql - facts.csv, and every view as tables/NAME.csv, an empty file where it has no rows.

-- `digits`: how many to show; 2 of a number below 10, else 3; -2, two of any, where the samples of a
-- time that it follows from spread by a twentieth or more; null: the value as it is.
create table noisy_source as
select source, noise from timed where max(noise, ifnull(copy_noise, 0)) >= 0.05;
create table fact as
select iif(about = '', '', about || '.') || key as name, value, case
    when type <> 'real' then null
    when (key glob '*_ms' or key glob '*gain*' or key glob '*_loss' or key glob '*speedup*' or key glob '*_gb') and exists (
      select * from noisy_source where (noise >= 0.05 or key glob '*end_to_end*' or key glob 'copies_*')
        and instr(';' || told.source || ';', ';' || noisy_source.source || ';'))
      then -2
    when key glob '*gain*' or key glob '*_loss' or key glob 'exponent_*' or key glob '*_slower_percent' then 2
    else 3 end as digits, source
from told, json_each(facts) where type <> 'null';

.once export.sql
select printf('.once tables/%s.csv%sselect * from "%w";', name, char(10), name)
from sqlite_master where type = 'view';
.headers on
.mode csv
.separator , "\n"
.once facts.csv
select name, value, digits, source from fact;
.read export.sql
