/* The table, and what can be said from it alone.
 *
 * The rows are written with a few macros that read as the table in a manual would: NUMBER(field), ABOVE(0),
 * standard, meaning. Sections are not rows: "flock.init" exists because keys begin with it.
 */
#include "config/keys.h"

#include "config/text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define FIELD(member) \
    .offset = offsetof(struct config, member), .size = sizeof(((struct config *)NULL)->member)

#define PATH(text)        text, .path_length = sizeof(text) - 1
#define TEXT(member)      .kind = KEY_TEXT, FIELD(member)
#define FILE_PATH(member) .kind = KEY_FILE, FIELD(member)
#define SEED(member)      .kind = KEY_SEED, FIELD(member)
#define INTEGER(member)   .kind = KEY_INTEGER, FIELD(member)
#define NUMBER(member)    .kind = KEY_NUMBER, FIELD(member)
#define NULLABLE(member)  .kind = KEY_NULLABLE, FIELD(member)
#define OWN(member)       .kind = KEY_INHERIT, FIELD(member)
#define PAIR(member)      .kind = KEY_PAIR, FIELD(member)
#define VECTOR(member)    .kind = KEY_VECTOR, FIELD(member)
#define POINTS(member)    .kind = KEY_POINTS, FIELD(member)
#define CIRCLES(member)   .kind = KEY_CIRCLES, FIELD(member)
#define MARGIN(member)    .kind = KEY_MARGIN, FIELD(member)
#define SIDE(member)      .kind = KEY_COMPONENT, FIELD(member)
/* Out of a list of choices as flock/model.h has them; or a single answer, which is not stored. */
#define WORD(value, word)      word,
#define WORDS(...)             ((const char *const[]){__VA_ARGS__ NULL})
#define CHOICE(member, choice) .kind = KEY_CHOICE, FIELD(member), .names = WORDS(choice(WORD))
#define ONLY(word)             .kind = KEY_CHOICE, .names = WORDS(word, )

/* Several of a list, by default all. */
#define OF(member, list) \
    FIELD(member), .names = (list), .default_value = (1U << (sizeof(list) / sizeof *(list)-1)) - 1
#define NAMES(member, list) .kind = KEY_NAMES, OF(member, list)
#define SOME(member, list)  .kind = KEY_SUBSET, OF(member, list)

#define FROM(least, most) .low = (least), .high = (most)
#define AT_LEAST(least)   FROM(least, (double)INFINITY)
#define ABOVE(limit)      AT_LEAST(limit), .is_above_low = true
#define TURN              6.283185307179586
#define ANY               FROM(-(double)INFINITY, (double)INFINITY)

static const char *const fields[] = {CONFIG_FIELDS(WORD) NULL};

static const char *const observables[] = {
#define OBSERVABLE(id, name, ...) name,
#include "measure/observables.def"
#undef OBSERVABLE
    NULL,
};

