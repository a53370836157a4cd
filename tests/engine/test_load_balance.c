/* Subdomains begin where the ranks have as much to do: seen by made-up weights and times. No clock is read. */
#include "engine/domain_partition.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { RANKS = 4, ROWS = 100, EVERY = 64 };

/* One rank that plays all: what there is to do in each row, and what a unit of it takes each rank. */
struct play {
    struct partition partition;
    struct load_balance balance;
    uint64_t weights[ROWS];
    double seconds[RANKS]; /* per unit of weight */
    struct comm comm;
    int looks;
};

static double weight_of(const struct play *play, uint32_t rank)
{
    double sum = 0;
    for (uint32_t row = play->partition.first[rank]; row < play->partition.first[rank + 1]; row++)
        sum += (double)play->weights[row];
    return sum;
}

/* What the others say of their times. */
static void allreduce(const struct comm *comm, uint64_t *words, size_t count, enum comm_op how)
{
    const struct play *play = comm->context;
    (void)how;
    assert_int_equal(count, ROWS + RANKS);
    for (uint32_t r = 1; r < RANKS && words[ROWS] > 0; r++)
        words[ROWS + r] = (uint64_t)(1e9 * play->seconds[r] * weight_of(play, r));
}

static struct play *begin(void)
{
    struct play *play = calloc(1, sizeof *play);
    assert_true(partition_init(&play->partition, RANKS, ROWS));
    assert_true(load_balance_init(&play->balance, &play->partition));
    play->comm = (struct comm){.count = RANKS, .context = play, .allreduce = allreduce};
    for (int row = 0; row < ROWS; row++)
        play->weights[row] = 1000;
    for (int r = 0; r < RANKS; r++)
        play->seconds[r] = 1e-6;
    return play;
}

static void end(struct play *play)
{
    load_balance_free(&play->balance);
    partition_free(&play->partition);
    free(play);
}

static void fly(struct play *play, int steps)
{
    struct load_balance *balance = &play->balance;
    for (int i = 0; i < steps; i++) {
        load_balance_record(balance, play->seconds[0] * weight_of(play, 0));
        if (!load_balance_is_due(balance))
            continue;
        load_balance_clear(balance);
        memcpy(balance->words, play->weights, sizeof play->weights);
        load_balance_update(balance, &play->partition, &play->comm);
        play->looks++;
    }
}

/* Of the times that the ranks take. */
static double ratio(const struct play *play)
{
    double most = 0, sum = 0;
    for (uint32_t r = 0; r < RANKS; r++) {
        const double seconds = play->seconds[r] * weight_of(play, r);
        most = seconds > most ? seconds : most;
        sum += seconds;
    }
    return most * RANKS / sum;
}

static void clump_in(struct play *play, int first, int rows)
{
    for (int row = 0; row < ROWS; row++)
        play->weights[row] = row >= first && row < first + rows ? 81000 : 1000;
}

static void clump(struct play *play)
{
    clump_in(play, 30, 10);
}

static void a_clump_is_divided_after_the_first_step(void **state)
{
    struct play *play = begin();
    (void)state;
    clump(play);
    assert_true(ratio(play) > 3);
    fly(play, 1);
    assert_true(ratio(play) < 1.3);
    assert_int_equal(play->balance.moves, 1);
    end(play);
}

/* One look does not believe it all. */
static void a_slow_rank_gets_less_to_do(void **state)
{
    struct play *play = begin();
    (void)state;
    play->seconds[2] = 3e-6;
    assert_true(ratio(play) > 1.9);
    fly(play, 6 * EVERY);
    assert_true(ratio(play) < 1.1);
    end(play);
}

static void boundaries_stay_if_no_rank_exceeds_the_mean_by_much(void **state)
{
    struct play *play = begin();
    (void)state;
    play->seconds[1] = 1.1e-6;
    for (int row = 0; row < ROWS; row++)
        play->weights[row] += (uint64_t)row % 7 * 10;
    fly(play, 20 * EVERY);
    assert_int_equal(play->balance.moves, 0);
    end(play);
}

/* Two rows in the time between two looks, or ten, were they as rare as in a flock that stays. */
static void boundaries_follow_a_clump_that_wanders(void **state)
{
    struct play *play = begin();
    double sum = 0;
    (void)state;
    clump_in(play, 0, 40);
    fly(play, 1);
    for (int first = 0; first < 60; first++) {
        clump_in(play, first, 40);
        fly(play, 6);
        sum += ratio(play);
    }
    assert_true(sum / 60 < 1.2);
    end(play);
}

