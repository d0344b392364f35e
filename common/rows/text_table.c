#define _POSIX_C_SOURCE 200809L /* isatty, fileno */

#include "text_table.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void text_print_wrapped(const char *words, int column, int indent)
{
    const char *before = "";
    while (*(words += strspn(words, " "))) {
        int length = (int)strcspn(words, " ");
        if (column + (int)strlen(before) + length > TEXT_WIDTH) {
            printf("\n%*s", indent, "");
            column = indent;
            before = "";
        }
        column += printf("%s%.*s", before, length, words);
        words += length;
        before = " ";
    }
    putchar('\n');
}

static bool has_colours(void)
{
    const char *none = getenv("NO_COLOR"), *terminal = getenv("TERM");
    return isatty(fileno(stdout)) && !(none && *none) && terminal && strcmp(terminal, "dumb") != 0;
}

/* ---- which columns, how wide ---------------------------------------------------------------- */

static int total_width(const text_table *t)
{
    int total = -1;
    for (int c = 0; c < t->count; c++)
        total += t->shown[c] ? t->width[c] + 1 : 0;
    return total;
}

static void leave_out_one(text_table *t)
{
    int last = 0;
    for (int c = 0; c < t->count; c++)
        if (t->shown[c] && (!t->shown[last] || t->columns[c].rank > t->columns[last].rank))
            last = c;
    t->shown[last] = false;
}

static void widen(text_table *t, int column, const char *text)
{
    int length = (int)strlen(text);
    if (length == 0)
        return;
    if (!t->used[column])
        t->width[column] = (int)strlen(t->columns[column].heading);
    t->used[column] = true;
    if (length > t->width[column])
        t->width[column] = length;
}

static void lay_out(text_table *t, const text_line *lines, int count)
{
    for (int k = 0; k < count; k++)
        for (int c = 0; c < t->count; c++)
            widen(t, c, lines[k].cell[c]);
    memcpy(t->shown, t->used, sizeof t->shown);
    for (int left = t->count; !t->wide && left > 1 && total_width(t) > TEXT_WIDTH; left--)
        leave_out_one(t);
}

/* ---- lines ---------------------------------------------------------------------------------- */

/* Fills all cells but the last one up with blanks; returns the width of it all. */
static int print_cells(const text_table *t, const text_line *line)
{
    int last = t->count - 1, width = 0;
    while (last > 0 && !t->shown[last])
        last--;
    for (int c = 0; c <= last; c++)
        if (t->shown[c]) {
            int fill = c == last ? 0 : t->columns[c].left ? -t->width[c] : t->width[c];
            width +=
                printf("%*s%s", fill, line->cell[c][0] ? line->cell[c] : "-", c == last ? "" : " ");
        }
    return width;
}

static void print_heading(const text_table *t)
{
    text_line heading = {.note = ""};
    for (int c = 0; c < t->count; c++)
        snprintf(heading.cell[c], TEXT_CELL, "%s", t->columns[c].heading);
    print_cells(t, &heading);
    putchar('\n');
}

static void print_line(const text_table *t, const text_line *line, const char *note_above)
{
    const char *note = line->note;
    int width = print_cells(t, line);
    bool fits = t->wide || width + 2 + (int)strlen(note) <= TEXT_WIDTH;
    if (*note && fits)
        printf(": %s", note);
    if (!*note || fits || line->spare_note)
        putchar('\n');
    else if (strcmp(note, note_above) == 0)
        puts(": as above");
    else {
        printf(":\n    ");
        text_print_wrapped(note, 4, 4);
    }
    if (line->below[0]) {
        printf("  ");
        text_print_wrapped(line->below, 2, 4);
    }
}

void text_table_print(text_table *t, const text_line *lines, int count)
{
    const text_table before = *t;
    const bool colours = has_colours();
    lay_out(t, lines, count);
    if (memcmp(before.width, t->width, sizeof t->width) != 0 ||
        memcmp(before.shown, t->shown, sizeof t->shown) != 0)
        print_heading(t);
    for (int k = 0; k < count; k++) {
        bool red = lines[k].bad && colours;
        fputs(red ? "\033[31m" : "", stdout);
        print_line(t, &lines[k], k > 0 ? lines[k - 1].note : "");
        fputs(red ? "\033[0m" : "", stdout);
    }
}