const struct config_key config_keys[] = {
    {.path = PATH("$schema"),
     TEXT(schema),
     .resume_may_differ = true,
     .default_text = "empty",
     .meaning = "Path or URL of the JSON Schema, for editors; the program ignores it."},
    {.path = PATH("title"),
     TEXT(title),
     .default_text = "empty",
     .meaning = "Name of the flock, for plots and tables."},
    {.path = PATH("seed"),
     SEED(model.seed),
     FROM(0, CONFIG_WHOLE_LIMIT),
     .affects_init = true,
     .default_value = 1,
     .meaning = "Seed of all random numbers; write a seed above 2^53 as a string."},
    {.path = PATH("steps"),
     INTEGER(steps),
     .resume_may_differ = true,
     FROM(0, CONFIG_WHOLE_LIMIT),
     .default_value = 300,
     .meaning = "Number of steps to run; a step is one unit of time."},
    {.path = PATH("arithmetic"),
     CHOICE(model.arithmetic, FLOCK_ARITHMETICS),
     .affects_init = true,
     .default_value = FLOCK_FLOAT64,
     .meaning = "Number type of the computation; fixed is Q16.16, with the same bits as on the board."},
    {.path = PATH("update"),
     CHOICE(model.update, FLOCK_UPDATES),
     .default_value = FLOCK_SYNCHRONOUS,
     .meaning =
         "Order of updates: all boids at once, one after another, rule after rule, or one after another in random order."},
    {.path = PATH("integrator"),
     CHOICE(model.integrator, FLOCK_INTEGRATORS),
     .default_value = FLOCK_SEMI_IMPLICIT,
     .meaning =
         "Velocity that moves a boid: the new one (semi-implicit) or the one before the step (explicit)."},

    {.path = PATH("world.width"),
     NUMBER(model.world.width),
     ABOVE(0),
     .stays_positive = true,
     .affects_init = true,
     .default_value = 640,
     .meaning = "Width of the world, in world units; x runs from 0 at the left."},
    {.path = PATH("world.height"),
     NUMBER(model.world.height),
     ABOVE(0),
     .stays_positive = true,
     .affects_init = true,
     .default_value = 480,
     .meaning = "Height of the world, in world units; y runs from 0 at the side called top."},
    {.path = PATH("world.border"),
     CHOICE(model.world.border, FLOCK_BORDERS),
     .default_value = FLOCK_BOUNCE,
     .meaning =
         "Effect of the border: bounce turns boids back in a margin, wrap moves them to the other side, reflect mirrors their motion, open has no effect."},
    {.path = PATH("world.margin"),
     MARGIN(model.world.margin),
     .resume_may_differ = true, /* its sides are compared */
     AT_LEAST(0),
     .default_value = 100,
     .meaning = "Width of the strip inside the border in which bounce turns boids back, in world units."},
    {.path = PATH("world.margin.left"),
     SIDE(model.world.margin.left),
     AT_LEAST(0),
     .default_value = 100,
     .meaning = "Width of the strip along the side x = 0, in world units."},
    {.path = PATH("world.margin.right"),
     SIDE(model.world.margin.right),
     AT_LEAST(0),
     .default_value = 100,
     .meaning = "Width of the strip along the side x = width, in world units."},
    {.path = PATH("world.margin.top"),
     SIDE(model.world.margin.top),
     AT_LEAST(0),
     .default_value = 100,
     .meaning = "Width of the strip along the side y = 0, in world units."},
    {.path = PATH("world.margin.bottom"),
     SIDE(model.world.margin.bottom),
     AT_LEAST(0),
     .default_value = 100,
     .meaning = "Width of the strip along the side y = height, in world units."},
    {.path = PATH("world.turn_factor"),
     NUMBER(model.world.turn_factor),
     .is_changeable = true,
     AT_LEAST(0),
     .default_value = 0.2,
     .meaning = "Change of velocity per step in the margin of bounce, in world units per step."},
    {.path = PATH("world.wrap_to"),
     CHOICE(model.world.wrap_to, FLOCK_WRAPS),
     .default_value = FLOCK_WRAP_MODULO,
     .meaning =
         "Position after wrap: as far inside the world as the boid was outside (modulo), or exactly on the opposite edge (edge)."},
    {.path = PATH("world.distance"),
     CHOICE(model.world.distance, FLOCK_DISTANCES),
     .default_value = FLOCK_PLANE,
     .default_text = "torus with the border wrap, else plane",
     .meaning = "Distance between boids: across the borders of a wrapped world (torus) or not (plane)."},
    {.path = PATH("world.wind"),
     VECTOR(model.world.wind),
     .is_changeable = true,
     ANY,
     .default_value = 0,
     .meaning =
         "Displacement added to every boid and predator per step, [x, y] in world units; speeds are relative to the wind."},
    {.path = PATH("world.y_axis"),
     CHOICE(y_axis, CONFIG_Y_AXES),
     .default_value = CONFIG_Y_UP,
     .meaning = "Direction of the y axis in drawings; it does not affect the flock."},

    {.path = PATH("flock.count"),
     INTEGER(model.boid_count),
     FROM(1, 2147483647),
     .affects_init = true,
     .default_value = 400,
     .meaning = "Number of boids; an initial state from a file overrides it."},
    {.path = PATH("flock.min_speed"),
     NULLABLE(model.min_speed),
     .is_changeable = true,
     AT_LEAST(0),
     .affects_init = true,
     .default_value = 3,
     .meaning = "Minimum speed of boids, in world units per step; null: no limit."},
    {.path = PATH("flock.max_speed"),
     NULLABLE(model.max_speed),
     .is_changeable = true,
     AT_LEAST(0),
     .stays_positive = true,
     .affects_init = true,
     .default_value = 6,
     .meaning = "Maximum speed of boids, in world units per step; null: no limit."},
    {.path = PATH("flock.limit"),
     CHOICE(model.limit, FLOCK_LIMITS),
     .default_value = FLOCK_LIMIT_AFTER_BORDER,
     .meaning = "When speeds are limited: after or before bounce and predators change the velocity."},
    {.path = PATH("flock.steering"),
     CHOICE(model.steering, FLOCK_STEERINGS),
     .default_value = FLOCK_DIRECT,
     .meaning =
         "How a rule acts: it changes the velocity (direct), or steers towards its desired velocity with a limited force (reynolds)."},
    {.path = PATH("flock.max_force"),
     NULLABLE(model.max_force),
     .is_changeable = true,
     ABOVE(0),
     .stays_positive = true,
     .default_value = NAN,
     .meaning =
         "Maximum change of velocity per step, in world units per step, of each rule (reynolds) or of their sum (direct); null: no limit."},
    {.path = PATH("flock.priority"),
     CHOICE(model.priority, FLOCK_PRIORITIES),
     .default_value = FLOCK_NO_PRIORITY,
     .meaning =
         "separation: skip alignment and cohesion for a boid that has a neighbour within the separation radius."},
    {.path = PATH("flock.max_turn"),
     NULLABLE(model.max_turn),
     .is_changeable = true,
     FROM(0, 180),
     .is_above_low = true,
     .default_value = NAN,
     .meaning = "Maximum turn of a velocity per step, in degrees; null: no limit."},
    {.path = PATH("flock.means"),
     CHOICE(model.means, FLOCK_MEANS),
     .default_value = FLOCK_WITHOUT_SELF,
     .meaning =
         "Boids in the means of alignment and cohesion: the neighbours only, or the boid itself as well."},
    {.path = PATH("flock.inertia"),
     NUMBER(model.inertia),
     .is_changeable = true,
     AT_LEAST(0),
     .default_value = 1,
     .meaning = "Weight of the old velocity in the new one; with 0 the rules alone determine it."},
    {.path = PATH("flock.noise.eta"),
     NUMBER(model.noise_eta),
     .is_changeable = true,
     FROM(0, TURN),
     .default_value = 0,
     .meaning =
         "Angular noise: each boid turns by a random angle between -eta/2 and eta/2 per step, in radians."},
    {.path = PATH("flock.noise.vector"),
     NUMBER(model.noise_vector),
     .is_changeable = true,
     AT_LEAST(0),
     .default_value = 0,
     .meaning =
         "Vectorial noise: length of a vector of random direction that is added to each velocity per step."},
    {.path = PATH("flock.separation.radius"),
     NUMBER(model.separation.radius),
     .is_changeable = true,
     AT_LEAST(0),
     .default_value = 8,
     .meaning = "Radius of separation, in world units: boids move away from closer neighbours; 0: off."},
    {.path = PATH("flock.separation.factor"),
     NUMBER(model.separation.factor),
     .is_changeable = true,
     ANY,
     .default_value = 0.05,
     .meaning = "Strength of separation."},
    {.path = PATH("flock.separation.form"),
     CHOICE(model.separation_form, FLOCK_SEPARATION_FORMS),
     .default_value = FLOCK_OFFSET,
     .meaning =
         "Sum of offsets, sum of unit vectors, mean of unit vectors divided by distance, or sum of offsets divided by (distance^4 + 1)."},
    {.path = PATH("flock.separation.view"),
     NUMBER(model.separation.view),
     .is_changeable = true,
     FROM(0, 360),
     .is_above_low = true,
     .default_value = 360,
     .meaning =
         "Field of view in degrees, centred on the velocity; neighbours outside it are ignored; 360: no restriction."},
    {.path = PATH("flock.separation.nearest"),
     NULLABLE(model.separation.nearest),
     .is_changeable = true,
     .is_whole = true,
     FROM(1, 32),
     .default_value = NAN,
     .meaning = "Use only this number of nearest neighbours; null: all."},
    {.path = PATH("flock.separation.normalise"),
     CHOICE(model.separation.normalise, FLOCK_SEPARATION_NORMALISES),
     .default_value = FLOCK_BY_FORM,
     .meaning =
         "Sum, mean or unit vector over the neighbours, or the sum divided by all neighbours in sight; by_form: mean with form inverse, otherwise sum."},
    {.path = PATH("flock.alignment.radius"),
     NUMBER(model.alignment.radius),
     .is_changeable = true,
     AT_LEAST(0),
     .default_value = 40,
     .meaning =
         "Radius of alignment, in world units: boids match the velocity of closer neighbours; 0: off."},
    {.path = PATH("flock.alignment.inner_radius"),
     NUMBER(model.alignment.inner_radius),
     .is_changeable = true,
     AT_LEAST(0),
     .default_value = 0,
     .meaning = "Neighbours closer than this are ignored in alignment, in world units."},
    {.path = PATH("flock.alignment.factor"),
     NUMBER(model.alignment.factor),
     .is_changeable = true,
     ANY,
     .default_value = 0.05,
     .meaning = "Strength of alignment."},
    {.path = PATH("flock.alignment.form"),
     CHOICE(model.alignment_form, FLOCK_ALIGNMENT_FORMS),
     .default_value = FLOCK_DIFFERENCE,
     .meaning =
         "Mean velocity of the neighbours minus the boid's own (difference), minus the boid's own after the other rules (latest), or without subtraction (mean)."},
    {.path = PATH("flock.alignment.view"),
     NUMBER(model.alignment.view),
     .is_changeable = true,
     FROM(0, 360),
     .is_above_low = true,
     .default_value = 360,
     .meaning =
         "Field of view in degrees, centred on the velocity; neighbours outside it are ignored; 360: no restriction."},
    {.path = PATH("flock.alignment.nearest"),
     NULLABLE(model.alignment.nearest),
     .is_changeable = true,
     .is_whole = true,
     FROM(1, 32),
     .default_value = NAN,
     .meaning = "Use only this number of nearest neighbours; null: all."},
    {.path = PATH("flock.alignment.normalise"),
     CHOICE(model.alignment.normalise, FLOCK_NORMALISES),
     .default_value = FLOCK_BY_FORM,
     .meaning = "Sum, mean or unit vector of the velocities; by_form: mean."},
    {.path = PATH("flock.cohesion.radius"),
     NUMBER(model.cohesion.radius),
     .is_changeable = true,
     AT_LEAST(0),
     .default_value = 40,
     .meaning =
         "Radius of cohesion, in world units: boids move towards the centre of closer neighbours; 0: off."},
    {.path = PATH("flock.cohesion.inner_radius"),
     NUMBER(model.cohesion.inner_radius),
     .is_changeable = true,
     AT_LEAST(0),
     .default_value = 0,
     .meaning = "Neighbours closer than this are ignored in cohesion, in world units."},
    {.path = PATH("flock.cohesion.factor"),
     NUMBER(model.cohesion.factor),
     .is_changeable = true,
     ANY,
     .default_value = 0.0005,
     .meaning = "Strength of cohesion."},
    {.path = PATH("flock.cohesion.view"),
     NUMBER(model.cohesion.view),
     .is_changeable = true,
     FROM(0, 360),
     .is_above_low = true,
     .default_value = 360,
     .meaning =
         "Field of view in degrees, centred on the velocity; neighbours outside it are ignored; 360: no restriction."},
    {.path = PATH("flock.cohesion.nearest"),
     NULLABLE(model.cohesion.nearest),
     .is_changeable = true,
     .is_whole = true,
     FROM(1, 32),
     .default_value = NAN,
     .meaning = "Use only this number of nearest neighbours; null: all."},
    {.path = PATH("flock.cohesion.normalise"),
     CHOICE(model.cohesion.normalise, FLOCK_NORMALISES),
     .default_value = FLOCK_BY_FORM,
     .meaning = "Sum, mean or unit vector of the offsets; by_form: mean."},
    {.path = PATH("flock.cohesion.form"),
     CHOICE(model.cohesion_form, FLOCK_COHESION_FORMS),
     .default_value = FLOCK_COHESION_OFFSET,
     .meaning = "Attraction by a neighbour: its offset (offset), or a vector of length 1 towards it (unit)."},
    {.path = PATH("flock.init.position"),
     ONLY("uniform"),
     .affects_init = true,
     .default_value = 0,
     .meaning = "Initial positions: uniformly random in the world."},
    {.path = PATH("flock.init.velocity"),
     CHOICE(model.init_velocity, FLOCK_INIT_VELOCITIES),
     .affects_init = true,
     .default_value = FLOCK_HEADING,
     .meaning =
         "Meaning of flock.init.speed: the range of speeds in random directions, or the range of vx and of vy."},
    {.path = PATH("flock.init.speed"),
     PAIR(model.init_speed),
     ANY,
     .affects_init = true,
     .default_text = "[min_speed, max_speed] of flock, null as 0",
     .meaning = "Range of initial speeds or velocity components, in world units per step."},
    {.path = PATH("flock.init.file"),
     FILE_PATH(init_file),
     .default_text = "none",
     .meaning =
         "CSV file or trajectory with the initial state, relative to the configuration's folder; with --set, relative to the current folder."},
    {.path = PATH("flock.init.steps"),
     CHOICE(init_steps, CONFIG_INIT_STEPS),
     .default_value = CONFIG_ANEW,
     .meaning = "First step number: 0 (anew), or that of the frame in flock.init.file (kept)."},

    {.path = PATH("predators.count"),
     INTEGER(model.predator_count),
     FROM(0, 65535),
     .affects_init = true,
     .default_value = 0,
     .meaning = "Number of predators."},
    {.path = PATH("predators.radius"),
     NUMBER(model.predator_radius),
     .is_changeable = true,
     AT_LEAST(0),
     .default_value = 100,
     .meaning = "Radius of fleeing, in world units: boids flee from closer predators."},
    {.path = PATH("predators.turn_factor"),
     NUMBER(model.predator_turn_factor),
     .is_changeable = true,
     AT_LEAST(0),
     .default_value = 0.5,
     .meaning = "Change of a boid's velocity per step when it flees, in world units per step."},
    {.path = PATH("predators.form"),
     CHOICE(model.predator_form, FLOCK_FLEE_FORMS),
     .default_value = FLOCK_FLEE_AXES,
     .meaning =
         "Direction of fleeing: equal changes of vx and vy (axes), or directly away from the predator (unit)."},
    {.path = PATH("predators.hunt"),
     CHOICE(model.hunt, FLOCK_HUNTS),
     .is_changeable = true,
     .default_value = FLOCK_HUNT_NONE,
     .meaning = "Target of predators: none, the nearest boid, or the centre of all boids."},
    {.path = PATH("predators.factor"),
     NUMBER(model.hunt_factor),
     .is_changeable = true,
     AT_LEAST(0),
     .default_value = 0.2,
     .meaning = "Change of a predator's velocity per step when it hunts, in world units per step."},
    {.path = PATH("predators.min_speed"),
     OWN(model.predator_min_speed),
     .is_changeable = true,
     AT_LEAST(0),
     .affects_init = true,
     .meaning = "Minimum speed of predators, in world units per step; null: no limit."},
    {.path = PATH("predators.max_speed"),
     OWN(model.predator_max_speed),
     .is_changeable = true,
     AT_LEAST(0),
     .stays_positive = true,
     .affects_init = true,
     .meaning = "Maximum speed of predators, in world units per step; null: no limit."},

    {.path = PATH("obstacles.circles"),
     CIRCLES(model.obstacles),
     .is_changeable = true,
     ABOVE(0),
     .meaning = "Circular obstacles for boids and predators, [[x, y, radius], ...] in world units."},
    {.path = PATH("obstacles.clearance"),
     NUMBER(model.obstacle_clearance),
     .is_changeable = true,
     AT_LEAST(0),
     .default_value = 5,
     .meaning = "Distance that boids and predators keep from obstacles, in world units."},
    {.path = PATH("obstacles.look_ahead"),
     NUMBER(model.obstacle_look_ahead),
     .is_changeable = true,
     AT_LEAST(0),
     .default_value = 20,
     .meaning = "Number of steps ahead within which boids and predators avoid an obstacle on their way."},
    {.path = PATH("obstacles.turn_factor"),
     NUMBER(model.obstacle_turn_factor),
     .is_changeable = true,
     AT_LEAST(0),
     .default_value = 0.5,
     .meaning = "Change of velocity per step when avoiding an obstacle, in world units per step."},

    {.path = PATH("goals.points"),
     POINTS(model.goals),
     .is_changeable = true,
     ANY,
     .meaning = "Goals of boids, [[x, y], ...] in world units; predators ignore them."},
    {.path = PATH("goals.factor"),
     NUMBER(model.goal_factor),
     .is_changeable = true,
     ANY,
     .default_value = 0.05,
     .meaning = "Strength of the attraction to a goal; a negative factor repels."},
    {.path = PATH("goals.form"),
     CHOICE(model.goal_form, FLOCK_GOAL_FORMS),
     .default_value = FLOCK_GOAL_UNIT,
     .meaning =
         "Attraction to a goal: the same at every distance (unit), or proportional to the distance (offset)."},
    {.path = PATH("goals.radius"),
     NULLABLE(model.goal_radius),
     .is_changeable = true,
     ABOVE(0),
     .stays_positive = true,
     .default_value = NAN,
     .meaning = "Radius within which a goal attracts boids, in world units; null: everywhere."},
    {.path = PATH("goals.every"),
     INTEGER(model.goal_every),
     .is_changeable = true,
     FROM(0, CONFIG_WHOLE_LIMIT),
     .default_value = 0,
     .meaning = "Steps per goal if all boids visit the goals in turn; 0: each boid seeks its nearest goal."},

    {.path = PATH("output.every"),
     INTEGER(output.every),
     FROM(1, CONFIG_WHOLE_LIMIT),
     .default_value = 1,
     .meaning = "Number of steps between frames; the first and the last frame are always written."},
    {.path = PATH("output.first"),
     INTEGER(output.first),
     FROM(0, CONFIG_WHOLE_LIMIT),
     .default_value = 0,
     .meaning = "Step of the first frame; earlier steps are only measured."},
    {.path = PATH("output.observables"),
     NAMES(output.observables, observables),
     .meaning = "Observables for HDF5, --observables, --summary and --until: all, none or a list."},
    {.path = PATH("output.observables_every"),
     INTEGER(output.observables_every),
     FROM(1, CONFIG_WHOLE_LIMIT),
     .default_text = "output.every",
     .meaning = "Number of steps between measurements, from step 0; the last step is always measured."},
    {.path = PATH("output.boids"),
     .kind = KEY_BOIDS,
     FIELD(output.boids),
     FROM(0, 2147483647),
     .meaning =
         "Boids that are written: all, those with ids that are multiples of K, or ids A to B; predators are always written."},
    {.path = PATH("output.fields"),
     SOME(output.fields, fields),
     .meaning = "Fields that are written for each boid and predator."},
    {.path = PATH("output.digits"),
     INTEGER(output.digits),
     FROM(1, 17),
     .default_value = 6,
     .meaning =
         "Significant digits in text; 9, 17 and 10 digits reproduce float32, float64 and fixed exactly."},
    {.path = PATH("output.mean_from"),
     NULLABLE(output.mean_from),
     .resume_may_differ = true,
     .is_whole = true,
     FROM(0, CONFIG_WHOLE_LIMIT),
     .default_value = NAN,
     .meaning = "First step of the averages of observables; null: half of steps."},
    {.path = PATH("output.flush_seconds"),
     NUMBER(output.flush_seconds),
     AT_LEAST(0),
     .default_value = 1,
     .meaning = "HDF5: seconds between flushes of complete frames to the kernel."},
    {.path = PATH("output.sync"),
     CHOICE(output.sync, CONFIG_SYNCS),
     .default_value = CONFIG_SYNC_END,
     .meaning = "When files are forced to disk (fsync): never (none), at their end, or at each flush."},
    {.path = PATH("output.compression"),
     INTEGER(output.compression),
     FROM(0, 9),
     .default_value = 0,
     .meaning = "HDF5: gzip level; 0: no compression."},
    {.path = PATH("output.h5_dims"),
     INTEGER(output.h5_dims),
     FROM(2, 3),
     .default_value = 2,
     .meaning = "HDF5: dimensions of a position; 3 adds z = 0 for programs that need it."},
    {.path = PATH("output.precision"),
     CHOICE(output.precision, CONFIG_PRECISIONS),
     .default_value = CONFIG_NATIVE,
     .meaning = "HDF5: number type of frames: that of the computation (native), or float32."},

    {.path = PATH("schedule"),
     .kind = KEY_SCHEDULE,
     FIELD(schedule),
     .meaning = "Changes of keys during the run: from frame STEP on, the keys in set have these values."},
};

