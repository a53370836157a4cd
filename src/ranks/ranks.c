/* What is the same however ranks reach each other. */
#include "ranks.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

bool ranks_leads(const struct ranks *ranks)
{
    return ranks->rank == 0;
}

bool ranks_all(const struct ranks *ranks, bool is_true)
{
    uint64_t word = is_true;
    if (ranks->count > 1)
        ranks->merge(ranks, &word, 1, RANKS_LEAST);
    return word != 0;
}

struct fault ranks_named(const struct ranks *ranks, const struct fault *fault)
{
    struct fault whole = {0};
    char host[256] = "";
    gethostname(host, sizeof host - 1);
    if (fault->status == FAULT_REFUSED)
        fault_refuse(&whole, "rank %d on %s: %s", ranks->rank, host, fault->sentence);
    else
        fault_fail(&whole, "rank %d on %s: %s", ranks->rank, host, fault->sentence);
    return whole;
}

/* A rank that has heard that something failed elsewhere has no fault of its own. */
static uint64_t vote_of(const struct ranks *ranks, bool is_good, const struct fault *fault)
{
    const uint64_t rank = (uint64_t)ranks->rank, count = (uint64_t)ranks->count;
    if (is_good)
        return 2 * count;
    return fault->status != FAULT_NONE ? rank : count + rank;
}

bool ranks_agree(const struct ranks *ranks, bool is_good, struct fault *fault)
{
    const uint64_t count = (uint64_t)ranks->count;
    uint64_t vote = vote_of(ranks, is_good, fault);
    if (ranks->count == 1)
        return is_good;
    ranks->merge(ranks, &vote, 1, RANKS_LEAST);
    if (vote == 2 * count)
        return true;
    const int from = (int)(vote % count);
    struct fault first = {0};
    if (ranks->rank == from)
        first = ranks_leads(ranks) ? *fault : ranks_named(ranks, fault);
    ranks->spread(ranks, from, &first, sizeof first);
    *fault = first;
    return false;
}

int ranks_number(const struct ranks *ranks, bool is_one, int *count)
{
    int before = 0;
    uint64_t *words = calloc((size_t)ranks->count, sizeof *words);
    if (!words)
        ranks_give_up("there is no memory to count ranks");
    words[ranks->rank] = is_one;
    ranks->merge(ranks, words, (size_t)ranks->count, RANKS_SUM);
    *count = 0;
    for (int r = 0; r < ranks->count; r++) {
        before += r < ranks->rank && words[r] > 0;
        *count += words[r] > 0;
    }
    free(words);
    return before;
}

/* How many words each rank has; to be freed. */
static uint64_t *count_words(const struct ranks *ranks, size_t count)
{
    uint64_t *counts = calloc((size_t)ranks->count, sizeof *counts);
    if (!ranks_all(ranks, counts != NULL) || !counts) {
        free(counts);
        return NULL;
    }
    counts[ranks->rank] = count;
    ranks->merge(ranks, counts, (size_t)ranks->count, RANKS_SUM);
    return counts;
}

/* All others have zeros where one has its words, so that sums are what was there. */
uint64_t *ranks_collect(const struct ranks *ranks, const uint64_t *words, size_t count, size_t *before,
                        size_t *total)
{
    uint64_t *counts = count_words(ranks, count);
    if (!counts)
        return NULL;
    *before = *total = 0;
    for (int r = 0; r < ranks->count; r++) {
        *before += r < ranks->rank ? counts[r] : 0;
        *total += counts[r];
    }
    free(counts);
    uint64_t *all = calloc(*total + 1, sizeof *all);
    if (!ranks_all(ranks, all != NULL) || !all) {
        free(all);
        return NULL;
    }
    if (count > 0)
        memcpy(all + *before, words, count * sizeof *words);
    if (*total > 0)
        ranks->merge(ranks, all, *total, RANKS_SUM);
    return all;
}

char *ranks_copy_text(const struct ranks *ranks, const char *text)
{
    uint64_t size = text ? strlen(text) + 1 : 0;
    if (ranks->count == 1)
        return text ? strdup(text) : NULL;
    ranks->spread(ranks, 0, &size, sizeof size);
    char *copy = malloc(size);
    if (copy && text)
        memcpy(copy, text, size);
    if (!ranks_all(ranks, copy != NULL)) {
        free(copy);
        return NULL;
    }
    ranks->spread(ranks, 0, copy, size);
    return copy;
}
