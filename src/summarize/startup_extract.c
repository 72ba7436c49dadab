// SPDX-License-Identifier: GPL-3.0-or-later
#include "startup.h"
#include "interval.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SPREADS 3	/* of T0 that start-up must exceed for an e */
#define MB 1e6

static const char *const startup_groups[] = { "started", "broken", NULL };
static const char *const startup_values[] = {
	"startup_ms", "mapped_ms", "paint_ms", "t_io_ms", "blkio_ms", "swapin_ms", "thrashing_ms", "freepages_ms",
	"swap_in_bytes", "swap_out_bytes", "major_faults", "minor_faults", "read_requests", "delays_discarded", "swap_in_mb",
	"swap_out_mb", NULL,
};
/* What startup.json calls them. */
static const char *const startup_keys[STARTUP_SWAP_IN_MB] = {
	"stable_ms", "mapped_ms", "first_paint_ms", "t_io_ms", "blkio_delay_ms", "swapin_delay_ms", "thrashing_delay_ms",
	"freepages_delay_ms", "swap_in_bytes", "swap_out_bytes", "major_faults", "minor_faults", "read_requests", "delays_discarded",
};
static const char *const startup_event_groups[] = { "event", NULL };
static const char *const startup_event_values[] = { "event_ms", "first_change_ms", "unchanged", NULL };

static bool startup_named(const struct run *run)
{
	static const char *const keys[] = { "app", "start", "axis", "swap" };

	for (size_t i = 0; i < run->n; i++)
		for (size_t k = 0; k < sizeof(keys) / sizeof(*keys); k++)
			if (!cell_text(&run->cell[i], keys[k]))
				return false;
	return true;
}

static void *startup_open(const struct run *run, struct why *why)
{
	struct startup *s = run_state(run, sizeof(*s), 0, why);

	if (s && !startup_named(run)) {
		why_set(why, -EPROTO, "%s/run.json: a cell without app, start, axis or swap", run->folder);
		free(s);
		return NULL;
	}
	if (!s)
		return NULL;
	*s = (struct startup){ run, NAN, { .groups = startup_groups, .values = startup_values },
		{ .groups = startup_event_groups, .values = startup_event_values } };
	s->ceiling_ms = inputs_number(run->json, "settings.ceiling_s") * 1000;
	return s;
}

/* What follows the start, by name; a step on the way to an event ("-...") is none. */
static int startup_read_events(struct startup *s, const struct json *j, const char *run, const struct trial *start)
{
	for (int i = 0;; i++) {
		const char *name, *state;
		struct trial *t;
		char of[96];
		double ms;

		snprintf(of, sizeof(of), "%s.events.%d", run, i);
		name = inputs_text(j, "%s.name", of);
		if (!name)
			return 0;
		if (name[0] == '-')
			continue;
		t = trials_add(&s->events, start->cell, start->repeat, start->number);
		if (!t)
			return -ENOMEM;
		snprintf(t->text, sizeof(t->text), "%s", name);
		state = inputs_text(j, "%s.state", of);
		ms = inputs_number(j, "%s.stable_ms", of);
		if (isfinite(ms) || (state && !strcmp(state, "ceiling")))
			trials_set(t, STARTUP_EVENT, isfinite(ms) ? ms : s->ceiling_ms, !isfinite(ms));
		else if (state && !strcmp(state, "no_change"))
			trials_set(t, STARTUP_UNCHANGED, 1, false);
		trials_set(t, STARTUP_FIRST_CHANGE, inputs_number(j, "%s.first_change_ms", of), false);
	}
}

/* A start that had not come to rest at the ceiling is later than that; one that ended, or showed no window, is in no figure. */
static int startup_read_start(struct startup *s, const struct json *j, const char *of, const char *state, struct trial *t)
{
	bool above = !strcmp(state, "ceiling");

	t->group = above || !strcmp(state, "stable") ? STARTUP_STARTED : STARTUP_BROKEN;
	if (t->group == STARTUP_BROKEN)
		return 0;
	for (int v = 0; v < STARTUP_SWAP_IN_MB; v++)
		t->value[v] = inputs_number(j, "%s.%s", of, startup_keys[v]);
	if (above)
		trials_set(t, STARTUP_TIME, s->ceiling_ms, true);
	t->value[STARTUP_SWAP_IN_MB] = t->value[STARTUP_SWAP_IN] / MB;
	t->value[STARTUP_SWAP_OUT_MB] = t->value[STARTUP_SWAP_OUT] / MB;
	return startup_read_events(s, j, of, t);
}

static int startup_read(void *state, const struct cell *c, const struct repeat *r, struct why *why)
{
	const struct json *j;
	int err = repeat_json(r, "startup.json", &j, why);

	if (!err && !j)
		err = why_set(why, -ENOENT, "%s/startup.json: missing", r->folder);
	for (int64_t n = 0; !err; n++) {
		struct trial *t;
		const char *word;
		char of[64];

		snprintf(of, sizeof(of), "result.runs.%lld", (long long)n);
		word = inputs_text(j, "%s.state", of);
		if (!word)
			break;
		t = trials_add(&((struct startup *)state)->starts, c, r->number, n + 1);
		if (!t || startup_read_start(state, j, of, word, t))
			err = why_no_memory(why);
	}
	return err;
}

/* Of the repeat, whatever it has of starts. */
static int startup_number(void *state, const struct cell *c, const struct repeat *r, const char *path, double *out)
{
	const char *key = !strcmp(path, "swap_used_mb") ? "memory.swap_used_bytes" : !strcmp(path, "left_mb") ? "memory.left_bytes" : NULL;

	(void)state;
	(void)c;
	*out = key ? inputs_number(r->json, "%s", key) / MB : (double)NAN;
	return key ? 0 : -ENOENT;
}

