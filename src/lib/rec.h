/* SPDX-License-Identifier: GPL-3.0-or-later */
/* rec - reports, written as text, JSON or TSV; and tables of samples.
 *
 * A report is a tree: the tool builds it with rec_* calls, rec_close() writes it. JSON is one object
 * {"schema","tool","version","started","host","summary","settings":{},"result":{}}; TSV is the main table, one array of the result
 * with a line for each element, or else the result as one line, with keys joined by dots as columns. Text is for people: the
 * lines of rec_say() and similar calls, with --verbose the tree, too. Files are replaced atomically: temporary
 * file, fsync, rename. */
#pragma once

#include "cli.h"
#include "figure.h"
#include "sample.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum rec_format { REC_TEXT, REC_JSON, REC_TSV };
enum rec_detail { REC_SHORT, REC_QUIET, REC_VERBOSE };

struct rec_cfg {
	int format;	  /* enum rec_format */
	const char *path; /* NULL or "-": standard output */
	int detail;	  /* enum rec_detail, for REC_TEXT */
};

extern const char *const rec_formats[];

#define REC_OPTIONS(cfg) REC_OPTIONS_QUIET(cfg, "quiet")
/* For a tool whose --quiet means something else: `quiet` is the name of the option. */
#define REC_OPTIONS_QUIET(cfg, quiet) \
	{ CLI_WORD, 0, "format", &(cfg).format, .help = "format of the report (text)", .words = rec_formats }, \
		REC_OPTIONS_SHORT(cfg, quiet)
/* Without --format, for a tool that has formats of its own. */
#define REC_OPTIONS_SHORT(cfg, quiet) \
	{ CLI_SET, 0, "json", &(cfg).format, REC_JSON, 0, .help = "same as --format json" }, \
		{ CLI_SET, 0, "tsv", &(cfg).format, REC_TSV, 0, .help = "same as --format tsv: the main table" }, \
		{ CLI_SET, 'q', quiet, &(cfg).detail, REC_QUIET, 0, .help = "text format: only warnings" }, \
		{ CLI_SET, 'v', "verbose", &(cfg).detail, REC_VERBOSE, 0, .help = "text format: also settings and all figures" }, \
	{ \
		CLI_FILE, 'o', "output", &(cfg).path, .help = "file of the report (standard output)" \
	}

/* Dies with EXIT_USAGE if two options would write to the same file (except devices); `path` NULL: not given, "-": standard
 * output. To be called before any of them is opened, which would truncate it. */
struct rec_output_path {
	const char *option, *path;
};
void rec_refuse_same_outputs(const struct rec_output_path *place, size_t n);
/* The same if one of them would write to `input`. */
void rec_refuse_output_of_input(const struct rec_output_path *place, size_t n, const char *input);

struct rec_report;

/* Opens the output, before the run, and starts the report of `tool`. NULL with errno set. Freed by rec_close(). */
struct rec_report *rec_open(const struct rec_cfg *cfg, const char *tool);

/* Open a container within the current one, until rec_end(). `key` is NULL within an array. The tool itself opens the
 * objects "settings" and "result". */
void rec_begin_object(struct rec_report *r, const char *key);
void rec_begin_array(struct rec_report *r, const char *key);
void rec_end(struct rec_report *r);

void rec_add_int(struct rec_report *r, const char *key, int64_t value);
void rec_add_count(struct rec_report *r, const char *key, int64_t value);		  /* below 0: null, not known */
void rec_add_known_int(struct rec_report *r, const char *key, bool known, int64_t value); /* null if not known */
/* NAN and infinities become null. `decimals` digits after the point; no negative zero. */
void rec_add_real(struct rec_report *r, const char *key, double value, int decimals);
void rec_add_str(struct rec_report *r, const char *key, const char *value); /* NULL becomes null; copied */
void rec_add_bool(struct rec_report *r, const char *key, bool value);
/* Several values of one kind: rec_add_ints(r, { "width", 800 }, { "height", 600 }); rec_add_reals(r, { "wait_ms", 2.5, 1 }); */
#define rec_add_ints(r, ...) rec_add_int_list(r, (const struct rec_named_int[]){ __VA_ARGS__, { NULL, 0 } })
#define rec_add_reals(r, ...) rec_add_real_list(r, (const struct rec_named_real[]){ __VA_ARGS__, { NULL, 0, 0 } })
#define rec_add_strs(r, ...) rec_add_str_list(r, (const struct rec_named_str[]){ __VA_ARGS__, { NULL, NULL } })
struct rec_named_int {
	const char *key;
	int64_t value;
};
struct rec_named_real {
	const char *key;
	double value;
	int decimals;
};
struct rec_named_str {
	const char *key, *value;
};
void rec_add_int_list(struct rec_report *r, const struct rec_named_int *v);
void rec_add_real_list(struct rec_report *r, const struct rec_named_real *v);
void rec_add_str_list(struct rec_report *r, const struct rec_named_str *v);
/* Adds {n,min,mean,sd,p25,p50,p75,p90,p95,p99,p999,max}, values divided by `unit`. A tail percentile with fewer than ten
 * values beyond it is null, with "why": {"p99": "too few"}. A statistic that is only a lower bound because of censored values is
 * null, and the bound is in "above": {"p99": 812.4}; "censored" is their number. Sorts the sample. */
void rec_add_sample(struct rec_report *r, const char *key, struct sample *s, double unit);
/* The same of values of which only the earliest and the latest possible ones are known, in two samples of one size. A statistic
 * whose two ends differ is null, and stands in "range": {"p50": {"from": 12.5, "to": 200.9}}; "to" is null where no late end is
 * known. */
