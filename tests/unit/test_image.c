/* test_image.c - pictures on disk and in memory, and files that appear whole. */
#define _XOPEN_SOURCE 700

#include <ctype.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#ifdef HAVE_JPEG
#include <stdio.h> /* which jpeglib.h wants before it */

#include <jpeglib.h>
#endif

#include "files/file.h"
#include "folder.h"
#include "pictures/image.h"
#include "pictures/picture.h"
#include "process.h"
#include "random.h"

static size_t sample_count(const image *picture)
{
    return (size_t)picture->width * (size_t)picture->height * (size_t)picture->channels;
}

/* A picture whose bytes all differ from their neighbours, the same each time. */
static image make_picture(int width, int height, int channels)
{
    image picture = image_create(width, height, channels);
    for (size_t i = 0; i < sample_count(&picture); i++)
        picture.pixels[i] = (uint8_t)(i * 37 + i / 256 * 11 + 5);
    return picture;
}

/* A small picture as `width x height x channels: bytes`. */
static const char *picture_text(const image *picture)
{
    static char text[4096];
    int used = snprintf(text, sizeof text, "%dx%dx%d:", picture->width, picture->height,
                        picture->channels);
    for (size_t i = 0; i < sample_count(picture) && used + 5 < (int)sizeof text; i++)
        used += sprintf(text + used, " %d", picture->pixels[i]);
    return text;
}

static void show_picture(const void *name)
{
    image picture = image_read(name);
    printf("%s", picture_text(&picture));
}

/* The file's picture is this, or the program ends with words of why it has none. */
static void read_gives(const char *name, const char *expected)
{
    outcome got = in_process(show_picture, name);
    if (isdigit(*expected))
        is(got.out, expected, "%s is read", name);
    else if (!ok(is_refusal(&got, expected), "refused: %s", expected))
        printf("#   got %s%s\n", got.out, got.error);
}

static void gives(const void *bytes, size_t size, const char *expected)
{
    put_bytes("x", bytes, size);
    read_gives("x", expected);
}

/*
 * Beginnings of a good file that lack more than its last `spare` bytes are refused, and a byte
 * changed among its first 64 is refused or does no harm.
 */
static void test_broken(const char *name, size_t spare)
{
    size_t size;
    uint8_t *bytes = file_read(name, &size);
    int good = size > spare;
    for (size_t length = 0; good && length + spare < size;) {
        put_bytes("x", bytes, length);
        outcome got = in_process(show_picture, "x");
        good = is_refusal(&got, "x: ");
        length += size - length < 32 ? 1 : 1 + length / 8; /* of the last ones all */
    }
    ok(good, "%s, cut, is refused", name);
    for (size_t i = 0; good && i < 64 && i < size; i++) {
        uint8_t before = bytes[i];
        bytes[i] ^= 0xFF;
        put_bytes("x", bytes, size);
        outcome got = in_process(show_picture, "x");
        good = got.status == 0 || is_refusal(&got, "x: ");
        bytes[i] = before;
    }
    ok(good, "%s with a wrong byte is read or refused", name);
    free(bytes);
}

static void test_round_trip(const char *name, int channels)
{
    static const int sizes[][2] = {{1, 1}, {641, 3}, {1, 300}, {2, 3}, {5, 7}};
    int good = 1;
    for (size_t i = 0; i < COUNT(sizes); i++) {
        image written = make_picture(sizes[i][0], sizes[i][1], channels);
        image_write(name, &written);
        image back = image_read(name);
        good = good && back.width == written.width && back.height == written.height &&
               back.channels == channels &&
               memcmp(back.pixels, written.pixels, sample_count(&back)) == 0;
        image_free(&written);
        image_free(&back);
    }
    ok(good, "there and back through %s with %d channels", name, channels);
    test_broken(name, strstr(name, ".png") ? 12 : 0);
    remove(name);
}

/* --------------------------------------------------------------------------------- BMP ---- */

/* The places of a BMP's fields. */
enum { PIXELS = 10, INFO_SIZE = 14, WIDTH = 18, HEIGHT = 22, BITS = 28 };
enum { COMPRESSION = 30, COLOURS = 46 };

/* A BMP of 2 x 2, what is changed in it, and its picture or words of the refusal. */
typedef struct bmp_case {
    struct {
        uint32_t bits, info_size, colours;
    } is;
    uint32_t changes[5][2]; /* where, and which four bytes */
    const char *expected;
} bmp_case;

