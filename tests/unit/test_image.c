/* test_image.c - pictures on disk and in memory, and files that appear whole. */
#define _XOPEN_SOURCE 700

#include <dirent.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../../common/file.h"
#include "../../common/image.h"
#include "../tap.h"

/* ------------------------------------------------------------------- a folder of our own ---- */

static char folder[PATH_MAX];

/* The path of a file in the folder; the text is good until the next call but one. */
static const char *in_folder(const char *name)
{
    static char paths[2][PATH_MAX + 260];
    static int turn;
    turn ^= 1;
    snprintf(paths[turn], sizeof paths[turn], "%s/%s", folder, name);
    return paths[turn];
}

static void make_folder(void)
{
    const char *base = getenv("TMPDIR");
    snprintf(folder, sizeof folder, "%s/test_image.XXXXXX", base && *base ? base : "/tmp");
    if (!mkdtemp(folder)) {
        printf("Bail out! cannot make %s\n", folder);
        exit(1);
    }
}

/* How many entries the folder has; with_removal empties it on the way. */
static int count_entries(int with_removal)
{
    DIR *directory = opendir(folder);
    int count = 0;
    for (struct dirent *entry; directory && (entry = readdir(directory));) {
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
            continue;
        count++;
        if (with_removal)
            remove(in_folder(entry->d_name));
    }
    if (directory)
        closedir(directory);
    return count;
}

static void write_bytes(const char *name, const void *bytes, size_t size)
{
    FILE *stream = fopen(in_folder(name), "wb");
    if (!stream || fwrite(bytes, 1, size, stream) != size || fclose(stream) != 0) {
        printf("Bail out! cannot write %s\n", in_folder(name));
        exit(1);
    }
}

/* ------------------------------------------------------------------------------ helpers ---- */

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
    return a->width == b->width && a->height == b->height && a->channels == b->channels &&
           memcmp(a->pixels, b->pixels,
                  (size_t)a->width * (size_t)a->height * (size_t)a->channels) == 0;
}

static int is_empty(const image *picture)
{
    return picture->width == 0 && picture->height == 0 && picture->channels == 0 &&
           !picture->pixels;
}

/* One line that names the file and holds the expected words. */
static int is_complaint(const char *error, const char *name, const char *words)
{
    int good = strlen(error) < IMAGE_ERROR_SIZE && !strchr(error, '\n') && strstr(error, name) &&
               strstr(error, words);
    if (!good)
        printf("# said: %s\n", error);
    return good;
}

static void refuses(const char *name, const char *words)
{
    char error[IMAGE_ERROR_SIZE] = "";
    image picture = {1, 1, 1, NULL};
    int result = image_read(in_folder(name), &picture, error);
    ok(result == -1 && is_empty(&picture) && is_complaint(error, name, words), "refused, %s: %s",
       name, words);
    image_free(&picture);
}

static void refuses_bytes(const char *name, const void *bytes, size_t size, const char *words)
{
    write_bytes(name, bytes, size);
    refuses(name, words);
}

/* Reads bytes as a picture and compares it; all of expected's channels. */
static void reads_as(const char *what, const void *bytes, size_t size, const image *expected)
{
    char error[IMAGE_ERROR_SIZE] = "";
    image picture;
    write_bytes("good", bytes, size);
    int result = image_read(in_folder("good"), &picture, error);
    ok(result == 0 && same(&picture, expected), "read: %s%s", what, error);
    image_free(&picture);
}

/* ------------------------------------------------------------------------- round trips ---- */

static void test_round_trip(const char *ending, int channels)
{
    static const int sizes[][2] = {{1, 1}, {2, 3}, {3, 2},   {5, 7},
                                   {7, 5}, {8, 8}, {641, 3}, {1, 300}};
    char name[32], error[IMAGE_ERROR_SIZE] = "";
    snprintf(name, sizeof name, "trip%s", ending);
    int good = 1;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        image written = make_picture(sizes[i][0], sizes[i][1], channels), back;
        good &= image_write(in_folder(name), &written, error) == 0;
        good &= image_read(in_folder(name), &back, error) == 0 && same(&written, &back);
        image_free(&written);
        image_free(&back);
    }
    ok(good, "round trip through %s with %d channels, odd sizes too%s%s", ending, channels,
       *error ? ": " : "", error);
}

