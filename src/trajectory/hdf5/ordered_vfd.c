/* The library writes its metadata in the order of its cache. It may write an index before the piece that the index
 * refers to. If the program is killed in between, the file loses old frames as well as the new ones. So this driver
 * writes only two kinds of data immediately: raw data, and metadata after the end that the file had at the last flush.
 * No other piece refers to them yet. It keeps all other metadata in memory until a flush. It then writes them in an
 * order in which each piece refers only to pieces that are already in the file:
 *
 *     1. the superblock, which contains the length of the file
 *     2. pieces of an index (B-tree nodes), those nearest to the root first: after a split, a node keeps all its entries
 *        until its parent has an entry for the other half of the node
 *     3. all other pieces: object headers, which contain the size of a dataset
 *
 * If a file must survive a loss of power (output.sync), everything that was written immediately is on the disk before step
 * 1, and the data of each step is on the disk before the next step begins, because the disk may also reorder writes. This
 * code assumes that a disk writes a page completely or not at all.
 *
 * The first flush writes the superblock last, so before that the file is not an HDF5 file. If the program is killed
 * during a write, the write can end only at the end of a page. So no node or header crosses the end of a page.
 *
 * Large pieces of raw data start at the beginning of a page, where the kernel copies them fastest. writer.c commits frames.
 *
 * A file that is only read has no pieces. It is an error if the file is now shorter than when it was opened.
 */
#include "ordered_vfd.h"

#include "trajectory/atomic_file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#if H5_VERSION_GE(1, 13, 0)
#include <H5FDdevelop.h>
#endif

struct piece {
    haddr_t address;
    size_t size;
    unsigned char *bytes;
};

/* The library gets a pointer to `driver`, so this must be the first member. */
struct open_file {
    H5FD_t driver;
    struct h5_vfd_file *file;
    haddr_t end;          /* end of the allocated space */
    haddr_t flushed_end;  /* end of the file at the last flush */
    bool is_dirty;        /* data was written after the last fsync() */
    struct piece *pieces; /* metadata that the next flush will write */
    size_t count;
    uint64_t heap_data, heap_size, heap_free; /* members of the header of the local heap that was read last */
    haddr_t batch_begin; /* pieces that follow each other in the file are written by one call */
    size_t batch_size;
    unsigned char batch[HDF5_PAGE];
};

/* Bytes. */

static herr_t write_now(struct open_file *f, haddr_t address, size_t size, const void *bytes)
{
    const haddr_t end = address + size;
    for (const char *from = bytes; address < end;) {
        const ssize_t n = pwrite(f->file->descriptor, from, (size_t)(end - address), (off_t)address);
        if (n < 0 && errno != EINTR)
            return -1;
        from += n > 0 ? n : 0;
        address += n > 0 ? (haddr_t)n : 0;
    }
    regular_file_wrote(f->file->descriptor, end, size);
    return 0;
}

/* A batch that cannot be written is kept, and no later data is written before it. */
static herr_t write_batch(struct open_file *f)
{
    if (write_now(f, f->batch_begin, f->batch_size, f->batch) != 0)
        return -1;
    f->batch_size = 0;
    return 0;
}

/* Data reach the file in the order of these calls. */
static herr_t write_bytes(struct open_file *f, haddr_t address, size_t size, const void *bytes)
{
    const bool continues =
        address == f->batch_begin + f->batch_size && size <= sizeof f->batch - f->batch_size;
    if (!continues) {
        if (write_batch(f) != 0)
            return -1;
        f->batch_begin = address;
    }
    f->is_dirty = true;
    f->file->size = address + size > f->file->size ? address + size : f->file->size;
    if (size > sizeof f->batch)
        return write_now(f, address, size, bytes);
    memcpy(f->batch + f->batch_size, bytes, size);
    f->batch_size += size;
    return 0;
}

static herr_t set_length(struct open_file *f, haddr_t length)
{
    f->is_dirty = true;
    if (write_batch(f) != 0 || ftruncate(f->file->descriptor, (off_t)length) != 0)
        return -1;
    f->file->size = length;
    return 0;
}

static herr_t sync_bytes(struct open_file *f)
{
    if (write_batch(f) != 0)
        return -1;
    if (f->file->is_synced && f->is_dirty && !regular_file_sync(f->file->descriptor))
        return -1;
    f->is_dirty = false;
    return 0;
}

/* Pieces. */

/* The order in which a piece is written. Before the first flush, the superblock is the only piece. */
static int write_order(const struct piece *piece)
{
    enum { SUPERBLOCK, ROOT, OTHER = ROOT + 256 };
    static const char node[] = {'T', 'R', 'E', 'E'};
    enum { LEVEL = 5 }; /* offset of the byte that contains the height of a node above the leaves */
    if (piece->address == 0)
        return SUPERBLOCK;
    if (piece->size > LEVEL && memcmp(piece->bytes, node, sizeof node) == 0)
        return ROOT + 255 - piece->bytes[LEVEL];
    return OTHER;
}

