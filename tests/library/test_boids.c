/* Claims about libboids that need the memory or the threads of one process: failing allocations, no growth, flocks in several
 * threads, a cancelled step, the caller's rounding. tests/library/test_libboids.py compares it with the program. */
#include "../suite.h"
#include "boids/boids.h"

#include <fenv.h>
#include <pthread.h>
#include <unistd.h>

/* Sanitizers have an allocator of their own. */
#if defined __GLIBC__ && !defined __SANITIZE_ADDRESS__ && !defined __SANITIZE_THREAD__
#if !defined __has_feature
#define CAN_FAIL
#elif !__has_feature(address_sanitizer) && !__has_feature(memory_sanitizer)
#define CAN_FAIL
#endif
#endif

#ifdef CAN_FAIL

#include <malloc.h>

extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *old, size_t size);
extern void *__libc_memalign(size_t alignment, size_t size);

static long left = -1; /* allocations before the one that fails; negative: none fails */

static bool fails(void)
{
    return left >= 0 && left-- == 0;
}

void *malloc(size_t size)
{
    return fails() ? NULL : __libc_malloc(size);
}

void *calloc(size_t count, size_t size)
{
    return fails() ? NULL : __libc_calloc(count, size);
}

void *realloc(void *old, size_t size)
{
    return fails() ? NULL : __libc_realloc(old, size);
}

void *aligned_alloc(size_t alignment, size_t size)
{
    return fails() ? NULL : __libc_memalign(alignment, size);
}

#endif

static const char small[] = "{\"flock\": {\"count\": 60}, \"predators\": {\"count\": 1}, \"schedule\": "
                            "[{\"at\": 3, \"set\": {\"flock.cohesion.radius\": 30}}]}";

#define NO_STATE "the flock has no state; call boids_begin() first or, after an error, boids_place()"

static enum boids_status configure(struct boids *flock, const char *json)
{
    return boids_configure(flock, json, strlen(json), "a.json");
}

#define assert_good(status) assert_int_equal(status, BOIDS_OK)

static struct boids *begun(const char *json)
{
    struct boids *flock = boids_create();
    assert_non_null(flock);
    assert_good(configure(flock, json));
    assert_good(boids_begin(flock, 1));
    return flock;
}

static uint64_t hash_after(const char *json, uint64_t steps)
{
    struct boids *flock = begun(json);
    assert_good(boids_step(flock, steps));
    const uint64_t hash = boids_hash(flock);
    boids_free(flock);
    return hash;
}

static void assert_refused(const struct boids *flock, enum boids_status status, const char *sentence)
{
    assert_int_equal(status, BOIDS_REFUSED);
    assert_string_equal(boids_message(flock), sentence);
}

#ifdef CAN_FAIL
/* All functions, in the order of a use of them. Returns the first status that is not good. */
static enum boids_status use(struct boids *flock)
{
    struct boids_agent agents[61];
    double values[32];
    enum boids_status status;
    if ((status = configure(flock, small)) || (status = boids_set(flock, "seed", "2")) ||
        (status = boids_begin(flock, 2)) || (status = boids_step(flock, 2)))
        return status;
    boids_get(flock, agents);
    if ((status = boids_place(flock, agents, 61, 2)) || (status = boids_set(flock, "flock.max_speed", "5")) ||
        (status = boids_step(flock, 3)) || (status = boids_measure(flock, NULL, values, 32)))
        return status;
    return boids_config(flock, false) ? BOIDS_OK : BOIDS_FAILED;
}
#endif

TEST(test_functions_before_begin_are_refused_or_have_no_effect)
{
    struct boids *flock = boids_create();
    struct boids_agent agent = {1, 2, 3, 4};
    double value;
    assert_refused(flock, boids_step(flock, 1), "boids_step(): " NO_STATE);
    assert_refused(flock, boids_place(flock, &agent, 1, 0), "boids_place(): " NO_STATE);
    assert_refused(flock, boids_measure(flock, "flocks", &value, 1), "boids_measure(): " NO_STATE);
    boids_get(flock, &agent);
    assert_true(agent.x == 1 && agent.vy == 4);
    assert_true(boids_hash(flock) == 0 && boids_steps(flock) == 0 && boids_count(flock, NULL) == 400);
    assert_good(boids_begin(flock, 1));
    assert_string_equal(boids_message(flock), "");
    assert_refused(flock, boids_begin(flock, 1), "boids_begin() was called twice; create another flock");
    boids_free(flock);
    boids_free(NULL);
}

