/*
 * test_handed_in.c - the launch that a part declares: what of a text is understood, what a lab's
 * launch becomes, and what is refused. (Files with kernels are course/grade.t's.)
 */
#define _POSIX_C_SOURCE 200809L

#include "measure/handed_in.h"
#include "process.h"
#include "process/die.h"
#include "tap.h"

/* A lab's launch of 100 x 30 x 7 blocks of 32 x 8 with 16 bytes, once this is declared. */
static void declare_and_launch(const void *text)
{
    dim3 grid = {100, 30, 7}, block = {32, 8, 1};
    size_t shared_bytes = 16;
    handed_in_declare(text);
    handed_in_reshape(&grid, block, &shared_bytes);
    printf("%ux%ux%u %zu", grid.x, grid.y, grid.z, shared_bytes);
}

int main(void)
{
    static const struct {
        const char *text, *launch; /* NULL: refused */
    } cases[] = {
        {"", "100x30x7 16"},
        {"grid: 264", "264x1x1 16"},
        {"grid: 264x2", "264x2x1 16"},
        {"  grid:264x2x65535  ", "264x2x65535 16"},
        {"grid: 2147483647", "2147483647x1x1 16"},
        {"grid: /4", "25x30x7 16"},
        {"grid: /3x31", "34x1x7 16"},
        {"grid: /1x4x7", "100x8x1 16"},
        {"grid: /101x30x8", "1x1x1 16"},
        {"shared: 4096", "100x30x7 4096"},
        {"shared: 232448", "100x30x7 232448"},
        {"shared: 8/thread", "100x30x7 2048"},
        {"grid: /2x1  shared: 3/thread", "50x30x7 768"},
        {"shared: 5 grid: 9", "9x1x1 5"},
        {"grid: 0", NULL},
        {"grid: /0", NULL},
        {"grid: 2147483648", NULL},
        {"grid: 1x65536", NULL},
        {"grid: 1x2x3x4", NULL},
        {"grid: 4x", NULL},
        {"grid: -4", NULL},
        {"grid: 4;", NULL},
        {"grid:", NULL},
        {"shared: 232449", NULL},
        {"shared: 0", NULL},
        {"shared: 8/threads", NULL},
        {"shared: 8/block", NULL},
        {"block: 32", NULL},
        {"4", NULL},
    };
    die_set_program("a/program");
    for (size_t i = 0; i < COUNT(cases); i++) {
        outcome got = in_process(declare_and_launch, cases[i].text);
        if (cases[i].launch)
            is(got.out, cases[i].launch, "'%s'", cases[i].text);
        else
            ok(got.status == 2 && !got.out[0] && strstr(got.error, "program: --declared: '"),
               "'%s' is refused", cases[i].text);
    }
    ok(handed_in_shared_limit(7) == 7, "nothing is bound: the lab's own limit");
    return done_testing();
}
