// SPDX-License-Identifier: GPL-3.0-or-later
/* Process and caller share what was seen, and talk over a socket: connections and input go one way, notices the other. In the
 * process, the main thread takes these, and another one reads what the server sends. */
#include "viewing.h"
#include "clock.h"
#include "confine.h"
#include "dial.h"
#include "memory.h"
#include "proc.h"
#include "protocols.h"

#include <errno.h>
#include <linux/tcp.h> /* its struct tcp_info is newer than that of netinet/tcp.h */
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define HANG_S 30 /* longest wait for the library to end a connection that was shut down */

enum order_kind { ORDER_CONNECT, ORDER_INPUT };

struct order {
	uint32_t number; /* of the viewer's connections, from 1 */
	int kind;	 /* enum order_kind */
	uint32_t value;	 /* port, or number of the input */
};

struct notice {
	uint32_t number; /* of the connection */
	int kind;	 /* enum notice_kind */
};

/* A message of one order, with room for a descriptor. */
struct order_message {
	struct msghdr all;
	struct iovec part;
	union {
		struct cmsghdr head;
		char bytes[CMSG_SPACE(sizeof(int))];
	} with;
};

static void fill_message(struct order_message *m, struct order *order)
{
	m->part = (struct iovec){ order, sizeof(*order) };
	m->with.head = (struct cmsghdr){ .cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS, .cmsg_len = CMSG_LEN(sizeof(int)) };
	m->all =
		(struct msghdr){ .msg_iov = &m->part, .msg_iovlen = 1, .msg_control = &m->with, .msg_controllen = sizeof(m->with) };
}

/* --- the process --------------------------------------------------------------------------------------------------- */

void viewing_notify(struct viewer *v, enum notice_kind kind)
{
	struct notice notice = { v->number, kind };

	v->seen->cpu_ns = clock_process_cpu();
	if (send(v->talk, &notice, sizeof(notice), MSG_NOSIGNAL) < 0)
		_exit(EXIT_RUN); /* the caller is gone */
}

uint32_t viewing_count_received(int fd)
{
	struct tcp_info info;
	socklen_t size = sizeof(info);

	memset(&info, 0, sizeof(info));
	return getsockopt(fd, IPPROTO_TCP, TCP_INFO, &info, &size) ? 0 : (uint32_t)info.tcpi_bytes_received;
}

static void *view_server(void *viewer)
{
	struct viewer *v = viewer;

	v->seen->ready = v->seen->asked = false; /* here, since the last of the connection before may just have been read */
	v->seen->answered_ns = 0;
	v->found = v->changed = false;
	v->before_width = v->before_height = 0;
	if (v->cfg.kind->view(v, v->server_fd, v->port))
		viewing_notify(v, NOTICE_LOST);
	apart_free(&v->picture);
	return NULL;
}

/* The descriptor that came with the next order; -1: none did. Ends the process with its caller, whose sandbox may keep the kernel
 * from it. */
static int take_order(struct viewer *v, struct order *next)
{
	struct order_message m;
	int fd = -1;

	fill_message(&m, next);
	if (recvmsg(v->talk, &m.all, MSG_CMSG_CLOEXEC) != sizeof(*next))
		_exit(EXIT_OK);
	if (CMSG_FIRSTHDR(&m.all))
		memcpy(&fd, CMSG_DATA(&m.with.head), sizeof(fd));
	return fd;
}

/* Where the library does not come back, the caller tells of a crash. */
static void join_or_abort(pthread_t thread)
{
	struct timespec until;

	clock_gettime(CLOCK_MONOTONIC, &until);
	until.tv_sec += HANG_S;
	if (pthread_clockjoin_np(thread, NULL, CLOCK_MONOTONIC, &until))
		abort();
}

static __attribute__((noreturn)) void view_all(struct viewer *v)
{
	struct order next;
	pthread_t thread;
	bool views = false;
	int fd;

	proc_ignore_stop(); /* the caller ends this process */
	if (v->cfg.kind->prepare)
		v->cfg.kind->prepare(v);
	confine_keep_descriptor(v->talk);
	confine_must_apply(&(struct confine_cfg){
		.profile = CONFINE_DECODE, .mode = v->cfg.sandbox, .memory_bytes = APART_MEMORY_MOST, .secret = true });
	for (;;) {
		fd = take_order(v, &next);
		if (next.kind == ORDER_INPUT && next.number == v->number)
			v->cfg.kind->input(v, next.value);
		if (next.kind != ORDER_CONNECT)
			continue;
		if (views)
			join_or_abort(thread); /* the caller has shut its connection down */
		v->number = next.number;
		v->server_fd = fd;
		v->port = (int)next.value;
		views = !proc_start_thread(&thread, 0, view_server, v);
		if (!views)
			_exit(EXIT_RUN);
	}
}

/* --- the caller ---------------------------------------------------------------------------------------------------- */

struct viewer *viewer_start(const struct viewer_cfg *cfg)
{
	struct viewer *v = memory_new(1, sizeof(*v));
	int ends[2];

	*v = (struct viewer){ .cfg = *cfg, .seen = apart_new(1, sizeof(*v->seen)), .fd = -1 };
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends))
		die(EXIT_RUN, "cannot make a pair of sockets: %s", strerror(errno));
	v->talk = ends[1];
	v->process = apart_start();
	if (!v->process)
		view_all(v);
	close(ends[1]);
	v->talk = ends[0];
	return v;
}

