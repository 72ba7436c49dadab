// SPDX-License-Identifier: GPL-3.0-or-later
/* lost_extract - time that the CPUs of a server lost to whatever ran on them (lost.h): RUN/cells/CELL/REPEAT/
 * {idleprofile.json,lost.tsv[,culprits.tsv,processes.tsv][,wakeups.json]}. Parameters: system, sessions (0: the
 * machine without one).
 *
 * Numbers of a repeat, in ms a minute of all CPUs together: system (the lab's tasks, the kernel and interrupts), all,
 * tick, and of each class own, kernel, foreign, itself, ended, unexplained; events (of the system, a minute);
 * longest (of these, ms); seconds (watched); bound.X and bound_all.X (percent of moments at which who waits until
 * what runs is done waits for over X ms). Figures of a cell: above (system, less the cell with sessions 0, within
 * each repeat); waited.X (percent of the tasks woken that waited for over X ms, all repeats together).
 *
 * Rows: `slope`, what one more session of the setting `protocol` costs, a least-squares line over all numbers of
 * sessions in each repeat; the others: lost_pool.h. */
#include "engine.h"
#include "estimate.h"
#include "interval.h"
#include "lost_pool.h"
#include "means.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MS 1e6		/* ns */
#define MINUTE_S 60.0
#define WAITS 16

enum { SYSTEM, OWN, KERNEL, KEPT };	/* of each repeat, for what compares cells */

struct lost_cell {
	double (*kept)[KEPT];
	struct lost_wait { double x_ms, waited, woken; } wait[WAITS];
	struct lost_pool pool;
};

struct losses {
	const struct run *run;
	struct lost now;		/* the repeat just read */
	double wall_s, cpu_s;		/* of it; cpu_s: of all its CPUs together */
	struct lost_cell cell[];
};

static void *losses_open(const struct run *run, struct why *why)
{
	return run_state(run, sizeof(struct losses), sizeof(struct lost_cell), why);
}

static int read_times(struct losses *s, const struct repeat *r, struct why *why)
{
	const struct json *j;
	double wall;
	char path[64];
	int err = repeat_json(r, "idleprofile.json", &j, why);

	if (err || !j)
		return err ? err : why_set(why, -ENOENT, "%s/idleprofile.json: %s", r->folder, strerror(ENOENT));
	s->wall_s = s->cpu_s = 0;
	for (int i = 0; snprintf(path, sizeof(path), "result.cpus.%d.wall_s", i), json_get_real(j, path, &wall); i++) {
		s->cpu_s += wall;
		s->wall_s = fmax(s->wall_s, wall);
	}
	return s->wall_s > 0 ? 0 : why_set(why, -EPROTO, "%s/idleprofile.json: tells no time", r->folder);
}

static int read_wakeups(struct lost_cell *cell, const struct repeat *r, struct why *why)
{
	const struct json *j;
	double n;
	char path[64];
	int err = repeat_json(r, "wakeups.json", &j, why);

	if (err || !j || !json_get_real(j, "result.wakeups.n", &n) || !(n > 0))
		return err;
	for (int i = 0; i < WAITS; i++) {
		double x_ms, share;

		snprintf(path, sizeof(path), "result.compulsory.%d.wait_ms", i);
		if (!json_get_real(j, path, &x_ms))
			break;
		snprintf(path, sizeof(path), "result.compulsory.%d.measured", i);
		if (!json_get_real(j, path, &share))
			continue;
		for (struct lost_wait *w = cell->wait; w < cell->wait + WAITS; w++) {
			if (w->woken > 0 && fabs(w->x_ms - x_ms) > 1e-6)
				continue;
			*w = (struct lost_wait){ x_ms, w->waited + share * n, w->woken + n };
			break;
		}
	}
	return 0;
}

static double per_minute(const struct losses *s, double ns)
{
	return ns / MS * (MINUTE_S / s->wall_s);
}

static int losses_read(void *state, const struct cell *c, const struct repeat *r, struct why *why)
{
	struct losses *s = state;
	struct lost_cell *cell = &s->cell[c->index];
	int err = read_times(s, r, why);

	lost_free(&s->now);
	if (!cell->kept)
		cell->kept = calloc(c->n, sizeof(*cell->kept));
	if (!cell->kept)
		return why_no_memory(why);
	err = err ? err : repeat_rows(r, "processes.tsv", false, lost_read_processes, &s->now, why);
	err = err ? err : repeat_rows(r, "culprits.tsv", false, lost_read_culprits, &s->now, why);
	err = err ? err : repeat_rows(r, "lost.tsv", true, lost_read_events, &s->now, why);
	if (err)
		return err;
	lost_join(&s->now);
	cell->kept[r->index][SYSTEM] = per_minute(s, lost_all(&s->now, true));
	cell->kept[r->index][OWN] = per_minute(s, lost_of(&s->now, LOST_OWN));
	cell->kept[r->index][KERNEL] = per_minute(s, lost_of(&s->now, LOST_KERNEL));
	if (lost_pool_add(&cell->pool, &s->now, s->wall_s, s->cpu_s / s->wall_s))
		return why_no_memory(why);
	return read_wakeups(cell, r, why);
}

static double events(const struct losses *s, bool longest)
{
	double n = 0, most = 0;

	for (size_t e = 0; e < s->now.events; e++) {
		n += s->now.event[e].system > 0 ? MINUTE_S / s->wall_s : 0;
		most = fmax(most, s->now.event[e].system / MS);
	}
	return longest ? most : n;
}

