#include "options.h"
#include "files/csv.h"
#include "files/file.h"
#include "pictures/picture.h"
#include "process/die.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { MAX_BLOCK_THREADS = 1024, MAX_CPU_THREADS = 1024, MAX_GPUS = 1024 };
enum { DEFAULT_TRIALS = 10, MAX_TRIALS = 1000000 };

/* Frames of a stream that was asked for without a number; of one that is emulated, the frames and
 * their size if nobody gave them. */
enum { DEFAULT_FRAMES = 100, MAX_FRAMES = 1000000, EMULATED_FRAMES = 6 };
#define EMULATED_SIZE "320"

#define BETWEEN_ITEMS " ,\t" /* of a list */

/* Seconds of sampling per row. */
#define DEFAULT_TIME_CAP 0.2

/* Seconds that one run of a CPU variant may take by default. */
#define DEFAULT_CPU_LIMIT 20.0

#define DAY 86400.0

static options line; /* the one that is read */

/* ---- numbers -------------------------------------------------------------------------------- */

static long long parse_integer(const char *name, const char *word, double min, double max)
{
    char *end;
    errno = 0;
    long long value = strtoll(word, &end, 10);
    bool is_number = end != word && *end == '\0' && errno == 0 && (*word == '-' || *word >= '0');
    if (!is_number || !((double)value >= min && (double)value <= max))
        die_bad_input("%s: '%s' is not a whole number from %.0f to %.0f", name, word, min, max);
    return value;
}

static double parse_real(const char *name, const char *word, double min, double max)
{
    char *end;
    errno = 0;
    double value = strtod(word, &end);
    bool is_decimal = *word != '+' && word[strspn(word, "0123456789.eE+-")] == '\0';
    bool is_number = is_decimal && end != word && *end == '\0' && errno == 0;
    if (!is_number || !(value >= min && value <= max))
        die_bad_input("%s: '%s' is not a number from %g to %g", name, word, min, max);
    return value;
}

/* The index of a word among the legal ones. */
static int parse_choice(const char *name, const char *const *choices, const char *word)
{
    size_t bytes = 1;
    for (int i = 0; choices[i]; i++) {
        if (strcmp(word, choices[i]) == 0)
            return i;
        bytes += strlen(choices[i]) + strlen(", ");
    }
    char *legal = allocate(bytes);
    *legal = '\0';
    for (int i = 0; choices[i]; i++)
        strcat(strcat(legal, i ? ", " : ""), choices[i]);
    die_bad_input("%s: '%s' is none of %s", name, word, legal);
}

static char *copy_text(const char *text)
{
    return strcpy(allocate(strlen(text) + 1), text);
}

/* ---- sizes and blocks ----------------------------------------------------------------------- */

/* What a lab's sizes are called, how they are typed and what an axis of them is labelled. */
static const struct size_words {
    const char *name, *form, *axis;
} size_words[] = {
    [SIZE_VECTOR] = {"vector", "a number of elements, such as 1000 or 2^20,",
                     "vector length / elements"},
    [SIZE_IMAGE] = {"image", "a WIDTHxHEIGHT, such as 1024x768 (or 1024 for that),",
                    "picture size / pixels"},
    [SIZE_PRODUCT] = {"product", "an order N, such as 512, or MxNxK, such as 1024x4096x512,",
                      "matrix order N"},
};

/* One side, at *text: digits, or 2^k; moves *text behind it. False if malformed or too large. */
static bool parse_side(const char **text, long long *value)
{
    char *end;
    if (!isdigit((unsigned char)**text))
        return false;
    errno = 0;
    *value = strtoll(*text, &end, 10);
    if (*value == 2 && *end == '^' && isdigit((unsigned char)end[1])) {
        long long exponent = strtoll(end + 1, &end, 10);
        if (exponent > 40)
            return false;
        *value = 1LL << exponent;
    }
    *text = end;
    return errno == 0;
}

/* Up to three sides with `x` between them; their number, or 0 if malformed. */
static int parse_sides(const char *text, long long side[3])
{
    for (int count = 0; count < 3; text++) {
        if (!parse_side(&text, &side[count++]))
            return 0;
        if (*text == '\0')
            return count;
        if (*text != 'x')
            return 0;
    }
    return 0;
}

/* What a list's words are read for; `strict`: a size that the lab refuses ends the program. */
typedef struct reading {
    const lab *lab;
    bool strict;
} reading;

/* Makes a list's item of a word, or exits; returns false if it is to be left out. */
typedef bool read_item(const reading *r, const char *word, void *item);

/* "1024", "2^20", for images "1024x768" or the width of a 4:3 picture, for products N or MxNxK. */
static extent parse_size(const lab *definition, const char *word)
{
    size_kind kind = definition->sizes_are;
    const long long max = definition->size_max;
    long long side[3] = {0, 0, 0};
    int count = parse_sides(word, side);
    bool legal =
        count == 1 || (kind == SIZE_IMAGE && count == 2) || (kind == SIZE_PRODUCT && count == 3);
    for (int i = 0; i < count; i++)
        legal = legal && side[i] >= 1 && side[i] <= max;
    extent size = {.width = (int)side[0], .height = 1};
    if (kind == SIZE_IMAGE && legal)
        size.height = (int)(count == 2 ? side[1] : side[0] > 1 ? side[0] * 3 / 4 : 1);
    else if (kind == SIZE_PRODUCT)
        size = (extent){.height = (int)side[0],
                        .width = (int)side[count == 3 ? 1 : 0],
                        .depth = (int)side[count == 3 ? 2 : 0]};
    if (!legal)
        die_bad_input("'%s' is not a legal size; give %s from 1 to %lld%s", word,
                      size_words[kind].form, max, kind == SIZE_VECTOR ? "" : " a side");
    return size;
}

