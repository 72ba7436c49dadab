/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mdm - how many users a criterion allows, foretold from few, by a queue M/D/m.
 *
 * The share of the CPUs that a key takes is a line over the keys a second (utilization law, with what the sessions take without
 * keys). What others' keys put in front of one is the wait of arrivals at random at as many servers as there are CPUs, where each
 * key costs the same: half the wait of exponential service (Pollaczek 1930, Khinchine 1932), its tail taken as exponential:
 * P(W > t) = p exp(-t / theta), theta = D / (2 m (1 - u)), p = the share of keys that wait at all, u^(sqrt(2 (m + 1)) - 1)
 * (Sakasegawa 1977; exact for m = 1). The user in front does not wait for himself, so u in p is what the others take. What one
 * user alone has (application, frame timer, link) comes on top; the deviations of independent parts add in squares.
 *
 * Pure: no input makes it fail, what cannot be told is NAN. */
#ifndef THINPROBE_SUMMARIZE_MDM_H
#define THINPROBE_SUMMARIZE_MDM_H

#include <stdbool.h>
#include <stddef.h>

/* A least-squares line with the 95 % interval of its slope, and of its height everywhere (Student's t). */
struct mdm_line {
	double slope, low, high, start;
	double mean_x, spread;	/* of the x, and their variance (over n) */
	size_t n;
};

bool mdm_line_fit(const double *x, const double *y, size_t n, struct mdm_line *out);	/* needs three points, two different x */
/* Its height; side -1, 1: the lower, the upper end of the interval there. */
double mdm_line_at(const struct mdm_line *l, double x, int side);
/* From where on it is at least `full`; side as above. INFINITY: nowhere. */
double mdm_line_reaches(const struct mdm_line *l, double full, int side);

struct mdm {
	struct mdm_line cpu;	/* share of all CPUs, 0 to 1, over keys a second of all users */
	double servers;			/* CPUs */
	double rate, typing;		/* keys a second of the user in front, and of every other */
	double mean_ms, p95_ms;		/* of one user alone */
};

double mdm_p95(const struct mdm *m, double users, int side);			/* ms; INFINITY: too many */
double mdm_apdex(const struct mdm *m, double users, double t_ms, int side);	/* 0: too many */
/* The most users for which p95 is at most `value` ms (apdex: the score with T = t_ms at least `value`); 0: not even one. side 1:
 * the fewest, -1: the most by the interval of the line. INFINITY: no end up to 10,000. */
double mdm_most(const struct mdm *m, bool apdex, double value, double t_ms, int side);
/* Users who type so many keys a second together. */
double mdm_users(const struct mdm *m, double keys);

#endif
