/*
 * link.cu - lab 0's link between GPUs, one process each. A GPU has a message in x; it comes into
 * the y of another, or of all.
 *
 *   link_copy     the receiver fetches it: cudaMemcpyAsync out of the sender's memory
 *   link_load     the receiver's kernel `copy` loads it from there
 *   link_send     ncclSend and ncclRecv
 *   link_registered  the same, of memory that NCCL was told of (ncclCommRegister): it need not go
 *                 through NCCL's own buffers
 *   link_*_both   the same, both ways at once: around a ring each GPU sends to the next one
 *   link_gather   ncclAllGather: each GPU has a share of the message, in the end all have all of it
 *   link_reduce   ncclAllReduce: all have the sum of all messages
 *
 * One way GPUs work in pairs, counted from the last one; of an odd number the first one rests. What
 * counts is the message, once, as it comes to one GPU. Expected of two H200s: NVLink 4 has 18 links
 * of 25 GB/s each way, 450 GB/s ([white] of ceilings.h) with the packets' headers; some nine tenths
 * of that for long messages either way, and the same both ways at once. A share of a gathered
 * message that a GPU has of its own crosses no link: over two the rate may be twice the link's. A
 * sum needs the whole message from the other GPU, once in two halves. Short messages take what
 * starting takes: two events and a launch, some 3 us by `alone`, a load or two across, and NCCL's
 * handshake.
 */
#include <stdint.h>
#include <stdlib.h>
#if defined HAVE_RANKS && !defined CUDA_ON_CPU
#include <cuda.h>
#endif

#include "ceilings.h"
#include "process/die.h"
#ifdef HAVE_RANKS
#include "process/nccl_check.h"
#endif

/* A message is of whole vectors of 4 for each share of it. */
size_t message_words(const problem *p)
{
    const size_t unit = 4 * (size_t)ranks_now().count;
    return ((size_t)p->width + unit - 1) / unit * unit;
}

size_t all_messages(const problem *p)
{
    return message_words(p) * (size_t)ranks_now().count;
}

/* ---- who has what --------------------------------------------------------------------------- */

static rank_part message(const problem *p, int place)
{
    const size_t bytes = message_words(p) * sizeof(float);
    return {bytes * place, bytes};
}

static int rank_before(int rank, int count)
{
    return (rank + count - 1) % count;
}

/* A message that was fetched has the sender's place: all of y is all of x. */
static rank_part part_both_ways(const problem *p, int i, int rank, int count)
{
    return message(p, i == X ? rank : rank_before(rank, count));
}

/* What is registered is so for all variants that share the memory: those have memory of their own,
 * as variants do whose parts another function tells. */
static rank_part part_both_ways_registered(const problem *p, int i, int rank, int count)
{
    return part_both_ways(p, i, rank, count);
}

/* One way: ranks from the last one on take turns to receive and to send. */
static bool receives(int rank, int count)
{
    return (count - 1 - rank) % 2 == 0 && rank > 0;
}

static rank_part part_one_way(const problem *p, int i, int rank, int count)
{
    rank_part part = part_both_ways(p, i, rank, count);
    if (i == Y && count > 1 && !receives(rank, count))
        part.count = 0;
    return part;
}

static rank_part part_one_way_registered(const problem *p, int i, int rank, int count)
{
    return part_one_way(p, i, rank, count);
}

/* The first message, in shares. */
static rank_part part_of_gather(const problem *p, int i, int rank, int count)
{
    const size_t share = message(p, 0).count / (size_t)count;
    return i == X ? rank_part{share * (size_t)rank, share} : message(p, rank);
}

static rank_part part_of_sum(const problem *p, int, int rank, int)
{
    return message(p, rank);
}

/* ---- the check ------------------------------------------------------------------------------ */

/* y of `count` GPUs, of `words` each. */
typedef struct arrival {
    const uint32_t *x, *y;
    size_t words;
    int count;
} arrival;

static checked fetched(const arrival *a, size_t i)
{
    return {(double)a->y[i], (double)a->x[i], 0};
}

