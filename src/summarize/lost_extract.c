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
 * `utilisation`, the first ten seconds of a cell's first repeat in bins of 10 ms, and `ticks`, the first tenth in bins of 1 ms. */
#include "engine.h"
#include "lost.h"

#define MS 1e6 /* ns per ms */
#define MINUTE_S 60.0
#define WAITS 16
#define FROM_MS 0.001
#define PER_DECADE 20
#define POINTS (8 * PER_DECADE + 1) /* points of the curve, from 0.001 ms to 100 s */
#define BINS 1000		    /* of the timeline of ten seconds; the other has fewer */
#define COARSE_MS 10.0
#define FINE_BINS 100
#define FINE_MS 1.0
/* Most rows of `who`: tasks of the system, and other tasks, of which a busy machine has many. */
#define WHO_SYSTEM 60
#define WHO_OTHERS 20

enum { SYSTEM, OWN, KERNEL, KEPT }; /* sums kept of each repeat, in ms per minute */

enum { ALL, SYSTEM_ONLY, TICKS, LAYERS };

/* The begin of a cell's first repeat: percent of the time of all CPUs lost in each bin. */
struct lost_timeline {
	double bin[LAYERS][BINS];
	size_t bins;
};

struct lost_repeat { /* The repeat that was read last. */
	struct lost_profile now;
	double wall_s, cpu_s; /* observed time; cpu_s: summed over all CPUs */
};

struct lost_cell {
	double wall_s;
	struct wakeup_counts {
		double x_ms, *waited, *woken; /* of each repeat */
		size_t repeats;
	} wait[WAITS];
	double upto[2][POINTS]; /* ns lost to events no longer than a point of the curve: [0] all, [1] the system */
	struct lost_timeline coarse, fine;
	size_t rans;
	struct culprit_sum {
		struct lost_culprit_name name;
		enum lost_class class;
		double ns, longest_ns;
		size_t events;
	} * ran;
};

/* --- reading --------------------------------------------------------------------------------------------------- */