bool options_size_is_legal(const lab *definition, extent size)
{
    int max = definition->size_max;
    return size.width <= max && size.height <= max && size.depth <= max &&
           !(definition->refuse_size && definition->refuse_size(size.width, size.height));
}

/* The size of all GPUs' problem, where `one` is that of one of them. */
static extent for_all_gpus(const lab *definition, const char *word, extent one)
{
    int gpus = ranks_now().count;
    int *side = definition->sizes_are == SIZE_VECTOR ? &one.width : &one.height;
    if (*side > definition->size_max / gpus)
        die_bad_input("--weak: '%s' on each of %d GPUs is more than %d a side", word, gpus,
                      definition->size_max);
    *side *= gpus;
    return one;
}

/* The user's own sizes must be legal; of a default list, those that are not are left out. */
static bool read_size(const reading *r, const char *word, void *item)
{
    extent size = parse_size(r->lab, word);
    if (line.weak)
        size = for_all_gpus(r->lab, word, size);
    const char *why = r->lab->refuse_size ? r->lab->refuse_size(size.width, size.height) : NULL;
    if (why && r->strict)
        die_bad_input("'%s' is not a legal size: %s", word, why);
    *(extent *)item = size;
    return !why;
}

/* "16" or "32x8", 1..1024 threads in all. A lab of one dimension gets 256x1. */
static bool read_block(const reading *r, const char *word, void *item)
{
    bool flat = r->lab->block_dimensions == 1;
    long long side[3] = {0, 0, 1};
    int count = parse_sides(word, side);
    if (count == 1)
        side[1] = flat ? 1 : side[0];
    bool legal = count == 1 || count == 2;
    for (int i = 0; i < 2; i++)
        legal = legal && side[i] >= 1 && side[i] <= MAX_BLOCK_THREADS;
    if (!legal || side[0] * side[1] > MAX_BLOCK_THREADS)
        die_bad_input("'%s' is not a legal block; give %s with 1 to %d threads in all", word,
                      flat ? "a number of threads, such as 256," : "16 for 16x16, or 32x8,",
                      MAX_BLOCK_THREADS);
    unsigned x = (unsigned)side[0], y = (unsigned)side[1];
    *(dim3 *)item = flat ? (dim3){x * y, 1, 1} : (dim3){x, y, 1};
    return true;
}

static bool read_threads(const reading *r, const char *word, void *item)
{
    (void)r;
    *(int *)item = (int)parse_integer("--cpu-threads", word, 1, MAX_CPU_THREADS);
    return true;
}

static bool read_gpus(const reading *r, const char *word, void *item)
{
    (void)r;
    *(int *)item = (int)parse_integer("--gpus", word, 1, MAX_GPUS);
    return true;
}

/* The index of a variant. */
static bool read_variant(const reading *r, const char *word, void *item)
{
    const int count = r->lab->n_variants;
    const char **names = allocate((size_t)(count + 1) * sizeof *names);
    for (int i = 0; i < count; i++)
        names[i] = r->lab->variants[i].name;
    names[count] = NULL;
    *(int *)item = parse_choice("--variants", names, word);
    free(names);
    return true;
}

/* ---- lists ---------------------------------------------------------------------------------- */

/*
 * The items of a list, whose words are separated by blanks or commas; what stands there twice
 * counts once. Returns the array, which the caller frees.
 */
static void *read_list(const char *option, reading r, const char *list, read_item *read,
                       size_t item_bytes, int *count)
{
    char *items = NULL, *words = copy_text(list);
    int capacity = 0;
    *count = 0;
    char *word = strtok(words, BETWEEN_ITEMS);
    if (!word)
        die_bad_input("%s: a list of 1 or more items is needed, such as \"16 32\"", option);
    for (; word; word = strtok(NULL, BETWEEN_ITEMS)) {
        items = grow(items, *count, &capacity, item_bytes);
        char *item = items + (size_t)*count * item_bytes, *like = items;
        if (!read(&r, word, item))
            continue;
        while (memcmp(like, item, item_bytes) != 0)
            like += item_bytes;
        *count += like == item;
    }
    free(words);
    return items;
}

/* A flag for each variant; NULL chooses all. */
static bool *choose_variants(const lab *definition, const char *list)
{
    int count = 0;
    bool *chosen = allocate((size_t)definition->n_variants * sizeof *chosen);
    for (int i = 0; i < definition->n_variants; i++)
        chosen[i] = list == NULL;
    const reading r = {definition, true};
    int *items =
        list ? read_list("--variants", r, list, read_variant, sizeof *items, &count) : NULL;
    for (int i = 0; i < count; i++)
        chosen[items[i]] = true;
    free(items);
    return chosen;
}

