/* Shared by the harnesses. Each is one file fuzz_NAME.c with libFuzzer's two functions. `make fuzz` links it with libFuzzer; the
 * tests link it with replay.c, which feeds it the files of corpus/NAME.
 *
 * A harness finds more than crashes: if there are two ways to a result, it compares them. */
#ifndef FUZZ_H
#define FUZZ_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
__attribute__((weak)) int LLVMFuzzerInitialize(int *argc, char ***argv); /**< optional */

/** A claim that holds for every input; checked in every build. */
#define FUZZ_CLAIM(claim)                                                                     \
    do {                                                                                      \
        if (!(claim)) {                                                                       \
            fprintf(stderr, "%s:%d: it does not hold that %s\n", __FILE__, __LINE__, #claim); \
            abort();                                                                          \
        }                                                                                     \
    } while (0)

#endif
