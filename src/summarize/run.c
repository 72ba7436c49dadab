// SPDX-License-Identifier: GPL-3.0-or-later
#include "run.h"
#include "cells.h"
#include "clock.h"
#include "inputs.h"
#include "join.h"
#include "records.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Where reading is, and what went wrong. The folder and below it a path that grows and shrinks. */
struct reader {
	char path[4096];
	char *why;
	size_t size;
	struct run *run;
};

static int complain(struct reader *r, const char *file, int err, const char *what)
{
	snprintf(r->why, r->size, "%s%s%s: %s", r->path, *file ? "/" : "", file, what);
	return err;
}

static int no_memory(struct reader *r)
{
	return complain(r, "", -ENOMEM, "out of memory");
}

static struct train *new_train(struct cell *c, enum series s)
{
	if (c->n[s] == c->room[s]) {
		size_t room = c->room[s] ? c->room[s] * 2 : 8;
		struct train *grown = reallocarray(c->train[s], room, sizeof(*grown));

		if (!grown)
			return NULL;
		c->train[s] = grown;
		c->room[s] = room;
	}
	return &c->train[s][c->n[s]];
}

static int read_samples(struct reader *r, struct keys *keys)
{
	char path[4200], what[64];
	unsigned long line;
	FILE *in;
	int err;

	snprintf(path, sizeof(path), "%s/samples.tsv", r->path);
	in = fopen(path, "re");
	if (!in)
		return complain(r, "samples.tsv", -errno, strerror(errno));
	err = keys_read(in, keys, &line);
	fclose(in);
	if (err == -EPROTO && line <= 1)
		return complain(r, "samples.tsv", err, "not samples of keyrepeat (schema keys/1)");
	snprintf(what, sizeof(what), "line %lu cannot be read", line);
	return err ? complain(r, "samples.tsv", err, err == -EPROTO ? what : strerror(-err)) : 0;
}

static int read_complete(struct reader *r, const struct json *cell_json, struct cell *c, enum series s)
{
	struct train *t = new_train(c, s);
	struct json *j;
	int64_t base = -1;
	int err;

	if (!t)
		return no_memory(r);
	*t = (struct train){ .backlog_per_s = NAN, .updates_per_key = NAN, .stall_mean_ms = NAN, .stall_positive_ms = NAN,
			     .stall_count = NAN, .gap_ms = NAN, .jitter_sd_ms = NAN, .jitter_variance_ms2 = NAN,
			     .period_ms = NAN, .wire_stall_mean_ms = NAN, .wire_bytes_per_key = NAN,
			     .wire_updates = { NAN, NAN, NAN },
			     .coalesced_percent = NAN, .load_share_percent = NAN };
	json_get_int(cell_json, "repeat", &t->repeat);
	err = read_samples(r, &t->keys);
	if (err)
		return err;
	c->n[s]++;		/* from here on the cell owns it */
	r->run->complete++;
	j = inputs_json(r->path, "keyrepeat.json", r->why, r->size);
	if (!j)
		return -EPROTO;
	records_probe(j, t, &c->schedule_jitter_ms[s]);
	json_get_int(j, "result.patch_base", &base);
	json_free(j);
	if (base < -1 || base > UINT32_MAX)	/* as keyrepeat holds it; -1: there was none */
		return complain(r, "keyrepeat.json", -EPROTO, "result.patch_base is no number of a patch");
	err = join_traces(r->path, s == SERIES_WIRE, base, t, r->why, r->size);
	if (err)
		return err;
	if (!records_circumstances(cell_json, c))
		return no_memory(r);
	if (inputs_there(r->path, "sink.json")) {
		j = inputs_json(r->path, "sink.json", r->why, r->size);
		if (!j)
			return -EPROTO;
		json_get_real(j, "result.total_share_percent", &t->load_share_percent);
		json_free(j);
	}
	if (!inputs_there(r->path, "prototap.json"))
		return 0;
	j = inputs_json(r->path, "prototap.json", r->why, r->size);
	if (!j)
		return -EPROTO;
	records_capture(j, t, c);
	json_free(j);
	return 0;
}

static int count_failed(struct reader *r, struct cell *c, const char *reason)
{
	char *copy = strdup(reason && *reason ? reason : "interrupted");

	if (!copy)
		return no_memory(r);
	free(c->reason);
	c->reason = copy;
	c->failed++;
	r->run->failed++;
	return 0;
}

