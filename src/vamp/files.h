/* SPDX-License-Identifier: GPL-3.0-or-later */
/* files - files of the kernel: one line read or written, lists of numbers. */
#ifndef VAMP_FILES_H
#define VAMP_FILES_H

#include "proc.h"

#include <stddef.h>
#include <sys/types.h>

/* The first line without its end. 0 or -errno; -E2BIG: it is longer. */
int files_read(const char *path, char *text, size_t size);
/* One write into a file that is there. 0 or -errno. */
int files_write(const char *path, const char *text);
int files_write_number(const char *path, long number);

/* /proc/TID/stat of a process or thread. 0; -ESRCH: it has ended. */
int files_stat(pid_t tid, struct proc_stat *out);

/* The numbers a file holds, one a line (cgroup.procs), and those that are names in a folder (/proc, /proc/PID/task).
 * *out is the caller's to free, also where there are none. 0 or -errno; then it is NULL. */
int files_numbers(const char *path, pid_t **out, size_t *n);
int files_numbered(const char *folder, pid_t **out, size_t *n);

#endif
