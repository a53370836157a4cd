/* A state out of CSV: one frame of what csv.c writes, or a table somebody made by hand.
 *
 * The file is read line by line and only the rows of one frame are kept, so a trajectory of any size will do. Steps
 * may come in any order; the highest counts, or the one asked for.
 *
 * A run that was killed, or a full disk, cuts a file anywhere. Cut at the end of a row, the last step lacks agents that
 * the first one has; so who is there at the lowest and at the highest step is counted, and has to be the same. Cut within
 * a row, the last line has no newline, and its last number may be another one. Programs end every line of a trajectory,
 * so there such a line is refused. A table without steps was made by hand, where the last newline is often left out, and
 * is taken.
 */
#include "csv_table.h"
#include "formats.h"

#include "core/rng.h"
#include "shell.h"

#include <inttypes.h>

/* Who is there at a step. The rows may come in any order, so each agent adds a number of its own. */
struct roll {
    uint64_t step, boids, predators, agents;
};

struct search {
    struct csv_table table;
    const struct rows_wish *wish;
    struct roll first, last; /* of the lowest and the highest step seen */
    bool has_rows;
};

static void call(struct roll *roll, const struct row *row)
{
    *(row->is_predator ? &roll->predators : &roll->boids) += 1;
    roll->agents += flock_rng_mix(2 * (uint64_t)row->id + row->is_predator);
}

/* The first row of a step that turns out to be the lowest or the highest finds it to be so: none of its rows is missed. */
static void call_roll(struct search *search, uint64_t step, const struct row *row)
{
    if (!search->has_rows || step < search->first.step)
        search->first = (struct roll){.step = step};
    if (!search->has_rows || step > search->last.step)
        search->last = (struct roll){.step = step};
    search->has_rows = true;
    if (step == search->first.step)
        call(&search->first, row);
    if (step == search->last.step)
        call(&search->last, row);
}

static bool check_roll(const struct search *search, struct fault *fault)
{
    const char *path = search->wish->path, *name = search->wish->name;
    const struct roll *first = &search->first;
    const struct roll *last = &search->last;
    char word[SHELL_WORD_SIZE];
    const bool is_as_many = first->boids == last->boids && first->predators == last->predators;
    if (first->step == last->step || (is_as_many && first->agents == last->agents))
        return true;
    if (is_as_many)
        return fault_refuse(fault,
                            "%s: step %" PRIu64 " has other ids than step %" PRIu64
                            "; --init %s@STEP takes a step as it is",
                            name, last->step, first->step, shell_word(path, word));
    return fault_refuse(fault,
                        "%s: step %" PRIu64 " has %" PRIu64 " boids and %" PRIu64
                        " predators, but step %" PRIu64 " has %" PRIu64 " and %" PRIu64
                        "; the file may have been cut short; --init %s@STEP takes a step as it is",
                        name, last->step, last->boids, last->predators, first->step, first->boids,
                        first->predators, shell_word(path, word));
}

/* The last line of a trajectory, without its end: it is no row. That matters unless it is known to be of another step
 * than the one asked for. */
static bool pass_open_line(struct search *search, struct fault *fault)
{
    const struct rows_wish *wish = search->wish;
    char word[SHELL_WORD_SIZE];
    uint64_t step;
    if (!wish->is_any && csv_table_open_step(&search->table, &step, fault) && step != wish->step)
        return true;
    return fault_refuse(fault,
                        "%s:%" PRIu64 ": the line does not end, so the file may have been cut short; "
                        "end the line if it is whole, or take an earlier step with --init %s@STEP",
                        wish->name, search->table.number, shell_word(wish->path, word));
}

/* Rows of the frame that is wanted so far are kept; those of an earlier step give way to a later one. */
static bool take_row(struct search *search, struct rows *rows, uint64_t *kept, struct fault *fault)
{
    const struct rows_wish *wish = search->wish;
    struct row row;
    uint64_t step;
    if (!csv_table_row(&search->table, &row, &step, fault))
        return false;
    call_roll(search, step, &row);
    if (wish->is_any ? step < *kept : step != wish->step)
        return true;
    if (step != *kept)
        rows->count = 0;
    *kept = step;
    return rows_add(rows, &row, wish->name, fault);
}

static bool take_line(struct search *search, struct rows *rows, uint64_t *kept, struct fault *fault)
{
    if (search->table.is_open && csv_table_has_steps(&search->table))
        return pass_open_line(search, fault);
    return take_row(search, rows, kept, fault);
}

static bool read_rows(struct search *search, struct rows *rows, uint64_t *kept, struct fault *fault)
{
    const struct rows_wish *wish = search->wish;
    *kept = wish->is_any ? 0 : wish->step;
    while (csv_table_line(&search->table))
        if (!take_line(search, rows, kept, fault))
            return false;
    if (!csv_table_check_end(&search->table, fault))
        return false;
    if (rows->count == 0 && !wish->is_any && search->has_rows)
        return fault_refuse(fault,
                            "%s: step %" PRIu64 " is not in it; its steps go from %" PRIu64 " to %" PRIu64,
                            wish->name, wish->step, search->first.step, search->last.step);
    return !wish->is_any || check_roll(search, fault);
}

bool csv_read(struct rows *rows, uint64_t *step, const struct rows_wish *wish, struct fault *fault)
{
    struct search search = {.wish = wish};
    const bool is_good =
        csv_table_open(&search.table, wish->path, fault) && read_rows(&search, rows, step, fault);
    csv_table_close(&search.table);
    return is_good;
}
