/*
 * matches.h - the search for the best positions of a map, on the GPU as a part of a run and on the
 * host (matches.cu).
 */
#ifndef LAB4_MATCHES_H
#define LAB4_MATCHES_H

#include "template.h"

enum {
    TOP_MAX = 64,
    PLACE_BITS = 30, /* 32768 * 32768 places; the ranks have 34 bits, since 512 * 512 * 255^2 has */
    NOWHERE = 1 << PLACE_BITS
};

/* What is searched: rows of the whole map from `first` on. */
typedef struct search {
    int first;
    uint32_t *places; /* `top_count` of them, in the whole map */
    /* Makes of this GPU's least key that of all, in the workspace. NULL: it searches alone. */
    void (*agree)(uint64_t *key, const launch *l);
} search;

/* Returns how many keys the search keeps in the buffer KEYS. */
size_t tile_keys(shapes s);

/* Launches the search, where --top asks for it. */
void launch_matches(const problem *p, const launch *l, search of);

/* Runs a variant's launcher, and then the search. */
template <void (*MAKE_MAP)(const problem *, const launch *)>
static void with_matches(const problem *p, const launch *l)
{
    MAKE_MAP(p, l);
    launch_matches(p, l, {0, (uint32_t *)l->buffer[MATCHES], NULL});
}

/* Returns the next match after `count` of them, by the map's values, which at() tells. */
uint32_t next_match(const void *map, value_reader at, bool largest, const uint32_t *places,
                    int count, shapes s);

/* Finds all `top_count` matches of a map in host memory. */
void find_matches(const void *map, uint32_t *places, shapes s);

#endif
