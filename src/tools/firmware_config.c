/* Converts a configuration to the C header from which a firmware for the RP2040 is built.
 *
 *     firmware_config [--live | --live=KEY] FILE [KEY=VALUE]... > configuration.h
 *
 * The rules are converted by the function that the fixed-point engine of the host uses (flock/flock.h). So the board
 * and the host use the same numbers, including the cells. FILE may be a preset. A configuration that the board
 * cannot run is refused here. This program is compiled as part of the fixed core; the key `arithmetic` of the file
 * is ignored.
 */
#include "base/array.h"
#include "base/error.h"
#include "base/text.h"
#include "config/config.h"
#include "config/keys.h"
#include "core/grid.h"
#include "core/lane_ops_scalar.h"
#include "core/neighbour_selection.h"
#include "flock/flock.h"
#include "library/presets.h"
#include "tools/print_params.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The RAM in bytes that a flock may use: the main RAM minus the frame buffer, code and small data. The linker checks
 * the sum. */
enum {
    RAM = 256 * 1024,
    FRAME_BUFFER = 640 * 480 / 10 * 4,
    CODE = 13 * 1024,
    FLOCK_RAM = RAM - FRAME_BUFFER - CODE
};

/* The maximum number of obstacles, and of goals: each takes time in the update of every boid. */
enum { MAX_LIST = 64 };

/* The size in bytes of the code for obstacles and for goals, including the code that draws their circles. It is
 * linked only if a flock has them. */
enum { AVOIDING = 8 * 1024, SEEKING = 2 * 1024 };

/* The size in bytes of code and tables that only some flocks need. SECOND_ZONE: disc sums with two radii, or with a form
 * of separation other than `offset`. GENERAL_MOTION: everything that simple motion leaves out. GENERAL_ZONES: fields of view
 * and nearest neighbours. */
enum { SECOND_ZONE = 3 * 1024, GENERAL_MOTION = 18 * 1024, GENERAL_ZONES = 6 * 1024 };

/* Whether rules change while the firmware runs. Then they are not constants, so the code for all rules is linked: LIVE_CODE,
 * with LIVE_GENERAL if there are no disc sums, and LIVE_PASSES for the update order `passes`. */
static bool is_live;
/* The key of the potentiometer, or an empty text. */
static const char *pot = "";
enum { LIVE_CODE = 43 * 1024, LIVE_GENERAL = 9 * 1024, LIVE_PASSES = 22 * 1024 };

/* The maximum side of a world. In a larger world, a boid that leaves it would soon exceed the largest number of
 * Q16.16. */
enum { MAX_WORLD = 16384 };

/* The maximum number of cells in ram/disc_sum.c; each has two bytes. With more cells, the loop over them would take
 * more time than the cells save. */
enum { MAX_CELLS = 16384, DISC_SUM_CELL_BYTES = 2 };

/* The smallest radius that is supported is a quarter of a world unit. */
enum { MIN_REACH_BITS = 15 };

/* The cells for firmware/rp2040/disc_sum.h. If they are not used, `is_on` is false, and the numbers have no meaning. */
struct disc_sum_plan {
    bool is_on;
    /* Raw Q16.16: the widest radius, and the radius of each rule. */
    int32_t reach, separation, alignment, cohesion;
    int32_t cell, unit;    /* exponents of two: side of a small cell, unit of squared distances */
    int32_t columns, rows; /* number of large cells over the world */
    int32_t cells;         /* number of cells for which there is memory */
};

static int32_t bit_length(int32_t a)
{
    int32_t bits = 0;
    for (; a > 0; a >>= 1)
        bits++;
    return bits;
}

/* True if the zone of a rule is the disc within its radius, either all of it or without the disc of separation. */
static bool is_disc(const struct flock_params *params, const struct flock_rule *rule)
{
    const num_square close = params->separation.radius_squared;
    return rule->is_on && bit_length((int32_t)num_root_raw(rule->radius_squared)) >= MIN_REACH_BITS &&
           (rule->inner_squared == 0 || (rule->inner_squared == close && close <= rule->radius_squared));
}

