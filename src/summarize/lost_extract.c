// SPDX-License-Identifier: GPL-3.0-or-later
/* lost_extract - CPU time that the server's idle CPUs lost to other work (lost.h), from idleprofile.json, lost.tsv and, if they
 * exist, culprits.tsv, processes.tsv and wakeups.json of each repeat. Parameters: system, sessions (0: the machine without a
 * session).
 *
 * Numbers of a repeat, in ms per minute over all CPUs: system (the lab's tasks, the kernel and interrupts), all, tick, and of each
 * class own, kernel, foreign, itself, ended, unexplained; events (of the system, per minute); longest (event of the system, ms);
 * seconds (observed); bound.X and bound_all.X (probability in percent that a task which waits until the running work is done waits
 * for over X ms; X may be `threshold`, that of the run). Figures of a cell: above (system minus the system of the cell with
 * sessions 0, within each repeat); waited.X (percent of the woken tasks that waited for over X ms, all repeats together).
 *
 * Rows: `slope`: the cost of one more session of the setting `protocol`, from a least-squares line over all numbers of sessions in
 * each repeat; over all repeats of a cell: `curve`, the time lost to events no longer than x, and `who`, the tasks that ran;
 * `utilisation`, the first ten seconds of a cell's first repeat in bins of 10 ms. */
#include "engine.h"
#include "lost.h"

#define MS 1e6		/* ns per ms */
#define MINUTE_S 60.0
#define WAITS 16
#define FROM_MS 0.001
#define PER_DECADE 20
#define POINTS (8 * PER_DECADE + 1)	/* points of the curve, from 0.001 ms to 100 s */
#define BIN_NS 10000000LL
#define BINS 1000
/* Most rows of `who`: tasks of the system, and other tasks, of which a busy machine has many. */
#define WHO_SYSTEM 60
#define WHO_OTHERS 20

enum { SYSTEM, OWN, KERNEL, KEPT };	/* sums kept of each repeat, in ms per minute */

struct lost_last_repeat_read {			/* The repeat that was read last. */
	struct lost_cpu_time now;
	double wall_s, cpu_s;	/* observed time; cpu_s: summed over all CPUs */
};

struct lost_cell_sums {
	double wall_s;
	struct lost_waited_wakeup_counts { double x_ms, waited, woken; } wait[WAITS];
	double upto[2][POINTS];		/* ns lost to events no longer than a point of the curve: [0] all, [1] the system */
	double bin[2][BINS];		/* percent of the time of all CPUs lost in each bin: [0] all, [1] the system */
	size_t bins, rans;
	struct lost_culprit_sum {
		struct lost_culprit_name name;
		enum lost_class class;
		double ns, longest_ns;
		size_t events;
	} *ran;
};

/* --- reading --------------------------------------------------------------------------------------------------- */

static void lost_read_observed_times(struct lost_last_repeat_read *s, const struct experiment_repeat *r)
{
	const struct json_document *j = repeat_get_json_file(r, "idleprofile.json");
	double wall;

	if (!j)
		die(EXIT_RUN, "%s/idleprofile.json: No such file or directory", r->folder);
	s->wall_s = s->cpu_s = 0;
	for (int i = 0; isfinite(wall = json_number(j, "result.cpus.%d.wall_s", i)); i++) {
		s->cpu_s += wall;
		s->wall_s = fmax(s->wall_s, wall);
	}
	if (!(s->wall_s > 0))
		die(EXIT_RUN, "%s/idleprofile.json: no result.cpus[].wall_s above 0", r->folder);
}

static void lost_add_wakeup_waits_to_cell(struct lost_cell_sums *cell, const struct experiment_repeat *r)
{
	const struct json_document *j = repeat_get_json_file(r, "wakeups.json");
	double n = json_number(j, "result.wakeups.n"), x_ms;

	for (int i = 0; n > 0 && isfinite(x_ms = json_number(j, "result.compulsory.%d.wait_ms", i)); i++) {
		double share = json_number(j, "result.compulsory.%d.measured", i);
		struct lost_waited_wakeup_counts *w = cell->wait;

		while (w < cell->wait + WAITS && w->woken > 0 && fabs(w->x_ms - x_ms) > 1e-6)
			w++;
		if (isfinite(share) && w < cell->wait + WAITS)
			*w = (struct lost_waited_wakeup_counts){ x_ms, w->waited + share * n, w->woken + n };
	}
}

