#define _POSIX_C_SOURCE 200809L /* setenv */

#include "ranks.h"
#include "die.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static ranks here = {.count = 1, .on_node = 1, .nodes = 1};

ranks ranks_now(void)
{
    return here;
}

rank_part ranks_part(size_t total, size_t unit, int rank, int count)
{
    size_t units = total / unit + (total % unit > 0);
    size_t each = units / (size_t)count, longer = units % (size_t)count, at = (size_t)rank;
    size_t first = at * each + (at < longer ? at : longer), last = first + each + (at < longer);
    size_t end = last * unit < total ? last * unit : total;
    size_t begin = first * unit < total ? first * unit : total;
    return (rank_part){begin, end - begin};
}

/* ---- how it was started --------------------------------------------------------------------- */

/* A number of the environment; -1 where there is none. */
static int number_of(const char *name)
{
    const char *text = getenv(name);
    return text && *text ? (int)strtol(text, NULL, 10) : -1;
}

/* Launchers tell each process how many there are and which it is: Open MPI's mpirun, those that
 * speak PMI, Slurm's srun. */
static const struct launcher {
    const char *count, *rank;
} launchers[] = {{"OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK"},
                 {"PMI_SIZE", "PMI_RANK"},
                 {"SLURM_STEP_NUM_TASKS", "SLURM_PROCID"}};

static ranks started_as(void)
{
    for (size_t i = 0; i < sizeof launchers / sizeof launchers[0]; i++) {
        int count = number_of(launchers[i].count), rank = number_of(launchers[i].rank);
        if (count > 0 && rank >= 0 && rank < count)
            return (ranks){.rank = rank, .count = count, .on_node = 1, .nodes = 1};
    }
    return here;
}

#ifdef HAVE_RANKS

#include <mpi.h>
#include "nccl_check.h"

bool ranks_are_built(void)
{
    return true;
}

/* The ranks of a node are those that can share memory. */
static void find_nodes(void)
{
    MPI_Comm node;
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, here.rank, MPI_INFO_NULL, &node);
    MPI_Comm_rank(node, &here.local);
    MPI_Comm_size(node, &here.on_node);
    MPI_Comm_free(&node);
    int first = here.local == 0;
    MPI_Allreduce(&first, &here.nodes, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
}

void ranks_start(int *argc, char ***argv)
{
    const ranks started = started_as();
    int count;
    if (started.count == 1)
        return;
    MPI_Init(argc, argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &here.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &count);
    if (count != started.count) {
        if (started.rank == 0)
            die_bad_input("%d processes were started that know nothing of one another (MPI sees "
                          "%d): start them by this MPI's mpirun, or by srun --mpi=pmix",
                          started.count, count);
        exit(EXIT_BAD_INPUT);
    }
    here.count = count;
    find_nodes();
    if (here.rank > 0 && !freopen("/dev/null", "w", stdout))
        ranks_abort(EXIT_BAD_INPUT, "cannot open /dev/null");
}

/* ---- NCCL ------------------------------------------------------------------------------------ */

static ncclComm_t communicator;

const char *nccl_text(int result)
{
    return ncclGetErrorString((ncclResult_t)result);
}

ncclComm_t ranks_communicator(void)
{
    ncclUniqueId id;
    if (communicator || here.count == 1)
        return communicator;
    setenv("NCCL_NVLS_ENABLE", "0", 0); /* multicast by the switch: not every node permits it */
    if (here.rank == 0)
        NCCL_CHECK(ncclGetUniqueId(&id));
    MPI_Bcast(&id, sizeof id, MPI_BYTE, 0, MPI_COMM_WORLD);
    NCCL_CHECK(ncclCommInitRank(&communicator, here.count, id, here.rank));
    return communicator;
}

/* ---- the end -------------------------------------------------------------------------------- */

void ranks_end(void)
{
    if (communicator)
        (void)ncclCommDestroy(communicator);
    communicator = NULL;
    if (here.count > 1)
        MPI_Finalize();
}

void ranks_exit(int status)
{
    fflush(stderr);
    if (here.count > 1)
        MPI_Abort(MPI_COMM_WORLD, status);
    exit(status);
}

/* ---- messages ------------------------------------------------------------------------------- */

/* Pieces of a message: a count of MPI's is an int. */
enum { PIECE = 1 << 30, TAG = 1 };

