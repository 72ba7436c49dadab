// SPDX-License-Identifier: GPL-3.0-or-later
#include "logs_in.h"
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

#define NESTED 4 /* transactions may hold others, so deep */

const char *const logs_in_kinds[] = { "auto", "jtl", "clf", "tsv", "w3c", NULL };

static const char *const usual_time_columns[] = { "timeStamp",	 "start_ns", "sent_ns", "due_ns",    "time_ns",
						  "received_ns", "start_ms", "time_s",	"timestamp", "time" };

static const char no_time_why[] = "no column of the header is known to be a time; --column NAME; of words between blanks print the "
				  "time alone: awk '{ print $2 }' FILE | thinprobe arrivals -";

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

bool logs_in_parse_date(const char *text, int64_t *out, int64_t *tick_ns, const char **end)
{
	/* web servers', RFC 3339 and JMeter's (CSVSaveService.java); each with a fraction and a time zone, or without */
	static const char *const forms[] = { "%d/%b/%Y:%H:%M:%S", "%Y-%m-%dT%H:%M:%S", "%Y-%m-%d %H:%M:%S", "%m/%d/%y %H:%M:%S",
					     "%Y/%m/%d %H:%M:%S" };
	struct tm t, zone = { 0 };
	const char *p = NULL;
	int64_t part_ns = 0, step = S;

	for (size_t i = 0; i < sizeof(forms) / sizeof(*forms) && !p; i++) {
		t = (struct tm){ 0 };
		p = strptime(text, forms[i], &t);
	}
	if (!p || t.tm_year < 70 || t.tm_year > 300)
		return false;
	if ((*p == '.' || *p == ',') && isdigit((unsigned char)p[1]))
		for (p++; isdigit((unsigned char)*p); p++) {
			step /= 10;
			part_ns += step * (*p - '0');
		}
	*end = strptime(p, "%z", &zone);
	if (!*end)
		*end = p;
	*tick_ns = step > 1 ? step : 1;
	*out = (timegm(&t) - zone.tm_gmtoff) * S + part_ns;
	return *out >= 0;
}

/* Reads a whole cell: a number in `unit_ns` (0: unknown, so none), or a date. */
static bool parse_cell(const char *text, int64_t unit_ns, int64_t *out, int64_t *tick_ns)
{
	const char *end;

	return (unit_ns && logs_in_parse_time(text, unit_ns, out, tick_ns)) ||
	       (logs_in_parse_date(text, out, tick_ns, &end) && !*end);
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

/* Leaves out the rows of JMeter's transactions where the samples that they hold are in the log, too (not so with "Generate parent
 * sample"). */
static void drop_transactions(struct logged_arrivals *l)
{
	uint64_t held = 0, rows = 0;
	size_t n = 0;

	for (size_t i = 0; i < l->n; i++) {
		held += l->arrival[i].held;
		rows += l->arrival[i].held > 0;
	}
	if (held > NESTED * (l->n - rows))
		return;
	for (size_t i = 0; i < l->n; i++) {
		if (l->arrival[i].held)
			free(l->arrival[i].name);
		else
			l->arrival[n++] = l->arrival[i];
	}
	l->n = n;
	l->transactions = rows;
	l->passed += rows;
}

/* --- lines ----------------------------------------------------------------------------------------------------- */

struct log_table_reader {
	const struct log_reader_cfg *cfg;
	struct logged_arrivals *out;
	char separator;
	bool quotes, headless;
	size_t fields;
	int time, date, source, where[LOGS_IN_WHERE]; /* date: w3c has it apart from the time; -1: none */
	int64_t unit_ns, tick_ns;		      /* tick_ns: finest resolution of any time in the log so far */
};

/* Adds an arrival, of a transaction of `held` samples (0: none). source NULL: sources are not read. */
static void add_arrival(struct log_table_reader *t, int64_t time_ns, int64_t tick_ns, const char *source, size_t held)
{
	struct logged_arrivals *l = t->out;

	t->tick_ns = tick_ns < t->tick_ns ? tick_ns : t->tick_ns;
	memory_more(l->arrival, l->n);
	l->arrival[l->n++] = (struct logged_arrival){ .time_ns = time_ns,
						      .held = (uint32_t)held,
						      .name = source ? must_alloc(strdup(source)) : NULL };
}

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
	int64_t first = 0, date, tick;
	bool ms, dated;

	t->time = cfg->column ? fields_find_name(cell, t->fields, cfg->column) : -1;
	for (size_t i = 0; !cfg->column && t->time < 0 && i < sizeof(usual_time_columns) / sizeof(*usual_time_columns); i++)
		t->time = fields_find_name(cell, t->fields, usual_time_columns[i]);
	t->date = t->out->kind == LOGS_IN_W3C && !cfg->column ? fields_find_name(cell, t->fields, "date") : -1;
	dated = parse_cell(cell[0], 0, &date, &tick);
	t->headless = t->time < 0 && (dated || logs_in_parse_time(cell[0], 1, &first, &tick));
	ms = t->headless && t->separator != '\t' && first > MS_OF_1980 && first < MS_OF_2200;
	if (t->headless)
		t->time = cfg->column ? find_log_column(t, cell, cfg->column) : ms || dated ? 0 : -1;
	*why = t->headless   ? "no header line: give the number of the column of times, as in --column 1, and --unit"
	       : cfg->column ? "the header has no such --column"
			     : no_time_why;
	if (t->time < 0)
		return -EPROTO;
	if (t->headless)
		snprintf(t->out->name, sizeof(t->out->name), "%d", t->time + 1);
	else
		snprintf(t->out->name, sizeof(t->out->name), "%s", cell[t->time]);
	t->unit_ns = cfg->unit_ns					      ? cfg->unit_ns
		     : (ms && !t->time) || !strcmp(t->out->name, "timeStamp") ? MS
									      : fields_time_unit(t->out->name);
	return 0;
}

