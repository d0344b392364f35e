/*
 * fuzz.c - libFuzzer over whatever reads a file or a command line (tests/fuzz.sh). The
 * environment's TARGET is a folder beside this file, which holds first inputs.
 *
 * A reader may end the program, with exit status 2: exit() comes back here, and what was allocated
 * since the input began is freed as the end of a program does it. What is accepted, and maybe
 * written anew, is read once more: nothing changes then, and no memory is left (what the first time
 * leaves may be set up for good). No block of memory may be larger than 256 MB.
 */
#define _XOPEN_SOURCE 700
#define main          kernel /* its labs are used here, and this function as a kernel */
#include "../unit/test_options.c"
#undef main

#include "machine/host.h"
#include "pictures/image.h"
#include "run/occupancy_table.h"
#include "run/run_record.h"
#include "unit/fixture.h"
#include "unit/folder.h"

#include <sanitizer/allocator_interface.h>
#include <setjmp.h>

#define INPUT "run.json"

#define DEMAND(condition)                                                                          \
    ((condition) ? (void)0 : (fprintf(stderr, "not so: %s\n", #condition), abort()))

/* ---- the targets ---------------------------------------------------------------------------- */

static void read_image(void)
{
    image picture = image_read(INPUT);
    DEMAND(picture.width <= IMAGE_MAX_SIDE && picture.height <= IMAGE_MAX_SIDE);
    image_free(&picture);
}

static void read_results(void)
{
    result_table table = {NULL, 0, 0};
    result_table_read(&table, INPUT);
    result_table_write(&table, INPUT);
    result_table_free(&table);
}

/* Keeps the other labs' lines of whatever is there. */
static void read_run_json(void)
{
    static char *argv[] = {"fuzz"};
    static const device d = {.emulated = true};
    run_record_write(&(run_record){"lab1_x", "m", "d", &d, 1, argv}, "x.csv");
}

/* The lab's parameters are any text. */
static void read_resources(void)
{
    static const variant one[] = {{.kind = VARIANT_GPU, .kernel = (const void *)kernel}};
    static const lab made_up = {FIXTURE, .parameters = host_os_name, LAB_VARIANTS(one)};
    options o = {.chosen = &(bool){true}, .occupancy_of = "sm_86", .resources = INPUT};
    o.sizes = (size_list){&(extent){16, 16, 0}, 1};
    o.blocks = (block_list){&(dim3){32, 32, 1}, 1};
    occupancy_table_print(&made_up, &o);
}

/* A word a line; the first byte picks the lab. */
static void read_options(void)
{
    static const lab *const made_up[] = {&vector_lab, &image_lab, &product_lab};
    char *argv[32] = {"fuzz"}, *words = strdup(get_file(INPUT)), *word = words + (*words != 0);
    const lab *l = made_up[(unsigned char)*words % 3];
    int argc = 1;
    input = output = NULL; /* as in a program that begins */
    for (word = strtok(word, "\n"); word && argc < 32; word = strtok(NULL, "\n"))
        argv[argc++] = word;
    options o = options_parse(l, argc, argv), threads = options_with_threads(&o, 8);
    options scaling = options_configure(&threads, l, options_scaling(l)->options, false);
    DEMAND(radius >= 1 && radius <= 64 && sigma >= 0.5 && sigma <= 1000 && o.trials >= 0);
    options_free(&scaling);
    options_free(&o);
    free(words);
}

static void read_input(const char *target)
{
    strcmp(target, "results") == 0     ? read_results()
    : strcmp(target, "run_json") == 0  ? read_run_json()
    : strcmp(target, "resources") == 0 ? read_resources()
    : strcmp(target, "options") == 0   ? read_options()
                                       : read_image();
}

/* ---- libFuzzer's side ----------------------------------------------------------------------- */

static jmp_buf before_input;
static _Thread_local volatile bool reading; /* libFuzzer has a thread of its own */
static const volatile void *live[4096];     /* blocks of memory that the input has taken */
static volatile int count;

static void note_malloc(const volatile void *block, size_t bytes)
{
    DEMAND(!reading || bytes <= 256 << 20);
    if (reading && count < (int)COUNT(live))
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

/* The linker puts it in exit()'s place: --wrap. */
_Noreturn void __real_exit(int status);
_Noreturn void __wrap_exit(int status)
{
    if (!reading)
        __real_exit(status);
    DEMAND(status == EXIT_BAD_INPUT);
    longjmp(before_input, 1);
}

/* Returns whether it was read to the end. */
static bool accepts(void)
{
    count = 0;
    if (setjmp(before_input))
        return reading = false;
    reading = true;
    read_input(getenv("TARGET"));
    return !(reading = false);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    static bool warm;
    put_bytes(INPUT, bytes, size);
    if (accepts()) {
        char *first = strdup(get_file(INPUT));
        DEMAND(accepts() && count == 0 && strcmp(get_file(INPUT), first) == 0);
        free(first);
    }
    while (warm && count > 0)
        free((void *)live[--count]);
    warm = true;
    return 0;
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argc, (void)argv;
    return !freopen("/dev/null", "w", stdout) || setvbuf(stdout, NULL, _IONBF, 0) ||
           !__sanitizer_install_malloc_and_free_hooks(note_malloc, note_free);
}
