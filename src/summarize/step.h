/* SPDX-License-Identifier: GPL-3.0-or-later */
/* step - one animation that ran for a while, as its driver summed it up; and the repeats of a system's cell in a run folder. */
#ifndef THINPROBE_SUMMARIZE_STEP_H
#define THINPROBE_SUMMARIZE_STEP_H

#include "inputs.h"

#include <stdbool.h>
#include <stdint.h>

/* NAN: not known. */
struct step {
	double seconds, from_ns, to_ns;
	double due, shown, late, seen;		/* frames; seen: in front of the user */
	double display_bytes, input_bytes, packets;	/* on the wire */
	double cpu_percent;
	double bytes_per_frame;		/* display, of those seen (of those shown, where nobody looks) */
	double frame_bytes, information_bytes;	/* of a frame as it is, and what lossless coding takes at least */
};

/* From the object at `prefix`. False: there is none. */
bool step_read(const struct json *j, const char *prefix, struct step *out);
double step_mbit_s(const struct step *s);

/* A system of run.json's settings.systems. */
struct step_system {
	char cell[128], protocol[64], draw[16];
};
/* 1: there is one of that number; 0: no more; -EPROTO: it cannot be read, or its name leads elsewhere. */
int step_system(const struct json *run, int number, struct step_system *out);

/* cell.json of one repeat: NULL where there is none that is complete (*failed: one that is not), or -EPROTO in *err with a line in `why`. */
struct json *step_cell(const char *folder, const struct step_system *s, int64_t repeat, bool *failed, bool *marked, int *err, char *why, size_t size);

#endif
