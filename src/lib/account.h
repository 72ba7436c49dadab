/* SPDX-License-Identifier: GPL-3.0-or-later */
/* account - single counters of the kernel: from /proc/meminfo, /proc/vmstat, /proc/PID/status and the files of a cgroup. */
#pragma once

#include <stdint.h>

/* Reads a number from FOLDER/FILE; "max" gives INT64_MAX. `key` NULL: the file holds one number. Else the number behind that
 * word at the start of a line ("total_swap", "VmSwap:"), converted to bytes if the line has kB. -1: missing, or no number. */
int64_t account_read_number_behind_key(const char *folder, const char *file, const char *key);
