// SPDX-License-Identifier: GPL-3.0-or-later
#include "samples_in.h"
#include "array.h"
#include "cli.h"
#include "fields.h"
#include "lines.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define FIELDS 256

struct sample_table_reader {
	const struct latency_table_reader_cfg *cfg;
	struct latency_samples *out;
	bool commas;
	size_t fields;
	/* indices of columns; -1: no such column. With `due`, the columns `at` and `later` are times, and latencies count from `due`. */
	int at, high, earliest, due, sent, later, skipped, success, users, stamp;
	double unit_ms, began;		/* began: largest time of a row so far in column `stamp`, in units of the latency; `stamp` -1: none */
	const unsigned long *line;
};

static int read_sample_header(void *context, char *line, const char **why)
{
	static const char *const usual[] = { "answer_ns", "elapsed", "latency_ms", "response_ms", "r_ms", "latency_ns" };
	struct sample_table_reader *t = context;
	const char *name = t->cfg->column;
	char *cell[FIELDS];

	t->commas = !strchr(line, '\t');
	t->fields = fields_split_line(line, t->commas, cell, FIELDS);
	t->at = name ? fields_index_of_name(cell, t->fields, name) : -1;
	for (size_t i = 0; !name && t->at < 0 && i < sizeof(usual) / sizeof(*usual); i++)
		t->at = fields_index_of_name(cell, t->fields, usual[i]);
	*why = name ? "the header has no such --column" : "no column of the header is known to be a latency; --column NAME";
	if (t->at < 0)
		return -EPROTO;
	t->due = strcmp(cell[t->at], "answer_ns") ? -1 : fields_index_of_name(cell, t->fields, "due_ns");
	t->high = t->due < 0 ? -1 : fields_index_of_name(cell, t->fields, "answer_high_ns");
	t->earliest = t->due < 0 ? -1 : fields_index_of_name(cell, t->fields, "earliest_ns");
	t->sent = t->due < 0 ? -1 : fields_index_of_name(cell, t->fields, "sent_ns");
	t->later = t->due < 0 ? -1 : fields_index_of_name(cell, t->fields, "censored_ns");
	t->skipped = t->due < 0 ? -1 : fields_index_of_name(cell, t->fields, "skipped");
	t->success = strcmp(cell[t->at], "elapsed") ? -1 : fields_index_of_name(cell, t->fields, "success");
	t->stamp = t->due >= 0 ? t->due : t->success >= 0 ? fields_index_of_name(cell, t->fields, "timeStamp") : -1;
	t->unit_ms = t->cfg->unit_ms > 0 ? t->cfg->unit_ms : !strcmp(cell[t->at], "elapsed") ? 1 :
		(double)fields_time_unit_of_column(cell[t->at]) / 1e6;
	*why = "--from and --to select keys by due_ns, which the header lacks";
	if (t->due < 0 && (t->cfg->from_ns > 0 || t->cfg->to_ns < INT64_MAX))
		return -EPROTO;
	*why = "no unit: the column's name does not end in _ns, _us, _ms or _s; give --unit";
	if (!(t->unit_ms > 0))
		return -EPROTO;
	t->users = fields_index_of_name(cell, t->fields, t->cfg->users ? t->cfg->users : "allThreads");
	if (t->users < 0 && !t->cfg->users)
		t->users = fields_index_of_name(cell, t->fields, "users");
	*why = "the header has no such --users";
	if (t->users < 0 && t->cfg->users)
		return -EPROTO;
	*why = t->out->why.text;
	for (size_t i = 0; i < 8; i++) {
		const int used[] = { t->at, t->high, t->due, t->sent, t->later, t->skipped, t->success, t->users };

		if (fields_name_is_repeated(cell, t->fields, used[i], &t->out->why))
			return -EPROTO;
	}
	snprintf(t->out->name, sizeof(t->out->name), "%s%s", cell[t->at], t->due < 0 ? "" : " - due_ns");
	return 0;
}

static bool read_finite_number(const char *cell, double *out)
{
	return !cli_parse_real_number(cell, out) && isfinite(*out);
}