static void name_part(const struct json *j, const char *path, const char **part)
{
	if (json_get_str(j, path))
		*part = json_get_str(j, path);
}

/* One train: the folder that r->path names, of the application and load that its name says. */
static int read_train(struct reader *r, const char *app, int64_t sinks, enum series s)
{
	struct json *j;
	struct cell *c;
	struct cell_name name = { r->run->protocol, app, "", "", NAN, sinks };
	const char *state, *series;
	int err = 0;

	if (!inputs_there(r->path, "cell.json")) {
		c = cells_find(r->run, &name);
		return c ? count_failed(r, c, NULL) : no_memory(r);
	}
	j = inputs_json(r->path, "cell.json", r->why, r->size);
	if (!j)
		return -EPROTO;
	state = json_get_str(j, "state");
	series = json_get_str(j, "series");
	if (series)
		s = !strcmp(series, "stall") ? SERIES_STALL : !strcmp(series, "wire") ? SERIES_WIRE : SERIES_LATENCY;
	name_part(j, "parameters.protocol", &name.protocol);
	name_part(j, "parameters.app", &name.app);
	name_part(j, "parameters.setting", &name.setting);
	name_part(j, "parameters.part", &name.part);
	json_get_real(j, "parameters.cost_ms", &name.cost_ms);
	json_get_int(j, "parameters.sinks", &name.sinks);
	if (!state) {
		err = complain(r, "cell.json", -EPROTO, "says no state");
	} else {
		c = cells_find(r->run, &name);
		if (!c)
			err = no_memory(r);
		else if (strcmp(state, "complete") != 0)
			err = count_failed(r, c, json_get_str(j, "reason"));
		else
			err = read_complete(r, j, c, s);
	}
	json_free(j);
	return err;
}

/* Calls `visit` for each folder below r->path in order of name; r->path is then the folder's. */
static int each_folder(struct reader *r, int (*visit)(struct reader *r, const char *name, void *data), void *data)
{
	size_t length = strlen(r->path);
	struct dirent **entry;
	int n = scandir(r->path, &entry, NULL, versionsort), err = 0;

	if (n < 0)
		return complain(r, "", -errno, strerror(errno));
	for (int i = 0; i < n; i++) {
		const char *name = entry[i]->d_name;

		if (!err && name[0] != '.') {
			int wrote = snprintf(r->path + length, sizeof(r->path) - length, "/%s", name);

			if (wrote < 0 || (size_t)wrote >= sizeof(r->path) - length) {
				r->path[length] = '\0';
				err = complain(r, "", -ENAMETOOLONG, "path too long");
			} else {
				err = visit(r, name, data);
			}
			r->path[length] = '\0';
		}
		free(entry[i]);
	}
	free(entry);
	return err;
}

struct place {
	char app[64];
	int64_t sinks;
};

/* Repeats are numbers; "3~" is a first try that was measured again. */
static int visit_repeat(struct reader *r, const char *name, void *data)
{
	static const struct { const char *folder; enum series series; } more[] = { { "stall", SERIES_STALL }, { "wire", SERIES_WIRE } };
	const struct place *at = data;
	size_t length = strlen(r->path);
	int err;

	if (strspn(name, "0123456789") != strlen(name))
		return 0;
	err = read_train(r, at->app, at->sinks, SERIES_LATENCY);
	for (size_t i = 0; i < sizeof(more) / sizeof(*more) && !err; i++) {
		if (!inputs_there(r->path, more[i].folder))
			continue;
		if (length + 8 > sizeof(r->path))
			return complain(r, "", -ENAMETOOLONG, "path too long");
		snprintf(r->path + length, 8, "/%s", more[i].folder);
		err = read_train(r, at->app, at->sinks, more[i].series);
		r->path[length] = '\0';
	}
	return err;
}

static int visit_cell(struct reader *r, const char *name, void *data)
{
	const char *dash = strrchr(name, '-');
	struct place at = { .sinks = -1 };
	char *end;

	(void)data;
	if (dash && dash > name && isdigit((unsigned char)dash[1]) && (size_t)(dash - name) < sizeof(at.app)) {
		at.sinks = strtoll(dash + 1, &end, 10);
		memcpy(at.app, name, (size_t)(dash - name));
		if (*end)
			at.sinks = -1;
	}
	if (at.sinks < 0)
		return complain(r, "", -EPROTO, "not a cell (its name is no APP-LOAD)");
	return each_folder(r, visit_repeat, &at);
}

