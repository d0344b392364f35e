/* resources.c - a file of `make resources`, and the occupancy of whatever it says. */
#include "fuzz.h"
#include "occupancy_table.h"

void kernel(void); /* its name is in the files */
void kernel(void)
{
}

static void no_parameters(char *text, size_t bytes)
{
    snprintf(text, bytes, "x=1");
}

static void no_layout(problem *p)
{
    (void)p;
}

void fuzz(const char *path)
{
    static const variant variants[] = {
        {.name = "naive", .kind = VARIANT_GPU, .kernel = (const void *)kernel}};
    static const lab made_up = {
        .name = "lab1_x", .parameters = no_parameters, .layout = no_layout, LAB_VARIANTS(variants)};
    static bool chosen = true;
    static extent size = {16, 16, 0};
    static dim3 block[] = {{16, 16, 1}, {1, 1, 1}, {1024, 1, 1}};
    const options o = {.chosen = &chosen,
                       .sizes = {&size, 1},
                       .blocks = {block, 3},
                       .occupancy_of = "sm_86",
                       .resources = path};
    occupancy_table_print(&made_up, &o);
}