static void test_invisible_picture(void)
{
    char error[IMAGE_ERROR_SIZE] = "";
    image written = make_picture(3, 3, 4), back;
    memset(written.pixels, 0, 36);
    ok(image_write(in_folder("clear.bmp"), &written, error) == 0 &&
           image_read(in_folder("clear.bmp"), &back, error) == 0 && same(&written, &back),
       "alpha of 0 throughout survives a .bmp");
    image_free(&written);
    image_free(&back);
}

static void test_round_trips(void)
{
    test_round_trip(".bmp", 1);
    test_round_trip(".bmp", 3);
    test_round_trip(".bmp", 4);
    test_round_trip(".BMP", 3);
    test_round_trip(".pgm", 1);
    test_round_trip(".ppm", 3);
#ifdef HAVE_PNG
    test_round_trip(".png", 1);
    test_round_trip(".png", 3);
    test_round_trip(".png", 4);
#endif
    test_invisible_picture();
}

/* --------------------------------------------------------------------------------- BMP ---- */

typedef struct bmp_file {
    uint8_t bytes[4096];
    size_t size;
} bmp_file;

static void put(bmp_file *file, size_t at, int count, uint32_t value)
{
    for (int i = 0; i < count; i++)
        file->bytes[at + (size_t)i] = (uint8_t)(value >> 8 * i);
}

enum { /* where the fields of a BMP lie */
       PIXEL_OFFSET = 10,
       INFO_SIZE = 14,
       WIDTH = 18,
       HEIGHT = 22,
       BITS = 28,
       COMPRESSION = 30,
       COLOURS = 46,
       MASKS = 54
};

/* A BMP of 2 x 2, its pixel bytes counting up from 1, padding included. */
static bmp_file small_bmp(int bits, uint32_t info_size, uint32_t colours)
{
    bmp_file file = {{'B', 'M'}, 0};
    uint32_t offset = 14 + info_size + 4 * colours, row = ((uint32_t)bits * 2 + 31) / 32 * 4;
    put(&file, PIXEL_OFFSET, 4, offset);
    put(&file, INFO_SIZE, 4, info_size);
    put(&file, WIDTH, 4, 2);
    put(&file, HEIGHT, 4, 2);
    put(&file, 26, 2, 1);
    put(&file, BITS, 2, (uint32_t)bits);
    put(&file, COLOURS, 4, colours);
    for (uint32_t i = 0; i < 2 * row; i++)
        file.bytes[offset + i] = (uint8_t)(i + 1);
    file.size = offset + 2 * row;
    return file;
}

static void refuses_bmp(const char *name, bmp_file file, size_t at, int count, uint32_t value,
                        const char *words)
{
    put(&file, at, count, value);
    refuses_bytes(name, file.bytes, file.size, words);
}

static void test_bmp_direct(void)
{
    /* Rows of 8 bytes: B G R B G R and 2 of padding; the first in the file is the lowest. */
    uint8_t lower_first[] = {11, 10, 9, 14, 13, 12, 3, 2, 1, 6, 5, 4};
    uint8_t upper_first[] = {3, 2, 1, 6, 5, 4, 11, 10, 9, 14, 13, 12};
    image expected = {2, 2, 3, lower_first};
    bmp_file file = small_bmp(24, 40, 0);
    reads_as("24-bit BMP, bottom row first", file.bytes, file.size, &expected);
    put(&file, HEIGHT, 4, (uint32_t)-2);
    expected.pixels = upper_first;
    reads_as("24-bit BMP, top row first", file.bytes, file.size, &expected);
    file = small_bmp(24, 124, 0);
    expected.pixels = lower_first;
    reads_as("24-bit BMP with a V5 header", file.bytes, file.size, &expected);
    file = small_bmp(24, 40, 5);
    reads_as("24-bit BMP with a palette to skip", file.bytes, file.size, &expected);
}

