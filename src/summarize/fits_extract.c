// SPDX-License-Identifier: GPL-3.0-or-later
/* fits_extract - rows of the models that `queue fit` made of a run: RUN/fit/PART-all.json of all
 * measured rows of a part (text parameter `part` of the cells), PART-first.json of those with the
 * lowest rates alone, which foretells the others. Tables:
 *	slope		what a request needs of each resource
 *	compare		each measured row beside the model
 *	curve		the same as points of a curve: measured (later: not known to the model), fit
 * A part without such a file has no rows. */
#include "engine.h"

#include <errno.h>
#include <math.h>
#include <string.h>

struct fit {
	const struct run *run;
	const char *part, *fitted;	/* "all", "first" */
	const struct json *json;	/* the whole report */
	struct table_out *out;
};

/* LIST.I.KEY of the report's result; NAN, NULL: unknown. */
static double fits_number(const struct fit *f, const char *list, size_t i, const char *key)
{
	return inputs_number(f->json, "result.%s.%zu.%s", list, i, key);
}

static const char *fits_text(const struct fit *f, const char *list, size_t i, const char *key)
{
	return inputs_text(f->json, "result.%s.%zu.%s", list, i, key);
}

static bool fits_used(const struct fit *f, size_t i)
{
	char path[64];
	bool used = false;

	snprintf(path, sizeof(path), "result.rows.%zu.fitted", i);
	json_get_bool(f->json, path, &used);
	return used;
}

static void fits_begin(const struct fit *f)
{
	row_text(f->out, "part", f->part);
	row_text(f->out, "fitted", f->fitted);
}

/* A measured row is named after its cell. */
static bool fits_flagged(const struct fit *f, const char *name)
{
	for (size_t i = 0; i < f->run->n; i++)
		if (!strcmp(f->run->cell[i].name, name))
			return f->run->cell[i].flagged > 0;
	return false;
}

static void fits_need(const struct fit *f, const char *name, const char *source, double demand_s, double low_s, double high_s)
{
	bool disturbed = false;
	const char *run;
	size_t rows;

	for (rows = 0; (run = fits_text(f, "rows", rows, "run")); rows++)
		disturbed = disturbed || fits_flagged(f, run);
	fits_begin(f);
	row_text(f->out, "name", name);
	row_text(f->out, "source", source);
	row_number(f->out, "demand_ms", demand_s * 1e3);
	row_number(f->out, "low_ms", low_s * 1e3);
	row_number(f->out, "high_ms", high_s * 1e3);
	row_number(f->out, "rows", inputs_number(f->json, "result.rows_used"));
	row_number(f->out, "of_rows", (double)rows);
	row_number(f->out, "error_percent", inputs_number(f->json, "result.error_percent"));
	row_number(f->out, "disturbed", disturbed);
	row_end(f->out);
}

static void fits_slope(const struct fit *f)
{
	const char *name;

	for (size_t i = 0; (name = fits_text(f, "demands", i, "name")); i++)
		fits_need(f, name, fits_text(f, "demands", i, "from"), fits_number(f, "demands", i, "demand_s"),
			  fits_number(f, "demands", i, "low_s"), fits_number(f, "demands", i, "high_s"));
	fits_need(f, "delay", "response time", inputs_number(f->json, "result.delay.delay_s"),
		  inputs_number(f->json, "result.delay.low_s"), inputs_number(f->json, "result.delay.high_s"));
}

static void fits_compare(const struct fit *f)
{
	const char *cell;

	for (size_t i = 0; (cell = fits_text(f, "rows", i, "run")); i++) {
		fits_begin(f);
		row_text(f->out, "cell", cell);
		row_number(f->out, "used", fits_used(f, i));
		row_number(f->out, "lambda_per_s", fits_number(f, "rows", i, "lambda_measured"));
		row_number(f->out, "lambda_fit_per_s", fits_number(f, "rows", i, "lambda"));
		row_number(f->out, "response_ms", fits_number(f, "rows", i, "r_measured_s") * 1e3);
		row_number(f->out, "response_fit_ms", fits_number(f, "rows", i, "r_s") * 1e3);
		row_number(f->out, "off_percent", fits_number(f, "rows", i, "off_percent"));
		row_end(f->out);
	}
}

static void fits_point(const struct fit *f, size_t i, const char *kind, double lambda, double q, double r_s)
{
	fits_begin(f);
	row_text(f->out, "kind", kind);
	row_number(f->out, "n", fits_number(f, "rows", i, "n"));
	row_number(f->out, "z_s", fits_number(f, "rows", i, "z_s"));
	row_number(f->out, "lambda", lambda);
	row_number(f->out, "q", q);
	row_number(f->out, "r_s", r_s);
	row_end(f->out);
}

static void fits_curve(const struct fit *f)
{
	for (size_t i = 0; fits_text(f, "rows", i, "run"); i++) {
		double lambda = fits_number(f, "rows", i, "lambda_measured"), r_s = fits_number(f, "rows", i, "r_measured_s");

		fits_point(f, i, fits_used(f, i) ? "measured" : "later", lambda, lambda * r_s, r_s);
		fits_point(f, i, "fit", fits_number(f, "rows", i, "lambda"), fits_number(f, "rows", i, "q"),
			   fits_number(f, "rows", i, "r_s"));
	}
}

static int fits_write(struct fit *f, void (*write)(const struct fit *), struct why *why)
{
	struct json *json;
	char name[300];

	snprintf(name, sizeof(name), "fit/%s-%s.json", f->part, f->fitted);
	if (!inputs_there(f->run->folder, name))
		return 0;
	f->json = json = inputs_json(f->run->folder, name, why);
	if (!json)
		return -EPROTO;
	write(f);
	json_free(json);
	return 0;
}

static bool fits_first_of_part(const struct run *run, const struct cell *c)
{
	const char *part = cell_text(c, "part"), *other;

	for (const struct cell *o = run->cell; part && o < c; o++)
		if ((other = cell_text(o, "part")) && !strcmp(other, part))
			return false;
	return part;
}

static int fits_rows(void *state, const char *table, struct table_out *out, struct why *why)
{
	struct fit f = { .run = state, .out = out };
	void (*write)(const struct fit *) = !strcmp(table, "slope") ? fits_slope : !strcmp(table, "compare") ? fits_compare :
					    !strcmp(table, "curve") ? fits_curve : NULL;
	int err = 0;

	if (!write)
		return why_set(why, -EINVAL, "fits has no rows for a table %s", table);
	for (size_t i = 0; !err && i < f.run->n; i++) {
		if (!fits_first_of_part(f.run, &f.run->cell[i]))
			continue;
		f.part = cell_text(&f.run->cell[i], "part");
		f.fitted = "all";
		err = fits_write(&f, write, why);
		f.fitted = "first";
		if (!err)
			err = fits_write(&f, write, why);
	}
	return err;
}

static void *fits_open(const struct run *run, struct why *why)
{
	(void)why;
	return (void *)(uintptr_t)run;
}

static void fits_close(void *state)
{
	(void)state;
}

const struct extractor fits_extractor = {
	.name = "fits", .open = fits_open, .rows = fits_rows, .close = fits_close,
};
