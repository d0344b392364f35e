-- arithmetic.sql - of each rung what its three lines in the lab's README are made of (readme.awk): its
-- time at the ladder's size, what the lens's model expects, else for how long memory is busy, and what the
-- profiler saw, in `counted_block` where that is not the timed one; the instructions of its case are taken in
-- the work's proportion. It is a question to results.db, as those of make sql are:
--
--   sqlite3 -readonly -csv -header results.db <report/arithmetic.sql
--
-- A variant has a row for each work and size of a rung, so that it can stand beside that rung.
with wanted as ( -- what was not measured at the ladder's size stands at its own largest
  select lab, size, work, variant from stepped where kind = 'gpu'
  union all
  select lab, size, work, variant from (select *, max(area) from mine where kind = 'gpu'
    and (lab, variant) not in (select lab, variant from stepped) group by lab, variant)),
one as (
  select m.*, min(m.time_s) from good m join (select distinct lab, size, work from wanted)
    using (lab, size, work)
  where kind = 'gpu' and origin = (select gpu_origin from teller) and cache is 'cold'
    and transfer is null
  group by lab, variant, work, size),
wide as (
  select max(iif(measure = 'tensor_fp16', per_s, null)) as mma_fp16,
    max(iif(measure = 'tensor_tf32', per_s, null)) as mma_tf32,
    max(iif(measure = 'tensor_int8', per_s, null)) as mma_int8,
    1e9 * max(iif(measure = 'tensor_fp16', peak, null)) as wgmma_fp16,
    1e9 * max(iif(measure = 'tensor_tf32', peak, null)) as wgmma_tf32,
    1e9 * max(iif(measure = 'tensor_int8', peak, null)) as wgmma_int8
  from rate left join lab0_peak using (measure) where processor = 'gpu')
select one.lab, one.variant, one.work,
  (one.lab, one.variant, one.work, one.size) in (select lab, variant, work, size from wanted)
    as is_rung,
  one.size, one.time_s, 100 * one.noise as noise_percent, one.width, one.height, one.flops, one.int_ops,
  x.issued * coalesce(one.flops / x.flops, one.int_ops / x.int_ops, one.bytes / x.bytes) as instructions,
  one.bytes / unit_rate.dram as "DRAM", e.estimate_s, e.unit as expected,
  iif(x.block <> one.block, x.block, null) as counted_block,
  x.leading, 100 * x.share as share_percent, x.stall, unit_rate.int32 as lanes_int32, wide.*
from one join wide join unit_rate
left join lens_estimate e on e.origin = one.origin and e.lab = one.lab and e.line = one.line
left join examined x on x.lab = one.lab and x.variant = one.variant and x.basis = 'counters'
order by substr(one.lab, 4) + 0, one.line;