static int read_cells(struct log_table_reader *t, char *const *cell, const char **why)
{
	const char *time = cell[t->time];
	int64_t time_ns, tick_ns;
	char both[64];

	for (size_t i = 0; i < t->cfg->wheres; i++)
		if (strcmp(cell[t->where[i]], t->cfg->where[i].value) != 0) {
			t->out->passed++;
			return 0;
		}
	if (t->date >= 0 && snprintf(both, sizeof(both), "%s %s", cell[t->date], time) < (int)sizeof(both))
		time = both;
	if (!*time) {
		t->out->untimed++;
		t->out->passed++;
		return 0;
	}
	*why = !t->unit_ns && logs_in_parse_time(time, 1, &time_ns, &tick_ns)
		       ? t->headless ? "no header line names the unit of the times; give --unit"
				     : "no unit: the column's name does not end in _ns, _us, _ms or _s; give --unit"
		       : "not a time: expected a number, or a date such as 2026-01-05 08:00:00.123";
	if (!parse_cell(time, t->unit_ns, &time_ns, &tick_ns))
		return -EPROTO;
	add_arrival(t, time_ns, tick_ns, t->source >= 0 ? cell[t->source] : NULL, fields_count_held(cell, t->fields));
	return 0;
}

/* Finds the columns by the first line; one of numbers is a row, not a header. */
static int read_log_header(struct log_table_reader *t, char *line, const char **why)
{
	const struct log_reader_cfg *cfg = t->cfg;
	char *cell[FIELDS];

	t->fields = fields_split(line, t->separator, cell, FIELDS);
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
	return t->headless ? read_cells(t, cell, why) : 0;
}

static int read_row(struct log_table_reader *t, char *line, const char **why)
{
	char *cell[FIELDS];

	*why = t->headless ? "number of cells differs from the first line's" : "number of cells differs from the header's";
	return fields_split(line, t->separator, cell, FIELDS) == t->fields ? read_cells(t, cell, why) : -EPROTO;
}

/* Reads a line such as: host ident user [10/Oct/2000:13:55:36 -0700] "GET / HTTP/1.0" 200 2326 */
static int read_clf_line(struct log_table_reader *t, char *line, const char **why)
{
	char *host_end = strchr(line, ' '), *open = host_end ? strchr(host_end, '[') : NULL;
	int64_t time_ns, tick_ns;
	const char *end;

	*why = "not a line of the Common Log Format: host ident user [10/Oct/2000:13:55:36 -0700] ...";
	while (open && !logs_in_parse_date(open + 1, &time_ns, &tick_ns, &end)) /* user names may contain brackets, too */
		open = strchr(open + 1, '[');
	if (!open)
		return -EPROTO;
	*host_end = '\0';
	add_arrival(t, time_ns, tick_ns, t->cfg->source ? line : NULL, 0);
	return 0;
}