TEST(test_a_refused_change_has_no_effect)
{
    struct boids *flock = boids_create();
    const char bad[] = "{\"flock\": {\"count\": 7, \"conut\": 7}}";
    assert_int_equal(configure(flock, bad), BOIDS_REFUSED);
    assert_int_equal(boids_configure(flock, NULL, 0, "b.json"), BOIDS_REFUSED);
    assert_int_equal(boids_set(flock, "flock", "{\"count\": 7, \"conut\": 7}"), BOIDS_REFUSED);
    assert_int_equal(boids_count(flock, NULL), 400);
    assert_good(boids_set(flock, "flock.min_speed", "99"));
    assert_refused(
        flock, boids_begin(flock, 1),
        "flock.min_speed=99: flock.max_speed is 6 (by default); min_speed must not exceed max_speed");
    assert_null(boids_config(flock, false));
    assert_good(boids_set(flock, "flock.min_speed", "2"));
    assert_good(boids_begin(flock, 1));
    assert_int_equal(boids_set(flock, "flock.min_speed", "99"), BOIDS_REFUSED);
    assert_int_equal(boids_set(flock, "flock.count", "7"), BOIDS_REFUSED);
    assert_good(boids_step(flock, 10));
    assert_true(boids_hash(flock) == hash_after("{\"flock\": {\"min_speed\": 2}}", 10));
    boids_free(flock);
}

#define LOCKED \
    "a rule must not change its flock: return changes of velocity, and do the rest between two steps"

static int using_rule(void *data, uint64_t step, const struct boids_agent *agents, size_t boids,
                      size_t predators, double (*changes)[2])
{
    struct boids *flock = data;
    double values[32];
    const char *key = "flock.max_speed", *value = "9";
    assert_refused(flock, boids_step(flock, 0), LOCKED);
    assert_refused(flock, boids_place(flock, agents, boids + predators, 0), LOCKED);
    assert_refused(flock, boids_set(flock, key, value), LOCKED);
    assert_refused(flock, boids_set_all(flock, &key, &value, 1), LOCKED);
    assert_refused(flock, configure(flock, small), LOCKED);
    assert_refused(flock, boids_preset(flock, "adams"), LOCKED);
    assert_refused(flock, boids_rule(flock, using_rule, NULL, ""), LOCKED);
    assert_int_equal(boids_begin(flock, 1), BOIDS_REFUSED);
    boids_free(flock);
    assert_good(boids_measure(flock, NULL, values, 32));
    assert_int_equal(boids_measure(flock, "nothing", values, 32), BOIDS_REFUSED);
    assert_non_null(boids_config(flock, true));
    assert_int_equal(boids_steps(flock), step);
    changes[0][0] = step < 2 ? 0 : 0.5;
    return 0;
}

TEST(test_a_rule_may_read_its_flock_and_nothing_else)
{
    struct boids *flock = begun(small);
    assert_good(boids_rule(flock, using_rule, flock, "user"));
    assert_good(boids_step(flock, 2));
    assert_true(boids_hash(flock) == hash_after(small, 2));
    assert_good(boids_step(flock, 1));
    assert_true(boids_hash(flock) != hash_after(small, 3));
    boids_free(flock);
}

TEST(test_several_keys_change_together_or_not_at_all)
{
    const char *keys[] = {"flock.min_speed", "flock.max_speed"}, *values[][2] = {{"7", "9"}, {"8", "5"}};
    struct boids *flock = begun(small);
    assert_good(boids_set_all(flock, keys, values[0], 2));
    assert_int_equal(boids_set_all(flock, keys, values[1], 2), BOIDS_REFUSED);
    assert_non_null(strstr(boids_config(flock, false), "\"min_speed\": 7, \"max_speed\": 9"));
    boids_free(flock);
}

TEST(test_a_configuration_during_a_run_may_change_what_a_schedule_may)
{
    const char wide[] =
        "{\"flock\": {\"count\": 60, \"cohesion\": {\"radius\": 70}}, \"predators\": {\"count\": 1}}",
               more[] = "{\"flock\": {\"count\": 61}, \"predators\": {\"count\": 1}}";
    struct boids *flock = begun(small);
    assert_good(boids_step(flock, 5));
    assert_good(configure(flock, wide));
    assert_refused(flock, configure(flock, more), "a.json:1: flock.count cannot change during a run");
    assert_string_equal(boids_advice(flock), "help schedule lists the keys that can");
    assert_good(boids_step(flock, 5));
    assert_true(boids_hash(flock) ==
                hash_after("{\"flock\": {\"count\": 60}, \"predators\": {\"count\": 1}, \"schedule\": "
                           "[{\"at\": 3, \"set\": {\"flock.cohesion.radius\": 30}}, "
                           "{\"at\": 5, \"set\": {\"flock.cohesion.radius\": 70}}]}",
                           10));
    boids_free(flock);
}

TEST(test_agents_that_do_not_fit_are_refused)
{
    struct boids *flock = begun("{\"arithmetic\": \"fixed\", \"flock\": {\"count\": 2}}");
    struct boids_agent agents[3] = {{1, 2, 3, 4}, {5, 6, 7, 40000}};
    const uint64_t hash = boids_hash(flock);
    assert_refused(flock, boids_place(flock, agents, 2, (UINT64_C(1) << 53) + 1),
                   "step is 9007199254740993; it must be from 0 to 9007199254740992");
    assert_refused(flock, boids_place(flock, agents, 3, 0), "3 agents were given; the flock has 2");
    assert_refused(flock, boids_place(flock, agents, 2, 0), "id 1 has a number that fixed cannot hold");
    agents[1].vy = NAN;
    assert_int_equal(boids_place(flock, agents, 2, 0), BOIDS_REFUSED);
    assert_true(boids_hash(flock) == hash);
    boids_free(flock);
}

