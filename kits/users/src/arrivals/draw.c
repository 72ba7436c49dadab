// SPDX-License-Identifier: GPL-3.0-or-later
#include "draw.h"
#include "chances.h"
#include "memory.h"

#include <math.h>
#include <stdlib.h>

#define MARKS 200   /* most arrivals that are drawn as points */
#define GAP_BINS 25 /* bins of gaps, from 0 to five times the mean gap */
#define GAP_BIN 0.2
#define COUNTS_MOST 10000

const char *const draw_columns[] = { "kind", "x", "y", "expected", "low", "high", NULL };

void draw_write_row(struct row_file *t, const char *kind, double x, double y, double expected, double low, double high)
{
	rows_write_str(t, kind);
	rows_write_real(t, x);
	rows_write_real(t, y);
	rows_write_real(t, expected);
	rows_write_real(t, low);
	rows_write_real(t, high);
	rows_end_row(t);
}

static void write_gaps(struct row_file *t, const int64_t *time_ns, const struct poisson_result *p)
{
	double seen[GAP_BINS] = { 0 }, n = (double)p->n;

	for (size_t i = 0; i < p->n; i++) {
		double bin = floor((double)(time_ns[i + 1] - time_ns[i]) / 1e9 / (GAP_BIN * p->mean_s));

		if (bin < GAP_BINS)
			seen[(size_t)bin]++;
	}
	for (size_t b = 0; b < GAP_BINS; b++) {
		double low = GAP_BIN * (double)b;

		draw_write_row(t, "gap", (low + GAP_BIN / 2) * p->mean_s * 1000, seen[b] / n, exp(-low) - exp(-low - GAP_BIN), NAN,
			       NAN);
	}
}

/* Bins of counts are half a standard deviation of the Poisson distribution wide, at least one count. */
static void write_counts(struct row_file *t, const int64_t *time_ns, const struct poisson_result *p)
{
	double *seen = memory_new(COUNTS_MOST, sizeof(*seen)), mean = 0, width = p->interval_s * 1e9;
	double drawn = (double)(time_ns[p->n < MARKS ? p->n : MARKS - 1] - time_ns[0]);
	size_t at = 1, most = 0;

	for (size_t i = 0; i < p->intervals; i++) {
		size_t count = 0;

		for (; at < p->n && (double)(time_ns[at] - time_ns[0]) < width * (double)(i + 1); at++)
			count++;
		mean += (double)count / (double)p->intervals;
		if (count < COUNTS_MOST)
			seen[count]++;
		most = count > most && count < COUNTS_MOST ? count : most;
		if (width * (double)(i + 1) <= drawn)
			draw_write_row(t, "tally", ((double)i + 0.5) * width / 1e6, (double)count, NAN, NAN, NAN);
	}
	for (size_t c = 0, step = (size_t)fmax(1, sqrt(mean) / 2); p->intervals && c <= most + 1 && c < COUNTS_MOST; c += step) {
		double share = 0, expected = 0;

		for (size_t i = c; i < c + step && i < COUNTS_MOST; i++) {
			share += seen[i] / (double)p->intervals;
			expected += chances_poisson_count_p((unsigned)i, mean);
		}
		draw_write_row(t, "count", (double)c + (double)(step - 1) / 2, share, expected, NAN, NAN);
	}
	free(seen);
	if (p->intervals)
		draw_write_row(t, "interval", p->interval_s * 1000, NAN, NAN, NAN, NAN);
}

void draw_write_rows(struct row_file *t, const int64_t *time_ns, const struct poisson_result *p)
{
	for (size_t i = 0; i <= p->n && i < MARKS; i++)
		draw_write_row(t, "arrival", (double)(time_ns[i] - time_ns[0]) / 1e6, NAN, NAN, NAN, NAN);
	if (p->mean_s > 0 && p->gaps_told)
		write_gaps(t, time_ns, p);
	write_counts(t, time_ns, p);
}