static double lost_curve_length_ms_of_point(int point)
{
	return FROM_MS * pow(10, (double)point / PER_DECADE);
}

static struct lost_culprit_sum *lost_find_or_add_culprit_sum(struct lost_cell_sums *cell, const struct lost_culprit_name *n,
							     enum lost_class class)
{
	for (size_t i = 0; i < cell->rans; i++)
		if (cell->ran[i].class == class && !strcmp(cell->ran[i].name.name, n->name) && !strcmp(cell->ran[i].name.kind, n->kind))
			return &cell->ran[i];
	cell->ran = memory_grow(cell->ran, cell->rans, sizeof(*cell->ran));
	cell->ran[cell->rans] = (struct lost_culprit_sum){ .name = *n, .class = class };
	return &cell->ran[cell->rans++];
}

static void lost_add_repeat_to_cell(struct lost_cell_sums *cell, const struct lost_last_repeat_read *s)
{
	const struct lost_cpu_time *l = &s->now;

	for (int system = 0; system < 2; system++) {
		for (size_t e = 0; e < l->events; e++) {
			double ns = lost_cpu_ns_of_event(&l->event[e], system);

			for (int i = POINTS; i-- > 0 && ns / MS <= lost_curve_length_ms_of_point(i);)
				cell->upto[system][i] += ns;
		}
		if (cell->bins)
			continue;
		lost_spread_events_over_time_bins(l, l->first_ns, BIN_NS, cell->bin[system], BINS, system);
		for (size_t b = 0; b < BINS; b++)
			cell->bin[system][b] *= 100 / (double)BIN_NS / (s->cpu_s / s->wall_s);
	}
	while (!(cell->wall_s > 0) && cell->bins < BINS && (double)cell->bins * BIN_NS < s->wall_s * 1e9)
		cell->bins++;
	cell->wall_s += s->wall_s;
	for (size_t i = 0; i < l->shares; i++) {
		struct lost_culprit_sum *ran = lost_find_or_add_culprit_sum(cell, &l->name[l->share[i].name], l->share[i].class);

		ran->ns += (double)l->share[i].ns;
		ran->longest_ns = fmax(ran->longest_ns, (double)l->share[i].ns);
		ran->events++;
	}
}

static void lost_read_files_of_repeat(const struct experiment_repeat *r)
{
	struct lost_last_repeat_read *s = extractor_data_of_run();
	struct lost_cpu_time *l = &s->now;
	double *kept = extractor_data_of_repeat(r), events = 0, longest = 0, per_minute;

	lost_free_cpu_time(l);
	lost_read_observed_times(s, r);
	l->named = repeat_has_file(r, "culprits.tsv");
	read_table_file_of_repeat(r, "processes.tsv", false, &lost_processes, l);
	read_table_file_of_repeat(r, "culprits.tsv", false, &lost_culprits, l);
	read_table_file_of_repeat(r, "lost.tsv", true, &lost_events, l);
	lost_compute_system_time_of_events(l);
	for (size_t e = 0; e < l->events; e++) {
		events += l->event[e].system > 0 ? MINUTE_S / s->wall_s : 0;
		longest = fmax(longest, l->event[e].system / MS);
	}
	per_minute = MINUTE_S / s->wall_s;
	kept[SYSTEM] = lost_sum_of_event_excess_ns(l, 0, true) / MS * per_minute;
	kept[OWN] = lost_ns_of_class(l, LOST_OWN) / MS * per_minute;
	kept[KERNEL] = lost_ns_of_class(l, LOST_KERNEL) / MS * per_minute;
	give_values({ "system", kept[SYSTEM] }, { "all", lost_sum_of_event_excess_ns(l, 0, false) / MS * per_minute },
		    { "tick", (double)l->tick_ns / MS * per_minute }, { "events", events }, { "longest", longest }, { "seconds", s->wall_s });
	for (int k = 0; k < LOST_CLASSES; k++)
		extractor_set_value(lost_class_names[k], lost_ns_of_class(l, (enum lost_class)k) / MS * per_minute);
	lost_add_repeat_to_cell(extractor_data_of_cell(r->cell), s);
	lost_add_wakeup_waits_to_cell(extractor_data_of_cell(r->cell), r);
}

