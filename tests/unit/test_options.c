/*
 * test_options.c - the command line: what is legal is understood, and whatever is not ends the
 * program with exit status 2 and one line that says what was wrong. options.tsv has the lines.
 */
#define _POSIX_C_SOURCE 200809L /* process.h */

#include "command_line/options.h"
#include "files/file.h"
#include "process.h"
#include "process/die.h"
#include "tap.h"

#include <wordexp.h>

/* ---- labs, one for each kind of size --------------------------------------------------------- */

static const variant variants[] = {
    {.name = "cpu", .kind = VARIANT_CPU, .summary = "serial"},
    {.name = "cpu_omp", .kind = VARIANT_CPU, .summary = "OpenMP", .role = ROLE_SCALES},
    {.name = "naive",
     .kind = VARIANT_GPU,
     .summary = "tiles",
     .needs = "nothing",
     .overlaps = true},
};

static const char *const sizes_first[] = {"--sizes", "--blocks", "--trials", NULL};

static const lab vector_lab = {
    .name = "lab1_vector",
    .title = "vectors",
    .sizes_are = SIZE_VECTOR,
    .sweep = {.sizes = "2^10 2^20", .blocks = "128 256"},
    .size_max = 1 << 30,
    .block_dimensions = 1,
    .single = {.positional = sizes_first, .size = "16", .block = "64", .trials = "7"},
    LAB_VARIANTS(variants),
};

static rank_part all(const problem *p, int i, int rank, int count)
{
    (void)rank, (void)count;
    return (rank_part){0, p->buffer[i].bytes};
}

/* One with a variant for several GPUs. */
static const variant divided_variants[] = {
    {.name = "naive", .kind = VARIANT_GPU, .summary = "tiles", .needs = "nothing"},
    {.name = "divided", .kind = VARIANT_GPU, .summary = "a part each", .part = all},
};

static const lab divided_lab = {
    .name = "lab1_divided",
    .title = "vectors over several GPUs",
    .sizes_are = SIZE_VECTOR,
    .sweep = {.sizes = "2^10", .blocks = "128"},
    .size_max = 1 << 30,
    .block_dimensions = 1,
    LAB_VARIANTS(divided_variants),
};

static const variant blank_variants[] = {{.name = "two words", .kind = VARIANT_CPU}};
static const lab blank_lab = {.name = "lab1_blank", LAB_VARIANTS(blank_variants)};
static const variant twice_variants[] = {{.name = "same", .kind = VARIANT_CPU},
                                         {.name = "other", .kind = VARIANT_CPU},
                                         {.name = "same", .kind = VARIANT_CPU}};
static const lab twice_lab = {.name = "lab1_twice", LAB_VARIANTS(twice_variants)};

/* One with what OpenMP scaling needs, and settings to go through. */
static int colour;
static double sigma = 30;
static const char *const colours[] = {"gray", "red", NULL};
static const lab_option colour_options[] = {
    {"--colour", OPTION_CHOICE, &colour, .help = "which", .choices = colours},
    {"--sigma", OPTION_DOUBLE, &sigma, 0.5, 1000, "the weight's width"}};
static const lab_settings colour_configurations[] = {
    {"--hot"}, {"--colour red --sigma 1.125 --blocks 8"}, {NULL}};

static const lab product_lab = {
    .name = "lab2_product",
    .title = "C = A B, of floats",
    .sizes_are = SIZE_PRODUCT,
    .sweep = {.sizes = "32 16x64x8",
              .sizes_large = "2048 4096",
              .scaling_size = "512",
              .blocks = "1 16",
              .configurations = colour_configurations,
              .stream = "--stream 50 --variants naive --sizes 48,96 --blocks 4"},
    .size_max = 32768,
    .block_dimensions = 2,
    .single = {.positional = sizes_first, .size = "32", .block = "16", .trials = "3"},
    LAB_OPTIONS(colour_options),
    LAB_VARIANTS(variants),
};

static const char *input, *output;
static int radius = 3;

static const lab_option image_options[] = {
    {"--input", OPTION_TEXT, &input, .help = "picture to filter"},
    {"--output", OPTION_TEXT, &output, .help = "where to write it"},
    {"--radius", OPTION_INT, &radius, 1, 64, "the window's radius"},
    {"--sigma", OPTION_DOUBLE, &sigma, 0.5, 1000, "the weight's width"},
};

static const char *const files_first[] = {"--input", "--output", "--blocks", "--trials", "--radius",
                                          "--sigma", "WIDTH",    "HEIGHT",   NULL};

