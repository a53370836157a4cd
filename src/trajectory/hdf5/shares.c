/* An order is one message to all, and who gets it does what the leader does: so all come through the same collective calls, a
 * slab at a time. What goes wrong at one writer is agreed before the next order. */
#include "shares.h"

#include "bytes.h"
#include "core/rng.h"
#include "driver.h"
#include "handle.h"
#include "hash.h"
#include "source.h"
#include "trajectory/sync.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* Rows that a writer has in hand. */
enum { SLAB_ROWS = 1 << 20, NUMBERS = sizeof(struct agent) / sizeof(double) };

static const char hook[] = "BOIDS_WRITERS";

enum what { RELEASE, JOIN, FRAME, STATE, LATEST, LOAD, SYNC };

struct order {
    uint64_t what, file;
    uint64_t address; /* of a state; of the stamp by which a file is known */
    uint64_t stamp;
    uint64_t is_kept;
};

struct shares_file {
    struct shares *shares;
    uint64_t number;
    char *name;
    int descriptor; /* -1: this rank does not write */
    bool is_lent;   /* it is the leader's */
    struct shares_count count;
    uint64_t begin, end;              /* the rows of this rank */
    uint64_t slabs;                   /* of the largest share */
    struct agent *latest, *predators; /* kept: the rows of this rank; on the leader, all predators */
    uint64_t hash;                    /* what an order came to */
    struct fault fault;
};

struct shares {
    const struct ranks *ranks;
    const struct trajectory_about *about;
    struct shares_source source;
    hid_t type; /* of a number in a frame */
    enum hdf5_words words, own_words;
    int wanted;              /* writers, from rank 0 on; 0: one per machine */
    uint64_t slab;           /* rows */
    struct agent *agents;    /* of a slab */
    double *numbers;         /* likewise, on their way into the file */
    struct agent *predators; /* that are flown now */
    struct shares_file **files;
    uint64_t file_count;
};

/* Memory. */

static size_t number_size(const struct trajectory_about *about)
{
    return about->is_single ? sizeof(float) : sizeof(double);
}

bool shares_are_many(size_t boids)
{
    return boids >= RANKS_MANY || getenv(hook);
}

bool shares_pay(const struct trajectory_about *about)
{
    const bool has_pages = about->boids * (size_t)about->h5_dims * number_size(about) >= HDF5_LARGE;
    return about->compression == 0 && has_pages && shares_are_many(about->boids);
}

size_t shares_memory(const struct trajectory_about *about)
{
    const size_t rows = about->boids < SLAB_ROWS ? about->boids : SLAB_ROWS;
    return rows * (sizeof(struct agent) + NUMBERS * sizeof(double));
}

/* BOIDS_WRITERS=COUNT or COUNT:ROWS, for tests: so many writers wherever they run, and slabs of so many rows. */
static void read_hook(struct shares *shares)
{
    const char *text = getenv(hook);
    const char *colon = text ? strchr(text, ':') : NULL;
    shares->wanted = text ? atoi(text) : 0;
    shares->slab = colon ? strtoull(colon + 1, NULL, 10) : SLAB_ROWS;
    if (shares->slab == 0 || shares->slab > shares->about->boids)
        shares->slab = shares->about->boids;
}

static struct shares make(const struct ranks *ranks, const struct trajectory_about *about,
                          const struct shares_source *source)
{
    return (struct shares){
        .ranks = ranks,
        .about = about,
        .source = *source,
        .type = about->is_single ? H5T_IEEE_F32LE : H5T_IEEE_F64LE,
        .words = hdf5_hash_words(about->arithmetic, number_size(about)),
        .own_words = hdf5_hash_own_words(about->arithmetic),
    };
}

struct shares *shares_create(const struct ranks *ranks, const struct trajectory_about *about,
                             const struct shares_source *source, struct fault *fault)
{
    struct shares *shares = malloc(sizeof *shares);
    hdf5_quieten();
    if (shares) {
        *shares = make(ranks, about, source);
        read_hook(shares);
        shares->agents = malloc(shares->slab * sizeof *shares->agents);
        shares->numbers = malloc(shares->slab * NUMBERS * sizeof *shares->numbers);
        shares->predators = malloc((about->predators + 1) * sizeof *shares->predators);
        if (shares->agents && shares->numbers && shares->predators)
            return shares;
    }
    shares_free(shares);
    fault_fail(fault, "there is no memory to write %zu boids", about->boids);
    return NULL;
}

