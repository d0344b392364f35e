#include "options.h"
#include "csv.h"
#include "die.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_BLOCK_THREADS = 1024, MAX_CPU_THREADS = 1024, MAX_LIST = 4096 };
enum { DEFAULT_TRIALS = 10, MAX_TRIALS = 1000000 };

/* Seconds of sampling per row; a row of OpenMP scaling gets more, for it is one of a ratio. */
#define DEFAULT_TIME_CAP 0.3
#define SCALING_TIME_CAP 0.5

/* Seconds that one run of a CPU variant may take by default. */
#define DEFAULT_CPU_LIMIT 20.0

#define DAY 86400.0

/* ---- numbers -------------------------------------------------------------------------------- */

/* Digits only, at *text; moves *text behind them. False if there is none or it is too large. */
static bool parse_digits(const char **text, long long *value)
{
    if (**text < '0' || **text > '9')
        return false;
    char *end;
    errno = 0;
    *value = strtoll(*text, &end, 10);
    *text = end;
    return errno == 0;
}

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
    bool is_number = end != word && *end == '\0' && errno == 0 && !isspace((unsigned char)*word);
    if (!is_number || !(value >= min && value <= max))
        die_bad_input("%s: '%s' is not a number from %g to %g", name, word, min, max);
    return value;
}

