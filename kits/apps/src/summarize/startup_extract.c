// SPDX-License-Identifier: GPL-3.0-or-later
/* startup_extract - startup.json of each repeat: start-up times under memory pressure, the time that paging adds, the share of it
 * that is I/O, later events. Tables of the whole run: the effect of pressure on each application, and the delay that users feel.
 *
 * T0 is the median start-up time of the same application, started in the same way, without pressure (axis "none"; under disk load,
 * from the same disk without other reads); its spread is the standard deviation of these starts. e = (T_startup - T0 - T_IO) /
 * (T_startup - T0), of medians, only where T_startup - T0 exceeds three times the spread of T0 (below, it would be a quotient of
 * noise), and only on axis "used": next to a running memory hog, T_IO includes the hog's own traffic. The interval of e is
 * Student's t over the starts, each with its own T_IO. A start that was not at rest at the time limit (settings.ceiling_s), or had
 * no window yet, counts with that limit as a lower bound. */
#include "startup.h"

#define SPREADS 3 /* spreads of T0 that the added time must exceed for an e */
#define MB 1e6
#define STARTUP_START "start" /* name of the start itself in the list of events */

static const char *const startup_groups[] = { "started", "broken", NULL };
static const char *const startup_values[] = {
	"startup_ms",	"mapped_ms",	"paint_ms",	 "t_io_ms",    "swap_in_bytes", "swap_out_bytes",
	"major_faults", "minor_faults", "read_requests", "swap_in_mb", "swap_out_mb",	NULL,
};
/* keys of these values in startup.json */
static const char *const startup_keys[STARTUP_SWAP_IN_MB] = {
	"stable_ms",	  "mapped_ms",	  "first_paint_ms", "t_io_ms",	     "swap_in_bytes",
	"swap_out_bytes", "major_faults", "minor_faults",   "read_requests",
};

static void check_parameters(const struct experiment_run *run)
{
	static const char *const keys[] = { "app", "start", "axis", "swap" };

	for (size_t i = 0; i < run->n; i++)
		for (size_t k = 0; k < sizeof(keys) / sizeof(*keys); k++)
			if (!cell_text(&run->cell[i], keys[k]))
				die(EXIT_RUN, "%s/run.json: a cell without app, start, axis or swap", run->folder);
}

static double get_limit_ms(const struct experiment_repeat *r)
{
	return json_number(r->cell->run->json, "settings.ceiling_s") * 1000;
}

/* Reads the events after the start; a name that begins with "-" is only a step on the way to an event. */
static void read_events(const struct experiment_repeat *r, const struct json_document *j, const char *run, int64_t number)
{
	const char *name, *state;
	char of[96];

	for (int i = 0; snprintf(of, sizeof(of), "%s.events.%d", run, i), name = json_get_text(j, "%s.name", of); i++) {
		struct trial *t;
		double ms;

		if (name[0] == '-')
			continue;
		t = trials_add(&((struct startup_trials *)extractor_cell_data(r->cell))->events, r->number, number);
		snprintf(t->text, sizeof(t->text), "%s", name);
		state = json_get_text(j, "%s.state", of);
		ms = json_number(j, "%s.stable_ms", of);
		if (isfinite(ms) || (state && !strcmp(state, "ceiling")))
			trials_set_value(t, STARTUP_EVENT, isfinite(ms) ? ms : get_limit_ms(r), !isfinite(ms));
		else if (state && !strcmp(state, "no_change"))
			trials_set_value(t, STARTUP_UNCHANGED, 1, false);
		trials_set_value(t, STARTUP_FIRST_CHANGE, json_number(j, "%s.first_change_ms", of), false);
	}
}

/* Reads a start. A start that showed no window by the time limit, or whose screen still changed then, gets that limit as a lower
 * bound; a start that ended early is in no figure. */
static void read_start(const struct experiment_repeat *r, const struct json_document *j, const char *of, const char *state,
		       struct trial *t)
{
	bool above = !strcmp(state, "ceiling") || !strcmp(state, "no_window");

