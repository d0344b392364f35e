/*
 * main.c - render: makes the suite's input pictures, and cuts or resizes any picture.
 *
 * The rendered ones stand in for photographs: a smooth sky, hard edges, fine texture and sensor
 * noise, and in the town many places that look alike. The same bytes come out everywhere: see
 * maths.h (and build with -ffp-contract=off), and each pixel depends on nothing but its own place,
 * so threads do not matter. Should a compiler differ in a last bit all the same, it shows only
 * where a value lies within about 1e-12 of the step between two of the 256 levels, or a ray so
 * close to an edge.
 */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../common/die.h"
#include "../../common/picture.h"
#include "scene.h"

static const char usage[] =
    "usage: render [--scene coast|town|sky] [--size WxH] OUT\n"
    "       render --crop WxH+X+Y IN OUT\n"
    "       render --resample WxH IN OUT\n"
    "Renders a picture (by default the coast; 1024x768, the sky 1920x1080), cuts W x H pixels "
    "from\n"
    "column X, row Y on out of one, or brings one to another size. The ending of OUT chooses its\n"
    "format.\n";

static const struct {
    const char *name;
    void (*build)(scene *world);
    int width, height;
} scenes[] = {
    {"coast", build_coast, 1024, 768},
    {"town", build_town, 1024, 768},
    {"sky", build_sky, 1920, 1080},
};

enum { SCENES = sizeof scenes / sizeof *scenes };

static int find_scene(const char *name)
{
    for (int i = 0; i < SCENES; i++)
        if (strcmp(scenes[i].name, name) == 0)
            return i;
    die_bad_input("--scene %s: there are coast, town and sky", name);
}

/* WxH for two numbers, WxH+X+Y for four: digits only, sides in 1..IMAGE_MAX_SIDE. */
static void parse_size(const char *text, int count, int *numbers)
{
    const char *at = text;
    for (int k = 0; k < count; k++) {
        char *end = NULL;
        long value = *at >= '0' && *at <= '9' ? strtol(at, &end, 10) : -1;
        if (value < (k < 2) || value > IMAGE_MAX_SIDE || *end != "x++"[k < count - 1 ? k : 3])
            die_bad_input("%s: give it as %s, W and H 1 to %d", text,
                          count == 2 ? "WxH" : "WxH+X+Y", IMAGE_MAX_SIDE);
        numbers[k] = (int)value;
        at = end + 1;
    }
}

static image render_scene(int which, const int *size)
{
    static scene world;
    world.solids = allocate(MAX_SOLIDS * sizeof *world.solids);
    scenes[which].build(&world);
    int width = size[0] ? size[0] : scenes[which].width;
    int height = size[0] ? size[1] : scenes[which].height;
    image out = image_create(width, height, 3);
    render(&world, &out);
    free(world.solids);
    return out;
}

static image crop(const char *path, const int *part)
{
    image in = image_read(path);
    if (part[2] + part[0] > in.width || part[3] + part[1] > in.height)
        die_bad_input("%s: --crop %dx%d+%d+%d does not lie inside its %d x %d pixels", path,
                      part[0], part[1], part[2], part[3], in.width, in.height);
    image out = image_crop(&in, part[2], part[3], part[0], part[1]);
    image_free(&in);
    return out;
}

static image resample(const char *path, const int *size)
{
    image in = image_read(path), out = image_create(size[0], size[1], in.channels);
    picture_fit(&in, path, size[0], size[1], in.channels, 0, out.pixels);
    image_free(&in);
    return out;
}

int main(int argc, char **argv)
{
    static const struct option options[] = {
        {"scene", required_argument, NULL, 's'}, {"size", required_argument, NULL, 'z'},
        {"crop", required_argument, NULL, 'c'},  {"resample", required_argument, NULL, 'r'},
        {"help", no_argument, NULL, 'h'},        {NULL, 0, NULL, 0}};
    int scene = 0, size[4] = {0}, mode = 0;
    die_set_program("render");
    for (int option; (option = getopt_long(argc, argv, "", options, NULL)) != -1;) {
        if (option == 'h' || option == '?') {
            fputs(usage, option == 'h' ? stdout : stderr);
            if (fflush(stdout) != 0)
                die_bad_input("standard output: some of it was lost; is the disk full?");
            return option == 'h' ? 0 : EXIT_BAD_INPUT;
        }
        int asked = option == 'z' ? 's' : option;
        if (mode && mode != asked)
            die_bad_input("--crop, --resample and rendering (--scene, --size) exclude each other");
        mode = asked;
        if (option == 's')
            scene = find_scene(optarg);
        else
            parse_size(optarg, option == 'c' ? 4 : 2, size);
    }
    int files = mode == 'c' || mode == 'r' ? 2 : 1;
    if (argc - optind != files)
        die_bad_input("%d file names given, %d needed: %s", argc - optind, files,
                      files == 2 ? "IN OUT" : "OUT");
    picture_check_writable(argv[argc - 1]);
    image out = mode == 'c'   ? crop(argv[optind], size)
                : mode == 'r' ? resample(argv[optind], size)
                              : render_scene(scene, size);
    picture_write(argv[argc - 1], out.pixels, out.width, out.height, out.channels);
    image_free(&out);
    return 0;
}