/* The index of a word among the legal ones. */
static int parse_choice(const char *name, const char *const *choices, const char *word)
{
    char legal[256] = "";
    for (int i = 0; choices[i]; i++) {
        size_t used = strlen(legal);
        if (strcmp(word, choices[i]) == 0)
            return i;
        snprintf(legal + used, sizeof legal - used, "%s%s", i ? ", " : "", choices[i]);
    }
    die_bad_input("%s: '%s' is none of %s", name, word, legal);
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

/* One side of a size: digits, or 2^k. False if malformed. */
static bool parse_side(const char **text, long long *value)
{
    if (!parse_digits(text, value))
        return false;
    if (*value == 2 && **text == '^') {
        long long exponent;
        (*text)++;
        if (!parse_digits(text, &exponent) || exponent > 40)
            return false;
        *value = 1LL << exponent;
    }
    return true;
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

/*
 * Of each kind of a list's items: makes one of a word, or exits; false where it is to be left out.
 */
typedef bool read_item(const lab *definition, const char *word, void *item);

/* Of a width, the height of a 4:3 picture. */
static long long three_quarters(long long side)
{
    return side / 4 * 3 + side % 4 * 3 / 4;
}

/* "1024", "2^20", for images "1024x768" or the width of a 4:3 picture, for products N or MxNxK. */
static extent parse_size(const lab *definition, const char *word)
{
    size_kind kind = definition->sizes_are;
    const long long min = definition->size_min, max = definition->size_max;
    long long side[3] = {0, 0, 0};
    int count = parse_sides(word, side);
    bool legal =
        count == 1 || (kind == SIZE_IMAGE && count == 2) || (kind == SIZE_PRODUCT && count == 3);
    for (int i = 0; i < count; i++)
        legal = legal && side[i] >= min && side[i] <= max;
    extent size = {.width = (int)side[0], .height = 1};
    if (kind == SIZE_IMAGE)
        size.height = (int)(count == 2 ? side[1] : side[0] > 1 ? three_quarters(side[0]) : 1);
    else if (kind == SIZE_PRODUCT)
        size = (extent){.height = (int)side[0],
                        .width = (int)side[count == 3 ? 1 : 0],
                        .depth = (int)side[count == 3 ? 2 : 0]};
    if (!legal || (kind != SIZE_VECTOR && size.height < min))
        die_bad_input("'%s' is not a legal size; give %s from %lld to %lld%s", word,
                      size_words[kind].form, min, max, kind == SIZE_VECTOR ? "" : " a side");
    return size;
}

/* The lab's own objection to a size, or NULL. */
static const char *refusal(const lab *definition, extent size)
{
    return definition->refuse_size ? definition->refuse_size(size.width, size.height) : NULL;
}

static bool read_size(const lab *definition, const char *word, void *item)
{
    *(extent *)item = parse_size(definition, word);
    return !refusal(definition, *(extent *)item);
}

/* The user's own sizes must be legal; of a default list, those that are not are left out. */
static bool read_given_size(const lab *definition, const char *word, void *item)
{
    if (!read_size(definition, word, item))
        die_bad_input("'%s' is not a legal size: %s", word, refusal(definition, *(extent *)item));
    return true;
}

/* "16" or "32x8", 1..1024 threads in all. A lab of one dimension gets 256x1. */
static bool read_block(const lab *definition, const char *word, void *item)
{
    const char *rest = word;
    long long x = 0, y = 1;
    bool well_formed = parse_digits(&rest, &x);
    if (well_formed && *rest == 'x') {
        rest++;
        well_formed = parse_digits(&rest, &y);
    } else if (definition->block_dimensions == 2) {
        y = x;
    }
    if (!well_formed || *rest != '\0' || x < 1 || y < 1 || x > MAX_BLOCK_THREADS ||
        y > MAX_BLOCK_THREADS || x * y > MAX_BLOCK_THREADS)
        die_bad_input("'%s' is not a legal block; give %s with 1 to %d threads in all", word,
                      definition->block_dimensions == 2 ? "16 for 16x16, or 32x8,"
                                                        : "a number of threads, such as 256,",
                      MAX_BLOCK_THREADS);
    if (definition->block_dimensions == 1) {
        x *= y; /* the same number of threads, in a row */
        y = 1;
    }
    *(dim3 *)item = (dim3){(unsigned)x, (unsigned)y, 1};
    return true;
}

static bool read_threads(const lab *definition, const char *word, void *item)
{
    (void)definition;
    *(int *)item = (int)parse_integer("--cpu-threads", word, 1, MAX_CPU_THREADS);
    return true;
}

/* ---- lists ---------------------------------------------------------------------------------- */

/* The next word of *list into word[64]; false at the end. */
static bool next_word(const char *option, const char **list, char word[64])
{
    *list += strspn(*list, " ,\t");
    size_t length = strcspn(*list, " ,\t");
    if (length == 0)
        return false;
    if (length >= 64)
        die_bad_input("%s: '%.40s...' is too long", option, *list);
    memcpy(word, *list, length);
    word[length] = '\0';
    *list += length;
    return true;
}

/*
 * The items of a list, whose words are separated by blanks or commas; what stands there twice
 * counts once. Returns the array, which the caller frees.
 */
static void *read_list(const char *option, const lab *definition, const char *list, read_item *read,
                       size_t item_bytes, int *count)
{
    char word[64], *items = NULL;
    int words = 0, capacity = 0;
    for (*count = 0; next_word(option, &list, word); words++) {
        items = grow(items, *count, &capacity, item_bytes);
        char *item = items + (size_t)*count * item_bytes, *like = items;
        if (!read(definition, word, item))
            continue;
        while (memcmp(like, item, item_bytes) != 0)
            like += item_bytes;
        *count += like == item;
    }
    if (words == 0 || words > MAX_LIST)
        die_bad_input("%s: a list of 1 to %d items is needed, such as \"16 32\"", option, MAX_LIST);
    return items;
}

/* Exits: no variant has this name. */
static void refuse_variant(const lab *definition, const char *word)
{
    char names[512] = "";
    for (int i = 0; i < definition->n_variants; i++) {
        size_t used = strlen(names);
        snprintf(names + used, sizeof names - used, "%s%s", i ? ", " : "",
                 definition->variants[i].name);
    }
    die_bad_input("no variant is called '%s'; there are %s", word, names);
}

static bool read_variant(const lab *definition, const char *word, void *item)
{
    int i = 0;
    while (i < definition->n_variants && strcmp(word, definition->variants[i].name) != 0)
        i++;
    if (i == definition->n_variants)
        refuse_variant(definition, word);
    *(int *)item = i;
    return true;
}

/* A flag for each variant; NULL chooses all. */
static bool *choose_variants(const lab *definition, const char *list)
{
    int count = 0;
    bool *chosen = allocate((size_t)definition->n_variants * sizeof *chosen);
    for (int i = 0; i < definition->n_variants; i++)
        chosen[i] = list == NULL;
    int *items =
        list ? read_list("--variants", definition, list, read_variant, sizeof *items, &count)
             : NULL;
    for (int i = 0; i < count; i++)
        chosen[items[i]] = true;
    free(items);
    return chosen;
}

/* ---- the table of common options ------------------------------------------------------------ */

const char *const transfer_names[] = {"pageable", "pinned",           "mapped", "mapped_output",
                                      "unified",  "unified_prefetch", NULL};

static const struct common_option {
    const char *name, *argument, *help;
    option_type type;
    size_t field; /* of options */
    double min, max;
    const char *const *choices;
} common_options[] = {
#define FIELD(type, name) OPTION_##type, offsetof(options, name)
    /* Lists are read when all options are known: a lab's own may matter to them. */
    {"--variants", "LIST", "run only these (default: all)", FIELD(LIST, variants_text)},
    {"--sizes", "LIST", "sizes to sweep over", FIELD(LIST, sizes_text)},
    {"--blocks", "LIST", "block sizes to sweep over, 16 or 32x8", FIELD(LIST, blocks_text)},
    {"--trials", "N", "at least N timed samples per row", FIELD(INT, trials), 1, MAX_TRIALS},
    {"--results", "DIR", "put the rows into DIR/MACHINE/LAB.csv as well", FIELD(TEXT, results)},
    {"--csv", "FILE", "put the rows into FILE as well", FIELD(TEXT, csv)},
    {"--fresh", NULL, "start that file anew (default: keep what is not measured again)",
     FIELD(FLAG, fresh)},
    {"--resume", NULL, "run only what that file lacks", FIELD(FLAG, resume)},
    {"--check-only", NULL, "check every result, time nothing", FIELD(FLAG, check_only)},
    {"--hot", NULL, "time with the data in the L2 cache (default: cold)", FIELD(FLAG, hot)},
    {"--time-cap", "SECONDS",
     "stop sampling a row after this long (default 0.3; 0.5 for OpenMP scaling)",
     FIELD(DOUBLE, time_cap), 0, DAY},
    {"--cpu-limit", "SECONDS",
     "skip a CPU variant that would run for longer, unless --variants names it (default 20)",
     FIELD(DOUBLE, cpu_limit), 0, DAY},
    {"--transfer", "MODE",
     "end to end through pageable (default), pinned, mapped, mapped_output, unified "
     "or unified_prefetch memory",
     FIELD(CHOICE, transfer), .choices = transfer_names},
    {"--cpu-threads", "LIST",
     "OpenMP scaling: the serial variant, and OpenMP ones with so many threads",
     FIELD(LIST, cpu_threads_text)},
    {"--device", "N", "CUDA device to use (default 0)", FIELD(INT, device), 0, 1024},
    {"--seed", "N", "seed of the input data (default 1)", FIELD(UINT64, seed), 0, 0x1p53},
    {"--machine", "NAME", "the machine's name in the rows", FIELD(TEXT, machine)},
    {"--step", "TEXT", "put TEXT before the lines that show progress", FIELD(TEXT, step)},
    {"--occupancy-of", "CARD",
     "print how the kernels would fill a multiprocessor of CARD, run nothing",
     FIELD(TEXT, occupancy_of)},
    {"--resources", "FILE", "for --occupancy-of: registers as `make resources` wrote them there",
     FIELD(TEXT, resources)},
    {"--print-machine", NULL, "print this machine's short name and stop",
     FIELD(FLAG, print_machine)},
    {"--list", NULL, "list the variants and stop: name, kind, idea", FIELD(FLAG, list)},
    {"--describe", NULL, "print what the lab is as two records of CSV and stop",
     FIELD(FLAG, describe)},
    {"--help", NULL, "print this text and stop", FIELD(FLAG, help)},
#undef FIELD
};

enum { N_COMMON_OPTIONS = sizeof common_options / sizeof common_options[0] };

static bool is_named(const char *option, const char *name, size_t length)
{
    return strlen(option) == length && memcmp(option, name, length) == 0;
}

/*
 * The option of this name, of the common ones or the lab's, with its place in `o`; `argument` is
 * what --help calls its value, NULL where it takes none. Exits on an unknown name.
 */
static lab_option find_option(options *o, const lab *definition, const char *name, size_t length,
                              const char **argument)
{
    for (int i = 0; i < N_COMMON_OPTIONS; i++) {
        const struct common_option *c = &common_options[i];
        *argument = c->argument;
        if (is_named(c->name, name, length))
            return (lab_option){c->name, c->type,   (char *)o + c->field, c->min, c->max,
                                c->help, c->choices};
    }
    for (int i = 0; i < definition->n_options; i++) {
        *argument = definition->options[i].type == OPTION_FLAG ? NULL : "VALUE";
        if (is_named(definition->options[i].name, name, length))
            return definition->options[i];
    }
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
        if (word[0] == '\0')
            die_bad_input("%s: an empty name", name);
        /* fall through */
    case OPTION_LIST:
        *(const char **)option->value = word;
        break;
    case OPTION_CHOICE:
        *(int *)option->value = parse_choice(name, option->choices, word);
        break;
    }
}

/* Do the lab's configurations set this option? */
static bool in_configurations(const lab *definition, const char *name)
{
    for (int i = 0; definition->sweep.configurations && definition->sweep.configurations[i]; i++) {
        const char *at = strstr(definition->sweep.configurations[i], name);
        char after = at ? at[strlen(name)] : 0;
        if (at && (after == ' ' || after == '='))
            return true;
    }
    return false;
}

/* Handles `name word`; returns whether the word was needed. */
static bool set_option(options *o, const lab *definition, const char *name, size_t length,
                       const char *word)
{
    const char *argument;
    lab_option option = find_option(o, definition, name, length, &argument);
    if (argument && !word)
        die_bad_input("%s needs a value: %s %s", option.name, option.name, argument);
    if (in_configurations(definition, option.name))
        o->configured = true;
    set_value(&option, word);
    return argument != NULL;
}

/* ---- positional arguments ------------------------------------------------------------------- */

/* The command line so far. */
typedef struct given {
    int argc;
    char **argv;
    int positions;              /* arguments without a name */
    const char *width, *height; /* the halves of an image's size, given by their places */
} given;

static const char *position_name(const lab *definition, int position)
{
    const char *const *names = definition->single.positional;
    while (names && *names && position-- > 0)
        names++;
    return names ? *names : NULL;
}

/* WIDTH and HEIGHT are two halves of --sizes. */
static const char *option_of(const char *name)
{
    return strcmp(name, "WIDTH") == 0 || strcmp(name, "HEIGHT") == 0 ? "--sizes" : name;
}

/* No value begins with `--`: what does is a name. */
static bool is_given_by_name(const given *g, const char *name)
{
    for (int i = 1; i < g->argc; i++)
        if (is_named(name, g->argv[i], strcspn(g->argv[i], "=")))
            return true;
    return false;
}

static void set_positional(options *o, const lab *definition, given *g, const char *word)
{
    const char *name = position_name(definition, g->positions);
    if (!name)
        die_bad_input("'%s' is one argument too many; --help lists them", word);
    bool one_value = strcmp(option_of(name), "--sizes") == 0 || strcmp(name, "--blocks") == 0;
    if (one_value && word[strcspn(word, " ,\t")])
        die_bad_input("'%s': one value is needed here; lists are for %s", word, option_of(name));
    g->positions++;
    if (is_given_by_name(g, option_of(name)))
        die_bad_input("%s was given twice, by its place and by its name", option_of(name));
    if (strcmp(name, "WIDTH") == 0)
        g->width = word;
    else if (strcmp(name, "HEIGHT") == 0)
        g->height = word;
    else
        set_option(o, definition, name, strlen(name), word);
}

/* Is there anything to run with --cpu-threads? */
static bool scales(const options *o, const lab *definition)
{
    for (int i = 0; i < definition->n_variants; i++)
        if (o->chosen[i] && definition->variants[i].scales)
            return true;
    return false;
}

/* What the command line comes to, with these lists where it has none of its own. */
static void finish(options *o, const lab *l, const char *sizes, const char *blocks, bool strict)
{
    o->sizes.items = read_list("--sizes", l, sizes, strict ? read_given_size : read_size,
                               sizeof *o->sizes.items, &o->sizes.count);
    o->blocks.items = read_list("--blocks", l, o->blocks_text ? o->blocks_text : blocks, read_block,
                                sizeof *o->blocks.items, &o->blocks.count);
    o->chosen = choose_variants(l, o->variants_text);
    if (!o->cpu_threads_text)
        return;
    o->cpu_threads.items = read_list("--cpu-threads", l, o->cpu_threads_text, read_threads,
                                     sizeof *o->cpu_threads.items, &o->cpu_threads.count);
    if (!scales(o, l))
        die_bad_input("nothing to run: --cpu-threads is for OpenMP variants, and none is %s",
                      o->variants_text ? "chosen" : "in this lab");
}

static void finish_single(options *o, const lab *definition, const given *g)
{
    const lab_single *single = &definition->single;
    const char *sizes = o->sizes_text ? o->sizes_text : single->size;
    char halves[64];
    if (g->positions < single->required)
        die_bad_input("the first %d arguments are needed; --help lists them", single->required);
    if (g->width) {
        const char *height = g->height ? g->height : strchr(single->size, 'x') + 1;
        snprintf(halves, sizeof halves, "%.30sx%.30s", g->width, height);
        sizes = halves;
    }
    finish(o, definition, sizes, single->block, true);
    o->sizes_given = true;
    if (!o->trials)
        o->trials = (int)parse_integer("trials", single->trials, 1, MAX_TRIALS);
}

/* `strict`: sizes that the lab refuses end the program; else they are left out. */
static void finish_sweep(options *o, const lab *definition, bool strict)
{
    const lab_sweep *defaults = &definition->sweep;
    bool scaling = o->cpu_threads_text != NULL;
    const char *sizes =
        scaling && defaults->scaling_size ? defaults->scaling_size : defaults->sizes;
    o->sizes_given = o->sizes_text != NULL;
    finish(o, definition, o->sizes_given ? o->sizes_text : sizes, defaults->blocks, strict);
    if (!o->sizes_given && !scaling && defaults->sizes_large)
        o->sizes_large.items = read_list("--sizes", definition, defaults->sizes_large, read_size,
                                         sizeof *o->sizes_large.items, &o->sizes_large.count);
    if (!o->trials)
        o->trials = DEFAULT_TRIALS;
}

/* ---- the whole line ------------------------------------------------------------------------- */

/* `--name=value`, or `--name` with the next word as its value; returns how many words that took. */
static int set_named(options *o, const lab *definition, const char *word, const char *next)
{
    size_t length = strcspn(word, "=");
    const char *inline_value = word[length] ? word + length + 1 : NULL;
    bool next_is_option = next && strncmp(next, "--", 2) == 0;
    const char *value = inline_value ? inline_value : next_is_option ? NULL : next;
    bool used = set_option(o, definition, word, length, value);
    if (!used && inline_value)
        die_bad_input("%.*s takes no value", (int)length, word);
    return used && !inline_value;
}

/* Options that have to do with one another, and a name that becomes a folder's. */
static void check_together(const options *o)
{
    const char *m = o->machine;
    bool blank = false;
    for (const char *c = m; c && *c; c++)
        blank = blank || (unsigned char)*c <= ' ' || *c == 127;
    if (m && (blank || strpbrk(m, "/\\,\"'") || strcmp(m, ".") == 0 || strcmp(m, "..") == 0))
        die_bad_input("--machine: '%s' is not a name without blanks, commas, quotes or slashes", m);
    if (o->resources && !o->occupancy_of)
        die_bad_input("--resources needs --occupancy-of CARD");
    if (o->results && (o->csv || o->occupancy_of))
        die_bad_input("--results and %s do not go together; --csv FILE names the file itself",
                      o->csv ? "--csv" : "--occupancy-of");
    if ((o->resume || o->fresh) && !o->csv && !o->results)
        die_bad_input("--%s needs --results DIR or --csv FILE", o->resume ? "resume" : "fresh");
    if (o->resume && o->fresh)
        die_bad_input("--resume keeps the rows that --fresh drops; give one of them");
}

options options_parse(const lab *definition, int argc, char **argv)
{
    options o = {.time_cap = DEFAULT_TIME_CAP, .cpu_limit = DEFAULT_CPU_LIMIT, .seed = 1};
    given g = {.argc = argc, .argv = argv};
    for (int i = 1; i < argc; i++) {
        const char *word = strcmp(argv[i], "-h") == 0 ? "--help" : argv[i];
        if (strncmp(word, "--", 2) == 0 && word[2])
            i += set_named(&o, definition, word, i + 1 < argc ? argv[i + 1] : NULL);
        else
            set_positional(&o, definition, &g, word);
    }
    check_together(&o);
    if (o.help || o.list || o.describe || o.print_machine) {
        o.chosen = choose_variants(definition, NULL);
        return o;
    }
    if (o.occupancy_of && !o.sizes_text)
        o.sizes_text = definition->single.size;
    o.single = g.positions > 0 || argc == 1;
    if (o.single)
        finish_single(&o, definition, &g);
    else
        finish_sweep(&o, definition,
                     o.sizes_text && (!definition->sweep.configurations || o.configured));
    return o;
}

/* Did the user give the common option `name` a value of their own? */
static bool user_gave(const options *user, const char *name)
{
    return (strcmp(name, "--sizes") == 0 && user->sizes_text) ||
           (strcmp(name, "--blocks") == 0 && user->blocks_text) ||
           (strcmp(name, "--variants") == 0 && user->variants_text);
}

options options_configure(const options *user, const lab *definition, const char *configuration,
                          bool strict)
{
    options o = *user;
    o.sizes = o.sizes_large = (size_list){NULL, 0};
    o.blocks = (block_list){NULL, 0};
    o.cpu_threads = (count_list){NULL, 0};
    o.words = allocate(strlen(configuration) + 1); /* lists are read from it to the end */
    strcpy(o.words, configuration);
    for (char *name = strtok(o.words, " "), *next; name; name = next) {
        char *value = strtok(NULL, " ");
        bool used = user_gave(user, name) || set_option(&o, definition, name, strlen(name), value);
        next = used ? strtok(NULL, " ") : value;
    }
    finish_sweep(&o, definition, strict);
    o.sizes_given = user->sizes_text != NULL; /* a configuration's sizes are defaults */
    return o;
}

bool options_are_default_sweep(const options *o)
{
    return !o->single && !o->configured && !o->check_only && !o->sizes_text && !o->blocks_text &&
           !o->variants_text && !o->cpu_threads_text && o->transfer == TRANSFER_PAGEABLE;
}

options options_for_scaling(const options *user, const lab *definition, int threads)
{
    char configuration[512];
    const char *first = definition->sweep.configurations ? definition->sweep.configurations[0] : "";
    size_t used = (size_t)snprintf(configuration, sizeof configuration, "%s --cpu-threads ", first);
    threads = threads < MAX_CPU_THREADS ? threads : MAX_CPU_THREADS;
    for (int k = 1; k < threads && used < sizeof configuration; k *= 2)
        used += (size_t)snprintf(configuration + used, sizeof configuration - used, "%d,", k);
    if (used < sizeof configuration)
        snprintf(configuration + used, sizeof configuration - used, "%d", threads);
    options o = options_configure(user, definition, configuration, false);
    if (o.time_cap == DEFAULT_TIME_CAP)
        o.time_cap = SCALING_TIME_CAP;
    return o;
}

void options_check_blocks(const options *o, int max_threads, const int max_dimension[3])
{
    for (int i = 0; i < o->blocks.count; i++) {
        dim3 b = o->blocks.items[i];
        if (b.x > (unsigned)max_dimension[0] || b.y > (unsigned)max_dimension[1] ||
            b.x * b.y > (unsigned)max_threads)
            die_bad_input("a block of %ux%u is over this device's limits: %d threads, %dx%d", b.x,
                          b.y, max_threads, max_dimension[0], max_dimension[1]);
    }
}

void options_free(options *o)
{
    free(o->words);
    free(o->chosen);
    free(o->sizes.items);
    free(o->sizes_large.items);
    free(o->blocks.items);
    free(o->cpu_threads.items);
}

/* ---- --help, --list and --describe ---------------------------------------------------------- */

static void print_positional_help(const lab *definition)
{
    printf("usage: %s", die_program());
    for (int i = 0; definition->single.positional && definition->single.positional[i]; i++) {
        const char *name = definition->single.positional[i];
        name += strspn(name, "-");
        printf(i < definition->single.required ? " %s" : " [%s]", name);
    }
    printf("   one size and one block, as in the 2012 lab report\n");
    printf("       %s OPTION...   a sweep\n\n", die_program());
}

/* A default outside the legal range stands for something that the help line says. */
static void print_default(const lab_option *option)
{
    if (option->type == OPTION_INT && *(const int *)option->value >= option->min)
        printf(" (default %d)", *(const int *)option->value);
    else if (option->type == OPTION_DOUBLE && *(const double *)option->value >= option->min)
        printf(" (default %g)", *(const double *)option->value);
    else if (option->type == OPTION_CHOICE)
        printf(" (default %s)", option->choices[*(const int *)option->value]);
    else if (option->type == OPTION_TEXT && *(const char *const *)option->value)
        printf(" (default %s)", *(const char *const *)option->value);
}

void options_print_help(const lab *definition)
{
    printf("%s: %s\n\n", definition->name, definition->title);
    print_positional_help(definition);
    for (int i = 0; i < N_COMMON_OPTIONS; i++) {
        const struct common_option *common = &common_options[i];
        char left[40];
        snprintf(left, sizeof left, "%s%s%s", common->name, common->argument ? " " : "",
                 common->argument ? common->argument : "");
        printf("  %-24s %s\n", left, common->help);
    }
    for (int i = 0; i < definition->n_options; i++) {
        printf("  %-24s %s", definition->options[i].name, definition->options[i].help);
        print_default(&definition->options[i]);
        printf("\n");
    }
    printf("\ndefault sizes:  %s", definition->sweep.sizes);
    if (definition->sweep.sizes_large)
        printf("; on a GPU also %s for the faster variants", definition->sweep.sizes_large);
    printf("\ndefault blocks: %s\n", definition->sweep.blocks);
    printf("exit status: 0 all right, 1 a result was wrong, 2 bad input, 3 a CUDA error\n");
}

void options_print_variants(const lab *definition)
{
    static const char *const kinds[] = {"cpu", "gpu", "vendor"};
    for (int i = 0; i < definition->n_variants; i++) {
        const variant *v = &definition->variants[i];
        printf("%-18s %-7s %s%s%s%s\n", v->name, kinds[v->kind], v->summary,
               v->run ? "" : " (not in this build: needs ", v->run ? "" : v->needs,
               v->run ? "" : ")");
    }
}

void options_print_description(const lab *definition)
{
    char max[16], dimensions[16];
    const lab *l = definition;
    const struct size_words *words = &size_words[l->sizes_are];
    const char *underscore = strrchr(l->name, '_');
    snprintf(max, sizeof max, "%d", l->size_max);
    snprintf(dimensions, sizeof dimensions, "%d", l->block_dimensions);
    const char *const columns[][2] = {
        {"lab", l->name},
        {"program", underscore ? underscore + 1 : l->name},
        {"title", l->title},
        {"sizes_are", words->name},
        {"size_axis", words->axis},
        {"block_dimensions", dimensions},
        {"sizes", l->sweep.sizes},
        {"sizes_large", l->sweep.sizes_large},
        {"scaling_size", l->sweep.scaling_size},
        {"blocks", l->sweep.blocks},
        {"single_size", l->single.size},
        {"single_block", l->single.block},
        {"size_max", max},
    };
    const int count = sizeof columns / sizeof columns[0];
    for (int line = 0; line < 2; line++)
        for (int i = 0; i < count; i++) {
            csv_write_field(stdout, columns[i][line] ? columns[i][line] : "");
            putchar(i + 1 < count ? ',' : '\n');
        }
}
