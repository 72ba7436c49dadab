// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine.h"

#include <dirent.h>
#include <errno.h>
#include <stdarg.h>
#include <sys/stat.h>
#include <unistd.h>

#define PATH_ROOM 4300

/* --- JSON files ------------------------------------------------------------------------------------------------ */

/* Writes the path into `room`. Anything but a regular file ends the program: a FIFO would wait for its writer, a device may never
 * end. */
static void make_regular_file_path(const char *folder, const char *name, char room[static PATH_ROOM])
{
	struct stat s;

	snprintf(room, PATH_ROOM, "%s/%s", folder, name);
	if (!stat(room, &s) && !S_ISREG(s.st_mode))
		die(EXIT_RUN, "%s: not a regular file", room);
}

struct json_document *run_folder_read_json(const char *folder, const char *name, bool needed)
{
	char path[PATH_ROOM];
	struct why what;
	struct json_document *j;

	make_regular_file_path(folder, name, path);
	if (!needed && access(path, F_OK))
		return NULL;
	j = json_read_file(path, &what);
	if (!j)
		die(EXIT_RUN, "%s: %s", path, what.text);
	return j;
}

static bool has_file(const char *folder, const char *name)
{
	char path[PATH_ROOM];

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	return access(path, F_OK) == 0;
}

double json_number(const struct json_document *j, const char *path, ...)
{
	double v = NAN;
	char full[160];
	va_list list;

	va_start(list, path);
	vsnprintf(full, sizeof(full), path, list);
	va_end(list);
	if (j)
		json_get_real(j, full, &v);
	return v;
}

const char *json_get_text(const struct json_document *j, const char *path, ...)
{
	char full[160];
	va_list list;

	va_start(list, path);
	vsnprintf(full, sizeof(full), path, list);
	va_end(list);
	return j ? json_get_str(j, full) : NULL;
}

/* --- tables ---------------------------------------------------------------------------------------------------- */

struct rows_parser {
	const struct input_table *kind;
	void *into;
	char sort[ROWS_IN_COLUMNS]; /* kind of each column: '%', '$', or any other character for counts */
	size_t n;
};

static int parse_row(void *context, char *const *text)
{
	const struct rows_parser *r = context;
	struct input_cell cell[ROWS_IN_COLUMNS];

	for (size_t i = 0; i < r->n; i++) {
		struct input_cell *c = &cell[i];

		*c = (struct input_cell){ text[i], ROWS_IN_NONE, NAN };
		if (!text[i] || !*text[i] || r->sort[i] == '$')
			continue;
		if (r->sort[i] == '%' ? cli_parse_real(text[i], &c->real) || !isfinite(c->real)
				      : !rows_in_count(text[i], &c->count))
			return -EPROTO;
		c->real = r->sort[i] == '%' ? c->real : (double)c->count;
	}
	return r->kind->row(r->into, cell);
}

int rows_read(FILE *in, const struct input_table *kind, void *into, unsigned long *line)
{
	struct rows_parser r = { .kind = kind, .into = into };
	char words[1024], *rest = words, *word;
	const char *columns[ROWS_IN_COLUMNS + 1] = { NULL };
	size_t needed = ROWS_IN_COLUMNS;
	int err;

	snprintf(words, sizeof(words), "%s", kind->columns);
	while ((word = strsep(&rest, " "))) {
		if (*word == '|') {
			needed = r.n;
			continue;
		}
		r.sort[r.n] = *word;
		columns[r.n++] = word + strspn(word, "%$");
	}
	err = rows_in_read(in, kind->schema, columns, needed < r.n ? needed : r.n, parse_row, &r, line);
	if (err != -EPROTO || *line > 1 || !kind->otherwise)
		return err;
	rewind(in);
	return rows_read(in, kind->otherwise, into, line);
}

/* --- files of a repeat ----------------------------------------------------------------------------------------- */

struct cached_json {
	struct cached_json *next;
	struct json_document *json; /* NULL: the file does not exist */
	char name[];
};

