// SPDX-License-Identifier: GPL-3.0-or-later
#include "start.h"
#include "clock.h"
#include "proc.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>

#define BUSY_SHARE 0.1		     /* share of a CPU above which processes count as busy */
#define WATCH_TICK (10 * NS_PER_MS)  /* from one reading of swap traffic to the next */
#define WATCH_BUSY 10		     /* busy processes are watched this many times as long */
#define FOCUS_NS (100 * NS_PER_MS)   /* drawing caused by a change of the focus begins within this time */
#define CARET_NS (1200 * NS_PER_MS)  /* longest phase of a blinking caret */
#define NO_CHANGE 4		     /* quiet times without a change, from processes that are not busy: no change will come */
#define STOP_GRACE_NS (2 * NS_PER_S) /* after a stop signal, how long a display that does not answer may take */

const char *const start_states[] = { "stable", "ceiling", "no_window", "exited", "interrupted", "no_display", NULL };
const char *const start_event_states[] = { "stable", "ceiling", "no_change", "exited", "not_sent", NULL };
const char *const start_ends[] = { "by_itself", "closed", "asked", "killed", NULL };

struct measurement {
	const struct start_cfg *cfg;
	struct subreaper *subreaper;
	struct start_result *out;
	struct stability stability;
	struct tree tree;
	struct tree_sums counts;
	struct watchdog watchdog; /* of the connection to the display */
	int64_t exec_ns;	  /* times count from here */
	int64_t tick_ns, tree_ns; /* next reading of swap traffic; last reading of the process tree */
	int64_t busy_ns;	  /* when processes were last seen busy */
	uint64_t picture, set;	  /* hashes: of the content, of the set of windows */
	bool uncounted;		  /* there was a change after the last store_counts() */
	bool settled;		  /* content is stable: the counts of the last change are kept */
	bool was_mapped, was_painted;
	size_t steps_noted; /* steps of swap traffic written to the log */
};

static void log_event(struct measurement *r, int64_t time_ns, const char *kind, const char *name,
		      const struct traffic_counts *moved)
{
	struct start_log_entry n = { time_ns, kind, name, r->picture, screen_get_content(r->cfg->screen)->windows, moved };

	if (r->cfg->log)
		r->cfg->log(&n);
}

/* Keeps the current counts as those of the last change. */
static void store_counts(struct measurement *r)
{
	struct start_result *out = r->out;

	out->counts = r->counts;
	out->processes = r->tree.n;
	out->threads = 0;
	for (int i = 0; i < r->tree.n; i++)
		out->threads += r->tree.threads[i];
	traffic_get_refaults(r->cfg->traffic, &out->refaults);
	r->uncounted = false;
}

/* Reads the process tree. */
static void read_tree(struct measurement *r, int64_t now)
{
	struct tree_sums c, before = r->counts;
	int64_t since = now - r->tree_ns;

	tree_list_processes(&r->tree, r->subreaper->pid, &c);
	/* a process that ends while the tree is read may be missing from the sums */
	r->counts.minor_faults = c.minor_faults > before.minor_faults ? c.minor_faults : before.minor_faults;
	r->counts.major_faults = c.major_faults > before.major_faults ? c.major_faults : before.major_faults;
	r->counts.cpu_ns = c.cpu_ns > before.cpu_ns ? c.cpu_ns : before.cpu_ns;
	r->counts.blocked = c.blocked;
	if (c.blocked || r->counts.major_faults > before.major_faults ||
	    (double)(r->counts.cpu_ns - before.cpu_ns) > BUSY_SHARE * (double)since)
		r->busy_ns = now;
	r->tree_ns = now;
	if (r->uncounted && !r->settled)
		store_counts(r);
}

static void log_traffic(struct measurement *r)
{
	const struct traffic *t = r->cfg->traffic;

	for (; r->steps_noted < t->n; r->steps_noted++)
		log_event(r, t->step[r->steps_noted].at_ns, "swap", NULL, &t->step[r->steps_noted].moved);
}

static void record_changes(struct measurement *r, int64_t now)
{
	const struct screen_content *seen = screen_get_content(r->cfg->screen);

	if (seen->mapped_ns && !r->was_mapped)
		log_event(r, seen->mapped_ns, "mapped", NULL, NULL);
	if (seen->paint_ns && !r->was_painted)
		log_event(r, seen->paint_ns, "painted", NULL, NULL);
	r->was_mapped = seen->mapped_ns;
	r->was_painted = seen->paint_ns;
	if (seen->picture == r->picture)
		return;
	r->picture = seen->picture;
	r->uncounted = true;
	if (!r->settled)
		r->out->last_change_ns = now - r->exec_ns;
	log_event(r, now, "change", NULL, NULL);
}

