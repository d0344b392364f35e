/* camera.c - from a scene to the pixels of a picture. */
#include "scene.h"
#include "../../common/die.h"

#include <stdlib.h>

enum { SAMPLES = 2 };       /* each way in a pixel */
#define ABOVE_HILLS (-0.12) /* where v is less, no ridge reaches */
#define FAR_LAND    420     /* the distance where it ends */

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
static void trace_land(const scene *world, double u, double top, double step, int rows,
                       land_hit *column)
{
    int covered = rows; /* rows from here on are done */
    double before_z = 4, before_v = 1e9, z = 4.5;
    for (int row = 0; row < rows; row++)
        column[row] = (land_hit){1e9, -1, 0};
    for (int k = 0; z < FAR_LAND && covered > 0; k++, z *= 1.004) {
        double x = world->eye.x + u * z, ground = world->height(x, z), grass = 0;
        uint32_t tint = hash(k, 1, 601);
        if (world->on_path && ground > 5 && !world->on_path(x, z))
            grass = blade_at(x, z, k, &tint) * (0.14 + 0.26 * fractal(x * 0.9, z * 0.9, 2, 602)) *
                    smooth(90, 15, z);
        double v = (world->eye.y - ground - grass) / z;
        while (covered > 0 && top + (covered - 1) * step >= v) {
            land_hit *at = &column[--covered];
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
static int trace(const scene *world, candidates among, vec ray, const land_hit *land, vec *colour)
{
    double v = -ray.y;
    double water = v > 0 ? world->eye.y / v : 1e9, t = land->z < water ? land->z : water;
    int face = 0;
    const solid *s = first_solid(among, world->eye, ray, &t, &face);
    if (t >= 1e8)
        return 0;
    vec p = add(world->eye, scale(ray, t));
    if (s)
        *colour = solid_colour(world, s, face, p);
    else if (land->z < water)
        *colour = land_colour(world, land, p);
    else
        *colour = water_colour(world, among, p, ray);
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

static void expose(const scene *world, const image *out, int x, int y, vec light)
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
        pixel[c] = (uint8_t)clamp(255 * levels[c] + world->grain * grain + 0.5, 0, 255);
    }
}

/* What a thread of the renderer needs for one column of pixels, SAMPLES x SAMPLES rays each. */
typedef struct workspace {
    const solid *near[SAMPLES][MAX_SOLIDS];
    land_hit land[]; /* SAMPLES columns of rays */
} workspace;

static void render_column(const scene *world, const image *out, int x, workspace *work)
{
    int rows = out->height * SAMPLES;
    double step = 1 / (SAMPLES * world->focal * out->height), u[SAMPLES];
    double top = -world->horizon / world->focal + 0.5 * step;
    candidates among[SAMPLES];
    for (int i = 0; i < SAMPLES; i++) {
        u[i] = (SAMPLES * (x - 0.5 * out->width) + i + 0.5) * step;
        among[i] = candidates_at(world, u[i], work->near[i]);
        trace_land(world, u[i], top, step, rows, work->land + i * rows);
    }
    for (int y = 0; y < out->height; y++) {
        vec sum = {0}, sky = {0}, colour;
        int sky_known = 0;
        for (int k = 0; k < SAMPLES * SAMPLES; k++) {
            int row = y * SAMPLES + k / SAMPLES, i = k % SAMPLES;
            vec ray = {u[i], -(top + row * step), 1};
            if (!trace(world, among[i], ray, &work->land[i * rows + row], &colour)) {
                if (!sky_known)
                    sky = background(world, normalize(ray));
                sky_known = -ray.y < ABOVE_HILLS; /* open sky is smooth: one ray a pixel will do */
                colour = sky;
            }
            sum = add(sum, colour);
        }
        expose(world, out, x, y, scale(sum, 1.0 / (SAMPLES * SAMPLES)));
    }
}

void render(scene *world, const image *out)
{
    size_t rays = (size_t)out->height * SAMPLES * SAMPLES;
    prepare_visibility(world);
    world->pixel = 0.5 / (world->focal * out->height);
#pragma omp parallel for schedule(dynamic, 8)
    for (int x = 0; x < out->width; x++) {
        workspace *work = allocate(sizeof *work + rays * sizeof *work->land);
        render_column(world, out, x, work);
        free(work);
    }
    free(world->shading);
}