static void put(uint8_t *bytes, size_t at, uint32_t value)
{
    for (int i = 0; i < 4; i++)
        bytes[at + (size_t)i] = (uint8_t)(value >> 8 * i);
}

/* Its pixel bytes count up from 1, padding included. */
static size_t make_bmp(const bmp_case *c, uint8_t *bytes)
{
    uint32_t offset = 14 + c->is.info_size + 4 * c->is.colours,
             row = (c->is.bits * 2 + 31) / 32 * 4;
    bytes[0] = 'B', bytes[1] = 'M';
    put(bytes, PIXELS, offset);
    put(bytes, INFO_SIZE, c->is.info_size);
    put(bytes, WIDTH, 2);
    put(bytes, HEIGHT, 2);
    put(bytes, BITS, c->is.bits);
    put(bytes, COLOURS, c->is.colours);
    for (uint32_t i = 0; i < 2 * row; i++)
        bytes[offset + i] = (uint8_t)(i + 1);
    for (int i = 0; c->changes[i][0]; i++)
        put(bytes, c->changes[i][0], c->changes[i][1]);
    return offset + 2 * row;
}

static const bmp_case bmp_cases[] = {
    {{24, 124, 0}, {{0}}, "2x2x3: 11 10 9 14 13 12 3 2 1 6 5 4"},
    {{24, 40, 5}, {{0}}, "2x2x3: 11 10 9 14 13 12 3 2 1 6 5 4"}, /* a palette to skip */
    {{24, 40, 0}, {{HEIGHT, 0xFFFFFFFE}}, "2x2x3: 3 2 1 6 5 4 11 10 9 14 13 12"},
    /* masks take the palette's place */
    {{32, 40, 3},
     {{COMPRESSION, 3}, {54, 0xFF0000}, {58, 0xFF00}, {62, 0xFF}},
     "2x2x4: 11 10 9 12 15 14 13 16 3 2 1 4 7 6 5 8"},
    {{32, 40, 3},
     {{COMPRESSION, 3}, {54, 0xFF}, {58, 0xFF00}, {62, 0xFF}},
     "no BMP of 8, 24 or 32 bits, uncompressed"},
    /* the fourth byte is unused */
    {{32, 40, 0},
     {{54, 0x030201}, {58, 0x070605}, {62, 0x0B0A09}, {66, 0x0F0E0D}},
     "2x2x4: 11 10 9 255 15 14 13 255 3 2 1 255 7 6 5 255"},
    /* palettes, gray and coloured */
    {{8, 40, 7}, {{58, 0x0A0A0A}, {62, 0x141414}, {82, 0x0201}, {86, 0}}, "2x2x1: 0 0 10 20"},
    {{8, 40, 7},
     {{54, 0x010203}, {58, 0x1E140A}, {82, 1}, {86, 0}},
     "2x2x3: 1 2 3 1 2 3 30 20 10 1 2 3"},
    {{8, 40, 7}, {{58, 0x0B0A0A}, {82, 1}, {86, 0}}, "2x2x3: 0 0 0 0 0 0 11 10 10 0 0 0"},
    {{8, 40, 7}, {{58, 0x0A0B0A}, {82, 1}, {86, 0}}, "2x2x3: 0 0 0 0 0 0 10 11 10 0 0 0"},
    {{8, 40, 7}, {{58, 0x0A0A0B}, {82, 1}, {86, 0}}, "2x2x3: 0 0 0 0 0 0 10 10 11 0 0 0"},
    {{8, 40, 7}, {{82, 0x0701}}, "colour 7 of a palette of 7"},
    {{24, 40, 0}, {{INFO_SIZE, 12}}, "a header of 40 bytes or more"},
    {{24, 40, 0}, {{WIDTH, 0}}, "says 0 x 2 pixels; legal are 1 to 32768"},
    {{24, 40, 0}, {{WIDTH, 0x7FFFFFFF}}, "says 2147483647 x 2"},
    {{24, 40, 0}, {{WIDTH, 32768}}, "its 70 bytes cannot hold 32768 x 2"},
    {{24, 40, 0}, {{HEIGHT, 0x80000000}}, "says 2 x 2147483648"},
    {{8, 40, 256}, {{COMPRESSION, 1}}, "no BMP of 8, 24 or 32 bits, uncompressed"},
    {{24, 40, 0}, {{BITS, 16}}, "no BMP of 8"},
    {{8, 40, 256}, {{PIXELS, 54}}, "begin at byte 54"},
    {{8, 40, 256}, {{COLOURS, 0x40000001}}, "truncated or broken"},
};

