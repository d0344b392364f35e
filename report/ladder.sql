-- ladder.sql - a lab's kernels as the rungs of a ladder: what each gains, beside the vendor's library
-- and what the hardware allows. It comes last, for labs say in their report.sql what they are held
-- against (`peer`, `demand` in bars.sql).

-- The library's rung of each lab.
create table held_against as
select rung.*, min(rank) from rung join gpu_work using (lab, work) left join peer using (lab)
where kind = 'vendor' and rung.variant = coalesce(peer.variant, rung.variant) group by lab;

-- `step_gain`: over the fastest of the rungs before that do the same work; a library is no rung of
-- ours, and is held against the same work alone.
create table stepped as
select rung.*, iif(rung.kind = 'gpu', min(rung.time_s) over before / rung.time_s, null)
    as step_gain, held_against.time_s / rung.time_s as peer_share,
  first_value(rung.variant) over (partition by rung.lab order by rung.rank) as first_variant
from rung left join held_against using (lab, work)
window before as (partition by rung.lab, rung.kind, rung.work order by rung.rank
  rows between unbounded preceding and 1 preceding);

create view ladder as
select lab, size, variant, kind, block, time_s * 1e3 as time_ms, 100 * noise as noise_percent,
  step_gain, 100 * peer_share as peer_percent, max_error
from stepped order by lab, rank;

-- A lab's own tables are the lines of these views that are its, a view each; blocks become columns.
.once labs.sql
select printf('create view %s_%s as select %s from %s where lab = %Q;',
  id, name, group_concat('"' || c || '"', ', '), name, lab)
from (
  select id, lab, v.name, info.name as c
  from (select distinct id, lab from mine), sqlite_master v, pragma_table_info(v.name) info
  where v.name in ('variants', 'cpu', 'occupancy', 'rungs', 'ladder') and c <> 'lab')
group by id, name
union all select printf('create view %s_%s as select size, machine%s from by_block where lab = %Q
    group by area, width, is_past having count(%s) > 0;', id, name, group_concat(
    printf(', max(%s) filter (where side = %d) as "%dx%d"', value, side, side, side), ''),
  lab, value)
from (select distinct id, lab, side from by_block order by id, side),
  (select 'gpu' as name, 'time_ms' as value union all select 'speedup', 'speedup')
group by id, lab, name;
.read labs.sql

-- What the hardware allows at most, in the time of the whole work: by the rates that lab 0 measured,
-- of tensor cores by their peak, which `mma.sync` does not reach everywhere.
create table allowed as
select demand.lab, measure, name, operations / per_s as time_s
from demand join (
  select measure, per_s from rate
  where processor = 'gpu' and measure not glob 'tensor*'
  union all
  select measure, 1e9 * peak from lab0_peak where measure glob 'tensor*') using (measure)
where operations / per_s > 0;

-- Two charts, of times and of rates. Whose kernels: those of a source, which stand among the rows
-- that it prints, ours, a library's. Where the longest bar is a hundred times the shortest, the axis
-- is logarithmic, and points stand for the ends.
create table climbed as
with whose as (
  select rung.*, iif(flops > 0, flops, int_ops) as operations,
    iif(flops > 0, 'TFLOP/s', 'TOP/s') as unit, case when kind = 'vendor' then 3
      when (lab, variant) in (
        select lab, variant from row where origin not in ('own', 'gpu') and kind <> 'cpu') then 1
      else 2 end as whose
  from rung)
select *, max(time_s) over (partition by lab) >= 100 * min(time_s) over (partition by lab)
  as is_wide
from whose where lab in (select lab from rung group by lab having count(*) > 1);

-- Under which curves of GFLOP/s stand, beside the ceilings of all labs.
create table allowed_rate as
select allowed.lab, name, max(flops) / allowed.time_s / 1e9 as gflop_per_s,
  row_number() over (partition by allowed.lab order by allowed.time_s) as i
from allowed join climbed using (lab)
where flops > 0 and measure glob 'tensor*' group by allowed.lab, name;

