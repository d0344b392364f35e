/*
 * test_seal.c - SipHash by its authors' vectors; whatever is changed in a sealed row shows.
 */
#include "rows/seal.h"
#include "rows/build.h"
#include "tap.h"

#include <string.h>

/* The key is 00 01 .. 0f, the text 00 01 .. of so many bytes: the first and the last of the
 * authors' vectors, that of their paper, and those around a whole word. */
static void test_vectors(void)
{
    static const struct {
        size_t bytes;
        uint64_t hash;
    } vectors[] = {{0, 0x726fdb47dd0e0e31},
                   {7, 0xab0200f58b01d137},
                   {8, 0x93f5f5799a932462},
                   {15, 0xa129ca6149be45e5},
                   {63, 0x958a324ceb064572}};
    unsigned char text[64];
    for (int i = 0; i < 64; i++)
        text[i] = (unsigned char)i;
    for (size_t i = 0; i < COUNT(vectors); i++)
        ok(siphash(text, text, vectors[i].bytes) == vectors[i].hash, "%d bytes",
           (int)vectors[i].bytes);
}

static void test_rows(void)
{
    result row = result_empty();
    snprintf(row.variant, sizeof row.variant, "naive");
    row.time_s = 1.0 / 3;
    seal_row(&row);
    ok(!row.seal[0] == !this_build.key[0], "a row is sealed where the build has a key");
    ok(!seal_is_sound(&row, "another"), "nothing is sound with another key");
    snprintf(row.seal, sizeof row.seal, "0123456789abcde");
    ok(!seal_is_sound(&row, ""), "nor what is too short for a seal");
}

int main(void)
{
    test_vectors();
    test_rows();
    return done_testing();
}
