/* picture.c - cuts a part out of a picture, or brings it to another size. */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>

#include "pictures/picture.h"
#include "process/die.h"

static const char usage[] =
    "usage: picture --crop WxH+X+Y IN OUT\n"
    "       picture --resample WxH IN OUT\n"
    "Cuts W x H pixels from column X, row Y on out of a picture, or brings it to another size.\n"
    "The ending of OUT chooses its format.\n";

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

static int help(FILE *stream, int status)
{
    fputs(usage, stream);
    if (fflush(stdout) != 0)
        die_bad_input("standard output: some of it was lost; is the disk full?");
    return status;
}

int main(int argc, char **argv)
{
    static const struct option options[] = {{"crop", required_argument, NULL, 'c'},
                                            {"resample", required_argument, NULL, 'r'},
                                            {"help", no_argument, NULL, 'h'},
                                            {NULL, 0, NULL, 0}};
    int size[4] = {0}, mode = 0;
    die_set_program("picture");
    for (int option; (option = getopt_long(argc, argv, "", options, NULL)) != -1;) {
        if (option == 'h')
            return help(stdout, 0);
        if (option == '?')
            return help(stderr, EXIT_BAD_INPUT);
        if (mode && mode != option)
            die_bad_input("--crop and --resample exclude each other");
        mode = option;
        parse_size(optarg, option == 'c' ? 4 : 2, size);
    }
    if (!mode)
        die_bad_input("--crop or --resample is missing");
    if (argc - optind != 2)
        die_bad_input("%d file names given, 2 needed: IN OUT", argc - optind);
    const char *in = argv[optind], *path = argv[optind + 1];
    picture_check_writable(path);
    image out = mode == 'c' ? crop(in, size) : resample(in, size);
    picture_write(path, out.pixels, out.width, out.height, out.channels);
    image_free(&out);
    return 0;
}
