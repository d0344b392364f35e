-- ladder.sql - a lab's kernels as the rungs of a ladder: what each gains, beside the vendor's
-- library and what the hardware allows. It comes last, for labs say in their report.sql what they
-- are held against (`peer`, `demand` in bars.sql).

-- The library's rung of each lab.
create table held_against as
select rung.*, min(rank) from rung join gpu_work using (lab, work) left join peer using (lab)
where kind = 'vendor' and rung.variant = coalesce(peer.variant, rung.variant) group by lab;

-- A lab of several kinds of work may name a library of each.
create table library as
select * from held_against
union all
select rung.*, rank from rung join peer using (lab, variant)
where (lab, work) not in (select lab, work from held_against);

-- `step_gain`: over the fastest of the rungs before that do the same work, those aside whose launches
-- overlap; a library is no rung of ours, and is held against the same work alone.
create table stepped as
select rung.*, iif(rung.kind = 'gpu' and not overlaps, min(rung.time_s) filter (where not overlaps) over before
    / rung.time_s, null) as step_gain, library.time_s / rung.time_s as peer_share,
  first_value(rung.variant) over (partition by rung.lab order by rung.rank) as first_variant
from (select *, (lab, variant) in (select lab, variant from overlapping) as overlaps from rung) rung
  left join library using (lab, work, recording)
window before as (partition by rung.lab, rung.kind, rung.work, rung.recording order by rung.rank
  rows between unbounded preceding and 1 preceding);

create view ladder as
select lab, size, variant, kind, block, time_s * 1e3 as time_ms, 100 * noise as noise_percent,
  step_gain, 100 * peer_share as peer_percent, max_error
from stepped order by substr(lab, 4) + 0, rank;

-- What the lens's model expects of each rung, by the card's estimates, and where the time is beyond that, by how much
-- and what the profiler saw.
create view expected as
with beside as (
  select rung.*, low_s, high_s, coalesce(unit, case
      when said glob '*tensor cores*' then 'cannot tell: tensor cores'
      when said glob '*lanes part*' then 'cannot tell: lanes part'
      else 'cannot tell: other code' end) as expected_unit,
    iif(rung.time_s > high_s, rung.time_s / high_s, iif(rung.time_s < low_s, rung.time_s / low_s, null)) as beyond
  from rung join lens_estimate using (origin, lab, line))
select lab, mark as machine, variant, size, block, time_s * 1e3 as time_ms, low_s * 1e3 as expected_from_ms,
  high_s * 1e3 as expected_to_ms, expected_unit, beyond, iif(beyond > 0, x.bound, null) as bound,
  iif(beyond > 0, x.stall, null) as stall, iif(beyond > 0, 100 * x.stall_share, null) as stall_percent
from beside join mark using (origin)
  left join (select origin, lab, line, bound, stall, stall_share from examined) x using (origin, lab, line)
group by origin, lab, line order by substr(lab, 4) + 0, beside.rank;

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

-- What the hardware allows at most, in the time of the whole work: a unit by its peak, for a kernel
-- may come nearer to that than lab 0's does; memory, which no kernel fills, by lab 0's, and
-- where no peak is known a unit by lab 0's rate.
create table allowed as
select demand.lab, demand.measure, name, operations / coalesce(1e9 * peak, per_s) as time_s
from demand left join lab0_peak on lab0_peak.measure = demand.measure
  left join rate on rate.measure = demand.measure and processor = 'gpu'
    and demand.measure not glob 'tensor*'
where operations / coalesce(peak, per_s) > 0;

-- Two charts, of times and of rates. Whose kernels: those of a source, which stand among the rows that
-- it prints, ours, a library's. Where the longest bar is a hundred times the shortest, the axis is
-- logarithmic, and points stand for the ends.
insert into sourced
select distinct lab, variant from row where origin not in ('own', 'gpu') and kind <> 'cpu';

create table climbed as
with whose as (
  select rung.*, variant || ifnull(apart, '') as row, iif(flops > 0, flops, int_ops) as operations,
    iif(flops > 0, 'TFLOP/s', 'TOP/s') as unit, case when kind = 'vendor' then 3
      when (lab, variant) in (select lab, variant from sourced) then 1 else 2 end as whose
  from rung left join work_apart using (lab, parameters))
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

-- A rung that must move other bytes than the line of the memory tells says how many, where sizes are
-- areas: of pixels, or of elements.
create table moving as
select demand.lab, 1.0 * operations / area as of_line,
  ', %.3g bytes ' || iif(size_axis like '%elements', 'an element', 'a pixel') as told
from demand join (
  select lab, max(area) as area from rung where sizes_are = 'image' group by lab) using (lab)
  join labs using (lab)
where measure = 'memory';

insert into bar
select lab, 'ladder', 1, row, rank, 1, iif(is_wide, point, style), 0, time_s * 1e3,
  printf('{%.9g} ms', time_s * 1e3) || iif(abs(bytes / area / of_line - 1) > 0.01,
    printf(told, bytes / area), ''), ink
from climbed join drawn_as using (whose) left join moving using (lab)
union all
select lab, 'ladder_rate', 1, row, rank, 1, iif(is_wide, point, style), 0,
  operations / time_s / 1e12, printf('{%.9g} %s', operations / time_s / 1e12, unit), ink
from climbed join drawn_as using (whose) where operations > 0;

