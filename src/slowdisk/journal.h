/* SPDX-License-Identifier: GPL-3.0-or-later */
/* journal - rows of what the disk was asked, written by a thread of its own: a disk that waits for the file of its log would wait
 * for the page cache that waits for the disk. What comes faster than it is written is dropped and counted. */
#ifndef THINPROBE_JOURNAL_H
#define THINPROBE_JOURNAL_H

#include "disk.h"

struct journal;

struct journal_row {
	int64_t time_ns, offset, length, service_ns;
	enum disk_op op;
};

/* Starts the thread, which takes no signals. NULL with errno set when the file cannot be written. */
struct journal *journal_open(const char *path);
void journal_add(struct journal *j, const struct journal_row *row);	/* never waits */
/* Writes what is left and ends the thread. 0 or -errno of the file; *dropped: rows lost. */
int journal_close(struct journal *j, int64_t *dropped);

#endif