/* ---- the table of common options ------------------------------------------------------------ */

const char *const transfer_names[] = {"pageable",         "pinned",        "overlapped",
                                      "mapped",           "mapped_output", "unified",
                                      "unified_prefetch", "stream",        NULL};

const char *const kind_names[] = {"cpu", "gpu", "vendor"};

static const lab_option common_options[] = {
    /* Lists are read when all options are known: a lab's own may matter to them. */
    {"--variants", OPTION_TEXT, &line.variants_text, .argument = "LIST",
     .help = "run only these (default: all)"},
    {"--sizes", OPTION_TEXT, &line.sizes_text, .argument = "LIST", .help = "sizes to sweep over"},
    {"--blocks", OPTION_TEXT, &line.blocks_text, .argument = "LIST",
     .help = "block sizes to sweep over, 16 or 32x8"},
    {"--trials", OPTION_INT, &line.trials, 1, MAX_TRIALS, "at least N timed samples per row",
     .argument = "N"},
    {"--results", OPTION_TEXT, &line.results, .argument = "DIR",
     .help = "put the rows into DIR/MACHINE/LAB.csv as well"},
    {"--csv", OPTION_TEXT, &line.csv, .argument = "FILE", .help = "put the rows into FILE as well"},
    {"--fresh", OPTION_FLAG, &line.fresh,
     .help = "start that file anew (default: keep what is not measured again)"},
    {"--resume", OPTION_FLAG, &line.resume, .help = "run only what that file lacks"},
    {"--full", OPTION_FLAG, &line.full,
     .help = "all of the default sweep, not only what a report of the lab needs"},
    {"--wide", OPTION_FLAG, &line.wide, .help = "show all columns, however wide the table becomes"},
    {"--check-only", OPTION_FLAG, &line.check_only, .help = "check every result, time nothing"},
    {"--diagnose", OPTION_FLAG, &line.diagnose,
     .help = "run what is wrong thrice and say what its output looks like (make doctor)"},
    {"--hot", OPTION_FLAG, &line.hot, .help = "time with the data in the L2 cache (default: cold)"},
    {"--time-cap", OPTION_DOUBLE, &line.time_cap, 0, DAY, "stop sampling a row after this long",
     .argument = "SECONDS"},
    {"--cpu-limit", OPTION_DOUBLE, &line.cpu_limit, 0, DAY,
     "skip a CPU variant that would run for longer, unless --variants names it",
     .argument = "SECONDS"},
    {"--transfer", OPTION_CHOICE, &line.transfer, .argument = "MODE", .choices = transfer_names,
     .help = "end to end through pageable, pinned, mapped, mapped_output, unified or "
             "unified_prefetch memory, or pinned with copies and kernels overlapped"},
    {"--stream", OPTION_INT, &line.frames, 1, MAX_FRAMES,
     "end to end of N frames, one behind the other, copied and filtered at the same time; with "
     "--input in/%04d.png --output out/%04d.png the frames of a clip",
     .argument = "N"},
    {"--cpu-threads", OPTION_TEXT, &line.cpu_threads_text, .argument = "LIST",
     .help = "OpenMP scaling: the serial variant, and OpenMP ones with so many threads"},
    {"--gpus", OPTION_TEXT, &line.gpus_text, .argument = "LIST",
     .help = "the variants for several GPUs on 1, 2, .. of them, started by mpirun, one after the "
             "other"},
    {"--divided", OPTION_FLAG, &line.divided,
     .help = "the variants for several GPUs, in the processes that mpirun started"},
    {"--weak", OPTION_FLAG, &line.weak,
     .help = "sizes are those of one GPU: elements, or rows, times as many as there are"},
    {"--device", OPTION_INT, &line.device, 0, 1024, "CUDA device to use", .argument = "N"},
    {"--seed", OPTION_UINT64, &line.seed, 0, 0x1p53, "seed of the input data (default 1)",
     .argument = "N"},
    {"--machine", OPTION_TEXT, &line.machine, .argument = "NAME",
     .help = "the machine's name in the rows"},
    {"--step", OPTION_TEXT, &line.step, .argument = "TEXT",
     .help = "put TEXT before the lines that show progress"},
    {"--occupancy-of", OPTION_TEXT, &line.occupancy_of, .argument = "CARD",
     .help = "print how the kernels would fill a multiprocessor of CARD, run nothing"},
    {"--resources", OPTION_TEXT, &line.resources, .argument = "FILE",
     .help = "for --occupancy-of: registers as `make resources` wrote them there"},
    {"--kernel", OPTION_TEXT, &line.kernel, .argument = "VARIANT=FILE",
     .help = "the variant's kernel comes from FILE, a cubin or a runner; '?' prints its name"},
    {"--declared", OPTION_TEXT, &line.declared, .argument = "TEXT",
     .help = "how --kernel is launched: 'grid: /2x1 shared: 8/thread'; docs/judging.md"},
    {"--judge", OPTION_INT, &line.judge, 1, MAX_TRIALS,
     "time --kernel beside the other --variants, with new data in each of N rounds",
     .argument = "N"},
    {"--print-machine", OPTION_FLAG, &line.print_machine,
     .help = "print this machine's short name and stop"},
    {"--list", OPTION_FLAG, &line.list,
     .help = "list the variants and stop: name, kind (gpus: for several), idea, GPU"},
    {"--describe", OPTION_FLAG, &line.describe,
     .help = "print what the lab is as two records of CSV and stop"},
    {"--help", OPTION_FLAG, &line.help, .help = "print this text and stop"},
};

