/*
 * device_math.h - the device's arithmetic, bit and load/store intrinsics, in plain C++. Part of
 * cuda_runtime.h. The fast forms (__expf and its like) are the accurate functions here.
 */
#ifndef CUDA_CPU_DEVICE_MATH_H
#define CUDA_CPU_DEVICE_MATH_H

#include <bit>
#include <limits>
#include <math.h>
#include <stdint.h>
#include <time.h>
#include "vector_types.h"

/* ---- minimum and maximum: of a number and a NaN, the number ---------------------------------- */

template <class Left, class Right, class Result = decltype(Left() + Right())>
constexpr Result min(Left a, Right b)
{
    return (Result)a < (Result)b || b != b ? (Result)a : (Result)b;
}

template <class Left, class Right, class Result = decltype(Left() + Right())>
constexpr Result max(Left a, Right b)
{
    return (Result)a > (Result)b || b != b ? (Result)a : (Result)b;
}

/* What is no template fits better than std's, which `using namespace std` brings. */
#define CUDA_CPU_MIN_MAX(prefix, type)                                                             \
    constexpr type prefix##min(type a, type b)                                                     \
    {                                                                                              \
        return min<type, type>(a, b);                                                              \
    }                                                                                              \
    constexpr type prefix##max(type a, type b)                                                     \
    {                                                                                              \
        return max<type, type>(a, b);                                                              \
    }
CUDA_CPU_MIN_MAX(, int)
CUDA_CPU_MIN_MAX(, unsigned)
CUDA_CPU_MIN_MAX(, long)
CUDA_CPU_MIN_MAX(, unsigned long)
CUDA_CPU_MIN_MAX(, long long)
CUDA_CPU_MIN_MAX(, unsigned long long)
CUDA_CPU_MIN_MAX(, float)
CUDA_CPU_MIN_MAX(, double)
CUDA_CPU_MIN_MAX(u, unsigned)
CUDA_CPU_MIN_MAX(ll, long long)
CUDA_CPU_MIN_MAX(ull, unsigned long long)
#undef CUDA_CPU_MIN_MAX

/* ---- floating point ------------------------------------------------------------------------- */

/* Macros, because glibc's math.h declares functions of these names without offering them. */
#define __expf    expf
#define __exp10f  exp10f
#define __logf    logf
#define __log2f   log2f
#define __log10f  log10f
#define __sinf    sinf
#define __cosf    cosf
#define __tanf    tanf
#define __powf    powf
#define __sincosf sincosf

/* name(parameters) -> expression; the whole of the simple intrinsics below. */
#define CUDA_CPU_FUNCTION(type, name, parameters, expression)                                      \
    inline type name parameters                                                                    \
    {                                                                                              \
        return expression;                                                                         \
    }
CUDA_CPU_FUNCTION(float, __fadd_rn, (float a, float b), a + b)
CUDA_CPU_FUNCTION(float, __fsub_rn, (float a, float b), a - b)
CUDA_CPU_FUNCTION(float, __fmul_rn, (float a, float b), a *b)
CUDA_CPU_FUNCTION(float, __fdiv_rn, (float a, float b), a / b)
CUDA_CPU_FUNCTION(float, __fdividef, (float a, float b), a / b)
CUDA_CPU_FUNCTION(float, fdividef, (float a, float b), a / b)
CUDA_CPU_FUNCTION(float, __fmaf_rn, (float a, float b, float c), fmaf(a, b, c))
CUDA_CPU_FUNCTION(float, __fsqrt_rn, (float x), sqrtf(x))
CUDA_CPU_FUNCTION(float, __frsqrt_rn, (float x), 1.0f / sqrtf(x))
CUDA_CPU_FUNCTION(float, __frcp_rn, (float x), 1.0f / x)
CUDA_CPU_FUNCTION(float, rsqrtf, (float x), 1.0f / sqrtf(x))
CUDA_CPU_FUNCTION(double, rsqrt, (double x), 1.0 / sqrt(x))
CUDA_CPU_FUNCTION(float, __saturatef, (float x), fminf(fmaxf(x, 0.0f), 1.0f))
CUDA_CPU_FUNCTION(double, __dadd_rn, (double a, double b), a + b)
CUDA_CPU_FUNCTION(double, __dsub_rn, (double a, double b), a - b)
CUDA_CPU_FUNCTION(double, __ddiv_rn, (double a, double b), a / b)
CUDA_CPU_FUNCTION(double, __drcp_rn, (double x), 1.0 / x)
CUDA_CPU_FUNCTION(double, __dsqrt_rn, (double x), sqrt(x))
CUDA_CPU_FUNCTION(double, __dmul_rn, (double a, double b), a *b)
CUDA_CPU_FUNCTION(double, __fma_rn, (double a, double b, double c), fma(a, b, c))

