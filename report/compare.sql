-- compare.sql - several machines beside each other: each variant at its best block, at one size a
-- lab, that at which most of the machines' CPUs and GPUs were measured; and what each card gains on
-- the one named before it, beside what its units gain. Times in ms.

create table common as
select lab, size from (
  select lab, size, area, row_number() over (
    partition by lab order by sum(gpu) + sum(cpu) desc, area desc) as i
  from (select lab, origin, size, area, max(kind = 'gpu') as gpu, max(role is 'serial') as cpu
    from shown group by lab, origin, size) group by lab, size) where i = 1;

create table compared as
select *, min(time_s) * 1e3 as time_ms from shown join common using (lab, size)
where kind <> 'vendor' group by lab, origin, variant;

.once columns.sql
select 'create view compare as select lab, variant, size,
  iif(count(distinct block) > 1, group_concat(block, ''/''), max(block)) as block' ||
  group_concat(printf(', max(time_ms) filter (where origin = %Q) as "%w"', origin, machine), '') ||
  ' from (select * from compared order by origin) group by lab, variant
  order by substr(lab, 4) + 0, min(origin), min(rank);'
from (select * from origin order by origin);
.read columns.sql

-- Of which commits and days the rows are: those of an earlier suite are of its kernels.
create view compared_rows as
select machine, substr("commit", 1, 8), count(*) as rows, min(substr(date, 1, 10)) as date
from every_row join origin using (origin) where origin glob 'own*' and "commit" is not null
group by origin, "commit" order by origin, min(date);

-- What each machine's own analysis says -----------------------------------------------------------

-- A card by its properties (`is_rate` 0) and lab 0's rates: GHz, MiB, 10^9 a second. What
-- bounds its kernels, and how much of that unit they take; of the lens's cases what bytes tell, for a unit by one
-- card's model is not to be set beside one by the other's counters.
create table card(origin, n, item, value, is_rate, source);
create table bounded(origin, lab, variant, size, block, bound, share);
create table item_of(n integer primary key, measure, item);
insert into item_of(measure, item) values ('multiprocessors', 'multiprocessors'),
  ('clock', 'clock at most, GHz'), ('lanes', 'FP32 lanes'), ('glanes', 'lanes x clock, 10^9/s'),
  ('l2_mib', 'L2 cache, MiB'), ('bus', 'memory bus x clock, GB/s'), ('copy', 'copy, GB/s'),
  ('l2', 'L2, GB/s'), ('shared', 'shared memory, GB/s'), ('loads', 'loads from L1, GB/s'),
  ('fma', 'FP32, GFLOP/s'), ('int32', 'INT32, GOP/s'), ('exp', 'exponentials, 10^9/s'),
  ('mma_fp16', 'mma.sync FP16, GFLOP/s'), ('mma_tf32', 'mma.sync TF32, GFLOP/s'),
  ('mma_int8', 'mma.sync INT8, GOP/s'), ('wgmma_fp16', 'wgmma FP16, GFLOP/s'),
  ('wgmma_tf32', 'wgmma TF32, GFLOP/s'), ('wgmma_int8', 'wgmma INT8, GOP/s');