static void test_bmp_32(void)
{
    uint8_t with_alpha[] = {11, 10, 9, 12, 15, 14, 13, 16, 3, 2, 1, 4, 7, 6, 5, 8};
    uint8_t opaque[] = {11, 10, 9, 255, 15, 14, 13, 255, 3, 2, 1, 255, 7, 6, 5, 255};
    image expected = {2, 2, 4, with_alpha};
    bmp_file file = small_bmp(32, 40, 0);
    reads_as("32-bit BMP", file.bytes, file.size, &expected);
    for (size_t i = 3; i < 16; i += 4)
        file.bytes[54 + i] = 0;
    expected.pixels = opaque;
    reads_as("32-bit BMP whose fourth byte is unused", file.bytes, file.size, &expected);

    file = small_bmp(32, 40, 3); /* the masks take the palette's place */
    put(&file, COLOURS, 4, 0);
    put(&file, COMPRESSION, 4, 3);
    put(&file, MASKS, 4, 0xFF0000);
    put(&file, MASKS + 4, 4, 0xFF00);
    put(&file, MASKS + 8, 4, 0xFF);
    expected.pixels = with_alpha;
    reads_as("32-bit BMP with the usual colour masks", file.bytes, file.size, &expected);
    put(&file, MASKS, 4, 0xFF);
    put(&file, MASKS + 8, 4, 0xFF0000);
    refuses_bytes("masks.bmp", file.bytes, file.size, "unusual colour masks");
    put(&file, PIXEL_OFFSET, 4, 54);
    refuses_bytes("short-masks.bmp", file.bytes, 60, "truncated in its colour masks");
}

static void test_bmp_palette(void)
{
    uint8_t gray[] = {50, 60, 10, 20}, colour[] = {1, 2, 3, 1, 2, 3, 30, 20, 10, 1, 2, 3};
    image expected = {2, 2, 1, gray};
    bmp_file file = small_bmp(8, 40, 7);
    for (uint32_t i = 0; i < 7; i++)
        put(&file, 54 + 4 * i, 4, i * 10 * 0x010101);
    uint8_t *rows = file.bytes + 54 + 28;
    rows[0] = 1, rows[1] = 2, rows[4] = 5, rows[5] = 6;
    reads_as("8-bit BMP, gray palette: one channel", file.bytes, file.size, &expected);
    put(&file, 54, 4, 0x010203);
    put(&file, 58, 4, 0x1E140A);
    rows[0] = 1, rows[1] = rows[4] = rows[5] = 0;
    expected = (image){2, 2, 3, colour};
    reads_as("8-bit BMP, coloured palette: three channels", file.bytes, file.size, &expected);
    rows[5] = 7;
    refuses_bytes("index.bmp", file.bytes, file.size, "pixel (1, 0) has colour number 7");
}