TEST(test_after_a_step_out_of_range_a_new_state_can_be_placed)
{
    const char json[] =
        "{\"arithmetic\": \"float32\", \"world\": {\"border\": \"open\"}, \"flock\": {\"count\": 60, "
        "\"min_speed\": null, \"max_speed\": null}}";
    struct boids *flock = begun(json);
    struct boids_agent agents[60];
    boids_get(flock, agents);
    agents[7].x = agents[7].vx = 3e38;
    assert_good(boids_place(flock, agents, 60, 0));
    assert_int_equal(boids_step(flock, 5), BOIDS_FAILED);
    assert_string_equal(
        boids_message(flock),
        "step 1: boid 7 has left the range of float32: a factor or force is too large; the state is lost");
    assert_true(boids_hash(flock) == 0);
    assert_refused(flock, boids_step(flock, 1), "boids_step(): " NO_STATE);
    agents[7].x = agents[7].vx = 3;
    assert_good(boids_place(flock, agents, 60, 10));
    assert_good(boids_step(flock, 5));
    assert_int_equal(boids_steps(flock), 15);
    boids_free(flock);
}

/* Rounding upwards stands for all modes of a thread, such as that which rounds the smallest numbers to 0. */
TEST(test_the_rounding_of_the_caller_has_no_effect_and_stays)
{
    const uint64_t hash = hash_after(small, 20);
    fesetround(FE_UPWARD);
    const uint64_t upward = hash_after(small, 20);
    assert_int_equal(fegetround(), FE_UPWARD);
    fesetround(FE_TONEAREST);
    assert_true(upward == hash);
}

static void *use_in_thread(void *result)
{
    const char *const seeds[] = {"{\"seed\": 5}", "{\"seed\": 6, \"arithmetic\": \"float32\"}"};
    uint64_t *hash = result;
    for (int k = 0; k < 10; k++) {
        const uint64_t own = hash_after(seeds[*hash % 2], 60);
        if (k > 0 && own != hash[1])
            return NULL;
        hash[1] = own;
    }
    return result;
}

TEST(test_flocks_in_two_threads_have_the_hashes_of_one)
{
    uint64_t results[2][2] = {{0, 0}, {1, 0}};
    pthread_t threads[2];
    void *good;
    for (int k = 0; k < 2; k++)
        assert_int_equal(pthread_create(&threads[k], NULL, use_in_thread, results[k]), 0);
    for (int k = 0; k < 2; k++) {
        pthread_join(threads[k], &good);
        assert_ptr_equal(good, results[k]);
    }
    assert_true(results[0][1] == hash_after("{\"seed\": 5}", 60));
    assert_true(results[1][1] == hash_after("{\"seed\": 6, \"arithmetic\": \"float32\"}", 60));
}

static void *cancel_soon(void *flock)
{
    usleep(30000);
    boids_cancel(flock);
    return NULL;
}

TEST(test_a_cancelled_flock_is_at_a_whole_step_and_goes_on)
{
    const char json[] = "{\"flock\": {\"count\": 5000, \"cohesion\": {\"radius\": 300}}}";
    struct boids *flock = begun(json);
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, cancel_soon, flock), 0);
    assert_int_equal(boids_step(flock, UINT64_MAX / 2), BOIDS_CANCELLED);
    assert_string_equal(boids_message(flock), "");
    pthread_join(thread, NULL);
    assert_true(boids_hash(flock) == hash_after(json, boids_steps(flock)));
    const uint64_t next = boids_steps(flock) + 1;
    boids_cancel(flock);
    assert_int_equal(boids_step(flock, 1), BOIDS_CANCELLED); /* a pending request */
    assert_int_equal(boids_steps(flock), next - 1);
    boids_cancel(flock);
    assert_int_equal(boids_step(flock, 0), BOIDS_CANCELLED);
    assert_good(boids_step(flock, 1));
    assert_true(boids_hash(flock) == hash_after(json, next));
    boids_free(flock);
}

#ifdef CAN_FAIL
TEST(test_a_thousand_flocks_leave_no_memory)
{
    size_t before = 0;
    for (int k = 0; k < 1010; k++) {
        struct boids *flock = boids_create();
        if (k == 10)
            before = mallinfo2().uordblks;
        assert_good(use(flock));
        boids_free(flock);
    }
    struct boids *flock = boids_create();
    assert_int_equal(mallinfo2().uordblks, before);
    boids_free(flock);
}

TEST(test_each_failed_allocation_is_an_error_with_a_message)
{
    bool has_failed = true;
    for (long at = 0; has_failed; at++) {
        struct boids *flock = boids_create();
        left = at;
        const enum boids_status status = use(flock);
        has_failed = left < 0;
        left = -1;
        /* A second thread is not necessary, so its failure is no error. */
        assert_true(status == BOIDS_OK || (status == BOIDS_FAILED && *boids_message(flock) != '\0'));
        if (status == BOIDS_OK)
            assert_int_equal(boids_steps(flock), 5);
        boids_free(flock);
    }
}
#endif

SUITE("boids")
