/* SPDX-License-Identifier: GPL-3.0-or-later */
/* overtime - what one step of an animation took as time went by: FOLDER/traffic.tsv and cpu.tsv in pieces of equal length. */
#ifndef THINPROBE_SUMMARIZE_OVERTIME_H
#define THINPROBE_SUMMARIZE_OVERTIME_H

#include <stddef.h>
#include <stdint.h>

#define OVERTIME_MAX 20000	/* pieces */

struct overtime {
	int64_t origin_ns, piece_ns;
	int64_t first;		/* number of the first piece: below 0 before the origin */
	size_t n;
	double *bytes;		/* display, on the wire; owned */
	double *cpu_percent;	/* of one CPU; NAN: not looked at in this piece; owned */
};

/* 0 or -errno, with a line in `why`; nothing to free then. Packets stand in the piece in which their bin begins. */
int overtime_read(const char *folder, int64_t origin_ns, int64_t piece_ns, struct overtime *out, char *why, size_t size);
void overtime_free(struct overtime *t);

#endif
