/* The claims of scenes.txt: steps that can be calculated by hand. That file explains its lines. */
#include "support.h"

#include "config/config.h"
#include "flock/simulation.h"

#define SCENES "tests/core/scenes.txt"

enum { MOST_AGENTS = 64, MOST_CLAIMS = 100 };

/* A claim is a test: its name, and where its lines begin. */
struct claim {
    char name[100];
    long begin;
    int line;
};

/* What the settings of a claim say so far. */
struct settings {
    struct config config;
    bool orders[FLOCK_COUNT(FLOCK_UPDATES)], has_orders, is_of_type;
    int steps;
    uint64_t first_step;
    double margin;
};

/* The agents of one side of "->". A number that is not compared is NAN. */
struct agents {
    double of[MOST_AGENTS][4];
    bool may_be_rounded[MOST_AGENTS][4];
    uint32_t boids, predators;
};

#define ORDER_NAME(value, word) word,
static const char *const orders[] = {FLOCK_UPDATES(ORDER_NAME)};
static const enum flock_update updates[] = {FLOCK_UPDATES(FLOCK_VALUE)};
_Static_assert(FLOCK_COUNT(FLOCK_BORDERS) == 4, "scenes.txt has states for each border: boids and predators");

static int line_number;

/* Read one number or `_`; false at the end of an agent. */
static bool read_number(char **at, double *number, bool *may_be_rounded)
{
    char *end;
    *at += strspn(*at, " ");
    *may_be_rounded = **at == '~';
    *at += *may_be_rounded;
    if (**at == '_') {
        *number = NAN;
        ++*at;
        return true;
    }
    *number = strtod(*at, &end);
    const bool is_there = end > *at;
    *at = end;
    return is_there;
}

/* Read "3* x y vx vy" or "_"; the number of agents. */
static uint32_t read_agent(struct agents *agents, uint32_t k, char **at)
{
    const bool is_repeated = (*at)[strcspn(*at, "*,|")] == '*';
    const uint32_t repeat = is_repeated ? (uint32_t)strtoul(*at, at, 10) : 1;
    *at += is_repeated;
    assert_true(k + repeat <= MOST_AGENTS);
    int n = 0;
    while (n < 4 && read_number(at, &agents->of[k][n], &agents->may_be_rounded[k][n]))
        n++;
    if (n != 4 && !(n == 1 && isnan(agents->of[k][0])))
        fail_msg("line %d: an agent has %d numbers", line_number, n);
    for (; n < 4; n++)
        agents->of[k][n] = NAN;
    for (uint32_t i = 1; i < repeat; i++) {
        memcpy(agents->of[k + i], agents->of[k], sizeof agents->of[k]);
        memcpy(agents->may_be_rounded[k + i], agents->may_be_rounded[k], sizeof agents->may_be_rounded[k]);
    }
    *at += strspn(*at, " \n");
    return repeat;
}

static struct agents read_agents(char *at)
{
    struct agents agents = {.boids = 0};
    uint32_t count = 0;
    for (;; at++) {
        count += read_agent(&agents, count, &at);
        if (*at == '|')
            agents.boids = count;
        else if (*at == '\0')
            break;
        else if (*at != ',')
            fail_msg("line %d: '%s' is not expected", line_number, at);
    }
    agents.boids = agents.boids ? agents.boids : count;
    agents.predators = count - agents.boids;
    return agents;
}

static void read_orders(struct settings *settings, char *list)
{
    char *rest;
    memset(settings->orders, 0, sizeof settings->orders);
    settings->has_orders = true;
    for (char *word = strtok_r(list, ",", &rest); word; word = strtok_r(NULL, ",", &rest)) {
        size_t k = 0;
        while (k < COUNT(orders) && strcmp(orders[k], word) != 0)
            k++;
        assert_true(k < COUNT(orders));
        settings->orders[k] = true;
    }
}

static void read_key(struct settings *settings, const char *key, char *value)
{
    struct error error = {0};
    char path[100];
    if (strcmp(key, "orders") == 0)
        read_orders(settings, value);
    else if (strcmp(key, "steps") == 0)
        settings->steps = atoi(value);
    else if (strcmp(key, "step") == 0)
        settings->first_step = strtoull(value, NULL, 10);
    else if (strcmp(key, "types") == 0)
        settings->is_of_type = IS_FIXED == (strcmp(value, "fixed") == 0);
    else if (strcmp(key, "margin") == 0)
        settings->margin = strtod(value, &value) * grain(strtod(value + 1, NULL));
    else {
        const bool has_section = strncmp(key, "world.", 6) == 0 || strncmp(key, "predators.", 10) == 0 ||
                                 strncmp(key, "goals.", 6) == 0 || strncmp(key, "obstacles.", 10) == 0;
        snprintf(path, sizeof path, "%s%s", has_section || strcmp(key, "integrator") == 0 ? "" : "flock.",
                 key);
        if (!config_set_value(&settings->config, SCENES, path, value, &error))
            fail_msg("line %d: %s", line_number, error.sentence);
    }
}

