/* libhdf5 1.10 follows some addresses in a file and does not check where they lead. So two structures of a file can contain loops:
 *
 * - The free list of a local heap, which contains the names in a group. A list without a loop has at most one block for
 *   each 16 bytes of the heap.
 * - The nodes of a B-tree. Each node has a right sibling; a node above the leaves has children:
 *
 *           root                  level 1
 *          /    \
 *      leaf -> leaf -> none       level 0
 *
 *   The nodes of a chain of siblings form a set (union-find). If a node and its right sibling are already in the same set,
 *   the link between them closes a loop, and the file is refused. A node may have one parent, so the library visits it once,
 *   and its level must be one lower than that of the parent. So children form no loop, and the depth of the recursion is at most 256.
 *
 * A node is checked when it is read for the first time. When it is read again, the result is the same. */
#include "loop_check.h"

#include <stdlib.h>
#include <string.h>

enum { NO_LEVEL = -1 };

enum { HEADER = 24, ADDRESS = 8 };

struct h5_node {
    uint64_t address;
    /* Another node of the same chain of siblings; the node itself if it represents the chain. */
    uint64_t above;
    int level; /* height above the leaves, as the node or its parent gives it; NO_LEVEL: unknown */
    bool is_used, is_read, is_good, has_parent;
};

static const uint64_t undefined = UINT64_MAX;

static uint64_t number_at(const unsigned char *bytes)
{
    uint64_t number = 0;
    for (int i = 7; i >= 0; i--)
        number = number << 8 | bytes[i];
    return number;
}

/* Nodes. */

/* The entry of an address, or the free entry in which it would be stored. */
static struct h5_node *find_entry(const struct h5_loops *loops, uint64_t address)
{
    size_t i = (size_t)(address * 0x9e3779b97f4a7c15U >> 32) & (loops->room - 1);
    while (loops->nodes[i].is_used && loops->nodes[i].address != address)
        i = (i + 1) & (loops->room - 1);
    return &loops->nodes[i];
}

/* Make room for more nodes. The table is at most half full. */
static bool reserve(struct h5_loops *loops, size_t more)
{
    struct h5_loops larger = *loops;
    while ((loops->count + more) * 2 > larger.room)
        larger.room = larger.room == 0 ? 1 << 8 : larger.room * 2;
    if (larger.room == loops->room)
        return true;
    larger.nodes = calloc(larger.room, sizeof *larger.nodes);
    if (!larger.nodes)
        return false;
    for (size_t i = 0; i < loops->room; i++)
        if (loops->nodes[i].is_used)
            *find_entry(&larger, loops->nodes[i].address) = loops->nodes[i];
    free(loops->nodes);
    *loops = larger;
    return true;
}

/* Requires reserve(). */
static struct h5_node *find_node(struct h5_loops *loops, uint64_t address)
{
    struct h5_node *node = find_entry(loops, address);
    if (!node->is_used) {
        loops->count++;
        *node = (struct h5_node){.address = address, .above = address, .level = NO_LEVEL, .is_used = true};
    }
    return node;
}

/* The node that represents the chain to which a node belongs. */
static struct h5_node *find_chain(struct h5_loops *loops, uint64_t address)
{
    struct h5_node *node = find_node(loops, address);
    while (node->above != node->address) {
        struct h5_node *next = find_node(loops, node->above);
        node->above = next->above;
        node = next;
    }
    return node;
}

/* Join the chains of two siblings; false if they are in one chain already. */
static bool join(struct h5_loops *loops, uint64_t left, uint64_t right)
{
    struct h5_node *first = find_chain(loops, left), *second = find_chain(loops, right);
    second->above = first->address;
    return first != second;
}

/* Set the level of a node. Returns false if the node has another level already. */
static bool set_level(struct h5_node *node, int level)
{
    const bool is_same = node->level == NO_LEVEL || node->level == level;
    node->level = level;
    return is_same;
}

