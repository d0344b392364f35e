#include "timeline.h"
#include "files/csv.h"
#include "files/file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FRAMES = 8 };

typedef struct step_row {
    result row;
    int frame;
    pipeline_step step;
    double start_s, end_s;
} step_row;

static step_row *steps; /* of this run */
static int count, capacity;

static void add_steps(const result *row, const pipeline_trace *trace)
{
    for (int i = 0; i < trace->items; i++)
        for (int step = STEP_IN; step < PIPELINE_STEPS; step++) {
            steps = grow(steps, count, &capacity, sizeof *steps);
            steps[count++] =
                (step_row){*row, i + 1, step, pipeline_trace_seconds(trace, i, step, false),
                           pipeline_trace_seconds(trace, i, step, true)};
        }
}

static void write_step(FILE *file, const step_row *s)
{
    static const char *const names[] = {"copy in", "kernel", "copy out"};
    char size[EXTENT_TEXT];
    const char *const words[] = {s->row.lab,        s->row.machine,
                                 s->row.kind,       s->row.variant,
                                 s->row.parameters, extent_text(result_extent(&s->row), size)};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        csv_write_field(file, words[i]);
        putc(',', file);
    }
    fprintf(file, "%d,%d,%d,%s,%.9g,%.9g\r\n", s->row.block_x, s->row.block_y, s->frame,
            names[s->step], s->start_s, s->end_s);
}

/* timeline_LAB.csv beside LAB.csv. */
static void write_file(const char *rows_path)
{
    char path[8192];
    const char *slash = strrchr(rows_path, '/'), *name = slash ? slash + 1 : rows_path;
    snprintf(path, sizeof path, "%.*stimeline_%s", (int)(name - rows_path), rows_path, name);
    file_draft draft = file_create(path);
    fputs("lab,machine,kind,variant,parameters,size,block_x,block_y,frame,step,start_s,end_s\r\n",
          draft.stream);
    for (int i = 0; i < count; i++)
        write_step(draft.stream, &steps[i]);
    file_commit(&draft);
}

void timeline_add(const char *rows_path, const result *row, frame_stream *s, const runner *r)
{
    if (!rows_path)
        return;
    pipeline_trace trace = pipeline_trace_create(s->frames < FRAMES ? s->frames : FRAMES);
    stream_trace(s, r, &trace);
    add_steps(row, &trace);
    pipeline_trace_free(&trace);
    write_file(rows_path);
}