const size_t config_key_count = sizeof config_keys / sizeof *config_keys;

_Static_assert(sizeof config_keys / sizeof *config_keys <= CONFIG_KEY_LIMIT,
               "config.h has an origin for every key");
_Static_assert(sizeof(struct flock_margin) == 4 * sizeof(double), "a margin is read as four numbers");

/* Paths. */

const struct config_key *config_key_find(const char *path)
{
    const size_t length = strlen(path);
    for (size_t k = 0; k < config_key_count; k++)
        if (config_keys[k].path_length == length && memcmp(config_keys[k].path, path, length) == 0)
            return &config_keys[k];
    return NULL;
}

bool config_key_holds(const struct config_key *key, double value)
{
    return (!key->is_whole || value == floor(value)) &&
           (key->is_above_low ? value > key->low : value >= key->low) && value <= key->high;
}

bool config_key_is_in(const struct config_key *key, const char *section)
{
    size_t n = strlen(section);
    return n == 0 || (strncmp(key->path, section, n) == 0 && key->path[n] == '.');
}

bool config_section_exists(const char *path)
{
    if (*path == '\0')
        return false;
    for (size_t k = 0; k < config_key_count; k++)
        if (config_keys[k].kind != KEY_COMPONENT && config_key_is_in(&config_keys[k], path))
            return true;
    return false;
}