const struct cell *startup_find(const struct run *run, const char *app, const char *start, const char *axis)
{
	for (size_t i = 0; i < run->n; i++) {
		const struct cell *c = &run->cell[i];

		if (!strcmp(cell_text(c, "app"), app) && !strcmp(cell_text(c, "start"), start) && !strcmp(cell_text(c, "axis"), axis))
			return c;
	}
	return NULL;
}

static struct sample startup_times(const struct startup *s, const struct cell *c)
{
	return trials_sample(&s->starts, c, 1u << STARTUP_STARTED, STARTUP_TIME, NULL);
}

struct figure startup_time(const struct startup *s, const struct cell *c)
{
	struct sample times = startup_times(s, c);
	struct figure f = { sample_quantile(&times, 0.5).value / TRIALS_SCALE, NAN, NAN, sample_quantile(&times, 0.5).above };

	sample_free(&times);
	return f;
}

struct startup_base startup_base_of(const struct startup *s, const struct cell *c)
{
	const struct cell *none = startup_find(s->run, cell_text(c, "app"), cell_text(c, "start"), "none");
	struct sample times = { 0 };
	struct startup_base b;

	if (none)
		times = startup_times(s, none);
	b = (struct startup_base){ sample_quantile(&times, 0.5).value / TRIALS_SCALE, sample_sd(&times).value / TRIALS_SCALE };
	sample_free(&times);
	return b;
}

static double startup_part(double startup_ms, double io_ms, double t0_ms)
{
	return (startup_ms - t0_ms - io_ms) / (startup_ms - t0_ms);
}

struct figure startup_share(const struct startup *s, const struct cell *c, struct startup_base base)
{
	struct sample io = trials_sample(&s->starts, c, 1u << STARTUP_STARTED, STARTUP_IO, NULL);
	double *value = calloc(s->starts.n + 1, sizeof(*value));
	struct figure time = startup_time(s, c), e = { NAN, NAN, NAN, false };
	struct interval i;
	size_t n = 0;

	/* Of a median at the ceiling nobody knows how long it would have been. */
	if (value && !time.above && time.value - base.t0_ms > SPREADS * base.spread_ms && time.value > base.t0_ms)
		e.value = startup_part(time.value, sample_quantile(&io, 0.5).value / TRIALS_SCALE, base.t0_ms);
	for (size_t k = 0; k < s->starts.n && isfinite(e.value); k++) {
		const struct trial *t = &s->starts.of[k];

		if (t->cell == c && !t->above && t->value[STARTUP_TIME] > base.t0_ms && isfinite(t->value[STARTUP_IO]))
			value[n++] = startup_part(t->value[STARTUP_TIME], t->value[STARTUP_IO], base.t0_ms);
	}
	if (n && interval_t(value, n, &i)) {
		e.low = fmin(i.low, e.value);
		e.high = fmax(i.high, e.value);
	}
	sample_free(&io);
	free(value);
	return e;
}

/* Of the application's threads, the larger of blkio and swapin + thrashing, which may count the same wait. */
static double startup_waits(const struct startup *s, const struct cell *c)
{
	static const char *const paths[] = { "started.blkio_ms.median", "started.swapin_ms.median", "started.thrashing_ms.median" };
	struct figure of[3];

	for (int i = 0; i < 3; i++)
		trials_figure(&s->starts, s->run, c, paths[i], &of[i]);
	return isnan(of[0].value) ? NAN : fmax(of[0].value, fmax(of[1].value, 0) + fmax(of[2].value, 0));
}

/* How long the device takes to write a file as large as the swap in use. */
static double startup_file_ms(const struct startup *s, const struct cell *c)
{
	for (int i = 0;; i++) {
		const char *swap = inputs_text(s->run->json, "devices.%d.swap", i);

		if (!swap)
			return NAN;
		if (!strcmp(swap, cell_text(c, "swap")))
			return cell_number(c, "step") * 1048576 * 1000 / inputs_number(s->run->json, "devices.%d.write_bytes_per_s", i);
	}
}

static int startup_figure(void *state, const struct cell *c, const char *path, struct figure *out)
{
	const struct startup *s = state;
	bool used = !strcmp(cell_text(c, "axis"), "used");
	struct startup_base base;

	if (strchr(path, '.'))
		return trials_figure(&s->starts, s->run, c, path, out);
	base = startup_base_of(s, c);
	*out = (struct figure){ NAN, NAN, NAN, false };
	if (!strcmp(path, "t0_ms"))
		out->value = base.t0_ms;
	else if (!strcmp(path, "t0_spread_ms"))
		out->value = base.spread_ms;
	else if (!strcmp(path, "added_ms"))
		out->value = startup_time(s, c).value - base.t0_ms;
	else if (!strcmp(path, "waits_ms"))
		out->value = startup_waits(s, c);
	else if (!strcmp(path, "file_ms"))
		out->value = used ? startup_file_ms(s, c) : NAN;
	else if (strcmp(path, "e") != 0)
		return -ENOENT;
	else if (used)	/* beside a hog that goes on, the device's traffic is the hog's too: no T_IO of the start */
		*out = startup_share(s, c, base);
	return 0;
}

static void startup_close(void *state)
{
	struct startup *s = state;

	trials_free(&s->starts);
	trials_free(&s->events);
	free(s);
}

const struct extractor startup_extractor = {
	.name = "startup", .open = startup_open, .read = startup_read, .number = startup_number, .figure = startup_figure,
	.rows = startup_rows, .close = startup_close,
};
