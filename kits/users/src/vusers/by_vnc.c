// SPDX-License-Identifier: GPL-3.0-or-later
#include "protocols.h"
#include "clock.h"
#include "rfb/messages.h"

#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#define SCRATCH (64 << 10)

struct vnc_user {
	struct vrfb rfb;
	int fd;		/* -1: none */
	uint32_t typed; /* requests sent */
	uint32_t bytes; /* received since the last request */
	bool connected;
};

struct vnc_users {
	struct vnc_users_cfg cfg;
	struct crowd *crowd;
	struct vnc_user *user;
	struct vrfb_patch *patch;
	uint8_t scratch[SCRATCH];
};

const char *const by_vnc_labels[] = { "key", "move", NULL };

struct vnc_users *vnc_users_open(const struct vnc_users_cfg *cfg, struct crowd *crowd)
{
	struct vnc_users *v = calloc(1, sizeof(*v));
	size_t n = (size_t)crowd->cfg.users;

	if (v)
		v->user = calloc(n, sizeof(*v->user));
	if (v && cfg->patch)
		v->patch = calloc(n, sizeof(*v->patch));
	if (!v || !v->user || (cfg->patch && !v->patch)) {
		vnc_users_close(v);
		return NULL;
	}
	v->cfg = *cfg;
	v->crowd = crowd;
	for (size_t i = 0; i < n; i++)
		v->user[i].fd = -1;
	return v;
}

static void hang_up(void *self, uint32_t user)
{
	struct vnc_user *u = &((struct vnc_users *)self)->user[user];

	if (u->fd >= 0)
		close(u->fd);
	u->fd = -1;
}

void vnc_users_close(struct vnc_users *v)
{
	for (int64_t i = 0; v && v->user && v->crowd && i < v->crowd->cfg.users; i++)
		hang_up(v, (uint32_t)i);
	if (v) {
		free(v->user);
		free(v->patch);
	}
	free(v);
}

static void lose_user(struct vnc_users *v, uint32_t user, int err, const char *why)
{
	hang_up(v, user);
	crowd_lost(v->crowd, user, err, why);
}

static void connect_user(void *self, uint32_t user)
{
	struct vnc_users *v = self;
	struct vnc_user *u = &v->user[user];
	struct epoll_event want = { .events = EPOLLOUT, .data.u64 = user };
	struct sockaddr_storage to;
	int one = 1;

	target_user_address(v->cfg.target, (uint32_t)v->crowd->cfg.before + user, &to);
	vrfb_init(&u->rfb, &v->cfg.rfb, v->patch ? &v->patch[user] : NULL);
	u->connected = false;
	u->fd = socket(to.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	if (u->fd < 0 || epoll_ctl(v->crowd->epoll, EPOLL_CTL_ADD, u->fd, &want)) {
		lose_user(v, user, -errno, NULL);
		return;
	}
	setsockopt(u->fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
	if (connect(u->fd, (struct sockaddr *)&to, v->cfg.target->address_size) && errno != EINPROGRESS)
		lose_user(v, user, -errno, NULL);
}

/* Sends a short message. -ENOBUFS if the socket takes only a part: the server does not read any more. */
static int send_message(struct vnc_user *u, const void *bytes, size_t n)
{
	ssize_t sent = send(u->fd, bytes, n, MSG_NOSIGNAL);

	return sent == (ssize_t)n ? 0 : sent < 0 ? -errno : -ENOBUFS;
}

/* NULL: strerror() says enough. */
static const char *explain_vnc_error(int err)
{
	switch (err) {
	case -EPROTO: return "the server does not speak RFB, or sends an encoding that was not requested";
	case -EACCES: return "the server wants a password: --password-file FILE";
	case -ENOTSUP: return "libgcrypt refuses DES here (FIPS mode?)";
	case -EKEYREJECTED: return "the server rejects the password, or blocks this host after too many wrong ones";
	case -EPROTONOSUPPORT: return "the server offers other security types only; let it offer None (1) or VncAuth (2)";
	case -ECONNREFUSED: return "the server refuses the connection";
	default: return NULL;
	}
}

static void read_user(struct vnc_users *v, uint32_t user)
{
	struct vnc_user *u = &v->user[user];
	ssize_t n = recv(u->fd, v->scratch, SCRATCH, 0);
	int64_t now = clock_now();
	int flags, err = 0;

	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (n <= 0) {
		lose_user(v, user, n ? -errno : -EPIPE, n ? NULL : "the server closed the connection");
		return;
	}
	v->crowd->sums.bytes += n;
	u->bytes += (uint32_t)n;
	flags = vrfb_parse(&u->rfb, v->scratch, (size_t)n);
	v->crowd->sums.unasked += window_contains(&v->crowd->window, now) ? u->rfb.unasked : 0;
	u->rfb.unasked = 0;
	if (flags >= 0 && u->rfb.n_out) {
		err = send_message(u, u->rfb.out, u->rfb.n_out);
		u->rfb.n_out = 0;
	}
	if (flags < 0 || err) {
		lose_user(v, user, flags < 0 ? flags : err, flags < 0 ? explain_vnc_error(flags) : NULL);
		return;
	}
	if (flags & VRFB_READY)
		crowd_connected(v->crowd, user);
	if (flags & VRFB_ANSWER)
		crowd_answered(v->crowd, user, now, u->bytes, 0, true);
}

static void on_event(void *self, uint64_t data, uint32_t events)
{
	struct vnc_users *v = self;
	uint32_t user = (uint32_t)data;
	struct vnc_user *u = &v->user[user];
	struct epoll_event want = { .events = EPOLLIN, .data.u64 = user };
	int err = 0;
	socklen_t size = sizeof(err);

	(void)events;
	if (u->fd < 0) /* disconnected by an earlier event of the same batch */
		return;
	if (u->connected) {
		read_user(v, user);
		return;
	}
	getsockopt(u->fd, SOL_SOCKET, SO_ERROR, &err, &size);
	if (err || epoll_ctl(v->crowd->epoll, EPOLL_CTL_MOD, u->fd, &want)) {
		lose_user(v, user, err ? -err : -errno, NULL);
		return;
	}
	u->connected = true;
}

size_t vnc_put_input(uint8_t *m, bool move, uint32_t number, int width, int height)
{
	return move ? messages_put_pointer(m, 0, number % 2 ? width / 3 : width / 2, height / 2)
		    : messages_put_key_stroke(m, 'a' + number % 26);
}

/* Types the next key of the user, or moves its pointer; *sent: what was sent. */
static int send_input(void *self, uint32_t user, struct crowd_request *sent)
{
	struct vnc_users *v = self;
	struct vnc_user *u = &v->user[user];
	uint8_t bytes[16];

	*sent = (struct crowd_request){ .label = v->cfg.move, .first = true };
	u->bytes = 0;
	vrfb_expect_answer(&u->rfb);
	return send_message(u, bytes, vnc_put_input(bytes, v->cfg.move, u->typed++, u->rfb.width, u->rfb.height));
}

const struct crowd_hooks by_vnc_protocol = { .connect = connect_user, .send = send_input, .drop = hang_up, .event = on_event };
