/*
 * test_csv.c - RFC 4180 text: what is written is quoted where it must be, what is read is what was
 * written, broken text is told from sound text, and columns are known by name.
 */
#include "csv.h"
#include "tap.h"

#include <stdlib.h>
#include <string.h>

/* A stream that holds these bytes, ready to be read. */
static FILE *stream_of(const char *bytes, size_t count)
{
    FILE *file = tmpfile();
    if (!file || fwrite(bytes, 1, count, file) != count) {
        perror("tmpfile");
        exit(1);
    }
    rewind(file);
    return file;
}

/* ---- fields --------------------------------------------------------------------------------- */

static void test_round_trip(void)
{
    static const char *const fields[] = {"",     "\"",       "\"\"",       ",",
                                         "\r\n", "a\rb\nc",  "a \"b\", c", "\xc3\xa4\xe2\x82\xac",
                                         " a ",  "key=1;k=2"};
    static const char written[] = ",\"\"\"\",\"\"\"\"\"\",\",\",\"\r\n\",\"a\rb\nc\","
                                  "\"a \"\"b\"\", c\",\xc3\xa4\xe2\x82\xac, a ,key=1;k=2\r\n";
    enum { N = sizeof fields / sizeof fields[0] };
    char text[256] = "";
    FILE *file = stream_of("", 0);
    for (int i = 0; i < N; i++) {
        csv_write_field(file, fields[i]);
        fputs(i + 1 < N ? "," : "\r\n", file);
    }
    rewind(file);
    text[fread(text, 1, sizeof text - 1, file)] = '\0';
    ok(strcmp(text, written) == 0, "what has a comma, a quote or a line break is quoted");
    rewind(file);
    int same = 0;
    for (int i = 0; i < N; i++) {
        csv_end end = csv_read_field(file, text, sizeof text);
        same += end == (i + 1 < N ? CSV_FIELD : CSV_RECORD) && strcmp(text, fields[i]) == 0;
    }
    ok(same == N, "%d of %d odd fields come back as they were", same, N);
    ok(csv_read_field(file, text, sizeof text) == CSV_FILE && text[0] == '\0',
       "after them the file ends");
    fclose(file);
}

/* Reads all fields as one text: field<c>field<c>..., where c tells what ended each. */
static void read_all(const char *bytes, size_t count, char got[256])
{
    static const char ends[] = {
        [CSV_FIELD] = '|', [CSV_RECORD] = '$', [CSV_FILE] = '.', [CSV_BROKEN] = '!'};
    enum { ROOM = 16 };
    char text[64];
    csv_end end;
    FILE *file = stream_of(bytes, count);
    got[0] = '\0';
    do {
        memset(text, 'x', sizeof text);
        end = csv_read_field(file, text, ROOM);
        if (!memchr(text, '\0', ROOM))
            text[0] = '\0', strcat(got, "(not terminated)");
        size_t used = strlen(got);
        snprintf(got + used, 256 - used, "%s%c", text, ends[end]);
    } while (end == CSV_FIELD || end == CSV_RECORD);
    fclose(file);
}

static void reads(const char *name, const char *bytes, const char *expected)
{
    char got[256];
    read_all(bytes, strlen(bytes), got);
    if (!ok(strcmp(got, expected) == 0, "read: %s", name))
        printf("#   got %s, expected %s\n", got, expected);
}

/* The field before a failure may hold what was read so far: only the last mark is compared. */
static void breaks(const char *name, const char *bytes, size_t count)
{
    char got[256];
    read_all(bytes, count, got);
    if (!ok(got[0] && got[strlen(got) - 1] == '!', "broken: %s", name))
        printf("#   got %s\n", got);
}

static void test_reading(void)
{
    reads("nothing", "", ".");
    reads("LF and CR LF", "a,b\nc,d\r\n", "a|b$c|d$.");
    reads("no line break at the end", "a,b", "a|b$.");
    reads("empty fields", ",,\r\n", "||$.");
    reads("an empty record", "\r\n", "$.");
    reads("quotes", "\"a,b\",\"c\"\"d\",\"\"\r\n", "a,b|c\"d|$.");
    reads("a quoted field at the very end", "x,\"y\"", "x|y$.");
    reads("the longest that fits", "123456789012345,x\n", "123456789012345|x$.");
    reads("the longest that fits, quoted", "\"12345678901234\"\"\"\n", "12345678901234\"$.");
    breaks("no closing quote", "\"abc\r\nd,e\r\n", 11);
    breaks("text after a closing quote", "\"a\"b,c\n", 7);
    breaks("a quote within a bare field", "a\"b,c\n", 6);
    breaks("CR without LF", "a,b\rc\n", 6);
    breaks("one byte too long", "1234567890123456\n", 17);
    breaks("one byte too long, quoted", "\"1234567890123456\"\n", 19);
    breaks("a NUL byte, which would cut the text", "a\0b,c\n", 6);
}

/* ---- records -------------------------------------------------------------------------------- */

/* The columns are a, b and c; the first must be there, the last holds a number. */
typedef struct record {
    char a[16], b[4];
    int c;
} record;

static const csv_column columns[] = {
    {CSV_COLUMN(TEXT, record, a)}, {CSV_COLUMN(TEXT, record, b)}, {CSV_COLUMN(INT, record, c)}};
static const csv_format format = {columns, 3, 1, sizeof(record)};

static void take(void *context, const void *taken)
{
    const record *r = taken;
    char *got = context;
    snprintf(got + strlen(got), 256 - strlen(got), "%s %s %d;", r->a, r->b, r->c);
}

/* The records of the file, and the number of the one that is broken. */
static void records(const char *name, const char *bytes, const char *expected, int expected_broken)
{
    char got[256] = "";
    FILE *file = stream_of(bytes, strlen(bytes));
    int broken = csv_read(file, &format, take, got);
    fclose(file);
    if (!ok(strcmp(got, expected) == 0 && broken == expected_broken, "records: %s", name))
        printf("#   got %s broken at %d, expected %s at %d\n", got, broken, expected,
               expected_broken);
}

static void test_records(void)
{
    records("columns in another order, one unknown, one missing", "c,x,a\r\n3,unknown,1\r\n,,4\r\n",
            "1  3;4  -1;", 0);
    records("no record", "a,b,c\n", "", 0);
    records("an empty file", "", "", 1);
    records("a needed column is missing", "b,c\n1,2\n", "", 1);
    records("a field too few", "a,b,c\n1,2,3\n4,5\n", "1 2 3;", 2);
    records("a field too many", "a,b,c\n1,2,3,4\n", "", 1);
    records("an empty line", "a,b\n1,2\n\n", "1 2 -1;", 2);
    records("a text longer than its column", "a,b\n1,123\n1,1234\n", "1 123 -1;", 2);
    records("a number that is none", "a,c\n1,1\n1,2x\n", "1  1;", 2);
    records("the same in a column that nobody knows", "a,x\n1,2x\n", "1  -1;", 0);
}

int main(void)
{
    test_round_trip();
    test_reading();
    test_records();
    return done_testing();
}