static void free_file(struct shares_file *file)
{
    if (file->descriptor >= 0 && !file->is_lent)
        close(file->descriptor);
    free(file->name);
    free(file->latest);
    free(file->predators);
    free(file);
}

void shares_free(struct shares *shares)
{
    if (!shares)
        return;
    for (uint64_t i = 0; i < shares->file_count; i++)
        free_file(shares->files[i]);
    free(shares->files);
    free(shares->agents);
    free(shares->numbers);
    free(shares->predators);
    free(shares);
}

struct shares_count shares_count(const struct shares *shares)
{
    return shares->file_count > 0 ? shares->files[shares->file_count - 1]->count
                                  : (struct shares_count){0, 0};
}

/* Numbers on their way. */

static bool fail(const struct shares_file *file, struct fault *fault)
{
    return hdf5_tell_failure(file->name, errno, fault);
}

/* Columns of `count` agents, as they are in the file. */
static void pack(const struct shares *shares, const double *first, size_t count, size_t columns, size_t dims,
                 hid_t type)
{
    double *to = shares->numbers;
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < dims; k++)
            *to++ = k < columns ? first[i * NUMBERS + k] : 0;
    H5Tconvert(H5T_NATIVE_DOUBLE, type, count * dims, shares->numbers, NULL, H5P_DEFAULT);
}

/* Rows of a frame lie in chunks, one behind the other. */
static bool write_rows(const struct shares_file *file, const uint64_t *addresses, uint64_t first,
                       uint64_t count, size_t row_size)
{
    const char *from = (const char *)file->shares->numbers;
    while (count > 0) {
        const uint64_t within = first % HDF5_CHUNK_ROWS, left = HDF5_CHUNK_ROWS - within;
        const uint64_t n = count < left ? count : left;
        if (!hdf5_bytes_write(file->descriptor, addresses[first / HDF5_CHUNK_ROWS] + within * row_size,
                              n * row_size, from))
            return false;
        from += n * row_size;
        first += n;
        count -= n;
    }
    return true;
}

static size_t chunks_of_field(const struct trajectory_about *about)
{
    return (about->boids + HDF5_CHUNK_ROWS - 1) / HDF5_CHUNK_ROWS;
}

size_t shares_chunks(const struct trajectory_about *about)
{
    return chunks_of_field(about) * ((size_t)about->has_positions + about->has_velocities);
}

static bool write_field(const struct shares_file *file, const double *numbers, const uint64_t *addresses,
                        uint64_t first, uint64_t count)
{
    const struct shares *shares = file->shares;
    const size_t dims = (size_t)shares->about->h5_dims;
    pack(shares, numbers, count, 2, dims, shares->type);
    return write_rows(file, addresses, first, count, dims * number_size(shares->about));
}

static void leave_out(const struct trajectory_about *about, struct agent *agents, size_t count)
{
    for (size_t i = 0; i < count && !about->has_positions; i++)
        agents[i].x = agents[i].y = NAN;
    for (size_t i = 0; i < count && !about->has_velocities; i++)
        agents[i].vx = agents[i].vy = NAN;
}

/* What is done with the slab in hand, `count` rows from `first` on. */
typedef bool work(struct shares_file *file, const struct order *order, const uint64_t *addresses,
                  uint64_t first, uint64_t count);

static bool write_slab(struct shares_file *file, const struct order *order, const uint64_t *addresses,
                       uint64_t first, uint64_t count)
{
    const struct shares *shares = file->shares;
    const struct trajectory_about *about = shares->about;
    if (order->is_kept)
        memcpy(file->latest + (first - file->begin), shares->agents, count * sizeof *file->latest);
    leave_out(about, shares->agents, count);
    file->hash += hdf5_hash_agents(shares->words, first, count, shares->agents);
    return (!about->has_positions || write_field(file, &shares->agents->x, addresses, first, count)) &&
           (!about->has_velocities ||
            write_field(file, &shares->agents->vx,
                        addresses + (about->has_positions ? chunks_of_field(about) : 0), first, count));
}