insert into bar_row
select lab, 'ladder', 1, row, 1, origin, lab, line, 0 from climbed
union all
select lab, 'ladder_rate', 1, row, 1, origin, lab, line, 1 from climbed where operations > 0;

-- Which is the fastest of ours at the lab's work, beside the library or, without one, the first
-- rung. Where it is less exact by more than a factor of two, the fastest of those that are not.
create table message as
with beside as (
  select lab, coalesce(h.variant, first.variant) as variant,
    coalesce(h.time_s, first.time_s) as time_s, coalesce(h.max_error, first.max_error) as max_error
  from (select *, min(rank) from rung where kind = 'gpu' group by lab) first
  left join held_against h using (lab)),
ours as (
  select climbed.lab, climbed.variant, climbed.time_s, beside.variant as peer,
    beside.time_s / climbed.time_s as gain,
    climbed.max_error <= 2 * beside.max_error or climbed.max_error is null as is_exact,
    row_number() over (partition by climbed.lab order by climbed.time_s) as i
  from climbed join beside using (lab) where kind = 'gpu' and row = climbed.variant
    and (lab, climbed.variant) not in (select lab, variant from overlapping))
select lab, min(time_s), printf('; fastest%s: %s, {%.9g} times %s',
  iif(i = 1, '', ' of its exactness'), variant, gain, peer) as text
from ours where is_exact and variant <> peer group by lab;

create table ladder_chart as select 'ladder' as chart union all select 'ladder_rate';
insert into bar_text(lab, chart, what, n, text)
select lab, chart, 'title', 1, ', ' || replace(size, 'x', '×') from ladder_at, ladder_chart
union all
select lab, chart, 'note', 1, text from message, ladder_chart
union all
select lab, chart, 'note', 2, '; not at this size: ' || group_concat(variant, ', ')
from (
  select distinct lab, variant from mine where kind <> 'cpu' and role is not 'yardstick'
    and (lab, variant) not in (select lab, variant from rung)), ladder_chart
group by lab, chart;
insert into bar_text(lab, chart, what, text, style, ink)
select distinct lab, chart, 'key', meaning, iif(is_wide, point, style), ink
from climbed join drawn_as using (whose), ladder_chart order by whose;

-- Lines in the order of their values.
insert into bar_text(lab, chart, what, n, text, ink)
with line as (
  select lab, variant as name, time_s, 1 as ink from library
  union all
  select lab, name || iif(measure = 'memory' and told is not null, printf(told, of_line), ''), time_s, 0
  from allowed left join moving using (lab))
select lab, 'ladder', 'line', 1e3 * time_s, printf('%s: {%.9g} ms', name, 1e3 * time_s), ink
from line where lab in (select lab from climbed)
union all
select lab, 'ladder_rate', 'line', operations / time_s / 1e12,
  printf('%s: {%.9g} %s', name, operations / time_s / 1e12, unit), ink
from line join (
  select lab, max(operations) as operations, unit from climbed group by lab) using (lab)
where operations > 0
order by 4;

-- Speed and accuracy: whole decades around what is there. Names stand beside the picture in the
-- order of their points' heights, a line (0.047 of the height) apart: downwards each below the one
-- before, then upwards from the lower edge. Heights are shares of the picture's, from above.
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
  select *, step * i + max(place - step * i) over (partition by lab order by i) as down
  from (select *, min(0.047, 1.0 / count) as step from high))
select lab, size, variant, whose, point, ink, meaning, max_error as x, rate as y,
  log10(max_error / x_low) / log10(x_high / x_low) as point_x, place as point_y,
  min(down, 1 - step * (count - i)) as label_y, about, x_low, x_high, y_low, y_high
from apart left join told_of using (origin, lab, line) order by substr(lab, 4) + 0, i;

-- What a rung gains over the lab's first kernel, and what it takes: lines of code. On a lab's front
-- are those beside which no rung of as few lines is as fast; the fastest has its name, and so has
-- the bargain of all labs, whose gain's logarithm by the line is greatest. Rungs of other work have
-- no gain.
create table risen as
select climbed.*, lines, first.time_s / climbed.time_s as gain,
  climbed.time_s = min(climbed.time_s) over (partition by climbed.lab) as is_fastest,
  dense_rank() over (order by substr(climbed.lab, 4) + 0) as lab_n
from climbed join effort using (lab, variant)
join (select rung.* from rung join first_kernel using (lab, variant)) first using (lab)
where climbed.kind = 'gpu' and row = climbed.variant
  and (lab, climbed.variant) not in (select lab, variant from overlapping);
create table bargain as select *, max(ln(gain) / lines) from risen where gain > 1 having gain is not null;

create view figure_effort as
select risen.lab, lab_n, lines, gain, is_fastest, not exists (
      select * from risen r
      where r.lab = risen.lab and r.lines <= risen.lines and r.gain > risen.gain) as on_front,
  iif(is_fastest or (lab, risen.variant) = (select lab, variant from bargain), variant, null)
    as name,
  (select printf('; biggest bargain: %s %s| {%.9g} times in %d lines', id, variant, gain, lines)
    from bargain) as text, about
from risen left join told_of using (origin, lab, line) order by substr(lab, 4) + 0, lines, gain;

-- The facts ---------------------------------------------------------------------------------------

insert into told
select distinct id, '', json_object('ladder_size', size) from rung
union all
select '', source, json_object('bargain_lab', substr(id, 4), 'bargain_variant', variant,
  'bargain_gain', gain, 'bargain_lines', lines, 'bargain_size', size)
from bargain;
