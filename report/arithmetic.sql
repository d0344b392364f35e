-- arithmetic.sql - of each rung what its three lines in the lab's README are made of (readme.awk): its
-- time at the ladder's size, what it issues, how long each unit takes for that by lab 0's rates, and
-- what the profiler saw. It is a question to results.db, as those of make sql are:
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
  ifnull(one.issued_fp32, 0) + ifnull(one.issued_int32, 0) + ifnull(one.issued_special, 0) as issued,
  m.dram * one.time_s as "DRAM", m.loads * one.time_s as "load issue",
  m.fp32 * one.time_s as "FP32", m.int32 * one.time_s as "INT32",
  m.special * one.time_s as "special functions", m.issue * one.time_s as "issue slots",
  diagnosis.leading, diagnosis.share_percent, diagnosis.stall, unit_rate.int32 as lanes_int32, wide.*
from one join wide join unit_rate
left join modelled m on m.origin = one.origin and m.lab = one.lab and m.line = one.line
left join diagnosis on diagnosis.lab = one.lab and diagnosis.variant = one.variant
  and diagnosis.basis = 'counters'
order by substr(one.lab, 4) + 0, one.line;
