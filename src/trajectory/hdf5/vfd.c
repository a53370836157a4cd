/* The library writes its tables in the order of its cache: an index may point to a piece that is written a moment later. If the
 * program is killed in between, the file loses old frames together with the new ones. The ordered driver keeps all tables (all
 * that is not raw data) in memory until a flush, and then writes them in an order in which each piece only points to pieces that
 * are in the file:
 *
 *     1. pieces behind the end of the file at the last flush: nothing points to them yet
 *     2. the superblock, which holds the length of the file
 *     3. older pieces of an index (B-tree nodes), those nearest the root first: a node that was split keeps all its
 *        entries until its parent knows the other half
 *     4. the rest: object headers, which hold the size of a dataset
 *
 * If a file must survive a loss of power (output.sync), frames are on the disk before any of this, and each of these steps
 * before the next, because the disk may reorder writes, too. A disk is assumed to write a page whole or not at all.
 *
 * The first flush writes the superblock last: until then the file is no HDF5 file. A kill can cut a write short only at the
 * edge of a page, so no node or header crosses one.
 *
 * Raw data goes to the file immediately, large pieces at the beginning of a page, where the kernel copies them fastest. writer.c
 * commits frames.
 */
#include "vfd.h"

#include "trajectory/regular_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#if H5_VERSION_GE(1, 13, 0)
#include <H5FDdevelop.h>
#endif

/* Both drivers. */

/* The library sees only `driver`, which must come first. */
struct file {
    H5FD_t driver;
    haddr_t end;    /* of what is allocated */
    haddr_t length; /* of the file on disk */
};

static herr_t file_query(const H5FD_t *driver, unsigned long *flags)
{
    (void)driver;
    *flags = H5FD_FEAT_DEFAULT_VFD_COMPATIBLE;
    return 0;
}

static haddr_t file_get_end(const H5FD_t *driver, H5FD_mem_t type)
{
    (void)type;
    return ((const struct file *)driver)->end;
}

static herr_t file_set_end(H5FD_t *driver, H5FD_mem_t type, haddr_t end)
{
    (void)type;
    ((struct file *)driver)->end = end;
    return 0;
}

static haddr_t file_get_length(const H5FD_t *driver, H5FD_mem_t type)
{
    (void)type;
    return ((const struct file *)driver)->length;
}

/* Read up to the end of the file: `done` bytes. False with errno. */
static bool pread_all(int descriptor, haddr_t address, size_t size, char *bytes, size_t *done)
{
    for (*done = 0; *done < size;) {
        const ssize_t n = pread(descriptor, bytes + *done, size - *done, (off_t)(address + *done));
        if (n == 0)
            break;
        if (n < 0 && errno != EINTR)
            return false;
        *done += n > 0 ? (size_t)n : 0;
    }
    return true;
}

/* Writing. */

struct piece {
    haddr_t address;
    size_t size;
    int write_order; /* position in the order of writes */
    unsigned char *bytes;
};

/* What the library passes to ordered_open(). */
struct target {
    int descriptor;
    bool is_synced;
};

struct ordered_file {
    struct file file; /* first */
    int descriptor;
    bool is_synced;       /* each flush is brought to the disk */
    bool is_dirty;        /* something was written since */
    haddr_t flushed_end;  /* its end at the last flush */
    struct piece *pieces; /* tables that wait for a flush */
    size_t count, capacity;
};

/* Bytes. */

static herr_t write_bytes(struct ordered_file *f, haddr_t address, size_t size, const void *bytes)
{
    const haddr_t end = address + size;
    f->is_dirty = true;
    for (const char *from = bytes; address < end;) {
        const ssize_t n = pwrite(f->descriptor, from, (size_t)(end - address), (off_t)address);
        if (n < 0 && errno != EINTR)
            return -1;
        from += n > 0 ? n : 0;
        address += n > 0 ? (haddr_t)n : 0;
    }
    f->file.length = end > f->file.length ? end : f->file.length;
    return 0;
}

static herr_t set_length(struct ordered_file *f, haddr_t length)
{
    f->is_dirty = true;
    if (ftruncate(f->descriptor, (off_t)length) != 0)
        return -1;
    f->file.length = length;
    return 0;
}

static herr_t sync_bytes(struct ordered_file *f)
{
    if (f->is_synced && f->is_dirty && !regular_file_sync(f->descriptor))
        return -1;
    f->is_dirty = false;
    return 0;
}

/* Pieces. */

static struct piece *add_piece(struct ordered_file *f, haddr_t address, size_t size)
{
    if (f->count == f->capacity) {
        const size_t capacity = f->capacity ? 2 * f->capacity : 64;
        struct piece *grown = realloc(f->pieces, capacity * sizeof *grown);
        if (!grown)
            return NULL;
        f->pieces = grown;
        f->capacity = capacity;
    }
    struct piece *piece = &f->pieces[f->count];
    *piece = (struct piece){.address = address, .size = size, .bytes = malloc(size)};
    f->count += piece->bytes != NULL;
    return piece->bytes ? piece : NULL;
}

