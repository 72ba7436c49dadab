/* SPDX-License-Identifier: GPL-3.0-or-later */
/* animation - a run of the animation experiment: RUN/cells/CELL/REPEAT/cell.json and what lies in its steps' folders to tables.
 *
 *	summary.tsv	(animation/1) a row for each system of run.json's settings.systems, in that order
 *	bandwidth.tsv	(bandwidth/1) of the first complete repeat of each, bandwidth as time goes by, new frames and the loop
 *
 * Is a frame of the loop sent again? What it costs on the wire, as a share of one that was never shown before, in the same session:
 * ANIMATION_AGAIN % and more "again", ANIMATION_CACHED % and less "cached", "in part" between. Against new frames and not against the size of a
 * picture, because a protocol may compress, with losses too: so nothing but having had the frame before makes the difference. */
#ifndef THINPROBE_SUMMARIZE_ANIMATION_H
#define THINPROBE_SUMMARIZE_ANIMATION_H

#include "inputs.h"

#include <stddef.h>

#define ANIMATION_AGAIN 80.0
#define ANIMATION_CACHED 20.0

const char *animation_verdict(double share_percent);	/* "" where it is not known */
/* How many of these fit on a link; NAN: not known. */
double animation_users(double link_mbit_s, double each_mbit_s);

/* 0, or -errno with one line in `why`. */
int animation_summarize(const char *folder, struct inputs_counts *out, char *why, size_t size);

#endif
