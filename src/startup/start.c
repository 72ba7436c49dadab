// SPDX-License-Identifier: GPL-3.0-or-later
#include "watch.h"
#include "clock.h"
#include "proc.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define WATCH_BUSY 10			/* times as long as one that is not busy */
#define FOCUS_NS (100 * NS_PER_MS)	/* what a change of the focus draws begins within that */
#define CARET_NS (1200 * NS_PER_MS)	/* no phase of a blinking caret is longer */
#define NO_CHANGE 4			/* quiet times without any answer, from processes that do nothing: there will be none */

const char *const start_states[] = { "stable", "ceiling", "no_window", "exited", "interrupted", "no_display", NULL };
const char *const start_event_states[] = { "stable", "ceiling", "no_change", "exited", "not_sent", NULL };
const char *const start_ends[] = { "by_itself", "closed", "asked", "killed", "kept", NULL };

/* At rest, and something to be seen in a window that counts. */
static bool is_ready(struct start_watch *r)
{
	const struct screen_seen *seen = screen_seen(r->cfg->screen);

	return seen->windows && seen->painted && watch_rest(r);
}

static void settle_result(struct start_watch *r)
{
	const struct screen_seen *seen = screen_seen(r->cfg->screen);
	struct start_result *out = r->out;

	out->windows = seen->windows;
	out->width = seen->width;
	out->height = seen->height;
	out->changes = r->rest.changes;
	out->caret = r->rest.turns >= 2;
}

/* It is ready unless the set of windows changes: true when it did. */
static int watch_on(struct start_watch *r, int64_t ceiling_ns, bool *again)
{
	const struct screen_seen *seen = screen_seen(r->cfg->screen);
	int64_t begin = clock_now(), now = begin;
	int err = 0;

	*again = false;
	r->set = seen->set;
	r->out->stable_ns = r->rest.rest_ns - r->exec_ns;
	r->out->told_ns = begin - r->exec_ns;
	if (r->unnoted)
		watch_tree(r, now);
	r->settled = true;
	settle_result(r);
	while (!err && now < ceiling_ns && r->cfg->watch_on_ns && watch_any(r) &&
	       now - begin < r->cfg->watch_on_ns * (watch_busy(r, now) ? WATCH_BUSY : 1)) {
		err = watch_pass(r, now + WATCH_TICK);
		now = clock_now();
		if (!err && seen->set != r->set) {
			*again = true;
			r->out->splashes++;
			watch_note(r, now, "again", NULL, NULL);
			rest_start(&r->rest, r->cfg->quiet_ns);
			rest_seen(&r->rest, now, r->picture);
			return 0;
		}
		/* turns of a pair may show that the last step was the caret's */
		if (watch_rest(r) && r->rest.rest_ns - r->exec_ns < r->out->stable_ns)
			r->out->stable_ns = r->rest.rest_ns - r->exec_ns;
	}
	r->out->busy = r->cfg->watch_on_ns && watch_busy(r, now);
	r->out->caret = r->rest.turns >= 2;
	memory_look(&r->tree, &r->out->memory);
	watch_note(r, r->exec_ns + r->out->stable_ns, "rest", NULL, NULL);
	return err;
}

static int wait_for_rest(struct start_watch *r)
{
	int64_t ceiling_ns = r->exec_ns + r->cfg->ceiling_ns, now = clock_now();
	bool again;
	int err = 0;

	rest_start(&r->rest, r->cfg->quiet_ns);
	while (!err && now < ceiling_ns && watch_any(r)) {
		if (is_ready(r)) {
			struct start_result before = *r->out;

			err = watch_on(r, ceiling_ns, &again);
			if (err || !again) {
				r->out->state = START_STABLE;
				return err;
			}
			r->settled = false;
			before.splashes = r->out->splashes;
			before.last_change_ns = clock_now() - r->exec_ns;
			*r->out = before;
			r->unnoted = true;
		}
		err = watch_pass(r, ceiling_ns);
		now = clock_now();
	}
	settle_result(r);
	if (r->unnoted)
		watch_keep_counts(r);
	r->out->state = !watch_any(r) ? START_EXITED : screen_seen(r->cfg->screen)->mapped_ns ? START_CEILING : START_NO_WINDOW;
	return err;
}

