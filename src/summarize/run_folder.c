// SPDX-License-Identifier: GPL-3.0-or-later
#include "run_folder.h"
#include "inputs.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

struct repeat_files {
	char *name;
	struct json *json;		/* NULL: there is none */
	struct repeat_files *next;
};

int why_set(struct why *why, int err, const char *format, ...)
{
	va_list list;

	va_start(list, format);
	vsnprintf(why->text, sizeof(why->text), format, list);
	va_end(list);
	return err;
}

int why_no_memory(struct why *why)
{
	return why_set(why, -ENOMEM, "out of memory");
}

/* --- files of a repeat ----------------------------------------------------------------------------------------- */

int repeat_json(const struct repeat *r, const char *file, const struct json **out, struct why *why)
{
	struct repeat_files *f;

	*out = NULL;
	if (!strcmp(file, "cell.json")) {
		*out = r->json;
		return 0;
	}
	for (f = r->files->next; f; f = f->next)
		if (!strcmp(f->name, file)) {
			*out = f->json;
			return 0;
		}
	f = calloc(1, sizeof(*f));
	if (!f)
		return why_no_memory(why);
	f->next = r->files->next;
	r->files->next = f;
	f->name = strdup(file);
	if (!f->name)
		return why_no_memory(why);
	if (!inputs_there(r->folder, file))
		return 0;
	*out = f->json = inputs_json(r->folder, file, why->text, sizeof(why->text));
	return f->json ? 0 : -EPROTO;
}

int repeat_rows(const struct repeat *r, const char *file, bool needed, repeat_reader *read, void *into, struct why *why)
{
	return inputs_rows(r->folder, file, needed, read, into, why->text, sizeof(why->text));
}

void repeat_files_free(struct repeat_files *files)
{
	while (files->next) {
		struct repeat_files *f = files->next;

		files->next = f->next;
		json_free(f->json);
		free(f->name);
		free(f);
	}
}

/* --- parameters ------------------------------------------------------------------------------------------------ */

double cell_number(const struct cell *c, const char *key)
{
	char path[160];
	double v = NAN;

	snprintf(path, sizeof(path), "cells.%zu.parameters.%s", c->index, key);
	json_get_real(c->run->json, path, &v);
	return v;
}

const char *cell_text(const struct cell *c, const char *key)
{
	char path[160];

	snprintf(path, sizeof(path), "cells.%zu.parameters.%s", c->index, key);
	return json_get_str(c->run->json, path);
}

/* --- cells ----------------------------------------------------------------------------------------------------- */

static int run_folder_failed(struct cell *c, const struct json *json, struct why *why)
{
	const char *reason = json ? json_get_str(json, "reason") : NULL;

	free(c->reason);
	c->reason = strdup(reason && *reason ? reason : "interrupted");
	c->failed++;
	return c->reason ? 0 : why_no_memory(why);
}

static int run_folder_repeat(struct cell *c, int64_t number, struct why *why)
{
	struct inputs_cell told;
	struct repeat *r;
	char *folder;
	int err;

	if (asprintf(&folder, "%s/cells/%s/%lld", c->run->folder, c->name, (long long)number) < 0)
		return why_no_memory(why);
	err = inputs_cell(folder, &told, why->text, sizeof(why->text));
	if (!err && told.json && !json_get_str(told.json, "state"))
		err = why_set(why, -EPROTO, "%s/cell.json: says no state", folder);
	c->tried += told.json != NULL;
	if (err || !told.complete) {
		err = err ? err : run_folder_failed(c, told.json, why);
		json_free(told.json);
		free(folder);
		return err;
	}
	r = &c->repeat[c->n];
	*r = (struct repeat){ .number = number, .index = c->n++, .folder = folder, .json = told.json, .flagged = told.marked,
			      .files = calloc(1, sizeof(struct repeat_files)) };
	c->flagged += told.marked;
	return r->files ? 0 : why_no_memory(why);
}

static int run_folder_cell(struct run *run, const char *name, struct why *why)
{
	struct cell *grown = reallocarray(run->cell, run->n + 1, sizeof(*grown)), *c;
	int err = 0;

	if (!grown)
		return why_no_memory(why);
	run->cell = grown;
	c = &run->cell[run->n];
	*c = (struct cell){ .run = run, .index = run->n++, .name = name, .repeat = calloc((size_t)run->repeats, sizeof(*c->repeat)) };
	if (!c->repeat)
		return why_no_memory(why);
	if (!inputs_is_name(name))
		return why_set(why, -EPROTO, "%s/run.json: not a cell's name: %s", run->folder, name);
	for (int64_t n = 1; !err && n <= run->repeats; n++)
		err = run_folder_repeat(c, n, why);
	return err;
}

static int run_folder_settings(struct run *run, struct why *why)
{
	const char *schema = json_get_str(run->json, "schema");

	if (!schema || strcmp(schema, "thinprobe.run/1") != 0)
		return why_set(why, -EPROTO, "%s/run.json: not of schema thinprobe.run/1", run->folder);
	run->experiment = json_get_str(run->json, "experiment");
	if (!run->experiment || !inputs_is_name(run->experiment))
		return why_set(why, -EPROTO, "%s/run.json: names no experiment", run->folder);
	json_get_int(run->json, "settings.repeats", &run->repeats);
	json_get_int(run->json, "settings.seed", &run->seed);
	json_get_real(run->json, "settings.threshold_ms", &run->threshold_ms);
	if (run->repeats < 1 || run->repeats > RUN_REPEATS_MAX)
		return why_set(why, -EPROTO, "%s/run.json: settings.repeats is not 1 to %d", run->folder, RUN_REPEATS_MAX);
	return 0;
}

int run_folder_read(const char *folder, struct run *out, struct why *why)
{
	int err;

	*out = (struct run){ .folder = folder, .repeats = 1, .seed = 1, .threshold_ms = 100, .draws = 2000 };
	out->json = inputs_json(folder, "run.json", why->text, sizeof(why->text));
	err = out->json ? run_folder_settings(out, why) : -EPROTO;
	while (!err) {
		const char *name;
		char path[64];

		snprintf(path, sizeof(path), "cells.%zu.name", out->n);
		name = json_get_str(out->json, path);
		if (!name)
			break;
		err = run_folder_cell(out, name, why);
	}
	if (!err && !out->n)
		err = why_set(why, -EPROTO, "%s/run.json: names no cells", folder);
	if (err)
		run_folder_free(out);
	return err;
}

void run_folder_free(struct run *run)
{
	for (size_t i = 0; i < run->n; i++) {
		struct cell *c = &run->cell[i];

		for (size_t k = 0; k < c->n; k++) {
			if (c->repeat[k].files)
				repeat_files_free(c->repeat[k].files);
			free(c->repeat[k].files);
			free(c->repeat[k].folder);
			json_free(c->repeat[k].json);
		}
		free(c->repeat);
		free(c->reason);
	}
	free(run->cell);
	json_free(run->json);
	*run = (struct run){ 0 };
}
