/*
 * lens.cpp - what warps' accesses to memory cost on a GPU, line by line, counted on the CPU.
 *
 * Linked in place of racecheck.cpp. Kernels are compiled with -fsanitize=thread, which calls before
 * each access, and with -fsanitize-coverage=trace-pc, which calls at each basic block. Threads run
 * one after the other, so each lane of a warp first leaves a trace of both; when another warp
 * begins, or the block meets, the lanes' traces are laid side by side. What lanes do together is a
 * request: of sectors of 32 bytes in global and local memory, which then go through a model of L1
 * and L2, of words of 32 banks in shared memory. docs/lens.md tells the rules and their sources.
 *
 *   CUDA_CPU_LENS            file for the rows (lens.csv)
 *   CUDA_CPU_LENS_BLOCKS     blocks of a launch that run (16), fewer where they do much; 0: all.
 *                            Results are incomplete
 *   CUDA_CPU_LENS_MILLIONS   how much is much: so many millions of events (25), a second or so
 *   CUDA_CPU_LENS_CARD       the card: multiprocessors, KiB of L1 with shared memory, of L2 and of
 *                            shared memory, threads of a multiprocessor ("132 256 61440 228 2048")
 *   CUDA_CPU_LENS_REGISTERS, CUDA_CPU_LENS_LOCAL
 *                            registers of a thread (32) and its bytes of local memory,
 *                            where that is known
 */
#include "places.h"
#include <algorithm>
#include <array>
#include <cstdio>
#include <cstring>
#include <iterator>
#include <link.h>
#include <map>
#include <set>
#include <string>
#include <sys/mman.h>
#include <unistd.h>
#include <unordered_map>
#include <vector>

extern "C" __attribute__((weak)) const char __start_cuda_cpu_constant[], __stop_cuda_cpu_constant[];
/* Sizes and alignments of the program's structures (lens_source.awk). */
extern "C" __attribute__((weak)) const unsigned __start_cuda_cpu_types[][2],
    __stop_cuda_cpu_types[][2];

namespace cuda_cpu
{

static bool passes_l1;

void pass_l1(bool now)
{
    passes_l1 = now;
}

namespace
{

const unsigned SECTOR = 32, SECTORS_OF_LINE = 4, WORD = 4, BANKS = 32;
const size_t MOST_EVENTS = (size_t)1 << 19; /* of a lane between two meetings: 8 MiB */

enum action : uint8_t { BLOCK, LOAD, STORE, ATOMIC, BARRIER };
enum space : uint8_t { CODE, GLOBAL, SHARED, CONSTANT, LOCAL };
const char *const action_names[] = {"block", "load", "store", "atomic", "barrier"};
const char *const space_names[] = {"code", "global", "shared", "constant", "local"};

unsigned setting(const char *name, unsigned otherwise)
{
    const char *text = getenv(name);
    return text && *text ? (unsigned)strtoul(text, nullptr, 10) : otherwise;
}

/* A number that is there before the program's own objects, as LASTING makes only what has a class.
 */
template <class T>
struct setup_value {
    T value;
    operator T() const
    {
        return value;
    }
};

const setup_value<unsigned> sample LASTING = {setting("CUDA_CPU_LENS_BLOCKS", 16)};
const setup_value<uint64_t> enough_events LASTING = {setting("CUDA_CPU_LENS_MILLIONS", 25) *
                                                     1000000ull};
struct card_limits {
    unsigned multiprocessors, l1_kb, l2_kb, shared_kb, threads;
};

card_limits card_from_environment()
{
    card_limits c = {132, 256, 61440, 228, 2048};
    const char *text = getenv("CUDA_CPU_LENS_CARD");
    for (unsigned *limit : {&c.multiprocessors, &c.l1_kb, &c.l2_kb, &c.shared_kb, &c.threads}) {
        char *end = nullptr;
        const unsigned long value = text ? strtoul(text, &end, 10) : 0;
        if (end == text)
            break;
        *limit = (unsigned)value;
        text = end;
    }
    return c;
}

const card_limits card LASTING = card_from_environment();
const setup_value<unsigned> registers LASTING = {
    std::max(setting("CUDA_CPU_LENS_REGISTERS", 32), 1u)};
const unsigned NOT_KNOWN = ~0u;
const setup_value<unsigned> local_bytes LASTING = {setting("CUDA_CPU_LENS_LOCAL", NOT_KNOWN)};

/* ---- what is counted ------------------------------------------------------------------------ */

/* Sums over the requests of one place in the code, in one kind of memory. */
struct counts {
    uint64_t requests, lanes;
    uint64_t sectors, least; /* of 32 bytes; in shared and constant memory passes */
    uint64_t tags; /* lines of 128 bytes: L1 looks up four a clock (lab 0, tags); of shared atomics
                      the passes if lanes that add to one word are added up (ATOMS.POPC.INC) */
    uint64_t same_address; /* atomics: the most lanes on one address */
    uint64_t l2, fresh;    /* sectors; those that no block looked at has had from memory before */
    uint64_t filled;       /* those that no block looked at has stored to before */
    uint64_t lowest, highest; /* of local memory */
    bool varies;              /* from lane to lane, in local memory */
    bool in_registers;        /* a local array, as far as the blocks before tell */
    bool bypasses;            /* L1: asynchronous copies of 16 bytes */
    action does;
    unsigned piece;                  /* bytes that one instruction moves for a lane */
    int allocation;                  /* of the first fresh sector; -1: none */
    std::vector<uint64_t> addresses; /* of the first request with the most lanes */
    uint32_t active;                 /* the lanes of that */
};

/*
 * Blocks at a grid's edges do other work than those within, and are few: a launch has nine parts,
 * its corners, edges and what is within, which are counted apart and scaled apart.
 */
const unsigned PARTS = 9, WITHIN = 4;

unsigned part_of(unsigned at, unsigned side)
{
    return at == 0 && side > 2 ? 0 : at == side - 1 && side > 1 ? 2 : 1;
}

unsigned part_now; /* of the block under way */

uint64_t place_key(uint32_t code, space where)
{
    return (uint64_t)code << 8 | part_now << 4 | where;
}

space space_of_key(uint64_t key)
{
    return (space)(key & 0xf);
}

/* Kernels that differ in this are told apart. */
struct shape {
    std::string kernel;
    unsigned size[6];
    size_t shared;
    const void *code; /* a template's forms may have one name */
    auto operator<=>(const shape &) const = default;
};

struct kernel_counts {
    size_t number;
    std::string launched_at;
    uint64_t launches, blocks, looked_at, warps, divergent, lost;
    uint64_t blocks_of[PARTS], looked_at_of[PARTS]; /* each part of the grid */
    std::unordered_map<uint64_t, counts> places;    /* by place_key() */
    std::map<std::pair<std::string, int>, std::array<uint64_t, PARTS>> barriers;
    std::vector<bool> shared_words; /* those of static arrays that it uses */
};

std::map<shape, kernel_counts> kernels LASTING;
kernel_counts *kernel; /* the one under way */
uintptr_t image;       /* where the program begins */

uintptr_t shared_begin, shared_end, dynamic_begin, dynamic_end, device_begin, device_end;

struct allocation {
    uint64_t first, end; /* sectors from device_begin */
};
std::vector<allocation> allocations LASTING;

/* ---- caches --------------------------------------------------------------------------------- */

/* Sets of lines of 128 bytes, each with those of its sectors that are there. The least recently
 * used goes. */
class cache
{
  public:
    explicit cache(size_t bytes)
        : sets(std::max<size_t>(bytes / (WAYS * 128), 1)), ways(sets * WAYS)
    {
    }

