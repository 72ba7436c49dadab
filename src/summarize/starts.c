// SPDX-License-Identifier: GPL-3.0-or-later
#include "starts.h"
#include "clock.h"
#include "inputs.h"
#include "whole.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CELLS_MAX 4000

struct reader {
	const char *folder;
	char *why;
	size_t size;
	struct inputs_counts *done;
	int64_t repeats, seed;
	double ceiling_ms;
	struct whole summary, events, runs;
};

static int complain(struct reader *r, const char *file, int err, const char *what)
{
	snprintf(r->why, r->size, "%s: %s", file, what);
	return err;
}

/* What follows the start, by name; a step on the way to an event ("-...") is none. */
static int read_events(struct reader *r, const struct json *j, const char *run, struct starts_pool *p)
{
	for (int i = 0;; i++) {
		const char *name, *state;
		struct starts_event *e;
		char prefix[96];
		double ms;

		snprintf(prefix, sizeof(prefix), "%s.events.%d", run, i);
		name = inputs_text(j, prefix, "name");
		if (!name)
			return 0;
		if (name[0] == '-')
			continue;
		e = starts_event_find(p, name);
		if (!e)
			return complain(r, r->folder, -EPROTO, "startup.json: too many events, or too long a name");
		state = inputs_text(j, prefix, "state");
		ms = inputs_number(j, prefix, "stable_ms");
		if (isfinite(ms))
			sample_add(&e->stable, llround(ms * (double)NS_PER_MS));
		else if (state && !strcmp(state, "ceiling"))
			sample_add_censored(&e->stable, llround(r->ceiling_ms * (double)NS_PER_MS));
		else if (state && !strcmp(state, "no_change"))
			e->unchanged++;
		ms = inputs_number(j, prefix, "first_change_ms");
		if (isfinite(ms))
			sample_add(&e->first, llround(ms * (double)NS_PER_MS));
	}
}

/* 1: read; 0: there is no such run; 2: it broke; or -errno. */
static int read_run(struct reader *r, const struct json *j, int64_t number, struct starts_run *run, struct starts_pool *p)
{
	static const char *const keys[STARTS_FIGURES] = {
		[STARTS_MAPPED] = "mapped_ms", [STARTS_PAINT] = "first_paint_ms", [STARTS_IO] = "t_io_ms", [STARTS_BLKIO] = "blkio_delay_ms",
		[STARTS_SWAPIN] = "swapin_delay_ms", [STARTS_THRASHING] = "thrashing_delay_ms", [STARTS_FREEPAGES] = "freepages_delay_ms",
		[STARTS_IN] = "swap_in_bytes", [STARTS_OUT] = "swap_out_bytes", [STARTS_MAJOR] = "major_faults", [STARTS_MINOR] = "minor_faults",
		[STARTS_READS] = "read_requests", [STARTS_DISCARDED] = "delays_discarded",
	};
	char prefix[64];
	const char *state;

	snprintf(prefix, sizeof(prefix), "result.runs.%lld", (long long)number);
	state = inputs_text(j, prefix, "state");
	if (!state)
		return 0;
	run->above = !strcmp(state, "ceiling");
	if (!run->above && strcmp(state, "stable") != 0)
		return 2;
	run->stable_ms = run->above ? r->ceiling_ms : inputs_number(j, prefix, "stable_ms");
	for (int f = 0; f < STARTS_FIGURES; f++)
		run->of[f] = inputs_number(j, prefix, keys[f]);
	return read_events(r, j, prefix, p) ? -EPROTO : 1;
}

static int read_starts(struct reader *r, const char *folder, const struct starts_cell *c, int64_t repeat, struct starts_pool *p)
{
	struct json *j = inputs_json(folder, "startup.json", r->why, r->size);
	int more = 1, err = 0;

	if (!j)
		return -EPROTO;
	for (int64_t n = 0; more > 0; n++) {
		struct starts_run run;

		more = read_run(r, j, n, &run, p);
		p->broken += more == 2;
		if (more == 1 && !starts_pool_add(p, &run))
			err = complain(r, folder, -ENOMEM, "out of memory");
		if (more == 1)
			starts_write_run(r->runs.rows, c, repeat, n + 1, &run);
	}
	json_free(j);
	return more < 0 ? more : err;
}

