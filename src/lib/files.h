/* SPDX-License-Identifier: GPL-3.0-or-later */
/* files - reads and writes small files of the kernel: a text, one line, a number or a list of numbers. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/types.h>

/* Reads the file, as much as fits, and terminates the text. 0, or -errno with the text "". */
int files_read_all(const char *path, char *text, size_t size);
/* Reads the first line, without its end. 0 or -errno; -E2BIG: the line is longer than `size`. */
int files_read_line(const char *path, char *text, size_t size);
/* Writes the text in one write(2), as control files need it. The file must exist: none is created. 0 or -errno. */
int files_write_text(const char *path, const char *text);
int files_write_number(const char *path, long number);

/* Append numbers to a list: those in a file, one per line (cgroup.procs), and those that are names in a folder (/proc,
 * /proc/PID/task). The list starts as NULL and 0; the caller frees it, also after an error. 0 or -errno. */
int files_list_numbers(const char *path, pid_t **list, size_t *n);
int files_list_numeric_names(const char *folder, pid_t **list, size_t *n);
/* Appends the pids of the processes in a cgroup and in all groups below it. 0 or -errno. */
int files_list_group_pids(const char *folder, pid_t **list, size_t *n);
/* Hands what a stream has buffered to the kernel. 0, or -errno of this error or of an earlier one. */
int files_flush_stream(FILE *out);

/* Whether this names a descriptor or a device (/dev/stdout, which may lead to a regular file): it is never renamed or replaced. */
bool files_is_descriptor(const char *path);
/* As fopen(path, "we"), but a new file is readable to its owner alone: what was typed or seen goes into it. */
FILE *files_create_private(const char *path);
/* Removes a regular file that could not be written whole: a part of it would be taken for the whole. errno stays as it was. */
void files_remove_part(const char *path);