/* Before an event: the focus goes into the last window, and what that draws is no answer. */
static int prepare_event(struct start_watch *r)
{
	int64_t until = clock_now() + r->cfg->ceiling_ns, at_least;
	int err = 0;

	screen_focus(r->cfg->screen);
	at_least = clock_now() + FOCUS_NS;
	while (!err && clock_now() < until && (clock_now() < at_least || !watch_rest(r)))
		err = watch_pass(r, clock_now() + WATCH_TICK);
	return err;
}

/* Was the last change before the rest an answer, or a caret that goes on blinking? */
static int wait_for_caret(struct start_watch *r, int64_t *rest_ns)
{
	int64_t until = r->rest.now_ns + 2 * CARET_NS;	/* a caret changes the picture for ever */
	int err = 0;

	*rest_ns = r->rest.rest_ns;
	while (!err && r->cfg->watch_on_ns && r->rest.reached && r->rest.turns && clock_now() - r->rest.now_ns < CARET_NS &&
	       clock_now() < until) {
		err = watch_pass(r, clock_now() + WATCH_TICK);
		if (watch_rest(r) && r->rest.rest_ns < *rest_ns) {
			*rest_ns = r->rest.rest_ns;
			break;
		}
	}
	return err;
}

static int play_event(struct start_watch *r, const struct then_event *e, struct start_event *out)
{
	struct rest last;
	int64_t sent_ns, now, rest_ns;
	int err = prepare_event(r);

	if (err)
		return err;
	last = r->rest;
	rest_after(&r->rest, &last, r->cfg->quiet_ns);
	sent_ns = now = clock_now();
	screen_send(r->cfg->screen, e);
	watch_note(r, sent_ns, "input", e->name, NULL);
	out->state = START_EVENT_CEILING;
	while (!err && now - sent_ns < r->cfg->ceiling_ns) {
		if (!watch_any(r)) {
			out->state = START_EVENT_EXITED;
			break;
		}
		if (watch_rest(r)) {
			out->state = START_EVENT_STABLE;
			err = wait_for_caret(r, &rest_ns);
			out->stable_ns = rest_ns - sent_ns;
			watch_note(r, rest_ns, "rest", e->name, NULL);
			break;
		}
		if (!r->rest.changed && !watch_busy(r, now) && now - sent_ns > NO_CHANGE * r->cfg->quiet_ns) {
			out->state = START_EVENT_NO_CHANGE;
			r->rest = last;
			break;
		}
		err = watch_pass(r, now + WATCH_TICK);
		now = clock_now();
	}
	if (r->rest.changed && out->state != START_EVENT_NO_CHANGE)
		out->first_change_ns = r->rest.first_change_ns - sent_ns;
	return err;
}

static int play_script(struct start_watch *r)
{
	const struct then *script = r->cfg->script;
	int err = 0;

	screen_with_menus(r->cfg->screen, true);
	for (size_t i = 0; i < script->n && !err && watch_any(r); i++)
		err = play_event(r, &script->event[i], &r->out->event[i]);
	return err;
}

/* As a person ends it; where it does not go, as a system does. */
static void end_application(struct start_watch *r)
{
	int64_t until;
	int how, asked;

	atomic_store(&r->watchdog.until_ns, clock_now() + r->cfg->ceiling_ns);
	asked = screen_ask_to_close(r->cfg->screen);
	atomic_store(&r->watchdog.until_ns, WATCHDOG_IDLE);
	if (!nanny_has_any(r->nanny)) {
		r->out->exit_status = atomic_load(&r->nanny->told->status);
		nanny_end(r->nanny, 0);
		return;
	}
	until = clock_now() + r->cfg->close_ns;
	while (asked && nanny_has_any(r->nanny) && clock_now() < until)
		clock_sleep_until(clock_now() + 5 * NS_PER_MS);
	how = nanny_end(r->nanny, r->cfg->close_ns);
	r->out->end = how == 0 ? START_CLOSED : how == 1 ? START_ASKED : START_KILLED;
}

