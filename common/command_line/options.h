/*
 * options.h - the command line, the same in every lab.
 *
 * Numbers are parsed strictly: the whole word must be a number in the legal range. Whatever is
 * wrong ends the program with one line that says so and says what is legal (exit 2).
 */
#ifndef COMMON_OPTIONS_H
#define COMMON_OPTIONS_H

#include "lab.h"
#include "rows/result.h"

typedef struct size_list {
    extent *items;
    int count;
} size_list;

typedef struct block_list {
    dim3 *items;
    int count;
} block_list;

typedef struct count_list {
    int *items;
    int count;
} count_list;

/* How data gets to the GPU and back where the time from end to end is measured. */
typedef enum transfer_mode {
    TRANSFER_PAGEABLE,      /* copies from and to ordinary memory */
    TRANSFER_PINNED,        /* copies from and to page-locked memory */
    TRANSFER_OVERLAPPED,    /* the same in parts: in, kernel and out of different ones at once */
    TRANSFER_MAPPED,        /* the kernel reads and writes the host's page-locked memory itself */
    TRANSFER_MAPPED_OUTPUT, /* inputs are copied, outputs written to the host's memory */
    TRANSFER_UNIFIED,       /* managed memory, pages move when they are touched */
    TRANSFER_UNIFIED_PREFETCH, /* managed memory, moved by cudaMemPrefetchAsync */
    TRANSFER_STREAM            /* frame after frame, as overlapped; --stream */
} transfer_mode;

/* Their names on the command line and in the rows, in this order; ends with NULL. */
extern const char *const transfer_names[];

/* The names of variant_kind in --list and in the rows. */
extern const char *const kind_names[];

typedef struct options {
    /* what the command line said, or NULL */
    const char *variants_text, *sizes_text, *blocks_text, *cpu_threads_text, *gpus_text;

    /* what that comes to */
    bool *chosen; /* n_variants flags: which variants run */
    size_list sizes, sizes_large;
    block_list blocks;
    count_list cpu_threads; /* not empty: a scaling run, of the serial and OpenMP variants alone */
    bool sizes_given;       /* by the user: no default limit applies */
    bool every_end_to_end;  /* not of the fastest blocks alone: a user's own sweep, or --full */
    bool configured;        /* by the user: no default configuration applies */
    int trials;             /* the least number of timed samples; 0 while it is not known */
    bool single;            /* one size and one block, with the lab's present() */
    bool divided, weak;     /* for several GPUs alone; sizes are those of one of them */
    count_list gpus;        /* one run after the other over so many */
    bool check_only, diagnose, hot, resume, fresh, full, wide, print_machine, list, describe, help;
    transfer_mode transfer;
    int frames;       /* of a stream; 0: there is none */
    double time_cap;  /* seconds of sampling per row */
    double cpu_limit; /* seconds that a run of a CPU variant may take if it was not asked for */
    int device;
    uint64_t seed;
    uint64_t *own;            /* values of the lab's own options, in their order; */
    uint64_t own_set;         /* those that the user set, a bit each */
    char *words;              /* of a configuration, split; or NULL */
    const char *csv;          /* path or NULL */
    const char *results;      /* folder of all machines' results, instead of csv; or NULL */
    const char *step;         /* stands before lines of progress; or NULL */
    const char *machine;      /* name for the rows, or NULL: the machine's own */
    const char *occupancy_of; /* a card, to show its occupancy instead of a sweep; or NULL */
    const char *kernel;       /* VARIANT=FILE: a kernel that was handed in; or NULL */
    const char *declared;     /* how it is launched, as its author says; or NULL */
    int judge;                /* rounds of judged timing; 0: a sweep */
    const char *resources;    /* where the kernels' figures for that are; or NULL */
} options;

/* Reads argv into the options and into the lab's own option variables. Exits on bad input. */
options options_parse(const lab *definition, int argc, char **argv);

/*
 * The user's options with one of the lab's configurations on top, "--type rgb24 --sizes 32,64": it
 * sets the lab's own options and common ones where the user did not; the others are as before it.
 * Sizes that the lab refuses end the program if `strict`, else they are left out. options_free()
 * releases the result.
 */
options options_configure(const options *user, const lab *definition, const char *configuration,
                          bool strict);

/* Are these settings for --full alone, which the user did not give? */
bool options_leave_out(const options *user, const lab_settings *settings);

/* Is this the lab's whole default sweep, to be timed? Its inputs and the like do not matter. */
bool options_are_default_sweep(const options *o);

/*
 * The OpenMP scaling run that ends a default sweep: the user's options with 1, 2, 4, .. and
 * `threads` threads, for options_configure() with each of the lab's settings for such a run.
 */
options options_with_threads(const options *user, int threads);
const lab_settings *options_scaling(const lab *definition);

/*
 * The run with hot data that a sweep with --full has on a GPU: its kernels and libraries at the
 * last of the lab's `sizes`, in its first configuration, for the CPU's times are of hot data, too.
 * options_free() releases the result.
 */
options options_for_hot(const options *user, const lab *definition);

/*
 * A stream of frames: the user's, or the one that ends a default sweep, with the lab's settings for
 * what the user left open. On a machine without a GPU it is small. options_free() releases the
 * result.
 */
options options_for_stream(const options *user, const lab *definition, bool emulated);

/*
 * A run over several GPUs with one of the lab's settings for it. options_free() releases the
 * result.
 */
options options_for_ranks(const options *user, const lab *definition, const char *settings);

/* Does the lab take this size? */
bool options_size_is_legal(const lab *definition, extent size);

/* --help, --list and --describe, on stdout. */
void options_print_help(const lab *definition);
void options_print_variants(const lab *definition);
void options_print_description(const lab *definition);

void options_free(options *o);

#endif