const char *config_last_name(const char *path)
{
    const char *dot = strrchr(path, '.');
    return dot != NULL ? dot + 1 : path;
}

/* The known path nearest to one that is not, so far. */
struct search {
    const char *asked;
    size_t part;  /* the mistakes in the path, or those in its last name and one, whichever is less */
    size_t whole; /* the mistakes in the path: of two keys with one last name, the nearer section wins */
    char nearest[CONFIG_KEY_PATH_SIZE];
};

/* As many at least: each letter too many or too few is one. */
static size_t fewest_edits(const char *a, const char *b)
{
    const size_t n = strlen(a), m = strlen(b);
    return n > m ? n - m : m - n;
}

static void consider(struct search *search, const char *known)
{
    const size_t last_at_least = fewest_edits(config_last_name(search->asked), config_last_name(known));
    if (fewest_edits(search->asked, known) > search->part && last_at_least > 0 &&
        last_at_least >= search->part)
        return;
    size_t whole = config_text_edits(search->asked, known);
    size_t last = config_text_edits(config_last_name(search->asked), config_last_name(known));
    size_t part = last == 0 ? 0 : last < whole ? last + 1 : whole;
    if (part < search->part || (part == search->part && whole < search->whole)) {
        search->part = part;
        search->whole = whole;
        snprintf(search->nearest, sizeof search->nearest, "%s", known);
    }
}

