/* sky.c - what is far away: sky, clouds, hills and the air before them. */
#include "scene.h"

/* The clear sky: pale and warm at the horizon, blue above, brighter round the sun. */
vec clear_sky(const scene *world, vec direction)
{
    double up = clamp(direction.y, 0, 1), near = 1 - dot(direction, world->sun);
    vec low = mix(world->sky_low, world->sky_middle, smooth(0, 0.22, up));
    vec sky = mix(low, world->sky_high, smooth(0.08, 0.75, up));
    vec glow = {1.0, 0.72, 0.40};
    return add(sky, scale(glow, world->glow / (1 + 14 * near) + 0.8 / (1 + 260 * near * near)));
}

/* Streaks of high cloud, on a plane overhead so that they narrow towards the horizon. */
vec sky_colour(const scene *world, vec direction)
{
    vec sky = clear_sky(world, direction);
    if (direction.y < 0.004)
        return sky;
    double along = direction.x / (direction.y + 0.05), away = direction.z / (direction.y + 0.05);
    double warp = fractal(along * 0.5, away * 0.5, 3, 900);
    double body = fractal(along * 0.42 + 1.6 * warp, away * 0.9 + warp, 6, 910);
    double field =
        smooth(0.30, 0.75, noise(along * 0.20 + world->cloud_shift, away * 0.17 + 0.4, 920));
    double cover = smooth(0.44, 0.82, body) * field *
                   smooth(world->cloud_gone, world->cloud_thin, direction.y) *
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
        double taper = world->ridge_share(k, u);
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

vec background(const scene *world, vec direction)
{
    vec colour;
    if (hills_colour(world, direction, &colour))
        return colour;
    return sky_colour(world, direction);
}

vec through_air(const scene *world, vec colour, vec direction, double z)
{
    vec air = clear_sky(world, normalize((vec){direction.x, 0.03, direction.z}));
    double share = z / (z + world->haze_distance);
    return mix(colour, scale(air, 0.85), share);
}
