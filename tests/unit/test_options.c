/*
 * test_options.c - the command line: what is legal is understood, and whatever is not ends the
 * program with exit status 2 and one line that says what was wrong.
 */
#define _POSIX_C_SOURCE 200809L /* process.h */

#include "die.h"
#include "options.h"
#include "process.h"
#include "tap.h"

#include <wordexp.h>

/* ---- labs, one for each kind of size --------------------------------------------------------- */

static const variant variants[] = {
    {.name = "cpu", .kind = VARIANT_CPU, .summary = "serial"},
    {.name = "cpu_omp", .kind = VARIANT_CPU, .summary = "OpenMP", .scales = true},
    {.name = "naive", .kind = VARIANT_GPU, .summary = "tiles", .needs = "nothing"},
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

static const variant blank_variants[] = {{.name = "two words", .kind = VARIANT_CPU}};
static const lab blank_lab = {.name = "lab1_blank", LAB_VARIANTS(blank_variants)};

/* One with what OpenMP scaling needs, and settings to go through. */
static int colour;
static const char *const colours[] = {"gray", "red", NULL};
static const lab_option colour_options[] = {
    {"--colour", OPTION_CHOICE, &colour, .help = "which", .choices = colours}};
static const char *const colour_configurations[] = {"--hot --colour gray",
                                                    "--colour red --blocks 8", NULL};

static const lab product_lab = {
    .name = "lab2_product",
    .title = "C = A B, of floats",
    .sizes_are = SIZE_PRODUCT,
    .sweep = {.sizes = "32 16x64x8",
              .sizes_large = "2048 4096",
              .scaling_size = "512",
              .blocks = "1 16",
              .configurations = colour_configurations},
    .size_max = 32768,
    .block_dimensions = 2,
    .single = {.positional = sizes_first, .size = "32", .block = "16", .trials = "3"},
    LAB_OPTIONS(colour_options),
    LAB_VARIANTS(variants),
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

typedef struct line_case {
    const lab *definition;
    const char *line, *expected;
} line_case;

/* Short, for the tables. */
#define V &vector_lab
#define P &product_lab
#define I &image_lab

/* What image_lab has in front of its size. */
#define FILES  "in.bmp out.bmp"
#define FILTER FILES " 8 4 5 12.5"

static const line_case accepted[] = {
    /* sizes */
    {V, "--sizes '1 2^30'", "sizes 1x1 1073741824x1;"},
    {V, "--sizes ' 16 ,32,\t64, '", "sizes 16x1 32x1 64x1;"},
    {V, "--sizes=7", "sizes 7x1;"},
    {V, "--sizes 7 --sizes 8,8,8", "sizes 8x1; large; blocks"},
    {I, "--sizes '1024,30x20'", "sizes 1024x768 30x20;"},
    {I, "--sizes '1 3 2^10x2^1'", "sizes 1x1 3x2 1024x2;"}, /* 4:3, rounded down */
    {P, "--sizes 1024x2^12x512,8x8x8,8", "sizes 4096x1024x512 8x8x8; large; blocks"},
    {P, "--hot", "sizes 32x32x32 64x16x8; large 2048x2048x2048 4096x4096x4096; blocks 1x1x1 "},
    /* blocks; in one dimension as many threads, in a row */
    {P, "--blocks '1,32 32x8 1024x1 1x1024'", "blocks 1x1x1 32x32x1 32x8x1 1024x1x1 1x1024x1;"},
    {V, "--blocks '1,33 64x1 32x8 1024'", "blocks 1x1x1 33x1x1 64x1x1 256x1x1 1024x1x1;"},
    /* the other options */
    {V, "--hot",
     "variants cpu cpu_omp naive; trials 10; single 0; given 0; csv -; machine -; "
     "device 0; seed 1; cap 0.3; limit 20; results -; step -; flags hot;"},
    {V, "--csv=a=b --machine a.b --device 3 --seed 9007199254740992 --time-cap 2.5 --cpu-limit 0",
     "csv a=b; machine a.b; device 3; seed 9007199254740992; cap 2.5; limit 0;"},
    {V, "--results some/where --step 'lab 3 of 8' --fresh --hot --check-only",
     "results some/where; step lab 3 of 8; flags check hot fresh;"},
    {V, "--resume --csv x", "flags resume;"},
    {I, "-h --list --describe --print-machine", "flags describe machine list help;"},
    {V, "--variants naive,cpu --trials 1000000", "variants cpu naive; trials 1000000;"},
    {I, "--radius 64 --sigma=1e3 --input 'a b.bmp'",
     "input a b.bmp; output -; radius 64; sigma 1000;"},
    /* by place: one size and one block */
    {V, "",
     "sizes 16x1; large; blocks 64x1x1; variants cpu cpu_omp naive; trials 7; single 1; given 1;"},
    {P, "16x64x8 32x8 5", "sizes 64x16x8; large; blocks 32x8x1; variants cpu cpu_omp naive; tri"},
    {P, "--variants naive 100 8 --trials 9",
     "sizes 100x100x100; large; blocks 8x8x1; variants naive; trials 9; single 1;"},
    {I, FILES, "sizes 1024x768; large; blocks 16x16x1; variants cpu; trials 1;"},
    {I, FILES, "input in.bmp; output out.bmp; radius 3; sigma 30;"},
    {I, FILTER " 200 100", "sizes 200x100; large; blocks 8x8x1; variants cpu; trials 4;"},
    {I, FILTER " 200 100", "radius 5; sigma 12.5;"},
    {I, FILTER " 200", "sizes 200x768;"}, /* a width leaves the height at its default */
    {I, FILES " 8 --sizes 200", "sizes 200x150; large; blocks 8x8x1;"},
    /* OpenMP scaling, and which command lines end with it */
    {P, "--cpu-threads 8,3,8,1024", "sizes 512x512x512; large; blocks"},
    {P, "--cpu-threads 8,3,8,1024", "threads 8 3 1024; whole 0;"},
    {P, "--cpu-threads 4 --sizes 100 --variants cpu_omp",
     "sizes 100x100x100; large; blocks 1x1x1 16x16x1; variants cpu_omp;"},
    {P, "100 8 --cpu-threads 4", "threads 4;"},
    {P, "--trials 5 --resume --csv x", "whole 1;"},
    {P, "--check-only", "whole 0;"},
    {P, "--sizes 64", "whole 0;"},
    {P, "--blocks 8", "whole 0;"},
    {P, "--variants 'cpu cpu_omp naive'", "whole 0;"},
    {P, "--colour gray", "whole 0;"},
    {P, "--transfer pinned", "whole 0;"},
    {P, "64", "whole 0;"},
};

static const line_case refused[] = {
    {P, "--sizes 0", "give an order N, such as 512, or MxNxK, such as 1024x4096x512,"},
    {V, "--sizes 0", "from 1 to 1073741824"},
    {V, "--sizes ' , '", "1 or more"},
    {V, "--sizes '16 0 32'", "'0'"},
    {I, "--sizes 13x20", "thirteen is too narrow"},
    {P, "--blocks '16 33 8'", "'33'"},
    {P, "--blocks 33", "1024"},
    {V, "--variants 'cpu fast'", "'fast' is none of cpu, cpu_omp, naive"},
    {V, "--trials ' 3'", "' 3' is not a whole number from 1 to 1000000"},
    {V, "--machine 'a b'", "'a b'"},
    {V, "--machine 'a\tb'", "'a?b'"},
    {V, "--machine 'a\033b'", "'a?b'"},
    {V, "--machine a_name_of_sixty_four_letters_is_one_letter_too_long_for_the_rows",
     "a name has at most 63 letters"},
    {V, "--machine .. --print-machine", "'..'"},
    {V, "--resume", "--resume needs --results DIR or --csv FILE"},
    {V, "--fresh", "--fresh needs --results DIR or --csv FILE"},
    {V, "--fresh --resume --csv x", "--fresh"},
    {V, "--results x --csv y", "--results and --csv"},
    {V, "--results x --occupancy-of sm_90", "--results and --occupancy-of"},
    {&blank_lab, "--list", "variant 'two words': a name has no blanks"},
    /* no option, no value, a value too many */
    {V, "--speed", "--help"},
    {V, "--size 16", "--size'"},
    {V, "--HOT", "--HOT"},
    {V, "--radius 3", "--radius"}, /* another lab's */
    {V, "-v", "-v"},
    {V, "--", "--"},
    {V, "--=3", "'--'"},
    {V, "--hot --sizes", "--sizes needs a value: --sizes LIST"},
    {V, "--sizes ''", "--sizes needs a value, no empty one: --sizes LIST"},
    {V, "--trials=", "--trials needs a value"},
    {V, "--csv --hot", "--csv needs a value"}, /* what follows is an option of its own */
    {I, "--radius", "--radius needs a value"},
    {V, "--resume=1", "--resume takes no value"},
    /* a lab's own */
    {I, "--radius 65", "from 1 to 64"},
    {I, "--sigma '\t30'", "--sigma"},
    {I, "--sigma nan", "from 0.5 to 1000"},
    {P, "--colour blue", "'blue' is none of gray, red"},
    /* by place; the same thing twice, in two ways */
    {P, "100 8 5 1", "too many"},
    {P, "100 33", "'33'"},
    {P, "''", "--sizes needs a value"},
    {P, "'100 200'", "100 200"},
    {P, "100 8,16", "8,16"},
    {P, "100 --sizes 200", "--sizes"},
    {P, "--blocks 4 100 8", "--blocks"},
    {I, "", "first 2 arguments"},
    {I, FILTER " 200 100 x", "too many"},
    {I, FILTER " 200 -1", "200x-1"},
    {I, FILTER " 64x48", "64x48"},
    {I, FILTER " 200 100 --sizes 64x48", "--sizes"},
    {P, "--cpu-threads '1 100000'", "'100000' is not a whole number from 1 to 1024"},
    {P, "--cpu-threads 2 --variants 'cpu naive'", "none is chosen"},
    {I, "--cpu-threads 2", "none is in this lab"},
};

/* Each of the words is refused as the option's value by name. */
static const struct {
    const lab *definition;
    const char *option, *words;
} refused_words[] = {
    {V, "--sizes",
     "-1 1e3 2^99 2^64 2^31 2^ 2^-1 2^2^2 3^2 abc +16 0x10 16k - ^ a16 16x16 "
     "9223372036854775807 9223372036854775808"},
    {P, "--sizes", "32769 8x8 8x8x8x8 8x8x 8x0x8 8x8x32769 x8x8 8xx8 8x-1x8"},
    {I, "--sizes", "640x x480 640x480x3 640x0 0x480 640X480 16385 640x16385 64x2^99 640xabc"},
    {P, "--blocks",
     "0 33x33 abc -4 16x x16 16x16x16 1024x2 16x0 0x16 16.0 1e1 2^6 16x-1 16X16 65536x65536 "
     "16x4611686018427387904 4294967297 9223372036854775808"},
    {V, "--blocks", "0 1025 64x32"},
    {V, "--variants", "naiv Naive"},
    {V, "--trials", "0 1000001 abc 2.5 1e3 +3 0x3 3,4 99999999999999999999"},
    {V, "--time-cap", "nan -1 inf 86401 2s +2 0x1p-3 1e"},
    {V, "--cpu-limit", "-1"},
    {V, "--device", "-1"},
    {V, "--seed", "-1 9007199254740994"},
    {V, "--machine", "a,b a/b ../x . .. a\"b a\\b"},
    {I, "--radius", "0 -3"},
    {I, "--sigma", "-nan inf -inf 0.49 1000.1 1e400 abc 30px 3,5 1e-400"},
    {P, "--cpu-threads", "0 x 1025"},
};

static void test_lines(void)
{
    for (size_t i = 0; i < COUNT(accepted); i++)
        prints(parse_and_print, accepted[i].definition, accepted[i].line, accepted[i].expected);
    for (size_t i = 0; i < COUNT(refused); i++)
        refuses(refused[i].definition, refused[i].line, refused[i].expected);
    for (size_t i = 0; i < COUNT(refused_words); i++) {
        char words[512], line[128], complaint[64];
        snprintf(words, sizeof words, "%s", refused_words[i].words);
        for (char *word = strtok(words, " "); word; word = strtok(NULL, " ")) {
            snprintf(line, sizeof line, "%s '%s'", refused_words[i].option, word);
            snprintf(complaint, sizeof complaint, "'%s'", word);
            refuses(refused_words[i].definition, line, complaint);
        }
    }
}

/* The scaling run that such a command line ends with on as many threads as its last word says. */
static void parse_and_print_scaling(const lab *definition, int argc, char **argv)
{
    int threads = (int)strtol(argv[--argc], NULL, 10);
    options user = options_parse(definition, argc, argv);
    options o = options_for_scaling(&user, definition, threads);
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

static const struct {
    body *action;
    const lab *definition;
    const char *line, *expected;
} others[] = {
    {parse_and_print_scaling, P, "--trials 5 12",
     "sizes 512x512x512; large; blocks 1x1x1 16x16x1; variants cpu cpu_omp naive; trials 5;"},
    {parse_and_print_scaling, P, "--trials 5 12", "cap 0.5;"},
    {parse_and_print_scaling, P, "--trials 5 16",
     "flags hot; threads 1 2 4 8 16; whole 0; colour gray;"},
    {parse_and_print_scaling, P, "--time-cap 2 12", "cap 2;"},
    {parse_and_print_scaling, P, "--trials 5 3", "threads 1 2 3;"},
    {parse_and_print_scaling, P, "--hot 1", "threads 1;"},
    {parse_and_print_scaling, P, "--hot 5000", "512 1024;"},
    {print_texts, I, "--help", "--sigma                  the weight's width (default 30)"},
    {print_texts, I, "--help", "--cpu-limit SECONDS      skip a CPU variant that would run"},
    {print_texts, P, "--help", "on a GPU also 2048 4096 for the faster variants\n"},
    {print_texts, P, "--help",
     "naive              gpu     tiles (not in this build: needs nothing)"},
    {print_texts, P, "--help",
     "\nlab,program,title,sizes_are,size_axis,block_dimensions,sizes,sizes_large,scaling_size,"
     "blocks,single_size,single_block,size_max\n"
     "lab2_product,product,\"C = A B, of floats\",product,matrix order N,2,32 16x64x8,2048 4096,"
     "512,1 16,32,16,32768\n"},
    {print_texts, V, "--help", ",vector,vector length / elements,1,2^10 2^20,,,128 256,16,64,"},
};

int main(void)
{
    die_set_program("/some/where/program");
    test_lines();
    for (size_t i = 0; i < COUNT(others); i++)
        prints(others[i].action, others[i].definition, others[i].line, others[i].expected);
    return done_testing();
}
