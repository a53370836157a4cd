/* One buffer in front of write(2). After the first error nothing more is written: bytes after a gap would be useless. */
#include "sink.h"

#include "clock.h"
#include "trajectory/regular_file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { BUFFER_SIZE = 1 << 18 };

struct sink {
    const struct atomic_file *part;
    const struct trajectory_about *about;
    int descriptor;
    double synced;  /* time of the last fsync(), on the monotonic clock */
    bool is_closed; /* the reader has closed the pipe */
    bool has_failed;
    size_t used;
    char buffer[BUFFER_SIZE];
};

static const char *name_of(const struct sink *sink)
{
    return sink->part->is_standard_output ? "standard output" : sink->part->given;
}

struct sink *sink_open(const struct atomic_file *part, const struct trajectory_about *about,
                       struct fault *fault)
{
    struct sink *sink = calloc(1, sizeof *sink);
    if (!sink) {
        fault_fail(fault, "%s: there is no memory to write it", part->given);
        return NULL;
    }
    sink->part = part;
    sink->about = about;
    sink->descriptor = atomic_file_open(part, fault);
    if (sink->descriptor >= 0)
        return sink;
    free(sink);
    return NULL;
}

static bool fail(struct sink *sink, struct fault *fault)
{
    if (errno == EPIPE) {
        sink->is_closed = true;
        return true;
    }
    sink->has_failed = true;
    if (errno == EBADF)
        return fault_fail(fault, "%s is closed", name_of(sink));
    return fault_fail(fault, "%s: %s", name_of(sink), strerror(errno));
}

static bool hand_over(struct sink *sink, const char *bytes, size_t size, struct fault *fault)
{
    size_t done = 0;
    while (done < size && !sink->is_closed && !sink->has_failed) {
        const ssize_t n = write(sink->descriptor, bytes + done, size - done);
        if (n >= 0)
            done += (size_t)n;
        else if (errno != EINTR)
            return fail(sink, fault);
    }
    return !sink->has_failed;
}

static bool sync_now_and_then(struct sink *sink, struct fault *fault)
{
    if (sink->about->sync != SYNC_FLUSH || !sink->part->is_regular ||
        clock_seconds() - sink->synced < sink->about->flush_seconds)
        return true;
    if (!regular_file_sync(sink->descriptor))
        return fail(sink, fault);
    sink->synced = clock_seconds();
    return true;
}

static bool empty(struct sink *sink, struct fault *fault)
{
    const size_t used = sink->used;
    sink->used = 0;
    return hand_over(sink, sink->buffer, used, fault);
}

bool sink_flush(struct sink *sink, struct fault *fault)
{
    return empty(sink, fault) && sync_now_and_then(sink, fault);
}

bool sink_pass(struct sink *sink, const char *bytes, size_t size, struct fault *fault)
{
    return empty(sink, fault) && hand_over(sink, bytes, size, fault);
}

char *sink_room(struct sink *sink, size_t size, struct fault *fault)
{
    if (sink->used + size > BUFFER_SIZE && !empty(sink, fault))
        return NULL;
    return sink->buffer + sink->used;
}

void sink_take(struct sink *sink, size_t written)
{
    sink->used += written;
}

bool sink_put(struct sink *sink, const char *text, struct fault *fault)
{
    for (size_t left = strlen(text); left > 0;) {
        const size_t n = left < SINK_ROOM ? left : SINK_ROOM;
        char *room = sink_room(sink, n, fault);
        if (!room)
            return false;
        memcpy(room, text, n);
        sink_take(sink, n);
        text += n;
        left -= n;
    }
    return true;
}

bool sink_patch_start(struct sink *sink, const char *text, struct fault *fault)
{
    if (!sink->part->is_regular || sink->has_failed)
        return true;
    const size_t size = strlen(text);
    if (!sink_flush(sink, fault))
        return false;
    if (pwrite(sink->descriptor, text, size, 0) != (ssize_t)size)
        return fail(sink, fault);
    return true;
}

bool sink_is_closed(const struct sink *sink)
{
    return sink->is_closed;
}

/* Rename before the last close(), which releases the lock, but after everything else that could fail. */
static bool finish(struct sink *sink, bool is_complete, struct fault *fault)
{
    if (!sink_flush(sink, fault))
        return false;
    if (!regular_file_check_close(sink->descriptor))
        return fail(sink, fault);
    return is_complete ? atomic_file_commit(sink->part, sink->descriptor, sink->about->sync, fault)
                       : atomic_file_sync(sink->part, sink->descriptor, sink->about->sync, fault);
}

bool sink_close(struct sink *sink, bool is_complete, struct fault *fault)
{
    if (!sink)
        return true;
    bool is_good = finish(sink, is_complete, fault);
    if (!sink->part->is_standard_output && close(sink->descriptor) != 0 && is_good)
        is_good = fault_fail(fault, "%s: %s", sink->part->given, strerror(errno));
    free(sink);
    return is_good;
}