/* The key or section that an unknown path most likely meant: one in which, or in whose last name, few letters
 * were mistaken. So "flock.cohesoin" finds flock.cohesion and "cohesion.factor" finds flock.cohesion.factor.
 * Nothing is found where that would take more than one mistake and another in every four letters. */
static struct search find_nearest(const char *path)
{
    struct search search = {.asked = path, .part = 2 + strlen(config_last_name(path)) / 4};
    for (size_t k = 0; k < config_key_count; k++) {
        char known[CONFIG_KEY_PATH_SIZE], *dot;
        snprintf(known, sizeof known, "%s", config_keys[k].path);
        consider(&search, known);
        for (dot = strrchr(known, '.'); dot != NULL; dot = strrchr(known, '.')) {
            *dot = '\0';
            consider(&search, known);
        }
    }
    return search;
}

bool config_key_refuse_unknown(struct fault *fault, const char *origin, const char *path)
{
    char shown[CONFIG_KEY_PATH_SIZE];
    const char *colon = *origin != '\0' ? ": " : "";
    const char *given = *path != '\0' ? path : "\"\"";
    config_text_shorten(shown, sizeof shown, given, strlen(given));
    if (strlen(path) >= CONFIG_KEY_PATH_SIZE)
        return fault_refuse(fault, "%s%s%s is not a known section or key", origin, colon, shown);
    if (config_section_exists(path))
        return fault_refuse(fault, "%s%s%s is a section; give one of its keys, which boids --help %s lists",
                            origin, colon, shown, path);
    struct search search = find_nearest(path);
    if (*search.nearest == '\0')
        return fault_refuse(fault, "%s%s%s is not a known section or key", origin, colon, shown);
    return fault_refuse(fault, "%s%s%s is not a known section or key; did you mean %s?", origin, colon, shown,
                        search.nearest);
}

