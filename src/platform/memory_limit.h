/* How much memory this process may have: what the machine has, or less where somebody has set a limit. */
#ifndef MEMORY_LIMIT_H
#define MEMORY_LIMIT_H

struct memory_limit {
    double bytes;
    const char *holder; /**< who has no more, for a sentence: "this machine", "ulimit -v" */
};

/** The least of the machine's memory, the limits of the process (ulimit -v, ulimit -d, less what is in use already) and
 * those of its control groups. What the system does not tell is no limit. */
struct memory_limit memory_limit(void);

/** The least limit of the control groups, of version 1 or 2, that a file such as /proc/self/cgroup names, and of all above
 * them; infinity where there is none.
 *
 * @param membership  path of that file.
 * @param mount       where control groups are mounted: /sys/fs/cgroup.
 */
double memory_limit_of_cgroups(const char *membership, const char *mount);

#endif
