// SPDX-License-Identifier: GPL-3.0-or-later
#include "rtt.h"
#include "clock.h"
#include "keys.h"
#include "md1.h"
#include "means.h"
#include "rows_in.h"
#include "whole.h"

#include <errno.h>
#include <math.h>

#define MS ((double)NS_PER_MS)
#define PING_BYTES 98		/* with the Ethernet header */

/* --- trains ---------------------------------------------------------------------------------------------------- */

static int ping_row(void *context, char *const *cell)
{
	struct rtt_train *t = context;
	int64_t ns;

	if (!rows_in_count(cell[1], &ns))
		return -EPROTO;
	t->sent++;
	if (ns == ROWS_IN_NONE)
		t->lost++;
	else
		sample_add(&t->own, ns);
	return 0;
}

int rtt_read_pings(FILE *in, void *train, unsigned long *line)
{
	static const char *const columns[] = { "number", "rtt_ns", NULL };

	return rows_in_read(in, "ping/1", columns, 2, ping_row, train, line);
}

int rtt_read_keys(FILE *in, void *train, unsigned long *line)
{
	struct rtt_train *t = train;
	struct keys keys = { 0 };
	int err = keys_read(in, &keys, line);

	for (size_t i = 0; !err && i < keys.n; i++) {
		int64_t ns;
		bool later;

		t->sent++;
		if (!key_latency(&keys.key[i], false, &ns, &later))
			t->lost++;
		else
			(later ? sample_add_censored : sample_add)(&t->own, ns);
	}
	keys_free(&keys);
	return err;
}

int rtt_pool_add(struct rtt_pool *p, struct rtt_train *t)
{
	double sd = sample_sd(&t->own).value / MS;

	p->of[RTT_MEAN][p->repeats] = sample_mean(&t->own).value / MS;
	p->of[RTT_SD][p->repeats] = sd;
	p->of[RTT_VARIANCE][p->repeats] = sd * sd;
	p->sent += t->sent;
	p->lost += t->lost;
	/* the censored ones are the highest order statistics of neither sample alone: value by value */
	for (size_t i = 0; i < t->own.n; i++)
		sample_add(&p->all, t->own.value[i]);
	if (t->own.censored) {
		p->all.censored_min = p->all.censored && p->all.censored_min < t->own.censored_min ? p->all.censored_min : t->own.censored_min;
		p->all.censored += t->own.censored;
	}
	p->repeats++;
	return t->own.lost || p->all.lost ? -ENOMEM : 0;
}

/* --- the table ------------------------------------------------------------------------------------------------- */

#define SPREAD(name) name, name "_low", name "_high"
const char *const rtt_columns[] = {
	"cell", "link", "queue", "transport", "load", "probe", "state", "repeats", "failed", "marked", "link_bit_s", "queue_bytes", "bucket_bytes",
	SPREAD("load_percent"), "sent_percent", "received_payload_mbit_s", "load_lost_percent", "load_behind_ms_max",
	"n", "lost", "lost_percent", "later", SPREAD("mean_ms"), SPREAD("sd_ms"), SPREAD("variance_ms2"),
	"min_ms", "p50_ms", "p90_ms", "p99_ms", "max_ms", "md1_wait_ms", "md1_variance_ms2", "queue_ms",
	"server_busy_percent_max", "client_busy_percent_max", "foreign_percent_max", "steal_percent_max", NULL,
};

static struct means figure(struct rtt_pool *p, enum rtt_figure f, double *room)
{
	struct means m = { room, 0 };

	for (size_t i = 0; i < p->repeats; i++)
		means_add(&m, p->of[f][i]);
	return m;
}

static void write_spread(struct rows *t, struct rtt_pool *p, enum rtt_figure f, int decimals, int64_t seed)
{
	double room[RTT_REPEATS_MAX];
	struct means m = figure(p, f, room);

	means_write(t, &m, 0, decimals, seed);
}

static void write_mean(struct rows *t, struct rtt_pool *p, enum rtt_figure f, int decimals)
{
	double room[RTT_REPEATS_MAX];
	struct means m = figure(p, f, room);

	whole_number(t, means_of(&m), decimals);
}

static void write_most(struct rows *t, struct rtt_pool *p, enum rtt_figure f, int decimals)
{
	double most = NAN;

	for (size_t i = 0; i < p->repeats; i++)
		most = fmax(most, p->of[f][i]);
	whole_number(t, most, decimals);
}

