// SPDX-License-Identifier: GPL-3.0-or-later
/* slope_extract - rows: for each protocol, how the median latency of single keys grows with the round trip time measured by ping,
 * on links without loss: a least-squares line through a point for each repeat of each cell, with Student's t interval of the slope.
 * Parameters: protocol, rtt_ms, loss_percent, keys_per_s (0: single keys); cell.json: parameters.ping_ms (if missing: rtt_ms). */
#include "engine.h"
#include "keys.h"
#include "clock.h"
#include "interval.h"

struct slope_point {
	double rtt_ms, median_ms;	/* NAN: the repeat is no point of the line */
};

static void slope_read_repeat(const struct repeat *r)
{
	struct slope_point *p = repeat_data(r);
	struct train_keys train;

	p->median_ms = NAN;
	if (cell_number(r->cell, "loss_percent") > 0 || cell_number(r->cell, "keys_per_s") > 0)
		return;
	train = keys_train(r);
	p->rtt_ms = cell_number(r->cell, "rtt_ms");
	json_get_real(r->json, "parameters.ping_ms", &p->rtt_ms);
	p->median_ms = keys_median(&train) / NS_PER_MS;
	keys_free(&train.keys);
}

static void slope_write_row(const struct cell *first, struct table_out *out)
{
	const struct run *run = first->run;
	size_t room = run->n * (size_t)run->repeats, n = 0;
	double *x, *y, start = NAN, slope, squares = 0;
	struct interval i = { NAN, NAN };

	if (!cell_is_first(first, "protocol"))
		return;
	x = memory_new(2 * room, sizeof(*x));
	y = x + room;
	for (const struct cell *c = first; c < run->cell + run->n; c++) {
		const struct slope_point *p = repeat_data(c->repeat);

		for (size_t r = 0; r < c->n && !strcmp(cell_require_text(c, "protocol"), cell_require_text(first, "protocol")); r++)
			if (isfinite(p[r].median_ms)) {
				x[n] = p[r].rtt_ms;
				y[n++] = p[r].median_ms;
			}
	}
	slope = n ? interval_line_slope(x, y, n, &start) : (double)NAN;
	interval_slope(x, y, n, &i);
	for (size_t k = 0; k < n; k++)
		squares += pow(y[k] - start - slope * x[k], 2);
	row_text(out, "protocol", cell_require_text(first, "protocol"));
	row_number(out, "points", (double)n);
	row_figure(out, "slope", (struct figure){ slope, i.low, i.high, false, 0 });
	row_finish(out, { "start_ms", start }, { "spread_ms", n > 2 ? sqrt(squares / (double)(n - 2)) : (double)NAN });
	free(x);
}

const struct extractor slope_extractor = {
	.name = "slope", .repeat_size = sizeof(struct slope_point), .read_repeat = slope_read_repeat,
	.tables = { { NULL, slope_write_row } },
};
