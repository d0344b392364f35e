/*
 * main.c - render: makes the suite's input pictures.
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
    "Renders a picture (by default the coast; 1024x768, the sky 1920x1080). The ending of OUT\n"
    "chooses its format.\n";

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

/* Digits only, sides in 1..IMAGE_MAX_SIDE. */
static void parse_size(const char *text, int *numbers)
{
    const char *at = text;
    for (int k = 0; k < 2; k++) {
        char *end = NULL;
        long value = *at >= '0' && *at <= '9' ? strtol(at, &end, 10) : -1;
        if (value < 1 || value > IMAGE_MAX_SIDE || *end != "x"[k])
            die_bad_input("%s: give it as WxH, W and H 1 to %d", text, IMAGE_MAX_SIDE);
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

int main(int argc, char **argv)
{
    static const struct option options[] = {{"scene", required_argument, NULL, 's'},
                                            {"size", required_argument, NULL, 'z'},
                                            {"help", no_argument, NULL, 'h'},
                                            {NULL, 0, NULL, 0}};
    int scene = 0, size[2] = {0};
    die_set_program("render");
    for (int option; (option = getopt_long(argc, argv, "", options, NULL)) != -1;) {
        if (option == 'h' || option == '?') {
            fputs(usage, option == 'h' ? stdout : stderr);
            if (fflush(stdout) != 0)
                die_bad_input("standard output: some of it was lost; is the disk full?");
            return option == 'h' ? 0 : EXIT_BAD_INPUT;
        }
        if (option == 's')
            scene = find_scene(optarg);
        else
            parse_size(optarg, size);
    }
    if (argc - optind != 1)
        die_bad_input("%d file names given, 1 needed: OUT", argc - optind);
    picture_check_writable(argv[optind]);
    image out = render_scene(scene, size);
    picture_write(argv[optind], out.pixels, out.width, out.height, out.channels);
    image_free(&out);
    return 0;
}
