/* SPDX-License-Identifier: GPL-3.0-or-later */
/* tables - writes RUN/summary.tsv (summary/1), RUN/cdf.tsv (cdf/1), RUN/stages.tsv (stages/1) and RUN/compare.tsv (compare/1), each whole: temporary file, fsync, rename. */
#ifndef THINPROBE_SUMMARIZE_TABLES_H
#define THINPROBE_SUMMARIZE_TABLES_H

#include "estimates.h"
#include "run.h"

struct tables_written {
	size_t rows, cdf_rows, stage_rows, compare_rows;
};

/* figures[i] belongs to run->cell[i], wire[i] is what the wire alone says of it. 0 or -errno, with the file in `why`. */
int tables_write(const char *folder, const struct run *run, const struct estimates *figures, const struct estimates *wire,
		 struct tables_written *written, char *why, size_t size);

#endif