/* Returns which of the separators is most often in the line, quoted cells aside; a tab if none is. */
static char guess_separator(const char *line)
{
	size_t most = 0, n;
	char best = '\t';

	for (const char *c = "\t,;|"; *c; c++) {
		bool quoted = false;

		n = 0;
		for (const char *p = line; *p; p++) {
			quoted ^= *p == '"';
			n += *p == *c && !quoted;
		}
		if (n > most) {
			most = n;
			best = *c;
		}
	}
	return best;
}

static enum logs_in_kind guess_log_kind(const char *line)
{
	int64_t t, tick;
	const char *end;

	if (*line == '#')
		return LOGS_IN_W3C;
	for (const char *open = strchr(line, '['); open; open = strchr(open + 1, '['))
		if (logs_in_parse_date(open + 1, &t, &tick, &end))
			return LOGS_IN_CLF;
	return guess_separator(line) == '\t' ? LOGS_IN_TSV : LOGS_IN_JTL;
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

/* A line of the W3C's extended log: "#Fields: date time ..." is the header, wherever it comes; other lines with # say nothing. */
static int read_w3c_line(struct log_table_reader *t, char *line, const char **why)
{
	char *names = line + strcspn(line, " \t");

	t->separator = ' ';
	if (!strncmp(line, "#Fields:", 8))
		return read_log_header(t, names + strspn(names, " \t"), why);
	if (*line == '#')
		return 0;
	t->separator = strchr(line, '\t') ? '\t' : ' ';
	*why = "no line with #Fields: comes before";
	return t->fields ? read_row(t, line, why) : -EPROTO;
}

/* Reads the first line: finds the format of the log and the columns. */
static int read_first_line(void *context, char *line, const char **why)
{
	struct log_table_reader *t = context;
	const char *end;
	int64_t ns, tick;

	*why = "lines of JSON: jq -r .TIME FILE | thinprobe arrivals - --column 1 --unit s, with the name of the time for TIME";
	if (*line == '{')
		return -EPROTO;
	if (t->out->kind == LOGS_IN_AUTO)
		t->out->kind = guess_log_kind(line);
	if (t->out->kind == LOGS_IN_CLF)
		return read_clf_line(t, line, why);
	if (t->out->kind == LOGS_IN_W3C)
		return read_w3c_line(t, line, why);
	t->separator = t->out->kind == LOGS_IN_JTL ? guess_separator(line) : '\t';
	t->quotes = t->separator != '\t';
	*why = no_time_why;
	if (logs_in_parse_date(line, &ns, &tick, &end) && *end == ' ')
		return -EPROTO;
	return read_log_header(t, line, why);
}

static int read_log_line(void *context, char *line, const char **why)
{
	struct log_table_reader *t = context;

	return t->out->kind == LOGS_IN_CLF   ? read_clf_line(t, line, why)
	       : t->out->kind == LOGS_IN_W3C ? read_w3c_line(t, line, why)
					     : read_row(t, line, why);
}

int logs_in_read(FILE *in, const struct log_reader_cfg *cfg, struct logged_arrivals *out, unsigned long *line, const char **why)
{
	struct log_table_reader t = { .cfg = cfg, .out = out, .date = -1, .tick_ns = S };
	int err;

	*out = (struct logged_arrivals){ .kind = (enum logs_in_kind)cfg->kind, .tick_ns = 1 };
	*line = 0;
	err = lines_read_table(in, &t.quotes, read_first_line, read_log_line, &t, line, why);
	if (err)
		return err;
	drop_transactions(out);
	if (cfg->source)
		assign_source_numbers(out);
	infer_tick(out, t.tick_ns);
	return 0;
}

void logs_in_free(struct logged_arrivals *l)
{
	free_names(l);
	free(l->arrival);
	*l = (struct logged_arrivals){ 0 };
}
