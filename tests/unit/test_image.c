/* test_image.c - pictures on disk and in memory, and files that appear whole. */
#define _XOPEN_SOURCE 700

#include <dirent.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#ifdef HAVE_JPEG
#include <jpeglib.h>
#endif

#include "../../common/file.h"
#include "../../common/image.h"
#include "../tap.h"

#define SIZE(array) (sizeof(array) / sizeof *(array))

/* How many entries the current folder has, which is the test's own; with_removal empties it. */
static int count_entries(int with_removal)
{
    DIR *directory = opendir(".");
    int count = 0;
    for (struct dirent *entry; directory && (entry = readdir(directory));) {
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
            continue;
        count++;
        if (with_removal)
            remove(entry->d_name);
    }
    if (directory)
        closedir(directory);
    return count;
}

static void write_bytes(const char *name, const void *bytes, size_t size)
{
    FILE *stream = fopen(name, "wb");
    if (!stream || fwrite(bytes, 1, size, stream) != size || fclose(stream) != 0) {
        printf("Bail out! cannot write %s\n", name);
        exit(1);
    }
}

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

/* One line that names the file and holds the expected words. */
static int is_complaint(const char *error, const char *name, const char *words)
{
    int good = strlen(error) < FILE_ERROR_SIZE && !strchr(error, '\n') && strstr(error, name) &&
               strstr(error, words);
    if (!good)
        printf("# said: %s\n", error);
    return good;
}

static void refuses(const char *name, const char *words)
{
    char error[FILE_ERROR_SIZE] = "";
    image picture = {1, 1, 1, NULL};
    int result = image_read(name, &picture, error);
    ok(result == -1 && is_empty(&picture) && is_complaint(error, name, words), "refused, %s: %s",
       name, words);
    image_free(&picture);
}

static void refuses_bytes(const char *name, const void *bytes, size_t size, const char *words)
{
    write_bytes(name, bytes, size);
    refuses(name, words);
}

static void reads_as(const char *what, const void *bytes, size_t size, const image *expected)
{
    char error[FILE_ERROR_SIZE] = "";
    image picture;
    write_bytes("good", bytes, size);
    int result = image_read("good", &picture, error);
    ok(result == 0 && same(&picture, expected), "read: %s%s", what, error);
    image_free(&picture);
}

/* Does the file "x" read, or say in one line why not? */
static int reads_or_says(int may_read)
{
    char error[FILE_ERROR_SIZE] = "";
    image picture;
    int result = image_read("x", &picture, error);
    int good = result == 0 ? may_read : is_empty(&picture) && is_complaint(error, "x: ", "");
    image_free(&picture);
    return good;
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
        write_bytes("x", bytes, length);
        good = reads_or_says(0);
    }
    ok(good, "%s, cut anywhere, is refused", name);
    for (size_t i = 0; good && i < 64 * SIZE(values) && i / SIZE(values) < size; i++) {
        uint8_t *at = &bytes[i / SIZE(values)], before = *at;
        *at = values[i % SIZE(values)];
        write_bytes("x", bytes, size);
        good = reads_or_says(1);
        *at = before;
    }
    ok(good, "%s with a wrong byte is read or refused", name);
    free(bytes);
}

/* ------------------------------------------------------------------------- round trips ---- */

static void test_round_trip(const char *name, int channels)
{
    static const int sizes[][2] = {{1, 1}, {2, 3}, {5, 7}, {641, 3}, {1, 300}};
    char error[FILE_ERROR_SIZE] = "";
    int good = 1;
    for (size_t i = 0; i < SIZE(sizes); i++) {
        image written = make_picture(sizes[i][0], sizes[i][1], channels), back;
        good &= image_write(name, &written, error) == 0;
        good &= image_read(name, &back, error) == 0 && same(&written, &back);
        image_free(&written);
        image_free(&back);
    }
    ok(good, "there and back through %s with %d channels: %s", name, channels, error);
}

