/* SPDX-License-Identifier: GPL-3.0-or-later */
/* step - one step of an animation experiment: its totals as the driver wrote them, figures computed from them, and its course over
 * time. */
#pragma once

#include "engine.h"

/* Computes a figure of the step that is the JSON object at `prefix`: mbit_per_s, kb_per_s (1,000 bytes), input_mbit_per_s,
 * seen_per_s (frames on the user's screen), shown_per_s, late_percent, packets_per_frame, cpu_percent, bytes_per_frame (display
 * traffic per frame seen, or per frame shown if no screen is watched), frame_bytes (uncompressed), information_bytes (after
 * lossless compression), seconds, from_ns. NAN: not known. False: no such figure. */
bool step_compute_figure(const struct json_document *j, const char *prefix, const char *name, double *out);

#define STEP_BINS_MAX 20000 /* most bins of a series */
#define STEP_BIN_S 0.5
#define STEP_BIN_MBIT_PER_S (8 / STEP_BIN_S / 1e6) /* Mbit/s per byte in a bin */

/* Display traffic and CPU time of a step in bins of STEP_BIN_S, from traffic.tsv and cpu.tsv of its folder. */
struct step_series {
	int64_t origin_ns;
	int64_t first; /* number of the first bin; below 0: before the origin */
	size_t n;
	struct step_bin {
		double bytes;	    /* bytes of the display channel on the wire */
		double cpu_percent; /* percent of one CPU; NAN: no reading in this bin */
	} * bin;		    /* owned by the caller */
};

/* Reads folder STEP of the repeat. Packets count in the bin in which their own bin of traffic.tsv begins. No bins if the origin is
 * not known (NAN) or nothing was captured. */
struct step_series step_series_read(const struct experiment_repeat *r, const char *step, double origin_ns);
