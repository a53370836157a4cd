/* The grid finds out for itself that it does not do (grid.h). */
#include "distances.h"

#include "grid.h"
#include "tree.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

struct distances {
    struct grid_question question;
    struct grid *grid;
    struct tree *tree;
};

size_t distances_memory(uint32_t count)
{
    return sizeof(struct distances) + grid_memory(count) + tree_memory(count);
}

struct distances *distances_create(uint32_t count, const struct grid_question *question)
{
    struct distances *distances = malloc(sizeof *distances);
    if (!distances)
        return NULL;
    *distances = (struct distances){
        .question = *question,
        .grid = grid_create(count, question),
        .tree = tree_create(count, question->period[0], question->period[1]),
    };
    if (distances->grid && distances->tree)
        return distances;
    distances_free(distances);
    return NULL;
}

void distances_free(struct distances *distances)
{
    if (!distances)
        return;
    grid_free(distances->grid);
    tree_free(distances->tree);
    free(distances);
}

void distances_answer(struct distances *distances, const struct agent *agents, uint32_t count,
                      const struct agent *others, size_t other_count, struct grid_answers *answers)
{
    struct tree *tree = distances->tree;
    if (grid_answer(distances->grid, agents, count, others, other_count, answers))
        return;
    tree_fill(tree, agents, count);
    *answers = (struct grid_answers){
        .nearest = tree_nearest(tree),
        .nearest_count = count,
        .pairs = tree_pairs(tree, distances->question.pair_radius),
        .groups = tree_groups(tree, distances->question.group_radius),
        .nearest_to = tree_nearest_to(tree, others, other_count),
    };
}
