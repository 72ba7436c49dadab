// SPDX-License-Identifier: GPL-3.0-or-later
#include "samples_in.h"
#include "cli.h"
#include "lines.h"
#include "keys.h"
#include "memory.h"

#include <errno.h>
#include <math.h>
#include <strings.h>

#define FIELDS 256
#define LONGEST_MS 1e12 /* 64 bits hold so many nanoseconds */

struct table_reader {
	const struct samples_cfg *cfg;
	struct latency_samples *out;
	bool commas, keys; /* keys: a row holds the times of a key (keys.h) */
	size_t fields;
	int at, key[KEY_COLUMNS], success, users, stamp; /* indices of columns; -1: no such column */
	double unit_ms,
		began; /* began: largest time of a row so far in column `stamp`, in units of the latency; `stamp` -1: none */
	const unsigned long *line;
};

static int read_sample_header(void *context, char *line, const char **why)
{
	static const char *const usual[] = { "answer_ns", "elapsed", "latency_ms", "response_ms", "r_ms", "latency_ns" };
	struct table_reader *t = context;
	const char *name = t->cfg->column;
	char *cell[FIELDS];
	bool twice;

	t->commas = !strchr(line, '\t');
	t->fields = fields_split(line, t->commas ? ',' : '\t', cell, FIELDS);
	t->at = name ? fields_find_name(cell, t->fields, name) : -1;
	for (size_t i = 0; !name && t->at < 0 && i < sizeof(usual) / sizeof(*usual); i++)
		t->at = fields_find_name(cell, t->fields, usual[i]);
	*why = name ? "the header has no such --column" : "no column of the header is known to be a latency; --column NAME";
	if (t->at < 0)
		return -EPROTO;
	*why = "answer_ns is a time of the clock where due_ns is missing; --column answer_ns, if it is the latency itself";
	if (!name && !strcmp(cell[t->at], "answer_ns") && fields_find_name(cell, t->fields, "due_ns") < 0)
		return -EPROTO;
	for (int c = 0; c < KEY_COLUMNS; c++)
		t->key[c] = fields_find_name(cell, t->fields, key_columns[c]);
	t->keys = t->at == t->key[KEY_ANSWER] && t->key[KEY_DUE] >= 0;
	t->success = fields_find_name(cell, t->fields, "success");
	t->stamp = t->keys ? t->key[KEY_DUE] : strcmp(cell[t->at], "elapsed") ? -1 : fields_find_name(cell, t->fields, "timeStamp");
	t->unit_ms = t->cfg->unit_ms > 0	       ? t->cfg->unit_ms
		     : !strcmp(cell[t->at], "elapsed") ? 1
						       : (double)fields_time_unit(cell[t->at]) / 1e6;
	*why = "--from and --to select keys by due_ns, which the header lacks";
	if (!t->keys && (t->cfg->from_ns > 0 || t->cfg->to_ns < INT64_MAX))
		return -EPROTO;
	*why = "no unit: the column's name does not end in _ns, _us, _ms or _s; give --unit";
	if (!(t->unit_ms > 0))
		return -EPROTO;
	t->users = fields_find_name(cell, t->fields, t->cfg->users ? t->cfg->users : "allThreads");
	if (t->users < 0 && !t->cfg->users)
		t->users = fields_find_name(cell, t->fields, "users");
	*why = "the header has no such --users";
	if (t->users < 0 && t->cfg->users)
		return -EPROTO;
	*why = t->out->why.text;
	twice = fields_is_repeated(cell, t->fields, t->at, &t->out->why) ||
		fields_is_repeated(cell, t->fields, t->success, &t->out->why) ||
		fields_is_repeated(cell, t->fields, t->users, &t->out->why);
	for (int c = 0; t->keys && !twice && c < KEY_COLUMNS; c++)
		twice = fields_is_repeated(cell, t->fields, t->key[c], &t->out->why);
	snprintf(t->out->name, sizeof(t->out->name), "%s%s", cell[t->at], t->keys ? " - due_ns" : "");
	return twice ? -EPROTO : 0;
}

