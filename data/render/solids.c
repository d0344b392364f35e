/* solids.c - the shapes that scenes are made of. */
#include "scene.h"

#include <assert.h>
#include <string.h>

void add_plane(solid *s, double x, double y, double z, double offset)
{
    s->plane[s->planes].normal = (vec){x, y, z};
    s->plane[s->planes++].offset = offset;
}

solid *add_solid(scene *world, vec origin, double turn_x, double turn_z, material material,
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

solid *add_box(scene *world, vec origin, double turn_x, double turn_z, vec size, material material,
               vec colour)
{
    solid *s = add_solid(world, origin, turn_x, turn_z, material, colour);
    add_plane(s, 1, 0, 0, size.x / 2);
    add_plane(s, -1, 0, 0, size.x / 2);
    add_plane(s, 0, 0, 1, size.z / 2);
    add_plane(s, 0, 0, -1, size.z / 2);
    add_plane(s, 0, 1, 0, size.y);
    add_plane(s, 0, -1, 0, 0);
    s->size = size;
    s->radius = sqrt(size.x * size.x + size.z * size.z) / 2;
    s->top = s->bottom + size.y;
    return s;
}

solid *add_cone(scene *world, vec origin, double radius, double radius_top, double height,
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

solid *add_ellipsoid(scene *world, vec centre, vec radii, double turn_x, double turn_z,
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

vec to_local(const solid *s, vec v)
{
    return (vec){s->cosine * v.x + s->sine * v.z, v.y, s->cosine * v.z - s->sine * v.x};
}

vec to_world(const solid *s, vec v)
{
    return (vec){s->cosine * v.x - s->sine * v.z, v.y, s->cosine * v.z + s->sine * v.x};
}

vec normal_of(const solid *s, int face, vec local)
{
    if (face != QUADRIC_FACE)
        return to_world(s, s->plane[face].normal);
    vec gradient = {2 * s->curve.x * local.x, 2 * s->curve.y * local.y + s->curve_y,
                    2 * s->curve.z * local.z};
    return to_world(s, normalize(gradient));
}

/* ------------------------------------------------------------------ things made of solids ---- */

void add_house(scene *world, vec base, double turn_x, double turn_z, vec size, vec plaster,
               vec tiles)
{
    base.y -= 1;
    size.y += 1;
    double rise = 0.42 * size.z, width = size.x, depth = size.z;
    solid *walls = add_box(world, base, turn_x, turn_z, size, WALL, plaster);
    walls->origin.y += 1; /* storeys count from the ground, the wall goes on below it */
    walls->plane[4].offset -= 1;
    walls->plane[5].offset = 1;
    walls->size.y -= 1;
    uint32_t chance = hash((int)(base.x * 10), (int)(base.z * 10), 42);
    walls->seed = chance;

    vec eaves = above(base, size.y);
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
    add_box(world, add(eaves, place), turn_x, turn_z, (vec){0.9, rise * 0.55 + 1.1, 0.6}, STONE,
            (vec){0.34, 0.17, 0.11});
}

void add_tree(scene *world, vec base, double size, int crowns, vec colour, uint32_t seed)
{
    add_cone(world, above(base, -0.5), 0.07 * size, 0.04 * size, 0.7 * size, WOOD,
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

vec on_land(const scene *world, double x, double z)
{
    return (vec){x, world->height(x, z), z};
}