static void a_static_flock_is_seldom_rebalanced(void **state)
{
    struct play *play = begin();
    (void)state;
    fly(play, 1 + 8 + 16 + 32 + 20 * EVERY);
    assert_int_equal(play->looks, 1 + 3 + 20);
    end(play);
}

/* A row is the grain. Once everybody has one of the rows there is nothing to be had by moving. */
static void boundaries_of_a_flock_in_three_rows_come_to_rest(void **state)
{
    struct play *play = begin();
    (void)state;
    memset(play->weights, 0, sizeof play->weights);
    for (int row = 50; row < 53; row++)
        play->weights[row] = 5000;
    fly(play, 20 * EVERY);
    assert_true(play->balance.moves <= 1);
    assert_true(ratio(play) <= 4 * 2.0 / 3 + 1e-9);
    end(play);
}

static void ten_per_cent_of_timing_noise_moves_no_boundary(void **state)
{
    struct play *play = begin();
    uint32_t draw = 1;
    (void)state;
    for (int i = 0; i < 50; i++) {
        for (int r = 0; r < RANKS; r++) {
            draw = draw * 1664525U + 1013904223U;
            play->seconds[r] = 1e-6 * (0.9 + 0.2 * draw / 4294967296.0);
        }
        fly(play, EVERY);
    }
    assert_int_equal(play->balance.moves, 0);
    end(play);
}

static void a_rank_without_boids_is_not_taken_for_a_fast_one(void **state)
{
    struct play *play = begin();
    (void)state;
    memset(play->weights + 10, 0, sizeof play->weights - 10 * sizeof *play->weights);
    play->seconds[3] = 0;
    fly(play, 20 * EVERY);
    for (int r = 0; r < RANKS; r++)
        assert_true(play->balance.cost_factor[r] > 0);
    end(play);
}

/* The least that any two partition make of three subdomains. */
static double best_of_three(const struct play *play)
{
    double best = 1e300;
    struct partition partition = play->partition;
    const double cost_factor[] = {1, 1, 1};
    const struct partition_costs costs = {play->weights, cost_factor};
    uint32_t first[4] = {0, 0, 0, partition.rows};
    partition.first = first;
    for (first[1] = 2; first[1] + 4 <= partition.rows; first[1]++)
        for (first[2] = first[1] + 2; first[2] + 2 <= partition.rows; first[2]++) {
            const double ratio = partition_imbalance(&partition, &costs);
            best = ratio < best ? ratio : best;
        }
    return best;
}

static void boundaries_by_costs_are_nearly_the_best_of_all(void **state)
{
    const double cost_factor[] = {1, 1, 1};
    uint32_t draw = 7;
    struct play *play = begin();
    (void)state;
    partition_free(&play->partition);
    assert_true(partition_init(&play->partition, 3, 12));
    for (int attempt = 0; attempt < 200; attempt++) {
        for (int row = 0; row < 12; row++) {
            draw = draw * 1664525U + 1013904223U;
            play->weights[row] = draw >> 24;
        }
        const struct partition_costs costs = {play->weights, cost_factor};
        const double ratio = partition_evaluate(&play->partition, &costs);
        assert_true(ratio <= 1.2 * best_of_three(play));
        partition_apply(&play->partition);
        assert_true(partition_imbalance(&play->partition, &costs) == ratio);
        for (uint32_t r = 0; r < 3; r++) {
            assert_true(play->partition.first[r + 1] >= play->partition.first[r] + PARTITION_MIN_ROWS);
            assert_int_equal(play->partition.owner[play->partition.first[r]], r);
        }
    }
    end(play);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_clump_is_divided_after_the_first_step),
        cmocka_unit_test(a_slow_rank_gets_less_to_do),
        cmocka_unit_test(boundaries_stay_if_no_rank_exceeds_the_mean_by_much),
        cmocka_unit_test(boundaries_follow_a_clump_that_wanders),
        cmocka_unit_test(a_static_flock_is_seldom_rebalanced),
        cmocka_unit_test(boundaries_of_a_flock_in_three_rows_come_to_rest),
        cmocka_unit_test(ten_per_cent_of_timing_noise_moves_no_boundary),
        cmocka_unit_test(a_rank_without_boids_is_not_taken_for_a_fast_one),
        cmocka_unit_test(boundaries_by_costs_are_nearly_the_best_of_all),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
