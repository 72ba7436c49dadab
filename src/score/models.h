/* SPDX-License-Identifier: GPL-3.0-or-later */
/* models - published models of how users judge latencies; their constants come from a table (data/thresholds.tsv). All times in
 * ms. */
#pragma once

#include "samples_in.h"
#include "why.h"

struct models_limits {
	double perception;				  /* latency that users notice; Wong & Seltzer 2000 */
	double crisp, noticeable, annoying, unacceptable; /* upper ends of classes; Tolia, Andersen & Satyanarayanan 2006 */
	double apdex_target, apdex_tolerating; /* T, and the end of "tolerating" in multiples of T; Apdex Alliance 2007 */
	double apdex_excellent, apdex_good, apdex_fair, apdex_poor; /* lower ends of the ratings of an Apdex score */
	double apdex_few;					    /* a score of fewer samples is marked */
	double wu_expected, wu_beta;				    /* expected time and exponent; Wu, Zhang, Gu & Sun 2005 */
	double vsi_base, vsi_dropped; /* baseline: number of shortest samples taken, and how many of them are dropped */
	double vsi_samples, vsi_per_user, vsi_trim, vsi_margin; /* Login VSI 4.1 */
};

#define MODELS_TOLIA 5
extern const char *const models_tolia_words[MODELS_TOLIA];

/* A figure takes all samples by their early ends, or by their late ones: without an answer, never. NAN without samples. */
enum models_end { MODELS_EARLY, MODELS_LATE };
#define MODELS_NEVER 1e300 /* ms; finite, so that it has a class */

/* Share of latencies over the threshold. */
double models_late_share(const struct latency_samples *s, enum models_end end, double threshold);
/* Shares of the classes; a latency equal to the upper end of a class belongs to the next class. The least share of a class is of
 * those that are surely in it, the most of those that may be. */
void models_compute_tolia(const struct latency_samples *s, const struct models_limits *l, double least[static MODELS_TOLIA],
			  double most[static MODELS_TOLIA]);
/* Apdex: (satisfied + tolerating / 2) / n. A latency of exactly T or 4 T is within the class; a failed sample is frustrated,
 * however fast. */
struct models_apdex_result {
	size_t satisfied, tolerating, frustrated;
	double score;
};
void models_compute_apdex(const struct latency_samples *s, enum models_end end, const struct models_limits *l,
			  struct models_apdex_result *out);
/* The specification rates whole hundredths (0.93 is good, 0.94 excellent): the score as it is printed, halves up. */
double models_round_apdex(double score);
/* Rating of an Apdex score, rounded first. */
const char *models_apdex_word(const struct models_limits *l, double score);
/* Delay that a user feels: 0 up to T and (T_total - T)^beta beyond, with times in s. Returns the sum in s^beta, and the mean in
 * *mean. */
double models_felt_delay(const struct latency_samples *s, enum models_end end, const struct models_limits *l, double *mean);

/* VSImax 4.1: the baseline is the mean of the 15 shortest samples that did not fail, without the two shortest. At each sample, the
 * last 5 + 40 % of the active users' samples are averaged, without 5 % at either end (at least one). The first average over the
 * baseline plus one second means too many users. */
struct models_vsimax_result {
	double base, limit;  /* baseline, and the limit of the average; NAN: too few samples */
	double last;	     /* the last average; NAN: none */
	bool known, reached; /* known: users are known, and samples are enough; reached: an average was over the limit */
	double users;	     /* largest number of active users before the limit was reached (or of all, if it was not) */
};
/* Computes VSImax. A sample without an answer, or that failed, counts with the time that is known of it (MODELS_EARLY), or with
 * never. */
void models_compute_vsimax(const struct latency_samples *s, enum models_end end, const struct models_limits *l,
			   struct models_vsimax_result *out);

/* The constants of the models, read from a table such as data/thresholds.tsv. */
#define LIMITS_IN_SOURCE 256
enum limits_in_model { LIMITS_PERCEPTION, LIMITS_TOLIA, LIMITS_APDEX, LIMITS_WU, LIMITS_VSI, LIMITS_MODELS };

struct models_sourced_limits {
	struct models_limits limits;
	char source[LIMITS_MODELS][LIMITS_IN_SOURCE]; /* source of each model's first constant */
};

/* Reads the constants. 0; -EPROTO with the reason in `why` (a missing name, or a bad number); -EIO. */
int models_read_limits(FILE *in, struct models_sourced_limits *out, struct why *why);
