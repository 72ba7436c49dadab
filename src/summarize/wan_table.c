// SPDX-License-Identifier: GPL-3.0-or-later
#include "wan.h"
#include "clock.h"
#include "interval.h"
#include "whole.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#define MS ((double)NS_PER_MS)

int wan_cell_add(struct wan_cell *c, const struct keys *keys, double ping_ms, double threshold_ms)
{
	struct sample s = { 0 };
	int64_t update = KEY_NONE;
	int err = 0;

	for (size_t i = 0; i < keys->n; i++) {
		const struct key *k = &keys->key[i];
		int64_t ns, high;
		bool later;

		if (!key_latency(k, false, &ns, &later))
			continue;
		(later ? sample_add_censored : sample_add)(&s, ns);
		(later ? sample_add_censored : sample_add)(&c->all, ns);
		if (key_latency(k, true, &high, &later))
			(later ? sample_add_censored : sample_add)(&c->high, high);
		c->late += (double)ns > threshold_ms * MS;
		c->answered += k->answer != KEY_NONE;
		c->updates += k->answer != KEY_NONE && k->answer != update;
		update = k->answer != KEY_NONE ? k->answer : update;
		c->ranged += k->answer != KEY_NONE && k->answer_high != k->answer;
	}
	if (s.lost || c->all.lost || c->high.lost)
		err = -ENOMEM;
	if (!err && c->repeats < WAN_REPEATS_MAX) {
		struct sample_stat median = sample_quantile(&s, 0.5);

		/* a median among keys without an echo is no point of anything */
		c->p50_ms[c->repeats] = median.above ? (double)NAN : median.value / MS;
		c->ping_ms[c->repeats++] = ping_ms;
	}
	sample_free(&s);
	return err;
}

void wan_cell_clear(struct wan_cell *c)
{
	sample_free(&c->all);
	sample_free(&c->high);
	c->repeats = c->failed = c->marked = c->tried = c->ranged = c->late = c->answered = c->updates = 0;
	c->packets = c->lost = NAN;
}

int wan_line_add(struct wan_line *l, const struct wan_cell *c)
{
	for (size_t i = 0; i < c->repeats; i++) {
		if (!isfinite(c->p50_ms[i]))
			continue;
		if (l->n == l->room) {
			size_t room = l->room ? 2 * l->room : 64;
			double *x = reallocarray(l->x, room, sizeof(*x)), *y;

			if (!x)
				return -ENOMEM;
			l->x = x;
			y = reallocarray(l->y, room, sizeof(*y));
			if (!y)
				return -ENOMEM;
			l->y = y;
			l->room = room;
		}
		l->x[l->n] = isfinite(c->ping_ms[i]) ? c->ping_ms[i] : c->rtt_ms;
		l->y[l->n++] = c->p50_ms[i];
	}
	return 0;
}

const char *const wan_summary_columns[] = {
	"protocol", "app", "rtt_ms", "loss_percent", "keys_per_s", "state", "repeats", "failed", "marked", "ping_ms", "keys", "ranged", "unanswered", "p50_ms", "p50_ms_low", "p50_ms_high", "p50_late_end_ms",
	"p90_ms", "p99_ms", "max_ms", "max_above", "late_percent", "updates_per_key", "packets", "lost", "lost_percent", "lost_percent_low", "lost_percent_high", NULL,
};

/* A percentile of the tail that too few values lie beyond, or that is only known from below, is none. */
static void write_tail(struct rows *t, struct sample *s, double p)
{
	struct sample_stat stat = sample_quantile(s, p);

	whole_number(t, s->n && sample_supports(s, p) && !stat.above ? stat.value / MS : (double)NAN, 3);
}

static void write_lost(struct rows *t, const struct wan_cell *c)
{
	struct interval i = { NAN, NAN };

	if (c->packets > 0)
		interval_share((size_t)c->lost, (size_t)c->packets, &i);
	whole_number(t, c->packets, 0);
	whole_number(t, c->lost, 0);
	whole_number(t, 100 * c->lost / c->packets, 3);
	whole_number(t, 100 * i.low, 3);
	whole_number(t, 100 * i.high, 3);
}

void wan_write_cell(struct rows *t, struct wan_cell *c, int64_t seed)
{
	double ping[WAN_REPEATS_MAX], p50[WAN_REPEATS_MAX];
	struct means pings = { ping, 0 }, medians = { p50, 0 };
	struct sample_stat most = sample_max(&c->all);

	for (size_t i = 0; i < c->repeats; i++) {
		means_add(&pings, c->ping_ms[i]);
		means_add(&medians, c->p50_ms[i]);
	}
	rows_str(t, c->protocol);
	rows_str(t, c->app);
	whole_number(t, c->rtt_ms, 3);
	whole_number(t, c->loss_percent, 3);
	whole_number(t, c->keys_per_s, 1);
	rows_str(t, c->repeats ? "measured" : c->tried ? "failed" : "not measured");
	rows_int(t, (int64_t)c->repeats);
	rows_int(t, (int64_t)c->failed);
	rows_int(t, (int64_t)c->marked);
	whole_number(t, means_of(&pings), 3);
	rows_int(t, (int64_t)c->all.n);
	rows_int(t, (int64_t)c->ranged);
	rows_int(t, (int64_t)c->all.censored);
	means_write(t, &medians, 0, 3, seed);
	write_tail(t, &c->high, 0.5);
	write_tail(t, &c->all, 0.9);
	write_tail(t, &c->all, 0.99);
	whole_number(t, most.value / MS, 3);
	rows_int(t, most.above);
	whole_number(t, c->all.n ? 100.0 * (double)c->late / (double)c->all.n : (double)NAN, 2);
	whole_number(t, c->answered ? (double)c->updates / (double)c->answered : (double)NAN, 3);
	write_lost(t, c);
	rows_end(t);
}

const char *const wan_slope_columns[] = { "protocol", "points", "slope", "slope_low", "slope_high", "start_ms", "spread_ms", NULL };

void wan_write_slope(struct rows *t, const char *protocol, const struct wan_line *l)
{
	struct interval i = { NAN, NAN };
	double start = NAN, slope = l->n ? means_slope(l->x, l->y, l->n, &start) : (double)NAN, squares = 0;

	interval_slope(l->x, l->y, l->n, &i);
	for (size_t k = 0; k < l->n; k++)
		squares += pow(l->y[k] - start - slope * l->x[k], 2);
	rows_str(t, protocol);
	rows_int(t, (int64_t)l->n);
	whole_number(t, slope, 4);
	whole_number(t, i.low, 4);
	whole_number(t, i.high, 4);
	whole_number(t, start, 3);
	whole_number(t, l->n > 2 ? sqrt(squares / (double)(l->n - 2)) : (double)NAN, 3);
	rows_end(t);
}