    /* Tells whether the sector is there, and puts it there. */
    bool touch(uint64_t sector)
    {
        const uint64_t at = sector / SECTORS_OF_LINE + 1, line = at | emptied << 44;
        const uint8_t bit = (uint8_t)(1 << sector % SECTORS_OF_LINE);
        way *set = &ways[(at ^ at >> 7 ^ at >> 14 ^ at >> 21 ^ at >> 28) % sets * WAYS];
        way *found = std::find_if(set, set + WAYS, [&](const way &w) { return w.line == line; });
        way now = found < set + WAYS ? *found : way{line, 0};
        const bool hit = now.sectors & bit;
        now.sectors |= bit;
        std::copy_backward(set, std::min(found, set + WAYS - 1),
                           std::min(found, set + WAYS - 1) + 1);
        *set = now;
        return hit;
    }

    /* Lines of before are found no more, and go first. */
    void empty()
    {
        emptied++;
    }

  private:
    enum { WAYS = 16 };
    struct way {
        uint64_t line;
        uint8_t sectors;
    };
    size_t sets;
    uint64_t emptied = 0; /* so often; part of a line's number */
    std::vector<way> ways;
};

/* A warp's requests to L1, in turn, until the blocks that share a multiprocessor have all run. */
struct queued {
    counts *place;
    uint32_t sectors;
};
struct warp_queue {
    std::vector<queued> requests;
    std::vector<uint64_t> sectors;
    size_t next, next_sector;
    std::set<uint64_t> stored; /* sectors, since the last load */
};
std::vector<std::vector<warp_queue>> groups LASTING; /* of blocks that share an L1 */
size_t group_now, queue_now;                   /* the group of this block; its first warp's queue */
cache l2 LASTING(card.l2_kb * 1024ull);        /* of loads and stores */
cache l2_stored LASTING(card.l2_kb * 1024ull); /* of stores */

/* Numbers of sectors: of device memory from its beginning, of the threads' own behind it. */
const uint64_t LOCAL_SECTORS = (uint64_t)1 << 40;

int allocation_of(uint64_t sector)
{
    for (size_t i = 0; i < allocations.size(); i++)
        if (sector >= allocations[i].first && sector < allocations[i].end)
            return (int)i;
    return -1;
}

/*
 * Tells whether a GPU keeps a local array in registers: where the card's rows say that the kernel
 * has no local memory, or the compiler knows every index. nvcc unrolls more loops than g++, of
 * arrays of up to 128 numbers: an index that is the same in all lanes counts as known there or,
 * where the kernel has local memory, if it moves in few of the accesses.
 */
bool is_in_registers(const kernel_counts &k, const counts &c)
{
    if (local_bytes == 0)
        return true;
    const uint64_t most_bytes = 512;
    uint64_t moving = 0, all = 0, first = c.lowest, last = c.highest;
    for (const auto &[place, o] : k.places) {
        if (space_of_key(place) != LOCAL || c.highest < o.lowest || c.lowest > o.highest)
            continue;
        if (o.varies)
            return false;
        all += o.requests;
        moving += o.lowest < o.highest ? o.requests : 0;
        first = std::min(first, o.lowest);
        last = std::max(last, o.highest);
    }
    return 2 * moving < all || (local_bytes == NOT_KNOWN && last - first < most_bytes);
}

void serve_from_l2(counts &c, uint64_t sector)
{
    c.l2++;
    c.filled += c.does != LOAD && sector < LOCAL_SECTORS && !l2_stored.touch(sector);
    if (sector >= LOCAL_SECTORS || l2.touch(sector))
        return;
    c.fresh++;
    if (c.allocation < 0)
        c.allocation = allocation_of(sector);
}

/*
 * Serves a warp's next request. L1 keeps what was loaded, and what is local; it lets stores
 * through, but of a warp's stores without a load between them a sector once.
 */
void serve(cache &l1, warp_queue &q)
{
    const queued &r = q.requests[q.next++];
    const action does = r.place->does;
    if (r.place->in_registers) {
        q.next_sector += r.sectors;
        return;
    }
    if (does != STORE)
        q.stored.clear();
    for (unsigned i = 0; i < r.sectors; i++) {
        const uint64_t sector = q.sectors[q.next_sector++];
        const bool local = sector >= LOCAL_SECTORS;
        const bool cached = local || (does == LOAD && !r.place->bypasses);
        const bool hit = cached && l1.touch(sector);
        const bool merged = does == STORE && !local && !q.stored.insert(sector).second;
        if (!merged && !(does == LOAD && hit))
            serve_from_l2(*r.place, sector);
    }
}

/* Returns the bytes of L1 that shared memory leaves: it takes one of these sizes. */
size_t l1_bytes(size_t shared)
{
    size_t carved = card.l1_kb;
    for (unsigned kb : {228u, 196u, 164u, 132u, 100u, 64u, 32u, 16u, 8u, 0u})
        if (kb * 1024 >= shared && kb < carved)
            carved = kb;
    return (card.l1_kb - carved) * 1024ull;
}

size_t static_shared(const kernel_counts &k)
{
    return WORD * (size_t)std::ranges::count(k.shared_words, true);
}

/* Lets the warps of the blocks that share an L1 take turns. */
void serve_group(std::vector<warp_queue> &group, size_t blocks, size_t shared_bytes)
{
    cache l1(l1_bytes(blocks * (shared_bytes + static_shared(*kernel))));
    for (auto &[place, c] : kernel->places)
        c.in_registers = space_of_key(place) == LOCAL && is_in_registers(*kernel, c);
    for (bool any = true; any;) {
        any = false;
        for (warp_queue &q : group)
            if (q.next < q.requests.size()) {
                any = true;
                serve(l1, q);
            }
    }
    group.clear();
}

/* ---- one request ---------------------------------------------------------------------------- */

struct request {
    uint32_t code;
    action does;
    bool bypasses, structure;
    unsigned bytes, count;
    uint8_t lane[warpSize];
    uint64_t address[warpSize];
};

typedef std::vector<uint64_t> numbers;

numbers &sorted(numbers &list)
{
    if (!std::ranges::is_sorted(list))
        std::ranges::sort(list);
    return list;
}

unsigned distinct(numbers &list)
{
    list.erase(std::unique(list.begin(), list.end()), list.end());
    return (unsigned)list.size();
}

unsigned most_frequent(const numbers &list)
{
    unsigned most = 0, run = 0;
    for (size_t i = 0; i < list.size(); i++)
        most = std::max(most, run = i > 0 && list[i] == list[i - 1] ? run + 1 : 1);
    return most;
}

unsigned warp_in_traces;
uint64_t events; /* of the launch so far */

/*
 * Returns the sectors that L1 sends for an atomic operation on sorted addresses. Lanes that want
 * one address have it send a sector once more each (an H200's does); but if all want one, nvcc has
 * added them up before.
 */
numbers sectors_of_atomic(const numbers &addresses)
{
    const bool apart = addresses.front() != addresses.back();
    numbers sectors;
    uint64_t turn = 0;
    for (size_t i = 0; i < addresses.size(); i++) {
        turn = apart && i > 0 && addresses[i] == addresses[i - 1] ? turn + 1 : 0;
        sectors.push_back(addresses[i] / SECTOR * warpSize + turn);
    }
    distinct(sorted(sectors));
    for (uint64_t &s : sectors)
        s /= warpSize;
    return sectors;
}

/* Counts a request to global or local memory, whose sorted addresses become sectors. */
void sectors_of(counts &c, numbers &addresses, unsigned bytes)
{
    numbers of_atomic;
    if (c.does == ATOMIC) {
        c.same_address += most_frequent(addresses);
        of_atomic = sectors_of_atomic(addresses);
    }
    const unsigned wanted = distinct(addresses) * bytes;
    if (c.does == ATOMIC)
        addresses.swap(of_atomic);
    else {
        for (uint64_t &a : addresses)
            a /= SECTOR;
        distinct(addresses);
    }
    const unsigned sectors = (unsigned)addresses.size();
    c.sectors += sectors;
    c.least += (wanted + SECTOR - 1) / SECTOR;
    warp_queue &q = groups[group_now][queue_now + warp_in_traces];
    q.requests.push_back({&c, sectors});
    q.sectors.insert(q.sectors.end(), addresses.begin(), addresses.end());
    for (uint64_t &sector : addresses)
        sector /= SECTORS_OF_LINE;
    c.tags += distinct(addresses);
}

/* Returns how many of the words lie in the bank that has most. */
unsigned in_fullest_bank(const numbers &words)
{
    unsigned most = 0, in_bank[BANKS] = {};
    for (uint64_t w : words)
        most = std::max(most, ++in_bank[w % BANKS]);
    return most;
}

/*
 * Counts passes: shared memory serves a word of each bank in one; lanes that want the same word
 * share it, but for atomics. Accesses of 8 bytes go by half warps, of 16 bytes by quarters.
 */
void passes_of(counts &c, const request &r, unsigned bytes)
{
    const unsigned words = std::max(bytes / WORD, 1u), lanes_at_once = warpSize / words;
    unsigned parts = 0, queue = 0;
    for (unsigned i = 0; i < r.count; parts++) {
        const unsigned part = r.lane[i] / lanes_at_once;
        numbers wanted;
        for (; i < r.count && r.lane[i] / lanes_at_once == part; i++)
            for (unsigned w = 0; w < words; w++)
                wanted.push_back(r.address[i] / WORD + w);
        sorted(wanted);
        if (c.does == ATOMIC) {
            queue = std::max(queue, most_frequent(wanted));
            c.sectors += in_fullest_bank(wanted);
        }
        distinct(wanted);
        (c.does == ATOMIC ? c.tags : c.sectors) += in_fullest_bank(wanted);
        for (uint64_t w : wanted)
            if (w >= shared_begin / WORD && w < shared_end / WORD)
                kernel->shared_words[w - shared_begin / WORD] = true;
    }
    c.same_address += queue;
    c.least += parts;
}

/* Counts words: the constant cache serves one in a pass. */
void words_of(counts &c, numbers &addresses, unsigned bytes)
{
    for (uint64_t &a : addresses)
        a /= std::max(bytes, WORD);
    c.sectors += distinct(sorted(addresses));
    c.least++;
}

/* Counts local memory, where words of the same offset lie side by side for the lanes of a warp. */
void local_of(counts &c, const request &r, unsigned bytes)
{
    if (local_bytes == 0)
        return;
    numbers list;
    for (unsigned i = 0; i < r.count; i++) {
        c.lowest = c.lowest ? std::min(c.lowest, r.address[i]) : r.address[i];
        c.highest = std::max(c.highest, r.address[i]);
        c.varies |= r.address[i] != r.address[0];
        for (unsigned w = 0; w < std::max(bytes / WORD, 1u); w++)
            list.push_back((r.address[i] / WORD + w) * warpSize * WORD + r.lane[i] * WORD);
    }
    /* No other warp has it: this one's number stands above the offset. */
    const uint64_t own = (queue_now + warp_in_traces + 1ull) << 28;
    for (uint64_t &a : list)
        a = LOCAL_SECTORS * SECTOR + own * SECTOR + a % ((uint64_t)1 << 28);
    sectors_of(c, sorted(list), std::min(bytes, WORD));
}

void count_piece(const request &r, space where, unsigned piece)
{
    auto [found, is_new] = kernel->places.try_emplace(place_key(r.code, where));
    counts &c = found->second;
    if (is_new)
        c.allocation = -1;
    c.requests++;
    c.lanes += r.count;
    c.does = r.does;
    c.bypasses = r.bypasses;
    c.piece = piece;
    if (where == CODE)
        return;
    if (c.addresses.size() < r.count) {
        c.addresses.assign(r.address, r.address + r.count);
        c.active = 0;
        for (unsigned i = 0; i < r.count; i++)
            c.active |= 1u << r.lane[i];
    }
    if (where == SHARED)
        return passes_of(c, r, piece);
    if (where == LOCAL)
        return local_of(c, r, piece);
    numbers list(r.address, r.address + r.count);
    if (where == CONSTANT)
        return words_of(c, list, piece);
    for (uint64_t &a : list)
        a -= device_begin;
    sectors_of(c, sorted(list), piece);
}

/* ---- which memory ---------------------------------------------------------------------------- */

const uint64_t ON_STACK = (uint64_t)1
                          << 40; /* stands for an address on the stack, past all others */

/* Tells which memory; an array's initial values are in global memory, too. */
space space_of(uint64_t address)
{
    if (address - device_begin < device_end - device_begin)
        return GLOBAL;
    if (address < 2 * ON_STACK)
        return LOCAL;
    if (address - shared_begin < shared_end - shared_begin ||
        address - dynamic_begin < dynamic_end - dynamic_begin)
        return SHARED;
    if (address - (uintptr_t)__start_cuda_cpu_constant <
        (uintptr_t)__stop_cuda_cpu_constant - (uintptr_t)__start_cuda_cpu_constant)
        return CONSTANT;
    return GLOBAL;
}

/* Returns the least alignment of the program's structures of that size; 0: there are none. */
unsigned known_alignment(unsigned bytes)
{
    static const auto of_size = [] {
        std::unordered_map<unsigned, unsigned> all;
        for (const auto *t = __start_cuda_cpu_types; t < __stop_cuda_cpu_types; t++) {
            unsigned &least = all.try_emplace((*t)[0], (*t)[1]).first->second;
            least = std::min(least, (*t)[1]);
        }
        return all;
    }();
    const auto found = of_size.find(bytes);
    return found == of_size.end() ? 0 : found->second;
}

/*
 * Returns the bytes of one instruction: structures move by pieces as their alignment allows. Of an
 * unknown one of 8 or 16 bytes that is the half or less: most likely it is of numbers of 4 bytes.
 */
unsigned piece_of(const request &r)
{
    const unsigned odd = (unsigned)r.address[0] | r.bytes, by_address = std::min(odd & -odd, 16u);
    if (!r.structure)
        return r.bytes <= 16 && (r.bytes & (r.bytes - 1)) == 0 ? r.bytes : by_address;
    if (const unsigned known = known_alignment(r.bytes))
        return std::min(known, by_address);
    return r.bytes == 8 || r.bytes == 16 ? 4 : r.bytes == 4 || r.bytes == 2 ? 1 : by_address;
}

void count(request &r)
{
    if (r.does == BLOCK)
        return count_piece(r, CODE, 0);
    const unsigned piece = piece_of(r);
    for (unsigned done = 0; done < r.count;) { /* lanes may differ in the kind of memory */
        request part = {r.code, r.does, r.bypasses, r.structure, piece, 0, {}, {}};
        const space where = space_of(r.address[done]);
        for (; done < r.count && space_of(r.address[done]) == where; done++) {
            part.lane[part.count] = r.lane[done];
            part.address[part.count++] = r.address[done];
        }
        for (unsigned offset = 0; offset < r.bytes; offset += piece) {
            count_piece(part, where, piece);
            for (uint64_t &a : part.address)
                a += piece;
        }
    }
}

/* ---- traces ---------------------------------------------------------------------------------- */

struct event {
    uint64_t address;
    uint32_t code;
    uint16_t bytes;
    action does;
    bool bypasses : 1, structure : 1; /* 16 bytes in all */
    bool operator==(const event &e) const
    {
        return code == e.code;
    }
};

std::vector<event> traces[warpSize] LASTING;

void join(request &r, const event &e, unsigned lane)
{
    r.code = e.code;
    r.does = e.does;
    r.bytes = e.bytes;
    r.bypasses = e.bypasses;
    r.structure = e.structure;
    r.lane[r.count] = (uint8_t)lane;
    r.address[r.count++] = e.address;
}

void count_together(const std::vector<unsigned> &lanes)
{
    for (size_t i = 0; i < traces[lanes[0]].size(); i++) {
        request r = {};
        for (unsigned lane : lanes)
            join(r, traces[lane][i], lane);
        count(r);
    }
}

const uint32_t BEGINNING = ~0u - 1, END = ~0u; /* as codes of places */

/*
 * The places of a warp's traces, and where lanes meet again that part behind one: at the first
 * place that all ways from there to the end have in common, its immediate post-dominator, as nvcc
 * has them (Cooper, Harvey, Kennedy: "A simple, fast dominance algorithm", on the edges turned
 * round).
 */
class meeting_places
{
    std::unordered_map<uint32_t, int> number = {{BEGINNING, 0}, {END, 1}};
    std::vector<uint32_t> code_of = {BEGINNING, END};
    std::vector<std::vector<int>> before, behind;
    std::vector<int> meet, order; /* order: how late a place is reached from the end */

