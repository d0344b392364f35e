-- diagnosis.sql - what bounds each kernel: the rates that lab 0 measured, how much of each a kernel
-- takes, the roofline, and what the growth of times points to.

-- The rates ---------------------------------------------------------------------------------------

-- A measure's highest rate, a second: bytes, operations (a multiply-add is two) or exponentials.
-- Memory's is a copy's or that of reading alone, whichever is higher. Of tensor cores each variant's
-- stands under its own name, too.
-- Seconds of an empty launch in a graph.
create table rate as
with measured as (
  select kind as processor, substr(work, 9) as measure, variant, max(case
      when work in ('measure=copy', 'measure=read', 'measure=l2', 'measure=shared', 'measure=loads') then gb_per_s
      when work in ('measure=int32', 'measure=tensor_int8') then gop_per_s
      else gflop_per_s end) * 1e9 as per_s, source
  from good
  where is_ceiling and kind in ('cpu', 'gpu') and work not in ('measure=launch', 'measure=latency')
    and origin = iif(kind = 'cpu', 'own', (select gpu_origin from teller))
  group by kind, work, variant)
select processor, measure, max(per_s) as per_s, source from measured where per_s > 0
group by processor, measure
union all
select processor, 'memory', max(per_s), source from measured
where measure in ('copy', 'read') and per_s > 0 group by processor
union all
select processor, variant, per_s, source from measured where measure glob 'tensor*' and per_s > 0;
create table empty_launch as
select min(time_s) as launch_s, source from good join teller on origin = gpu_origin
where work = 'measure=launch' and variant = 'graph';

create table ceiling as
select processor, max(per_s) filter (where measure = 'memory') / 1e9 as gb_per_s,
  max(per_s) filter (where measure = 'fma') / 1e9 as gflop_per_s,
  max(per_s) filter (where measure = 'int32') / 1e9 as gop_per_s,
  group_concat(source, ';') filter (where measure in ('memory', 'fma')) as source,
  max(source) filter (where measure = 'fma') as float_source,
  max(source) filter (where measure = 'int32') as integer_source
from rate group by processor;

create view ceilings as
select processor, mark as machine, gb_per_s, gflop_per_s,
  gflop_per_s / gb_per_s as ridge_flop_per_byte
from ceiling join teller join mark on origin = iif(processor = 'cpu', 'own', gpu_origin)
where gb_per_s > 0 or gflop_per_s > 0 order by processor desc;

-- What the GPU's units do a second: bytes, words loaded, instructions of a lane. A word is 4 bytes.
-- A scheduler issues an instruction for 32 lanes a clock, and from compute capability 7.0 on a
-- multiprocessor has four, so 128 lanes; `fma` fills its FP32 lanes, of which it has 64 or 128.
-- A unit that was not measured is null.
create table unit_rate as
select dram, loads, int32, launch_s,
  iif(capability * 1.0 >= 7, fp32 * 128 / cores, null) as issue
from (
  select max(per_s) filter (where measure = 'memory') as dram,
    max(per_s) filter (where measure = 'loads') / 4 as loads,
    max(per_s) filter (where measure = 'fma') / 2 as fp32,
    max(per_s) filter (where measure = 'int32') / 2 as int32
  from rate where processor = 'gpu'), empty_launch
left join (select capability, cores from cores join run on value = capability
  where of = 'gpu' and key = 'compute_capability');

-- Each kernel's shares ----------------------------------------------------------------------------

-- A unit bounds a kernel from 60 % of its rate on: Nsight Compute's rule, below which it speaks of
-- latency: work comes in bursts, and a unit that holds a kernel up has gaps. A launch bounds one
-- that takes less than two empty ones.
create table threshold(share, launches);
insert into threshold values (0.6, 2);

-- What the lens's time model makes of the very case (estimates.csv): the range, and the unit that takes longest in
-- it, which the report may call otherwise; without an estimate `said` tells why.
create table unit_of_model(bound, unit);
insert into unit_of_model values ('issue', 'issue slots'), ('integers', 'INT32'), ('multiply-adds', 'FP32'),
  ('waiting', 'latency'), ('L1 and shared memory', 'L1'), ('load and store units', 'load issue');
create table lens_estimate as
select m.origin, m.lab, m.line, estimate_s, low_s, high_s, e.bound as said,
  iif(estimate_s > 0, coalesce(u.unit, e.bound), null) as unit
from mine m join estimates e using (origin, lab, variant, parameters, width, height, block_x, block_y)
  left join unit_of_model u using (bound)