/* A node consists of a header of 24 bytes, then keys and addresses of children in turns: key, child, key, ..., key. It has
 * a fixed size, with room for all children. The key of a chunk has 8 bytes, plus 8 for each dimension, plus 8 for the size
 * of a number. Returns the distance between two children, or 0 if it is unknown. */
static size_t child_stride(size_t size, bool has_chunks)
{
    enum { DEFAULT_CHUNKS = 64, NAME_KEY = 8, CHUNK_KEY = 8, MAX_RANK = 3 };
    if (!has_chunks)
        return NAME_KEY + ADDRESS;
    for (size_t rank = 1; rank <= MAX_RANK; rank++) {
        const size_t key = CHUNK_KEY + ADDRESS * (rank + 1), fixed = HEADER + key, stride = key + ADDRESS;
        if (size == fixed + HDF5_NODE_CHUNKS * stride || size == fixed + DEFAULT_CHUNKS * stride)
            return stride;
    }
    return 0;
}

/* Join a node with its right sibling, and record that its children have a parent. */
static bool check_node(struct h5_loops *loops, uint64_t address, size_t size, const unsigned char *bytes)
{
    enum { TYPE = 4, LEVEL = 5, COUNT = 6, RIGHT = 16 };
    const int level = bytes[LEVEL];
    const size_t count = level > 0 ? bytes[COUNT] | (size_t)bytes[COUNT + 1] << 8 : 0;
    const size_t stride = child_stride(size, bytes[TYPE] == 1);
    const uint64_t right = number_at(bytes + RIGHT);
    if (!reserve(loops, count + 2))
        return false;
    struct h5_node *node = find_node(loops, address);
    if (node->is_read)
        return node->is_good;
    node->is_read = true;
    if (!set_level(node, level) || (right != undefined && !join(loops, address, right)))
        return false;
    for (size_t i = 0; i < count; i++) {
        const size_t offset = HEADER + (i + 1) * stride - ADDRESS;
        if (stride == 0 || offset + ADDRESS > size)
            return false;
        struct h5_node *child = find_node(loops, number_at(bytes + offset));
        if (child->has_parent || !set_level(child, level - 1))
            return false;
        child->has_parent = true;
    }
    node->is_good = true;
    return true;
}

/* Local heaps. */

/* The header of a heap contains the size, the first free block and the address of its data. The data is read next, or
 * together with the header. Each free block begins with the offset of the next one. */
static bool check_heap(struct h5_loops *loops, uint64_t address, size_t size, const unsigned char *bytes)
{
    enum { BLOCK = 16, NO_BLOCK = 1 };
    const uint64_t begin = loops->heap_data - address;
    if (loops->heap_size < BLOCK || loops->heap_size > size || begin > size - loops->heap_size)
        return true;
    uint64_t left = loops->heap_size / BLOCK, next = loops->heap_free;
    while (next != NO_BLOCK && next <= loops->heap_size - BLOCK) {
        if (left-- == 0)
            return false;
        next = number_at(bytes + begin + next);
    }
    return true;
}

bool h5_loops_check(struct h5_loops *loops, uint64_t address, size_t size, const unsigned char *bytes)
{
    enum { HEAP_SIZE = 8, HEAP_FREE = 16, HEAP_DATA = 24, HEAP_HEADER = 32 };
    if (size >= HEADER && memcmp(bytes, "TREE", 4) == 0)
        return check_node(loops, address, size, bytes);
    if (size >= HEAP_HEADER && memcmp(bytes, "HEAP", 4) == 0) {
        loops->heap_size = number_at(bytes + HEAP_SIZE);
        loops->heap_free = number_at(bytes + HEAP_FREE);
        loops->heap_data = number_at(bytes + HEAP_DATA);
    }
    return check_heap(loops, address, size, bytes);
}

void h5_loops_free(struct h5_loops *loops)
{
    free(loops->nodes);
    *loops = (struct h5_loops){0};
}
