// SPDX-License-Identifier: GPL-3.0-or-later
#include "start.h"
#include "clock.h"
#include "proc.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>

#define BUSY_SHARE 0.1			/* share of a CPU above which processes count as busy */
#define WATCH_TICK (10 * NS_PER_MS)	/* from one reading of swap traffic to the next */
#define WATCH_BUSY 10			/* busy processes are watched this many times as long */
#define FOCUS_NS (100 * NS_PER_MS)	/* drawing caused by a change of the focus begins within this time */
#define CARET_NS (1200 * NS_PER_MS)	/* longest phase of a blinking caret */
#define NO_CHANGE 4			/* quiet times without a change, from processes that are not busy: no change will come */
#define STOP_GRACE_NS (2 * NS_PER_S)	/* after a stop signal, how long a display that does not answer may take */

const char *const start_states[] = { "stable", "ceiling", "no_window", "exited", "interrupted", "no_display", NULL };
const char *const start_event_states[] = { "stable", "ceiling", "no_change", "exited", "not_sent", NULL };
const char *const start_ends[] = { "by_itself", "closed", "asked", "killed", "kept", NULL };

struct start_measurement_state {
	const struct start_cfg *cfg;
	struct subreaper_process *subreaper;
	struct start_result *out;
	struct content_stability stability;
	struct delays_of_all_processes delays;
	struct process_tree tree;
	struct process_tree_fault_and_cpu_sums counts;
	struct watchdog watchdog;	/* of the connection to the display */
	int64_t exec_ns;		/* times count from here */
	int64_t tick_ns, tree_ns;	/* next reading of swap traffic; last reading of the process tree */
	int64_t busy_ns;		/* when processes were last seen busy */
	uint64_t picture, set;		/* hashes: of the content, of the set of windows */
	bool uncounted;			/* there was a change after the last store_counts_at_latest_change() */
	bool settled;			/* content is stable: the counts of the last change are kept */
	bool was_mapped, was_painted;
	size_t steps_noted;		/* steps of swap traffic written to the log */
};

static void log_event_with_picture_hash(struct start_measurement_state *r, int64_t time_ns, const char *kind, const char *name,
		       const struct swap_traffic_counts *moved)
{
	struct start_log_entry n = { time_ns, kind, name, r->picture, screen_last_content_seen(r->cfg->screen)->windows, moved };

	if (r->cfg->log)
		r->cfg->log(&n);
}

static void read_task_delays_from_kernel(struct start_measurement_state *r, int64_t now)
{
	struct taskstats_link *link = r->cfg->taskstats;
	int64_t elapsed = now - r->exec_ns;
	struct delay_reading reading;

	for (int i = 0; i < r->tree.n && link->fd >= 0; i++) {
		if (taskstats_read_delays_of_process(link, r->tree.pid[i], &reading) ||
		    delays_add_process_reading(&r->delays, r->tree.pid[i], r->tree.began[i], r->tree.threads[i], elapsed, &reading))
			continue;
		if (!taskstats_sum_delays_of_threads(link, r->tree.pid[i], elapsed, &reading))
			delays_add_process_reading(&r->delays, r->tree.pid[i], r->tree.began[i], r->tree.threads[i], elapsed, &reading);
	}
}

/* Keeps the current counts as those of the last change. */
static void store_counts_at_latest_change(struct start_measurement_state *r)
{
	struct start_result *out = r->out;

	out->counts = r->counts;
	out->processes = r->tree.n;
	out->threads = 0;
	for (int i = 0; i < r->tree.n; i++)
		out->threads += r->tree.threads[i];
	delays_sum_over_processes(&r->delays, &out->delays);
	swap_traffic_refaults_since_begin(r->cfg->traffic, &out->refaults);
	r->uncounted = false;
}

