/*
 * test_result.c - rows to CSV and back: the columns, hostile strings, files of other versions,
 * files that do not fit, and a file that is replaced as a whole.
 */
#define _XOPEN_SOURCE 700 /* mkdtemp */

#include "file.h"
#include "result.h"
#include "tap.h"

#include <dirent.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A file with one row that has every field. */
static const char header[] =
    "lab,variant,kind,role,machine,parameters,width,height,depth,block_x,block_y,threads_per_block,"
    "trials,time_s,time_min_s,time_q1_s,time_q3_s,time_max_s,end_to_end_s,read_s,copy_in_s,"
    "copy_out_s,write_s,cache,bytes,flops,gb_per_s,gflop_per_s,speedup,registers,shared_bytes,"
    "local_bytes,constant_bytes,blocks_per_sm,warps_per_sm,threads_per_sm,occupancy,limiter,"
    "max_error,tolerance,status,note,commit,date\r\n";
static const char line[] =
    "lab2_matprod,shared_tile,gpu,yardstick,nvidia-h200,type=f32,512,256,128,32,8,256,10,1.5e-06,"
    "1.25e-06,1.375e-06,1.75e-06,2e-06,0.0625,0.25,0.03125,0.015625,0.5,cold,3.14573e+06,"
    "2.68435e+08,4000.5,50000,1234.5,40,0,8,36,6,48,1536,0.75,registers,0,1e-06,ok,fine,553b400,"
    "2026-11-20T21:54:50Z\r\n";

enum { N_COLUMNS = 44, TEXT_SIZE = 4096 };

static char folder[] = "/tmp/test_result.XXXXXX";
static char path[sizeof folder + 16];

static void put_file(const char *text)
{
    FILE *file = fopen(path, "wb");
    if (!file || fputs(text, file) < 0 || fclose(file)) {
        perror(path);
        exit(1);
    }
}

static const char *get_file(void)
{
    static char text[512 * 1024];
    FILE *file = fopen(path, "rb");
    text[file ? fread(text, 1, sizeof text - 1, file) : 0] = '\0';
    if (file)
        fclose(file);
    return text;
}

static void write_table(const result_table *table)
{
    char error[FILE_ERROR_SIZE] = "";
    if (result_table_write(table, path, error)) {
        printf("Bail out! %s\n", error);
        exit(1);
    }
}

/* The rows of a text that can be read. */
static result_table rows_of(const char *text)
{
    char error[FILE_ERROR_SIZE] = "";
    result_table table = {0};
    put_file(text);
    if (result_table_read(&table, path, error))
        printf("# %s\n", error);
    return table;
}

static result full_row(void)
{
    char text[TEXT_SIZE];
    snprintf(text, sizeof text, "%s%s", header, line);
    result_table table = rows_of(text);
    result row = table.count ? table.rows[0] : result_empty();
    result_table_free(&table);
    return row;
}

/* ---- there and back ------------------------------------------------------------------------- */

static void test_fields(void)
{
    char expected[TEXT_SIZE];
    result row = full_row(), empty = result_empty();
    ok(row.width == 512 && row.depth == 128 && row.time_s == 1.5e-6 && row.occupancy == 0.75 &&
           strcmp(row.role, "yardstick") == 0 && strcmp(row.commit, "553b400") == 0,
       "a full row is read");
    ok(empty.width == -1 && empty.depth == -1 && isnan(empty.time_s) && !empty.role[0],
       "an empty row has no number");
    result_table table = {0};
    result_table_put(&table, &row);
    result_table_put(&table, &empty);
    write_table(&table);
    snprintf(expected, sizeof expected, "%s%s%.*s\r\n", header, line, N_COLUMNS - 1,
             ",,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,");
    if (!ok(strcmp(get_file(), expected) == 0, "both are written, under a header of all columns"))
        printf("#   %s", get_file());
    result_table_free(&table);
}

static void test_hostile_strings(void)
{
    char error[FILE_ERROR_SIZE];
    result row = full_row();
    result_table table = {0}, again = {0};
    snprintf(row.note, sizeof row.note, "a \"b\", c\r\nlab2_matprod,naive\n\rend");
    snprintf(row.parameters, sizeof row.parameters, "\"");
    row.time_s = 1.0 / 3 * 1e-9; /* digits that 6 do not hold */
    row.max_error = INFINITY;
    result_table_put(&table, &row);
    memset(row.note, '"', sizeof row.note - 1);
    memset(row.variant, ',', sizeof row.variant - 1);
    result_table_put(&table, &row);
    write_table(&table);
    char *first = malloc(strlen(get_file()) + 1);
    strcpy(first, get_file());
    ok(result_table_read(&again, path, error) == 0 && again.count == 2 &&
           strcmp(again.rows[0].note, table.rows[0].note) == 0 && isinf(again.rows[0].max_error) &&
           strcmp(again.rows[1].variant, row.variant) == 0 &&
           strcmp(again.rows[1].note, row.note) == 0,
       "quotes, commas, line breaks and the longest texts come back");
    write_table(&again);
    ok(strcmp(first, get_file()) == 0, "written again they are the same bytes");
    free(first);
    result_table_free(&table);
    result_table_free(&again);
}

/* ---- files of other versions ---------------------------------------------------------------- */

