/*
 * test_result.c - rows to CSV and back: the columns, hostile strings, files of other versions and
 * files that do not fit. What is CSV at all test_csv knows, how a file is replaced test_image.
 */
#define _XOPEN_SOURCE 700

#include "folder.h"
#include "process.h"
#include "rows/seal.h"

#include <math.h>

/* A file with one row that has every field. */
static const char header[] =
    "lab,variant,kind,role,machine,parameters,width,height,depth,block_x,block_y,threads_per_block,"
    "nodes,gpus,exposed,trials,time_s,time_min_s,time_q1_s,time_q3_s,time_max_s,noise,end_to_end_s,"
    "frames,read_s,"
    "copy_in_s,copy_out_s,copy_both_s,copy_noise,write_s,cache,bytes,flops,int_ops,gb_per_s,"
    "gflop_per_s,gop_per_s,speedup,registers,"
    "shared_bytes,local_bytes,constant_bytes,blocks_per_sm,warps_per_sm,threads_per_sm,occupancy,"
    "limiter,max_error,tolerance,status,note,seal,commit,date\r\n";
static const char line[] =
    "lab2_matprod,shared_tile,gpu,yardstick,nvidia-h200,type=f32,512,256,128,32,8,256,2,4,0.375,10,"
    "1.5e-06,1.25e-06,1.375e-06,1.75e-06,2e-06,0.25,0.0625,100,0.25,0.03125,0.015625,0.046875,0."
    "125,0.5,"
    "cold,3.14573e+06,2.68435e+08,1e+09,4000.5,50000,250,1234.5,40,0,8,36,6,48,1536,0.75,"
    "registers,0,1e-06,ok,fine,1-2-3,553b400,2026-11-20T21:54:50Z\r\n";

enum { N_COLUMNS = 54, TEXT_SIZE = 4096 };

static const char path[] = "rows.csv";

/* The rows of a text that can be read. */
static result_table rows_of(const char *text)
{
    result_table table = {0};
    put_file(path, text);
    result_table_read(&table, path);
    return table;
}

/* ---- there and back ------------------------------------------------------------------------- */

static void test_fields(void)
{
    char text[TEXT_SIZE], expected[TEXT_SIZE];
    result empty = result_empty();
    snprintf(text, sizeof text, "%s%s", header, line);
    result_table table = rows_of(text);
    const result *row = &table.rows[0];
    ok(row->width == 512 && row->depth == 128 && row->time_s == 1.5e-6 && row->occupancy == 0.75,
       "a full row is read");
    is(row->commit, "553b400", "up to its end");
    ok(empty.width == -1 && isnan(empty.time_s) && !empty.role[0], "an empty row has no number");
    result_table_put(&table, &empty);
    result_table_write(&table, path);
    snprintf(expected, sizeof expected, "%s%s%.*s\r\n", header, line, N_COLUMNS - 1,
             ",,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,");
    is(get_file(path), expected, "both are written, under a header of all columns");
    result_table_free(&table);
}

static void test_hostile_strings(void)
{
    result row = result_empty();
    result_table table = {0}, again = {0};
    snprintf(row.note, sizeof row.note, "a \"b\", c\r\nlab2_matprod,naive\n\rend");
    snprintf(row.parameters, sizeof row.parameters, "\"");
    row.time_s = 1.0 / 3 * 1e-9; /* digits that 6 do not hold */
    row.max_error = INFINITY;
    result_table_put(&table, &row);
    memset(row.note, '"', sizeof row.note - 1);
    memset(row.variant, ',', sizeof row.variant - 1);
    result_table_put(&table, &row);
    result_table_write(&table, path);
    char *first = strdup(get_file(path));
    result_table_read(&again, path);
    ok(again.count == 2 && isinf(again.rows[0].max_error),
       "quotes, commas, line breaks and the longest texts are read");
    is(again.rows[0].note, table.rows[0].note, "they come back");
    is(again.rows[1].note, row.note, "and the longest, too");
    result_table_write(&again, path);
    is(get_file(path), first, "written again they are the same bytes");
    free(first);
    result_table_free(&table);
    result_table_free(&again);
}

/* SipHash by vectors of its authors: the key is the bytes 0 to 15, the text those from 0 on. A
 * build of tests has no key. */
static void test_seal(void)
{
    static const uint64_t vectors[][2] = {{0, 0x726fdb47dd0e0e31},
                                          {7, 0xab0200f58b01d137},
                                          {8, 0x93f5f5799a932462},
                                          {15, 0xa129ca6149be45e5},
                                          {63, 0x958a324ceb064572}};
    unsigned char text[64];
    result row = result_empty();
    for (int i = 0; i < 64; i++)
        text[i] = (unsigned char)i;
    for (size_t i = 0; i < COUNT(vectors); i++)
        ok(siphash(text, text, vectors[i][0]) == vectors[i][1], "SipHash of %d bytes",
           (int)vectors[i][0]);
    snprintf(row.seal, sizeof row.seal, "0123456789abcde");
    ok(!seal_is_sound(&row, ""), "what is too short is no seal");
}

/* ---- on the terminal ------------------------------------------------------------------------ */

static void print_rows(const void *table)
{
    const result_table *t = table;
    result bad = result_empty();
    snprintf(bad.variant, sizeof bad.variant, "bad");
    snprintf(bad.status, sizeof bad.status, "wrong");
    snprintf(bad.note, sizeof bad.note,
             "1 of 2048 values wrong; the first at x = 2047: got nan, expected 4.284");
    snprintf(bad.lab, sizeof bad.lab, "lab2_matprod");
    snprintf(bad.kind, sizeof bad.kind, "cpu");
    bad.width = 2048;
    bad.height = bad.block_y = 1;
    bad.block_x = 256;
    result own = bad;
    snprintf(own.kind, sizeof own.kind, "gpu");
    const result *rows[] = {&t->rows[0], &t->rows[1], &bad, &own};
    text_table terminal = result_terminal(false), wide = result_terminal(true);
    result_print_rows(&terminal, rows, 2);
    result_print_rows(&terminal, rows + 1, 3);
    puts("wide");
    result_print_rows(&wide, rows, 2);
}

