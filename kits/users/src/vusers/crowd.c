// SPDX-License-Identifier: GPL-3.0-or-later
#include "crowd.h"
#include "clock.h"
#include "memory.h"
#include "proc.h"
#include "random.h"
#include "say.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#define AT_ONCE 64		   /* events handled between two readings of the clock */
#define CONNECTING_MOST 4	   /* TigerVNC takes five unauthenticated connections for an attack */
#define SWEEP_NS (100 * NS_PER_MS) /* interval of timeout checks: precision of a timeout */
#define RETRY_NS NS_PER_S

int64_t crowd_window_begin_ns(const struct crowd_cfg *cfg, int64_t start_ns)
{
	return start_ns + cfg->ramp_ns + cfg->skip_ns;
}

int crowd_open(struct crowd *c)
{
	size_t n = (size_t)c->cfg.users;

	c->epoll = epoll_create1(EPOLL_CLOEXEC);
	if (c->epoll < 0)
		return -errno;
	if (!c->cfg.watched)
		c->sums.memory_bytes = -thread_get_process_rss();
	c->user = memory_new(n, sizeof(*c->user));
	due_heap_open(&c->dues, n);
	c->cfg.all = c->cfg.all ? c->cfg.all : c->cfg.users;
	c->random = c->cfg.seed;
	for (size_t i = 0; i < n; i++)
		c->user[i].random = random_bits(&c->random);
	return 0;
}

void crowd_close(struct crowd *c)
{
	free(c->user);
	due_heap_free(&c->dues);
	close(c->epoll);
}

/* --- users ------------------------------------------------------------------------------------------------------- */

static void log_row(struct crowd *c, struct vlog_row row)
{
	row.measured = window_contains(&c->window, row.due_ns);
	row.watched = c->cfg.watched;
	(row.watched ? vlog_add_watched : vlog_add)(c->log, &row);
}

static void log_request(struct crowd *c, uint32_t user, int64_t now, enum vlog_end end, uint32_t bytes, uint16_t code)
{
	const struct crowd_user *u = &c->user[user];

	log_row(c, (struct vlog_row){ .due_ns = u->due_ns,
				      .ready_ns = u->ready_ns,
				      .sent_ns = u->sent_ns,
				      .end_ns = now,
				      .user = (uint32_t)c->cfg.before + user,
				      .bytes = bytes,
				      .label = u->label,
				      .code = code,
				      .end = (uint8_t)end });
}

static bool is_disconnected(const struct crowd_user *u)
{
	return u->state == CROWD_AWAY || u->state == CROWD_CONNECTING;
}

static bool will_connect(const struct crowd_user *u)
{
	return u->state == CROWD_AWAY && !u->left;
}

/* Adds the time from gone_ns to now, as far as it lies in the window. */
static void add_time_gone(struct crowd *c, const struct crowd_user *u, int64_t now)
{
	int64_t from = u->gone_ns > c->window.from_ns ? u->gone_ns : c->window.from_ns,
		to = now < c->window.end_ns ? now : c->window.end_ns;

	c->sums.gone_ns += to > from ? (double)(to - from) : 0;
}

static uint32_t most_connecting(const struct crowd *c)
{
	return c->protocol->connecting_most ? c->protocol->connecting_most : CONNECTING_MOST;
}

static int64_t users_cpu_ns(const struct crowd *c)
{
	return c->protocol->cpu_ns ? c->protocol->cpu_ns(c->self) : 0;
}

static void begin_connecting(struct crowd *c, uint32_t user)
{
	struct crowd_user *u = &c->user[user];

	u->state = CROWD_CONNECTING;
	u->sent_ns = clock_now();
	c->connecting++;
	c->protocol->connect(c->self, user);
}

static void enqueue_idle(struct crowd *c, uint32_t user, int64_t now, int64_t due_ns)
{
	struct crowd_user *u = &c->user[user];

	u->state = CROWD_FREE;
	u->free_ns = now;
	if (u->queued)
		return;
	u->queued = true;
	due_heap_add(&c->dues, c->cfg.open ? now : due_ns, user);
}

void crowd_connected(struct crowd *c, uint32_t user)
{
	struct crowd_user *u = &c->user[user];
	int64_t now = clock_now();

	if (u->state != CROWD_CONNECTING)
		return;
	c->connecting--;
	c->sums.users_ready += !u->counted;
	u->counted = true;
	if (!c->running) {
		u->state = CROWD_FREE;
		return;
	}
	c->sums.reconnected++;
	add_time_gone(c, u, now);
	enqueue_idle(c, user, now, now + think_draw_ns(&c->cfg.think, &u->random));
}