static const char *refuse_narrow(int width, int height)
{
    return width == 13 && height > 0 ? "thirteen is too narrow" : NULL;
}

static const lab image_lab = {
    .name = "lab3_image",
    .title = "images",
    .sizes_are = SIZE_IMAGE,
    .sweep = {.sizes = "64x48 1024x768", .blocks = "8 32"},
    .size_max = 16384,
    .block_dimensions = 2,
    .single = {.positional = files_first,
               .required = 2,
               .size = "1024x768",
               .block = "16",
               .trials = "1"},
    .options = image_options,
    .n_options = 4,
    .variants = variants,
    .n_variants = 1,
    .refuse_size = refuse_narrow,
};

/* ---- a program of its own for each line ------------------------------------------------------ */

static void print_sizes(const char *name, const size_list *sizes)
{
    printf("%s", name);
    for (int i = 0; i < sizes->count; i++) {
        const extent *e = &sizes->items[i];
        printf(e->depth ? " %dx%dx%d" : " %dx%d", e->width, e->height, e->depth);
    }
}

static void print_options(const lab *definition, const options *o)
{
    print_sizes("sizes", &o->sizes);
    print_sizes("; large", &o->sizes_large);
    printf("; blocks");
    for (int i = 0; i < o->blocks.count; i++) {
        dim3 b = o->blocks.items[i];
        printf(" %ux%ux%u", b.x, b.y, b.z);
    }
    printf("; variants");
    for (int i = 0; i < definition->n_variants; i++)
        if (o->chosen && o->chosen[i])
            printf(" %s", definition->variants[i].name);
    printf("; trials %d; single %d; given %d; csv %s; machine %s; device %d; seed %llu; cap %g;",
           o->trials, o->single, o->sizes_given, o->csv ? o->csv : "-",
           o->machine ? o->machine : "-", o->device, (unsigned long long)o->seed, o->time_cap);
    printf(" limit %g; results %s; step %s; flags%s%s%s%s%s%s%s%s;", o->cpu_limit,
           o->results ? o->results : "-", o->step ? o->step : "-", o->check_only ? " check" : "",
           o->hot ? " hot" : "", o->resume ? " resume" : "", o->fresh ? " fresh" : "",
           o->describe ? " describe" : "", o->print_machine ? " machine" : "",
           o->list ? " list" : "", o->help ? " help" : "");
    printf(" threads");
    for (int i = 0; i < o->cpu_threads.count; i++)
        printf(" %d", o->cpu_threads.items[i]);
    printf("; whole %d; colour %s;", options_are_default_sweep(o), colours[colour]);
    printf(" input %s; output %s; radius %d; sigma %g;", input ? input : "-", output ? output : "-",
           radius, sigma);
}

typedef void body(const lab *definition, int argc, char **argv);

typedef struct program {
    body *action;
    const lab *definition;
    const char *line; /* as a shell would have it */
} program;

static void parse_and_print(const lab *definition, int argc, char **argv)
{
    options o = options_parse(definition, argc, argv);
    print_options(definition, &o);
    options_free(&o);
}

static void run_program(const void *context)
{
    const program *p = context;
    wordexp_t words = {.we_wordc = 0};
    char text[256];
    snprintf(text, sizeof text, "program %s", p->line);
    if (wordexp(text, &words, WRDE_NOCMD) == 0)
        p->action(p->definition, (int)words.we_wordc, words.we_wordv);
}

/* The line is understood: nothing on stderr, and what is printed has `expected`. */
static void prints(body *action, const lab *definition, const char *line, const char *expected)
{
    const program p = {action, definition, line};
    outcome got = in_process(run_program, &p);
    if (!ok(got.status == 0 && got.error[0] == '\0' && strstr(got.out, expected),
            "%s takes %.60s: %.60s", definition->name, line, expected + (*expected == '\n')))
        printf("#   status %d, stderr: %s\n#   got: %s\n", got.status, got.error, got.out);
}

/* The line is refused: exit status 2, nothing on stdout, one line on stderr with `complaint`. */
static void refuses(const lab *definition, const char *line, const char *complaint)
{
    const program p = {parse_and_print, definition, line};
    outcome got = in_process(run_program, &p);
    if (!ok(is_refusal(&got, complaint), "%s refuses %.60s", definition->name, line))
        printf("#   status %d, stdout: %s\n#   stderr: %s\n#   to be complained of: %s\n",
               got.status, got.out, got.error, complaint);
}

