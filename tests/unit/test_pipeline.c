/*
 * test_pipeline.c - items go through the pipeline's steps in any order that its events allow, and
 * each comes back as itself.
 *
 * The CPU's engine does every call at once. So the calls that queue something are taken from the
 * pipeline (ld's --wrap): copies, kernels, events and waits lie in queues, one a stream, and a
 * random one that is ready is done now and then, as late as the host allows. Whatever is not waited
 * for comes too early or too late for one order or another.
 */
#include "data/pipeline.h"
#include "fixture.h"

enum { SLOTS = 4, ITEMS = 13, BYTES = 8, ORDERS = 300, OPS_MOST = 1024 };

typedef struct op {
    cudaStream_t stream;
    enum { COPY, KERNEL, RECORD, WAIT } what;
    void *to;
    const void *from;
    cudaEvent_t event;
    int after; /* of a WAIT: the record, or -1 */
    bool done;
} op;

static op ops[OPS_MOST];
static int n_ops, waited; /* times that the host did */
static uint64_t state;

static unsigned chance(unsigned sides)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (unsigned)(state >> 33) % sides;
}

/* ---- streams that do what they hold some time later ------------------------------------------ */

static bool is_ready(int i)
{
    for (int k = 0; k < i; k++)
        if (ops[k].stream == ops[i].stream && !ops[k].done)
            return false;
    return !ops[i].done && (ops[i].what != WAIT || ops[i].after < 0 || ops[ops[i].after].done);
}

static void execute(op *o)
{
    unsigned char *to = o->to;
    if (o->what == COPY)
        memcpy(to, o->from, BYTES);
    for (int i = 0; o->what == KERNEL && i < BYTES; i++)
        to[i] = (unsigned char)(((const unsigned char *)o->from)[i] + 100);
    o->done = true;
}

/* One op of a random stream; false where none is ready. */
static bool progress(void)
{
    int ready[OPS_MOST], count = 0;
    for (int i = 0; i < n_ops; i++)
        if (is_ready(i))
            ready[count++] = i;
    if (count)
        execute(&ops[ready[chance((unsigned)count)]]);
    return count > 0;
}

static cudaError_t queue(op o)
{
    ops[n_ops++] = o;
    for (unsigned n = chance(4); n > 2; n--)
        progress();
    return cudaSuccess;
}

static int last_record(cudaEvent_t event)
{
    int i = n_ops - 1;
    while (i >= 0 && !(ops[i].what == RECORD && ops[i].event == event))
        i--;
    return i;
}

cudaError_t __wrap_cudaMemcpyAsync(void *to, const void *from, size_t bytes,
                                   enum cudaMemcpyKind kind, cudaStream_t stream);
cudaError_t __wrap_cudaEventRecord(cudaEvent_t event, cudaStream_t stream);
cudaError_t __wrap_cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned flags);
cudaError_t __wrap_cudaEventSynchronize(cudaEvent_t event);

cudaError_t __wrap_cudaMemcpyAsync(void *to, const void *from, size_t bytes,
                                   enum cudaMemcpyKind kind, cudaStream_t stream)
{
    (void)bytes, (void)kind;
    return queue((op){.stream = stream, .what = COPY, .to = to, .from = from});
}

cudaError_t __wrap_cudaEventRecord(cudaEvent_t event, cudaStream_t stream)
{
    return queue((op){.stream = stream, .what = RECORD, .event = event});
}

cudaError_t __wrap_cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned flags)
{
    (void)flags;
    return queue((op){.stream = stream, .what = WAIT, .after = last_record(event)});
}

cudaError_t __wrap_cudaEventSynchronize(cudaEvent_t event)
{
    int record = last_record(event);
    waited++;
    while (record >= 0 && !ops[record].done && progress())
        ;
    return cudaSuccess;
}

/* ---- items ----------------------------------------------------------------------------------- */

static unsigned char on_host[SLOTS][2][BYTES], on_device[SLOTS][2][BYTES];
static int started, ended, right, there_are = ITEMS;

static bool start(void *context, int i, pipeline_item *item)
{
    (void)context, (void)item;
    started += i == started;
    memset(on_host[i % SLOTS][IN], i + 1, BYTES);
    return i < there_are;
}

/* Is it item i, and in its turn? */
static void end(void *context, int i, pipeline_item *item)
{
    unsigned char expected[BYTES];
    int added = *(const int *)context;
    memset(expected, i + 1 + added, BYTES);
    right += i == ended && memcmp(item->host[OUT], expected, BYTES) == 0;
    ended++;
}