void rec_add_sample_range(struct rec_report *r, const char *key, struct sample *early, struct sample *late, double unit);
/* Adds figures by themselves, null where one is no number; and what stands for those, in "above", "range" and "why". */
struct rec_named_figure {
	const char *name;
	struct figure figure;
};
void rec_add_figures(struct rec_report *r, const struct rec_named_figure *row, size_t n, double unit);
void rec_add_bounds(struct rec_report *r, const struct rec_named_figure *row, size_t n, double unit);
/* Adds {"from", "to"}. */
void rec_add_range(struct rec_report *r, const char *key, const struct figure *f, double unit);

enum rec_line_kind { LINE_SAID, LINE_WARNED, LINE_HEAD, LINE_ROW, LINE_SUMMARY };
void rec_add_line(struct rec_report *r, enum rec_line_kind kind, const char *align, const char *format, ...)
	__attribute__((format(printf, 4, 5)));
/* Adds a line to the short report, which REC_TEXT prints; say.h formats its numbers. At most 8 lines: the answer first, the
 * last line a cure, only if something is wrong. Lines are wrapped at 80 columns, or those of a narrower terminal. A report
 * without lines prints the tree. `r` may be NULL. */
#define rec_say(r, ...) rec_add_line(r, LINE_SAID, NULL, __VA_ARGS__)
/* Adds a warning: printed first, after "! ", also with --quiet; and to standard error unless it is on standard output. The
 * first warning, or else the line of rec_set_summary(), or else the first line of rec_say(), is "summary" in
 * JSON. */
#define rec_warn(r, ...) rec_add_line(r, LINE_WARNED, NULL, __VA_ARGS__)
/* Sets the answer in one line, where the first line of the text is something else. */
#define rec_set_summary(r, ...) rec_add_line(r, LINE_SUMMARY, NULL, __VA_ARGS__)
/* Adds a table: `align` has 'l' or 'r' for each column and is kept by reference; cells are separated by tabs; an empty head is not
 * printed. A row of two cells in a wider table is a name and a text. Cells beyond the last column follow the row. Rows wider than
 * 80 columns are wrapped, never cut. Of more than 5 rows, 5 are shown: the first, the last, the worst (greatest rec_rank_row(),
 * which applies to the row added last) and some between. */
#define rec_begin_table(r, align, ...) rec_add_line(r, LINE_HEAD, align, __VA_ARGS__)
#define rec_add_row(r, ...) rec_add_line(r, LINE_ROW, NULL, __VA_ARGS__)
void rec_rank_row(struct rec_report *r, double badness);
/* Sets the array of the result that --tsv writes; `key` must stay valid. Without this call, or where the result has no such array,
 * --tsv writes the result as one row. */
void rec_set_table(struct rec_report *r, const char *key);
/* Takes the first element of the open array out of the report and keeps it as the header of --tsv, which so has all columns
 * where the array has no rows; the element's values are never printed. To be called when that element has ended. */
void rec_set_header(struct rec_report *r);

/* Writes the report and frees `r` in any case. 0 or -errno; a closed pipe at standard output (| head) is no error. */
int rec_close(struct rec_report *r);

/* Removes the file of an open report, as exit() does: for a program that has to end by _exit(). Allocates nothing. */
void rec_abandon(void);
/* Makes this process, a child, the one that removes what its parent has begun. */
void rec_adopt(void);

/* As rec_open() and rec_close(), but end the program with EXIT_RUN and a message on failure. */
struct rec_report *rec_must_open(const struct rec_cfg *cfg, const char *tool);
void rec_must_close(struct rec_report *r);

/* A table of samples: tab-separated, with a header line; the first column is "schema", with `schema` in every row, so that
 * files can be concatenated. The file of a killed program is valid up to its last line. */
struct row_file;
struct row_file *rows_open_new(const char *path, const char *schema, const char *const *columns); /* NULL, errno */
/* The same, but appends to the file. The header is written only to an empty file, never to standard output. */
struct row_file *rows_append(const char *path, const char *schema, const char *const *columns);
/* NULL if `path` is NULL; ends the program with EXIT_RUN if the file cannot be written. */
struct row_file *rows_must_open(const char *path, const char *schema, const char *const *columns);
void rows_write_int(struct row_file *t, int64_t value);
void rows_write_count(struct row_file *t, int64_t value); /* below 0: empty, not known */
void rows_write_time(struct row_file *t, int64_t ns);	  /* 0: empty, did not happen */
/* A cell for each of the values that follow `t`. */
#define rows_write_ints(t, ...) rows_write_cells(t, rows_write_int, ROWS_VALUES(__VA_ARGS__))
#define rows_write_counts(t, ...) rows_write_cells(t, rows_write_count, ROWS_VALUES(__VA_ARGS__))
#define rows_write_times(t, ...) rows_write_cells(t, rows_write_time, ROWS_VALUES(__VA_ARGS__))
#define ROWS_VALUES(...) (const int64_t[]){ __VA_ARGS__ }, sizeof((const int64_t[]){ __VA_ARGS__ }) / sizeof(int64_t)
void rows_write_cells(struct row_file *t, void write(struct row_file *t, int64_t value), const int64_t *value, size_t n);
void rows_write_empty(struct row_file *t); /* an empty cell: not known */
void rows_write_str(struct row_file *t, const char *value);
void rows_end_row(struct row_file *t); /* ends the row; a wrong number of cells is reported by rows_close() */
int rows_flush(struct row_file *t);    /* 0 or -errno of the first write that failed; later rows may be lost */
int rows_close(struct row_file *t);    /* 0 (also for NULL) or -errno, -EPROTO for a row of the wrong length */
