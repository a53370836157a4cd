/* Feeds a harness each file of its corpus, or the given files. Its one claim: no error that was found before returns. */
#include "fuzz.h"

#include <dirent.h>
#include <limits.h>

static int replay(const char *path)
{
    static uint8_t data[1 << 20];
    FILE *file = fopen(path, "rb");
    if (!file) {
        perror(path);
        exit(1);
    }
    const size_t size = fread(data, 1, sizeof data, file);
    fclose(file);
    /* In a block of exactly that size, so that a sanitizer detects reads beyond its end. */
    uint8_t *input = malloc(size + (size == 0));
    for (size_t i = 0; i < size; i++)
        input[i] = data[i];
    printf("%s\n", path);
    fflush(stdout);
    LLVMFuzzerTestOneInput(input, size);
    free(input);
    return 1;
}

static int replay_folder(const char *name)
{
    char path[PATH_MAX];
    int count = 0;
    DIR *folder = opendir(name);
    if (!folder) {
        perror(name);
        exit(1);
    }
    for (struct dirent *entry; (entry = readdir(folder));)
        if (entry->d_name[0] != '.') {
            snprintf(path, sizeof path, "%s/%s", name, entry->d_name);
            count += replay(path);
        }
    closedir(folder);
    return count;
}

int main(int argc, char **argv)
{
    int count = 0;
    if (LLVMFuzzerInitialize)
        LLVMFuzzerInitialize(&argc, &argv);
    for (int i = 1; i < argc; i++)
        count += replay(argv[i]);
    if (argc == 1)
        count = replay_folder(CORPUS);
    printf("%d inputs\n%d passed, %d failed\n", count, count > 0, count == 0);
    return count > 0 ? 0 : 1;
}