enum { N_COMMON_OPTIONS = sizeof common_options / sizeof common_options[0] };

static bool is_named(const char *option, const char *name, size_t length)
{
    return strlen(option) == length && memcmp(option, name, length) == 0;
}

/* The option of this name, of the common ones or the lab's. Exits on an unknown name. */
static const lab_option *find_option(const lab *definition, const char *name, size_t length)
{
    for (int i = 0; i < N_COMMON_OPTIONS; i++)
        if (is_named(common_options[i].name, name, length))
            return &common_options[i];
    for (int i = 0; i < definition->n_options; i++)
        if (is_named(definition->options[i].name, name, length))
            return &definition->options[i];
    die_bad_input("unknown option '%.*s'; --help lists the options", (int)length, name);
}

static void set_value(const lab_option *option, const char *word)
{
    const char *name = option->name;
    switch (option->type) {
    case OPTION_FLAG:
        *(bool *)option->value = true;
        break;
    case OPTION_INT:
        *(int *)option->value = (int)parse_integer(name, word, option->min, option->max);
        break;
    case OPTION_UINT64:
        *(uint64_t *)option->value = (uint64_t)parse_integer(name, word, option->min, option->max);
        break;
    case OPTION_DOUBLE:
        *(double *)option->value = parse_real(name, word, option->min, option->max);
        break;
    case OPTION_TEXT:
    case OPTION_OUTPUT:
        *(const char **)option->value = word;
        break;
    case OPTION_CHOICE:
        *(int *)option->value = parse_choice(name, option->choices, word);
        break;
    }
}

/* Bytes of an option's value. */
static size_t bytes_of(const lab_option *option)
{
    static const size_t bytes[] = {
        [OPTION_FLAG] = sizeof(bool),       [OPTION_INT] = sizeof(int),
        [OPTION_UINT64] = sizeof(uint64_t), [OPTION_DOUBLE] = sizeof(double),
        [OPTION_TEXT] = sizeof(char *),     [OPTION_OUTPUT] = sizeof(char *),
        [OPTION_CHOICE] = sizeof(int),
    };
    return bytes[option->type];
}

/* The values that the lab's own options have now, a word each; the caller frees them. */
static uint64_t *own_values(const lab *definition)
{
    uint64_t *own = allocate((size_t)definition->n_options * sizeof *own);
    for (int i = 0; i < definition->n_options; i++)
        memcpy(&own[i], definition->options[i].value, bytes_of(&definition->options[i]));
    return own;
}

/* Sets the values of the lab's own options that are in `which`, a bit each. */
static void put_own_values(const lab *definition, const uint64_t *own, uint64_t which)
{
    for (int i = 0; i < definition->n_options; i++)
        if (which >> i & 1)
            memcpy(definition->options[i].value, &own[i], bytes_of(&definition->options[i]));
}

/* Is this option among those that are set, `--name value` or `--name=value`? No value begins so. */
static bool sets(const char *settings, const char *name)
{
    for (const char *word = settings; *word; word += strspn(word, " ")) {
        if (is_named(name, word, strcspn(word, " =")))
            return true;
        word += strcspn(word, " ");
    }
    return false;
}

/* Do the lab's configurations set this option, so that it chooses one of them? */
static bool in_configurations(const lab *definition, const char *name)
{
    bool is_shape = strcmp(name, "--sizes") == 0 || strcmp(name, "--blocks") == 0;
    const lab_settings *s = definition->sweep.configurations;
    if (is_shape && definition->sweep.any_shape)
        return false;
    while (s && s->options && !sets(s->options, name))
        s++;
    return s && s->options;
}

/* Handles `name word`; returns whether the word was needed. */
static bool set_option(const lab *definition, const char *name, size_t length, const char *word)
{
    const lab_option *option = find_option(definition, name, length);
    if (option->type != OPTION_FLAG && (!word || !*word))
        die_bad_input("%s needs a value%s: %s %s", option->name, word ? ", no empty one" : "",
                      option->name, option->argument ? option->argument : "VALUE");
    line.configured = line.configured || in_configurations(definition, option->name);
    set_value(option, word);
    for (int i = 0; i < definition->n_options; i++)
        if (option == &definition->options[i])
            line.own_set |= UINT64_C(1) << i;
    return option->type != OPTION_FLAG;
}

/* ---- positional arguments ------------------------------------------------------------------- */

/* The command line so far. */
typedef struct given {
    int argc;
    char **argv;
    int positions;              /* arguments without a name */
    const char *width, *height; /* the halves of an image's size, given by their places */
} given;

/* No value begins with `--`: what does is a name. */
static bool is_given_by_name(const given *g, const char *name)
{
    for (int i = 1; i < g->argc; i++)
        if (is_named(name, g->argv[i], strcspn(g->argv[i], "=")))
            return true;
    return false;
}

