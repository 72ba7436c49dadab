// SPDX-License-Identifier: GPL-3.0-or-later
#include "protocols.h"
#include "clock.h"
#include "viewer.h"

#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <unistd.h>

struct rdp_user {
	struct viewer *viewer;
	int fd;			  /* -1: none */
	uint32_t typed, received; /* requests sent; bytes received when the last one was */
};

struct rdp_users {
	struct rdp_users_cfg cfg;
	struct crowd *crowd;
	struct rdp_user *user;
};

/* epoll data: of the viewer, or of a socket that connects */
enum { OF_VIEWER, OF_SOCKET, EVENTS };

static int watch_fd(struct rdp_users *r, int fd, uint32_t user, int of)
{
	struct epoll_event want = { .events = of == OF_SOCKET ? EPOLLOUT : EPOLLIN,
				    .data.u64 = (uint64_t)user * EVENTS + (uint64_t)of };

	return fd < 0 || epoll_ctl(r->crowd->epoll, EPOLL_CTL_ADD, fd, &want) ? -errno : 0;
}

struct rdp_users *rdp_users_open(const struct rdp_users_cfg *cfg, struct crowd *crowd)
{
	struct rdp_users *r = calloc(1, sizeof(*r));
	size_t n = (size_t)crowd->cfg.users;
	bool good = r && (r->user = calloc(n, sizeof(*r->user)));

	if (r) {
		r->cfg = *cfg;
		r->crowd = crowd;
	}
	for (size_t i = 0; good && i < n; i++) {
		r->user[i] = (struct rdp_user){ .viewer = cfg->viewer[i], .fd = -1 };
		good = !watch_fd(r, viewer_fd(cfg->viewer[i]), (uint32_t)i, OF_VIEWER);
	}
	if (good)
		return r;
	rdp_users_close(r);
	return NULL;
}

static void hang_up(void *self, uint32_t user)
{
	struct rdp_user *u = &((struct rdp_users *)self)->user[user];

	viewer_close(u->viewer);
	if (u->fd >= 0)
		close(u->fd);
	u->fd = -1;
}

void rdp_users_close(struct rdp_users *r)
{
	for (int64_t i = 0; r && r->user && i < r->crowd->cfg.users; i++)
		if (r->user[i].viewer)
			hang_up(r, (uint32_t)i);
	if (r)
		free(r->user);
	free(r);
}

static void lose_user(struct rdp_users *r, uint32_t user, int err, const char *why)
{
	hang_up(r, user);
	crowd_lost(r->crowd, user, err, why);
}

static void connect_user(void *self, uint32_t user)
{
	struct rdp_users *r = self;
	struct rdp_user *u = &r->user[user];
	struct sockaddr_storage to;
	int one = 1, err;

	target_user_address(r->cfg.target, (uint32_t)r->crowd->cfg.before + user, &to);
	u->fd = socket(to.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	err = watch_fd(r, u->fd, user, OF_SOCKET);
	if (err) {
		lose_user(r, user, err, NULL);
		return;
	}
	setsockopt(u->fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
	if (connect(u->fd, (struct sockaddr *)&to, r->cfg.target->address_size) && errno != EINPROGRESS)
		lose_user(r, user, -errno, NULL);
}

/* The connection is there, or not: hands it to the viewer, which greets the server. */
static void greet_server(struct rdp_users *r, uint32_t user)
{
	struct rdp_user *u = &r->user[user];
	const struct target *t = r->cfg.target;
	uint32_t number = (uint32_t)r->crowd->cfg.before + user;
	socklen_t size = sizeof(int);
	int err = 0;

	if (u->fd < 0) /* disconnected by an earlier event of the same batch */
		return;
	epoll_ctl(r->crowd->epoll, EPOLL_CTL_DEL, u->fd, NULL);
	getsockopt(u->fd, SOL_SOCKET, SO_ERROR, &err, &size);
	fcntl(u->fd, F_SETFL, 0); /* the library expects one that blocks */
	err = err ? -err : viewer_begin(u->viewer, u->fd, t->port[number % (uint32_t)t->ports]);
	if (err)
		lose_user(r, user, err, NULL);
}

static void on_event(void *self, uint64_t data, uint32_t events)
{
	struct rdp_users *r = self;
	uint32_t user = (uint32_t)(data / EVENTS);
	struct rdp_user *u = &r->user[user];
	struct crowd_user *of = &r->crowd->user[user];
	struct why why = { "the server closed the connection" };
	int64_t answered;
	int err;

	(void)events;
	if (data % EVENTS == OF_SOCKET) {
		greet_server(r, user);
		return;
	}
	err = viewer_look(u->viewer, &why);
	if (u->fd >= 0 && viewer_is_ready(u->viewer))
		crowd_connected(r->crowd, user);
	answered = viewer_get_seen(u->viewer)->answered_ns;
	if (answered && of->state == CROWD_ASKED) {
		uint32_t bytes = viewer_received_bytes(u->viewer) - u->received;

		of->sent_ns = viewer_get_seen(u->viewer)->sent_ns; /* when it left the process */
		r->crowd->sums.bytes += bytes;
		crowd_answered(r->crowd, user, answered, bytes, 0, true);
	}
	if (err == -ENOTRECOVERABLE) {
		viewer_explain_crash(u->viewer, &why);
		epoll_ctl(r->crowd->epoll, EPOLL_CTL_DEL, viewer_fd(u->viewer), NULL);
		of->left = of->left || u->fd < 0; /* nobody else would tell */
	}
	if (err && u->fd >= 0)
		lose_user(r, user, err, why.text);
}

static int send_input(void *self, uint32_t user, struct crowd_request *sent)
{
	struct rdp_users *r = self;
	struct rdp_user *u = &r->user[user];
	uint32_t unasked = viewer_take_unasked(u->viewer);

	r->crowd->sums.unasked += window_contains(&r->crowd->window, clock_now()) ? unasked : 0;
	*sent = (struct crowd_request){ .label = r->cfg.move, .first = true };
	u->received = viewer_received_bytes(u->viewer);
	viewer_expect_answer(u->viewer);
	return viewer_send(u->viewer, u->typed++, 0);
}

static int64_t sum_cpu_ns(void *self)
{
	const struct rdp_users *r = self;
	int64_t ns = 0;

	for (int64_t i = 0; i < r->crowd->cfg.users; i++)
		ns += viewer_get_seen(r->user[i].viewer)->cpu_ns;
	return ns;
}

const struct crowd_hooks by_rdp_protocol = {
	.connecting_most = 16, /* most of a second of connecting, libfreerdp 2 sleeps */
	.connect = connect_user,
	.send = send_input,
	.drop = hang_up,
	.event = on_event,
	.cpu_ns = sum_cpu_ns,
};
