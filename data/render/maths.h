/*
 * maths.h - vectors, curves and noise. Randomness is an integer hash of places, and arithmetic is
 * + - * / and sqrt, which IEEE 754 rounds the same on every machine.
 */
#ifndef RENDER_MATHS_H
#define RENDER_MATHS_H

#include <math.h>
#include <stdint.h>

typedef struct vec {
    double x, y, z; /* or red, green, blue; linear light */
} vec;

static inline vec add(vec a, vec b)
{
    return (vec){a.x + b.x, a.y + b.y, a.z + b.z};
}

static inline vec above(vec a, double height)
{
    return (vec){a.x, a.y + height, a.z};
}

static inline vec scale(vec a, double factor)
{
    return (vec){a.x * factor, a.y * factor, a.z * factor};
}

static inline vec times(vec a, vec b)
{
    return (vec){a.x * b.x, a.y * b.y, a.z * b.z};
}

static inline double dot(vec a, vec b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

static inline vec normalize(vec a)
{
    return scale(a, 1 / sqrt(dot(a, a)));
}

static inline vec mix(vec a, vec b, double share)
{
    return add(a, scale(add(b, scale(a, -1)), share));
}

static inline double clamp(double value, double low, double high)
{
    return value < low ? low : value > high ? high : value;
}

/* 0 up to low, 1 from high on, smooth between. */
static inline double smooth(double low, double high, double value)
{
    double t = clamp((value - low) / (high - low), 0, 1);
    return t * t * (3 - 2 * t);
}

/* 1 at 0, falling to 0: a bell without an exponential. */
static inline double bell(double x)
{
    double y = 1 + x * x;
    return 1 / (y * y);
}

/* ------------------------------------------------------------------------------- noise ---- */

static inline int floor_of(double value)
{
    int whole = (int)value;
    return whole - (value < whole);
}

static inline double fraction(double value)
{
    return value - floor_of(value);
}

static inline uint32_t hash(int x, int y, uint32_t seed)
{
    uint32_t h = (uint32_t)x * 0x9E3779B1u ^ (uint32_t)y * 0x85EBCA77u ^ seed * 0xC2B2AE3Du;
    h = (h ^ h >> 15) * 0x2C1B3C6Du;
    h = (h ^ h >> 12) * 0x297A2D39u;
    return h ^ h >> 15;
}

static inline double random01(int x, int y, uint32_t seed)
{
    return hash(x, y, seed) * (1 / 4294967296.0);
}

/* Smooth noise in 0..1 with features of size 1. */
static inline double noise(double x, double y, uint32_t seed)
{
    int i = floor_of(x), j = floor_of(y);
    double s = x - i, t = y - j;
    s *= s * (3 - 2 * s);
    t *= t * (3 - 2 * t);
    double low = random01(i, j, seed), high = random01(i, j + 1, seed);
    low += (random01(i + 1, j, seed) - low) * s;
    high += (random01(i + 1, j + 1, seed) - high) * s;
    return low + (high - low) * t;
}

/* Octaves of noise, each half as large and half as strong, turned so that no grid shows; 0..1. */
static inline double fractal(double x, double y, int octaves, uint32_t seed)
{
    double sum = 0, weight = 0.5;
    for (int k = 0; k < octaves; k++, weight /= 2) {
        sum += weight * noise(x, y, seed + (uint32_t)k);
        double turned = 1.6 * x + 1.2 * y;
        y = 1.6 * y - 1.2 * x;
        x = turned;
    }
    return sum / (1 - 2 * weight);
}

#endif
