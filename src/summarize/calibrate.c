// SPDX-License-Identifier: GPL-3.0-or-later
#include "calibrate.h"
#include "clock.h"
#include "inputs.h"
#include "offsets.h"
#include "whole.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define NAME_MAX_HERE 64

static const char *const columns[] = {
	"path", "probe", "delay", "trains", "marked", "keys", "lost", "injected_ms", "measured_ms", "offset_ms", "offset_min_ms", "offset_max_ms",
	"sd_ms", "tail_percent", "tail_ms", "error_ms", "there_ms", "back_ms", "less_base_ms", "floor_ms", "less_floor_ms", NULL,
};

/* One line of the table before it is one. */
struct group {
	struct offsets of[PROBES];
	size_t trains[PROBES], marked[PROBES];
};

struct reader {
	const char *folder;
	char *why;
	size_t size;
	const struct json *run;
	struct inputs_counts *done;
	int64_t repeats;
};

static int complain(struct reader *r, const char *file, int err, const char *what)
{
	snprintf(r->why, r->size, "%s: %s", file, what);
	return err;
}

static int read_keys(FILE *in, void *into, unsigned long *line)
{
	return keys_read(in, into, line);
}

static int add_train(struct reader *r, const char *train, bool marked, struct group *delay, struct group *all)
{
	struct group *both[] = { delay, all };
	bool captured = inputs_there(train, "wire.tsv");
	struct traces traces = { 0 };
	struct keys keys = { 0 };
	int err = inputs_rows(train, "samples.tsv", true, read_keys, &keys, r->why, r->size);

	if (!err)
		err = inputs_rows(train, "echo.tsv", true, traces_read_echo, &traces, r->why, r->size);
	if (!err && captured)
		err = inputs_rows(train, "wire.tsv", true, traces_read_wire, &traces, r->why, r->size);
	for (int i = 0; !err && i < 2 * PROBES; i++) {
		struct group *g = both[i % 2];
		int p = i / 2;

		if (p == PROBE_WIRE && !captured)
			continue;
		offsets_add(&g->of[p], (enum probe)p, &keys, &traces);
		g->trains[p]++;
		g->marked[p] += marked;
		if (g->of[p].offset.lost)
			err = complain(r, train, -ENOMEM, "out of memory");
	}
	keys_free(&keys);
	traces_free(&traces);
	return err;
}

static int read_cell(struct reader *r, const char *path, int delay, int64_t repeat, struct group *group, struct group *all)
{
	char train[4096], file[4200], what[256];
	const char *state, *mark;
	struct json *j;
	int err = 0;

	snprintf(train, sizeof(train), "%s/cells/%s-%03d/%lld", r->folder, path, delay, (long long)repeat);
	snprintf(file, sizeof(file), "%s/cell.json", train);
	j = json_read(file, what, sizeof(what));
	state = j ? json_get_str(j, "state") : NULL;	/* without the file it was interrupted */
	mark = j ? json_get_str(j, "marked") : NULL;
	if (!state || strcmp(state, "complete") != 0) {
		r->done->failed++;
	} else {
		r->done->complete++;
		r->done->marked += mark && *mark;
		err = add_train(r, train, mark && *mark, group, all);
	}
	json_free(j);
	return err;
}

static double ms(struct sample *s, double q)
{
	return sample_quantile(s, q).value / (double)NS_PER_MS;
}

