/* A driver that reads. The library may ask for bytes behind the end of a file: those are zeros. Bytes that were there
 * when the file was opened and are no longer are an error. */
#include "input.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#if H5_VERSION_GE(1, 13, 0)
#include <H5FDdevelop.h>
#endif

struct file {
    H5FD_t driver; /* first: the library sees no more than this */
    struct hdf5_input *input;
    haddr_t end; /* as the library has it */
};

static struct file *file_of(H5FD_t *driver)
{
    return (struct file *)driver;
}

static const struct file *const_file_of(const H5FD_t *driver)
{
    return (const struct file *)driver;
}

static H5FD_t *driver_open(const char *name, unsigned flags, hid_t access, haddr_t most)
{
    (void)name;
    (void)flags;
    (void)most;
    struct hdf5_input *const *input = H5Pget_driver_info(access);
    struct file *f = input ? calloc(1, sizeof *f) : NULL;
    if (!f)
        return NULL;
    f->input = *input;
    return &f->driver;
}

static herr_t driver_close(H5FD_t *driver)
{
    free(file_of(driver));
    return 0;
}

static herr_t driver_query(const H5FD_t *driver, unsigned long *flags)
{
    (void)driver;
    *flags = H5FD_FEAT_DEFAULT_VFD_COMPATIBLE;
    return 0;
}

static haddr_t driver_get_end(const H5FD_t *driver, H5FD_mem_t type)
{
    (void)type;
    return const_file_of(driver)->end;
}

static herr_t driver_set_end(H5FD_t *driver, H5FD_mem_t type, haddr_t end)
{
    (void)type;
    file_of(driver)->end = end;
    return 0;
}

static haddr_t driver_get_length(const H5FD_t *driver, H5FD_mem_t type)
{
    (void)type;
    return const_file_of(driver)->input->size;
}

static herr_t fail(struct hdf5_input *input, int error)
{
    if (input->error == 0)
        input->error = error;
    return -1;
}

static herr_t read_bytes(struct hdf5_input *input, haddr_t address, size_t size, char *to)
{
    while (size > 0) {
        const ssize_t n = pread(input->descriptor, to, size, (off_t)address);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return fail(input, n < 0 ? errno : EIO);
        to += n;
        address += (haddr_t)n;
        size -= (size_t)n;
    }
    return 0;
}

static herr_t driver_read(H5FD_t *driver, H5FD_mem_t type, hid_t transfer, haddr_t address, size_t size,
                          void *bytes)
{
    (void)type;
    (void)transfer;
    struct hdf5_input *input = file_of(driver)->input;
    const haddr_t left = address < input->size ? input->size - address : 0;
    const size_t there = left < size ? (size_t)left : size;
    memset((char *)bytes + there, 0, size - there);
    return read_bytes(input, address, there, bytes);
}

/* The library asks every driver to have this. */
static herr_t driver_write(H5FD_t *driver, H5FD_mem_t type, hid_t transfer, haddr_t address, size_t size,
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

herr_t hdf5_input_use(hid_t access, struct hdf5_input *input)
{
    static const H5FD_class_t class = {
#ifdef H5FD_CLASS_VERSION
        .version = H5FD_CLASS_VERSION,
        .value = 514, /* any number that the library has not reserved for itself */
#endif
        .name = "boids_input",
        .maxaddr = INT64_MAX,
        .fc_degree = H5F_CLOSE_STRONG,
        .fapl_size = sizeof input,
        .open = driver_open,
        .close = driver_close,
        .query = driver_query,
        .get_eoa = driver_get_end,
        .set_eoa = driver_set_end,
        .get_eof = driver_get_length,
        .read = driver_read,
        .write = driver_write,
        .fl_map = H5FD_FLMAP_DICHOTOMY,
    };
    static hid_t driver = -1;
    if (driver < 0)
        driver = H5FDregister(&class);
    return driver < 0 ? -1 : H5Pset_driver(access, driver, &input);
}
