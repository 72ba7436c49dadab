/* SPDX-License-Identifier: GPL-3.0-or-later */
/* replays - a run that replays one recorded session at several settings: RUN/analysis.json (vncplay analyze, all replays together) and
 * RUN/cells/SETTING/REPEAT/cell.json to tables.
 *
 *	summary.tsv	(replays/1) a row for each setting of run.json: total time and its ratio to the base's; percentiles of response times, pooled over
 *			the replays; by what factor responses are later than at the base
 *	points.tsv	(replays-points/1) a row for each response at each setting: its latency, and its ratio to the base's
 *	runs.tsv	(replays-runs/1) a row for each replay
 *	cdf.tsv		(replays-cdf/1) the share of responses within a time, a curve a setting
 *
 * Ratios pair replays of the same repeat: of each response its latency at the setting over that at the base. The factor of a pair is the median over
 * responses, that of a setting the geometric mean over its pairs, with Student's t interval of the logarithms; p-values of all settings
 * are Holm's. A response that was not found in a replay is missing there, and has no ratio. */
#ifndef THINPROBE_SUMMARIZE_REPLAYS_H
#define THINPROBE_SUMMARIZE_REPLAYS_H

#include "compare.h"
#include "inputs.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define REPLAYS_SETTINGS_MAX 100
#define REPLAYS_SURE 0.5	/* responses matched with less confidence are left out, and counted */

/* Everything that was measured: runs in the order of the analysis, latencies response by response. NAN: missing, not known. */
struct replays {
	size_t runs, responses;
	size_t *setting;	/* of each run; all arrays are owned */
	int64_t *repeat;
	double *total_s;
	double *latency_ms;	/* [response * runs + run], from the press */
	size_t unsure;		/* responses left out */
};

struct replays_span {
	double value, low, high;	/* NAN: not known */
};

enum { REPLAYS_P25, REPLAYS_P50, REPLAYS_P75, REPLAYS_P90, REPLAYS_PERCENTILES };

struct replays_figures {
	struct replays_span total_s, total_ratio, ratio;	/* ratio: of the responses' latencies */
	struct replays_span percentile[REPLAYS_PERCENTILES];	/* ms; p90 is NAN where less than ten values lie beyond it */
	double max_ms;
	double ratio_p25, ratio_p75, ratio_max;		/* of the responses, each its geometric mean over pairs */
	size_t points, slower, faster;			/* responses with a ratio, and those of which it is at least, or at most: */
#define REPLAYS_SLOWER 1.5
#define REPLAYS_FASTER (1 / REPLAYS_SLOWER)
	double p;					/* of a ratio of 1; to be corrected by who has all of them */
	size_t pairs, values, missing;			/* values: latencies; missing: responses that the base has in the same repeat */
};

/* Of one setting. 0 or -ENOMEM. */
int replays_figures_of(const struct replays *r, size_t setting, size_t base, uint64_t seed, struct replays_figures *out);
/* Of one response at one setting: geometric means over the pairs in which both have it. False: there is none. */
bool replays_point_of(const struct replays *r, size_t response, size_t setting, size_t base, double *ms, double *base_ms, double *ratio, size_t *n);
/* Too few pairs, too noisy, better, worse or no difference shown; `p` after correction. */
enum verdict replays_verdict(const struct replays_figures *f, double p);
void replays_free(struct replays *r);

/* 0, or -errno with one line in `why`. */
int replays_summarize(const char *folder, struct inputs_counts *out, char *why, size_t size);

#endif
