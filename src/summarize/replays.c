// SPDX-License-Identifier: GPL-3.0-or-later
#include "replays.h"
#include "replays_table.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int complain(struct replays_read *r, const char *file, int err, const char *what)
{
	snprintf(r->why, r->size, "%s: %s", file, what);
	return err;
}

static int read_settings(struct replays_read *r)
{
	const char *base = json_get_str(r->run, "settings.base");
	char path[64];

	for (r->n = 0; r->n < REPLAYS_SETTINGS_MAX; r->n++) {
		struct replays_setting *s = &r->setting[r->n];
		const char *name, *says;

		snprintf(path, sizeof(path), "settings.rows.%zu", r->n);
		name = inputs_text(r->run, path, "setting");
		if (!name)
			break;
		if (!inputs_is_name(name) || strlen(name) >= sizeof(s->name))
			return complain(r, r->folder, -EPROTO, "run.json: settings.rows cannot be read");
		snprintf(s->name, sizeof(s->name), "%s", name);
		says = inputs_text(r->run, path, "says");
		snprintf(s->says, sizeof(s->says), "%s", says ? says : name);
		s->value = inputs_number(r->run, path, "value");
		if (base && !strcmp(base, name))
			r->base = r->n;
	}
	return r->n ? 0 : complain(r, r->folder, -EPROTO, "run.json: it has no settings");
}

static void read_facts(const struct json *j, struct replays_run *run)
{
	static const struct { const char *prefix, *key; } facts[REPLAYS_FACTS] = {
		[REPLAYS_THROTTLED] = { "facts", "throttled_s" }, [REPLAYS_LOAD] = { "facts", "load_reads_per_s" }, [REPLAYS_LOAD_MS] = { "facts", "load_read_p50_ms" },
		[REPLAYS_DELAY] = { "facts", "delay_ms" }, [REPLAYS_READS] = { "disk", "reads" }, [REPLAYS_WRITES] = { "disk", "writes" }, [REPLAYS_BUSY] = { "", "server_busy_percent" },
	};

	for (int i = 0; i < REPLAYS_FACTS; i++) {
		run->fact[i] = NAN;
		if (*facts[i].prefix)
			run->fact[i] = inputs_number(j, facts[i].prefix, facts[i].key);
		else
			json_get_real(j, facts[i].key, &run->fact[i]);
	}
}

static int read_cell(struct replays_read *r, size_t setting, int64_t repeat)
{
	struct replays_setting *s = &r->setting[setting];
	struct replays_run *run = &r->list[r->data.runs];
	struct inputs_cell cell;
	char folder[4200];
	struct json *j;
	const char *text;
	int err;

	snprintf(folder, sizeof(folder), "%s/cells/%s/%lld", r->folder, s->name, (long long)repeat);
	err = inputs_cell(folder, &cell, r->why, r->size);
	if (err)
		return err;
	j = cell.json;
	s->tried += j != NULL;
	if (!cell.complete) {
		text = j ? json_get_str(j, "reason") : NULL;
		if (j)
			snprintf(s->reason, sizeof(s->reason), "%s", text ? text : "");
		s->failed++;
		r->done->failed++;
		json_free(j);
		return 0;
	}
	text = json_get_str(j, "log");
	snprintf(run->log, sizeof(run->log), "%s", text ? text : "");
	s->marked += cell.marked;
	r->done->marked += cell.marked;
	text = json_get_str(j, "caches");
	snprintf(run->caches, sizeof(run->caches), "%s", text ? text : "");
	read_facts(j, run);
	run->inputs = inputs_number(j, "play", "inputs");
	run->inputs_of_trace = inputs_number(j, "play", "inputs_of_trace");
	run->waited = inputs_number(j, "play.snapshots", "waited");
	run->updates = run->bytes = NAN;
	r->data.setting[r->data.runs] = setting;
	r->data.repeat[r->data.runs] = repeat;
	r->data.total_s[r->data.runs] = inputs_number(j, "play", "total_s");
	r->data.runs++;
	s->repeats++;
	r->done->complete++;
	json_free(j);
	return 0;
}

/* Which run of ours the analysis' run i is; r->data.runs: none. */
static size_t ours(const struct replays_read *r, const struct json *j, size_t i)
{
	char path[64];
	const char *file;
	size_t k = 0;

	snprintf(path, sizeof(path), "result.runs.%zu", i);
	file = inputs_text(j, path, "file");
	if (!file)
		return SIZE_MAX;
	while (k < r->data.runs && strcmp(r->list[k].log, file) != 0)
		k++;
	return k;
}