static void test_bmp_refusals(void)
{
    bmp_file rgb = small_bmp(24, 40, 0), indexed = small_bmp(8, 40, 256);
    refuses_bytes("2-bytes.bmp", "BM", 2, "truncated in its header");
    refuses_bytes("header.bmp", rgb.bytes, 30, "truncated in its header");
    refuses_bytes("no-pixels.bmp", rgb.bytes, 54, "truncated in its pixels: 0 of 16");
    refuses_bytes("pixels.bmp", rgb.bytes, rgb.size - 1, "truncated in its pixels: 15 of 16");
    refuses_bytes("palette.bmp", indexed.bytes, 500, "truncated in its header or palette");
    refuses_bmp("core.bmp", rgb, INFO_SIZE, 4, 12, "BITMAPCOREHEADER");
    refuses_bmp("odd-header.bmp", rgb, INFO_SIZE, 4, 41, "BMP header of 41 bytes");
    refuses_bmp("vast-header.bmp", rgb, INFO_SIZE, 4, 0xFFFFFFFF, "BMP header of 4294967295");
    refuses_bmp("no-width.bmp", rgb, WIDTH, 4, 0, "0 x 2 pixels; legal are 1 to 32768");
    refuses_bmp("minus-width.bmp", rgb, WIDTH, 4, (uint32_t)-2, "-2 x 2 pixels");
    refuses_bmp("no-height.bmp", rgb, HEIGHT, 4, 0, "2 x 0 pixels");
    refuses_bmp("wide.bmp", rgb, WIDTH, 4, 32769, "32769 x 2 pixels; legal");
    refuses_bmp("vast.bmp", rgb, WIDTH, 4, 0x7FFFFFFF, "2147483647 x 2");
    refuses_bmp("least-height.bmp", rgb, HEIGHT, 4, 0x80000000, "2 x 2147483648");
    refuses_bmp("large.bmp", rgb, WIDTH, 4, 32768, "truncated in its pixels: 16 of 196608");
    refuses_bmp("rle8.bmp", indexed, COMPRESSION, 4, 1, "compressed BMP (method 1, RLE)");
    refuses_bmp("rle4.bmp", rgb, COMPRESSION, 4, 2, "compressed BMP (method 2, RLE)");
    refuses_bmp("jpeg.bmp", rgb, COMPRESSION, 4, 4, "compressed BMP (method 4)");
    refuses_bmp("fields.bmp", rgb, COMPRESSION, 4, 3, "BITFIELDS, 24-bit");
    refuses_bmp("1-bit.bmp", rgb, BITS, 2, 1, "1-bit BMP; legal are 8, 24 and 32");
    refuses_bmp("4-bit.bmp", rgb, BITS, 2, 4, "4-bit BMP; legal");
    refuses_bmp("16-bit.bmp", rgb, BITS, 2, 16, "16-bit BMP; legal");
    refuses_bmp("0-bit.bmp", rgb, BITS, 2, 0, "0-bit BMP; legal");
    refuses_bmp("early.bmp", rgb, PIXEL_OFFSET, 4, 53, "offset 53 is out of range; legal are 54");
    refuses_bmp("late.bmp", rgb, PIXEL_OFFSET, 4, 71, "offset 71 is out of range");
    refuses_bmp("far.bmp", rgb, PIXEL_OFFSET, 4, 0xFFFFFFFF, "out of range");
    refuses_bmp("into-palette.bmp", indexed, PIXEL_OFFSET, 4, 54, "offset 54 is out of range");
    refuses_bmp("257.bmp", indexed, COLOURS, 4, 257, "palette of 257 colours; legal are 1 to 256");
    refuses_bmp("4G.bmp", indexed, COLOURS, 4, 0x40000001, "palette of 1073741825 colours");
}

/* --------------------------------------------------------------------------------- PNM ---- */

static void reads_pnm(const char *what, const char *text, const image *expected)
{
    reads_as(what, text, strlen(text), expected);
}

static void refuses_pnm(const char *name, const char *text, const char *words)
{
    refuses_bytes(name, text, strlen(text), words);
}

static void test_pnm(void)
{
    uint8_t gray[] = {65, 66, 67, 68, 69, 70}, scaled[] = {0, 85, 170, 255};
    image six = {3, 2, 1, gray}, two = {2, 1, 3, gray}, four = {4, 1, 1, scaled};
    reads_pnm("P5", "P5\n3 2\n255\nABCDEF", &six);
    reads_pnm("P5 with comments and bytes after it", "P5#a\n# b\n3#c\r2\t255\nABCDEFGH", &six);
    reads_pnm("P6", "P6 2 1 255 ABCDEF", &two);
    reads_pnm("P2", "P2\n# c\n3 2 255\n65 66 67\n68 # c\n69\t70\n", &six);
    reads_pnm("P3", "P3 2 1 255 65 66 67 68 69 70", &two);
    reads_pnm("P2 scaled from a maximum of 3", "P2 4 1 3 0 1 2 3", &four);
}