/* WIDTH and HEIGHT are two halves of --sizes. */
static void set_positional(const lab *definition, given *g, const char *word)
{
    const char *name = definition->single.positional[g->positions];
    if (!name)
        die_bad_input("'%s' is one argument too many; --help lists them", word);
    const char **half = strcmp(name, "WIDTH") == 0    ? &g->width
                        : strcmp(name, "HEIGHT") == 0 ? &g->height
                                                      : NULL;
    const char *option = half ? "--sizes" : name;
    bool one_value = strcmp(option, "--sizes") == 0 || strcmp(option, "--blocks") == 0;
    if (one_value && word[strcspn(word, BETWEEN_ITEMS)])
        die_bad_input("'%s': one value is needed here; lists are for %s", word, option);
    if (is_given_by_name(g, option))
        die_bad_input("%s was given twice, by its place and by its name", option);
    g->positions++;
    if (half)
        *half = word;
    else
        set_option(definition, name, strlen(name), word);
}

/* ---- what it comes to ----------------------------------------------------------------------- */

/* Is there anything to run with --cpu-threads? */
static bool scales(const lab *definition)
{
    for (int i = 0; i < definition->n_variants; i++)
        if (line.chosen[i] && definition->variants[i].role == ROLE_SCALES)
            return true;
    return false;
}

/* The lists: those of the command line, or these. */
static void read_lists(const lab *definition, const char *sizes, const char *blocks, bool strict)
{
    const reading r = {definition, strict};
    line.sizes.items =
        read_list("--sizes", r, sizes, read_size, sizeof *line.sizes.items, &line.sizes.count);
    line.blocks.items = read_list("--blocks", r, line.blocks_text ? line.blocks_text : blocks,
                                  read_block, sizeof *line.blocks.items, &line.blocks.count);
    line.chosen = choose_variants(definition, line.variants_text);
    if (!line.cpu_threads_text)
        return;
    line.cpu_threads.items = read_list("--cpu-threads", r, line.cpu_threads_text, read_threads,
                                       sizeof *line.cpu_threads.items, &line.cpu_threads.count);
    if (!scales(definition))
        die_bad_input("nothing to run: --cpu-threads is for OpenMP variants, and none is %s",
                      line.variants_text ? "chosen" : "in this lab");
}

static void finish_single(const lab *definition, const given *g)
{
    const lab_single *single = &definition->single;
    const char *sizes = line.sizes_text ? line.sizes_text : single->size;
    char halves[64];
    if (g->positions < single->required)
        die_bad_input("the first %d arguments are needed; --help lists them", single->required);
    if (g->width) {
        const char *height = g->height ? g->height : strchr(single->size, 'x') + 1;
        snprintf(halves, sizeof halves, "%.30sx%.30s", g->width, height);
        sizes = halves;
    }
    read_lists(definition, sizes, single->block, true);
    line.sizes_given = true;
    if (!line.trials)
        line.trials = (int)parse_integer("trials", single->trials, 1, MAX_TRIALS);
}

/* `strict`: sizes that the lab refuses end the program; else they are left out. */
static void finish_sweep(const lab *definition, bool strict)
{
    const lab_sweep *defaults = &definition->sweep;
    const char *sizes = defaults->sizes, *large = defaults->sizes_large;
    if (line.cpu_threads_text && defaults->scaling_size)
        sizes = defaults->scaling_size;
    if (line.sizes_text)
        sizes = line.sizes_text;
    if (line.occupancy_of && !line.sizes_given)
        sizes = definition->single.size;
    read_lists(definition, sizes, defaults->blocks, strict);
    if (large && !line.sizes_text && !line.cpu_threads_text)
        line.sizes_large.items =
            read_list("--sizes", (reading){definition, false}, large, read_size,
                      sizeof *line.sizes_large.items, &line.sizes_large.count);
    if (!line.trials)
        line.trials = DEFAULT_TRIALS;
}

/* ---- the whole line ------------------------------------------------------------------------- */

/* `--name=value`, or `--name` with the next word as its value, which it returns whether it took. */
static bool set_named(const lab *definition, const char *word, const char *next)
{
    size_t length = strcspn(word, "=");
    const char *inline_value = word[length] ? word + length + 1 : NULL;
    bool next_is_option = next && strncmp(next, "--", 2) == 0;
    const char *value = inline_value ? inline_value : next_is_option ? NULL : next;
    bool used = set_option(definition, word, length, value);
    if (!used && inline_value)
        die_bad_input("%.*s takes no value", (int)length, word);
    return used && !inline_value;
}

static bool is_same_file(const char *path, const char *other)
{
    struct stat a, b;
    return strcmp(path, other) == 0 || (stat(path, &a) == 0 && stat(other, &b) == 0 &&
                                        a.st_dev == b.st_dev && a.st_ino == b.st_ino);
}

/* The file of an option of the lab; NULL where it names none. */
static const char *file_of(const lab_option *option)
{
    bool is_file = option->type == OPTION_TEXT || option->type == OPTION_OUTPUT;
    return is_file ? *(const char *const *)option->value : NULL;
}

