// SPDX-License-Identifier: GPL-3.0-or-later
#include "rec_tree.h"
#include "clock.h"
#include "files.h"
#include "memory.h"
#include "proc.h"

#include <errno.h>
#include <libgen.h>
#include <limits.h>
#include <math.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#define DEPTH_MAX 16

const char *const rec_formats[] = { "text", "json", "tsv", NULL };

struct rec_report {
	struct rec_cfg cfg;
	FILE *out;
	char *place, *temporary; /* final and temporary path; NULL if the output is written directly (stdout, devices, pipes) */
	struct rec_lines lines;
	const char *main_table;
	struct rec_node root, *host;
	struct rec_node *stack[DEPTH_MAX];
	int depth;
	int err;
};

/* The temporary file to be removed if the program exits before rec_close(). A forked child that exits does not remove the
 * file of its parent. */
static char pending[4096];
static pid_t pending_of;

void rec_abandon(void)
{
	if (pending[0] && getpid() == pending_of)
		unlink(pending);
}

void rec_adopt(void)
{
	pending_of = getpid();
}

static void set_pending_file(const char *path)
{
	static bool registered;

	snprintf(pending, sizeof(pending), "%s", path);
	pending_of = getpid();
	if (registered)
		return;
	registered = !atexit(rec_abandon);
	proc_before_death = rec_abandon;
	if (signal(SIGQUIT, proc_die_by) == SIG_IGN)
		signal(SIGQUIT, SIG_IGN);
}

static struct rec_node *add_report_node(struct rec_report *r, const char *key, enum rec_kind kind, const char *text)
{
	struct rec_node *parent = r->stack[r->depth], *n = memory_new(1, sizeof(*n));

	n->kind = kind;
	n->key = key ? must_alloc(strdup(key)) : NULL;
	n->text = text ? must_alloc(strdup(text)) : NULL;
	if (parent->last)
		parent->last->next = n;
	else
		parent->first = n;
	parent->last = n;
	return n;
}

static void open_container(struct rec_report *r, const char *key, enum rec_kind kind)
{
	struct rec_node *n = add_report_node(r, key, kind, NULL);

	if (r->depth + 1 >= DEPTH_MAX)
		r->err = -E2BIG;
	else
		r->stack[++r->depth] = n;
}

void rec_begin_object(struct rec_report *r, const char *key)
{
	open_container(r, key, OBJECT);
}

void rec_begin_array(struct rec_report *r, const char *key)
{
	open_container(r, key, ARRAY);
}

void rec_end(struct rec_report *r)
{
	if (r->depth > 0)
		r->depth--;
}

void rec_add_int(struct rec_report *r, const char *key, int64_t value)
{
	char text[32];

	snprintf(text, sizeof(text), "%lld", (long long)value);
	add_report_node(r, key, NUMBER, text);
}

void rec_add_count(struct rec_report *r, const char *key, int64_t value)
{
	rec_add_known_int(r, key, value >= 0, value);
}

void rec_add_known_int(struct rec_report *r, const char *key, bool known, int64_t value)
{
	if (known)
		rec_add_int(r, key, value);
	else
		rec_add_str(r, key, NULL);
}

void rec_add_real(struct rec_report *r, const char *key, double value, int decimals)
{
	char text[64];

	if (!isfinite(value)) {
		add_report_node(r, key, WORD, "null");
		return;
	}
	snprintf(text, sizeof(text), fabs(value) < 1e15 ? "%.*f" : "%.*e", decimals, value);
	add_report_node(r, key, NUMBER, strspn(text, "-0.") == strlen(text) && *text == '-' ? text + 1 : text);
}

void rec_add_str(struct rec_report *r, const char *key, const char *value)
{
	add_report_node(r, key, value ? STRING : WORD, value ? value : "null");
}

void rec_add_bool(struct rec_report *r, const char *key, bool value)
{
	add_report_node(r, key, WORD, value ? "true" : "false");
}

void rec_add_int_list(struct rec_report *r, const struct rec_named_int *v)
{
	for (; v->key; v++)
		rec_add_int(r, v->key, v->value);
}

void rec_add_real_list(struct rec_report *r, const struct rec_named_real *v)
{
	for (; v->key; v++)
		rec_add_real(r, v->key, v->value, v->decimals);
}