.once alone.sql
select printf('attach ''alone/%s/results.db'' as alone;
  create temp table own as select %Q as origin, %Q as place from alone.teller
  where gpu_origin = ''own'';
  insert into card
  select origin, n, item, value, 0, place || (select iif(count(*), ''run.json'', ''card.json'')
    from alone.run where key = ''date'') from own, alone.lab0_device
    left join alone.cores using (capability), json_each(json_object(
      ''multiprocessors'', multiprocessors, ''clock'', clock, ''lanes'', multiprocessors * cores,
      ''glanes'', gclocks * cores, ''l2_mib'', l2_bytes / 1048576.0, ''bus'', memory)) property
    join item_of on measure = property.key where value is not null;
  insert into card
  select origin, n, item, per_s / 1e9, 1, place || source
  from own, alone.rate join item_of using (measure) where processor = ''gpu'';
  insert into bounded
  select own.origin, lab, variant, size, block, told, told_share * iif(told = ''DRAM'', ifnull(copies, 1), 1)
  from own, (select *, iif(basis is not ''lens'' or bound = ''launch'', bound,
      iif(dram >= threshold.share, ''DRAM'', null)) as told,
      iif(basis = ''lens'', dram, examined.share) as told_share
    from alone.examined, alone.threshold) as examined, (select max(per_s) filter (where measure = ''memory'')
    / max(per_s) filter (where measure = ''copy'') as copies from alone.rate
    where processor = ''gpu'');
  drop table own;
  detach alone;', origin, origin, place)
from origin order by origin;
.read alone.sql

-- Each machine and the one named before it.
create table step as
select * from (
  select origin as new, machine as new_machine, lag(origin) over machines as old,
    lag(machine) over machines as old_machine
  from origin window machines as (order by origin))
where old is not null;

.once columns.sql
select 'create view cards as select item' || (
    select group_concat(printf(', max(value) filter (where origin = %Q) as "%w"', origin, machine),
      '') from (select * from origin order by origin)) || coalesce((
    select group_concat(printf(', max(value) filter (where origin = %Q)
      * 1.0 / max(value) filter (where origin = %Q) as "%w / %w"', new, old, new_machine,
      old_machine), '') from step), '') || ' from card group by n order by n;';
.read columns.sql

-- Which of lab 0's rates tells of a unit. The L1's data path is that of its loads; issue slots grow
-- as FP32 lanes times clock do, between cards with as many lanes a multiprocessor.
create table law(bound, item, inside);
insert into law values ('DRAM', 'copy, GB/s', 0), ('L2', 'L2, GB/s', 0),
  ('load issue', 'loads from L1, GB/s', 1), ('shared memory', 'shared memory, GB/s', 1),
  ('L1', 'loads from L1, GB/s', 1), ('FP32', 'FP32, GFLOP/s', 1), ('INT32', 'INT32, GOP/s', 1),
  ('special functions', 'exponentials, 10^9/s', 1),
  ('tensor cores', 'mma.sync FP16, GFLOP/s', 1), ('issue slots', 'FP32, GFLOP/s', 1);

create table ratio as
select step.*, o.item, o.value as was, n.value as is_now, n.value / o.value as gain,
  o.source || ';' || n.source as source
from step join card o on o.origin = old join card n on n.origin = new and n.item = o.item;

-- A kernel on both cards. `unit_gain`: of the unit that bounds it on both.
create table gained as
select step.*, a.lab, a.id, a.variant, a.size, a.rank, a.work, o.time_ms as before_ms,
  a.time_ms as after_ms, o.time_ms / a.time_ms as gain, was.bound as was_bound, now.bound as bound,
  was.share as was_share, now.share as share, law.inside, r.gain as unit_gain, a.bytes,
  was.lab is not null and now.lab is not null as is_examined, o.source || ';' || a.source as both
from step join compared o on o.origin = step.old and o.kind = 'gpu'
join compared a on a.origin = step.new and a.lab = o.lab and a.variant = o.variant
left join bounded was on was.origin = step.old and was.lab = o.lab and was.variant = o.variant
  and was.size = o.size and was.block = o.block
left join bounded now on now.origin = step.new and now.lab = a.lab and now.variant = a.variant
  and now.size = a.size and now.block = a.block
left join law on law.bound = now.bound and law.bound = was.bound
left join ratio r on r.new = step.new and r.item = law.item
where not exists ( -- the same work on both: no parameter that both name differs, the type aside
  select * from parameter p join parameter q using (key)
  where p.parameters = o.parameters and q.parameters = a.parameters and key <> 'type'
    and p.value <> q.value);

create view gains as
select old_machine as before, new_machine as after, lab, variant, size, before_ms, after_ms, gain,
  was_bound, bound, unit_gain
from gained order by old, substr(lab, 4) + 0, rank;

-- The facts ---------------------------------------------------------------------------------------

-- The latest step with lab 0's rates of both cards (`pair`), and the latest with only the
-- properties of the older one (`leap`).

create table told_step as
select * from (
  select *, iif(old in (select origin from card where is_rate), 'pair', 'leap') as about,
    row_number() over (
      partition by old in (select origin from card where is_rate) order by new desc) as latest
  from step where new in (select origin from card where is_rate)
    and old in (select origin from card)) where latest = 1;

-- A value of both, and how many times the one the other is.
insert into told
select about, source, json_object(name || '_old', was, name || '_new', is_now,
  name || '_ratio', gain)
from told_step join ratio using (new) join (
  select column1 as item, column2 as name from (values ('lanes x clock, 10^9/s', 'lanes'),
    ('L2 cache, MiB', 'l2_size'), ('memory bus x clock, GB/s', 'bus'), ('copy, GB/s', 'copy'),
    ('L2, GB/s', 'l2'))) using (item)
union all
select about, '', json_object('old', told_step.old_machine, 'new', told_step.new_machine)
from told_step
union all
select about, max(source), json_object(
  'multiprocessors', iif(min(gain) = 1 and max(gain) = 1,
    max(was) filter (where item = 'multiprocessors'), null),
  'clock', max(was) filter (where item = 'clock at most, GHz'))
from told_step join ratio using (new)
where item in ('multiprocessors', 'clock at most, GHz', 'FP32 lanes') group by about
-- What multiprocessors do by themselves: how far apart the two cards are, where it is not far.
union all
select about, group_concat(ratio.source, ';'), json_object('same_inside', '',
  'inside_percent', 100 * max(abs(gain - 1)), 'inside_rates', count(*))
from told_step join ratio using (new)
where item in (select item from law where inside) group by about having max(abs(gain - 1)) < 0.05;

-- Its kernels by what bounds them on both cards, where these cases were examined; `measure` of lab 0
-- stands for each kind.
create table kind_of(ink, of, measure, text);
insert into kind_of values (1, 'dram', 'copy', 'DRAM bounds it on both'),
  (2, 'l2', 'l2', 'the L2 does'), (3, 'inside', 'fma', 'a unit inside the multiprocessors does'),
  (0, 'other', null, 'latency, not known, or not the same on both');
create table of_pair as
select gained.*, id || ' ' || variant as kernel, case
    when gained.bound = 'DRAM' and was_bound = 'DRAM' then 'dram'
    when gained.bound = 'L2' and was_bound = 'L2' then 'l2'
    when inside then 'inside' else 'other' end as of
from gained join told_step using (new) where about = 'pair' and is_examined; -- no yardstick is

insert into told
select 'pair', group_concat(both, ';'), json_object(of || '_kernels', count(*),
  of || '_least_ratio', min(gain), of || '_most_ratio', max(gain))
from of_pair group by of
union all
select 'pair', '', json_object('kernels', count(*), 'unknown_kernels',
  nullif(count(*) filter (where was_bound is null or bound is null), 0)) from of_pair having count(*) > 0
-- One that moves what the copy does, on both; and one that leaves more of it on the newer card.
union all
select 'pair', both, json_object('dram_most', kernel, 'dram_most_old_percent', 100 * was_share,
  'dram_most_new_percent', 100 * share)
from (select *, max(gain) from of_pair where of = 'dram')
where abs(was_share - 1) < 0.05 and abs(share - 1) < 0.05
union all
select 'pair', both, json_object('dram_least', kernel, 'dram_least_old_percent', 100 * was_share,
  'dram_least_new_percent', 100 * share)
from (select *, min(gain) from of_pair where of = 'dram') where share < was_share - 0.05;

-- Each lab's fastest kernel: is its ratio nearer to the memory's or to the multiprocessors'?
insert into told
select 'pair', group_concat(both, ';'), json_object('near_' || near,
  group_concat(printf('%s (%.2f)', kernel, gain), ', '))
from (
  select f.*, iif(abs(ln(f.gain / r.gain)) < abs(ln(f.gain)), 'memory', 'lanes') as near
  from (
    select of_pair.*, min(after_ms) from of_pair join gpu_work using (lab, work) group by lab) f
  join ratio r on r.new = f.new and r.item = 'copy, GB/s' order by substr(f.lab, 4) + 0)
group by near;

-- 2012's kernel of each lab, against what lanes times clock and what the memory gain; and the data
-- that the newer card's L2 has room for, but not the older's.
insert into told
select 'leap', group_concat(both, ';'), json_object(
  'kernels', group_concat(printf('%s (%.3g)', kernel, gain), ', '),
  'between', group_concat(iif(gain between 0.95 * low and 1.05 * high, kernel, null), ', '),
  'beyond', group_concat(iif(gain > 1.05 * high, kernel, null), ', '),
  'below', group_concat(iif(gain < 0.95 * low, kernel, null), ', '),
  'fits', group_concat(iif(bytes > was_l2 and bytes <= is_l2, kernel, null), ', '))
from (
  select gained.*, id || ' ' || variant as kernel, min(l.gain, m.gain) as low,
    max(l.gain, m.gain) as high, 1048576 * c.was as was_l2, 1048576 * c.is_now as is_l2
  from told_step join gained using (new)
  join ratio l on l.new = gained.new and l.item = 'lanes x clock, 10^9/s'
  join ratio m on m.new = gained.new and m.item = 'memory bus x clock, GB/s'
  join ratio c on c.new = gained.new and c.item = 'L2 cache, MiB'
  where about = 'leap' order by substr(gained.lab, 4) + 0)
having count(*) > 0;

-- The figure: the kernels' gains, and among them those of lab 0's rates, lighter.
insert into bar
with gain_of as (
  select kernel, gain, 'full' as style, ink from of_pair join kind_of using (of)
  union all
  select 'lab0 ' || measure, gain, 'light', ink
  from told_step join ratio using (new) join item_of using (item) join kind_of using (measure)
  where about = 'pair' and of in (select of from of_pair))
select '', 'gains', 1, kernel, row_number() over (order by gain desc), 1, style, 0, gain,
  printf('{%.9g}', gain), ink
from gain_of;
insert into bar_text(lab, chart, what, n, text, style, ink)
select '', 'gains', 'key', rowid, text, 'full', ink from kind_of
where of in (select of from of_pair)
union all
select '', 'gains', 'key', 9, 'what lab 0 measured', 'light', 0 where exists (select * from of_pair)
union all
select '', 'gains', 'title', null, printf('%s against %s', new_machine, old_machine), null, null
from told_step where about = 'pair';

-- Bars, of all labs the CPU and the kernel of the lab's work that most machines have, of equals the
-- fastest; of a lab all its variants. On a logarithmic axis each machine has a shape and a colour.
create table compared_bar as
select compared.*, variant || ', ' || replace(size, 'x', '×') as row,
  dense_rank() over (order by origin) as machine_n,
  min(rank) over (partition by lab, variant) as row_rank
from compared;

insert into bar
select lab, 'compare', 1, row, row_rank, machine_n, machine_n, null, time_ms,
  printf('{%.9g} ms', time_ms), machine_n
from compared_bar
union all
select '', 'compare', 1, id || ' ' || row,
  printf('%02d', substr(lab, 4) + 0) || (kind <> 'cpu'), machine_n, machine_n, null, time_ms,
  printf('{%.9g} ms', time_ms), machine_n
from compared_bar join (
  select lab, variant, row_number() over (
    partition by lab, kind = 'cpu' order by kind = 'cpu' and role is 'serial' desc,
      count(*) desc, sum(time_ms)) as i
  from compared where role is not 'yardstick' and (lab, variant) not in (select lab, variant from overlapping)
    and (kind = 'cpu' or (lab, variant) in (
    select lab, variant from compared join gpu_work using (lab, work)))
  group by lab, variant) using (lab, variant)
where i = 1;

insert into bar_row
select lab, 'compare', 1, row, machine_n, origin, lab, line, 0 from compared_bar;

insert into bar_text(lab, chart, what, n, text, style, ink)
select distinct bar.lab, 'compare', 'key', machine_n, machine, machine_n, machine_n
from compared_bar join origin using (origin) join bar on bar.lab in ('', compared_bar.lab)
order by machine_n;