/* The kind of the next notice of this connection; -EAGAIN: none has come; -ENOTRECOVERABLE. */
static int take_notice(struct viewer *v)
{
	struct notice notice;
	ssize_t n;

	while (!v->gone) {
		n = recv(v->talk, &notice, sizeof(notice), MSG_DONTWAIT);
		if (n < 0)
			return -EAGAIN;
		if (!n)
			v->gone = waitpid(v->process, &v->status, 0) == v->process;
		else if (notice.number == v->number) {
			v->greeted |= notice.kind == NOTICE_GREETED;
			return notice.kind;
		}
	}
	return -ENOTRECOVERABLE;
}

/* Sends an order, with `fd` (-1: without one). 0 or -errno. */
static int send_order(struct viewer *v, enum order_kind kind, uint32_t value, int fd)
{
	struct order order = { v->number, (int)kind, value };
	struct order_message m;

	fill_message(&m, &order);
	if (fd >= 0)
		memcpy(CMSG_DATA(&m.with.head), &fd, sizeof(fd));
	else
		m.all.msg_controllen = 0;
	return sendmsg(v->talk, &m.all, MSG_NOSIGNAL | MSG_DONTWAIT) < 0 ? -errno : 0;
}

int viewer_begin(struct viewer *v, int fd, int port)
{
	v->fd = fd;
	v->number++;
	v->greeted = false;
	return send_order(v, ORDER_CONNECT, (uint32_t)port, fd) == -EAGAIN ? -ETIMEDOUT : 0;
}

/* 0: the server was greeted. -errno, with the reason in `why`. */
static int explain_greeting(struct viewer *v, int kind, struct why *why)
{
	if (kind == NOTICE_GREETED)
		return 0;
	if (viewer_explain_crash(v, why))
		return -ENOTRECOVERABLE;
	why_say(why, "%.*s", (int)sizeof(v->seen->why.text) - 1, v->seen->why.text);
	return -v->seen->err;
}

int viewer_open(struct viewer *v, int fd, int port, int64_t until_ns, struct why *why)
{
	int kind;

	if (viewer_begin(v, fd, port))
		return why_fail(-ETIMEDOUT, why, "%s", strerror(ETIMEDOUT));
	while ((kind = take_notice(v)) == -EAGAIN)
		if (dial_wait(v->talk, POLLIN, until_ns, true) <= 0)
			return proc_stop ? -EINTR : why_fail(-ETIMEDOUT, why, "%s", strerror(ETIMEDOUT));
	return explain_greeting(v, kind, why);
}

void viewer_close(struct viewer *v)
{
	if (v->fd >= 0)
		shutdown(v->fd, SHUT_RDWR); /* ends the read of the process */
	v->fd = -1;
	v->number++; /* what it still says of that connection is no news */
}

int viewer_fd(const struct viewer *v)
{
	return v->talk;
}

int viewer_look(struct viewer *v, struct why *why)
{
	int kind;

	while ((kind = take_notice(v)) == NOTICE_SEEN || kind == NOTICE_GREETED)
		;
	if (kind == NOTICE_REFUSED)
		return explain_greeting(v, kind, why);
	return kind == -EAGAIN ? 0 : kind == -ENOTRECOVERABLE ? kind : -EPIPE;
}

bool viewer_explain_crash(struct viewer *v, struct why *why)
{
	int crash = v->gone ? apart_crash(v->status) : 0;

	if (crash)
		why_say(why, APART_CRASHED "the server", sigabbrev_np(crash));
	else if (v->gone)
		why_say(why, "the process that reads the display was ended");
	return v->gone;
}

bool viewer_is_ready(const struct viewer *v)
{
	return v->greeted && v->seen->ready;
}

void viewer_expect_answer(struct viewer *v)
{
	v->seen->answered_ns = v->seen->sent_ns = 0;
	v->seen->awaited = (v->seen->shown + 1) & PATCH_NUMBER_MAX;
	v->seen->asked = !v->cfg.kind->input; /* else the process sets it, when the input leaves */
}

uint32_t viewer_take_unasked(struct viewer *v)
{
	return atomic_exchange(&v->seen->unasked, 0);
}

static int send_bytes(struct viewer *v, const uint8_t *bytes, size_t n, int64_t until_ns)
{
	while (n) {
		ssize_t sent = send(v->fd, bytes, n, MSG_NOSIGNAL | MSG_DONTWAIT);

		if (sent < 0 && (errno != EAGAIN || dial_wait(v->fd, POLLOUT, until_ns, true) <= 0))
			return -EPIPE;
		bytes += sent > 0 ? sent : 0;
		n -= sent > 0 ? (size_t)sent : 0;
	}
	return 0;
}

int viewer_send(struct viewer *v, uint32_t number, int64_t until_ns)
{
	uint8_t bytes[16];

	if (v->cfg.kind->input)
		return send_order(v, ORDER_INPUT, number, -1) ? -EPIPE : 0;
	return send_bytes(v, bytes, vnc_put_input(bytes, v->cfg.move, number, v->seen->width, v->seen->height), until_ns);
}

uint32_t viewer_received_bytes(const struct viewer *v)
{
	return viewing_count_received(v->fd);
}

const struct viewer_seen *viewer_get_seen(const struct viewer *v)
{
	return v->seen;
}
