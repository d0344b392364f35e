/* test_image.c - pictures on disk and in memory, and files that appear whole. */
#define _XOPEN_SOURCE 700

#include <limits.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#ifdef HAVE_JPEG
#include <stdio.h> /* which jpeglib.h wants before it */

#include <jpeglib.h>
#endif

#include "file.h"
#include "folder.h"
#include "image.h"

static int last_error_is_one_line; /* of read_text() and write_error() */

/* A picture whose bytes all differ from their neighbours, the same each time. */
static image make_picture(int width, int height, int channels)
{
    image picture;
    if (image_create(&picture, width, height, channels) != 0)
        exit(1);
    size_t size = (size_t)width * (size_t)height * (size_t)channels;
    for (size_t i = 0; i < size; i++)
        picture.pixels[i] = (uint8_t)(i * 37 + i / 256 * 11 + 5);
    return picture;
}

static int same(const image *a, const image *b)
{
    size_t size = (size_t)a->width * (size_t)a->height * (size_t)a->channels;
    return a->width == b->width && a->height == b->height && a->channels == b->channels &&
           memcmp(a->pixels, b->pixels, size) == 0;
}

static int is_empty(const image *picture)
{
    return !picture->width && !picture->height && !picture->channels && !picture->pixels;
}

/* A small picture as `width x height x channels: bytes`. */
static const char *picture_text(const image *picture)
{
    static char text[4096];
    int size = picture->width * picture->height * picture->channels;
    int used = snprintf(text, sizeof text, "%dx%dx%d:", picture->width, picture->height,
                        picture->channels);
    for (int i = 0; i < size && used + 5 < (int)sizeof text; i++)
        used += sprintf(text + used, " %d", picture->pixels[i]);
    return text;
}

static void check_error(const char *error, const char *name)
{
    last_error_is_one_line =
        strlen(error) < FILE_ERROR_SIZE && !strchr(error, '\n') && strstr(error, name);
}

/* The file's picture as a text; or why it has none, which leaves the picture empty. */
static const char *read_text(const char *name)
{
    static char error[FILE_ERROR_SIZE];
    image picture = {1, 1, 1, NULL};
    if (image_read(name, &picture, error) == 0) {
        const char *text = picture_text(&picture);
        image_free(&picture);
        return text;
    }
    check_error(error, name);
    return is_empty(&picture) ? error : "an error, but a picture";
}

/* The file's picture is this, or words of the one line that says why it has none. */
static void read_gives(const char *name, const char *expected)
{
    const char *got = read_text(name);
    if (!ok(strstr(got, expected) && (*expected == *got || last_error_is_one_line), "%s: %s", name,
            expected))
        printf("#   got %s\n", got);
}

static void gives(const void *bytes, size_t size, const char *expected)
{
    put_bytes("x", bytes, size);
    read_gives("x", expected);
}

/*
 * Any beginning of a good file that lacks more than its last `spare` bytes is refused, and bytes
 * changed in its first 64 are refused or do no harm (which the address sanitizer knows best).
 */
static void test_broken(const char *name, size_t spare)
{
    static const uint8_t values[] = {0, 1, 0x7F, 0x80, 0xFF};
    char error[FILE_ERROR_SIZE] = "";
    uint8_t *bytes = NULL;
    size_t size = 0;
    int good = file_read(name, &bytes, &size, error) == 0 && size > spare;
    for (size_t length = 0; good && length + spare < size; length++) {
        put_bytes("x", bytes, length);
        good = strncmp(read_text("x"), "x: ", 3) == 0 && last_error_is_one_line;
    }
    ok(good, "%s, cut anywhere, is refused", name);
    for (size_t i = 0; good && i < 64 * COUNT(values) && i / COUNT(values) < size; i++) {
        uint8_t *at = &bytes[i / COUNT(values)], before = *at;
        *at = values[i % COUNT(values)];
        put_bytes("x", bytes, size);
        const char *got = read_text("x");
        good = strchr("123456789", *got) || (strncmp(got, "x: ", 3) == 0 && last_error_is_one_line);
        *at = before;
    }
    ok(good, "%s with a wrong byte is read or refused", name);
    free(bytes);
}

