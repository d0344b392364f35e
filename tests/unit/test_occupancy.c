/*
 * test_occupancy.c - blocks on a multiprocessor: answers worked out by hand, and what the CUDA
 * runtime said on an H200. The tables of the 2012 report are in occupancy.t and tables.t.
 */
#include "machine/occupancy.h"
#include "rows/result.h"
#include "tap.h"

#include <glob.h>
#include <math.h>

/* ---- worked out by hand --------------------------------------------------------------------- */

typedef struct answer {
    const char *card;
    int registers;
    size_t shared_bytes;
    int threads, blocks;
    const char *limiter;
} answer;

static const answer fermi_answers[] = {
    {"sm_20", 20, 0, 64, 8, "blocks"},
    /* 28 x 32 = 896 a warp, 18 warps in each half of 16384: 36 warps, 4 blocks of 8 */
    {"sm_20", 28, 0, 256, 4, "registers"},
    {"sm_20", 21, 0, 192, 7, "registers"},  /* 672 -> 704: 23 in each half, 46 warps of 6 */
    {"sm_20", 40, 0, 160, 4, "registers"},  /* 1280: 12 in each half, of 25 in all, warps of 5 */
    {"sm_20", 63, 0, 96, 5, "registers"},   /* 2016 -> 2048: 8 in each half, 16 warps of 3 */
    {"sm_20", 64, 0, 32, 0, "registers"},   /* no thread has 64 */
    {"sm_20", 33, 0, 1024, 0, "registers"}, /* 1088 x 32 are more than there are */
    {"sm_20", 0, 0, 192, 8, "warps+blocks"},
    {"sm_20", 10, 6144, 32, 8, "shared_memory+blocks"},
    {"sm_20", 10, 5400, 32, 8, "shared_memory+blocks"}, /* 5504: 8.9 */
    {"sm_20", 10, 6145, 32, 7, "shared_memory"},        /* 6145 -> 6272 */
    {"sm_20", 10, 49152, 32, 1, "shared_memory"},
    {"sm_20", 10, 49153, 32, 0, "shared_memory"},
    {"sm_20", 10, 0, 1025, 0, "warps"},
};

static const answer answers[] = {
    /* of the sm_90's rules the recorded rows below hold most */
    {"sm_90", 255, 0, 512, 0, "registers"}, /* 8160 -> 8192: 2 a quarter, 8 warps in all */
    {"sm_90", 16, 56 * 1024, 32, 4, "shared_memory"}, /* 57 KiB with the driver's, 228 in all */
    {"sm_90", 16, 227 * 1024, 32, 1, "shared_memory"},
    {"sm_90", 16, 227 * 1024 + 1, 32, 0, "shared_memory"},
    {"sm_90", 16, 0, 1025, 0, "warps"},
    {"sm_90", 16, (size_t)1 << 40, 32, 0, "shared_memory"},
    {"sm_90", 70000, 0, 32, 0, "registers"},
    {"sm_80", 40, 0, 128, 12, "registers"},            /* 1280: 12 a quarter, 48 warps of 4 */
    {"sm_80", 16, 40 * 1024, 128, 4, "shared_memory"}, /* 164 / 41 */
    {"sm_75", 32, 0, 256, 4, "warps"},                 /* 32 warps */
    {"sm_75", 32, 0, 32, 16, "blocks"},
    {"sm_75", 65, 0, 256, 3, "registers"}, /* 2080 -> 2304: 7 a quarter, 28 warps */
    {"sm_75", 32, 64 * 1024, 256, 1, "shared_memory"},
    {"sm_86", 40, 0, 256, 6, "warps+registers"}, /* 1280: 12 a quarter, 48 warps */
    {"sm_86", 32, 0, 1024, 1, "warps"},
    {"sm_86", 32, 19 * 1024, 64, 5, "shared_memory"}, /* 100 / 20 */
    {"sm_89", 32, 0, 32, 24, "blocks"},
    {"sm_120", 32, 0, 32, 24, "blocks+barriers"},         /* as many barriers as blocks */
    {"gtx-1060", 32, 48 * 1024, 128, 2, "shared_memory"}, /* 96 / 48, nothing reserved */
    {"gtx-1060", 32, 48 * 1024 + 1, 128, 0, "shared_memory"},
};

