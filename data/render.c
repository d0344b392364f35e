/*
 * render.c - makes the suite's two input pictures, and cuts or resizes any picture.
 *
 *     render [--scene coast|town] [--size WxH] OUT
 *         a rendered picture, by default the coast, 1024x768
 *     render --crop WxH+X+Y IN OUT
 *         W x H pixels of IN from column X, row Y on
 *     render --resample WxH IN OUT
 *         IN at another size
 *
 * The pictures stand in for photographs: a smooth sky, hard edges, fine texture and sensor noise,
 * and in the town many places that look alike. They are small ray-traced scenes, in metres, x to
 * the right, y up from the sea, z away from the camera, which looks along z without tilt: a ray is
 * (u, -v, 1), u and v growing to the right and downwards in the picture, and its length is z.
 *
 *   - buildings, boats and trees are solids: half-spaces and at most one quadric, intersected;
 *   - the land is a height field, drawn column by column from near to far ("voxel space"), which
 *     costs about 1200 heights a column however many rows there are;
 *   - sky, distant hills and water are functions of the direction.
 *
 * The same bytes come out everywhere: the randomness is an integer hash of places, arithmetic is
 * + - * / and sqrt (which IEEE 754 rounds the same on every machine; build with -ffp-contract=off),
 * and each pixel depends on nothing but its own place, so threads do not matter. Should a compiler
 * differ in a last bit all the same, it shows only where a value lies within about 1e-12 of the
 * step between two of the 256 levels, or a ray so close to an edge.
 */
#include <assert.h>
#include <getopt.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../common/image.h"

/* ----------------------------------------------------------------- vectors and colours ---- */

typedef struct vec {
    double x, y, z; /* or red, green, blue; linear light */
} vec;

static vec add(vec a, vec b)
{
    return (vec){a.x + b.x, a.y + b.y, a.z + b.z};
}

static vec scale(vec a, double factor)
{
    return (vec){a.x * factor, a.y * factor, a.z * factor};
}

static vec times(vec a, vec b)
{
    return (vec){a.x * b.x, a.y * b.y, a.z * b.z};
}