static bool write_agents(struct shares_file *file, uint64_t address, uint64_t first, uint64_t count,
                         const struct agent *agents)
{
    const struct shares *shares = file->shares;
    for (uint64_t done = 0; done < count; done += shares->slab) {
        const uint64_t n = count - done < shares->slab ? count - done : shares->slab;
        pack(shares, &agents[done].x, n, NUMBERS, NUMBERS, H5T_IEEE_F64LE);
        if (!hdf5_bytes_write(file->descriptor, address + (first + done) * sizeof *agents, n * sizeof *agents,
                              shares->numbers))
            return false;
    }
    file->hash += hdf5_hash_agents(shares->own_words, first, count, agents);
    return true;
}

static bool write_state_slab(struct shares_file *file, const struct order *order, const uint64_t *addresses,
                             uint64_t first, uint64_t count)
{
    (void)addresses;
    return write_agents(file, order->address, first, count, file->shares->agents);
}

/* Each writer's rows, slab by slab; all take part in all of them, also when something has failed. */
static bool go_through(struct shares_file *file, work *do_slab, const struct order *order,
                       const uint64_t *addresses, struct fault *fault)
{
    const struct shares *shares = file->shares;
    bool is_good = true;
    for (uint64_t k = 0; k < file->slabs; k++) {
        const uint64_t first = file->begin + k * shares->slab;
        const uint64_t left = first < file->end ? file->end - first : 0;
        const uint64_t count = left < shares->slab ? left : shares->slab;
        shares->source.boids(shares->source.context, count > 0 ? first : 0, count, shares->agents);
        if (is_good && count > 0)
            is_good = do_slab(file, order, addresses, first, count) || fail(file, fault);
    }
    return is_good;
}

/* Files. */

static int wanted_writers(const struct shares *shares, bool *is_asked)
{
    uint64_t asked = shares->wanted > 0 ? shares->ranks->rank < shares->wanted : shares->ranks->place == 0;
    *is_asked = asked;
    shares->ranks->merge(shares->ranks, &asked, 1, RANKS_SUM);
    return (int)asked;
}

