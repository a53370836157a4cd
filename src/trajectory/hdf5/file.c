/* Opening a file and finding an object in it. Each step of a path is checked before it is followed: boids writes only hard links,
 * and another kind of link may lead to another file, or load a plugin. */
#include "file.h"

#include <assert.h>
#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Crashes of the library. libhdf5 1.10 divides by numbers of a damaged file, for example by a chunk extent of 0. The user must
 * see one line that names the file. The process ends there, so locks and buffers of the library do not matter. */

#if defined __has_feature /* clang */
#if __has_feature(address_sanitizer)
#define __SANITIZE_ADDRESS__
#endif
#endif
#ifdef __SANITIZE_ADDRESS__
enum { IS_GUARDED = false }; /* a sanitizer reports crashes itself */
#else
enum { IS_GUARDED = true };
#endif

static const int crashes[] = {SIGFPE, SIGSEGV, SIGBUS};
/* The file that this thread reads, and how many files it has open. */
static _Thread_local const char *file_in_use;
static _Thread_local int files_open;

/* Async-signal-safe. */
static void report_crash(int number)
{
    static const char text[] = ": libhdf5 crashed while reading it; the file is damaged, or memory ran out\n";
    char line[1024] = "boids: ";
    size_t length = strlen(line);
    if (!file_in_use) {
        signal(number, SIG_DFL);
        raise(number);
        return;
    }
    for (const char *c = file_in_use; *c != '\0' && length < sizeof line - sizeof text; c++)
        line[length++] = (unsigned char)*c < ' ' || *c == 0x7f ? '?' : *c;
    memcpy(line + length, text, sizeof text);
    const ssize_t written = write(STDERR_FILENO, line, length + sizeof text - 1);
    (void)written;
    _exit(FAULT_FAILED);
}

void h5_quieten_thread(void)
{
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
}

void h5_quieten(void)
{
    /* The lock of atomic_file.c counts; a lock by the library on the same file would conflict with it. */
    setenv("HDF5_USE_FILE_LOCKING", "FALSE", 1);
    H5dont_atexit();
    h5_quieten_thread();
    H5PLset_loading_state(0);
}

enum h5_found h5_file_open(struct h5_file *file, int descriptor, const char *name, struct fault *fault)
{
    struct stat status;
    enum h5_found found = HDF5_FAULT;
    *file = (struct h5_file){.id = -1, .name = name, .disk.descriptor = descriptor};
    for (size_t i = 0; IS_GUARDED && i < sizeof crashes / sizeof *crashes; i++)
        sigaction(crashes[i], &(struct sigaction){.sa_handler = report_crash}, NULL);
    file_in_use = name;
    files_open++;
    if (descriptor < 0 || fstat(descriptor, &status) != 0) {
        fault_fail(fault, "%s: it cannot be opened: %s", name, strerror(errno));
    } else if (!S_ISREG(status.st_mode)) {
        fault_refuse(fault, "%s is %s; HDF5 is read from a file", name,
                     S_ISDIR(status.st_mode) ? "a folder" : "a pipe or device");
    } else {
        file->disk.size = (haddr_t)status.st_size;
        h5_quieten();
        hid_t access = H5Pcreate(H5P_FILE_ACCESS);
        if (h5_vfd_select(access, &file->disk) >= 0)
            file->id = H5Fopen("trajectory", H5F_ACC_RDONLY, access);
        H5Pclose(access);
        if (file->id >= 0)
            return HDF5_FOUND;
        if (file->disk.error == 0)
            found = HDF5_ABSENT;
        else
            fault_fail(fault, "%s: it cannot be read: %s", name, strerror(file->disk.error));
    }
    h5_file_close(file);
    return found;
}

void h5_file_close(struct h5_file *file)
{
    if (!file->name)
        return;
    if (file->id >= 0)
        H5Fclose(file->id);
    if (file->disk.descriptor >= 0)
        close(file->disk.descriptor);
    if (--files_open == 0)
        file_in_use = NULL;
    *file = (struct h5_file){0};
}

bool h5_file_fail(const struct h5_file *file, const char *path, struct fault *fault)
{
    const int error = file->disk.error;
    return fault_fail(fault, "%s: /%s cannot be read: %s", file->name, path,
                      error != 0 ? strerror(error) : "it is damaged, or not all of it is there");
}

bool h5_file_damaged(const struct h5_file *file, struct fault *fault, const char *format, ...)
{
    char what[sizeof fault->sentence];
    va_list values;
    va_start(values, format);
    vsnprintf(what, sizeof what, format, values);
    va_end(values);
    return fault_fail(fault, "%s: it is damaged: %s", file->name, what);
}

/* Open the member `name` of a group and close the group. `path` ends with that name. */
static enum h5_found step_into(const struct h5_file *file, hid_t *here, const char *name, const char *path,
                               struct fault *fault)
{
    H5L_info_t link;
    hid_t next = -1;
    enum h5_found found = HDF5_FAULT;
    const htri_t is_there = H5Iget_type(*here) == H5I_GROUP ? H5Lexists(*here, name, H5P_DEFAULT) : (htri_t)0;
    if (is_there == 0)
        found = HDF5_ABSENT;
    else if (is_there < 0 || H5Lget_info(*here, name, &link, H5P_DEFAULT) < 0)
        h5_file_fail(file, path, fault);
    else if (link.type != H5L_TYPE_HARD)
        fault_refuse(fault,
                     "%s: /%s is a link to somewhere else; a trajectory is in one file and in one place",
                     file->name, path);
    else if ((next = H5Oopen(*here, name, H5P_DEFAULT)) < 0)
        h5_file_fail(file, path, fault);
    else
        found = HDF5_FOUND;
    H5Oclose(*here);
    *here = next;
    return found;
}

enum h5_found h5_file_find(const struct h5_file *file, const char *path, hid_t *object, struct fault *fault)
{
    char walked[256];
    size_t length = 0;
    enum h5_found found = HDF5_FOUND;
    assert(strlen(path) < sizeof walked);
    file_in_use = file->name;
    *object = H5Oopen(file->id, "/", H5P_DEFAULT);
    if (*object < 0)
        h5_file_fail(file, "", fault);
    while (*object >= 0 && path[length] != '\0') {
        const size_t begin = length + (path[length] == '/');
        length = begin + strcspn(path + begin, "/");
        snprintf(walked, sizeof walked, "%.*s", (int)length, path);
        found = step_into(file, object, walked + begin, walked, fault);
    }
    return *object >= 0 || found == HDF5_ABSENT ? found : HDF5_FAULT;
}

enum h5_found h5_file_has(const struct h5_file *file, const char *path, struct fault *fault)
{
    hid_t object;
    const enum h5_found found = h5_file_find(file, path, &object, fault);
    if (found == HDF5_FOUND)
        H5Oclose(object);
    return found;
}
