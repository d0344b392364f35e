/* study.c - see study.h. */
#define _POSIX_C_SOURCE 200809L

#include "study.h"
#include "file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const lab_info lab_infos[N_LABS] = {
    {"lab0", "lab0_ceilings.csv", SHAPE_VECTOR},  {"lab1", "lab1_vecadd.csv", SHAPE_VECTOR},
    {"lab2", "lab2_matprod.csv", SHAPE_MATRIX},   {"lab3", "lab3_bilateral.csv", SHAPE_PICTURE},
    {"lab4", "lab4_template.csv", SHAPE_PICTURE}, {"lab5", "lab5_gaussian.csv", SHAPE_PICTURE},
    {"lab6", "lab6_banding.csv", SHAPE_PICTURE},
};

bool study_find(const study *s, const char *machine, const char *file, char *path, size_t bytes)
{
    const char *folders[] = {s->results, s->reference};
    for (int i = 0; i < 2; i++) {
        int length = snprintf(path, bytes, "%s/%s/%s", folders[i], machine, file);
        if (length < (int)bytes && access(path, F_OK) == 0)
            return true;
    }
    return false;
}

/* Reads a machine's rows of one lab; false if it has no file. */
static bool read_lab(study *s, int lab, const char *machine, row_origin origin)
{
    char path[4096], label[512], error[FILE_ERROR_SIZE];
    const lab_info *info = &lab_infos[lab];
    bool own = origin == ORIGIN_OWN;
    if (!study_find(s, machine, info->file, path, sizeof path))
        return false;
    snprintf(label, sizeof label, "%s%s%s", own ? "" : machine, own ? "" : "/", info->file);
    if (rows_read(&s->rows[lab][origin], path, label, origin, error) != 0)
        problem_file(&s->problems, info->name, "broken", label, error);
    return true;
}

static bool has_kernel(const row_list *list)
{
    for (int i = 0; i < list->count; i++)
        if (row_measured(&list->rows[i]) && list->rows[i].kind == KIND_GPU)
            return true;
    return false;
}

static void read_run(study *s, const char *machine, bool own, run_json *run)
{
    char path[4096], label[512], error[FILE_ERROR_SIZE];
    snprintf(label, sizeof label, "%s%srun.json", own ? "" : machine, own ? "" : "/");
    if (!study_find(s, machine, "run.json", path, sizeof path)) {
        if (own)
            problem_file(&s->problems, "", "missing", label, "the machine is not described");
    } else if (run_json_read(run, path, label, error) != 0) {
        problem_file(&s->problems, "", "broken", label, error);
    }
}

/* Whatever the machine lacks a kernel for: the recorded card's rows. */
static void stand_in(study *s)
{
    for (int lab = 0; lab < N_LABS; lab++) {
        read_lab(s, lab, RECORDED_MACHINE, ORIGIN_RECORDED);
        s->gpu_recorded |= has_kernel(&s->rows[lab][ORIGIN_RECORDED]);
    }
    if (s->gpu_recorded) {
        s->gpu_label = RECORDED_LABEL;
        read_run(s, RECORDED_MACHINE, false, &s->recorded_run);
    }
}

void study_read(study *s, const char *results, const char *reference, const char *machine,
                bool beside)
{
    *s = (study){.results = results, .reference = reference, .machine = machine, .gpu_label = ""};
    for (int lab = 0; lab < N_LABS; lab++) {
        s->present[lab] = read_lab(s, lab, machine, ORIGIN_OWN);
        s->any_file |= s->present[lab];
        s->gpu_measured |= has_kernel(&s->rows[lab][ORIGIN_OWN]);
        if (!s->present[lab])
            problem_file(&s->problems, lab_infos[lab].name, "missing", lab_infos[lab].file,
                         "not measured");
        problem_rows(&s->problems, lab_infos[lab].name, &s->rows[lab][ORIGIN_OWN]);
    }
    read_run(s, machine, true, &s->run);
    if (s->gpu_measured)
        s->gpu_label = machine;
    if (!beside)
        return;
    if (!s->gpu_measured && strcmp(machine, RECORDED_MACHINE) != 0)
        stand_in(s);
    for (int lab = LAB_FIRST; lab < N_LABS && strcmp(machine, PAST_MACHINE) != 0; lab++)
        read_lab(s, lab, PAST_MACHINE, ORIGIN_PAST);
}

row_origin study_gpu_origin(const study *s)
{
    return s->gpu_recorded ? ORIGIN_RECORDED : ORIGIN_OWN;
}

const run_json *study_gpu_run(const study *s)
{
    return s->gpu_recorded ? &s->recorded_run : &s->run;
}

void study_free(study *s)
{
    for (int lab = 0; lab < N_LABS; lab++)
        for (int origin = 0; origin < N_ORIGINS; origin++)
            free(s->rows[lab][origin].rows);
    run_json_free(&s->run);
    run_json_free(&s->recorded_run);
    problems_free(&s->problems);
    memset(s, 0, sizeof *s);
}
