// SPDX-License-Identifier: GPL-3.0-or-later
/* One pass after the other: events of the display, looks at what was drawn, the kernel's figures now and then. */
#include "watch.h"
#include "clock.h"
#include "proc.h"

#include <errno.h>
#include <poll.h>

#define BUSY_SHARE 0.1		/* of a CPU */

void watch_note(struct start_watch *r, int64_t time_ns, const char *kind, const char *name, const struct traffic_counts *moved)
{
	struct start_note n = { time_ns, kind, name, r->picture, screen_seen(r->cfg->screen)->windows, moved };

	if (r->cfg->log)
		r->cfg->log(r->cfg->log_context, &n);
}

static void read_delays(struct start_watch *r, int64_t now)
{
	struct taskstats_link *link = r->cfg->taskstats;
	int64_t elapsed = now - r->exec_ns;
	struct delay_reading reading;

	for (int i = 0; i < r->tree.n && link->fd >= 0; i++) {
		if (taskstats_process(link, r->tree.pid[i], &reading) ||
		    delays_add(&r->delays, r->tree.pid[i], r->tree.began[i], r->tree.threads[i], elapsed, &reading))
			continue;
		if (!taskstats_by_thread(link, r->tree.pid[i], elapsed, &reading))
			delays_add(&r->delays, r->tree.pid[i], r->tree.began[i], r->tree.threads[i], elapsed, &reading);
	}
}

void watch_keep_counts(struct start_watch *r)
{
	struct start_result *out = r->out;

	out->counts = r->counts;
	out->processes = r->tree.n;
	out->threads = 0;
	for (int i = 0; i < r->tree.n; i++)
		out->threads += r->tree.threads[i];
	delays_sum(&r->delays, &out->delays);
	traffic_refaults(r->cfg->traffic, &out->refaults);
	r->unnoted = false;
}

void watch_tree(struct start_watch *r, int64_t now)
{
	struct tree_counts c, before = r->counts;
	int64_t since = now - r->tree_ns;

	tree_look(&r->tree, r->nanny->pid, &c);
	/* what ended between two looks may be missing from one */
	r->counts.minor_faults = c.minor_faults > before.minor_faults ? c.minor_faults : before.minor_faults;
	r->counts.major_faults = c.major_faults > before.major_faults ? c.major_faults : before.major_faults;
	r->counts.cpu_ns = c.cpu_ns > before.cpu_ns ? c.cpu_ns : before.cpu_ns;
	r->counts.blocked = c.blocked;
	if (c.blocked || r->counts.major_faults > before.major_faults ||
	    (double)(r->counts.cpu_ns - before.cpu_ns) > BUSY_SHARE * (double)since)
		r->busy_ns = now;
	r->tree_ns = now;
	read_delays(r, now);
	if (r->unnoted && !r->settled)
		watch_keep_counts(r);
}

static void note_steps(struct start_watch *r)
{
	const struct traffic *t = r->cfg->traffic;

	for (; r->steps_noted < t->n; r->steps_noted++)
		watch_note(r, t->step[r->steps_noted].at_ns, "swap", NULL, &t->step[r->steps_noted].moved);
}

static void take_look(struct start_watch *r, int64_t now)
{
	const struct screen_seen *seen = screen_seen(r->cfg->screen);

	if (seen->mapped_ns && !r->was_mapped)
		watch_note(r, seen->mapped_ns, "mapped", NULL, NULL);
	if (seen->paint_ns && !r->was_painted)
		watch_note(r, seen->paint_ns, "painted", NULL, NULL);
	r->was_mapped = seen->mapped_ns;
	r->was_painted = seen->paint_ns;
	if (seen->picture == r->picture)
		return;
	r->picture = seen->picture;
	r->unnoted = true;
	if (!r->settled)
		r->out->last_change_ns = now - r->exec_ns;
	watch_note(r, now, "change", NULL, NULL);
}

bool watch_any(const struct start_watch *r)
{
	return nanny_has_any(r->nanny) || r->cfg->any_owner;
}

int watch_pass(struct start_watch *r, int64_t until_ns)
{
	struct screen_watch *screen = r->cfg->screen;
	struct pollfd fd = { .fd = screen_fd(screen), .events = POLLIN };
	int64_t now, wake;
	int err;

	atomic_store(&r->watchdog.until_ns, clock_now() + r->cfg->ceiling_ns);
	err = screen_handle(screen);
	now = clock_now();
	if (!err && screen_due(screen) <= now) {
		err = screen_look(screen);
		now = screen_seen(screen)->look_ns;
		take_look(r, now);
		rest_seen(&r->rest, now, r->picture);
		if (!err)
			err = screen_handle(screen);
	}
	if (err)
		return proc_stop ? 1 : err;	/* the watchdog, which would not wait any longer */
	if (now >= r->tick_ns) {
		traffic_look(r->cfg->traffic, now);
		note_steps(r);
		r->tick_ns = now + WATCH_TICK;
		if (now - r->tree_ns >= START_TREE_TICK) {
			watch_tree(r, now);
			if (r->cfg->learn)
				cold_learn(r->cfg->learn, &r->tree);
			if (r->cfg->learn)
				opened_learn(r->cfg->opened, r->cfg->learn, r->nanny->pid);
		}
	}
	wake = screen_due(screen) < r->tick_ns ? screen_due(screen) : r->tick_ns;
	wake = until_ns < wake ? until_ns : wake;
	now = clock_now();
	if (wake > now) {
		struct timespec ts = { .tv_sec = (wake - now) / NS_PER_S, .tv_nsec = (wake - now) % NS_PER_S };

		ppoll(&fd, 1, &ts, NULL);
	}
	return proc_stop ? 1 : 0;
}

bool watch_busy(const struct start_watch *r, int64_t now)
{
	return now - r->busy_ns < r->cfg->quiet_ns;
}

bool watch_rest(struct start_watch *r)
{
	struct rest maybe = r->rest;

	if (!rest_reached(&maybe, clock_now()))
		return false;
	return r->rest.reached ? rest_reached(&r->rest, clock_now()) : rest_reached(&r->rest, screen_sync(r->cfg->screen));
}
