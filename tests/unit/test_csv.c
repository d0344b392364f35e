/*
 * test_csv.c - RFC 4180 text: what is written is quoted where it must be, what is read is what was
 * written, and broken text is told from sound text.
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

/* ---- writing -------------------------------------------------------------------------------- */

static void writes(const char *text, const char *expected)
{
    char got[256];
    FILE *file = stream_of("", 0);
    csv_write_field(file, text);
    rewind(file);
    got[fread(got, 1, sizeof got - 1, file)] = '\0';
    fclose(file);
    if (!ok(strcmp(got, expected) == 0, "written: %s", expected))
        printf("#   got %s\n", got);
}

static void test_writing(void)
{
    writes("", "");
    writes("plain", "plain");
    writes(" blanks stay ", " blanks stay ");
    writes("key=1;other=2", "key=1;other=2");
    writes("a,b", "\"a,b\"");
    writes(",", "\",\"");
    writes("say \"hi\"", "\"say \"\"hi\"\"\"");
    writes("\"", "\"\"\"\"");
    /* Line breaks in a test's name would break its line of output: compared without one. */
    for (const char *c = "\r\n"; *c; c++) {
        char text[] = {'x', *c, 'y', '\0'}, got[16] = "";
        FILE *file = stream_of("", 0);
        csv_write_field(file, text);
        rewind(file);
        size_t length = fread(got, 1, sizeof got, file);
        fclose(file);
        ok(length == 5 && got[0] == '"' && memcmp(got + 1, text, 3) == 0 && got[4] == '"',
           "a field with byte %d is quoted", *c);
    }
}

/* ---- reading -------------------------------------------------------------------------------- */

/* Reads all fields as one text: field<c>field<c>..., where c tells what ended each. */
static void read_all(const char *bytes, size_t count, size_t room, char *got)
{
    static const char ends[] = {
        [CSV_FIELD] = '|', [CSV_RECORD] = '$', [CSV_FILE] = '.', [CSV_BROKEN] = '!'};
    char text[64];
    csv_end end;
    FILE *file = stream_of(bytes, count);
    got[0] = '\0';
    do {
        memset(text, 'x', sizeof text);
        end = csv_read_field(file, text, room);
        if (!memchr(text, '\0', room))
            text[0] = '\0', strcat(got, "(not terminated)");
        size_t used = strlen(got);
        snprintf(got + used, 256 - used, "%s%c", text, ends[end]);
    } while (end == CSV_FIELD || end == CSV_RECORD);
    fclose(file);
}

static void reads(const char *name, const char *bytes, const char *expected)
{
    char got[256];
    read_all(bytes, strlen(bytes), 16, got);
    if (!ok(strcmp(got, expected) == 0, "read: %s", name))
        printf("#   got %s, expected %s\n", got, expected);
}

/* The field before a failure may hold what was read so far: only the last mark is compared. */
static void breaks(const char *name, const char *bytes, size_t count)
{
    char got[256];
    read_all(bytes, count, 16, got);
    if (!ok(got[0] && got[strlen(got) - 1] == '!', "broken: %s", name))
        printf("#   got %s\n", got);
}

static void test_reading(void)
{
    reads("nothing", "", ".");
    reads("one record", "a,b\r\n", "a|b$.");
    reads("LF alone", "a,b\nc,d\n", "a|b$c|d$.");
    reads("no line break at the end", "a,b", "a|b$.");
    reads("empty fields", ",,\r\n", "||$.");
    reads("an empty record", "\r\n", "$.");
    reads("quotes", "\"a,b\",\"c\"\"d\"\r\n", "a,b|c\"d$.");
    reads("an empty quoted field", "\"\",x\r\n", "|x$.");
    reads("a quoted field at the very end", "x,\"y\"", "x|y$.");
    reads("the longest that fits", "123456789012345,x\n", "123456789012345|x$.");
    reads("the longest that fits, quoted", "\"12345678901234\"\"\"\n", "12345678901234\"$.");
    reads("blanks belong to the field", " a , b \n", " a | b $.");
}

static void test_broken(void)
{
    breaks("no closing quote", "\"abc", 4);
    breaks("no closing quote before the next line", "\"abc\r\nd,e\r\n", 11);
    breaks("text after a closing quote", "\"a\"b,c\n", 7);
    breaks("a quote within a bare field", "a\"b,c\n", 6);
    breaks("CR without LF", "a,b\rc\n", 6);
    breaks("one byte too long", "1234567890123456\n", 17);
    breaks("one byte too long, quoted", "\"1234567890123456\"\n", 19);
    breaks("a NUL byte, which would cut the text", "a\0b,c\n", 6);
}

/* ---- both ----------------------------------------------------------------------------------- */

static void test_round_trip(void)
{
    static const char *const fields[] = {"",     "\"",       "\"\"",       ",",
                                         "\r\n", "a\rb\nc",  "a \"b\", c", "\xc3\xa4\xe2\x82\xac",
                                         "=1+1", "'; rm -rf"};
    enum { N = sizeof fields / sizeof fields[0] };
    char text[64];
    FILE *file = stream_of("", 0);
    for (int i = 0; i < N; i++) {
        csv_write_field(file, fields[i]);
        fputs(i + 1 < N ? "," : "\r\n", file);
    }
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

int main(void)
{
    test_writing();
    test_reading();
    test_broken();
    test_round_trip();
    return done_testing();
}
