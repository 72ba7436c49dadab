/* SPDX-License-Identifier: GPL-3.0-or-later */
/* rec - a result told once, written as text, JSON or TSV; and tables of samples.
 *
 * A report is a tree: the tool describes it with rec_* calls, rec_close() renders it. JSON is one object
 * {"schema","tool","version","started","host","settings":{},"result":{}}; text is for people; TSV has the columns
 * schema, key, value, one row a leaf, keys joined with dots. Files appear whole: temporary file, fsync, rename. */
#ifndef THINPROBE_REC_H
#define THINPROBE_REC_H

#include "cli.h"
#include "sample.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum rec_format { REC_TEXT, REC_JSON, REC_TSV };

struct rec_cfg {
	int format;		/* enum rec_format */
	const char *path;	/* NULL or "-": standard output */
};

extern const char *const rec_formats[];

#define REC_OPTIONS(cfg) \
	{ CLI_WORD, 0, "format", &(cfg).format, 0, 0, "how to report (text)", rec_formats, NULL, NULL }, \
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
/* NAN and infinities become null. `decimals` digits after the point. */
void rec_real(struct rec *r, const char *key, double value, int decimals);
void rec_str(struct rec *r, const char *key, const char *value);	/* NULL becomes null; copied */
void rec_bool(struct rec *r, const char *key, bool value);
/* {n,min,mean,sd,p25,p50,p75,p90,p95,p99,p999,max}, values divided by `unit`. A tail percentile with fewer than ten
 * values beyond it is null. Where "later than" values reach a figure, it is null and its lower bound stands in
 * "above": {"p99": 812.4, ...}, with "censored": how many. Sorts the sample. */
void rec_timing(struct rec *r, const char *key, struct sample *s, double unit);

/* Renders and puts the file in its place. 0 or -errno; `r` is gone either way. */
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
void rows_none(struct rows *t);			/* an empty cell: not known, or not there */
void rows_str(struct rows *t, const char *value);
void rows_end(struct rows *t);			/* ends the row; more or fewer cells than columns is remembered */
int rows_flush(struct rows *t);			/* 0 or -errno of the first write that failed; nothing after it is whole */
int rows_close(struct rows *t);			/* 0 or -errno, -EPROTO for a row of the wrong length */

#endif