static double dot(vec a, vec b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

static vec normalize(vec a)
{
    return scale(a, 1 / sqrt(dot(a, a)));
}

static vec mix(vec a, vec b, double share)
{
    return add(a, scale(add(b, scale(a, -1)), share));
}

static double clamp(double value, double low, double high)
{
    return value < low ? low : value > high ? high : value;
}

/* 0 up to low, 1 from high on, smooth between. */
static double smooth(double low, double high, double value)
{
    double t = clamp((value - low) / (high - low), 0, 1);
    return t * t * (3 - 2 * t);
}

/* 1 at 0, falling to 0: a bell without an exponential. */
static double bell(double x)
{
    double y = 1 + x * x;
    return 1 / (y * y);
}

/* ------------------------------------------------------------------------------- noise ---- */

static int floor_of(double value)
{
    int whole = (int)value;
    return whole - (value < whole);
}

static double fraction(double value)
{
    return value - floor_of(value);
}

static uint32_t hash(int x, int y, uint32_t seed)
{
    uint32_t h = (uint32_t)x * 0x9E3779B1u ^ (uint32_t)y * 0x85EBCA77u ^ seed * 0xC2B2AE3Du;
    h = (h ^ h >> 15) * 0x2C1B3C6Du;
    h = (h ^ h >> 12) * 0x297A2D39u;
    return h ^ h >> 15;
}

static double random01(int x, int y, uint32_t seed)
{
    return hash(x, y, seed) * (1 / 4294967296.0);
}

/* Smooth noise in 0..1 with features of size 1. */
static double noise(double x, double y, uint32_t seed)
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
static double fractal(double x, double y, int octaves, uint32_t seed)
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

/* ------------------------------------------------------------------------------ solids ---- */

typedef enum material { WALL, ROOF, STONE, ROCK, PAINT, GLASS, LEAVES, WOOD, TOWER } material;

enum { MAX_PLANES = 7, MAX_SOLIDS = 3000, STRIPS = 512, QUADRIC_FACE = MAX_PLANES };

/*
 * A convex body: the points with normal . p <= offset for each plane and with
 * curve.x x^2 + curve.y y^2 + curve.z z^2 + curve_y y + curve_1 <= 0, in its own frame, which is
 * turned about the vertical. An upright cylinder (radius, bottom to top) bounds it.
 */
typedef struct solid {
    vec origin;
    double cosine, sine, radius, bottom, top;
    int planes, curved;
    struct {
        vec normal;
        double offset;
    } plane[MAX_PLANES];
    vec curve;
    double curve_y, curve_1;
    material material;
    vec colour;
    vec size; /* walls: width, height, depth; others: as the material needs */
    uint32_t seed;
    int order; /* of making */
} solid;

/* For each of many strips of a scene, the solids that lie in it: along u, or across the sun. */
typedef struct strips {
    double low, high;
    int first[STRIPS + 1], *members;
} strips;

typedef struct scene {
    vec eye, sun; /* sun: the direction to it */
    double pixel; /* the size of one at distance 1 */
    double focal,
        horizon; /* in picture heights: distance of the picture plane, row of the horizon */
    vec sunlight, skylight;
    double (*height)(double x, double z); /* of the land; below 0 is water */
    double far_land, calm;                /* the land ends there; how flat the water lies */
    int is_town, count;
    solid *solids;
    strips seen, shading;
} scene;

typedef struct hit {
    double z;
    const solid *body; /* NULL: the land */
    int face;
    double blade; /* land: how far up a blade of grass, 0..1; -1 off the grass */
    uint32_t tint;
} hit;

/* How many octaves of features from size down to about a pixel at distance z are worth having. */
static int octaves_for(const scene *world, double size, double z, int most)
{
    int count = 1;
    for (; size > world->pixel * z && count < most; size /= 2)
        count++;
    return count;
}

static void add_plane(solid *s, double x, double y, double z, double offset)
{
    s->plane[s->planes].normal = (vec){x, y, z};
    s->plane[s->planes++].offset = offset;
}

/* A box around origin, width along x, from 0 to height, with sides 0..3 = +x, -x, +z, -z. */
static void add_box_planes(solid *s, double width, double height, double depth)
{
    add_plane(s, 1, 0, 0, width / 2);
    add_plane(s, -1, 0, 0, width / 2);
    add_plane(s, 0, 0, 1, depth / 2);
    add_plane(s, 0, 0, -1, depth / 2);
    add_plane(s, 0, 1, 0, height);
    add_plane(s, 0, -1, 0, 0);
    s->size = (vec){width, height, depth};
    s->radius = sqrt(width * width + depth * depth) / 2;
    s->top = s->bottom + height;
}

/* A new solid whose own x axis points along (turn_x, turn_z). */
static solid *add_solid(scene *world, vec origin, double turn_x, double turn_z, material material,
                        vec colour)
{
    assert(world->count < MAX_SOLIDS);
    solid *s = &world->solids[world->count++];
    double length = sqrt(turn_x * turn_x + turn_z * turn_z);
    memset(s, 0, sizeof *s);
    s->origin = origin;
    s->cosine = turn_x / length;
    s->sine = turn_z / length;
    s->bottom = origin.y;
    s->material = material;
    s->colour = colour;
    s->order = world->count;
    s->seed = (uint32_t)world->count;
    return s;
}

/* An upright cylinder or truncated cone. */
static solid *add_cone(scene *world, vec origin, double radius, double radius_top, double height,
                       material material, vec colour)
{
    solid *s = add_solid(world, origin, 1, 0, material, colour);
    double slope = (radius - radius_top) / height;
    add_plane(s, 0, 1, 0, height);
    add_plane(s, 0, -1, 0, 0);
    s->curved = 1;
    s->curve = (vec){1, -slope * slope, 1};
    s->curve_y = 2 * radius * slope;
    s->curve_1 = -radius * radius;
    s->size = (vec){radius, height, radius_top};
    s->radius = radius > radius_top ? radius : radius_top;
    s->top = origin.y + height;
    return s;
}

static solid *add_ellipsoid(scene *world, vec centre, vec radii, double turn_x, double turn_z,
                            material material, vec colour)
{
    solid *s = add_solid(world, centre, turn_x, turn_z, material, colour);
    s->curved = 1;
    s->curve = (vec){1 / (radii.x * radii.x), 1 / (radii.y * radii.y), 1 / (radii.z * radii.z)};
    s->curve_1 = -1;
    s->size = radii;
    s->radius = radii.x > radii.z ? radii.x : radii.z;
    s->bottom = centre.y - radii.y;
    s->top = centre.y + radii.y;
    return s;
}

static vec to_local(const solid *s, vec v)
{
    return (vec){s->cosine * v.x + s->sine * v.z, v.y, s->cosine * v.z - s->sine * v.x};
}

static vec to_world(const solid *s, vec v)
{
    return (vec){s->cosine * v.x - s->sine * v.z, v.y, s->cosine * v.z + s->sine * v.x};
}

static vec normal_of(const solid *s, int face, vec local)
{
    if (face != QUADRIC_FACE)
        return to_world(s, s->plane[face].normal);
    vec gradient = {2 * s->curve.x * local.x, 2 * s->curve.y * local.y + s->curve_y,
                    2 * s->curve.z * local.z};
    return to_world(s, normalize(gradient));
}

/* Leaves let light and eyes through, most of all towards the outline of a crown. */
static int is_gap(const solid *s, vec local, vec ray)
{
    vec normal = normalize((vec){s->curve.x * local.x, s->curve.y * local.y, s->curve.z * local.z});
    double facing = -dot(normal, normalize(ray)), fine = 8 / (0.6 + 0.2 * s->radius);
    double leaf =
        fractal((local.x + 0.6 * local.z) * fine, (local.y - 0.3 * local.z) * fine, 2, s->seed);
    return facing < 3 * leaf - 1.3;
}

/* Where the ray start + t ray first enters the solid, with t in (near, far); 0 if nowhere. */
static int intersect(const solid *s, vec start, vec ray, double near, double far, double *t,
                     int *face)
{
    vec p = to_local(s, add(start, scale(s->origin, -1))), r = to_local(s, ray);
    double enter = near, leave = far;
    int entered = -1;
    if (s->curved) {
        double a = dot(times(s->curve, r), r);
        double b = dot(times(s->curve, r), p) + s->curve_y * r.y / 2;
        double c = dot(times(s->curve, p), p) + s->curve_y * p.y + s->curve_1;
        double root = b * b - a * c;
        if (root <= 0 || a <= 0)
            return 0;
        root = sqrt(root);
        if ((-b - root) / a > enter) {
            enter = (-b - root) / a;
            entered = QUADRIC_FACE;
        }
        if ((-b + root) / a < leave)
            leave = (-b + root) / a;
    }
    for (int i = 0; i < s->planes && enter < leave; i++) {
        double approach = dot(s->plane[i].normal, r);
        double gap = s->plane[i].offset - dot(s->plane[i].normal, p);
        if (approach > 0) {
            if (gap < leave * approach)
                leave = gap / approach;
        } else if (approach < 0) {
            if (gap < enter * approach) {
                enter = gap / approach;
                entered = i;
            }
        } else if (gap < 0) {
            return 0;
        }
    }
    if (enter >= leave || entered < 0)
        return 0;
    if (s->material == LEAVES && is_gap(s, add(p, scale(r, enter)), r))
        return 0;
    *t = enter;
    *face = entered;
    return 1;
}

/* ------------------------------------------------------------- which solids a ray may meet ---- */

/* Where a solid lies along a strips' coordinate. */
typedef void span_of(const scene *world, const solid *s, double *low, double *high);

/* In u; a margin lets the same lists serve rays that ripples have turned aside. */
static void seen_span(const scene *world, const solid *s, double *low, double *high)
{
    double near = s->origin.z - s->radius, x = s->origin.x - world->eye.x;
    near = near < 1 ? 1 : near;
    *low = (x - s->radius) / near - 0.01;
    *high = (x + s->radius) / near + 0.01;
    if (x < 0)
        *high = (x + s->radius) / (s->origin.z + s->radius) + 0.01;
    if (x > 0)
        *low = (x - s->radius) / (s->origin.z + s->radius) - 0.01;
}

static double across_sun(const scene *world, vec p)
{
    double length = sqrt(world->sun.x * world->sun.x + world->sun.z * world->sun.z);
    return (p.x * world->sun.z - p.z * world->sun.x) / length;
}

static void shading_span(const scene *world, const solid *s, double *low, double *high)
{
    double middle = across_sun(world, s->origin);
    *low = middle - s->radius;
    *high = middle + s->radius;
}

static int strip_of(const strips *list, double at)
{
    return (int)clamp((at - list->low) / (list->high - list->low) * STRIPS, 0, STRIPS - 1);
}

/* Near ones first; the order of making settles ties, whatever qsort does with them. */
static int compare_nearness(const void *a, const void *b)
{
    const solid *s = a, *t = b;
    double near_s = s->origin.z - s->radius, near_t = t->origin.z - t->radius;
    if (near_s != near_t)
        return near_s < near_t ? -1 : 1;
    return (s->order > t->order) - (s->order < t->order);
}

static int sort_into_strips(const scene *world, strips *list, double low, double high,
                            span_of *span)
{
    int used = 0, room = 64 * MAX_SOLIDS;
    list->low = low;
    list->high = high;
    list->members = malloc((size_t)room * sizeof *list->members);
    if (!list->members)
        return -1;
    for (int k = 0; k < STRIPS; k++) {
        list->first[k] = used;
        for (int i = 0; i < world->count; i++) {
            double from, to;
            span(world, &world->solids[i], &from, &to);
            if (strip_of(list, from) <= k && k <= strip_of(list, to)) {
                assert(used < room);
                list->members[used++] = i;
            }
        }
    }
    list->first[STRIPS] = used;
    return 0;
}

/* The first solid on the ray before *t; rays near the column u only. NULL if there is none. */
static const solid *first_solid(const scene *world, double u, vec start, vec ray, double *t,
                                int *face)
{
    const solid *first = NULL;
    int strip = strip_of(&world->seen, u);
    for (int k = world->seen.first[strip]; k < world->seen.first[strip + 1]; k++) {
        const solid *s = &world->solids[world->seen.members[k]];
        double middle = s->origin.z - start.z;
        if (middle - s->radius >= *t)
            break; /* they are sorted by where they begin */
        double y0 = start.y + (middle - s->radius) * ray.y;
        double y1 = start.y + (middle + s->radius) * ray.y;
        if ((y0 > s->top && y1 > s->top) || (y0 < s->bottom && y1 < s->bottom))
            continue;
        if (intersect(s, start, ray, 0.01, *t, t, face))
            first = s;
    }
    return first;
}

/* 0 where something stands between p and the sun, else 1. */
static double sunlit(const scene *world, vec p)
{
    vec sun = world->sun;
    double level = sqrt(sun.x * sun.x + sun.z * sun.z), t;
    double toward_x = sun.x / level, toward_z = sun.z / level, rise = sun.y / level;
    int strip = strip_of(&world->shading, across_sun(world, p)), face;
    for (int k = world->shading.first[strip]; k < world->shading.first[strip + 1]; k++) {
        const solid *s = &world->solids[world->shading.members[k]];
        double ahead = (s->origin.x - p.x) * toward_x + (s->origin.z - p.z) * toward_z;
        if (ahead + s->radius < 0 || p.y + (ahead - s->radius) * rise > s->top)
            continue;
        if (intersect(s, p, sun, 0.02, 1e9, &t, &face))
            return 0;
    }
    return 1;
}

/* ----------------------------------------------------------------------- sky and hills ---- */

/* The clear sky: pale and warm at the horizon, blue above, brighter round the sun. */
static vec clear_sky(const scene *world, vec direction)
{
    double up = clamp(direction.y, 0, 1), near = 1 - dot(direction, world->sun);
    vec horizon = world->is_town ? (vec){0.72, 0.80, 0.88} : (vec){0.98, 0.76, 0.54};
    vec middle = world->is_town ? (vec){0.36, 0.55, 0.80} : (vec){0.50, 0.63, 0.78};
    vec zenith = world->is_town ? (vec){0.13, 0.29, 0.60} : (vec){0.13, 0.30, 0.60};
    vec sky = mix(mix(horizon, middle, smooth(0, 0.22, up)), zenith, smooth(0.08, 0.75, up));
    vec glow = {1.0, 0.72, 0.40};
    return add(sky, scale(glow, (world->is_town ? 0.5 : 1.2) / (1 + 14 * near) +
                                    0.8 / (1 + 260 * near * near)));
}

/* Streaks of high cloud, on a plane overhead so that they narrow towards the horizon. */
static vec sky_colour(const scene *world, vec direction)
{
    vec sky = clear_sky(world, direction);
    if (direction.y < 0.004)
        return sky;
    double along = direction.x / (direction.y + 0.05), away = direction.z / (direction.y + 0.05);
    double warp = fractal(along * 0.5, away * 0.5, 3, 900);
    double body = fractal(along * 0.42 + 1.6 * warp, away * 0.9 + warp, 6, 910);
    double field = smooth(
        0.30, 0.75, noise(along * 0.20 + (world->is_town ? 5.2 : 0.6), away * 0.17 + 0.4, 920));
    double cover = smooth(0.44, 0.82, body) * field *
                   (world->is_town ? 1 : smooth(0.36, 0.20, direction.y)) *
                   smooth(0.01, 0.12, direction.y);
    vec lit = scale((vec){1.0, 0.90, 0.80}, 1.05), shade = {0.62, 0.60, 0.64};
    double near = 1 - dot(direction, world->sun);
    vec cloud = add(mix(lit, shade, smooth(0.55, 1.0, body) * 0.6),
                    scale((vec){0.8, 0.5, 0.25}, 1 / (1 + 12 * near)));
    return mix(sky, cloud, 0.85 * cover);
}

/* Ridges far away, each higher, nearer and darker than the one behind. */
static int hills_colour(const scene *world, vec direction, vec *colour)
{
    static const struct {
        double base, rough, frequency, haze;
    } ridge[] = {{0.010, 0.016, 9, 0.50}, {0.017, 0.030, 6, 0.68}, {0.026, 0.052, 3.5, 0.82}};
    double u = direction.x / direction.z, v = direction.y / direction.z;
    for (int k = 0; k < 3; k++) {
        double taper = world->is_town ? 1.5 : 1 - smooth(-0.25 + 0.25 * k, 0.15 + 0.28 * k, u);
        double top =
            ridge[k].base +
            ridge[k].rough *
                (fractal(u * ridge[k].frequency + 7.3 * k, 0, 7, 400 + 10 * (uint32_t)k) - 0.35);
        if (v > top * taper)
            continue;
        double texture = fractal(u * 70, v * 260, 5, 440 + 10 * (uint32_t)k);
        vec land = mix((vec){0.10, 0.14, 0.09}, (vec){0.34, 0.32, 0.17}, smooth(0.3, 0.7, texture));
        double haze = ridge[k].haze + 0.12 * (1 - v / (top + 0.001));
        vec air = scale(clear_sky(world, normalize((vec){u, 0.03, 1})), 0.82);
        *colour = mix(land, times(air, (vec){0.88, 0.95, 1.08}), clamp(haze, 0, 0.95));
        return 1;
    }
    return 0;
}

static vec background(const scene *world, vec direction)
{
    vec colour;
    if (hills_colour(world, direction, &colour))
        return colour;
    return sky_colour(world, direction);
}

/* Air between the eye and a thing at distance z takes the colour of the sky behind it. */
static vec through_air(const scene *world, vec colour, vec direction, double z)
{
    vec air = clear_sky(world, normalize((vec){direction.x, 0.03, direction.z}));
    double share = z / (z + (world->is_town ? 2400 : 1700));
    return mix(colour, scale(air, 0.85), share);
}

/* ---------------------------------------------------------------------------- surfaces ---- */

/* Sun, sky from above, and light thrown back by the ground. */
static vec illuminate(const scene *world, vec colour, vec normal, double sun, double openness)
{
    double facing = clamp(dot(normal, world->sun), 0, 1);
    vec ground = {0.16, 0.14, 0.09};
    vec sky = mix(ground, world->skylight, 0.5 + 0.5 * normal.y);
    return times(colour, add(scale(world->sunlight, facing * sun), scale(sky, openness)));
}

/* A window of half width 0.45 and half height 0.7 about (0, 0), with frame, bars and shutters. */
static vec window_colour(const scene *world, const solid *s, vec wall, double a, double b,
                         uint32_t which)
{
    static const vec shutters[] = {{0.05, 0.16, 0.11},
                                   {0.10, 0.17, 0.30},
                                   {0.30, 0.07, 0.05},
                                   {0.35, 0.33, 0.28},
                                   {0.20, 0.12, 0.07}};
    double x = a < 0 ? -a : a, y = b < 0 ? -b : b;
    if (b < -0.7 && b > -0.82 && x < 0.6)
        return (vec){0.55, 0.53, 0.50}; /* sill */
    if (y > 0.7)
        return b < 0 && b > -1.0 && x < 0.6 ? scale(wall, 0.72) : wall; /* its shadow */
    if (x > 0.47 && x < 0.93 && s->seed % 4 != 3)
        return scale(shutters[s->seed % 5], 0.8 + 0.35 * (fraction(b * 9) > 0.35));
    if (x > 0.47)
        return wall;
    if (x > 0.39 || y > 0.63 || x < 0.03 || (b > 0.1 && b < 0.16))
        return (vec){0.62, 0.60, 0.56};
    if (b > 0.45 || a < -0.3)
        return (vec){0.012, 0.012, 0.014}; /* the reveal's shadow */
    vec sky = clear_sky(world, (vec){0.3, 0.5 + 0.2 * b, -0.7});
    double curtain = which % 3 == 0 ? 0.30 : 0.02;
    return add(scale(sky, 0.06 + 0.10 * (which % 7 == 0)), scale((vec){1, 0.93, 0.8}, curtain));
}

static vec door_colour(const solid *s, vec wall, double a, double b)
{
    double x = a < 0 ? -a : a;
    if (x > 0.62 || b > 2.25)
        return wall;
    if (x > 0.5 || b > 2.12)
        return (vec){0.50, 0.48, 0.44};
    return scale(s->seed % 2 ? (vec){0.16, 0.06, 0.03} : (vec){0.04, 0.10, 0.14},
                 fraction(a * 4) < 0.1 ? 0.5 : 1);
}

/* Plaster with stains, and a window in every cell of a grid of storeys; size.y < 2.5: none. */
static vec wall_colour(const scene *world, const solid *s, int face, vec p)
{
    const double storey = 2.8;
    double along = face < 2 ? p.z : p.x, width = face < 2 ? s->size.z : s->size.x;
    double stain = fractal(along * 0.9, p.y * 0.35, 5, s->seed) - 0.5;
    double grain = fractal(along * 5, p.y * 5, 3, s->seed + 9) - 0.5;
    vec wall = scale(s->colour, 1 + 0.45 * stain + 0.16 * grain - 0.25 * smooth(0.9, 0, p.y));
    int columns = floor_of(width / 2.5), floor = floor_of(p.y / storey);
    if (columns < 1 || face > 3 || floor < 0 || (floor + 1) * storey > s->size.y + 0.3)
        return wall;
    double cell = fraction((along / width + 0.5) * columns), spacing = width / columns;
    int column = floor_of((along / width + 0.5) * columns);
    double a = (cell - 0.5) * spacing, b = p.y - floor * storey;
    if (floor == 0 && face >= 2 && column == (int)(s->seed % (uint32_t)columns))
        return door_colour(s, wall, a, b);
    return window_colour(world, s, wall, a, b - 1.65, hash(column + 8 * floor, face, s->seed));
}

/* Courses of tiles: each has its own tint, a round back and a dark lower edge. */
static vec roof_colour(const scene *world, const solid *s, int face, vec p, vec *normal)
{
    if (face == 2 || face == 3) { /* gable ends are plaster, with a small window */
        vec wall = scale(s->size, 1 + 0.4 * (fractal(p.z * 2, p.y, 4, s->seed) - 0.5));
        return window_colour(world, s, wall, p.z * 1.3, (p.y - 1.1) * 1.3, s->seed);
    }
    double down = (p.z < 0 ? -p.z : p.z) * 1.2 / 0.34;
    int course = floor_of(down);
    double across = p.x / 0.26 + 0.5 * (course & 1), round = fraction(across) - 0.5;
    double tint = random01(floor_of(across), course + (p.z < 0 ? 999 : 0), s->seed);
    double moss = smooth(0.52, 0.75, fractal(p.x * 0.5, p.z * 0.7 + p.y, 5, s->seed));
    double edge = 1 - 0.55 * smooth(0.70, 0.95, fraction(down));
    vec tile = mix(scale(s->colour, 0.70 + 0.55 * tint), (vec){0.10, 0.10, 0.06}, 0.55 * moss);
    *normal = normalize(add(*normal, scale(to_world(s, (vec){1, 0, 0}), 0.7 * round)));
    return scale(tile, edge * (1.05 - 0.8 * round * round));
}

static vec stone_colour(double along, double y, vec base)
{
    double row = y / 0.55, brick;
    int course = floor_of(row);
    brick = along / 1.1 + 0.5 * (course & 1);
    double joint = fraction(row) < 0.1 || fraction(brick) < 0.06 ? 0.45 : 1;
    double tint = 0.7 + 0.5 * random01(floor_of(brick), course, 77);
    return scale(base, joint * tint * (0.75 + 0.5 * fractal(along * 3, y * 3, 4, 78)));
}

/* White with red bands, streaked by the weather; small windows up the side. */
static vec tower_colour(const solid *s, vec p)
{
    double height = s->size.y, round = p.x / s->size.x;
    double streak = fractal(round * 9, p.y * 0.12, 5, 60),
           band = fraction(p.y / height * 2.5 + 0.1);
    vec paint = band > 0.5 && band < 0.98 ? (vec){0.50, 0.055, 0.035} : (vec){0.82, 0.80, 0.75};
    double x = p.x + 0.6, y = fraction(p.y / 5.2) * 5.2 - 2.6;
    if (p.z < 0 && x > -0.4 && x < 0.4 && y > -0.7 && y < 0.7)
        return x < -0.28 || x > 0.28 || y > 0.58 ? (vec){0.45, 0.43, 0.4} : (vec){0.02, 0.02, 0.03};
    return scale(paint, 1.1 - 0.45 * streak);
}

static vec rock_colour(const scene *world, vec p, double z)
{
    int octaves = octaves_for(world, 2, z, 8);
    double layers = fractal(p.x * 0.25 + p.y * 0.3, p.y * 1.3 - p.x * 0.1, octaves, 330);
    double cracks = fractal((p.x + p.z) * 0.9, p.y * 0.6, octaves, 340);
    double grain = fractal(p.x * 2.1 + p.y, p.y * 2.3 + p.z, octaves, 345);
    vec rock = mix((vec){0.15, 0.12, 0.09}, (vec){0.50, 0.41, 0.31}, smooth(0.25, 0.75, layers));
    double dark = 0.25 + 0.95 * smooth(0.28, 0.58, 0.6 * cracks + 0.4 * grain);
    return scale(rock, dark * (0.35 + 0.65 * smooth(0.2, 1.6, p.y)));
}

static vec leaf_colour(const solid *s, vec p, vec *normal)
{
    double fine = 8 / (0.6 + 0.2 * s->radius);
    double a = fractal((p.x + 0.6 * p.z) * fine, (p.y - 0.3 * p.z) * fine, 4, s->seed);
    double b = fractal((p.z - 0.6 * p.x) * fine, (p.y + 0.3 * p.x) * fine, 4, s->seed + 50);
    *normal = normalize(add(*normal, (vec){6 * (a - 0.5), 6 * (b - 0.5) + 0.2, 6 * (a - b)}));
    double depth = smooth(0.66, 0.34, a) * smooth(-1.2, 0.5, p.y / s->size.y);
    return scale(mix(s->colour, (vec){0.17, 0.19, 0.05}, 0.6 * b), 0.22 + 1.3 * depth);
}

static vec solid_colour(const scene *world, const solid *s, int face, vec point)
{
    vec local = to_local(s, add(point, scale(s->origin, -1)));
    vec normal = normal_of(s, face, local), colour = s->colour;
    double openness = 1;
    switch (s->material) {
    case WALL:
        colour = wall_colour(world, s, face, local);
        openness = 0.55 + 0.45 * smooth(0, 2.5, local.y);
        break;
    case ROOF:
        colour = roof_colour(world, s, face, local, &normal);
        break;
    case STONE:
        colour = stone_colour(local.x + local.z, local.y, s->colour);
        break;
    case ROCK:
        colour = rock_colour(world, (vec){4 * point.x, 4 * point.y + 9, 4 * point.z}, point.z);
        normal =
            normalize(add(normal, (vec){1.6 * (fractal(3 * point.x, 4 * point.y, 4, 7) - 0.5), 0,
                                        1.6 * (fractal(4 * point.y, 3 * point.x, 4, 8) - 0.5)}));
        break;
    case TOWER:
        colour = tower_colour(s, local);
        break;
    case LEAVES:
        colour = leaf_colour(s, local, &normal);
        break;
    case WOOD:
        colour = scale(s->colour, 0.6 + 0.8 * fractal(local.x * 3, local.y * 14, 4, s->seed));
        break;
    case GLASS:
        return add(scale(clear_sky(world, (vec){-0.5, 0.4, 0.7}), 0.55), (vec){0.05, 0.04, 0.02});
    case PAINT:
        colour = scale(s->colour, 0.85 + 0.3 * fractal(local.x * 2, local.y * 6, 4, s->seed));
        break;
    }
    double sun = dot(normal, world->sun) > 0 ? sunlit(world, point) : 0;
    return illuminate(world, colour, normal, sun, openness);
}

/* -------------------------------------------------------------------------------- land ---- */

/* A trodden path from the camera to the first house. */
static int on_path(double x, double z)
{
    double middle = 0.37 * z - 5.2 - 5 * bell((z - 30) / 14) + 1.2 * noise(z / 6, 0, 604);
    double wide = 0.45 + 0.5 * fractal(x * 1.3, z * 1.3, 3, 605) + 0.003 * z;
    return z < 77 && x > middle - wide && x < middle + wide;
}

static vec grass_colour(const scene *world, const hit *at, vec p, vec normal, double sun)
{
    double patch = fractal(p.x * 0.11, p.z * 0.11, 5, 300),
           fine = fractal(p.x * 1.7, p.z * 1.7, 4, 310);
    vec green = mix((vec){0.085, 0.125, 0.030}, (vec){0.30, 0.26, 0.10}, smooth(0.36, 0.70, patch));
    green = mix(green, (vec){0.42, 0.36, 0.18}, 0.35 * smooth(0.5, 0.8, fine));
    double dry = (at->tint & 255) / 255.0;
    if (!world->is_town && on_path(p.x, p.z))
        return illuminate(world, scale((vec){0.40, 0.31, 0.21}, 0.5 + 0.9 * fine), normal, sun,
                          0.9);
    if (at->blade < 0)
        return illuminate(world, scale(green, 0.6 + 0.7 * fine), normal, sun, 0.9);
    if (at->tint >> 24 < 2 && at->blade > 0.72 && patch > 0.5) /* a flower */
        return illuminate(world,
                          at->tint >> 16 & 1 ? (vec){0.8, 0.78, 0.7} : (vec){0.75, 0.5, 0.05},
                          normal, sun, 1);
    vec blade = mix(scale(green, 0.8 + 0.5 * dry), (vec){0.50, 0.42, 0.20}, dry * dry * 0.5);
    double tip = at->blade * at->blade;
    /* Against the sun a blade glows: it lets about as much light through as it throws back. */
    vec through = times(world->sunlight, scale((vec){0.9, 1.0, 0.35}, 0.16 * tip * sun));
    vec lit = illuminate(world, blade, normal, sun * (0.25 + 0.75 * tip), 0.35 + 0.65 * tip);
    return add(lit, times(blade, through));
}

static vec land_colour(const scene *world, const hit *at, vec p)
{
    double step = 0.15 + 0.004 * p.z, here = world->height(p.x, p.z);
    vec normal = normalize(
        (vec){here - world->height(p.x + step, p.z), step, here - world->height(p.x, p.z + step)});
    double sun = sunlit(world, (vec){p.x, p.y + 0.05, p.z});
    if (world->is_town && p.y < 2.2)
        return illuminate(world, stone_colour(p.x, p.y + 0.6 * p.z, (vec){0.34, 0.31, 0.27}),
                          (vec){0, 0.6, -0.8}, sun, 0.9);
    double steep =
        smooth(0.80, 0.66, normal.y + 0.18 * (fractal(p.x * 0.4, p.z * 0.4, 4, 320) - 0.5));
    vec grass = grass_colour(world, at, p, normal, sun);
    if (steep <= 0)
        return grass;
    vec rough = {fractal(p.x * 0.8, p.y + p.z, 4, 350) - 0.5, 0,
                 fractal(p.z * 0.8, p.y - p.x, 4, 360) - 0.5};
    normal = normalize(add(normal, scale(rough, 1.8)));
    return mix(grass, illuminate(world, rock_colour(world, p, p.z), normal, sun, 0.9), steep);
}

/* ------------------------------------------------------------------------------- water ---- */

static double wave_height(vec p, int octaves, uint32_t seed)
{
    return fractal(p.x * 0.55 + p.z * 0.10, p.z * 0.85 - p.x * 0.05, octaves, seed);
}

/* Ripples tilt the surface; it mirrors sky and solids more the flatter it is looked upon. */
static vec water_colour(const scene *world, double u, vec p, vec ray)
{
    int octaves = octaves_for(world, 1.4, p.z, 7);
    double here = wave_height(p, octaves, 500), step = 0.06 + 0.0006 * p.z;
    double steepness = world->calm * 0.9;
    vec normal = normalize(
        (vec){steepness * (here - wave_height((vec){p.x + step, 0, p.z}, octaves, 500)) / step, 1,
              steepness * (here - wave_height((vec){p.x, 0, p.z + step}, octaves, 500)) / step});
    vec look = normalize(ray);
    double facing = clamp(-dot(look, normal), 0.02, 1);
    vec mirror = add(look, scale(normal, 2 * facing));
    mirror.y = (mirror.y < 0 ? -mirror.y : mirror.y) + (world->is_town ? 0.004 : 0.10);
    double edge = 1 - facing, fresnel = 0.03 + 0.97 * edge * edge * edge * edge * edge;
    vec body = world->is_town ? (vec){0.018, 0.052, 0.060} : (vec){0.018, 0.060, 0.085};
    double t = 1e9, depth = 1;
    int face = 0;
    vec course = scale(mirror, 1 / (mirror.z > 0.2 ? mirror.z : 0.2)), seen;
    const solid *s = first_solid(world, u, p, course, &t, &face);
    if (s)
        seen = solid_colour(world, s, face, add(p, scale(course, t)));
    else if (world->is_town && course.y < 0.2)
        seen = (vec){0.10, 0.11, 0.06}; /* the hillside behind the houses */
    else
        seen = sky_colour(world, normalize(mirror));
    double glint = 1 - dot(normalize(mirror), world->sun);
    vec glitter = scale(world->sunlight, 16 * bell(glint * 13) * fresnel);
    depth = 0.7 + 0.6 * fractal(p.x * 0.02, p.z * 0.012, 4, 520);
    return add(mix(scale(body, depth), seen, clamp(fresnel, 0, 0.9)), glitter);
}

/* -------------------------------------------------------------------- the coast, built ---- */

static double coast_line(double z)
{
    static const double shore[][2] = {{-50, -90}, {12, -60}, {26, -22}, {48, -9},  {80, 9},
                                      {112, 16},  {140, 3},  {165, 2},  {200, 40}, {300, 190}};
    for (int k = 1; k < 10; k++)
        if (z < shore[k][0])
            return shore[k - 1][1] +
                   (shore[k][1] - shore[k - 1][1]) * smooth(shore[k - 1][0], shore[k][0], z);
    return 400;
}

static double coast_height(double x, double z)
{
    double inland = x - coast_line(z);
    double top = 9.2 + 5.5 * bell((x - 34) / 34) * bell((z - 146) / 60) + 9 * smooth(40, 150, x) +
                 2.4 * (noise(x / 24, z / 24, 210) - 0.5) + 0.5 * (noise(x / 5, z / 5, 211) - 0.5);
    if (inland > 16) /* the noise below cannot reach there */
        return top;
    inland += 16 * (fractal(x / 16, z / 16, 5, 200) - 0.5);
    double cliff = smooth(0, 8, inland), rocks = 2.6 * fractal(x / 3.1, z / 3.1, 4, 220) - 1.5;
    return -3 + (top + 3) * cliff + rocks * smooth(-9, 0, inland) * (1 - cliff);
}

/* Four walls under a gable roof whose ridge runs along the house's own x axis. */
static void add_house(scene *world, vec base, double turn_x, double turn_z, vec size, vec plaster,
                      vec tiles)
{
    base.y -= 1;
    size.y += 1;
    double rise = 0.42 * size.z, width = size.x, depth = size.z;
    solid *walls = add_solid(world, base, turn_x, turn_z, WALL, plaster);
    add_box_planes(walls, size.x, size.y, size.z);
    walls->origin.y += 1; /* storeys count from the ground, the wall goes on below it */
    walls->plane[4].offset -= 1;
    walls->plane[5].offset = 1;
    walls->size.y -= 1;
    uint32_t chance = hash((int)(base.x * 10), (int)(base.z * 10), 42);
    walls->seed = chance;

    vec eaves = {base.x, base.y + size.y, base.z};
    solid *roof = add_solid(world, eaves, turn_x, turn_z, ROOF, tiles);
    double length = sqrt(rise * rise + depth * depth / 4);
    double across = rise / length, up = depth / 2 / length, ridge = up * (rise + 0.2);
    add_plane(roof, 0, up, across, ridge);
    add_plane(roof, 0, up, -across, ridge);
    add_plane(roof, 1, 0, 0, width / 2 + 0.12);
    add_plane(roof, -1, 0, 0, width / 2 + 0.12);
    add_plane(roof, 0, -1, 0, 0.05);
    add_plane(roof, 0, 0, 1, depth / 2 + 0.3);
    add_plane(roof, 0, 0, -1, depth / 2 + 0.3);
    roof->size = plaster;
    roof->radius = walls->radius + 0.5;
    roof->top = eaves.y + rise + 0.3;
    roof->bottom = eaves.y - 0.1;
    roof->seed = chance;

    double shift = (chance % 2 ? 0.3 : -0.3) * width;
    vec place = to_world(roof, (vec){shift, rise * 0.45, depth * 0.12});
    solid *chimney =
        add_solid(world, add(eaves, place), turn_x, turn_z, STONE, (vec){0.34, 0.17, 0.11});
    add_box_planes(chimney, 0.9, rise * 0.55 + 1.1, 0.6);
}

/* A crown of a few balls of leaves on a trunk. */
static void add_tree(scene *world, vec base, double size, int crowns, vec colour, uint32_t seed)
{
    add_cone(world, (vec){base.x, base.y - 0.5, base.z}, 0.07 * size, 0.04 * size, 0.7 * size, WOOD,
             (vec){0.10, 0.07, 0.05});
    for (int k = 0; k < crowns; k++) {
        double y = 2 * random01(k, 1, seed) - 1, reach = 0.75 * sqrt(1.05 - y * y);
        double x = reach * (random01(k, 0, seed) - 0.5), z = reach * (random01(k, 2, seed) - 0.5);
        double wide = (0.13 + 0.11 * random01(k, 3, seed)) * size;
        vec centre = {base.x + size * x, base.y + (0.58 + 0.30 * y) * size, base.z + size * z};
        add_ellipsoid(world, centre, (vec){wide, 0.85 * wide, wide}, 1, 0, LEAVES,
                      scale(colour, 0.95 + 0.25 * y));
    }
}

/* A lump of rock with a few flat sides. */
static void add_boulder(scene *world, vec at, double size, uint32_t seed)
{
    solid *s = add_ellipsoid(world, at, (vec){1.3 * size, size, size}, random01(0, 0, seed), 0.6,
                             ROCK, (vec){0.5, 0.5, 0.5});
    for (int k = 0; k < 6; k++) {
        double x = random01(k, 1, seed) - 0.5, y = random01(k, 2, seed) * 0.8;
        vec side = normalize((vec){x, y, random01(k, 3, seed) - 0.5});
        add_plane(s, side.x, side.y, side.z, size * (0.55 + 0.3 * random01(k, 4, seed)));
    }
}

static vec on_land(const scene *world, double x, double z)
{
    return (vec){x, world->height(x, z), z};
}

static void add_lighthouse(scene *world, vec base)
{
    vec iron = {0.05, 0.06, 0.06}, red = {0.42, 0.05, 0.03};
    double y = base.y - 1;
    add_cone(world, (vec){base.x, y, base.z}, 3.5, 3.3, 1.8, STONE, (vec){0.36, 0.32, 0.27});
    add_cone(world, (vec){base.x, y + 1.8, base.z}, 2.9, 1.75, 20, TOWER, red);
    add_cone(world, (vec){base.x, y + 21.8, base.z}, 1.9, 2.7, 0.7, PAINT, (vec){0.7, 0.68, 0.64});
    for (int k = 0; k < 12; k++) { /* the gallery's posts, on a circle by its rational form */
        double t = (k % 6 - 2.5) * 0.4, side = k < 6 ? 1 : -1, round = 1 + t * t;
        vec post = {base.x + 2.5 * 2 * t / round, y + 22.5,
                    base.z + side * 2.5 * (1 - t * t) / round};
        add_cone(world, post, 0.05, 0.05, 1.1, PAINT, iron);
    }
    add_cone(world, (vec){base.x, y + 23.6, base.z}, 2.56, 2.56, 0.09, PAINT, iron);
    add_cone(world, (vec){base.x, y + 22.5, base.z}, 1.35, 1.35, 1.0, PAINT,
             (vec){0.6, 0.58, 0.55});
    add_cone(world, (vec){base.x, y + 23.5, base.z}, 1.25, 1.25, 1.9, GLASS, red);
    for (int k = -2; k <= 2; k++)
        add_cone(world, (vec){base.x + 0.55 * k, y + 23.5, base.z - 1.28}, 0.05, 0.05, 1.9, PAINT,
                 iron);
    add_cone(world, (vec){base.x, y + 25.4, base.z}, 1.75, 0.25, 1.5, PAINT, red);
    add_ellipsoid(world, (vec){base.x, y + 27.0, base.z}, (vec){0.32, 0.32, 0.32}, 1, 0, PAINT,
                  red);
    add_cone(world, (vec){base.x, y + 27.2, base.z}, 0.05, 0.03, 2.0, PAINT, iron);
}

/* Posts and two rails along the meadow. */
static void add_fence(scene *world, double x0, double z0, double x1, double z1, int posts)
{
    vec gray = {0.24, 0.20, 0.16}, last = {0};
    for (int k = 0; k <= posts; k++) {
        double share = (double)k / posts, lean = 0.3 * (random01(k, 0, 71) - 0.5);
        vec p = on_land(world, x0 + (x1 - x0) * share + lean, z0 + (z1 - z0) * share);
        add_cone(world, (vec){p.x, p.y - 0.3, p.z}, 0.075, 0.06, 1.45 + 0.15 * lean, WOOD, gray);
        if (k > 0)
            for (int rail = 0; rail < 2; rail++) {
                double dx = p.x - last.x, dz = p.z - last.z, length = sqrt(dx * dx + dz * dz);
                vec middle = {(p.x + last.x) / 2, (p.y + last.y) / 2 + 0.4 + 0.42 * rail,
                              (p.z + last.z) / 2};
                solid *s = add_solid(world, middle, dx, dz, WOOD, gray);
                double slope = (p.y - last.y) / length;
                add_box_planes(s, length, 0, 0.05);
                s->planes = 4; /* top and bottom follow the ground */
                add_plane(s, -slope, 1, 0, 0.06);
                add_plane(s, slope, -1, 0, 0.04);
                s->bottom -= 0.5;
                s->top += 0.5;
            }
        last = p;
    }
}

static const vec white_wall = {0.78, 0.75, 0.69}, red_tiles = {0.40, 0.135, 0.070};

static void build_coast(scene *world)
{
    world->eye = (vec){0, 13.6, 0};
    world->sun = normalize((vec){-0.83, 0.31, 0.46});
    world->focal = 1.3;
    world->horizon = 0.53;
    world->sunlight = scale((vec){1.0, 0.74, 0.46}, 3.0);
    world->skylight = (vec){0.50, 0.60, 0.78};
    world->height = coast_height;
    world->far_land = 420;
    world->calm = 0.42;
    add_lighthouse(world, on_land(world, 27, 150));
    add_house(world, on_land(world, 38, 143), 1, 0.35, (vec){13, 3.6, 7}, white_wall, red_tiles);
    add_house(world, on_land(world, 24, 84), 1, 0.62, (vec){11, 5.6, 7.5}, white_wall, red_tiles);
    add_house(world, on_land(world, 36.5, 92), 0.5, 1, (vec){9, 3.4, 6}, (vec){0.62, 0.50, 0.36},
              (vec){0.33, 0.12, 0.07});
    add_house(world, on_land(world, 45, 108), 1, 0.45, (vec){12, 5.6, 7}, (vec){0.70, 0.62, 0.48},
              red_tiles);
    add_house(world, on_land(world, 57, 128), 1, 0.4, (vec){10, 3.6, 7}, white_wall, red_tiles);
    static const double trees[][3] = {
        {34, 104, 8},  {38, 108, 9},   {31, 96, 4},   {41, 86, 5.5},   {44, 88, 7},
        {48.5, 93, 6}, {52, 112, 9},   {56, 118, 8},  {15.5, 80, 2.2}, {17, 81, 1.8},
        {46, 140, 6},  {20, 147, 2.5}, {30, 80, 2},   {33, 79, 2.6},   {10, 33, 1.2},
        {13, 37, 1.6}, {26, 52, 2.4},  {28, 56, 1.8}, {9.6, 19, 1.1},  {-7, 40, 0.9}};
    for (int k = 0; k < (int)(sizeof trees / sizeof *trees); k++)
        add_tree(world, on_land(world, trees[k][0], trees[k][1]), trees[k][2], 26,
                 (vec){0.050, 0.080, 0.024}, 800 + (uint32_t)k);
    for (int k = 0; k < 40; k++) {
        double z = 8 + 62 * random01(k, 0, 83), x = z * (random01(k, 2, 83) - 0.45);
        double size = random01(k, 3, 83);
        if (on_path(x, z) || world->height(x, z) < 6)
            continue;
        add_boulder(world, on_land(world, x, z), 0.12 + 0.75 * size * size * size, (uint32_t)k);
    }
    add_fence(world, -19, 24, -3.5, 47, 11);
    add_fence(world, -3.5, 47, 15, 80, 15);
}

/* --------------------------------------------------------------------- the town, built ---- */

static double town_height(double x, double z)
{
    if (z < 86)
        return z < 58 ? -4 : 1.7;
    double climb = 0.21 * (z - 86) + 26 * smooth(150, 330, z);
    double roll = smooth(88, 180, z) * 26 * (fractal(x / 90 + 3, z / 90, 5, 230) - 0.45);
    double wood = smooth(0.42, 0.52, fractal(x / 60, z / 60, 4, 240)) * smooth(195, 205, z);
    double crowns = wood > 0 ? wood * (3 + 4 * fractal(x / 6, z / 6, 4, 241)) : 0;
    return 1.7 + climb + roll + 8 * smooth(30, 120, x) * smooth(86, 160, z) + crowns;
}

/* A hull, a cabin or a mast with its boom: origin on the water line, bow along (turn_x, turn_z). */
static void add_boat(scene *world, vec at, double turn_x, double turn_z, double length, vec paint,
                     uint32_t kind)
{
    vec deck = {0.36, 0.24, 0.13}, white = {0.78, 0.77, 0.74};
    double beam = 0.17 * length, free_board = 0.11 * length;
    for (int rim = 0; rim < 2; rim++) { /* the hull, and on it a thin lighter rim */
        vec centre = {at.x, at.y + free_board, at.z};
        double grow = 1 + 0.02 * rim;
        solid *hull =
            add_ellipsoid(world, centre, (vec){length / 2 * grow, free_board * 2.2, beam * grow},
                          turn_x, turn_z, PAINT, rim ? white : paint);
        add_plane(hull, 0, 1, 0, rim ? 0.10 : 0);
        add_plane(hull, 0, -1, 0, rim ? 0 : free_board * 2);
        add_plane(hull, -1, 0, 0, 0.36 * length); /* the transom */
        hull->top = centre.y + 0.12;
    }
    vec floor = {at.x, at.y + free_board + 0.05, at.z};
    solid *cabin = add_solid(world, floor, turn_x, turn_z, PAINT, white);
    add_box_planes(cabin, 0.28 * length, 0.12 * length + 0.3, beam * 1.1);
    solid *pane = add_solid(world, (vec){floor.x, floor.y + 0.07 * length, floor.z}, turn_x, turn_z,
                            GLASS, deck);
    add_box_planes(pane, 0.285 * length, 0.05 * length, beam * 1.12);
    vec foot = add(floor, to_world(cabin, (vec){0.16 * length, 0, 0}));
    if (kind % 3 == 0)
        return;
    add_cone(world, foot, 0.09, 0.06, (kind % 3 == 1 ? 1.25 : 0.7) * length, WOOD,
             (vec){0.42, 0.34, 0.24});
    solid *boom =
        add_solid(world, add(foot, to_world(cabin, (vec){-0.22 * length, 0.25 * length, 0})),
                  turn_x, turn_z, PAINT, kind % 2 ? (vec){0.10, 0.15, 0.30} : white);
    add_box_planes(boom, 0.42 * length, 0.28, 0.22);
}

static void add_church(scene *world, vec base)
{
    vec stone = {0.62, 0.55, 0.43}, slate = {0.12, 0.13, 0.15};
    add_house(world, base, 1, 0.1, (vec){22, 9, 10}, stone, slate);
    vec foot = {base.x - 13, base.y - 2, base.z};
    solid *tower = add_solid(world, foot, 1, 0.1, STONE, scale(stone, 0.85));
    add_box_planes(tower, 6, 27, 6);
    for (int k = 0; k < 4; k++) { /* belfry openings and a cornice */
        vec place = to_world(tower, (vec){k % 2 ? 1.2 : -1.2, k < 2 ? 21 : 15, 0});
        solid *opening = add_solid(world, add(foot, place), 1, 0.1, PAINT, (vec){0.02, 0.02, 0.02});
        add_box_planes(opening, 1.1, k < 2 ? 3 : 1.6, 6.1);
    }
    solid *cornice = add_solid(world, (vec){foot.x, foot.y + 27, foot.z}, 1, 0.1, STONE, stone);
    add_box_planes(cornice, 6.6, 0.6, 6.6);
    add_cone(world, (vec){foot.x, foot.y + 27.6, foot.z}, 3.1, 0.05, 10, PAINT, slate);
}

static void add_row_of_houses(scene *world, int row, double z, double from, double to)
{
    static const vec plaster[] = {{0.76, 0.71, 0.62}, {0.68, 0.48, 0.24}, {0.66, 0.33, 0.22},
                                  {0.72, 0.60, 0.38}, {0.52, 0.58, 0.60}, {0.70, 0.50, 0.42},
                                  {0.78, 0.74, 0.68}};
    static const vec tiles[] = {{0.40, 0.14, 0.07}, {0.34, 0.12, 0.07}, {0.44, 0.19, 0.10}};
    double x = from;
    for (int k = 0; x < to; k++) {
        uint32_t chance = hash(k, row, 90);
        double width = 5 + 2.5 * (chance % 3), depth = 8 + chance / 8 % 3;
        double height = 2.8 * (2 + floor_of(2.6 * random01(k, row, 94))) + 0.3;
        double turn = row == 0 ? 0.02 : 0.35 * (random01(k, row, 91) - 0.5);
        int gable = chance / 1024 % 3 == 0; /* its gable to the harbour, else its eaves */
        vec base = on_land(world, x + width / 2, z + (row ? 7 * random01(k, row, 92) : 0));
        vec size = gable ? (vec){depth, height, width} : (vec){width, height, depth};
        add_house(world, base, gable ? turn : 1, gable ? 1 : turn, size, plaster[chance / 16 % 7],
                  tiles[chance / 128 % 3]);
        x += width + (row == 0 ? 0.1 : 1 + 5 * random01(k, row, 93));
    }
}

static void build_town(scene *world)
{
    world->eye = (vec){0, 10.5, 0};
    world->sun = normalize((vec){-0.62, 0.46, -0.64});
    world->focal = 1.5;
    world->horizon = 0.47;
    world->sunlight = scale((vec){1.0, 0.80, 0.56}, 2.3);
    world->skylight = (vec){0.32, 0.44, 0.66};
    world->height = town_height;
    world->far_land = 420;
    world->calm = 0.055;
    world->is_town = 1;
    add_row_of_houses(world, 0, 78, -60, 62);
    for (int row = 1; row < 7; row++)
        add_row_of_houses(world, row, 80 + 17 * row, -80 - 6 * row, 80 + 6 * row);
    add_church(world, on_land(world, 22, 186));
    for (int k = 0; k < 110; k++) {
        double x = 220 * (random01(k, 0, 95) - 0.5), z = 92 + 150 * random01(k, 1, 95);
        add_tree(world, on_land(world, x, z), 4 + 4 * random01(k, 2, 95), 12,
                 (vec){0.060, 0.095, 0.030}, 1000 + (uint32_t)k);
    }
    static const vec paints[] = {{0.05, 0.12, 0.30},
                                 {0.42, 0.05, 0.04},
                                 {0.70, 0.69, 0.66},
                                 {0.04, 0.22, 0.18},
                                 {0.55, 0.33, 0.06}};
    for (int k = 0; k < 16; k++) {
        double x = -44 + 6.1 * k + 2 * random01(k, 0, 96), z = 50 + 5 * random01(k, 1, 96);
        add_boat(world, (vec){x, 0, z}, k % 4 ? 1 : -1, 0.5 * (random01(k, 2, 96) - 0.5),
                 5 + 2.5 * random01(k, 3, 96), paints[hash(k, 4, 96) % 5], hash(k, 5, 96));
    }
    add_boat(world, (vec){-9, 0, 33}, 1, 0.25, 7.5, paints[1], 0);
    add_boat(world, (vec){9, 0, 38}, -1, 0.35, 9, paints[2], 1);
    for (int k = 0; k < 26; k++) /* bollards along the quay */
        add_cone(world, (vec){-52 + 4.1 * k, 1.7, 59}, 0.22, 0.28, 0.7, PAINT,
                 (vec){0.07, 0.07, 0.08});
}

/* ------------------------------------------------------------------------------ camera ---- */

enum { SAMPLES = 2 };       /* each way in a pixel */
#define ABOVE_HILLS (-0.12) /* where v is less, no ridge reaches */

/* Grass: pointed blades in cells as wide as they look from afar; how high one stands at x, 0..1. */
static double blade_at(double x, double z, int row, uint32_t *tint)
{
    double cell = x / (0.012 + 0.0016 * z), side;
    int index = floor_of(cell);
    *tint = hash(index, row, 600);
    side = fraction(cell) - 0.25 - 0.5 * (*tint >> 20 & 255) / 255.0;
    side = side < 0 ? -side : side;
    return clamp(1 - 2.2 * side, 0, 1) * (0.35 + 0.65 * (*tint >> 8 & 255) / 255.0);
}

/*
 * The land in one column u of the picture: for each row, at slope v = top + row * step, how far the
 * land is there (or 1e9). From near to far, each strip of land hides what lies behind and below it.
 */
static void trace_land(const scene *world, double u, double top, double step, int rows, hit *column)
{
    int covered = rows; /* rows from here on are done */
    double before_z = 4, before_v = 1e9, z = 4.5;
    for (int row = 0; row < rows; row++)
        column[row] = (hit){1e9, NULL, 0, -1, 0};
    for (int k = 0; z < world->far_land && covered > 0; k++, z *= 1.004) {
        double x = world->eye.x + u * z, ground = world->height(x, z), grass = 0;
        uint32_t tint = hash(k, 1, 601);
        if (!world->is_town && ground > 5 && !on_path(x, z))
            grass = blade_at(x, z, k, &tint) * (0.14 + 0.26 * fractal(x * 0.9, z * 0.9, 2, 602)) *
                    smooth(90, 15, z);
        double v = (world->eye.y - ground - grass) / z;
        while (covered > 0 && top + (covered - 1) * step >= v) {
            hit *at = &column[--covered];
            double here = top + covered * step;
            at->z = before_v > v ? before_z + (z - before_z) *
                                                  clamp((before_v - here) / (before_v - v), 0, 1)
                                 : z;
            at->tint = tint;
            if (grass > 0.02) {
                at->z = z;
                at->blade = clamp((world->eye.y - here * z - ground) / grass, 0, 1);
            }
        }
        before_z = z;
        before_v = (world->eye.y - ground) / z;
    }
}

/* What the ray (u, -v, 1) meets, seen through the air; 0 where that is the background alone. */
static int trace(const scene *world, double u, double v, const hit *land, vec *colour)
{
    vec ray = {u, -v, 1};
    double water = v > 0 ? world->eye.y / v : 1e9, t = land->z < water ? land->z : water;
    int face = 0;
    const solid *s = first_solid(world, u, world->eye, ray, &t, &face);
    if (t >= 1e8)
        return 0;
    vec p = add(world->eye, scale(ray, t));
    if (s)
        *colour = solid_colour(world, s, face, p);
    else if (land->z < water)
        *colour = land_colour(world, land, p);
    else
        *colour = water_colour(world, u, p, ray);
    *colour = through_air(world, *colour, normalize(ray), t);
    return 1;
}

/* Film: shoulders instead of clipping, then the 2.2 of displays, by square roots alone. */
static double develop(double light)
{
    light = 0.8 * clamp(light, 0, 1e3);
    double x = light * (2.2 * light + 0.03) / (light * (2.05 * light + 0.95) + 0.17);
    double a = sqrt(clamp(x, 0, 1)), b = sqrt(a), c = sqrt(b);
    return clamp(0.585122381 * a + 0.783140355 * b - 0.368262736 * c, 0, 1);
}

/* Sum of four random bytes, about normal with deviation 1. */
static double sensor_noise(int x, int y, uint32_t channel)
{
    uint32_t h = hash(x, y, 7000 + channel);
    int sum = (int)((h & 255) + (h >> 8 & 255) + (h >> 16 & 255) + (h >> 24));
    return (sum - 510) / 148.0;
}

static void expose(const image *out, int x, int y, vec light)
{
    double dx = (x + 0.5) / out->width - 0.5, dy = (y + 0.5) / out->height - 0.5;
    double corner = 1 - 0.85 * (dx * dx + dy * dy);
    double gray = 0.3 * light.x + 0.59 * light.y + 0.11 * light.z;
    light = scale(mix((vec){gray, gray, gray}, light, 1.18), corner);
    double levels[3] = {develop(light.x), develop(light.y), develop(light.z)};
    double common = sensor_noise(x, y, 3);
    uint8_t *pixel = out->pixels + 3 * ((size_t)y * (size_t)out->width + (size_t)x);
    for (uint32_t c = 0; c < 3; c++) {
        double grain = (1.5 + 1.9 * (1 - levels[c])) * (0.7 * common + 0.6 * sensor_noise(x, y, c));
        pixel[c] = (uint8_t)clamp(255 * levels[c] + grain + 0.5, 0, 255);
    }
}

/* One column of pixels, SAMPLES x SAMPLES rays each. land has room for SAMPLES columns of rays. */
static void render_column(const scene *world, const image *out, int x, hit *land)
{
    int rows = out->height * SAMPLES;
    double step = 1 / (SAMPLES * world->focal * out->height), u[SAMPLES];
    double top = -world->horizon / world->focal + 0.5 * step;
    for (int i = 0; i < SAMPLES; i++) {
        u[i] = (SAMPLES * (x - 0.5 * out->width) + i + 0.5) * step;
        trace_land(world, u[i], top, step, rows, land + i * rows);
    }
    for (int y = 0; y < out->height; y++) {
        vec sum = {0}, sky = {0}, colour;
        int sky_known = 0;
        for (int k = 0; k < SAMPLES * SAMPLES; k++) {
            int row = y * SAMPLES + k / SAMPLES, i = k % SAMPLES;
            double v = top + row * step;
            if (!trace(world, u[i], v, &land[i * rows + row], &colour)) {
                if (!sky_known)
                    sky = background(world, normalize((vec){u[i], -v, 1}));
                sky_known = v < ABOVE_HILLS; /* the open sky is smooth: one ray a pixel will do */
                colour = sky;
            }
            sum = add(sum, colour);
        }
        expose(out, x, y, scale(sum, 1.0 / (SAMPLES * SAMPLES)));
    }
}

/* 0, or -1 where memory is short. */
static int render(scene *world, image *out)
{
    size_t rays = (size_t)out->height * SAMPLES * SAMPLES;
    int failed = 0;
#ifdef _OPENMP
#pragma omp parallel for schedule(dynamic, 8) reduction(| : failed)
#endif
    for (int x = 0; x < out->width; x++) {
        hit *land = malloc(rays * sizeof *land);
        if (land)
            render_column(world, out, x, land);
        failed |= !land;
        free(land);
    }
    return failed ? -1 : 0;
}

static int render_scene(int is_town, image *out)
{
    scene world = {0};
    int failed = 1;
    world.solids = malloc(MAX_SOLIDS * sizeof *world.solids);
    if (world.solids) {
        (is_town ? build_town : build_coast)(&world);
        world.pixel = 0.5 / (world.focal * out->height);
        qsort(world.solids, (size_t)world.count, sizeof *world.solids, compare_nearness);
        failed = sort_into_strips(&world, &world.seen, -1.2, 1.2, seen_span) != 0 ||
                 sort_into_strips(&world, &world.shading, -300, 300, shading_span) != 0 ||
                 render(&world, out) != 0;
    }
    free(world.seen.members);
    free(world.shading.members);
    free(world.solids);
    return failed ? -1 : 0;
}

/* ------------------------------------------------------------------------ command line ---- */

enum { WIDTH, HEIGHT, LEFT, TOP };

typedef struct request {
    int is_town, crop, resample, rendering; /* rendering: an option that only rendering has */
    int size[4];                            /* WIDTH, HEIGHT, and of a crop LEFT, TOP */
} request;

static const char usage[] =
    "usage: render [--scene coast|town] [--size WxH] OUT\n"
    "       render --crop WxH+X+Y IN OUT\n"
    "       render --resample WxH IN OUT\n"
    "Renders a picture (by default the coast, 1024x768), cuts W x H pixels from column X, row Y\n"
    "on out of one, or brings one to another size. The ending of OUT chooses its format.\n";

/* One line on stderr, exit 2. */
static void refuse(const char *format, ...)
{
    va_list arguments;
    fprintf(stderr, "render: ");
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fprintf(stderr, "\n");
    exit(2);
}

/* WxH for two numbers, WxH+X+Y for four: digits only, sides in 1..IMAGE_MAX_SIDE. */
static void parse_size(const char *option, const char *text, int count, int *numbers)
{
    const char *at = text;
    for (int k = 0; k < count; k++) {
        char *end = NULL;
        int least = k < LEFT ? 1 : 0;
        long value = *at >= '0' && *at <= '9' ? strtol(at, &end, 10) : -1;
        if (value < least || value > IMAGE_MAX_SIDE || *end != "x++"[k < count - 1 ? k : 3])
            refuse("--%s %s: give it as %s, W and H 1 to %d", option, text,
                   count == 2 ? "WxH" : "WxH+X+Y", IMAGE_MAX_SIDE);
        numbers[k] = (int)value;
        at = end + 1;
    }
}

static void parse_option(int option, const char *value, request *wanted)
{
    switch (option) {
    case 's':
        parse_size("size", value, 2, wanted->size);
        wanted->rendering = 1;
        break;
    case 'n':
        wanted->is_town = strcmp(value, "town") == 0;
        wanted->rendering = 1;
        if (!wanted->is_town && strcmp(value, "coast") != 0)
            refuse("--scene %s: there are coast and town", value);
        break;
    case 'c':
        parse_size("crop", value, 4, wanted->size);
        wanted->crop = 1;
        break;
    default:
        parse_size("resample", value, 2, wanted->size);
        wanted->resample = 1;
        break;
    }
}

/* Returns the index of the first file name. */
static int parse_command_line(int argc, char **argv, request *wanted)
{
    static const struct option options[] = {
        {"scene", required_argument, NULL, 'n'}, {"size", required_argument, NULL, 's'},
        {"crop", required_argument, NULL, 'c'},  {"resample", required_argument, NULL, 'r'},
        {"help", no_argument, NULL, 'h'},        {NULL, 0, NULL, 0}};
    *wanted = (request){0, 0, 0, 0, {1024, 768, 0, 0}};
    for (int option; (option = getopt_long(argc, argv, ":", options, NULL)) != -1;) {
        if (option == 'h') {
            fputs(usage, stdout);
            exit(0);
        }
        if (option == ':')
            refuse("%s needs a value; see --help", argv[optind - 1]);
        if (option == '?')
            refuse("unknown option %s; there are --scene, --size, --crop, --resample and --help",
                   argv[optind - 1]);
        parse_option(option, optarg, wanted);
    }
    if (wanted->crop + wanted->resample + wanted->rendering > 1)
        refuse("--crop, --resample and rendering (--scene, --size) exclude each other");
    int files = wanted->crop || wanted->resample ? 2 : 1;
    if (argc - optind != files)
        refuse("%d file names given, %d needed: %s", argc - optind, files,
               files == 2 ? "IN OUT" : "OUT");
    return optind;
}

/* Cuts or resizes the picture of a file. */
static int change_picture(const char *path, const request *wanted, image *out)
{
    char error[IMAGE_ERROR_SIZE];
    const int *size = wanted->size;
    image in;
    if (image_read(path, &in, error) != 0)
        refuse("%s", error);
    if (wanted->crop &&
        (size[LEFT] + size[WIDTH] > in.width || size[TOP] + size[HEIGHT] > in.height))
        refuse("%s: --crop %dx%d+%d+%d does not lie inside its %d x %d pixels", path, size[WIDTH],
               size[HEIGHT], size[LEFT], size[TOP], in.width, in.height);
    if (wanted->resample && (in.width != size[WIDTH] || in.height != size[HEIGHT]))
        fprintf(stderr, "render: %s is resampled from %dx%d to %dx%d\n", path, in.width, in.height,
                size[WIDTH], size[HEIGHT]);
    int result = wanted->crop
                     ? image_crop(&in, size[LEFT], size[TOP], size[WIDTH], size[HEIGHT], out)
                     : image_resample(&in, size[WIDTH], size[HEIGHT], out);
    image_free(&in);
    return result;
}

int main(int argc, char **argv)
{
    char error[IMAGE_ERROR_SIZE];
    request wanted;
    image out = {0};
    char **files = argv + parse_command_line(argc, argv, &wanted);
    int failed;
    if (image_check_writable(argv[argc - 1], error) != 0)
        refuse("%s", error);
    if (wanted.crop || wanted.resample)
        failed = change_picture(*files++, &wanted, &out);
    else
        failed = image_create(&out, wanted.size[WIDTH], wanted.size[HEIGHT], 3) != 0 ||
                 render_scene(wanted.is_town, &out) != 0;
    if (failed)
        refuse("out of memory for %d x %d pixels", wanted.size[WIDTH], wanted.size[HEIGHT]);
    if (image_write(*files, &out, error) != 0)
        refuse("%s", error);
    image_free(&out);
    return 0;
}