static int compare_pieces(const void *a, const void *b)
{
    const struct piece *one = a;
    const struct piece *other = b;
    if (write_order(one) != write_order(other))
        return write_order(one) - write_order(other);
    return (one->address > other->address) - (one->address < other->address);
}

static herr_t write_pieces(struct open_file *f)
{
    herr_t result = 0;
    if (f->count > 0)
        qsort(f->pieces, f->count, sizeof *f->pieces, compare_pieces);
    if (f->file->size < f->end)
        result = set_length(f, f->end);
    for (size_t i = 0; i < f->count && result == 0; i++) {
        const struct piece *piece = &f->pieces[i];
        if (i == 0 || write_order(piece) != write_order(piece - 1))
            result = sync_bytes(f);
        if (result == 0)
            result = write_bytes(f, piece->address, piece->size, piece->bytes);
    }
    if (result == 0 && f->file->size > f->end)
        result = set_length(f, f->end);
    return result == 0 ? sync_bytes(f) : result;
}

static void drop_pieces(struct open_file *f)
{
    for (size_t i = 0; i < f->count; i++)
        free(f->pieces[i].bytes);
    f->count = 0;
}

/* Callbacks of the library. */

/* The name is not used, because the path may lead to another file by now. */
static H5FD_t *vfd_open(const char *name, unsigned flags, hid_t access, haddr_t max_address)
{
    (void)name;
    (void)flags;
    (void)max_address;
    struct h5_vfd_file *const *file = H5Pget_driver_info(access);
    struct open_file *f = file ? calloc(1, sizeof *f) : NULL;
    if (!f)
        return NULL;
    f->file = *file;
    return &f->driver;
}

static herr_t vfd_close(H5FD_t *driver)
{
    struct open_file *f = (struct open_file *)driver;
    herr_t result = 0;
    if (f->file->is_written) {
        const herr_t written = write_pieces(f);
        result = regular_file_check_close(f->file->descriptor) ? written : -1;
    }
    drop_pieces(f);
    free(f->pieces);
    free(f);
    return result;
}

static herr_t vfd_query(const H5FD_t *driver, unsigned long *flags)
{
    (void)driver;
    *flags = H5FD_FEAT_DEFAULT_VFD_COMPATIBLE;
    return 0;
}

static haddr_t vfd_alloc(H5FD_t *driver, H5FD_mem_t type, hid_t transfer, hsize_t size)
{
    (void)transfer;
    struct open_file *f = (struct open_file *)driver;
    const haddr_t room = HDF5_PAGE - f->end % HDF5_PAGE;
    const bool is_whole =
        (type == H5FD_MEM_BTREE || type == H5FD_MEM_OHDR) && size <= HDF5_PAGE && size > room;
    const bool is_large = type == H5FD_MEM_DRAW && size >= HDF5_LARGE;
    if (is_whole || (is_large && room < HDF5_PAGE))
        f->end += room;
    const haddr_t address = f->end;
    f->end += size;
    return address;
}

static haddr_t vfd_get_end(const H5FD_t *driver, H5FD_mem_t type)
{
    (void)type;
    return ((const struct open_file *)driver)->end;
}

static herr_t vfd_set_end(H5FD_t *driver, H5FD_mem_t type, haddr_t end)
{
    (void)type;
    ((struct open_file *)driver)->end = end;
    return 0;
}

static haddr_t vfd_get_size(const H5FD_t *driver, H5FD_mem_t type)
{
    (void)type;
    return ((const struct open_file *)driver)->file->size;
}

static uint64_t read_little_endian(const unsigned char *bytes)
{
    uint64_t number = 0;
    for (int i = 7; i >= 0; i--)
        number = number << 8 | bytes[i];
    return number;
}

/* A local heap contains the names in a group. Its header has the size, the first free block and the address of its data,
 * which is read next or together with the header. Each free block begins with the offset of the next one. libhdf5 1.10
 * follows them without a count and allocates memory for each, so a ring would take all memory. libhdf5_guard.c ends loops of
 * other addresses, which take only time. */
