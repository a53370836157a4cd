/* An HDF5 trajectory with changes. The input selects the reader (--init, --convert, --from, --resume), one of a few real files,
 * and the changes: links, attributes, shapes, types, values, chunks, addresses.
 *
 * libhdf5 makes most changes in memory, so they change the structure of the file. Random bytes hardly ever do: a superblock with a
 * wrong checksum is refused at once. A change is a byte for its kind and a few bytes of detail; an impossible change (a link to a
 * deleted object) is skipped.
 *
 * An execution would spend most of its time on fresh memory: the library's cache of a file takes more than a megabyte, and images
 * of files are copied. So both are reused. */
#define H5_USE_110_API /* H5Ovisit2() has another type in later versions of libhdf5 */
#include "fuzz.h"

#include "cli/options/configure.h"
#include "cli/tasks/tasks.h"
#include "config/config.h"
#include "measure/measure.h"
#include "trajectory/trajectory.h"

#include <fcntl.h>
#include <hdf5.h>
#include <math.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

/* libhdf5 leaks memory if it fails while it opens a file. Leaks of our own handles are found by a count below. */
const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
    return "detect_leaks=0";
}

/* The unchanged files. */

/* Few observables: each takes 24 kB, however short the run. */
static const char *const configurations[] = {
    "{\"steps\": 4, \"flock\": {\"count\": 5}, \"predators\": {\"count\": 1},"
    " \"output\": {\"observables\": [\"polarization\", \"milling\"]}}",
    "{\"steps\": 4, \"arithmetic\": \"float32\", \"flock\": {\"count\": 3},"
    " \"output\": {\"compression\": 4, \"observables\": [\"polarization\"]}}",
    "{\"steps\": 5, \"arithmetic\": \"fixed\", \"flock\": {\"count\": 4},"
    " \"output\": {\"every\": 2, \"observables\": false}}",
    "{\"steps\": 4, \"flock\": {\"count\": 3},"
    " \"output\": {\"precision\": \"float32\", \"h5_dims\": 3, \"observables\": [\"milling\"]}}",
    "{\"steps\": 5, \"flock\": {\"count\": 4}, \"predators\": {\"count\": 1}, \"output\": {\"first\": 2,"
    " \"boids\": {\"every\": 2}, \"fields\": [\"position\"], \"observables\": [\"polarization\"]}}",
};

/* Frames in which agents are absent: the first, the last, all, a predator. */
static const char absent[] = "step,id,type,x,y,vx,vy\n"
                             "0,0,boid,nan,nan,nan,nan\n0,1,boid,1,2,1,1\n0,2,predator,3,4,1,1\n"
                             "1,0,boid,nan,nan,nan,nan\n1,1,boid,nan,nan,nan,nan\n1,2,predator,3,4,1,1\n"
                             "2,0,boid,1,2,1,1\n2,1,boid,nan,nan,nan,nan\n2,2,predator,nan,nan,nan,nan\n";

/* The bases are runs, and one file of `absent`. */
enum { RUNS = sizeof configurations / sizeof *configurations, BASES, ABSENT_CHOICE = 254, MAX_PATHS = 96 };

struct base {
    unsigned char *bytes;
    size_t size;
    char *paths[MAX_PATHS]; /* of all objects */
    size_t path_count;
};

static struct base bases[BASES];
static char folder[64], path[96], table[96];
static int written;
static bool has_raw_chunk; /* the current file, with chunks written past all filters */

static void read_whole(struct base *base, const char *name)
{
    FILE *file = fopen(name, "rb");
    FUZZ_CLAIM(file && fseek(file, 0, SEEK_END) == 0);
    base->size = (size_t)ftell(file);
    base->bytes = malloc(base->size);
    rewind(file);
    FUZZ_CLAIM(base->bytes && fread(base->bytes, 1, base->size, file) == base->size);
    fclose(file);
}

static herr_t note_path(hid_t file, const char *name, const H5O_info_t *info, void *context)
{
    struct base *base = context;
    (void)file, (void)info;
    if (base->path_count < MAX_PATHS)
        base->paths[base->path_count++] = strdup(name);
    return 0;
}

/* Images of files: the one in the access properties, its copy, and the changed one. */

