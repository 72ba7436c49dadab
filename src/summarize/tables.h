/* tables - writes RUN/summary.tsv (summary/1) and RUN/cdf.tsv (cdf/1), each whole: temporary file, fsync, rename. */
#ifndef THINPROBE_SUMMARIZE_TABLES_H
#define THINPROBE_SUMMARIZE_TABLES_H

#include "estimates.h"
#include "run.h"

#define CDF_POINTS 1000		/* a curve at most */

struct tables_written {
	size_t rows, cdf_rows;
};

/* figures[i] belongs to run->cell[i]. 0 or -errno, with the file in `why`. */
int tables_write(const char *folder, const struct run *run, const struct estimates *figures,
		 struct tables_written *written, char *why, size_t size);

/* The trains that latency and stall figures come from: their own series, or the only one there is. */
enum series tables_series(const struct cell *c, enum series wanted);

#endif
