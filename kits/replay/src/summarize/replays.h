/* SPDX-License-Identifier: GPL-3.0-or-later */
/* replays - replays of one recorded session at several settings: percentiles of their response times, and ratios to a base setting.
 *
 * A ratio pairs two replays of the same repeat: for each response, its latency at the setting over that at the base. The ratio of a
 * pair is the median over responses; that of a setting the geometric mean over its pairs, with Student's t interval of the
 * logarithms. A response that was not found in a replay counts as missing and has no ratio. */
#pragma once

#include "summarize/estimate.h"

struct session_replay {
	int64_t repeat;
	double total_s;
	double *latency_ms;    /* latency of each response from the press of key or button; NAN: not found */
	double updates, bytes; /* screen updates and their bytes; NAN: not known */
};

/* The replays of one setting. */
struct setting_replays {
	const struct session_replay *of;
	size_t n, responses;
};

#define REPLAYS_SLOWER 1.5 /* ratio from which on a response counts as slower (faster: its inverse) */
#define REPLAYS_FASTER (1 / REPLAYS_SLOWER)

/* Figures of a setting; a figure without an interval has only a value. P90 needs ten latencies beyond it. RATIO_P25 to
 * FASTER_POINTS count responses, each by its geometric mean over pairs. P: p-value of a ratio of 1, not yet adjusted. RESPONSES:
 * number of latencies. MISSING: responses that only the base has in the same repeat. */
enum replays_figure {
	REPLAYS_P25,
	REPLAYS_P50,
	REPLAYS_P75,
	REPLAYS_P90,
	REPLAYS_MAX,
	REPLAYS_RESPONSES,
	REPLAYS_PAIRS,
	REPLAYS_MISSING,
	REPLAYS_POINTS,
	REPLAYS_SLOWER_POINTS,
	REPLAYS_FASTER_POINTS,
	REPLAYS_LATE, /* percent of latencies over the threshold */
	REPLAYS_TOTAL_RATIO,
	REPLAYS_RATIO,
	REPLAYS_P,
	REPLAYS_RATIO_P25,
	REPLAYS_RATIO_P75,
	REPLAYS_RATIO_MAX,
	REPLAYS_FIGURES
};

/* Computes the figures of a setting. base NULL: the setting is the base itself. */
void replays_compute(const struct setting_replays *r, const struct setting_replays *base, double threshold_ms, size_t draws,
		     uint64_t seed, struct figure out[REPLAYS_FIGURES]);
/* Returns all latencies in us, sorted; free with pool_free(). */
struct latency_pool replays_build_pool(const struct setting_replays *r);

/* One response: geometric means over the n pairs of replays that both have it. */
struct response_means {
	double ms, base_ms, ratio;
	size_t n;
};
struct response_means replays_response_means(const struct setting_replays *r, const struct setting_replays *base, size_t response);