void rec_add_str_list(struct rec_report *r, const struct rec_named_str *v)
{
	for (; v->key; v++)
		rec_add_str(r, v->key, v->value);
}

/* The standard deviation is known only where all values are. */
static struct figure compute_sd(const struct sample *early, const struct sample *late, const struct figure *mean)
{
	struct sample_stat sd = sample_sd(late);

	if (figure_is_range(mean) || (early != late && fabs(sample_sd(early).value - sd.value) > 0.01 * sd.value))
		return figure_absent("range");
	return figure_exact(sd.value);
}

static size_t compute_statistics(struct sample *early, struct sample *late, struct rec_named_figure *out)
{
	static const struct {
		const char *name;
		double p;
	} quantiles[] = {
		{ "p25", 0.25 }, { "p50", 0.5 },  { "p75", 0.75 },   { "p90", 0.9 },
		{ "p95", 0.95 }, { "p99", 0.99 }, { "p999", 0.999 },
	};
	size_t n = 0;

	out[n++] = (struct rec_named_figure){ "min", figure_make_range(sample_min(early), sample_min(late)) };
	out[n++] = (struct rec_named_figure){ "mean", figure_make_range(sample_mean(early), sample_mean(late)) };
	out[n] = (struct rec_named_figure){ "sd", compute_sd(early, late, &out[1].figure) };
	n++;
	for (size_t i = 0; i < sizeof(quantiles) / sizeof(*quantiles); i++) {
		double p = quantiles[i].p;
		bool enough = sample_supports(late, p);

		out[n++] = (struct rec_named_figure){ quantiles[i].name, enough || !late->n
										 ? figure_make_range(sample_quantile(early, p),
												     sample_quantile(late, p))
										 : figure_absent("too few") };
	}
	out[n++] = (struct rec_named_figure){ "max", figure_make_range(sample_max(early), sample_max(late)) };
	return n;
}

/* The key of the report that stands for a figure that is no number ("above", "range", "why"); NULL: none does. */
static const char *bound_kind(const struct figure *f)
{
	return figure_is_range(f) ? "range" : f->above ? "above" : !figure_known(f) && f->why ? "why" : NULL;
}

void rec_add_bounds(struct rec_report *r, const struct rec_named_figure *row, size_t n, double unit)
{
	static const char *const kinds[] = { "above", "range", "why" };

	for (size_t k = 0; k < sizeof(kinds) / sizeof(*kinds); k++) {
		bool begun = false;

		for (size_t i = 0; i < n; i++) {
			const char *kind = bound_kind(&row[i].figure);

			if (!kind || strcmp(kind, kinds[k]))
				continue;
			if (!begun)
				rec_begin_object(r, kind);
			begun = true;
			if (*kind == 'r')
				rec_add_range(r, row[i].name, &row[i].figure, unit);
			else if (*kind == 'a')
				rec_add_real(r, row[i].name, row[i].figure.value / unit, 3);
			else
				rec_add_str(r, row[i].name, row[i].figure.why);
		}
		if (begun)
			rec_end(r);
	}
}

void rec_add_figures(struct rec_report *r, const struct rec_named_figure *row, size_t n, double unit)
{
	for (size_t i = 0; i < n; i++)
		rec_add_real(r, row[i].name, row[i].figure.above ? NAN : row[i].figure.value / unit, 3);
}

void rec_add_range(struct rec_report *r, const char *key, const struct figure *f, double unit)
{
	rec_begin_object(r, key);
	rec_add_real(r, "from", f->from / unit, 3);
	rec_add_real(r, "to", f->to / unit, 3);
	rec_end(r);
}

void rec_add_sample_range(struct rec_report *r, const char *key, struct sample *early, struct sample *late, double unit)
{
	struct rec_named_figure row[16];
	size_t n = compute_statistics(early, late, row);

	rec_begin_object(r, key);
	rec_add_int(r, "n", (int64_t)late->n);
	rec_add_figures(r, row, n, unit);
	if (late->censored)
		rec_add_int(r, "censored", (int64_t)late->censored);
	rec_add_bounds(r, row, n, unit);
	rec_end(r);
}

void rec_add_sample(struct rec_report *r, const char *key, struct sample *s, double unit)
{
	rec_add_sample_range(r, key, s, s, unit);
}

