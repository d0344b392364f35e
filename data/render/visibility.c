/* visibility.c - which solid a ray meets first, and where the sun does not reach. */
#include "scene.h"
#include "../../common/die.h"

#include <stdlib.h>

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

/* Solids are looked up by strips of u, and of the coordinate across the sun. */
static int strip_of(double at, double low, double high)
{
    return (int)clamp((at - low) / (high - low) * STRIPS, 0, STRIPS - 1);
}

static int seen_strip(double u)
{
    return strip_of(u, -1.2, 1.2);
}

static int shading_strip(double across)
{
    return strip_of(across, -300, 300);
}

/* A margin in u lets the same lists serve rays that ripples have turned aside. */
candidates candidates_at(const scene *world, double u, const solid **found)
{
    int count = 0, strip = seen_strip(u);
    for (int i = 0; i < world->count; i++) {
        const solid *s = &world->solids[i];
        double x = s->origin.x - world->eye.x, left = x - s->radius, right = x + s->radius;
        double near = s->origin.z - s->radius, far = s->origin.z + s->radius;
        near = near < 1 ? 1 : near;
        if (seen_strip(left / (x > 0 ? far : near) - 0.01) <= strip &&
            seen_strip(right / (x < 0 ? far : near) + 0.01) >= strip)
            found[count++] = s;
    }
    return (candidates){count, found};
}

static double across_sun(const scene *world, vec p)
{
    double length = sqrt(world->sun.x * world->sun.x + world->sun.z * world->sun.z);
    return (p.x * world->sun.z - p.z * world->sun.x) / length;
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

void prepare_visibility(scene *world)
{
    int used = 0;
    qsort(world->solids, (size_t)world->count, sizeof *world->solids, compare_nearness);
    world->shading = allocate((size_t)(STRIPS * world->count) * sizeof *world->shading);
    for (int strip = 0; strip < STRIPS; strip++) {
        world->first_shading[strip] = used;
        for (const solid *s = world->solids; s < world->solids + world->count; s++) {
            double middle = across_sun(world, s->origin);
            if (shading_strip(middle - s->radius) <= strip &&
                shading_strip(middle + s->radius) >= strip)
                world->shading[used++] = s;
        }
    }
    world->first_shading[STRIPS] = used;
}

const solid *first_solid(candidates among, vec start, vec ray, double *t, int *face)
{
    const solid *first = NULL;
    for (int k = 0; k < among.count; k++) {
        const solid *s = among.solids[k];
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

double sunlit(const scene *world, vec p)
{
    vec sun = world->sun;
    double level = sqrt(sun.x * sun.x + sun.z * sun.z), t;
    double toward_x = sun.x / level, toward_z = sun.z / level, rise = sun.y / level;
    int strip = shading_strip(across_sun(world, p)), face;
    for (int k = world->first_shading[strip]; k < world->first_shading[strip + 1]; k++) {
        const solid *s = world->shading[k];
        double ahead = (s->origin.x - p.x) * toward_x + (s->origin.z - p.z) * toward_z;
        if (ahead + s->radius < 0 || p.y + (ahead - s->radius) * rise > s->top)
            continue;
        if (intersect(s, p, sun, 0.02, 1e9, &t, &face))
            return 0;
    }
    return 1;
}
