/* A loop over the elements of an array. */
#pragma once

/** Visit each element of an array, which is not a pointer: `item` points to it. */
#define FOR_EACH(item, array) \
    for (__typeof__(*(array)) *item = (array); item < (array) + sizeof(array) / sizeof *(array); item++)