/* Reads the process tree. */
static void read_process_tree_faults_and_cpu(struct start_measurement_state *r, int64_t now)
{
	struct process_tree_fault_and_cpu_sums c, before = r->counts;
	int64_t since = now - r->tree_ns;

	process_tree_read(&r->tree, r->subreaper->pid, &c);
	/* a process that ends while the tree is read may be missing from the sums */
	r->counts.minor_faults = c.minor_faults > before.minor_faults ? c.minor_faults : before.minor_faults;
	r->counts.major_faults = c.major_faults > before.major_faults ? c.major_faults : before.major_faults;
	r->counts.cpu_ns = c.cpu_ns > before.cpu_ns ? c.cpu_ns : before.cpu_ns;
	r->counts.blocked = c.blocked;
	if (c.blocked || r->counts.major_faults > before.major_faults ||
	    (double)(r->counts.cpu_ns - before.cpu_ns) > BUSY_SHARE * (double)since)
		r->busy_ns = now;
	r->tree_ns = now;
	read_task_delays_from_kernel(r, now);
	if (r->uncounted && !r->settled)
		store_counts_at_latest_change(r);
}

static void log_new_swap_traffic_steps(struct start_measurement_state *r)
{
	const struct swap_traffic *t = r->cfg->traffic;

	for (; r->steps_noted < t->n; r->steps_noted++)
		log_event_with_picture_hash(r, t->step[r->steps_noted].at_ns, "swap", NULL, &t->step[r->steps_noted].moved);
}

static void record_screen_changes_of_look(struct start_measurement_state *r, int64_t now)
{
	const struct screen_content_seen *seen = screen_last_content_seen(r->cfg->screen);

	if (seen->mapped_ns && !r->was_mapped)
		log_event_with_picture_hash(r, seen->mapped_ns, "mapped", NULL, NULL);
	if (seen->paint_ns && !r->was_painted)
		log_event_with_picture_hash(r, seen->paint_ns, "painted", NULL, NULL);
	r->was_mapped = seen->mapped_ns;
	r->was_painted = seen->paint_ns;
	if (seen->picture == r->picture)
		return;
	r->picture = seen->picture;
	r->uncounted = true;
	if (!r->settled)
		r->out->last_change_ns = now - r->exec_ns;
	log_event_with_picture_hash(r, now, "change", NULL, NULL);
}

/* True while a process of the application runs, as far as known. */
static bool is_application_running(const struct start_measurement_state *r)
{
	return subreaper_has_children(r->subreaper) || r->cfg->any_owner;
}

/* Handles what has come from the display and waits for more, until until_ns at most. 0; 1: stop signal; -EPIPE: the display is
 * gone. */
static int handle_events_and_wait(struct start_measurement_state *r, int64_t until_ns)
{
	struct screen_watch_state *screen = r->cfg->screen;
	struct pollfd fd = { .fd = screen_connection_fd(screen), .events = POLLIN };
	int64_t now, wake;
	int err;

	atomic_store(&r->watchdog.until_ns, clock_now() + r->cfg->ceiling_ns);
	err = screen_handle_events(screen);
	now = clock_now();
	if (!err && screen_next_look_ns(screen) <= now) {
		err = screen_read_new_drawing(screen);
		now = screen_last_content_seen(screen)->look_ns;
		record_screen_changes_of_look(r, now);
		stability_add_look(&r->stability, now, r->picture);
		if (!err)
			err = screen_handle_events(screen);
	}
	if (err)
		return proc_stop ? 1 : err;	/* after a stop signal, the watchdog may have shut the connection down */
	if (now >= r->tick_ns) {
		swap_traffic_record_step(r->cfg->traffic, now);
		log_new_swap_traffic_steps(r);
		r->tick_ns = now + WATCH_TICK;
		if (now - r->tree_ns >= START_TREE_TICK) {
			read_process_tree_faults_and_cpu(r, now);
			if (r->cfg->learn)
				file_set_add_process_tree_files(r->cfg->learn, &r->tree);
			if (r->cfg->learn)
				file_open_trace_add_files_to_set(r->cfg->opened, r->cfg->learn, r->subreaper->pid);
		}
	}
	wake = screen_next_look_ns(screen) < r->tick_ns ? screen_next_look_ns(screen) : r->tick_ns;
	wake = until_ns < wake ? until_ns : wake;
	now = clock_now();
	if (wake > now) {
		struct timespec ts = { .tv_sec = (wake - now) / NS_PER_S, .tv_nsec = (wake - now) % NS_PER_S };

		ppoll(&fd, 1, &ts, NULL);
	}
	return proc_stop ? 1 : 0;
}

