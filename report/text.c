/* text.c - see text.h: a hash table with open addressing, at most half full. */
#include "text.h"
#include "die.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static char **texts;
static int count, capacity;
static int *slots; /* number + 1; 0: free */
static size_t n_slots;

/* FNV-1a, 64 bits. */
static uint64_t hash_of(const char *text)
{
    uint64_t hash = 14695981039346656037u;
    for (; *text; text++)
        hash = (hash ^ (unsigned char)*text) * 1099511628211u;
    return hash;
}

static size_t slot_of(const char *text)
{
    size_t slot = hash_of(text) & (n_slots - 1);
    while (slots[slot] && strcmp(texts[slots[slot] - 1], text) != 0)
        slot = (slot + 1) & (n_slots - 1);
    return slot;
}

static void enlarge(void)
{
    n_slots = n_slots ? 2 * n_slots : 1024;
    free(slots);
    slots = allocate(n_slots * sizeof *slots);
    memset(slots, 0, n_slots * sizeof *slots);
    for (int i = 0; i < count; i++)
        slots[slot_of(texts[i])] = i + 1;
}

int text_id(const char *text)
{
    if (2 * (size_t)count >= n_slots)
        enlarge();
    size_t slot = slot_of(text);
    if (!slots[slot]) {
        size_t bytes = strlen(text) + 1;
        texts = grow(texts, count, &capacity, sizeof *texts);
        texts[count] = allocate(bytes);
        memcpy(texts[count++], text, bytes);
        slots[slot] = count;
    }
    return slots[slot] - 1;
}

const char *text_of(int id)
{
    return texts[id];
}

int text_count(void)
{
    return count;
}