static void test_round_trips(void)
{
    test_round_trip("trip.bmp", 1);
    test_round_trip("trip.BMP", 3);
    test_round_trip("trip.bmp", 4);
    test_round_trip("trip.pgm", 1);
    test_round_trip("trip.ppm", 3);
    test_broken("trip.bmp", 0);
    test_broken("trip.pgm", 0);
    test_broken("trip.ppm", 0);
#ifdef HAVE_PNG
    test_round_trip("trip.png", 1);
    test_round_trip("trip.png", 3);
    test_round_trip("trip.png", 4);
#endif
}

/* --------------------------------------------------------------------------------- BMP ---- */

typedef struct bmp_file {
    uint8_t bytes[2048];
    size_t size;
} bmp_file;

/* Where the fields of a BMP lie. */
enum { PIXELS = 10, INFO_SIZE = 14, WIDTH = 18, HEIGHT = 22, BITS = 28 };
enum { COMPRESSION = 30, COLOURS = 46, MASKS = 54 };

static void put(bmp_file *file, size_t at, int count, uint32_t value)
{
    for (int i = 0; i < count; i++)
        file->bytes[at + (size_t)i] = (uint8_t)(value >> 8 * i);
}

/* A BMP of 2 x 2, its pixel bytes counting up from 1, padding included. */
static bmp_file small_bmp(int bits, uint32_t info_size, uint32_t colours)
{
    bmp_file file = {{'B', 'M'}, 0};
    uint32_t offset = 14 + info_size + 4 * colours, row = ((uint32_t)bits * 2 + 31) / 32 * 4;
    put(&file, PIXELS, 4, offset);
    put(&file, INFO_SIZE, 4, info_size);
    put(&file, WIDTH, 4, 2);
    put(&file, HEIGHT, 4, 2);
    put(&file, BITS, 2, (uint32_t)bits);
    put(&file, COLOURS, 4, colours);
    for (uint32_t i = 0; i < 2 * row; i++)
        file.bytes[offset + i] = (uint8_t)(i + 1);
    file.size = offset + 2 * row;
    return file;
}

static void test_bmp_direct(void)
{
    uint8_t lower_first[] = {11, 10, 9, 14, 13, 12, 3, 2, 1, 6, 5, 4};
    uint8_t upper_first[] = {3, 2, 1, 6, 5, 4, 11, 10, 9, 14, 13, 12};
    uint8_t with_alpha[] = {11, 10, 9, 12, 15, 14, 13, 16, 3, 2, 1, 4, 7, 6, 5, 8};
    uint8_t opaque[] = {11, 10, 9, 255, 15, 14, 13, 255, 3, 2, 1, 255, 7, 6, 5, 255};
    image lower = {2, 2, 3, lower_first}, upper = {2, 2, 3, upper_first};
    image alpha = {2, 2, 4, with_alpha}, unused = {2, 2, 4, opaque};
    bmp_file file = small_bmp(24, 124, 0);
    reads_as("24-bit BMP with a long header", file.bytes, file.size, &lower);
    file = small_bmp(24, 40, 5);
    reads_as("24-bit BMP with a palette to skip", file.bytes, file.size, &lower);
    put(&file, HEIGHT, 4, (uint32_t)-2);
    reads_as("24-bit BMP, top row first", file.bytes, file.size, &upper);
    file = small_bmp(32, 40, 3); /* the masks take the palette's place */
    put(&file, COMPRESSION, 4, 3);
    put(&file, MASKS, 4, 0xFF0000);
    put(&file, MASKS + 4, 4, 0xFF00);
    put(&file, MASKS + 8, 4, 0xFF);
    reads_as("32-bit BMP with the usual colour masks", file.bytes, file.size, &alpha);
    put(&file, MASKS, 4, 0xFF);
    refuses_bytes("masks.bmp", file.bytes, file.size, "32-bit BMP, compression 3; legal");
    file = small_bmp(32, 40, 0);
    for (size_t i = 3; i < 16; i += 4)
        file.bytes[54 + i] = 0;
    reads_as("32-bit BMP whose fourth byte is unused", file.bytes, file.size, &unused);
}

