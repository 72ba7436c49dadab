// SPDX-License-Identifier: GPL-3.0-or-later
/* offsets_extract - rows: how far each probe is off (offsets.h), for each path and injected delay, and for
 * all delays of a path together ("all"), over all complete repeats. Parameters: path, delay (a name
 * among run.json's settings.delays). Files: samples.tsv, echo.tsv, and wire.tsv where there was a
 * capture. The offset where nothing was injected is less_base_ms's base; protocols.PATH.floor_ms of
 * run.json what the path itself takes. */
#include "clock.h"
#include "keys_extract.h"
#include "offsets.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct offsets_group {
	struct offsets of[PROBES];
	size_t trains[PROBES], flagged[PROBES];
};
struct offsets_run {
	const struct run *run;
	struct offsets_cell {
		struct offsets_group own, all;	/* all: of the path, with its first cell */
	} cell[];
};

static void *offsets_open(const struct run *run, struct why *why)
{
	return run_state(run, sizeof(struct offsets_run), sizeof(struct offsets_cell), why);
}

static const char *offsets_path(const struct cell *c)
{
	const char *path = cell_text(c, "path");

	return path ? path : "";
}

/* The first cell of the path. */
static size_t offsets_first(const struct cell *c)
{
	size_t i = 0;

	while (strcmp(offsets_path(&c->run->cell[i]), offsets_path(c)) != 0)
		i++;
	return i;
}

static int offsets_join(struct offsets_group *g, int probe, const struct repeat *r, const struct keys *keys,
			const struct traces *traces)
{
	offsets_add(&g->of[probe], (enum probe)probe, keys, traces);
	g->trains[probe]++;
	g->flagged[probe] += r->flagged;
	return g->of[probe].offset.lost ? -ENOMEM : 0;
}

static int offsets_read(void *state, const struct cell *c, const struct repeat *r, struct why *why)
{
	struct offsets_run *s = state;
	struct traces traces = { 0 };
	struct keys keys;
	int err = keys_of_repeat(r, &keys, why);

	if (!err)
		err = repeat_rows(r, "echo.tsv", true, traces_read_echo, &traces, why);
	if (!err)
		err = repeat_rows(r, "wire.tsv", false, traces_read_wire, &traces, why);
	for (int p = 0; !err && p < PROBES; p++)
		if (p != PROBE_WIRE || repeat_has(r, "wire.tsv"))
			err = offsets_join(&s->cell[c->index].own, p, r, &keys, &traces) ||
			      offsets_join(&s->cell[offsets_first(c)].all, p, r, &keys, &traces) ? why_no_memory(why) : 0;
	keys_free(&keys);
	traces_free(&traces);
	return err;
}

static double offsets_ms(struct sample *s, double q)
{
	return sample_quantile(s, q).value / (double)NS_PER_MS;
}

/* base_ms: the offset where nothing was injected; NAN: not known. */
static void offsets_row(struct table_out *out, const struct cell *c, const char *delay, int probe, struct offsets_group *g,
			double base_ms)
{
	struct offsets *o = &g->of[probe];
	int tail = offsets_tail(o);
	double offset = offsets_ms(&o->offset, 0.5);
	double floor_ms = inputs_number(c->run->json, "protocols.%s.floor_ms", offsets_path(c));

	row_text(out, "path", offsets_path(c));
	row_text(out, "probe", probe_names[probe]);
	row_text(out, "delay", delay);
	row_number(out, "trains", (double)g->trains[probe]);
	row_number(out, "marked", (double)g->flagged[probe]);
	row_number(out, "keys", (double)o->offset.n);
	row_number(out, "lost", (double)o->lost);
	row_number(out, "injected_ms", offsets_ms(&o->injected, 0.5));
	row_number(out, "measured_ms", offsets_ms(&o->measured, 0.5));
	row_number(out, "offset_ms", offset);
	row_number(out, "offset_min_ms", sample_min(&o->offset).value / (double)NS_PER_MS);
	row_number(out, "offset_max_ms", sample_max(&o->offset).value / (double)NS_PER_MS);
	row_number(out, "sd_ms", sample_sd(&o->offset).value / (double)NS_PER_MS);
	row_number(out, "tail_percent", tail ? (double)tail : (double)NAN);
	row_number(out, "tail_ms", tail ? offsets_ms(&o->offset, tail / 100.0) - offset : (double)NAN);
	row_number(out, "error_ms", tail ? offsets_ms(&o->magnitude, tail / 100.0) : (double)NAN);
	row_number(out, "there_ms", offsets_ms(&o->there, 0.5));
	row_number(out, "back_ms", offsets_ms(&o->back, 0.5));
	row_number(out, "less_base_ms", offset - base_ms);
	row_number(out, "floor_ms", floor_ms);
	row_number(out, "less_floor_ms", offset - floor_ms);
	row_end(out);
}

/* Is this the cell without an injected delay? */
static bool offsets_is_base(const struct cell *c)
{
	const char *delay = cell_text(c, "delay"), *name = "";

	for (int d = 0; delay && name; d++) {
		double ms = inputs_number(c->run->json, "settings.delays.%d.ms", d);

		name = inputs_text(c->run->json, "settings.delays.%d.name", d);
		if (name && !strcmp(name, delay))
			return ms >= 0 && ms <= 0;
	}
	return false;
}

/* The rows of a path, from its first cell on. */
static void offsets_path_rows(struct offsets_run *s, size_t first, struct table_out *out)
{
	double base[PROBES] = { NAN, NAN };

	for (size_t i = first; i < s->run->n; i++) {
		const struct cell *c = &s->run->cell[i];
		struct offsets_group *g = &s->cell[i].own;

		for (int p = 0; offsets_first(c) == first && p < PROBES; p++) {
			if (offsets_is_base(c) && g->of[p].offset.n)
				base[p] = offsets_ms(&g->of[p].offset, 0.5);
			if (g->trains[p])
				offsets_row(out, c, cell_text(c, "delay"), p, g, base[p]);
		}
	}
	for (int p = 0; p < PROBES; p++)
		if (s->cell[first].all.trains[p])
			offsets_row(out, &s->run->cell[first], "all", p, &s->cell[first].all, base[p]);
}

static int offsets_rows(void *state, const char *table, struct table_out *out, struct why *why)
{
	struct offsets_run *s = state;

	(void)table;
	(void)why;
	for (size_t i = 0; i < s->run->n; i++)
		if (offsets_first(&s->run->cell[i]) == i)
			offsets_path_rows(s, i, out);
	return 0;
}

static void offsets_close(void *state)
{
	struct offsets_run *s = state;

	for (size_t i = 0; i < s->run->n; i++)
		for (int p = 0; p < PROBES; p++) {
			offsets_free(&s->cell[i].own.of[p]);
			offsets_free(&s->cell[i].all.of[p]);
		}
	free(s);
}

const struct extractor offsets_extractor = {
	.name = "offsets", .open = offsets_open, .read = offsets_read, .rows = offsets_rows,
	.close = offsets_close,
};
