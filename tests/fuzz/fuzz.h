/* What the harnesses share. Each is one file fuzz_NAME.c with libFuzzer's two functions; `make fuzz` links it with libFuzzer,
 * and every test run with replay.c, which feeds it the files of corpus/NAME.
 *
 * A harness looks for more than crashes: where two ways lead to the same thing, it takes both and compares. */
#ifndef FUZZ_H
#define FUZZ_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerInitialize(int *argc, char ***argv);

/** A claim that holds whatever the input; live in every build. */
#define FUZZ_CLAIM(claim)                                                                     \
    do {                                                                                      \
        if (!(claim)) {                                                                       \
            fprintf(stderr, "%s:%d: it does not hold that %s\n", __FILE__, __LINE__, #claim); \
            abort();                                                                          \
        }                                                                                     \
    } while (0)

#endif