where m.depth is e.depth and m.cache is e.cache and m.kind = 'gpu' group by m.origin, m.lab, m.line;

-- By the profiler, in the case that it ran; older files have no shares but memory's. Memory's is of
-- what it moves at most, where lab 0 measured that: no kernel comes up to the profiler's peak. `issued`:
-- instructions of lanes, by the slots that they took.
create table counted as
select m.origin, m.lab, m.line, 'counters' as basis, coalesce(
    (dram_read_bytes + ifnull(dram_write_bytes, 0)) / c.time_s / unit_rate.dram,
    dram_share) as dram, l2_share as l2,
  load_share as loads, shared_share as shared, l1_share as l1, fp32_share as fp32,
  int32_share as int32, special_share as special, tensor_share as tensor, issue_share as issue,
  issue_share * c.time_s * unit_rate.issue as issued,
  nullif(dram_read_bytes + ifnull(dram_write_bytes, 0), 0) as dram_bytes,
  nullif(l2_asked_bytes, 0) as l2_bytes, stall, stall_share, null as expected, null as is_expected
from mine m join profiled c on c.lab = m.lab and c.variant = m.variant
  and c.parameters is m.parameters and c.size = m.size and c.block = m.block, unit_rate
where issue_share is not null and m.kind <> 'cpu';

-- Without counters: the bytes that the work must move at least, and the lens's unit, which is a bound where the
-- time lies in the range; where it does not, the model does not explain it.
create table uncounted as
select m.origin, m.lab, m.line, iif(e.unit is null, 'bytes', 'lens') as basis,
  bytes / time_s / dram as dram, null as l2, null as loads, null as shared, null as l1, null as fp32,
  null as int32, null as special, null as tensor, null as issue, null as issued, null as dram_bytes,
  null as l2_bytes, null as stall, null as stall_share, e.unit as expected,
  time_s between low_s and high_s as is_expected
from mine m left join lens_estimate e using (origin, lab, line), unit_rate
where m.kind <> 'cpu' and (m.origin, m.lab, m.line) not in (select origin, lab, line from counted);

-- The units' order, which decides between equals, and names.
create table unit(n, key, unit);
insert into unit values (1, 'dram', 'DRAM'), (2, 'l2', 'L2'), (3, 'loads', 'load issue'),
  (4, 'shared', 'shared memory'), (5, 'l1', 'L1'), (6, 'fp32', 'FP32'), (7, 'int32', 'INT32'),
  (8, 'special', 'special functions'), (9, 'tensor', 'tensor cores'), (10, 'issue', 'issue slots');

-- The unit of which a case takes most, by the best basis that it has. Where none is busy it is
-- latency if the profiler says so, or if there are too few threads: fewer elements than threads have
-- room on the card. All that memory moves passes the L2, which is about as busy then: up to a ninth
-- more is no reason to name it.
create table judged as
with share_of as (
  select s.*, share.key, share.value
  from (select * from counted union all select * from uncounted) as s, json_each(json_object(
    'dram', dram, 'l2', l2, 'loads', loads, 'shared', shared, 'l1', l1, 'fp32', fp32,
    'int32', int32, 'special', special, 'tensor', tensor, 'issue', issue)) as share),
leading as (
  select share_of.*, coalesce(expected, iif(value is null, null, unit)) as leading,
    iif(expected is null, value, null) as share, row_number() over (partition by origin, lab, line
    order by value / iif(key = 'dram', 0.9, 1) desc, n) as i
  from share_of join unit using (key)),
room as (
  select max(value * 1.0) filter (where key = 'multiprocessors') as multiprocessors
  from run where of = 'gpu')
select m.*, iif(leading is null, null, l.basis) as basis, l.dram, l.l2, l.loads, l.shared, l.l1,
  l.fp32, l.int32, l.special, l.tensor, l.issue, issued, dram_bytes, l2_bytes, stall, stall_share, leading,
  l.share, case when m.time_s < launches * launch_s then 'launch'
    when l.basis = 'lens' then iif(is_expected, leading, null)
    when l.share >= threshold.share then leading
    when basis = 'counters' or iif(m.sizes_are = 'product', 1.0 * m.width * m.height, m.x)
      < multiprocessors * m.threads_per_sm then 'latency' end as bound
from mine m join leading l using (origin, lab, line), threshold, unit_rate, room where i = 1;