void crowd_answered(struct crowd *c, uint32_t user, int64_t now, uint32_t bytes, uint16_t code, bool ok)
{
	struct crowd_user *u = &c->user[user];

	if (u->state != CROWD_ASKED)
		return;
	window_note_end(&c->window, now);
	log_request(c, user, now, ok ? VLOG_OK : VLOG_ERROR, bytes, code);
	c->sums.finished += ok && window_contains(&c->window, now);
	if (ok && window_contains(&c->window, u->due_ns)) {
		u->answered++;
		u->response_ns += now - u->due_ns;
	}
	enqueue_idle(c, user, now, c->cfg.open ? 0 : now + think_draw_ns(&c->cfg.think, &u->random));
}

void crowd_lost(struct crowd *c, uint32_t user, int err, const char *why)
{
	struct crowd_user *u = &c->user[user];
	int64_t now = clock_now();

	c->sums.last_err = err;
	snprintf(c->sums.last_why, sizeof(c->sums.last_why), "%s", why ? why : ""); /* not words of an earlier one */
	if (u->state == CROWD_ASKED) {
		window_note_end(&c->window, now);
		log_request(c, user, now, VLOG_ERROR, 0, 0);
	}
	if (u->state == CROWD_CONNECTING) {
		c->connecting--;
		c->sums.refused += c->running;
	} else {
		u->gone_ns = now;
	}
	u->state = CROWD_AWAY;				     /* its queue entry, if any, is skipped later */
	u->left = err == -ENOTRECOVERABLE || err == -EACCES; /* a password that is refused again may lock the account */
	if (c->running && !c->retry_ns)
		c->retry_ns = now + RETRY_NS;
}

static void send_request(struct crowd *c, uint32_t user, int64_t due)
{
	struct crowd_user *u = &c->user[user];
	struct crowd_request what = { 0 };
	int64_t now = clock_now();
	int err;

	u->due_ns = due;
	u->ready_ns = due > u->free_ns ? due : u->free_ns;
	u->sent_ns = now;
	u->state = CROWD_ASKED;
	window_note_sent(&c->window, now);
	c->sums.due += window_contains(&c->window, due);
	err = c->protocol->send(c->self, user, &what);
	u->label = what.label;
	c->sums.pages += window_contains(&c->window, due) && what.first;
	if (err) {
		c->protocol->drop(c->self, user);
		crowd_lost(c, user, err, NULL);
	}
}

/* Disconnects the users whose request or connection has timed out; they reconnect later. */
static void drop_overdue_users(struct crowd *c, int64_t now)
{
	for (uint32_t i = 0; i < c->cfg.users; i++) {
		struct crowd_user *u = &c->user[i];

		if ((u->state != CROWD_ASKED && u->state != CROWD_CONNECTING) || now - u->sent_ns < c->cfg.timeout_ns)
			continue;
		c->protocol->drop(c->self, i);
		if (u->state == CROWD_ASKED) {
			window_note_end(&c->window, now);
			log_request(c, i, now, VLOG_TIMEOUT, 0, 0);
			u->state = CROWD_AWAY;
			u->gone_ns = now;
			c->retry_ns = c->retry_ns ? c->retry_ns : now;
		} else {
			crowd_lost(c, i, -ETIMEDOUT, NULL);
		}
	}
}

/* Lets each disconnected user try to connect once, then pauses for RETRY_NS, so that a server that refuses all is not flooded. */
static void reconnect_users(struct crowd *c, int64_t now)
{
	for (; c->back < c->cfg.users; c->back++) {
		if (!will_connect(&c->user[c->back]))
			continue;
		if (c->connecting >= most_connecting(c)) {
			c->retry_ns = now + NS_PER_MS;
			return;
		}
		begin_connecting(c, c->back);
	}
	c->back = 0;
	c->retry_ns = 0;
	for (uint32_t i = 0; i < c->cfg.users && !c->retry_ns; i++)
		c->retry_ns = will_connect(&c->user[i]) ? now + RETRY_NS : 0;
}

/* When the next request is due; INT64_MAX: none is. */
static int64_t next_due_ns(const struct crowd *c)
{
	return c->cfg.open ? c->next_due_ns : due_heap_first_ns(&c->dues);
}

