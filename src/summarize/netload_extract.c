// SPDX-License-Identifier: GPL-3.0-or-later
/* netload_extract - load on a link, from netload.json (if missing: no load) and link_bit_s, queue_bytes, bucket_bytes of cell.json;
 * and what theory says of frames of one length: those that come at random (M/D/1), and those at even distances, of which none
 * waits for another, so that a ping waits only for the frame that is being sent.
 *
 * Numbers of a repeat: sent_percent, received_percent (of the link's rate, in bits of frames), queue_ms (the queue's length as a
 * time). Figures: frame_ms; md1_wait_ms, md1_variance_ms2, even_wait_ms, even_variance_ms2, at the mean of received_percent. Rows:
 * link, load_percent, wait_ms, variance_ms2, even_wait_ms, even_variance_ms2: both at all loads, for each value of the parameter
 * `link` that has a repeat. */
#include "engine.h"

#define NETLOAD_FRAME_BITS (1514 * 8)
#define NETLOAD_PING_BYTES 98 /* bytes of a ping with its Ethernet header */

#define MD1_STEPS 2000
#define MD1_CREDIT_MOST 12

struct wait_moments {
	double mean, variance;
};

/* Returns the probability that at most the work x is queued ahead (M/D/1; load: utilization). */
static double compute_work_share(double load, double x)
{
	double sum = 0;

	/* terms alternate in sign; with x up to MD1_CREDIT_MOST at most ten of sixteen digits are lost */
	for (int k = 0; k <= (int)x; k++) {
		double term = exp(load * (x - k));

		for (int i = 1; i <= k; i++)
			term *= load * (k - x) / i;
		sum += term;
	}
	return (1 - load) * sum;
}

/* Mean and variance of the work ahead of an arrival in an M/D/1 queue, the rest of the frame being sent included, that exceeds
 * `credit` (the work that a token bucket lets through at once), in units of the time that one frame takes on the link. Credit 0:
 * Pollaczek and Khinchine; above 0 from the distribution (Crommelin 1932; Erlang 1909). NAN: `load` of 1 or more, or a credit
 * above MD1_CREDIT_MOST. */
static struct wait_moments compute_md1_moments(double load, double credit)
{
	struct wait_moments all = { NAN, NAN };
	double mean, square, h = credit / MD1_STEPS;

	if (!(load >= 0 && load < 1 && credit >= 0 && credit <= MD1_CREDIT_MOST))
		return all;
	mean = load / (2 * (1 - load));
	square = 2 * mean * mean + load / (3 * (1 - load));
	/* mean and mean square of max(0, V - c) by subtracting the part of P(V > x) below c (midpoint rule: the kinks are at whole
	 * numbers) */
	square -= 2 * credit * mean;
	for (int i = 0; i < MD1_STEPS; i++) {
		double x = (i + 0.5) * h, longer = 1 - compute_work_share(load, x);

		mean -= longer * h;
		square += 2 * (credit - x) * longer * h;
	}
	all.mean = fmax(0, mean);
	all.variance = fmax(0, square - all.mean * all.mean);
	return all;
}

/* The same beside frames at even distances, for an arrival at a random time: of the time a share `load` is that of a frame being
 * sent, whose rest is uniform between 0 and 1. */
static struct wait_moments compute_even_moments(double load, double credit)
{
	double over = fmax(0, 1 - credit), mean = load * over * over / 2;

	if (!(load >= 0 && load < 1))
		return (struct wait_moments){ NAN, NAN };
	return (struct wait_moments){ mean, load * over * over * over / 3 - mean * mean };
}

struct link_load {
	double sum, n;	 /* sum over repeats of received_percent, and their number */
	double frame_ms; /* time that one frame takes on the link */
	double credit;	 /* queued work that the token bucket lets a ping overtake, in frames */
};

static void read_repeat(const struct experiment_repeat *r)
{
	struct link_load *cell = extractor_cell_data(r->cell);
	double link = json_number(r->json, "link_bit_s"), bucket = json_number(r->json, "bucket_bytes");
	const struct json_document *j = repeat_get_json(r, "netload.json");
	double sent = j ? json_number(j, "result.sent_mbit_s") : 0, received = j ? json_number(j, "result.received_mbit_s") : 0;

	if (!(link > 0))
		die(EXIT_RUN, "%s/cell.json: no link_bit_s, the rate of the link", r->folder);
	if (isnan(sent))
		die(EXIT_RUN, "%s/netload.json: no result.sent_mbit_s", r->folder);
	received *= 100 / (link / 1e6);
	give_values({ "sent_percent", sent * (100 / (link / 1e6)) }, { "received_percent", received },
		    { "queue_ms", json_number(r->json, "queue_bytes") * 8000 / link });
	cell->frame_ms = NETLOAD_FRAME_BITS / link * 1000;
	cell->credit = bucket > NETLOAD_PING_BYTES ? (bucket - NETLOAD_PING_BYTES) * 8 / NETLOAD_FRAME_BITS : 0;
	cell->sum += isfinite(received) ? received : 0;
	cell->n += isfinite(received) ? 1 : 0;
}

static void compute_netload_figures(const struct experiment_cell *c)
{
	const struct link_load *cell = extractor_cell_data(c);
	double load = cell->sum / cell->n / 100, frame = cell->frame_ms;
	struct wait_moments w = compute_md1_moments(load, cell->credit), even = compute_even_moments(load, cell->credit);

	give_values({ "frame_ms", frame }, { "md1_wait_ms", w.mean * frame }, { "md1_variance_ms2", w.variance * frame * frame },
		    { "even_wait_ms", even.mean * frame }, { "even_variance_ms2", even.variance * frame * frame });
}

static void write_curve(const struct experiment_cell *c, struct table_out *out)
{
	const struct link_load *cell = extractor_cell_data(c);
	const char *link = cell_require_text(c, "link");
	double frame = cell->frame_ms;

	for (const struct experiment_cell *k = c->run->cell; k < c; k++)
		if (k->n && !strcmp(cell_require_text(k, "link"), link))
			return;
	for (int load = 0; c->n && load <= 995; load += load < 900 ? 10 : load < 980 ? 5 : 1) {
		struct wait_moments w = compute_md1_moments(load / 1000.0, cell->credit);
		struct wait_moments even = compute_even_moments(load / 1000.0, cell->credit);

		row_set_text(out, "link", link);
		row_finish(out, { "load_percent", load / 10.0 }, { "wait_ms", w.mean * frame },
			   { "variance_ms2", w.variance * frame * frame }, { "even_wait_ms", even.mean * frame },
			   { "even_variance_ms2", even.variance * frame * frame });
	}
}

const struct extractor_hooks netload_extractor = {
	.name = "netload",
	.cell_size = sizeof(struct link_load),
	.read_repeat = read_repeat,
	.finish_cell = compute_netload_figures,
	.tables = { { NULL, write_curve } },
};
