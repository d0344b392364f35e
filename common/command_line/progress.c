#define _POSIX_C_SOURCE 200809L /* isatty, fileno, sigaction */

#include "progress.h"
#include "machine/host.h"
#include "process/ranks.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define TERMINAL_INTERVAL_S 0.1
#define PLAIN_INTERVAL_S    5.0
#define QUIET_S             0.5 /* a run shorter than this shows nothing */

/* ---- Ctrl-C --------------------------------------------------------------------------------- */

static volatile sig_atomic_t caught;

/* Two lines, of which the handler reads the one that is not being written. */
static char lines[2][256];
static volatile sig_atomic_t current;

static void on_interrupt(int signal_number)
{
    caught = 1;
    signal(signal_number, SIG_DFL);
    const char *line = lines[current];
    if (ranks_now().count > 1)
        return; /* it is mpirun that tells them all */
    if (write(STDERR_FILENO, line, strlen(line)) < 0)
        return; /* nobody reads it */
}

static void interrupt_name(const char *what)
{
    int next = !current;
    snprintf(lines[next], sizeof lines[next], "\nwaits for %s to end; Ctrl-C again stops at once\n",
             what);
    current = next;
}

void progress_ends_at_once(void)
{
    lines[!current][0] = '\0';
    current = !current;
}

static void interrupt_catch(void)
{
    const struct sigaction action = {.sa_handler = on_interrupt, .sa_flags = SA_RESTART};
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
}

bool interrupted(void)
{
    return ranks_any(caught);
}

/* ---- the line ------------------------------------------------------------------------------- */

progress progress_start(const char *step, const char *title, double total_work)
{
    double now = host_seconds();
    interrupt_catch();
    progress p = {.step = step,
                  .title = title,
                  .total = total_work,
                  .start = now,
                  .terminal = isatty(fileno(stderr))};
    p.interval = p.terminal ? TERMINAL_INTERVAL_S : PLAIN_INTERVAL_S;
    p.last_shown = now - p.interval + QUIET_S;
    return p;
}

static void print_time_left(const progress *p, double now)
{
    double share = p->total > 0 ? p->done / p->total : 0;
    double elapsed = now - p->start;
    if (share <= 0.01 || elapsed < 1)
        return;
    int left = (int)(elapsed * (1 - share) / share + 0.5);
    if (left >= 60)
        fprintf(stderr, ", about %d min %02d s left", left / 60, left % 60);
    else if (left > 0)
        fprintf(stderr, ", about %d s left", left);
}

void progress_show(progress *p, double work, const char *what)
{
    double now = host_seconds();
    p->done += work;
    interrupt_name(what);
    if (now - p->last_shown < p->interval || ranks_now().rank > 0)
        return;
    p->last_shown = now;
    progress_clear(p);
    if (p->step)
        fprintf(stderr, "%s, ", p->step);
    fprintf(stderr, "%s: %3.0f%% %s", p->title, p->total > 0 ? 100 * p->done / p->total : 0, what);
    print_time_left(p, now);
    if (p->terminal)
        fflush(stderr);
    else
        fputc('\n', stderr);
    p->line_open = p->terminal;
}

void progress_clear(progress *p)
{
    if (p->line_open)
        fputs("\r\033[K", stderr);
    p->line_open = false;
}
