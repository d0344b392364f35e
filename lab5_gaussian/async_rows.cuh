/*
 * async_rows.cuh - the walk of integer_dp2a with rows that are copied ahead. A group of rows that
 * is loaded into registers is waited for before any of it is summed. Here a warp has a ring of five
 * rows' pieces in shared memory, and four of them are always under way to it, by asynchronous
 * copies, which take no registers. So a thread can have sixteen bytes of a row: what is done once a
 * row is done half as often. Neighbours share what each would have loaded.
 */
#ifndef LAB5_ASYNC_ROWS_CUH
#define LAB5_ASYNC_ROWS_CUH

#include "async_copy.cuh"
#include "integer_dp2a.cuh"

enum {
    WIDE = 2 * STRETCH,         /* bytes that a thread makes of a row */
    LANES = 32,                 /* of a warp, each with a stretch */
    PIECE = (LANES + 2) * WIDE, /* of a row, of a warp: a stretch's room on either side */
    RING = 5 * PIECE
};

/* The rows that are made; others are only read. */
struct row_range {
    int first, end;
};

/* Starts the copy of row y's piece: each lane its own bytes, the first two what lies beside. */
__device__ inline void fetch_row(const uint8_t *in, const stretch_place &at, int lane, int y,
                                 uint8_t *piece)
{
    const uint8_t *row = in + clamp(y, at.height) * at.row_bytes;
    if (at.left < at.row_bytes)
        copy_async<WIDE>(piece + (lane + 1) * WIDE, row + at.left, true);
    int beside = lane == 0 ? at.left - WIDE : at.left + (LANES - 1) * WIDE;
    if (lane < 2 && beside >= 0 && beside < at.row_bytes)
        copy_async<WIDE>(piece + lane * (LANES + 1) * WIDE, row + beside, true);
    copy_async_commit();
}

/*
 * All lanes of a warp come here, also those beyond the row's end. Row i is at ring[i % 5]: behind
 * the barrier everyone's copies of it are there, and everyone has taken row i - 1, whose place is
 * that of row i + 4.
 */
template <int DISTANCE, class Rule>
__device__ inline void walk_pieces(const uint8_t *in, uint8_t *out, const stretch_place &at,
                                   int top, int bottom, const Rule &rule, uint8_t *ring, int lane)
{
    bool owner = at.left < at.row_bytes;
    five_rows<WIDE> rows;
#pragma unroll
    for (int u = 0; u < GROUP - 1; u++)
        fetch_row(in, at, lane, top - 2 + u, ring + u * PIECE);
#pragma unroll 1
    for (int y = top - 4; y < bottom; y += GROUP) {
#pragma unroll
        for (int u = 0; u < GROUP; u++) {
            copy_async_wait<GROUP - 2>();
            __syncwarp();
            if (y + u + GROUP - 1 < bottom)
                fetch_row(in, at, lane, y + u + 2 + GROUP - 1, ring + (u + 4) % GROUP * PIECE);
            else
                copy_async_commit(); /* an empty group, for what is waited for is counted */
            if (!owner || y + u >= bottom)
                continue;
            uint32_t word[WORDS<WIDE>];
            load_words<DISTANCE, WIDE>(ring + u * PIECE + (lane + 1) * WIDE, at, word);
            extend_ends<DISTANCE>(at, word);
            sum_row<DISTANCE, WIDE>(rows, u, word, rule);
            if (y + u < top)
                continue;
            uint32_t result[WIDE / 4];
            finish_row<DISTANCE, WIDE>(rows, u, result, rule);
            *(uint4 *)(out + (y + u) * at.row_bytes + at.left) =
                make_uint4(result[0], result[1], result[2], result[3]);
        }
    }
}

#endif