/* Whether firmware/rp2040/disc_sum.h can step a flock with these rules. */
static bool suits_disc_sum(const struct flock_params *params, int32_t close, uint32_t boids)
{
    return params->update == FLOCK_SYNCHRONOUS && !params->x.is_torus && params->separation.is_on &&
           zone_layout_of(params) != ZONES_GENERAL && is_disc(params, &params->alignment) &&
           is_disc(params, &params->cohesion) && (uint64_t)boids * (uint64_t)close < INT32_MAX;
}

/* The memory in bytes of the flock in firmware/rp2040, without its cells. It includes agents, slots, running sums,
 * positions on the screen, obstacles, goals, and the code that only some flocks need. */
static size_t agents_memory(const struct flock_params *params, const struct flock_model *model, bool is_near)
{
    const size_t agent = sizeof(struct flock_agent), word = sizeof(uint32_t);
    const size_t per_boid = params->update == FLOCK_SEQUENTIAL            ? agent + 2 * word
                            : params->update == FLOCK_SHUFFLED            ? agent + 4 * word
                            : params->update == FLOCK_PASSES              ? 2 * agent + 3 * word
                            : params->update == FLOCK_SHUFFLED_VELOCITIES ? 2 * agent + 5 * word
                            : is_near                                     ? 3 * agent + 2 * word
                                                                          : 2 * agent + 2 * word;
    size_t bytes =
        flock_lists_memory(model) + model->boid_count * per_boid + model->predator_count * (agent + word);
    if (is_near && (params->separation_form != FLOCK_OFFSET ||
                    params->alignment.radius_squared != params->cohesion.radius_squared))
        bytes += SECOND_ZONE;
    if (is_live)
        return bytes + LIVE_CODE + (is_near ? 0 : LIVE_GENERAL) +
               (params->update == FLOCK_PASSES ? LIVE_PASSES : 0);
    if (!params->is_simple_motion)
        bytes += GENERAL_MOTION;
    if (zone_layout_of(params) == ZONES_GENERAL)
        bytes += GENERAL_ZONES;
    if (params->obstacle_count > 0)
        bytes += AVOIDING;
    if (params->goal_count > 0 || params->has_goal_direction)
        bytes += SEEKING;
    return bytes;
}

/* Choose the cells. The side of a small cell is 1/8 to 1/4 of a radius, or more if too many large cells would be needed to
 * cover the world and a margin. All free RAM is used for cells: with more small cells, a flock can spread further before
 * it needs large cells. If not even the large cells fit, the neighbour sums of src/core are used, which need less RAM. */
static struct disc_sum_plan plan_disc_sum(const struct flock_params *params, const struct flock_model *model)
{
    const int32_t reach = params->widest.raw;
    const int32_t close = (int32_t)num_root_raw(params->separation.radius_squared);
    const struct disc_sum_plan off = {false, 1, 1, 1, 1, 3, 1, 1, 1, 1};
    if (!suits_disc_sum(params, close, model->boid_count))
        return off;
    struct disc_sum_plan near = {.is_on = true, .reach = reach, .separation = close};
    near.alignment = (int32_t)num_root_raw(params->alignment.radius_squared);
    near.cohesion = (int32_t)num_root_raw(params->cohesion.radius_squared);
    int32_t large = bit_length(reach) - 3;
    do {
        const int32_t margin = ((reach - 1) >> ++large) + 2;
        near.columns = (params->x.length.raw >> large) + 1 + 2 * margin;
        near.rows = (params->y.length.raw >> large) + 1 + 2 * margin;
    } while ((int64_t)near.columns * near.rows > MAX_CELLS);
    assert(large > 0); /* MIN_REACH_BITS */
    near.cell = large - 1;
    /* Distances are computed only of boids whose offset along each axis is at most the radius plus one cell. In this
     * unit, such an offset has 14 bits, so the sum of two squares has less than 31 bits. */
    near.unit = bit_length(reach + (1 << large)) - 14;
    const size_t taken = agents_memory(params, model, true);
    const size_t room = taken < FLOCK_RAM ? (FLOCK_RAM - taken) / DISC_SUM_CELL_BYTES : 0;
    near.cells = room < MAX_CELLS ? (int32_t)room : MAX_CELLS;
    return near.cells < near.columns * near.rows ? off : near;
}

