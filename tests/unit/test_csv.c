/*
 * test_csv.c - RFC 4180 text: what is written is quoted where it must be, columns are known by
 * name, and broken text is told from sound text.
 */
#define _XOPEN_SOURCE 700

#include "files/csv.h"
#include "folder.h"
#include "process.h"

#include <math.h>

static const char path[] = "x.csv";

static void test_writing(void)
{
    static const char *const fields[] = {"",     "\"",        "\"\"",       ",",
                                         "\r\n", "a\rb\nc",   "a \"b\", c", "\xc3\xa4\xe2\x82\xac",
                                         " a ",  "key=1;k=2", "\r"};
    FILE *file = fopen(path, "wb");
    for (size_t i = 0; file && i < COUNT(fields); i++) {
        csv_write_field(file, fields[i]);
        fputc('|', file);
    }
    ok(file && fclose(file) == 0, "fields are written");
    is(get_file(path),
       "|\"\"\"\"|\"\"\"\"\"\"|\",\"|\"\r\n\"|\"a\rb\nc\"|\"a \"\"b\"\", c\"|\xc3\xa4\xe2\x82\xac|"
       " a |key=1;k=2|\"\r\"|",
       "what has a comma, a quote or a line break is quoted");
}

/* The columns are a, b, c and d; the first must be there, the last two hold numbers. */
typedef struct record {
    char a[16], b[4];
    int c;
    double d;
} record;

static const csv_column columns[] = {{CSV_COLUMN(TEXT, record, a), true},
                                     {CSV_COLUMN(TEXT, record, b)},
                                     {CSV_COLUMN(INT, record, c)},
                                     {CSV_COLUMN(REAL, record, d)}};
static const csv_format format = {"a table", columns, 4, sizeof(record)};

static void print_records(const void *unused)
{
    int count;
    record *records = csv_read(path, &format, &count);
    (void)unused;
    for (const record *r = records; r < records + count; r++)
        printf(isnan(r->d) ? "%s|%s|%d;" : "%s|%s|%d|%g;", r->a, r->b, r->c, r->d);
    free(records);
}

/* The file's records; or the number of the one that is broken. */
static const struct {
    const char *name, *bytes, *expected;
    int broken;
} cases[] = {
    {"LF and CR LF", "a,b\nc,d\r\ne,f\n", "c|d|-1;e|f|-1;", 0},
    {"no line break at the end", "a,b\nc,d", "c|d|-1;", 0},
    {"empty fields", "a,b,c\n,,\r\n", "||-1;", 0},
    {"an empty record", "a\n\nx\n", "||-1;x||-1;", 0},
    {"quotes", "a,b\r\n\"a,b\r\n\",\"c\"\"d\"\r\n\"\",\"\"\"\"\n", "a,b\r\n|c\"d|-1;|\"|-1;", 0},
    {"a quoted field at the very end", "a,\"b\"\nx,\"y\"", "x|y|-1;", 0},
    {"the longest that fits", "a,b\n123456789012345,\"12\"\"\"\n", "123456789012345|12\"|-1;", 0},
    {"columns in another order, one unknown, one missing", "c,x,a\r\n3,unknown,1\r\n,,4\r\n",
     "1||3;4||-1;", 0},
    {"no record", "a,b,c\n", "", 0},
    {"no number in a column that nobody knows", "a,x\n1,2x\n", "1||-1;", 0},
    {"a byte-order mark",
     "\xEF\xBB\xBF"
     "a,d\nx,0.5\n",
     "x||-1|0.5;", 0},
    {"real numbers", "a,d\nx,1e-3\ny,\nz,inf\n", "x||-1|0.001;y||-1;z||-1|inf;", 0},
    {"no closing quote", "a,b\n\"abc\r\nd,e\r\n", "", 1},
    {"no closing quote, but two at the end", "a\nx\n\"abc\"\"", "", 2},
    {"text after a closing quote", "a,b\n\"a\"b,c\n", "", 1},
    {"a quote within a bare field", "a,b\na\"b,c\n", "", 1},
    {"CR without LF", "a,b\nx,y\rz\n", "", 1},
    {"CR before a comma", "a,b\nx\r,y\n", "", 1},
    {"one byte too long", "a\n123456789012345\n1234567890123456\n", "", 2},
    {"one byte too long, quoted", "a,b\nx,\"1234\"\n", "", 1},
    {"an empty file", "", "", 1},
    {"a needed column is missing", "b,c\n1,2\n", "", 1},
    {"a field too few", "a,b,c\n1,2,3\n4,5\n", "", 2},
    {"a field too many", "a,b,c\n1,2,3,4\n", "", 1},
    {"an empty line", "a,b\n1,2\n\n", "", 2},
    {"a number that is none", "a,c\n1,1\n1,2x\n", "", 2},
    {"a negative number", "a,c\n1,-1\n", "", 1},
    {"a negative real number", "a,d\n1,-0.5\n", "", 1},
    {"a real number that is none", "a,d\n1,nan\n", "", 1},
    {"a number that no int holds", "a,c\n1,99999999999\n", "", 1},
};

static void reads(const char *name, const char *expected, int broken)
{
    char complaint[64];
    snprintf(complaint, sizeof complaint, "x.csv: not a table, at record %d", broken);
    outcome got = in_process(print_records, NULL);
    if (!ok(broken ? is_refusal(&got, complaint) : got.status == 0 && !strcmp(got.out, expected),
            "%s: %s", broken ? "broken" : "read", name))
        printf("#   status %d, got %s%s\n", got.status, got.out, got.error);
}

int main(void)
{
    enter_folder();
    test_writing();
    for (size_t i = 0; i < COUNT(cases); i++) {
        put_file(path, cases[i].bytes);
        reads(cases[i].name, cases[i].expected, cases[i].broken);
    }
    put_bytes(path, "a\nb\0c\n", 6);
    reads("a NUL byte, which would cut the text", "", 1);
    remove(path);
    leave_folder();
    return done_testing();
}
