// SPDX-License-Identifier: GPL-3.0-or-later
#include "idle_updates.h"
#include "cli.h"
#include "clock.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

int idle_updates_add(struct idle_updates *n, const char *text)
{
	size_t digits = strcspn(text, "/");
	int64_t updates, window;
	char count[24];
	int err;

	if (text[digits] != '/' || digits >= sizeof(count))
		return -EINVAL;
	snprintf(count, sizeof(count), "%.*s", (int)digits, text);
	if (cli_read_int(count, &updates) || updates < 0 || updates > 1000000000)
		return -EINVAL;
	err = cli_read_ns(text + digits + 1, &window);
	if (err)
		return err;
	if (window < NS_PER_MS || window > 30 * NS_PER_DAY)
		return -EINVAL;
	n->updates += updates;
	n->window_ns += window;
	return 0;
}

double idle_updates_per_s(const struct idle_updates *n)
{
	return n->window_ns ? (double)n->updates * NS_PER_S / (double)n->window_ns : NAN;
}

double idle_updates_per_s_high(const struct idle_updates *n)
{
	return n->window_ns ? poisson_upper_bound(n->updates) * NS_PER_S / (double)n->window_ns : NAN;
}

/* P(at most `events`) of a Poisson variable; sums from the largest term down, so that no term is lost. */
static double poisson_at_most(int64_t events, double mean)
{
	double sum = 0, n = (double)events, term = exp(n * log(mean) - mean - lgamma(n + 1));

	for (double k = n; k >= 0 && term > sum * 1e-17; k--) {
		sum += term;
		term *= k / mean;
	}
	return sum;
}

double poisson_upper_bound(int64_t events)
{
	double low = (double)events, high = low + 10 * sqrt(low + 1);

	if (!events)
		return -log(0.05);
	for (int i = 0; i < 100; i++) {
		double middle = (low + high) / 2;

		if (poisson_at_most(events, middle) > 0.05)
			low = middle;
		else
			high = middle;
	}
	return high;
}
