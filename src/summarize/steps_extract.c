// SPDX-License-Identifier: GPL-3.0-or-later
/* steps_extract - what each step of an animation took, and whether its frames are sent again.
 *
 * cell.json has steps.NAME for each; figures are NAME.FIGURE (step.h), and of a step NAME beside frames that are new:
 *	NAME.share_percent	what a frame of it costs on the wire, in percent of one that was never shown before in the same session
 *	NAME.verdict		by that: STEPS_AGAIN % and more "again", STEPS_CACHED % and less "cached", "in part" between
 *	NAME.users_MBIT		how many whole users with such an animation a link of so many Mbit/s has room for
 * Held against new frames and not against the size of a picture, because a protocol may compress, with losses too: so only having
 * had the frame before makes the difference. */
#include "overtime.h"
#include "step.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define STEPS_AGAIN 80.0
#define STEPS_CACHED 20.0

/* The step of new frames that belongs to a step. */
static const char *steps_fresh(const char *name)
{
	return !strcmp(name, "banner") ? "banner-fresh" : "fresh";
}

static bool steps_read(const struct repeat *r, const char *name, struct step *out)
{
	char path[64];

	snprintf(path, sizeof(path), "steps.%s", name);
	return step_read(r->json, path, out);
}

/* Splits NAME.FIGURE; NULL: it is none. */
static const char *steps_split(const char *path, char *name, size_t size)
{
	const char *dot = strchr(path, '.');

	if (!dot || (size_t)(dot - path) >= size)
		return NULL;
	snprintf(name, size, "%.*s", (int)(dot - path), path);
	return dot + 1;
}

static int steps_number(void *state, const struct cell *c, const struct repeat *r, const char *path, double *out)
{
	struct step step, fresh;
	char name[32];
	const char *figure = steps_split(path, name, sizeof(name));

	(void)state;
	(void)c;
	if (!figure)
		return -ENOENT;
	steps_read(r, name, &step);
	if (strcmp(figure, "share_percent") != 0)
		return step_figure(&step, figure, out);
	steps_read(r, steps_fresh(name), &fresh);
	*out = fresh.bytes_per_frame > 0 ? 100 * (step.bytes_per_frame / fresh.bytes_per_frame) : (double)NAN;
	return 0;
}

static double steps_mean(const struct cell *c, const char *name, const char *figure)
{
	char path[64];
	double sum = 0, v;
	size_t n = 0;

	snprintf(path, sizeof(path), "%s.%s", name, figure);
	for (size_t i = 0; i < c->n; i++) {
		v = NAN;
		steps_number(NULL, c, &c->repeat[i], path, &v);
		if (isfinite(v)) {
			sum += v;
			n++;
		}
	}
	return n ? sum / (double)n : (double)NAN;
}

static int steps_users(void *state, const struct cell *c, const char *path, struct figure *out)
{
	char name[32];
	const char *figure = steps_split(path, name, sizeof(name));
	double each;

	(void)state;
	if (!figure || strncmp(figure, "users_", 6) != 0)
		return -ENOENT;
	each = steps_mean(c, name, "mbit_per_s");
	out->value = each > 0 ? floor(strtod(figure + 6, NULL) / each) : (double)NAN;
	return 0;
}

static const char *steps_verdict(void *state, const struct cell *c, const char *path)
{
	char name[32];
	double share;

	(void)state;
	if (!steps_split(path, name, sizeof(name)))
		return NULL;
	share = steps_mean(c, name, "share_percent");
	return isnan(share) ? NULL : share >= STEPS_AGAIN ? "again" : share <= STEPS_CACHED ? "cached" : "in part";
}

static int steps_overtime(const struct cell *c, const struct repeat *r, const char *name, struct table_out *out, struct why *why)
{
	struct overtime t;
	struct step step;
	int err = steps_read(r, name, &step) ? overtime_read(r, name, step.from_ns, &t, why) : -ENOENT;

	if (err)
		return err == -ENOENT ? 0 : err;
	for (size_t p = 1; p < t.n; p++) {	/* the first is no whole piece */
		double from_s = (double)(t.first + (int64_t)p) * OVERTIME_PIECE_S;

		if (from_s + OVERTIME_PIECE_S > step.seconds)
			break;
		row_text(out, "cell", c->name);
		row_params(out, c);
		row_text(out, "step", name);
		row_number(out, "time_s", from_s);
		row_number(out, "mbit_per_s", overtime_mbit_per_s(t.piece[p].bytes));
		row_number(out, "cpu_percent", t.piece[p].cpu_percent);
		row_end(out);
	}
	overtime_free(&t);
	return 0;
}

static int steps_rows(void *state, const char *table, struct table_out *out, struct why *why)
{
	const struct run *run = state;
	int err = 0;

	(void)table;
	for (size_t i = 0; !err && i < run->n; i++) {
		const struct cell *c = &run->cell[i];

		if (!c->n)
			continue;
		err = steps_overtime(c, &c->repeat[0], "fresh", out, why);
		if (!err)
			err = steps_overtime(c, &c->repeat[0], "loop", out, why);
	}
	return err;
}

static void *steps_open(const struct run *run, struct why *why)
{
	(void)why;
	return (void *)(uintptr_t)run;
}

static void steps_close(void *state)
{
	(void)state;
}

const struct extractor steps_extractor = {
	.name = "steps", .open = steps_open, .number = steps_number, .figure = steps_users, .text = steps_verdict,
	.rows = steps_rows, .close = steps_close,
};