static void test_answers(const answer *list, size_t count)
{
    for (const answer *a = list; a < list + count; a++) {
        occupancy o;
        char got[64], expected[64];
        occupancy_of(occupancy_card(a->card), a->registers, a->shared_bytes, a->threads, &o);
        snprintf(got, sizeof got, "%d by %s", o.blocks_per_sm, o.limiter);
        snprintf(expected, sizeof expected, "%d by %s", a->blocks, a->limiter);
        is(got, expected, "%s, %d registers, %zu bytes, %d threads", a->card, a->registers,
           a->shared_bytes, a->threads);
    }
}

static void test_refusals(void)
{
    occupancy o;
    const struct cudaDeviceProp *fermi = occupancy_card("sm_20");
    ok(occupancy_of(fermi, 10, 0, 0, &o) && o.blocks_per_sm == -1 && isnan(o.share),
       "a block without threads has no occupancy");
    ok(occupancy_of(fermi, -1, 0, 32, &o) != NULL, "nor has a kernel without known registers");
    ok(!occupancy_of(fermi, 10, (size_t)1 << 40, 32, &o) && o.blocks_per_sm == 0,
       "a terabyte of shared memory is too much");
}

static void test_cards(void)
{
    ok(occupancy_card("tesla-c2050") == occupancy_card("sm_20"), "a Tesla C2050 is an sm_20");
    ok(occupancy_card("nvidia-h200") == occupancy_card("sm_90a"), "an H200 is an sm_90a");
    /* of each threads, registers a block and in all, KiB a block and in all, reserved; in cards.tsv
     */
    char line[256], name[32], got[256];
    FILE *list = fopen("tests/unit/cards.tsv", "r");
    while (list && fgets(line, sizeof line, list)) {
        const struct cudaDeviceProp *c;
        if (sscanf(line, "%31[^# \t]", name) != 1)
            continue;
        c = occupancy_card(name);
        snprintf(got, sizeof got, "%s\tsm_%d%d\t%d\t%d\t%d\t%zu\t%zu\t%zu\n", name, c->major,
                 c->minor, c->maxThreadsPerMultiProcessor, c->regsPerBlock / 1024,
                 c->regsPerMultiprocessor / 1024, c->sharedMemPerBlockOptin / 1024,
                 c->sharedMemPerMultiprocessor / 1024, c->reservedSharedMemPerBlock / 1024);
        is(got, line, "%s as NVIDIA has it", name);
    }
    ok(list && fclose(list) == 0, "all cards");
}

/* ---- as the runtime had it on an H200 -------------------------------------------------------- */

/* The runtime's blocks and the header's limiter, as they were recorded on the card itself. */
static void test_recorded(void)
{
    const struct cudaDeviceProp *h200 = occupancy_card("nvidia-h200");
    result_table table = {0};
    glob_t files;
    int rows = 0, wrong = 0;
    glob("data/reference/nvidia-h200/lab*.csv", 0, NULL, &files);
    for (size_t i = 0; i < files.gl_pathc; i++)
        result_table_read(&table, files.gl_pathv[i]);
    globfree(&files);
    for (const result *r = table.rows; r < table.rows + table.count; r++) {
        occupancy o;
        if (r->registers < 0)
            continue;
        rows++;
        occupancy_of(h200, r->registers, (size_t)r->shared_bytes, r->threads_per_block, &o);
        if (o.blocks_per_sm == r->blocks_per_sm && fabs(o.share - r->occupancy) < 1e-6 &&
            strcmp(o.limiter, r->limiter) == 0)
            continue;
        wrong++;
        printf("#   %s, %s, %d threads: %d blocks by %s, recorded %d by %s\n", r->lab, r->variant,
               r->threads_per_block, o.blocks_per_sm, o.limiter, r->blocks_per_sm, r->limiter);
    }
    ok(rows > 100 && wrong == 0, "blocks, occupancy and limiter of %d rows", rows);
    result_table_free(&table);
}

int main(void)
{
    occupancy o;
    test_answers(fermi_answers, COUNT(fermi_answers));
    test_refusals();
    test_cards();
    const char *reason = occupancy_of(occupancy_card("sm_90"), 1, 0, 1, &o);
    if (reason) {
        ok(strstr(reason, "CUDA Toolkit"), "without the toolkit: %s", reason);
        return done_testing();
    }
    test_answers(answers, COUNT(answers));
    test_recorded();
    return done_testing();
}