/* The headers that a picture of 2 x 3 gets, for programs that believe each field of them. */
static void test_bmp_headers(void)
{
    static const char gray[] =
        "BM\x42\4\0\0\0\0\0\0\x36\4\0\0\50\0\0\0\2\0\0\0\3\0\0\0\1\0\10\0\0\0\0\0"
        "\14\0\0\0\x13\x0b\0\0\x13\x0b\0\0\0\1\0\0\0\0\0\0"
        "\0\0\0\0\1\1\1\0\2\2\2";
    static const char colours[] =
        "BM\x4e\0\0\0\0\0\0\0\x36\0\0\0\50\0\0\0\2\0\0\0\3\0\0\0\1\0\x20\0\0\0\0\0"
        "\x18\0\0\0\x13\x0b\0\0\x13\x0b\0\0\0\0\0\0\0\0\0\0";
    for (int channels = 1; channels <= 4; channels += 3) {
        size_t size;
        image picture = make_picture(2, 3, channels);
        image_write("x.bmp", &picture);
        uint8_t *bytes = file_read("x.bmp", &size);
        ok(size == (channels == 1 ? 54 + 1024 + 12 : 54 + 24) &&
               memcmp(bytes, channels == 1 ? gray : colours,
                      channels == 1 ? sizeof gray : sizeof colours - 1) == 0,
           "headers of a BMP, %d channels", channels);
        free(bytes);
        image_free(&picture);
    }
    remove("x.bmp");
}

static void test_bmp(void)
{
    for (size_t i = 0; i < COUNT(bmp_cases); i++) {
        const bmp_case *c = &bmp_cases[i];
        uint8_t bytes[2048] = {0};
        size_t size = make_bmp(c, bytes);
        gives(bytes, size, c->expected);
    }
}

/* --------------------------------------------------------------------------------- PNM ---- */

static void test_pnm(void)
{
    static const char *const cases[][2] = {
        {"P5\n3 2\n255\nABCDEF", "3x2x1: 65 66 67 68 69 70"},
        {"P5#a\n# b\n3#c\r2\t255\nABCDEFGH", "3x2x1: 65 66 67 68 69 70"},
        {"P6 2 1 255 ABCDEF", "2x1x3: 65 66 67 68 69 70"},
        {"P2\n# c\n3 2 255\n65 66 67\n68 # c\n69\t70\n", "3x2x1: 65 66 67 68 69 70"},
        {"P3 2 1 255 65 66 67 68 69 70", "2x1x3: 65 66 67 68 69 70"},
        {"P2 4 1 3 0 1 2 3", "4x1x1: 0 85 170 255"},
        {"P2 3 1 2 0 1 2", "3x1x1: 0 128 255"}, /* 127.5 */
        {"P5 3 2 256\nABCDEF", "maximum (1 to 255)"},
        {"P5 3 -2 255\nABCDEF", "needs width, height"},
        {"P5 3 2 0\nABCDEF", "maximum (1 to 255)"},
        {"P5 3 2 25.5\nABCDEF", "white space must follow the maximum"},
        {"P6 3 2 255\nABCDEF", "truncated or broken P6: sample 7 of 18"},
        {"P2 3 2 255 100 100 100 100 100", "sample 6 of 6 is no number from 0 to 255"},
        {"P5 0 2 255\nABCDEF", "says 0 x 2 pixels; legal are 1 to 32768"},
        {"P5 99999999999999999999 2 255\nA", "x 2 pixels; legal"},
        {"P5 2 1 64\nAB", "sample 1 of 2 is no number from 0 to 64"},
        {"P4 8 1\nA", "known format; legal are BMP, PGM (P2, P5)"},
        {"", "not a picture of a known format"},
    };
    for (size_t i = 0; i < COUNT(cases); i++)
        gives(cases[i][0], strlen(cases[i][0]), cases[i][1]);
}

/* ------------------------------------------------------------------------ PNG and JPEG ---- */

