// SPDX-License-Identifier: GPL-3.0-or-later
#include "latencies.h"
#include "json_in.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SCHEMA "thinprobe.vncplay-analyze/"

const char *const latencies_words[] = { "press", "release", "complete", NULL };
static const char *const keys[] = { "latency_from_press_ms", "latency_from_release_ms", "complete_ms" };

static bool there(const struct json *j, const char *list, size_t i, const char *what)
{
	char path[96];
	double v;

	snprintf(path, sizeof(path), "result.%s.%zu.%s", list, i, what);
	return json_get_real(j, path, &v);
}

static int read_runs(const struct json *j, struct latencies *out)
{
	while (there(j, "runs", (size_t)out->runs, "total_s"))
		out->runs++;
	out->run = calloc((size_t)out->runs + 1, sizeof(*out->run));
	if (!out->run)
		return -1;
	for (int r = 0; r < out->runs; r++) {
		char path[96];
		const char *label;

		snprintf(path, sizeof(path), "result.runs.%d.total_s", r);
		json_get_real(j, path, &out->run[r].total_s);
		snprintf(path, sizeof(path), "result.runs.%d.label", r);
		label = json_get_str(j, path);
		if (!label) {
			snprintf(path, sizeof(path), "%d", r);
			label = path;
		}
		out->run[r].label = strdup(label);
		if (!out->run[r].label)
			return -1;
	}
	return 0;
}

static int read_answers(const struct json *j, enum latencies_from from, double least, struct latencies *out)
{
	size_t all = 0;

	while (there(j, "responses", all, "input"))
		all++;
	out->ms = calloc(all * (size_t)out->runs + 1, sizeof(*out->ms));
	if (!out->ms)
		return -1;
	for (size_t i = 0; i < all; i++) {
		char path[96];
		double confidence = 1;

		snprintf(path, sizeof(path), "result.responses.%zu.confidence", i);
		json_get_real(j, path, &confidence);
		if (confidence < least)
			continue;
		for (int r = 0; r < out->runs; r++) {
			double *ms = &out->ms[out->n * (size_t)out->runs + (size_t)r];

			*ms = NAN;
			snprintf(path, sizeof(path), "result.responses.%zu.%s.%d", i, keys[from], r);
			json_get_real(j, path, ms);
		}
		out->n++;
	}
	return 0;
}

int latencies_read(const char *path, enum latencies_from from, double confidence, struct latencies *out, char *why, size_t size)
{
	struct json *j = json_read(path, why, size);
	const char *schema;

	*out = (struct latencies){ 0 };
	if (!j)
		return -1;
	schema = json_get_str(j, "schema");
	if (!schema || strncmp(schema, SCHEMA, strlen(SCHEMA)) != 0) {
		snprintf(why, size, "not a report of vncplay analyze --format json");
	} else if (read_runs(j, out) || read_answers(j, from, confidence, out)) {
		snprintf(why, size, "out of memory");
	} else if (!out->runs) {
		snprintf(why, size, "it tells of no replay");
	} else {
		json_free(j);
		return 0;
	}
	json_free(j);
	latencies_free(out);
	return -1;
}

void latencies_free(struct latencies *l)
{
	for (int r = 0; l->run && r < l->runs; r++)
		free(l->run[r].label);
	free(l->run);
	free(l->ms);
	*l = (struct latencies){ 0 };
}

int latencies_run(const struct latencies *l, const char *name)
{
	char *end;
	long n;

	for (int r = 0; r < l->runs; r++)
		if (!strcmp(l->run[r].label, name))
			return r;
	n = strtol(name, &end, 10);
	return *name && !*end && n >= 0 && n < l->runs ? (int)n : -1;
}
