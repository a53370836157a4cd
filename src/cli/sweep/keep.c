/* Equal points are flown as often as they are given, and would write the same files. So a hash is in one hand at a time;
 * whoever comes second waits, and then writes the same bytes once more. */
#include "keep.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

static const char observables_ending[] = ".observables.csv";

bool keep_begin(struct keep *keep, const struct options *options, struct fault *fault)
{
    const char *folder = options->keep;
    struct stat status;
    keep->options = options;
    if (!folder)
        return true;
    if (mkdir(folder, 0777) != 0 && errno != EEXIST)
        return fault_refuse(fault, "--keep %s: %s", folder, strerror(errno));
    if (stat(folder, &status) != 0 || !S_ISDIR(status.st_mode))
        return fault_refuse(fault, "--keep %s is a file; it must be a folder", folder);
    if (access(folder, W_OK | X_OK) != 0)
        return fault_refuse(fault, "--keep %s: %s", folder, strerror(errno));
    /* Two sweeps would replace each other's files. The lock ends with the process. */
    keep->folder = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (keep->folder >= 0 && flock(keep->folder, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK)
        return fault_refuse(
            fault, "--keep %s is in use by another sweep; wait for it, or give another folder", folder);
    return true;
}

void keep_end(struct keep *keep)
{
    if (keep->folder >= 0)
        close(keep->folder);
}

/* Names. */

static char *join(const char *folder, uint64_t hash, const char *ending)
{
    const size_t size = strlen(folder) + strlen(ending) + sizeof "/0123456789abcdef";
    char *path = malloc(size);
    if (path)
        snprintf(path, size, "%s/%016" PRIx64 "%s", folder, hash, ending);
    return path;
}

static bool name_files(const struct options *options, uint64_t hash, struct keep_paths *paths)
{
    paths->observables = join(options->keep, hash, observables_ending);
    paths->outputs = calloc(options->output_count + 1, sizeof *paths->outputs);
    if (!paths->observables || !paths->outputs)
        return false;
    for (size_t i = 0; i < options->output_count; i++) {
        const char *ending = options->outputs[i];
        paths->outputs[i] = strcmp(ending, "none") == 0 ? strdup(ending) : join(options->keep, hash, ending);
        if (!paths->outputs[i])
            return false;
    }
    return true;
}

/* Hands. */

static size_t find(const struct keep *keep, uint64_t hash)
{
    size_t i = 0;
    while (i < keep->count && keep->in_hand[i] != hash)
        i++;
    return i;
}

static void take(struct keep *keep, uint64_t hash)
{
    pthread_mutex_lock(&keep->lock);
    while (find(keep, hash) < keep->count)
        pthread_cond_wait(&keep->is_free, &keep->lock);
    keep->in_hand[keep->count++] = hash;
    pthread_mutex_unlock(&keep->lock);
}

static void give_back(struct keep *keep, uint64_t hash)
{
    pthread_mutex_lock(&keep->lock);
    keep->in_hand[find(keep, hash)] = keep->in_hand[keep->count - 1];
    keep->count--;
    pthread_cond_broadcast(&keep->is_free);
    pthread_mutex_unlock(&keep->lock);
}

bool keep_claim(struct keep *keep, uint64_t hash, struct options *own, bool is_measured,
                struct keep_paths *paths, struct fault *fault)
{
    *paths = (struct keep_paths){0};
    if (!keep->options->keep)
        return true;
    take(keep, hash);
    if (!name_files(keep->options, hash, paths))
        return fault_fail(fault, "there is no memory for the names of files in %s", keep->options->keep);
    own->observables = is_measured ? paths->observables : NULL;
    if (keep->options->output_count > 0) {
        own->outputs = (const char **)paths->outputs;
        own->output_count = keep->options->output_count;
    }
    /* What an earlier sweep was stopped in is flown from its start. */
    own->is_forced = true;
    return true;
}

void keep_release(struct keep *keep, uint64_t hash, struct keep_paths *paths)
{
    if (!keep->options->keep)
        return;
    give_back(keep, hash);
    for (size_t i = 0; paths->outputs && i < keep->options->output_count; i++)
        free(paths->outputs[i]);
    free(paths->outputs);
    free(paths->observables);
}
