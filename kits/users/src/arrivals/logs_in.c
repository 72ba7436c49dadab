// SPDX-License-Identifier: GPL-3.0-or-later
#include "logs_in.h"
#include "fields.h"
#include "lines.h"
#include "memory.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define FIELDS 256
#define MS 1000000LL
#define S 1000000000LL
#define MS_OF_1980 315532800000LL
#define MS_OF_2200 7258118400000LL
#define TIME_MOST (INT64_MAX / 4)

const char *const logs_in_kinds[] = { "auto", "jtl", "clf", "tsv", NULL };

static const char *const usual_time_columns[] = { "timeStamp",	 "start_ns", "sent_ns", "due_ns",    "time_ns",
						  "received_ns", "start_ms", "time_s",	"timestamp", "time" };

/* --- times ----------------------------------------------------------------------------------------------------- */

bool logs_in_parse_time(const char *text, int64_t unit_ns, int64_t *out, int64_t *tick_ns)
{
	int64_t whole = 0, part = 0, step = unit_ns;
	const char *p = text;

	for (; isdigit((unsigned char)*p); p++) {
		if (whole > (TIME_MOST / unit_ns - 9) / 10)
			return false;
		whole = whole * 10 + (*p - '0');
	}
	if (p == text)
		return false;
	if (*p == '.')
		for (p++; isdigit((unsigned char)*p); p++) {
			step /= 10;
			part += step * (*p - '0');
		}
	*out = whole * unit_ns + part;
	*tick_ns = step > 1 ? step : 1;
	return !*p;
}

bool logs_in_parse_date(const char *text, int64_t *out)
{
	struct tm t = { 0 };
	long zone_s;

	if (!strptime(text, "%d/%b/%Y:%H:%M:%S %z", &t) || t.tm_year < 70 || t.tm_year > 300)
		return false;
	zone_s = t.tm_gmtoff; /* timegm() overwrites it */
	*out = (timegm(&t) - zone_s) * S;
	return *out >= 0;
}

/* --- sources --------------------------------------------------------------------------------------------------- */

/* Order of names; digits count as numbers: "user 9" comes before "user 10". */
static int compare_names(const void *a, const void *b)
{
	const struct logged_arrival *const *x = a, *const *y = b;

	return strverscmp((*x)->name, (*y)->name);
}

static void free_names(struct logged_arrivals *l)
{
	for (size_t i = 0; i < l->n; i++) {
		free(l->arrival[i].name);
		l->arrival[i].name = NULL;
	}
}

/* Numbers the sources of all arrivals in the order of their names, which are freed. */
static void assign_source_numbers(struct logged_arrivals *l)
{
	struct logged_arrival **at = memory_new(l->n, sizeof(struct logged_arrival *));

	for (size_t i = 0; i < l->n; i++)
		at[i] = &l->arrival[i];
	qsort(at, l->n, sizeof(*at), compare_names);
	for (size_t i = 0; i < l->n; i++) {
		l->sources += !i || strcmp(at[i]->name, at[i - 1]->name) != 0;
		at[i]->source = l->sources - 1;
	}
	free(at);
	free_names(l);
}

/* Adds an arrival. source NULL: sources are not read. */
static void add_arrival(struct logged_arrivals *l, int64_t time_ns, const char *source)
{
	memory_more(l->arrival, l->n);
	l->arrival[l->n++] = (struct logged_arrival){ .time_ns = time_ns, .name = source ? must_alloc(strdup(source)) : NULL };
}

/* --- lines ----------------------------------------------------------------------------------------------------- */

struct log_table_reader {
	const struct log_reader_cfg *cfg;
	struct logged_arrivals *out;
	bool commas, headless;
	size_t fields;
	int time, source, where[LOGS_IN_WHERE];
	int64_t unit_ns, tick_ns; /* tick_ns: finest resolution of any time in the log so far */
};

/* Returns the index of a column by its name, or in a table without a header line by its number, from 1; -1: no such column. */
static int find_log_column(const struct log_table_reader *t, char *const *cell, const char *name)
{
	char *end;
	unsigned long place;

	if (!t->headless)
		return fields_find_name(cell, t->fields, name);
	place = strtoul(name, &end, 10);
	return end != name && !*end && place >= 1 && place <= t->fields ? (int)place - 1 : -1;
}