static herr_t keep_piece(struct ordered_file *f, haddr_t address, size_t size, const void *bytes)
{
    struct piece *piece = NULL;
    for (size_t i = f->count; i-- > 0 && !piece;)
        if (f->pieces[i].address == address && f->pieces[i].size == size)
            piece = &f->pieces[i];
    if (!piece)
        piece = add_piece(f, address, size);
    if (piece)
        memcpy(piece->bytes, bytes, size);
    return piece ? 0 : -1;
}

/* Replace bytes that were read by those that wait to be written there. */
static void overlay(const struct ordered_file *f, haddr_t address, size_t size, void *bytes)
{
    for (size_t i = 0; i < f->count; i++) {
        const struct piece *piece = &f->pieces[i];
        const haddr_t begin = piece->address > address ? piece->address : address;
        const haddr_t piece_end = piece->address + piece->size;
        const haddr_t end = piece_end < address + size ? piece_end : address + size;
        if (begin < end)
            memcpy((char *)bytes + (begin - address), piece->bytes + (begin - piece->address),
                   (size_t)(end - begin));
    }
}

/* The order in which a piece is written; before the first flush, all are new. */
static int write_order(const struct piece *piece, haddr_t flushed_end)
{
    enum { NEW, SUPERBLOCK, ROOT, OTHER = ROOT + 256 };
    static const char node[] = {'T', 'R', 'E', 'E'};
    enum { LEVEL = 5 }; /* offset of the level of a node above the leaves */
    if (piece->address == 0)
        return SUPERBLOCK;
    if (piece->address >= flushed_end)
        return NEW;
    if (piece->size > LEVEL && memcmp(piece->bytes, node, sizeof node) == 0)
        return ROOT + 255 - piece->bytes[LEVEL];
    return OTHER;
}

static int compare(const void *a, const void *b)
{
    const struct piece *one = a;
    const struct piece *other = b;
    if (one->write_order != other->write_order)
        return one->write_order - other->write_order;
    return (one->address > other->address) - (one->address < other->address);
}

static herr_t write_pieces(struct ordered_file *f)
{
    herr_t result = 0;
    for (size_t i = 0; i < f->count; i++)
        f->pieces[i].write_order = write_order(&f->pieces[i], f->flushed_end);
    if (f->count > 0)
        qsort(f->pieces, f->count, sizeof *f->pieces, compare);
    if (f->file.length < f->file.end)
        result = set_length(f, f->file.end);
    for (size_t i = 0; i < f->count && result == 0; i++) {
        const struct piece *piece = &f->pieces[i];
        if (i == 0 || piece->write_order != piece[-1].write_order)
            result = sync_bytes(f);
        if (result == 0)
            result = write_bytes(f, piece->address, piece->size, piece->bytes);
    }
    if (result == 0 && f->file.length > f->file.end)
        result = set_length(f, f->file.end);
    return result == 0 ? sync_bytes(f) : result;
}

static void drop_pieces(struct ordered_file *f)
{
    for (size_t i = 0; i < f->count; i++)
        free(f->pieces[i].bytes);
    f->count = 0;
}

/* Callbacks of the library. */

/* Not by name: the name may lead to another file by now. */
static H5FD_t *ordered_open(const char *name, unsigned flags, hid_t access, haddr_t most)
{
    (void)name;
    (void)flags;
    (void)most;
    const struct target *target = H5Pget_driver_info(access);
    struct ordered_file *f = target ? calloc(1, sizeof *f) : NULL;
    if (!f)
        return NULL;
    f->is_synced = target->is_synced;
    f->descriptor = fcntl(target->descriptor, F_DUPFD_CLOEXEC, 0);
    if (f->descriptor >= 0)
        return &f->file.driver;
    free(f);
    return NULL;
}

static herr_t ordered_close(H5FD_t *driver)
{
    struct ordered_file *f = (struct ordered_file *)driver;
    const herr_t written = write_pieces(f);
    const herr_t closed = close(f->descriptor);
    drop_pieces(f);
    free(f->pieces);
    free(f);
    return written < 0 || closed < 0 ? -1 : 0;
}

static haddr_t ordered_alloc(H5FD_t *driver, H5FD_mem_t type, hid_t transfer, hsize_t size)
{
    (void)transfer;
    struct ordered_file *f = (struct ordered_file *)driver;
    const haddr_t room = HDF5_PAGE - f->file.end % HDF5_PAGE;
    const bool is_whole =
        (type == H5FD_MEM_BTREE || type == H5FD_MEM_OHDR) && size <= HDF5_PAGE && size > room;
    const bool is_large = type == H5FD_MEM_DRAW && size >= HDF5_LARGE;
    if (is_whole || (is_large && room < HDF5_PAGE))
        f->file.end += room;
    const haddr_t address = f->file.end;
    f->file.end += size;
    return address;
}

static herr_t ordered_read(H5FD_t *driver, H5FD_mem_t type, hid_t transfer, haddr_t address, size_t size,
                           void *bytes)
{
    (void)transfer;
    const struct ordered_file *f = (const struct ordered_file *)driver;
    size_t done;
    if (!pread_all(f->descriptor, address, size, bytes, &done))
        return -1;
    memset((char *)bytes + done, 0, size - done);
    if (type != H5FD_MEM_DRAW)
        overlay(f, address, size, bytes);
    return 0;
}