	t->group = above || !strcmp(state, "stable") ? STARTUP_STARTED : STARTUP_BROKEN;
	if (t->group == STARTUP_BROKEN)
		return;
	for (int v = 0; v < STARTUP_SWAP_IN_MB; v++)
		t->value[v] = json_number(j, "%s.%s", of, startup_keys[v]);
	if (above)
		trials_set_value(t, STARTUP_TIME, get_limit_ms(r), true);
	t->value[STARTUP_SWAP_IN_MB] = t->value[STARTUP_SWAP_IN] / MB;
	t->value[STARTUP_SWAP_OUT_MB] = t->value[STARTUP_SWAP_OUT] / MB;
	read_events(r, j, of, t->number);
}

static void read_repeat(const struct experiment_repeat *r)
{
	trials_read_file(&((struct startup_trials *)extractor_cell_data(r->cell))->starts, r, "startup.json", read_start);
	extractor_set_value("swap_used_mb", json_number(r->json, "memory.swap_used_bytes") / MB);
	extractor_set_value("left_mb", json_number(r->json, "memory.left_bytes") / MB);
}

/* Returns the first cell with these parameters and without an axis; NULL: none. */
static const struct experiment_cell *find_free_cell(const struct experiment_run *run, const char *app, const char *start)
{
	for (const struct experiment_cell *c = run->cell; c < run->cell + run->n; c++)
		if (!strcmp(cell_text(c, "app"), app) && !strcmp(cell_text(c, "start"), start) &&
		    !strcmp(cell_text(c, "axis"), "none"))
			return c;
	return NULL;
}

static struct figure compute_statistic(const struct startup_trials *s, enum startup_value value, const char *statistic)
{
	return trials_statistic(&s->starts, 1u << STARTUP_STARTED, (int)value, NULL, statistic);
}

/* Median time in ms of a start or of an event, without an interval; unknown if `c` is NULL. */
static struct figure compute_median(const struct experiment_cell *c, const char *event)
{
	const struct startup_trials *s = c ? extractor_cell_data(c) : NULL;

	if (!s)
		return FIGURE_ABSENT;
	return strcmp(event, STARTUP_START) ? trials_statistic(&s->events, TRIALS_ALL, STARTUP_EVENT, event, "median")
					    : compute_statistic(s, STARTUP_TIME, "median");
}

struct figure startup_added_share(const struct startup_trials *s, struct startup_base base)
{
	double *value = memory_new(s->starts.n, sizeof(*value)), t0 = base.t0_ms;
	struct figure time = compute_statistic(s, STARTUP_TIME, "median"), e = FIGURE_ABSENT;
	struct interval i;
	size_t n = 0, at_limit = 0;

	/* a median at the time limit is only a lower bound */
	if (!time.above && time.value - t0 > SPREADS * base.spread_ms && time.value > t0)
		e = figure_exact((time.value - t0 - compute_statistic(s, STARTUP_IO, "median").value) / (time.value - t0));
	for (const struct trial *t = s->starts.of; t < s->starts.of + s->starts.n && isfinite(e.value); t++) {
		at_limit += t->above > 0;
		if (!t->above && t->value[STARTUP_TIME] > t0 && isfinite(t->value[STARTUP_IO]))
			value[n++] = (t->value[STARTUP_TIME] - t0 - t->value[STARTUP_IO]) / (t->value[STARTUP_TIME] - t0);
	}
	if (n && !at_limit && interval_t_mean(value, n, &i)) { /* an interval would leave the slowest out */
		e.low = fmin(i.low, e.value);
		e.high = fmax(i.high, e.value);
	}
	free(value);
	return e;
}

static bool has_parameter_value(const struct experiment_cell *c, const char *key, const char *value)
{
	return !strcmp(cell_text(c, key), value);
}