/* Finds the column of the times, and its unit. JMeter can be told to write no header line; its times come first, in ms since
 * 1970. */
static int find_time(struct log_table_reader *t, char *const *cell, const char **why)
{
	const struct log_reader_cfg *cfg = t->cfg;
	int64_t first, tick;
	bool ms;

	t->time = cfg->column ? fields_find_name(cell, t->fields, cfg->column) : -1;
	for (size_t i = 0; !cfg->column && t->time < 0 && i < sizeof(usual_time_columns) / sizeof(*usual_time_columns); i++)
		t->time = fields_find_name(cell, t->fields, usual_time_columns[i]);
	t->headless = t->time < 0 && logs_in_parse_time(cell[0], 1, &first, &tick);
	ms = t->headless && t->commas && first > MS_OF_1980 && first < MS_OF_2200;
	if (t->headless)
		t->time = cfg->column ? find_log_column(t, cell, cfg->column) : ms ? 0 : -1;
	*why = t->headless   ? "no header line: give the number of the column of times, as in --column 1, and --unit"
	       : cfg->column ? "the header has no such --column"
			     : "no column of the header is known to be a time; --column NAME";
	if (t->time < 0)
		return -EPROTO;
	if (t->headless)
		snprintf(t->out->name, sizeof(t->out->name), "%d", t->time + 1);
	else
		snprintf(t->out->name, sizeof(t->out->name), "%s", cell[t->time]);
	t->unit_ns = cfg->unit_ns					      ? cfg->unit_ns
		     : (ms && !t->time) || !strcmp(t->out->name, "timeStamp") ? MS
									      : fields_time_unit(t->out->name);
	*why = t->headless ? "no header line names the unit of the times; give --unit"
			   : "no unit: the column's name does not end in _ns, _us, _ms or _s; give --unit";
	return t->unit_ns ? 0 : -EPROTO;
}

static int read_log_header(struct log_table_reader *t, char *line, const char **why)
{
	const struct log_reader_cfg *cfg = t->cfg;
	char *cell[FIELDS];

	t->fields = fields_split(line, t->commas, cell, FIELDS);
	*why = "more than 256 columns";
	if (!t->fields || find_time(t, cell, why))
		return -EPROTO;
	t->source = cfg->source ? find_log_column(t, cell, cfg->source) : -1;
	*why = t->headless ? "no header line: --sources takes the number of a column, from 1" : "the header has no such --sources";
	if (cfg->source && t->source < 0)
		return -EPROTO;
	*why = t->headless ? "no header line: --where takes the number of a column, from 1"
			   : "the header lacks a column of --where";
	for (size_t i = 0; i < cfg->wheres; i++)
		if ((t->where[i] = find_log_column(t, cell, cfg->where[i].column)) < 0)
			return -EPROTO;
	*why = t->out->why.text;
	for (size_t i = 0; i < cfg->wheres + 2 && !t->headless; i++)
		if (fields_is_repeated(cell, t->fields,
				       i < cfg->wheres	  ? t->where[i]
				       : i == cfg->wheres ? t->time
							  : t->source,
				       &t->out->why))
			return -EPROTO;
	return 0;
}

static int read_cells(struct log_table_reader *t, char *const *cell, const char **why)
{
	int64_t time_ns, tick_ns;

	for (size_t i = 0; i < t->cfg->wheres; i++)
		if (strcmp(cell[t->where[i]], t->cfg->where[i].value) != 0) {
			t->out->passed++;
			return 0;
		}
	if (!*cell[t->time]) {
		t->out->untimed++;
		t->out->passed++;
		return 0;
	}
	*why = "not a time: expected a whole or decimal number";
	if (!logs_in_parse_time(cell[t->time], t->unit_ns, &time_ns, &tick_ns))
		return -EPROTO;
	if (tick_ns < t->tick_ns)
		t->tick_ns = tick_ns;
	add_arrival(t->out, time_ns, t->source >= 0 ? cell[t->source] : NULL);
	return 0;
}