static void test_columns(void)
{
    result_table t = rows_of("width,extra,variant,time_s,lab\n64,\"?, of old\",naive,0.5,lab1\n");
    ok(t.count == 1 && t.rows[0].width == 64 && strcmp(t.rows[0].variant, "naive") == 0 &&
           t.rows[0].time_s == 0.5 && strcmp(t.rows[0].lab, "lab1") == 0,
       "columns are known by name, in whatever order, others beside them");
    ok(t.count == 1 && t.rows[0].height == -1 && isnan(t.rows[0].time_min_s) &&
           !t.rows[0].status[0],
       "those that are missing are empty");
    result_table_free(&t);
    t = rows_of("lab,variant,status,width\nl,a,wrong,1\nl,b,ok,1\nl,a,ok,1\nl,a,ok,2\n");
    ok(t.count == 3 && strcmp(t.rows[0].status, "ok") == 0 && strcmp(t.rows[1].variant, "b") == 0 &&
           t.rows[2].width == 2,
       "of two rows of one case the last counts, in the place of the first");
    result_table_free(&t);
}

/* The reader refuses this text with one line that names the file and matches `complaint`. */
static void refuses_text(const char *name, const char *text, const char *complaint)
{
    char error[FILE_ERROR_SIZE] = "";
    result_table table = {0};
    put_file(text);
    int status = result_table_read(&table, path, error);
    if (!ok(status == -1 && strncmp(error, path, strlen(path)) == 0 && strstr(error, complaint) &&
                !strchr(error, '\n'),
            "refused: %s", name))
        printf("#   status %d, %d rows, message: %s\n", status, table.count, error);
    result_table_free(&table);
}

/* The header and a full row in which the first `from` is `to`. */
static void refuses_row(const char *name, const char *from, const char *to)
{
    char text[TEXT_SIZE];
    const char *at = strstr(line, from);
    snprintf(text, sizeof text, "%s%.*s%s%s", header, (int)(at - line), line, to,
             at + strlen(from));
    refuses_text(name, text, "at record 1");
}

static void test_refusals(void)
{
    char text[TEXT_SIZE], error[FILE_ERROR_SIZE] = "";
    result_table table = {0};
    remove(path);
    ok(result_table_read(&table, path, error) == -1 && strstr(error, "No such file"),
       "refused: a missing file");
    refuses_text("an empty file", "", "not a results file");
    refuses_text("another table", "lab,width\r\na,1\r\n", "not a results file");
    refuses_text("half a header", "lab,vari", "not a results file");
    snprintf(text, sizeof text, "%s%s%.60s", header, line, line);
    refuses_text("a second row that is cut off", text, "at record 2");
    refuses_row("a width that is no number", ",512,", ",5l2,");
    refuses_row("a width with a fraction", ",512,", ",512.5,");
    refuses_row("a width that no int holds", ",512,", ",99999999999,");
    refuses_row("a time with its unit", ",1.5e-06,", ",1.5 us,");
    refuses_row("a status longer than any", ",ok,", ",much too long for it,");
    refuses_row("an open quote", ",fine", ",\"fine");
}

/* ---- replaced as a whole -------------------------------------------------------------------- */

static int files_in_folder(void)
{
    int count = 0;
    DIR *directory = opendir(folder);
    for (struct dirent *entry; (entry = readdir(directory));)
        count += entry->d_name[0] != '.';
    closedir(directory);
    return count;
}

static void test_failed_write(void)
{
    char error[FILE_ERROR_SIZE] = "", nowhere[sizeof folder + 32];
    result_table table = {0};
    put_file("old");
    snprintf(nowhere, sizeof nowhere, "%s/no/such.csv", folder);
    ok(result_table_write(&table, nowhere, error) == -1 && strstr(error, "No such file"),
       "a missing folder is refused");
    ok(result_table_write(&table, folder, error) == -1 && strstr(error, "directory"),
       "a folder in the file's place is refused");
    ok(result_table_write(&table, path, error) == 0 && strcmp(get_file(), header) == 0 &&
           files_in_folder() == 1,
       "an older file is replaced, and nothing else is left behind");
}

static void test_same_case(void)
{
    result a = full_row(), b = full_row();
    b.time_s = 7;
    strcpy(b.status, "wrong");
    strcpy(b.kind, "cpu");
    strcpy(b.date, "another");
    ok(result_same_case(&a, &b), "what was measured, and when, makes no other case");
#define DIFFERS(field, ...)                                                                        \
    do {                                                                                           \
        b = full_row();                                                                            \
        __VA_ARGS__;                                                                               \
        ok(!result_same_case(&a, &b), "another " #field " is another case");                       \
    } while (0)
    DIFFERS(lab, strcpy(b.lab, "lab1_vecadd"));
    DIFFERS(variant, strcpy(b.variant, "naive"));
    DIFFERS(machine, strcpy(b.machine, "tesla-c2050"));
    DIFFERS(parameters, strcpy(b.parameters, "type=f64"));
    DIFFERS(width, b.width++);
    DIFFERS(height, b.height++);
    DIFFERS(depth, b.depth++);
    DIFFERS(block_x, b.block_x = 8);
    DIFFERS(block_y, b.block_y = 32);
    DIFFERS(cache, strcpy(b.cache, "hot"));
}

int main(void)
{
    if (!mkdtemp(folder)) {
        printf("Bail out! cannot make %s\n", folder);
        return 1;
    }
    snprintf(path, sizeof path, "%s/rows.csv", folder);
    test_fields();
    test_hostile_strings();
    test_columns();
    test_refusals();
    test_failed_write();
    test_same_case();
    remove(path);
    rmdir(folder);
    return done_testing();
}