    int number_of(uint32_t code)
    {
        const int next = (int)before.size();
        const auto [found, is_new] = number.emplace(code, next);
        if (is_new) {
            code_of.push_back(code);
            before.emplace_back();
            behind.emplace_back();
        }
        return found->second;
    }

    void connect(int from, int to)
    {
        if (std::ranges::find(behind[from], to) != behind[from].end())
            return;
        behind[from].push_back(to);
        before[to].push_back(from);
    }

    /* Numbers the places in the order in which a walk from the end leaves them. */
    std::vector<int> walk()
    {
        std::vector<int> left;
        std::vector<std::pair<int, size_t>> path = {{1, 0}};
        std::vector<bool> seen(before.size());
        seen[1] = true;
        while (!path.empty()) {
            auto &[at, next] = path.back();
            if (next == before[at].size()) {
                order[at] = (int)left.size();
                left.push_back(at);
                path.pop_back();
            } else if (const int to = before[at][next++]; !seen[to]) {
                seen[to] = true;
                path.emplace_back(to, 0);
            }
        }
        return left;
    }

    int both(int a, int b) const
    {
        while (a != b)
            (order[a] < order[b] ? a : b) = meet[order[a] < order[b] ? a : b];
        return a;
    }

    /* Returns where the ways meet that go on behind a place, as far as it is known; -1: it is not.
     */
    int met_behind(int place) const
    {
        int at = -1;
        for (int to : behind[place])
            if (meet[to] >= 0)
                at = at < 0 ? to : both(at, to);
        return at;
    }

