/*
 * test_exchange.c - what each rank has comes to all of them, in their order: of one process, and of
 * several where mpirun starts it.
 */
#include "ranks.h"
#include "tap.h"

enum { BYTES = 13, MOST = 8 };

/* What a rank has: each its own. */
static void write_words(char words[BYTES], int rank)
{
    for (int i = 0; i < BYTES; i++)
        words[i] = (char)(31 * rank + i + 1);
}

int main(int argc, char **argv)
{
    char own[BYTES], expected[MOST * BYTES] = "", got[MOST * BYTES] = "";
    ranks_start(&argc, &argv);
    const ranks all = ranks_now();
    write_words(own, all.rank);
    for (int rank = 0; rank < all.count && rank < MOST; rank++)
        write_words(expected + (size_t)rank * BYTES, rank);
    ranks_exchange(own, got, BYTES);
    bool differs = memcmp(got, expected, sizeof got) != 0;
    ok(!ranks_any(differs), "%d ranks have what each of them had", all.count);
    int status = done_testing();
    ranks_end();
    return status;
}