static int losses_number(void *state, const struct cell *c, const struct repeat *r, const char *path, double *out)
{
	const struct losses *s = state;
	const char *of = strchr(path, '.');

	(void)c, (void)r;
	for (int k = 0; k < LOST_CLASSES; k++)
		if (!strcmp(path, lost_class_names[k])) {
			*out = per_minute(s, lost_of(&s->now, (enum lost_class)k));
			return 0;
		}
	if (!strcmp(path, "system") || !strcmp(path, "all"))
		*out = per_minute(s, lost_all(&s->now, *path == 's'));
	else if (!strcmp(path, "tick"))
		*out = per_minute(s, (double)s->now.tick_ns);
	else if (!strcmp(path, "events") || !strcmp(path, "longest"))
		*out = events(s, *path == 'l');
	else if (!strcmp(path, "seconds"))
		*out = s->wall_s;
	else if (of && (!strncmp(path, "bound.", 6) || !strncmp(path, "bound_all.", 10)))
		*out = 100 * lost_beyond(&s->now, atof(of + 1) * MS, path[5] == '.') / (s->cpu_s * 1e9);
	else
		return -ENOENT;
	return 0;
}

/* What was kept of repeat `number`; NULL: it is not complete. */
static const double *kept(const struct losses *s, const struct cell *c, int64_t number)
{
	for (size_t i = 0; i < c->n; i++)
		if (c->repeat[i].number == number)
			return s->cell[c->index].kept[i];
	return NULL;
}

static int above(const struct losses *s, const struct cell *c, struct figure *out)
{
	const struct cell *none = s->run->cell, *end = none + s->run->n;
	double *value = calloc(c->n + 1, sizeof(*value));
	size_t n = 0;
	int err;

	while (none < end && cell_number(none, "sessions") > 0)
		none++;
	for (size_t i = 0; value && none < end && none != c && i < c->n; i++) {
		const double *at = kept(s, none, c->repeat[i].number);

		if (at)
			value[n++] = s->cell[c->index].kept[i][SYSTEM] - at[SYSTEM];
	}
	err = value ? estimate(ESTIMATE_CHANGE_CI, value, NULL, n, s->run->draws, (uint64_t)s->run->seed, out) : -ENOMEM;
	free(value);
	return err;
}

static int losses_figure(void *state, const struct cell *c, const char *path, struct figure *out)
{
	const struct losses *s = state;
	struct interval i = { NAN, NAN };

	if (!strcmp(path, "above"))
		return above(s, c, out);
	if (strncmp(path, "waited.", 7) != 0)
		return -ENOENT;
	for (const struct lost_wait *w = s->cell[c->index].wait; w < s->cell[c->index].wait + WAITS; w++) {
		if (!(w->woken > 0) || fabs(w->x_ms - atof(path + 7)) > 1e-6)
			continue;
		interval_share((size_t)llround(w->waited), (size_t)llround(w->woken), &i);
		*out = (struct figure){ 100 * w->waited / w->woken, 100 * i.low, 100 * i.high, false };
	}
	return 0;
}

/* One line in each repeat, through the machine without a session and every number of sessions of the protocol. */
static int write_slope(const struct losses *s, const char *protocol, const char *what, int column, struct table_out *out)
{
	const struct run *run = s->run;
	double *x = calloc(2 * run->n + (size_t)run->repeats + 1, sizeof(*x)), *y = x + run->n, *value = y + run->n, most = 0;
	size_t slopes = 0;
	struct figure f = { NAN, NAN, NAN, false };
	int err = x ? 0 : -ENOMEM;

	for (int64_t r = 1; !err && r <= run->repeats; r++) {
		size_t n = 0;

		for (const struct cell *c = run->cell; c < run->cell + run->n; c++) {
			const double *at = kept(s, c, r), sessions = cell_number(c, "sessions");
			const char *system = cell_text(c, "system");

			if (!at || !isfinite(at[column]) || (sessions > 0 && (!system || strcmp(system, protocol) != 0)))
				continue;
			x[n] = sessions;
			y[n++] = at[column];
			most = fmax(most, sessions);
		}
		if (n)
			value[slopes] = means_slope(x, y, n, NULL);
		slopes += n && isfinite(value[slopes]);
	}
	if (!err && slopes)
		err = estimate(ESTIMATE_CHANGE_CI, value, NULL, slopes, run->draws, (uint64_t)run->seed, &f);
	if (!err && slopes) {
		row_text(out, "system", protocol);
		row_text(out, "what", what);
		row_number(out, "repeats", (double)slopes);
		row_number(out, "sessions_max", most);
		row_figure(out, "slope_ms_per_min", &f);
		row_number(out, "slope_cpu_percent", 100 * f.value / (MINUTE_S * 1e3));
		row_end(out);
	}
	free(x);
	return err;
}

static int losses_rows(void *state, const char *table, struct table_out *out, struct why *why)
{
	struct losses *s = state;
	const char *protocol = json_get_str(s->run->json, "settings.protocol");
	int err;

	if (strcmp(table, "slope") != 0) {
		for (size_t i = 0; i < s->run->n; i++)
			lost_pool_write(&s->cell[i].pool, &s->run->cell[i], table, out);
		return 0;
	}
	protocol = protocol ? protocol : "";
	err = write_slope(s, protocol, "system", SYSTEM, out);
	err = err ? err : write_slope(s, protocol, "own", OWN, out);
	err = err ? err : write_slope(s, protocol, "kernel", KERNEL, out);
	return err ? why_no_memory(why) : 0;
}

static void losses_close(void *state)
{
	struct losses *s = state;

	for (size_t i = 0; i < s->run->n; i++) {
		free(s->cell[i].kept);
		lost_pool_free(&s->cell[i].pool);
	}
	lost_free(&s->now);
	free(s);
}

const struct extractor lost_extractor = {
	.name = "lost", .open = losses_open, .read = losses_read, .number = losses_number, .figure = losses_figure,
	.rows = losses_rows, .close = losses_close,
};
