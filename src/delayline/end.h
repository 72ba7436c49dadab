/* SPDX-License-Identifier: GPL-3.0-or-later */
/* end - one end of the delay line: a TAP interface in a network namespace of choice, for as long as its descriptor is open. */
#ifndef THINPROBE_END_H
#define THINPROBE_END_H

#include <stddef.h>
#include <stdint.h>

struct end {
	char name[16];		/* the interface */
	int fd;			/* frames, whole; does not block */
	int counters;		/* /proc/net/dev of its namespace, or -1 */
};

/* "NAME" or "NAME@/proc/PID/ns/net": makes the interface there. We stay there (back home an
 * ordinary user may not go), so an end without a namespace has to be opened first. 0 or -errno with
 * one line in `why`. */
int end_open(struct end *e, const char *where, char *why, size_t size);
void end_close(struct end *e);
/* Frames that the kernel dropped before we could read them, since the interface was made; -1: not known. */
int64_t end_dropped(const struct end *e);
/* The same from the text of /proc/net/dev. */
int64_t end_read_dropped(const char *text, const char *name);

/* Keeps only what a report that is written later, and memory that is locked, may take; nothing
 * comes back (no_new_privs). 0 or -errno. */
int wire_drop_privilege(void);

#endif
