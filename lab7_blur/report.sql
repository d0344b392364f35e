-- report.sql - lab 7's own table: which algorithm for a Gaussian blur? For each, at each size and
-- its best block, how many floats it reads and writes a pixel if no cache helps, its operations a
-- pixel, how many million pixels a second the copy's rate of reading and writing would give, and
-- how many it was. `side` is the window's, 2 radius + 1.

create view lab7_algorithms as
with fastest as (
  select *, min(time_s), 2 * (
      select cast(value as integer) from parameter p
      where p.parameters = mine.parameters and key = 'radius') + 1 as side
  from mine where lab = 'lab7_blur' and kind = 'gpu' group by variant, size),
-- Of a tap a product and a sum; of the recursive filter 7 operations in each of its four passes,
-- which read and write once each, as its two transpositions do.
counted as (
  select *,
    case variant when 'copy' then 2 when 'conv2d' then side * side + 1
      when 'separable' then 2 * (side + 1) when 'recursive' then 12 end as memory,
    case variant when 'copy' then 0 when 'conv2d' then 2 * side * side
      when 'separable' then 4 * side when 'recursive' then 28 end as operations
  from fastest)
select c.parameters, c.width, c.height, c.variant as algorithm, c.block_x, c.block_y,
  c.memory as memory_per_pixel, c.operations as flops_per_pixel,
  iif(c.operations = 0, 0, c.operations * 1.0 / c.memory) as ratio,
  1e-6 * copy.area / copy.time_s * copy.memory / c.memory as estimated_mp_per_s,
  1e-6 * c.area / c.time_s as measured_mp_per_s
from counted c left join counted copy on copy.size = c.size and copy.variant = 'copy'
where c.memory is not null order by c.area, c.rank;
