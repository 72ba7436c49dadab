// SPDX-License-Identifier: GPL-3.0-or-later
#include "rtt.h"
#include "json_in.h"
#include "whole.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define CELLS_MAX 10000

struct reader {
	const char *folder;
	char *why;
	size_t size;
	struct inputs_counts *done;
	struct rtt_pool *pool;		/* of the cell that is read: too large for a stack */
	int64_t repeats, seed;
};

static int complain(struct reader *r, const char *file, int err, const char *what)
{
	snprintf(r->why, r->size, "%s: %s", file, what);
	return err;
}

/* What the load was. Without one there is no report of it, and it was none. */
static int read_load(struct reader *r, const char *folder, size_t at)
{
	struct rtt_pool *p = r->pool;
	double link = p->link_bit_s / 1e6;
	struct json *j;

	for (int f = RTT_LOAD; f <= RTT_BEHIND; f++)
		p->of[f][at] = f == RTT_LOAD || f == RTT_RECEIVED ? 0.0 : (double)NAN;
	if (!inputs_there(folder, "netload.json"))
		return 0;
	j = inputs_json(folder, "netload.json", r->why, r->size);
	if (!j)
		return -EPROTO;
	p->of[RTT_LOAD][at] = 100 * inputs_number(j, "result", "sent_mbit_s") / link;
	p->of[RTT_RECEIVED][at] = 100 * inputs_number(j, "result", "received_mbit_s") / link;
	p->of[RTT_PAYLOAD][at] = inputs_number(j, "result", "received_payload_mbit_s");
	p->of[RTT_LOAD_LOST][at] = inputs_number(j, "result", "lost_percent");
	p->of[RTT_BEHIND][at] = inputs_number(j, "result", "behind_ms");
	json_free(j);
	return isnan(p->of[RTT_LOAD][at]) ? complain(r, folder, -EPROTO, "netload.json does not tell what was sent") : 0;
}

static void read_circumstances(struct rtt_pool *p, const struct json *j, size_t at)
{
	static const struct {
		enum rtt_figure into;
		const char *key;
	} keys[] = { { RTT_SERVER_BUSY, "server_busy_percent" }, { RTT_CLIENT_BUSY, "client_busy_percent" }, { RTT_FOREIGN, "foreign_percent" }, { RTT_STEAL, "steal_percent" } };

	for (size_t k = 0; k < sizeof(keys) / sizeof(*keys); k++) {
		p->of[keys[k].into][at] = NAN;
		json_get_real(j, keys[k].key, &p->of[keys[k].into][at]);
	}
	json_get_real(j, "link_bit_s", &p->link_bit_s);
	json_get_real(j, "queue_bytes", &p->queue_bytes);
	json_get_real(j, "bucket_bytes", &p->bucket_bytes);
}

static int read_train(struct reader *r, const char *folder, const struct rtt_cell *c)
{
	struct rtt_train train = { .sent = 0 };
	int err = inputs_rows(folder, "samples.tsv", true, strcmp(c->probe, "ping") ? rtt_read_keys : rtt_read_pings, &train, r->why, r->size);

	if (!err && rtt_pool_add(r->pool, &train))
		err = complain(r, folder, -ENOMEM, "out of memory");
	sample_free(&train.own);
	return err;
}

static int read_repeat(struct reader *r, const struct rtt_cell *c, int64_t repeat)
{
	struct rtt_pool *p = r->pool;
	struct inputs_cell cell;
	char folder[4200];
	int err;

	snprintf(folder, sizeof(folder), "%s/cells/%s/%lld", r->folder, c->cell, (long long)repeat);
	err = inputs_cell(folder, &cell, r->why, r->size);
	if (err)
		return err;
	p->tried += cell.json != NULL;
	if (cell.complete)
		read_circumstances(p, cell.json, p->repeats);
	json_free(cell.json);
	if (!cell.complete) {
		p->failed++;
		r->done->failed++;
		return 0;
	}
	if (!(p->link_bit_s > 0))
		return complain(r, folder, -EPROTO, "cell.json does not tell the rate of the link");
	err = read_load(r, folder, p->repeats);
	err = err ? err : read_train(r, folder, c);
	p->marked += !err && cell.marked;
	r->done->complete += !err;
	r->done->marked += !err && cell.marked;
	return err;
}

static int read_cells(struct reader *r, const struct json *j, struct rows *t, struct rows *curve)
{
	char drawn[sizeof(((struct rtt_cell *)0)->link)] = "";
	int err = 0;

	for (int i = 0; !err && i < CELLS_MAX; i++) {
		struct rtt_cell c;
		char of[32], load[64];

		snprintf(of, sizeof(of), "settings.cells.%d", i);
		if (!inputs_word(j, of, "cell", c.cell, sizeof(c.cell)))
			break;
		snprintf(load, sizeof(load), "%s.load", of);
		if (!inputs_is_name(c.cell) || !inputs_word(j, of, "link", c.link, sizeof(c.link)) || !inputs_word(j, of, "queue", c.queue, sizeof(c.queue)) ||
		    !inputs_word(j, of, "transport", c.transport, sizeof(c.transport)) || !inputs_word(j, of, "probe", c.probe, sizeof(c.probe)) || !json_get_int(j, load, &c.load))
			return complain(r, r->folder, -EPROTO, "run.json: settings.cells cannot be read");
		sample_free(&r->pool->all);
		*r->pool = (struct rtt_pool){ 0 };
		for (int64_t repeat = 1; !err && repeat <= r->repeats; repeat++)
			err = read_repeat(r, &c, repeat);
		if (!err) {
			rtt_write_cell(t, &c, r->pool, r->seed);
			r->done->rows++;
		}
		if (!err && r->pool->repeats && strcmp(drawn, c.link) != 0) {	/* cells of one link stand together */
			rtt_write_curve(curve, c.link, r->pool);
			memcpy(drawn, c.link, sizeof(drawn));
		}
	}
	return err;
}

static int write_tables(struct reader *r, const struct json *j)
{
	struct whole summary, curve;
	const struct whole_table tables[] = { { &summary, "summary.tsv", "rtt/1", rtt_columns }, { &curve, "curve.tsv", "rtt-curve/1", rtt_curve_columns } };
	int err = whole_open_all(tables, 2, r->folder, r->why, r->size);

	return err ? err : whole_close_all(tables, 2, read_cells(r, j, summary.rows, curve.rows), r->why, r->size);
}

int rtt_summarize(const char *folder, struct inputs_counts *out, char *why, size_t size)
{
	struct reader r = { .folder = folder, .why = why, .size = size, .done = out, .repeats = 1, .seed = 1 };
	struct json *j;
	int err;

	*out = (struct inputs_counts){ 0 };
	j = inputs_run(folder, &r.repeats, &r.seed, why, size);
	if (!j)
		return -EPROTO;
	r.pool = calloc(1, sizeof(*r.pool));
	err = r.pool ? write_tables(&r, j) : complain(&r, folder, -ENOMEM, "out of memory");
	if (r.pool)
		sample_free(&r.pool->all);
	free(r.pool);
	json_free(j);
	return err;
}