enum { IMAGES = 8, IMAGE_SIZE = 1 << 22 };

static struct {
    unsigned char bytes[IMAGE_SIZE];
    bool is_taken;
} images[IMAGES];

static void *take_image(size_t size, H5FD_file_image_op_t op, void *context)
{
    (void)op, (void)context;
    for (size_t i = 0; i < IMAGES && size <= IMAGE_SIZE; i++) {
        if (images[i].is_taken)
            continue;
        images[i].is_taken = true;
        return images[i].bytes;
    }
    return NULL;
}

static void *grow_image(void *image, size_t size, H5FD_file_image_op_t op, void *context)
{
    if (!image)
        return take_image(size, op, context);
    return size <= IMAGE_SIZE ? image : NULL;
}

static herr_t free_image(void *image, H5FD_file_image_op_t op, void *context)
{
    (void)op, (void)context;
    for (size_t i = 0; i < IMAGES; i++)
        images[i].is_taken &= image != images[i].bytes;
    return 0;
}

/* If libhdf5 cannot write a file, the file and its copy in memory stay open. */
static void free_images(void)
{
    for (size_t i = 0; i < IMAGES; i++)
        images[i].is_taken = false;
}

static hid_t open_image(const struct base *base)
{
    H5FD_file_image_callbacks_t callbacks = {
        .image_malloc = take_image, .image_realloc = grow_image, .image_free = free_image};
    hid_t access = H5Pcreate(H5P_FILE_ACCESS);
    H5Pset_fapl_core(access, 1 << 16, false);
    H5Pset_file_image_callbacks(access, &callbacks);
    H5Pset_file_image(access, base->bytes, base->size);
    hid_t file = H5Fopen("image", H5F_ACC_RDWR, access);
    H5Pclose(access);
    return file;
}

static void make_base(struct base *base, const char *text)
{
    struct setting setting = {"-s", NULL, "output.observables=false"};
    static struct config config;
    struct output outputs[] = {{path, TRAJECTORY_HDF5}};
    const struct options options = {.threads = 1,
                                    .is_quiet = true,
                                    .is_forced = true,
                                    .progress = PROGRESS_NEVER,
                                    .config = "adams",
                                    .convert = table,
                                    .settings = &setting,
                                    .setting_count = 1,
                                    .outputs = outputs,
                                    .output_count = 1};
    const struct frame nowhere = {0};
    struct stop stop = {0};
    struct error error = {0};
    config_defaults(&config);
    if (text == absent) {
        FILE *file = fopen(table, "w");
        FUZZ_CLAIM(file && fputs(text, file) >= 0 && fclose(file) == 0);
        FUZZ_CLAIM(convert_run(&options, &stop, &error));
        remove(table);
    } else {
        FUZZ_CLAIM(config_read_contents(&config, "base", text, strlen(text), &error) &&
                   config_resolve(&config, &error));
        FUZZ_CLAIM(run_batch(&config, &options, &nowhere, NULL, NULL, &stop, &error));
    }
    read_whole(base, path);
    hid_t file = open_image(base);
    FUZZ_CLAIM(file >= 0);
    H5Ovisit2(file, H5_INDEX_NAME, H5_ITER_INC, note_path, base, H5O_INFO_BASIC);
    H5Fclose(file);
}

static void remove_folder(void)
{
    remove(path);
    rmdir(folder);
}

/* An operation takes longer than a second. */
static void end_loop(int number)
{
    (void)number;
    abort();
}

