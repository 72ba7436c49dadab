// SPDX-License-Identifier: GPL-3.0-or-later
/* steps_extract - cost of each step of an animation, and whether its frames are sent again when they repeat.
 *
 * cell.json has steps.NAME for each step; figures are NAME.FIGURE (step.h), and relative to new frames:
 *	NAME.share_percent	bytes of a frame on the wire, in percent of a frame never shown before in the same session
 *	NAME.verdict		share_percent of at least STEPS_AGAIN: "again"; at most STEPS_CACHED: "cached"; between: "in part";
 *				"unclear" where its interval has another at one end
 *	NAME.users_MBIT		whole number of users with such an animation that a link of MBIT Mbit/s carries
 * The comparison is with new frames and not with the size of a picture, because protocols compress, some with losses: only having
 * cached the frame makes the difference. */
#include "interval.h"
#include "memory.h"
#include "step.h"

#include <errno.h>

#define PIECE_NS ((int64_t)(STEP_BIN_S * 1e9))
#define ORIGIN_MAX 1e18

bool step_compute_figure(const struct json_document *j, const char *prefix, const char *name, double *out)
{
	static const struct {
		const char *name, *key;
		double factor;
		const char *over, *other; /* other: divisor to use where `over` is not known */
	} figures[] = {
		{ "mbit_per_s", "display_wire_bytes", 8 / 1e6, "seconds", NULL },
		{ "kb_per_s", "display_wire_bytes", 1e-3, "seconds", NULL },
		{ "input_mbit_per_s", "input_wire_bytes", 8 / 1e6, "seconds", NULL },
		{ "seen_per_s", "frames_seen", 1, "seconds", NULL },
		{ "shown_per_s", "frames_shown", 1, "seconds", NULL },
		{ "late_percent", "late_frames", 100, "frames_due", NULL },
		{ "packets_per_frame", "display_packets", 1, "frames_seen", "frames_shown" },
		{ "cpu_percent", NULL, 1, NULL, NULL },
		{ "bytes_per_frame", NULL, 1, NULL, NULL },
		{ "frame_bytes", NULL, 1, NULL, NULL },
		{ "information_bytes", NULL, 1, NULL, NULL },
		{ "seconds", NULL, 1, NULL, NULL },
		{ "from_ns", NULL, 1, NULL, NULL },
	};

	for (size_t i = 0; i < sizeof(figures) / sizeof(*figures); i++) {
		const char *over = figures[i].over;
		double of = over ? json_number(j, "%s.%s", prefix, over) : 1;

		if (strcmp(figures[i].name, name) != 0)
			continue;
		if (isnan(of) && figures[i].other)
			of = json_number(j, "%s.%s", prefix, figures[i].other);
		*out = of > 0 ? figures[i].factor * json_number(j, "%s.%s", prefix, figures[i].key ? figures[i].key : name) / of
			      : (double)NAN;
		return true;
	}
	return false;
}

/* --- as time went by ------------------------------------------------------------------------------------------- */

struct step_series_reader {
	struct step_series *out;
	int64_t time_ns, wall_ns, own_ns; /* readings of the row before; time_ns 0: none */
};

/* Index of the bin of a time, relative to the first bin. */
static int64_t find_bin(const struct step_series *t, int64_t time_ns)
{
	return (int64_t)floor((double)(time_ns - t->origin_ns) / (double)PIECE_NS) - t->first;
}

/* Rows are in the order of time, so bins are only added at the end. */
static int add_traffic(void *into, const struct input_cell *c)
{
	struct step_series *t = ((struct step_series_reader *)into)->out;
	int64_t at;

	if (!t->n)
		t->first = find_bin(t, c[0].count);
	at = find_bin(t, c[0].count);
	if (at < 0 || at >= STEP_BINS_MAX)
		return -EPROTO;
	while ((int64_t)t->n <= at)
		t->bin[t->n++] = (struct step_bin){ 0, NAN };
	t->bin[at].bytes += c[1].real;
	return 0;
}

/* CPU time between two readings counts in the bin of their middle. */
static int add_cpu(void *into, const struct input_cell *c)
{
	struct step_series_reader *r = into;
	int64_t time = c[0].count, wall = c[1].count, own = c[2].count, at = find_bin(r->out, (r->time_ns + time) / 2);

	if (r->time_ns && wall > r->wall_ns && at >= 0 && at < (int64_t)r->out->n)
		r->out->bin[at].cpu_percent = 100.0 * (double)(own - r->own_ns) / (double)(wall - r->wall_ns);
	*r = (struct step_series_reader){ r->out, time, wall, own };
	return 0;
}

struct step_series step_series_read(const struct experiment_repeat *r, const char *step, double origin_ns)
{
	static const struct input_table traffic = { "traffic/1", "bin_start_ns display_wire_bytes", add_traffic, NULL };
	static const struct input_table cpu = { "cpu/1", "time_ns wall_ns own_ns", add_cpu, NULL };
	struct step_series out = { .bin = memory_new(STEP_BINS_MAX, sizeof(*out.bin)) };
	struct step_series_reader reading = { .out = &out };
	char file[128];

