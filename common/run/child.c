#define _DEFAULT_SOURCE /* MAP_ANONYMOUS, POSIX */

#include "child.h"
#include "command_line/progress.h"
#include "process/die.h"
#include "process/ranks.h"

#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

void *child_memory(size_t bytes)
{
    void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED)
        die_bad_input("out of memory: %zu bytes were asked for", bytes);
    return memory;
}

void child_memory_free(void *memory, size_t bytes)
{
    munmap(memory, bytes);
}

/* ---- the child ------------------------------------------------------------------------------ */

typedef struct child_work {
    void (*work)(void *context);
    void *context;
} child_work;

static void *begin_work(void *context)
{
    const child_work *w = context;
    w->work(w->context);
    return NULL;
}

/*
 * The work has a thread of its own: fork() leaves OpenMP's threads behind, and the one that knew
 * them would wait for them. A signal is the parent's to act on, the parent's end this one's, too.
 */
static void be_child(child_work w, FILE *out, int error)
{
    pthread_t thread;
    signal(SIGINT, SIG_IGN);
    signal(SIGTERM, SIG_IGN);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    dup2(fileno(out), STDOUT_FILENO);
    dup2(error, STDERR_FILENO);
    if (pthread_create(&thread, NULL, begin_work, &w) != 0 || pthread_join(thread, NULL) != 0)
        die_bad_input("out of memory for a thread");
    fflush(stdout);
    _exit(0);
}

/* ---- the parent ----------------------------------------------------------------------------- */

/* What a child said: a line that is not whole yet, and what cuda_on_cpu told of its end. */
typedef struct last_words {
    char line[1024], what[RESULT_TEXT], place[RESULT_TEXT];
    size_t used;
} last_words;

/* Keeps what follows the start in a line, of the first line that has it. */
static void keep(const char *line, const char *start, char text[RESULT_TEXT])
{
    if (!text[0] && strncmp(line, start, strlen(start)) == 0)
        snprintf(text, RESULT_TEXT, "%.255s", line + strlen(start));
}

static void hear(last_words *words, const char *said, size_t length)
{
    fwrite(said, 1, length, stderr);
    for (size_t i = 0; i < length; i++) {
        if (said[i] != '\n' && words->used < sizeof words->line - 1) {
            words->line[words->used++] = said[i];
            continue;
        }
        words->line[words->used] = '\0';
        words->used = 0;
        keep(words->line, "  at ", words->place);
        keep(words->line, "CUDA on the CPU: ", words->what);
    }
}

/* Hears the child out, which an interrupt ends; returns its status. */
static int wait_for(pid_t pid, int error, last_words *words)
{
    char said[4096];
    struct pollfd from = {.fd = error, .events = POLLIN};
    ssize_t length = 1;
    int status = 0;
    bool over = false;
    while (length > 0) {
        if (!over && interrupted())
            kill(pid, SIGKILL);
        over = over || waitpid(pid, &status, WNOHANG) == pid;
        int ready = poll(&from, 1, over ? 0 : 100); /* ms: what it started may outlive it */
        if (ready > 0)
            length = read(error, said, sizeof said);
        else if (over)
            length = 0;
        if (ready > 0 && length > 0)
            hear(words, said, (size_t)length);
    }
    if (!over)
        waitpid(pid, &status, 0);
    return status;
}

bool child_run(void (*work)(void *context), void *context, FILE *out, char reason[RESULT_TEXT])
{
    last_words words = {.used = 0};
    int ends[2];
    fflush(NULL);
    pid_t pid = pipe(ends) == 0 ? fork() : -1;
    if (pid < 0)
        die_bad_input("cannot start a process");
    if (pid == 0)
        be_child((child_work){work, context}, out, ends[1]);
    close(ends[1]);
    int status = wait_for(pid, ends[0], &words);
    close(ends[0]);
    if (WIFEXITED(status) && WEXITSTATUS(status) != 0)
        ranks_exit(WEXITSTATUS(status));
    snprintf(reason, RESULT_TEXT, "ended the program");
    if (WIFSIGNALED(status))
        snprintf(reason, RESULT_TEXT, "%.100s%s%.*s", words.place, words.place[0] ? ": " : "",
                 RESULT_TEXT - 3 - (int)strnlen(words.place, 100),
                 words.what[0] ? words.what : strsignal(WTERMSIG(status)));
    return WIFEXITED(status);
}