/* The handlers of libhdf5_guard.c end the process at once. The fuzzer, which stores the input, has its own. */
static void remove_handlers(void)
{
    static const int crashes[] = {SIGFPE, SIGSEGV, SIGBUS, SIGABRT};
    struct sigaction action;
    for (size_t i = 0; i < sizeof crashes / sizeof *crashes; i++)
        if (sigaction(crashes[i], NULL, &action) == 0 && !(action.sa_flags & SA_SIGINFO))
            signal(crashes[i], SIG_DFL);
    signal(SIGVTALRM, end_loop);
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argc, (void)argv;
    snprintf(folder, sizeof folder, "/tmp/boids-fuzz-XXXXXX");
    FUZZ_CLAIM(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/a.h5", folder);
    snprintf(table, sizeof table, "%s/a.csv", folder);
    atexit(remove_folder);
    for (size_t i = 0; i < BASES; i++)
        make_base(&bases[i], i < RUNS ? configurations[i] : absent);
    remove_handlers();
    H5set_free_list_limits(-1, -1, -1, -1, -1, -1);
    written = open(path, O_RDWR);
    FUZZ_CLAIM(written >= 0);
    return 0;
}

/* The input. */

struct input {
    const uint8_t *data;
    size_t size;
};

static unsigned take(struct input *input)
{
    if (input->size == 0)
        return 0;
    input->size--;
    return *input->data++;
}

static const char *take_path(struct input *input, const struct base *base)
{
    return base->paths[take(input) % base->path_count];
}

static hsize_t take_size(struct input *input)
{
    static const hsize_t sizes[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 10, 16, 17, 64, 100, 255, 256};
    return sizes[take(input) % (sizeof sizes / sizeof *sizes)];
}

/* A number at or near a limit. */
static double take_number(struct input *input)
{
    static const double numbers[] = {0,
                                     1,
                                     -1,
                                     2,
                                     3,
                                     1e9,
                                     2147483647,
                                     2147483648.0,
                                     -2e9,
                                     4294967295,
                                     4294967296,
                                     9007199254740994,
                                     1e19,
                                     1e300,
                                     -1e300,
                                     0.5,
                                     (double)NAN,
                                     (double)INFINITY,
                                     -(double)INFINITY,
                                     65536,
                                     32767.99,
                                     1e-310};
    return numbers[take(input) % (sizeof numbers / sizeof *numbers)];
}

static hid_t take_type(struct input *input)
{
    switch (take(input) % 12) {
    case 0: return H5Tcopy(H5T_IEEE_F64LE);
    case 1: return H5Tcopy(H5T_IEEE_F32LE);
    case 2: return H5Tcopy(H5T_STD_I32LE);
    case 3: return H5Tcopy(H5T_STD_I64LE);
    case 4: return H5Tcopy(H5T_STD_U64BE);
    case 5: return H5Tcopy(H5T_IEEE_F64BE);
    case 6: return H5Tcopy(H5T_STD_U8LE);
    case 7: return H5Tvlen_create(H5T_IEEE_F64LE);
    case 8: return H5Tcreate(H5T_OPAQUE, 8);
    case 9: return H5Tcopy(H5T_STD_REF_OBJ);
    default: break;
    }
    hid_t text = H5Tcopy(H5T_C_S1);
    H5Tset_size(text, take_size(input) + 1);
    return text;
}

static hid_t take_space(struct input *input, bool can_grow)
{
    hsize_t size[4], most[4];
    const int rank = (int)(take(input) % 5);
    for (int k = 0; k < rank; k++) {
        size[k] = take_size(input);
        most[k] = H5S_UNLIMITED;
    }
    return rank == 0 ? H5Screate(H5S_SCALAR) : H5Screate_simple(rank, size, can_grow ? most : NULL);
}

/* Changes. libhdf5 itself is not under test: it may crash when it changes a compressed chunk that was modified, and it fills huge
 * extents for minutes. Such changes are avoided. */

enum { MAX_FILLED = 1 << 20 };

static bool is_small(int rank, const hsize_t *size, size_t item)
{
    double bytes = (double)item;
    for (int k = 0; k < rank; k++)
        bytes *= (double)size[k];
    return bytes <= MAX_FILLED;
}

/* True if a dataset of this size may be written. */
static bool is_for_library(hid_t set, int rank, const hsize_t *size)
{
    hid_t type = H5Dget_type(set), properties = H5Dget_create_plist(set);
    const bool is_fit =
        is_small(rank, size, H5Tget_size(type)) && !(has_raw_chunk && H5Pget_nfilters(properties) > 0);
    H5Pclose(properties);
    H5Tclose(type);
    return is_fit;
}

static void change_link(struct input *input, hid_t file, const struct base *base)
{
    const unsigned how = take(input);
    const char *name = take_path(input, base), *other = take_path(input, base);
    switch (how % 5) {
    case 0: H5Ldelete(file, name, H5P_DEFAULT); break;
    case 1: H5Lmove(file, name, file, other, H5P_DEFAULT, H5P_DEFAULT); break;
    case 2:
        if (H5Ldelete(file, name, H5P_DEFAULT) >= 0)
            H5Lcreate_hard(file, other, file, name, H5P_DEFAULT, H5P_DEFAULT);
        break;
    case 3:
        if (H5Ldelete(file, name, H5P_DEFAULT) >= 0)
            H5Lcreate_soft(other, file, name, H5P_DEFAULT, H5P_DEFAULT);
        break;
    default:
        if (H5Ldelete(file, name, H5P_DEFAULT) >= 0)
            H5Lcreate_external("other.h5", other, file, name, H5P_DEFAULT, H5P_DEFAULT);
        break;
    }
}

static void change_attribute(struct input *input, hid_t file, const struct base *base)
{
    static const char *const names[] = {"name", "version", "unit", "boundary", "dimension", "hash", "type"};
    const char *object = take_path(input, base);
    const char *name = names[take(input) % (sizeof names / sizeof *names)];
    hid_t where = H5Oopen(file, object, H5P_DEFAULT);
    H5Adelete(where, name);
    if (take(input) % 4 != 0) {
        unsigned char bytes[512];
        hid_t type = take_type(input), space = take_space(input, false);
        hid_t attribute = H5Acreate2(where, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
        for (size_t i = 0; i < sizeof bytes; i++)
            bytes[i] = (unsigned char)take(input);
        if (H5Tget_class(type) != H5T_VLEN && H5Tget_class(type) != H5T_REFERENCE &&
            (hsize_t)H5Sget_simple_extent_npoints(space) * H5Tget_size(type) <= sizeof bytes)
            H5Awrite(attribute, type, bytes);
        H5Aclose(attribute);
        H5Sclose(space);
        H5Tclose(type);
    }
    H5Oclose(where);
}

/* One number of a dataset. */
static void change_value(struct input *input, hid_t file, const struct base *base)
{
    hid_t set = H5Dopen2(file, take_path(input, base), H5P_DEFAULT);
    hid_t space = H5Dget_space(set), one = H5Screate(H5S_SCALAR);
    hsize_t size[H5S_MAX_RANK] = {0}, place[H5S_MAX_RANK];
    const int rank = H5Sget_simple_extent_dims(space, size, NULL);
    for (int k = 0; k < rank; k++)
        place[k] = size[k] > 0 ? take(input) % size[k] : 0;
    const double value = take_number(input);
    if (rank > 0 && is_for_library(set, rank, size) &&
        H5Sselect_elements(space, H5S_SELECT_SET, 1, place) >= 0)
        H5Dwrite(set, H5T_NATIVE_DOUBLE, one, space, H5P_DEFAULT, &value);
    H5Sclose(one);
    H5Sclose(space);
    H5Dclose(set);
}

static void change_extent(struct input *input, hid_t file, const struct base *base)
{
    hid_t set = H5Dopen2(file, take_path(input, base), H5P_DEFAULT);
    hid_t space = H5Dget_space(set);
    hsize_t size[H5S_MAX_RANK] = {0};
    const int rank = H5Sget_simple_extent_dims(space, size, NULL);
    if (rank > 0)
        size[take(input) % (unsigned)rank] = take_size(input);
    if (rank > 0 && is_for_library(set, rank, size))
        H5Dset_extent(set, size);
    H5Sclose(space);
    H5Dclose(set);
}

/* Replace a dataset by one of another type, dimensions, layout and filters; mostly without values. */
static void change_dataset(struct input *input, hid_t file, const struct base *base)
{
    const char *name = take_path(input, base);
    const unsigned how = take(input);
    hid_t type = take_type(input), space = take_space(input, how & 1);
    hid_t properties = H5Pcreate(H5P_DATASET_CREATE);
    const int rank = H5Sget_simple_extent_ndims(space);
    hsize_t chunk[4] = {0};
    for (int k = 0; how & 3 && k < rank; k++)
        chunk[k] = take_size(input) + 1;
    if (how & 3 && rank > 0 && is_small(rank, chunk, H5Tget_size(type))) {
        H5Pset_chunk(properties, rank, chunk);
        if (how & 4)
            H5Pset_shuffle(properties);
        if (how & 8)
            H5Pset_deflate(properties, 1);
        if (how & 16)
            H5Pset_fletcher32(properties);
    }
    if (how & 32)
        H5Pset_alloc_time(properties, H5D_ALLOC_TIME_LATE);
    H5Ldelete(file, name, H5P_DEFAULT);
    hid_t set = H5Dcreate2(file, name, type, space, H5P_DEFAULT, properties, H5P_DEFAULT);
    H5Dclose(set);
    H5Pclose(properties);
    H5Sclose(space);
    H5Tclose(type);
}

/* Change characters of a text, mostly of the configuration. */
static void change_text(struct input *input, hid_t file, const struct base *base)
{
    static char text[1 << 16];
    const unsigned how = take(input);
    hid_t set = H5Dopen2(file, how % 2 ? "parameters/config" : take_path(input, base), H5P_DEFAULT);
    hid_t type = H5Dget_type(set), space = H5Dget_space(set);
    const size_t size = H5Tget_size(type);
    if (H5Tget_class(type) == H5T_STRING && H5Tis_variable_str(type) == 0 && size > 0 && size < sizeof text &&
        H5Sget_simple_extent_npoints(space) == 1 && is_for_library(set, 0, NULL) &&
        H5Dread(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, text) >= 0) {
        for (unsigned left = take(input) % 16 + 1; left > 0; left--) {
            const size_t at = (take(input) << 8 | take(input)) % size;
            text[at] = (char)take(input);
        }
        H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, text);
    }
    H5Sclose(space);
    H5Tclose(type);
    H5Dclose(set);
}

/* Change the stored bytes of a chunk, which no filter then checks. */
static void change_chunk(struct input *input, hid_t file, const struct base *base)
{
    unsigned char bytes[256];
    const hsize_t origin[4] = {0};
    hid_t set = H5Dopen2(file, take_path(input, base), H5P_DEFAULT);
    hid_t properties = H5Dget_create_plist(set);
    const uint32_t skipped = take(input) % 4;
    const size_t size = take(input) + 1;
    for (size_t i = 0; i < size; i++)
        bytes[i] = (unsigned char)take(input);
    if (H5Pget_layout(properties) == H5D_CHUNKED)
        has_raw_chunk |= H5Dwrite_chunk(set, H5P_DEFAULT, skipped, origin, size, bytes) >= 0;
    H5Pclose(properties);
    H5Dclose(set);
}

/* Free lists of heaps. They are changed in the bytes of the closed file, because the library writes no loops. Loops of
 * B-trees are not made here: libhdf5_guard.c ends the process for them. */

enum { MAX_POKES = 12, MAX_PLACES = 64 };

static struct poke {
    unsigned unused, place, target, how; /* as in older inputs of the corpus */
} pokes[MAX_POKES];
static size_t poke_count;

static void change_heap(struct input *input, hid_t file, const struct base *base)
{
    (void)file, (void)base;
    const struct poke poke = {take(input), take(input), take(input), take(input)};
    if (poke_count < MAX_POKES)
        pokes[poke_count++] = poke;
}

static uint64_t number_at(const unsigned char *bytes)
{
    uint64_t number;
    memcpy(&number, bytes, sizeof number);
    return number;
}

/* The offsets of the heaps. */
static size_t find_heaps(const unsigned char *image, size_t size, size_t *places)
{
    size_t count = 0;
    for (size_t i = 0; i + 64 < size && count < MAX_PLACES; i++)
        if (memcmp(image + i, "HEAP", 4) == 0)
            places[count++] = i;
    return count;
}

/* Lead a free list to another block, or back to itself. */
static void poke_heap(const struct poke *poke, unsigned char *image, size_t size)
{
    size_t places[MAX_PLACES];
    const size_t count = find_heaps(image, size, places);
    if (count == 0)
        return;
    unsigned char *from = image + places[poke->place % count];
    const uint64_t data = number_at(from + 24), block = number_at(from + 16);
    const uint64_t block_size = number_at(from + 8);
    if (data >= size || block_size < 16 || block_size > size - data)
        return;
    const uint64_t to = (uint64_t)poke->target * 8 % (block_size - 15);
    if (poke->how % 2 == 0 && block <= block_size - 16)
        memcpy(image + data + block, poke->how % 4 == 0 ? &block : &to, sizeof to);
    else
        memcpy(from + 16, &to, sizeof to);
}

typedef void change(struct input *input, hid_t file, const struct base *base);

static void change_file(struct input *input, hid_t file, const struct base *base)
{
    static change *const changes[] = {change_value,  change_heap,    change_link, change_attribute,
                                      change_extent, change_dataset, change_text, change_chunk};
    for (int count = 0; input->size > 0 && count < 12; count++) {
        changes[take(input) % (sizeof changes / sizeof *changes)](input, file, base);
        H5Fflush(file, H5F_SCOPE_GLOBAL);
    }
}

static void write_changed(struct input *input)
{
    static unsigned char image[1 << 22];
    const unsigned choice = take(input);
    const struct base *base = &bases[choice == ABSENT_CHOICE ? RUNS : choice % RUNS];
    free_images();
    has_raw_chunk = false;
    poke_count = 0;
    hid_t file = open_image(base);
    FUZZ_CLAIM(file >= 0);
    change_file(input, file, base);
    H5Fflush(file, H5F_SCOPE_GLOBAL);
    const ssize_t found = H5Fget_file_image(file, image, sizeof image);
    const size_t size = found > 0 ? (size_t)found : 0;
    H5Fclose(file);
    for (size_t i = 0; i < poke_count; i++)
        poke_heap(&pokes[i], image, size);
    FUZZ_CLAIM(pwrite(written, image, size, 0) == (ssize_t)size && ftruncate(written, (off_t)size) == 0);
}

/* Reading. */

static void check_finite(const struct frame *state)
{
    for (size_t i = 0; i < state->boids + state->predators; i++) {
        const struct agent *agent = &state->agents[i];
        FUZZ_CLAIM(isfinite(agent->x) && isfinite(agent->y) && isfinite(agent->vx) && isfinite(agent->vy));
    }
}

static void read_state(const char *step)
{
    char place[128];
    struct frame state;
    struct error error = {0};
    snprintf(place, sizeof place, "%s%s", path, step);
    FUZZ_CLAIM(frame_read(&state, place, &error) == (error.status == ERROR_NONE));
    check_finite(&state);
    frame_free(&state);
}

/* Read all frames, and copy their observables or measure them. */
static void convert(const char *observables)
{
    struct setting setting = {"-s", NULL, observables};
    struct stop stop = {0};
    struct error error = {0};
    const struct options options = {.convert = path,
                                    .is_quiet = true,
                                    .settings = &setting,
                                    .setting_count = 1,
                                    .observables = (char[]){"/dev/null"}};
    FUZZ_CLAIM(convert_run(&options, &stop, &error) == (error.status == ERROR_NONE));
}

static void read_from(void)
{
    static struct config config;
    const struct options options = {.from = path, .is_quiet = true};
    struct frame start = {0};
    struct error error = {0};
    FUZZ_CLAIM(configure(&config, &start, &options, &error) == (error.status == ERROR_NONE));
    check_finite(&start);
    frame_free(&start);
}

static void read_past(void)
{
    static struct config config;
    const struct options options = {.resume = path, .is_quiet = true};
    struct previous_run past = {0};
    struct error error = {0};
    double values[4];
    if (configure_resume(&config, &past, &options, &error)) {
        check_finite(&past.last);
        FUZZ_CLAIM(past.last.boids == config.model.boid_count);
        previous_run_observable(&past, "polarization", values, past.frames < 4 ? past.frames : 4, &error);
    } else {
        FUZZ_CLAIM(error.status != ERROR_NONE);
    }
    previous_run_free(&past);
}

static ssize_t count_open(void)
{
    return H5Fget_obj_count((hid_t)H5F_OBJ_ALL, H5F_OBJ_ALL);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct input input = {data, size};
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    const unsigned reader = take(&input);
    write_changed(&input);
    const ssize_t before = count_open();
    switch (reader % 5) {
    case 0: read_state(""); break;
    case 1: read_state("@2"); break;
    case 2:
        convert("output.observables=[\"polarization\"]");
        convert("output.observables=true");
        break;
    case 3: read_from(); break;
    default: read_past(); break;
    }
    FUZZ_CLAIM(count_open() == before);
    return 0;
}