-- What the three are drawn as, on either axis.
create table drawn_as(whose, style, point, ink, meaning);
insert into drawn_as values (1, 'light', 'ring', 4, 'kernels of the sources'),
  (2, 'full', 'dot', 2, 'kernels of this suite'), (3, 'hatched', 'square', 1, 'libraries');

insert into bar
select lab, 'ladder', 1, variant, rank, 1, iif(is_wide, point, style), 0, time_s * 1e3,
  printf('{%.9g} ms', time_s * 1e3), ink
from climbed join drawn_as using (whose)
union all
select lab, 'ladder_rate', 1, variant, rank, 1, iif(is_wide, point, style), 0,
  operations / time_s / 1e12, printf('{%.9g} %s', operations / time_s / 1e12, unit), ink
from climbed join drawn_as using (whose) where operations > 0;

insert into bar_row
select lab, 'ladder', 1, variant, 1, origin, lab, line, 0 from climbed
union all
select lab, 'ladder_rate', 1, variant, 1, origin, lab, line, 1 from climbed where operations > 0;

create table ladder_chart as select 'ladder' as chart union all select 'ladder_rate';
insert into bar_text(lab, chart, what, n, text)
select lab, chart, 'title', 1, ', ' || replace(size, 'x', '×') from ladder_at, ladder_chart;
insert into bar_text(lab, chart, what, text, style, ink)
select distinct lab, chart, 'key', meaning, iif(is_wide, point, style), ink
from climbed join drawn_as using (whose), ladder_chart order by whose;

-- Lines in the order of their values.
insert into bar_text(lab, chart, what, n, text, ink)
with line as (
  select lab, variant as name, time_s, 1 as ink from held_against
  union all
  select lab, name, time_s, 0 from allowed)
select lab, 'ladder', 'line', 1e3 * time_s, printf('%s: {%.9g} ms', name, 1e3 * time_s), ink
from line where lab in (select lab from climbed)
union all
select lab, 'ladder_rate', 'line', operations / time_s / 1e12,
  printf('%s: {%.9g} %s', name, operations / time_s / 1e12, unit), ink
from line join (
  select lab, max(operations) as operations, unit from climbed group by lab) using (lab)
where operations > 0
order by 4;

-- Speed and accuracy: whole decades around what is there. Names stand beside the picture in the order
-- of their points' heights, a line (0.047 of the height) apart: downwards each below the one before,
-- then upwards from the lower edge. Heights are shares of the picture's, from above.
create view figure_accuracy as
with point as (
  select *, operations / time_s / 1e12 as rate from climbed join drawn_as using (whose)
  where max_error > 0 and operations > 0),
ranged as (
  select lab, pow(10, floor(log10(min(max_error)))) as x_low,
    pow(10, ceil(log10(max(max_error)))) as x_high,
    pow(10, floor(log10(min(rate)))) as y_low, pow(10, ceil(log10(max(rate)))) as y_high
  from point group by lab),
high as (
  select *, log10(y_high / rate) / log10(y_high / y_low) as place,
    row_number() over (partition by lab order by rate desc, rank) as i,
    count(*) over (partition by lab) as count
  from point join ranged using (lab)),
apart as (
  select *, 0.047 * i + max(place - 0.047 * i) over (partition by lab order by i) as down
  from high)
select lab, size, variant, whose, point, ink, meaning, max_error as x, rate as y,
  log10(max_error / x_low) / log10(x_high / x_low) as point_x, place as point_y,
  min(down, 1 - 0.047 * (count - i)) as label_y, about, x_low, x_high, y_low, y_high
from apart left join told_of using (origin, lab, line) order by lab, i;

-- The facts ---------------------------------------------------------------------------------------

insert into told
select distinct id, '', json_object('ladder_size', size) from rung
union all
select id, source, json_object('step_variant', variant, 'step_gain', step_gain)
from (select *, max(step_gain) from stepped group by lab) where step_gain > 1;
