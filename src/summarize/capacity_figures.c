// SPDX-License-Identifier: GPL-3.0-or-later
#include "capacity.h"

#include <math.h>
#include <stdlib.h>

#define MORE_LEAST 1.0		/* ms: what a key takes longer by less is not asked where it waits */
#define SHARE_HALF 50.0

const char *const capacity_names[CAPACITY_FIGURES] = {
	"mean_ms", "p50_ms", "p95_ms", "apdex", "late_percent", "all_p95_ms", "all_mean_ms", "jain", "worst_over_median", "keys_per_s", "server_busy_percent",
	"client_busy_percent", "foreign_percent", "waiting", "available_bytes", "swap_in_bytes_per_s", "link_percent", "own_percent", "major_faults_per_s",
	"drops_per_s", "client_waiting", "memory_stall_ms_per_s", "more_ms", "wait_ms", "wait_share_percent", "wait_over_queue", "viewers_share_percent",
	"memory_share_percent", "faults_percent", "drops_percent",
};

const struct capacity_step *capacity_find(const struct capacity_system *s, double users, int64_t repeat)
{
	for (size_t i = 0; i < s->steps; i++)
		if ((double)s->step[i].users == users && s->step[i].repeat == repeat)
			return &s->step[i];
	return NULL;
}

double capacity_jain(const double *v, size_t n)
{
	double sum = 0, squares = 0;

	for (size_t i = 0; i < n; i++) {
		sum += v[i];
		squares += v[i] * v[i];
	}
	return n && squares > 0 ? sum * sum / ((double)n * squares) : (double)NAN;
}

static int ascending(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

double capacity_worst(double *v, size_t n)
{
	double median;

	if (!n)
		return NAN;
	qsort(v, n, sizeof(*v), ascending);
	median = n % 2 ? v[n / 2] : (v[n / 2 - 1] + v[n / 2]) / 2;
	return median > 0 ? v[n - 1] / median : (double)NAN;
}

/* Mean wait, ms, of arrivals at random with exponential service at so many servers, so busy; of one who does not wait for himself (capacity_model.h). */
static double queue_wait(double busy, double own, double keys, double rate, double servers)
{
	double others = fmin(busy * (1 - rate / keys), 1);

	return busy < 1 ? pow(fmax(others, 0), sqrt(2 * (servers + 1)) - 1) * 1000 * own / keys / (1 - busy) : (double)INFINITY;
}

/* What comes of the users' figures, and of two of them together. */
void capacity_finish(const struct capacity_system *s, struct capacity_step *p, double rate)
{
	const struct capacity_step *one = capacity_find(s, 1, p->repeat);
	double sum = 0, keys = p->of[CAPACITY_KEYS], more;

	for (size_t u = 0; u < p->n; u++)
		sum += p->means[u] / (double)p->n;
	p->of[CAPACITY_ALL_MEAN] = p->n ? sum : (double)NAN;
	p->of[CAPACITY_JAIN] = capacity_jain(p->means, p->n);
	p->of[CAPACITY_WORST] = capacity_worst(p->p95s, p->n);
	if (!isfinite(p->of[CAPACITY_OWN]))
		p->of[CAPACITY_OWN] = p->of[CAPACITY_BUSY] - p->of[CAPACITY_FOREIGN];
	if (!(keys > 0))
		return;
	p->of[CAPACITY_FAULTS] = 100 * p->of[CAPACITY_MAJOR] / keys;
	p->of[CAPACITY_DROPPED] = 100 * p->of[CAPACITY_DROPS] / keys;
	p->of[CAPACITY_WAIT] = 1000 * p->of[CAPACITY_WAITING] / keys;
	more = one && one->n ? p->of[CAPACITY_ALL_MEAN] - one->means[0] : (double)NAN;
	p->of[CAPACITY_MORE] = p->users > 1 ? more : (double)NAN;
	if (!(p->users > 1 && more >= MORE_LEAST))
		return;
	p->of[CAPACITY_WAIT_SHARE] = 100 * p->of[CAPACITY_WAIT] / more;
	p->of[CAPACITY_VIEWERS_SHARE] = 100 * 1000 * p->of[CAPACITY_CLIENT_WAITING] / keys / more;
	p->of[CAPACITY_MEMORY_SHARE] = 100 * p->of[CAPACITY_STALL] / keys / more;
	if (p->of[CAPACITY_WAIT_SHARE] >= SHARE_HALF)
		p->of[CAPACITY_OVER_QUEUE] = p->of[CAPACITY_WAIT] / queue_wait(p->of[CAPACITY_BUSY] / 100, p->of[CAPACITY_OWN] / 100, keys, rate, s->servers);
}
