/* How many processors this program may use: those that the system lets it run on, and no more than its container has
 * bought. */
#ifndef ENGINE_PROCESSORS_H
#define ENGINE_PROCESSORS_H

/** At least 1. */
int processors_count(void);

/** How many processors the control groups named in `membership` grant, at least 1; INT_MAX: they set no limit.
 *
 * @param membership  a file like /proc/self/cgroup.
 * @param root        where control groups are mounted: /sys/fs/cgroup.
 */
int processors_granted(const char *membership, const char *root);

#endif