-- A variant's case: that which the profiler ran, else the best block at the lab's size.
create table examined as
select * from (
  select judged.*, row_number() over (partition by judged.lab, judged.variant
    order by basis = 'counters' desc, b.line is not null desc, judged.line) as of_variant
  from judged left join mine_best b using (origin, lab, line)
  where (basis = 'counters' or b.line is not null) and judged.role is not 'yardstick')
where of_variant = 1;

create view diagnosis as
select lab, mark as machine, variant, kind, size, block, 100 * dram as dram_percent,
  100 * l2 as l2_percent, 100 * loads as loads_percent, 100 * shared as shared_percent,
  100 * l1 as l1_percent, 100 * fp32 as fp32_percent, 100 * int32 as int32_percent,
  100 * special as special_percent, 100 * tensor as tensor_percent,
  100 * issue as issue_percent, leading,
  100 * share as share_percent, bound, stall, 100 * stall_share as stall_percent, basis
from examined join mark using (origin) order by substr(lab, 4) + 0, rank;

-- The roofline ------------------------------------------------------------------------------------

-- The work's operations, on floats or, where it has none, on integers, under the roof of theirs,
-- and of the bytes: those that the profiler counted, else those that the work must move at least.
-- What works with other operations than the definition's, fewer or on tensor cores, has no share of the
-- units: by the definition it does more than they can, or 1.5 times what the profiler counts there. A
-- program is on tensor cores by what was counted, or says so by its name.
create table under_roof as
with item_of as (
  select origin, lab, line, bytes as moved, null as l2_bytes, 0 as is_counted, null as float_share,
    null as integer_share, null as tensor_share
  from mine_best where kind = 'cpu'
  union all
  select origin, lab, line, coalesce(dram_bytes, bytes), l2_bytes, dram_bytes is not null,
    iif(basis = 'counters', fp32, null), iif(basis = 'counters', int32, null), tensor
  from examined),
worked as (
  select m.*, moved, l2_bytes, is_counted,
    iif(flops > 0, float_share, integer_share) as counted,
    iif(flops > 0, flops, int_ops) as operations,
    iif(flops > 0, 'floats', 'integers') as operands,
    iif(kind = 'cpu', 'cpu', 'gpu') as processor, ifnull(tensor_share, 0) > 0.05
      or variant glob '*tensor*' or variant glob '*tf32*' as on_tensor_cores
  from item_of join mine m using (origin, lab, line)
  where role is not 'yardstick' and bytes > 0 and (flops > 0 or int_ops > 0)),
roofed as (
  select b.*, iif(operands = 'floats', float_source, integer_source) as units_source,
    operations / moved as op_per_byte, operations / l2_bytes as l2_op_per_byte,
    operations / time_s / 1e9 as operations_per_s,
    c.gb_per_s as memory_roof, iif(operands = 'floats', c.gflop_per_s, c.gop_per_s) as units
  from worked b join ceiling c using (processor))
select *, min(units, op_per_byte * memory_roof) as roof_per_s,
  iif(are_others and op_per_byte * memory_roof > units, null,
    operations_per_s / min(units, op_per_byte * memory_roof)) as share,
  iif(are_others, null, operations_per_s / units) as of_units
from (
  select *, on_tensor_cores or operations_per_s > 1.05 * units
    or ifnull(operations_per_s / units > 1.5 * counted, 0) as are_others
  from roofed);

create view roofline as
select lab, mark as machine, variant, kind, processor, size, block, operands, op_per_byte,
  l2_op_per_byte, operations_per_s, roof_per_s, 100 * share as roof_percent,
  100 * of_units as units_percent, iif(is_counted, 'counters', 'least') as bytes_by
from under_roof join mark using (origin) order by substr(lab, 4) + 0, rank;

-- How times grow with the size --------------------------------------------------------------------

-- A curve: a variant with the block that is best at the lab's size, at four sizes or more. u and v
-- are ln x and ln t about their means.
create table point as
with curve as (
  select m.*, min(m.time_s)
  from mine m join mine_best b
    on b.lab = m.lab and b.origin = m.origin and b.variant = m.variant and b.block = m.block
  where m.x > 0 group by m.lab, m.variant, m.x)
select *, ln(x) - avg(ln(x)) over curve as u, ln(time_s) - avg(ln(time_s)) over curve as v,
  avg(ln(time_s)) over curve as mean_t,
  row_number() over (partition by lab, variant order by x) as i, count(*) over curve as points
from curve window curve as (partition by lab, variant);

-- Lines through the first k points and through the rest, for each k that leaves three on each side,
-- and one through all of them, k = points, which stands for the large sizes. xx, xy, yy: variances;
-- rms: of what is left of ln t.
create table line as
with cut as (
  select lab, variant, points, i as k from point
  where points >= 4 and (i between 3 and points - 3 or i = points)),