static void test_pnm_refusals(void)
{
    refuses_pnm("bare.pgm", "P5", "truncated in its header, before the width");
    refuses_pnm("width.pgm", "P5 3", "truncated in its header, before the height");
    refuses_pnm("height.pgm", "P5 3 2 # 255", "before the maximum value");
    refuses_pnm("pixels.pgm", "P5 3 2 255\nABCDE", "truncated in its pixels: 5 of 6");
    refuses_pnm("nothing.pgm", "P5 3 2 255", "truncated in its pixels: 0 of 6");
    refuses_pnm("pixels.ppm", "P6 3 2 255\nABCDEF", "truncated in its pixels: 6 of 18");
    refuses_pnm("ascii.pgm", "P2 3 2 255 100 100 100 100 100", "truncated in its pixels");
    refuses_pnm("large.pgm", "P2 32768 32768 255 1 2 3",
                "truncated in its pixels: 6 of 2147483647");
    refuses_pnm("max-0.pgm", "P5 3 2 0\nABCDEF", "maximum value 0; legal are 1 to 255");
    refuses_pnm("max-256.pgm", "P5 3 2 256\nABCDEF", "maximum value 256; legal are 1 to 255");
    refuses_pnm("max-65535.ppm", "P6 1 1 65535\nABCDEF", "maximum value 65535");
    refuses_pnm("letters.pgm", "P5 three 2 255\nABCDEF", "no number for the width");
    refuses_pnm("minus.pgm", "P5 3 -2 255\nABCDEF", "no number for the height");
    refuses_pnm("point.pgm", "P5 3 2 25.5\nABCDEF", "white space must follow the maximum");
    refuses_pnm("glued.pgm", "P53 2 255\nABCDEF", "white space must follow P5");
    refuses_pnm("no-width.pgm", "P5 0 2 255\nABCDEF", "0 x 2 pixels; legal are 1 to 32768");
    refuses_pnm("no-height.pgm", "P5 2 0 255\nABCDEF", "2 x 0 pixels");
    refuses_pnm("wide.pgm", "P5 32769 2 255\nABCDEF", "32769 x 2 pixels");
    refuses_pnm("vast.pgm", "P5 99999999999999999999999999 2 255\nABCDEF", "x 2 pixels; legal");
    refuses_pnm("over.pgm", "P5 2 1 64\nAB", "pixel value 65 is over the header's maximum of 64");
    refuses_pnm("ascii-over.pgm", "P2 2 1 64 65 1", "pixel value 65 is over");
    refuses_pnm("ascii-word.pgm", "P2 2 1 64 1 one", "something that is no number, at byte 12");
    refuses_pnm("bitmap.pbm", "P4 8 1\nA", "kind P4; legal are P2 and P5 (gray), P3 and P6");
    refuses_pnm("any.pam", "P7\nWIDTH 1", "kind P7");
}

/* --------------------------------------------------------------------------------- PNG ---- */

static void test_png(void)
{
    static const char magic[] = "\x89PNG\r\n\x1a\n";
#ifdef HAVE_PNG
    char error[IMAGE_ERROR_SIZE] = "";
    uint8_t *bytes;
    size_t size;
    image picture = make_picture(40, 30, 3);
    ok(image_write(in_folder("whole.png"), &picture, error) == 0 &&
           file_read(in_folder("whole.png"), &bytes, &size, error) == 0,
       "a .png to break");
    refuses_bytes("magic.png", magic, 8, "broken PNG");
    refuses_bytes("header.png", bytes, 20, "broken PNG");
    refuses_bytes("pixels.png", bytes, size / 2, "broken PNG");
    bytes[size / 2] ^= 0x10;
    refuses_bytes("flipped.png", bytes, size, "broken PNG");
    free(bytes);
    image_free(&picture);
#else
    image picture = make_picture(2, 2, 3);
    char error[IMAGE_ERROR_SIZE] = "";
    refuses_bytes("any.png", magic, 8, "PNG needs libpng");
    ok(image_write(in_folder("new.png"), &picture, error) == -1 &&
           is_complaint(error, "new.png", "PNG needs libpng") &&
           access(in_folder("new.png"), F_OK) != 0,
       "writing a .png without libpng is refused");
    image_free(&picture);
#endif
}

