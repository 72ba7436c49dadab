// SPDX-License-Identifier: GPL-3.0-or-later
#include "run_folder.h"

#include <dirent.h>
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
	*out = f->json = inputs_json(r->folder, file, why);
	return f->json ? 0 : -EPROTO;
}

bool repeat_has(const struct repeat *r, const char *file)
{
	return inputs_there(r->folder, file);
}

int repeat_rows(const struct repeat *r, const char *file, bool needed, repeat_reader *read, void *into, struct why *why)
{
	unsigned long line = 0;
	char path[4300];
	FILE *in;
	int err;

	snprintf(path, sizeof(path), "%s/%s", r->folder, file);
	in = fopen(path, "re");
	if (!in && errno == ENOENT && !needed)
		return 0;
	err = in ? read(in, into, &line) : -errno;
	if (in)
		fclose(in);
	if (err == -EPROTO)
		return why_set(why, err, "%s: line %lu cannot be read", path, line);
	return err ? why_set(why, err, "%s: %s", path, strerror(-err)) : 0;
}

void repeat_forget(const struct repeat *r)
{
	for (size_t i = 0; i < r->trains; i++)
		repeat_forget(&r->train[i]);
	while (r->files && r->files->next) {
		struct repeat_files *f = r->files->next;

		r->files->next = f->next;
		json_free(f->json);
		free(f->name);
		free(f);
	}
}

const struct repeat *repeat_train(const struct repeat *r, const char *series)
{
	for (size_t i = 0; i < r->trains; i++)
		if (!strcmp(r->train[i].series, series))
			return &r->train[i];
	return NULL;
}

/* --- parameters ------------------------------------------------------------------------------------------------ */

double cell_number(const struct cell *c, const char *key)
{
	return inputs_number(c->run->json, "cells.%zu.parameters.%s", c->index, key);
}

const char *cell_text(const struct cell *c, const char *key)
{
	return inputs_text(c->run->json, "cells.%zu.parameters.%s", c->index, key);
}

const struct repeat *cell_train(const struct cell *c, const struct repeat *r, const char *series)
{
	bool any = false;

	for (size_t i = 0; i < c->n; i++)
		any = any || repeat_train(&c->repeat[i], series);
	return any ? repeat_train(r, series) : r;
}

void *run_state(const struct run *run, size_t size, size_t each, struct why *why)
{
	void *state = calloc(1, size + run->n * each);

	if (!state)
		why_no_memory(why);
	else
		*(const struct run **)state = run;
	return state;
}

/* --- cells ----------------------------------------------------------------------------------------------------- */

static int run_folder_failed(struct cell *c, const struct json *json, struct why *why)
{
	const char *reason = inputs_text(json, "reason");

	free(c->reason);
	c->reason = strdup(reason && *reason ? reason : "interrupted");
	c->failed++;
	return c->reason ? 0 : why_no_memory(why);
}

/* Whether a word may become part of a path: nothing that leads elsewhere. */
static bool run_folder_is_name(const char *word)
{
	return *word && *word != '.' && !strchr(word, '/');
}

/* What cell.json in the folder says becomes *out; *complete: it is one. Takes `folder`. */
static int run_folder_train(struct cell *c, char *folder, const char *series, struct repeat *out, bool *complete, struct why *why)
{
	bool there = inputs_there(folder, "cell.json");
	struct json *told = there ? inputs_json(folder, "cell.json", why) : NULL;
	const char *state = inputs_text(told, "state"), *marked = inputs_text(told, "marked");
	int err = there && !told ? -EPROTO : 0;

	*complete = false;
	if (told && !state)
		err = why_set(why, -EPROTO, "%s/cell.json: says no state", folder);
	c->tried += !*series && told;
	if (err || !state || strcmp(state, "complete") != 0) {
		err = err ? err : run_folder_failed(c, told, why);
		json_free(told);
		free(folder);
		return err;
	}
	*out = (struct repeat){ .folder = folder, .json = told, .flagged = marked && *marked };
	out->series = strdup(series);
	out->files = calloc(1, sizeof(*out->files));
	c->complete++;
	c->flagged += out->flagged;
	*complete = true;
	return out->series && out->files ? 0 : why_no_memory(why);
}