/* Returns the cell whose starts give T0; NULL: none. */
static const struct experiment_cell *find_unloaded(const struct experiment_cell *c)
{
	if (!has_parameter_value(c, "axis", "reads"))
		return find_free_cell(c->run, cell_text(c, "app"), cell_text(c, "start"));
	for (const struct experiment_cell *o = c->run->cell; o < c->run->cell + c->run->n; o++)
		if (has_parameter_value(o, "app", cell_text(c, "app")) && has_parameter_value(o, "axis", "reads") &&
		    cell_number(o, "step") == 0)
			return o;
	return NULL;
}

/* Returns the percentage of starts that take longer than the threshold, including starts that reached the time limit. */
static double compute_late(const struct startup_trials *s, double threshold_ms)
{
	size_t late = 0, n = 0;

	for (const struct trial *t = s->starts.of; t < s->starts.of + s->starts.n; t++) {
		n += t->group == STARTUP_STARTED;
		late += t->group == STARTUP_STARTED && (t->above || t->value[STARTUP_TIME] > threshold_ms);
	}
	return n ? 100 * (double)late / (double)n : (double)NAN;
}

/* Returns what pressure adds to the median start; its interval from the near ends of both medians to the far ends. */
static struct figure compute_added(const struct startup_trials *s, const struct startup_trials *none)
{
	struct figure time = compute_statistic(s, STARTUP_TIME, "p50");
	struct figure t0 = none ? compute_statistic(none, STARTUP_TIME, "p50") : FIGURE_ABSENT;

	if (s == none)
		return figure_exact(0);
	if (t0.above) /* nothing can be compared with a lower bound */
		return FIGURE_ABSENT;
	time.value -= t0.value;
	time.both[0] -= t0.value;
	time.both[1] -= t0.value;
	time.low -= t0.high;
	time.high -= t0.low;
	return time;
}

static void compute_startup_figures(const struct experiment_cell *c)
{
	const struct startup_trials *s = extractor_cell_data(c);
	const struct experiment_cell *none = find_unloaded(c);
	struct startup_base base = { NAN, NAN };
	struct figure t0 = FIGURE_ABSENT;

	if (none)
		t0 = compute_statistic(extractor_cell_data(none), STARTUP_TIME, "median");
	if (!t0.above) /* nothing can be compared with a lower bound */
		base = (struct startup_base){ t0.value,
					      none ? compute_statistic(extractor_cell_data(none), STARTUP_TIME, "sd").value
						   : (double)NAN };
	give_values({ "late", compute_late(s, c->run->threshold_ms) }, { "t0_ms", base.t0_ms }, { "t0_spread_ms", base.spread_ms });
	extractor_set_figure("added_ms", compute_added(s, none ? extractor_cell_data(none) : NULL));
	/* next to a running memory hog, the device's traffic includes the hog's: there is no T_IO of the start */
	extractor_set_figure("e", has_parameter_value(c, "axis", "used") ? startup_added_share(s, base) : FIGURE_ABSENT);
}

static bool compute_figure(const struct experiment_cell *c, const char *path, struct figure *out)
{
	return trials_compute_figure(&((const struct startup_trials *)extractor_cell_data(c))->starts, startup_groups,
				     startup_values, path, out);
}

static void write_starts(const struct experiment_cell *c, struct table_out *out)
{
	const struct startup_trials *s = extractor_cell_data(c);

	for (const struct trial *t = s->starts.of; t < s->starts.of + s->starts.n; t++) {
		if (t->group == STARTUP_BROKEN)
			continue;
		trials_begin_row(c, t, startup_values, STARTUP_SWAP_IN_MB - 1, out);
		row_finish(out, { "startup_above", t->above });
	}
}

static void write_event(const struct experiment_cell *c, const struct cell_trials *events, const char *name, struct table_out *out)
{
	static const struct {
		const char *column;
		enum startup_event_value value;
		const char *statistic;
	} columns[] = {
		{ "n", STARTUP_EVENT, "n" },
		{ "unchanged", STARTUP_UNCHANGED, "n" },
		{ "event_ms", STARTUP_EVENT, "p50" },
		{ "event_ms_max", STARTUP_EVENT, "max" },
		{ "first_change_ms", STARTUP_FIRST_CHANGE, "median" },
	};

	row_set_parameters(out, c);
	row_set_text(out, "event", name);
	for (size_t i = 0; i < sizeof(columns) / sizeof(*columns); i++)
		row_set_figure(out, columns[i].column,
			       trials_statistic(events, TRIALS_ALL, (int)columns[i].value, name, columns[i].statistic));
	row_write(out);
}

