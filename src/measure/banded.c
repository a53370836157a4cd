/* A rank files its own boids and those of the row behind them. Of two boids within reach of each other there is a rank that
 * has both, and where that is not the one before in the ring, both are its own or one of each. So
 *
 *     pairs     are all that a rank finds but those among the row behind, which the next rank finds;
 *     nearest   is, of a boid in the first row, the nearer of what its own rank finds and what the rank before does;
 *     groups    hang together by what both ranks say of a boid in the first row: those are links between the groups of two ranks.
 *
 * What the rank before has found out about the first row comes in one message, a record for each boid in the order of their ids.
 *
 *     rank 0      [ . . . . ] a b c                 a b c: found twice
 *     rank 1                [ a b c . . . ] d e
 *
 * A boid whose nearest is beyond reach (a lonely one) is told to all: each rank looks whether it has a nearer one. */
#include "banded.h"

#include "around.h"
#include "bits.h"
#include "distances.h"
#include "links.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Of lonely boids told at a time. */
enum { PIECE = 4096 };

static const uint32_t NOBODY = UINT32_MAX;

/* What one rank has found out about a boid of another's first row. */
struct record {
    double nearest;      /* squared */
    uint32_t name, size; /* of its group there, and how many own boids are in that; NOBODY: none */
};

_Static_assert(sizeof(struct record) % 8 == 0, "a message is a multiple of eight bytes");

struct box {
    double low[2], high[2];
};

struct banded {
    const struct ranks *ranks;
    struct grid_question question;
    uint32_t capacity; /* boids that there is room for */
    size_t most_records;
    struct distances *distances;
    double *nearest;
    uint32_t *names, *sizes; /* a group is named by the first boid in it, and counts own boids */
    struct record *out, *in; /* about the row behind, and about the first row */
    struct box box;          /* around those that were filed */
    bool is_behind_filed;
};

size_t banded_memory(uint32_t boids)
{
    return sizeof(struct banded) + distances_memory(boids) + boids * (sizeof(double) + 2 * sizeof(uint32_t));
}

struct banded *banded_create(const struct grid_question *question, const struct ranks *ranks)
{
    struct banded *banded = malloc(sizeof *banded);
    if (banded)
        *banded = (struct banded){.ranks = ranks, .question = *question};
    return banded;
}

static void drop_boids(struct banded *banded)
{
    distances_free(banded->distances);
    free(banded->nearest);
    free(banded->names);
    free(banded->sizes);
    banded->distances = NULL;
    banded->nearest = NULL;
    banded->names = banded->sizes = NULL;
    banded->capacity = 0;
}

static void drop_records(struct banded *banded)
{
    free(banded->out);
    free(banded->in);
    banded->out = banded->in = NULL;
    banded->most_records = 0;
}

void banded_free(struct banded *banded)
{
    if (!banded)
        return;
    drop_boids(banded);
    drop_records(banded);
    free(banded);
}

/* A quarter more than is needed: flocks move. */
static size_t room_for(size_t boids)
{
    return boids + boids / 4 + 1;
}

static bool reserve_boids(struct banded *banded, size_t boids)
{
    const size_t room = room_for(boids);
    if (boids <= banded->capacity && banded->distances)
        return true;
    drop_boids(banded);
    if (room > UINT32_MAX)
        return false;
    banded->capacity = (uint32_t)room;
    banded->distances = distances_create(banded->capacity, &banded->question);
    banded->nearest = malloc(room * sizeof *banded->nearest);
    banded->names = malloc(room * sizeof *banded->names);
    banded->sizes = malloc(room * sizeof *banded->sizes);
    return banded->distances && banded->nearest && banded->names && banded->sizes;
}

static bool reserve_records(struct banded *banded, size_t records)
{
    if (records <= banded->most_records && banded->out)
        return true;
    drop_records(banded);
    banded->most_records = room_for(records);
    banded->out = malloc(banded->most_records * sizeof *banded->out);
    banded->in = malloc(banded->most_records * sizeof *banded->in);
    return banded->out && banded->in;
}

static bool reserve(struct banded *banded, const struct band *band)
{
    const size_t behind = band->all - band->own;
    return reserve_boids(banded, band->all) &&
           reserve_records(banded, behind > band->first ? behind : band->first);
}