static void test_round_trip(const char *name, int channels)
{
    static const int sizes[][2] = {{1, 1}, {641, 3}, {1, 300}, {2, 3}, {5, 7}};
    char error[FILE_ERROR_SIZE] = "";
    int good = 1;
    for (size_t i = 0; i < COUNT(sizes); i++) {
        image written = make_picture(sizes[i][0], sizes[i][1], channels), back;
        good &= image_write(name, &written, error) == 0;
        good &= image_read(name, &back, error) == 0 && same(&written, &back);
        image_free(&written);
        image_free(&back);
    }
    ok(good, "there and back through %s with %d channels: %s", name, channels, error);
    test_broken(name, strstr(name, ".png") ? 12 : 0);
    remove(name);
}

/* --------------------------------------------------------------------------------- BMP ---- */

/* Where the fields of a BMP lie. */
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
    memcpy(bytes, "BM", 2);
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
     "32-bit BMP, compression 3;"},
    /* the fourth byte is unused */
    {{32, 40, 0},
     {{54, 0x030201}, {58, 0x070605}, {62, 0x0B0A09}, {66, 0x0F0E0D}},
     "2x2x4: 11 10 9 255 15 14 13 255 3 2 1 255 7 6 5 255"},
    /* palettes, gray and coloured */
    {{8, 40, 7}, {{58, 0x0A0A0A}, {62, 0x141414}, {82, 0x0201}, {86, 0}}, "2x2x1: 0 0 10 20"},
    {{8, 40, 7},
     {{54, 0x010203}, {58, 0x1E140A}, {82, 1}, {86, 0}},
     "2x2x3: 1 2 3 1 2 3 30 20 10 1 2 3"},
    {{8, 40, 7}, {{82, 0x0701}}, "not among the 7 of its palette"},
    {{24, 40, 0}, {{INFO_SIZE, 12}}, "OS/2"},
    {{24, 40, 0}, {{WIDTH, 0}}, "0 x 2 pixels; legal are 1 to 32768"},
    {{24, 40, 0}, {{WIDTH, 0x7FFFFFFF}}, "2147483647 x 2"},
    {{24, 40, 0}, {{WIDTH, 32768}}, "70 bytes cannot hold 32768 x 2"},
    {{24, 40, 0}, {{HEIGHT, 0x80000000}}, "2 x 2147483648"},
    {{8, 40, 256}, {{COMPRESSION, 1}}, "8-bit BMP, compression 1; legal"},
    {{24, 40, 0}, {{BITS, 16}}, "16-bit BMP"},
    {{8, 40, 256}, {{PIXELS, 54}}, "begin at byte 54"},
    {{8, 40, 256}, {{COLOURS, 0x40000001}}, "truncated or broken"},
};

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
        {"P5 3 -2 255\nABCDEF", "needs width, height"},
        {"P5 3 2 0\nABCDEF", "maximum (1 to 255)"},
        {"P5 3 2 25.5\nABCDEF", "white space must follow the maximum"},
        {"P6 3 2 255\nABCDEF", "cannot hold 3 x 2"},
        {"P2 32768 32768 255 1 2 3", "cannot hold 32768 x 32768"},
        {"P2 3 2 255 100 100 100 100 100", "sample 6 of 6 is no number from 0 to 255"},
        {"P5 0 2 255\nABCDEF", "0 x 2 pixels; legal are 1 to 32768"},
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
    /* IHDR of a gray 30000 x 30000 in a file of a few bytes */
    static const uint8_t bomb[] =
        "\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\x75\x30\0\0\x75\x30\x08\0\0\0\0"
        "\x43\x4c\xa7\x66\0\0\0\0IDAT";
    gives(bomb, sizeof bomb - 1, "cannot hold 30000 x 30000");
    test_round_trip("trip.png", 1);
    test_round_trip("trip.png", 3);
    test_round_trip("trip.png", 4);
}
#else
static void test_png(void)
{
    gives("\x89PNG\r\n\x1a\n", 8, "without PNG; install libpng-dev");
}
#endif

#ifdef HAVE_JPEG
/* A JPEG of 2 x 2 pixels, all of one level; libjpeg allocates *bytes. */
static void make_jpeg(int channels, int level, unsigned char **bytes, unsigned long *size)
{
    struct jpeg_compress_struct jpeg;
    struct jpeg_error_mgr errors;
    JSAMPLE pixels[2 * 3];
    JSAMPROW row = pixels;
    memset(pixels, level, sizeof pixels);
    jpeg.err = jpeg_std_error(&errors);
    jpeg_create_compress(&jpeg);
    jpeg_mem_dest(&jpeg, bytes, size);
    jpeg.image_width = jpeg.image_height = 2;
    jpeg.input_components = channels;
    jpeg.in_color_space = channels == 3 ? JCS_RGB : JCS_GRAYSCALE;
    jpeg_set_defaults(&jpeg);
    jpeg_start_compress(&jpeg, TRUE);
    while (jpeg.next_scanline < jpeg.image_height)
        jpeg_write_scanlines(&jpeg, &row, 1);
    jpeg_finish_compress(&jpeg);
    jpeg_destroy_compress(&jpeg);
}