/* Words. */

void config_key_bounds(const struct config_key *key, char *text, size_t size)
{
    const char *or_null = key->kind == KEY_NULLABLE  ? ", or null"
                          : key->kind == KEY_INHERIT ? ", null or \"flock\""
                                                     : "";
    char low[CONFIG_TEXT_NUMBER_SIZE], high[CONFIG_TEXT_NUMBER_SIZE];
    config_text_number(key->low, low);
    config_text_number(key->high, high);
    if (isinf(key->low))
        snprintf(text, size, "%s", "");
    else if (isinf(key->high))
        snprintf(text, size, key->is_above_low ? "above %s%s" : "%s or more%s", low, or_null);
    else
        snprintf(text, size, key->is_above_low ? "above %s and at most %s%s" : "from %s to %s%s", low, high,
                 or_null);
}

/* "a" or "b", or "a", "b" or "c". */
static void list_names(const char *const *names, char *text, size_t size)
{
    size_t used = 0;
    for (size_t i = 0; names[i] != NULL && used < size; i++) {
        const char *comma = i == 0 ? "" : names[i + 1] != NULL ? ", " : " or ";
        used += (size_t)snprintf(text + used, size - used, "%s\"%s\"", comma, names[i]);
    }
}

static void list_bare_names(const char *wanted, const char *const *names, char *text, size_t size)
{
    size_t used = (size_t)snprintf(text, size, "%s:", wanted);
    for (size_t i = 0; names[i] != NULL && used < size; i++)
        used += (size_t)snprintf(text + used, size - used, "%s %s", i == 0 ? "" : ",", names[i]);
}