#ifdef HAVE_PNG
static void test_png(void)
{
    /* one pixel of 16 bits a colour: 0x8080 0x4040 0x2020 */
    static const char rgb48[] =
        "\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\1\0\0\0\1\x10\2\0\0\0\xc0\xe7\x8f\x9d\0\0\0\x12"
        "IDAT\x78\1\1\7\0\xf8\xff\0\x80\x80@@  \7\xa7\1\xc1\x48\xe8\x68\xf9\0\0\0\0IEND\xae"
        "B`\x82";
    gives(rgb48, sizeof rgb48 - 1, "1x1x3: 128 64 32");
    test_round_trip("trip.png", 1);
    test_round_trip("trip.png", 3);
    test_round_trip("trip.png", 4);
    /* headers that claim 32768 x 32768 */
    gives(
        "\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\x80\0\0\0\x80\0\10\0\0\0\0\xE1\x17\xFC\xA3\0\0\0\1IDAT",
        41, "its 41 bytes cannot hold 32768 x 32768 pixels");
}
#else
static void test_png(void)
{
    gives("\x89PNG\r\n\x1a\n", 8, "without libpng-dev; install it");
}
#endif

#ifdef HAVE_JPEG
/* 2 x 2 pixels of one level: 128, which loses nothing, or red; four channels are inks. */
static void write_jpeg(const char *name, int channels)
{
    struct jpeg_compress_struct jpeg;
    struct jpeg_error_mgr errors;
    JSAMPLE pixels[2 * 4];
    JSAMPROW row = pixels;
    FILE *file = fopen(name, "wb");
    memset(pixels, channels == 3 ? 0 : 128, sizeof pixels);
    if (channels == 3)
        pixels[0] = pixels[3] = 255;
    jpeg.err = jpeg_std_error(&errors);
    jpeg_create_compress(&jpeg);
    jpeg_stdio_dest(&jpeg, file);
    jpeg.image_width = jpeg.image_height = 2;
    jpeg.input_components = channels;
    jpeg.in_color_space = channels == 4 ? JCS_CMYK : channels == 3 ? JCS_RGB : JCS_GRAYSCALE;
    jpeg_set_defaults(&jpeg);
    jpeg_start_compress(&jpeg, TRUE);
    jpeg_write_scanlines(&jpeg, &row, 1);
    jpeg_write_scanlines(&jpeg, &row, 1);
    jpeg_finish_compress(&jpeg);
    jpeg_destroy_compress(&jpeg);
    fclose(file);
}

static void test_jpeg(void)
{
    size_t size;
    write_jpeg("gray.jpg", 1);
    read_gives("gray.jpg", "2x2x1: 128 128 128 128");
    test_broken("gray.jpg", 0);
    write_jpeg("rgb.jpg", 3);
    read_gives("rgb.jpg", "2x2x3: 254 0 0 254 0 0 254 0 0 254 0 0");
    test_broken("rgb.jpg", 0);
    write_jpeg("inks.jpg", 4);
    read_gives("inks.jpg", "a JPEG for print (CMYK); save it in RGB or gray");
    uint8_t *bytes = file_read("rgb.jpg", &size), *frame = bytes;
    uint8_t stray[1024] = {0}; /* four bytes, behind the first segment */
    memcpy(stray, bytes, 20), memcpy(stray + 24, bytes + 20, size - 20);
    gives(stray, size + 4, "2x2x3: 254 0 0 254 0 0 254 0 0 254 0 0");
    while (frame[0] != 0xFF || frame[1] != 0xC0)
        frame++;
    frame[5] = frame[7] = 0x7F; /* of its height and width */
    gives(bytes, size, "bytes cannot hold 32514 x 32514 pixels");
    free(bytes);
    remove("gray.jpg"), remove("rgb.jpg"), remove("inks.jpg");
}
#else
static void test_jpeg(void)
{
    gives("\xFF\xD8\xFF\xE0", 4, "without libjpeg-dev; install it");
}
#endif

/* ------------------------------------------------------------------------------- files ---- */

/* Writes a picture in colours to this name. */
static void write_picture(const void *name)
{
    image picture = make_picture(200, 100, 3);
    image_write(name, &picture);
}

/* Writes with room for 1000 bytes a file: what a full disk looks like. */
static void write_with_little_room(const void *name)
{
    struct rlimit limit = {1000, 1000};
    signal(SIGXFSZ, SIG_IGN);
    setrlimit(RLIMIT_FSIZE, &limit);
    write_picture(name);
}

/* The disk was full for a while only. */
static void write_with_a_gap(const void *name)
{
    struct rlimit limit, whole;
    file_draft draft = file_create(name);
    getrlimit(RLIMIT_FSIZE, &whole);
    limit = (struct rlimit){10, whole.rlim_max};
    signal(SIGXFSZ, SIG_IGN);
    setrlimit(RLIMIT_FSIZE, &limit);
    fprintf(draft.stream, "more than ten bytes");
    fflush(draft.stream);
    setrlimit(RLIMIT_FSIZE, &whole);
    file_commit(&draft);
}