	if (!(fabs(origin_ns) < ORIGIN_MAX))
		return out;
	out.origin_ns = (int64_t)origin_ns;
	snprintf(file, sizeof(file), "%s/traffic.tsv", step);
	repeat_read_table(r, file, false, &traffic, &reading);
	snprintf(file, sizeof(file), "%s/cpu.tsv", step);
	if (out.n)
		repeat_read_table(r, file, false, &cpu, &reading);
	return out;
}

/* --- the extractor ----------------------------------------------------------------------------------------------- */

#define STEPS_AGAIN 80.0
#define STEPS_CACHED 20.0

static double get_repeat_figure(const struct experiment_repeat *r, const char *name, const char *figure)
{
	char path[96];
	double v = NAN;

	snprintf(path, sizeof(path), "steps.%s", name);
	step_compute_figure(r->json, path, figure, &v);
	return v;
}

/* Computes NAME.FIGURE. */
static bool compute_figure(const struct experiment_repeat *r, const char *path, double *out)
{
	const char *dot = strchr(path, '.');
	char name[64];
	double fresh;

	if (!dot)
		return false;
	if (strcmp(dot, ".share_percent") != 0) {
		snprintf(name, sizeof(name), "steps.%.*s", (int)(dot - path), path);
		return step_compute_figure(r->json, name, dot + 1, out);
	}
	snprintf(name, sizeof(name), "%.*s", (int)(dot - path), path);
	fresh = get_repeat_figure(r, !strcmp(name, "banner") ? "banner-fresh" : "fresh", "bytes_per_frame");
	*out = fresh > 0 ? 100 * (get_repeat_figure(r, name, "bytes_per_frame") / fresh) : (double)NAN;
	return true;
}

static double compute_mean(const struct experiment_cell *c, const char *path)
{
	double sum = 0, n = 0, v;

	for (size_t i = 0; i < c->n; i++)
		if (compute_figure(&c->repeat[i], path, &v) && isfinite(v)) {
			sum += v;
			n++;
		}
	return sum / n;
}

/* Computes NAME.users_MBIT. */
static bool compute_users(const struct experiment_cell *c, const char *path, struct figure *out)
{
	const char *dot = strchr(path, '.');
	char name[64];
	double each;

	if (!dot || strncmp(dot, ".users_", 7) != 0)
		return false;
	snprintf(name, sizeof(name), "%.*s.mbit_per_s", (int)(dot - path), path);
	each = compute_mean(c, name);
	*out = figure_exact(each > 0 ? floor(strtod(dot + 7, NULL) / each) : (double)NAN);
	return true;
}

static const char *choose_verdict(double share_percent)
{
	return isnan(share_percent)	       ? NULL
	       : share_percent >= STEPS_AGAIN  ? "again"
	       : share_percent <= STEPS_CACHED ? "cached"
					       : "in part";
}

/* The verdict of the mean; "unclear" where the ends of its interval, or two repeats, have more than one. */
static const char *judge_shares(const struct experiment_cell *c, const char *path)
{
	double *share = memory_new(c->n, sizeof(*share)), mean = compute_mean(c, path), v;
	struct interval i = { INFINITY, -INFINITY };
	size_t n = 0;

	for (size_t r = 0; r < c->n; r++)
		if (compute_figure(&c->repeat[r], path, &v) && isfinite(v)) {
			share[n++] = v;
			i = (struct interval){ fmin(i.low, v), fmax(i.high, v) };
		}
	interval_t_mean(share, n, &i);
	free(share);
	return !n || choose_verdict(i.low) == choose_verdict(i.high) ? choose_verdict(mean) : "unclear";
}

static void set_verdicts(const struct experiment_cell *c)
{
	extractor_set_text("loop.verdict", judge_shares(c, "loop.share_percent"));
	extractor_set_text("banner.verdict", judge_shares(c, "banner.share_percent"));
}

static void write_step(const struct experiment_cell *c, const char *name, struct table_out *out)
{
	double seconds = get_repeat_figure(c->repeat, name, "seconds");
	struct step_series t;

	if (isnan(seconds))
		return;
	t = step_series_read(c->repeat, name, get_repeat_figure(c->repeat, name, "from_ns"));
	for (size_t p = 1; p < t.n; p++) { /* the first bin is not complete */
		double from_s = (double)(t.first + (int64_t)p) * STEP_BIN_S;

		if (from_s + STEP_BIN_S > seconds)
			break;
		row_set_parameters(out, c);
		row_set_text(out, "step", name);
		row_finish(out, { "time_s", from_s }, { "mbit_per_s", t.bin[p].bytes * STEP_BIN_MBIT_PER_S },
			   { "cpu_percent", t.bin[p].cpu_percent });
	}
	free(t.bin);
}

static void write_series(const struct experiment_cell *c, struct table_out *out)
{
	if (!c->n)
		return;
	write_step(c, "fresh", out);
	write_step(c, "loop", out);
}

const struct extractor_hooks steps_extractor = {
	.name = "steps",
	.finish_cell = set_verdicts,
	.number_of = compute_figure,
	.figure_of = compute_users,
	.tables = { { NULL, write_series } },
};