static bool lost_compute_max_waiting_percent(const struct experiment_repeat *r, const char *name, double *out)
{
	const struct lost_last_repeat_read *s = extractor_data_of_run();
	bool system = !strncmp(name, "bound.", 6);
	const char *x;
	double x_ms;

	if (!system && strncmp(name, "bound_all.", 10) != 0)
		return false;
	x = strchr(name, '.') + 1;
	x_ms = strcmp(x, "threshold") ? atof(x) : r->cell->run->threshold_ms;
	*out = 100 * lost_sum_of_event_excess_ns(&s->now, x_ms * MS, system) / (s->cpu_s * 1e9);
	return true;
}

/* --- figures --------------------------------------------------------------------------------------------------- */

/* Returns the sums of repeat `number`; NULL: the repeat is not complete. */
static const double *lost_find_sums_of_repeat(const struct experiment_cell *c, int64_t number)
{
	for (size_t i = 0; i < c->n; i++)
		if (c->repeat[i].number == number)
			return extractor_data_of_repeat(&c->repeat[i]);
	return NULL;
}

static void lost_set_loss_above_no_sessions(const struct experiment_cell *c)
{
	const struct experiment_cell *none = c->run->cell, *end = none + c->run->n;
	double *value = memory_new(c->n, sizeof(*value));
	size_t n = 0;

	while (none < end && cell_parameter_number(none, "sessions") > 0)
		none++;
	for (size_t i = 0; none < end && none != c && i < c->n; i++) {
		const double *at = lost_find_sums_of_repeat(none, c->repeat[i].number), *own = extractor_data_of_repeat(&c->repeat[i]);

		if (at)
			value[n++] = own[SYSTEM] - at[SYSTEM];
	}
	extractor_set_figure("above", estimate_figure_with_run_seed(ESTIMATE_CHANGE_CI, value, n));
	free(value);
}

static bool lost_compute_waited_tasks_percent(const struct experiment_cell *c, const char *name, struct figure *out)
{
	const struct lost_cell_sums *cell = extractor_data_of_cell(c);
	struct confidence_interval i = { NAN, NAN };

	if (strncmp(name, "waited.", 7) != 0)
		return false;
	for (const struct lost_waited_wakeup_counts *w = cell->wait; w < cell->wait + WAITS; w++) {
		if (!(w->woken > 0) || fabs(w->x_ms - atof(name + 7)) > 1e-6)
			continue;
		interval_of_share((size_t)llround(w->waited), (size_t)llround(w->woken), &i);
		*out = figure_with_interval(100 * w->waited / w->woken, 100 * i.low, 100 * i.high);
	}
	return true;
}

/* --- rows ------------------------------------------------------------------------------------------------------ */

/* Writes the slope of a line in each repeat through the machine without a session and all numbers of sessions of the protocol. */
static void lost_write_slope_row(const struct experiment_run *run, const char *protocol, const char *what, int column,
				 struct table_out *out)
{
	double *x = memory_new(2 * run->n + (size_t)run->repeats, sizeof(*x)), *y = x + run->n, *value = y + run->n, most = 0;
	size_t slopes = 0;
	struct figure f;

	for (int64_t r = 1; r <= run->repeats; r++) {
		size_t n = 0;

		for (const struct experiment_cell *c = run->cell; c < run->cell + run->n; c++) {
			const double *at = lost_find_sums_of_repeat(c, r), sessions = cell_parameter_number(c, "sessions");
			const char *system = cell_parameter_text(c, "system");

			if (!at || !isfinite(at[column]) || (sessions > 0 && (!system || strcmp(system, protocol) != 0)))
				continue;
			x[n] = sessions;
			y[n++] = at[column];
			most = fmax(most, sessions);
		}
		if (n)
			value[slopes] = interval_least_squares_slope(x, y, n, NULL);
		slopes += n && isfinite(value[slopes]);
	}
	if (slopes) {
		f = estimate_figure_with_run_seed(ESTIMATE_CHANGE_CI, value, slopes);
		row_set_text(out, "system", protocol);
		row_set_text(out, "what", what);
		row_numbers(out, { "repeats", (double)slopes }, { "sessions_max", most });
		row_set_figure(out, "slope_ms_per_min", f);
		row_finish(out, { "slope_cpu_percent", 100 * f.value / (MINUTE_S * 1e3) });
	}
	free(x);
}