static bool refuse(struct fault *fault)
{
    return fault_fail(fault, "there is no memory to measure this rank's share of the boids");
}

/* What this rank finds. */

static void ask(struct banded *banded, const struct agent *boids, size_t count, const struct agent *predators,
                size_t predator_count, struct grid_answers *answers)
{
    if (count > 0)
        distances_answer(banded->distances, boids, (uint32_t)count, predators, predator_count, answers);
    else
        *answers = (struct grid_answers){.nearest_to = INFINITY};
}

static uint64_t count_pairs(struct banded *banded, const struct agent *boids, size_t count)
{
    struct grid_answers answers;
    ask(banded, boids, count, NULL, 0, &answers);
    return answers.pairs;
}

static inline double least(double a, double b)
{
    return a < b ? a : b;
}

static inline double most(double a, double b)
{
    return a > b ? a : b;
}

static struct box find_box(const struct banded *banded, const struct agent *boids, size_t count)
{
    const double *period = banded->question.period;
    struct box box = {{INFINITY, INFINITY}, {-INFINITY, -INFINITY}};
    for (size_t i = 0; i < count; i++) {
        const double at[2] = {around_within(boids[i].x, period[0]), around_within(boids[i].y, period[1])};
        for (int axis = 0; axis < 2; axis++) {
            box.low[axis] = least(at[axis], box.low[axis]);
            box.high[axis] = most(at[axis], box.high[axis]);
        }
    }
    return box;
}

static struct box box_of_both(const struct box *a, const struct box *b)
{
    struct box box;
    for (int axis = 0; axis < 2; axis++) {
        box.low[axis] = least(a->low[axis], b->low[axis]);
        box.high[axis] = most(a->high[axis], b->high[axis]);
    }
    return box;
}

/* Behind the last row of a plane's table stand boids from its other end: filed with the own ones, they would make cells
 * much too wide. On a torus they are near. */
static bool is_near(const struct banded *banded, const struct box *own, const struct box *behind,
                    double reach)
{
    const bool has_both = own->low[1] <= own->high[1] && behind->low[1] <= behind->high[1];
    return has_both && (!isinf(banded->question.period[1]) || (behind->low[1] <= own->high[1] + 2 * reach &&
                                                               behind->high[1] >= own->low[1] - 2 * reach));
}

/* Rows behind follow on the own ones, on a torus perhaps across the seam. */
static void file_stretch(struct banded *banded, const struct box *own, const struct box *behind)
{
    const double period = banded->question.period[1], low = own->low[1];
    const double high = behind->low[1] >= low ? most(own->high[1], behind->high[1])
                                              : most(own->high[1], behind->high[1] + period);
    distances_stretch(banded->distances, low, high - low);
}

static void count_sizes(struct banded *banded, size_t own)
{
    memset(banded->sizes, 0, own * sizeof *banded->sizes);
    for (size_t i = 0; i < own; i++)
        banded->sizes[banded->names[i]]++;
}

/* Who is not filed is alone. */
static void look(struct banded *banded, const struct band *band, size_t predators,
                 struct grid_answers *answers)
{
    const struct box own = find_box(banded, band->boids, band->own);
    const struct box other = find_box(banded, band->boids + band->own, band->all - band->own);
    const bool is_filed = is_near(banded, &own, &other, band->reach);
    const size_t count = is_filed ? band->all : band->own;
    uint64_t behind = 0;
    if (is_filed) {
        file_stretch(banded, &other, &other);
        behind = count_pairs(banded, band->boids + band->own, band->all - band->own);
    }
    file_stretch(banded, &own, is_filed ? &other : &own);
    banded->is_behind_filed = is_filed;
    banded->box = is_filed ? box_of_both(&own, &other) : own;
    ask(banded, band->boids, count, band->predators, predators, answers);
    answers->pairs -= behind;
    if (count > 0)
        distances_tell_each(banded->distances, banded->nearest, banded->names);
    for (size_t i = count; i < band->all; i++) {
        banded->nearest[i] = INFINITY;
        banded->names[i] = (uint32_t)i;
    }
    count_sizes(banded, band->own);
}

