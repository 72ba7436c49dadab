#include "run.h"
#include "clock.h"
#include "json_in.h"
#include "records.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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

static struct json *read_json(struct reader *r, const char *file)
{
	char path[4200], why[256];
	struct json *j;

	snprintf(path, sizeof(path), "%s/%s", r->path, file);
	j = json_read(path, why, sizeof(why));
	if (!j)
		complain(r, file, -EPROTO, why);
	return j;
}

static bool there(const struct reader *r, const char *file)
{
	char path[4200];

	snprintf(path, sizeof(path), "%s/%s", r->path, file);
	return access(path, F_OK) == 0;
}

static int no_memory(struct reader *r)
{
	return complain(r, "", -ENOMEM, "out of memory");
}

static struct cell *cell_for(struct run *run, const char *protocol, const char *app, int64_t sinks)
{
	struct cell *c;

	for (size_t i = 0; i < run->n; i++) {
		c = &run->cell[i];
		if (c->sinks == sinks && !strcmp(c->app, app) && !strcmp(c->protocol, protocol))
			return c;
	}
	if (run->n == run->room) {
		size_t room = run->room ? run->room * 2 : 16;
		struct cell *grown = reallocarray(run->cell, room, sizeof(*grown));

		if (!grown)
			return NULL;
		run->cell = grown;
		run->room = room;
	}
	c = &run->cell[run->n];
	*c = (struct cell){ .sinks = sinks, .foreign_max = NAN, .steal_max = NAN, .disturbed_max = NAN, .busy_mean = NAN,
			    .probe_max = NAN, .capture_max = NAN, .capture_dropped = NAN, .cost_ms = NAN, .period_ms = NAN,
			    .schedule_jitter_ms = { NAN, NAN }, .same_group = -1 };
	c->protocol = strdup(protocol);
	c->app = strdup(app);
	if (!c->protocol || !c->app) {
		free(c->protocol);
		free(c->app);
		return NULL;
	}
	run->n++;
	return c;
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
	int err;

	if (!t)
		return no_memory(r);
	*t = (struct train){ .backlog_per_s = NAN, .updates_per_key = NAN, .stall_mean_ms = NAN, .stall_positive_ms = NAN,
			     .stall_count = NAN, .gap_ms = NAN, .jitter_sd_ms = NAN, .jitter_variance_ms2 = NAN,
			     .period_ms = NAN, .wire_stall_mean_ms = NAN, .wire_bytes_per_key = NAN,
			     .wire_updates = { NAN, NAN, NAN } };
	err = read_samples(r, &t->keys);
	if (err)
		return err;
	c->n[s]++;		/* from here on the cell owns it */
	r->run->complete++;
	j = read_json(r, "keyrepeat.json");
	if (!j)
		return -EPROTO;
	records_probe(j, t, &c->schedule_jitter_ms[s]);
	json_free(j);
	if (!records_circumstances(cell_json, c))
		return no_memory(r);
	if (!there(r, "prototap.json"))
		return 0;
	j = read_json(r, "prototap.json");
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

/* One train: the folder that r->path names, of the application and load that its name says. */
static int read_train(struct reader *r, const char *app, int64_t sinks, enum series s)
{
	struct json *j;
	struct cell *c;
	const char *state, *protocol, *series;
	int err = 0;

	if (!there(r, "cell.json")) {
		c = cell_for(r->run, r->run->protocol, app, sinks);
		return c ? count_failed(r, c, NULL) : no_memory(r);
	}
	j = read_json(r, "cell.json");
	if (!j)
		return -EPROTO;
	state = json_get_str(j, "state");
	protocol = json_get_str(j, "parameters.protocol");
	series = json_get_str(j, "series");
	if (series)
		s = !strcmp(series, "stall") ? SERIES_STALL : SERIES_LATENCY;
	if (json_get_str(j, "parameters.app"))
		app = json_get_str(j, "parameters.app");
	json_get_int(j, "parameters.sinks", &sinks);
	if (!state) {
		err = complain(r, "cell.json", -EPROTO, "says no state");
	} else {
		c = cell_for(r->run, protocol ? protocol : r->run->protocol, app, sinks);
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
	const struct place *at = data;
	size_t length = strlen(r->path);
	int err;

	if (strspn(name, "0123456789") != strlen(name))
		return 0;
	err = read_train(r, at->app, at->sinks, SERIES_LATENCY);
	if (err || !there(r, "stall"))
		return err;
	if (length + sizeof("/stall") > sizeof(r->path))
		return complain(r, "", -ENAMETOOLONG, "path too long");
	memcpy(r->path + length, "/stall", sizeof("/stall"));
	err = read_train(r, at->app, at->sinks, SERIES_STALL);
	r->path[length] = '\0';
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
	struct json *j = read_json(r, "run.json");
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

static int by_name(const void *a, const void *b)
{
	const struct cell *x = a, *y = b;
	int order = strcmp(x->protocol, y->protocol);

	order = order ? order : strcmp(x->app, y->app);
	return order ? order : (x->sinks > y->sinks) - (x->sinks < y->sinks);
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
	if (out->n)
		qsort(out->cell, out->n, sizeof(*out->cell), by_name);
	for (size_t i = 0; i < out->n; i++)
		out->marked += out->cell[i].marked;
	if (err)
		run_free(out);
	return err;
}

void run_free(struct run *r)
{
	for (size_t i = 0; i < r->n; i++) {
		for (int s = 0; s < SERIES; s++) {
			for (size_t t = 0; t < r->cell[i].n[s]; t++)
				keys_free(&r->cell[i].train[s][t].keys);
			free(r->cell[i].train[s]);
		}
		for (int k = 0; k < COMPETITORS; k++)
			free(r->cell[i].competes[k]);
		free(r->cell[i].protocol);
		free(r->cell[i].app);
		free(r->cell[i].reason);
	}
	for (size_t i = 0; i < r->n_idle; i++)
		free(r->idle[i].app);
	free(r->idle);
	free(r->cell);
	free(r->protocol);
	*r = (struct run){ 0 };
}