static void lost_write_slopes(const struct experiment_cell *c, struct table_out *out)
{
	static const char *const what[KEPT] = { "system", "own", "kernel" };
	const char *protocol = json_get_str(c->run->json, "settings.protocol");

	for (int i = 0; !c->index && i < KEPT; i++)
		lost_write_slope_row(c->run, protocol ? protocol : "", what[i], i, out);
}

static void lost_write_curve_rows(const struct experiment_cell *c, struct table_out *out)
{
	const struct lost_cell_sums *cell = extractor_data_of_cell(c);
	double minutes = cell->wall_s / MINUTE_S;

	for (int i = 0; minutes > 0 && i < POINTS; i++) {
		row_set_cell_parameters(out, c);
		row_finish(out, { "upto_ms", lost_curve_length_ms_of_point(i) }, { "lost_ms_per_min", cell->upto[1][i] / MS / minutes },
			    { "all_ms_per_min", cell->upto[0][i] / MS / minutes });
	}
}

static int lost_compare_culprit_sums(const void *a, const void *b)
{
	double x = ((const struct lost_culprit_sum *)a)->ns, y = ((const struct lost_culprit_sum *)b)->ns;

	return (x < y) - (x > y);
}

static void lost_write_culprits(const struct experiment_cell *c, struct table_out *out)
{
	struct lost_cell_sums *cell = extractor_data_of_cell(c);
	double minutes = cell->wall_s / MINUTE_S, sum = 0;
	int left[] = { WHO_OTHERS, WHO_SYSTEM };

	if (cell->rans)
		qsort(cell->ran, cell->rans, sizeof(*cell->ran), lost_compare_culprit_sums);
	for (size_t i = 0; i < cell->rans; i++)
		sum += cell->ran[i].ns;
	for (const struct lost_culprit_sum *r = cell->ran; r < cell->ran + cell->rans; r++) {
		if (!left[lost_class_is_system(r->class)])
			continue;
		left[lost_class_is_system(r->class)]--;
		row_set_cell_parameters(out, c);
		row_set_text(out, "class", lost_class_names[r->class]);
		row_set_text(out, "kind", r->name.kind);
		row_set_text(out, "culprit", r->name.name);
		row_finish(out, { "lost_ms_per_min", r->ns / MS / minutes }, { "share_percent", sum > 0 ? 100 * r->ns / sum : (double)NAN },
			    { "times_per_min", (double)r->events / minutes }, { "longest_ms", r->longest_ns / MS });
	}
}

static void lost_write_lost_percent_by_time(const struct experiment_cell *c, struct table_out *out)
{
	const struct lost_cell_sums *cell = extractor_data_of_cell(c);

	for (size_t b = 0; b < cell->bins; b++) {
		row_set_cell_parameters(out, c);
		row_finish(out, { "time_ms", (double)b * (BIN_NS / MS) }, { "lost_percent", cell->bin[1][b] },
			    { "all_percent", cell->bin[0][b] });
	}
}

const struct extractor_hooks lost_extractor = {
	.name = "lost", .run_size = sizeof(struct lost_last_repeat_read), .cell_size = sizeof(struct lost_cell_sums),
	.repeat_size = KEPT * sizeof(double), .read_repeat = lost_read_files_of_repeat, .finish_cell = lost_set_loss_above_no_sessions,
	.number_of = lost_compute_max_waiting_percent, .figure_of = lost_compute_waited_tasks_percent,
		     .tables = { { "slope", lost_write_slopes },
		    { "curve", lost_write_curve_rows }, { "who", lost_write_culprits }, { "utilisation", lost_write_lost_percent_by_time } },
};
