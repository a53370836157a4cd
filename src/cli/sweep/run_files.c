/* Equal rows have equal runs, which write the same files. So only one run per hash is active at a time; a second one waits, and then writes
 * the same bytes again. */
#include "run_files.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

bool run_files_open(struct run_files *files, const struct options *options, struct fault *fault)
{
    const char *folder = options->keep;
    struct stat status;
    files->options = options;
    if (!folder)
        return true;
    if (mkdir(folder, 0777) != 0 && errno != EEXIST)
        return fault_refuse(fault, "--keep %s: %s", folder, strerror(errno));
    if (stat(folder, &status) != 0 || !S_ISDIR(status.st_mode))
        return fault_refuse(fault, "--keep %s is a file; it must be a folder", folder);
    if (access(folder, W_OK | X_OK) != 0)
        return fault_refuse(fault, "--keep %s: %s", folder, strerror(errno));
    /* Two sweeps would replace each other's files. The lock ends with the process. */
    files->folder = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (files->folder >= 0 && flock(files->folder, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK)
        return fault_refuse(
            fault, "--keep %s is in use by another sweep; wait for it, or give another folder", folder);
    return true;
}

void run_files_close(struct run_files *files)
{
    if (files->folder >= 0)
        close(files->folder);
}

static char *file_name(const char *folder, uint64_t hash, const char *ending)
{
    const size_t size = strlen(folder) + strlen(ending) + sizeof "/0123456789abcdef";
    char *path = malloc(size);
    if (path)
        snprintf(path, size, "%s/%016" PRIx64 "%s", folder, hash, ending);
    return path;
}

static bool name_files(const struct options *options, uint64_t hash, struct run_file_paths *paths)
{
    paths->observables = file_name(options->keep, hash, ".observables.csv");
    paths->outputs = calloc(options->output_count + 1, sizeof *paths->outputs);
    if (!paths->observables || !paths->outputs)
        return false;
    for (size_t i = 0; i < options->output_count; i++) {
        const char *ending = options->outputs[i];
        paths->outputs[i] =
            strcmp(ending, "none") == 0 ? strdup(ending) : file_name(options->keep, hash, ending);
        if (!paths->outputs[i])
            return false;
    }
    return true;
}

static size_t find_active(const struct run_files *files, uint64_t hash)
{
    size_t i = 0;
    while (i < files->count && files->active[i] != hash)
        i++;
    return i;
}

bool run_files_claim(struct run_files *files, uint64_t hash, struct options *own, bool is_measured,
                     struct run_file_paths *paths, struct fault *fault)
{
    *paths = (struct run_file_paths){0};
    if (!files->options->keep)
        return true;
    pthread_mutex_lock(&files->lock);
    while (find_active(files, hash) < files->count)
        pthread_cond_wait(&files->is_free, &files->lock);
    files->active[files->count++] = hash;
    pthread_mutex_unlock(&files->lock);
    if (!name_files(files->options, hash, paths))
        return fault_fail(fault, "there is no memory for the names of files in %s", files->options->keep);
    own->observables = is_measured ? paths->observables : NULL;
    if (files->options->output_count > 0) {
        own->outputs = (const char **)paths->outputs;
        own->output_count = files->options->output_count;
    }
    /* A run that an earlier sweep did not finish restarts. */
    own->is_forced = true;
    return true;
}

void run_files_release(struct run_files *files, uint64_t hash, struct run_file_paths *paths)
{
    if (!files->options->keep)
        return;
    pthread_mutex_lock(&files->lock);
    files->active[find_active(files, hash)] = files->active[files->count - 1];
    files->count--;
    pthread_cond_broadcast(&files->is_free);
    pthread_mutex_unlock(&files->lock);
    for (size_t i = 0; paths->outputs && i < files->options->output_count; i++)
        free(paths->outputs[i]);
    free(paths->outputs);
    free(paths->observables);
}
