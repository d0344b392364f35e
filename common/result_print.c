#include "result_print.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static void format_time(double seconds, char text[16])
{
    if (isnan(seconds))
        snprintf(text, 16, "-");
    else if (seconds < 1e-6)
        snprintf(text, 16, "%.4g ns", 1e9 * seconds);
    else if (seconds < 1e-3)
        snprintf(text, 16, "%.4g us", 1e6 * seconds);
    else if (seconds < 1)
        snprintf(text, 16, "%.4g ms", 1e3 * seconds);
    else
        snprintf(text, 16, "%.4g s", seconds);
}

static void format_number(double value, char text[16])
{
    if (isnan(value))
        snprintf(text, 16, "-");
    else
        snprintf(text, 16, "%.4g", value);
}

void result_print_heading(const char *lab, const char *machine, const char *parameters)
{
    printf("%s on %s  %s\n", lab, machine, parameters);
    printf("%-20s %-8s %-14s %-7s %11s %11s %8s %8s %8s %9s  %s\n", "variant", "kind", "size",
           "block", "time", "end to end", "speedup", "GFLOP/s", "GB/s", "max error", "status");
}

/* The variant, and the number of CPU threads where its rows differ in that. */
static void format_variant(const result *row, char text[96])
{
    const char *threads = strstr(row->parameters, ";cpu_threads=");
    int used = snprintf(text, 96, "%s", row->variant);
    if (threads)
        snprintf(text + used, 96 - (size_t)used, " %s threads", strchr(threads, '=') + 1);
}

void result_print_row(const result *row)
{
    char variant[96], size[EXTENT_TEXT], block[32] = "-", time[16], whole[16];
    char speedup[16], gflops[16], gbs[16], error[16];
    extent_text(result_extent(row), size);
    if (row->block_x > 0)
        snprintf(block, sizeof block, "%dx%d", row->block_x, row->block_y);
    format_variant(row, variant);
    format_time(row->time_s, time);
    format_time(row->end_to_end_s, whole);
    format_number(row->speedup, speedup);
    format_number(row->gflop_per_s, gflops);
    format_number(row->gb_per_s, gbs);
    format_number(row->max_error, error);
    printf("%-20s %-8s %-14s %-7s %11s %11s %8s %8s %8s %9s  %s%s%s\n", variant, row->kind, size,
           block, time, whole, speedup, gflops, gbs, error, row->status, row->note[0] ? ": " : "",
           row->note);
}