namespace cuda_cpu
{

/* x of pi: its sine, exact where it is 0, 1 or -1. */
inline double sine_of_pi(double x)
{
    const double r = remainder(x, 2), size = fabs(r); /* at most 1 */
    const double folded = size > 0.5 ? 1 - size : size;
    return copysign(folded > 0.25 ? cos(M_PI * (0.5 - folded)) : sin(M_PI * folded), r);
}

inline double cosine_of_pi(double x)
{
    const double size = fabs(remainder(x, 2));
    return size > 0.25 && size < 0.75 ? sin(M_PI * (0.5 - size))
           : size < 0.5               ? cos(M_PI * size)
                                      : -cos(M_PI * (1 - size));
}

/* Finds where erf is x, from 0 to 1, and erfc is rest, 1 - x: a guess, then Halley's. */
inline double inverse_of_erf(double x, double rest)
{
    if (!(rest > 0 && x >= 0))
        return rest == 0 ? INFINITY : NAN;
    const double log_of = log(rest) + log1p(x), half = 2 / (M_PI * 0.147) + log_of / 2;
    double y = sqrt(fmax(sqrt(half * half - log_of / 0.147) - half, 0));
    for (int i = 0; i < 3; i++) {
        const double off = x < 0.5 ? erf(y) - x : rest - erfc(y);
        const double step = off / (M_2_SQRTPI * exp(-y * y));
        y -= step / (1 + y * step);
    }
    return y;
}

} /* namespace cuda_cpu */

