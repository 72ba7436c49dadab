// SPDX-License-Identifier: GPL-3.0-or-later
/* Each watched user is a crowd of one (crowd.h), in a thread of its own, since handshakes and connecting block. */
#include "watched.h"
#include "clock.h"
#include "dial.h"
#include "proc.h"
#include "random.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/tcp.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#define WATCH_LOOK_NS (20 * NS_PER_MS) /* interval of the main thread's looks at the states of the others */
#define BEGUN 1			       /* epoll data of begun_fd; 0: of the viewer */

enum watch_state { WATCH_CONNECTING, WATCH_CONNECTED, WATCH_FAILED, WATCH_DONE }; /* WATCH_DONE: the thread has ended */

struct watched_user {
	struct watched_users *all;
	struct crowd crowd; /* of this user alone */
	pthread_t thread;
	_Atomic int state; /* enum watch_state */
	int fd;		   /* -1: none */
	struct viewer *viewer;
	uint32_t typed, received; /* requests sent; bytes the socket had received when the last one was sent */
	struct watched_result told;
};

struct watched_users {
	struct watched_cfg cfg;
	struct watched_user one[VLOG_WATCHED_MOST];
	pthread_mutex_t door; /* one handshake at a time: TigerVNC takes many unauthenticated connections for an attack */
	int begun_fd;	      /* an eventfd, readable when `begun` is set */
	_Atomic bool begun;
	struct vlog *log;
	int64_t start_ns;
};

static void close_connection(struct watched_user *o)
{
	viewer_close(o->viewer);
	if (o->fd >= 0)
		close(o->fd);
	o->fd = -1;
}

/* Closes the connection, and keeps the reason. `late`: nothing came in time. */
static void lose_viewer(struct watched_user *o, bool late)
{
	bool ready = o->crowd.user->state != CROWD_CONNECTING;

	if (!viewer_explain_crash(o->viewer, &o->told.why))
		why_say(&o->told.why, "%s",
			late && ready		    ? strerror(ETIMEDOUT)
			: late && o->all->cfg.patch ? "no patch on the screen: start refecho there, visible"
			: late			    ? "the server sends no framebuffer update"
			: ready			    ? "the server closed the connection"
				: "the server closed the connection, or sent what the library does not understand");
	close_connection(o);
}

