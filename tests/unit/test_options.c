/*
 * test_options.c - the command line: what is legal is understood, and whatever is not ends the
 * program with exit status 2 and one line that says what was wrong.
 */
#define _POSIX_C_SOURCE 200809L /* process.h */

#include "die.h"
#include "options.h"
#include "process.h"
#include "tap.h"

/* ---- labs, one for each kind of size --------------------------------------------------------- */

static const variant variants[] = {
    {.name = "cpu", .kind = VARIANT_CPU, .summary = "serial"},
    {.name = "naive", .kind = VARIANT_GPU, .summary = "one output a thread"},
    {.name = "shared_tile", .kind = VARIANT_GPU, .summary = "tiles", .needs = "nothing"},
};

static const char *const sizes_first[] = {"--sizes", "--blocks", "--trials", NULL};

static const lab vector_lab = {
    .name = "lab1_vector",
    .title = "vectors",
    .sizes_are = SIZE_VECTOR,
    .sweep = {.sizes = "2^10 2^20", .blocks = "128 256"},
    .size_min = 1,
    .size_max = 1 << 30,
    .block_dimensions = 1,
    .single = {.positional = sizes_first, .size = "16", .block = "64", .trials = "7"},
    .variants = variants,
    .n_variants = 3,
};

#define MATRIX_LAB                                                                                 \
    .size_min = 1, .size_max = 32768, .block_dimensions = 2, .variants = variants,                 \
    .n_variants = 3,                                                                               \
    .single = {.positional = sizes_first, .size = "32", .block = "16", .trials = "3"}

static const lab square_lab = {
    .name = "lab2_square",
    .title = "matrices",
    .sizes_are = SIZE_PRODUCT,
    .sweep = {.sizes = "32 64", .sizes_large = "2048 4096", .blocks = "1 16 32"},
    MATRIX_LAB,
};

static const lab product_lab = {
    .name = "lab2_product",
    .title = "C = A B, of floats",
    .sizes_are = SIZE_PRODUCT,
    .sweep = {.sizes = "32 16x64x8", .blocks = "16"},
    MATRIX_LAB,
};

/* One with what OpenMP scaling needs, and settings to go through. */
static int colour;
static const char *const colours[] = {"gray", "red", NULL};
static const lab_option colour_options[] = {
    {"--colour", OPTION_CHOICE, &colour, .help = "which", .choices = colours}};
static const char *const colour_configurations[] = {"--hot --colour gray",
                                                    "--colour red --sizes 64", NULL};
static const variant cpu_variants[] = {
    {.name = "cpu", .kind = VARIANT_CPU, .summary = "serial"},
    {.name = "cpu_omp", .kind = VARIANT_CPU, .summary = "OpenMP", .scales = true},
    {.name = "naive", .kind = VARIANT_GPU, .summary = "one output a thread"},
};

static const lab scaling_lab = {
    .name = "lab4_scaling",
    .title = "pictures on many cores",
    .sizes_are = SIZE_IMAGE,
    .sweep = {.sizes = "64x48 128x96",
              .sizes_large = "2048x1536",
              .scaling_size = "512x384",
              .blocks = "8",
              .configurations = colour_configurations},
    .size_min = 1,
    .size_max = 16384,
    .block_dimensions = 2,
    .single = {.positional = sizes_first, .size = "64x48", .block = "16", .trials = "1"},
    .options = colour_options,
    .n_options = 1,
    .variants = cpu_variants,
    .n_variants = 3,
};

static const char *input, *output;
static int radius = 3;
static double sigma = 30;

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
    (void)height;
    return width == 13 ? "thirteen is too narrow" : NULL;
}