/* The scaling run that such a command line ends with on as many threads as its last word says. */
static void parse_and_print_scaling(const lab *definition, int argc, char **argv)
{
    int threads = (int)strtol(argv[--argc], NULL, 10);
    options user = options_parse(definition, argc, argv);
    options scaled = options_with_threads(&user, threads);
    options o = options_configure(&scaled, definition, options_scaling(definition)->options, false);
    print_options(definition, &o);
    options_free(&o);
    options_free(&user);
}

/* The run of such a command line with the settings that its last word holds. */
static void parse_and_print_configured(const lab *definition, int argc, char **argv)
{
    const char *settings = argv[--argc];
    options user = options_parse(definition, argc, argv);
    options o = options_configure(&user, definition, settings, false);
    print_options(definition, &o);
    options_free(&o);
    options_free(&user);
}

/* The run with hot data of such a command line. */
static void parse_and_print_hot(const lab *definition, int argc, char **argv)
{
    options user = options_parse(definition, argc, argv);
    options o = options_for_hot(&user, definition);
    printf("%s: ", o.hot ? "hot" : "cold");
    print_options(definition, &o);
    options_free(&o);
    options_free(&user);
}

/*
 * The stream of such a command line, behind the lab's configurations, on a machine without a GPU if
 * its last word is `cpu`.
 */
static void parse_and_print_stream(const lab *definition, int argc, char **argv)
{
    bool emulated = strcmp(argv[--argc], "cpu") == 0;
    options user = options_parse(definition, argc, argv);
    for (const lab_settings *c = definition->sweep.configurations; c && c->options; c++) {
        options before = options_configure(&user, definition, c->options, false);
        options_free(&before);
    }
    options o = options_for_stream(&user, definition, emulated);
    printf("%d frames, %s: ", o.frames, transfer_names[o.transfer]);
    print_options(definition, &o);
    options_free(&o);
    options_free(&user);
}

/* As --help, --list and --describe print them. */
static void print_texts(const lab *definition, int argc, char **argv)
{
    options o = options_parse(definition, argc, argv);
    options_print_help(definition);
    options_print_variants(definition);
    options_print_description(definition);
    options_free(&o);
}

/* ---- the list of lines ----------------------------------------------------------------------- */

/* Cuts the next field off a line; in it \t and \n stand for what they are in C, \e for escape. */
static char *cut_field(char **rest)
{
    char *field = *rest, *from = field, *to = field;
    for (; !strchr("\t", *from); from++, to++)
        if (*from == '\\' && from[1] && strchr("tne", from[1]))
            *to = *++from == 't' ? '\t' : *from == 'e' ? '\033' : '\n';
        else
            *to = *from;
    *rest = from + (*from != '\0');
    *to = '\0';
    return field;
}

static const lab *lab_of(const char *name)
{
    static const lab *const labs[] = {&vector_lab, &product_lab, &image_lab,
                                      &blank_lab,  &twice_lab,   &divided_lab};
    size_t i = 0;
    while (!strstr(labs[i]->name, name))
        i++;
    return labs[i];
}

/* Each of the words is refused as the option's value by name. */
static void refuses_each(const lab *definition, const char *option, char *words)
{
    char line[128], complaint[64];
    for (char *word = strtok(words, " "); word; word = strtok(NULL, " ")) {
        snprintf(line, sizeof line, "%s '%s'", option, word);
        snprintf(complaint, sizeof complaint, "'%s'", word);
        refuses(definition, line, complaint);
    }
}

static void test_line(char *rest)
{
    const char *kind = cut_field(&rest);
    const lab *definition = lab_of(cut_field(&rest));
    const char *line = cut_field(&rest);
    char *expected = cut_field(&rest), whole[512];
    snprintf(whole, sizeof whole, "program: %s\n", expected);
    if (strcmp(kind, "refuses") == 0)
        refuses(definition, line, whole);
    else if (strcmp(kind, "refuses each") == 0)
        refuses_each(definition, line, expected);
    else
        prints(strcmp(kind, "takes") == 0    ? parse_and_print
               : strcmp(kind, "scales") == 0 ? parse_and_print_scaling
               : strcmp(kind, "with") == 0   ? parse_and_print_configured
               : strcmp(kind, "hot") == 0    ? parse_and_print_hot
               : strcmp(kind, "stream") == 0 ? parse_and_print_stream
                                             : print_texts,
               definition, line, expected);
}

int main(void)
{
    size_t size;
    char *list = (char *)file_read("tests/unit/options.tsv", &size), *next;
    die_set_program("/some/where/program");
    for (char *line = list; *line; line = next) {
        next = line + strcspn(line, "\n") + 1;
        next[-1] = '\0';
        if (*line != '#')
            test_line(line);
    }
    free(list);
    return done_testing();
}
