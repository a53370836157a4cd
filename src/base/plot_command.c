/* Messages use the shortest name of a file: its bare name if PATH contains its folder, otherwise a relative path,
 * otherwise the absolute path. */
#include "plot_command.h"

#include "base/shell_quote.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { INSTALL_PATH_SIZE = 4096 };

static bool lead_to_one_file(const char *one, const char *other)
{
    struct stat a, b;
    return stat(one, &a) == 0 && stat(other, &b) == 0 && a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

/* True if `name` alone, typed in a shell, runs `program`. */
static bool is_on_path(const char *name, const char *program)
{
    const char *folder = getenv("PATH");
    char path[INSTALL_PATH_SIZE];
    while (folder && *folder != '\0') {
        const size_t length = strcspn(folder, ":");
        snprintf(path, sizeof path, "%.*s/%s", (int)length, folder, name);
        if (access(path, X_OK) == 0)
            return lead_to_one_file(path, program);
        folder += length + (folder[length] == ':');
    }
    return false;
}

/* Write the path of `name` in the folder of the running executable, or in the current folder if the system does not
 * report it; false if there is no such file. */
static bool find_beside_program(const char *name, char path[INSTALL_PATH_SIZE])
{
    const ssize_t length = readlink("/proc/self/exe", path, INSTALL_PATH_SIZE / 2);
    path[length > 0 ? length : 0] = '\0';
    char *slash = strrchr(path, '/');
    char *end = slash ? slash + 1 : path;
    snprintf(end, INSTALL_PATH_SIZE - (size_t)(end - path), "%s%s", slash ? "" : "./", name);
    return access(path, R_OK) == 0;
}

bool plot_command_find(char *command, size_t size)
{
    static const char name[] = "boids-plot", here[] = "./boids-plot";
    char path[INSTALL_PATH_SIZE], word[SHELL_QUOTE_SIZE];
    /* In a checkout the program may be in a folder of build/. */
    const bool is_beside = find_beside_program(name, path);
    if (!is_beside && !find_beside_program("../../boids-plot", path))
        return false;
    char *whole = is_beside ? NULL : realpath(path, NULL);
    snprintf(command, size, "%s",
             is_on_path(name, path)         ? name
             : lead_to_one_file(here, path) ? here
                                            : shell_quote(whole ? whole : path, word));
    free(whole);
    return true;
}