half as (
  select lab, variant, points, k, i <= k and k < points as small, count(*) as n, avg(u) as mu,
    avg(v) as mv, avg(u * u) - avg(u) * avg(u) as xx, avg(u * v) - avg(u) * avg(v) as xy,
    avg(v * v) - avg(v) * avg(v) as yy
  from cut join point using (lab, variant, points) group by lab, variant, k, small)
select lab, variant, points, k, max(xy / xx) filter (where small) as exponent_small,
  max(mv - xy / xx * mu) filter (where small) as small_start,
  max(xy / xx) filter (where not small) as exponent_large,
  max(mv - xy / xx * mu) filter (where not small) as large_start,
  sqrt(sum(n * max(0, yy - xy * xy / xx)) / points) as rms
from half group by lab, variant, k having min(xx) > 1e-9;

-- The lines that leave least. Two must halve what one leaves, and that be more than 1 %: times are
-- known no better. They cross at `bend_u`.
create table fit as
select *, min(rms), (large_start - small_start) / (exponent_small - exponent_large) as bend_u
from (
  select *, max(rms) filter (where k = points) over (partition by lab, variant) as one_rms
  from line)
where k = points or (one_rms > 0.01 and rms <= one_rms / 2) group by lab, variant;
update fit set exponent_small = null, exponent_large = null, k = points
where 100 * rms > (select percent from misfit);

create table card as
select max(value * 1.0) filter (where key = 'l2_bytes') as l2,
  max(value * 1.0) filter (where key = 'multiprocessors') as multiprocessors
from run where of = 'gpu';

-- Each curve's fit, the point that is nearest to its bend, and what that points to. Where the lines
-- cross outside the gap between the two groups, the bend is that point itself.
create table growth as
with bent as (
  select fit.*, last.origin, last.id, last.kind, last.role, last.block, last.rank, last.sizes_are,
    last.line, last.threads_per_sm, bend.size as bend_size, bend.bytes,
    bend.x * exp(iif(bend.i = k, max(0, bend_u - bend.u), min(0, bend_u - bend.u))) as bend_x,
    min(abs(bend.u - bend_u))
  from fit
  join point last on last.lab = fit.lab and last.variant = fit.variant and last.i = fit.points
  left join point bend on bend.lab = fit.lab and bend.variant = fit.variant
    and bend.i in (k, k + 1) and k < fit.points
  group by fit.lab, fit.variant),
flat as (
  select bent.*, (select min(time_s) filter (where i <= k) as small_s
    from point where point.lab = bent.lab and point.variant = bent.variant
    having max(time_s) filter (where i <= k) <= 3 * min(time_s)) as flat_s
  from bent)
select flat.*, card.multiprocessors * threads_per_sm as resident,
  iif(sizes_are = 'product', bend_x * bend_x, bend_x)
    between multiprocessors * threads_per_sm / 2 and multiprocessors * threads_per_sm * 2
    as is_full,
  bytes between l2 / 2 and l2 * 2 as is_cache,
  flat_s < launches * launch_s as is_launch, flat_s >= launches * launch_s as is_latency,
  nullif(nullif(last.bound, 'launch'), 'latency') as bound
from flat join card join threshold join unit_rate
left join (select origin, lab, line, bound from judged) as last using (origin, lab, line);

-- Table 19 of 2012 has no vectors.
create view exponents as
select lab, mark as machine, variant, block, case when sizes_are = 'vector' then null
    when sizes_are = 'product' then iif(kind = 'cpu', 3, 1)
    else iif(kind = 'cpu', 1, 0) end as theory_2012,
  exponent_small, exponent_large, bend_size, points, 100 * rms as rms_percent,
  iif(kind = 'cpu', '', substr(iif(is_launch, ', launch', '') || iif(is_latency, ', latency', '')
    || iif(is_full, ', full', '') || iif(is_cache, ', cache', '')
    || ifnull(', ' || bound, ''), 3)) as why
from growth join mark using (origin) order by substr(lab, 4) + 0, rank;

create view fit_points as
select lab, variant, p.block, size, x, time_s * 1e3 as time_ms,
  1e3 * exp(mean_t + coalesce(small_start + u * iif(i <= k, exponent_small, null),
    large_start + u * exponent_large)) as fit_ms
from point p join growth using (lab, variant) order by substr(lab, 4) + 0, p.rank, i;