static void test_print(void)
{
    char text[TEXT_SIZE];
    snprintf(text, sizeof text,
             "%s%scpu_omp,cpu_omp,cpu,,,n=1;cpu_threads=2,7,3,,,,,,,,,1.2345e-08,,,,,,%s\r\n",
             header, line, "2.3456,,,,,,,,,,,,,,,,,,,,,,,,,,,ok,,,,");
    result_table table = rows_of(text);
    table.rows[0].time_s = 1.2345e-6;
    table.rows[1].gop_per_s = 12.5;
    is(in_process(print_rows, &table).out,
       "variant           size        block       time speedup G(FL)OP/s   GB/s status\n"
       "shared_tile       256x512x128 32x8    1.234 us    1234     5e+04   4000 ok: fine\n"
       "  16 frames/s, 62.5 ms each: 2.000 times the slower copy alone (in 31.25 ms, out\n"
       "    15.62 ms, both at once 46.88 ms)\n"
       "cpu_omp 2 threads 7x3         -       12.35 ns       -      12.5      - ok\n"
       "cpu_omp 2 threads 7x3         -       12.35 ns       -      12.5      - ok\n"
       "bad               2048        256            -       -         -      - wrong:\n"
       "    1 of 2048 values wrong; the first at x = 2047: got nan, expected 4.284\n"
       "bad               2048        256            -       -         -      - wrong: as above\n"
       "  why: make doctor LAB=lab2 VARIANTS=bad\n"
       "wide\n"
       "variant           kind size        block       time end to end speedup G(FL)OP/s   GB/s "
       "max error status\n"
       "shared_tile       gpu  256x512x128 32x8    1.234 us    62.5 ms    1234     5e+04   4000 "
       "        0 ok: fine\n"
       "  16 frames/s, 62.5 ms each: 2.000 times the slower copy alone (in 31.25 ms, out\n"
       "    15.62 ms, both at once 46.88 ms)\n"
       "cpu_omp 2 threads cpu  7x3         -       12.35 ns    2.346 s       -      12.5      - "
       "        - ok\n",
       "rows on the terminal, with their units, in 80 columns or wide; a reason once, a stream's "
       "rate below");
    result_table_free(&table);
}

/* ---- files as they are read ---------------------------------------------------------------- */

/* Each row but the last differs from the first in what makes it another case. */
static void test_cases(void)
{
    result_table t = rows_of("lab,variant,machine,parameters,width,height,depth,block_x,block_y,"
                             "gpus,nodes,cache,kind,time_s,status,date\n"
                             "l,v,m,p,1,2,3,4,5,6,7,hot,gpu,1,ok,d\n"
                             "L,v,m,p,1,2,3,4,5,6,7,hot,gpu,1,ok,d\n"
                             "l,V,m,p,1,2,3,4,5,6,7,hot,gpu,1,ok,d\n"
                             "l,v,M,p,1,2,3,4,5,6,7,hot,gpu,1,ok,d\n"
                             "l,v,m,P,1,2,3,4,5,6,7,hot,gpu,1,ok,d\n"
                             "l,v,m,p,0,2,3,4,5,6,7,hot,gpu,1,ok,d\n"
                             "l,v,m,p,1,0,3,4,5,6,7,hot,gpu,1,ok,d\n"
                             "l,v,m,p,1,2,0,4,5,6,7,hot,gpu,1,ok,d\n"
                             "l,v,m,p,1,2,3,0,5,6,7,hot,gpu,1,ok,d\n"
                             "l,v,m,p,1,2,3,4,0,6,7,hot,gpu,1,ok,d\n"
                             "l,v,m,p,1,2,3,4,5,0,7,hot,gpu,1,ok,d\n"
                             "l,v,m,p,1,2,3,4,5,6,0,hot,gpu,1,ok,d\n"
                             "l,v,m,p,1,2,3,4,5,6,7,cold,gpu,1,ok,d\n"
                             "l,v,m,p,1,2,3,4,5,6,7,hot,cpu,2,wrong,e\n");
    ok(t.count == 13, "what was measured, and when, makes no other case; all else does");
    is(t.rows[0].status, "wrong", "of two rows of one case the last counts, in the first's place");
    result_table_free(&t);
}

static void read_rows(const void *unused)
{
    result_table table = {0};
    (void)unused;
    result_table_read(&table, path);
}

/* The reader refuses this text with one line that has `complaint`. */
static void refuses_text(const char *name, const char *text, const char *complaint)
{
    put_file(path, text);
    outcome got = in_process(read_rows, NULL);
    ok(is_refusal(&got, complaint), "refused: %s", name);
}

static void test_refusals(void)
{
    refuses_text("another table", "lab,width\r\na,1\r\n", "rows.csv: not a results file (--fresh");
    refuses_text("a row without its block", "lab,variant,width,height,time_s\na,b,1,1,2\n",
                 "rows.csv: not a results file (--fresh");
    refuses_text("a time with its unit",
                 "lab,variant,width,height,block_x,block_y,time_s\n"
                 "a,b,1,1,8,8,1.5\na,c,1,1,8,8,1.5 us\n",
                 "at record 2");
}

int main(void)
{
    enter_folder();
    test_fields();
    test_hostile_strings();
    test_seal();
    test_print();
    test_cases();
    test_refusals();
    remove(path);
    leave_folder();
    return done_testing();
}