static void move_part(char *memory, rank_part p, int from)
{
    for (size_t done = 0; done < p.count; done += PIECE) {
        int bytes = (int)(p.count - done < PIECE ? p.count - done : PIECE);
        char *at = memory + p.first + done;
        if (here.rank == 0)
            MPI_Recv(at, bytes, MPI_BYTE, from, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        else
            MPI_Send(at, bytes, MPI_BYTE, 0, TAG, MPI_COMM_WORLD);
    }
}

void ranks_gather(void *memory, rank_part (*part)(const void *context, int rank),
                  const void *context)
{
    if (here.rank > 0)
        move_part(memory, part(context, here.rank), here.rank);
    else
        for (int from = 1; from < here.count; from++)
            move_part(memory, part(context, from), from);
}

void ranks_wait(void)
{
    if (here.count > 1)
        MPI_Barrier(MPI_COMM_WORLD);
}

double ranks_slowest(double seconds)
{
    if (here.count > 1)
        MPI_Allreduce(MPI_IN_PLACE, &seconds, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return seconds;
}

bool ranks_any(bool says)
{
    int any = says;
    if (here.count > 1)
        MPI_Allreduce(MPI_IN_PLACE, &any, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    return any;
}

void ranks_exchange(const void *own, void *all, size_t bytes)
{
    if (here.count > 1)
        MPI_Allgather(own, (int)bytes, MPI_BYTE, all, (int)bytes, MPI_BYTE, MPI_COMM_WORLD);
    else
        memcpy(all, own, bytes);
}

bool ranks_first(bool says)
{
    int first = says;
    if (here.count > 1)
        MPI_Bcast(&first, 1, MPI_INT, 0, MPI_COMM_WORLD);
    return first;
}

bool ranks_any_text(char *text, size_t bytes)
{
    int first = text[0] ? here.rank : here.count;
    if (here.count == 1)
        return text[0];
    MPI_Allreduce(MPI_IN_PLACE, &first, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    if (first == here.count)
        return false;
    MPI_Bcast(text, (int)bytes, MPI_CHAR, first, MPI_COMM_WORLD);
    return true;
}

#else

bool ranks_are_built(void)
{
    return false;
}

void ranks_start(int *argc, char ***argv)
{
    const ranks started = started_as();
    (void)argc, (void)argv;
    if (started.count == 1)
        return;
    if (started.rank == 0)
        die_bad_input("one of %d processes, but this build lacks MPI and NCCL, which several GPUs "
                      "need",
                      started.count);
    exit(EXIT_BAD_INPUT);
}

void ranks_end(void)
{
}

void ranks_exit(int status)
{
    exit(status);
}

void ranks_gather(void *memory, rank_part (*part)(const void *context, int rank),
                  const void *context)
{
    (void)memory, (void)part, (void)context;
}

void ranks_wait(void)
{
}

double ranks_slowest(double seconds)
{
    return seconds;
}

bool ranks_any(bool says)
{
    return says;
}

void ranks_exchange(const void *own, void *all, size_t bytes)
{
    memcpy(all, own, bytes);
}

bool ranks_first(bool says)
{
    return says;
}

bool ranks_any_text(char *text, size_t bytes)
{
    (void)bytes;
    return text[0];
}

#endif

void ranks_abort(int status, const char *why)
{
    if (here.count > 1)
        fprintf(stderr, "%s: rank %d of %d: %s\n", die_program(), here.rank, here.count, why);
    else
        fprintf(stderr, "%s: %s\n", die_program(), why);
    ranks_exit(status);
}

/* ---- are they fit to work together? --------------------------------------------------------- */

void ranks_agree_on_build(const char *build)
{
    char first[256] = "";
    if (here.rank == 0)
        snprintf(first, sizeof first, "%s", build);
    if (here.count == 1 || !ranks_any_text(first, sizeof first))
        return;
    bool other = strncmp(first, build, sizeof first - 1) != 0;
    if (ranks_any(other))
        die_bad_input("the processes are of different builds: all must run the same program, this "
                      "one is %s",
                      build);
}

void ranks_need_devices(int first, int devices)
{
    bool lacks = first + here.on_node > devices;
    if (!ranks_any(lacks))
        return;
    if (!lacks)
        die_bad_input("another node has fewer GPUs than processes; start one process a GPU");
    die_bad_input("%d processes on this node, which has %d GPU%s from --device %d on; start one "
                  "process a GPU",
                  here.on_node, devices - first, devices - first == 1 ? "" : "s", first);
}
