/* Presets are searched in three folders: first `configs` next to the executable (a checkout), then
 * ../share/boids/configs (an installation, even if it was moved), then the folder that `make install` used. */
#include "presets.h"

#include "base/install_paths.h"
#include "base/terminal_text.h"
#include "config/config.h"
#include "config/text.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#ifndef BOIDS_DATADIR
#define BOIDS_DATADIR "/usr/local/share/boids"
#endif

enum { FOLDERS = 3, FOLDER_SIZE = CONFIG_PATH_SIZE };

static const char ending[] = ".json";

static void find_folder(int i, char *folder)
{
    static const char *const beside[] = {"configs", "../share/boids/configs"};
    char own[FOLDER_SIZE / 2];
    if (i == FOLDERS - 1) {
        snprintf(folder, FOLDER_SIZE, "%s/configs", BOIDS_DATADIR);
        return;
    }
    install_path_of_program(own, sizeof own);
    snprintf(folder, FOLDER_SIZE, "%s/%s", own, beside[i]);
}

/* Whether a path is a file, or a FIFO or device that can be read like a file. */
static bool is_file(const char *path)
{
    struct stat status;
    return stat(path, &status) == 0 &&
           (S_ISREG(status.st_mode) || S_ISFIFO(status.st_mode) || S_ISCHR(status.st_mode));
}

static bool is_preset_name(const char *name)
{
    const char *dot = strrchr(name, '.');
    return dot && strcmp(dot, ending) == 0;
}

static int is_preset(const struct dirent *entry)
{
    return is_preset_name(entry->d_name);
}

/* Find the preset with the most similar name; the name is empty if there is none. */
static struct config_text_nearest nearest_preset(const char *word)
{
    char bare[CONFIG_TEXT_EDITS_LIMIT]; /* name without .json */
    const size_t length = strlen(word) - (is_preset_name(word) ? strlen(ending) : 0);
    snprintf(bare, sizeof bare, "%.*s", (int)length, word);
    struct config_text_nearest nearest = config_text_nearest_begin(bare);
    char folder[FOLDER_SIZE], name[CONFIG_TEXT_EDITS_LIMIT];
    for (int i = 0; i < FOLDERS && nearest.name[0] == '\0'; i++) {
        find_folder(i, folder);
        DIR *entries = opendir(folder);
        for (struct dirent *entry; entries && (entry = readdir(entries));) {
            if (!is_preset(entry))
                continue;
            snprintf(name, sizeof name, "%.*s", (int)(strlen(entry->d_name) - strlen(ending)), entry->d_name);
            config_text_nearest_add(&nearest, name);
        }
        if (entries)
            closedir(entries);
    }
    return nearest;
}

bool presets_find(const char *word, char *path, size_t size, struct error *error)
{
    const bool is_bare = !strchr(word, '/') && strcmp(word, "-") != 0;
    if (strlen(word) >= size)
        return error_refuse(error, "the path given with --config is longer than %zu bytes", size - 1);
    for (int i = 0; i < FOLDERS && is_bare && !is_file(word); i++) {
        char folder[FOLDER_SIZE];
        find_folder(i, folder);
        if (snprintf(path, size, "%s/%s%s", folder, word, ending) < (int)size && is_file(path))
            return true;
    }
    snprintf(path, size, "%s", word);
    /* If the path is a folder, the error is reported when it is read. */
    if (!is_bare || access(word, F_OK) == 0)
        return true;
    const struct config_text_nearest nearest = nearest_preset(word);
    if (nearest.name[0] != '\0')
        return error_refuse(error, "%s is neither a file nor a preset; did you mean %s?", word, nearest.name);
    return error_refuse(error, "%s is neither a file nor a preset; boids --presets lists the presets", word);
}

bool presets_list(struct error *error)
{
    char folder[FOLDER_SIZE], path[2 * FOLDER_SIZE];
    struct dirent **entries = NULL;
    struct config *config = malloc(sizeof *config);
    int count = -1;
    for (int i = 0; i < FOLDERS && count <= 0; i++) {
        find_folder(i, folder);
        count = scandir(folder, &entries, is_preset, alphasort);
    }
    bool is_good = count > 0 || error_fail(error, "no presets are installed");
    is_good = is_good && (config || error_fail(error, "out of memory for a configuration"));
    for (int i = 0; i < count; i++) {
        const char *name = entries[i]->d_name;
        snprintf(path, sizeof path, "%s/%s", folder, name);
        if (is_good) {
            config_defaults(config);
            is_good = config_read(config, path, error);
        }
        if (is_good)
            terminal_print(stdout, "%-14.*s %s\n", (int)(strlen(name) - strlen(ending)), name, config->title);
        free(entries[i]);
    }
    free(entries);
    free(config);
    return is_good;
}
