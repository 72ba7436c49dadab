// SPDX-License-Identifier: GPL-3.0-or-later
#include "confine.h"
#include "load_session.h"
#include "memory.h"
#include "dial.h"
#include "proc.h"
#include "rt.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/wait.h>
#include <netinet/in.h>
#include <linux/tcp.h>
#include <unistd.h>

#define HELLO_NS (5 * NS_PER_S) /* longest wait for a client's request */
#define OPEN_NS (10 * NS_PER_S) /* longest time for opening all streams of a load */
#define QUOTE(number) #number
#define EXPLAIN_VERSION(number) "the server has protocol version " QUOTE(number) "; use the same netload at both ends"
#define TCP_HEADERS 66 /* bytes, with IPv4 and timestamps: a good estimate for choosing buffers */

struct serve_totals *serve_totals_new(void)
{
	void *m = mmap(NULL, sizeof(struct serve_totals), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	return must_alloc(m == MAP_FAILED ? NULL : m);
}

/* --- one load -------------------------------------------------------------------------------------------------- */

static int refuse_client(int fd, const char *words)
{
	char reason[CTL_REASON_BYTES];

	snprintf(reason, sizeof(reason), "%s", words);
	ctl_send(fd, CTL_NO, reason);
	return -EPROTO;
}

/* Receives the client's request into r->load. 0, or -errno after the client was sent the reason. */
static int receive_request(struct load_session *r)
{
	int err = ctl_receive_load(r->control, &r->load, clock_now() + HELLO_NS);

	switch (err) {
	case -EPROTO: return refuse_client(r->control, "this is netload, and that is not a message of its protocol");
	case -EPROTONOSUPPORT: return refuse_client(r->control, EXPLAIN_VERSION(CTL_VERSION));
	case -ERANGE: return refuse_client(r->control, "a value is out of range");
	default: return err;
	}
}

/* Opens a data socket at the address of the control connection, on an ephemeral port, which goes to *port. */
static int open_data_socket(struct load_session *r, struct sock_address *here, int64_t *port)
{
	int fd;

	sock_set_port(here, 0);
	fd = r->load.udp ? sock_bind_udp(here) : sock_listen(here, true);
	if (fd < 0)
		return fd;
	if (sock_local_address(fd, here))
		return -errno;
	*port = sock_port(here);
	return fd;
}

/* Accepts the next datagram or connection at *fd if it comes from `peer` and has a mark of this load. Returns the number (lane) of
 * the stream that it opens, with its descriptor in *fd; -1: none was accepted. */
static int64_t accept_stream_lane(struct load_session *r, int *fd, const struct sock_address *peer)
{
	unsigned char mark[CTL_MARK_BYTES];
	struct sock_address from = { .size = sizeof(from.addr) };
	uint64_t number;
	int64_t lane;
	int got = *fd;

	if (!r->load.udp) {
		got = accept4(*fd, (struct sockaddr *)&from.addr, &from.size, SOCK_NONBLOCK | SOCK_CLOEXEC);
		if (got < 0)
			return -1;
		/* The mark follows the handshake within a round trip. */
		if (!sock_is_same_host(&from, peer) || dial_wait(got, POLLIN, clock_now() + NS_PER_S, true) <= 0 ||
		    recv(got, mark, sizeof(mark), 0) != sizeof(mark)) {
			close(got);
			return -1;
		}
	} else if (recvfrom(got, mark, sizeof(mark), 0, (struct sockaddr *)&from.addr, &from.size) != sizeof(mark) ||
		   !sock_is_same_host(&from, peer)) {
		return -1;
	}
	lane = ctl_parse_mark(mark, r->key, r->load.lanes, &number);
	if (lane >= 0 && r->load.udp && connect(got, (struct sockaddr *)&from.addr, from.size))
		lane = -1;
	if ((lane < 0 || r->lane[lane].fd) && !r->load.udp) {
		close(got);
		return -1;
	}
	*fd = got;
	return lane;
}

static int accept_streams(struct load_session *r, const int *fds, int ports, const struct sock_address *peer)
{
	int64_t until = clock_now() + OPEN_NS, open = 0;
	struct pollfd p[LOAD_STREAMS + 1];

	while (open < r->load.lanes) {
		p[0] = (struct pollfd){ .fd = r->control, .events = POLLRDHUP };
		for (int i = 0; i < ports; i++)
			p[i + 1] = (struct pollfd){ .fd = r->load.udp && r->lane[i].fd ? -1 : fds[i], .events = POLLIN };
		if (proc_stop || clock_now() > until)
			return proc_stop ? -EINTR : -ETIMEDOUT;
		if (poll(p, (nfds_t)ports + 1, 50) <= 0)
			continue;
		if (p[0].revents)
			return -ECONNRESET;
		for (int i = 0; i < ports; i++) {
			int fd = fds[i];
			int64_t lane = p[i + 1].revents ? accept_stream_lane(r, &fd, peer) : -1;

			if (lane < 0 || (r->load.udp && lane != i))
				continue;
			load_stream_init(&r->lane[lane], fd, r->load.udp, tx_batch_bytes(&r->load, TCP_HEADERS));
			r->lane[lane].takes_mark = true;
			open++;
		}
	}
	return 0;
}

static int open_streams(struct load_session *r)
{
	int fds[LOAD_STREAMS], ports = r->load.udp ? (int)r->load.lanes : 1, err;
	int64_t ok[CTL_OK_NUMBERS] = { 0 };
	struct sock_address here, peer;

	if (sock_local_address(r->control, &here) || sock_peer_address(r->control, &peer) ||
	    getrandom(&r->key, sizeof(r->key), 0) != sizeof(r->key))
		return -ECONNRESET;
	ok[0] = (int64_t)r->key;
	for (int i = 0; i < ports; i++) {
		fds[i] = open_data_socket(r, &here, &ok[1 + i]);
		if (fds[i] < 0)
			return refuse_client(r->control, "no free port at the server");
	}
	err = ctl_send(r->control, CTL_OK, ok);
	if (!err)
		err = accept_streams(r, fds, ports, &peer);
	if (!r->load.udp)
		close(fds[0]);
	if (err == -ETIMEDOUT)
		refuse_client(r->control, "no connection to the data ports; does a firewall let only the control port through?");
	return err;
}

static void add_totals(struct serve_totals *total, const struct load_session *r)
{
	struct stream_counts all = load_sum_streams(r->own.lane, r->load.lanes);

	atomic_fetch_add(&total->got_payload, all.got_payload);
	atomic_fetch_add(&total->got_wire, all.got_wire);
	atomic_fetch_add(&total->sent_payload, all.sent_payload);
	atomic_fetch_add(&total->sent_wire, all.sent_wire);
}

/* Runs the load once all streams are open. 0, or -errno: it broke off. */
static int serve_load(struct load_session *r, struct serve_totals *total)
{
	int err;

	r->pulls = true;
	r->pushes = r->load.both;
	err = load_session_start(r);
	if (err)
		return err;
	err = ctl_send(r->control, CTL_GO, NULL);
	/* Without a time limit: TCP keepalive notices a sender that is gone. */
	if (!err)
		err = ctl_receive_counts(r->control, &r->other, r->load.lanes, INT64_MAX, true);
	load_session_stop_tx(r, true);
	load_session_stop_rx(r, err != 0);
	add_totals(total, r);
	/* The sender gets our counts also where a stop signal ended the load here. */
	if (!err || err == -EINTR)
		ctl_send_counts(r->control, &r->own, r->load.lanes);
	return err == -EINTR ? 0 : err;
}

static void enable_keepalive(int fd)
{
	setsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &(int){ 1 }, sizeof(int));
	setsockopt(fd, IPPROTO_TCP, TCP_KEEPIDLE, &(int){ 10 }, sizeof(int));
	setsockopt(fd, IPPROTO_TCP, TCP_KEEPINTVL, &(int){ 5 }, sizeof(int));
	setsockopt(fd, IPPROTO_TCP, TCP_KEEPCNT, &(int){ 4 }, sizeof(int));
}