/* True while a process of the application runs, as far as known. */
static bool is_running(const struct measurement *r)
{
	return subreaper_running(r->subreaper) || r->cfg->any_owner;
}

/* Handles what has come from the display and waits for more, until until_ns at most. 0; 1: stop signal; -EPIPE: the display is
 * gone. */
static int handle_events(struct measurement *r, int64_t until_ns)
{
	struct screen_watch *screen = r->cfg->screen;
	struct pollfd fd = { .fd = screen_fd(screen), .events = POLLIN };
	int64_t now, wake;
	int err;

	atomic_store(&r->watchdog.until_ns, clock_now() + r->cfg->ceiling_ns);
	err = screen_handle_events(screen);
	now = clock_now();
	if (!err && screen_next_look_ns(screen) <= now) {
		err = screen_look(screen);
		now = screen_get_content(screen)->look_ns;
		record_changes(r, now);
		stability_add_look(&r->stability, now, r->picture);
		if (!err)
			err = screen_handle_events(screen);
	}
	if (err)
		return proc_stop ? 1 : err; /* after a stop signal, the watchdog may have shut the connection down */
	if (now >= r->tick_ns) {
		traffic_record_step(r->cfg->traffic, now);
		log_traffic(r);
		r->tick_ns = now + WATCH_TICK;
		if (now - r->tree_ns >= START_TREE_TICK) {
			read_tree(r, now);
			if (r->cfg->learn)
				file_set_add_processes(r->cfg->learn, &r->tree);
			if (r->cfg->learn)
				open_trace_collect(r->cfg->opened, r->cfg->learn, r->subreaper->pid);
		}
	}
	wake = screen_next_look_ns(screen) < r->tick_ns ? screen_next_look_ns(screen) : r->tick_ns;
	wake = until_ns < wake ? until_ns : wake;
	now = clock_now();
	if (wake > now) {
		struct timespec ts = clock_timespec(wake - now);

		ppoll(&fd, 1, &ts, NULL);
	}
	return proc_stop ? 1 : 0;
}

/* True if, within the last quiet time, processes used over a tenth of a CPU, had major faults, or waited for a device. */
static bool is_busy(const struct measurement *r, int64_t now)
{
	return now - r->busy_ns < r->cfg->quiet_ns;
}

/* True if content is stable and all that was drawn has been looked at, also what a busy X server had not reported yet. */
static bool update_stable_state(struct measurement *r)
{
	struct stability maybe = r->stability;

	return stability_update(&maybe, clock_now()) &&
	       stability_update(&r->stability, r->stability.reached ? clock_now() : screen_await_reports(r->cfg->screen));
}

/* True if content is stable and something has been painted in a window that counts. */
static bool update_ready_state(struct measurement *r)
{
	const struct screen_content *seen = screen_get_content(r->cfg->screen);

	return seen->windows && seen->painted && update_stable_state(r);
}

static void copy_content_figures(struct measurement *r)
{
	const struct screen_content *seen = screen_get_content(r->cfg->screen);
	struct start_result *out = r->out;

	out->windows = seen->windows;
	out->width = seen->width;
	out->height = seen->height;
	out->changes = r->stability.changes;
	out->caret = r->stability.turns >= 2;
}

/* Watches a ready application for further windows. *again: the set of windows changed, so it was not ready. */
static int watch_windows(struct measurement *r, int64_t ceiling_ns, bool *again)
{
	const struct screen_content *seen = screen_get_content(r->cfg->screen);
	int64_t begin = clock_now(), now = begin, last_ns;
	int err = 0;

	*again = false;
	r->set = seen->set;
	r->out->stable_ns = r->stability.stable_ns - r->exec_ns;
	if (r->uncounted)
		read_tree(r, now);
	r->settled = true;
	copy_content_figures(r);
	while (!err && now < ceiling_ns && r->cfg->watch_on_ns && is_running(r) &&
	       now - begin < r->cfg->watch_on_ns * (is_busy(r, now) ? WATCH_BUSY : 1)) {
		err = handle_events(r, now + WATCH_TICK);
		now = clock_now();
		if (!err && seen->set != r->set) {
			*again = true;
			r->out->splashes++;
			log_event(r, now, "again", NULL, NULL);
			stability_init(&r->stability, r->cfg->quiet_ns);
			stability_add_look(&r->stability, now, r->picture);
			return 0;
		}
		/* a blinking caret may turn out to have caused the last change */
		if (update_stable_state(r) && r->stability.stable_ns - r->exec_ns < r->out->stable_ns)
			r->out->stable_ns = r->stability.stable_ns - r->exec_ns;
	}
	last_ns = stability_last_change(&r->stability) - r->exec_ns;
	r->out->changed_again_ns = last_ns > r->out->stable_ns ? last_ns - r->out->stable_ns : -1;
	r->out->busy = r->cfg->watch_on_ns && is_busy(r, now);
	r->out->caret = r->stability.turns >= 2;
	tree_read_memory(&r->tree, &r->out->memory);
	log_event(r, r->exec_ns + r->out->stable_ns, "rest", NULL, NULL);
	return err;
}

