/*
 * test_result.c - rows to CSV and back: the columns, hostile strings, files that do not fit, and a
 * file that is replaced as a whole.
 */
#define _XOPEN_SOURCE 700 /* mkdtemp */

#include "file.h"
#include "result.h"
#include "tap.h"

#include <dirent.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char header[] =
    "lab,variant,kind,machine,parameters,width,height,block_x,block_y,threads_per_block,trials,"
    "time_s,time_min_s,time_q1_s,time_q3_s,time_max_s,end_to_end_s,read_s,copy_in_s,copy_out_s,"
    "write_s,cache,bytes,flops,gb_per_s,gflop_per_s,speedup,registers,shared_bytes,local_bytes,"
    "constant_bytes,blocks_per_sm,warps_per_sm,threads_per_sm,occupancy,limiter,max_error,"
    "tolerance,status,note\r\n";

enum { N_COLUMNS = 40 };

static char folder[] = "/tmp/test_result.XXXXXX";
static char path[sizeof folder + 16];

/* ---- a file's text -------------------------------------------------------------------------- */

static void put_file(const char *text)
{
    FILE *file = fopen(path, "wb");
    if (!file || fputs(text, file) < 0 || fclose(file)) {
        perror(path);
        exit(1);
    }
}

/* The whole file as a text that the caller frees. */
static char *get_file(void)
{
    char error[FILE_ERROR_SIZE];
    uint8_t *bytes;
    size_t size;
    if (file_read(path, &bytes, &size, error)) {
        printf("Bail out! %s\n", error);
        exit(1);
    }
    char *text = malloc(size + 1);
    memcpy(text, bytes, size);
    text[size] = '\0';
    free(bytes);
    return text;
}

static int files_in_folder(void)
{
    int count = 0;
    DIR *directory = opendir(folder);
    for (struct dirent *entry; (entry = readdir(directory));)
        count += entry->d_name[0] != '.';
    closedir(directory);
    return count;
}

/* ---- rows ----------------------------------------------------------------------------------- */

static result full_row(void)
{
    result row = {.lab = "lab2_matprod",
                  .variant = "shared_tile",
                  .kind = "gpu",
                  .machine = "nvidia-h200",
                  .parameters = "type=f32",
                  .width = 512,
                  .height = 256,
                  .block_x = 32,
                  .block_y = 8,
                  .threads_per_block = 256,
                  .trials = 10,
                  .time_s = 1.5e-6,
                  .time_min_s = 1.25e-6,
                  .time_q1_s = 1.375e-6,
                  .time_q3_s = 1.75e-6,
                  .time_max_s = 2e-6,
                  .end_to_end_s = 0.0625,
                  .read_s = 0.25,
                  .copy_in_s = 0.03125,
                  .copy_out_s = 0.015625,
                  .write_s = 0.5,
                  .cache = "cold",
                  .bytes = 3145728,
                  .flops = 268435456,
                  .gb_per_s = 4000.5,
                  .gflop_per_s = 50000,
                  .speedup = 1234.5,
                  .registers = 40,
                  .shared_bytes = 0,
                  .local_bytes = 8,
                  .constant_bytes = 36,
                  .blocks_per_sm = 6,
                  .warps_per_sm = 48,
                  .threads_per_sm = 1536,
                  .occupancy = 0.75,
                  .limiter = "registers",
                  .max_error = 0,
                  .tolerance = 1e-6,
                  .status = "ok",
                  .note = "fine"};
    return row;
}

static const char full_line[] =
    "lab2_matprod,shared_tile,gpu,nvidia-h200,type=f32,512,256,32,8,256,10,"
    "1.5e-06,1.25e-06,1.375e-06,1.75e-06,2e-06,0.0625,0.25,0.03125,0.015625,0.5,cold,3.14573e+06,2."
    "68435e+08,4000.5,"
    "50000,1234.5,40,0,8,36,6,48,1536,0.75,registers,0,1e-06,ok,fine\r\n";

static void write_rows(const result *rows, int count)
{
    char error[FILE_ERROR_SIZE] = "";
    result_table table = {0};
    for (int i = 0; i < count; i++)
        result_table_add(&table, &rows[i]);
    if (result_table_write(&table, path, error)) {
        printf("Bail out! %s\n", error);
        exit(1);
    }
    result_table_free(&table);
}

static void test_writing(void)
{
    char expected[1024];
    write_rows(NULL, 0);
    char *text = get_file();
    ok(strcmp(text, header) == 0, "no rows: the header alone, 40 columns in their order");
    free(text);

    result row = full_row();
    write_rows(&row, 1);
    text = get_file();
    snprintf(expected, sizeof expected, "%s%s", header, full_line);
    if (!ok(strcmp(text, expected) == 0, "a full row"))
        printf("#   %s", text + strlen(header));
    free(text);

    row = result_empty();
    write_rows(&row, 1);
    text = get_file();
    memset(expected, ',', N_COLUMNS - 1);
    strcpy(expected + N_COLUMNS - 1, "\r\n");
    ok(strcmp(text + strlen(header), expected) == 0, "an empty row: 40 empty fields");
    free(text);
}