/* A file that is written can be, and is no other option's, or one of the two would be lost. */
static void check_outputs(const lab *definition)
{
    const lab_option *first = definition->options,
                     *end = first ? &first[definition->n_options] : first;
    for (const lab_option *o = first; o < end; o++) {
        const char *file = o->type == OPTION_OUTPUT ? file_of(o) : NULL;
        if (!file)
            continue;
        if (line.csv && is_same_file(file, line.csv))
            die_bad_input("%s and --csv name the same file, '%s'", o->name, file);
        for (const lab_option *other = first; other < end; other++)
            if (other != o && file_of(other) && is_same_file(file, file_of(other)))
                die_bad_input("%s and %s name the same file, '%s'", o->name, other->name, file);
        file_check_writable(file);
    }
}

/* The size of the first frame, where frames have files and no other was given. */
static void take_frame_size(const char *pattern)
{
    static char size[EXTENT_TEXT];
    image first = {0};
    if (line.sizes_text)
        return;
    picture_load(&first, pattern);
    line.sizes_text = extent_text((extent){first.width, first.height, 0}, size);
    image_free(&first);
}

/* A name with %d is a file a frame, for a stream alone, whose files all have such names. */
static void check_frames(const lab *definition)
{
    const lab_option *first = definition->options,
                     *end = first ? &first[definition->n_options] : first;
    const char *in = NULL;
    for (const lab_option *o = first; o < end; o++) {
        const char *file = picture_is_pattern(file_of(o)) ? file_of(o) : NULL;
        if (file && !line.frames)
            die_bad_input("%s '%s' names a file a frame; --stream N says how many", o->name, file);
        in = file && o->type == OPTION_TEXT ? file : in;
    }
    for (const lab_option *o = first; o < end; o++) {
        if (o->type != OPTION_OUTPUT || !file_of(o))
            continue;
        if (picture_is_pattern(file_of(o)) != (in != NULL))
            die_bad_input(
                in ? "%s '%s' is one file; a file a frame has a name such as out/%%04d.png"
                   : "%s '%s' names a file a frame; so must --input",
                o->name, file_of(o));
        if (!line.single && !in)
            die_bad_input(
                "%s: a sweep writes no such file; a single run does, whose first arguments "
                "have no names (--help)",
                o->name);
    }
    if (in)
        take_frame_size(in);
}

/* --stream N and --transfer stream are one. */
static void settle_stream(void)
{
    bool is_other = line.transfer != TRANSFER_PAGEABLE && line.transfer != TRANSFER_STREAM;
    if (line.frames && is_other)
        die_bad_input("--stream is a way of transfer of its own; leave out --transfer %s",
                      transfer_names[line.transfer]);
    if (line.frames)
        line.transfer = TRANSFER_STREAM;
    else if (line.transfer == TRANSFER_STREAM)
        line.frames = DEFAULT_FRAMES;
}

/* Options that have to do with one another, and a name that becomes a folder's. */
static void check_together(void)
{
    const char *m = line.machine ? line.machine : "-";
    bool blank = false;
    for (const char *c = m; *c; c++)
        blank = blank || (unsigned char)*c <= ' ' || *c == 127;
    if (blank || strpbrk(m, "/\\,\"'") || strcmp(m, ".") == 0 || strcmp(m, "..") == 0)
        die_bad_input("--machine: '%s' is not a name without blanks, commas, quotes or slashes", m);
    if (strlen(m) >= sizeof((result *)0)->machine)
        die_bad_input("--machine: a name has at most %zu letters",
                      sizeof((result *)0)->machine - 1);
    const char *slash = line.csv ? strrchr(line.csv, '/') : NULL;
    if (line.csv && strcmp(slash ? slash + 1 : line.csv, "run.json") == 0)
        die_bad_input("--csv: run.json tells of the run and is written beside the rows");
    if (line.resources && !line.occupancy_of)
        die_bad_input("--resources needs --occupancy-of CARD");
    if (line.results && (line.csv || line.occupancy_of))
        die_bad_input("--results and %s do not go together; --csv FILE names the file itself",
                      line.csv ? "--csv" : "--occupancy-of");
    if ((line.resume || line.fresh) && !line.csv && !line.results)
        die_bad_input("--%s needs --results DIR or --csv FILE", line.resume ? "resume" : "fresh");
    if (line.frames && line.cpu_threads_text)
        die_bad_input("--cpu-threads is for CPU variants, and --stream for those of the GPU");
    bool alone = line.transfer > TRANSFER_PINNED || line.cpu_threads_text;
    if (alone && (line.divided || line.gpus_text || ranks_now().count > 1))
        die_bad_input("--cpu-threads, --stream and --transfer but for pageable and pinned are for "
                      "one process; leave them out with several GPUs");
    if (line.gpus_text && ranks_now().count > 1)
        die_bad_input("--gpus starts mpirun itself; without it the processes that there are run");
    if (line.resume && line.fresh)
        die_bad_input("--resume keeps the rows that --fresh drops; give one of them");
}

/* What stands in lists, here and in figures. */
static void check_names(const lab *definition)
{
    for (int i = 0; i < definition->n_variants; i++) {
        const char *name = definition->variants[i].name;
        if (name[strcspn(name, BETWEEN_ITEMS)])
            die_bad_input("variant '%s': a name has no blanks and no commas", name);
        for (int j = 0; j < i; j++)
            if (strcmp(name, definition->variants[j].name) == 0)
                die_bad_input("variant '%s' stands twice in the table", name);
    }
}