/* True if, within the last quiet time, processes used over a tenth of a CPU, had major faults, or waited for a device. */
static bool is_application_busy(const struct start_measurement_state *r, int64_t now)
{
	return now - r->busy_ns < r->cfg->quiet_ns;
}

/* True if content is stable and all that was drawn has been looked at, also what a busy X server had not reported yet. */
static bool is_content_stable(struct start_measurement_state *r)
{
	struct content_stability maybe = r->stability;

	return has_content_become_stable(&maybe, clock_now()) &&
	       has_content_become_stable(&r->stability, r->stability.reached ? clock_now() :
					 screen_wait_for_drawing_reports(r->cfg->screen));
}

/* True if content is stable and something has been painted in a window that counts. */
static bool is_application_ready(struct start_measurement_state *r)
{
	const struct screen_content_seen *seen = screen_last_content_seen(r->cfg->screen);

	return seen->windows && seen->painted && is_content_stable(r);
}

static void copy_window_figures_to_result(struct start_measurement_state *r)
{
	const struct screen_content_seen *seen = screen_last_content_seen(r->cfg->screen);
	struct start_result *out = r->out;

	out->windows = seen->windows;
	out->width = seen->width;
	out->height = seen->height;
	out->changes = r->stability.changes;
	out->caret = r->stability.turns >= 2;
}

/* Watches a ready application for further windows. *again: the set of windows changed, so it was not ready. */
static int watch_for_further_windows(struct start_measurement_state *r, int64_t ceiling_ns, bool *again)
{
	const struct screen_content_seen *seen = screen_last_content_seen(r->cfg->screen);
	int64_t begin = clock_now(), now = begin;
	int err = 0;

	*again = false;
	r->set = seen->set;
	r->out->stable_ns = r->stability.stable_ns - r->exec_ns;
	if (r->uncounted)
		read_process_tree_faults_and_cpu(r, now);
	r->settled = true;
	copy_window_figures_to_result(r);
	while (!err && now < ceiling_ns && r->cfg->watch_on_ns && is_application_running(r) &&
	       now - begin < r->cfg->watch_on_ns * (is_application_busy(r, now) ? WATCH_BUSY : 1)) {
		err = handle_events_and_wait(r, now + WATCH_TICK);
		now = clock_now();
		if (!err && seen->set != r->set) {
			*again = true;
			r->out->splashes++;
			log_event_with_picture_hash(r, now, "again", NULL, NULL);
			stability_init(&r->stability, r->cfg->quiet_ns);
			stability_add_look(&r->stability, now, r->picture);
			return 0;
		}
		/* a blinking caret may turn out to have caused the last change */
		if (is_content_stable(r) && r->stability.stable_ns - r->exec_ns < r->out->stable_ns)
			r->out->stable_ns = r->stability.stable_ns - r->exec_ns;
	}
	r->out->busy = r->cfg->watch_on_ns && is_application_busy(r, now);
	r->out->caret = r->stability.turns >= 2;
	process_tree_read_memory(&r->tree, &r->out->memory);
	log_event_with_picture_hash(r, r->exec_ns + r->out->stable_ns, "rest", NULL, NULL);
	return err;
}

