// SPDX-License-Identifier: GPL-3.0-or-later
#include "watch.h"
#include "clock.h"
#include "proc.h"
#include "random.h"
#include "rfb/messages.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/tcp.h> /* its struct tcp_info is newer than that of netinet/tcp.h */
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#define WATCH_LOOK_NS (20 * NS_PER_MS) /* interval of the keeper thread's checks: precision of a timeout */

enum watch_state { WATCH_CONNECTING, WATCH_CONNECTED, WATCH_FAILED, WATCH_DONE }; /* WATCH_DONE: the thread has ended */

struct watched_user {
	struct watched_users *all;
	uint32_t number;
	pthread_t thread;
	bool started;
	_Atomic int state;	  /* enum watch_state */
	pthread_mutex_t lock;	  /* protects fd, which the keeper thread may shut down */
	int fd;			  /* -1: none */
	_Atomic int64_t until_ns; /* the keeper thread shuts fd down at this time; INT64_MAX: no deadline */
	struct viewer *viewer;
	uint64_t random;
	int64_t due_ns, ready_ns, sent_ns, free_ns; /* times of the next or current request, as in vlog.h */
	uint32_t typed, received;		    /* requests sent; bytes the socket had received when the last one was sent */
	bool asked, thinks;			    /* a request is in flight; the run has begun and due_ns is set */
	struct watched_result told;
};

struct watched_users {
	struct watched_cfg cfg;
	struct watched_user one[WATCH_MOST];
	pthread_mutex_t door; /* one handshake at a time: TigerVNC takes many unauthenticated connections for an attack */
	pthread_t keeper;
	bool kept;		    /* the keeper thread is running */
	int begin_event, end_event; /* eventfds, readable once the run has begun, and is over */
	struct vlog *log;
	struct measuring_window window;
	int64_t start_ns;
	_Atomic bool running, over;
};
#define RETRY_NS NS_PER_S

/* --- the connection ------------------------------------------------------------------------------------------------ */

/* Waits for a descriptor, until_ns, the end of the run or (begin) its beginning. 1: the descriptor is ready, 0: another event
 * or the time, -errno. */
static int wait_fd(const struct watched_users *w, int fd, short events, int64_t until_ns, bool begin)
{
	struct pollfd p[3] = { { .fd = fd, .events = events },
			       { .fd = w->end_event, .events = POLLIN },
			       { .fd = begin ? w->begin_event : -1, .events = POLLIN } };
	int64_t left = until_ns - clock_now();
	struct timespec time;

	left = left < 0 ? 0 : left > NS_PER_S ? NS_PER_S : left;
	time = (struct timespec){ left / NS_PER_S, left % NS_PER_S };
	if (ppoll(p, 3, &time, NULL) < 0)
		return errno == EINTR ? 0 : -errno;
	return p[0].revents ? 1 : 0;
}

