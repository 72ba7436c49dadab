// SPDX-License-Identifier: GPL-3.0-or-later
#include "load_session.h"
#include "dial.h"
#include "proc.h"

#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <string.h>
#include <unistd.h>

#define ANSWER_NS (5 * NS_PER_S)  /* longest wait for a connection or an answer */
#define OPEN_NS (12 * NS_PER_S)	  /* longest time for opening all streams */
#define REPORT_NS (15 * NS_PER_S) /* longest wait for the server's counts */
#define OPENS UINT64_MAX	  /* number in a mark that opens a stream and carries no data */

const char *const send_end_words[] = { "time", "signal", "server", "broken" };

/* Explains in `why` an error of ctl_receive(), and returns it. */
static int explain_answer(int err, const char *reason, struct why *why)
{
	const char *text = err == -EINTR	? "stopped by a signal"
			   : err == -ETIMEDOUT	? "the server accepts connections, but does not answer as netload serve does"
			   : err == -ECONNRESET ? "the server closed the connection"
						: "the server answers, but not as this version of netload serve does";

	return err == -ECONNREFUSED ? why_fail(-EPROTO, why, "the server refuses: %s", reason) : why_fail(err, why, "%s", text);
}

static int connect_stream(struct load_session *r, int64_t i, const struct sock_address *to)
{
	unsigned char mark[CTL_MARK_BYTES];
	int fd;

	if (r->load.udp) {
		fd = socket(to->addr.ss_family, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
		if (fd < 0)
			return -errno;
		r->lane[i].fd = fd;
		return connect(fd, (const struct sockaddr *)&to->addr, to->size) ? -errno : 0;
	}
	fd = sock_connect(to, clock_now() + ANSWER_NS, true);
	if (fd < 0)
		return fd;
	r->lane[i].fd = fd;
	if (r->congestion && setsockopt(fd, IPPROTO_TCP, TCP_CONGESTION, r->congestion, (socklen_t)strlen(r->congestion)))
		return -errno;
	ctl_format_mark(mark, r->key, i, OPENS);
	return write(fd, mark, sizeof(mark)) == (ssize_t)sizeof(mark) ? 0 : -errno;
}

/* Waits for the server's go. Datagrams may be lost, so marks are repeated until then. 0, or an error of ctl_receive(). */
static int await_server_go(struct load_session *r, char *reason)
{
	unsigned char mark[CTL_MARK_BYTES];
	int64_t until = clock_now() + OPEN_NS;
	int ready;

	do {
		for (int64_t i = 0; r->load.udp && i < r->load.lanes; i++) {
			ctl_format_mark(mark, r->key, i, OPENS);
			if (send(r->lane[i].fd, mark, sizeof(mark), MSG_NOSIGNAL) < 0 && errno != EAGAIN && errno != EINTR &&
			    errno != ECONNREFUSED)
				return -errno;
		}
		ready = dial_wait(r->control, POLLIN, clock_now() + 100 * NS_PER_MS, true);
	} while (!ready && clock_now() < until);
	return ready < 0 ? ready : ctl_receive(r->control, CTL_GO, NULL, until, true, reason);
}

/* Tries one address after the other; each but the last gets half of the time that is left. Returns the control connection or
 * -errno, and in *place its address. */
static int connect_any(const struct sock_address *to, int n, struct sock_address *place)
{
	int64_t until = clock_now() + ANSWER_NS;
	int fd = -ENOENT;

	for (int i = 0; i < n && fd < 0 && fd != -EINTR; i++) {
		int64_t now = clock_now();

		fd = sock_connect(&to[i], i + 1 < n ? now + (until - now) / 2 : until, false);
		*place = to[i];
	}
	return fd;
}

int send_connect(struct load_session *r, const struct sock_address *to, int n, struct why *why)
{
	struct sock_address place;
	int64_t header, ok[CTL_OK_NUMBERS], most;
	char reason[CTL_REASON_BYTES];
	int err;

	r->control = connect_any(to, n, &place);
	if (r->control < 0)
		return why_fail(r->control, why, "%s", r->control == -EINTR ? "stopped by a signal" : strerror(-r->control));
	most = load_stream_max_payload(r->control, &r->load, &header);
	if (!r->load.size)
		r->load.size = load_payload_bytes(r->load.rate, header, most);
	err = ctl_send_load(r->control, &r->load) ? -ECONNRESET
						  : ctl_receive(r->control, CTL_OK, ok, clock_now() + ANSWER_NS, true, reason);
	if (err)
		return explain_answer(err, reason, why);
	r->key = (uint64_t)ok[0];
	for (int64_t i = 0; i < r->load.lanes; i++) {
		sock_set_port(&place, (int)ok[r->load.udp ? 1 + i : 1]);
		err = connect_stream(r, i, &place);
		if (err)
			return why_fail(err, why, "stream %d at port %d: %s%s", (int)i + 1, sock_port(&place), strerror(-err),
					err == -ENOENT ? "; /proc/sys/net/ipv4/tcp_available_congestion_control has others" : "");
	}
	err = await_server_go(r, reason);
	if (err)
		return explain_answer(err, reason, why);
	for (int64_t i = 0; i < r->load.lanes; i++) {
		load_stream_max_payload(r->lane[i].fd, &r->load, &header);
		load_stream_init(&r->lane[i], r->lane[i].fd, r->load.udp, tx_batch_bytes(&r->load, header));
	}
	return 0;
}

/* Waits until the sending thread ends, the server sends a message, or a signal comes. */
static enum send_end await_load_end(struct load_session *r, void (*ready)(void), void (*look)(const struct load_session *r))
{
	struct pollfd p = { .fd = r->control, .events = POLLIN };
	bool told = false;

	while (!atomic_load(&r->push.over)) {
		int come = poll(&p, 1, told ? 50 : 1);

		if (!told && atomic_load(&r->push.started)) {
			told = true;
			ready();
		}
		look(r);
		if (proc_stop)
			return SEND_SIGNAL;
		if (come > 0)
			return SEND_SERVER;
	}
	if (!told && atomic_load(&r->push.started))
		ready();
	return r->push.err ? SEND_BROKEN : proc_stop ? SEND_SIGNAL : SEND_TIME;
}

int send_run(struct load_session *r, void (*ready)(void), void (*look)(const struct load_session *r), enum send_end *end,
	     bool *heard)
{
	int err;

	r->pushes = true;
	r->pulls = r->load.both;
	err = load_session_start(r);
	if (err)
		return err;
	*end = await_load_end(r, ready, look);
	load_session_stop_tx(r, *end != SEND_TIME);
	err = ctl_send_counts(r->control, &r->own, r->load.lanes);
	/* The server's counts are awaited even after a signal: its stop flag is ignored here. */
	if (!err || *end == SEND_SERVER)
		err = ctl_receive_counts(r->control, &r->other, r->load.lanes, clock_now() + REPORT_NS, false);
	*heard = !err;
	load_session_stop_rx(r, err != 0);
	return 0;
}
