// SPDX-License-Identifier: GPL-3.0-or-later
/* netload_extract - load on a link, from netload.json (none: no load) and cell.json's link_bit_s,
 * queue_bytes, bucket_bytes; and what a queue with frames of one length that come at random would
 * do (md1.h).
 *
 * Numbers of a repeat: sent_percent, received_percent (of the link, in bits of frames), queue_ms
 * (the queue's length in time). Figures: md1_wait_ms, md1_variance_ms2, at the mean of
 * received_percent. Rows: link, load_percent, wait_ms, variance_ms2: the queue at all loads, for
 * each value of the parameter `link` of which there is a repeat. */
#include "engine.h"
#include "md1.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define NETLOAD_FRAME_BITS (1514 * 8)
#define NETLOAD_PING_BYTES 98		/* with the Ethernet header */

struct netload {
	const struct run *run;
	double sent, received, queue_ms;	/* of the repeat at hand */
	struct netload_cell {
		double sum, n;			/* of received, over repeats */
		double frame_ms;		/* one frame on the link */
		double credit;			/* the work that the token bucket lets a ping pass by, in frames */
	} cell[];
};

static void *netload_open(const struct run *run, struct why *why)
{
	return run_state(run, sizeof(struct netload), sizeof(struct netload_cell), why);
}

static int netload_read(void *state, const struct cell *c, const struct repeat *r, struct why *why)
{
	struct netload *s = state;
	struct netload_cell *cell = &s->cell[c->index];
	double link = inputs_number(r->json, "link_bit_s"), bucket = 0;
	const struct json *j;
	int err = repeat_json(r, "netload.json", &j, why);

	if (err)
		return err;
	json_get_real(r->json, "bucket_bytes", &bucket);
	if (!(link > 0))
		return why_set(why, -EPROTO, "%s: cell.json does not tell the rate of the link", r->folder);
	s->sent = s->received = j ? (double)NAN : 0;
	if (j && json_get_real(j, "result.sent_mbit_s", &s->sent))
		s->sent *= 100 / (link / 1e6);
	if (j && json_get_real(j, "result.received_mbit_s", &s->received))
		s->received *= 100 / (link / 1e6);
	if (isnan(s->sent))
		return why_set(why, -EPROTO, "%s: netload.json does not tell what was sent", r->folder);
	s->queue_ms = inputs_number(r->json, "queue_bytes") * 8000 / link;
	cell->frame_ms = NETLOAD_FRAME_BITS / link * 1000;
	cell->credit = bucket > NETLOAD_PING_BYTES ? (bucket - NETLOAD_PING_BYTES) * 8 / NETLOAD_FRAME_BITS : 0;
	cell->sum += isfinite(s->received) ? s->received : 0;
	cell->n += isfinite(s->received) ? 1 : 0;
	return 0;
}

static int netload_number(void *state, const struct cell *c, const struct repeat *r, const char *path, double *out)
{
	const struct netload *s = state;

	(void)c;
	(void)r;
	if (strcmp(path, "sent_percent") && strcmp(path, "received_percent") && strcmp(path, "queue_ms"))
		return -ENOENT;
	*out = *path == 's' ? s->sent : *path == 'r' ? s->received : s->queue_ms;
	return 0;
}

static int netload_figure(void *state, const struct cell *c, const char *path, struct figure *out)
{
	const struct netload_cell *cell = &((struct netload *)state)->cell[c->index];
	struct md1 w = md1_wait(cell->sum / cell->n / 100, cell->credit);

	if (!strcmp(path, "md1_wait_ms"))
		out->value = w.mean * cell->frame_ms;
	else if (!strcmp(path, "md1_variance_ms2"))
		out->value = w.variance * cell->frame_ms * cell->frame_ms;
	else
		return -ENOENT;
	return 0;
}

static void netload_curve(const struct netload_cell *c, const char *link, struct table_out *out)
{
	for (int load = 0; load <= 995; load += load < 900 ? 10 : load < 980 ? 5 : 1) {
		struct md1 w = md1_wait(load / 1000.0, c->credit);

		row_text(out, "link", link);
		row_number(out, "load_percent", load / 10.0);
		row_number(out, "wait_ms", w.mean * c->frame_ms);
		row_number(out, "variance_ms2", w.variance * c->frame_ms * c->frame_ms);
		row_end(out);
	}
}

static int netload_rows(void *state, const char *table, struct table_out *out, struct why *why)
{
	const struct netload *s = state;

	(void)table;
	for (size_t i = 0; i < s->run->n; i++) {
		const char *link = cell_text(&s->run->cell[i], "link"), *other;
		bool first = s->run->cell[i].n > 0;

		if (!link)
			return why_set(why, -EPROTO, "%s/run.json: cell %s has no link", s->run->folder, s->run->cell[i].name);
		for (size_t k = 0; first && k < i; k++) {
			other = cell_text(&s->run->cell[k], "link");
			first = !s->run->cell[k].n || strcmp(other, link) != 0;
		}
		if (first)
			netload_curve(&s->cell[i], link, out);
	}
	return 0;
}

const struct extractor netload_extractor = {
	.name = "netload", .open = netload_open, .read = netload_read, .number = netload_number,
	.figure = netload_figure, .rows = netload_rows, .close = free,
};
