// SPDX-License-Identifier: GPL-3.0-or-later
#include "headcount.h"

#include <math.h>
#include <stdlib.h>

#define MORE_LEAST 1.0		/* ms: what a key takes longer by less is not asked where it waits */
#define SHARE_HALF 50.0

const char *const headcount_names[HEADCOUNT_FIGURES] = {
	"mean_ms", "p50_ms", "p95_ms", "apdex", "late_percent", "all_p95_ms", "all_mean_ms", "jain", "worst_over_median",
	"keys_per_s", "server_busy_percent", "client_busy_percent", "foreign_percent", "waiting", "available_bytes",
	"swap_in_bytes_per_s", "link_percent", "own_percent", "major_faults_per_s", "drops_per_s", "client_waiting",
	"memory_stall_ms_per_s", "more_ms", "wait_ms", "wait_share_percent", "wait_over_queue", "viewers_share_percent",
	"memory_share_percent", "faults_percent", "drops_percent",
};

const struct headcount_step *headcount_find(const struct headcount_system *s, double users, int64_t repeat)
{
	for (size_t i = 0; i < s->steps; i++)
		if ((double)s->step[i].users == users && s->step[i].repeat == repeat)
			return &s->step[i];
	return NULL;
}

double headcount_jain(const double *v, size_t n)
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

double headcount_worst(double *v, size_t n)
{
	double median;

	if (!n)
		return NAN;
	qsort(v, n, sizeof(*v), ascending);
	median = n % 2 ? v[n / 2] : (v[n / 2 - 1] + v[n / 2]) / 2;
	return median > 0 ? v[n - 1] / median : (double)NAN;
}

/* Mean wait, ms, of arrivals at random with exponential service at so many servers, so busy; of one who does not wait for
 * himself (mdm.h). */
static double queue_wait(const struct headcount_step *p, double rate, double servers)
{
	double busy = p->of[HEADCOUNT_BUSY] / 100, own = p->of[HEADCOUNT_OWN] / 100, keys = p->of[HEADCOUNT_KEYS];
	double others = fmax(fmin(busy * (1 - rate / keys), 1), 0);

	return busy < 1 ? pow(others, sqrt(2 * (servers + 1)) - 1) * 1000 * own / keys / (1 - busy) : (double)INFINITY;
}

void headcount_finish(const struct headcount_system *s, struct headcount_step *p, double rate)
{
	const struct headcount_step *one = headcount_find(s, 1, p->repeat);
	double *of = p->of, sum = 0, keys = of[HEADCOUNT_KEYS], more;

	for (size_t u = 0; u < p->n; u++)
		sum += p->means[u] / (double)p->n;
	of[HEADCOUNT_ALL_MEAN] = p->n ? sum : (double)NAN;
	of[HEADCOUNT_JAIN] = headcount_jain(p->means, p->n);
	of[HEADCOUNT_WORST] = headcount_worst(p->p95s, p->n);
	if (!isfinite(of[HEADCOUNT_OWN]))
		of[HEADCOUNT_OWN] = of[HEADCOUNT_BUSY] - of[HEADCOUNT_FOREIGN];
	if (!(keys > 0))
		return;
	of[HEADCOUNT_FAULTS] = 100 * of[HEADCOUNT_MAJOR] / keys;
	of[HEADCOUNT_DROPPED] = 100 * of[HEADCOUNT_DROPS] / keys;
	of[HEADCOUNT_WAIT] = 1000 * of[HEADCOUNT_WAITING] / keys;
	more = one && one->n ? of[HEADCOUNT_ALL_MEAN] - one->means[0] : (double)NAN;
	of[HEADCOUNT_MORE] = p->users > 1 ? more : (double)NAN;
	if (!(p->users > 1 && more >= MORE_LEAST))
		return;
	of[HEADCOUNT_WAIT_SHARE] = 100 * of[HEADCOUNT_WAIT] / more;
	of[HEADCOUNT_VIEWERS_SHARE] = 100 * 1000 * of[HEADCOUNT_CLIENT_WAITING] / keys / more;
	of[HEADCOUNT_MEMORY_SHARE] = 100 * of[HEADCOUNT_STALL] / keys / more;
	if (of[HEADCOUNT_WAIT_SHARE] >= SHARE_HALF)
		of[HEADCOUNT_OVER_QUEUE] = of[HEADCOUNT_WAIT] / queue_wait(p, rate, s->servers);
}
