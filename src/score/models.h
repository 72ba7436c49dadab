/* SPDX-License-Identifier: GPL-3.0-or-later */
/* models - what users make of latencies, by published rules; the numbers in them come from a table
 * (data/thresholds.tsv). All in ms. */
#ifndef THINPROBE_SCORE_MODELS_H
#define THINPROBE_SCORE_MODELS_H

#include "samples_in.h"

struct models_limits {
	double perception;						/* Wong & Seltzer 2000 */
	double crisp, noticeable, annoying, unacceptable;		/* upper ends; Tolia, Andersen & Satyanarayanan 2006 */
	double apdex_target, apdex_tolerating;				/* T, and so many T; Apdex Alliance 2007 */
	double apdex_excellent, apdex_good, apdex_fair, apdex_poor;	/* lower ends */
	double apdex_few;						/* samples: with fewer, the score is marked */
	double wu_expected, wu_beta;					/* Wu, Zhang, Gu & Sun 2005 */
	double vsi_base, vsi_dropped;					/* so many of the shortest, less so many shortest of them */
	double vsi_samples, vsi_per_user, vsi_trim, vsi_margin;		/* Login VSI 4.1 */
};

#define MODELS_TOLIA 5
extern const char *const models_tolia_words[MODELS_TOLIA];

/* The share that is over the threshold. NAN without samples, as all below. */
double models_late(const struct samples_in *s, double threshold);
/* Shares of the classes, which add up to 1; a latency at an end belongs above it. */
void models_tolia(const struct samples_in *s, const struct models_limits *l, double share[MODELS_TOLIA]);
/* (satisfied + tolerating / 2) / n; at T and at 4 T still within; what failed frustrates, however soon. */
struct models_apdex {
	size_t satisfied, tolerating, frustrated;
	double score;
};
void models_apdex(const struct samples_in *s, const struct models_limits *l, struct models_apdex *out);
/* The specification's words are of whole hundredths: 0.93 is good and 0.94 is excellent, so that the score is rounded first. */
const char *models_apdex_word(const struct models_limits *l, double score);
/* What a user feels of each, T_user = 0 up to T and (T_total - T)^beta beyond, with times in s: the sum in s^beta, and its mean. */
double models_wu(const struct samples_in *s, const struct models_limits *l, double *mean);

/* VSImax 4.1: the baseline is the mean of the 15 shortest samples less the two shortest; at each
 * sample the last 5 + 40 % of the active users' samples, less 5 % at either end (one at the least),
 * are averaged; the first time that this is over the baseline and a second, users are too many. */
struct models_vsi {
	double base, limit;	/* NAN: too few samples */
	double last;		/* the last average; NAN */
	bool known, reached;	/* users are known, and enough samples; too many of them */
	double users;		/* the most that were active before it was reached; of all, if it was not */
};
/* 0 or -ENOMEM. */
int models_vsi(const struct samples_in *s, const struct models_limits *l, struct models_vsi *out);

/* The numbers of the models, from a table such as data/thresholds.tsv. */
#define LIMITS_IN_SOURCE 256
enum limits_in_model { LIMITS_PERCEPTION, LIMITS_TOLIA, LIMITS_APDEX, LIMITS_WU, LIMITS_VSI, LIMITS_MODELS };

struct limits_in {
	struct models_limits limits;
	char source[LIMITS_MODELS][LIMITS_IN_SOURCE];	/* of each model: where its first number comes from */
};

/* 0; -EPROTO with what is wrong in `why` (a name that is missing, or a number). -EIO. */
int limits_in_read(FILE *in, struct limits_in *out, char *why, size_t size);

#endif