static herr_t ordered_write(H5FD_t *driver, H5FD_mem_t type, hid_t transfer, haddr_t address, size_t size,
                            const void *bytes)
{
    (void)transfer;
    struct ordered_file *f = (struct ordered_file *)driver;
    return type == H5FD_MEM_DRAW ? write_bytes(f, address, size, bytes) : keep_piece(f, address, size, bytes);
}

static herr_t ordered_flush(H5FD_t *driver, hid_t transfer, hbool_t is_closing)
{
    (void)transfer;
    (void)is_closing;
    struct ordered_file *f = (struct ordered_file *)driver;
    if (write_pieces(f) != 0)
        return -1;
    drop_pieces(f);
    f->flushed_end = f->file.end;
    return 0;
}

/* The next flush sets the length of the file. */
static herr_t ordered_truncate(H5FD_t *driver, hid_t transfer, hbool_t is_closing)
{
    (void)driver;
    (void)transfer;
    (void)is_closing;
    return 0;
}

herr_t h5_vfd_write(hid_t access, int descriptor, bool is_synced)
{
    static const H5FD_class_t class = {
#ifdef H5FD_CLASS_VERSION
        .version = H5FD_CLASS_VERSION,
        .value = 513, /* any number that the library does not reserve */
#endif
        .name = "boids",
        .maxaddr = INT64_MAX,
        .fc_degree = H5F_CLOSE_WEAK,
        .fapl_size = sizeof(struct target), /* copied by the library */
        .open = ordered_open,
        .close = ordered_close,
        .query = file_query,
        .alloc = ordered_alloc,
        .get_eoa = file_get_end,
        .set_eoa = file_set_end,
        .get_eof = file_get_length,
        .read = ordered_read,
        .write = ordered_write,
        .flush = ordered_flush,
        .truncate = ordered_truncate,
        .fl_map = H5FD_FLMAP_DICHOTOMY,
    };
    const struct target target = {descriptor, is_synced};
    static hid_t driver = -1;
    if (driver < 0)
        driver = H5FDregister(&class);
    return driver < 0 ? -1 : H5Pset_driver(access, driver, &target);
}

/* Reading. Bytes behind the end of the file are zeros, because the library may ask for them. It is an error if bytes are gone
 * that were there when the file was opened. */

struct input_file {
    struct file file; /* first */
    struct h5_input *input;
};

static H5FD_t *input_open(const char *name, unsigned flags, hid_t access, haddr_t most)
{
    (void)name;
    (void)flags;
    (void)most;
    struct h5_input *const *input = H5Pget_driver_info(access);
    struct input_file *f = input ? calloc(1, sizeof *f) : NULL;
    if (!f)
        return NULL;
    f->input = *input;
    f->file.length = f->input->size;
    return &f->file.driver;
}

static herr_t input_close(H5FD_t *driver)
{
    free((struct input_file *)driver);
    return 0;
}

static herr_t input_read(H5FD_t *driver, H5FD_mem_t type, hid_t transfer, haddr_t address, size_t size,
                         void *bytes)
{
    (void)type;
    (void)transfer;
    struct h5_input *input = ((struct input_file *)driver)->input;
    const haddr_t left = address < input->size ? input->size - address : 0;
    const size_t there = left < size ? (size_t)left : size;
    size_t done;
    memset((char *)bytes + there, 0, size - there);
    const bool is_read = pread_all(input->descriptor, address, there, bytes, &done);
    if (is_read && done == there)
        return 0;
    if (input->error == 0)
        input->error = is_read ? EIO : errno;
    return -1;
}

/* The library requires this function of every driver. */
static herr_t input_write(H5FD_t *driver, H5FD_mem_t type, hid_t transfer, haddr_t address, size_t size,
                          const void *bytes)
{
    (void)driver;
    (void)type;
    (void)transfer;
    (void)address;
    (void)size;
    (void)bytes;
    return -1;
}

herr_t h5_vfd_read(hid_t access, struct h5_input *input)
{
    static const H5FD_class_t class = {
#ifdef H5FD_CLASS_VERSION
        .version = H5FD_CLASS_VERSION,
        .value = 514, /* any number that the library does not reserve */
#endif
        .name = "boids_input",
        .maxaddr = INT64_MAX,
        .fc_degree = H5F_CLOSE_STRONG,
        .fapl_size = sizeof input,
        .open = input_open,
        .close = input_close,
        .query = file_query,
        .get_eoa = file_get_end,
        .set_eoa = file_set_end,
        .get_eof = file_get_length,
        .read = input_read,
        .write = input_write,
        .fl_map = H5FD_FLMAP_DICHOTOMY,
    };
    static hid_t driver = -1;
    if (driver < 0)
        driver = H5FDregister(&class);
    return driver < 0 ? -1 : H5Pset_driver(access, driver, &input);
}
