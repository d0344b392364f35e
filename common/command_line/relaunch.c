#define _POSIX_C_SOURCE 200809L /* fork, execvp, setenv */

#include "relaunch.h"
#include "process/die.h"
#include "process/ranks.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* Open MPI's; more processes than cores is what a laptop has to do. */
#define DEFAULT_MPIRUN "mpirun --quiet --bind-to none --map-by :OVERSUBSCRIBE"

enum { MOST_WORDS = 64, NOT_STARTED = 127 };

static volatile sig_atomic_t stopped;
static volatile pid_t child;

/* A terminal tells mpirun itself, `kill` this process alone. */
static void on_stop(int signal_number)
{
    (void)signal_number;
    stopped = 1;
    if (child > 0)
        kill(child, SIGTERM);
}

/* Leaves out `--gpus LIST`, `--gpus=LIST`, and puts --divided in their place. Ends with NULL. */
static void copy_arguments(char **to, int argc, char **argv)
{
    int count = 0;
    to[count++] = argv[0];
    to[count++] = (char *)"--divided";
    for (int i = 1; i < argc; i++)
        if (strcmp(argv[i], "--gpus") == 0)
            i++;
        else if (strncmp(argv[i], "--gpus=", 7) != 0)
            to[count++] = argv[i];
    to[count] = NULL;
}

/* Takes --fresh from the line: a second run would drop the first one's rows. What is left? */
static int without_fresh(int argc, char **argv)
{
    int count = 0;
    for (int i = 0; i < argc; i++)
        if (strcmp(argv[i], "--fresh") != 0)
            argv[count++] = argv[i];
    return count;
}

/*
 * Becomes mpirun; only a failure returns. Open MPI keeps root from starting programs by mistake:
 * who started this one as root, as in a container, made none.
 */
static void start(const char *mpirun, int gpus, int argc, char **argv)
{
    static char words[4096], number[16];
    char **command = allocate((size_t)(MOST_WORDS + 4 + argc) * sizeof *command);
    int count = 0;
    snprintf(words, sizeof words, "%s", mpirun);
    snprintf(number, sizeof number, "%d", gpus);
    for (char *word = strtok(words, " "); word && count < MOST_WORDS; word = strtok(NULL, " "))
        command[count++] = word;
    command[count++] = (char *)"-n";
    command[count++] = number;
    copy_arguments(command + count, argc, argv);
    setenv("OMPI_ALLOW_RUN_AS_ROOT", "1", false);
    setenv("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1", false);
    execvp(command[0], command);
    fprintf(stderr,
            "%s: cannot start '%s': %s; it comes with MPI (make setup), or MPIRUN names it\n",
            die_program(), command[0], strerror(errno));
}

/* The exit status of the run over so many GPUs. */
static int run_over(const char *mpirun, int gpus, int argc, char **argv)
{
    int status;
    sigset_t stops, before;
    sigemptyset(&stops);
    sigaddset(&stops, SIGINT);
    sigaddset(&stops, SIGTERM);
    /* Until the child is known here, and has no handler of this program's. */
    sigprocmask(SIG_BLOCK, &stops, &before);
    child = fork();
    if (child == 0) {
        signal(SIGINT, SIG_DFL);
        signal(SIGTERM, SIG_DFL);
        sigprocmask(SIG_SETMASK, &before, NULL);
        start(mpirun, gpus, argc, argv);
        _exit(NOT_STARTED);
    }
    sigprocmask(SIG_SETMASK, &before, NULL);
    while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR)
        continue;
    return child > 0 && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* As the program itself would end. */
static int judge(int status, int gpus)
{
    if (stopped)
        return EXIT_INTERRUPTED;
    if (status >= 0 && status <= EXIT_CUDA_ERROR)
        return status;
    if (status == NOT_STARTED)
        return EXIT_BAD_INPUT;
    fprintf(stderr,
            "%s: one of %d processes ended before its time, and the others with it (status %d); "
            "finished rows are kept\n",
            die_program(), gpus, status);
    return EXIT_CUDA_ERROR;
}

int relaunch(const lab *definition, const options *o, int argc, char **argv)
{
    const char *named = getenv("MPIRUN"), *mpirun = named && *named ? named : DEFAULT_MPIRUN;
    const struct sigaction stop = {.sa_handler = on_stop};
    int worst = 0;
    if (!ranks_are_built())
        die_bad_input("--gpus: this build lacks MPI and NCCL, which several GPUs need");
    if (!definition->sweep.divided)
        die_bad_input("--gpus: %s has no variants for several GPUs", definition->name);
    sigaction(SIGINT, &stop, NULL);
    sigaction(SIGTERM, &stop, NULL);
    for (int i = 0; i < o->gpus.count && worst != EXIT_INTERRUPTED && worst != EXIT_BAD_INPUT;
         i++) {
        int status = judge(run_over(mpirun, o->gpus.items[i], argc, argv), o->gpus.items[i]);
        worst = status > worst ? status : worst;
        argc = without_fresh(argc, argv);
    }
    return worst;
}