static int read_repeat(struct reader *r, const struct starts_cell *c, int64_t repeat, struct starts_pool *p)
{
	double swap, left, foreign = NAN;
	struct inputs_cell cell;
	char folder[4200];
	int err;

	snprintf(folder, sizeof(folder), "%s/cells/%s/%lld", r->folder, c->cell, (long long)repeat);
	err = inputs_cell(folder, &cell, r->why, r->size);
	if (err)
		return err;
	if (!cell.complete) {
		json_free(cell.json);
		p->failed++;
		r->done->failed++;
		return 0;
	}
	p->repeats++;
	r->done->complete++;
	p->marked += cell.marked;
	r->done->marked += cell.marked;
	swap = inputs_number(cell.json, "memory", "swap_used_bytes");
	left = inputs_number(cell.json, "memory", "left_bytes");
	json_get_real(cell.json, "foreign_percent", &foreign);
	json_free(cell.json);
	if (isfinite(swap)) {
		p->swap_sum += swap;
		p->swap_known++;
	}
	if (isfinite(left)) {
		p->left_sum += left;
		p->left_known++;
	}
	p->foreign_max = p->repeats == 1 ? foreign : fmax(p->foreign_max, foreign);
	return read_starts(r, folder, c, repeat, p);
}

/* 1, 0 after the last one, -EPROTO. */
static int cell_of(struct reader *r, const struct json *j, int i, struct starts_cell *c)
{
	char of[32], step[64];

	snprintf(of, sizeof(of), "settings.cells.%d", i);
	if (!inputs_word(j, of, "cell", c->cell, sizeof(c->cell)))
		return 0;
	snprintf(step, sizeof(step), "%s.step", of);
	if (!inputs_is_name(c->cell) || !inputs_word(j, of, "app", c->app, sizeof(c->app)) || !inputs_word(j, of, "start", c->start, sizeof(c->start)) ||
	    !inputs_word(j, of, "axis", c->axis, sizeof(c->axis)) || !inputs_word(j, of, "swap", c->swap, sizeof(c->swap)) || !json_get_int(j, step, &c->step))
		return complain(r, r->folder, -EPROTO, "run.json: settings.cells cannot be read");
	return 1;
}

/* T0 of the same application, started alike. */
static struct starts_base base_for(const struct starts_cell *c, const struct starts_cell *cells, struct starts_pool *pools, size_t n)
{
	struct starts_base none = { NAN, NAN };

	for (size_t i = 0; i < n; i++)
		if (!strcmp(cells[i].axis, "none") && !strcmp(cells[i].app, c->app) && !strcmp(cells[i].start, c->start))
			return starts_base_of(&pools[i]);
	return none;
}

static int read_cells(struct reader *r, const struct json *j)
{
	struct starts_cell *cells = calloc(CELLS_MAX, sizeof(*cells));
	struct starts_pool *pools = calloc(CELLS_MAX, sizeof(*pools));
	int err = cells && pools ? 0 : complain(r, r->folder, -ENOMEM, "out of memory");
	size_t n = 0;

	while (!err && n < CELLS_MAX) {
		int more = cell_of(r, j, (int)n, &cells[n]);

		if (more <= 0) {
			err = more;
			break;
		}
		n++;
		for (int64_t repeat = 1; !err && repeat <= r->repeats; repeat++)
			err = read_repeat(r, &cells[n - 1], repeat, &pools[n - 1]);
	}
	for (size_t i = 0; !err && i < n; i++) {
		struct starts_base base = base_for(&cells[i], cells, pools, n);

		starts_write_cell(r->summary.rows, &cells[i], &pools[i], &base, (uint64_t)r->seed);
		starts_write_events(r->events.rows, &cells[i], &pools[i], (uint64_t)r->seed);
		r->done->rows++;
	}
	for (size_t i = 0; pools && i < n; i++)
		starts_pool_free(&pools[i]);
	free(cells);
	free(pools);
	return err;
}

static int write_tables(struct reader *r, const struct json *j)
{
	const struct whole_table tables[] = {
		{ &r->summary, "summary.tsv", "startup/1", starts_summary_columns },
		{ &r->events, "events.tsv", "startup-events/1", starts_event_columns },
		{ &r->runs, "runs.tsv", "startup-run/1", starts_run_columns },
	};
	int err = whole_open_all(tables, 3, r->folder, r->why, r->size);

	return err ? err : whole_close_all(tables, 3, read_cells(r, j), r->why, r->size);
}

int starts_summarize(const char *folder, struct inputs_counts *out, char *why, size_t size)
{
	struct reader r = { .folder = folder, .why = why, .size = size, .done = out, .repeats = 1, .seed = 1, .ceiling_ms = NAN };
	struct json *j;
	int err;

	*out = (struct inputs_counts){ 0 };
	j = inputs_run(folder, &r.repeats, &r.seed, why, size);
	if (!j)
		return -EPROTO;
	json_get_real(j, "settings.ceiling_s", &r.ceiling_ms);
	r.ceiling_ms *= 1000;
	err = write_tables(&r, j);
	json_free(j);
	return err;
}
