-- schema.sql - what is read: the rows of all files, each with the file and the line it is from.

-- Whose files: own, own1, own2 ... (the machines analysed), gpu (what stands in for a GPU that was
-- not measured), past (2012), beside1, beside2 ... (what other sources print, for figures). `place`
-- stands before a file's name where it is not the machine's own.
create table origin(origin primary key, machine, place);

-- A lab's file. A column that a file lacks is null, as is an empty cell; one that is none of these
-- is passed over.
create table csv(
  origin, file, line integer,
  variant text, kind text, role text, parameters text,
  width integer, height integer, depth integer,
  block_x integer, block_y integer, threads_per_block integer,
  nodes integer, gpus integer, exposed real,
  trials integer, time_s real, time_min_s real, time_q1_s real, time_q3_s real, time_max_s real,
  noise real, end_to_end_s real, frames integer,
  read_s real, copy_in_s real, copy_out_s real, copy_both_s real, copy_noise real, write_s real,
  cache text, bytes real, flops real, int_ops real,
  gb_per_s real, gflop_per_s real, gop_per_s real,
  elements_per_s real, -- of a recorded source that prints a rate
  registers integer, shared_bytes integer, local_bytes integer, constant_bytes integer,
  blocks_per_sm integer, warps_per_sm integer, threads_per_sm integer,
  occupancy real, limiter text, max_error real, tolerance real,
  status text, note text, "commit" text, date text);

-- profile.csv: what `make profile` counted; tools/counters.txt tells the columns. Older files have
-- dram_throughput for dram_share. (Their l2_bytes, which count traffic between the L2's halves
-- again, and issue_utilisation, of fewer cycles, are other quantities, and passed over.)
create table counters(
  origin, file, line integer,
  lab text, variant text, parameters text,
  width integer, height integer, depth integer, block_x integer, block_y integer, time_s real,
  achieved_occupancy real, dram_read_bytes real, dram_write_bytes real, l2_asked_bytes real,
  l1_fetched_bytes real, l1_written_bytes real,
  global_load_sectors_per_request real, global_store_sectors_per_request real,
  shared_load_conflicts real, shared_store_conflicts real, shared_loads real,
  dram_share real, dram_throughput real, l2_share real, load_share real, l1_share real,
  shared_share real, issue_share real, fp32_share real, int32_share real, special_share real,
  tensor_share real, stall text, stall_share real,
  status text);

-- estimates.csv: what the lens's time model says that kernels take (make lens-score); `bound` is the unit that
-- takes longest, or without an estimate why there is none. low_s and high_s: nine of ten measured times lie between.
create table estimates(
  origin, file, line integer, lab text, variant text, parameters text,
  width integer, height integer, depth integer, block_x integer, block_y integer,
  cache text, estimate_s real, low_s real, high_s real, bound text);

-- timeline_LAB.csv: when the steps of a stream's first frames were, by CUDA events.
create table stream_steps(
  origin, file, line integer, lab text, kind text, variant text, parameters text, size text,
  block_x integer, block_y integer, frame integer, step text, start_s real, end_s real);

-- What of the files is passed over: a line each, which analyse.sh says.
create table remark(text);

-- What the programs say of themselves; `overlapping`: the variants that begin before the run before
-- them has ended.
create table labs(
  origin, file, line integer, lab text, program text, title text, sizes_are text, size_axis text,
  overlapping text);

-- How many lines of device code a kernel needs: report/effort.awk counts them in the labs' sources.
create table effort(origin, file, line integer, lab text, variant text, lines integer);

-- What the report's sentences say: {"name": value, ...} about a lab (lab2), a processor or, if
-- empty, the whole. A value of null is no fact, a flag's is ''. `source` names the rows behind.
create table told(about, source, facts);