static int wait_until_ready(struct start_measurement_state *r)
{
	int64_t ceiling_ns = r->exec_ns + r->cfg->ceiling_ns, now = clock_now();
	bool again;
	int err = 0;

	stability_init(&r->stability, r->cfg->quiet_ns);
	while (!err && now < ceiling_ns && is_application_running(r)) {
		if (is_application_ready(r)) {
			struct start_result before = *r->out;

			err = watch_for_further_windows(r, ceiling_ns, &again);
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
		err = handle_events_and_wait(r, ceiling_ns);
		now = clock_now();
	}
	copy_window_figures_to_result(r);
	if (r->uncounted)
		store_counts_at_latest_change(r);
	r->out->state = !is_application_running(r) ? START_EXITED : screen_last_content_seen(r->cfg->screen)->mapped_ns ? START_CEILING :
			START_NO_WINDOW;
	return err;
}

/* Before an event, gives the newest window the focus and waits until what that draws is stable. */
static int focus_before_scripted_event(struct start_measurement_state *r)
{
	int64_t until = clock_now() + r->cfg->ceiling_ns, at_least;
	int err = 0;

	screen_focus_newest_window(r->cfg->screen);
	at_least = clock_now() + FOCUS_NS;
	while (!err && clock_now() < until && (clock_now() < at_least || !is_content_stable(r)))
		err = handle_events_and_wait(r, clock_now() + WATCH_TICK);
	return err;
}

/* Waits long enough to see whether the last change was a blinking caret's, which comes again, and corrects *stable_ns, the time of
 * the last change, in that case. */
static int wait_to_see_if_caret_blinks(struct start_measurement_state *r, int64_t *stable_ns)
{
	int64_t until = r->stability.now_ns + 2 * CARET_NS;
	int err = 0;

	*stable_ns = r->stability.stable_ns;
	while (!err && r->cfg->watch_on_ns && r->stability.reached && r->stability.turns && clock_now() - r->stability.now_ns < CARET_NS &&
	       clock_now() < until) {
		err = handle_events_and_wait(r, clock_now() + WATCH_TICK);
		if (is_content_stable(r) && r->stability.stable_ns < *stable_ns) {
			*stable_ns = r->stability.stable_ns;
			break;
		}
	}
	return err;
}

static int send_event_and_wait_until_stable(struct start_measurement_state *r, const struct scripted_event *e,
					    struct scripted_event_result *out)
{
	struct content_stability last;
	int64_t sent_ns, now, stable_ns;
	int err = focus_before_scripted_event(r);

	if (err)
		return err;
	last = r->stability;
	stability_init_after_event(&r->stability, &last, r->cfg->quiet_ns);
	sent_ns = now = clock_now();
	screen_send_input(r->cfg->screen, e);
	log_event_with_picture_hash(r, sent_ns, "input", e->name, NULL);
	out->state = START_EVENT_CEILING;
	while (!err && now - sent_ns < r->cfg->ceiling_ns) {
		if (!is_application_running(r)) {
			out->state = START_EVENT_EXITED;
			break;
		}
		if (is_content_stable(r)) {
			out->state = START_EVENT_STABLE;
			err = wait_to_see_if_caret_blinks(r, &stable_ns);
			out->stable_ns = stable_ns - sent_ns;
			log_event_with_picture_hash(r, stable_ns, "rest", e->name, NULL);
			break;
		}
		if (!r->stability.changed && !is_application_busy(r, now) && now - sent_ns > NO_CHANGE * r->cfg->quiet_ns) {
			out->state = START_EVENT_NO_CHANGE;
			r->stability = last;
			break;
		}
		err = handle_events_and_wait(r, now + WATCH_TICK);
		now = clock_now();
	}
	if (r->stability.changed && out->state != START_EVENT_NO_CHANGE)
		out->first_change_ns = r->stability.first_change_ns - sent_ns;
	return err;
}

static int play_event_script(struct start_measurement_state *r)
{
	const struct event_script *script = r->cfg->script;
	int err = 0;

	screen_set_whether_menus_count(r->cfg->screen, true);
	for (size_t i = 0; i < script->n && !err && is_application_running(r); i++)
		err = send_event_and_wait_until_stable(r, &script->event[i], &r->out->event[i]);
	return err;
}

/* Ends the application: asks its windows to close, then SIGTERM, then SIGKILL. */
static void close_or_kill_application(struct start_measurement_state *r)
{
	int64_t until;
	int how, asked;

	atomic_store(&r->watchdog.until_ns, clock_now() + r->cfg->ceiling_ns);
	asked = screen_ask_windows_to_close(r->cfg->screen);
	atomic_store(&r->watchdog.until_ns, WATCHDOG_IDLE);
	if (!subreaper_has_children(r->subreaper)) {
		r->out->exit_status = atomic_load(&r->subreaper->shared->status);
		subreaper_end_all_processes(r->subreaper, 0);
		return;
	}
	until = clock_now() + r->cfg->close_ns;
	while (asked && subreaper_has_children(r->subreaper) && clock_now() < until)
		clock_sleep_until(clock_now() + 5 * NS_PER_MS);
	how = subreaper_end_all_processes(r->subreaper, r->cfg->close_ns);
	r->out->end = how == 0 ? START_CLOSED : how == 1 ? START_ASKED : START_KILLED;
}

static int start_application(struct start_measurement_state *r)
{
	const struct start_cfg *cfg = r->cfg;
	struct start_result *out = r->out;
	int64_t key_ns;
	int err;

	*out = (struct start_result){ .mapped_ns = -1, .paint_ns = -1, .stable_ns = -1, .splash_ns = -1,
				      .last_change_ns = -1, .exit_status = -1, .memory = { -1, -1, -1, -1 } };
	if (cfg->script) {
		out->event = calloc(cfg->script->n, sizeof(*out->event));
		if (!out->event)
			return -ENOMEM;
		for (size_t i = 0; i < cfg->script->n; i++)
			out->event[i] = (struct scripted_event_result){ START_EVENT_NOT_SENT, -1, -1 };
	}
	err = screen_reset_before_start(cfg->screen);
	if (err)
		return err;
	swap_traffic_restart_counting(cfg->traffic);
	key_ns = clock_now();
	if (cfg->key)
		screen_send_input(cfg->screen, cfg->key);
	err = subreaper_start(r->subreaper, &cfg->start);
	if (err)
		return err;
	screen_set_application_root_pid(cfg->screen, r->subreaper->pid);
	r->exec_ns = out->exec_ns = cfg->key ? key_ns : atomic_load(&r->subreaper->shared->exec_ns);
	r->tree_ns = r->busy_ns = r->exec_ns;
	r->uncounted = true;
	log_event_with_picture_hash(r, r->exec_ns, "exec", NULL, NULL);
	return 0;
}

static void fill_start_result(struct start_measurement_state *r, int err)
{
	const struct screen_content_seen *seen = screen_last_content_seen(r->cfg->screen);
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
	swap_traffic_sum_until(r->cfg->traffic, r->exec_ns + (out->stable_ns >= 0 ? out->stable_ns + WATCH_TICK : r->cfg->ceiling_ns),
			  &out->moved);
}

int measure_one_start(const struct start_cfg *cfg, struct subreaper_process *subreaper, struct start_result *out)
{
	struct start_measurement_state *r = calloc(1, sizeof(*r));
	int64_t cpu_ns = clock_cpu_time_of_this_process();
	int err;

	if (!r)
		return -ENOMEM;
	r->cfg = cfg;
	r->subreaper = subreaper;
	r->out = out;
	err = start_application(r);
	if (!err) {
		/* without the watchdog, waiting for a display that does not answer has no limit */
		bool watched = !socket_watchdog_start(&r->watchdog, screen_connection_fd(cfg->screen), WATCHDOG_IDLE, STOP_GRACE_NS);

		err = wait_until_ready(r);
		if (!err && out->state == START_STABLE && cfg->script)
			err = play_event_script(r);
		out->probe_cpu_ns = clock_cpu_time_of_this_process() - cpu_ns;
		fill_start_result(r, err);
		if (cfg->keep && !err && out->state != START_EXITED) {
			subreaper_leave_processes_running(subreaper);
			out->end = START_KEPT;
		} else {
			close_or_kill_application(r);
		}
		if (watched)
			socket_watchdog_end(&r->watchdog);
		log_event_with_picture_hash(r, clock_now(), "end", NULL, NULL);
		err = err > 0 ? 0 : err;
	}
	delays_free(&r->delays);
	free(r);
	return err;
}

void start_result_free(struct start_result *r)
{
	free(r->event);
	r->event = NULL;
}