/* The message. All have agreed on something before it, and will behind it, so that nobody takes it for another. */

static void write_records(struct banded *banded, const struct band *band)
{
    for (size_t i = band->own; i < band->all; i++) {
        const uint32_t name = banded->names[i];
        const bool is_ours = name < band->own;
        banded->out[i - band->own] = (struct record){
            .nearest = banded->nearest[i],
            .name = is_ours ? name : NOBODY,
            .size = is_ours ? banded->sizes[name] : 0,
        };
    }
}

static void exchange(const struct banded *banded, const struct band *band)
{
    const struct ranks *ranks = banded->ranks;
    const int next = (ranks->rank + 1) % ranks->count;
    int from;
    ranks->post(ranks, next, banded->out, (band->all - band->own) * sizeof *banded->out);
    const size_t size = ranks->await(ranks, &from);
    assert(size == band->first * sizeof *banded->in);
    ranks->take(ranks, from, banded->in, size);
    ranks->settle(ranks);
}

static void take_nearer(struct banded *banded, const struct band *band)
{
    for (size_t i = 0; i < band->first; i++)
        banded->nearest[i] = least(banded->nearest[i], banded->in[i].nearest);
}

/* Groups. */

static size_t make_links(const struct banded *banded, const struct band *band, struct link *links)
{
    const struct ranks *ranks = banded->ranks;
    const int before = (ranks->rank + ranks->count - 1) % ranks->count;
    size_t count = 0;
    for (size_t i = 0; i < band->first; i++) {
        const struct record *in = &banded->in[i];
        const uint32_t name = banded->names[i];
        if (in->name != NOBODY)
            links[count++] = (struct link){{link_number(before, in->name), link_number(ranks->rank, name)},
                                           {in->size, banded->sizes[name]}};
    }
    return count;
}

/* Groups that nobody is linked to. */
static struct tree_groups count_closed(struct banded *banded, const struct band *band)
{
    struct tree_groups groups = {0, 0};
    for (size_t i = 0; i < band->first; i++)
        if (banded->in[i].name != NOBODY)
            banded->sizes[banded->names[i]] = 0;
    for (size_t i = band->own; i < band->all; i++)
        if (banded->names[i] < band->own)
            banded->sizes[banded->names[i]] = 0;
    for (size_t i = 0; i < band->own; i++) {
        if (banded->names[i] != i || banded->sizes[i] == 0)
            continue;
        groups.count++;
        groups.largest = banded->sizes[i] > groups.largest ? banded->sizes[i] : groups.largest;
    }
    return groups;
}

static bool count_groups(struct banded *banded, const struct band *band, struct tree_groups *groups)
{
    const struct ranks *ranks = banded->ranks;
    struct link *links = malloc((band->first + 1) * sizeof *links);
    bool is_good = ranks_all(ranks, links != NULL) && links;
    if (is_good) {
        const size_t count = make_links(banded, band, links);
        *groups = count_closed(banded, band);
        is_good = links_count(ranks, links, count, groups);
    }
    free(links);
    return is_good;
}

/* Lonely boids. */

struct question {
    uint64_t x, y, nearest; /* bits */
    uint64_t who;           /* the rank, and whether the rank before has looked as well */
};

enum { QUESTION_WORDS = sizeof(struct question) / sizeof(uint64_t) };

/* Of own boids from *at on, up to PIECE; *at: where to go on. */
static size_t write_questions(const struct banded *banded, const struct band *band, size_t *at,
                              struct question *questions)
{
    const double sure = band->reach * band->reach;
    size_t count = 0;
    for (; *at < band->own && count < PIECE; (*at)++) {
        const struct agent *boid = &band->boids[*at];
        if (banded->nearest[*at] > sure)
            questions[count++] =
                (struct question){bits_of(boid->x), bits_of(boid->y), bits_of(banded->nearest[*at]),
                                  2 * (uint64_t)banded->ranks->rank + (*at < band->first)};
    }
    return count;
}

static void read_answers(struct banded *banded, const struct band *band, size_t from, const uint64_t *answers)
{
    const double sure = band->reach * band->reach;
    size_t count = 0;
    for (size_t i = from; i < band->own && count < PIECE; i++)
        if (banded->nearest[i] > sure)
            banded->nearest[i] = of_bits(answers[count++]);
}