static void test_bmp_palette(void)
{
    uint8_t gray[] = {50, 60, 10, 20}, colour[] = {1, 2, 3, 1, 2, 3, 30, 20, 10, 1, 2, 3};
    image grays = {2, 2, 1, gray}, colours = {2, 2, 3, colour};
    bmp_file file = small_bmp(8, 40, 7);
    for (uint32_t i = 0; i < 7; i++)
        put(&file, 54 + 4 * i, 4, i * 10 * 0x010101);
    uint8_t *rows = file.bytes + 54 + 28;
    rows[0] = 1, rows[1] = 2, rows[4] = 5, rows[5] = 6;
    reads_as("8-bit BMP, gray palette: one channel", file.bytes, file.size, &grays);
    put(&file, 54, 4, 0x010203);
    put(&file, 58, 4, 0x1E140A);
    rows[0] = 1, rows[1] = rows[4] = rows[5] = 0;
    reads_as("8-bit BMP, coloured palette: three channels", file.bytes, file.size, &colours);
    rows[5] = 7;
    refuses_bytes("index.bmp", file.bytes, file.size, "not among the 7 of its palette");
}

static void test_bmp_refusals(void)
{
    static const struct {
        const char *name;
        int bits, count;
        size_t at;
        uint32_t value;
        const char *words;
    } cases[] = {
        {"core.bmp", 24, 4, INFO_SIZE, 12, "OS/2"},
        {"no-width.bmp", 24, 4, WIDTH, 0, "0 x 2 pixels; legal are 1 to 32768"},
        {"vast.bmp", 24, 4, WIDTH, 0x7FFFFFFF, "2147483647 x 2"},
        {"large.bmp", 24, 4, WIDTH, 32768, "70 bytes cannot hold 32768 x 2"},
        {"least.bmp", 24, 4, HEIGHT, 0x80000000, "2 x 2147483648"},
        {"rle8.bmp", 8, 4, COMPRESSION, 1, "8-bit BMP, compression 1; legal"},
        {"16-bit.bmp", 24, 2, BITS, 16, "16-bit BMP"},
        {"into-palette.bmp", 8, 4, PIXELS, 54, "begin at byte 54"},
        {"4G.bmp", 8, 4, COLOURS, 0x40000001, "truncated or broken"},
    };
    for (size_t i = 0; i < SIZE(cases); i++) {
        bmp_file file = small_bmp(cases[i].bits, 40, cases[i].bits == 8 ? 256 : 0);
        put(&file, cases[i].at, cases[i].count, cases[i].value);
        refuses_bytes(cases[i].name, file.bytes, file.size, cases[i].words);
    }
}

/* --------------------------------------------------------------------------------- PNM ---- */

static void test_pnm(void)
{
    uint8_t gray[] = {65, 66, 67, 68, 69, 70}, scaled[] = {0, 85, 170, 255};
    image six = {3, 2, 1, gray}, two = {2, 1, 3, gray}, four = {4, 1, 1, scaled};
    const struct {
        const char *what, *text;
        const image *expected;
    } good[] = {
        {"P5", "P5\n3 2\n255\nABCDEF", &six},
        {"P5 with comments and more behind it", "P5#a\n# b\n3#c\r2\t255\nABCDEFGH", &six},
        {"P6", "P6 2 1 255 ABCDEF", &two},
        {"P2", "P2\n# c\n3 2 255\n65 66 67\n68 # c\n69\t70\n", &six},
        {"P3", "P3 2 1 255 65 66 67 68 69 70", &two},
        {"P2 scaled from a maximum of 3", "P2 4 1 3 0 1 2 3", &four},
    };
    for (size_t i = 0; i < SIZE(good); i++)
        reads_as(good[i].what, good[i].text, strlen(good[i].text), good[i].expected);
    static const char *const bad[][2] = {
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
    };
    for (size_t i = 0; i < SIZE(bad); i++)
        refuses_bytes("bad.pnm", bad[i][0], strlen(bad[i][0]), bad[i][1]);
}