static void add_head_fields(struct rec_report *r, const char *tool)
{
	char host[65] = "", when[24], schema[64];

	gethostname(host, sizeof(host) - 1);
	clock_utc_text(when, sizeof(when));
	snprintf(schema, sizeof(schema), "thinprobe.%s/1", tool);
	rec_add_str(r, "schema", schema);
	rec_add_str(r, "tool", tool);
	rec_add_str(r, "version", THINPROBE_VERSION);
	rec_add_str(r, "started", when);
	rec_add_str(r, "host", host);
	r->host = r->root.last;
}

void rec_set_header(struct rec_report *r)
{
	struct rec_node *table = r->stack[r->depth];

	if (table->kind != ARRAY || table->header || table->first != table->last)
		return;
	table->header = table->first;
	table->first = table->last = NULL;
}

void rec_add_line(struct rec_report *r, enum rec_line_kind kind, const char *align, const char *format, ...)
{
	va_list args;

	if (!r)
		return;
	va_start(args, format);
	rec_append_line(&r->lines, kind, align, format, args);
	va_end(args);
}

void rec_rank_row(struct rec_report *r, double badness)
{
	if (r && r->lines.last)
		r->lines.last->rank = badness;
}

void rec_set_table(struct rec_report *r, const char *key)
{
	if (r)
		r->main_table = key;
}

/* Whether `path` is written directly, not replaced by a rename: a device, a pipe, or the name of a descriptor (/dev/stdout,
 * which may lead to a regular file). */
static bool is_written_directly(const char *path)
{
	struct stat st;

	return files_is_descriptor(path) || (!stat(path, &st) && !S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode));
}

/* Opens a temporary file in the folder of the report. 0 or -errno. */
static int open_temporary(struct rec_report *r)
{
	struct stat st;

	/* a symbolic link is followed: its target is replaced, not the link */
	r->place = realpath(r->cfg.path, NULL);
	if (!r->place)
		r->place = must_alloc(strdup(r->cfg.path));
	if (!stat(r->place, &st) && S_ISDIR(st.st_mode))
		return -EISDIR;
	memory_refuse_lost(asprintf(&r->temporary, "%s.%d.%llx", r->place, (int)getpid(), (unsigned long long)clock_now()) < 0);
	r->out = fopen(r->temporary, "wxe"); /* x: never over a file that is there */
	if (!r->out)
		return -errno;
	set_pending_file(r->temporary);
	return 0;
}

static int open_output(struct rec_report *r)
{
	if (!r->cfg.path || !strcmp(r->cfg.path, "-")) {
		r->out = stdout;
		return 0;
	}
	if (!is_written_directly(r->cfg.path))
		return open_temporary(r);
	r->out = fopen(r->cfg.path, "we");
	return r->out ? 0 : -errno;
}

struct rec_report *rec_open(const struct rec_cfg *cfg, const char *tool)
{
	struct rec_report *r = memory_new(1, sizeof(*r));
	int err;

	r->cfg = *cfg;
	r->root.kind = OBJECT;
	r->stack[0] = &r->root;
	err = open_output(r);
	if (err) {
		free(r->temporary);
		free(r->place);
		free(r);
		errno = -err;
		return NULL;
	}
	add_head_fields(r, tool);
	return r;
}

static void free_children(struct rec_node *n)
{
	for (struct rec_node *c = n->first, *next; c; c = next) {
		next = c->next;
		free_children(c);
		if (c->header)
			free_children(&(struct rec_node){ .first = c->header });
		free(c->key);
		free(c->text);
		free(c);
	}
}

/* Inserts "summary" behind "host". */
static void add_summary(struct rec_report *r)
{
	const char *summary = rec_find_summary(&r->lines);
	struct rec_node *behind = r->host ? r->host->next : NULL, *last = r->root.last, *n;

	if (!summary || !behind)
		return;
	r->depth = 0;
	n = add_report_node(r, "summary", STRING, summary);
	last->next = NULL;
	r->root.last = last;
	r->host->next = n;
	n->next = behind;
}