/* The leader's file has its stamp, and not another one that happens to have its name on another machine. */
static int find(const char *path, const struct order *order)
{
    uint64_t stamp = 0;
    const int descriptor = open(path, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    if (descriptor < 0)
        return -1;
    if (hdf5_bytes_read(descriptor, order->address, sizeof stamp, &stamp) && stamp == order->stamp)
        return descriptor;
    close(descriptor);
    return -1;
}

/* In pages of rows; who does not write has none. */
static void cut(struct shares_file *file, int index)
{
    const struct shares *shares = file->shares;
    const uint64_t rows = shares->about->boids, writers = (uint64_t)file->count.writing;
    const uint64_t pages = (rows + HDF5_SHARE_ROWS - 1) / HDF5_SHARE_ROWS;
    const uint64_t most = (pages + writers - 1) / writers * HDF5_SHARE_ROWS;
    file->slabs = (most + shares->slab - 1) / shares->slab;
    if (file->descriptor < 0)
        return;
    file->begin = pages * (uint64_t)index / writers * HDF5_SHARE_ROWS;
    file->end = pages * ((uint64_t)index + 1) / writers * HDF5_SHARE_ROWS;
    file->end = file->end < rows ? file->end : rows;
}

static bool make_room(struct shares_file *file, struct fault *fault)
{
    const struct trajectory_about *about = file->shares->about;
    if (!about->is_rounded || file->descriptor < 0)
        return true;
    file->latest = malloc((file->end - file->begin + 1) * sizeof *file->latest);
    file->predators = malloc((about->predators + 1) * sizeof *file->predators);
    return (file->latest && file->predators) ||
           fault_fail(fault, "%s: there is no memory to write it", file->name);
}

/* `file` has the leader's descriptor, or none. */
static bool join(struct shares_file *file, const char *path, const struct order *order, struct fault *fault)
{
    const struct ranks *ranks = file->shares->ranks;
    char *name = ranks_copy_text(ranks, file->name), *there = ranks_copy_text(ranks, path);
    bool is_asked;
    if (!name || !there)
        ranks_give_up("there is no memory for the name of a file");
    free(file->name);
    file->name = name;
    file->count.asked = wanted_writers(file->shares, &is_asked);
    if (is_asked && !file->is_lent)
        file->descriptor = find(there, order);
    free(there);
    cut(file, ranks_number(ranks, file->descriptor >= 0, &file->count.writing));
    return make_room(file, fault);
}

static struct shares_file *add_file(struct shares *shares)
{
    struct shares_file *file = calloc(1, sizeof *file);
    struct shares_file **files = realloc(shares->files, (shares->file_count + 1) * sizeof *files);
    if (!file || !files)
        ranks_give_up("there is no memory for a file");
    *file = (struct shares_file){.shares = shares, .number = shares->file_count, .descriptor = -1};
    shares->files = files;
    shares->files[shares->file_count++] = file;
    return file;
}

/* Orders. */

static bool leads(const struct shares_file *file)
{
    return ranks_leads(file->shares->ranks);
}

static bool write_frame(struct shares_file *file, const struct order *order, uint64_t *addresses,
                        struct fault *fault)
{
    const struct shares *shares = file->shares;
    const size_t count = shares_chunks(shares->about);
    uint64_t *there = addresses ? addresses : calloc(count, sizeof *there);
    if (!there)
        ranks_give_up("there is no memory for the places of a frame");
    shares->ranks->spread(shares->ranks, 0, there, count * sizeof *there);
    if (order->is_kept && leads(file))
        shares->source.predators(shares->source.context, file->predators);
    const bool is_good = go_through(file, write_slab, order, there, fault);
    if (!addresses)
        free(there);
    return is_good;
}

static bool write_predators(struct shares_file *file, uint64_t address, const struct agent *predators,
                            struct fault *fault)
{
    const struct trajectory_about *about = file->shares->about;
    return !leads(file) || write_agents(file, address, about->boids, about->predators, predators) ||
           fail(file, fault);
}

static bool write_state(struct shares_file *file, const struct order *order, struct fault *fault)
{
    const struct shares *shares = file->shares;
    shares->source.predators(shares->source.context, shares->predators);
    return go_through(file, write_state_slab, order, NULL, fault) &&
           write_predators(file, order->address, shares->predators, fault);
}

static bool write_latest(struct shares_file *file, const struct order *order, struct fault *fault)
{
    return (file->descriptor < 0 ||
            write_agents(file, order->address, file->begin, file->end - file->begin, file->latest) ||
            fail(file, fault)) &&
           write_predators(file, order->address, file->predators, fault);
}

static bool load(const struct shares_file *file, uint64_t address, uint64_t first, uint64_t count,
                 struct agent *agents)
{
    return hdf5_bytes_read(file->descriptor, address + first * sizeof *agents, count * sizeof *agents,
                           agents) &&
           H5Tconvert(H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, count * NUMBERS, agents, NULL, H5P_DEFAULT) >= 0;
}

static bool load_latest(const struct shares_file *file, const struct order *order, struct fault *fault)
{
    const struct trajectory_about *about = file->shares->about;
    const bool is_good = file->descriptor < 0 ||
                         load(file, order->address, file->begin, file->end - file->begin, file->latest);
    return (is_good &&
            (!leads(file) || load(file, order->address, about->boids, about->predators, file->predators))) ||
           fail(file, fault);
}

/* What the leader writes its own driver brings to the disk, where that is asked for. */
static bool sync_share(const struct shares_file *file, struct fault *fault)
{
    return file->descriptor < 0 || leads(file) || sync_file(file->descriptor) || fail(file, fault);
}

static bool carry_out(struct shares_file *file, const struct order *order, const char *path,
                      uint64_t *addresses, struct fault *fault)
{
    file->hash = 0;
    switch ((enum what)order->what) {
    case JOIN: return join(file, path, order, fault);
    case FRAME: return write_frame(file, order, addresses, fault);
    case STATE: return write_state(file, order, fault);
    case LATEST: return write_latest(file, order, fault);
    case LOAD: return load_latest(file, order, fault);
    case SYNC: return sync_share(file, fault);
    case RELEASE: break;
    }
    return true;
}

/* On all ranks: the part of each in the sum, and what became of it. */
static bool obey(struct shares_file *file, const struct order *order, const char *path, uint64_t *addresses,
                 struct fault *fault)
{
    const struct ranks *ranks = file->shares->ranks;
    const bool is_good = carry_out(file, order, path, addresses, fault);
    ranks->merge(ranks, &file->hash, 1, RANKS_SUM);
    return ranks_agree(ranks, is_good, fault);
}

bool shares_follow(struct shares *shares, struct fault *fault)
{
    const struct ranks *ranks = shares->ranks;
    bool is_good = true;
    for (;;) {
        struct order order;
        ranks->spread(ranks, 0, &order, sizeof order);
        if (order.what == RELEASE)
            return is_good;
        struct shares_file *file = order.what == JOIN ? add_file(shares) : shares->files[order.file];
        is_good &= obey(file, &order, NULL, NULL, fault);
    }
}

void shares_release(struct shares *shares)
{
    struct order order = {.what = RELEASE};
    if (shares)
        shares->ranks->spread(shares->ranks, 0, &order, sizeof order);
}

static bool give(struct shares_file *file, struct order order, uint64_t *addresses)
{
    const struct ranks *ranks = file->shares->ranks;
    if (file->fault.status != FAULT_NONE)
        return false;
    order.file = file->number;
    ranks->spread(ranks, 0, &order, sizeof order);
    return obey(file, &order, NULL, addresses, &file->fault);
}

/* Behind the end, where the file has nothing; it is taken away again. */
static bool put_stamp(int descriptor, struct order *order, bool is_for_others)
{
    struct stat status;
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    order->stamp =
        flock_rng_mix((uint64_t)now.tv_sec << 30 ^ (uint64_t)now.tv_nsec ^ (uint64_t)getpid() << 48);
    if (fstat(descriptor, &status) != 0)
        return false;
    order->address = (uint64_t)status.st_size;
    return hdf5_bytes_write(descriptor, order->address, sizeof order->stamp, &order->stamp) &&
           (!is_for_others || sync_file(descriptor));
}

struct shares_file *shares_join(struct shares *shares, const char *path, const char *name, int descriptor,
                                struct fault *fault)
{
    const struct ranks *ranks = shares->ranks;
    struct shares_file *file = add_file(shares);
    struct order order = {.what = JOIN, .file = file->number};
    file->name = strdup(name);
    file->descriptor = descriptor;
    file->is_lent = true;
    if (!file->name || !put_stamp(descriptor, &order, ranks->beside < ranks->count)) {
        hdf5_tell_failure(name, errno, fault);
        return NULL;
    }
    ranks->spread(ranks, 0, &order, sizeof order);
    const bool is_good = obey(file, &order, path, NULL, fault);
    if (ftruncate(descriptor, (off_t)order.address) != 0)
        hdf5_tell_failure(name, errno, fault);
    return is_good && fault->status == FAULT_NONE ? file : NULL;
}

bool shares_write_frame(struct shares_file *file, const uint64_t *addresses, bool is_kept, uint64_t *hash)
{
    const bool is_good = give(file, (struct order){.what = FRAME, .is_kept = is_kept}, (uint64_t *)addresses);
    *hash = file->hash;
    return is_good;
}

static bool give_state(struct shares_file *file, enum what what, uint64_t address, uint64_t *hash)
{
    const bool is_good = give(file, (struct order){.what = what, .address = address}, NULL);
    *hash = file->hash;
    return is_good;
}

bool shares_write_state(struct shares_file *file, uint64_t address, uint64_t *hash)
{
    return give_state(file, STATE, address, hash);
}

bool shares_write_latest(struct shares_file *file, uint64_t address, uint64_t *hash)
{
    return give_state(file, LATEST, address, hash);
}

bool shares_load_latest(struct shares_file *file, uint64_t address)
{
    return give(file, (struct order){.what = LOAD, .address = address}, NULL);
}

bool shares_sync(struct shares_file *file)
{
    return file->count.writing < 2 || give(file, (struct order){.what = SYNC}, NULL);
}

const struct agent *shares_predators(struct shares_file *file)
{
    const struct shares *shares = file->shares;
    shares->source.predators(shares->source.context, shares->predators);
    leave_out(shares->about, shares->predators, shares->about->predators);
    return shares->predators;
}

const struct fault *shares_fault(const struct shares_file *file)
{
    return &file->fault;
}
