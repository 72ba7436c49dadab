// SPDX-License-Identifier: GPL-3.0-or-later
#include "observed.h"
#include "cli.h"
#include "lines.h"
#include "memory.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define FIELDS 64
#define ROWS_MOST 100000

/* Where the cells of a column are stored (offset in struct observed_row), and their unit. */
struct column_place {
	size_t offset;
	double unit;
	bool used, text, share;
};

struct rows_reader {
	struct observed_rows *out;
	const char *response;
	struct column_place place[FIELDS];
	size_t fields;
	bool commas;
};

#define OBSERVED_PLACE(member, unit) \
	{ \
		offsetof(struct observed_row, member), unit, true, false, false \
	}

static bool find_place(struct rows_reader *r, const char *name, const char *response, struct column_place *p)
{
	static const struct {
		const char *name;
		struct column_place place;
	} columns[] = {
		{ "n", OBSERVED_PLACE(n, 1) },	       { "users", OBSERVED_PLACE(n, 1) },
		{ "z_s", OBSERVED_PLACE(z_s, 1) },     { "z_ms", OBSERVED_PLACE(z_s, 1e-3) },
		{ "lambda", OBSERVED_PLACE(rate, 1) }, { "rate", OBSERVED_PLACE(rate, 1) },
		{ "x", OBSERVED_PLACE(rate, 1) },      { "mean_ms", OBSERVED_PLACE(mean_ms, 1) },
		{ "sd_ms", OBSERVED_PLACE(sd_ms, 1) }, { "run", { offsetof(struct observed_row, run), 1, true, true, false } },
	};

	if (response ? !strcmp(name, response) : !strcmp(name, "r_s") || !strcmp(name, "r_ms")) {
		*p = (struct column_place)OBSERVED_PLACE(r_s, (double)fields_time_unit(name) / 1e9);
	} else if (!strncmp(name, "u_", 2) && name[2] && r->out->resources < MVA_STATIONS) {
		size_t k = r->out->resources++;

		snprintf(r->out->resource[k], OBSERVED_NAME, "%s", name + 2);
		*p = (struct column_place){ offsetof(struct observed_row, u) + k * sizeof(double), 1, true, false, true };
	} else {
		for (size_t i = 0; i < sizeof(columns) / sizeof(*columns); i++)
			*p = strcmp(name, columns[i].name) ? *p : columns[i].place;
	}
	return p->used;
}

static int read_header(void *context, char *line, const char **why)
{
	struct rows_reader *r = context;
	const char *response = r->response;
	char *field[FIELDS];
	bool found = !response;
	size_t useful = 0;

	r->commas = !strchr(line, '\t');
	r->fields = fields_split(line, r->commas ? ',' : '\t', field, FIELDS);
	*why = "the header has more than 64 columns";
	if (!r->fields)
		return -EPROTO;
	for (size_t i = 0; i < r->fields; i++) {
		bool is = find_place(r, field[i], response, &r->place[i]);

		useful += is;
		for (size_t j = 0; is && j < i; j++)
			if (r->place[j].used && (r->place[j].offset == r->place[i].offset || !strcmp(field[j], field[i]))) {
				*why = "two columns of the header have the same meaning";
				return -EPROTO;
			}
		found = found || (is && !strcmp(field[i], response));
	}
	*why = found ? "no column of the header is known: n, z_s, lambda, r_ms, u_NAME, ..." : "the header has no such --column";
	return useful && found ? 0 : -EPROTO;
}

static int read_row(void *context, char *line, const char **why)
{
	struct rows_reader *r = context;
	struct observed_row blank = { .n = NAN, .z_s = NAN, .rate = NAN, .r_s = NAN, .mean_ms = NAN, .sd_ms = NAN }, *row;
	char *field[FIELDS];
	double value;

	*why = "number of cells differs from the header's";
	if (fields_split(line, r->commas ? ',' : '\t', field, FIELDS) != r->fields)
		return -EPROTO;
	*why = "more than 100,000 rows";
	if (r->out->rows >= ROWS_MOST)
		return -EPROTO;
	memory_more(r->out->row, r->out->rows);
	row = &r->out->row[r->out->rows++];
	*row = blank;
	for (size_t k = 0; k < MVA_STATIONS; k++)
		row->u[k] = NAN;
	for (size_t i = 0; i < r->fields; i++) {
		const struct column_place *p = &r->place[i];

		if (!p->used || !*field[i])
			continue;
		if (p->text) {
			snprintf(row->run, sizeof(row->run), "%s", field[i]);
			continue;
		}
		*why = "not a number from 0 on";
		if (cli_parse_real(field[i], &value) || !isfinite(value) || value < 0)
			return -EPROTO;
		*why = "utilization above 1 (write 0.71 for 71 %)";
		if (p->share && value > 1.05) /* utilizations may be rounded up a little */
			return -EPROTO;
		value *= p->unit;
		memcpy((char *)row + p->offset, &value, sizeof(value));
	}
	return 0;
}

int observed_read(FILE *in, const char *response, struct observed_rows *out, unsigned long *line, const char **why)
{
	struct rows_reader r = { .out = out, .response = response };
	int err;

	*out = (struct observed_rows){ 0 };
	*line = 0;
	*why = "the name of the response time's column does not end in _ns, _us, _ms or _s";
	if (response && !fields_time_unit(response))
		return -EPROTO;
	err = lines_read_table(in, &r.commas, read_header, read_row, &r, line, why);
	if (!err && !out->rows) {
		*why = "no rows";
		*line = 0;
		err = -EPROTO;
	}
	return err;
}

void observed_free(struct observed_rows *o)
{
	free(o->row);
	*o = (struct observed_rows){ 0 };
}