static int begin_start(struct start_watch *r)
{
	const struct start_cfg *cfg = r->cfg;
	struct start_result *out = r->out;
	int64_t key_ns;
	int err;

	*out = (struct start_result){ .mapped_ns = -1, .paint_ns = -1, .stable_ns = -1, .splash_ns = -1,
				      .last_change_ns = -1, .told_ns = -1, .exit_status = -1, .memory = { -1, -1, -1, -1 } };
	if (cfg->script) {
		out->event = calloc(cfg->script->n, sizeof(*out->event));
		if (!out->event)
			return -ENOMEM;
		for (size_t i = 0; i < cfg->script->n; i++)
			out->event[i] = (struct start_event){ START_EVENT_NOT_SENT, -1, -1 };
	}
	err = screen_begin(cfg->screen);
	if (err)
		return err;
	traffic_begin(cfg->traffic);
	key_ns = clock_now();
	if (cfg->key)
		screen_send(cfg->screen, cfg->key);
	err = nanny_start(r->nanny, &cfg->start);
	if (err)
		return err;
	screen_owner(cfg->screen, r->nanny->pid);
	r->exec_ns = out->exec_ns = cfg->key ? key_ns : atomic_load(&r->nanny->told->exec_ns);
	r->tree_ns = r->busy_ns = r->exec_ns;
	r->unnoted = true;
	watch_note(r, r->exec_ns, "exec", NULL, NULL);
	return 0;
}

static void finish_start(struct start_watch *r, int err)
{
	const struct screen_seen *seen = screen_seen(r->cfg->screen);
	struct start_result *out = r->out;

	if (err)
		out->state = err > 0 ? START_INTERRUPTED : START_NO_DISPLAY;
	if (seen->mapped_ns)
		out->mapped_ns = seen->mapped_ns - r->exec_ns;
	if (seen->paint_ns)
		out->paint_ns = seen->paint_ns - r->exec_ns;
	if (seen->splash_ns)
		out->splash_ns = seen->splash_ns - r->exec_ns;
	out->looks = seen->looks;
	out->longest_ns = seen->longest_ns;
	out->delay_readings = r->delays.readings;
	out->delays_discarded = r->delays.discarded;
	traffic_until(r->cfg->traffic, r->exec_ns + (out->stable_ns >= 0 ? out->stable_ns + WATCH_TICK : r->cfg->ceiling_ns), &out->moved);
}

/* What a display that does not answer is given after a stop. */
#define STOP_GRACE_NS (2 * NS_PER_S)

int start_once(const struct start_cfg *cfg, struct nanny *nanny, struct start_result *out)
{
	struct start_watch *r = calloc(1, sizeof(*r));
	int64_t cpu_ns = clock_process_cpu();
	int err;

	if (!r)
		return -ENOMEM;
	r->cfg = cfg;
	r->nanny = nanny;
	r->out = out;
	err = begin_start(r);
	if (!err) {
		/* Without it, waiting has no end where a display does not answer: no reason not to measure. */
		bool watched = !watchdog_start(&r->watchdog, screen_fd(cfg->screen), WATCHDOG_IDLE, STOP_GRACE_NS);

		err = wait_for_rest(r);
		if (!err && out->state == START_STABLE && cfg->script)
			err = play_script(r);
		out->probe_cpu_ns = clock_process_cpu() - cpu_ns;
		finish_start(r, err);
		if (cfg->keep && !err && out->state != START_EXITED) {
			nanny_leave(nanny);
			out->end = START_KEPT;
		} else {
			end_application(r);
		}
		if (watched)
			watchdog_end(&r->watchdog);
		watch_note(r, clock_now(), "end", NULL, NULL);
		err = err > 0 ? 0 : err;
	}
	delays_free(&r->delays);
	free(r);
	return err;
}

void start_free(struct start_result *r)
{
	free(r->event);
	r->event = NULL;
}
