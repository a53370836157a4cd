/* The number of processors that this program may use, limited by the quota of its container. */
#pragma once

/** At least 1. */
int cpu_count(void);

/** The number of processors that the control groups in `membership` allow, at least 1; INT_MAX: no limit.
 *
 * @param membership a file like /proc/self/cgroup.
 * @param root the mount point of control groups: /sys/fs/cgroup.
 */
int cpu_count_granted(const char *membership, const char *root);
