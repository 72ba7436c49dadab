// SPDX-License-Identifier: GPL-3.0-or-later
/* startup_rows - tables beside the summary: every start, further events, what pressure makes of each application, and what
 * users feel of it. */
#include "startup.h"
#include "menus.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool startup_same(const struct cell *a, const struct cell *b, const char *key)
{
	return !strcmp(cell_text(a, key), cell_text(b, key));
}


/* How hard a step is: more in swap, less memory left. */
static double startup_hardness(const struct cell *c)
{
	return strcmp(cell_text(c, "axis"), "left") ? cell_number(c, "step") : -cell_number(c, "step");
}

static bool startup_measured(const struct startup *s, const struct cell *c)
{
	return isfinite(startup_time(s, c).value);
}

/* Starts with files in memory, but in a run that has none. */
static const char *startup_main(const struct startup *s)
{
	for (size_t i = 0; i < s->run->n; i++)
		if (!strcmp(cell_text(&s->run->cell[i], "start"), "warm") && startup_measured(s, &s->run->cell[i]))
			return "warm";
	return "cold";
}

static void startup_run_rows(const struct startup *s, struct table_out *out)
{
	for (size_t i = 0; i < s->starts.n; i++) {
		const struct trial *t = &s->starts.of[i];

		if (t->group == STARTUP_BROKEN)
			continue;
		row_text(out, "cell", t->cell->name);
		row_params(out, t->cell);
		row_number(out, "repeat", (double)t->repeat);
		row_number(out, "run", (double)t->number);
		row_number(out, "startup_above", t->above);
		for (int v = 0; v < STARTUP_SWAP_IN_MB; v++)
			row_number(out, s->starts.values[v], t->value[v]);
		row_end(out);
	}
}

/* Is it the first of its name in its cell? */
static bool startup_new_event(const struct startup *s, const struct trial *t)
{
	for (const struct trial *u = s->events.of; u < t; u++)
		if (u->cell == t->cell && !strcmp(u->text, t->text))
			return false;
	return true;
}

static void startup_event_row(const struct startup *s, const struct trial *t, struct table_out *out)
{
	struct sample of[3];
	struct figure time;

	for (int v = STARTUP_EVENT; v <= STARTUP_UNCHANGED; v++)
		of[v] = trials_sample(&s->events, t->cell, TRIALS_ALL, v, t->text);
	time = trials_median(s->run, &of[STARTUP_EVENT]);
	row_text(out, "cell", t->cell->name);
	row_params(out, t->cell);
	row_text(out, "event", t->text);
	row_number(out, "n", (double)of[STARTUP_EVENT].n);
	row_number(out, "unchanged", (double)of[STARTUP_UNCHANGED].n);
	row_figure(out, "event_ms", &time);
	row_number(out, "event_ms_max", sample_max(&of[STARTUP_EVENT]).value / TRIALS_SCALE);
	row_number(out, "first_change_ms", sample_quantile(&of[STARTUP_FIRST_CHANGE], 0.5).value / TRIALS_SCALE);
	row_end(out);
	for (int v = STARTUP_EVENT; v <= STARTUP_UNCHANGED; v++)
		sample_free(&of[v]);
}

static void startup_event_rows(const struct startup *s, struct table_out *out)
{
	for (size_t i = 0; i < s->run->n; i++)
		for (size_t k = 0; k < s->events.n; k++)
			if (s->events.of[k].cell == &s->run->cell[i] && startup_new_event(s, &s->events.of[k]))
				startup_event_row(s, &s->events.of[k], out);
}

/* Median time of an event; "start" is the start itself. NAN: not measured. */
static double startup_handle_s(const struct startup *s, const struct cell *c, const char *event)
{
	struct sample times;
	double ms;

	if (!strcmp(event, "start"))
		return startup_time(s, c).value / 1000;
	times = trials_sample(&s->events, c, TRIALS_ALL, STARTUP_EVENT, event);
	ms = sample_quantile(&times, 0.5).value / TRIALS_SCALE;
	sample_free(&times);
	return ms / 1000;
}

/* The heaviest pressure of a kind (NULL: of any, memory left before swap in use): the last device, the hardest step where that
 * was measured. */
static const struct cell *startup_hardest(const struct startup *s, const char *app, const char *axis, const char *event)
{
	const struct cell *hardest = NULL;
	const char *start = startup_main(s);

	for (size_t i = 0; i < s->run->n; i++) {
		const struct cell *c = &s->run->cell[i];
		const char *of = cell_text(c, "axis");

		if (strcmp(cell_text(c, "app"), app) != 0 || strcmp(cell_text(c, "start"), start) != 0 || !strcmp(of, "none") ||
		    (axis && strcmp(of, axis) != 0) || isnan(startup_handle_s(s, c, event)))
			continue;
		if (!hardest || (!startup_same(c, hardest, "axis") && !strcmp(of, "left")) || (startup_same(c, hardest, "axis") &&
		    (!startup_same(c, hardest, "swap") || startup_hardness(c) > startup_hardness(hardest))))
			hardest = c;
	}
	return hardest;
}

