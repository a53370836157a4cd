/* Load balancing moves the boundaries of subdomains until all ranks have the same work. */
#include "../suite.h"
#include "engine/mpi/domain_partition.h"

enum { RANKS = 4, ROWS = 100, EVERY = 64 };

/* All ranks, simulated by one: the work of each row. */
struct simulated_ranks {
    struct partition partition;
    struct load_balance balance;
    uint64_t weights[ROWS];
    struct comm comm;
    int measurements;
};

static double weight_of(const struct simulated_ranks *ranks, uint32_t rank)
{
    double sum = 0;
    for (uint32_t row = ranks->partition.first[rank]; row < ranks->partition.first[rank + 1]; row++)
        sum += (double)ranks->weights[row];
    return sum;
}

/* The costs of all rows are known already. */
static void allreduce(const struct comm *comm, uint64_t *words, size_t count, enum comm_op how)
{
    (void)comm, (void)words, (void)how;
    assert_int_equal(count, ROWS);
}

static struct simulated_ranks *begin(void)
{
    struct simulated_ranks *ranks = calloc(1, sizeof *ranks);
    assert_true(partition_init(&ranks->partition, RANKS, ROWS));
    assert_true(load_balance_init(&ranks->balance, &ranks->partition));
    ranks->comm = (struct comm){.count = RANKS, .allreduce = allreduce};
    for (int row = 0; row < ROWS; row++)
        ranks->weights[row] = 1000;
    return ranks;
}

static void end(struct simulated_ranks *ranks)
{
    load_balance_free(&ranks->balance);
    partition_free(&ranks->partition);
    free(ranks);
}

static void run_steps(struct simulated_ranks *ranks, int steps)
{
    struct load_balance *balance = &ranks->balance;
    for (int i = 0; i < steps; i++) {
        if (!load_balance_is_due(balance))
            continue;
        load_balance_clear(balance);
        memcpy(balance->costs, ranks->weights, sizeof ranks->weights);
        load_balance_update(balance, &ranks->partition, &ranks->comm);
        ranks->measurements++;
    }
}

/* The maximum of the ranks' work divided by its mean. */
static double ratio(const struct simulated_ranks *ranks)
{
    double max = 0, sum = 0;
    for (uint32_t r = 0; r < RANKS; r++) {
        const double work = weight_of(ranks, r);
        max = work > max ? work : max;
        sum += work;
    }
    return max * RANKS / sum;
}

static void clump_in(struct simulated_ranks *ranks, int first, int rows)
{
    for (int row = 0; row < ROWS; row++)
        ranks->weights[row] = row >= first && row < first + rows ? 81000 : 1000;
}

static void clump(struct simulated_ranks *ranks)
{
    clump_in(ranks, 30, 10);
}

TEST(a_clump_is_divided_after_the_first_step)
{
    struct simulated_ranks *ranks = begin();
    clump(ranks);
    assert_true(ratio(ranks) > 3);
    run_steps(ranks, 1);
    assert_true(ratio(ranks) < 1.3);
    assert_int_equal(ranks->balance.moves, 1);
    end(ranks);
}

TEST(boundaries_stay_if_no_rank_exceeds_the_mean_by_much)
{
    struct simulated_ranks *ranks = begin();
    for (int row = 0; row < ROWS; row++)
        ranks->weights[row] += (uint64_t)row % 7 * 10;
    run_steps(ranks, 20 * EVERY);
    assert_int_equal(ranks->balance.moves, 0);
    end(ranks);
}

/* The clump moves by two rows between two measurements. Measurements become rarer only while the boundaries stay. */
TEST(boundaries_follow_a_clump_that_wanders)
{
    struct simulated_ranks *ranks = begin();
    double sum = 0;
    clump_in(ranks, 0, 40);
    run_steps(ranks, 1);
    for (int first = 0; first < 60; first++) {
        clump_in(ranks, first, 40);
        run_steps(ranks, 6);
        sum += ratio(ranks);
    }
    assert_true(sum / 60 < 1.2);
    end(ranks);
}

TEST(a_static_flock_is_seldom_rebalanced)
{
    struct simulated_ranks *ranks = begin();
    run_steps(ranks, 1 + 8 + 16 + 32 + 20 * EVERY);
    assert_int_equal(ranks->measurements, 1 + 3 + 20);
    end(ranks);
}

/* Boundaries move by whole rows. Once each of three ranks has one of the rows, no move helps. */
TEST(boundaries_of_a_flock_in_three_rows_come_to_rest)
{
    struct simulated_ranks *ranks = begin();
    memset(ranks->weights, 0, sizeof ranks->weights);
    for (int row = 50; row < 53; row++)
        ranks->weights[row] = 5000;
    run_steps(ranks, 20 * EVERY);
    assert_true(ranks->balance.moves <= 1);
    assert_true(ratio(ranks) <= 4 * 2.0 / 3 + 1e-9);
    end(ranks);
}

/* The smallest imbalance of all divisions into three subdomains. */
static double best_of_three(const struct simulated_ranks *ranks)
{
    double best = 1e300;
    struct partition partition = ranks->partition;
    uint32_t first[4] = {0, 0, 0, partition.rows};
    partition.first = first;
    for (first[1] = 2; first[1] + 4 <= partition.rows; first[1]++)
        for (first[2] = first[1] + 2; first[2] + 2 <= partition.rows; first[2]++) {
            const double ratio = partition_imbalance(&partition, partition.first, ranks->weights);
            best = ratio < best ? ratio : best;
        }
    return best;
}

TEST(boundaries_by_costs_are_nearly_the_best_of_all)
{
    uint32_t draw = 7;
    struct simulated_ranks *ranks = begin();
    partition_free(&ranks->partition);
    assert_true(partition_init(&ranks->partition, 3, 12));
    for (int attempt = 0; attempt < 200; attempt++) {
        for (int row = 0; row < 12; row++) {
            draw = draw * 1664525U + 1013904223U;
            ranks->weights[row] = draw >> 24;
        }
        const double ratio = partition_evaluate(&ranks->partition, ranks->weights);
        assert_true(ratio <= 1.2 * best_of_three(ranks));
        partition_apply(&ranks->partition);
        assert_true(partition_imbalance(&ranks->partition, ranks->partition.first, ranks->weights) == ratio);
        for (uint32_t r = 0; r < 3; r++) {
            assert_true(ranks->partition.first[r + 1] >= ranks->partition.first[r] + PARTITION_MIN_ROWS);
            assert_int_equal(ranks->partition.owner[ranks->partition.first[r]], r);
        }
    }
    end(ranks);
}

SUITE("load balance")