/* ------------------------------------------------------------------------ PNG and JPEG ---- */

#ifdef HAVE_PNG
static void test_png(void)
{
    /* IHDR of a gray 30000 x 30000 in a file of a few bytes */
    static const uint8_t bomb[] =
        "\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\x75\x30\0\0\x75\x30\x08\0\0\0\0"
        "\x43\x4c\xa7\x66\0\0\0\0IDAT";
    refuses_bytes("bomb.png", bomb, sizeof bomb - 1, "cannot hold 30000 x 30000");
    test_broken("trip.png", 12);
}
#else
static void test_png(void)
{
    refuses_bytes("any.png", "\x89PNG\r\n\x1a\n", 8, "without PNG; install libpng-dev");
}
#endif

#ifdef HAVE_JPEG
/* A JPEG of 16 x 8 pixels, all of one colour; libjpeg allocates *bytes. */
static void make_jpeg(int channels, int level, unsigned char **bytes, unsigned long *size)
{
    struct jpeg_compress_struct jpeg;
    struct jpeg_error_mgr errors;
    JSAMPLE pixels[16 * 3];
    JSAMPROW row = pixels;
    memset(pixels, level, sizeof pixels);
    jpeg.err = jpeg_std_error(&errors);
    jpeg_create_compress(&jpeg);
    jpeg_mem_dest(&jpeg, bytes, size);
    jpeg.image_width = 16;
    jpeg.image_height = 8;
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
    uint8_t level[16 * 8 * 3];
    memset(level, 128, sizeof level); /* the level that loses nothing */
    for (int channels = 1; channels <= 3; channels += 2) {
        unsigned char *bytes = NULL;
        unsigned long size = 0;
        image expected = {16, 8, channels, level};
        make_jpeg(channels, 128, &bytes, &size);
        reads_as(channels == 1 ? "gray JPEG" : "colour JPEG", bytes, size, &expected);
        write_bytes("whole.jpg", bytes, size);
        test_broken("whole.jpg", 0);
        for (size_t i = 0; i + 9 < size; i++)
            if (bytes[i] == 0xFF && bytes[i + 1] == 0xC0) /* its height and width, from 5 on */
                memcpy(bytes + i + 5, "\x75\x30\x75\x30", 4);
        refuses_bytes("bomb.jpg", bytes, size, "cannot hold 30000 x 30000");
        free(bytes);
    }
}
#else
static void test_jpeg(void)
{
    refuses_bytes("any.jpg", "\xFF\xD8\xFF\xE0", 4, "without JPEG; install libjpeg-dev");
}
#endif

/* ------------------------------------------------------------------------------- files ---- */

static void test_other_refusals(void)
{
    char error[FILE_ERROR_SIZE], long_name[300];
    image picture;
    refuses("missing.bmp", "cannot open: No such file");
    refuses_bytes("empty.bmp", "", 0, "not a picture of a known format");
    mkdir("folder.bmp", 0777);
    refuses("folder.bmp", "is a directory; give the name of a file");
    mkfifo("pipe.bmp", 0666);
    refuses("pipe.bmp", "is not a regular file");
    memset(long_name, 'x', sizeof long_name - 1);
    memcpy(long_name + sizeof long_name - 6, "\n.bmp", 6);
    ok(image_read(long_name, &picture, error) == -1 &&
           is_complaint(error, "xxx?.bmp: ", "cannot open"),
       "a long name with a newline leaves room for the reason, on one line");
}

