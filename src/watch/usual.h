/* SPDX-License-Identifier: GPL-3.0-or-later */
/* usual - which values of a time that scatters are usual, and whether an interval's are above them by more than chance. Pure.
 *
 * Values are kept in slots of about a minute with inputs, the latest USUAL_SLOTS. Usual are the values of the slots with the lowest
 * medians, so many slots that they have USUAL_ENOUGH values: the lowest medians alone would be lower than what is usual. Values of
 * intervals in which waits had risen are kept in slots of their own: they become usual when all others have left; where there were
 * none, when they have lasted as long.
 *
 * An order statistic of k values (the median, say) has risen if values that come from the usual ones would have it as high with a
 * probability below USUAL_CHANCE. That holds for any distribution: values above it are counted, by binomial probabilities. The
 * values of this interval are taken, and the latest 4, 8, 12, 24 and 48, which reach back over earlier intervals. Successive values
 * may be alike: how often two of them lie on the same side of the usual median gives their correlation r (arcsine law), and k
 * counts as k (1 - r) / (1 + r) independent ones. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#define USUAL_SLOTS 20
#define USUAL_SLOT_NS 60000000000LL
#define USUAL_LASTS_NS (16 * USUAL_SLOT_NS) /* of time with inputs */
#define USUAL_VALUES 48			    /* of a slot or of an interval: a uniform choice of them */
#define USUAL_LEAST 8			    /* fewer values in all are no basis */
#define USUAL_ENOUGH 576
#define USUAL_LATEST 48
#define USUAL_FEW 8
#define USUAL_FEW_INTERVALS 120
#define USUAL_INTERVALS 30 /* the latest values are of so many intervals at most */
#define USUAL_CHANCE 0.001
#define USUAL_LATE_NS 200000000LL /* the least TCP timeout of Linux */
#define USUAL_LATE_POWER 6	  /* of upper quartile / median: 4 standard deviations of a lognormal distribution */
#define USUAL_GROWN_NS 50000000LL /* the median may become so much longer than the lowest one within a day, or */
#define USUAL_GROWN_TIMES 2	  /* ... so many times as long; a longer one never becomes usual */
#define USUAL_DAY_NS (24 * 60 * USUAL_SLOT_NS)

struct usual_slot {
	uint32_t value_us[USUAL_VALUES], kept, seen, longest_us; /* ascending, but in `now`; longest: of all seen */
	int64_t end_ns;						 /* of active time, see struct usual */
	bool raised;
};

/* All zero: nothing is known yet. */
struct usual {
	struct usual_slot slot[USUAL_SLOTS], now; /* now: values of the current interval */
	int current;				  /* slot that is being filled */
	int64_t active_ns;			  /* sum of the lengths of all intervals learned */
	struct usual_latest {
		uint32_t us;
		uint64_t interval; /* its number */
	} latest[USUAL_LATEST];
	uint64_t latest_n, intervals;				 /* intervals: so far */
	uint32_t usual_us[USUAL_ENOUGH + USUAL_VALUES], usual_n; /* ascending */
	uint32_t longest_us;					 /* of all values in slots that are not raised */
	uint32_t lowest_us;			   /* median of USUAL_ENOUGH values within USUAL_DAY_NS; 0: none yet */
	int64_t age_ns, lowest_ns;		   /* length of all intervals; when it was so low */
	double pairs, alike, now_pairs, now_alike; /* successive values; those on one side of it; now: to be learned */
	int side;				   /* of the usual median, on which the latest value is: 1: above */
	uint64_t random;
	bool lasts;   /* in an interval without a value the latest one stands in */
	bool bounded; /* what grows for hours does not become usual, see USUAL_GROWN_NS */
};

void usual_add_value(struct usual *u, int64_t ns);

/* The quantile `share` of usual values in ns; -1: too few. */
int64_t usual_quantile_ns(const struct usual *u, double quantile);
/* The longest value that was usual, in ns; -1: too few. */
int64_t usual_longest_ns(const struct usual *u);

/* By how much the quantile `share` of this interval's values of `u` is above that of the usual ones of `basis`. */
struct usual_rise {
	int64_t seen_ns; /* without a test; 0: not above, or not known */
	int64_t sure_ns; /* 0: chance explains it */
};
struct usual_rise usual_find_rise(const struct usual *u, const struct usual *basis, double quantile);
/* By how much the lower quartile of the latest USUAL_FEW values is surely above the usual one; 0: not. */
int64_t usual_find_low_rise(const struct usual *u);
/* Values above it are late, whatever their number: USUAL_LATE_NS above the usual median, and beyond the usual scatter; -1: not
 * known. */
int64_t usual_late_limit(const struct usual *u);

/* Ends an interval of this length and learns its values, but late ones if `bounded`; `learn` false: forgets them. */
void usual_end_interval(struct usual *u, int64_t length_ns, bool learn, bool raised);