static void write_half(const void *name)
{
    file_draft draft = file_create(name);
    fprintf(draft.stream, "half");
    exit(0);
}

static void test_refused_files(void)
{
    static const char *const unwritable[][2] = {
        {"new.jpg", "unknown ending; legal are .bmp, .pgm"},
        {"bmp", "unknown ending"},
        {"absent/new.bmp", "cannot create: No such file"},
        {"folder.bmp", "cannot create: a directory of that name exists"},
        {"pipe.bmp", "something else than a file of that name exists"},
    };
    char long_name[300];
    mkdir("folder.bmp", 0777);
    mkfifo("pipe.bmp", 0666);
    read_gives("missing.bmp", "missing.bmp: cannot open: No such file");
    read_gives("folder.bmp", "is a directory; give the name of a file");
    read_gives("pipe.bmp", "is not a regular file");
    snprintf(long_name, sizeof long_name, "%0290d\n.bmp", 0);
    read_gives(long_name, "?.bmp: cannot open"); /* one line that holds its reason */
    for (size_t i = 0; i < COUNT(unwritable); i++) {
        outcome got = in_process(write_picture, unwritable[i][0]);
        ok(is_refusal(&got, unwritable[i][1]), "%s is not written: %s", unwritable[i][0],
           unwritable[i][1]);
    }
    remove("folder.bmp"), remove("pipe.bmp");
}

/* What was there stays until a whole file takes its place; leave_folder() looks for the rest. */
static void test_whole_files(void)
{
    put_file("kept.bmp", "first");
    outcome got = in_process(write_with_little_room, "kept.bmp");
    ok(is_refusal(&got, "kept.bmp: cannot write: "), "a full disk is reported");
    is(get_file("kept.bmp"), "first", "and the file that was there before is untouched");
    got = in_process(write_with_a_gap, "kept.bmp");
    ok(is_refusal(&got, "kept.bmp: cannot write: some of it was lost"), "so is one for a while");
    in_process(write_half, "kept.bmp");
    is(get_file("kept.bmp"), "first", "so it is where the program ends too early");
    umask(0027);
    file_draft draft = file_create("kept.bmp");
    fprintf(draft.stream, "second");
    is(get_file("kept.bmp"), "first", "and before a commit");
    file_commit(&draft);
    is(get_file("kept.bmp"), "second", "which replaces it");
    struct stat status;
    ok(stat("kept.bmp", &status) == 0 && (status.st_mode & 0777) == 0640, "as umask() has it");
    remove("kept.bmp");
}

/* --------------------------------------------------------------------------- in memory ---- */

static void converts(const char *what, image in, int channels, const char *expected)
{
    uint8_t to[64];
    image_convert(&in, channels, to);
    image out = {in.width, in.height, channels, to};
    is(picture_text(&out), expected, "converted: %s", what);
}

/* What a format cannot hold is brought to what it can. */
static void written_as(const char *name, const char *expected)
{
    uint8_t rgba[] = {255, 0, 0, 7};
    image_write(name, &(image){1, 1, 4, rgba});
    read_gives(name, expected);
    remove(name);
}

static void test_convert(void)
{
    uint8_t colours[] = {255, 0, 0, 0, 255, 0, 0, 0, 255, 255, 255, 255, 10, 20, 30};
    uint8_t rgba[] = {1, 2, 3, 4};
    /* 76.245, 149.685, 29.07, 255, 18.15 */
    converts("gray weights of BT.601, rounded", (image){5, 1, 3, colours}, 1,
             "5x1x1: 76 150 29 255 18");
    converts("alpha stays", (image){1, 1, 4, rgba}, 4, "1x1x4: 1 2 3 4");
    converts("alpha goes", (image){1, 1, 4, rgba}, 3, "1x1x3: 1 2 3");
    converts("what has none is opaque", (image){1, 1, 3, rgba}, 4, "1x1x4: 1 2 3 255");
    converts("gray stands for each colour", (image){1, 1, 1, rgba}, 4, "1x1x4: 1 1 1 255");
    written_as("red.pgm", "1x1x1: 76");
    written_as("red.ppm", "1x1x3: 255 0 0");
}

static void test_crop(void)
{
    uint8_t pixels[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18};
    image in = {3, 2, 3, pixels}, out = image_crop(&in, 1, 1, 2, 1);
    is(picture_text(&out), "2x1x3: 13 14 15 16 17 18", "crop takes the right pixels");
    image_free(&out);
}