/* Serves one client, in a process of its own. Exit status: 0: served, 1: refused, 2: broken off. */
static int serve_client(int fd, struct serve_totals *total)
{
	static struct load_session r; /* static: all zero */
	struct rt_granted got;
	int err;

	r.control = fd;
	enable_keepalive(fd);
	err = receive_request(&r);
	if (err) {
		atomic_fetch_add(&total->refused, 1);
		return 1;
	}
	rt_setup(0, &got);
	munlockall(); /* the limit of an ordinary user is below a thread's stack, which could not start */
	err = open_streams(&r);
	confine_tighten(CONFINE_DECODE);
	if (!err)
		err = serve_load(&r, total);
	atomic_fetch_add(err ? &total->broken : &total->loads, 1);
	/* Wait until the client has read the last message. */
	shutdown(fd, SHUT_WR);
	dial_wait(fd, POLLIN, clock_now() + NS_PER_S, false);
	load_session_free(&r);
	return err ? 2 : 0;
}

/* --- all loads ------------------------------------------------------------------------------------------------- */

struct serving_children {
	pid_t pid[SERVE_AT_ONCE];
	int n;
	bool told;
};

static int fork_server(int listener, struct serve_totals *total, struct serving_children *c)
{
	int fd = accept4(listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
	pid_t parent = getpid(), child;

	if (fd < 0)
		return 0;
	if (c->n >= SERVE_AT_ONCE) {
		refuse_client(fd, "too many loads at once");
		atomic_fetch_add(&total->refused, 1);
		close(fd);
		return 0;
	}
	child = fork();
	if (!child) {
		if (proc_end_with_parent(SIGKILL, parent) == -ESRCH)
			_exit(1);
		confine_keep_descriptor(fd);
		_exit(serve_client(fd, total));
	}
	if (child < 0) {
		refuse_client(fd, "the server cannot start a process");
		atomic_fetch_add(&total->refused, 1);
	}
	close(fd);
	if (child < 0)
		return 0;
	c->pid[c->n++] = child;
	return 0;
}

/* Collects ended processes. True: one of them had served a load. */
static bool reap_children(struct serving_children *c, struct serve_totals *total)
{
	bool served = false;
	int status;

	for (int i = 0; i < c->n; i++) {
		if (waitpid(c->pid[i], &status, WNOHANG) <= 0)
			continue;
		c->pid[i--] = c->pid[--c->n];
		served = served || !WIFEXITED(status) || WEXITSTATUS(status) != 1;
		if (!WIFEXITED(status))
			atomic_fetch_add(&total->broken, 1);
	}
	return served;
}

int serve(int listener, bool once, struct serve_totals *total)
{
	struct serving_children c = { .n = 0 };
	bool over = false;
	int err = 0;

	while ((!over && !err) || c.n) {
		if (over || err)
			clock_sleep(clock_now() + 10 * NS_PER_MS);
		else if (dial_wait(listener, POLLIN, clock_now() + 50 * NS_PER_MS, true) == 1)
			err = fork_server(listener, total, &c);
		over = (reap_children(&c, total) && once) || over || proc_stop;
		if ((proc_stop || err) && !c.told) { /* the stop signal may have reached the parent only */
			c.told = true;
			for (int i = 0; i < c.n; i++)
				kill(c.pid[i], SIGTERM);
		}
	}
	return err;
}