static int read_row(struct log_table_reader *t, char *line, const char **why)
{
	char *cell[FIELDS];

	*why = t->headless ? "number of cells differs from the first line's" : "number of cells differs from the header's";
	return fields_split(line, t->commas, cell, FIELDS) == t->fields ? read_cells(t, cell, why) : -EPROTO;
}

/* Reads a line such as: host ident user [10/Oct/2000:13:55:36 -0700] "GET / HTTP/1.0" 200 2326 */
static int read_clf_line(const struct log_table_reader *t, char *line, const char **why)
{
	char *host_end = strchr(line, ' '), *open = host_end ? strchr(host_end, '[') : NULL;
	int64_t time_ns;

	*why = "not a line of the Common Log Format: host ident user [10/Oct/2000:13:55:36 -0700] ...";
	while (open && !logs_in_parse_date(open + 1, &time_ns)) /* user names may contain brackets, too */
		open = strchr(open + 1, '[');
	if (!open)
		return -EPROTO;
	*host_end = '\0';
	add_arrival(t->out, time_ns, t->cfg->source ? line : NULL);
	return 0;
}

static enum logs_in_kind guess_log_kind(const char *line)
{
	int64_t t;

	for (const char *open = strchr(line, '['); open; open = strchr(open + 1, '['))
		if (logs_in_parse_date(open + 1, &t))
			return LOGS_IN_CLF;
	return strchr(line, '\t') || !strchr(line, ',') ? LOGS_IN_TSV : LOGS_IN_JTL;
}

/* Infers the resolution of the times: if all are whole seconds, milliseconds, ..., they were most likely recorded so. Only decimal
 * steps: another common divisor may be the arrivals' own. So may be whole hundredths or tenths of a second. */
static void infer_tick(struct logged_arrivals *l, int64_t tick_ns)
{
	l->step_ns = tick_ns;
	for (bool all = true; all && l->step_ns < S; l->step_ns *= all ? 10 : 1)
		for (size_t i = 0; i < l->n && all; i++)
			all = l->arrival[i].time_ns % (l->step_ns * 10) == 0;
	l->tick_ns = tick_ns > MS ? tick_ns : l->step_ns < MS ? l->step_ns : MS;
}

/* Reads the first line: finds the format of the log and the columns. A first line of numbers is a row, not a header. */
static int read_first_line(void *context, char *line, const char **why)
{
	struct log_table_reader *t = context;
	char *copy;
	int err;

	if (t->out->kind == LOGS_IN_AUTO)
		t->out->kind = guess_log_kind(line);
	if (t->out->kind == LOGS_IN_CLF)
		return read_clf_line(t, line, why);
	t->commas = t->out->kind == LOGS_IN_JTL;
	copy = must_alloc(strdup(line));
	err = read_log_header(t, line, why);
	if (!err && t->headless)
		err = read_row(t, copy, why);
	free(copy);
	return err;
}

static int read_log_line(void *context, char *line, const char **why)
{
	struct log_table_reader *t = context;

	return t->out->kind == LOGS_IN_CLF ? read_clf_line(t, line, why) : read_row(t, line, why);
}

int logs_in_read(FILE *in, const struct log_reader_cfg *cfg, struct logged_arrivals *out, unsigned long *line, const char **why)
{
	struct log_table_reader t = { .cfg = cfg, .out = out, .tick_ns = S };
	int err;

	*out = (struct logged_arrivals){ .kind = (enum logs_in_kind)cfg->kind, .tick_ns = 1 };
	*line = 0;
	err = lines_read_table(in, &t.commas, read_first_line, read_log_line, &t, line, why);
	if (!err && cfg->source)
		assign_source_numbers(out);
	if (out->kind == LOGS_IN_CLF)
		out->tick_ns = out->step_ns = S;
	else if (!err)
		infer_tick(out, t.tick_ns);
	return err;
}

void logs_in_free(struct logged_arrivals *l)
{
	free_names(l);
	free(l->arrival);
	*l = (struct logged_arrivals){ 0 };
}