/* ------------------------------------------------------------- what is not a picture ---- */

static void test_other_refusals(void)
{
    refuses("missing.bmp", "cannot open: No such file");
    refuses_bytes("empty.bmp", "", 0, "the file is empty; legal are BMP");
    refuses_bytes("one.bmp", "B", 1, "not a picture of a known format");
    refuses_bytes("photo.jpg", "\xFF\xD8\xFF\xE0", 4, "starts with bytes FF D8); legal are BMP");
    mkdir(in_folder("folder.bmp"), 0777);
    refuses("folder.bmp", "is a directory; give the name of a file");
    mkfifo(in_folder("pipe.bmp"), 0666);
    refuses("pipe.bmp", "is not a regular file");

    char error[IMAGE_ERROR_SIZE], long_name[300];
    image picture;
    memset(long_name, 'x', sizeof long_name - 1);
    memcpy(long_name + sizeof long_name - 6, "\n.bmp", 6);
    ok(image_read(long_name, &picture, error) == -1 &&
           is_complaint(error, "xxx?.bmp: ", "cannot open"),
       "a long name with a newline leaves room for the reason, on one line");
}

/* ------------------------------------------------------------------------- writing ---- */

static void refuses_write(const char *name, int channels, const char *words)
{
    char error[IMAGE_ERROR_SIZE] = "";
    image picture = make_picture(200, 100, channels);
    int before = count_entries(0);
    ok(image_write(in_folder(name), &picture, error) == -1 && is_complaint(error, name, words) &&
           count_entries(0) == before,
       "not written, and nothing left behind, %s: %s", name, words);
    image_free(&picture);
}

/* In a child that may write 1000 bytes a file: what a full disk looks like. */
static int write_with_little_room(void)
{
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        char error[IMAGE_ERROR_SIZE] = "";
        struct rlimit limit = {1000, 1000};
        image picture = make_picture(200, 100, 3);
        signal(SIGXFSZ, SIG_IGN);
        setrlimit(RLIMIT_FSIZE, &limit);
        int result = image_write(in_folder("kept.bmp"), &picture, error);
        image_free(&picture);
        _exit(result == -1 && strstr(error, "kept.bmp: cannot write: ") ? 0 : 1);
    }
    int status = 1;
    waitpid(child, &status, 0);
    return status;
}

static void test_writing(void)
{
    char error[IMAGE_ERROR_SIZE] = "";
    image old = make_picture(4, 4, 3), back;
    refuses_write("new.jpg", 3, "unknown ending; legal are .bmp, .pgm");
    refuses_write("bmp", 3, "unknown ending");
    refuses_write("new.pgm", 3, "the picture has 3 channels, a .pgm takes 1");
    refuses_write("new.ppm", 1, "the picture has 1 channels, a .ppm takes 3");
    refuses_write("absent/new.bmp", 3, "cannot create: No such file");
    refuses_write("folder.bmp", 3, "cannot create: a directory of that name exists");
    refuses_write("pipe.bmp", 3, "something else than a file of that name exists");
    ok(image_write(in_folder("kept.bmp"), &old, error) == 0, "a file to keep");
    int before = count_entries(0);
    ok(write_with_little_room() == 0 && count_entries(0) == before,
       "a full disk is reported and its half of a file removed");
    ok(image_read(in_folder("kept.bmp"), &back, error) == 0 && same(&old, &back),
       "the file that was there before is untouched");
    image_free(&old);
    image_free(&back);
}

static int holds(const char *name, const char *text)
{
    char error[FILE_ERROR_SIZE];
    uint8_t *bytes;
    size_t size;
    if (file_read(in_folder(name), &bytes, &size, error) != 0)
        return 0;
    int good = size == strlen(text) && memcmp(bytes, text, size) == 0;
    free(bytes);
    return good;
}

