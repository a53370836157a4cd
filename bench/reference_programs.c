/* Plain C that a compiler vectorises well: no vector types, no intrinsics. */
#include "reference_programs.h"

#include <math.h>
#include <stdlib.h>

static const float radius = 40, protected_radius = 8, avoid = 0.05F, match = 0.05F, centre = 0.0005F;
static const float margin = 100, turn = 0.2F, slow = 3, fast = 6;

struct sums {
    float close_x, close_y, vx, vy, x, y;
    int count;
};

static inline void look(struct sums *sums, const struct reference_boid *me,
                        const struct reference_boid *other)
{
    const float dx = me->x - other->x;
    const float dy = me->y - other->y;
    const float squared = dx * dx + dy * dy;
    if (squared >= radius * radius)
        return;
    if (squared < protected_radius * protected_radius) {
        sums->close_x += dx;
        sums->close_y += dy;
        return;
    }
    sums->vx += other->vx;
    sums->vy += other->vy;
    sums->x += other->x;
    sums->y += other->y;
    sums->count++;
}

static struct reference_boid move(const struct reference_flock *flock, struct reference_boid boid,
                                  const struct sums *sums)
{
    if (sums->count > 0) {
        boid.vx += (sums->x / (float)sums->count - boid.x) * centre +
                   (sums->vx / (float)sums->count - boid.vx) * match;
        boid.vy += (sums->y / (float)sums->count - boid.y) * centre +
                   (sums->vy / (float)sums->count - boid.vy) * match;
    }
    boid.vx += sums->close_x * avoid;
    boid.vy += sums->close_y * avoid;
    boid.vx += boid.x < margin ? turn : boid.x > flock->width - margin ? -turn : 0;
    boid.vy += boid.y < margin ? turn : boid.y > flock->height - margin ? -turn : 0;
    const float speed = sqrtf(boid.vx * boid.vx + boid.vy * boid.vy);
    const float wanted = speed < slow ? slow : speed > fast ? fast : speed;
    boid.vx = boid.vx / speed * wanted;
    boid.vy = boid.vy / speed * wanted;
    boid.x += boid.vx;
    boid.y += boid.vy;
    return boid;
}

static void turn_page(struct reference_flock *flock)
{
    struct reference_boid *now = flock->next;
    flock->next = flock->now;
    flock->now = now;
}

void reference_step_all_pairs(struct reference_flock *flock)
{
    for (uint32_t i = 0; i < flock->count; i++) {
        struct sums sums = {0};
        for (uint32_t j = 0; j < flock->count; j++)
            if (j != i)
                look(&sums, &flock->now[i], &flock->now[j]);
        flock->next[i] = move(flock, flock->now[i], &sums);
    }
    turn_page(flock);
}

/* Cells over the world; a boid outside it is in the nearest cell. */
struct grid {
    int columns, rows;
    uint32_t *start;
    struct reference_boid *sorted;
    uint32_t *index;
};

static int clamp(float a, int max)
{
    const int cell = (int)floorf(a / radius);
    return cell < 0 ? 0 : cell > max ? max : cell;
}

static int cell_of(const struct grid *grid, const struct reference_boid *boid)
{
    return clamp(boid->x, grid->columns - 1) + clamp(boid->y, grid->rows - 1) * grid->columns;
}

static struct grid sort(const struct reference_flock *flock)
{
    struct grid grid = {.columns = (int)(flock->width / radius) + 1,
                        .rows = (int)(flock->height / radius) + 1};
    const size_t cells = (size_t)grid.columns * (size_t)grid.rows;
    grid.start = calloc(cells + 2, sizeof *grid.start);
    grid.sorted = malloc(flock->count * sizeof *grid.sorted);
    grid.index = malloc(flock->count * sizeof *grid.index);
    if (!grid.start || !grid.sorted || !grid.index)
        abort();
    for (uint32_t i = 0; i < flock->count; i++)
        grid.start[cell_of(&grid, &flock->now[i]) + 2]++;
    for (size_t c = 2; c < cells + 2; c++)
        grid.start[c] += grid.start[c - 1];
    for (uint32_t i = 0; i < flock->count; i++) {
        const uint32_t slot = grid.start[cell_of(&grid, &flock->now[i]) + 1]++;
        grid.sorted[slot] = flock->now[i];
        grid.index[slot] = i;
    }
    return grid;
}

static void drop(struct grid *grid)
{
    free(grid->start);
    free(grid->sorted);
    free(grid->index);
}

static void step_cell(struct reference_flock *flock, const struct grid *grid, int column, int row)
{
    const int cell = column + row * grid->columns;
    for (uint32_t s = grid->start[cell]; s < grid->start[cell + 1]; s++) {
        struct sums sums = {0};
        for (int r = row > 0 ? row - 1 : 0; r <= row + 1 && r < grid->rows; r++) {
            const int left = (column > 0 ? column - 1 : 0) + r * grid->columns;
            const int right = (column + 1 < grid->columns ? column + 1 : column) + r * grid->columns;
            for (uint32_t other = grid->start[left]; other < grid->start[right + 1]; other++)
                if (other != s)
                    look(&sums, &grid->sorted[s], &grid->sorted[other]);
        }
        flock->next[grid->index[s]] = move(flock, grid->sorted[s], &sums);
    }
}

void reference_step_grid(struct reference_flock *flock)
{
    struct grid grid = sort(flock);
    for (int row = 0; row < grid.rows; row++)
        for (int column = 0; column < grid.columns; column++)
            step_cell(flock, &grid, column, row);
    drop(&grid);
    turn_page(flock);
}

void reference_count(const struct reference_flock *flock, double *neighbours, double *candidates)
{
    struct grid grid = sort(flock);
    uint64_t near = 0, looked = 0;
    for (uint32_t i = 0; i < flock->count; i++) {
        const struct reference_boid *me = &flock->now[i];
        const int column = clamp(me->x, grid.columns - 1), row = clamp(me->y, grid.rows - 1);
        for (int r = row > 0 ? row - 1 : 0; r <= row + 1 && r < grid.rows; r++) {
            const int left = (column > 0 ? column - 1 : 0) + r * grid.columns;
            const int right = (column + 1 < grid.columns ? column + 1 : column) + r * grid.columns;
            for (uint32_t s = grid.start[left]; s < grid.start[right + 1]; s++) {
                const float dx = me->x - grid.sorted[s].x, dy = me->y - grid.sorted[s].y;
                near += dx * dx + dy * dy < radius * radius;
                looked++;
            }
        }
    }
    drop(&grid);
    *neighbours = (double)near / flock->count - 1;
    *candidates = (double)looked / flock->count - 1;
}
