/*
 * tensor_split.cu - FP32's accuracy from the FP16 tensor cores of compute capability 9.0.
 *
 * Each row of A and each column of B is multiplied by a power of two, so that its largest magnitude
 * lies in [2^14, 2^15), and each number is split in two of FP16, x = high + low, which together
 * keep 22 bits or more. Then a b = high high + high low + low high: three products in FP16 for one,
 * at a rate 15 times FP32's. The fourth, low low, is less than 2^-22 of the first and is left out.
 * Low parts are not scaled by themselves: all three products go into one sum. Where no number of a
 * factor has a low part (it holds FP16's, or integers of 11 bits), its low parts are not
 * multiplied: one or two products do.
 *
 * Three kernels, each of which is set up while the one before ends:
 *
 *   split_operands   both matrices into packed lines of 128 bytes, high parts of 64 of k and the
 *                    low ones of the same k; B transposed, so that k are consecutive
 *   tensor_split     the product of the packed matrices; or numbers in thirds of BF16, of data that
 *                    these parts will not do for
 *   tensor_split     the product of the thirds (tensor_thirds.cuh); in FP64 (fp64_tile.cuh), if
 *                    they will not do, either; else nothing
 *
 * (Few tiles have no third kernel: the second one makes them in FP64.)
 *
 * They take a whole product, or a panel of one (panel.cuh), whose product is added to C.
 *
 *              B: 256 columns                  a step: 64 of k, two stages of 128 lines of A and
 *            +--------+--------+               256 of B
 *            |  half  |  half  |                    +--------------------+
 *            +--------+--------+               line | high of k 0 .. 63  |  128 bytes
 *   A  +--+  +--------+--------+  group 1           +--------------------+
 *  128 |  |  |        |        |  64 rows      line | low of the same k  |
 *  rows|  |  +--------+--------+  group 2           +--------------------+
 *      +--+  |        |        |  64 rows
 *            +--------+--------+               48 KB a stage, a ring of four: one thread of group
 *                                              0 copies (TMA) into stages that are free, groups 1
 *                                              and 2 multiply what has arrived
 *
 * Registers: 2 x 64 FP32 sums and the 64 of the tensor cores, which the two halves of the tile take
 * in turns, are 192 of a thread's 240; groups 1 and 2 have these because group 0 gives all but 24
 * of its own back. While one group adds up, the tensor cores work for the other.
 *
 * Blocks in a cluster share what they load: two blocks, one below the other, each copy half of B's
 * lines to both. Fewer tiles than 1000 have 128 columns each, and fewer than 240 are by themselves;
 * where they are too few for the card, the blocks of a cluster each take a part of k and then add
 * up each other's sums in a fixed order.
 *
 * The promise, for any data: |C - C64| is at most 4 u |A||B|, u = 2^-24, and half of all are at
 * most u |A||B|, unless FP32's own sums have larger errors; what FP32 sums without rounding is
 * exact. Each source of error, of a product a b, in u of |a b|:
 *
 *   low low left out      at most 4, for both low parts are at most 2^-11 of their numbers
 *   24 bits in 22         at most 2 for A's number, 4 for B's
 *   beyond FP16's range   numbers below 2^-16 of their row's largest keep an absolute error,
 *                         2^-39 of that largest
 *
 *   Low parts are rounded up or down at random, by what is cut off, and so are B's high parts:
 *   the errors of the first two kinds have the mean 0 whatever the numbers are, and no sign that
 *   data could give them. Of n like terms of a sum they add up to 1.5 / sqrt(n) u, in the mean
 *   square.
 *
 *   That takes sums of many terms. A row is even if the mean of each 256 of its magnitudes (of B:
 *   of an eighth of a column) is 1.5 / sqrt(K) of its largest number or more; then, rows and
 *   columns put together as they come, no product of two largest numbers is more than half of
 *   |A||B|. And no more than 3 in 256 are beyond FP16's range, other than 0: so few that, up to K =
 *   16384, no even row or column has nothing but zeros beside them. (Where more are allowed, large
 *   numbers of a row that meet zeros of a column leave sums of what FP16 has lost.) Fewer than 64
 *   numbers at the end of a row are not judged: with those two thirds in place of a half, if K is
 *   small. The split measures this. (Rows and columns made so that large numbers of one meet only
 *   smaller ones of the other, within 256 of k, could do worse: up to 10 u, where a sum has one
 *   large term.)
 *
 *   truncation            the tensor cores cut off what a sum of 24 bits does not hold, towards 0:
 *                         of one sign's sum of 32 of k some 1.4 u, of 64 some 2.5, and up to 10
 *                         where each 64 begin with large numbers. 32 are left to them, and half of
 *                         the loss is put back; to wide tiles of k of 4096 or more 64, and all of
 *                         it; but only where no sum can be exact.
 *   rounding              these batches are added, rounded, to sums in registers: n of them of one
 *                         sign to within 0.4 sqrt(n / 3) u in the mean square. Tiles of 128 columns
 *                         keep sums of 16 or 32 batches apart; those of 256 are for products where
 *                         the library's own sums are as long: from k of 4096 on it errs by 15 u in
 *                         the mean square.
 *
 *   Exact sums            the product of two factors of which one has no low parts is exact in its
 *                         terms, and sums that FP32 holds are not cut off. Where both have low
 *                         parts and the numbers so few bits (24 in both rows together) that a sum
 *                         might be exact in FP32, the product is made of thirds.
 *
 * An uneven row makes it thirds, too; a number that is not finite or a short k makes it FP64. The
 * kernels learn it from a word in memory. docs/accuracy.md has the errors of all kinds of data that
 * matprod knows.
 */
#include "fp16_parts.cuh"

#ifdef HAVE_HOPPER
split_plan plan_parts(shape s, void *workspace, verdict *found)
{
    return split_plan_of<fp16_parts>(s, workspace, found);
}
#endif

static const accuracy split_accuracy = {
    .median = true, .promises = true, .way = BUILT(HAVE_HOPPER, fp16_way)};

const variant tensor_split_variant =
    SPLIT_VARIANT("tensor_split", "FP32's accuracy from the FP16 tensor cores: high and low parts",
                  fp16_parts, &split_accuracy);