static void refuses_write(const char *name, int channels, const char *words)
{
    char error[FILE_ERROR_SIZE] = "";
    image picture = make_picture(200, 100, channels);
    int before = count_entries(0);
    ok(image_write(name, &picture, error) == -1 && is_complaint(error, name, words) &&
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
        char error[FILE_ERROR_SIZE] = "";
        struct rlimit limit = {1000, 1000};
        image picture = make_picture(200, 100, 3);
        signal(SIGXFSZ, SIG_IGN);
        setrlimit(RLIMIT_FSIZE, &limit);
        int result = image_write("kept.bmp", &picture, error);
        image_free(&picture);
        _exit(result == -1 && strstr(error, "kept.bmp: cannot write: ") ? 0 : 1);
    }
    int status = 1;
    waitpid(child, &status, 0);
    return status;
}

static void test_writing(void)
{
    char error[FILE_ERROR_SIZE] = "";
    image old = make_picture(4, 4, 3), back;
    refuses_write("new.jpg", 3, "unknown ending; legal are .bmp, .pgm");
    refuses_write("bmp", 3, "unknown ending");
    refuses_write("new.pgm", 3, "the picture has 3 channels, a .pgm takes 1");
    refuses_write("new.ppm", 1, "the picture has 1 channels, a .ppm takes 3");
    refuses_write("absent/new.bmp", 3, "cannot create: No such file");
    refuses_write("folder.bmp", 3, "cannot create: a directory of that name exists");
    refuses_write("pipe.bmp", 3, "something else than a file of that name exists");
    ok(image_write("kept.bmp", &old, error) == 0, "a file to keep");
    int before = count_entries(0);
    ok(write_with_little_room() == 0 && count_entries(0) == before,
       "a full disk is reported and its half of a file removed");
    ok(image_read("kept.bmp", &back, error) == 0 && same(&old, &back),
       "the file that was there before is untouched");
    image_free(&old);
    image_free(&back);
}

static int holds(const char *name, const char *text)
{
    char error[FILE_ERROR_SIZE];
    uint8_t *bytes;
    size_t size;
    if (file_read(name, &bytes, &size, error) != 0)
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
    ok(file_create(&first, "table.csv", error) == 0 &&
           file_create(&second, "table.csv", error) == 0,
       "two drafts of one name at once");
    fprintf(first.stream, "first");
    fprintf(second.stream, "second");
    ok(access("table.csv", F_OK) != 0, "nothing has the name before a commit");
    ok(file_commit(&first, error) == 0 && holds("table.csv", "first"), "the first is whole");
    ok(file_commit(&second, error) == 0 && holds("table.csv", "second"), "then the second");
    ok(file_create(&first, "table.csv", error) == 0, "a third");
    fprintf(first.stream, "third");
    file_abandon(&first);
    file_abandon(&first);
    ok(holds("table.csv", "second") && count_entries(0) == before + 1,
       "abandoned, it leaves the old file and nothing else");
    ok(file_create(&first, "", error) == -1 && strstr(error, "the file name is empty"),
       "an empty name is refused");
}

/* --------------------------------------------------------------------------- in memory ---- */

static void test_create(void)
{
    static const int bad[][3] = {{0, 1, 1},     {1, 0, 1}, {-1, 1, 1}, {32769, 1, 1},
                                 {1, 32769, 1}, {1, 1, 0}, {1, 1, 2},  {1, 1, 5}};
    image picture;
    int good = 1;
    for (size_t i = 0; i < SIZE(bad); i++)
        good &= image_create(&picture, bad[i][0], bad[i][1], bad[i][2]) == -1 && is_empty(&picture);
    image_free(&picture);
    ok(good && is_empty(&picture), "sides of 1..32768 and channels 1, 3, 4 alone are taken");
}