static int read_responses(struct replays_read *r, const struct json *j, const size_t *place, size_t runs)
{
	char path[96];
	size_t n = 0;

	for (;; n++) {
		double confidence = 1;

		snprintf(path, sizeof(path), "result.responses.%zu", n);
		if (isnan(inputs_number(j, path, "input")))
			break;
		confidence = inputs_number(j, path, "confidence");
		if (confidence < REPLAYS_SURE) {
			r->data.unsure++;
			continue;
		}
		if (r->data.responses == r->room) {
			size_t room = r->room ? 2 * r->room : 64;
			double *grown = reallocarray(r->data.latency_ms, room * (r->data.runs + 1), sizeof(*grown));
			struct replays_response *more = grown ? reallocarray(r->response, room, sizeof(*more)) : NULL;

			r->data.latency_ms = grown ? grown : r->data.latency_ms;
			if (!more)
				return complain(r, "analysis.json", -ENOMEM, "out of memory");
			r->response = more;
			r->room = room;
		}
		const char *kind = inputs_text(j, path, "kind");
		struct replays_response *is = &r->response[r->data.responses];

		is->input = inputs_number(j, path, "input");
		is->at_s = inputs_number(j, path, "at_s");
		snprintf(is->kind, sizeof(is->kind), "%s", kind ? kind : "");
		for (size_t k = 0; k < r->data.runs; k++)
			r->data.latency_ms[r->data.responses * r->data.runs + k] = NAN;
		for (size_t k = 0; k < runs; k++) {
			char key[48];

			snprintf(key, sizeof(key), "latency_from_press_ms.%zu", k);
			if (place[k] < r->data.runs)
				r->data.latency_ms[r->data.responses * r->data.runs + place[k]] = inputs_number(j, path, key);
		}
		r->data.responses++;
	}
	return 0;
}

static int read_analysis(struct replays_read *r)
{
	size_t place[REPLAYS_SETTINGS_MAX * 10], runs = 0;
	struct json *j;
	int err;

	if (!inputs_there(r->folder, "analysis.json"))
		return 0;
	j = inputs_json(r->folder, "analysis.json", r->why, r->size);
	if (!j)
		return -EPROTO;
	for (; runs < sizeof(place) / sizeof(*place); runs++) {
		char path[64];

		place[runs] = ours(r, j, runs);
		if (place[runs] == SIZE_MAX)
			break;
		if (place[runs] == r->data.runs)	/* of a cell that was replaced since */
			continue;
		snprintf(path, sizeof(path), "result.runs.%zu", runs);
		r->list[place[runs]].updates = inputs_number(j, path, "updates");
		r->list[place[runs]].bytes = inputs_number(j, path, "bytes");
	}
	err = read_responses(r, j, place, runs);
	json_free(j);
	return err;
}

static int read_all(struct replays_read *r)
{
	size_t most;
	int err = read_settings(r);

	if (err)
		return err;
	most = r->n * (size_t)r->repeats + 1;
	r->list = calloc(most, sizeof(*r->list));
	r->data.setting = calloc(most, sizeof(*r->data.setting));
	r->data.repeat = calloc(most, sizeof(*r->data.repeat));
	r->data.total_s = calloc(most, sizeof(*r->data.total_s));
	if (!r->list || !r->data.setting || !r->data.repeat || !r->data.total_s)
		return complain(r, r->folder, -ENOMEM, "out of memory");
	for (size_t s = 0; !err && s < r->n; s++)
		for (int64_t repeat = 1; !err && repeat <= r->repeats; repeat++)
			err = read_cell(r, s, repeat);
	return err ? err : read_analysis(r);
}

int replays_summarize(const char *folder, struct inputs_counts *out, char *why, size_t size)
{
	struct replays_read *r = calloc(1, sizeof(*r));
	struct json *j;
	int err;

	*out = (struct inputs_counts){ 0 };
	if (!r) {
		snprintf(why, size, "%s: out of memory", folder);
		return -ENOMEM;
	}
	*r = (struct replays_read){ .folder = folder, .why = why, .size = size, .done = out, .repeats = 1, .seed = 1 };
	r->run = j = inputs_run(folder, &r->repeats, &r->seed, why, size);
	if (!j) {
		free(r);
		return -EPROTO;
	}
	err = read_all(r);
	if (!err)
		err = replays_write(r);
	json_free(j);
	replays_free(&r->data);
	free(r->list);
	free(r->response);
	free(r);
	return err;
}