static checked fetched_at(const void *context, size_t i)
{
    return fetched((const arrival *)context, i);
}

/* Gives the value and what it must be; of a pair the sender's place is checked. */
static checked fetched_by_pairs_at(const void *context, size_t i)
{
    const arrival *a = (const arrival *)context;
    const size_t sender = (size_t)(a->count % 2) + 2 * (i / a->words);
    return fetched(a, sender * a->words + i % a->words);
}

static checked gathered_at(const void *context, size_t i)
{
    const arrival *a = (const arrival *)context;
    return {(double)a->y[i], (double)a->x[i % a->words], 0};
}

/* Gives a sum of the messages' bits, which wrap around: exact in any order. */
static checked summed_at(const void *context, size_t i)
{
    const arrival *a = (const arrival *)context;
    uint32_t sum = 0;
    for (int rank = 0; rank < a->count; rank++)
        sum += a->x[(size_t)rank * a->words + i % a->words];
    return {(double)a->y[i], (double)sum, 0};
}

static check_result check_link(const problem *p, const variant *v)
{
    const arrival a = {(const uint32_t *)p->buffer[X].host, (const uint32_t *)p->buffer[Y].host,
                       message_words(p), ranks_now().count};
    const bool by_pairs = v->part == part_one_way || v->part == part_one_way_registered;
    const size_t messages = by_pairs ? (size_t)a.count / 2 : (size_t)a.count;
    return check_all(0, (int)a.words, messages * a.words,
                     by_pairs                    ? fetched_by_pairs_at
                     : v->part == part_of_gather ? gathered_at
                     : v->part == part_of_sum    ? summed_at
                                                 : fetched_at,
                     &a);
}

static const char *refuse_single_gpu(const problem *, dim3)
{
    return ranks_now().count == 1 ? "a link has two ends: give --gpus 2" : NULL;
}

/* CUDA's handles of memory are the node's. */
static const char *refuse_other_node(const problem *p, dim3 block)
{
    const bool far = ranks_now().nodes > 1;
    return far ? "GPUs of several nodes do not see each other's memory"
               : refuse_single_gpu(p, block);
}

/* ---- memory of another GPU ------------------------------------------------------------------- */

/* Processes of the CPU's engine share no memory. */
#if defined HAVE_RANKS && !defined CUDA_ON_CPU
#define HAVE_PEERS 1

/* The allocation that a pointer points into, as another process can open it. */
typedef struct shared_memory {
    cudaIpcMemHandle_t allocation;
    size_t offset;
} shared_memory;

/* The sender's x, in this process; nothing where this GPU does not receive. */
typedef struct peer {
    void *allocation;
    const float *x;
} peer;

static shared_memory share(void *pointer)
{
    typedef CUresult address_range(CUdeviceptr *, size_t *, CUdeviceptr);
    shared_memory s;
    cudaDriverEntryPointQueryResult found;
    void *call = NULL;
    CUdeviceptr base = 0;
    size_t bytes;
    CUDA_CHECK(cudaGetDriverEntryPointByVersion("cuMemGetAddressRange", &call, 12000,
                                                cudaEnableDefault, &found));
    CUresult status = ((address_range *)call)(&base, &bytes, (CUdeviceptr)pointer);
    CUDA_CHECK(status == CUDA_SUCCESS ? cudaSuccess : cudaErrorInvalidValue);
    CUDA_CHECK(cudaIpcGetMemHandle(&s.allocation, pointer));
    s.offset = (size_t)((CUdeviceptr)pointer - base);
    return s;
}

static void *plan_peer(const problem *p, const launch *l)
{
    const ranks all = ranks_now();
    const shared_memory own = share(l->buffer[X]);
    shared_memory *shared = (shared_memory *)allocate(sizeof own * (size_t)all.count);
    peer *sender = (peer *)allocate(sizeof *sender);
    ranks_exchange(&own, shared, sizeof own);
    const shared_memory from = shared[rank_before(all.rank, all.count)];
    free(shared);
    *sender = {NULL, NULL};
    if (p->buffer[Y].bytes == 0)
        return sender;
    CUDA_CHECK(
        cudaIpcOpenMemHandle(&sender->allocation, from.allocation, cudaIpcMemLazyEnablePeerAccess));
    sender->x = (const float *)((const char *)sender->allocation + from.offset);
    return sender;
}

