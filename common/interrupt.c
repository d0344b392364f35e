#define _POSIX_C_SOURCE 200809L /* sigaction */

#include "interrupt.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static volatile sig_atomic_t caught;

/* Two lines, of which the handler reads the one that is not being written. */
static char lines[2][256];
static volatile sig_atomic_t current;

static void on_interrupt(int signal_number)
{
    caught = 1;
    signal(signal_number, SIG_DFL);
    const char *line = lines[current];
    if (write(STDERR_FILENO, line, strlen(line)) < 0)
        return; /* nobody reads it */
}

void interrupt_name(const char *what)
{
    int next = !current;
    snprintf(lines[next], sizeof lines[next], "\nwaits for %s to end; Ctrl-C again stops at once\n",
             what);
    current = next;
}

void interrupt_catch(void)
{
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = on_interrupt;
    action.sa_flags = SA_RESTART;
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
}

bool interrupted(void)
{
    return caught;
}
