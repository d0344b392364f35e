/*
 * fixture.h - a lab without arithmetic for tests of what moves data: its buffers are a table, what
 * is in them a pattern, and its run copies the first buffer to the second.
 */
#ifndef TESTS_FIXTURE_H
#define TESTS_FIXTURE_H

#include "measure/buffers.h"
#include "tap.h"

#include <stdlib.h>
#include <string.h>

enum { IN, OUT }; /* the two that every table begins with */
enum { AS_FILLED = -1 };

typedef struct buffer_spec {
    const char *name;
    buffer_role role;
    size_t bytes;
} buffer_spec;

static buffer_spec fixture_buffers[LAB_MAX_BUFFERS]; /* ends with a name that is NULL */
static int fixture_runs;
static const void *fixture_inputs[1 << 12]; /* the input that each run got */

static inline unsigned char pattern(int buffer, size_t at)
{
    return (unsigned char)(at * 7 + at / 256 + (size_t)buffer * 3 + 1);
}

static inline void fixture_layout(problem *p)
{
    for (const buffer_spec *b = fixture_buffers; b->name; b++)
        problem_add_buffer(p, b->name, b->role, b->bytes);
}

static inline void fixture_fill(const problem *p)
{
    for (int i = 0; i < p->buffers; i++)
        for (size_t at = 0; at < p->buffer[i].bytes; at++)
            ((unsigned char *)p->buffer[i].host)[at] = pattern(i, at);
}

/* Is each byte of this host or device memory the one, or AS_FILLED what fixture_fill() wrote? */
static inline bool is_all(const problem *p, int buffer, const void *memory, int value)
{
    size_t bytes = p->buffer[buffer].bytes, at = 0;
    unsigned char *copy = malloc(bytes);
    CUDA_CHECK(cudaMemcpy(copy, memory, bytes, cudaMemcpyDefault));
    while (at < bytes && copy[at] == (value == AS_FILLED ? pattern(buffer, at) : value))
        at++;
    free(copy);
    return at == bytes;
}

static inline void fixture_copy(const problem *p, const launch *l)
{
    fixture_inputs[fixture_runs++ % COUNT(fixture_inputs)] = l->buffer[IN];
    CUDA_CHECK(cudaMemcpyAsync(l->buffer[OUT], l->buffer[IN], p->buffer[OUT].bytes,
                               cudaMemcpyDefault, l->stream));
}

static inline checked fixture_value_at(const void *context, size_t i)
{
    const problem *p = context;
    return (checked){((unsigned char *)p->buffer[OUT].host)[i], pattern(IN, i), 1};
}

/* Is the output the input? Half a unit is allowed. */
static inline check_result fixture_check(const problem *p, const variant *v)
{
    (void)v;
    return check_all(0.5, 1000, p->buffer[OUT].bytes, fixture_value_at, p);
}

#define FIXTURE .name = "fixture", .layout = fixture_layout, .fill = fixture_fill

static const lab fixture_lab = {FIXTURE};

static inline void fixture_table(const buffer_spec *table, size_t count)
{
    memset(fixture_buffers, 0, sizeof fixture_buffers);
    memcpy(fixture_buffers, table, count * sizeof *table);
}

static inline problem fixture_problem(const buffer_spec *table, size_t count)
{
    fixture_table(table, count);
    return problem_create(&fixture_lab, (extent){1, 1, 0}, 42);
}

/* A buffer of one set. */
static inline void *set_buffer(const device_sets *sets, int set, int buffer)
{
    void *pointers[LAB_MAX_BUFFERS];
    device_sets_buffers(sets, set, pointers);
    return pointers[buffer];
}

#endif
