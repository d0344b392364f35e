-- rows.sql - the rules: which rows give numbers, and which of them are set side by side. Each rule
-- is one table, made once.

-- The last of several rows of one case in a file counts, in profile.csv, too.
create table doubled as
select * from (
  select origin, file, line, row_number() over (
    partition by origin, file, variant, parameters, width, height, depth, block_x, block_y, nodes,
      gpus, cache
    order by line desc) as i from csv) where i > 1;
delete from csv where (origin, file, line) in (select origin, file, line from doubled);
insert into remark
select place || file || ': ' || count(*) || iif(count(*) = 1, ' row', ' rows') ||
  ' of a case that has a later one: passed over'
from doubled join origin using (origin) group by origin, file;
delete from counters where (origin, line) in (
  select origin, line from (
    select origin, line, row_number() over (
      partition by origin, lab, variant, parameters, width, height, depth, block_x, block_y
      order by line desc) as i from counters) where i > 1);

-- A time that is none, as -1 or nan, is a failure, whatever else is right.
update csv set status = 'failed', note = 'the time is no positive number'
where status = 'ok' and kind in ('cpu', 'gpu', 'vendor') and time_s is not null
  and not (typeof(time_s) = 'real' and time_s > 0 and time_s < 1e99);

-- `key=value;key=value`, a row a pair.
create table parameter as
select parameters, part.key as n, part.value as pair,
  substr(part.value, 1, instr(part.value || '=', '=') - 1) as key,
  substr(part.value, instr(part.value || '=', '=') + 1) as value
from (select distinct parameters from csv),
  json_each('[' || replace(json_quote(parameters), ';', '","') || ']') as part
where part.value <> '';

-- The work that parameters stand for: threads and ways of transfer do not change what is computed.
create table work as
select parameters,
  coalesce(group_concat(pair, ';') filter (where key not in ('cpu_threads', 'transfer')), '')
    as work,
  max(cast(value as integer)) filter (where key = 'cpu_threads') as cpu_threads,
  max(value) filter (where key = 'transfer') as transfer,
  max(value) filter (where key = 'template') as template
from (select * from parameter order by parameters, n) group by parameters;

-- The records of run.json, or of a card that has none, of card.json. What is no record, or holds a
-- number beyond any machine's, is passed over.
create table described as
select origin, file, said.key as lab, said.id, said.value as record, said.type = 'object' and not exists (
  select * from json_each(iif(said.type = 'object', said.value, '{}')) as number
  where number.type = 'real' and abs(number.value) > 1e99) as sound
from (
  select origin, file, cast(readfile(origin || '/' || file) as text) as text,
    row_number() over (partition by origin order by file desc) as i
  from origin join (select 'run.json' as file union all select 'card.json')
  where readfile(origin || '/' || file) is not null),
  json_each(iif(json_valid(text), text, '[null]')) as said
where i = 1 and key is not 'tests'; -- which is no lab's run
insert into remark
select place || file || ': not what a run writes: passed over in part, or whole'
from described join origin using (origin) where not sound group by origin;

-- A machine whose labs ran on several hosts: there rows of one commit alone are one recording.
create table many_hosts as
select origin from described where sound
group by origin having count(distinct json_extract(record, '$.host')) > 1;

-- All rows, with what follows from their columns.
create table every_row as
select csv.*, substr(file, 1, length(file) - 4) as lab, substr(file, 1, instr(file, '_') - 1) as id,
  place || file || ':' || line as source, coalesce(work, '') as work, cpu_threads, transfer,
  iif(origin in (select origin from many_hosts), ifnull("commit", ''), '') as recording,
  coalesce(sizes_are, iif(height = 1, 'vector', 'image')) as sizes_are,
  case when sizes_are = 'product' and (width <> height or depth <> width)
    then height || 'x' || width || 'x' || depth
    when sizes_are in ('product', 'vector') or (sizes_are is null and height = 1)
    then cast(width as text)
    else width || 'x' || height end as size,
  coalesce(work glob 'measure=*', 0) as is_ceiling,
  cast(width as real) * height * iif(sizes_are = 'product', coalesce(depth, 1), 1) as area,
  case when block_x is null then ''
    when coalesce(block_y, 1) = 1 and coalesce(sizes_are, '') in ('vector', '')
    then cast(block_x as text)
    else block_x || 'x' || coalesce(block_y, 1) end as block,
  -- what a time grows with: n, N, pixels; with a template the positions that it fits in
  case when coalesce(sizes_are, '') in ('vector', 'product') then cast(width as real)
    when template glob '[0-9]*x[0-9]*'
    then (width - cast(template as integer) + 1.0)
      * (height - cast(substr(template, instr(template, 'x') + 1) as integer) + 1)
    else cast(width as real) * height end as x
