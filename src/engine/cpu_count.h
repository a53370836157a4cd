/* How many processors this program may use: those that the system lets it run on, limited by the quota of its container. */
#ifndef ENGINE_CPU_COUNT_H
#define ENGINE_CPU_COUNT_H

/** At least 1. */
int cpu_count(void);

/** How many processors the control groups named in `membership` grant, at least 1; INT_MAX: they set no limit.
 *
 * @param membership  a file like /proc/self/cgroup.
 * @param root        where control groups are mounted: /sys/fs/cgroup.
 */
int cpu_count_granted(const char *membership, const char *root);

#endif