/* Trains of other series, in order of name. */
static int run_folder_series(struct cell *c, struct repeat *r, struct why *why)
{
	struct dirent **entry;
	int n = scandir(r->folder, &entry, NULL, versionsort), err = 0;

	if (n < 0)
		return why_set(why, -errno, "%s: %s", r->folder, strerror(errno));
	r->train = n > 0 ? calloc((size_t)n, sizeof(*r->train)) : NULL;
	for (int i = 0; i < n; i++) {
		char *folder, cell[300];
		bool complete = false;

		snprintf(cell, sizeof(cell), "%s/cell.json", entry[i]->d_name);
		if (!err && !r->train)
			err = why_no_memory(why);
		if (!err && entry[i]->d_name[0] != '.' && inputs_there(r->folder, cell)) {
			err = asprintf(&folder, "%s/%s", r->folder, entry[i]->d_name) < 0 ? why_no_memory(why) :
			      run_folder_train(c, folder, entry[i]->d_name, &r->train[r->trains], &complete, why);
			r->train[r->trains].number = r->number;
			r->trains += complete;
		}
		free(entry[i]);
	}
	free(entry);
	return err;
}

static int run_folder_repeat(struct cell *c, int64_t number, bool found, struct why *why)
{
	struct repeat *r = &c->repeat[c->n];
	bool complete;
	char *folder;
	int err;

	if (asprintf(&folder, "%s/cells/%s/%lld", c->run->folder, c->name, (long long)number) < 0)
		return why_no_memory(why);
	if (found && !inputs_there(folder, "")) {
		free(folder);
		return 0;
	}
	err = run_folder_train(c, folder, "", r, &complete, why);
	if (!complete)
		return err;
	r->number = number;
	r->index = c->n++;
	return err ? err : run_folder_series(c, r, why);
}

static int run_folder_cell(struct run *run, const char *name, bool found, struct why *why)
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
	if (!run_folder_is_name(name))
		return why_set(why, -EPROTO, "%s/run.json: not a cell's name: %s", run->folder, name);
	for (int64_t n = 1; !err && n <= run->repeats; n++)
		err = run_folder_repeat(c, n, found, why);
	return err;
}

static int run_folder_settings(struct run *run, struct why *why)
{
	const char *schema = json_get_str(run->json, "schema");

	if (!schema || strcmp(schema, "thinprobe.run/1") != 0)
		return why_set(why, -EPROTO, "%s/run.json: not of schema thinprobe.run/1", run->folder);
	run->experiment = json_get_str(run->json, "experiment");
	if (!run->experiment || !run_folder_is_name(run->experiment))
		return why_set(why, -EPROTO, "%s/run.json: names no experiment", run->folder);
	json_get_int(run->json, "settings.repeats", &run->repeats);
	json_get_int(run->json, "settings.seed", &run->seed);
	json_get_real(run->json, "settings.threshold_ms", &run->threshold_ms);
	if (run->repeats < 1 || run->repeats > RUN_REPEATS_MAX)
		return why_set(why, -EPROTO, "%s/run.json: settings.repeats is not 1 to %d", run->folder, RUN_REPEATS_MAX);
	return 0;
}

static void run_folder_free_repeat(struct repeat *r)
{
	repeat_forget(r);
	for (size_t i = 0; i < r->trains; i++)
		run_folder_free_repeat(&r->train[i]);
	free(r->files);
	free(r->train);
	free(r->folder);
	free((char *)(uintptr_t)r->series);
	json_free(r->json);
}

void run_folder_free(struct run *run)
{
	for (size_t i = 0; i < run->n; i++) {
		struct cell *c = &run->cell[i];

		for (size_t k = 0; k < c->n; k++)
			run_folder_free_repeat(&c->repeat[k]);
		free(c->repeat);
		free(c->reason);
	}
	free(run->cell);
	json_free(run->json);
	*run = (struct run){ 0 };
}

int run_folder_read(const char *folder, struct run *out, struct why *why)
{
	int err;

	*out = (struct run){ .folder = folder, .repeats = 1, .seed = 1, .threshold_ms = 100, .draws = 2000 };
	out->json = inputs_json(folder, "run.json", why);
	err = out->json ? run_folder_settings(out, why) : -EPROTO;
	if (err)
		run_folder_free(out);
	return err;
}

int run_folder_cells(struct run *run, bool found, struct why *why)
{
	int err = 0;

	while (!err) {
		const char *name = inputs_text(run->json, "cells.%zu.name", run->n);

		if (!name)
			return run->n ? 0 : why_set(why, -EPROTO, "%s/run.json: names no cells", run->folder);
		err = run_folder_cell(run, name, found, why);
	}
	return err;
}