static const lab image_lab = {
    .name = "lab3_image",
    .title = "images",
    .sizes_are = SIZE_IMAGE,
    .sweep = {.sizes = "64x48 1024x768", .blocks = "8 32"},
    .size_min = 1,
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
    .n_variants = 3,
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
        if (o->chosen[i])
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

static void parse_and_print(const lab *definition, int argc, char **argv)
{
    options o = options_parse(definition, argc, argv);
    print_options(definition, &o);
    options_free(&o);
}

typedef struct program {
    body *action;
    const lab *definition;
    char **argv;
} program;

static void run_program(const void *context)
{
    const program *p = context;
    int argc = 0;
    while (p->argv[argc])
        argc++;
    p->action(p->definition, argc, p->argv);
}

static outcome run(body *action, const lab *definition, char **argv)
{
    const program p = {action, definition, argv};
    return in_process(run_program, &p);
}

/* The words of a command line, the program's name first. */
#define LINE(...) ((char *[]){"program", __VA_ARGS__, NULL})

static const char *line_text(char **argv)
{
    static char text[160];
    size_t used = 0;
    text[0] = '\0';
    for (int i = 1; argv[i] && used + 60 < sizeof text; i++)
        used += (size_t)snprintf(text + used, sizeof text - used, " %s%.40s%s",
                                 *argv[i] && !strpbrk(argv[i], " ,\t\n") ? "" : "'", argv[i],
                                 *argv[i] && !strpbrk(argv[i], " ,\t\n") ? "" : "'");
    for (char *c = text; *c; c++) /* TAP: a test's name is one line and `#` has a meaning in it */
        if (*c == '\n' || *c == '#')
            *c = '?';
    return text;
}

/* The line is refused: exit status 2, nothing on stdout, one line on stderr with `complaint`. */
static void refuses(const lab *definition, const char *complaint, char **argv)
{
    outcome got = run(parse_and_print, definition, argv);
    if (!ok(is_refusal(&got, complaint), "%s refuses%s", definition->name, line_text(argv)))
        printf("#   status %d, stdout: %s\n#   stderr: %s\n#   to be complained of: %s\n",
               got.status, got.out, got.error, complaint);
}

/* Each of the words, which have blanks between them, is refused as the option's value by name. */
static void refuses_each(const lab *definition, const char *option, const char *words)
{
    char list[512], complaint[64];
    snprintf(list, sizeof list, "%s", words);
    for (char *word = strtok(list, " "); word; word = strtok(NULL, " ")) {
        snprintf(complaint, sizeof complaint, "'%s'", word);
        refuses(definition, complaint, LINE((char *)option, word));
    }
}

/* The line is understood: nothing on stderr, and print_options() prints `expected`. */
static void accepts(const lab *definition, const char *expected, char **argv)
{
    outcome got = run(parse_and_print, definition, argv);
    if (!ok(got.status == 0 && got.error[0] == '\0' && strstr(got.out, expected), "%s takes%s",
            definition->name, line_text(argv)))
        printf("#   status %d, stderr: %s\n#   options: %s\n#   expected: %s\n", got.status,
               got.error, got.out, expected);
}

/* ---- sizes ---------------------------------------------------------------------------------- */

static void test_sizes(void)
{
    accepts(&vector_lab, "sizes 1000x1; large; blocks", LINE("--sizes", "1000"));
    accepts(&vector_lab, "sizes 1048576x1;", LINE("--sizes", "2^20"));
    accepts(&vector_lab, "sizes 1x1 1073741824x1;", LINE("--sizes", "1 2^30"));
    accepts(&vector_lab, "sizes 16x1 32x1 64x1;", LINE("--sizes", " 16 ,32,\t64, "));
    accepts(&vector_lab, "sizes 7x1;", LINE("--sizes=7"));
    accepts(&vector_lab, "sizes 8x1;", LINE("--sizes", "7", "--sizes", "8"));
    accepts(&square_lab, "sizes 512x512x512; large;", LINE("--sizes", "512"));
    accepts(&image_lab, "sizes 640x480;", LINE("--sizes", "640x480"));
    accepts(&image_lab, "sizes 1024x768 30x20;", LINE("--sizes", "1024,30x20"));
    accepts(&image_lab, "sizes 1x1 3x2;", LINE("--sizes", "1 3")); /* 4:3, rounded down */
    accepts(&image_lab, "sizes 1024x2;", LINE("--sizes", "2^10x2^1"));

    refuses_each(&vector_lab, "--sizes",
                 "0 -1 1000000000000 1e3 2^99 2^64 2^69 2^31 2^ 2^-1 2^2^2 3^2 abc 16.5 +16 0x10 "
                 "16k 1_000 16;32 - ^ 16a a16 9223372036854775807 9223372036854775808 "
                 "99999999999999999999999999999999999999");
    accepts(&product_lab, "sizes 512x512x512;", LINE("--sizes", "512"));
    accepts(&product_lab, "sizes 4096x1024x512 8x8x8;", LINE("--sizes", "1024x2^12x512,8x8x8,8"));
    accepts(&product_lab, "sizes 64x16x8; large;", LINE("16x64x8"));
    refuses_each(&product_lab, "--sizes", "8x8 8x8x8x8 8x8x 8x0x8 8x8x32769 x8x8 8xx8 8x-1x8");
    refuses(&product_lab, "give an order N, such as 512, or MxNxK, such as 1024x4096x512,",
            LINE("--sizes", "0"));
    refuses(&vector_lab, "1 to", LINE("--sizes", ""));
    refuses(&vector_lab, "1 to", LINE("--sizes", " , "));
    refuses(&vector_lab, "'0'", LINE("--sizes", "16 0 32"));
    refuses(&vector_lab, "from 1 to 1073741824", LINE("--sizes", "0")); /* says what is legal */
    refuses(&vector_lab, "'16x16'", LINE("--sizes", "16x16"));
    refuses(&vector_lab, "too long",
            LINE("--sizes", "0000000000000000000000000000000000000000000000000000000000000000016"));
    refuses(&square_lab, "'32769'", LINE("--sizes", "32769"));
    refuses(&square_lab, "'64x64'", LINE("--sizes", "64x64"));
    refuses_each(&image_lab, "--sizes",
                 "640x x480 640x480x3 640x0 0x480 640x-1 640X480 640*480 16385 640x16385 "
                 "9223372036854775807 0 64x2^99 640xabc");
    refuses(&image_lab, "640x", LINE("--sizes", "640x 480"));
    refuses(&image_lab, "thirteen is too narrow", LINE("--sizes", "13x20"));
}

/* A list's length has a limit; what stands in it twice counts once. */
static void test_long_list(void)
{
    enum { LIMIT = 4096 };
    static char list[2 * (LIMIT + 1) + 1];
    for (int i = 0; i < LIMIT; i++)
        memcpy(list + 2 * i, "8 ", 3);
    accepts(&vector_lab, "sizes 8x1; large;", LINE("--sizes", list));
    strcat(list, "8");
    refuses(&vector_lab, "a list of 1 to 4096 items", LINE("--sizes", list));
}

/* ---- blocks --------------------------------------------------------------------------------- */

static void test_blocks(void)
{
    accepts(&square_lab, "blocks 16x16x1 32x8x1;", LINE("--blocks", "16 32x8"));
    accepts(&square_lab, "blocks 1x1x1 32x32x1;", LINE("--blocks", "1,32"));
    accepts(&square_lab, "blocks 1024x1x1 1x1024x1;", LINE("--blocks", "1024x1 1x1024"));
    accepts(&vector_lab, "blocks 1x1x1 256x1x1 1024x1x1;", LINE("--blocks", "1,256,1024"));
    accepts(&vector_lab, "blocks 33x1x1 64x1x1;", LINE("--blocks", "33 64x1"));
    /* One dimension: as many threads, in a row. */
    accepts(&vector_lab, "blocks 256x1x1;", LINE("--blocks", "32x8"));

    refuses_each(&square_lab, "--blocks",
                 "0 33 33x33 abc -4 16x x16 16x16x16 1025 1024x2 16x0 0x16 16.0 1e1 2^4 16x-1 "
                 "16X16 65536x65536 4294967296x4294967296 4294967297 9223372036854775807x1024 "
                 "9223372036854775808");
    refuses(&square_lab, "1 to", LINE("--blocks", ""));
    refuses(&square_lab, "1024", LINE("--blocks", "33")); /* says what is legal */
    refuses(&square_lab, "'33'", LINE("--blocks", "16 33 8"));
    refuses(&vector_lab, "'0'", LINE("--blocks", "0"));
    refuses(&vector_lab, "'1025'", LINE("--blocks", "1025"));
    refuses(&vector_lab, "'64x32'", LINE("--blocks", "64x32"));
}

/* ---- the other options ---------------------------------------------------------------------- */

static void test_common_options(void)
{
    accepts(&vector_lab,
            "variants cpu naive shared_tile; trials 10; single 0; given 0; csv -; machine -; "
            "device 0; seed 1; cap 0.3; limit 20; results -; step -;",
            LINE("--hot"));
    accepts(&vector_lab, "csv a=b; machine a.b; device 3; seed 9007199254740992; cap 2.5; limit 0;",
            LINE("--csv=a=b", "--machine", "a.b", "--device", "3", "--seed", "9007199254740992",
                 "--time-cap", "2.5", "--cpu-limit", "0"));
    accepts(&vector_lab, "results some/where; step lab 3 of 8; flags check hot fresh;",
            LINE("--results", "some/where", "--step", "lab 3 of 8", "--fresh", "--hot",
                 "--check-only"));
    accepts(&vector_lab, "flags resume;", LINE("--resume", "--csv", "x"));
    accepts(&image_lab, "flags describe machine list help;",
            LINE("-h", "--list", "--describe", "--print-machine"));

    accepts(&vector_lab, "variants cpu shared_tile;", LINE("--variants", "shared_tile,cpu"));
    refuses_each(&vector_lab, "--variants", "fast naiv Naive");
    refuses(&vector_lab, "cpu, naive, shared_tile", LINE("--variants", "cpu fast"));
    refuses(&vector_lab, "--variants", LINE("--variants", ""));
    accepts(&vector_lab, "trials 1;", LINE("--trials", "1"));
    accepts(&vector_lab, "trials 1000000;", LINE("--trials", "1000000"));
    refuses_each(&vector_lab, "--trials",
                 "0 -1 1000001 abc 2.5 1e3 +3 0x3 3,4 nan 99999999999999999999");
    refuses(&vector_lab, "'' is not a whole number from 1 to 1000000", LINE("--trials", ""));
    refuses(&vector_lab, "' 3'", LINE("--trials", " 3"));
    refuses(&vector_lab, "'3 '", LINE("--trials", "3 "));
    refuses_each(&vector_lab, "--time-cap", "nan -1 inf 86401 2s");
    refuses(&vector_lab, "--time-cap", LINE("--time-cap", ""));
    refuses_each(&vector_lab, "--cpu-limit", "-1 20s");
    refuses_each(&vector_lab, "--device", "-1 gpu");
    refuses_each(&vector_lab, "--seed", "-1 9007199254740994");
    refuses_each(&vector_lab, "--machine", "a,b a/b ../x . .. a'b a\"b a\\b");
    refuses(&vector_lab, "--machine", LINE("--machine", ""));
    refuses(&vector_lab, "'a b'", LINE("--machine", "a b"));
    refuses(&vector_lab, "'a?b'", LINE("--machine", "a\nb"));
    refuses(&vector_lab, "'..'", LINE("--machine", "..", "--print-machine"));

    refuses(&vector_lab, "--resume needs --results DIR or --csv FILE", LINE("--resume"));
    refuses(&vector_lab, "--fresh needs --results DIR or --csv FILE", LINE("--fresh"));
    refuses(&vector_lab, "--fresh", LINE("--fresh", "--resume", "--csv", "x"));
    refuses(&vector_lab, "--results and --csv", LINE("--results", "x", "--csv", "y"));
    refuses(&vector_lab, "--results and --occupancy-of",
            LINE("--results", "x", "--occupancy-of", "sm_90"));
}

static void test_unknown_options(void)
{
    refuses(&vector_lab, "--speed", LINE("--speed", "11"));
    refuses(&vector_lab, "--help", LINE("--speed")); /* says where the legal ones are */
    refuses(&vector_lab, "--size'", LINE("--size", "16"));
    refuses(&vector_lab, "--HOT", LINE("--HOT"));
    refuses(&vector_lab, "--radius", LINE("--radius", "3")); /* another lab's */
    refuses(&vector_lab, "-v", LINE("-v"));
    refuses(&vector_lab, "--", LINE("--"));
    refuses(&vector_lab, "'--'", LINE("--=3"));
    refuses(&vector_lab, "--sizes needs a value: --sizes LIST", LINE("--hot", "--sizes"));
    refuses(&vector_lab, "--step needs a value: --step TEXT", LINE("--hot", "--step"));
    refuses(&image_lab, "--radius needs a value", LINE("--radius"));
    refuses(&vector_lab, "--resume takes no value", LINE("--resume=1"));
    refuses(&vector_lab, "--hot takes no value", LINE("--hot="));
    /* What follows is an option of its own, not a file's name. */
    refuses(&vector_lab, "--csv needs a value", LINE("--csv", "--hot"));
}

/* ---- a lab's own options -------------------------------------------------------------------- */

static void test_lab_options(void)
{
    accepts(&image_lab, "radius 5; sigma 2.5;", LINE("--radius", "5", "--sigma=2.5"));
    accepts(&image_lab, "radius 64; sigma 1000;", LINE("--radius", "64", "--sigma", "1e3"));
    accepts(&image_lab, "input a b.bmp;", LINE("--input", "a b.bmp"));
    refuses_each(&image_lab, "--radius", "0 65 -3 3.5 abc 3x nan 1e1");
    refuses(&image_lab, "--radius", LINE("--radius", ""));
    refuses(&image_lab, "from 1 to 64", LINE("--radius", "65"));
    refuses_each(&image_lab, "--sigma",
                 "nan -nan NAN inf -inf 0.49 1000.1 1e400 abc -30 30px 3,5 1e-400");
    refuses(&image_lab, "--sigma", LINE("--sigma", ""));
    refuses(&image_lab, "--sigma", LINE("--sigma", "\t30"));
    refuses(&image_lab, "from 0.5 to 1000", LINE("--sigma", "nan"));
    refuses(&image_lab, "--input", LINE("--input", ""));
}

/* ---- positional arguments ------------------------------------------------------------------- */

static void test_positional(void)
{
    accepts(&vector_lab,
            "sizes 16x1; large; blocks 64x1x1; variants cpu naive shared_tile; "
            "trials 7; single 1; given 1;",
            (char *[]){"program", NULL});
    accepts(&square_lab, "sizes 100x100x100; large; blocks 16x16x1;", LINE("100"));
    accepts(&square_lab, "sizes 100x100x100; large; blocks 32x8x1;", LINE("100", "32x8"));
    accepts(&square_lab, "trials 5; single 1;", LINE("100", "8", "5"));
    accepts(&square_lab, "trials 9; single 1;", LINE("100", "8", "--trials", "9"));
    accepts(&square_lab, "sizes 100x100x100; large; blocks 8x8x1; variants naive;",
            LINE("--variants", "naive", "100", "8"));
    refuses(&square_lab, "too many", LINE("100", "8", "5", "1"));
    refuses(&square_lab, "'abc'", LINE("abc"));
    refuses(&square_lab, "'33'", LINE("100", "33"));
    refuses(&square_lab, "0", LINE("100", "8", "0"));
    refuses(&square_lab, "1 to", LINE(""));
    refuses(&square_lab, "1 to", LINE("100", ""));
    /* One size, one block: that is what a run with positional arguments is. */
    refuses(&square_lab, "100 200", LINE("100 200"));
    refuses(&square_lab, "8,16", LINE("100", "8,16"));
    /* The same thing twice, in two ways. */
    refuses(&square_lab, "--sizes", LINE("100", "--sizes", "200"));
    refuses(&square_lab, "--blocks", LINE("--blocks", "4", "100", "8"));
}

static void test_image_positional(void)
{
    accepts(&image_lab,
            "sizes 1024x768; large; blocks 16x16x1; variants cpu naive shared_tile; "
            "trials 1; single 1;",
            LINE("in.bmp", "out.bmp"));
    accepts(&image_lab, "input in.bmp; output out.bmp; radius 3; sigma 30;",
            LINE("in.bmp", "out.bmp"));
    accepts(&image_lab,
            "sizes 200x100; large; blocks 8x8x1; variants cpu naive shared_tile; "
            "trials 4; single 1;",
            LINE("in.bmp", "out.bmp", "8", "4", "5", "12.5", "200", "100"));
    accepts(&image_lab, "radius 5; sigma 12.5;",
            LINE("in.bmp", "out.bmp", "8", "4", "5", "12.5", "200", "100"));
    /* A width without its height leaves the height at its default. */
    accepts(&image_lab, "sizes 200x768;", LINE("in.bmp", "out.bmp", "8", "4", "5", "12.5", "200"));
    accepts(&image_lab, "sizes 200x150; large; blocks 8x8x1;",
            LINE("in.bmp", "out.bmp", "8", "--sizes", "200"));
    refuses(&image_lab, "first 2 arguments", (char *[]){"program", NULL});
    refuses(&image_lab, "first 2 arguments", LINE("in.bmp"));
    refuses(&image_lab, "--input", LINE("", "out.bmp"));
    refuses(&image_lab, "too many", LINE("a", "b", "8", "4", "5", "12.5", "200", "100", "x"));
    refuses(&image_lab, "--radius", LINE("a", "b", "8", "4", "0"));
    refuses(&image_lab, "--sigma", LINE("a", "b", "8", "4", "5", "nan"));
    refuses(&image_lab, "abc", LINE("a", "b", "8", "4", "5", "12.5", "abc"));
    refuses(&image_lab, "200x", LINE("a", "b", "8", "4", "5", "12.5", "200", ""));
    refuses(&image_lab, "200x-1", LINE("a", "b", "8", "4", "5", "12.5", "200", "-1"));
    refuses(&image_lab, "64x48", LINE("a", "b", "8", "4", "5", "12.5", "64x48"));
    refuses(&image_lab, "64 32", LINE("a", "b", "8", "4", "5", "12.5", "64 32"));
    refuses(&image_lab, "--sizes",
            LINE("a", "b", "8", "4", "5", "12.5", "200", "100", "--sizes", "64x48"));
}

/* ---- sweeps, limits, texts ------------------------------------------------------------------ */

static void test_sweep(void)
{
    accepts(&square_lab,
            "sizes 32x32x32 64x64x64; large 2048x2048x2048 4096x4096x4096; blocks 1x1x1 16x16x1 "
            "32x32x1; variants cpu naive shared_tile; trials 10; single 0; given 0;",
            LINE("--hot"));
    accepts(&square_lab, "large; blocks 1x1x1", LINE("--sizes", "32"));
    accepts(&image_lab, "sizes 64x48 1024x768; large; blocks 8x8x1 32x32x1;", LINE("--hot"));
}

/* ---- OpenMP scaling ------------------------------------------------------------------------- */

static void parse_and_print_scaling(const lab *definition, int argc, char **argv)
{
    int threads = (int)strtol(argv[--argc], NULL, 10);
    options user = options_parse(definition, argc, argv);
    options o = options_for_scaling(&user, definition, threads);
    print_options(definition, &o);
    options_free(&o);
    options_free(&user);
}

/* The scaling run that such a command line ends with on so many threads. */
static void scaling_is(const lab *definition, const char *expected, char **argv)
{
    outcome got = run(parse_and_print_scaling, definition, argv);
    if (!ok(got.status == 0 && got.error[0] == '\0' && strstr(got.out, expected),
            "scaling after%s has %s", line_text(argv), expected))
        printf("#   status %d, stderr: %s\n#   options: %s\n", got.status, got.error, got.out);
}

static void test_scaling(void)
{
    const lab *l = &scaling_lab;
    accepts(l, "sizes 512x384; large; blocks", LINE("--cpu-threads", "1 2"));
    accepts(l, "threads 1 2; whole 0;", LINE("--cpu-threads", "1 2"));
    accepts(l, "threads 8 3 1024;", LINE("--cpu-threads", "8,3,8,1024"));
    accepts(l, "sizes 100x75; large; blocks", LINE("--cpu-threads", "4", "--sizes", "100"));
    accepts(l, "variants cpu_omp;", LINE("--cpu-threads", "4", "--variants", "cpu_omp"));
    accepts(l, "threads 4;", LINE("100", "8", "--cpu-threads", "4"));
    refuses_each(&scaling_lab, "--cpu-threads", "0 x 100000 1025 -1 1.5 4x");
    refuses(&scaling_lab, "--cpu-threads", LINE("--cpu-threads", "2 0"));
    refuses(&scaling_lab, "--cpu-threads", LINE("--cpu-threads", ""));
    refuses(l, "'100000' is not a whole number from 1 to 1024", LINE("--cpu-threads", "1 100000"));
    refuses(l, "none is chosen", LINE("--cpu-threads", "2", "--variants", "cpu naive"));
    refuses(&square_lab, "none is in this lab", LINE("--cpu-threads", "2"));

    /* Which command lines end with it. */
    accepts(l, "whole 1;", LINE("--trials", "5"));
    accepts(l, "whole 1;", LINE("--resume", "--csv", "x"));
    accepts(l, "whole 0;", LINE("--check-only"));
    accepts(l, "whole 0;", LINE("--sizes", "64"));
    accepts(l, "whole 0;", LINE("--blocks", "8"));
    accepts(l, "whole 0;", LINE("--variants", "cpu cpu_omp naive"));
    accepts(l, "whole 0;", LINE("--colour", "gray"));
    accepts(l, "whole 0;", LINE("--transfer", "pinned"));
    accepts(l, "whole 0;", LINE("64"));

    scaling_is(l, "threads 1 2 4 8 16; whole 0; colour gray;", LINE("--trials", "5", "16"));
    scaling_is(l, "threads 1 2 4 8 12; whole 0; colour gray;", LINE("--trials", "5", "12"));
    scaling_is(l, "flags hot; threads 1 2 3;", LINE("--trials", "5", "3"));
    scaling_is(l, "threads 1;", LINE("--hot", "1"));
    scaling_is(l, "512 1024;", LINE("--hot", "5000"));
    scaling_is(l, "sizes 512x384; large; blocks 8x8x1; variants cpu cpu_omp naive; trials 5;",
               LINE("--trials", "5", "16"));
}

/* A device of 512 threads a block, 512 x 64. */
static void parse_and_check_blocks(const lab *definition, int argc, char **argv)
{
    const int dimensions[3] = {512, 64, 64};
    options o = options_parse(definition, argc, argv);
    options_check_blocks(&o, 512, dimensions);
    options_free(&o);
}

static void test_device_limits(void)
{
    char *lines[][4] = {{"x", "--blocks", "32x32"},
                        {"x", "--blocks", "513x1"},
                        {"x", "--blocks", "2x65"},
                        {"x", "--blocks", "16 512x1 8x64"}};
    for (int i = 0; i < 4; i++) {
        outcome got = run(parse_and_check_blocks, &square_lab, lines[i]);
        ok(i < 3 ? is_refusal(&got, lines[i][2]) && strstr(got.error, "512") : got.status == 0,
           "a small device %s%s", i < 3 ? "refuses" : "takes", line_text(lines[i]));
    }
}

static void print_texts(const lab *definition, int argc, char **argv)
{
    (void)argc;
    (void)argv;
    options_print_help(definition);
    options_print_variants(definition);
    options_print_description(definition);
}

static void says(const lab *definition, const char *part)
{
    outcome got = run(print_texts, definition, LINE("x"));
    if (!ok(got.status == 0 && !got.error[0] && strstr(got.out, part), "%s: its texts have %.60s",
            definition->name, strchr(part, '\n') ? "two records" : part))
        printf("#   got %s\n", got.out);
}

static void test_texts(void)
{
    char parts[] = "--variants LIST|--results DIR|--cpu-limit SECONDS|--describe  |default 3|"
                   "default 30|64x48 1024x768|8 32|exit status|"
                   "shared_tile        gpu     tiles (not in this build: needs nothing)";
    for (char *part = strtok(parts, "|"); part; part = strtok(NULL, "|"))
        says(&image_lab, part);
    says(&square_lab, "on a GPU also 2048 4096");
    says(&product_lab, "\nlab,program,title,sizes_are,size_axis,block_dimensions,sizes,sizes_large,"
                       "scaling_size,blocks,single_size,single_block,size_max\n"
                       "lab2_product,product,\"C = A B, of floats\",product,matrix order N,2,"
                       "32 16x64x8,,,16,32,16,32768\n");
    says(&vector_lab, "\nlab1_vector,vector,vectors,vector,vector length / elements,1,2^10 2^20,,,"
                      "128 256,16,64,1073741824\n");
    says(&scaling_lab, ",image,picture size / pixels,2,64x48 128x96,2048x1536,512x384,8,64x48,16,");
}

int main(void)
{
    die_set_program("/some/where/program");
    test_sizes();
    test_long_list();
    test_blocks();
    test_common_options();
    test_unknown_options();
    test_lab_options();
    test_positional();
    test_image_positional();
    test_sweep();
    test_scaling();
    test_device_limits();
    test_texts();
    return done_testing();
}
