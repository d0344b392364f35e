/*
 * study.h - everything that is analysed: one machine's results, and what they are compared with.
 *
 * A file of a machine is looked for in RESULTS/MACHINE, then in REFERENCE/MACHINE. The past is
 * REFERENCE/tesla-c2050. Where the machine measured no kernel at all, GPU rows are those recorded
 * in REFERENCE/nvidia-h200, and CPU rows stay the machine's own.
 */
#ifndef REPORT_STUDY_H
#define REPORT_STUDY_H

#include <stdbool.h>

#include "problems.h"
#include "rows.h"
#include "run_json.h"
#include "table.h"

#define PAST_MACHINE     "tesla-c2050"
#define PAST_LABEL       "Tesla C2050 (2012)"
#define RECORDED_MACHINE "nvidia-h200"
#define RECORDED_LABEL   "H200 (recorded)"

enum { LAB_CEILINGS, LAB_FIRST, N_LABS = 7 }; /* lab0 to lab6 */

typedef struct lab_info {
    const char *name; /* as tables and facts have it: "lab2" */
    const char *file; /* "lab2_matprod.csv" */
    shape_kind shape;
} lab_info;

extern const lab_info lab_infos[N_LABS];

typedef struct study {
    const char *results, *reference, *machine;
    row_list rows[N_LABS][N_ORIGINS];
    bool present[N_LABS]; /* the machine has a file of that lab */
    bool any_file;
    run_json run, recorded_run;
    bool gpu_measured, gpu_recorded;
    const char *gpu_label; /* the machine, or what stands in for its GPU; "" without either */
    problem_list problems;
} study;

/*
 * Reads a machine's files, and with `beside` those of the past and of the GPU that stands in. What
 * is broken is noted in the study's problems.
 */
void study_read(study *s, const char *results, const char *reference, const char *machine,
                bool beside);

/* The origin of GPU rows: own, or recorded. */
row_origin study_gpu_origin(const study *s);

/* The run that tells of the GPU: of the machine, or of the one that stands in. */
const run_json *study_gpu_run(const study *s);

void study_free(study *s);

/*
 * The path of a machine's file, in RESULTS or else in REFERENCE; false if it is in neither.
 */
bool study_find(const study *s, const char *machine, const char *file, char *path, size_t bytes);

#endif