static void write_report_as_text(struct rec_report *r)
{
	bool quiet = r->cfg.detail == REC_QUIET, verbose = r->cfg.detail == REC_VERBOSE;
	bool said = rec_write_lines(r->out, &r->lines, quiet, verbose);

	if (said && verbose)
		fputc('\n', r->out);
	if (!quiet && (verbose || !said))
		rec_write_tree(r->out, REC_TEXT, &r->root, NULL);
}

/* Whether standard output and standard error are the same file, such as a terminal. */
static bool is_stderr_stdout(void)
{
	struct stat out, err;

	return !fstat(STDOUT_FILENO, &out) && !fstat(STDERR_FILENO, &err) && out.st_dev == err.st_dev && out.st_ino == err.st_ino;
}

static void write_formatted(struct rec_report *r)
{
	if (r->cfg.format == REC_TEXT) {
		write_report_as_text(r);
		r->err = files_flush_stream(r->out); /* warn() flushes it, too, and nobody hears its error */
	}
	if (r->cfg.format != REC_TEXT || r->out != stdout || !is_stderr_stdout())
		for (const struct rec_line *l = r->lines.first; l; l = l->next)
			if (l->kind == LINE_WARNED)
				warn("%s", l->text);
	if (r->cfg.format == REC_TEXT)
		return;
	add_summary(r);
	rec_write_tree(r->out, (enum rec_format)r->cfg.format, &r->root, r->main_table);
}

int rec_close(struct rec_report *r)
{
	int err;

	signal(SIGPIPE, SIG_IGN);
	if (!r->err)
		write_formatted(r);
	err = r->err ? r->err : files_flush_stream(r->out);
	if (err == -EPIPE && r->out == stdout)
		err = 0;
	if (r->temporary) {
		if (!err && fsync(fileno(r->out)))
			err = -errno;
		if (fclose(r->out) && !err)
			err = -errno;
		if (!err && rename(r->temporary, r->place))
			err = -errno;
		if (err)
			unlink(r->temporary);
		set_pending_file("");
	} else if (r->out != stdout && fclose(r->out) && !err) {
		err = -errno;
	}
	free_children(&r->root);
	rec_free_lines(&r->lines);
	free(r->temporary);
	free(r->place);
	free(r);
	return err;
}

struct rec_report *rec_must_open(const struct rec_cfg *cfg, const char *tool)
{
	struct rec_report *r = rec_open(cfg, tool);

	if (!r)
		die(EXIT_RUN, "cannot write %s: %m", cfg->path);
	return r;
}

void rec_must_close(struct rec_report *r)
{
	int err = rec_close(r);

	if (err)
		die(EXIT_RUN, "cannot write the report: %s", strerror(-err));
}

/* The absolute path of a file that exists or will be created, without symbolic links. False if its folder does not exist. */
static bool resolve_output(const char *path, char *out)
{
	char copy[PATH_MAX], folder[PATH_MAX];

	if (realpath(path, out))
		return true;
	if (strlen(path) >= sizeof(copy))
		return false;
	strcpy(copy, path);
	if (!realpath(dirname(copy), folder))
		return false;
	strcpy(copy, path);
	return snprintf(out, PATH_MAX, "%s/%s", folder, basename(copy)) < PATH_MAX;
}

static bool is_same_output(const char *a, const char *b)
{
	char x[PATH_MAX], y[PATH_MAX];
	struct stat s, t;

	if (!strcmp(a, "-") || !strcmp(b, "-"))
		return !strcmp(a, b);
	if (!stat(a, &s) && !stat(b, &t)) /* a file may have two names (hard links) */
		return !S_ISCHR(s.st_mode) && s.st_dev == t.st_dev && s.st_ino == t.st_ino;
	return resolve_output(a, x) && resolve_output(b, y) && !strcmp(x, y);
}

void rec_refuse_same_outputs(const struct rec_output_path *place, size_t n)
{
	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < i; k++)
			if (place[i].path && place[k].path && is_same_output(place[i].path, place[k].path))
				die_usage("%s and %s would both write %s; give each its own", place[k].option, place[i].option,
					  place[i].path);
}

void rec_refuse_output_of_input(const struct rec_output_path *place, size_t n, const char *input)
{
	for (size_t i = 0; i < n; i++)
		if (place[i].path && strcmp(input, "-") != 0 && is_same_output(place[i].path, input))
			die_usage("%s would overwrite %s, which is an input", place[i].option, input);
}
