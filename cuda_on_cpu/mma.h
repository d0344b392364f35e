/*
 * mma.h - nvcuda::wmma: products of small matrices by a warp, of FP16, BF16, TF32 and bytes; and
 * what the instruction mma.sync does, for who wraps it (common/ptx/mma.cuh).
 *
 * Which lane holds which element of a fragment is open to the implementation: here lane l has
 * elements l, l + 32... of the matrix, row by row.
 *
 * Sums are rounded as by an A100 (compute capability 8.0, which this device tells). Products are
 * exact. Eight of them (four of TF32) and the sum so far are cut off, towards zero, behind 24 bits
 * that begin at the largest's exponent, a product's being its factors' exponents added up; what is
 * left is added exactly, and the result is cut off to FP32, or rounded to FP16. So two halves of a
 * last bit add up to it, and nine quarters to nothing. The rules: M. Fasi et al., Numerical
 * behavior of NVIDIA tensor cores, PeerJ Computer Science 7:e330 (2021); F. A. Khattak and M.
 * Mikaitis, Accurate models of NVIDIA tensor cores, arXiv:2512.07004 (2025). Other architectures
 * take other numbers at a time and cut off elsewhere. Sums of bytes are exact.
 */
#ifndef CUDA_CPU_MMA_H
#define CUDA_CPU_MMA_H

#include "cuda_bf16.h"
#include "cuda_fp16.h"
#include "cuda_runtime.h"
#include <algorithm>

#pragma GCC visibility push(default) /* of both sides: host_calls.awk */