/* What stands between "a number" and its bounds. */
static const char *between(const struct config_key *key)
{
    return isinf(key->low) ? "" : key->is_above_low || isfinite(key->high) ? " " : " of ";
}

size_t config_key_width(const struct config_key *key)
{
    return key->kind == KEY_POINTS ? 2 : key->kind == KEY_CIRCLES ? 3 : 0;
}

void config_key_entry_wanted(const struct config_key *key, char *text, size_t size)
{
    char bounds[64];
    config_key_bounds(key, bounds, sizeof bounds);
    if (config_key_width(key) == 2)
        snprintf(text, size, "two numbers [x, y]");
    else
        snprintf(text, size, "three numbers [x, y, radius], the radius %s", bounds);
}

static void tell_list(const struct config_key *key, char *text, size_t size)
{
    char entry[128];
    config_key_entry_wanted(key, entry, sizeof entry);
    snprintf(text, size, "a list of at most %d entries, each %s", FLOCK_LIST_MAX, entry);
}

void config_key_wanted(const struct config_key *key, char *text, size_t size)
{
    char bounds[64];
    config_key_bounds(key, bounds, sizeof bounds);
    switch (key->kind) {
    case KEY_TEXT: snprintf(text, size, "text"); break;
    case KEY_FILE: snprintf(text, size, "the path of a file, as text"); break;
    case KEY_SEED:
        snprintf(text, size, "a whole number from %.0f to %.0f, or a string of digits up to %llu", key->low,
                 key->high, ~0ULL);
        break;
    case KEY_INTEGER: snprintf(text, size, "a whole number from %.0f to %.0f", key->low, key->high); break;
    case KEY_NUMBER:
    case KEY_COMPONENT:
    case KEY_INHERIT:
    case KEY_NULLABLE:
        snprintf(text, size, "a %snumber%s%s", key->is_whole ? "whole " : "", between(key), bounds);
        break;
    case KEY_NAMES: list_bare_names("true, false or a list of names", key->names, text, size); break;
    case KEY_SUBSET: list_bare_names("a list of one or more names", key->names, text, size); break;
    case KEY_BOIDS:
        snprintf(text, size,
                 "\"all\", {\"every\": K} or {\"from\": A, \"to\": B} with ids up to %.0f, A not above B",
                 key->high);
        break;
    case KEY_SCHEDULE:
        snprintf(text, size, "a list of {\"at\": STEP, \"set\": {KEY: VALUE}}, steps ascending");
        break;
    case KEY_CHOICE: list_names(key->names, text, size); break;
    case KEY_PAIR: snprintf(text, size, "two numbers [a, b]%s%s, a not above b", between(key), bounds); break;
    case KEY_POINTS:
    case KEY_CIRCLES: tell_list(key, text, size); break;
    case KEY_VECTOR: snprintf(text, size, "two numbers [x, y]"); break;
    case KEY_MARGIN:
        snprintf(text, size, "a number%s%s, or an object of left, right, top and bottom", between(key),
                 bounds);
        break;
    }
}

/* The walk. */

/* Visit the keys of a section, from `key` on, and the sections in it; return the first key behind it. */
static const struct config_key *visit_section(const struct config_visitor *visitor, void *self,
                                              const char *section, const struct config_key *key)
{
    const struct config_key *end = config_keys + config_key_count;
    size_t begin = *section != '\0' ? strlen(section) + 1 : 0;

    visitor->open(self, section);
    while (key < end && config_key_is_in(key, section)) {
        size_t n = begin + strcspn(key->path + begin, ".");
        if (key->kind == KEY_COMPONENT) {
            key++;
        } else if (key->path[n] == '\0') {
            visitor->key(self, key++);
        } else {
            char inner[CONFIG_KEY_PATH_SIZE];
            snprintf(inner, sizeof inner, "%.*s", (int)n, key->path);
            key = visit_section(visitor, self, inner, key);
        }
    }
    visitor->close(self);
    return key;
}

void config_visit(const struct config_visitor *visitor, void *self)
{
    visit_section(visitor, self, "", config_keys);
}