/* A tail with fewer than ten values beyond it tells of no quantile, and keys that were not answered by then only of the least it can be. */
static void write_quantile(struct rows *t, struct sample *s, double q)
{
	struct sample_stat stat = sample_quantile(s, q);

	whole_number(t, s->n && sample_supports(s, q) && !stat.above ? stat.value / MS : (double)NAN, 4);
}

static void write_probe(struct rows *t, struct rtt_pool *p, int64_t seed)
{
	rows_int(t, (int64_t)p->sent);
	rows_int(t, (int64_t)p->lost);
	whole_number(t, p->sent ? 100.0 * (double)p->lost / (double)p->sent : (double)NAN, 3);
	rows_int(t, (int64_t)p->all.censored);
	write_spread(t, p, RTT_MEAN, 4, seed);
	write_spread(t, p, RTT_SD, 4, seed);
	write_spread(t, p, RTT_VARIANCE, 5, seed);
	whole_number(t, sample_min(&p->all).value / MS, 4);
	write_quantile(t, &p->all, 0.5);
	write_quantile(t, &p->all, 0.9);
	write_quantile(t, &p->all, 0.99);
	whole_number(t, sample_max(&p->all).value / MS, 4);
}

/* The work that the token bucket lets a ping pass by, in frames. */
static double credit(const struct rtt_pool *p)
{
	return p->bucket_bytes > PING_BYTES ? (p->bucket_bytes - PING_BYTES) * 8 / RTT_FRAME_BITS : 0;
}

const char *const rtt_curve_columns[] = { "link", "load_percent", "wait_ms", "variance_ms2", NULL };

void rtt_write_curve(struct rows *t, const char *link, const struct rtt_pool *p)
{
	double frame_ms = RTT_FRAME_BITS / p->link_bit_s * 1000;

	for (int load = 0; load <= 995; load += load < 900 ? 10 : load < 980 ? 5 : 1) {
		struct md1 w = md1_wait(load / 1000.0, credit(p));

		rows_str(t, link);
		whole_number(t, load / 10.0, 1);
		whole_number(t, w.mean * frame_ms, 5);
		whole_number(t, w.variance * frame_ms * frame_ms, 6);
		rows_end(t);
	}
}

void rtt_write_cell(struct rows *t, const struct rtt_cell *c, struct rtt_pool *p, int64_t seed)
{
	double room[RTT_REPEATS_MAX], frame_ms = p->link_bit_s > 0 ? RTT_FRAME_BITS / p->link_bit_s * 1000 : (double)NAN;
	struct means m = figure(p, RTT_RECEIVED, room);
	struct md1 wait;

	wait = md1_wait(means_of(&m) / 100, credit(p));
	rows_str(t, c->cell);
	rows_str(t, c->link);
	rows_str(t, c->queue);
	rows_str(t, c->transport);
	rows_int(t, c->load);
	rows_str(t, c->probe);
	rows_str(t, p->repeats ? "measured" : p->tried ? "failed" : "not measured");
	rows_int(t, (int64_t)p->repeats);
	rows_int(t, (int64_t)p->failed);
	rows_int(t, (int64_t)p->marked);
	whole_number(t, p->link_bit_s, 0);
	whole_number(t, p->queue_bytes, 0);
	whole_number(t, p->bucket_bytes, 0);
	write_spread(t, p, RTT_RECEIVED, 4, seed);
	write_mean(t, p, RTT_LOAD, 4);
	write_mean(t, p, RTT_PAYLOAD, 4);
	write_mean(t, p, RTT_LOAD_LOST, 4);
	write_most(t, p, RTT_BEHIND, 3);
	write_probe(t, p, seed);
	whole_number(t, wait.mean * frame_ms, 4);
	whole_number(t, wait.variance * frame_ms * frame_ms, 5);
	whole_number(t, p->queue_bytes * 8000 / p->link_bit_s, 3);
	write_most(t, p, RTT_SERVER_BUSY, 1);
	write_most(t, p, RTT_CLIENT_BUSY, 1);
	write_most(t, p, RTT_FOREIGN, 2);
	write_most(t, p, RTT_STEAL, 2);
	rows_end(t);
}
