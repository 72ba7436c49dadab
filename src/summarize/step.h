/* SPDX-License-Identifier: GPL-3.0-or-later */
/* step - one animation that ran for a while: as its driver summed it up, the figures that follow, and as time went by. */
#ifndef THINPROBE_SUMMARIZE_STEP_H
#define THINPROBE_SUMMARIZE_STEP_H

#include "engine.h"

/* A figure of the step that is the object at `prefix`: mbit_per_s, kb_per_s (of 1,000 bytes), input_mbit_per_s,
 * seen_per_s (frames on the user's screen), shown_per_s, late_percent, packets_per_frame, cpu_percent, bytes_per_frame (display, of
 * those seen, of those shown where no screen is watched), frame_bytes (of a frame as it is), information_bytes
 * (what lossless coding takes at least), seconds, from_ns. NAN: not known. False: no such figure. */
bool step_figure(const struct json *j, const char *prefix, const char *name, double *out);

#define STEP_BINS_MAX 20000	/* pieces */
#define STEP_BIN_S 0.5
#define STEP_BIN_MBIT_PER_S (8 / STEP_BIN_S / 1e6)	/* that a byte in a piece is */

/* traffic.tsv and cpu.tsv of the step's folder in pieces of equal length. */
struct step_series {
	int64_t origin_ns;
	int64_t first;		/* number of the first piece: below 0 before the origin */
	size_t n;
	struct step_bin {
		double bytes;		/* display, on the wire */
		double cpu_percent;	/* of one CPU; NAN: not read in this piece */
	} *piece;			/* the caller's, to free() */
};

/* Of the folder STEP of the repeat. Packets stand in the piece in which their bin begins. No pieces where the origin is not known
 * (NAN) or nothing was captured. */
struct step_series step_series_read(const struct repeat *r, const char *step, double origin_ns);

#endif