static void write_events(const struct experiment_cell *c, struct table_out *out)
{
	const struct cell_trials *events = &((const struct startup_trials *)extractor_cell_data(c))->events;

	for (size_t i = 0, first; i < events->n; i++) {
		for (first = 0; strcmp(events->of[first].text, events->of[i].text) != 0; first++)
			;
		if (first == i)
			write_event(c, events, events->of[i].text, out);
	}
}

/* --- tables of the run ----------------------------------------------------------------------------------------- */

/* Memory pressure of a step: grows with the memory in swap, or as less memory is left. */
static double get_pressure(const struct experiment_cell *c)
{
	return has_parameter_value(c, "axis", "left") ? -cell_number(c, "step") : cell_number(c, "step");
}

/* Returns which starts the tables use: "warm" (files in memory), or "cold" if the run has no warm ones. */
static const char *choose_start_kind(const struct experiment_run *run)
{
	for (const struct experiment_cell *c = run->cell; c < run->cell + run->n; c++)
		if (has_parameter_value(c, "start", "warm") && isfinite(compute_median(c, STARTUP_START).value))
			return "warm";
	return "cold";
}

/* Returns the cell with the heaviest memory pressure of a kind (axis NULL: of both, "left" before "used"): the last swap device,
 * and its hardest step that was measured. */
static const struct experiment_cell *find_most_pressed_cell(const struct experiment_run *run, const char *app, const char *axis,
							    const char *event)
{
	const struct experiment_cell *hardest = NULL;
	const char *start = choose_start_kind(run);

	for (const struct experiment_cell *c = run->cell; c < run->cell + run->n; c++) {
		bool alike = hardest && has_parameter_value(hardest, "axis", cell_text(c, "axis"));

		if (!has_parameter_value(c, "app", app) || !has_parameter_value(c, "start", start) ||
		    isnan(compute_median(c, event).value) ||
		    (axis ? !has_parameter_value(c, "axis", axis)
			  : !has_parameter_value(c, "axis", "used") && !has_parameter_value(c, "axis", "left")))
			continue;
		if (!hardest || (!alike && has_parameter_value(c, "axis", "left")) ||
		    (alike &&
		     (!has_parameter_value(hardest, "swap", cell_text(c, "swap")) || get_pressure(c) > get_pressure(hardest))))
			hardest = c;
	}
	return hardest;
}

/* Writes rows like Table 1 of the paper, with the start under the heaviest pressure of each kind. */
static void write_applications(const struct experiment_cell *first, struct table_out *out)
{
	static const char *const times[] = { "t0_warm_ms", "t0_cold_ms", "used_ms", "left_ms" };
	const struct experiment_run *run = first->run;
	const char *app;
	char of[96];

	for (int i = 0; !first->index && (app = json_get_text(run->json, "settings.apps.%d", i)); i++) {
		const struct experiment_cell *at[] = { find_free_cell(run, app, "warm"), find_free_cell(run, app, "cold"),
						       find_most_pressed_cell(run, app, "used", STARTUP_START),
						       find_most_pressed_cell(run, app, "left", STARTUP_START) };

		row_set_text(out, "app", app);
		snprintf(of, sizeof(of), "applications.%s", app);
		row_set_json(out, run->json, of, "kind version program_bytes files_bytes rss_bytes anonymous_bytes");
		for (size_t k = 0; k < sizeof(times) / sizeof(*times); k++)
			row_set_figure(out, times[k], compute_median(at[k], STARTUP_START));
		row_set_number(out, "used_step", at[2] ? cell_number(at[2], "step") : (double)NAN);
		row_finish(out, { "left_step", at[3] ? cell_number(at[3], "step") : (double)NAN });
	}
}