/* When the next request can be sent; INT64_MAX: not before another event. */
static int64_t next_send_ns(const struct crowd *c)
{
	return next_due_ns(c) < c->window.end_ns && c->dues.n ? next_due_ns(c) : INT64_MAX;
}

static void send_due_requests(struct crowd *c, int64_t now)
{
	for (int most = AT_ONCE; most-- && next_send_ns(c) <= now;) {
		int64_t due = next_due_ns(c);
		uint32_t user = due_heap_take(&c->dues).user;

		c->user[user].queued = false;
		if (c->user[user].state != CROWD_FREE)
			continue;
		send_request(c, user, due);
		if (c->cfg.open)
			c->next_due_ns += think_draw_ns(&c->cfg.think, &c->random);
	}
}

/* --- the loop ---------------------------------------------------------------------------------------------------- */

static int handle_events(struct crowd *c, int64_t until, const sigset_t *mask)
{
	struct epoll_event event[AT_ONCE];
	int n = thread_wait_events(c->epoll, event, AT_ONCE, until, mask);

	for (int i = 0; i < n; i++)
		c->protocol->event(c->self, event[i].data.u64, event[i].events);
	return n < 0 ? n : 0;
}

static int run_once(struct crowd *c, int64_t until, const sigset_t *mask)
{
	int64_t now = clock_now(), wake = c->protocol->wake_ns ? c->protocol->wake_ns(c->self) : INT64_MAX;

	if (wake <= now)
		c->protocol->tick(c->self);
	if (now >= c->sweep_ns) {
		drop_overdue_users(c, now);
		c->sweep_ns = now + SWEEP_NS;
	}
	until = clock_earlier(until, clock_earlier(wake, c->sweep_ns));
	if (c->running && c->retry_ns) {
		if (now >= c->retry_ns)
			reconnect_users(c, now);
		until = c->retry_ns ? clock_earlier(until, c->retry_ns) : until;
	}
	if (c->running) /* computed here: the calls above may have made another user due */
		until = clock_earlier(until, next_send_ns(c));
	return handle_events(c, until, mask);
}

static void block_signals(sigset_t *before)
{
	sigset_t stops;

	proc_fill_stop_set(&stops);
	sigprocmask(SIG_BLOCK, &stops, before);
}

/* Runs the loop as long as `look` gives a time until when it may run without another look (CLOCK_MONOTONIC; INT64_MAX: until an
 * event); 0 ends it. 0; -EINTR on a signal, or -errno. */
static int run_while(struct crowd *c, int64_t (*look)(struct crowd *c, const void *what), const void *what)
{
	sigset_t before;
	int64_t until;
	int err = 0;

	block_signals(&before);
	while (!err && !proc_stop && (until = look(c, what)))
		err = run_once(c, until, &before);
	sigprocmask(SIG_SETMASK, &before, NULL);
	return err ? err : proc_stop ? -EINTR : 0;
}

static int64_t connect_next_users(struct crowd *c, const void *unused)
{
	(void)unused;
	while (c->next < c->cfg.users && c->connecting < most_connecting(c))
		begin_connecting(c, c->next++);
	return c->connecting ? INT64_MAX : 0;
}

int crowd_connect(struct crowd *c)
{
	int err = run_while(c, connect_next_users, NULL);

	if (!c->cfg.watched)
		c->sums.memory_bytes += thread_get_process_rss();
	return err ? err : c->sums.users_ready || !c->cfg.users ? 0 : c->sums.last_err ? c->sums.last_err : -ETIMEDOUT;
}

static int64_t get_start_ns(struct crowd *c, const void *wall_ns)
{
	struct wall_reading offset;
	int64_t start;

	(void)c;
	clock_read_wall(&offset); /* each time: that clock may be set */
	start = *(const int64_t *)wall_ns - offset.offset_ns;
	return clock_now() < start ? start : 0;
}

int crowd_wait_start(struct crowd *c, int64_t wall_ns)
{
	return run_while(c, get_start_ns, &wall_ns);
}

static int64_t look_at_flag(struct crowd *c, const void *flag)
{
	(void)c;
	return *(const _Atomic bool *)flag ? 0 : INT64_MAX;
}

int crowd_wait_flag(struct crowd *c, const _Atomic bool *flag)
{
	return run_while(c, look_at_flag, flag);
}

