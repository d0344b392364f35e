#define _POSIX_C_SOURCE 200809L /* open_memstream */

#include "seal.h"
#include "build.h"
#include "files/file.h"

#include <stdlib.h>
#include <string.h>

static uint64_t turned(uint64_t x, int by)
{
    return x << by | x >> (64 - by);
}

static void sip_rounds(uint64_t v[4], int count)
{
    while (count-- > 0) {
        v[0] += v[1], v[1] = turned(v[1], 13) ^ v[0], v[0] = turned(v[0], 32);
        v[2] += v[3], v[3] = turned(v[3], 16) ^ v[2];
        v[0] += v[3], v[3] = turned(v[3], 21) ^ v[0];
        v[2] += v[1], v[1] = turned(v[1], 17) ^ v[2], v[2] = turned(v[2], 32);
    }
}

/* Up to 8 bytes, the lowest first. */
static uint64_t word_of(const unsigned char *bytes, size_t count)
{
    uint64_t word = 0;
    while (count-- > 0)
        word = word << 8 | bytes[count];
    return word;
}

uint64_t siphash(const unsigned char key[16], const void *data, size_t bytes)
{
    const unsigned char *from = data;
    uint64_t k0 = word_of(key, 8), k1 = word_of(key + 8, 8);
    uint64_t v[4] = {k0 ^ 0x736f6d6570736575, k1 ^ 0x646f72616e646f6d, k0 ^ 0x6c7967656e657261,
                     k1 ^ 0x7465646279746573};
    for (size_t at = 0; at <= bytes; at += 8) {
        size_t left = bytes - at;
        uint64_t word =
            left < 8 ? word_of(from + at, left) | (uint64_t)bytes << 56 : word_of(from + at, 8);
        v[3] ^= word;
        sip_rounds(v, 2);
        v[0] ^= word;
    }
    v[2] ^= 0xff;
    sip_rounds(v, 4);
    return v[0] ^ v[1] ^ v[2] ^ v[3];
}

enum { HASH_DIGITS = 16 };

/* The hash of the row, with what its seal says so far. The key is of any length. */
static void hash_of(const result *row, const char *key, char text[HASH_DIGITS + 1])
{
    unsigned char bytes[16] = {0};
    char *line = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&line, &size);
    result_write(stream, row);
    fclose(stream);
    for (size_t i = 0; key[i]; i++)
        bytes[i % 16] = (unsigned char)(bytes[i % 16] * 31 + key[i]);
    snprintf(text, HASH_DIGITS + 1, "%016llx", (unsigned long long)siphash(bytes, line, size));
    free(line);
}

/* The sum of this program's file. */
static uint64_t program_sum(void)
{
    static const unsigned char no_key[16];
    static uint64_t sum;
    if (sum == 0) {
        size_t size;
        unsigned char *content = file_read("/proc/self/exe", &size);
        sum = siphash(no_key, content, size);
        free(content);
    }
    return sum;
}

void seal_row(result *row)
{
    char hash[HASH_DIGITS + 1];
    row->seal[0] = '\0';
    if (!this_build.key[0])
        return;
    snprintf(row->seal, sizeof row->seal, "%.16s-%016llx-",
             this_build.source ? this_build.source : "", (unsigned long long)program_sum());
    hash_of(row, this_build.key, hash);
    strcat(row->seal, hash);
}

bool seal_is_sound(const result *row, const char *key)
{
    char hash[HASH_DIGITS + 1];
    result open = *row;
    size_t length = strlen(row->seal);
    if (length < HASH_DIGITS)
        return false;
    open.seal[length - HASH_DIGITS] = '\0';
    hash_of(&open, key, hash);
    return strcmp(hash, row->seal + length - HASH_DIGITS) == 0;
}
