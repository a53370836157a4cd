/* Whoever wrote the file is asked first: what else is a text in some place is no configuration. */
#include "config.h"

#include "proof.h"
#include "read.h"

#include <stdlib.h>
#include <string.h>

static enum hdf5_found find_creator(const struct hdf5_source *source, struct fault *fault)
{
    char creator[16];
    const enum hdf5_found found =
        hdf5_read_word(source, "h5md/creator", "name", creator, sizeof creator, fault);
    return found == HDF5_FOUND && strcmp(creator, "boids") != 0 ? HDF5_ABSENT : found;
}

bool hdf5_config_is_ours(const struct hdf5_source *source, struct fault *fault)
{
    const enum hdf5_found found = find_creator(source, fault);
    return found == HDF5_FOUND ||
           (found == HDF5_ABSENT && fault_refuse(fault, "%s: boids did not write it", source->name));
}

static bool is_proven(const struct hdf5_source *source, const char *config, struct fault *fault)
{
    struct hdf5_proof proof;
    return hdf5_proof_open(&proof, source, fault) && hdf5_proof_check_config(&proof, source, config, fault);
}

enum hdf5_found hdf5_config_read(const struct hdf5_source *source, char **config, struct fault *fault)
{
    *config = NULL;
    enum hdf5_found found = find_creator(source, fault);
    if (found == HDF5_FOUND)
        found = hdf5_read_text(source, "parameters/config", config, fault);
    if (found != HDF5_FOUND || is_proven(source, *config, fault))
        return found;
    free(*config);
    *config = NULL;
    return HDF5_FAULT;
}