static void read_observed(struct lost_repeat *s, const struct experiment_repeat *r)
{
	const struct json_document *j = repeat_get_json(r, "idleprofile.json");
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

static void add_wakeups(struct lost_cell *cell, const struct experiment_repeat *r)
{
	const struct json_document *j = repeat_get_json(r, "wakeups.json");
	double n = json_number(j, "result.wakeups.n"), x_ms;

	for (int i = 0; n > 0 && isfinite(x_ms = json_number(j, "result.compulsory.%d.wait_ms", i)); i++) {
		double share = json_number(j, "result.compulsory.%d.measured", i);
		struct wakeup_counts *w = cell->wait;

		while (w < cell->wait + WAITS && w->repeats && fabs(w->x_ms - x_ms) > 1e-6)
			w++;
		if (!isfinite(share) || w == cell->wait + WAITS)
			continue;
		w->x_ms = x_ms;
		w->waited = memory_grow(w->waited, w->repeats, sizeof(*w->waited));
		w->woken = memory_grow(w->woken, w->repeats, sizeof(*w->woken));
		w->waited[w->repeats] = share * n;
		w->woken[w->repeats++] = n;
	}
}

static double get_curve_ms(int point)
{
	return FROM_MS * pow(10, (double)point / PER_DECADE);
}

static struct culprit_sum *ensure_culprit_sum(struct lost_cell *cell, const struct lost_culprit_name *n, enum lost_class class)
{
	for (size_t i = 0; i < cell->rans; i++)
		if (cell->ran[i].class == class && !strcmp(cell->ran[i].name.name, n->name) &&
		    !strcmp(cell->ran[i].name.kind, n->kind))
			return &cell->ran[i];
	cell->ran = memory_grow(cell->ran, cell->rans, sizeof(*cell->ran));
	cell->ran[cell->rans] = (struct culprit_sum){ .name = *n, .class = class };
	return &cell->ran[cell->rans++];
}

static void fill_timeline(struct lost_timeline *t, const struct lost_repeat *s, double width_ms, size_t bins)
{
	const struct lost_profile *l = &s->now;
	int64_t width = (int64_t)(width_ms * MS);

	while (t->bins < bins && (double)t->bins * width_ms < s->wall_s * 1e3)
		t->bins++;
	lost_fill_bins(l->event, l->events, l->first_ns, width, t->bin[ALL], bins, false);
	lost_fill_bins(l->event, l->events, l->first_ns, width, t->bin[SYSTEM_ONLY], bins, true);
	lost_fill_bins(l->tick, l->ticks, l->first_ns, width, t->bin[TICKS], bins, false);
	for (size_t layer = 0; layer < LAYERS; layer++)
		for (size_t b = 0; b < bins; b++)
			t->bin[layer][b] *= 100 / (double)width / (s->cpu_s / s->wall_s);
}

static void add_repeat(struct lost_cell *cell, const struct lost_repeat *s)
{
	const struct lost_profile *l = &s->now;

	for (int system = 0; system < 2; system++) {
		for (size_t e = 0; e < l->events; e++) {
			double ns = lost_event_ns(&l->event[e], system);

			for (int i = POINTS; i-- > 0 && ns / MS <= get_curve_ms(i);)
				cell->upto[system][i] += ns;
		}
	}
	if (!(cell->wall_s > 0)) {
		fill_timeline(&cell->coarse, s, COARSE_MS, BINS);
		fill_timeline(&cell->fine, s, FINE_MS, FINE_BINS);
	}
	cell->wall_s += s->wall_s;
	for (size_t i = 0; i < l->shares; i++) {
		struct culprit_sum *ran = ensure_culprit_sum(cell, &l->name[l->share[i].name], l->share[i].class);

		ran->ns += (double)l->share[i].ns;
		ran->longest_ns = fmax(ran->longest_ns, (double)l->share[i].ns);
		ran->events++;
	}
}

static void read_repeat(const struct experiment_repeat *r)
{
	struct lost_repeat *s = extractor_run_data();
	struct lost_profile *l = &s->now;
	double *kept = extractor_repeat_data(r), events = 0, longest = 0, per_minute;

	lost_free(l);
	read_observed(s, r);
	l->named = repeat_has_file(r, "culprits.tsv");
	repeat_read_table(r, "processes.tsv", false, &lost_processes, l);
	repeat_read_table(r, "culprits.tsv", false, &lost_culprits, l);
	repeat_read_table(r, "lost.tsv", true, &lost_events, l);
	lost_compute_system_share(l);
	for (size_t e = 0; e < l->events; e++) {
		events += l->event[e].system > 0 ? MINUTE_S / s->wall_s : 0;
		longest = fmax(longest, l->event[e].system / MS);
	}
	per_minute = MINUTE_S / s->wall_s;
	kept[SYSTEM] = lost_sum_excess(l, 0, true) / MS * per_minute;
	kept[OWN] = lost_class_ns(l, LOST_OWN) / MS * per_minute;
	kept[KERNEL] = lost_class_ns(l, LOST_KERNEL) / MS * per_minute;
	give_values({ "system", kept[SYSTEM] }, { "all", lost_sum_excess(l, 0, false) / MS * per_minute },
		    { "tick", (double)l->tick_ns / MS * per_minute }, { "events", events }, { "longest", longest },
		    { "seconds", s->wall_s });
	for (int k = 0; k < LOST_CLASSES; k++)
		extractor_set_value(lost_class_names[k], lost_class_ns(l, (enum lost_class)k) / MS * per_minute);
	add_repeat(extractor_cell_data(r->cell), s);
	add_wakeups(extractor_cell_data(r->cell), r);
}

static bool compute_wait_bound(const struct experiment_repeat *r, const char *name, double *out)
{
	const struct lost_repeat *s = extractor_run_data();
	bool system = !strncmp(name, "bound.", 6);
	const char *x;
	double x_ms;

	if (!system && strncmp(name, "bound_all.", 10) != 0)
		return false;
	x = strchr(name, '.') + 1;
	x_ms = strcmp(x, "threshold") ? atof(x) : r->cell->run->threshold_ms;
	*out = 100 * lost_sum_excess(&s->now, x_ms * MS, system) / (s->cpu_s * 1e9);
	return true;
}

/* --- figures --------------------------------------------------------------------------------------------------- */

/* Returns the sums of repeat `number`; NULL: the repeat is not complete. */
static const double *find_repeat_sums(const struct experiment_cell *c, int64_t number)
{
	for (size_t i = 0; i < c->n; i++)
		if (c->repeat[i].number == number)
			return extractor_repeat_data(&c->repeat[i]);
	return NULL;
}

static void set_added_loss(const struct experiment_cell *c)
{
	const struct experiment_cell *none = c->run->cell, *end = none + c->run->n;
	double *value = memory_new(c->n, sizeof(*value));
	size_t n = 0;

	while (none < end && cell_number(none, "sessions") > 0)
		none++;
	for (size_t i = 0; none < end && none != c && i < c->n; i++) {
		const double *at = find_repeat_sums(none, c->repeat[i].number), *own = extractor_repeat_data(&c->repeat[i]);

		if (at)
			value[n++] = own[SYSTEM] - at[SYSTEM];
	}
	extractor_set_figure("above", engine_estimate(ESTIMATE_CHANGE_CI, value, n));
	free(value);
}

static bool compute_waited_share(const struct experiment_cell *c, const char *name, struct figure *out)
{
	const struct lost_cell *cell = extractor_cell_data(c);
	bool apart;

	if (strncmp(name, "waited.", 7) != 0)
		return false;
	for (const struct wakeup_counts *w = cell->wait; w < cell->wait + WAITS; w++) {
		struct share_runs share = { .hits = w->waited, .n = w->woken, .repeats = w->repeats, .stated = 1 };
		struct interval i = { NAN, NAN };
		double waited = 0, woken = 0;

		if (!w->repeats || fabs(w->x_ms - atof(name + 7)) > 1e-6)
			continue;
		for (size_t r = 0; r < w->repeats; r++) {
			waited += w->waited[r];
			woken += w->woken[r];
		}
		/* the order of waits is not known: each is by itself, with no mend for few runs */
		share.runs[0] = share.runs[1] = INFINITY;
		share.squares[0] = woken - waited;
		share.squares[1] = waited;
		interval_clustered_share_ci(&share, &i, &apart);
		*out = figure_estimate(100 * waited / woken, 100 * i.low, 100 * i.high);
	}
	return true;
}

/* --- rows ------------------------------------------------------------------------------------------------------ */

/* Writes the slope of a line in each repeat through the machine without a session and all numbers of sessions of the protocol. */
static void write_slope(const struct experiment_run *run, const char *protocol, const char *what, int column, struct table_out *out)
{
	double *x = memory_new(2 * run->n + (size_t)run->repeats, sizeof(*x)), *y = x + run->n, *value = y + run->n, most = 0;
	size_t slopes = 0;
	struct figure f;

	for (int64_t r = 1; r <= run->repeats; r++) {
		size_t n = 0;

		for (const struct experiment_cell *c = run->cell; c < run->cell + run->n; c++) {
			const double *at = find_repeat_sums(c, r), sessions = cell_number(c, "sessions");
			const char *system = cell_text(c, "system");

			if (!at || !isfinite(at[column]) || (sessions > 0 && (!system || strcmp(system, protocol) != 0)))
				continue;
			x[n] = sessions;
			y[n++] = at[column];
			most = fmax(most, sessions);
		}
		if (n)
			value[slopes] = interval_slope(x, y, n, NULL);
		slopes += n && isfinite(value[slopes]);
	}
	if (slopes) {
		f = engine_estimate(ESTIMATE_CHANGE_CI, value, slopes);
		row_set_text(out, "system", protocol);
		row_set_text(out, "what", what);
		row_numbers(out, { "repeats", (double)slopes }, { "sessions_max", most });
		row_set_figure(out, "slope_ms_per_min", f);
		row_finish(out, { "slope_cpu_percent", 100 * f.value / (MINUTE_S * 1e3) });
	}
	free(x);
}

static void write_slopes(const struct experiment_cell *c, struct table_out *out)
{
	static const char *const what[KEPT] = { "system", "own", "kernel" };
	const char *protocol = json_get_str(c->run->json, "settings.protocol");

	for (int i = 0; !c->index && i < KEPT; i++)
		write_slope(c->run, protocol ? protocol : "", what[i], i, out);
}

static void write_curve(const struct experiment_cell *c, struct table_out *out)
{
	const struct lost_cell *cell = extractor_cell_data(c);
	double minutes = cell->wall_s / MINUTE_S;

	for (int i = 0; minutes > 0 && i < POINTS; i++) {
		row_set_parameters(out, c);
		row_finish(out, { "upto_ms", get_curve_ms(i) }, { "lost_ms_per_min", cell->upto[1][i] / MS / minutes },
			   { "all_ms_per_min", cell->upto[0][i] / MS / minutes });
	}
}

static int compare_sums(const void *a, const void *b)
{
	double x = ((const struct culprit_sum *)a)->ns, y = ((const struct culprit_sum *)b)->ns;

	return (x < y) - (x > y);
}

static void write_culprits(const struct experiment_cell *c, struct table_out *out)
{
	struct lost_cell *cell = extractor_cell_data(c);
	double minutes = cell->wall_s / MINUTE_S, sum = 0;
	int left[] = { WHO_OTHERS, WHO_SYSTEM };

	if (cell->rans)
		qsort(cell->ran, cell->rans, sizeof(*cell->ran), compare_sums);
	for (size_t i = 0; i < cell->rans; i++)
		sum += cell->ran[i].ns;
	for (const struct culprit_sum *r = cell->ran; r < cell->ran + cell->rans; r++) {
		if (!left[lost_class_is_under_test(r->class)])
			continue;
		left[lost_class_is_under_test(r->class)]--;
		row_set_parameters(out, c);
		row_set_text(out, "class", lost_class_names[r->class]);
		row_set_text(out, "kind", r->name.kind);
		row_set_text(out, "culprit", r->name.name);
		row_finish(out, { "lost_ms_per_min", r->ns / MS / minutes },
			   { "share_percent", sum > 0 ? 100 * r->ns / sum : (double)NAN },
			   { "times_per_min", (double)r->events / minutes }, { "longest_ms", r->longest_ns / MS });
	}
}

static void write_timeline(const struct experiment_cell *c, const struct lost_timeline *t, double width_ms, struct table_out *out)
{
	for (size_t b = 0; b < t->bins; b++) {
		row_set_parameters(out, c);
		row_finish(out, { "time_ms", (double)b * width_ms }, { "lost_percent", t->bin[SYSTEM_ONLY][b] },
			   { "all_percent", t->bin[ALL][b] }, { "tick_percent", t->bin[TICKS][b] });
	}
}

static void write_utilisation(const struct experiment_cell *c, struct table_out *out)
{
	const struct lost_cell *cell = extractor_cell_data(c);

	write_timeline(c, &cell->coarse, COARSE_MS, out);
}

static void write_ticks(const struct experiment_cell *c, struct table_out *out)
{
	const struct lost_cell *cell = extractor_cell_data(c);

	write_timeline(c, &cell->fine, FINE_MS, out);
}

const struct extractor_hooks lost_extractor = {
	.name = "lost",
	.run_size = sizeof(struct lost_repeat),
	.cell_size = sizeof(struct lost_cell),
	.repeat_size = KEPT * sizeof(double),
	.read_repeat = read_repeat,
	.finish_cell = set_added_loss,
	.number_of = compute_wait_bound,
	.figure_of = compute_waited_share,
	.tables = { { "slope", write_slopes },
		    { "curve", write_curve },
		    { "who", write_culprits },
		    { "utilisation", write_utilisation },
		    { "ticks", write_ticks } },
};
