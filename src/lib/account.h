/* SPDX-License-Identifier: GPL-3.0-or-later */
/* account - single figures of the kernel's: of /proc/meminfo and vmstat, and of the files of a control group. */
#ifndef THINPROBE_ACCOUNT_H
#define THINPROBE_ACCOUNT_H

#include <stdint.h>

/* FOLDER/FILE. Without `key` (NULL) a file of one number; "max" is INT64_MAX. With it the number
 * behind that word at the start of a line, the first such line ("total_swap", "VmSwap:"); in bytes
 * where the line says kB. -1: not there, or no number. */
int64_t account_figure(const char *folder, const char *file, const char *key);

#endif