static void test_drafts(void)
{
    char error[FILE_ERROR_SIZE] = "";
    file_draft first, second;
    int before = count_entries(0);
    ok(file_create(&first, in_folder("table.csv"), error) == 0 &&
           file_create(&second, in_folder("table.csv"), error) == 0,
       "two drafts of one name at once");
    fprintf(first.stream, "first");
    fprintf(second.stream, "second");
    ok(access(in_folder("table.csv"), F_OK) != 0, "nothing has the name before a commit");
    ok(file_commit(&first, error) == 0 && holds("table.csv", "first"), "the first is whole");
    ok(file_commit(&second, error) == 0 && holds("table.csv", "second"), "then the second");
    ok(file_create(&first, in_folder("table.csv"), error) == 0, "a third");
    fprintf(first.stream, "third");
    file_abandon(&first);
    file_abandon(&first);
    ok(holds("table.csv", "second") && count_entries(0) == before + 1,
       "abandoned, it leaves the old file and nothing else");
    ok(file_create(&first, "", error) == -1 && strstr(error, "the file name is empty"),
       "an empty name is refused");
}

/* ------------------------------------------------------------------------ in memory ---- */

static void test_create(void)
{
    static const int bad[][3] = {{0, 1, 1},     {1, 0, 1}, {-1, 1, 1}, {32769, 1, 1},
                                 {1, 32769, 1}, {1, 1, 0}, {1, 1, 2},  {1, 1, 5}};
    image picture;
    int good = 1;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        good &= image_create(&picture, bad[i][0], bad[i][1], bad[i][2]) == -1 && is_empty(&picture);
    ok(good, "sides outside 1..32768 and channels other than 1, 3, 4 are refused");
    image_free(&picture);
    image_free(&picture);
    ok(is_empty(&picture), "an empty picture may be freed");
}

static void test_gray(void)
{
    uint8_t colours[] = {255, 0, 0, 0, 255, 0, 0, 0, 255, 255, 255, 255, 10, 20, 30};
    uint8_t expected[] = {76, 150, 29, 255, 18}; /* 76.245, 149.685, 29.07, 255, 18.15 */
    image in = {5, 1, 3, colours}, want = {5, 1, 1, expected}, gray, again;
    ok(image_to_gray(&in, &gray) == 0 && same(&gray, &want), "gray weights of BT.601, rounded");
    ok(image_to_gray(&gray, &again) == 0 && same(&again, &gray), "gray of gray is itself");
    image_free(&gray);
    image_free(&again);
    int level = 0;
    for (; level < 256; level++) {
        uint8_t pixel[] = {(uint8_t)level, (uint8_t)level, (uint8_t)level, 7};
        image one = {1, 1, 4, pixel};
        if (image_to_gray(&one, &gray) != 0 || gray.pixels[0] != level)
            break;
        image_free(&gray);
    }
    ok(level == 256, "R = G = B keeps its level, whatever the alpha");
}

static void test_crop(void)
{
    image in = make_picture(7, 5, 3), out;
    int good = image_crop(&in, 2, 1, 4, 3, &out) == 0 && out.width == 4 && out.height == 3;
    for (int y = 0; good && y < 3; y++)
        good = memcmp(out.pixels + 12 * y, in.pixels + 3 * (7 * (y + 1) + 2), 12) == 0;
    ok(good, "crop takes the right pixels");
    image_free(&out);
    ok(image_crop(&in, 0, 0, 7, 5, &out) == 0 && same(&in, &out), "the whole is a crop");
    image_free(&out);
    static const int bad[][4] = {{-1, 0, 2, 2}, {0, -1, 2, 2}, {0, 0, 0, 2},       {0, 0, 2, -1},
                                 {6, 0, 2, 2},  {0, 4, 2, 2},  {1, 0, INT_MAX, 2}, {7, 5, 1, 1}};
    good = 1;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        good &= image_crop(&in, bad[i][0], bad[i][1], bad[i][2], bad[i][3], &out) == -1 &&
                is_empty(&out);
    ok(good, "a crop that does not lie inside is refused");
    image_free(&in);
}