static void resamples(const char *what, image in, int width, int height, const char *expected)
{
    image out = image_create(width, height, in.channels);
    image_resample(&in, &out);
    is(picture_text(&out), expected, "%s", what);
    image_free(&out);
}

static void test_resample(void)
{
    uint8_t pixels[] = {0, 100, 200}, flat[12], square[12];
    memset(flat, 100, sizeof flat);
    for (int i = 0; i < 12; i++)
        square[i] = (uint8_t)(i + 1);
    const image three = {3, 1, 1, pixels}, tall = {1, 3, 1, pixels}, colours = {2, 2, 3, square};
    resamples("the same size is the identity", colours, 2, 2, "2x2x3: 1 2 3 4 5 6 7 8 9 10 11 12");
    resamples("bilinear where it grows", three, 6, 1, "6x1x1: 0 25 75 125 175 200");
    resamples("area average where it shrinks", three, 2, 1, "2x1x1: 33 167");
    resamples("area average of colours", colours, 2, 1, "2x1x3: 4 5 6 7 8 9");
    resamples("each axis on its own", tall, 2, 1, "2x1x1: 100 100");
    resamples("1 x 1 grows", (image){1, 1, 1, flat}, 2, 2, "2x2x1: 100 100 100 100");
    resamples("a constant picture stays constant", (image){4, 3, 1, flat}, 2, 1, "2x1x1: 100 100");
}

/* ------------------------------------------------------------------- as a lab's data ---- */

/* Three grays as data of this size in colours, quietly or not. */
static void fit(const void *size)
{
    const image three = {3, 1, 1, (uint8_t[]){0, 100, 200}};
    const int *sides = size;
    image out = image_create(sides[0], sides[1], 3);
    picture_set_quiet(sides[2]);
    picture_fit(&three, "--input", sides[0], sides[1], 3, 7, out.pixels);
    printf("%s", picture_text(&out));
}

static void test_picture(void)
{
    uint8_t random[3], pixels[3];
    const float floats[] = {-3, 0.4F, 0.6F, 1.5F, 254.4F, 300};
    outcome got = in_process(fit, (int[]){3, 1, false});
    ok(!got.error[0], "a picture of the size fits without a word");
    is(got.out, "3x1x3: 0 0 0 100 100 100 200 200 200", "and as it is");
    got = in_process(fit, (int[]){2, 1, false});
    is(got.out, "2x1x3: 33 33 33 167 167 167", "another is resampled");
    is(got.error, "gpgpu-lab: --input is 3x1; resampled to 2x1\n", "which is told");
    got = in_process(fit, (int[]){2, 1, true});
    ok(!got.error[0], "unless nobody asked for that size");
    random_fill_bytes(random, 3, 7);
    picture_fit(&(image){0}, "--input", 1, 1, 3, 7, pixels);
    ok(memcmp(random, pixels, 3) == 0, "no picture is random bytes of the seed");
    float two[2];
    picture_fit_floats(&(image){3, 1, 1, (uint8_t[]){0, 100, 200}}, "--input", 2, 1, 7, two);
    ok(two[0] == 33 && two[1] == 167, "a picture as floats");
    picture_write_floats("new.pgm", floats, 6, 1);
    read_gives("new.pgm", "6x1x1: 0 0 1 2 254 255");
    remove("new.pgm");
}

/* A % and what follows may stand before the number's. */
static void test_patterns(void)
{
    static const char *const numbered[] = {"f%d.pgm", "f%04d.pgm", "100%%d.pgm", "%x%3d", "%%%d"};
    static const char *const others[] = {"f.pgm", "100%.pgm", "%x.pgm", "%", "%04"};
    for (size_t i = 0; i < COUNT(numbered); i++)
        ok(picture_is_pattern(numbered[i]), "%s has a number", numbered[i]);
    for (size_t i = 0; i < COUNT(others); i++)
        ok(!picture_is_pattern(others[i]), "%s has none", others[i]);
    ok(!picture_is_pattern(NULL), "nor has no path");
}

int main(void)
{
    enter_folder();
    test_patterns();
    test_round_trip("trip.bmp", 1);
    test_round_trip("trip.BMP", 3);
    test_round_trip("trip.bmp", 4);
    test_round_trip("trip.pgm", 1);
    test_round_trip("trip.ppm", 3);
    test_bmp();
    test_bmp_headers();
    test_pnm();
    test_png();
    test_jpeg();
    remove("x");
    test_refused_files();
    test_whole_files();
    test_convert();
    test_crop();
    test_picture();
    test_resample();
    leave_folder();
    return done_testing();
}