static void test_convert(void)
{
    uint8_t colours[] = {255, 0, 0, 0, 255, 0, 0, 0, 255, 255, 255, 255, 10, 20, 30};
    uint8_t expected[] = {76, 150, 29, 255, 18}; /* 76.245, 149.685, 29.07, 255, 18.15 */
    uint8_t rgba[] = {1, 2, 3, 4}, opaque[] = {1, 2, 3, 255}, spread[] = {7, 7, 7, 255}, to[4];
    image in = {5, 1, 3, colours}, want = {5, 1, 1, expected}, gray;
    ok(image_to_gray(&in, &gray) == 0 && same(&gray, &want), "gray weights of BT.601, rounded");
    image_free(&gray);
    image_convert(&(image){1, 1, 4, rgba}, 4, to);
    ok(memcmp(to, rgba, 4) == 0, "alpha stays");
    image_convert(&(image){1, 1, 4, rgba}, 3, to);
    image_convert(&(image){1, 1, 3, to}, 4, to);
    ok(memcmp(to, opaque, 4) == 0, "alpha goes, and what has none is opaque");
    image_convert(&(image){1, 1, 1, (uint8_t[]){7}}, 4, to);
    ok(memcmp(to, spread, 4) == 0, "gray stands for each colour");
    int level = 0;
    for (uint8_t y = 0; level < 256; level++, y++) {
        image_convert(&(image){1, 1, 4, (uint8_t[]){y, y, y, 9}}, 1, to);
        if (to[0] != y)
            break;
    }
    ok(level == 256, "R = G = B keeps its level, whatever the alpha");
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
    for (size_t i = 0; i < SIZE(bad); i++)
        good &= image_crop(&in, bad[i][0], bad[i][1], bad[i][2], bad[i][3], &out) == -1 &&
                is_empty(&out);
    ok(good, "a crop that does not lie inside is refused");
    image_free(&in);
}

static void resamples(const char *what, const image *in, const image *expected)
{
    image out;
    ok(image_resample(in, expected->width, expected->height, &out) == 0 && same(&out, expected),
       "resampled, %s", what);
    image_free(&out);
}

static void test_resample(void)
{
    uint8_t pixels[] = {0, 100, 200}, grown[] = {0, 25, 75, 125, 175, 200}, shrunk[] = {33, 167};
    uint8_t flat[12] = {100, 100, 100, 100, 100, 100, 100, 100, 100, 100, 100, 100};
    uint8_t square[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}, means[] = {4, 5, 6, 7, 8, 9};
    image three = {3, 1, 1, pixels}, six = {6, 1, 1, grown}, two = {2, 1, 1, shrunk};
    image tall = {1, 3, 1, pixels}, pair = {2, 1, 1, flat}, one = {1, 1, 1, flat};
    image colours = {2, 2, 3, square}, mean = {2, 1, 3, means}, many = {4, 3, 1, flat};
    resamples("the same size is the identity", &colours, &colours);
    resamples("bilinear where it grows", &three, &six);
    resamples("area average where it shrinks", &three, &two);
    resamples("area average of colours", &colours, &mean);
    resamples("each axis on its own", &tall, &pair);
    resamples("1 x 1 grows", &one, &many);
    resamples("a constant picture stays constant", &many, &pair);
    image out;
    ok(image_resample(&three, 0, 1, &out) == -1 && is_empty(&out), "a size of 0 is refused");
}

int main(void)
{
    const char *base = getenv("TMPDIR");
    char folder[PATH_MAX];
    snprintf(folder, sizeof folder, "%s/test_image.XXXXXX", base && *base ? base : "/tmp");
    if (!mkdtemp(folder) || chdir(folder) != 0) {
        printf("Bail out! cannot make %s\n", folder);
        return 1;
    }
    test_round_trips();
    test_bmp_direct();
    test_bmp_palette();
    test_bmp_refusals();
    test_pnm();
    test_png();
    test_jpeg();
    test_other_refusals();
    test_writing();
    test_drafts();
    test_create();
    test_convert();
    test_crop();
    test_resample();
    count_entries(1);
    ok(rmdir(folder) == 0, "the folder is gone");
    return done_testing();
}