static void read_settings(struct settings *settings, char *line)
{
    char *rest;
    for (char *word = strtok_r(line, " \n", &rest); word; word = strtok_r(NULL, " \n", &rest)) {
        char *value = strchr(word, '=');
        assert_non_null(value);
        *value = '\0';
        read_key(settings, word, value + 1);
    }
}

static void place(struct flock_simulation *simulation, const struct agents *agents)
{
    for (uint32_t i = 0; i < agents->boids + agents->predators; i++) {
        const double *a = agents->of[i];
        *(i < agents->boids ? &simulation->flock.boids[i] : &simulation->flock.predators[i - agents->boids]) =
            agent_at(a[0], a[1], a[2], a[3]);
    }
}

static void compare(const struct flock_agent *found, const double wanted[4], const bool may_be_rounded[4],
                    double margin, const char *order, const char *what, uint32_t i)
{
    const num numbers[4] = {found->position.x, found->position.y, found->velocity.x, found->velocity.y};
    for (int n = 0; n < 4; n++)
        if (!isnan(wanted[n]) &&
            !(fabs(num_to_double(numbers[n]) - wanted[n]) <= (may_be_rounded[n] ? margin : 0)))
            fail_msg("%s:%d, %s: number %d of %s %u is %.17g; it must be %.17g", SCENES, line_number, order,
                     n + 1, what, i, num_to_double(numbers[n]), wanted[n]);
}

/* One state, stepped in one order. */
static void check(const struct settings *settings, size_t order, const struct agents *before,
                  const struct agents *after)
{
    static struct config config;
    struct error error = {0};
    config = settings->config;
    config.model.update = updates[order];
    config.model.boid_count = before->boids;
    config.model.predator_count = before->predators;
    if (!config_resolve(&config, &error))
        fail_msg("line %d, %s: %s", line_number, orders[order], error.sentence);
    struct flock_simulation *simulation = malloc(flock_simulation_memory(&config.model));
    assert_non_null(simulation);
    flock_simulation_create(&config.model, simulation);
    place(simulation, before);
    simulation->flock.step = settings->first_step;
    for (int step = 0; step < settings->steps; step++)
        assert_int_equal(flock_simulation_step(simulation), FLOCK_OK);
    for (uint32_t i = 0; i < after->boids; i++)
        compare(&simulation->flock.boids[i], after->of[i], after->may_be_rounded[i], settings->margin,
                orders[order], "boid", i);
    for (uint32_t i = 0; i < after->predators; i++)
        compare(&simulation->flock.predators[i], after->of[after->boids + i],
                after->may_be_rounded[after->boids + i], settings->margin, orders[order], "predator", i);
    free(simulation);
}

static void check_state(const struct settings *settings, char *line, char *arrow)
{
    *arrow = '\0';
    const struct agents before = read_agents(line), after = read_agents(arrow + 2);
    const bool is_alone = before.boids == 1;
    for (size_t k = 0; k < COUNT(orders); k++)
        if (settings->has_orders ? settings->orders[k] : is_alone || updates[k] != FLOCK_SHUFFLED)
            check(settings, k, &before, &after);
}

/* The empty world of all claims. */
static void set_plain(struct config *config)
{
    static const char text[] =
        "{\"world\":{\"width\":100,\"height\":100,\"border\":\"open\"},\"predators\":{\"turn_factor\":0},"
        "\"obstacles\":{\"clearance\":0},\"flock\":{\"min_speed\":null,\"max_speed\":null,\"separation\":{\"radius\":0},"
        "\"alignment\":{\"radius\":0,\"inner_radius\":0},\"cohesion\":{\"radius\":0,\"inner_radius\":0}}}";
    struct error error = {0};
    config_defaults(config);
    if (!config_read_contents(config, SCENES, text, strlen(text), &error))
        fail_msg("%s", error.sentence);
}

static void check_claim(void **state)
{
    const struct claim *claim = *state;
    static struct settings settings;
    char line[1000], *arrow;
    FILE *file = fopen(SCENES, "r");
    assert_non_null(file);
    assert_int_equal(fseek(file, claim->begin, SEEK_SET), 0);
    settings = (struct settings){.steps = 1, .is_of_type = true};
    set_plain(&settings.config);
    for (line_number = claim->line + 1; fgets(line, sizeof line, file) && *line == ' '; line_number++)
        if ((arrow = strstr(line, "->")) == NULL)
            read_settings(&settings, line);
        else if (settings.is_of_type)
            check_state(&settings, line, arrow);
    fclose(file);
}

int main(void)
{
    static struct claim claims[MOST_CLAIMS];
    char line[1000];
    size_t n = 0;
    FILE *file = fopen(SCENES, "r");
    if (!file)
        return perror(SCENES), 1;
    for (int number = 1; fgets(line, sizeof line, file) && n < MOST_CLAIMS; number++)
        if (*line != '#' && *line != ' ' && *line != '\n') {
            claims[n] = (struct claim){.begin = ftell(file), .line = number};
            snprintf(claims[n].name, sizeof claims[n].name, "%.*s", (int)strcspn(line, "\n"), line);
            suite_add((struct CMUnitTest){claims[n].name, check_claim, NULL, NULL, &claims[n]});
            n++;
        }
    fclose(file);
    return RUN_SUITE(GROUP("scenes"), NULL, NULL);
}