/* ------------------------------------------------------------------------ resampling ---- */

static void test_resample_constant(void)
{
    static const int sizes[][2] = {{1, 1}, {3, 40}, {40, 3}, {17, 13}, {23, 29}, {100, 77}};
    image in = make_picture(17, 13, 3), out;
    memset(in.pixels, 201, 17 * 13 * 3);
    int good = 1;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        good &= image_resample(&in, sizes[i][0], sizes[i][1], &out) == 0;
        for (int k = 0; good && k < 3 * out.width * out.height; k++)
            good = out.pixels[k] == 201;
        image_free(&out);
    }
    ok(good, "a constant picture stays constant at any size");
    image_free(&in);
}

/* The mean over factor_x x factor_y pixels, rounded, as a reader would write it down. */
static int is_area_mean(const image *in, const image *out, int factor_x, int factor_y)
{
    int count = factor_x * factor_y, channels = in->channels;
    for (int y = 0; y < out->height; y++)
        for (int x = 0; x < out->width; x++)
            for (int c = 0; c < channels; c++) {
                int sum = 0;
                for (int j = 0; j < factor_y; j++)
                    for (int i = 0; i < factor_x; i++)
                        sum += in->pixels[((y * factor_y + j) * in->width + x * factor_x + i) *
                                              channels +
                                          c];
                if (out->pixels[(y * out->width + x) * channels + c] != (sum + count / 2) / count)
                    return 0;
            }
    return 1;
}

static void test_resample(void)
{
    image in = make_picture(12, 18, 3), out;
    ok(image_resample(&in, 12, 18, &out) == 0 && same(&in, &out), "the same size is the identity");
    image_free(&out);
    ok(image_resample(&in, 4, 9, &out) == 0 && is_area_mean(&in, &out, 3, 2),
       "the area average is exact for whole factors");
    image_free(&out);
    ok(image_resample(&in, 1, 1, &out) == 0 && is_area_mean(&in, &out, 12, 18),
       "1 x 1 is the mean");
    image_free(&out);
    image_free(&in);

    uint8_t pixels[] = {0, 100, 200}, grown[] = {0, 25, 75, 125, 175, 200}, shrunk[] = {33, 167};
    image three = {3, 1, 1, pixels}, six = {6, 1, 1, grown}, two = {2, 1, 1, shrunk};
    ok(image_resample(&three, 6, 1, &out) == 0 && same(&out, &six), "bilinear where it grows");
    image_free(&out);
    ok(image_resample(&three, 2, 1, &out) == 0 && same(&out, &two), "area where it shrinks");
    image_free(&out);
    image one = {1, 1, 1, pixels + 1};
    ok(image_resample(&one, 5, 4, &out) == 0 && out.pixels[0] == 100 && out.pixels[19] == 100,
       "1 x 1 may grow");
    image_free(&out);
    image wide = {1, 3, 1, pixels}; /* grows along x, shrinks along y */
    ok(image_resample(&wide, 2, 1, &out) == 0 && out.pixels[0] == 100 && out.pixels[1] == 100,
       "each axis on its own");
    image_free(&out);
    ok(image_resample(&three, 0, 1, &out) == -1 && is_empty(&out), "a size of 0 is refused");
}

int main(void)
{
    make_folder();
    test_round_trips();
    test_bmp_direct();
    test_bmp_32();
    test_bmp_palette();
    test_bmp_refusals();
    test_pnm();
    test_pnm_refusals();
    test_png();
    test_other_refusals();
    test_writing();
    test_drafts();
    test_create();
    test_gray();
    test_crop();
    test_resample_constant();
    test_resample();
    count_entries(1);
    ok(rmdir(folder) == 0, "the folder is gone");
    return done_testing();
}