/* The memory in bytes of the whole flock, including its cells. */
static size_t board_memory(const struct flock_params *params, const struct disc_sum_plan *near,
                           const struct flock_model *model)
{
    const size_t cells =
        near->is_on ? (size_t)near->cells * DISC_SUM_CELL_BYTES : flock_grid_cells(params) * sizeof(uint32_t);
    return agents_memory(params, model, near->is_on) + cells;
}

/* The largest number of boids that fits, or that fits with fast sums. */
static uint32_t boids_that_fit(struct flock_model model, bool wants_fast_sums)
{
    uint32_t fitting = 0;
    for (uint32_t part = UINT32_C(1) << 15; part > 0; part /= 2) {
        model.boid_count = fitting + part;
        struct flock_params params = flock_params_from_model(&model, model.boid_count);
        static struct flock_obstacle lists[2 * FLOCK_LIST_MAX];
        flock_lists_from_model(&params, &model, lists);
        const struct disc_sum_plan near = plan_disc_sum(&params, &model);
        if (board_memory(&params, &near, &model) <= FLOCK_RAM && (near.is_on || !wants_fast_sums))
            fitting += part;
    }
    return fitting;
}

/* Fast sums are left out if they do not fit, which makes steps several times slower. */
static void warn_if_slow(const struct config *config, const struct disc_sum_plan *near)
{
    const uint32_t fitting = near->is_on ? 0 : boids_that_fit(config->model, true);
    if (fitting > 0)
        fprintf(
            stderr,
            "warning: steps will be several times slower: the fast sums over neighbours fit into the RAM with at most "
            "%" PRIu32 " boids%s, and flock.count is %" PRIu32 "\n",
            fitting, is_live ? " and LIVE=1 or POT" : "", config->model.boid_count);
}

static bool check_board(const struct config *config, const struct flock_params *params,
                        const struct disc_sum_plan *near, struct error *error)
{
    const struct flock_model *model = &config->model;
    const size_t bytes = board_memory(params, near, model);
    if (*config->init_file)
        return error_refuse(error, "%s: flock.init.file is %s; the board generates its initial state itself",
                            config->path, config->init_file);
    if (config->schedule.size > 0)
        return error_refuse(error, "%s: schedule is not empty; the board runs one set of rules",
                            config->path);
    if (is_live && params->update == FLOCK_SHUFFLED_VELOCITIES)
        return error_refuse(error,
                            "%s: LIVE=1 and POT do not fit on the stack with update shuffled_velocities",
                            config->path);
    if (bytes > FLOCK_RAM)
        return error_refuse(
            error,
            "%s: %" PRIu32 " boids and %" PRIu32 " predator%s take %zu bytes; without its frame buffer, "
            "the board has %d bytes, enough for %" PRIu32 " boids",
            config->path, model->boid_count, model->predator_count, text_plural(model->predator_count), bytes,
            FLOCK_RAM, boids_that_fit(*model, false));
    const struct {
        const char *what;
        double value;
        int max;
    } limits[] = {{"the number of obstacles.circles", params->obstacle_count, MAX_LIST},
                  {"the number of goals.points", params->goal_count, MAX_LIST},
                  {"world.width", model->world.width, MAX_WORLD},
                  {"world.height", model->world.height, MAX_WORLD}};
    FOR_EACH (limit, limits)
        if (limit->value > limit->max)
            return error_refuse(error, "%s: %s is %g; on the board it can be at most %d", config->path,
                                limit->what, limit->value, limit->max);
    return true;
}

