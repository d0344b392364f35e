/* coast.c - a lighthouse and a few houses above the sea, at evening. */
#include "scene.h"

/* A trodden path from the camera to the first house. */
static int on_path(double x, double z)
{
    double middle = 0.37 * z - 5.2 - 5 * bell((z - 30) / 14) + 1.2 * noise(z / 6, 0, 604);
    double wide = 0.45 + 0.5 * fractal(x * 1.3, z * 1.3, 3, 605) + 0.003 * z;
    return z < 77 && x > middle - wide && x < middle + wide;
}

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

static void add_lighthouse(scene *world, vec base)
{
    vec iron = {0.05, 0.06, 0.06}, red = {0.42, 0.05, 0.03};
    base.y -= 1;
    add_cone(world, base, 3.5, 3.3, 1.8, STONE, (vec){0.36, 0.32, 0.27});
    add_cone(world, above(base, 1.8), 2.9, 1.75, 20, TOWER, red);
    add_cone(world, above(base, 21.8), 1.9, 2.7, 0.7, PAINT, (vec){0.7, 0.68, 0.64});
    for (int k = 0; k < 12; k++) { /* the gallery's posts, on a circle by its rational form */
        double t = (k % 6 - 2.5) * 0.4, side = k < 6 ? 1 : -1, round = 1 + t * t;
        vec post = {base.x + 2.5 * 2 * t / round, base.y + 22.5,
                    base.z + side * 2.5 * (1 - t * t) / round};
        add_cone(world, post, 0.05, 0.05, 1.1, PAINT, iron);
    }
    add_cone(world, above(base, 23.6), 2.56, 2.56, 0.09, PAINT, iron);
    add_cone(world, above(base, 22.5), 1.35, 1.35, 1.0, PAINT, (vec){0.6, 0.58, 0.55});
    add_cone(world, above(base, 23.5), 1.25, 1.25, 1.9, GLASS, red);
    for (int k = -2; k <= 2; k++)
        add_cone(world, (vec){base.x + 0.55 * k, base.y + 23.5, base.z - 1.28}, 0.05, 0.05, 1.9,
                 PAINT, iron);
    add_cone(world, above(base, 25.4), 1.75, 0.25, 1.5, PAINT, red);
    add_ellipsoid(world, above(base, 27.0), (vec){0.32, 0.32, 0.32}, 1, 0, PAINT, red);
    add_cone(world, above(base, 27.2), 0.05, 0.03, 2.0, PAINT, iron);
}

/* Posts and two rails along the meadow. */
static void add_fence(scene *world, double x0, double z0, double x1, double z1, int posts)
{
    vec gray = {0.24, 0.20, 0.16}, last = {0};
    for (int k = 0; k <= posts; k++) {
        double share = (double)k / posts, lean = 0.3 * (random01(k, 0, 71) - 0.5);
        vec p = on_land(world, x0 + (x1 - x0) * share + lean, z0 + (z1 - z0) * share);
        add_cone(world, above(p, -0.3), 0.075, 0.06, 1.45 + 0.15 * lean, WOOD, gray);
        for (int rail = 0; k > 0 && rail < 2; rail++) {
            double dx = p.x - last.x, dz = p.z - last.z, length = sqrt(dx * dx + dz * dz);
            vec middle = {(p.x + last.x) / 2, (p.y + last.y) / 2 + 0.4 + 0.42 * rail,
                          (p.z + last.z) / 2};
            solid *s = add_box(world, middle, dx, dz, (vec){length, 0, 0.05}, WOOD, gray);
            double slope = (p.y - last.y) / length;
            s->planes = 4; /* top and bottom follow the ground */
            add_plane(s, -slope, 1, 0, 0.06);
            add_plane(s, slope, -1, 0, 0.04);
            s->bottom -= 0.5;
            s->top += 0.5;
        }
        last = p;
    }
}

/* The hills run out into the sea on the right, the nearer ones further. */
static double ridge_share(int ridge, double u)
{
    return 1 - smooth(-0.25 + 0.25 * ridge, 0.15 + 0.28 * ridge, u);
}

void build_coast(scene *world)
{
    world->eye = (vec){0, 13.6, 0};
    world->sun = normalize((vec){-0.83, 0.31, 0.46});
    world->focal = 1.3;
    world->horizon = 0.53;
    world->sunlight = scale((vec){1.0, 0.74, 0.46}, 3.0);
    world->skylight = (vec){0.50, 0.60, 0.78};
    world->height = coast_height;
    world->calm = 0.42;
    world->swell = 0.10;
    world->water = (vec){0.018, 0.060, 0.085};
    world->on_path = on_path;
    world->sky_low = (vec){0.98, 0.76, 0.54};
    world->sky_middle = (vec){0.50, 0.63, 0.78};
    world->sky_high = (vec){0.13, 0.30, 0.60};
    world->glow = 1.2;
    world->haze_distance = 1700;
    world->cloud_shift = 0.6;
    world->cloud_thin = 0.20;
    world->cloud_gone = 0.36;
    world->ridge_share = ridge_share;
    world->grain = 1;
    add_lighthouse(world, on_land(world, 27, 150));
    static const vec white = {0.78, 0.75, 0.69}, red = {0.40, 0.135, 0.070};
    add_house(world, on_land(world, 38, 143), 1, 0.35, (vec){13, 3.6, 7}, white, red);
    add_house(world, on_land(world, 24, 84), 1, 0.62, (vec){11, 5.6, 7.5}, white, red);
    add_house(world, on_land(world, 36.5, 92), 0.5, 1, (vec){9, 3.4, 6}, (vec){0.62, 0.50, 0.36},
              (vec){0.33, 0.12, 0.07});
    add_house(world, on_land(world, 45, 108), 1, 0.45, (vec){12, 5.6, 7}, (vec){0.70, 0.62, 0.48},
              red);
    add_house(world, on_land(world, 57, 128), 1, 0.4, (vec){10, 3.6, 7}, white, red);
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

void build_sky(scene *world)
{
    build_coast(world);
    world->focal *= 2;
    world->horizon *= 2;
    world->grain = 0;
}
