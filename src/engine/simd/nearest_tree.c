/* Builds the tree: sorts boids along a Hilbert curve and bounds its leaves and nodes. */
#include "nearest_tree.h"

#include "radix_sort.h"

enum {
    CURVE_BITS = 12, /* per axis */
    CURVE_CELLS = 1 << CURVE_BITS,
    STEPS_PER_SORT = 4,
    AHEAD = 16, /* memory is prefetched for the boid that comes this many boids later */
};

/* A box on the plane, edges included. */
struct box {
    struct flock_vec low, high;
};

static uint32_t groups_of(uint32_t count, uint32_t size)
{
    return (uint32_t)(((uint64_t)count + size - 1) / size);
}

void nearest_tree_allocate(struct nearest_tree *tree, uint32_t count, struct arena *arena)
{
    uint32_t n = groups_of(count, TREE_LEAF);
    *tree = (struct nearest_tree){
        .agents = arena_alloc(arena, count, sizeof *tree->agents),
        .keys = arena_alloc(arena, count, sizeof *tree->keys),
        .leaves = arena_alloc(arena, n, sizeof *tree->leaves),
        .count = count,
    };
    for (bool is_root = false; !is_root; n = groups_of(n, TREE_FAN_OUT)) {
        is_root = n <= 1;
        tree->boxes[tree->levels] = arena_alloc(arena, groups_of(n, TREE_FAN_OUT), sizeof(struct tree_boxes));
        tree->nodes[tree->levels++] = n;
    }
}

/* The place of a cell on a Hilbert curve. */
static uint32_t hilbert_place(uint32_t x, uint32_t y)
{
    uint32_t place = 0;
    for (uint32_t side = CURVE_CELLS / 2; side > 0; side /= 2) {
        const uint32_t right = (x & side) != 0, up = (y & side) != 0;
        place = 4 * place + ((3 * right) ^ up);
        /* In both lower quadrants the curve is transposed, and in the lower right one it is also mirrored. */
        const uint32_t mirror = up ? 0 : right * (CURVE_CELLS - 1);
        const uint32_t swap = up ? 0 : x ^ y;
        x ^= swap ^ mirror;
        y ^= swap ^ mirror;
    }
    return place;
}

static uint32_t curve_cell(num offset, num_ratio ratio)
{
    const int32_t cell = num_ratio_floor(offset, ratio);
    return cell < 0 ? 0 : cell < CURVE_CELLS ? (uint32_t)cell : CURVE_CELLS - 1;
}

static void include_box(struct box *box, struct flock_vec low, struct flock_vec high)
{
    box->low.x = low.x < box->low.x ? low.x : box->low.x;
    box->low.y = low.y < box->low.y ? low.y : box->low.y;
    box->high.x = larger_num(box->high.x, high.x);
    box->high.y = larger_num(box->high.y, high.y);
}

static struct box box_of_boids(const struct flock_agent *agents, uint32_t count)
{
    struct box box = {agents[0].position, agents[0].position};
    for (uint32_t i = 1; i < count; i++)
        include_box(&box, agents[i].position, agents[i].position);
    return box;
}

static struct box box_of_boxes(const struct tree_boxes *boxes, uint32_t count)
{
    struct box box = {{boxes->low_x[0], boxes->low_y[0]}, {boxes->high_x[0], boxes->high_y[0]}};
    for (uint32_t i = 1; i < count; i++)
        include_box(&box, (struct flock_vec){boxes->low_x[i], boxes->low_y[i]},
                    (struct flock_vec){boxes->high_x[i], boxes->high_y[i]});
    return box;
}

static void sort_along_curve(struct nearest_tree *tree, const struct flock_agent *boids)
{
    const struct box all = box_of_boids(boids, tree->count);
    const num side = larger_num(all.high.x - all.low.x, all.high.y - all.low.y);
    const num_ratio ratio = side > 0 ? num_ratio_make(CURVE_CELLS, side) : 0;
    for (uint32_t i = 0; i < tree->count; i++) {
        const struct flock_vec position = boids[i].position;
        const uint64_t place = hilbert_place(curve_cell(position.x - all.low.x, ratio),
                                             curve_cell(position.y - all.low.y, ratio));
        tree->keys[i] = place << 32 | i;
    }
    /* The agents are set afterwards. */
    radix_sort(tree->keys, (uint64_t *)(void *)tree->agents, tree->count, 2 * CURVE_BITS / RADIX_PASSES);
}

/* Copy the boids and bound the boids of each leaf, then the nodes of each level. Returns the sum of the widths and heights of the leaves. */
static num bound_nodes(struct nearest_tree *tree, const struct flock_agent *boids)
{
    num spread = 0;
    for (uint32_t p = 0; p < tree->count; p++) {
        if (p + AHEAD < tree->count)
            __builtin_prefetch(&boids[(uint32_t)tree->keys[p + AHEAD]]);
        tree->agents[p] = boids[(uint32_t)tree->keys[p]];
        tree->leaves[p / TREE_LEAF].x[p % TREE_LEAF] = tree->agents[p].position.x;
        tree->leaves[p / TREE_LEAF].y[p % TREE_LEAF] = tree->agents[p].position.y;
    }
    for (uint32_t level = 0; level < tree->levels; level++) {
        const uint32_t fan_out = level == 0 ? TREE_LEAF : TREE_FAN_OUT;
        const uint32_t below = level == 0 ? tree->count : tree->nodes[level - 1];
        for (uint32_t node = 0; node < tree->nodes[level]; node++) {
            const uint32_t first = node * fan_out, k = node % TREE_FAN_OUT;
            const uint32_t size = below - first < fan_out ? below - first : fan_out;
            const struct box box = level == 0 ? box_of_boids(&tree->agents[first], size)
                                              : box_of_boxes(&tree->boxes[level - 1][node], size);
            struct tree_boxes *boxes = &tree->boxes[level][node / TREE_FAN_OUT];
            boxes->low_x[k] = box.low.x;
            boxes->low_y[k] = box.low.y;
            boxes->high_x[k] = box.high.x;
            boxes->high_y[k] = box.high.y;
            if (level == 0)
                spread += box.high.x - box.low.x + (box.high.y - box.low.y);
        }
    }
    return spread;
}

/* The neighbours that are found do not depend on the order of the boids, so a new order is computed only every few steps, or if the leaves
 * have become much larger, as after a start at one point. */
void nearest_tree_build(struct nearest_tree *tree, const struct flock_agent *boids)
{
    num spread = tree->age > 0 ? bound_nodes(tree, boids) : 0;
    if (tree->age == 0 || spread > tree->spread + tree->spread) {
        tree->age = 0;
        sort_along_curve(tree, boids);
        spread = tree->spread = bound_nodes(tree, boids);
    }
    tree->age = (tree->age + 1) % STEPS_PER_SORT;
}