/* Returns a connected socket in blocking mode, or -errno. */
static int connect_socket(const struct watched_users *w, uint32_t number, int64_t until_ns)
{
	struct sockaddr_storage to;
	socklen_t size = sizeof(int);
	int one = 1, err = 0, fd;

	target_user_address(w->cfg.target, number, &to);
	fd = socket(to.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return -errno;
	if (connect(fd, (struct sockaddr *)&to, w->cfg.target->address_size))
		err = errno == EINPROGRESS ? -EAGAIN : -errno;
	while (err == -EAGAIN) {
		int ready = wait_fd(w, fd, POLLOUT, until_ns, false);

		if (ready > 0)
			err = getsockopt(fd, SOL_SOCKET, SO_ERROR, &err, &size) ? -errno : -err;
		else if (ready < 0 || w->over || clock_now() >= until_ns)
			err = ready < 0 ? ready : w->over ? -EINTR : -ETIMEDOUT;
	}
	if (!err && fcntl(fd, F_SETFL, 0))
		err = -errno;
	if (err) {
		close(fd);
		return err;
	}
	setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
	return fd;
}

static void store_socket(struct watched_user *o, int fd)
{
	pthread_mutex_lock(&o->lock);
	o->fd = fd;
	pthread_mutex_unlock(&o->lock);
}

static void close_viewer(struct watched_user *o)
{
	int fd = o->fd;

	store_socket(o, -1);
	if (o->viewer)
		viewer_close(o->viewer);
	o->viewer = NULL;
	if (fd >= 0)
		close(fd);
	atomic_store(&o->until_ns, INT64_MAX);
}

static int record_failure(struct watched_user *o, int err, const char *why)
{
	why_say(&o->told.why, "%s", why ? why : strerror(-err));
	return err;
}

static int read_viewer(struct watched_user *o, int64_t until_ns)
{
	int err;

	atomic_store(&o->until_ns, until_ns);
	err = viewer_read(o->viewer);
	atomic_store(&o->until_ns, INT64_MAX);
	return err && clock_now() >= until_ns ? -ETIMEDOUT : err;
}

/* Connects, does the handshake, and waits for the first screen. 0 or -errno. */
static int connect_viewer(struct watched_user *o)
{
	struct watched_users *w = o->all;
	int64_t until = clock_now() + w->cfg.crowd->timeout_ns;
	struct why why;
	int fd = connect_socket(w, o->number, until);

	if (fd < 0)
		return record_failure(o, fd, NULL);
	store_socket(o, fd);
	atomic_store(&o->until_ns, until);
	o->viewer = viewer_open(fd, w->cfg.target->port[o->number % (uint32_t)w->cfg.target->ports], &w->cfg.viewer, &why);
	if (!o->viewer)
		return record_failure(o, clock_now() >= until ? -ETIMEDOUT : -errno, clock_now() >= until ? NULL : why.text);
	while (!viewer_is_ready(o->viewer)) {
		int ready = wait_fd(w, fd, POLLIN, until, false);

		if (ready < 0 || w->over)
			return record_failure(o, w->over ? -EINTR : ready, NULL);
		if (clock_now() >= until)
			return record_failure(o, -ETIMEDOUT,
					      w->cfg.viewer.patch ? "no patch on the screen: start refecho there, visible"
								  : "the server sends no framebuffer update");
		if (ready && read_viewer(o, until))
			return record_failure(o, -EPIPE,
					      "the server closed the connection, or sent what libvncclient does not understand");
	}
	atomic_store(&o->until_ns, INT64_MAX);
	o->told.ready = true;
	viewer_get_size(o->viewer, &o->told.width, &o->told.height);
	return 0;
}

/* --- requests ------------------------------------------------------------------------------------------------------ */

/* Bytes received on a connection, modulo 2^32: only differences are used. */
static uint32_t received_bytes(int fd)
{
	struct tcp_info info;
	socklen_t size = sizeof(info);

	memset(&info, 0, sizeof(info));
	return getsockopt(fd, IPPROTO_TCP, TCP_INFO, &info, &size) ? 0 : (uint32_t)info.tcpi_bytes_received;
}

static void end_request(struct watched_user *o, int64_t now, enum vlog_end end)
{
	struct watched_users *w = o->all;
	struct vlog_row row = { .due_ns = o->due_ns,
				.ready_ns = o->ready_ns,
				.sent_ns = o->sent_ns,
				.end_ns = now,
				.user = o->number,
				.bytes = end == VLOG_OK ? received_bytes(o->fd) - o->received : 0,
				.label = w->cfg.move,
				.end = (uint8_t)end,
				.measured = window_contains(&w->window, o->due_ns),
				.watched = true };

	vlog_add_watched(w->log, &row);
	o->asked = false;
	o->free_ns = now;
	o->due_ns = (w->cfg.open ? o->due_ns : now) + think_draw_ns(&w->cfg.think, &o->random);
}

static int send_key(struct watched_user *o)
{
	struct watched_users *w = o->all;
	uint8_t bytes[16];
	int width, height;
	size_t n;

	viewer_get_size(o->viewer, &width, &height);
	n = w->cfg.move ? messages_put_pointer(bytes, 0, o->typed % 2 ? width / 3 : width / 2, height / 2)
			: messages_put_key_stroke(bytes, 'a' + o->typed % 26);
	o->typed++;
	o->received = received_bytes(o->fd);
	o->ready_ns = o->due_ns > o->free_ns ? o->due_ns : o->free_ns;
	viewer_expect(o->viewer);
	o->asked = true;
	o->sent_ns = clock_now();
	atomic_store(&o->until_ns, o->sent_ns + w->cfg.crowd->timeout_ns);
	if (viewer_send(o->viewer, bytes, n))
		return -EPIPE;
	atomic_store(&o->until_ns, INT64_MAX);
	return 0;
}

static void schedule_first(struct watched_user *o)
{
	const struct crowd_cfg *c = o->all->cfg.crowd;
	int64_t from = o->all->start_ns + (int64_t)((double)c->ramp_ns * o->number / (double)c->all);

	o->thinks = true;
	o->free_ns = o->free_ns > o->all->start_ns ? o->free_ns : o->all->start_ns;
	if (!o->all->cfg.open && o->free_ns > from)
		from = o->free_ns;
	o->due_ns = from + think_draw_ns(&o->all->cfg.think, &o->random);
}

/* Sends requests and reads updates until the run is over (0) or the connection fails (-errno). */
static int run_requests(struct watched_user *o)
{
	struct watched_users *w = o->all;
	int64_t timeout = w->cfg.crowd->timeout_ns, now, until;
	int ready, err = 0;

	while (!w->over) {
		now = clock_now();
		if (!o->thinks && w->running)
			schedule_first(o);
		if (o->asked && now >= o->sent_ns + timeout)
			return -ETIMEDOUT;
		if (o->thinks && !o->asked && o->due_ns >= w->window.end_ns)
			return 0;
		if (o->thinks && !o->asked && o->due_ns <= now && send_key(o))
			return -EPIPE;
		until = o->asked ? o->sent_ns + timeout : o->thinks ? o->due_ns : INT64_MAX;
		ready = wait_fd(w, o->fd, POLLIN, until, !o->thinks);
		if (ready < 0)
			return ready;
		if (ready)
			err = read_viewer(o, o->asked ? o->sent_ns + timeout : clock_now() + timeout);
		if (o->asked && viewer_answered_ns(o->viewer))
			end_request(o, viewer_answered_ns(o->viewer), VLOG_OK);
		if (err)
			return err;
	}
	return 0;
}

/* Connects under the lock of handshakes. -EINTR: the run is over. */
static int connect_locked(struct watched_user *o)
{
	struct watched_users *w = o->all;
	int err;

	pthread_mutex_lock(&w->door);
	err = w->over ? -EINTR : connect_viewer(o);
	pthread_mutex_unlock(&w->door);
	return err;
}

/* Whether no more requests are due in this run. */
static bool is_run_over(const struct watched_users *w)
{
	return w->over || (w->running && clock_now() >= w->window.end_ns);
}

/* Reconnects, every RETRY_NS, the first time at once if `at_once`; before the run begins it only waits. True: connected; false: the
 * run is over. */
static bool keep_reconnecting(struct watched_user *o, bool at_once)
{
	struct watched_users *w = o->all;

	while (!is_run_over(w)) {
		bool begun = w->running;
		int err;

		if (!begun || !at_once)
			wait_fd(w, -1, 0, clock_now() + RETRY_NS, !begun);
		at_once = false;
		if (!begun || is_run_over(w))
			continue;
		err = connect_locked(o);
		if (!err) {
			o->told.reconnected++;
			o->free_ns = clock_now();
			if (o->thinks && !w->cfg.open) /* as in crowd.c, thinks again after a reconnection */
				o->due_ns = o->free_ns + think_draw_ns(&w->cfg.think, &o->random);
			return true;
		}
		o->told.refused += err != -EINTR;
		close_viewer(o);
	}
	return false;
}

static void *user_main(void *context)
{
	struct watched_user *o = context;
	struct watched_users *w = o->all;
	int err = connect_locked(o);

	atomic_store(&o->state, err ? WATCH_FAILED : WATCH_CONNECTED);
	while (!w->over) {
		if (!err)
			err = run_requests(o);
		if (err && o->told.ready)
			record_failure(o, err, err == -EPIPE ? "the server closed the connection" : NULL);
		if (o->asked)
			end_request(o, clock_now(), w->over || !err ? VLOG_CUT : err == -ETIMEDOUT ? VLOG_TIMEOUT : VLOG_ERROR);
		if (!err)
			break;
		close_viewer(o);
		if (!keep_reconnecting(o, err == -ETIMEDOUT))
			break;
		err = 0;
	}
	close_viewer(o);
	o->told.cpu_ns = clock_thread_cpu();
	atomic_store(&o->state, WATCH_DONE);
	return NULL;
}

/* --- all watched users --- */

/* The keeper thread: shuts down the sockets of users that libvncclient keeps waiting beyond their deadline. */
static void *keeper_main(void *context)
{
	struct watched_users *w = context;
	bool busy = true;

	while (busy) {
		int64_t now = clock_now();

		busy = false;
		for (int i = 0; i < w->cfg.n; i++) {
			struct watched_user *o = &w->one[i];

			if (!o->started || o->state == WATCH_DONE)
				continue;
			busy = true;
			pthread_mutex_lock(&o->lock);
			if (o->fd >= 0 && (w->over || now >= o->until_ns))
				shutdown(o->fd, SHUT_RDWR);
			pthread_mutex_unlock(&o->lock);
		}
		if (busy)
			clock_sleep(now + WATCH_LOOK_NS);
	}
	return NULL;
}

struct watched_users *watched_start(const struct watched_cfg *cfg)
{
	struct watched_users *w = calloc(1, sizeof(*w));
	uint64_t random = ~cfg->crowd->seed; /* other random numbers than those of the crowd */
	int err = 0;

	if (!w)
		return NULL;
	w->cfg = *cfg;
	w->begin_event = eventfd(0, EFD_CLOEXEC);
	w->end_event = eventfd(0, EFD_CLOEXEC);
	pthread_mutex_init(&w->door, NULL);
	for (int i = 0; i < cfg->n; i++) {
		struct watched_user *o = &w->one[i];

		*o = (struct watched_user){ .all = w,
					    .number = (uint32_t)i,
					    .state = WATCH_CONNECTING,
					    .fd = -1,
					    .until_ns = INT64_MAX,
					    .random = random_bits(&random) };
		pthread_mutex_init(&o->lock, NULL);
	}
	viewer_catch_messages();
	for (int i = 0; !err && i < cfg->n; i++) {
		err = proc_start_thread(&w->one[i].thread, 0, user_main, &w->one[i]);
		w->one[i].started = !err;
	}
	if (!err)
		err = proc_start_thread(&w->keeper, 0, keeper_main, w);
	w->kept = !err;
	if (!err && w->begin_event >= 0 && w->end_event >= 0)
		return w;
	watched_close(w);
	errno = err ? err : EMFILE;
	return NULL;
}

static int count_state(const struct watched_users *w, enum watch_state state)
{
	int n = 0;

	for (int i = 0; i < w->cfg.n; i++)
		n += w->one[i].state == (int)state;
	return n;
}

int watched_wait(struct watched_users *w)
{
	while (count_state(w, WATCH_CONNECTING) && !proc_stop)
		clock_sleep(clock_now() + WATCH_LOOK_NS);
	return proc_stop ? -EINTR : count_state(w, WATCH_CONNECTED);
}

static void signal_eventfd(int event)
{
	const uint64_t one = 1;
	ssize_t n = write(event, &one, sizeof(one));

	(void)n; /* cannot block: the counter has 64 bits */
}

void watched_begin_run(struct watched_users *w, struct vlog *log, int64_t start_ns)
{
	w->log = log;
	w->start_ns = start_ns;
	window_init(&w->window, start_ns, crowd_begin_ns(w->cfg.crowd, start_ns), crowd_end_ns(w->cfg.crowd, start_ns));
	atomic_store(&w->running, true);
	signal_eventfd(w->begin_event);
}

static void stop_threads(struct watched_users *w)
{
	atomic_store(&w->over, true);
	signal_eventfd(w->end_event);
	for (int i = 0; i < w->cfg.n; i++)
		if (w->one[i].started)
			pthread_join(w->one[i].thread, NULL);
	if (w->kept)
		pthread_join(w->keeper, NULL);
	for (int i = 0; i < w->cfg.n; i++)
		w->one[i].started = false;
	w->kept = false;
}

void watched_end_run(struct watched_users *w, bool stop, struct watched_result user[WATCH_MOST])
{
	while (!stop && count_state(w, WATCH_DONE) < w->cfg.n && !proc_stop &&
	       clock_now() < w->window.end_ns + w->cfg.crowd->timeout_ns)
		clock_sleep(clock_now() + WATCH_LOOK_NS);
	stop_threads(w);
	for (int i = 0; i < w->cfg.n; i++)
		user[i] = w->one[i].told;
}

const char *watched_failure(const struct watched_users *w)
{
	for (int i = 0; i < w->cfg.n; i++)
		if (w->one[i].state == WATCH_FAILED)
			return w->one[i].told.why.text;
	return "";
}

void watched_close(struct watched_users *w)
{
	stop_threads(w);
	for (int i = 0; i < w->cfg.n; i++)
		pthread_mutex_destroy(&w->one[i].lock);
	pthread_mutex_destroy(&w->door);
	close(w->begin_event);
	close(w->end_event);
	free(w);
}