static void test_jpeg(void)
{
    for (int channels = 1; channels <= 3; channels += 2) {
        unsigned char *bytes = NULL;
        unsigned long size = 0;
        make_jpeg(channels, 128, &bytes, &size); /* the level that loses nothing */
        gives(bytes, size,
              channels == 1 ? "2x2x1: 128 128 128 128"
                            : "2x2x3: 128 128 128 128 128 128 128 128 128 128 128 128");
        put_bytes("whole.jpg", bytes, size);
        test_broken("whole.jpg", 0);
        for (size_t i = 0; i + 9 < size; i++)
            if (bytes[i] == 0xFF && bytes[i + 1] == 0xC0) /* its height and width, from 5 on */
                memcpy(bytes + i + 5, "\x75\x30\x75\x30", 4);
        gives(bytes, size, "cannot hold 30000 x 30000");
        free(bytes);
    }
    remove("whole.jpg");
}
#else
static void test_jpeg(void)
{
    gives("\xFF\xD8\xFF\xE0", 4, "without JPEG; install libjpeg-dev");
}
#endif

/* ------------------------------------------------------------------------------- files ---- */

static void refuses_write(const char *name, int channels, const char *words)
{
    char error[FILE_ERROR_SIZE] = "";
    image picture = make_picture(200, 100, channels);
    int before = entries_of(".");
    int result = image_write(name, &picture, error);
    check_error(error, name);
    ok(result == -1 && strstr(error, words) && last_error_is_one_line && entries_of(".") == before,
       "not written, and nothing left behind, %s: %s", name, words);
    image_free(&picture);
}

/* With room for 1000 bytes a file: what a full disk looks like. */
static void write_with_little_room(int number)
{
    struct rlimit limit = {1000, 1000};
    char error[FILE_ERROR_SIZE] = "";
    image picture = make_picture(200, 100, 3);
    (void)number;
    signal(SIGXFSZ, SIG_IGN);
    setrlimit(RLIMIT_FSIZE, &limit);
    if (image_write("kept.bmp", &picture, error) == -1 && !strchr(error, '\n'))
        put_file("said", error);
    image_free(&picture);
}

static void test_files(void)
{
    char error[FILE_ERROR_SIZE] = "", long_name[300];
    image old = make_picture(4, 4, 3), back;
    mkdir("folder.bmp", 0777);
    mkfifo("pipe.bmp", 0666);
    read_gives("missing.bmp", "cannot open: No such file");
    read_gives("folder.bmp", "is a directory; give the name of a file");
    read_gives("pipe.bmp", "is not a regular file");
    memset(long_name, 'x', sizeof long_name - 1);
    memcpy(long_name + sizeof long_name - 6, "\n.bmp", 6);
    image_read(long_name, &back, error);
    check_error(error, "xxx?.bmp: cannot open");
    ok(last_error_is_one_line, "a long name with a newline leaves room for the reason");

    refuses_write("new.jpg", 3, "unknown ending; legal are .bmp, .pgm");
    refuses_write("bmp", 3, "unknown ending");
    refuses_write("new.pgm", 3, "the picture has 3 channels, a .pgm takes 1");
    refuses_write("new.ppm", 1, "the picture has 1 channels, a .ppm takes 3");
    refuses_write("absent/new.bmp", 3, "cannot create: No such file");
    refuses_write("folder.bmp", 3, "cannot create: a directory of that name exists");
    refuses_write("pipe.bmp", 3, "something else than a file of that name exists");

    image_write("kept.bmp", &old, error);
    int before = entries_of(".");
    at_once(1, write_with_little_room);
    ok(strstr(get_file("said"), "kept.bmp: cannot write: ") && entries_of(".") == before + 1,
       "a full disk is reported and its half of a file removed");
    ok(image_read("kept.bmp", &back, error) == 0 && same(&old, &back),
       "the file that was there before is untouched");
    image_free(&old);
    image_free(&back);
    remove("kept.bmp"), remove("said"), remove("folder.bmp"), remove("pipe.bmp");
}

