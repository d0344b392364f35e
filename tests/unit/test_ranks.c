/*
 * test_ranks.c - parts, one a rank: they cover the whole, in order, and differ by a unit at most;
 * what all say together where there is one rank. Of several, tests/ranks.t.
 */
#include "process/ranks.h"
#include "tap.h"

static void test_parts(size_t total, size_t unit, int count)
{
    size_t at = 0, least = total, most = 0;
    bool in_units = true, in_order = true;
    for (int rank = 0; rank < count; rank++) {
        rank_part p = ranks_part(total, unit, rank, count);
        in_order = in_order && p.first == at;
        in_units = in_units && (p.first % unit == 0 || p.count == 0) &&
                   (p.count % unit == 0 || p.first + p.count == total);
        at += p.count;
        least = p.count < least ? p.count : least;
        most = p.count > most ? p.count : most;
    }
    ok(at == total && in_order, "%zu in parts for %d: next to each other, all of it", total, count);
    ok(in_units && most - least < 2 * unit, "and in units of %zu, as even as these allow", unit);
}

static void test_one_rank(void)
{
    const ranks all = ranks_now();
    char none[8] = "", some[8] = "why";
    ok(all.rank == 0 && all.count == 1 && all.local == 0 && all.on_node == 1 && all.nodes == 1,
       "a program by itself is rank 0 of 1, on one node");
    ok(ranks_slowest(2.5) == 2.5 && ranks_any(true) && !ranks_any(false) && ranks_first(true) &&
           !ranks_first(false),
       "and alone says what all say");
    ok(!ranks_any_text(none, sizeof none) && ranks_any_text(some, sizeof some) &&
           strcmp(some, "why") == 0,
       "and its text is the first");
}

int main(void)
{
    const size_t totals[] = {0, 1, 3, 4, 5, 16, 1000, 1003, 1 << 20};
    for (size_t i = 0; i < sizeof totals / sizeof totals[0]; i++)
        for (int count = 1; count <= 4; count++) {
            test_parts(totals[i], 1, count);
            test_parts(totals[i], 4, count);
        }
    const rank_part last = ranks_part(10, 4, 2, 3);
    ok(last.first == 8 && last.count == 2, "the last unit may be short");
    const size_t large = (size_t)5 << 40;
    ok(ranks_part(large, 1, 1, 2).first == large / 2, "more than an int holds");
    test_one_rank();
    return done_testing();
}