/* How far a place along an axis is from all that were filed, at least, as distances are rounded (tree.c). */
static double least_along(const struct banded *banded, double place, int axis)
{
    const double period = banded->question.period[axis], at = around_within(place, period);
    const double low = banded->box.low[axis], high = banded->box.high[axis];
    return around_shorter(most(0, most(low - at, at - high)), period - (most(at, high) - least(at, low)));
}

static double least_squared(const struct banded *banded, const struct agent *boid)
{
    const double dx = least_along(banded, boid->x, 0), dy = least_along(banded, boid->y, 1);
    return dx * dx + dy * dy;
}

/* The rank whose it is has looked, and the one before, where it is in the first row and was filed there. */
static bool has_looked(const struct banded *banded, uint64_t who)
{
    const struct ranks *ranks = banded->ranks;
    const int owner = (int)(who / 2), before = (owner + ranks->count - 1) % ranks->count;
    return ranks->rank == owner || (who % 2 == 1 && ranks->rank == before && banded->is_behind_filed);
}

static double answer(const struct banded *banded, const struct band *band, const struct question *question)
{
    const struct agent boid = {.x = of_bits(question->x), .y = of_bits(question->y)};
    const double nearest = of_bits(question->nearest);
    if (band->own == 0 || has_looked(banded, question->who) || least_squared(banded, &boid) >= nearest)
        return nearest;
    return distances_search(banded->distances, &boid, nearest);
}

/* One piece of each rank's. */
static bool ask_all(struct banded *banded, const struct band *band, size_t *at, struct question *own)
{
    const struct ranks *ranks = banded->ranks;
    const size_t from = *at, count = write_questions(banded, band, at, own);
    size_t before, words;
    uint64_t *all =
        ranks_collect(ranks, (const uint64_t *)(void *)own, count * QUESTION_WORDS, &before, &words);
    if (!all)
        return false;
    const size_t total = words / QUESTION_WORDS;
    const struct question *questions = (const struct question *)(const void *)all;
    for (size_t k = 0; k < total; k++) {
        const struct question question = questions[k];
        all[k] = bits_of(answer(banded, band, &question));
    }
    ranks->merge(ranks, all, total, RANKS_LEAST);
    read_answers(banded, band, from, all + before / QUESTION_WORDS);
    free(all);
    return true;
}

static uint64_t count_lonely(const struct banded *banded, const struct band *band)
{
    const double sure = band->reach * band->reach;
    uint64_t count = 0;
    for (size_t i = 0; i < band->own; i++)
        count += banded->nearest[i] > sure;
    return count;
}

static bool find_far(struct banded *banded, const struct band *band)
{
    uint64_t rounds = (count_lonely(banded, band) + PIECE - 1) / PIECE;
    banded->ranks->merge(banded->ranks, &rounds, 1, RANKS_MOST);
    if (rounds == 0)
        return true;
    struct question *own = malloc(PIECE * sizeof *own);
    bool is_good = ranks_all(banded->ranks, own != NULL) && own;
    size_t at = 0;
    for (uint64_t k = 0; k < rounds && is_good; k++)
        is_good = ask_all(banded, band, &at, own);
    free(own);
    return is_good;
}

bool banded_answer(struct banded *banded, const struct band *band, size_t predators,
                   struct grid_answers *answers, struct fault *fault)
{
    const struct ranks *ranks = banded->ranks;
    const bool has_room = reserve(banded, band);
    if (!ranks_all(ranks, has_room) || !has_room)
        return refuse(fault);
    look(banded, band, predators, answers);
    write_records(banded, band);
    exchange(banded, band);
    take_nearer(banded, band);
    if (!find_far(banded, band) || !count_groups(banded, band, &answers->groups))
        return refuse(fault);
    uint64_t nearest_to = bits_of(answers->nearest_to);
    ranks->merge(ranks, &answers->pairs, 1, RANKS_SUM);
    ranks->merge(ranks, &nearest_to, 1, RANKS_LEAST);
    answers->nearest_to = of_bits(nearest_to);
    answers->nearest = banded->nearest;
    answers->nearest_count = band->own;
    return true;
}