options options_parse(const lab *definition, int argc, char **argv)
{
    check_names(definition);
    given g = {.argc = argc, .argv = argv};
    line = (options){.time_cap = DEFAULT_TIME_CAP, .cpu_limit = DEFAULT_CPU_LIMIT, .seed = 1};
    for (int i = 1; i < argc; i++) {
        const char *word = strcmp(argv[i], "-h") == 0 ? "--help" : argv[i];
        if (strncmp(word, "--", 2) == 0 && word[2])
            i += set_named(definition, word, i + 1 < argc ? argv[i + 1] : NULL);
        else
            set_positional(definition, &g, word);
    }
    line.own = own_values(definition);
    settle_stream();
    check_together();
    line.sizes_given = line.sizes_text != NULL;
    line.single = g.positions > 0 || argc == 1;
    if (line.help || line.list || line.describe || line.print_machine)
        return line;
    if (line.frames && line.single)
        die_bad_input("--stream goes with options by name: --input, --output, --blocks, --sizes");
    if (line.gpus_text)
        line.gpus.items = read_list("--gpus", (reading){definition, true}, line.gpus_text,
                                    read_gpus, sizeof *line.gpus.items, &line.gpus.count);
    check_outputs(definition);
    check_frames(definition);
    line.sizes_given = line.sizes_text != NULL;
    if (line.single)
        finish_single(definition, &g);
    else
        finish_sweep(definition,
                     line.sizes_given && (!definition->sweep.configurations || line.configured));
    line.every_end_to_end = line.full || !options_are_default_sweep(&line);
    return line;
}

options options_configure(const options *user, const lab *definition, const char *configuration,
                          bool strict)
{
    put_own_values(definition, user->own, UINT64_MAX);
    line = *user;
    line.sizes_large = (size_list){NULL, 0};
    line.cpu_threads = line.gpus = (count_list){NULL, 0};
    line.words = copy_text(configuration); /* lists are read from it to the end */
    for (char *word = strtok(line.words, " "), *next; word; word = next) {
        next = strtok(NULL, " ");
        if (set_named(definition, word, next))
            next = strtok(NULL, " ");
    }
    put_own_values(definition, user->own, user->own_set);
    line.own_set = user->own_set;
    line.own = own_values(definition);
    line.variants_text = user->variants_text ? user->variants_text : line.variants_text;
    line.sizes_text = user->sizes_text ? user->sizes_text : line.sizes_text;
    line.blocks_text = user->blocks_text ? user->blocks_text : line.blocks_text;
    line.frames = user->frames ? user->frames : line.frames;
    settle_stream();
    finish_sweep(definition, strict);
    return line;
}

bool options_leave_out(const options *user, const lab_settings *settings)
{
    return !user->full && settings->full;
}

bool options_are_default_sweep(const options *o)
{
    return !o->single && !o->configured && !o->check_only && !o->sizes_text && !o->blocks_text &&
           !o->variants_text && !o->cpu_threads_text && o->transfer == TRANSFER_PAGEABLE;
}

options options_with_threads(const options *user, int threads)
{
    static char list[64]; /* up to 1024: eleven numbers */
    size_t used = 0;
    threads = threads < MAX_CPU_THREADS ? threads : MAX_CPU_THREADS;
    for (int k = 1; k < threads; k *= 2)
        used += (size_t)snprintf(list + used, sizeof list - used, "%d,", k);
    snprintf(list + used, sizeof list - used, "%d", threads);
    options scaled = *user;
    scaled.cpu_threads_text = list;
    return scaled;
}

/* The lab's first configuration, or none. */
static lab_settings first_configuration(const lab *definition)
{
    const lab_settings *all = definition->sweep.configurations;
    return all ? all[0] : (lab_settings){.options = ""};
}

const lab_settings *options_scaling(const lab *definition)
{
    static lab_settings first[2]; /* the second one ends the list */
    first[0] = first_configuration(definition);
    return definition->sweep.scaling ? definition->sweep.scaling : first;
}

options options_for_hot(const options *user, const lab *definition)
{
    static char kernels[4096];
    const char *last_size = strrchr(definition->sweep.sizes, ' ');
    size_t used = 0;
    for (int i = 0; i < definition->n_variants && used < sizeof kernels; i++)
        if (definition->variants[i].kind != VARIANT_CPU && !definition->variants[i].part)
            used += (size_t)snprintf(kernels + used, sizeof kernels - used, "%s ",
                                     definition->variants[i].name);
    options hot = *user;
    hot.hot = true;
    hot.variants_text = kernels;
    hot.sizes_text = last_size ? last_size + 1 : definition->sweep.sizes;
    return options_configure(&hot, definition, first_configuration(definition).options, false);
}

options options_for_stream(const options *user, const lab *definition, bool emulated)
{
    const char *settings = definition->sweep.stream ? definition->sweep.stream : "";
    options asked = *user;
    if (emulated && !user->sizes_given)
        asked.sizes_text = EMULATED_SIZE;
    options frames = options_configure(&asked, definition, settings, user->sizes_given);
    if (emulated && !user->frames)
        frames.frames = EMULATED_FRAMES;
    return frames;
}