struct felt_action {
	const struct user_action *event;
	struct figure none_ms, pressed_ms;
	const struct experiment_cell *under;
};

static int compare_actions(const void *a, const void *b)
{
	const struct felt_action *x = a, *y = b;
	double xms = isnan(x->pressed_ms.value) ? x->none_ms.value : x->pressed_ms.value;
	double yms = isnan(y->pressed_ms.value) ? y->none_ms.value : y->pressed_ms.value;

	return (xms < yms) - (xms > yms);
}

/* Writes one row. Column high: the action belongs to U_ah, the actions of all users that take longer than the threshold. */
static void write_felt_row(const struct experiment_run *run, const struct felt_action *f, struct table_out *out)
{
	const struct json_document *j = run->json;
	static const char *const columns[][3] = { { "t_handle_s", "t_total_s", "felt_s" },
						  { "pressed_handle_s", "pressed_total_s", "pressed_felt_s" } };
	static const char at[] = "settings.model.times_s.%s";
	const struct klm_times times = { json_number(j, at, "key"), json_number(j, at, "point"), json_number(j, at, "button"),
					 json_number(j, at, "home"), json_number(j, at, "mental") };
	double index = menus_selection_s(&times, f->event->path, f->event->shortcut), expected = index + times.mental;
	double tolerance = json_number(j, "settings.model.tolerance_s");

	row_set_text(out, "app", f->event->application);
	row_set_text(out, "event", f->event->path);
	row_set_number(out, "count", f->event->count);
	row_set_text(out, "shortcut", f->event->shortcut);
	row_numbers(out, { "high", fmax(f->none_ms.value, f->pressed_ms.value) > run->threshold_ms }, { "t_index_s", index },
		    { "t_think_s", times.mental });
	if (f->under)
		row_set_parameters(out, f->under);
	for (int i = 0; i < 2; i++) {
		struct figure ms = i ? f->pressed_ms : f->none_ms;
		double handle_s = ms.value / 1000, total_s = expected + handle_s;
		const double value[] = { handle_s, total_s,
					 isnan(total_s) ? NAN
							: menus_felt_delay_s(total_s, expected + tolerance,
									     json_number(j, "settings.model.beta")) };

		for (int k = 0; k < 3; k++)
			row_set_figure(out, columns[i][k], figure_statistic((struct sample_stat){ value[k], ms.above }));
	}
	row_write(out);
}

/* Writes the actions that every class of users performs and that were measured, the slowest first. */
static void write_felt_delays(const struct experiment_cell *first, struct table_out *out)
{
	const struct experiment_run *run = first->run;
	struct user_action event[MENUS_EVENTS];
	struct felt_action felt[MENUS_EVENTS];
	size_t common = first->index ? 0 : menus_find_actions(run->json, "settings.model", event), n = 0;

	for (size_t i = 0; i < common; i++) {
		const char *app = event[i].application, *path = event[i].path;
		const struct experiment_cell *under = find_most_pressed_cell(run, app, NULL, path);

		felt[n] = (struct felt_action){ &event[i], compute_median(find_free_cell(run, app, choose_start_kind(run)), path),
						compute_median(under, path), under };
		n += isfinite(felt[n].none_ms.value) || isfinite(felt[n].pressed_ms.value);
	}
	qsort(felt, n, sizeof(*felt), compare_actions);
	for (size_t i = 0; i < n; i++)
		write_felt_row(run, &felt[i], out);
}

const struct extractor_hooks startup_extractor = {
	.name = "startup",
	.cell_size = sizeof(struct startup_trials),
	.begin_run = check_parameters,
	.read_repeat = read_repeat,
	.finish_cell = compute_startup_figures,
	.figure_of = compute_figure,
	.tables = { { "runs", write_starts },
		    { "events", write_events },
		    { "applications", write_applications },
		    { "felt", write_felt_delays } },
};