/* After Table 1 of the paper; and the start under the heaviest pressure of either kind. */
static void startup_application_rows(const struct startup *s, struct table_out *out)
{
	static const char *const words[] = { "kind", "version" };
	static const char *const bytes[] = { "program_bytes", "files_bytes", "rss_bytes", "anonymous_bytes" };
	const char *app;
	char of[96];

	for (int i = 0; snprintf(of, sizeof(of), "%d", i), app = inputs_text(s->run->json, "settings.apps.%s", of); i++) {
		const struct cell *at[] = { startup_find(s->run, app, "warm", "none"), startup_find(s->run, app, "cold", "none"),
			startup_hardest(s, app, "used", "start"), startup_hardest(s, app, "left", "start") };
		static const char *const columns[] = { "t0_warm_ms", "t0_cold_ms", "used_ms", "left_ms" };

		row_text(out, "app", app);
		snprintf(of, sizeof(of), "applications.%s", app);
		for (size_t k = 0; k < sizeof(words) / sizeof(*words); k++)
			row_text(out, words[k], inputs_text(s->run->json, "%s.%s", of, words[k]));
		for (size_t k = 0; k < sizeof(bytes) / sizeof(*bytes); k++)
			row_number(out, bytes[k], inputs_number(s->run->json, "%s.%s", of, bytes[k]));
		for (size_t k = 0; k < sizeof(columns) / sizeof(*columns); k++)
			row_number(out, columns[k], at[k] ? startup_time(s, at[k]).value : (double)NAN);
		row_number(out, "used_step", at[2] ? cell_number(at[2], "step") : (double)NAN);
		row_number(out, "left_step", at[3] ? cell_number(at[3], "step") : (double)NAN);
		row_end(out);
	}
}

struct startup_felt {
	const struct menus_event *event;
	double none_s, pressed_s;
	const struct cell *under;
};

static int startup_slower(const void *a, const void *b)
{
	const struct startup_felt *x = a, *y = b;
	double xs = isnan(x->pressed_s) ? x->none_s : x->pressed_s, ys = isnan(y->pressed_s) ? y->none_s : y->pressed_s;

	return (xs < ys) - (xs > ys);
}

static void startup_felt_row(const struct startup *s, const struct startup_felt *f, struct table_out *out)
{
	static const char *const handle[] = { "t_handle_s", "pressed_handle_s" }, *const total[] = { "t_total_s", "pressed_total_s" },
		*const felt[] = { "felt_s", "pressed_felt_s" };
	const double handle_s[] = { f->none_s, f->pressed_s };
	const struct json *j = s->run->json;
	static const char at[] = "settings.model.times_s.%s";
	const struct menus_times times = { inputs_number(j, at, "key"), inputs_number(j, at, "point"), inputs_number(j, at, "button"),
		inputs_number(j, at, "home"), inputs_number(j, at, "mental") };
	double index = menus_index(&times, f->event->path, f->event->shortcut);
	double tolerance = inputs_number(j, "settings.model.tolerance_s");

	row_text(out, "app", f->event->application);
	row_text(out, "event", f->event->path);
	row_number(out, "count", f->event->count);
	row_text(out, "shortcut", f->event->shortcut);
	row_number(out, "t_index_s", index);
	row_number(out, "t_think_s", times.mental);
	if (f->under)
		row_params(out, f->under);
	for (int i = 0; i < 2; i++) {
		double total_s = index + times.mental + handle_s[i];

		row_number(out, handle[i], handle_s[i]);
		row_number(out, total[i], total_s);
		row_number(out, felt[i], isnan(total_s) ? NAN :
			menus_felt(total_s, index + times.mental + tolerance, inputs_number(j, "settings.model.beta")));
	}
	row_end(out);
}

/* Events that every class of users asks for and that were measured, the slowest first. */
static void startup_felt_rows(const struct startup *s, struct table_out *out)
{
	struct menus_event event[MENUS_EVENTS];
	struct startup_felt felt[MENUS_EVENTS];
	size_t common = menus_common(s->run->json, "settings.model", event), n = 0;

	for (size_t i = 0; i < common; i++) {
		const struct cell *none = startup_find(s->run, event[i].application, startup_main(s), "none");
		const struct cell *under = startup_hardest(s, event[i].application, NULL, event[i].path);

		felt[n] = (struct startup_felt){ &event[i], none ? startup_handle_s(s, none, event[i].path) : NAN,
			under ? startup_handle_s(s, under, event[i].path) : NAN, under };
		n += isfinite(felt[n].none_s) || isfinite(felt[n].pressed_s);
	}
	qsort(felt, n, sizeof(*felt), startup_slower);
	for (size_t i = 0; i < n; i++)
		startup_felt_row(s, &felt[i], out);
}

int startup_rows(void *state, const char *table, struct table_out *out, struct why *why)
{
	static const struct {
		const char *table;
		void (*write)(const struct startup *s, struct table_out *out);
	} tables[] = {
		{ "runs", startup_run_rows }, { "events", startup_event_rows },
		{ "applications", startup_application_rows }, { "felt", startup_felt_rows },
	};

	for (size_t i = 0; i < sizeof(tables) / sizeof(*tables); i++)
		if (!strcmp(tables[i].table, table)) {
			tables[i].write(state, out);
			return 0;
		}
	return why_set(why, -1, "%s: no such table of starts", table);
}