options options_for_ranks(const options *user, const lab *definition, const char *settings)
{
    options divided = options_configure(user, definition, settings, user->sizes_given);
    divided.divided = true;
    return divided;
}

void options_free(options *o)
{
    free(o->gpus.items);
    free(o->own);
    free(o->words);
    free(o->chosen);
    free(o->sizes.items);
    free(o->sizes_large.items);
    free(o->blocks.items);
    free(o->cpu_threads.items);
}

/* ---- --help, --list and --describe ---------------------------------------------------------- */

static void print_usage(const lab *definition)
{
    const lab_single *single = &definition->single;
    char text[256] = "";
    for (int i = 0, used = 0; single->positional[i]; i++)
        used += snprintf(text + used, sizeof text - (size_t)used,
                         i < single->required ? "%s " : "[%s] ",
                         single->positional[i] + strspn(single->positional[i], "-"));
    text_print_wrapped(text, printf("usage: %s ", die_program()), 9);
    printf("         one size and one block, as in the 2012 lab report\n");
    printf("       %s OPTION...\n         a sweep\n\n", die_program());
}

/* A default outside the legal range stands for something that the help line says. */
static void format_default(const lab_option *option, char text[80])
{
    text[0] = '\0';
    if (option->type == OPTION_INT && *(const int *)option->value >= option->min)
        snprintf(text, 80, " (default %d)", *(const int *)option->value);
    else if (option->type == OPTION_DOUBLE && *(const double *)option->value >= option->min)
        snprintf(text, 80, " (default %g)", *(const double *)option->value);
    else if (option->type == OPTION_CHOICE)
        snprintf(text, 80, " (default %s)", option->choices[*(const int *)option->value]);
    else if (file_of(option))
        snprintf(text, 80, " (default %.60s)", file_of(option));
}

static void print_options(const lab_option *list, int count)
{
    for (int i = 0; i < count; i++) {
        const lab_option *o = &list[i];
        char left[40], otherwise[80], text[512];
        snprintf(left, sizeof left, o->argument ? "%s %s" : "%s", o->name, o->argument);
        format_default(o, otherwise);
        snprintf(text, sizeof text, "%s%s", o->help, otherwise);
        text_print_wrapped(text, printf("  %-24s ", left), 27);
    }
}

void options_print_help(const lab *definition)
{
    char sizes[256];
    const char *large = definition->sweep.sizes_large;
    snprintf(sizes, sizeof sizes, "%s%s%s%s", definition->sweep.sizes,
             large ? "; on a GPU also " : "", large ? large : "",
             large ? " for the faster variants" : "");
    text_print_wrapped(definition->title, printf("%s: ", definition->name), 4);
    putchar('\n');
    print_usage(definition);
    print_options(common_options, N_COMMON_OPTIONS);
    print_options(definition->options, definition->n_options);
    text_print_wrapped(sizes, printf("\ndefault sizes:  ") - 1, 16);
    text_print_wrapped(definition->sweep.blocks, printf("default blocks: "), 16);
    printf("exit status: 0 all right, 1 a result was wrong, 2 bad input, 3 a CUDA error\n");
}

void options_print_variants(const lab *definition)
{
    for (int i = 0; i < definition->n_variants; i++) {
        const variant *v = &definition->variants[i];
        const char *needs = v->architecture;
        printf("%-18s %-7s %s", v->name, v->part ? "gpus" : kind_names[v->kind], v->summary);
        if (needs)
            printf(" (%s %s)", needs, strchr(needs, 'a') ? "alone" : "and later");
        if (!v->run)
            printf(" (not in this build: needs %s)", v->needs);
        putchar('\n');
    }
}

void options_print_description(const lab *definition)
{
    char max[16], dimensions[16], overlapping[256] = "";
    const lab *l = definition;
    const struct size_words *words = &size_words[l->sizes_are];
    const char *underscore = strrchr(l->name, '_');
    snprintf(max, sizeof max, "%d", l->size_max);
    snprintf(dimensions, sizeof dimensions, "%d", l->block_dimensions);
    for (int i = 0, used = 0; i < l->n_variants; i++)
        if (l->variants[i].overlaps)
            used += snprintf(overlapping + used, sizeof overlapping - (size_t)used, "%s%s",
                             used ? " " : "", l->variants[i].name);
    const char *const columns[][2] = {
        {"lab", l->name},
        {"program", underscore ? underscore + 1 : l->name},
        {"title", l->title},
        {"sizes_are", words->name},
        {"size_axis", l->size_axis ? l->size_axis : words->axis},
        {"block_dimensions", dimensions},
        {"sizes", l->sweep.sizes},
        {"sizes_large", l->sweep.sizes_large},
        {"scaling_size", l->sweep.scaling_size},
        {"blocks", l->sweep.blocks},
        {"single_size", l->single.size},
        {"single_block", l->single.block},
        {"size_max", max},
        {"overlapping", overlapping},
    };
    const int count = sizeof columns / sizeof columns[0];
    for (int record = 0; record < 2; record++)
        for (int i = 0; i < count; i++) {
            csv_write_field(stdout, columns[i][record] ? columns[i][record] : "");
            putchar(i + 1 < count ? ',' : '\n');
        }
}