static bool read_finite_number(const char *cell, double *out)
{
	return !cli_parse_real(cell, out) && isfinite(*out);
}

/* The values of a row, in units of the column. */
struct sample_row {
	double early, late;
	bool known, skipped, unwatched;
};

static bool read_key_row(const struct table_reader *t, char *const *cell, struct sample_row *row, bool *later)
{
	char *own[KEY_COLUMNS];
	struct key_times key;
	int64_t early = 0, late = 0;
	bool bound;

	for (int c = 0; c < KEY_COLUMNS; c++)
		own[c] = t->key[c] < 0 ? NULL : cell[t->key[c]];
	if (!key_read_cells(own, &key))
		return false;
	row->skipped = key.skipped || key.due_ns < t->cfg->from_ns || key.due_ns > t->cfg->to_ns;
	row->unwatched = !key.answer_ns && !key.censored_ns && key.sent_ns;
	if (row->unwatched) /* answered no earlier than it was sent */
		key.censored_ns = key.sent_ns;
	row->known = key_find_latency(&key, KEY_EARLY, &early, &bound) && key_find_latency(&key, KEY_LATE, &late, later);
	row->early = (double)early;
	row->late = (double)late;
	return late >= early;
}

static int read_sample_row(void *context, char *line, const char **why)
{
	struct table_reader *t = context;
	struct latency_sample one = { .users = NAN };
	struct sample_row row = { 0 };
	char *cell[FIELDS];
	double began;

	*why = "number of cells differs from the header's";
	if (fields_split(line, t->commas ? ',' : '\t', cell, FIELDS) != t->fields)
		return -EPROTO;
	*why = "not the times of a key";
	if (t->keys && !read_key_row(t, cell, &row, &one.later))
		return -EPROTO;
	*why = "not a latency";
	if (!t->keys && *cell[t->at]) {
		row.known = true;
		if (!read_finite_number(cell[t->at], &row.early) || row.early < 0)
			return -EPROTO;
		row.late = row.early;
	}
	if (!row.known && !row.skipped && !t->out->empty++)
		t->out->empty_line = *t->line;
	if (!row.known || row.skipped) {
		t->out->passed++;
		return 0;
	}
	if (t->stamp >= 0 && read_finite_number(cell[t->stamp], &began)) {
		t->out->disordered = t->out->disordered || began + row.late < t->began;
		t->began = fmax(t->began, began);
	}
	*why = "a latency of more than 30 years: is --unit right?";
	if (row.late * t->unit_ms > LONGEST_MS)
		return -EPROTO;
	/* rounded to whole ns: a latency exactly at a threshold stays there, whatever its unit */
	one.early_ms = round(row.early * t->unit_ms * 1e6) / 1e6;
	one.late_ms = round(row.late * t->unit_ms * 1e6) / 1e6;
	one.failed = t->success >= 0 && strcasecmp(cell[t->success], "true") != 0;
	*why = "success is neither true nor false";
	if (one.failed && strcasecmp(cell[t->success], "false") != 0)
		return -EPROTO;
	*why = "not a number of users";
	if (t->users >= 0 && *cell[t->users] && (!read_finite_number(cell[t->users], &one.users) || one.users < 0))
		return -EPROTO;
	memory_more(t->out->one, t->out->n);
	t->out->one[t->out->n++] = one;
	t->out->later += one.later;
	t->out->unwatched += row.unwatched;
	t->out->failed += one.failed;
	t->out->transactions += fields_count_held(cell, t->fields) > 0;
	t->out->ranged += row.late > row.early;
	return 0;
}

int samples_read_table(FILE *in, const struct samples_cfg *cfg, struct latency_samples *out, unsigned long *line, const char **why)
{
	struct table_reader t = { .cfg = cfg, .out = out, .line = line };
	int err;

	*out = (struct latency_samples){ 0 };
	err = lines_read_table(in, &t.commas, read_sample_header, read_sample_row, &t, line, why);
	if (err || t.fields)
		return err;
	*why = "no header";
	return -EPROTO;
}

void samples_free(struct latency_samples *s)
{
	free(s->one);
	*s = (struct latency_samples){ 0 };
}