static int wait_ready(struct measurement *r)
{
	int64_t ceiling_ns = r->exec_ns + r->cfg->ceiling_ns, now = clock_now();
	bool again;
	int err = 0;

	stability_init(&r->stability, r->cfg->quiet_ns);
	while (!err && now < ceiling_ns && is_running(r)) {
		if (update_ready_state(r)) {
			struct start_result before = *r->out;

			err = watch_windows(r, ceiling_ns, &again);
			if (err || !again) {
				r->out->state = START_STABLE;
				return err;
			}
			r->settled = false;
			before.splashes = r->out->splashes;
			before.last_change_ns = clock_now() - r->exec_ns;
			*r->out = before;
			r->uncounted = true;
		}
		err = handle_events(r, ceiling_ns);
		now = clock_now();
	}
	copy_content_figures(r);
	if (r->uncounted)
		store_counts(r);
	r->out->state = !is_running(r)					? START_EXITED
			: screen_get_content(r->cfg->screen)->mapped_ns ? START_CEILING
									: START_NO_WINDOW;
	return err;
}

/* Before an event, gives the newest window the focus and waits until what that draws is stable. */
static int focus_newest(struct measurement *r)
{
	int64_t until = clock_now() + r->cfg->ceiling_ns, at_least;
	int err = 0;

	screen_focus_newest(r->cfg->screen);
	at_least = clock_now() + FOCUS_NS;
	while (!err && clock_now() < until && (clock_now() < at_least || !update_stable_state(r)))
		err = handle_events(r, clock_now() + WATCH_TICK);
	return err;
}

/* Waits long enough to see whether the last change was a blinking caret's, which comes again, and corrects *stable_ns, the time of
 * the last change, in that case. */
static int await_caret_blink(struct measurement *r, int64_t *stable_ns)
{
	int64_t until = r->stability.now_ns + 2 * CARET_NS;
	int err = 0;

	*stable_ns = r->stability.stable_ns;
	while (!err && r->cfg->watch_on_ns && r->stability.reached && r->stability.turns &&
	       clock_now() - r->stability.now_ns < CARET_NS && clock_now() < until) {
		err = handle_events(r, clock_now() + WATCH_TICK);
		if (update_stable_state(r) && r->stability.stable_ns < *stable_ns) {
			*stable_ns = r->stability.stable_ns;
			break;
		}
	}
	return err;
}

static int play_event(struct measurement *r, const struct scripted_event *e, struct event_result *out)
{
	struct stability last;
	int64_t sent_ns, now, stable_ns;
	int err = focus_newest(r);

	if (err)
		return err;
	last = r->stability;
	stability_restart(&r->stability, &last, r->cfg->quiet_ns);
	sent_ns = now = clock_now();
	screen_send_input(r->cfg->screen, e);
	log_event(r, sent_ns, "input", e->name, NULL);
	out->state = START_EVENT_CEILING;
	while (!err && now - sent_ns < r->cfg->ceiling_ns) {
		if (!is_running(r)) {
			out->state = START_EVENT_EXITED;
			break;
		}
		if (update_stable_state(r)) {
			out->state = START_EVENT_STABLE;
			err = await_caret_blink(r, &stable_ns);
			out->stable_ns = stable_ns - sent_ns;
			log_event(r, stable_ns, "rest", e->name, NULL);
			break;
		}
		if (!r->stability.changed && !is_busy(r, now) && now - sent_ns > NO_CHANGE * r->cfg->quiet_ns) {
			out->state = START_EVENT_NO_CHANGE;
			r->stability = last;
			break;
		}
		err = handle_events(r, now + WATCH_TICK);
		now = clock_now();
	}
	if (r->stability.changed && out->state != START_EVENT_NO_CHANGE)
		out->first_change_ns = r->stability.first_change_ns - sent_ns;
	return err;
}

