/*
 * tensor_int8_slices.cu - against tensor_split, the tensor cores multiply integers: twice the rate
 * of FP16, and sums that are exact. (Ozaki, Ogita, Oishi, Rump: Error-free transformations of
 * matrix multiplication by using fast routines of matrix multiplication and its applications,
 * Numerical Algorithms 59, 2012; with integers: Ootomo, Ozaki, Yokota, arXiv 2306.11975.)
 *
 * A row of A, a column of B is scaled so that its largest magnitude fills 23 bits and a sign, and
 * its numbers are rounded to integers of three digits to the base 256, each from -128 to 127:
 *
 *   x = 2^16 x1 + 2^8 x2 + x3        x y = 2^32 x1 y1 + 2^24 (x1 y2 + x2 y1)
 *                                        + 2^16 (x1 y3 + x2 y2 + x3 y1) + 2^8 (...) + ...
 *
 * Six products, so much as three in FP16; the other three are left out. Those of one power of two
 * share sums of 32 bits, which K <= 43690 cannot overflow: 3 K 2^14 < 2^31. There is nothing to
 * promote; but with three sums for each result, tiles of 128 x 128 fill the threads' registers.
 *
 * The promise is tensor_split's. What is lost is lost in the split: 2^-24 of its row's largest at
 * most for each number, and for each product, with what is left out, 0.65 u of both largest ones in
 * the mean square. These have no sign that data could give them: all of A at k is multiplied by a
 * number at random from 1 to 17/16, and all of B at k is divided by it, so that digits 2 and 3, and
 * what rounding cuts off, are those of no data. Of K terms the errors add up to 0.65 sqrt(K) u of
 * the largest product. A row is even here if the mean of its magnitudes is 0.9 / K^(1/4) of its
 * largest: that makes 0.8 u of |A||B| for K products, or less, of rows and columns put together as
 * they come: whether they are the split finds out by a sample (split_pairs.cuh). It takes k of 512
 * or more, and it is never exact: where numbers have so few bits that FP32's sums may be, or a row
 * is uneven, it is made of thirds (tensor_thirds.cuh).
 */
#include "int8_slices.cuh"
#include "split_launch.cuh"

static const accuracy split_accuracy = {
    .median = true, .promises = true, .way = BUILT(HAVE_HOPPER, way_in_parts<int8_slices>)};

const variant tensor_int8_slices_variant =
    SPLIT_VARIANT("tensor_int8_slices", "FP32's accuracy from 8-bit integers, for even rows",
                  int8_slices, &split_accuracy);
