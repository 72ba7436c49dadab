/* SPDX-License-Identifier: GPL-3.0-or-later */
/* step - one animation that ran for a while, as its driver summed it up, and the figures that follow. */
#ifndef THINPROBE_SUMMARIZE_STEP_H
#define THINPROBE_SUMMARIZE_STEP_H

#include "engine.h"

/* NAN: not known. */
struct step {
	double seconds, from_ns;
	double due, shown, late, seen;			/* frames; seen: on the user's screen */
	double display_bytes, input_bytes, packets;	/* on the wire */
	double cpu_percent;
	double bytes_per_frame;		/* display, of those seen (of those shown, where no screen is watched) */
	double frame_bytes, information_bytes;	/* of a frame as it is, and what lossless coding takes at least */
};

/* From the object at `prefix`. False: there is none. */
bool step_read(const struct json *j, const char *prefix, struct step *out);
/* A figure by its name, such as mbit_per_s or seen_per_s. 0, or -ENOENT: no such figure. */
int step_figure(const struct step *s, const char *name, double *out);

#endif
