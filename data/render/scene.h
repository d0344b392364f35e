/*
 * scene.h - what a scene is made of, and how the renderer sees it.
 *
 * A scene is in metres: x to the right, y up from the sea, z away from the camera, which looks
 * along z without tilt. A ray is (u, -v, 1), u and v growing to the right and downwards in the
 * picture, and its length is z.
 *
 *   - buildings, boats and trees are solids: half-spaces and at most one quadric, intersected;
 *   - the land is a height field, drawn column by column from near to far ("voxel space"), which
 *     costs about 1200 heights a column however many rows there are;
 *   - sky, distant hills and water are functions of the direction.
 */
#ifndef RENDER_SCENE_H
#define RENDER_SCENE_H

#include "../../common/image.h"
#include "maths.h"

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

/* Solids that a ray may meet, near ones first. */
typedef struct candidates {
    int count;
    const solid *const *solids;
} candidates;

typedef struct scene {
    vec eye, sun;   /* sun: the direction to it */
    double focal;   /* distance of the picture plane, in picture heights */
    double horizon; /* its row, in picture heights */
    double grain;   /* of the sensor; 1 as a camera has it, 0 none */
    vec sunlight, skylight;

    vec sky_low, sky_middle, sky_high; /* colours from the horizon to the zenith */
    double glow, haze_distance;        /* round the sun; where the air takes half of a colour */
    double cloud_shift;                /* which of all the clouds stand overhead */
    double cloud_thin, cloud_gone;     /* heights, 0..1, between which clouds thin out */
    double (*ridge_share)(int ridge, double u); /* how high the distant hills are there */

    double (*height)(double x, double z); /* of the land; below 0 is water */
    int (*on_path)(double x, double z);   /* NULL: no path, and no meadow to walk through */
    double quay;                          /* below this height it is paved */
    double calm, swell; /* how flat the water lies; how far it tilts mirrored rays */
    vec water, shore;   /* its colour; what it mirrors near the horizon, if any */
    int has_shore;

    int count; /* of solids, which add_solid() and its like add */
    solid *solids;

    double pixel;          /* the renderer's own: the size of a pixel at distance 1 */
    const solid **shading; /* and for each strip across the sun, the solids that lie in it */
    int first_shading[STRIPS + 1];
} scene;

/* ---- the scenes: coast.c, town.c ---- */

void build_coast(scene *world);
void build_town(scene *world);
/* The coast from the same place, looking higher and closer: its sky, free of grain. */
void build_sky(scene *world);

/* ---- things in a scene: solids.c ---- */

/* A new solid whose own x axis points along (turn_x, turn_z). */
solid *add_solid(scene *world, vec origin, double turn_x, double turn_z, material material,
                 vec colour);
void add_plane(solid *s, double x, double y, double z, double offset);
/* A box around the origin, size.x wide, from 0 to size.y, with sides 0..3 = +x, -x, +z, -z. */
solid *add_box(scene *world, vec origin, double turn_x, double turn_z, vec size, material material,
               vec colour);
/* An upright cylinder or truncated cone. */
solid *add_cone(scene *world, vec origin, double radius, double radius_top, double height,
                material material, vec colour);
solid *add_ellipsoid(scene *world, vec centre, vec radii, double turn_x, double turn_z,
                     material material, vec colour);
/* Four walls under a gable roof whose ridge runs along the house's own x axis. */
void add_house(scene *world, vec base, double turn_x, double turn_z, vec size, vec plaster,
               vec tiles);
/* A crown of a few balls of leaves on a trunk. */
void add_tree(scene *world, vec base, double size, int crowns, vec colour, uint32_t seed);
/* The point of the land at x, z. */
vec on_land(const scene *world, double x, double z);

vec to_local(const solid *s, vec v);
vec to_world(const solid *s, vec v);
vec normal_of(const solid *s, int face, vec local);

/* ---- light: visibility.c, sky.c, surfaces.c ---- */

/* Sorts the solids and finds which lie in each strip. */
void prepare_visibility(scene *world);
/* The solids that rays of the column u may meet; *found has room for MAX_SOLIDS. */
candidates candidates_at(const scene *world, double u, const solid **found);
/* The first solid on the ray before *t. NULL if there is none. */
const solid *first_solid(candidates among, vec start, vec ray, double *t, int *face);
/* 0 where something stands between p and the sun, else 1. */
double sunlit(const scene *world, vec p);

vec clear_sky(const scene *world, vec direction);
vec sky_colour(const scene *world, vec direction);
/* Sky or distant hills. */
vec background(const scene *world, vec direction);
/* The colour of a thing at distance z: air takes the colour of the sky behind it. */
vec through_air(const scene *world, vec colour, vec direction, double z);

/* Where a ray meets the land. */
typedef struct land_hit {
    double z;
    double blade; /* how far up a blade of grass, 0..1; -1 off the grass */
    uint32_t tint;
} land_hit;

vec solid_colour(const scene *world, const solid *s, int face, vec point);
vec land_colour(const scene *world, const land_hit *at, vec p);
vec water_colour(const scene *world, candidates among, vec p, vec ray);

/* ---- the picture: camera.c ---- */

/* Fills out with the scene's picture. */
void render(scene *world, const image *out);

#endif