static void run(const problem *p, const launch *l)
{
    (void)p;
    queue((op){.stream = l->stream, .what = KERNEL, .to = l->buffer[OUT], .from = l->buffer[IN]});
}

/* One order of a pass of so many items. */
static void pass(pipeline *line, const runner *r, int items, uint64_t seed)
{
    static int added = 100;
    const pipeline_ends ends = {&added, start, end};
    state = seed;
    n_ops = started = ended = right = 0;
    memset(on_host, 0xFF, sizeof on_host);
    memset(on_device, 0xFF, sizeof on_device);
    pipeline_run(line, r, items, ALL_STEPS, ends, NULL);
}

static void test_passes(pipeline *line, const runner *r, int items)
{
    int good = 0;
    for (uint64_t seed = 0; seed < ORDERS; seed++) {
        pass(line, r, items, seed);
        good += started == items && ended == items && right == items;
        while (progress())
            ;
    }
    ok(good == ORDERS, "%d items, each itself in %d of %d orders", items, good, ORDERS);
}

/* Items that come to an end before their number does. */
static void test_fewer(pipeline *line, const runner *r)
{
    for (there_are = 0; there_are < 8; there_are++) {
        pass(line, r, ITEMS, 7);
        ok(ended == there_are && right == there_are, "%d items of %d", there_are, ITEMS);
    }
    there_are = ITEMS;
}

/* The program ends at item 9: those before it come to their ends, and only they. */
static void test_drain(pipeline *line, const runner *r)
{
    static int added = 100;
    pass(line, r, 9, 1);
    ended = right = 9 - SLOTS + 1; /* as if the last ones had not been waited for */
    pipeline_drain(line, 9, (pipeline_ends){&added, start, end});
    ok(ended == 9 && right == 9, "what is on its way comes to its end");
    ended = right = 0;
    pass(line, r, 2, 2);
    ended = right = 0;
    pipeline_drain(line, 2, (pipeline_ends){&added, start, end});
    ok(ended == 2 && right == 2, "of fewer items than slots all");
}

/* Both ways at once: none waits for the other, and both are done. */
static void test_both_ways(pipeline *line, const runner *r)
{
    int copies = 0, others = 0;
    n_ops = 0;
    pipeline_run(line, r, 6, ONLY_IN | ONLY_OUT, (pipeline_ends){NULL, start, NULL}, NULL);
    for (int i = 0; i < n_ops; i++) {
        copies += ops[i].what == COPY && ops[i].done;
        others += ops[i].what == KERNEL || ops[i].what == WAIT;
    }
    ok(copies == 12 && others == 0, "copies of both ways: %d, and nothing else", copies);
}

/* Copies of one way go round without the other's. */
static void test_one_way(pipeline *line, const runner *r)
{
    int copies = 0, others = 0;
    n_ops = 0;
    pipeline_run(line, r, 6, ONLY_IN, (pipeline_ends){NULL, start, NULL}, NULL);
    for (int i = 0; i < n_ops; i++) {
        copies += ops[i].what == COPY && ops[i].done;
        others += ops[i].what == KERNEL || ops[i].what == WAIT;
    }
    ok(copies == 6 && others == 0, "copies in alone: %d, and nothing else", copies);
}

int main(void)
{
    static const variant v = {.name = "adder", .kind = VARIANT_GPU, .run = run};
    static const buffer_spec table[] = {{"in", BUFFER_INPUT, BYTES}, {"out", BUFFER_OUTPUT, BYTES}};
    problem p = fixture_problem(table, COUNT(table));
    cudaStream_t stream;
    pipeline line;
    CUDA_CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    const runner r = {&v, &p, {.stream = stream}};
    pipeline_create(&line, SLOTS);
    for (int s = 0; s < SLOTS; s++) {
        pipeline_item *item = &line.slots[s].item;
        item->problem = p;
        for (int b = IN; b <= OUT; b++) {
            item->host[b] = on_host[s][b];
            item->binding.buffer[b] = on_device[s][b];
        }
    }
    for (int items = 1; items <= ITEMS; items += items < SLOTS + 1 ? 1 : 4)
        test_passes(&line, &r, items);
    waited = 0;
    pass(&line, &r, SLOTS, 3);
    ok(waited == SLOTS, "nobody waits for a slot that nobody had: %d waits", waited);
    test_fewer(&line, &r);
    test_drain(&line, &r);
    test_one_way(&line, &r);
    test_both_ways(&line, &r);
    pipeline_free(&line);
    problem_free(&p);
    CUDA_CHECK(cudaStreamDestroy(stream));
    return done_testing();
}