static void test_no_number(void)
{
    result row = full_row();
    row.time_s = row.speedup = NAN;
    row.block_x = row.trials = -1;
    write_rows(&row, 1);
    char *text = get_file();
    ok(strstr(text, ",512,256,,8,256,,,1.25e-06,") && strstr(text, ",50000,,40,"),
       "NaN and -1 are empty fields");
    free(text);
    ok(files_in_folder() == 1, "no temporary file stays");
}

/* ---- there and back ------------------------------------------------------------------------- */

static int same_number(double a, double b)
{
    return (isnan(a) && isnan(b)) || a == b || fabs(a - b) <= 5e-6 * fabs(b);
}

static int same_row(const result *a, const result *b)
{
    return strcmp(a->lab, b->lab) == 0 && strcmp(a->variant, b->variant) == 0 &&
           strcmp(a->kind, b->kind) == 0 && strcmp(a->machine, b->machine) == 0 &&
           strcmp(a->parameters, b->parameters) == 0 && a->width == b->width &&
           a->height == b->height && a->block_x == b->block_x && a->block_y == b->block_y &&
           a->threads_per_block == b->threads_per_block && a->trials == b->trials &&
           same_number(a->time_s, b->time_s) && same_number(a->time_min_s, b->time_min_s) &&
           same_number(a->time_q1_s, b->time_q1_s) && same_number(a->time_q3_s, b->time_q3_s) &&
           same_number(a->time_max_s, b->time_max_s) &&
           same_number(a->end_to_end_s, b->end_to_end_s) && same_number(a->read_s, b->read_s) &&
           same_number(a->copy_in_s, b->copy_in_s) && same_number(a->copy_out_s, b->copy_out_s) &&
           same_number(a->write_s, b->write_s) && strcmp(a->cache, b->cache) == 0 &&
           same_number(a->bytes, b->bytes) && same_number(a->flops, b->flops) &&
           same_number(a->gb_per_s, b->gb_per_s) && same_number(a->gflop_per_s, b->gflop_per_s) &&
           same_number(a->speedup, b->speedup) && a->registers == b->registers &&
           a->shared_bytes == b->shared_bytes && a->local_bytes == b->local_bytes &&
           a->constant_bytes == b->constant_bytes && a->blocks_per_sm == b->blocks_per_sm &&
           a->warps_per_sm == b->warps_per_sm && a->threads_per_sm == b->threads_per_sm &&
           same_number(a->occupancy, b->occupancy) && strcmp(a->limiter, b->limiter) == 0 &&
           same_number(a->max_error, b->max_error) && same_number(a->tolerance, b->tolerance) &&
           strcmp(a->status, b->status) == 0 && strcmp(a->note, b->note) == 0;
}

/* Written, read and written again: the same rows, and the same bytes. */
static void survives(const char *name, const result *rows, int count)
{
    char error[FILE_ERROR_SIZE] = "";
    result_table table = {0};
    write_rows(rows, count);
    char *first = get_file();
    int status = result_table_read(&table, path, error), same = 0;
    if (!ok(status == 0 && table.count == count, "%s: %d rows are read", name, count))
        printf("#   %d rows; %s\n", table.count, error);
    for (int i = 0; i < count && i < table.count; i++)
        same += same_row(&table.rows[i], &rows[i]);
    ok(same == count, "%s: they are the rows that were written", name);
    write_rows(table.rows, table.count);
    char *second = get_file();
    ok(strcmp(first, second) == 0, "%s: written again they are the same bytes", name);
    free(first);
    free(second);
    result_table_free(&table);
}

static void test_round_trip(void)
{
    enum { MANY = 300 };
    static result many[MANY];
    result row = full_row(), empty = result_empty();
    survives("a full row", &row, 1);
    survives("an empty row", &empty, 1);
    for (int i = 0; i < MANY; i++) {
        many[i] = full_row();
        many[i].width = i;
        many[i].time_s = 1.0 / (i + 1) * 1e-9; /* digits that 6 do not hold */
        many[i].max_error = i % 7 ? i : INFINITY;
    }
    survives("many rows", many, MANY);
}

static void test_hostile_strings(void)
{
    result row = full_row();
    snprintf(row.note, sizeof row.note, "a \"b\", c\r\nlab2_matprod,naive\n\rend");
    snprintf(row.parameters, sizeof row.parameters, "\"");
    snprintf(row.variant, sizeof row.variant, ",,,");
    snprintf(row.machine, sizeof row.machine, "=cmd|' /C calc'!A0");
    survives("quotes, commas and line breaks", &row, 1);
    memset(row.note, '"', sizeof row.note - 1);
    row.note[sizeof row.note - 1] = '\0';
    survives("a note full of quotes", &row, 1);
    memset(row.variant, 'v', sizeof row.variant - 1);
    row.variant[sizeof row.variant - 1] = '\0';
    survives("the longest variant", &row, 1);
}

