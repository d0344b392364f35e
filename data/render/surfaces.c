/* surfaces.c - how solids, land and water look where a ray meets them. */
#include "scene.h"

/* How many octaves of features from size down to about a pixel at distance z are worth having. */
static int octaves_for(const scene *world, double size, double z, int most)
{
    int count = 1;
    for (; size > world->pixel * z && count < most; size /= 2)
        count++;
    return count;
}

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

vec solid_colour(const scene *world, const solid *s, int face, vec point)
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
        colour = stone_colour(local.x + local.z, local.y, colour);
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
        colour = scale(colour, 0.6 + 0.8 * fractal(local.x * 3, local.y * 14, 4, s->seed));
        break;
    case GLASS:
        return add(scale(clear_sky(world, (vec){-0.5, 0.4, 0.7}), 0.55), (vec){0.05, 0.04, 0.02});
    case PAINT:
        colour = scale(colour, 0.85 + 0.3 * fractal(local.x * 2, local.y * 6, 4, s->seed));
        break;
    }
    double sun = dot(normal, world->sun) > 0 ? sunlit(world, point) : 0;
    return illuminate(world, colour, normal, sun, openness);
}

/* -------------------------------------------------------------------------------- land ---- */

static vec grass_colour(const scene *world, const land_hit *at, vec p, vec normal, double sun)
{
    double patch = fractal(p.x * 0.11, p.z * 0.11, 5, 300),
           fine = fractal(p.x * 1.7, p.z * 1.7, 4, 310);
    vec green = mix((vec){0.085, 0.125, 0.030}, (vec){0.30, 0.26, 0.10}, smooth(0.36, 0.70, patch));
    green = mix(green, (vec){0.42, 0.36, 0.18}, 0.35 * smooth(0.5, 0.8, fine));
    double dry = (at->tint & 255) / 255.0;
    if (world->on_path && world->on_path(p.x, p.z))
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

vec land_colour(const scene *world, const land_hit *at, vec p)
{
    double step = 0.15 + 0.004 * p.z, here = world->height(p.x, p.z);
    vec normal = normalize(
        (vec){here - world->height(p.x + step, p.z), step, here - world->height(p.x, p.z + step)});
    double sun = sunlit(world, (vec){p.x, p.y + 0.05, p.z});
    if (p.y < world->quay)
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
vec water_colour(const scene *world, candidates among, vec p, vec ray)
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
    mirror.y = (mirror.y < 0 ? -mirror.y : mirror.y) + world->swell;
    double edge = 1 - facing, fresnel = 0.03 + 0.97 * edge * edge * edge * edge * edge;
    double t = 1e9, depth = 1;
    int face = 0;
    vec course = scale(mirror, 1 / (mirror.z > 0.2 ? mirror.z : 0.2)), seen;
    const solid *s = first_solid(among, p, course, &t, &face);
    if (s)
        seen = solid_colour(world, s, face, add(p, scale(course, t)));
    else if (world->has_shore && course.y < 0.2)
        seen = world->shore;
    else
        seen = sky_colour(world, normalize(mirror));
    double glint = 1 - dot(normalize(mirror), world->sun);
    vec glitter = scale(world->sunlight, 16 * bell(glint * 13) * fresnel);
    depth = 0.7 + 0.6 * fractal(p.x * 0.02, p.z * 0.012, 4, 520);
    return add(mix(scale(world->water, depth), seen, clamp(fresnel, 0, 0.9)), glitter);
}
