/* A suite of cmocka. TEST(name) { ... } defines a test and adds it to the suite, in the order of the file. */
#pragma once

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))

static struct CMUnitTest suite[100];
static size_t suite_size;

static inline void suite_add(struct CMUnitTest test)
{
    if (suite_size == COUNT(suite))
        abort();
    suite[suite_size++] = test;
}

#define TEST(name)                                            \
    static void name(void **state);                           \
    __attribute__((constructor)) static void add_##name(void) \
    {                                                         \
        suite_add((struct CMUnitTest)cmocka_unit_test(name)); \
    }                                                         \
    static void name(void **state)

#define RUN_SUITE(name, setup, teardown) _cmocka_run_group_tests(name, suite, suite_size, setup, teardown)

#define SUITE(name)                         \
    int main(void)                          \
    {                                       \
        return RUN_SUITE(name, NULL, NULL); \
    }
