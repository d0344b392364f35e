/*
 * several_gpus.cu - lab 4 over several GPUs, one process each.
 *
 * A GPU has some rows of the map and of the image those that they look at: its rows and the
 * template's height less 1 below them, which the next GPU has, too. It makes its rows of the map as
 * a single GPU does, by tensor_int8_hopper where that can run, else by tensor_int8. With --top it
 * looks for the best of its positions, and the least of the GPUs' keys is the match of all: a key
 * has the value's rank and below it the place in the whole map, so that of equal values the first
 * in raster order is taken wherever it lies. For the next match all know the ones before.
 *
 * Over G GPUs each makes a G-th of the products; a match moves 8 bytes, which takes as long as
 * anything short over the link does (lab 0), some 20 us a match. What does not shrink are the h - 1
 * rows that two GPUs read, 2 % of a band of 3000 rows for 64, and the launches.
 */
#include <stdio.h>

#include "matches.h"
#include "tensor_int8.h"
#ifdef HAVE_RANKS
#include "process/nccl_check.h"
#endif

/* One map over more and more GPUs, and one a GPU. */
const lab_settings several_gpus[] = {
    {"--template-width 64 --template-height 64 "
     "--measure ssd --top 1 --variants divided --sizes 256x192,4096x3072,8192x6144"},
    {"--template-width 64 --template-height 64 "
     "--measure ssd --top 1 --weak --variants divided --sizes 256x192,4096x3072"},
    {NULL},
};

static rank_part rows_of_rank(const problem *p, int rank, int count)
{
    return ranks_part((size_t)shapes_of(p).map_height, 1, rank, count);
}

/* Gives each rank its rows; the matches, which all know, are the last rank's to tell. */
static rank_part part_of_map(const problem *p, int i, int rank, int count)
{
    const shapes s = shapes_of(p);
    const size_t width = (size_t)s.image_width, line = s.map_width * value_bytes();
    const rank_part rows = rows_of_rank(p, rank, count);
    if (i == IMAGE)
        return {width * rows.first, width * (rows.count + (size_t)template_height - 1)};
    if (i == MAP)
        return {line * rows.first, line * rows.count};
    return {0, i == MATCHES && rank < count - 1 ? 0 : p->buffer[i].bytes};
}

#ifdef HAVE_RANKS

/* The workspace begins with the best key of this GPU, then of all, and the places of the matches;
 * behind them is tensor_int8's. */
enum { SEARCH_BYTES = 512 };
static_assert(sizeof(uint64_t) + TOP_MAX * sizeof(uint32_t) <= SEARCH_BYTES, "room for all");

/* Makes this rank's rows of the map a problem of their own. */
static problem band_of(const problem *p)
{
    const ranks all = ranks_now();
    problem own = *p;
    own.height = (int)rows_of_rank(p, all.rank, all.count).count + template_height - 1;
    return own;
}

static size_t divided_bytes(const problem *p)
{
    const problem own = band_of(p);
    return SEARCH_BYTES + tensor_bytes(&own);
}

static void launch_band(const problem *own, launch l)
{
    l.workspace = (char *)l.workspace + SEARCH_BYTES;
    if (has_wgmma()) {
        l.block = dim3(TENSOR_INT8_HOPPER_THREADS);
        launch_hopper(own, &l);
    } else {
        l.block = dim3(TENSOR_INT8_THREADS);
        launch_tensor_int8(own, &l);
    }
}

/* Makes the least of this GPU's keys that of all. */
static void agree_on_key(uint64_t *key, const launch *l)
{
    if (ranks_now().count > 1 && !l->no_exchange)
        NCCL_CHECK(
            ncclAllReduce(key, key, 1, ncclUint64, ncclMin, ranks_communicator(), l->stream));
}

static void launch_divided(const problem *p, const launch *l)
{
    const ranks all = ranks_now();
    const problem own = band_of(p);
    const bool tells = top_count > 0 && p->buffer[MATCHES].bytes > 0;
    uint32_t *places = (uint32_t *)((uint64_t *)l->workspace + 1);
    launch_band(&own, *l);
    launch_matches(&own, l,
                   {(int)rows_of_rank(p, all.rank, all.count).first,
                    tells ? (uint32_t *)l->buffer[MATCHES] : places, agree_on_key});
}

static const char *local(void)
{
    return has_wgmma() ? "tensor_int8_hopper" : "tensor_int8";
}

#endif

static const accuracy divided_accuracy = {.local = BUILT(HAVE_RANKS, local)};

const variant divided_variant = GPU_VARIANT(
    "divided", "over several GPUs, some rows of the map each", BUILT(HAVE_RANKS, launch_divided),
    .needs = "MPI and NCCL", .architecture = "sm_80", .own_block = TENSOR_INT8_HOPPER_THREADS,
    .workspace_bytes = BUILT(HAVE_RANKS, divided_bytes), .refuse = refuse_sad, .part = part_of_map,
    .exchanges = true, .own = &divided_accuracy);
