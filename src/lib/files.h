/* SPDX-License-Identifier: GPL-3.0-or-later */
/* files - small files of the kernel: text, one line, a number or a list of numbers. */
#ifndef THINPROBE_FILES_H
#define THINPROBE_FILES_H

#include <stddef.h>
#include <sys/types.h>

/* All that fits, with a 0 behind. 0 or -errno; then the text is "". */
int files_read_all(const char *path, char *text, size_t size);
/* The first line without its end. 0 or -errno; -E2BIG: it is longer. */
int files_read(const char *path, char *text, size_t size);
/* One write, as control files want it, into a file that is there: a folder that is no group must not look like one. 0 or -errno. */
int files_write(const char *path, const char *text);
int files_write_number(const char *path, long number);

/* Add to a list the numbers that a file holds, one a line (cgroup.procs), and those that are names in a folder (/proc,
 * /proc/PID/task). The list begins as NULL and 0; it is the caller's to free, also after an error. 0 or -errno. */
int files_numbers(const char *path, pid_t **list, size_t *n);
int files_numbered(const char *folder, pid_t **list, size_t *n);
/* The same of a control group: the processes in it and in those below. */
int files_group(const char *folder, pid_t **list, size_t *n);

#endif