/* ---- files that do not fit ------------------------------------------------------------------ */

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
    char text[2048];
    const char *at = strstr(full_line, from);
    snprintf(text, sizeof text, "%s%.*s%s%s", header, (int)(at - full_line), full_line, to,
             at + strlen(from));
    refuses_text(name, text, "at record 1");
}

static void test_refusals(void)
{
    char text[4096], error[FILE_ERROR_SIZE] = "";
    result_table table = {0};
    remove(path);
    ok(result_table_read(&table, path, error) == -1 && strstr(error, path) &&
           strstr(error, "No such file"),
       "refused: a missing file");
    refuses_text("an empty file", "", "at record 1");
    refuses_text("another header", "lab,variant\r\na,b\r\n", "not a results file");
    snprintf(text, sizeof text, "%.*s,more\r\n", (int)strlen(header) - 2, header);
    refuses_text("a header with one column more", text, "not a results file");
    snprintf(text, sizeof text, "%s%s", header, full_line);
    memcpy(strstr(text, "time_s"), "time_h", 6);
    refuses_text("a header with another unit", text, "at record 1");
    snprintf(text, sizeof text, "%.20s", header);
    refuses_text("half a header", text, "not a results file");
    snprintf(text, sizeof text, "%s\r\n", header);
    refuses_text("an empty line", text, "at record 1");
    snprintf(text, sizeof text, "%s%s%.60s", header, full_line, full_line);
    refuses_text("a second row that is cut off", text, "at record 2");
    refuses_row("a field too few", ",fine", "");
    refuses_row("a field too many", ",fine", ",fine,more");
    refuses_row("a width that is no number", ",512,", ",5l2,");
    refuses_row("a width with a fraction", ",512,", ",512.5,");
    refuses_row("a width that no int holds", ",512,", ",99999999999,");
    refuses_row("a time that is no number", ",1.5e-06,", ",fast,");
    refuses_row("a time with its unit", ",1.5e-06,", ",1.5 us,");
    refuses_row("a status longer than any", ",ok,", ",much too long for it,");
    refuses_row("an open quote", ",fine", ",\"fine");
}

static void test_line_ends(void)
{
    char text[2048], error[FILE_ERROR_SIZE] = "";
    result_table table = {0};
    int used = 0;
    snprintf(text, sizeof text, "%s%s", header, full_line);
    for (const char *c = text; *c; c++) /* an editor may have left LF alone */
        if (*c != '\r')
            text[used++] = *c;
    text[used] = '\0';
    put_file(text);
    ok(result_table_read(&table, path, error) == 0 && table.count == 1 &&
           strcmp(table.rows[0].note, "fine") == 0,
       "line ends of LF alone are read");
    result_table_free(&table);
}

/* ---- replaced as a whole -------------------------------------------------------------------- */

static void test_failed_write(void)
{
    char error[FILE_ERROR_SIZE] = "", nowhere[sizeof folder + 32];
    result row = full_row();
    result_table table = {0};
    result_table_add(&table, &row);
    snprintf(nowhere, sizeof nowhere, "%s/no/such.csv", folder);
    ok(result_table_write(&table, nowhere, error) == -1 && strstr(error, "No such file"),
       "a missing folder is refused");
    error[0] = '\0';
    ok(result_table_write(&table, folder, error) == -1 && strstr(error, "directory"),
       "a folder in the file's place is refused");
    put_file("old");
    ok(files_in_folder() == 1, "neither leaves anything behind");
    ok(result_table_write(&table, path, error) == 0 && files_in_folder() == 1,
       "an older file is replaced");
    result_table_free(&table);
}

/* ---- which rows are of one case ------------------------------------------------------------- */

static void test_same_case(void)
{
    result a = full_row(), b = full_row();
    b.time_s = 7;
    b.end_to_end_s = NAN;
    b.registers = 1;
    strcpy(b.status, "wrong");
    strcpy(b.note, "other");
    strcpy(b.kind, "cpu");
    ok(result_same_case(&a, &b), "what was measured does not make another case");
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
    DIFFERS(block_x, b.block_x = 8);
    DIFFERS(block_y, b.block_y = 32);
    DIFFERS(cache, strcpy(b.cache, "hot"));
#undef DIFFERS
}

int main(void)
{
    if (!mkdtemp(folder)) {
        printf("Bail out! cannot make %s\n", folder);
        return 1;
    }
    snprintf(path, sizeof path, "%s/rows.csv", folder);
    test_writing();
    test_no_number();
    test_round_trip();
    test_hostile_strings();
    test_refusals();
    test_line_ends();
    test_failed_write();
    test_same_case();
    remove(path);
    rmdir(folder);
    return done_testing();
}
