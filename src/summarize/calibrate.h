/* SPDX-License-Identifier: GPL-3.0-or-later */
/* calibrate - a calibration run: RUN/cells/PATH-DELAY/REPEAT/{cell.json,samples.tsv,echo.tsv[,wire.tsv]} to RUN/summary.tsv.
 *
 * One row (schema calibration/1) for each path, probe and delay, and one for all delays together ("all"). Figures are those of
 * offsets.h over all complete repeats, in ms. */
#ifndef THINPROBE_SUMMARIZE_CALIBRATE_H
#define THINPROBE_SUMMARIZE_CALIBRATE_H

#include "inputs.h"

#include <stddef.h>

/* 0 or -errno with "FILE: what is wrong with it" in `why`. A train that is not complete is counted as failed; a file of a
 * complete one that is missing or broken is an error, except wire.tsv (nothing was captured). */
int calibrate_summarize(const char *folder, struct inputs_counts *out, char *why, size_t size);

#endif