from csv join origin using (origin)
left join (select lab || '.csv' as file, sizes_are from labs) using (file)
left join work using (parameters);

-- Variants for several GPUs, on however many they ran, are set beside themselves alone (gpus.sql):
-- but for what becomes of all rows, what follows is of the others.
create table row as select * from every_row where gpus is null;

-- What may give a number: checked, timed, not emulated. A speedup is over the serial program of the
-- same machine, recording, work and size.
create table timed as
select * from every_row
where status = 'ok' and kind in ('cpu', 'gpu', 'vendor') and time_s is not null;
create table good as
with serial as (
  select origin, lab, recording, work, size, min(time_s) as serial_s, source as serial_source
  from timed where role = 'serial' and cpu_threads is null and transfer is null
  group by origin, lab, recording, work, size)
select timed.*, serial_s, serial_source,
  iif(role is 'yardstick', null, serial_s / time_s) as speedup
from timed left join serial using (origin, lab, recording, work, size) where gpus is null;

-- Rows that measure what the machine can do at most (`is_ceiling`) are no work to be set side by
-- side. Of rows measured under several conditions (work and cache) those with the most rows in the
-- lab, of equals the cold ones, then the first; the CPU's are those with the kernels' work where
-- there are any. A variant without rows under them has its own commonest ones.
create table condition as
select lab, origin, kind = 'cpu' as is_cpu, work, cache, count(*) as n, min(line) as first
from good
where cpu_threads is null and transfer is null and not is_ceiling
  and (origin glob 'own*' or origin = 'gpu')
group by 1, 2, 3, 4, 5;

create table gpu_work as
select lab, work from (
  select *, row_number() over (partition by lab order by n desc, cache = 'cold' desc, first) as i
  from condition where not is_cpu) where i = 1;

-- The rows that are set side by side. `rank` is the order of variants; that of labs is of their
-- numbers, substr(lab, 4) + 0: lab10 follows lab9.
create table shown as
with chosen as (
  select good.*,
    first_value(good.work || '/' || ifnull(good.cache, '')) over (
      partition by good.lab, good.origin, is_cpu, variant
      order by is_cpu and good.work is g.work desc, n desc, good.cache = 'cold' desc, first)
      as best_condition,
    min(line) over (partition by good.lab, good.origin, variant) as rank
  from good join condition c
    on c.lab = good.lab and c.origin = good.origin and c.work = good.work
    and c.cache is good.cache and is_cpu = (kind = 'cpu')
  left join gpu_work g on g.lab = good.lab
  where cpu_threads is null and transfer is null)
select * from chosen where best_condition = work || '/' || ifnull(cache, '');

-- A lab's size, of those of 2012 where there is one: the largest with a kernel and a serial CPU of the
-- machine that tells of the GPU, so that a few small rows of a CPU do not choose at which size recorded
-- kernels are told of; else the largest with a kernel; else with a serial CPU; else with anything.
create table at as
select lab, id, size, area from (
  select *, row_number() over (
    partition by lab
    order by gpu and own desc, gpu and host desc, gpu desc, own desc, was desc, area desc) as i
  from (select lab, id, size, area, max(kind = 'gpu') as gpu, max(role is 'serial') as host,
      max(role is 'serial' and origin = iif(exists (
        select * from timed where origin = 'own' and kind = 'gpu') or not exists (
        select * from timed where origin = 'gpu' and kind = 'gpu'), 'own', 'gpu')) as own,
      (lab, size) in (select lab, size from good where origin = 'past') as was
    from shown group by lab, size)) where i = 1;

