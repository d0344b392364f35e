-- gpus.sql - variants over several GPUs: how they scale, what keeps them from the ideal, and a
-- model of their times. It comes last, for labs say in their report.sql what moves between GPUs
-- (`link`, `exchange` in tables.sql).

-- Each series, its efficiency by GPUs, and what of the time was waited for others' data with the
-- most of them.
.once columns.sql
select 'create view gpu_scaling as
  select way, lab, variant, one_size as size, nullif(nodes, 1) as nodes, one_s * 1e3 as "T(1) / ms"'
  || coalesce(group_concat(printf(
    ', max(100 * s / gpus) filter (where gpus = %d) as "E(%d) / %%"', gpus, gpus), ''), '')
  || ', max(100 * exposed) filter (where gpus = most) as exposed_percent
  from (select *, max(gpus) over (partition by series) as most,
    min(place) over (partition by lab, variant) as first from spread)
  group by series order by way, lab, first, area, nodes;'
from (select distinct gpus from spread order by gpus);
.read columns.sql

-- One of a variant's series is fitted, drawn and modelled: that with the most points, of equals the
-- largest.
create table main_series as
select * from (
  select way, lab, variant, nodes, series, one_size, row_number() over (
      partition by way, lab, variant, nodes order by count(*) desc, max(area) desc) as i,
    min(min(place)) over (partition by lab, variant) as first
  from spread group by series)
where i = 1;

create view gpu_amdahl as
select lab, variant, one_size as size, nullif(nodes, 1) as nodes, n_max as gpus, speedup_max,
  100 * (1 - share) as serial_percent, 1 / nullif(1 - share, 0) as "limit", rms_percent
from main_series join fitted using (series) order by substr(lab, 4) + 0, first, nodes;

-- The model ---------------------------------------------------------------------------------------

-- Between two sizes that were measured times lie on a power of the bytes; below the first they are
-- its time, beyond the last they have its rate. A link between fewer GPUs tells of more.
create table hop as
select *, lead(bytes) over sizes as next_bytes, lead(time_s) over sizes as next_s,
  row_number() over sizes = 1 as is_first
from link window sizes as (partition by way, gpus, nodes order by bytes);

create table exchanged as
select e.source, max(behind) as behind, sum(messages * hop.time_s * case
    when e.bytes <= hop.bytes then 1
    when next_bytes is null then e.bytes / hop.bytes
    else pow(e.bytes / hop.bytes, ln(next_s / hop.time_s) / ln(next_bytes / hop.bytes)) end)
  as exchange_s
from exchange e join several m using (source)
join hop on hop.way = e.way and hop.nodes is m.nodes and hop.gpus = (
    select max(gpus) from link where way = e.way and nodes is m.nodes and gpus <= m.gpus)
  and (hop.bytes <= e.bytes or is_first) and ifnull(e.bytes < next_bytes, true)
group by e.source;

-- One GPU's time, divided among them where the problem is, and what of the exchange the arithmetic
-- does not hide. `exposed` is empty where a variant exchanges nothing. What a library does is its own.
create table foreseen as
with part as (
  select spread.*, first, one_s / iif(way = 'strong', gpus, 1) as arithmetic_s,
    (lab, variant) in (select lab, variant from several where exposed is not null) as exchanges
  from spread join main_series using (way, lab, variant, nodes, series) where kind is not 'vendor')
select *, arithmetic_s + max(0, exchange_s - behind * arithmetic_s) as model_s
from (
  select part.*, iif(exchanges, behind, 0) as behind, iif(exchanges, exchange_s, 0) as exchange_s
  from part left join exchanged using (source));

create view gpu_model as
select way, lab, variant, size, nullif(nodes, 1) as nodes, gpus,
  arithmetic_s * 1e3 as arithmetic_ms, exchange_s * 1e3 as exchange_ms, model_s * 1e3 as model_ms, time_s * 1e3 as time_ms,
  100 * (1 - arithmetic_s / model_s) as model_exposed_percent, 100 * exposed as exposed_percent,
  100 * (model_s / time_s - 1) as off_percent
from foreseen where model_s is not null order by way, lab, first, nodes, gpus;

-- The figure --------------------------------------------------------------------------------------

-- A panel a lab and way: of strong scaling speedups with Amdahl's law, of weak the efficiency.
create view figure_gpus as
with point as (
  select way, series, lab, line, origin, gpus, s, time_s, time_q1_s, time_q3_s from spread
  union all select distinct way, series, o.lab, o.line, o.origin, 1, 1, o.time_s, o.time_q1_s,
    o.time_q3_s
  from spread join several o on o.source = one_source),
placed as (
  select point.*, variant || '| ' || replace(one_size, 'x', '×')
      || iif(main_series.nodes > 1, '| ' || main_series.nodes || ' nodes', '') as what, share,
    dense_rank() over (order by substr(lab, 4) + 0) as panel,
    dense_rank() over (partition by way, lab order by first, main_series.nodes) as i,
    iif(way = 'strong', s, 100 * s / gpus) as y,
    last_value(s / gpus) over (partition by series order by gpus
      rows between unbounded preceding and unbounded following) as efficiency,
    count(*) over (partition by way, series) > 2 as has_law -- one point is on a law of any kind
  from point join main_series using (way, lab, series) left join fitted using (series))
select lab, way, panel, i, gpus, y, y * coalesce(time_s / time_q3_s, 1) as low,
  y * coalesce(time_s / time_q1_s, 1) as high,
  iif(way = 'strong' and has_law, share, null) as share,
  what || iif(way = 'strong' and has_law and share is not null,
    printf(': 1 - P = {%.9g} %%', 100 * (1 - share)),
      iif(way = 'strong', ': efficiency', ':') || printf(' {%.9g} %%', 100 * efficiency))
    as text, about
from placed left join told_of using (origin, lab, line) order by panel, way, i, gpus;

-- The facts ---------------------------------------------------------------------------------------

-- The least and the most efficient of our own on the most GPUs, where there are several.
insert into told
with last as (
  select spread.*, s / gpus as efficiency, rank() over (partition by way order by gpus desc) as nth
  from spread join main_series using (way, lab, variant, nodes, series) where kind is not 'vendor'),
ranked as (
  select *, row_number() over (partition by way order by efficiency) as least,
    row_number() over (partition by way order by efficiency desc) as most
  from last where nth = 1)
select '', group_concat(one_source || ';' || source, ';'), json_object(
  way || '_gpus', iif(count(series) > 1, max(gpus), null),
  way || '_least_percent', max(100 * efficiency) filter (where least = 1),
  way || '_least_lab', max(substr(id, 4)) filter (where least = 1),
  way || '_least_variant', max(variant) filter (where least = 1),
  way || '_most_percent', max(100 * efficiency) filter (where most = 1),
  way || '_most_lab', max(substr(id, 4)) filter (where most = 1),
  way || '_most_variant', max(variant) filter (where most = 1))
from (select 'strong' as way union all select 'weak') left join ranked using (way) group by way
union all
select '', group_concat(one_source || ';' || source, ';'), json_object(
  'model_off_percent', max(100 * abs(model_s / time_s - 1)))
from foreseen;
