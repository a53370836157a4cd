/* A thread pool runs each piece of work once, and the caller sees everything that the pieces wrote. */
#include "../suite.h"
#include "engine/threads/team.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { MAX_PIECES = 1000 };

static struct team *create(int size)
{
    struct team *team = team_create(size);
    assert_non_null(team);
    return team;
}

/* Not atomic, so that the thread sanitizer also reports two threads with the same piece or a caller that does not wait. */
static void count_piece(void *context, int piece)
{
    ((int *)context)[piece]++;
}

static void assert_all_are(const int *counts, int pieces, int due)
{
    for (int piece = 0; piece < MAX_PIECES; piece++)
        assert_int_equal(counts[piece], piece < pieces ? due : 0);
}

TEST(each_piece_is_done_once)
{
    static const int sizes[] = {1, 2, 3, TEAM_MAX}, pieces[] = {0, 1, 2, 3, 16, 17, MAX_PIECES};
    for (size_t i = 0; i < COUNT(sizes); i++) {
        struct team *team = create(sizes[i]);
        for (size_t k = 0; k < COUNT(pieces); k++) {
            int counts[MAX_PIECES] = {0};
            team_parallel_for(team, count_piece, counts, pieces[k]);
            assert_all_are(counts, pieces[k], 1);
        }
        team_free(team);
    }
}

/* One kind of work follows another at once, as the phases of a step do: a late thread must not run one with the pieces of the
 * other. */
TEST(work_follows_work)
{
    enum { TIMES = 20000 };
    static int first[MAX_PIECES], second[MAX_PIECES];
    struct team *team = create(3);
    for (int i = 0; i < TIMES; i++) {
        team_parallel_for(team, count_piece, first, 5);
        team_parallel_for(team, count_piece, second, 7);
    }
    team_free(team);
    assert_all_are(first, 5, TIMES);
    assert_all_are(second, 7, TIMES);
}

static void pause_for(long nanoseconds)
{
    nanosleep(&(struct timespec){.tv_nsec = nanoseconds}, NULL);
}

/* The pauses are longer than a helper spins. */
TEST(sleepers_wake_up)
{
    static int counts[MAX_PIECES];
    struct team *team = create(2);
    for (int i = 0; i < 20; i++) {
        team_parallel_for(team, count_piece, counts, 4);
        pause_for(1000000);
    }
    team_free(team);
    assert_all_are(counts, 4, 20);
}

static void doze(void *context, int piece)
{
    if (piece == 0)
        pause_for(2000000);
    count_piece(context, piece);
}

/* The other threads sleep while they wait, whether the caller or a helper has the long piece. */
TEST(a_long_piece_is_waited_for)
{
    static int counts[MAX_PIECES];
    struct team *team = create(3);
    for (int i = 0; i < 20; i++)
        team_parallel_for(team, doze, counts, 6);
    team_free(team);
    assert_all_are(counts, 6, 20);
}

TEST(a_team_that_never_worked_ends)
{
    team_free(create(TEAM_MAX));
    team_free(NULL);
}

struct meeting {
    atomic_int open, closed; /* threads that signals can interrupt, and others */
};

/* A piece returns only when both have started, so one of the two threads is a helper. */
static void meet(void *context, int piece)
{
    struct meeting *meeting = context;
    sigset_t blocked;
    (void)piece;
    pthread_sigmask(SIG_SETMASK, NULL, &blocked);
    const bool is_closed = sigismember(&blocked, SIGINT) && sigismember(&blocked, SIGTERM);
    atomic_fetch_add(is_closed ? &meeting->closed : &meeting->open, 1);
    while (atomic_load(&meeting->open) + atomic_load(&meeting->closed) < 2)
        pause_for(10000);
}

TEST(signals_find_the_caller)
{
    struct meeting meeting = {0};
    struct team *team = create(2);
    if (team_size(team) == 2)
        team_parallel_for(team, meet, &meeting, 2);
    else
        meeting.open = meeting.closed = 1; /* built without threads */
    team_free(team);
    assert_int_equal(meeting.open, 1);
    assert_int_equal(meeting.closed, 1);
}

static void note_thread(void *context, int piece)
{
    pause_for(20000);
    ((pthread_t *)context)[piece] = pthread_self();
}

/* The number of threads beside this one that did the pieces of a loop. */
static int count_helpers(struct team *team)
{
    pthread_t threads[8], helpers[8];
    int count = 0;
    team_parallel_for(team, note_thread, threads, COUNT(threads));
    for (size_t i = 0; i < COUNT(threads); i++) {
        bool is_known = pthread_equal(threads[i], pthread_self());
        for (int k = 0; k < count; k++)
            is_known |= pthread_equal(threads[i], helpers[k]) != 0;
        if (!is_known)
            helpers[count++] = threads[i];
    }
    return count;
}

TEST(a_helper_rests_if_its_processor_is_lent)
{
    struct meeting meeting = {0};
    struct team *pair = create(2), *trio = create(3);
    team_lends_processor = true;
    for (int i = 0; i < 20; i++) {
        assert_int_equal(count_helpers(pair), 0);
        assert_true(count_helpers(trio) <= 1);
    }
    team_lends_processor = false;
    if (team_size(pair) == 2)
        team_parallel_for(pair, meet, &meeting, 2);
    team_free(pair);
    team_free(trio);
}

/* fork() copies no threads. The child must neither wait for those of its parent nor need them. */
TEST(a_forked_child_uses_and_frees_a_team)
{
    int counts[MAX_PIECES] = {0}, status;
    struct team *team = create(3);
    team_parallel_for(team, count_piece, counts, 16);
    const pid_t child = fork();
    if (child == 0) {
        alarm(60);
        team_parallel_for(team, count_piece, counts, 16);
        team_free(team);
        for (int piece = 0; piece < 16; piece++)
            if (counts[piece] != 2)
                _exit(1);
        _exit(0);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    team_free(team);
}

SUITE("team")