static int read_idle(struct reader *r, const struct json *j)
{
	static const char *const apps[] = { "light", "heavy", "own" };

	r->run->idle = calloc(sizeof(apps) / sizeof(*apps), sizeof(*r->run->idle));
	if (!r->run->idle)
		return no_memory(r);
	for (size_t i = 0; i < sizeof(apps) / sizeof(*apps); i++) {
		struct idle *idle = &r->run->idle[r->run->n_idle];
		char path[64];

		idle->updates = idle->seconds = NAN;
		snprintf(path, sizeof(path), "idle.%s.updates", apps[i]);
		json_get_real(j, path, &idle->updates);
		snprintf(path, sizeof(path), "idle.%s.seconds", apps[i]);
		json_get_real(j, path, &idle->seconds);
		if (!isfinite(idle->updates) || !(idle->seconds > 0))
			continue;
		idle->app = strdup(apps[i]);
		if (!idle->app)
			return no_memory(r);
		r->run->n_idle++;
	}
	return 0;
}

static int read_settings(struct reader *r)
{
	struct json *j = inputs_json(r->path, "run.json", r->why, r->size);
	double threshold_ms = 100;
	const char *protocol;
	int err;

	if (!j)
		return -EPROTO;
	if (!json_get_str(j, "schema") || strcmp(json_get_str(j, "schema"), "thinprobe.run/1") != 0) {
		json_free(j);
		return complain(r, "run.json", -EPROTO, "not of schema thinprobe.run/1");
	}
	json_get_int(j, "settings.repeats", &r->run->repeats);
	json_get_int(j, "settings.seed", &r->run->seed);
	json_get_real(j, "settings.threshold_ms", &threshold_ms);
	r->run->threshold_ns = (int64_t)llround(threshold_ms * (double)NS_PER_MS);
	protocol = json_get_str(j, "settings.protocol");
	r->run->protocol = strdup(protocol ? protocol : "");
	err = r->run->protocol ? read_idle(r, j) : no_memory(r);
	json_free(j);
	return err;
}

int run_read(const char *folder, struct run *out, char *why, size_t size)
{
	struct reader r = { .why = why, .size = size, .run = out };
	size_t length = strlen(folder);
	int err;

	*out = (struct run){ .seed = 1 };
	if (length + sizeof("/cells") > sizeof(r.path))
		return complain(&r, "", -ENAMETOOLONG, "path too long");
	memcpy(r.path, folder, length + 1);
	while (length > 1 && r.path[length - 1] == '/')
		r.path[--length] = '\0';
	err = read_settings(&r);
	if (!err) {
		memcpy(r.path + length, "/cells", sizeof("/cells"));
		err = each_folder(&r, visit_cell, NULL);
	}
	cells_sort(out);
	for (size_t i = 0; i < out->n; i++)
		out->marked += out->cell[i].marked;
	if (err)
		run_free(out);
	return err;
}

enum series run_series(const struct cell *c, enum series wanted)
{
	return c->n[wanted] ? wanted : wanted == SERIES_LATENCY ? SERIES_STALL : SERIES_LATENCY;
}

void run_free(struct run *r)
{
	for (size_t i = 0; i < r->n; i++) {
		for (int s = 0; s < SERIES; s++) {
			for (size_t t = 0; t < r->cell[i].n[s]; t++) {
				keys_free(&r->cell[i].train[s][t].keys);
				stages_free(&r->cell[i].train[s][t].stages);
			}
			free(r->cell[i].train[s]);
		}
		for (int k = 0; k < COMPETITORS; k++)
			free(r->cell[i].competes[k]);
		free(r->cell[i].protocol);
		free(r->cell[i].app);
		free(r->cell[i].setting);
		free(r->cell[i].part);
		free(r->cell[i].reason);
	}
	for (size_t i = 0; i < r->n_idle; i++)
		free(r->idle[i].app);
	free(r->idle);
	free(r->cell);
	free(r->protocol);
	*r = (struct run){ 0 };
}