namespace nvcuda::wmma
{

struct row_major {
};
struct col_major {
};
struct matrix_a {
};
struct matrix_b {
};
struct accumulator {
};
enum layout_t { mem_row_major, mem_col_major };
namespace precision
{
struct tf32 {
};
} /* namespace precision */

inline float __float_to_tf32(float value)
{
    const uint32_t bits = std::bit_cast<uint32_t>(value);
    return isnan(value) ? value : std::bit_cast<float>((bits + 0x1000) & ~0x1fffu);
}

template <class T>
constexpr bool is_byte = std::is_same_v<T, signed char> || std::is_same_v<T, unsigned char>;

/* Is there such a product, of factors of that type? */
template <int Height, int Width, int Depth, class T>
constexpr bool exists = std::is_same_v<T, precision::tf32>
                            ? Height == 16 && Width == 16 && Depth == 8
                            : Depth == 16 &&
                                  ((Height == 16 && Width == 16) || (Height == 32 && Width == 8) ||
                                   (Height == 8 && Width == 32));

template <class Use, class T>
constexpr bool suits =
    std::is_same_v<Use, accumulator>
        ? std::is_same_v<T, float> || std::is_same_v<T, __half> || std::is_same_v<T, int>
        : std::is_same_v<T, __half> || std::is_same_v<T, __nv_bfloat16> ||
              std::is_same_v<T, precision::tf32> || is_byte<T>;

template <class Use, int Height, int Width, int Depth>
struct shape {
    enum { rows = Height, columns = Width };
};
template <int Height, int Width, int Depth>
struct shape<matrix_a, Height, Width, Depth> {
    enum { rows = Height, columns = Depth };
};
template <int Height, int Width, int Depth>
struct shape<matrix_b, Height, Width, Depth> {
    enum { rows = Depth, columns = Width };
};

template <class Use, int Height, int Width, int Depth, class T, class Layout = void>
struct fragment {
    static_assert(suits<Use, T>, "no fragment has elements of this type");
    static_assert(std::is_same_v<Use, accumulator>
                      ? exists<Height, Width, Depth, __half> ||
                            exists<Height, Width, Depth, precision::tf32>
                      : exists<Height, Width, Depth, T>,
                  "no product has this shape");
    typedef std::conditional_t<std::is_same_v<T, precision::tf32>, float, T> element_type;
    static constexpr int rows = shape<Use, Height, Width, Depth>::rows;
    static constexpr int columns = shape<Use, Height, Width, Depth>::columns;
    static constexpr int num_elements = rows * columns / warpSize;
    element_type x[num_elements];
};

inline int lane()
{
    return (int)cuda_cpu::current_thread() % warpSize;
}

template <class Use, int Height, int Width, int Depth, class T, class L, class V>
void fill_fragment(fragment<Use, Height, Width, Depth, T, L> &f, V value)
{
    for (auto &x : f.x)
        x = value;
}

/* Calls with each of the lane's elements and where it lies in memory. */
template <class F, class P, class Call>
void each_element(F &f, P *matrix, unsigned stride, bool by_rows, Call call)
{
    for (int i = 0; i < F::num_elements; i++) {
        const unsigned e = (unsigned)(i * warpSize + lane());
        const size_t row = e / F::columns, column = e % F::columns;
        call(f.x[i], matrix[by_rows ? row * stride + column : column * stride + row]);
    }
}

template <class F, class P>
void load(F &f, const P *matrix, unsigned stride, bool by_rows, const char *file, int line)
{
    each_element(f, matrix, stride, by_rows,
                 [](auto &element, const P &value) { element = value; });
    __syncwarp(~0u, file, line);
}

template <class Use, int Height, int Width, int Depth, class T, class L, class P>
void load_matrix_sync(fragment<Use, Height, Width, Depth, T, L> &f, const P *matrix,
                      unsigned stride, CUDA_CPU_CALLER)
{
    load(f, matrix, stride, std::is_same_v<L, row_major>, file, line);
}

template <int Height, int Width, int Depth, class T, class P>
void load_matrix_sync(fragment<accumulator, Height, Width, Depth, T> &f, const P *matrix,
                      unsigned stride, layout_t layout, CUDA_CPU_CALLER)
{
    load(f, matrix, stride, layout == mem_row_major, file, line);
}

template <int Height, int Width, int Depth, class T, class P>
void store_matrix_sync(P *matrix, const fragment<accumulator, Height, Width, Depth, T> &f,
                       unsigned stride, layout_t layout, CUDA_CPU_CALLER)
{
    each_element(f, matrix, stride, layout == mem_row_major,
                 [](const auto &element, P &value) { value = element; });
    __syncwarp(~0u, file, line);
}

/* ---- sums ------------------------------------------------------------------------------------ */

/* A factor as the tensor cores take it, and the least exponent of its type. */
template <class T>
double factor(double value)
{
    const uint32_t bits = std::bit_cast<uint32_t>((float)value);
    return std::is_same_v<T, precision::tf32> ? std::bit_cast<float>(bits & ~0x1fffu) : value;
}
template <class T>
constexpr int least_exponent = std::is_same_v<T, __half> ? -14 : -126;

/* Returns that of what is not zero: floats and products of two are normal numbers in double. */
inline int exponent_of(double value, int least)
{
    return std::max((int)(std::bit_cast<uint64_t>(value) >> 52 & 0x7ff) - 1023, least);
}

/* Returns 2^e, e from -1022 to 1023. */
inline double power_of_2(int e)
{
    return std::bit_cast<double>((uint64_t)(e + 1023) << 52);
}

/* Towards zero. */
inline float cut_to_float(double value)
{
    const float nearest = (float)value;
    return fabs((double)nearest) > fabs(value) ? nextafterf(nearest, 0) : nearest;
}

/* Adds `terms` products, 8 at most, to the sum, at a time. */
template <class T, class D>
D add_products(D sum, const double *a, const double *b, int terms)
{
    const int kept = 24; /* bits behind the largest's first */
    double values[9] = {(double)(float)sum};
    int largest = values[0] == 0 ? -10000 : exponent_of(values[0], -126);
    bool finite = isfinite(values[0]);
    for (int i = 0; i < terms; i++) {
        values[i + 1] = a[i] * b[i];
        finite = finite && isfinite(values[i + 1]);
        if (values[i + 1] != 0 && finite)
            largest = std::max(largest, exponent_of(a[i], least_exponent<T>) +
                                            exponent_of(b[i], least_exponent<T>));
    }
    double total = 0;
    if (finite && largest > -10000) {
        const double scale = power_of_2(kept - largest);
        int64_t units = 0;
        for (int i = 0; i <= terms; i++)
            units += (int64_t)(values[i] * scale); /* cut off */
        total = (double)units * power_of_2(largest - kept);
    } else if (!finite)
        for (int i = 0; i <= terms; i++)
            total += values[i];
    if constexpr (std::is_same_v<D, float>)
        return finite ? cut_to_float(total) : (float)total;
    else
        return D(total);
}

/* Adds Depth of them, as many at a time as the tensor cores do. */
template <class T, int Depth, class D>
D add_all_products(D sum, const double (&a)[Depth], const double (&b)[Depth])
{
    const int at_a_time = std::is_same_v<T, precision::tf32> ? 4 : 8;
    for (int k = 0; k < Depth; k += at_a_time)
        sum = add_products<T>(sum, a + k, b + k, at_a_time);
    return sum;
}

/* ---- products -------------------------------------------------------------------------------- */

/* Each lane's fragments, which lie on its stack. */
struct operands {
    const void *a[warpSize], *b[warpSize];
};

template <int Height, int Width, int Depth, class D, class T, class LA, class LB, class C>
CUDA_CPU_GLUE D element_of(const operands &all, const C &c, int row, int column)
{
    typedef fragment<matrix_a, Height, Width, Depth, T, LA> fragment_a;
    typedef fragment<matrix_b, Height, Width, Depth, T, LB> fragment_b;
    double a[Depth], b[Depth];
    for (int k = 0; k < Depth; k++) {
        const int p = row * Depth + k, q = k * Width + column;
        /* copies: only this function may look at other lanes' stacks */
        const auto own_a = ((const fragment_a *)all.a[p % warpSize])->x[p / warpSize];
        const auto own_b = ((const fragment_b *)all.b[q % warpSize])->x[q / warpSize];
        a[k] = factor<T>((double)own_a);
        b[k] = factor<T>((double)own_b);
    }
    if constexpr (is_byte<T>) {
        unsigned sum = (unsigned)c; /* which wraps */
        for (int k = 0; k < Depth; k++)
            sum += (unsigned)((int)a[k] * (int)b[k]);
        return (int)sum;
    } else
        return add_all_products<T, Depth>((D)c, a, b);
}

template <int Height, int Width, int Depth, class D, class T, class LA, class LB, class C>
CUDA_CPU_GLUE void mma_sync(fragment<accumulator, Height, Width, Depth, D> &d,
                            const fragment<matrix_a, Height, Width, Depth, T, LA> &a,
                            const fragment<matrix_b, Height, Width, Depth, T, LB> &b,
                            const fragment<accumulator, Height, Width, Depth, C> &c,
                            CUDA_CPU_CALLER)
{
    static_assert(is_byte<T> ? std::is_same_v<D, int> && std::is_same_v<C, int>
                             : !std::is_same_v<D, int> && !std::is_same_v<C, int>,
                  "sums of bytes are int, and no others");
    static_assert(std::is_same_v<T, __half> || is_byte<T> ||
                      (std::is_same_v<D, float> && std::is_same_v<C, float>),
                  "sums of BF16 and TF32 are float");
    operands own;
    operands *all = (operands *)cuda_cpu::shuffle(~0u, (uint64_t)&own, 0, warpSize, file, line);
    all->a[lane()] = &a;
    all->b[lane()] = &b;
    __syncwarp(~0u, file, line);
    D sums[fragment<accumulator, Height, Width, Depth, D>::num_elements];
    for (int i = 0; i < d.num_elements; i++) {
        const int e = i * warpSize + lane();
        sums[i] =
            element_of<Height, Width, Depth, D, T, LA, LB>(*all, c.x[i], e / Width, e % Width);
    }
    __syncwarp(~0u, file, line); /* nobody changes its fragment before */
    for (int i = 0; i < d.num_elements; i++)
        d.x[i] = sums[i];
}

} /* namespace nvcuda::wmma */

