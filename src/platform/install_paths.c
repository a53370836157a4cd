/* The shortest name of a file is printed: a bare word if PATH finds it, else a path from the current folder, else the
 * whole path. */
#include "install_paths.h"

#include "config/config.h"
#include "shell_quote.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

void install_path_of_program(char *folder, size_t size)
{
    const ssize_t length = readlink("/proc/self/exe", folder, size - 1);
    folder[length < 0 ? 0 : length] = '\0';
    char *slash = strrchr(folder, '/');
    if (slash)
        *slash = '\0';
    else
        snprintf(folder, size, ".");
}

static bool is_same(const char *one, const char *other)
{
    struct stat a, b;
    return stat(one, &a) == 0 && stat(other, &b) == 0 && a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

/* True if a shell runs this program for the bare name. */
static bool is_on_path(const char *name, const char *program)
{
    const char *folder = getenv("PATH");
    char path[CONFIG_PATH_SIZE];
    while (folder && *folder != '\0') {
        const size_t length = strcspn(folder, ":");
        snprintf(path, sizeof path, "%.*s/%s", (int)length, folder, name);
        if (access(path, X_OK) == 0)
            return is_same(path, program);
        folder += length + (folder[length] == ':');
    }
    return false;
}

/* Path of `name` relative to the folder of the program; false if it does not exist. */
static bool find(const char *name, char path[CONFIG_PATH_SIZE])
{
    char own[CONFIG_PATH_SIZE / 2];
    install_path_of_program(own, sizeof own);
    snprintf(path, CONFIG_PATH_SIZE, "%s/%s", own, name);
    return access(path, R_OK) == 0;
}

static bool find_installed(char *command, size_t size)
{
    static const char name[] = "boids-plot";
    char path[CONFIG_PATH_SIZE], word[SHELL_QUOTE_SIZE];
    if (!find(name, path))
        return false;
    snprintf(command, size, "%s", is_on_path(name, path) ? name : shell_quote(path, word));
    return true;
}

/* In a checkout the program is in the top folder or in a folder of build/. */
static bool find_checked_out(char *command, size_t size)
{
    static const char script[] = "scripts/plot.py";
    char path[CONFIG_PATH_SIZE], word[SHELL_QUOTE_SIZE];
    if (!find(script, path) && !find("../../scripts/plot.py", path))
        return false;
    char *whole = realpath(path, NULL);
    snprintf(command, size, "python3 %s",
             is_same(script, path) ? script : shell_quote(whole ? whole : path, word));
    free(whole);
    return true;
}

bool install_path_of_plot(char *command, size_t size)
{
    return find_installed(command, size) || find_checked_out(command, size);
}