static bool check_heap(struct open_file *f, haddr_t address, size_t size, const unsigned char *bytes)
{
    enum { BLOCK = 16, NO_BLOCK = 1, HEADER = 32, HEAP_SIZE = 8, HEAP_FREE = 16, HEAP_DATA = 24 };
    if (size >= HEADER && memcmp(bytes, "HEAP", 4) == 0) {
        f->heap_size = read_little_endian(bytes + HEAP_SIZE);
        f->heap_free = read_little_endian(bytes + HEAP_FREE);
        f->heap_data = read_little_endian(bytes + HEAP_DATA);
    }
    const uint64_t begin = f->heap_data - address;
    if (f->heap_size < BLOCK || f->heap_size > size || begin > size - f->heap_size)
        return true;
    uint64_t next = f->heap_free, left = f->heap_size / BLOCK;
    while (next != NO_BLOCK && next <= f->heap_size - BLOCK) {
        if (left-- == 0)
            return false;
        next = read_little_endian(bytes + begin + next);
    }
    return true;
}

/* The library may read beyond the end of the file; it then gets zeros. */
static herr_t vfd_read(H5FD_t *driver, H5FD_mem_t type, hid_t transfer, haddr_t address, size_t size,
                       void *bytes)
{
    (void)transfer;
    struct open_file *f = (struct open_file *)driver;
    if (write_batch(f) != 0)
        return -1;
    char *to = bytes;
    const haddr_t left = address < f->file->size ? f->file->size - address : 0;
    const size_t there = left < size ? (size_t)left : size;
    memset(to + there, 0, size - there);
    for (size_t done = 0; done < there;) {
        const ssize_t n = pread(f->file->descriptor, to + done, there - done, (off_t)(address + done));
        if (n == 0 || (n < 0 && errno != EINTR)) {
            if (f->file->error == 0)
                f->file->error = n == 0 ? EIO : errno;
            return -1;
        }
        done += n > 0 ? (size_t)n : 0;
    }
    /* Where a piece has not been written yet, replace the bytes from the file by those of the piece. */
    for (size_t i = 0; i < f->count && type != H5FD_MEM_DRAW; i++) {
        const struct piece *piece = &f->pieces[i];
        const haddr_t begin = piece->address > address ? piece->address : address;
        const haddr_t piece_end = piece->address + piece->size;
        const haddr_t end = piece_end < address + size ? piece_end : address + size;
        if (begin < end)
            memcpy(to + (begin - address), piece->bytes + (begin - piece->address), (size_t)(end - begin));
    }
    return type != H5FD_MEM_LHEAP || f->file->is_written || check_heap(f, address, size, bytes) ? 0 : -1;
}

static herr_t vfd_write(H5FD_t *driver, H5FD_mem_t type, hid_t transfer, haddr_t address, size_t size,
                        const void *bytes)
{
    (void)transfer;
    struct open_file *f = (struct open_file *)driver;
    if (type == H5FD_MEM_DRAW || (address > 0 && address >= f->flushed_end))
        return write_bytes(f, address, size, bytes);
    for (size_t i = f->count; i-- > 0;) {
        if (f->pieces[i].address == address && f->pieces[i].size == size) {
            memcpy(f->pieces[i].bytes, bytes, size);
            return 0;
        }
    }
    struct piece *grown = realloc(f->pieces, (f->count + 1) * sizeof *grown);
    if (!grown)
        return -1;
    f->pieces = grown;
    unsigned char *copy = malloc(size);
    if (!copy)
        return -1;
    memcpy(copy, bytes, size);
    f->pieces[f->count++] = (struct piece){.address = address, .size = size, .bytes = copy};
    return 0;
}

static herr_t vfd_flush(H5FD_t *driver, hid_t transfer, hbool_t is_closing)
{
    (void)transfer;
    (void)is_closing;
    struct open_file *f = (struct open_file *)driver;
    if (write_pieces(f) != 0)
        return -1;
    drop_pieces(f);
    f->flushed_end = f->end;
    return 0;
}

herr_t h5_vfd_select(hid_t access, struct h5_vfd_file *file)
{
    static const H5FD_class_t class = {
#ifdef H5FD_CLASS_VERSION
        .version = H5FD_CLASS_VERSION,
        .value = 513, /* any number that the library has not reserved */
#endif
        .name = "boids",
        .maxaddr = INT64_MAX,
        .fc_degree = H5F_CLOSE_STRONG, /* closing a file also closes all open objects in it */
        .fapl_size = sizeof file,      /* copied by the library */
        .open = vfd_open,
        .close = vfd_close,
        .query = vfd_query,
        .alloc = vfd_alloc,
        .get_eoa = vfd_get_end,
        .set_eoa = vfd_set_end,
        .get_eof = vfd_get_size,
        .read = vfd_read,
        .write = vfd_write,
        .flush = vfd_flush, /* also sets the length of the file, so no `truncate` is needed */
        .fl_map = H5FD_FLMAP_DICHOTOMY,
    };
    static hid_t driver = -1;
    if (driver < 0)
        driver = H5FDregister(&class);
    return driver < 0 ? -1 : H5Pset_driver(access, driver, &file);
}
