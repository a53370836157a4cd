/* Attributes of /parameters say so, and only in files that lack something: `boids` is what output.boids was, `fields` the one
 * field that there is. No hash covers them; but where boids are left out, ids of all of them stand beside the initial state. */
#include "contents.h"

#include "read.h"
#include "shell.h"

#include <string.h>

enum { WORD_SIZE = 64 };

static enum hdf5_found read_word(char word[WORD_SIZE], const struct hdf5_source *source,
                                 const char *attribute, struct fault *fault)
{
    return hdf5_read_word(source, "parameters", attribute, word, WORD_SIZE, fault);
}

static enum hdf5_found find_other_ids(const struct hdf5_source *source, struct fault *fault)
{
    hid_t object;
    const enum hdf5_found found = hdf5_source_find(source, "checkpoint/initial_id", &object, fault);
    if (found == HDF5_FOUND)
        H5Oclose(object);
    return found;
}

bool hdf5_contents_read(struct hdf5_contents *contents, const struct hdf5_source *source, struct fault *fault)
{
    char word[WORD_SIZE];
    const enum hdf5_found boids = read_word(word, source, "boids", fault);
    if (boids == HDF5_FAULT)
        return false;
    const enum hdf5_found others = find_other_ids(source, fault);
    if (others == HDF5_FAULT)
        return false;
    const enum hdf5_found fields = read_word(word, source, "fields", fault);
    *contents = (struct hdf5_contents){
        .has_all_boids = boids == HDF5_ABSENT && others == HDF5_ABSENT,
        .has_positions = fields == HDF5_ABSENT || strcmp(word, "velocity") != 0,
        .has_velocities = fields == HDF5_ABSENT || strcmp(word, "position") != 0,
    };
    return fields != HDF5_FAULT;
}

bool hdf5_contents_are_whole(const struct hdf5_contents *contents)
{
    return contents->has_all_boids && contents->has_positions && contents->has_velocities;
}

bool hdf5_contents_refuse(const struct hdf5_contents *contents, const char *name, const char *what,
                          struct fault *fault)
{
    char word[SHELL_WORD_SIZE];
    const bool has_fields = contents->has_positions && contents->has_velocities;
    const char *field = contents->has_positions ? "no velocities" : "no positions";
    return fault_refuse(
        fault, "%s: it holds %s%s%s, so that %s; fly it again with all: boids --from %s%s%s -o OTHER.h5",
        name, contents->has_all_boids ? "" : "only some of the boids",
        contents->has_all_boids || has_fields ? "" : " and ", has_fields ? "" : field, what,
        shell_word(name, word), contents->has_all_boids ? "" : " -s output.boids=all",
        has_fields ? "" : " -s 'output.fields=[\"position\",\"velocity\"]'");
}
