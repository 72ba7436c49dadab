// SPDX-License-Identifier: GPL-3.0-or-later
/* fits_extract - rows of the queueing models that `queue fit` fitted to a run: RUN/fit/PART-all.json, fitted to all measured rows
 * of a part (text parameter `part` of the cells), and PART-first.json, fitted to the rows with the lowest rates to predict the
 * others. Tables:
 *	slope		service demand of a request at each resource
 *	compare		each measured row beside the model
 *	curve		the same as points of a curve: measured (later: not used for the fit), fit
 *	world		from RUN/fit/PART-users.json (`queue users`): number of real users that each row stands for
 * A part without such a file has no rows. */
#include "summarize/engine.h"

static const char *const fits_fitted[] = { "all", "first", NULL };

struct fit_reader {
	const struct experiment_cell *first; /* first cell of the part */
	struct table_out *out;
	const char *const *next;    /* next element of fits_fitted to read; NULL: none read yet */
	struct json_document *json; /* the whole report of queue; NULL: none read yet */
};

/* Reads the next report of the part. False: there is none, or `first` is not the first cell of a part. */
static bool read_next_report(struct fit_reader *f)
{
	const char *part = cell_text(f->first, "part"), *folder = f->first->run->folder;
	char name[300];

	json_free(f->json);
	f->next = f->next ? f->next : fits_fitted;
	for (; part && cell_is_first(f->first, "part") && *f->next; f->next++) {
		snprintf(name, sizeof(name), "fit/%s-%s.json", part, *f->next);
		f->json = run_folder_read_json(folder, name, false);
		if (!f->json)
			continue;
		f->next++;
		return true;
	}
	return false;
}

/* Begins a row whose columns are copied from an object of the report. */
static void begin_row(const struct fit_reader *f, const char *object, const char *columns)
{
	row_set_text(f->out, "part", cell_text(f->first, "part"));
	row_set_text(f->out, "fitted", f->next[-1]);
	row_set_json(f->out, f->json, object, columns);
}

/* Writes the path of the i-th measured row to `path` and returns the row's name, which is that of a cell. NULL: there is none. */
static const char *get_row_name(const struct fit_reader *f, size_t i, char path[static 64])
{
	snprintf(path, 64, "result.rows.%zu", i);
	return json_get_text(f->json, "%s.run", path);
}

static void begin_demand_row(const struct fit_reader *f, const char *object, const char *columns)
{
	const struct experiment_run *run = f->first->run;
	bool disturbed = false;
	const char *name;
	char path[64];
	size_t rows;

	for (rows = 0; (name = get_row_name(f, rows, path)); rows++)
		for (const struct experiment_cell *c = run->cell; c < run->cell + run->n; c++)
			disturbed = disturbed || (!strcmp(c->name, name) && c->flagged);
	begin_row(f, object, columns);
	row_set_json(f->out, f->json, "result", "rows=rows_used error_percent");
	row_numbers(f->out, { "of_rows", (double)rows }, { "disturbed", disturbed });
}

static void write_demands(const struct experiment_cell *c, struct table_out *out)
{
	char path[64];

	for (struct fit_reader f = { .first = c, .out = out }; read_next_report(&f);) {
		for (size_t i = 0; snprintf(path, sizeof(path), "result.demands.%zu", i), json_get_text(f.json, "%s.name", path);
		     i++) {
			begin_demand_row(&f, path, "name source=from demand_ms=demand_s*1e3 low_ms=low_s*1e3 high_ms=high_s*1e3");
			row_write(out);
		}
		begin_demand_row(&f, "result.delay", "demand_ms=delay_s*1e3 low_ms=low_s*1e3 high_ms=high_s*1e3");
		row_set_text(out, "name", "delay");
		row_set_text(out, "source", "response time");
		row_write(out);
	}
}

static void write_comparison(const struct experiment_cell *c, struct table_out *out)
{
	char path[64];

	for (struct fit_reader f = { .first = c, .out = out }; read_next_report(&f);)
		for (size_t i = 0; get_row_name(&f, i, path); i++) {
			begin_row(&f, path,
				  "cell=run used=fitted lambda_per_s=lambda_measured lambda_fit_per_s=lambda "
				  "response_ms=r_measured_s*1e3 response_fit_ms=r_s*1e3 off_percent");
			row_write(out);
		}
}

static void write_curve(const struct experiment_cell *c, struct table_out *out)
{
	char path[64], fitted[96];

	for (struct fit_reader f = { .first = c, .out = out }; read_next_report(&f);)
		for (size_t i = 0; get_row_name(&f, i, path); i++) {
			bool used = false;

			snprintf(fitted, sizeof(fitted), "%s.fitted", path);
			json_get_bool(f.json, fitted, &used);
			begin_row(&f, path, "n z_s lambda=lambda_measured r_s=r_measured_s");
			row_set_text(out, "kind", used ? "measured" : "later");
			row_finish(out, { "q", json_number(f.json, "%s.lambda_measured", path) *
						       json_number(f.json, "%s.r_measured_s", path) });
			begin_row(&f, path, "n z_s lambda q r_s");
			row_set_text(out, "kind", "fit");
			row_write(out);
		}
}

static void write_real_users(const struct experiment_cell *c, struct table_out *out)
{
	const char *part = cell_text(c, "part");
	struct json_document *json = NULL;
	char name[300], path[64];

	if (part && cell_is_first(c, "part")) {
		snprintf(name, sizeof(name), "fit/%s-users.json", part);
		json = run_folder_read_json(c->run->folder, name, false);
	}
	for (size_t i = 0; json && (snprintf(path, sizeof(path), "result.rows.%zu", i), json_get_text(json, "%s.run", path)); i++) {
		row_set_text(out, "part", part);
		row_set_json(out, json, path,
			     "users=n cell=run think_s=z_s lambda_per_s=lambda response_ms=r_s*1e3 q n_calculated "
			     "pages_per_s=lambda_pages q_pages users_10s=web.0.users users_20s=web.1.users users_30s=web.2.users "
			     "users_40s=web.3.users users_50s=web.4.users");
		row_write(out);
	}
	json_free(json);
}

const struct extractor_hooks fits_extractor = {
	.name = "fits",
	.tables = { { "slope", write_demands },
		    { "compare", write_comparison },
		    { "curve", write_curve },
		    { "world", write_real_users } },
};