static void print_string(const char *name, const char *text)
{
    printf("#define %s \"", name);
    for (; *text; text++)
        if (*text >= ' ' && *text <= '~' && *text != '"' && *text != '\\' && *text != '?')
            putchar(*text);
        else
            printf("\\%03o", (unsigned)(unsigned char)*text);
    puts("\"");
}

/* The keys that may change while the firmware runs: factors and speeds that this flock uses, with their fields in the parameters.
 * Rules that are off, and limits that depend on other keys, stay as they are. */
static bool print_keys(const struct config *config, const struct flock_params *params, struct error *error)
{
    double pot_value = 0;
    const struct flock_model *model = &config->model;
    const bool counts_seen = params->separation.normalise == FLOCK_BY_SEEN;
    const bool has_predators = model->predator_count > 0, has_limits = !params->has_speed_spread;
    const bool has_min = has_limits && params->limits.has_min, has_max = has_limits && params->limits.has_max;
    static const char both[] = "limits, &sim_params.predator_limits";
    const struct {
        const char *path, *kind, *fields;
        bool is_used;
    } rows[] = {
        {"world.turn_factor", "NUMBER", "turn_factor", params->border == FLOCK_BOUNCE},
        {"flock.min_speed", "MIN", model->predator_min_speed.is_own ? "limits" : both, has_min},
        {"flock.max_speed", "MAX", model->predator_max_speed.is_own ? "limits" : both, has_max},
        {"flock.separation.factor", "RULE", "separation", params->separation.is_on && !counts_seen},
        {"flock.alignment.factor", "RULE", "alignment", params->alignment.is_on && !counts_seen},
        {"flock.cohesion.factor", "RULE", "cohesion", params->cohesion.is_on && !counts_seen},
        {"predators.turn_factor", "NUMBER", "predator_turn_factor", has_predators},
        {"predators.factor", "FACTOR", "hunt_factor", has_predators && params->hunt != FLOCK_HUNT_NONE},
        {"obstacles.turn_factor", "FACTOR", "avoid_factor", params->obstacle_count > 0},
        {"goals.factor", "FACTOR", "goal_factor", params->goal_count > 0 || params->has_goal_direction},
    };
    const struct config_number_range *range = config_number_range(FLOCK_FIXED);
    bool has_pot = !*pot, has_keys = false;
    printf("#define SIM_MOST %a\n", range->high);
    print_string("SIM_TOO_LARGE", range->too_large);
    print_string("SIM_TOO_SMALL", range->too_small);
    printf("#define SIM_KEYS");
    FOR_EACH (row, rows) {
        const struct config_key *key = config_key_find(row->path);
        const double value = *(const double *)(const void *)((const char *)config + key->offset);
        char bounds[CONFIG_KEY_PATH_SIZE];
        config_key_bounds(key, bounds, sizeof bounds);
        if (!row->is_used)
            continue;
        has_keys = true;
        printf(" \\\n    {\"%s\", LIVE_%s, {&sim_params.%s}, %s, %a, \"%.*s\", \"%.8g\"},", key->path,
               row->kind, row->fields, isinf(key->low) ? "-__builtin_inf()" : "0",
               key->flags & SQUARED ? range->low_squared : 0, (int)strcspn(bounds, ","), bounds, value);
        if (!has_pot && text_is_same(pot, key->path)) {
            has_pot = true;
            pot_value = value;
        }
    }
    putchar('\n');
    if (*pot)
        printf("#define SIM_POT \"%s\"\n#define SIM_POT_VALUE %a\n", pot, pot_value);
    if (!has_keys)
        return error_refuse(error, "%s: LIVE=1 and POT: this flock has no factor or speed that may change",
                            config->path);
    return has_pot || error_refuse(error,
                                   "POT is %s; it must be a factor or speed that this flock uses, such as "
                                   "flock.max_speed",
                                   pot);
}

