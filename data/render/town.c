/* town.c - a harbour, rows of houses up the hill and a church: many places that look alike. */
#include "scene.h"

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
        vec centre = above(at, free_board);
        double grow = 1 + 0.02 * rim;
        solid *hull =
            add_ellipsoid(world, centre, (vec){length / 2 * grow, free_board * 2.2, beam * grow},
                          turn_x, turn_z, PAINT, rim ? white : paint);
        add_plane(hull, 0, 1, 0, rim ? 0.10 : 0);
        add_plane(hull, 0, -1, 0, rim ? 0 : free_board * 2);
        add_plane(hull, -1, 0, 0, 0.36 * length); /* the transom */
        hull->top = centre.y + 0.12;
    }
    vec floor = above(at, free_board + 0.05);
    solid *cabin = add_box(world, floor, turn_x, turn_z,
                           (vec){0.28 * length, 0.12 * length + 0.3, beam * 1.1}, PAINT, white);
    add_box(world, above(floor, 0.07 * length), turn_x, turn_z,
            (vec){0.285 * length, 0.05 * length, beam * 1.12}, GLASS, deck);
    vec foot = add(floor, to_world(cabin, (vec){0.16 * length, 0, 0}));
    if (kind % 3 == 0)
        return;
    add_cone(world, foot, 0.09, 0.06, (kind % 3 == 1 ? 1.25 : 0.7) * length, WOOD,
             (vec){0.42, 0.34, 0.24});
    vec boom = to_world(cabin, (vec){-0.22 * length, 0.25 * length, 0});
    add_box(world, add(foot, boom), turn_x, turn_z, (vec){0.42 * length, 0.28, 0.22}, PAINT,
            kind % 2 ? (vec){0.10, 0.15, 0.30} : white);
}

static void add_church(scene *world, vec base)
{
    vec stone = {0.62, 0.55, 0.43}, slate = {0.12, 0.13, 0.15};
    add_house(world, base, 1, 0.1, (vec){22, 9, 10}, stone, slate);
    vec foot = {base.x - 13, base.y - 2, base.z};
    solid *tower = add_box(world, foot, 1, 0.1, (vec){6, 27, 6}, STONE, scale(stone, 0.85));
    for (int k = 0; k < 4; k++) { /* belfry openings and a cornice */
        vec place = to_world(tower, (vec){k % 2 ? 1.2 : -1.2, k < 2 ? 21 : 15, 0});
        add_box(world, add(foot, place), 1, 0.1, (vec){1.1, k < 2 ? 3 : 1.6, 6.1}, PAINT,
                (vec){0.02, 0.02, 0.02});
    }
    add_box(world, above(foot, 27), 1, 0.1, (vec){6.6, 0.6, 6.6}, STONE, stone);
    add_cone(world, above(foot, 27.6), 3.1, 0.05, 10, PAINT, slate);
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

/* Hills all round, higher than behind the coast. */
static double ridge_share(int ridge, double u)
{
    (void)ridge, (void)u;
    return 1.5;
}

void build_town(scene *world)
{
    world->eye = (vec){0, 10.5, 0};
    world->sun = normalize((vec){-0.62, 0.46, -0.64});
    world->focal = 1.5;
    world->horizon = 0.47;
    world->sunlight = scale((vec){1.0, 0.80, 0.56}, 2.3);
    world->skylight = (vec){0.32, 0.44, 0.66};
    world->height = town_height;
    world->calm = 0.055;
    world->swell = 0.004;
    world->water = (vec){0.018, 0.052, 0.060};
    world->has_shore = 1;
    world->shore = (vec){0.10, 0.11, 0.06}; /* the hillside behind the houses */
    world->quay = 2.2;
    world->sky_low = (vec){0.72, 0.80, 0.88};
    world->sky_middle = (vec){0.36, 0.55, 0.80};
    world->sky_high = (vec){0.13, 0.29, 0.60};
    world->glow = 0.5;
    world->haze_distance = 2400;
    world->cloud_shift = 5.2;
    world->cloud_thin = 2; /* higher than any: everywhere */
    world->cloud_gone = 3;
    world->ridge_share = ridge_share;
    world->grain = 1;
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