  public:
    explicit meeting_places(const std::vector<unsigned> &lanes) : before(2), behind(2)
    {
        for (unsigned lane : lanes) {
            int last = 0;
            for (const event &e : traces[lane]) {
                const int place = number_of(e.code);
                connect(last, place);
                last = place;
            }
            connect(last, 1);
        }
        meet.assign(before.size(), -1);
        order.assign(before.size(), 0);
        meet[1] = 1;
        const std::vector<int> left = walk();
        for (bool changed = true; changed;) {
            changed = false;
            for (size_t i = left.size() - 1; i-- > 0;) { /* the end itself is the last one */
                const int at = met_behind(left[i]);
                changed |= meet[left[i]] != at;
                meet[left[i]] = at;
            }
        }
    }

    /* Returns the code of the place where lanes meet again that part behind that one. */
    uint32_t behind_code(uint32_t code) const
    {
        return code_of[meet[number.at(code)]];
    }
};

/* Lets lanes that are at one place go on together until `stop`; those that part meet again. */
void count_until(const meeting_places &places, const std::vector<unsigned> &lanes,
                 size_t (&at)[warpSize], uint32_t last, uint32_t stop)
{
    for (;;) {
        request r = {};
        std::vector<unsigned> parted; /* from whom is first */
        for (unsigned lane : lanes) {
            if (at[lane] == traces[lane].size() || traces[lane][at[lane]].code == stop)
                continue;
            const event &e = traces[lane][at[lane]];
            if (r.count == 0 || e.code == r.code)
                join(r, e, lane);
            else
                parted.push_back(lane);
        }
        if (r.count == 0)
            return;
        if (parted.empty()) {
            for (unsigned i = 0; i < r.count; i++)
                at[r.lane[i]]++;
            count(r);
            last = r.code;
            continue;
        }
        std::map<uint32_t, std::vector<unsigned>> groups; /* by what is first in the code */
        for (unsigned i = 0; i < r.count; i++)
            groups[r.code].push_back(r.lane[i]);
        for (unsigned lane : parted)
            groups[traces[lane][at[lane]].code].push_back(lane);
        for (const auto &[code, group] : groups)
            count_until(places, group, at, last, places.behind_code(last));
    }
}

void count_apart(const std::vector<unsigned> &lanes)
{
    size_t at[warpSize] = {};
    count_until(meeting_places(lanes), lanes, at, BEGINNING, END);
}

/* Counts what the traces hold, and empties them. */
void finish_warp()
{
    std::vector<unsigned> lanes;
    for (unsigned lane = 0; lane < warpSize; lane++)
        if (!traces[lane].empty())
            lanes.push_back(lane);
    if (lanes.empty())
        return;
    kernel->warps++;
    for (unsigned lane : lanes)
        events += traces[lane].size();
    if (std::ranges::all_of(lanes, [&](unsigned l) { return traces[l] == traces[lanes[0]]; })) {
        count_together(lanes);
    } else {
        kernel->divergent++;
        count_apart(lanes);
    }
    for (std::vector<event> &t : traces)
        t.clear();
}

inline void note(void *program_counter, uint64_t address, size_t bytes, action does,
                 bool structure = false)
{
    const unsigned thread = current_thread();
    if (thread / warpSize != warp_in_traces) {
        finish_warp();
        warp_in_traces = thread / warpSize;
    }
    std::vector<event> &t = traces[thread % warpSize];
    if (t.size() < MOST_EVENTS)
        t.push_back({address, (uint32_t)((uintptr_t)program_counter - image - 1), (uint16_t)bytes,
                     does, passes_l1, structure});
    else
        kernel->lost++;
}

inline void on_access(void *pointer, size_t bytes, bool, bool writes, bool atomic,
                      void *program_counter, bool structure = false)
{
    uint64_t address = (uintptr_t)pointer;
    for (const void *variable :
         {(void *)&threadIdx, (void *)&blockIdx, (void *)&blockDim, (void *)&gridDim})
        if (address - (uintptr_t)variable < sizeof(dim3))
            return;
    if (!in_kernel() || bytes == 0 ||
        (address - shared_begin < shared_end - shared_begin &&
         is_initialisation_guard(address - shared_begin)))
        return;
    if (!shared_with_others(address)) /* the kernel's frame: where a variable is the same in all */
        address = ON_STACK + address - (uintptr_t)__builtin_frame_address(0);
    note(program_counter, address, bytes, atomic ? ATOMIC : writes ? STORE : LOAD, structure);
}

/* ---- what the engine tells ------------------------------------------------------------------- */

/* The blocks that run, in their order, and of each the group that shares an L1. */
struct chosen_block {
    uint64_t position;
    size_t group;
    auto operator<=>(const chosen_block &) const = default;
};
std::vector<chosen_block> chosen LASTING;
size_t groups_at_edges; /* the first so many */
bool all_blocks, thinned;
size_t warps_of_block, shared_of_block;
uint64_t position; /* of the next block */

/* Finds the shared arrays: the host thread that launches has its own copy of them. */
int find_shared(dl_phdr_info *info, size_t, void *)
{
    for (int i = 0; i < info->dlpi_phnum; i++)
        if (info->dlpi_phdr[i].p_type == PT_TLS) {
            shared_begin = (uintptr_t)info->dlpi_tls_data;
            shared_end = shared_begin + info->dlpi_phdr[i].p_memsz;
        }
    return 1;
}

uint64_t mix(uint64_t a)
{
    a = (a ^ a >> 33) * 0xff51afd7ed558ccdull;
    return a ^ a >> 32;
}

/* Returns how many blocks a multiprocessor holds, as far as that is known before they run. */
unsigned resident(unsigned threads, size_t shared_bytes)
{
    const unsigned most = 32, reserved = 1024; /* blocks; bytes of shared memory of each */
    const unsigned room = std::min(card.threads / threads, REGISTERS / (registers * threads));
    const size_t shared = card.shared_kb * 1024 / (shared_bytes + reserved);
    return std::max<unsigned>(std::min<size_t>({room, shared, most}), 1);
}

/* Chooses a block of each corner and edge of the grid, up to half of the sample, each alone. */
void choose_edges(const dim3 &grid, std::map<uint64_t, size_t> &taken)
{
    for (unsigned part = 0; part < PARTS && taken.size() < sample / 2; part++) {
        const unsigned sides[] = {grid.x, grid.y}, wanted[] = {part % 3, part / 3};
        uint64_t at[2];
        for (int i = 0; i < 2; i++)
            at[i] = wanted[i] == 0 ? 0 : wanted[i] == 2 ? sides[i] - 1 : mix(part + 7) % sides[i];
        if (part != WITHIN && part_of((unsigned)at[0], grid.x) == wanted[0] &&
            part_of((unsigned)at[1], grid.y) == wanted[1])
            taken.emplace(at[0] + at[1] * grid.x, taken.size());
    }
}

/*
 * Chooses groups of blocks that share a multiprocessor: each begins at a place drawn from a part of
 * the grid of its own, lest all be in the same column, and goes on as many blocks further as there
 * are multiprocessors, since a card deals its first blocks out one to each. Where not all run at a
 * time, the later ones go to whoever has room first: each is drawn from its round.
 */
void choose_blocks(const dim3 &grid, uint64_t at_a_time)
{
    const uint64_t blocks = (uint64_t)grid.x * grid.y * grid.z;
    chosen.clear();
    groups.assign(1, {});
    position = events = 0;
    thinned = false;
    all_blocks = sample == 0 || sample >= blocks;
    if (all_blocks)
        return;
    const uint64_t waves = (blocks + card.multiprocessors - 1) / card.multiprocessors;
    const uint64_t drawn_from = waves > at_a_time ? card.multiprocessors : 1;
    at_a_time = std::min({at_a_time, waves, (uint64_t)sample});
    std::map<uint64_t, size_t> taken;
    choose_edges(grid, taken);
    const uint64_t edges = groups_at_edges = taken.size(), rest = sample - edges;
    const uint64_t count = edges + (rest + at_a_time - 1) / at_a_time,
                   part = blocks / (count - edges);
    for (uint64_t g = edges; g < count; g++) {
        const uint64_t start = (g - edges) * part + mix(g + 1) % part;
        for (uint64_t k = 0; k < at_a_time && taken.size() < sample; k++) {
            uint64_t at = start + k * card.multiprocessors + (k ? mix(31 * g + k) % drawn_from : 0);
            while (!taken.emplace(at % blocks, g).second)
                at++;
        }
    }
    for (const auto &[at, group] : taken)
        chosen.push_back({at, group});
    groups.assign(count, {});
}

/*
 * Leaves out blocks where the first took so long that all would take too long. What is kept is
 * taken in turn of those within the grid, which most of a launch are like, and of those at its
 * edges.
 */
void thin_out()
{
    const uint64_t every = (chosen.size() * events + enough_events - 1) / enough_events;
    if (every <= 1)
        return;
    const auto to_come = std::ranges::lower_bound(chosen, chosen_block{position, 0});
    std::vector<chosen_block> within, edges, kept(chosen.begin(), to_come);
    std::partition_copy(to_come, chosen.end(), std::back_inserter(edges),
                        std::back_inserter(within),
                        [](const chosen_block &b) { return b.group < groups_at_edges; });
    std::ranges::stable_sort(within, {}, &chosen_block::group); /* these share an L1 */
    const size_t most = kept.size() + std::max<size_t>(chosen.size() / every, 1);
    for (size_t i = 0; i < std::max(within.size(), edges.size()); i++)
        for (const std::vector<chosen_block> *of : {&within, &edges})
            if (i < of->size() && kept.size() < most)
                kept.push_back((*of)[i]);
    std::ranges::sort(kept);
    chosen = kept;
}

/* Serves what the blocks of the launch before have left. */
void finish_launch()
{
    if (!kernel)
        return;
    finish_warp();
    for (std::vector<warp_queue> &group : groups)
        serve_group(group, std::max<size_t>(group.size() / std::max<size_t>(warps_of_block, 1), 1),
                    shared_of_block);
}

void on_launch(const kernel_launch &l)
{
    finish_launch();
    dl_iterate_phdr(find_shared, nullptr);
    l2.empty();
    l2_stored.empty();
    shape s = {kernel_name(l),
               {l.grid.x, l.grid.y, l.grid.z, l.block.x, l.block.y, l.block.z},
               l.shared_bytes,
               l.kernel ? l.kernel : (const void *)l.run_thread};
    auto [found, is_new] = kernels.try_emplace(s);
    kernel = &found->second;
    kernel->launches++;
    kernel->shared_words.resize((shared_end - shared_begin) / WORD + 1);
    if (is_new) {
        kernel->number = kernels.size();
        kernel->launched_at = std::string(l.file) + ":" + std::to_string(l.line);
    }
    warps_of_block = (l.block.x * l.block.y * l.block.z + warpSize - 1) / warpSize;
    shared_of_block = l.shared_bytes;
    choose_blocks(l.grid, resident(l.block.x * l.block.y * l.block.z, l.shared_bytes));
}

/* Tells whether the block is one of those that run; of all blocks each has an L1 of its own. */
bool on_block(const void *shared, size_t bytes)
{
    finish_warp();
    dynamic_begin = (uintptr_t)shared;
    dynamic_end = dynamic_begin + bytes;
    kernel->blocks++;
    part_now = part_of(blockIdx.x, gridDim.x) + 3 * part_of(blockIdx.y, gridDim.y);
    kernel->blocks_of[part_now]++;
    if (all_blocks) {
        finish_launch();
        group_now = 0;
    } else {
        if (events > 0 && !thinned)
            thin_out();
        thinned = events > 0;
        const auto next = std::ranges::lower_bound(chosen, chosen_block{position++, 0});
        if (next == chosen.end() || next->position != position - 1)
            return false;
        group_now = next->group;
    }
    kernel->looked_at++;
    kernel->looked_at_of[part_now]++;
    queue_now = groups[group_now].size();
    groups[group_now].resize(queue_now + warps_of_block);
    return true;
}

void on_barrier(const char *file, int line)
{
    finish_warp();
    kernel->barriers[{file, line}][part_now]++;
}

void on_atomic(void *address, size_t size, atomic_kind, void *program_counter)
{
    on_access(address, size, true, true, true, program_counter);
}

void *allocate(size_t size)
{
    static uintptr_t next = device_begin;
    const size_t page = 4096;
    const uintptr_t memory = next;
    next += (size + page - 1) / page * page;
    if (next > device_end)
        return nullptr;
    allocations.push_back(
        {(memory - device_begin) / SECTOR, (memory - device_begin + size + SECTOR - 1) / SECTOR});
    return (void *)memory;
}

void release(void *address, size_t size)
{
    madvise(address, size, MADV_DONTNEED);
}

const race_checker this_checker = {
    on_launch,       [] {},   on_block,  on_barrier,
    [](unsigned) {}, [] {},   on_atomic, [](const void *, size_t) {},
    allocate,        release, 1,         card.multiprocessors,
    resident,
};

/* ---- the rows -------------------------------------------------------------------------------- */

const char IN_HEADERS[] = "?"; /* before the line of a place in this folder's headers */

/* Finds FILE:LINE of places: of the innermost call that is not in this folder's headers. */
std::map<uint32_t, std::string> find_lines(const std::vector<uint32_t> &codes)
{
    std::map<uint32_t, std::string> lines;
    char folder[4096] = "";
    const std::string here = std::string(getcwd(folder, sizeof folder) ? folder : "") + "/";
    const size_t at_once = 4000; /* of a command line */
    for (size_t i = 0; i < codes.size(); i += at_once) {
        std::string command = "addr2line -ai -e /proc/" + std::to_string(getpid()) + "/exe";
        char text[4096];
        for (size_t j = i; j < std::min(codes.size(), i + at_once); j++) {
            snprintf(text, sizeof text, " 0x%x", codes[j]);
            command += text;
        }
        FILE *pipe = popen((command + " 2>/dev/null").c_str(), "r");
        std::string *line = nullptr;
        while (pipe && fgets(text, sizeof text, pipe)) {
            text[strcspn(text, "\n")] = '\0';
            if (char *behind = strstr(text, " (discriminator"))
                *behind = '\0';
            const char *name = text + (strncmp(text, here.c_str(), here.size()) ? 0 : here.size());
            if (strncmp(text, "0x", 2) == 0)
                line = &lines[(uint32_t)strtoul(text, nullptr, 16)];
            else if (line && (line->empty() || *line == IN_HEADERS) &&
                     !strstr(text, "cuda_on_cpu/") && *text != '?')
                *line += name;
            else if (line && line->empty() && *text != '?')
                *line = IN_HEADERS;
        }
        if (pipe)
            pclose(pipe);
    }
    return lines;
}

/* Identifies a row; copies of an access that the compiler unrolled have the same distances. */
struct row_key {
    std::string line;
    space where;
    action does;
    unsigned piece;
    std::vector<int64_t> distances;
    auto operator<=>(const row_key &) const = default;
};

/* Sums of a row: of places, for the launch as a whole. */
struct row_counts {
    double requests, lanes, sectors, least, tags, same_address, l2, dram, filled;
    std::vector<uint64_t> addresses;
    uint32_t active;
};

/* Returns by how much to multiply what was counted in a part of the grid. A part of which no block
 * ran is taken to be like all others. */
double scale_of(const kernel_counts &k, unsigned part)
{
    double seen = 0;
    for (unsigned i = 0; i < PARTS; i++)
        seen += k.looked_at_of[i] ? (double)k.blocks_of[i] : 0;
    return k.looked_at_of[part]
               ? (double)k.blocks_of[part] / (double)k.looked_at_of[part] * (double)k.blocks / seen
               : 0;
}

double scale_of_key(const kernel_counts &k, uint64_t key)
{
    return scale_of(k, key >> 4 & 0xf);
}

/* Returns by how much to multiply the sectors that are new to the card, by allocation, of loads and
 * of others: there are no more than the allocation holds. */
std::map<std::pair<int, bool>, double> limits_of(const kernel_counts &k)
{
    std::map<std::pair<int, bool>, double> limits;
    for (const auto &[place, c] : k.places)
        if (c.allocation >= 0)
            limits[{c.allocation, c.does == LOAD}] += (double)c.fresh * scale_of_key(k, place);
    for (auto &[of, sectors] : limits) {
        const allocation &a = allocations[(size_t)of.first];
        sectors = std::min(1.0, (double)((a.end - a.first) * k.launches) / std::max(sectors, 1.0));
    }
    return limits;
}

std::map<row_key, row_counts> rows_of(const kernel_counts &k,
                                      std::map<uint32_t, std::string> &lines)
{
    std::map<row_key, row_counts> rows;
    std::map<std::pair<int, bool>, double> limits = limits_of(k);
    std::map<uint32_t, double> lanes_of_block; /* a line may be several blocks of code */
    for (const auto &[place, c] : k.places) {
        const space where = space_of_key(place);
        const double scale = scale_of_key(k, place);
        std::string line = lines[(uint32_t)(place >> 8)];
        const bool in_headers = line.starts_with(IN_HEADERS); /* what shuffles take, for instance */
        if (where == LOCAL && (in_headers || is_in_registers(k, c)))
            continue;
        row_key key = {line.erase(0, in_headers), where, c.does, c.piece, {}};
        for (uint64_t a : c.addresses)
            key.distances.push_back((int64_t)(a - c.addresses[0]));
        auto [found, is_new] = rows.try_emplace(key);
        row_counts &r = found->second;
        if (is_new || c.addresses < r.addresses) {
            r.addresses = c.addresses;
            r.active = c.active;
        }
        const uint64_t from[] = {c.requests, c.lanes,        c.sectors, c.least,
                                 c.tags,     c.same_address, c.l2,      c.filled};
        double *const to[] = {&r.requests, &r.lanes,        &r.sectors, &r.least,
                              &r.tags,     &r.same_address, &r.l2,      &r.filled};
        for (int i = 0; i < 8; i++)
            *to[i] += scale * (double)from[i];
        if (where == CODE)
            r.same_address = std::max(r.same_address, lanes_of_block[(uint32_t)(place >> 8)] +=
                                                      scale * (double)c.lanes);
        r.dram +=
            c.allocation < 0 ? 0 : scale * (double)c.fresh * limits[{c.allocation, c.does == LOAD}];
    }
    for (const auto &[place, numbers] : k.barriers)
        for (unsigned part = 0; part < PARTS; part++)
            rows[{place.first + ":" + std::to_string(place.second), CODE, BARRIER, 0, {}}]
                .requests += scale_of(k, part) * (double)numbers[part];
    return rows;
}

void write_row(FILE *csv, const std::string &start, const row_key &key, const row_counts &r)
{
    const size_t colon = key.line.rfind(':');
    fprintf(csv, "%s,%s,%s,%s,%s,%u", start.c_str(), key.line.substr(0, colon).c_str(),
            colon == std::string::npos ? "" : key.line.substr(colon + 1).c_str(),
            space_names[key.where], action_names[key.does], key.piece);
    for (double value :
         {r.requests, r.lanes, r.sectors, r.least, r.tags, r.same_address, r.l2, r.dram, r.filled})
        fprintf(csv, ",%.0f", value);
    fprintf(csv, ",%u,", r.active);
    uint64_t base = r.addresses.empty() ? 0 : *std::ranges::min_element(r.addresses);
    for (size_t i = 0; i < r.addresses.size(); i++)
        fprintf(csv, "%s%lu", i ? " " : "", r.addresses[i] - base / 128 * 128);
    fprintf(csv, "\r\n");
}

void write_table()
{
    const char *path = getenv("CUDA_CPU_LENS");
    FILE *csv = fopen(path && *path ? path : "lens.csv", "w");
    if (!csv) {
        perror("LENS: the file of its rows");
        _exit(2);
    }
    std::vector<uint32_t> codes;
    std::vector<const std::pair<const shape, kernel_counts> *> order(kernels.size());
    for (const auto &k : kernels) {
        order[k.second.number - 1] = &k;
        for (const auto &[place, c] : k.second.places)
            codes.push_back((uint32_t)(place >> 8));
    }
    std::map<uint32_t, std::string> lines = find_lines(codes);
    fprintf(csv,
            "kernel,launched_at,grid,block,launches,blocks,sampled,warps,divergent,lost,"
            "shared_bytes,file,line,space,access,bytes_each,requests,lanes,sectors,"
            "least_sectors,tags,same_address,l2_sectors,dram_sectors,filled_sectors,active_lanes,"
            "addresses\r\n");
    for (const auto *pointer : order) {
        const auto &[s, k] = *pointer;
        std::string start = "\"";
        start += s.kernel + "\"," + k.launched_at;
        char text[256];
        snprintf(text, sizeof text, ",%ux%ux%u,%ux%ux%u,%lu,%lu,%lu,%lu,%lu,%lu,%zu", s.size[0],
                 s.size[1], s.size[2], s.size[3], s.size[4], s.size[5], k.launches, k.blocks,
                 k.looked_at, k.warps, k.divergent, k.lost, s.shared + static_shared(k));
        start += text;
        for (const auto &[key, row] : rows_of(k, lines))
            write_row(csv, start, key, row);
    }
    if (fclose(csv) != 0)
        perror("LENS: the file of its rows");
}

struct setup {
    setup()
    {
        const size_t addresses = (size_t)1 << 40;
        void *memory = mmap(nullptr, addresses, PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (memory == MAP_FAILED) {
            perror("LENS: address space for the GPU's memory");
            _exit(2);
        }
        device_begin = (uintptr_t)memory;
        device_end = device_begin + addresses;
        image = _r_debug.r_map->l_addr;
        checker = &this_checker;
    }

    ~setup()
    {
        finish_launch();
        if (!kernels.empty())
            write_table();
    }
} setup_and_table LASTING;

} /* namespace */

} /* namespace cuda_cpu */

#include "tsan.h"

namespace cuda_cpu
{

extern "C" {

void __sanitizer_cov_trace_pc()
{
    if (in_kernel())
        note(CALLER, 0, 0, BLOCK);
}

void __tsan_func_exit()
{
}

} /* extern "C" */

} /* namespace cuda_cpu */
