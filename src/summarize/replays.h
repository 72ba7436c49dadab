/* SPDX-License-Identifier: GPL-3.0-or-later */
/* replays - replays of one recorded session at several settings: percentiles of their response times, and ratios to a base setting.
 *
 * Ratios pair replays of the same repeat: of each response its latency at the setting over that at the base. The ratio of a pair
 * is the median over responses, that of a setting the geometric mean over its pairs, with Student's t interval of the logarithms.
 * A response that was not found in a replay is missing there, and has no ratio. */
#ifndef THINPROBE_SUMMARIZE_REPLAYS_H
#define THINPROBE_SUMMARIZE_REPLAYS_H

#include "interval.h"
#include "pool.h"

struct replays_repeat {
	int64_t repeat;
	double total_s;
	double *latency_ms;	/* of each response, from the press. NAN: not found */
	double updates, bytes;	/* NAN: not known */
};

/* Those of a setting. */
struct replays {
	const struct replays_repeat *of;
	size_t n, responses;
};

#define REPLAYS_SLOWER 1.5	/* what counts as slower and as faster */
#define REPLAYS_FASTER (1 / REPLAYS_SLOWER)

/* Figures of a setting; those without an interval have only a value. P90 is known where at least ten latencies lie beyond it.
 * RATIO_P25 to FASTER_POINTS are of responses, each with its geometric mean over pairs. P: of a ratio of 1, for the caller to
 * adjust. RESPONSES: latencies; MISSING: those that the base has in the same repeat. */
enum replays_figure {
	REPLAYS_P25, REPLAYS_P50, REPLAYS_P75, REPLAYS_P90, REPLAYS_MAX, REPLAYS_RESPONSES,
	REPLAYS_PAIRS, REPLAYS_MISSING, REPLAYS_POINTS, REPLAYS_SLOWER_POINTS, REPLAYS_FASTER_POINTS,
	REPLAYS_LATE,		/* percent of the latencies that are over the threshold */
	REPLAYS_TOTAL_RATIO, REPLAYS_RATIO, REPLAYS_P, REPLAYS_RATIO_P25, REPLAYS_RATIO_P75, REPLAYS_RATIO_MAX,
	REPLAYS_FIGURES
};

/* base NULL: it is the base itself. */
void replays_figures(const struct replays *r, const struct replays *base, double threshold_ms, size_t draws, uint64_t seed,
		     struct figure out[REPLAYS_FIGURES]);
/* All latencies in us, by replay, sorted. For pool_free(). */
struct pool replays_pool(const struct replays *r);

/* One response: geometric means over the n pairs in which both have it. */
struct replays_point {
	double ms, base_ms, ratio;
	size_t n;
};
struct replays_point replays_point_of(const struct replays *r, const struct replays *base, size_t response);

#endif