/* ---- mma.sync -------------------------------------------------------------------------------- */

namespace cuda_cpu
{

/* Each lane's registers, which lie on its stack. */
struct mma_registers {
    const uint32_t *a[warpSize], *b[warpSize];
};

/* Returns the i-th number in a register of an operand, as the tensor cores take it. */
template <class T>
double number_in(uint32_t word, int i)
{
    using namespace nvcuda::wmma;
    if constexpr (std::is_same_v<T, precision::tf32>)
        return factor<T>((double)std::bit_cast<float>(word));
    else
        return (double)(float)std::bit_cast<T>((uint16_t)(word >> 16 * i));
}

/*
 * Does what mma.sync does of shape m16n8 with factors of T, of which a register holds P: 8 P of k.
 * With g = lane / 4, t = lane % 4 (PTX ISA, "Matrix Fragments for mma.m16n8k8" and the like):
 *
 *   register r of A   row g + 8 (r % 2), P of k from P t + 4 P (r / 2) on
 *   register r of B   P of k from P t + 4 P r on, column g
 *   register r of D   row g + 8 (r / 2), column 2 t + r % 2
 */
template <class T, int P, class D>
CUDA_CPU_GLUE void mma_m16n8(D *d, const uint32_t *a, const uint32_t *b, const char *file, int line)
{
    const int lane = nvcuda::wmma::lane();
    mma_registers own;
    mma_registers *all = (mma_registers *)shuffle(~0u, (uint64_t)&own, 0, warpSize, file, line);
    all->a[lane] = a;
    all->b[lane] = b;
    __syncwarp(~0u, file, line);
    D sums[4];
    for (int r = 0; r < 4; r++) {
        const int of_a = lane / 4 * 4, of_b = (lane % 4 * 2 + r % 2) * 4;
        double x[8 * P], y[8 * P];
        sums[r] = d[r];
        for (int k = 0; k < 8 * P; k += P) {
            const int half = k / (4 * P), t = k % (4 * P) / P;
            const uint32_t word_a = all->a[of_a + t][r / 2 + 2 * half];
            const uint32_t word_b = all->b[of_b + t][half];
            if constexpr (nvcuda::wmma::is_byte<T>)
                sums[r] = (D)__dp4a(word_a, word_b, (unsigned)sums[r]);
            else
                for (int i = 0; i < P; i++) {
                    x[k + i] = number_in<T>(word_a, i);
                    y[k + i] = number_in<T>(word_b, i);
                }
        }
        if constexpr (!nvcuda::wmma::is_byte<T>)
            sums[r] = nvcuda::wmma::add_all_products<T>(sums[r], x, y);
    }
    __syncwarp(~0u, file, line); /* nobody changes its registers before */
    for (int r = 0; r < 4; r++)
        d[r] = sums[r];
}

} /* namespace cuda_cpu */

#pragma GCC visibility pop

#endif