/* A function of doubles, and the same of floats. */
#define CUDA_CPU_BOTH_REALS(name, doubles, floats, ...)                                            \
    CUDA_CPU_FUNCTION(double, name, doubles, __VA_ARGS__)                                          \
    CUDA_CPU_FUNCTION(float, name##f, floats, (float)(__VA_ARGS__))
#define CUDA_CPU_OF_1(name, ...) CUDA_CPU_BOTH_REALS(name, (double a), (float a), __VA_ARGS__)
CUDA_CPU_OF_1(rcbrt, 1 / cbrt((double)a))
CUDA_CPU_OF_1(sinpi, cuda_cpu::sine_of_pi(a))
CUDA_CPU_OF_1(cospi, cuda_cpu::cosine_of_pi(a))
CUDA_CPU_OF_1(normcdf, erfc(-a *M_SQRT1_2) / 2)
CUDA_CPU_OF_1(erfinv, copysign(cuda_cpu::inverse_of_erf(fabs((double)a), 1 - fabs((double)a)), a))
CUDA_CPU_OF_1(erfcinv, a > 1 ? -cuda_cpu::inverse_of_erf((double)a - 1, 2 - (double)a)
                             : cuda_cpu::inverse_of_erf(1 - (double)a, a))
CUDA_CPU_BOTH_REALS(rhypot, (double a, double b), (float a, float b), 1 / hypot((double)a, b))
CUDA_CPU_BOTH_REALS(norm3d, (double a, double b, double c), (float a, float b, float c),
                    hypot(hypot((double)a, b), c))
CUDA_CPU_BOTH_REALS(rnorm3d, (double a, double b, double c), (float a, float b, float c),
                    1 / hypot(hypot((double)a, b), c))
CUDA_CPU_BOTH_REALS(norm4d, (double a, double b, double c, double d),
                    (float a, float b, float c, float d),
                    hypot(hypot((double)a, b), hypot((double)c, d)))
#undef CUDA_CPU_OF_1
#undef CUDA_CPU_BOTH_REALS

inline void sincospi(double x, double *sine, double *cosine)
{
    *sine = sinpi(x);
    *cosine = cospi(x);
}

inline void sincospif(float x, float *sine, float *cosine)
{
    *sine = sinpif(x);
    *cosine = cospif(x);
}

/* ---- conversions and reinterpretations ------------------------------------------------------ */

namespace cuda_cpu
{

/* Out of range goes to the nearest value and NaN to 0, as on the device; in C++ it is undefined. */
template <class Integer>
inline Integer to_integer(double x)
{
    typedef std::numeric_limits<Integer> limits;
    return isnan(x) ? 0 : (Integer)fmin(fmax(x, limits::min()), limits::max());
}

/* Likewise where 64 bits are converted from or to: there NaN goes to the uppermost bit. */
template <class Integer>
inline Integer wide_to_integer(double x)
{
    typedef std::numeric_limits<Integer> limits;
    const double end = 2.0 * (double)((limits::max() >> 1) + 1);
    if (isnan(x))
        return (Integer)(1ull << (8 * sizeof(Integer) - 1));
    return x >= end ? limits::max() : x < (double)limits::min() ? limits::min() : (Integer)x;
}

} /* namespace cuda_cpu */

CUDA_CPU_FUNCTION(int, __float2int_rn, (float x), cuda_cpu::to_integer<int>(rintf(x)))
CUDA_CPU_FUNCTION(int, __float2int_rz, (float x), cuda_cpu::to_integer<int>(truncf(x)))
CUDA_CPU_FUNCTION(int, __float2int_rd, (float x), cuda_cpu::to_integer<int>(floorf(x)))
CUDA_CPU_FUNCTION(int, __float2int_ru, (float x), cuda_cpu::to_integer<int>(ceilf(x)))
CUDA_CPU_FUNCTION(unsigned, __float2uint_rn, (float x), cuda_cpu::to_integer<unsigned>(rintf(x)))
CUDA_CPU_FUNCTION(unsigned, __float2uint_rz, (float x), cuda_cpu::to_integer<unsigned>(truncf(x)))
CUDA_CPU_FUNCTION(unsigned, __float2uint_rd, (float x), cuda_cpu::to_integer<unsigned>(floorf(x)))
CUDA_CPU_FUNCTION(unsigned, __float2uint_ru, (float x), cuda_cpu::to_integer<unsigned>(ceilf(x)))
#define CUDA_CPU_TO_INTEGER(name, real, type)                                                      \
    CUDA_CPU_FUNCTION(type, name##_rn, (real x), cuda_cpu::wide_to_integer<type>(rint(x)))         \
    CUDA_CPU_FUNCTION(type, name##_rz, (real x), cuda_cpu::wide_to_integer<type>(trunc(x)))        \
    CUDA_CPU_FUNCTION(type, name##_rd, (real x), cuda_cpu::wide_to_integer<type>(floor(x)))        \
    CUDA_CPU_FUNCTION(type, name##_ru, (real x), cuda_cpu::wide_to_integer<type>(ceil(x)))
CUDA_CPU_TO_INTEGER(__float2ll, float, long long)
CUDA_CPU_TO_INTEGER(__float2ull, float, unsigned long long)
CUDA_CPU_TO_INTEGER(__double2int, double, int)
CUDA_CPU_TO_INTEGER(__double2uint, double, unsigned)
CUDA_CPU_TO_INTEGER(__double2ll, double, long long)
CUDA_CPU_TO_INTEGER(__double2ull, double, unsigned long long)
#undef CUDA_CPU_TO_INTEGER
CUDA_CPU_FUNCTION(double, __int2double_rn, (int x), x)
CUDA_CPU_FUNCTION(double, __uint2double_rn, (unsigned x), x)
CUDA_CPU_FUNCTION(double, __ll2double_rn, (long long x), (double)x)
CUDA_CPU_FUNCTION(double, __ull2double_rn, (unsigned long long x), (double)x)
CUDA_CPU_FUNCTION(float, __ll2float_rn, (long long x), (float)x)
CUDA_CPU_FUNCTION(float, __ull2float_rn, (unsigned long long x), (float)x)
CUDA_CPU_FUNCTION(float, __int2float_rn, (int x), (float)x)
CUDA_CPU_FUNCTION(float, __uint2float_rn, (unsigned x), (float)x)
CUDA_CPU_FUNCTION(float, __double2float_rn, (double x), (float)x)
CUDA_CPU_FUNCTION(int, __float_as_int, (float x), std::bit_cast<int>(x))
CUDA_CPU_FUNCTION(unsigned, __float_as_uint, (float x), std::bit_cast<unsigned>(x))
CUDA_CPU_FUNCTION(float, __int_as_float, (int x), std::bit_cast<float>(x))
CUDA_CPU_FUNCTION(float, __uint_as_float, (unsigned x), std::bit_cast<float>(x))
CUDA_CPU_FUNCTION(long long, __double_as_longlong, (double x), std::bit_cast<long long>(x))
CUDA_CPU_FUNCTION(double, __longlong_as_double, (long long x), std::bit_cast<double>(x))
CUDA_CPU_FUNCTION(int, __double2hiint, (double x), (int)(__double_as_longlong(x) >> 32))
CUDA_CPU_FUNCTION(int, __double2loint, (double x), (int)__double_as_longlong(x))
CUDA_CPU_FUNCTION(double, __hiloint2double, (int high, int low),
                  __longlong_as_double((long long)high << 32 | (unsigned)low))

/* ---- integers ------------------------------------------------------------------------------- */

namespace cuda_cpu
{

inline unsigned reverse_bits(unsigned x)
{
    x = (x >> 1 & 0x55555555u) | (x & 0x55555555u) << 1;
    x = (x >> 2 & 0x33333333u) | (x & 0x33333333u) << 2;
    x = (x >> 4 & 0x0f0f0f0fu) | (x & 0x0f0f0f0fu) << 4;
    return __builtin_bswap32(x);
}

inline unsigned distance(int a, int b)
{
    return a < b ? (unsigned)b - (unsigned)a : (unsigned)a - (unsigned)b;
}

} /* namespace cuda_cpu */

CUDA_CPU_FUNCTION(int, __popc, (unsigned x), __builtin_popcount(x))
CUDA_CPU_FUNCTION(int, __popcll, (unsigned long long x), __builtin_popcountll(x))
CUDA_CPU_FUNCTION(int, __clz, (int x), x ? __builtin_clz((unsigned)x) : 32)
CUDA_CPU_FUNCTION(int, __clzll, (long long x), x ? __builtin_clzll((unsigned long long)x) : 64)
CUDA_CPU_FUNCTION(int, __ffs, (int x), __builtin_ffs(x))
CUDA_CPU_FUNCTION(int, __ffsll, (long long x), __builtin_ffsll(x))
CUDA_CPU_FUNCTION(unsigned, __brev, (unsigned x), cuda_cpu::reverse_bits(x))
/* Products of numbers of 24 bits, with their sign or without. */
CUDA_CPU_FUNCTION(int, __mul24, (int a, int b), (int)((unsigned)(a << 8 >> 8) * (b << 8 >> 8)))
CUDA_CPU_FUNCTION(unsigned, __umul24, (unsigned a, unsigned b), (a & 0xffffff) * (b & 0xffffff))
CUDA_CPU_FUNCTION(int, __mulhi, (int a, int b), (int)((long long)a *b >> 32))
CUDA_CPU_FUNCTION(unsigned, __umulhi, (unsigned a, unsigned b),
                  (unsigned)((unsigned long long)a *b >> 32))
CUDA_CPU_FUNCTION(long long, __mul64hi, (long long a, long long b),
                  (long long)((__int128)a *b >> 64))
CUDA_CPU_FUNCTION(unsigned long long, __umul64hi, (unsigned long long a, unsigned long long b),
                  (unsigned long long)((unsigned __int128)a *b >> 64))
/* Means, rounded down and (__rhadd) up. */
CUDA_CPU_FUNCTION(int, __hadd, (int a, int b), (int)(((long long)a + b) >> 1))
CUDA_CPU_FUNCTION(int, __rhadd, (int a, int b), (int)(((long long)a + b + 1) >> 1))
CUDA_CPU_FUNCTION(unsigned, __uhadd, (unsigned a, unsigned b), (unsigned)((0ull + a + b) >> 1))
CUDA_CPU_FUNCTION(unsigned, __urhadd, (unsigned a, unsigned b), (unsigned)((1ull + a + b) >> 1))
CUDA_CPU_FUNCTION(unsigned, __sad, (int a, int b, unsigned sum), sum + cuda_cpu::distance(a, b))
CUDA_CPU_FUNCTION(unsigned, __usad, (unsigned a, unsigned b, unsigned sum),
                  sum + (a < b ? b - a : a - b))

CUDA_CPU_FUNCTION(unsigned long long, __brevll, (unsigned long long x),
                  (unsigned long long)__brev((unsigned)x) << 32 | __brev((unsigned)(x >> 32)))
/* hi:lo shifted; its upper half after a shift left, its lower half after a shift right. (Two words
 * of memory made one of 64 bits here, gcc would load 64 bits, which the lens would count.) */
CUDA_CPU_FUNCTION(unsigned, __funnelshift_l, (unsigned lo, unsigned hi, unsigned shift),
                  hi << (shift & 31) | lo >> 1 >> (31 - (shift & 31)))
CUDA_CPU_FUNCTION(unsigned, __funnelshift_r, (unsigned lo, unsigned hi, unsigned shift),
                  lo >> (shift & 31) | hi << 1 << (31 - (shift & 31)))
CUDA_CPU_FUNCTION(unsigned, __funnelshift_lc, (unsigned lo, unsigned hi, unsigned shift),
                  shift < 32 ? __funnelshift_l(lo, hi, shift) : lo)
CUDA_CPU_FUNCTION(unsigned, __funnelshift_rc, (unsigned lo, unsigned hi, unsigned shift),
                  shift < 32 ? __funnelshift_r(lo, hi, shift) : hi)

/* Four bytes picked out of y:x by the selector's four digits; bit 3 of one spreads the sign. */
inline unsigned __byte_perm(unsigned x, unsigned y, unsigned selector)
{
    unsigned result = 0;
    for (int i = 0; i < 4; i++) {
        unsigned digit = selector >> 4 * i & 0xf;
        unsigned byte = (digit & 4 ? y : x) >> 8 * (digit & 3) & 0xff;
        if (digit & 8)
            byte = byte & 0x80 ? 0xff : 0;
        result |= byte << 8 * i;
    }
    return result;
}

/* ---- four bytes at a time ------------------------------------------------------------------- */

namespace cuda_cpu
{

template <class Byte>
inline unsigned dot_of_bytes(unsigned a, unsigned b, unsigned sum)
{
    for (int i = 0; i < 4; i++)
        sum += (unsigned)((int)(Byte)(a >> 8 * i) * (int)(Byte)(b >> 8 * i));
    return sum;
}

/* The bytes of b from bit `from` on and the one above it, times the halves of a. */
template <class Half, class Byte>
inline unsigned dot_of_halves(unsigned a, unsigned b, unsigned sum, int from)
{
    for (int i = 0; i < 2; i++)
        sum += (unsigned)((int)(Half)(a >> 16 * i) * (int)(Byte)(b >> (from + 8 * i)));
    return sum;
}

} /* namespace cuda_cpu */

CUDA_CPU_FUNCTION(int, __dp4a, (int a, int b, int sum),
                  (int)cuda_cpu::dot_of_bytes<int8_t>((unsigned)a, (unsigned)b, (unsigned)sum))
CUDA_CPU_FUNCTION(unsigned, __dp4a, (unsigned a, unsigned b, unsigned sum),
                  cuda_cpu::dot_of_bytes<uint8_t>(a, b, sum))
CUDA_CPU_FUNCTION(int, __dp4a, (char4 a, char4 b, int sum),
                  __dp4a(std::bit_cast<int>(a), std::bit_cast<int>(b), sum))
CUDA_CPU_FUNCTION(unsigned, __dp4a, (uchar4 a, uchar4 b, unsigned sum),
                  __dp4a(std::bit_cast<unsigned>(a), std::bit_cast<unsigned>(b), sum))
CUDA_CPU_FUNCTION(unsigned, __dp2a_lo, (unsigned a, unsigned b, unsigned sum),
                  (cuda_cpu::dot_of_halves<uint16_t, uint8_t>(a, b, sum, 0)))
CUDA_CPU_FUNCTION(unsigned, __dp2a_hi, (unsigned a, unsigned b, unsigned sum),
                  (cuda_cpu::dot_of_halves<uint16_t, uint8_t>(a, b, sum, 16)))
CUDA_CPU_FUNCTION(int, __dp2a_lo, (int a, int b, int sum),
                  ((int)cuda_cpu::dot_of_halves<int16_t, int8_t>(a, b, sum, 0)))
CUDA_CPU_FUNCTION(int, __dp2a_hi, (int a, int b, int sum),
                  ((int)cuda_cpu::dot_of_halves<int16_t, int8_t>(a, b, sum, 16)))
/* ---- two halfwords, or four bytes, each by itself -------------------------------------------- */

namespace cuda_cpu
{

/* operation's results for the parts of x and y, which wrap; or what they add up to. */
template <class Part, class Operation>
inline unsigned by_parts(unsigned x, unsigned y, Operation operation)
{
    const int bits = 8 * sizeof(Part);
    unsigned result = 0;
    for (int i = 0; i < 32; i += bits)
        result |= ((unsigned)operation((Part)(x >> i), (Part)(y >> i)) & ((1u << bits) - 1)) << i;
    return result;
}

template <class Part, class Operation>
inline unsigned over_parts(unsigned x, unsigned y, Operation operation)
{
    unsigned sum = 0;
    for (int i = 0; i < 32; i += 8 * (int)sizeof(Part))
        sum += (unsigned)operation((Part)(x >> i), (Part)(y >> i));
    return sum;
}

template <class Part>
inline int saturated(int a)
{
    const int lowest = std::numeric_limits<Part>::min(), highest = std::numeric_limits<Part>::max();
    return min(max(a, lowest), highest);
}

} /* namespace cuda_cpu */

#define CUDA_CPU_OF_PARTS(name, of, Part, ...)                                                     \
    CUDA_CPU_FUNCTION(unsigned, name, (unsigned x, unsigned y),                                    \
                      cuda_cpu::of<Part>(x, y, [](int a, int b) { return __VA_ARGS__; }))
#define CUDA_CPU_BY_PARTS(name, Part, ...) CUDA_CPU_OF_PARTS(name, by_parts, Part, __VA_ARGS__)
#define CUDA_CPU_BY_PART(name, Part, ...)                                                          \
    CUDA_CPU_FUNCTION(unsigned, name, (unsigned x),                                                \
                      cuda_cpu::by_parts<Part>(x, 0, [](int a, int) { return __VA_ARGS__; }))
#define CUDA_CPU_COMPARE(name, n, sign, Part, operator)                                            \
    CUDA_CPU_BY_PARTS(__vcmp##name##sign##n, Part, a operator b ? -1 : 0)                          \
    CUDA_CPU_BY_PARTS(__vset##name##sign##n, Part, a operator b)
/* What there is of either sign: s or u. */
#define CUDA_CPU_SIGNED_PARTS(n, sign, Part)                                                       \
    CUDA_CPU_BY_PARTS(__vmax##sign##n, Part, max(a, b))                                            \
    CUDA_CPU_BY_PARTS(__vmin##sign##n, Part, min(a, b))                                            \
    CUDA_CPU_BY_PARTS(__vadd##sign##s##n, Part, cuda_cpu::saturated<Part>(a + b))                  \
    CUDA_CPU_BY_PARTS(__vsub##sign##s##n, Part, cuda_cpu::saturated<Part>(a - b))                  \
    CUDA_CPU_BY_PARTS(__vavg##sign##n, Part, (a + b + (a + b >= 0)) >> 1)                          \
    CUDA_CPU_BY_PARTS(__vabsdiff##sign##n, Part, cuda_cpu::distance(a, b))                         \
    CUDA_CPU_OF_PARTS(__vsad##sign##n, over_parts, Part, cuda_cpu::distance(a, b))                 \
    CUDA_CPU_COMPARE(lt, n, sign, Part, <)                                                         \
    CUDA_CPU_COMPARE(le, n, sign, Part, <=)                                                        \
    CUDA_CPU_COMPARE(gt, n, sign, Part, >)                                                         \
    CUDA_CPU_COMPARE(ge, n, sign, Part, >=)
#define CUDA_CPU_PARTS(n, Signed, Unsigned)                                                        \
    CUDA_CPU_SIGNED_PARTS(n, s, Signed)                                                            \
    CUDA_CPU_SIGNED_PARTS(n, u, Unsigned)                                                          \
    CUDA_CPU_COMPARE(eq, n, , Unsigned, ==)                                                        \
    CUDA_CPU_COMPARE(ne, n, , Unsigned, !=)                                                        \
    CUDA_CPU_BY_PARTS(__vadd##n, Unsigned, a + b)                                                  \
    CUDA_CPU_BY_PARTS(__vsub##n, Unsigned, a - b)                                                  \
    CUDA_CPU_BY_PARTS(__vhaddu##n, Unsigned, (a + b) >> 1)                                         \
    CUDA_CPU_BY_PART(__vabs##n, Signed, cuda_cpu::distance(a, 0))                                  \
    CUDA_CPU_BY_PART(__vneg##n, Signed, -a)                                                        \
    CUDA_CPU_BY_PART(__vabsss##n, Signed, cuda_cpu::saturated<Signed>(a < 0 ? -a : a))             \
    CUDA_CPU_BY_PART(__vnegss##n, Signed, cuda_cpu::saturated<Signed>(-a))
CUDA_CPU_PARTS(2, int16_t, uint16_t)
CUDA_CPU_PARTS(4, int8_t, uint8_t)
CUDA_CPU_BY_PARTS(__vimax_s16x2_relu, int16_t, max(max(a, b), 0))
#undef CUDA_CPU_PARTS
#undef CUDA_CPU_SIGNED_PARTS
#undef CUDA_CPU_COMPARE
#undef CUDA_CPU_BY_PART
#undef CUDA_CPU_BY_PARTS
#undef CUDA_CPU_OF_PARTS

/* ---- loads and stores with a caching hint: plain ones here ---------------------------------- */

template <class T>
inline T __ldg(const T *pointer)
{
    return *pointer;
}
#define __ldca __ldg
#define __ldcg __ldg
#define __ldcs __ldg
#define __ldlu __ldg
#define __ldcv __ldg

template <class T>
inline void __stwb(T *pointer, T value)
{
    *pointer = value;
}
#define __stcg __stwb
#define __stcs __stwb
#define __stwt __stwb

/* ---- the rest ------------------------------------------------------------------------------- */

/* Nanoseconds, where the device counts cycles. */
inline long long clock64()
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1000000000LL + now.tv_nsec;
}

CUDA_CPU_FUNCTION(void, __trap, (), __builtin_trap())
#ifndef __clang__ /* which has it */
#define __builtin_assume(condition) ((condition) ? (void)0 : __builtin_unreachable())
#endif
#undef CUDA_CPU_FUNCTION

#endif