/* No memory is freed before those that opened it have closed it. */
static void release_peer(void *plan)
{
    peer *sender = (peer *)plan;
    if (sender->allocation)
        CUDA_RELEASE(cudaIpcCloseMemHandle(sender->allocation));
    free(sender);
    ranks_wait();
}

static void launch_link_copy(const problem *p, const launch *l)
{
    const peer *sender = (const peer *)l->plan;
    if (sender->x)
        CUDA_CHECK(cudaMemcpyAsync(l->buffer[Y], sender->x, p->buffer[Y].bytes,
                                   cudaMemcpyDeviceToDevice, l->stream));
}

static void launch_link_load(const problem *p, const launch *l)
{
    const peer *sender = (const peer *)l->plan;
    if (sender->x)
        launch_copy_of(sender->x, (float *)l->buffer[Y], (int)message_words(p), l);
}

#endif

#ifdef CUDA_ON_CPU
#define PEER_NEEDS "GPUs"
#else
#define PEER_NEEDS "MPI and NCCL"
#endif

/* ---- NCCL ------------------------------------------------------------------------------------ */

#ifdef HAVE_RANKS

/* Sends x to the next rank, if that receives, while y comes from the one before. */
static void exchange(const problem *p, const launch *l, bool sends, bool takes)
{
    const ranks all = ranks_now();
    const size_t words = message_words(p);
    ncclComm_t link = ranks_communicator();
    NCCL_CHECK(ncclGroupStart());
    if (sends)
        NCCL_CHECK(
            ncclSend(l->buffer[X], words, ncclUint32, (all.rank + 1) % all.count, link, l->stream));
    if (takes)
        NCCL_CHECK(ncclRecv(l->buffer[Y], words, ncclUint32, rank_before(all.rank, all.count), link,
                            l->stream));
    NCCL_CHECK(ncclGroupEnd());
}

static void launch_link_send(const problem *p, const launch *l)
{
    const ranks all = ranks_now();
    const int next = all.rank + 1;
    exchange(p, l, next < all.count && receives(next, all.count), receives(all.rank, all.count));
}

static void launch_link_send_both(const problem *p, const launch *l)
{
    exchange(p, l, true, true);
}

/* What NCCL knows x and y by, if this GPU has one. */
typedef struct registration {
    void *x, *y;
} registration;

static void *plan_registered(const problem *p, const launch *l)
{
    ncclComm_t link = ranks_communicator();
    registration *r = (registration *)allocate(sizeof *r);
    *r = {NULL, NULL};
    NCCL_CHECK(ncclCommRegister(link, l->buffer[X], p->buffer[X].bytes, &r->x));
    if (p->buffer[Y].bytes > 0)
        NCCL_CHECK(ncclCommRegister(link, l->buffer[Y], p->buffer[Y].bytes, &r->y));
    return r;
}

/* No memory is given up that others may still have open. */
static void release_registered(void *plan)
{
    registration *r = (registration *)plan;
    ranks_wait();
    NCCL_CHECK(ncclCommDeregister(ranks_communicator(), r->x));
    if (r->y)
        NCCL_CHECK(ncclCommDeregister(ranks_communicator(), r->y));
    free(r);
    ranks_wait();
}

static void launch_link_gather(const problem *p, const launch *l)
{
    const size_t share = message_words(p) / (size_t)ranks_now().count;
    NCCL_CHECK(ncclAllGather(l->buffer[X], l->buffer[Y], share, ncclUint32, ranks_communicator(),
                             l->stream));
}

static void launch_link_reduce(const problem *p, const launch *l)
{
    NCCL_CHECK(ncclAllReduce(l->buffer[X], l->buffer[Y], message_words(p), ncclUint32, ncclSum,
                             ranks_communicator(), l->stream));
}