/* base_ms: the offset where nothing was injected; NAN: not known. */
static void write_row(struct rows *t, const char *path, const char *delay, int probe, struct group *g, double base_ms, double floor_ms)
{
	struct offsets *o = &g->of[probe];
	int tail = offsets_tail(o);
	double offset = ms(&o->offset, 0.5);

	rows_str(t, path);
	rows_str(t, probe_names[probe]);
	rows_str(t, delay);
	rows_int(t, (int64_t)g->trains[probe]);
	rows_int(t, (int64_t)g->marked[probe]);
	rows_int(t, (int64_t)o->offset.n);
	rows_int(t, (int64_t)o->lost);
	whole_number(t, ms(&o->injected, 0.5), 4);
	whole_number(t, ms(&o->measured, 0.5), 4);
	whole_number(t, offset, 4);
	whole_number(t, sample_min(&o->offset).value / (double)NS_PER_MS, 4);
	whole_number(t, sample_max(&o->offset).value / (double)NS_PER_MS, 4);
	whole_number(t, sample_sd(&o->offset).value / (double)NS_PER_MS, 4);
	whole_number(t, tail ? (double)tail : NAN, 0);
	whole_number(t, tail ? ms(&o->offset, tail / 100.0) - offset : (double)NAN, 4);
	whole_number(t, tail ? ms(&o->magnitude, tail / 100.0) : (double)NAN, 4);
	whole_number(t, ms(&o->there, 0.5), 4);
	whole_number(t, ms(&o->back, 0.5), 4);
	whole_number(t, offset - base_ms, 4);
	whole_number(t, floor_ms, 3);
	whole_number(t, offset - floor_ms, 4);
	rows_end(t);
}

static void free_group(struct group *g)
{
	for (int p = 0; p < PROBES; p++)
		offsets_free(&g->of[p]);
	*g = (struct group){ 0 };
}

/* The probes' rows of one path: all delays, the sum at the end. */
static int summarize_path(struct reader *r, const char *path, struct rows *out)
{
	struct group all = { 0 };
	double base[PROBES] = { NAN, NAN }, floor_ms = NAN;
	char key[NAME_MAX_HERE + 64];
	int err = 0;

	snprintf(key, sizeof(key), "protocols.%s.floor_ms", path);
	json_get_real(r->run, key, &floor_ms);
	for (int d = 0; !err; d++) {
		struct group group = { 0 };
		const char *name;
		double nominal_ms = NAN;

		snprintf(key, sizeof(key), "settings.delays.%d.name", d);
		name = json_get_str(r->run, key);
		if (!name)
			break;
		snprintf(key, sizeof(key), "settings.delays.%d.ms", d);
		json_get_real(r->run, key, &nominal_ms);
		for (int64_t repeat = 1; !err && repeat <= r->repeats; repeat++)
			err = read_cell(r, path, d, repeat, &group, &all);
		for (int p = 0; !err && p < PROBES; p++) {
			if (nominal_ms >= 0 && nominal_ms <= 0 && group.of[p].offset.n)
				base[p] = ms(&group.of[p].offset, 0.5);
			if (group.trains[p]) {
				write_row(out, path, name, p, &group, base[p], floor_ms);
				r->done->rows++;
			}
		}
		free_group(&group);
	}
	for (int p = 0; !err && p < PROBES; p++) {
		if (all.trains[p]) {
			write_row(out, path, "all", p, &all, base[p], floor_ms);
			r->done->rows++;
		}
	}
	free_group(&all);
	return err;
}

int calibrate_summarize(const char *folder, struct inputs_counts *out, char *why, size_t size)
{
	struct reader r = { .folder = folder, .why = why, .size = size, .done = out, .repeats = 1 };
	struct json *run = inputs_run(folder, &r.repeats, NULL, why, size);
	struct whole table;
	int err;

	*out = (struct inputs_counts){ 0 };
	if (!run)
		return -EPROTO;
	r.run = run;
	err = whole_open(&table, folder, "summary.tsv", "calibration/1", columns);
	if (err) {
		json_free(run);
		return complain(&r, folder, err, strerror(-err));
	}
	for (int i = 0; !err; i++) {
		char key[64];
		const char *path;

		snprintf(key, sizeof(key), "settings.paths.%d", i);
		path = json_get_str(run, key);
		if (!path)
			break;
		err = strlen(path) > NAME_MAX_HERE ? complain(&r, folder, -EPROTO, "a path with too long a name") : summarize_path(&r, path, table.rows);
	}
	json_free(run);
	if (err) {
		whole_drop(&table);
		return err;
	}
	err = whole_close(&table);
	return err ? complain(&r, folder, err, strerror(-err)) : 0;
}