-- Each variant at its best block, at the lab's size.
create table best as
select * from (
  select shown.*, row_number() over (partition by lab, origin, variant order by time_s, line)
    as of_variant
  from shown join at using (lab, size)) where of_variant = 1;

-- The ladder's size, the largest of those at which most of a lab's kernels were measured.
create table ladder_at as
select lab, size from (
  select lab, size, row_number() over (
    partition by lab order by count(distinct variant) desc, area desc) as i
  from shown where kind <> 'cpu' and role is not 'yardstick' group by lab, size) where i = 1;

-- Who tells of the GPU, and what the machines are called where they stand beside each other.
create table teller as
select gpu.origin as gpu_origin, gpu.origin = 'gpu' and kernels as stands_in, kernels,
  gpu.machine || iif(gpu.origin = 'gpu', ' (recorded)', '') as label,
  own.machine as machine, 'Tesla C2050 (2012)' as past_label
from origin as gpu join origin as own on own.origin = 'own'
  join (select count(*) > 0 as kernels from timed where kind = 'gpu' and origin in ('own', 'gpu'))
where gpu.origin in ('own', 'gpu') order by gpu.origin limit 1;

-- What tells rows of two machines apart where a table has both; null where there is but one.
create table mark as
select origin, iif(stands_in, iif(origin = 'own', origin.machine, label), null) as mark
from origin, teller where origin in ('own', 'gpu');

-- The machine's own rows and, of the labs of which rows there are right, the kernels of its GPU or of that which
-- stands in; the CPU beside the latter is no part of them.
create table mine as
select shown.* from shown, teller where origin = iif(kind = 'cpu', 'own', gpu_origin)
  and lab in (select lab from every_row where origin = 'own' and status = 'ok');
-- Its rungs, the kernels and libraries, in their order; each at its best block.
create table rung as
select mine.*, min(time_s) from mine join ladder_at using (lab, size)
where kind <> 'cpu' and role is not 'yardstick' group by lab, variant;
create table mine_best as
select best.* from best, teller where origin = iif(kind = 'cpu', 'own', gpu_origin)
  and lab in (select lab from mine);

-- Whose work is that of these rows: no parameter that both name differs, the type aside.
create table alike as
select distinct lab, is_cpu, other.parameters
from (select distinct lab, kind = 'cpu' as is_cpu, parameters from mine) as own
  join (select distinct lab, parameters from row) as other using (lab)
where not exists (
  select * from parameter a join parameter b using (key)
  where a.parameters = own.parameters and b.parameters = other.parameters
    and key <> 'type' and a.value <> b.value);

-- 2012.
create table past as
select good.*, min(time_s) from good join alike using (lab, parameters)
where origin = 'past' and is_cpu = (kind = 'cpu') group by lab, variant, size, block;

-- The rows of both, side by side.
create table now_and_then as
select origin = 'past' as is_past, good.* from good join (
  select origin, lab, line from mine union all select origin, lab, line from past)
  using (origin, lab, line)
where lab in (select lab from mine);

-- The kernel that repeats the one of 2012, whose rows have its name; of other labs the plain one, the
-- first that does the work.
create table first_kernel as
select lab, variant, min(rank) as rank from mine
where kind = 'gpu' and role is not 'yardstick' group by lab;
create table counterpart as
select distinct lab, variant from past where kind = 'gpu'
union all
select lab, variant from first_kernel where lab not in (select lab from past where kind = 'gpu');

-- Variants that begin before the run before them has ended: no launch of theirs has a time.
create table overlapping as
select lab, value as variant
from labs, json_each('["' || replace(overlapping, ' ', '","') || '"]') where overlapping <> '';

-- Rows of less than a millisecond that were timed launch by launch, not in batches: a launch's own time
-- is in them, and no ratio is made of one of these and another.
create table singly as
select source from timed where note glob '*timed singly*' and time_s < 1e-3;
