/* options.c - the command line, a word a line; its first byte picks one of three labs. */
#include "fuzz.h"
#include "file.h"
#include "options.h"

#include <string.h>

static bool flag;
static int number, choice;
static double real;
static uint64_t large;
static const char *text, *output;
static const char *const choices[] = {"one", "two", NULL};

static const lab_option own[] = {
    {"--flag", OPTION_FLAG, &flag},
    {"--number", OPTION_INT, &number, -5, 100},
    {"--large", OPTION_UINT64, &large, 0, 0x1p53},
    {"--real", OPTION_DOUBLE, &real, 0.5, 1e6},
    {"--choice", OPTION_CHOICE, &choice, .choices = choices},
    {"--text", OPTION_TEXT, &text},
    {"--output", OPTION_OUTPUT, &output},
};

static const variant variants[] = {
    {.name = "cpu", .kind = VARIANT_CPU, .serial = true},
    {.name = "cpu_omp", .kind = VARIANT_CPU, .scales = true},
    {.name = "naive", .kind = VARIANT_GPU},
};

static const char *const sizes_first[] = {"--sizes", "--blocks", "--trials", NULL};
static const char *const files_first[] = {"--text", "--output", "--number",
                                          "WIDTH",  "HEIGHT",   NULL};
static const char *const configurations[] = {"--choice two --sizes 8,13x4", "--flag", NULL};

static const char *refuse_size(int width, int height)
{
    return width == 13 && height > 0 ? "thirteen" : NULL;
}

#define LAB                                                                                        \
    .name = "lab1_x", .refuse_size = refuse_size, .size_max = 1 << 15, LAB_OPTIONS(own),           \
    LAB_VARIANTS(variants)

static const lab made_up[] = {
    {LAB, .sizes_are = SIZE_VECTOR, .block_dimensions = 1, .sweep = {"8 16", .blocks = "32"},
     .single = {sizes_first, 0, "16", "64", "7"}},
    {LAB, .sizes_are = SIZE_IMAGE, .block_dimensions = 2,
     .sweep = {"64x48 13", "128", "16x12", .blocks = "8 32", .configurations = configurations},
     .single = {files_first, 2, "32x24", "16", "3"}},
    {LAB, .sizes_are = SIZE_PRODUCT, .block_dimensions = 2,
     .sweep = {"32 16x8x4", NULL, "32", .blocks = "16"},
     .single = {sizes_first, 0, "16", "16", "3"}},
};

static void look_at(const lab *l, const options *o)
{
    for (int i = 0; i < o->sizes.count; i++) {
        extent s = o->sizes.items[i];
        DEMAND(s.width >= 1 && s.height >= 1 && s.depth >= 0 && options_size_is_legal(l, s));
    }
    for (int i = 0; i < o->blocks.count; i++) {
        dim3 b = o->blocks.items[i];
        DEMAND(b.x >= 1 && b.y >= 1 && b.z == 1 && b.x * b.y <= 1024);
    }
    for (int i = 0; i < o->cpu_threads.count; i++)
        DEMAND(o->cpu_threads.items[i] >= 1 && o->cpu_threads.items[i] <= 1024);
    DEMAND(number >= -5 && number <= 100 && large <= 1ULL << 53 && (choice == 0 || choice == 1));
    DEMAND(real >= 0.5 && real <= 1e6 && o->trials >= 0 && o->time_cap >= 0);
}

static options parse(const lab *l, char *words)
{
    char *argv[32] = {"fuzz"};
    int argc = 1;
    for (char *end = words; end && argc < 32; words = end + 1) {
        if ((end = strchr(words, '\n')))
            *end = '\0';
        argv[argc++] = words;
        if (!end)
            break;
    }
    return options_parse(l, argc, argv);
}

void fuzz(const char *path)
{
    size_t size;
    char *words = (char *)file_read(path, &size);
    const lab *l = &made_up[(unsigned char)words[0] % 3];
    number = choice = 0, real = 1, large = 0, text = output = NULL;
    options o = parse(l, words + (size > 0));
    look_at(l, &o);
    for (int i = 0; l->sweep.configurations && l->sweep.configurations[i]; i++) {
        options configured = options_configure(&o, l, l->sweep.configurations[i], false);
        look_at(l, &configured);
        options_free(&configured);
    }
    options scaling = options_for_scaling(&o, l, 8);
    look_at(l, &scaling);
    options_free(&scaling);
    options_free(&o);
    free(words);
}