static int play_script(struct measurement *r)
{
	const struct event_script *script = r->cfg->script;
	int err = 0;

	screen_include_menus(r->cfg->screen, true);
	for (size_t i = 0; i < script->n && !err && is_running(r); i++)
		err = play_event(r, &script->event[i], &r->out->event[i]);
	return err;
}

/* Ends the application: asks its windows to close, then SIGTERM, then SIGKILL. */
static void end_application(struct measurement *r)
{
	int64_t until;
	int how, asked;

	atomic_store(&r->watchdog.until_ns, clock_now() + r->cfg->ceiling_ns);
	asked = screen_request_close(r->cfg->screen);
	atomic_store(&r->watchdog.until_ns, WATCHDOG_IDLE);
	if (!subreaper_running(r->subreaper)) {
		r->out->exit_status = atomic_load(&r->subreaper->shared->status);
		subreaper_end(r->subreaper, 0);
		return;
	}
	until = clock_now() + r->cfg->close_ns;
	while (asked && subreaper_running(r->subreaper) && clock_now() < until)
		clock_sleep(clock_now() + 5 * NS_PER_MS);
	how = subreaper_end(r->subreaper, r->cfg->close_ns);
	r->out->end = how == 0 ? START_CLOSED : how == 1 ? START_ASKED : START_KILLED;
}

static int start_application(struct measurement *r)
{
	const struct start_cfg *cfg = r->cfg;
	struct start_result *out = r->out;
	int64_t key_ns;
	int err;

	*out = (struct start_result){ .state = START_NO_DISPLAY, /* until it is started */
				      .mapped_ns = -1,
				      .paint_ns = -1,
				      .stable_ns = -1,
				      .splash_ns = -1,
				      .changed_again_ns = -1,
				      .last_change_ns = -1,
				      .exit_status = -1,
				      .memory = { -1, -1, -1, -1 } };
	if (cfg->script) {
		out->event = calloc(cfg->script->n, sizeof(*out->event));
		if (!out->event)
			return -ENOMEM;
		for (size_t i = 0; i < cfg->script->n; i++)
			out->event[i] = (struct event_result){ START_EVENT_NOT_SENT, -1, -1 };
	}
	err = screen_reset(cfg->screen);
	if (err)
		return err;
	traffic_restart(cfg->traffic);
	key_ns = clock_now();
	if (cfg->key)
		screen_send_input(cfg->screen, cfg->key);
	err = subreaper_start(r->subreaper, &cfg->start);
	if (err)
		return err;
	screen_set_root_process(cfg->screen, r->subreaper->pid);
	r->exec_ns = out->exec_ns = cfg->key ? key_ns : atomic_load(&r->subreaper->shared->exec_ns);
	r->tree_ns = r->busy_ns = r->exec_ns;
	r->uncounted = true;
	log_event(r, r->exec_ns, "exec", NULL, NULL);
	return 0;
}

static void fill_result(struct measurement *r, int err)
{
	const struct screen_content *seen = screen_get_content(r->cfg->screen);
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
	traffic_sum(r->cfg->traffic, r->exec_ns + (out->stable_ns >= 0 ? out->stable_ns + WATCH_TICK : r->cfg->ceiling_ns),
		    &out->moved);
}

int start_measure(const struct start_cfg *cfg, struct subreaper *subreaper, struct start_result *out)
{
	struct measurement *r = calloc(1, sizeof(*r));
	int64_t cpu_ns = clock_process_cpu();
	int err;

	if (!r)
		return -ENOMEM;
	r->cfg = cfg;
	r->subreaper = subreaper;
	r->out = out;
	err = start_application(r);
	if (!err) {
		/* without the watchdog, waiting for a display that does not answer has no limit */
		bool watched = !watchdog_start(&r->watchdog, screen_fd(cfg->screen), WATCHDOG_IDLE, STOP_GRACE_NS);

		err = wait_ready(r);
		if (!err && out->state == START_STABLE && cfg->script)
			err = play_script(r);
		out->probe_cpu_ns = clock_process_cpu() - cpu_ns;
		fill_result(r, err);
		end_application(r);
		if (watched)
			watchdog_end(&r->watchdog);
		log_event(r, clock_now(), "end", NULL, NULL);
		err = err > 0 ? 0 : err;
	}
	free(r);
	return err;
}

void start_result_free(struct start_result *r)
{
	free(r->event);
	r->event = NULL;
}