static void schedule_users(struct crowd *c, int64_t now)
{
	int64_t begin = crowd_window_begin_ns(&c->cfg, now);

	c->running = true;
	window_init(&c->window, now, begin, c->cfg.time_ns ? begin + c->cfg.time_ns : INT64_MAX);
	c->sweep_ns = now + SWEEP_NS;
	c->next_due_ns = now + think_draw_ns(&c->cfg.think, &c->random);
	for (uint32_t i = 0; i < c->cfg.users; i++) {
		int64_t from = now + (int64_t)((double)c->cfg.ramp_ns * (double)(c->cfg.before + i) / (double)c->cfg.all);

		if (c->user[i].state == CROWD_FREE)
			enqueue_idle(c, i, now, from + think_draw_ns(&c->cfg.think, &c->user[i].random));
		else /* could not connect, or was disconnected while others connected */
			c->retry_ns = now + RETRY_NS;
	}
}

/* Logs as cut: in the open loop the requests that were due and never sent; the requests without an answer at the end. */
static void log_cut_requests(struct crowd *c, int64_t now)
{
	for (; c->cfg.open && c->next_due_ns < c->window.end_ns; c->next_due_ns += think_draw_ns(&c->cfg.think, &c->random)) {
		vlog_await_room(c->log);
		c->sums.unsent++;
		c->sums.due += window_contains(&c->window, c->next_due_ns);
		log_row(c, (struct vlog_row){ .due_ns = c->next_due_ns,
					      .end_ns = now,
					      .user = c->cfg.watched ? (uint32_t)c->cfg.before : VLOG_NOBODY,
					      .end = VLOG_CUT });
	}
	for (uint32_t i = 0; i < c->cfg.users; i++)
		if (c->user[i].state == CROWD_ASKED) {
			vlog_await_room(c->log);
			log_request(c, i, now, VLOG_CUT, 0, 0);
		}
}

static void show_progress(const struct crowd *c, int64_t now)
{
	int64_t away = 0;

	if (!c->cfg.progress || !progress_take_due(c->cfg.progress, now))
		return;
	for (int64_t i = 0; i < c->cfg.users; i++)
		away += is_disconnected(&c->user[i]);
	progress_show(c->cfg.progress, "%s of %s users connected   %s requests   %s answered%s%s", count_text(c->cfg.users - away),
		      count_text(c->cfg.users), count_text(c->sums.due), count_text(c->sums.finished),
		      c->window.end_ns < INT64_MAX ? "   left: " : "",
		      c->window.end_ns < INT64_MAX ? ns_text((double)((c->window.end_ns - now) / NS_PER_S) * NS_PER_S) : "");
}

int crowd_run(struct crowd *c, struct vlog *log, int64_t start_ns)
{
	struct thread_times first = { 0, -1 }, last;
	sigset_t before;
	int64_t now, over, until;
	bool window = false;
	int err = 0;

	c->log = log;
	block_signals(&before);
	schedule_users(c, start_ns);
	while (!err && (now = clock_now()) < c->window.end_ns && !proc_stop) {
		if (!window && !c->cfg.watched && now >= c->window.from_ns) {
			window = true;
			first = thread_times_now();
			c->sums.users_cpu_ns = -users_cpu_ns(c);
		}
		send_due_requests(c, now);
		show_progress(c, now);
		until = clock_earlier(c->window.end_ns, window || c->cfg.watched ? INT64_MAX : c->window.from_ns);
		err = run_once(c, c->cfg.progress ? progress_wake_ns(c->cfg.progress, until) : until, &before);
	}
	now = clock_now();
	c->sums.stopped = proc_stop && now < c->window.end_ns;
	window_end_now(&c->window, now);
	for (uint32_t i = 0; i < c->cfg.users; i++)
		if (is_disconnected(&c->user[i])) {
			add_time_gone(c, &c->user[i], now);
			c->user[i].gone_ns = now;
		}
	last = window ? thread_times_now() : first;
	c->sums.users_cpu_ns += window ? users_cpu_ns(c) : 0;
	c->sums.spent = (struct thread_times){ last.cpu_ns - first.cpu_ns,
					       first.waited_ns < 0 || last.waited_ns < 0 ? -1 : last.waited_ns - first.waited_ns };
	over = now + c->cfg.timeout_ns;
	while (!err && !c->sums.stopped && (c->window.asked || next_due_ns(c) < c->window.end_ns) && (now = clock_now()) < over &&
	       !proc_stop) {
		send_due_requests(c, now);
		err = run_once(c, over, &before);
	}
	log_cut_requests(c, clock_now());
	sigprocmask(SIG_SETMASK, &before, NULL);
	return err;
}
