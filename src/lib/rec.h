/* SPDX-License-Identifier: GPL-3.0-or-later */
/* rec - a result told once, written as text, JSON or TSV; and tables of samples.
 *
 * A report is a tree: the tool describes it with rec_* calls, rec_close() renders it. JSON is one object
 * {"schema","tool","version","started","host","summary","settings":{},"result":{}}; TSV has the columns schema, key, value,
 * one row a leaf, keys joined with dots; rows are one array of the result, a line an element. Text is for people: a few lines
 * that the tool says beside the tree, and the tree under --verbose. Files appear whole: temporary file, fsync, rename. */
#ifndef THINPROBE_REC_H
#define THINPROBE_REC_H

#include "cli.h"
#include "sample.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum rec_format { REC_TEXT, REC_JSON, REC_TSV, REC_ROWS };
enum rec_detail { REC_SHORT, REC_QUIET, REC_VERBOSE };

struct rec_cfg {
	int format;		/* enum rec_format */
	const char *path;	/* NULL or "-": standard output */
	int detail;		/* enum rec_detail, of text */
};

extern const char *const rec_formats[];

#define REC_OPTIONS(cfg) REC_OPTIONS_QUIET(cfg, "quiet")
/* For a tool where that word has another meaning. */
#define REC_OPTIONS_QUIET(cfg, quiet) \
	{ CLI_WORD, 0, "format", &(cfg).format, 0, 0, "how to report (text)", rec_formats, NULL, NULL }, \
	REC_OPTIONS_SHORT(cfg, quiet)
/* For a tool that has formats of its own. */
#define REC_OPTIONS_SHORT(cfg, quiet) \
	{ CLI_SET, 0, "json", &(cfg).format, REC_JSON, 0, "same as --format json", NULL, NULL, NULL }, \
	{ CLI_SET, 0, "tsv", &(cfg).format, REC_ROWS, 0, "same as --format rows: the main table of the result", NULL, NULL, NULL }, \
	{ CLI_SET, 'q', quiet, &(cfg).detail, REC_QUIET, 0, "text: only the warnings", NULL, NULL, NULL }, \
	{ CLI_SET, 'v', "verbose", &(cfg).detail, REC_VERBOSE, 0, "text: settings and all figures, too", NULL, NULL, NULL }, \
	{ CLI_STR, 'o', "output", &(cfg).path, 0, 0, "write the report to this file (standard output)", NULL, NULL, "FILE" }

/* Dies with EXIT_USAGE where two of these would write to the same file (devices apart); `path` NULL: not given, "-": standard
 * output. To be called before any is opened, which would empty it. */
struct rec_place {
	const char *option, *path;
};
void rec_check_apart(const struct rec_place *place, size_t n);

struct rec;

/* Opens the output, so that a bad path does not cost a run, and starts the report of `tool`.
 * NULL with errno set when it cannot. Owned by the caller until rec_close(). */
struct rec *rec_open(const struct rec_cfg *cfg, const char *tool);

/* A container below the current one, until rec_end(). In an array, `key` is NULL. "settings" and "result" are
 * objects that the tool opens itself. Running out of memory is remembered and reported by rec_close(). */
void rec_object(struct rec *r, const char *key);
void rec_array(struct rec *r, const char *key);
void rec_end(struct rec *r);

void rec_int(struct rec *r, const char *key, int64_t value);
void rec_count(struct rec *r, const char *key, int64_t value);	/* null where it is below 0: not known */
void rec_known(struct rec *r, const char *key, bool known, int64_t value);	/* null where it is not known */
/* NAN and infinities become null. `decimals` digits after the point; no negative zero. */
void rec_real(struct rec *r, const char *key, double value, int decimals);
void rec_str(struct rec *r, const char *key, const char *value);	/* NULL becomes null; copied */
void rec_bool(struct rec *r, const char *key, bool value);
/* {n,min,mean,sd,p25,p50,p75,p90,p95,p99,p999,max}, values divided by `unit`. A tail percentile with fewer than ten
 * values beyond it is null. Where "later than" values reach a figure, it is null and its lower bound stands in
 * "above": {"p99": 812.4, ...}, with "censored": how many. Sorts the sample. */
void rec_timing(struct rec *r, const char *key, struct sample *s, double unit);

/* The short report, what text is made of; say.h formats its figures. At most 8 lines: the answer first, the last line what to
 * do next, and only if something is wrong. A line over 80 columns goes on in the next. Where nothing was said, text is the
 * tree. `r` may be NULL. */
void rec_say(struct rec *r, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* What spoils the result: comes first, after "! ", also under --quiet. Unless it stands on standard output, it is a warning on
 * standard error as well. The first of these, or else of what was said, is "summary" in JSON. */
void rec_warn(struct rec *r, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* A table: `align` has 'l' or 'r' for each column and is kept by reference; cells stand between tabs; an empty head is not
 * printed. A row of two cells in a wider table is a name and a text. Cells beyond the last column follow the row. Of more than 5
 * rows, 5 are shown: the first, the last, the worst (of the greatest rec_rank(), which is of the row before it). */
void rec_table(struct rec *r, const char *align, const char *head, ...) __attribute__((format(printf, 3, 4)));
void rec_row(struct rec *r, const char *format, ...) __attribute__((format(printf, 2, 3)));
void rec_rank(struct rec *r, double badness);
/* Which array of the result --tsv writes; a string that lasts. Without it, --tsv is --format tsv. */
void rec_main_table(struct rec *r, const char *key);
/* Takes the first element of the open array out of the report and keeps it as the header of --tsv, which so has all columns
 * where the array has no rows; the element's values are never printed. To be called when that element has ended. */
void rec_make_header(struct rec *r);

/* Renders and puts the file in its place. 0 or -errno; `r` is gone either way. A reader of standard output that has left
 * (| head) is no error. */
int rec_close(struct rec *r);

/* For programs that have nothing else to do where it cannot be written: these two end them with EXIT_RUN and a line. */
struct rec *rec_must_open(const struct rec_cfg *cfg, const char *tool);
void rec_must_close(struct rec *r);

/* Rows of whole numbers and words, tab-separated, one header line; the first column is "schema" and holds
 * `schema` in every row, so that rows keep their meaning when files are joined. The file is there, and valid
 * up to its last line, at every instant: killed is usable. */
struct rows;
struct rows *rows_open(const char *path, const char *schema, const char *const *columns);	/* NULL, errno */
void rows_int(struct rows *t, int64_t value);
void rows_count(struct rows *t, int64_t value);	/* empty where it is below 0: not known */
void rows_time(struct rows *t, int64_t ns);	/* empty where it is 0: it never came */
void rows_real(struct rows *t, double value);	/* nine digits; empty where it is not finite */
void rows_none(struct rows *t);			/* an empty cell: not known, or not there */
void rows_str(struct rows *t, const char *value);
void rows_end(struct rows *t);			/* ends the row; more or fewer cells than columns is remembered */
int rows_flush(struct rows *t);			/* 0 or -errno of the first write that failed; nothing after it is whole */
int rows_close(struct rows *t);			/* 0 or -errno, -EPROTO for a row of the wrong length */

#endif
