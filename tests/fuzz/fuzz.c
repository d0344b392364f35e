/*
 * fuzz.c - libFuzzer over whatever reads a file or a command line (tests/fuzz.sh). The
 * environment's TARGET is one of the folders here, which hold first inputs.
 *
 * A reader may end the program, with exit status 2 and nothing else: exit() comes back here, and
 * what was allocated since the input began is freed as the end of a program does it. A reader that
 * returns has freed what it took, or it leaks. Memory of allocate() holds another byte each time:
 * what no reader sets differs between two readings.
 */
#define _XOPEN_SOURCE 700
#define main          kernel   /* one whose name is known */
#include "../unit/test_options.c" /* for its made-up labs */
#undef main

#include "file.h"
#include "unit/folder.h"
#include "image.h"
#include "occupancy_table.h"
#include "run_record.h"

#include <sanitizer/allocator_interface.h>
#include <setjmp.h>

#define DEMAND(condition) /* what must hold of all that is accepted */                             \
    ((condition) ? (void)0 : (fprintf(stderr, "not so: %s\n", #condition), abort()))

/* ---- the targets ---------------------------------------------------------------------------- */

static void same(const void *one, size_t size, const void *other, size_t other_size)
{
    DEMAND(size == other_size && memcmp(one, other, size) == 0);
}

static void read_image(const char *path)
{
    image one = image_read(path), other = image_read(path);
    size_t samples = (size_t)one.width * (size_t)one.height * (size_t)one.channels;
    DEMAND(one.width > 0 && one.width <= IMAGE_MAX_SIDE && one.channels > 0);
    DEMAND(one.height > 0 && one.height <= IMAGE_MAX_SIDE && one.channels <= 4);
    same(one.pixels, samples, other.pixels, samples);
    image_free(&one);
    image_free(&other);
}

/* Reads the results at `from`, writes them to `to`, and returns what is there. */
static uint8_t *copy_results(const char *from, const char *to, size_t *size)
{
    result_table table = {NULL, 0, 0};
    result_table_read(&table, from);
    result_table_write(&table, to);
    result_table_free(&table);
    return file_read(to, size);
}

static void read_results(const char *path)
{
    size_t size, other_size;
    uint8_t *one = copy_results(path, "copy.csv", &size);
    uint8_t *other = copy_results("copy.csv", "copy.csv", &other_size);
    same(one, size, other, other_size);
    free(one);
    free(other);
}

/* Keeps the other labs' lines of whatever is there. */
static uint8_t *write_run_json(size_t *size)
{
    static char *argv[] = {"fuzz"};
    static const device d = {.emulated = true};
    const run_record record = {"lab1_x", "m", "d", &d, 1, argv, 1.0, -1, -1, {0}};
    run_record_write(&record, "x.csv");
    return file_read("run.json", size);
}

static void read_run_json(const char *path)
{
    size_t size, other_size;
    rename(path, "run.json");
    uint8_t *one = write_run_json(&size), *other = write_run_json(&other_size);
    same(one, size, other, other_size);
    free(one);
    free(other);
}

static void no_parameters(char *text, size_t bytes)
{
    snprintf(text, bytes, "x=1");
}

static void no_layout(problem *p)
{
    (void)p;
}

static void read_resources(const char *path)
{
    static const variant one[] = {{.kind = VARIANT_GPU, .kernel = (const void *)kernel}};
    static const lab made_up = {
        .name = "lab1_x", .layout = no_layout, .parameters = no_parameters, LAB_VARIANTS(one)};
    options o = {.chosen = (bool[]){true},
                 .occupancy_of = "sm_86",
                 .resources = path,
                 .sizes = {&(extent){16, 16, 0}, 1},
                 .blocks = {&(dim3){32, 32, 1}, 1}};
    occupancy_table_print(&made_up, &o);
}

static void look_at(const lab *l, const options *o)
{
    for (int i = 0; i < o->sizes.count; i++) {
        extent s = o->sizes.items[i];
        DEMAND(s.width > 0 && s.height > 0 && s.depth >= 0 && options_size_is_legal(l, s));
    }
    for (int i = 0; i < o->blocks.count; i++) {
        dim3 b = o->blocks.items[i];
        DEMAND(b.x > 0 && b.y > 0 && b.z == 1 && b.x * b.y <= 1024);
    }
    DEMAND(radius >= 1 && radius <= 64 && sigma >= 0.5 && sigma <= 1000 && o->trials >= 0);
}

/* A word a line; the first byte picks the lab. */
static void read_options(const char *path)
{
    static const lab *const made_up[] = {&vector_lab, &image_lab, &product_lab};
    char *argv[32] = {"fuzz"};
    int argc = 1;
    size_t size;
    char *words = (char *)file_read(path, &size);
    const lab *l = made_up[(unsigned char)words[0] % 3];
    for (char *w = strtok(words + (size > 0), "\n"); w && argc < 32; w = strtok(NULL, "\n"))
        argv[argc++] = w;
    options o = options_parse(l, argc, argv), scaling = options_for_scaling(&o, l, 8);
    look_at(l, &o);
    look_at(l, &scaling);
    options_free(&scaling);
    options_free(&o);
    free(words);
}

static void read_input(const char *path)
{
    const char *target = getenv("TARGET");
    strcmp(target, "results") == 0     ? read_results(path)
    : strcmp(target, "run_json") == 0  ? read_run_json(path)
    : strcmp(target, "resources") == 0 ? read_resources(path)
    : strcmp(target, "options") == 0   ? read_options(path)
                                       : read_image(path);
}

/* ---- libFuzzer's side ----------------------------------------------------------------------- */

enum { MOST = 4096 };

static jmp_buf before_input;
static volatile bool reading;
static const volatile void *live[MOST]; /* blocks of memory that the input has taken */
static volatile int count;

static void note_malloc(const volatile void *block, size_t bytes)
{
    (void)bytes;
    if (reading && count < MOST)
        live[count++] = block;
}

static void note_free(const volatile void *block)
{
    for (int i = reading ? count - 1 : -1; i >= 0; i--)
        if (live[i] == block) {
            live[i] = live[--count];
            return;
        }
}

/* The linker puts these in the places of exit() and allocate(): --wrap. */
_Noreturn void __real_exit(int status);
_Noreturn void __wrap_exit(int status)
{
    if (!reading)
        __real_exit(status);
    DEMAND(status == EXIT_BAD_INPUT);
    longjmp(before_input, 1);
}

void *__real_allocate(size_t bytes);
void *__wrap_allocate(size_t bytes)
{
    static unsigned char filling;
    return memset(__real_allocate(bytes), ++filling, bytes);
}

/* Returns whether it was read to the end. */
static bool is_accepted(const uint8_t *bytes, size_t size)
{
    put_bytes("input", bytes, size);
    count = 0;
    if (setjmp(before_input))
        return reading = false;
    reading = true;
    read_input("input");
    reading = false;
    return true;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    static int inputs;
    /* What the first input leaves, or what a second reading does not leave again, is no leak. */
    if (is_accepted(bytes, size) && count > 0)
        DEMAND(is_accepted(bytes, size) && count == 0);
    while (count > 0 && inputs > 0)
        free((void *)live[--count]);
    inputs++;
    return 0;
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    static char out[BUFSIZ];
    (void)argc, (void)argv;
    setvbuf(stdout, out, _IOFBF, sizeof out);
    return !__sanitizer_install_malloc_and_free_hooks(note_malloc, note_free);
}
