/*
 * test_csv.c - RFC 4180 text: what is written is quoted where it must be, what is read is what was
 * written, broken text is told from sound text, and columns are known by name.
 */
#include "csv.h"
#include "tap.h"

#include <stdlib.h>

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

static void test_reading(void)
{
    static const char *const cases[][2] = {
        {"", "."},
        {"a,b\nc,d\r\n", "a|b$c|d$."},
        {"a,b", "a|b$."}, /* no line break at the end */
        {",,\r\n", "||$."},
        {"\r\n", "$."},
        {"\"a,b\",\"c\"\"d\",\"\"\r\n", "a,b|c\"d|$."},
        {"x,\"y\"", "x|y$."},
        {"123456789012345,x\n", "123456789012345|x$."}, /* the longest that fits */
        {"\"12345678901234\"\"\"\n", "12345678901234\"$."},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        char got[256];
        read_all(cases[i][0], strlen(cases[i][0]), got);
        is(got, cases[i][1], "read: case %zu", i);
    }
}

/* The field before a failure may hold what was read so far: only the last mark is compared. */
static void test_broken(void)
{
    static const struct {
        const char *name, *bytes;
        size_t count;
    } cases[] = {
        {"no closing quote", "\"abc\r\nd,e\r\n", 11},
        {"text after a closing quote", "\"a\"b,c\n", 7},
        {"a quote within a bare field", "a\"b,c\n", 6},
        {"CR without LF", "a,b\rc\n", 6},
        {"one byte too long", "1234567890123456\n", 17},
        {"one byte too long, quoted", "\"1234567890123456\"\n", 19},
        {"a NUL byte, which would cut the text", "a\0b,c\n", 6},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        char got[256];
        read_all(cases[i].bytes, cases[i].count, got);
        ok(got[0] && got[strlen(got) - 1] == '!', "broken: %s", cases[i].name);
    }
}

static void test_writing(void)
{
    static const char *const fields[][2] = {
        {"", ""},
        {"\"", "\"\"\"\""},
        {",", "\",\""},
        {"\r\n", "\"\r\n\""},
        {"a\rb\nc", "\"a\rb\nc\""},
        {"a \"b\", c", "\"a \"\"b\"\", c\""},
        {"\xc3\xa4\xe2\x82\xac", "\xc3\xa4\xe2\x82\xac"},
        {" a ", " a "},
        {"key=1;k=2", "key=1;k=2"},
    };
    for (size_t i = 0; i < COUNT(fields); i++) {
        char text[64] = "";
        FILE *file = stream_of("", 0);
        csv_write_field(file, fields[i][0]);
        rewind(file);
        text[fread(text, 1, sizeof text - 1, file)] = '\0';
        is(text, fields[i][1], "field %zu is quoted if it must be", i);
        rewind(file);
        ok(csv_read_field(file, text, sizeof text) != CSV_BROKEN, "it is read");
        is(text, fields[i][0], "and comes back as it was");
        fclose(file);
    }
}

/* ---- records -------------------------------------------------------------------------------- */

/* The columns are the letters a to c. */
static int find_letter(const char *name)
{
    return name[0] >= 'a' && name[0] <= 'c' && !name[1] ? name[0] - 'a' : -1;
}

/* A record is the texts of its columns; none may be "bad". */
static bool set_letter(void *record, int column, const char *text)
{
    char(*texts)[16] = record;
    snprintf(texts[column], sizeof texts[column], "%s", text);
    return strcmp(text, "bad") != 0;
}

/* The records of the file with their columns a, b and c; `!` where it is broken. */
static void records(const char *name, const char *bytes, const char *expected)
{
    csv_heading heading;
    char got[256] = "";
    size_t used = 0;
    FILE *file = stream_of(bytes, strlen(bytes));
    csv_end end = csv_read_heading(file, &heading, find_letter) ? CSV_RECORD : CSV_BROKEN;
    while (end == CSV_RECORD) {
        char texts[3][16] = {"-", "-", "-"};
        end = csv_read_record(file, &heading, set_letter, texts);
        if (end == CSV_RECORD)
            used += (size_t)snprintf(got + used, sizeof got - used, "%s %s %s;", texts[0], texts[1],
                                     texts[2]);
    }
    if (end != CSV_FILE)
        strcat(got, "!");
    fclose(file);
    is(got, expected, "records: %s", name);
}

static void test_records(void)
{
    records("columns in another order, one unknown, one missing",
            "c,x,a\r\n3,unknown,1\r\n6,,4\r\n", "1 - 3;4 - 6;");
    records("no record", "a,b,c\n", "");
    records("an empty file", "", "!");
    records("a field too few", "a,b,c\n1,2,3\n4,5\n", "1 2 3;!");
    records("a field too many", "a,b,c\n1,2,3,4\n", "!");
    records("an empty line", "a,b\n1,2\n\n", "1 2 -;!");
    records("a field that its column does not take", "a,b\n1,bad\n", "!");
    records("the same in a column that nobody knows", "a,x\n1,bad\n", "1 - -;");
}

int main(void)
{
    test_reading();
    test_broken();
    test_writing();
    test_records();
    return done_testing();
}
