/* Finds loops in the metadata of an HDF5 file that is read. libhdf5 follows some addresses in a file without a count,
 * so a loop would take all processor time, all memory or all of the stack. */
#ifndef HDF5_LOOP_CHECK_H
#define HDF5_LOOP_CHECK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** The number of chunks for which a node of a B-tree has room in a file of boids. Older files have the library's default, 64. */
enum { HDF5_NODE_CHUNKS = 16 };

/** What is known about a file. All zeros at first; free it with h5_loops_free(). */
struct h5_loops {
    struct h5_node *nodes;                    /**< hash table of the nodes of all B-trees */
    size_t count, room;                       /**< number of nodes; size of the table, a power of two */
    uint64_t heap_data, heap_size, heap_free; /**< the local heap that was read last */
};

/** Check a piece of metadata as it is read from `address`. The memory grows with the number of B-tree nodes that have been
 * read, about 100 bytes for each.
 *
 * @return false if it closes a loop, or if memory runs out (errno is ENOMEM).
 */
bool h5_loops_check(struct h5_loops *loops, uint64_t address, size_t size, const unsigned char *bytes);

void h5_loops_free(struct h5_loops *loops);

#endif