static void print_header(const struct config *config, const struct flock_params *params,
                         const struct disc_sum_plan *near, const char *text)
{
    const struct flock_model *model = &config->model;
    puts("/* Written by firmware_config; not to be edited. */");
    print_string("SIM_TITLE", config->title);
    /* The hash of the resolved configuration, printed on one line. */
    printf("#define SIM_CONFIGURATION_HASH UINT64_C(0x%016" PRIx64 ")\n", text_hash(text, strlen(text)));
    const struct {
        const char *name;
        int64_t value;
    } rows[] = {
        {"SIM_BOIDS", model->boid_count},
        {"SIM_PREDATORS", model->predator_count},
        {"SIM_CELLS", flock_grid_cells(params)},
        {"SIM_UPDATE", params->update},
        {"SIM_Y_UP", config->y_axis == CONFIG_Y_UP},
        {"SIM_WRAPS", params->border == FLOCK_WRAP},
        {"SIM_OBSTACLE_COUNT", params->obstacle_count},
        {"SIM_GOAL_COUNT", params->goal_count},
        {"DISC_SUM_IS_ON", near->is_on},
        {"DISC_SUM_REACH", near->reach},
        {"DISC_SUM_CLOSE", near->separation},
        {"DISC_SUM_ALIGNMENT", near->alignment},
        {"DISC_SUM_COHESION", near->cohesion},
        {"DISC_SUM_FORM", params->separation_form},
        {"DISC_SUM_HOLES", (params->alignment.inner_squared > 0 ? RULE_ALIGNMENT : 0) |
                               (params->cohesion.inner_squared > 0 ? RULE_COHESION : 0)},
        {"DISC_SUM_CELL", near->cell},
        {"DISC_SUM_UNIT", near->unit},
        {"DISC_SUM_CELLS", near->cells},
        {"DISC_SUM_COLUMNS", near->columns},
        {"DISC_SUM_ROWS", near->rows},
    };
    FOR_EACH (row, rows)
        printf("#define %s %" PRId64 "\n", row->name, row->value);
    print_params_fixed(model);
    print_params_f32(model);
}

static bool write_configuration(struct config *config, char **words, struct error *error)
{
    bool is_good = preset_or_file_read(config, words[0], error);
    for (char **setting = words + 1; is_good && *setting; setting++)
        is_good = config_set(config, "SET", NULL, *setting, error);
    /* The board has only fixed point: its limits hold, and the hash must be that of the flock on the board. */
    config->model.arithmetic = FLOCK_FIXED;
    config->origins[config_key_find("arithmetic") - config_keys] =
        (struct config_origin){.text = "the board"};
    if (!is_good || !config_check_rule(config, error) || !config_resolve(config, error))
        return false;
    struct flock_params params = flock_params_from_model(&config->model, config->model.boid_count);
    static struct flock_obstacle lists[2 * FLOCK_LIST_MAX];
    flock_lists_from_model(&params, &config->model, lists);
    const struct disc_sum_plan near = plan_disc_sum(&params, &config->model);
    if (!check_board(config, &params, &near, error))
        return false;
    char *text = config_print(config, CONFIG_LINE);
    if (!text)
        return error_fail(error, "out of memory for the configuration's text");
    warn_if_slow(config, &near);
    print_header(config, &params, &near, text);
    free(text);
    if (is_live && !print_keys(config, &params, error))
        return false;
    return (fflush(stdout) == 0 && !ferror(stdout)) || error_fail(error, "standard output cannot be written");
}

int main(int argc, char **argv)
{
    struct error error = {0};
    struct config *config = malloc(sizeof *config);
    is_live = argc > 1 && text_begins_with(argv[1], "--live");
    if (is_live && argv[1][6] == '=')
        pot = argv[1] + 7;
    argc -= is_live;
    argv += is_live;
    if (argc < 2)
        error_refuse(&error, "no configuration was given; try firmware_config configs/adams.json");
    else if (!config)
        error_fail(&error, "out of memory for a configuration");
    else
        write_configuration(config, argv + 1, &error);
    free(config);
    if (error.status != ERROR_NONE)
        error_print(&error, "firmware_config");
    return (int)error.status;
}