static struct cached_json *cache_json(const char *name, struct json_document *json, struct cached_json *next)
{
	struct cached_json *f = memory_new(1, sizeof(*f) + strlen(name) + 1);

	*f = (struct cached_json){ next, json };
	strcpy(f->name, name);
	return f;
}

const struct json_document *repeat_get_json(const struct experiment_repeat *r, const char *file)
{
	struct cached_json *f = r->files;

	while (f && strcmp(f->name, file) != 0)
		f = f->next;
	if (!f)
		r->files->next = f = cache_json(file, run_folder_read_json(r->folder, file, false), r->files->next);
	return f->json;
}

bool repeat_has_file(const struct experiment_repeat *r, const char *file)
{
	return has_file(r->folder, file);
}

void repeat_read_table(const struct experiment_repeat *r, const char *file, bool needed, const struct input_table *kind, void *into)
{
	unsigned long line = 0;
	char path[PATH_ROOM];
	FILE *in;
	int err;

	make_regular_file_path(r->folder, file, path);
	in = fopen(path, "re");
	if (!in && errno == ENOENT && !needed)
		return;
	err = in ? rows_read(in, kind, into, &line) : -errno;
	if (err == -EPROTO)
		die(EXIT_RUN, "%s: line %lu cannot be read", path, line);
	if (err)
		die(EXIT_RUN, "%s: %s", path, strerror(-err));
	fclose(in);
}

void repeat_free_json(const struct experiment_repeat *r)
{
	for (size_t i = 0; i < r->trains; i++)
		repeat_free_json(&r->train[i]);
	for (struct cached_json *f; r->files && (f = r->files->next); free(f)) {
		r->files->next = f->next;
		json_free(f->json);
	}
}

const struct experiment_repeat *repeat_find_train(const struct experiment_repeat *r, const char *series)
{
	for (size_t i = 0; i < r->trains; i++)
		if (!strcmp(r->train[i].series, series))
			return &r->train[i];
	return NULL;
}

/* --- parameters ------------------------------------------------------------------------------------------------ */

double cell_number(const struct experiment_cell *c, const char *key)
{
	return json_number(c->run->json, "cells.%zu.parameters.%s", c->index, key);
}

const char *cell_text(const struct experiment_cell *c, const char *key)
{
	return json_get_text(c->run->json, "cells.%zu.parameters.%s", c->index, key);
}

const char *cell_explain_absence(const struct experiment_cell *c)
{
	return c->failed > c->cut_off ? "failed" : "not measured";
}

const struct experiment_repeat *repeat_pick_train(const struct experiment_cell *c, const struct experiment_repeat *r,
						  const char *series)
{
	bool any = false;

	for (size_t i = 0; i < c->n; i++)
		any = any || repeat_find_train(&c->repeat[i], series);
	return any ? repeat_find_train(r, series) : r;
}

/* --- cells ----------------------------------------------------------------------------------------------------- */

/* True: `word` can be part of a path and leads to no other folder. */
static bool is_safe_name(const char *word)
{
	return *word && *word != '.' && !strchr(word, '/');
}

/* Reads cell.json of a repeat (series "") or of its train in folder `series`. False: it is not complete, and has no figures of the
 * time until it failed ("kept"). */
static bool read_repeat_json(struct experiment_cell *c, int64_t number, const char *series, struct experiment_repeat *out)
{
	const char *state, *text;
	bool whole, kept = false;

	*out = (struct experiment_repeat){ .number = number, .index = c->n };
	memory_refuse_lost(asprintf(&out->folder, "%s/cells/%s/%lld%s%s", c->run->folder, c->name, (long long)number,
				    *series ? "/" : "", series) < 0);
	out->series = strrchr(out->folder, '\0') - strlen(series);
	out->json = run_folder_read_json(out->folder, "cell.json", false);
	c->tried += out->json && !*series;
	state = json_get_text(out->json, "state");
	if (out->json && !state)
		die(EXIT_RUN, "%s/cell.json: no state", out->folder);
	whole = state && !strcmp(state, "complete");
	json_get_bool(out->json, "kept", &kept);
	if (whole || kept) {
		text = json_get_text(out->json, "marked");
		out->flagged = text && *text;
		c->flagged += out->flagged;
		out->files = cache_json("cell.json", out->json, NULL);
	}
	c->complete += whole || kept;
	c->failed += !whole;
	c->kept += kept && !whole;
	text = json_get_text(out->json, "reason");
	c->cut_off += !whole && (!out->json || (text && !strncmp(text, "interrupted", strlen("interrupted"))));
	if (!whole)
		c->reason = text && *text ? text : "interrupted";
	return whole || kept;
}