/* Connects and does the handshake. 0 or -errno, with the reason in told.why. */
static int open_connection(struct watched_user *o, int64_t until_ns)
{
	const struct target *t = o->all->cfg.target;
	uint32_t number = (uint32_t)o->crowd.cfg.before;
	struct sockaddr_storage to;
	int one = 1, err;

	target_user_address(t, number, &to);
	o->fd = socket(to.ss_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	err = o->fd < 0 ? -errno : dial_socket(o->fd, &to, t->address_size, until_ns);
	if (err)
		return why_fail(err, &o->told.why, "%s", strerror(-err));
	fcntl(o->fd, F_SETFL, 0);
	setsockopt(o->fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
	return viewer_open(o->viewer, o->fd, t->port[number % (uint32_t)t->ports], until_ns, &o->told.why);
}

static void connect_user(void *self, uint32_t user)
{
	struct watched_user *o = self;
	struct crowd *c = &o->crowd;
	int64_t until;
	int err;

	pthread_mutex_lock(&o->all->door);
	c->user->sent_ns = clock_now(); /* it waited for the handshakes of others */
	until = c->user->sent_ns + c->cfg.timeout_ns;
	err = proc_stop ? -EINTR : open_connection(o, until);
	pthread_mutex_unlock(&o->all->door);
	if (err)
		close_connection(o); /* also at a stop: the crowd looks for events once more */
	if (err && !proc_stop)
		crowd_lost(c, user, err, NULL);
}

static void drop_user(void *self, uint32_t user)
{
	struct watched_user *o = self;
	const struct crowd *c = &o->crowd;

	lose_viewer(o, clock_now() - c->user[user].sent_ns >= c->cfg.timeout_ns);
}

static int send_input(void *self, uint32_t user, struct crowd_request *what)
{
	struct watched_user *o = self;
	uint32_t unasked = viewer_take_unasked(o->viewer);

	o->crowd.sums.unasked += window_contains(&o->crowd.window, clock_now()) ? unasked : 0;
	*what = (struct crowd_request){ .label = o->all->cfg.move, .first = true };
	o->received = viewer_received_bytes(o->viewer);
	viewer_expect_answer(o->viewer);
	return viewer_send(o->viewer, o->typed++, o->crowd.user[user].sent_ns + o->crowd.cfg.timeout_ns);
}

static void on_event(void *self, uint64_t data, uint32_t events)
{
	struct watched_user *o = self;
	const struct viewer_seen *seen = viewer_get_seen(o->viewer);
	struct crowd *c = &o->crowd;
	struct crowd_user *u = c->user;
	int err;

	(void)events;
	if (data == BEGUN) {
		epoll_ctl(c->epoll, EPOLL_CTL_DEL, o->all->begun_fd, NULL);
		return;
	}
	err = viewer_look(o->viewer, &o->told.why);
	o->told.width = seen->width;
	o->told.height = seen->height;
	if (seen->answered_ns) {
		u->sent_ns = seen->sent_ns ? seen->sent_ns : u->sent_ns;
		crowd_answered(c, 0, seen->answered_ns, viewer_received_bytes(o->viewer) - o->received, 0, true);
	}
	if (viewer_is_ready(o->viewer))
		crowd_connected(c, 0);
	if (!err)
		return;
	if (err == -ENOTRECOVERABLE)
		epoll_ctl(c->epoll, EPOLL_CTL_DEL, viewer_fd(o->viewer), NULL);
	/* a request under way at a stop is cut */
	if (u->state == CROWD_AWAY || (proc_stop && err == -EPIPE))
		return;
	lose_viewer(o, false);
	crowd_lost(c, 0, err, NULL);
}

static const struct crowd_hooks by_viewer_protocol = {
	.connect = connect_user, .send = send_input, .drop = drop_user, .event = on_event
};

static void *user_main(void *context)
{
	struct watched_user *o = context;
	struct watched_users *w = o->all;

	epoll_ctl(o->crowd.epoll, EPOLL_CTL_ADD, viewer_fd(o->viewer), &(struct epoll_event){ .events = EPOLLIN });
	o->state = crowd_connect(&o->crowd) ? WATCH_FAILED : WATCH_CONNECTED;
	epoll_ctl(o->crowd.epoll, EPOLL_CTL_ADD, w->begun_fd, &(struct epoll_event){ .events = EPOLLIN, .data.u64 = BEGUN });
	if (!crowd_wait_flag(&o->crowd, &w->begun))
		crowd_run(&o->crowd, w->log, w->start_ns);
	close_connection(o);
	o->told.ready = o->crowd.sums.users_ready;
	o->told.left = o->crowd.user->left;
	o->told.reconnected = o->crowd.sums.reconnected;
	o->told.refused = o->crowd.sums.refused;
	o->told.unasked = o->crowd.sums.unasked;
	o->told.cpu_ns = clock_thread_cpu() + viewer_get_seen(o->viewer)->cpu_ns;
	o->state = WATCH_DONE;
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
	pthread_mutex_init(&w->door, NULL);
	w->begun_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (w->begun_fd < 0)
		err = errno;
	for (int i = 0; !err && i < cfg->n; i++) {
		struct watched_user *o = &w->one[i];
		struct crowd_cfg *c = &o->crowd.cfg;

		*o = (struct watched_user){
			.all = w, .fd = -1, .viewer = cfg->viewer[i], .crowd = { .protocol = &by_viewer_protocol, .self = o }
		};
		*c = *cfg->crowd;
		c->users = 1;
		c->before = i;
		c->watched = true;
		c->think = cfg->think;
		c->open = cfg->open;
		c->seed = random_bits(&random);
		c->progress = NULL;
		err = -crowd_open(&o->crowd);
		if (!err)
			err = proc_start_thread(&o->thread, 0, user_main, o);
	}
	errno = err;
	return err ? NULL : w;
}

static int count_state(const struct watched_users *w, enum watch_state state)
{
	int n = 0;

	for (int i = 0; i < w->cfg.n; i++)
		n += w->one[i].state == (int)state;
	return n;
}

int watched_await_connected(struct watched_users *w)
{
	while (count_state(w, WATCH_CONNECTING) && !proc_stop)
		clock_sleep(clock_now() + WATCH_LOOK_NS);
	return proc_stop ? -EINTR : count_state(w, WATCH_CONNECTED);
}

const char *watched_failure(const struct watched_users *w)
{
	int i = 0;

	while (w->one[i].state != WATCH_FAILED)
		i++;
	return w->one[i].told.why.text;
}

void watched_begin_run(struct watched_users *w, struct vlog *log, int64_t start_ns)
{
	w->log = log;
	w->start_ns = start_ns;
	w->begun = true;
	eventfd_write(w->begun_fd, 1);
}

void watched_end(struct watched_users *w, struct watched_result user[static VLOG_WATCHED_MOST])
{
	for (int i = 0; i < w->cfg.n; i++) {
		struct watched_user *o = &w->one[i];

		pthread_join(o->thread, NULL);
		crowd_close(&o->crowd);
		user[i] = o->told;
	}
	pthread_mutex_destroy(&w->door);
	close(w->begun_fd);
	free(w);
}
