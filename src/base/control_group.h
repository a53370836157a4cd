/* The limits of control groups (version 1 or 2). The limits of the group of a process and of all groups above it apply. */
#ifndef CONTROL_GROUP_H
#define CONTROL_GROUP_H

/** Read one or two numbers at the beginning of a file in a folder. Returns how many were read: 0 if the file contains a
 * word such as "max" or does not exist. */
int control_group_read(const char *folder, const char *file, double *first, double *second);

/** The lowest limit of a group and of all groups above it.
 *
 * @param membership  a file that names the groups of a process: /proc/self/cgroup.
 * @param mount       mount point of control groups: /sys/fs/cgroup.
 * @param controller  in version 1, the name of the controller: "memory".
 * @param limit_of    returns the limit in the files of a group's folder; infinity if there is none.
 */
double control_group_limit(const char *membership, const char *mount, const char *controller,
                           double (*limit_of)(const char *folder));

#endif