/* Reads the trains in subfolders of a repeat, in the order of their names. */
static void read_trains(struct experiment_cell *c, struct experiment_repeat *r)
{
	struct dirent **entry;
	int n = scandir(r->folder, &entry, NULL, versionsort);

	if (n < 0)
		die(EXIT_RUN, "%s: %s", r->folder, strerror(errno));
	r->train = memory_new((size_t)n, sizeof(*r->train));
	for (int i = 0; i < n; i++) {
		char cell[300];

		snprintf(cell, sizeof(cell), "%s/cell.json", entry[i]->d_name);
		if (entry[i]->d_name[0] != '.' && has_file(r->folder, cell))
			r->trains += read_repeat_json(c, r->number, entry[i]->d_name, &r->train[r->trains]);
		free(entry[i]);
	}
	free(entry);
}

static void read_cell(struct experiment_run *run, const char *name, bool skip_missing)
{
	struct experiment_cell *c;
	char folder[300];

	if (!is_safe_name(name))
		die(EXIT_RUN, "%s/run.json: no valid name of a cell: %s", run->folder, name);
	for (size_t i = 0; i < run->n; i++)
		if (!strcmp(run->cell[i].name, name))
			die(EXIT_RUN, "%s/run.json: two cells of the name %s", run->folder, name);
	memory_more(run->cell, run->n);
	c = &run->cell[run->n];
	*c = (struct experiment_cell){
		.run = run, .index = run->n++, .name = name, .repeat = memory_new((size_t)run->repeats, sizeof(*c->repeat))
	};
	for (int64_t n = 1; n <= run->repeats; n++) {
		snprintf(folder, sizeof(folder), "cells/%s/%lld", name, (long long)n);
		if ((!skip_missing || has_file(run->folder, folder)) && read_repeat_json(c, n, "", &c->repeat[c->n]))
			read_trains(c, &c->repeat[c->n++]);
	}
}

void run_folder_read_run(const char *folder, struct experiment_run *out)
{
	const char *schema;

	*out = (struct experiment_run){ .folder = folder, .repeats = 1, .seed = 1, .threshold_ms = 100, .draws = 2000 };
	out->json = run_folder_read_json(folder, "run.json", true);
	schema = json_get_str(out->json, "schema");
	if (!schema || strcmp(schema, "thinprobe.run/1") != 0)
		die(EXIT_RUN, "%s/run.json: not of schema thinprobe.run/1", folder);
	out->experiment = json_get_str(out->json, "experiment");
	if (!out->experiment || !is_safe_name(out->experiment))
		die(EXIT_RUN, "%s/run.json: no valid name of an experiment", folder);
	json_get_int(out->json, "settings.repeats", &out->repeats);
	json_get_int(out->json, "settings.seed", &out->seed);
	json_get_real(out->json, "settings.threshold_ms", &out->threshold_ms);
	if (out->repeats < 1 || out->repeats > RUN_REPEATS_MAX)
		die(EXIT_RUN, "%s/run.json: settings.repeats is not 1 to %d", folder, RUN_REPEATS_MAX);
}

void run_folder_read_cells(struct experiment_run *run, bool skip_missing)
{
	const char *name;

	while ((name = json_get_text(run->json, "cells.%zu.name", run->n)))
		read_cell(run, name, skip_missing);
	if (!run->n)
		die(EXIT_RUN, "%s/run.json: no cells", run->folder);
}
