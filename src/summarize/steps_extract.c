// SPDX-License-Identifier: GPL-3.0-or-later
/* steps_extract - cost of each step of an animation, and whether its frames are sent again when they repeat.
 *
 * cell.json has steps.NAME for each step; figures are NAME.FIGURE (step.h), and relative to new frames:
 *	NAME.share_percent	bytes of a frame on the wire, in percent of a frame never shown before in the same session
 *	NAME.verdict		share_percent of at least STEPS_AGAIN: "again"; at most STEPS_CACHED: "cached"; between: "in part"
 *	NAME.users_MBIT		whole number of users with such an animation that a link of MBIT Mbit/s carries
 * The comparison is with new frames and not with the size of a picture, because protocols compress, some with losses: only having
 * cached the frame makes the difference. */
#include "step.h"

#define STEPS_AGAIN 80.0
#define STEPS_CACHED 20.0

static double steps_figure(const struct repeat *r, const char *name, const char *figure)
{
	char path[96];
	double v = NAN;

	snprintf(path, sizeof(path), "steps.%s", name);
	step_figure(r->json, path, figure, &v);
	return v;
}

/* Computes NAME.FIGURE. */
static bool steps_number(const struct repeat *r, const char *path, double *out)
{
	const char *dot = strchr(path, '.');
	char name[64];
	double fresh;

	if (!dot)
		return false;
	if (strcmp(dot, ".share_percent") != 0) {
		snprintf(name, sizeof(name), "steps.%.*s", (int)(dot - path), path);
		return step_figure(r->json, name, dot + 1, out);
	}
	snprintf(name, sizeof(name), "%.*s", (int)(dot - path), path);
	fresh = steps_figure(r, !strcmp(name, "banner") ? "banner-fresh" : "fresh", "bytes_per_frame");
	*out = fresh > 0 ? 100 * (steps_figure(r, name, "bytes_per_frame") / fresh) : (double)NAN;
	return true;
}

static double steps_mean(const struct cell *c, const char *path)
{
	double sum = 0, n = 0, v;

	for (size_t i = 0; i < c->n; i++)
		if (steps_number(&c->repeat[i], path, &v) && isfinite(v)) {
			sum += v;
			n++;
		}
	return sum / n;
}

/* Computes NAME.users_MBIT. */
static bool steps_users_per_link(const struct cell *c, const char *path, struct figure *out)
{
	const char *dot = strchr(path, '.');
	char name[64];
	double each;

	if (!dot || strncmp(dot, ".users_", 7) != 0)
		return false;
	snprintf(name, sizeof(name), "%.*s.mbit_per_s", (int)(dot - path), path);
	each = steps_mean(c, name);
	out->value = each > 0 ? floor(strtod(dot + 7, NULL) / each) : (double)NAN;
	return true;
}

static const char *steps_verdict(double share_percent)
{
	return isnan(share_percent) ? NULL : share_percent >= STEPS_AGAIN ? "again" : share_percent <= STEPS_CACHED ? "cached" : "in part";
}

static void steps_finish_cell(const struct cell *c)
{
	give_text("loop.verdict", steps_verdict(steps_mean(c, "loop.share_percent")));
	give_text("banner.verdict", steps_verdict(steps_mean(c, "banner.share_percent")));
}

static void steps_write_step(const struct cell *c, const char *name, struct table_out *out)
{
	double seconds = steps_figure(c->repeat, name, "seconds");
	struct step_series t;

	if (isnan(seconds))
		return;
	t = step_series_read(c->repeat, name, steps_figure(c->repeat, name, "from_ns"));
	for (size_t p = 1; p < t.n; p++) {	/* the first bin is not complete */
		double from_s = (double)(t.first + (int64_t)p) * STEP_BIN_S;

		if (from_s + STEP_BIN_S > seconds)
			break;
		row_params(out, c);
		row_text(out, "step", name);
		row_finish(out, { "time_s", from_s }, { "mbit_per_s", t.bin[p].bytes * STEP_BIN_MBIT_PER_S },
			    { "cpu_percent", t.bin[p].cpu_percent });
	}
	free(t.bin);
}

static void steps_write_rows(const struct cell *c, struct table_out *out)
{
	if (!c->n)
		return;
	steps_write_step(c, "fresh", out);
	steps_write_step(c, "loop", out);
}

const struct extractor steps_extractor = {
	.name = "steps", .finish_cell = steps_finish_cell, .number_of = steps_number, .figure_of = steps_users_per_link,
	.tables = { { NULL, steps_write_rows } },
};
