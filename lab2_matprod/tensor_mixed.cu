/*
 * tensor_mixed.cu - against tensor_split, the products with low parts are of bytes: what they add
 * is less than 2^-11 of a sum, and eight bits of that are FP32's last. Of four units of the tensor
 * cores' time where three products in FP16, or six of digits, take six.
 *
 * A row of A, a column of B is scaled so that its largest magnitude is just below 2048. A number x
 * is rounded to FP16, h; what that cuts off, at most 1/2, is rounded to a byte, l / 254, and the
 * number itself to another, roughly, g * 2048 / 127:
 *
 *   x = h + l / 254 + ...     x y = h h'  +  2048 / (127 * 254) (l g' + g l')  +  ...
 *                                   FP16     bytes, in one exact sum of 32 bits
 *
 * K <= 65536 cannot overflow that sum: 2 K 127^2 < 2^31.
 *
 * The promise is tensor_split's. What is lost, in u of both largest numbers, a product:
 *
 *   l's rounding    9 rms, of each factor: 1 / 254 / sqrt(12) of 2048
 *   g's rounding    7 rms, of each: 16 / sqrt(12) of 2048, by what FP16 cuts off of the other one,
 *                   2^-12.4 rms
 *
 * in the mean square; `rms` is that of a row's numbers by its largest, 0.58 if they are uniform.
 * These have no sign that data could give them: all of A at k is multiplied by a number at random
 * from 1 to 65/64, all of B at k is divided by it. Of K terms they add up to 16 rms sqrt(K) u of
 * the largest product. (Factors up to 17/16, as digits have, would make it a tenth more.)
 * A row is even here if with its mean magnitude, by its largest, 16 rms / (sqrt(K) mean^2) is 0.8
 * or less: uniform numbers are from K = 2200 on, and all their parts, which chance makes less even,
 * from 3072; normal ones, of which a few among millions are six deviations large, would be from
 * 35000 on. A is judged by 1024 numbers of a row at a time,
 * B by an eighth of a column: fewer would be uneven by chance. Whether large numbers of both meet,
 * the split finds out by a sample (split_pairs.cuh). It takes k of 3072 or more, and it is never
 * exact: what FP32 may sum without rounding, and uneven rows, are made of thirds
 * (tensor_thirds.cuh).
 *
 * The tensor cores' sums of 64 of k are added up in registers, as tensor_split's are; what
 * truncation takes (there) is put back at the end, and what rounding cuts off is kept, unless there
 * are 1000 tiles or more, where the library's own sums err more (mixed_parts.cuh, add_batch()).
 * While they are added, the products of bytes go on: each group issues FP16's, then the bytes', and
 * waits for the first alone. No turns are needed.
 */
#include "mixed_parts.cuh"
#include "split_launch.cuh"

static const accuracy split_accuracy = {
    .median = true, .promises = true, .way = BUILT(HAVE_HOPPER, way_in_parts<mixed_parts>)};

const variant tensor_mixed_variant =
    SPLIT_VARIANT("tensor_mixed", "FP32's accuracy from FP16 and bytes, for long even rows",
                  mixed_parts, &split_accuracy);