/* Difference of two times in whole numbers: times in ns exceed 2^53 after a hundred days. */
static bool read_difference_of_time_cells(const char *from, const char *to, double *ns)
{
	int64_t a, b;

	if (cli_parse_integer(from, &a) || cli_parse_integer(to, &b))
		return false;
	*ns = (double)(b - a);
	return true;
}

static int read_sample_row(void *context, char *line, const char **why)
{
	struct sample_table_reader *t = context;
	struct latency_sample one = { .users = NAN };
	char *cell[FIELDS];
	const char *value, *late;
	bool skip, unwatched = false;
	int64_t due;
	double v, high, began;

	*why = "number of cells differs from the header's";
	if (fields_split_line(line, t->commas, cell, FIELDS) != t->fields)
		return -EPROTO;
	value = cell[t->at];
	if (!*value && t->later >= 0 && *cell[t->later]) {
		one.later = true;
		value = cell[t->later];
	} else if (!*value && t->sent >= 0 && *cell[t->sent]) {	/* no earlier than it was sent */
		one.later = unwatched = true;
		value = cell[t->sent];
	}
	late = value;
	if (!one.later && t->high >= 0 && *cell[t->high]) {
		late = cell[t->high];
	} else if (!one.later && t->later >= 0 && *value && *cell[t->later]) {	/* no late end is known */
		one.later = true;
		late = cell[t->later];
	}
	if (t->earliest >= 0 && *value && *cell[t->earliest])
		value = cell[t->earliest];
	skip = (t->skipped >= 0 && !strcmp(cell[t->skipped], "1")) ||
	       (t->due >= 0 && !cli_parse_integer(cell[t->due], &due) && (due < t->cfg->from_ns || due > t->cfg->to_ns));
	if (!*value && !skip && !t->out->empty++)
		t->out->empty_line = *t->line;
	if (!*value || skip) {
		t->out->passed++;
		return 0;
	}
	*why = "not a latency";
	if (t->due < 0 ? !read_finite_number(value, &v) : !read_difference_of_time_cells(cell[t->due], value, &v))
		return -EPROTO;
	high = v;
	if (late != value && !read_difference_of_time_cells(cell[t->due], late, &high))
		return -EPROTO;
	if (t->stamp >= 0 && read_finite_number(cell[t->stamp], &began)) {
		t->out->disordered = t->out->disordered || began + high < t->began;
		t->began = fmax(t->began, began);
	}
	*why = "latency below 0";
	if (v < 0 || high < v)
		return -EPROTO;
	/* rounded to whole ns: a latency exactly at a threshold stays there, whatever its unit */
	one.early_ms = round(v * t->unit_ms * 1e6) / 1e6;
	one.ms = round(high * t->unit_ms * 1e6) / 1e6;
	one.failed = t->success >= 0 && !strcasecmp(cell[t->success], "false");
	*why = "not a number of users";
	if (t->users >= 0 && *cell[t->users] && (!read_finite_number(cell[t->users], &one.users) || one.users < 0))
		return -EPROTO;
	if (array_room(&t->out->one, t->out->n))
		return -ENOMEM;
	t->out->one[t->out->n++] = one;
	t->out->later += one.later;
	t->out->unwatched += unwatched;
	t->out->failed += one.failed;
	t->out->ranged += high > v;
	return 0;
}

int read_latency_samples_table(FILE *in, const struct latency_table_reader_cfg *cfg, struct latency_samples *out,
			       unsigned long *line,
			  const char **why)
{
	struct sample_table_reader t = { .cfg = cfg, .out = out, .line = line };
	int err;

	*out = (struct latency_samples){ 0 };
	err = for_each_line_of_table(in, &t.commas, read_sample_header, read_sample_row, &t, line, why);
	if (err || t.fields)
		return err;
	*why = "no header";
	return -EPROTO;
}

void latency_samples_free(struct latency_samples *s)
{
	free(s->one);
	*s = (struct latency_samples){ 0 };
}
