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
#define OWN(member)       .kind = KEY_OWN, FIELD(member)
#define PAIR(member)      .kind = KEY_PAIR, FIELD(member)
#define VECTOR(member)    .kind = KEY_VECTOR, FIELD(member)
#define POINTS(member)    .kind = KEY_POINTS, FIELD(member)
#define CIRCLES(member)   .kind = KEY_CIRCLES, FIELD(member)
#define MARGIN(member)    .kind = KEY_MARGIN, FIELD(member)
#define SIDE(member)      .kind = KEY_SIDE, FIELD(member)
/* Out of a list of choices as flock/model.h has them; or a single answer, which is not stored. */
#define WORD(value, word)      word,
#define WORDS(...)             ((const char *const[]){__VA_ARGS__ NULL})
#define CHOICE(member, choice) .kind = KEY_CHOICE, FIELD(member), .names = WORDS(choice(WORD))
#define ONLY(word)             .kind = KEY_CHOICE, .names = WORDS(word, )

/* Several of a list, by default all. */
#define OF(member, list) \
    FIELD(member), .names = (list), .standard = (1U << (sizeof(list) / sizeof *(list)-1)) - 1
#define NAMES(member, list) .kind = KEY_NAMES, OF(member, list)
#define SOME(member, list)  .kind = KEY_SOME, OF(member, list)

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
     .is_free = true,
     .otherwise = "empty",
     .meaning = "Where an editor finds the JSON Schema of this file; the program does not read it."},
    {.path = PATH("title"),
     TEXT(title),
     .otherwise = "empty",
     .meaning = "What this flock is, for people: plots and tables carry it."},
    {.path = PATH("seed"),
     SEED(model.seed),
     FROM(0, CONFIG_WHOLE_LIMIT),
     .is_placing = true,
     .standard = 1,
     .meaning = "Every random number follows from the seed; above 2^53 it is written as a string."},
    {.path = PATH("steps"),
     INTEGER(steps),
     .is_free = true,
     FROM(0, CONFIG_WHOLE_LIMIT),
     .standard = 300,
     .meaning = "How many steps to run; a step is one unit of time."},
    {.path = PATH("arithmetic"),
     CHOICE(model.arithmetic, FLOCK_ARITHMETICS),
     .is_placing = true,
     .standard = FLOCK_FLOAT64,
     .meaning = "The numbers to compute with; fixed is Q16.16, the same bits as on the board."},
    {.path = PATH("update"),
     CHOICE(model.update, FLOCK_UPDATES),
     .standard = FLOCK_SYNCHRONOUS,
     .meaning = "Whether boids turn all at once, one after another, rule after rule, or in a random order."},
    {.path = PATH("integrator"),
     CHOICE(model.integrator, FLOCK_INTEGRATORS),
     .standard = FLOCK_SEMI_IMPLICIT,
     .meaning = "Whether a boid moves by its new velocity (semi-implicit) or by the one before (explicit)."},

    {.path = PATH("world.width"),
     NUMBER(model.world.width),
     ABOVE(0),
     .is_lasting = true,
     .is_placing = true,
     .standard = 640,
     .meaning = "Width of the world, in world units; x runs from 0 at the left."},
    {.path = PATH("world.height"),
     NUMBER(model.world.height),
     ABOVE(0),
     .is_lasting = true,
     .is_placing = true,
     .standard = 480,
     .meaning = "Height of the world, in world units; y runs from 0 at the side called top."},
    {.path = PATH("world.border"),
     CHOICE(model.world.border, FLOCK_BORDERS),
     .standard = FLOCK_BOUNCE,
     .meaning =
         "What happens at the border: bounce turns boids back in a margin, wrap moves them to the other side, reflect "
         "mirrors them, open lets them go."},
    {.path = PATH("world.margin"),
     MARGIN(model.world.margin),
     .is_free = true, /* its sides are compared */
     AT_LEAST(0),
     .standard = 100,
     .meaning = "Width of the strip inside the border in which bounce turns boids back, in world units."},
    {.path = PATH("world.margin.left"),
     SIDE(model.world.margin.left),
     AT_LEAST(0),
     .standard = 100,
     .meaning = "Width of the strip along the side x = 0, in world units."},
    {.path = PATH("world.margin.right"),
     SIDE(model.world.margin.right),
     AT_LEAST(0),
     .standard = 100,
     .meaning = "Width of the strip along the side x = width, in world units."},
    {.path = PATH("world.margin.top"),
     SIDE(model.world.margin.top),
     AT_LEAST(0),
     .standard = 100,
     .meaning = "Width of the strip along the side y = 0, in world units."},
    {.path = PATH("world.margin.bottom"),
     SIDE(model.world.margin.bottom),
     AT_LEAST(0),
     .standard = 100,
     .meaning = "Width of the strip along the side y = height, in world units."},
    {.path = PATH("world.turn_factor"),
     NUMBER(model.world.turn_factor),
     .is_changeable = true,
     AT_LEAST(0),
     .standard = 0.2,
     .meaning = "How much bounce changes a velocity in one step, in world units per step."},
    {.path = PATH("world.wrap_to"),
     CHOICE(model.world.wrap_to, FLOCK_WRAPS),
     .standard = FLOCK_WRAP_MODULO,
     .meaning = "Where wrap lands a boid: as far in as it flew out (modulo), or on the other edge."},
    {.path = PATH("world.distance"),
     CHOICE(model.world.distance, FLOCK_DISTANCES),
     .standard = FLOCK_PLANE,
     .otherwise = "torus with the border wrap, else plane",
     .meaning = "Whether boids see each other across the seam of a wrapped world (torus) or not (plane)."},
    {.path = PATH("world.wind"),
     VECTOR(model.world.wind),
     .is_changeable = true,
     ANY,
     .standard = 0,
     .meaning = "What carries everybody along, [x, y] in world units per step; speeds are those against it."},
    {.path = PATH("world.y_axis"),
     CHOICE(y_axis, CONFIG_Y_AXES),
     .standard = CONFIG_Y_UP,
     .meaning = "Where y grows to in drawings; the flock itself does not depend on it."},

    {.path = PATH("flock.count"),
     INTEGER(model.boid_count),
     FROM(1, 2147483647),
     .is_placing = true,
     .standard = 400,
     .meaning = "How many boids there are; an initial state from a file brings its own number."},
    {.path = PATH("flock.min_speed"),
     NULLABLE(model.min_speed),
     .is_changeable = true,
     AT_LEAST(0),
     .is_placing = true,
     .standard = 3,
     .meaning = "Slower boids are brought up to this speed, in world units per step; null: no limit."},
    {.path = PATH("flock.max_speed"),
     NULLABLE(model.max_speed),
     .is_changeable = true,
     AT_LEAST(0),
     .is_lasting = true,
     .is_placing = true,
     .standard = 6,
     .meaning = "Faster boids are brought down to this speed, in world units per step; null: no limit."},
    {.path = PATH("flock.limit"),
     CHOICE(model.limit, FLOCK_LIMITS),
     .standard = FLOCK_LIMIT_AFTER_BORDER,
     .meaning = "Whether speeds are limited after bounce and predators have acted, or before."},
    {.path = PATH("flock.steering"),
     CHOICE(model.steering, FLOCK_STEERINGS),
     .standard = FLOCK_DIRECT,
     .meaning = "Whether a rule changes the velocity itself, or steers towards it by a bounded force."},
    {.path = PATH("flock.max_force"),
     NULLABLE(model.max_force),
     .is_changeable = true,
     ABOVE(0),
     .is_lasting = true,
     .standard = NAN,
     .meaning =
         "The most that one rule (reynolds) or all together (direct) steer in a step, in world units per step."},
    {.path = PATH("flock.priority"),
     CHOICE(model.priority, FLOCK_PRIORITIES),
     .standard = FLOCK_NO_PRIORITY,
     .meaning = "Whether alignment and cohesion yield nothing where separation has anybody."},
    {.path = PATH("flock.max_turn"),
     NULLABLE(model.max_turn),
     .is_changeable = true,
     FROM(0, 180),
     .is_above_low = true,
     .standard = NAN,
     .meaning = "The most that a velocity turns in one step, in degrees; null: any."},
    {.path = PATH("flock.means"),
     CHOICE(model.means, FLOCK_MEANS),
     .standard = FLOCK_WITHOUT_SELF,
     .meaning = "Whether alignment and cohesion are means over the others, or over the boid itself, too."},
    {.path = PATH("flock.inertia"),
     NUMBER(model.inertia),
     .is_changeable = true,
     AT_LEAST(0),
     .standard = 1,
     .meaning = "How much of the old velocity is in the new one; with 0 the rules alone make it."},
    {.path = PATH("flock.noise.eta"),
     NUMBER(model.noise_eta),
     .is_changeable = true,
     FROM(0, TURN),
     .standard = 0,
     .meaning = "Each boid turns by a random angle between -eta/2 and eta/2 in each step, in radians."},
    {.path = PATH("flock.noise.vector"),
     NUMBER(model.noise_vector),
     .is_changeable = true,
     AT_LEAST(0),
     .standard = 0,
     .meaning = "Length of the vector of random direction that a velocity gains in each step."},
    {.path = PATH("flock.separation.radius"),
     NUMBER(model.separation.radius),
     .is_changeable = true,
     AT_LEAST(0),
     .standard = 8,
     .meaning = "A boid keeps away from neighbours nearer than this, in world units; 0: never."},
    {.path = PATH("flock.separation.factor"),
     NUMBER(model.separation.factor),
     .is_changeable = true,
     ANY,
     .standard = 0.05,
     .meaning = "How strongly a boid keeps away from its neighbours."},
    {.path = PATH("flock.separation.form"),
     CHOICE(model.separation_form, FLOCK_SEPARATION_FORMS),
     .standard = FLOCK_OFFSET,
     .meaning =
         "Summed offsets, summed directions, the mean of directions over distance, or summed offsets over distance^4 + 1."},
    {.path = PATH("flock.separation.view"),
     NUMBER(model.separation.view),
     .is_changeable = true,
     FROM(0, 360),
     .is_above_low = true,
     .standard = 360,
     .meaning =
         "Who is not within this angle around the velocity does not count, in degrees; 360: all round."},
    {.path = PATH("flock.separation.nearest"),
     NULLABLE(model.separation.nearest),
     .is_changeable = true,
     .is_whole = true,
     FROM(1, 32),
     .standard = NAN,
     .meaning = "Of those who count for the rule only so many nearest ones do; null: all."},
    {.path = PATH("flock.separation.normalise"),
     CHOICE(model.separation.normalise, FLOCK_SEPARATION_NORMALISES),
     .standard = FLOCK_BY_FORM,
     .meaning =
         "A sum, a mean, a direction, or the sum over all in sight; by_form: mean with inverse, else sum."},
    {.path = PATH("flock.alignment.radius"),
     NUMBER(model.alignment.radius),
     .is_changeable = true,
     AT_LEAST(0),
     .standard = 40,
     .meaning = "A boid flies along with neighbours nearer than this, in world units; 0: never."},
    {.path = PATH("flock.alignment.inner_radius"),
     NUMBER(model.alignment.inner_radius),
     .is_changeable = true,
     AT_LEAST(0),
     .standard = 0,
     .meaning = "Neighbours nearer than this do not count in alignment, in world units."},
    {.path = PATH("flock.alignment.factor"),
     NUMBER(model.alignment.factor),
     .is_changeable = true,
     ANY,
     .standard = 0.05,
     .meaning = "How strongly a boid takes on the velocity of its neighbours."},
    {.path = PATH("flock.alignment.form"),
     CHOICE(model.alignment_form, FLOCK_ALIGNMENT_FORMS),
     .standard = FLOCK_DIFFERENCE,
     .meaning =
         "The neighbours' mean velocity less one's own (difference), less what the other rules have made of it (latest), or as "
         "it is (mean)."},
    {.path = PATH("flock.alignment.view"),
     NUMBER(model.alignment.view),
     .is_changeable = true,
     FROM(0, 360),
     .is_above_low = true,
     .standard = 360,
     .meaning =
         "Who is not within this angle around the velocity does not count, in degrees; 360: all round."},
    {.path = PATH("flock.alignment.nearest"),
     NULLABLE(model.alignment.nearest),
     .is_changeable = true,
     .is_whole = true,
     FROM(1, 32),
     .standard = NAN,
     .meaning = "Of those who count for the rule only so many nearest ones do; null: all."},
    {.path = PATH("flock.alignment.normalise"),
     CHOICE(model.alignment.normalise, FLOCK_NORMALISES),
     .standard = FLOCK_BY_FORM,
     .meaning = "Whether velocities are summed, averaged, or make a direction of length 1; by_form: mean."},
    {.path = PATH("flock.cohesion.radius"),
     NUMBER(model.cohesion.radius),
     .is_changeable = true,
     AT_LEAST(0),
     .standard = 40,
     .meaning = "A boid seeks the centre of neighbours nearer than this, in world units; 0: never."},
    {.path = PATH("flock.cohesion.inner_radius"),
     NUMBER(model.cohesion.inner_radius),
     .is_changeable = true,
     AT_LEAST(0),
     .standard = 0,
     .meaning = "Neighbours nearer than this do not count in cohesion, in world units."},
    {.path = PATH("flock.cohesion.factor"),
     NUMBER(model.cohesion.factor),
     .is_changeable = true,
     ANY,
     .standard = 0.0005,
     .meaning = "How strongly a boid seeks the centre of its neighbours."},
    {.path = PATH("flock.cohesion.view"),
     NUMBER(model.cohesion.view),
     .is_changeable = true,
     FROM(0, 360),
     .is_above_low = true,
     .standard = 360,
     .meaning =
         "Who is not within this angle around the velocity does not count, in degrees; 360: all round."},
    {.path = PATH("flock.cohesion.nearest"),
     NULLABLE(model.cohesion.nearest),
     .is_changeable = true,
     .is_whole = true,
     FROM(1, 32),
     .standard = NAN,
     .meaning = "Of those who count for the rule only so many nearest ones do; null: all."},
    {.path = PATH("flock.cohesion.normalise"),
     CHOICE(model.cohesion.normalise, FLOCK_NORMALISES),
     .standard = FLOCK_BY_FORM,
     .meaning = "Whether offsets are summed, averaged, or make a direction of length 1; by_form: mean."},
    {.path = PATH("flock.cohesion.form"),
     CHOICE(model.cohesion_form, FLOCK_COHESION_FORMS),
     .standard = FLOCK_COHESION_OFFSET,
     .meaning = "Whether each neighbour draws by its offset, or all alike (unit)."},
    {.path = PATH("flock.init.position"),
     ONLY("uniform"),
     .is_placing = true,
     .standard = 0,
     .meaning = "Where boids start: anywhere in the world, each place as likely as the next."},
    {.path = PATH("flock.init.velocity"),
     CHOICE(model.init_velocity, FLOCK_INIT_VELOCITIES),
     .is_placing = true,
     .standard = FLOCK_HEADING,
     .meaning = "Whether flock.init.speed is the range of the speed, or of vx and of vy."},
    {.path = PATH("flock.init.speed"),
     PAIR(model.init_speed),
     ANY,
     .is_placing = true,
     .otherwise = "[min_speed, max_speed] of flock, null as 0",
     .meaning = "The range in which starting speeds or components lie, in world units per step."},
    {.path = PATH("flock.init.file"),
     FILE_PATH(init_file),
     .otherwise = "none",
     .meaning =
         "A CSV or trajectory to start from, relative to the configuration's folder; with --set, to the current one."},
    {.path = PATH("flock.init.steps"),
     CHOICE(init_steps, CONFIG_INIT_STEPS),
     .standard = CONFIG_ANEW,
     .meaning = "Whether steps are counted from 0, or on from that of the frame in flock.init.file."},

    {.path = PATH("predators.count"),
     INTEGER(model.predator_count),
     FROM(0, 65535),
     .is_placing = true,
     .standard = 0,
     .meaning = "How many predators there are."},
    {.path = PATH("predators.radius"),
     NUMBER(model.predator_radius),
     .is_changeable = true,
     AT_LEAST(0),
     .standard = 100,
     .meaning = "A boid flees from predators nearer than this, in world units."},
    {.path = PATH("predators.turn_factor"),
     NUMBER(model.predator_turn_factor),
     .is_changeable = true,
     AT_LEAST(0),
     .standard = 0.5,
     .meaning = "How much fleeing changes a velocity in one step, in world units per step."},
    {.path = PATH("predators.form"),
     CHOICE(model.predator_form, FLOCK_FLEE_FORMS),
     .standard = FLOCK_FLEE_AXES,
     .meaning = "Whether fleeing changes vx and vy alike (axes), or the velocity straight away (unit)."},
    {.path = PATH("predators.hunt"),
     CHOICE(model.hunt, FLOCK_HUNTS),
     .is_changeable = true,
     .standard = FLOCK_HUNT_NONE,
     .meaning = "What predators turn to: nothing, the nearest boid, or the centre of all boids."},
    {.path = PATH("predators.factor"),
     NUMBER(model.hunt_factor),
     .is_changeable = true,
     AT_LEAST(0),
     .standard = 0.2,
     .meaning = "How much hunting changes a predator's velocity in one step, in world units per step."},
    {.path = PATH("predators.min_speed"),
     OWN(model.predator_min_speed),
     .is_changeable = true,
     AT_LEAST(0),
     .is_placing = true,
     .meaning = "Slower predators are brought up to this speed, in world units per step; null: no limit."},
    {.path = PATH("predators.max_speed"),
     OWN(model.predator_max_speed),
     .is_changeable = true,
     AT_LEAST(0),
     .is_lasting = true,
     .is_placing = true,
     .meaning = "Faster predators are brought down to this speed, in world units per step; null: no limit."},

    {.path = PATH("obstacles.circles"),
     CIRCLES(model.obstacles),
     .is_changeable = true,
     ABOVE(0),
     .meaning = "What nobody flies into, [[x, y, radius], ...] in world units; predators do not either."},
    {.path = PATH("obstacles.clearance"),
     NUMBER(model.obstacle_clearance),
     .is_changeable = true,
     AT_LEAST(0),
     .standard = 5,
     .meaning = "How wide of an obstacle boids and predators steer, in world units."},
    {.path = PATH("obstacles.look_ahead"),
     NUMBER(model.obstacle_look_ahead),
     .is_changeable = true,
     AT_LEAST(0),
     .standard = 20,
     .meaning = "They turn from an obstacle that they would come too near to within so many steps."},
    {.path = PATH("obstacles.turn_factor"),
     NUMBER(model.obstacle_turn_factor),
     .is_changeable = true,
     AT_LEAST(0),
     .standard = 0.5,
     .meaning = "How much turning from an obstacle changes a velocity in one step, in world units per step."},

    {.path = PATH("goals.points"),
     POINTS(model.goals),
     .is_changeable = true,
     ANY,
     .meaning = "Places that boids fly to, [[x, y], ...] in world units; predators know of none."},
    {.path = PATH("goals.factor"),
     NUMBER(model.goal_factor),
     .is_changeable = true,
     ANY,
     .standard = 0.05,
     .meaning = "How strongly a boid seeks its goal; below 0 it flees from it."},
    {.path = PATH("goals.form"),
     CHOICE(model.goal_form, FLOCK_GOAL_FORMS),
     .standard = FLOCK_GOAL_UNIT,
     .meaning = "Whether a goal draws alike from everywhere (unit), or by its distance (offset)."},
    {.path = PATH("goals.radius"),
     NULLABLE(model.goal_radius),
     .is_changeable = true,
     ABOVE(0),
     .is_lasting = true,
     .standard = NAN,
     .meaning = "A goal draws those who are nearer than this, in world units; null: everybody."},
    {.path = PATH("goals.every"),
     INTEGER(model.goal_every),
     .is_changeable = true,
     FROM(0, CONFIG_WHOLE_LIMIT),
     .standard = 0,
     .meaning = "For so many steps each goal is everybody's, one after another; 0: the nearest is a boid's."},

    {.path = PATH("output.every"),
     INTEGER(output.every),
     FROM(1, CONFIG_WHOLE_LIMIT),
     .standard = 1,
     .meaning = "A frame is written every so many steps; the first and the last always are."},
    {.path = PATH("output.first"),
     INTEGER(output.first),
     FROM(0, CONFIG_WHOLE_LIMIT),
     .standard = 0,
     .meaning = "The step of the first frame; before it nothing but what is measured is written."},
    {.path = PATH("output.observables"),
     NAMES(output.observables, observables),
     .meaning = "What is measured for HDF5, --observables, --summary and --until: all, nothing or these."},
    {.path = PATH("output.observables_every"),
     INTEGER(output.observables_every),
     FROM(1, CONFIG_WHOLE_LIMIT),
     .otherwise = "output.every",
     .meaning = "The flock is measured every so many steps, from step 0 on, and after the last."},
    {.path = PATH("output.boids"),
     .kind = KEY_BOIDS,
     FIELD(output.boids),
     FROM(0, 2147483647),
     .meaning =
         "Which boids are written, by id: those with a multiple of K, or from A to B; predators always are."},
    {.path = PATH("output.fields"),
     SOME(output.fields, fields),
     .meaning = "What is written of each boid and predator."},
    {.path = PATH("output.digits"),
     INTEGER(output.digits),
     FROM(1, 17),
     .standard = 6,
     .meaning = "Significant digits in text; 9, 17, 10 give back float32, float64, fixed exactly."},
    {.path = PATH("output.mean_from"),
     NULLABLE(output.mean_from),
     .is_free = true,
     .is_whole = true,
     FROM(0, CONFIG_WHOLE_LIMIT),
     .standard = NAN,
     .meaning = "The step from which on observables are averaged; null: half of steps."},
    {.path = PATH("output.flush_seconds"),
     NUMBER(output.flush_seconds),
     AT_LEAST(0),
     .standard = 1,
     .meaning = "HDF5: seconds after which complete frames are handed to the kernel."},
    {.path = PATH("output.sync"),
     CHOICE(output.sync, CONFIG_SYNCS),
     .standard = CONFIG_SYNC_END,
     .meaning = "When files are brought to the disk (fsync): never (none), at their end, at each flush."},
    {.path = PATH("output.compression"),
     INTEGER(output.compression),
     FROM(0, 9),
     .standard = 0,
     .meaning = "HDF5: the gzip level; 0 does not compress."},
    {.path = PATH("output.h5_dims"),
     INTEGER(output.h5_dims),
     FROM(2, 3),
     .standard = 2,
     .meaning = "HDF5: the dimensions of a position; 3 adds z = 0 for readers that insist."},
    {.path = PATH("output.precision"),
     CHOICE(output.precision, CONFIG_PRECISIONS),
     .standard = CONFIG_NATIVE,
     .meaning = "HDF5: numbers as they were computed with (native), or as float32."},

    {.path = PATH("schedule"),
     .kind = KEY_SCHEDULE,
     FIELD(schedule),
     .meaning = "What changes on the way: from frame STEP on the keys of set have these values."},
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
        if (config_keys[k].kind != KEY_SIDE && config_key_is_in(&config_keys[k], path))
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
    const char *told = *path != '\0' ? path : "\"\"";
    config_text_shorten(shown, sizeof shown, told, strlen(told));
    if (strlen(path) >= CONFIG_KEY_PATH_SIZE)
        return fault_refuse(fault, "%s%s%s is not a known key", origin, colon, shown);
    if (config_section_exists(path))
        return fault_refuse(fault, "%s%s%s is a section; give one of its keys, which boids --help %s lists",
                            origin, colon, shown, path);
    struct search search = find_nearest(path);
    if (*search.nearest == '\0')
        return fault_refuse(fault, "%s%s%s is not a known key", origin, colon, shown);
    return fault_refuse(fault, "%s%s%s is not a known key; did you mean %s?", origin, colon, shown,
                        search.nearest);
}

/* Words. */

void config_key_bounds(const struct config_key *key, char *text, size_t size)
{
    const char *or_null = key->kind == KEY_NULLABLE ? ", or null"
                          : key->kind == KEY_OWN    ? ", null or \"flock\""
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
    case KEY_SIDE:
    case KEY_OWN:
    case KEY_NULLABLE:
        snprintf(text, size, "a %snumber%s%s", key->is_whole ? "whole " : "", between(key), bounds);
        break;
    case KEY_NAMES: list_bare_names("true, false or a list of names", key->names, text, size); break;
    case KEY_SOME: list_bare_names("a list of one or more names", key->names, text, size); break;
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
        if (key->kind == KEY_SIDE) {
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