#endif

/* NCCL registers memory of cudaMalloc only if it is told so before it starts. */
void allow_registration(void)
{
    setenv("NCCL_LEGACY_CUDA_REGISTER", "1", 0);
}

/* ---- variants ------------------------------------------------------------------------------- */

static const own_check of_link = {.check = check_link};

/*
 * Timed one by one: as a node of a graph the driver's copy may take longer (README.md), and a
 * program that waits for a message sends one.
 */
#define BY_PEER(parts, ...)                                                                        \
    .needs = PEER_NEEDS, __VA_ARGS__.applies = measures<LINK>, .refuse = refuse_other_node,        \
    .plan = BUILT(HAVE_PEERS, plan_peer), .release = BUILT(HAVE_PEERS, release_peer),              \
    .part = parts, .singly = true, .own = &of_link
#define BY_NCCL(parts, ...)                                                                        \
    .needs = "MPI and NCCL", .applies = measures<LINK>, .refuse = refuse_single_gpu,               \
    __VA_ARGS__.part = parts, .singly = true, .own = &of_link
#define BY_REGISTERED(parts)                                                                       \
    BY_NCCL(parts, .plan = BUILT(HAVE_RANKS, plan_registered),                                     \
            .release = BUILT(HAVE_RANKS, release_registered), )

const variant link_copy_variant =
    VENDOR_VARIANT("link_copy", "link: cudaMemcpyAsync out of the sender's memory",
                   BUILT(HAVE_PEERS, launch_link_copy), BY_PEER(part_one_way));
const variant link_load_variant = GPU_VARIANT("link_load", "link: a kernel's loads from there",
                                              BUILT(HAVE_PEERS, launch_link_load),
                                              BY_PEER(part_one_way, .kernel_for = copy_kernel, ));
const variant link_send_variant =
    VENDOR_VARIANT("link_send", "link: ncclSend and ncclRecv", BUILT(HAVE_RANKS, launch_link_send),
                   BY_NCCL(part_one_way));
const variant link_copy_both_variant =
    VENDOR_VARIANT("link_copy_both", "link: the copy, both ways at once",
                   BUILT(HAVE_PEERS, launch_link_copy), BY_PEER(part_both_ways));
const variant link_load_both_variant = GPU_VARIANT(
    "link_load_both", "link: the loads, both ways at once", BUILT(HAVE_PEERS, launch_link_load),
    BY_PEER(part_both_ways, .kernel_for = copy_kernel, ));
const variant link_send_both_variant =
    VENDOR_VARIANT("link_send_both", "link: ncclSend and ncclRecv, both ways at once",
                   BUILT(HAVE_RANKS, launch_link_send_both), BY_NCCL(part_both_ways));
const variant link_registered_variant =
    VENDOR_VARIANT("link_registered", "link: ncclSend and ncclRecv of registered memory",
                   BUILT(HAVE_RANKS, launch_link_send), BY_REGISTERED(part_one_way_registered));
const variant link_registered_both_variant = VENDOR_VARIANT(
    "link_registered_both", "link: the same, both ways at once",
    BUILT(HAVE_RANKS, launch_link_send_both), BY_REGISTERED(part_both_ways_registered));
const variant link_gather_variant =
    VENDOR_VARIANT("link_gather", "link: ncclAllGather of the message's shares",
                   BUILT(HAVE_RANKS, launch_link_gather), BY_NCCL(part_of_gather));
const variant link_reduce_variant =
    VENDOR_VARIANT("link_reduce", "link: ncclAllReduce, the sum of all messages",
                   BUILT(HAVE_RANKS, launch_link_reduce), BY_NCCL(part_of_sum));

/* Messages of 4 KiB to 1 GiB between GPUs. */
const lab_settings several_gpus[] = {
    {"--measure link --sizes 2^10,2^12,2^14,2^16,2^18,2^20,2^22,2^24,2^26,2^28 --blocks 256"},
    {NULL},
};