static void test_drafts(void)
{
    char error[FILE_ERROR_SIZE] = "";
    file_draft first, second;
    int before = entries_of(".");
    ok(file_create(&first, "table.csv", error) == 0 &&
           file_create(&second, "table.csv", error) == 0,
       "two drafts of one name at once");
    fprintf(first.stream, "first");
    fprintf(second.stream, "second");
    ok(access("table.csv", F_OK) != 0, "nothing has the name before a commit");
    ok(file_commit(&first, error) == 0, "the first is committed");
    is(get_file("table.csv"), "first", "and whole");
    ok(file_commit(&second, error) == 0 && file_create(&first, "table.csv", error) == 0,
       "then the second, and there is a third");
    fprintf(first.stream, "third");
    file_abandon(&first);
    file_abandon(&first);
    is(get_file("table.csv"), "second", "abandoned, that leaves the old file");
    ok(entries_of(".") == before + 1, "and nothing else");
    ok(file_create(&first, "", error) == -1 && strstr(error, "the file name is empty"),
       "an empty name is refused");
    remove("table.csv");
}

/* --------------------------------------------------------------------------- in memory ---- */

static void test_create(void)
{
    static const int bad[][3] = {{0, 1, 1},     {1, 0, 1}, {-1, 1, 1}, {32769, 1, 1},
                                 {1, 32769, 1}, {1, 1, 0}, {1, 1, 2},  {1, 1, 5}};
    image picture;
    int good = 1;
    for (size_t i = 0; i < COUNT(bad); i++)
        good &= image_create(&picture, bad[i][0], bad[i][1], bad[i][2]) == -1 && is_empty(&picture);
    image_free(&picture);
    ok(good && is_empty(&picture), "sides of 1..32768 and channels 1, 3, 4 alone are taken");
}

static void converts(const char *what, image in, int channels, const char *expected)
{
    uint8_t to[64];
    image_convert(&in, channels, to);
    image out = {in.width, in.height, channels, to};
    is(picture_text(&out), expected, "converted: %s", what);
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
    int kept = 0;
    for (int level = 0; level < 256; level++) {
        uint8_t y = (uint8_t)level, to;
        image_convert(&(image){1, 1, 4, (uint8_t[]){y, y, y, 9}}, 1, &to);
        kept += to == y;
    }
    ok(kept == 256, "R = G = B keeps its level, whatever the alpha");
}

static void test_crop(void)
{
    static const int bad[][4] = {{-1, 0, 2, 2}, {0, -1, 2, 2}, {0, 0, 0, 2},       {0, 0, 2, -1},
                                 {6, 0, 2, 2},  {0, 4, 2, 2},  {1, 0, INT_MAX, 2}, {7, 5, 1, 1}};
    image in = make_picture(7, 5, 3), out;
    int good = image_crop(&in, 2, 1, 4, 3, &out) == 0 && out.width == 4 && out.height == 3;
    for (int y = 0; good && y < 3; y++)
        good = memcmp(out.pixels + 12 * y, in.pixels + 3 * (7 * (y + 1) + 2), 12) == 0;
    ok(good, "crop takes the right pixels");
    image_free(&out);
    ok(image_crop(&in, 0, 0, 7, 5, &out) == 0 && same(&in, &out), "the whole is a crop");
    image_free(&out);
    good = 1;
    for (size_t i = 0; i < COUNT(bad); i++)
        good &= image_crop(&in, bad[i][0], bad[i][1], bad[i][2], bad[i][3], &out) == -1 &&
                is_empty(&out);
    ok(good, "a crop that does not lie inside is refused");
    image_free(&in);
}

static void resamples(const char *what, image in, int width, int height, const char *expected)
{
    image out;
    ok(image_resample(&in, width, height, &out) == 0, "resampled: %s", what);
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
    image out;
    ok(image_resample(&three, 0, 1, &out) == -1 && is_empty(&out), "a size of 0 is refused");
}

int main(void)
{
    enter_folder();
    test_round_trip("trip.bmp", 1);
    test_round_trip("trip.BMP", 3);
    test_round_trip("trip.bmp", 4);
    test_round_trip("trip.pgm", 1);
    test_round_trip("trip.ppm", 3);
    test_bmp();
    test_pnm();
    test_png();
    test_jpeg();
    remove("x");
    test_files();
    test_drafts();
    test_create();
    test_convert();
    test_crop();
    test_resample();
    leave_folder();
    return done_testing();
}
