// SPDX-License-Identifier: GPL-3.0-or-later
#include "serve.h"
#include "proc.h"
#include "rt.h"
#include "trip.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/wait.h>
#include <netinet/in.h>
#include <linux/tcp.h>
#include <unistd.h>

#define HELLO_NS (5 * NS_PER_S)
#define OPEN_NS (10 * NS_PER_S)

struct served *serve_total(void)
{
	void *m = mmap(NULL, sizeof(struct served), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	return m == MAP_FAILED ? NULL : m;
}

/* --- one load -------------------------------------------------------------------------------------------------- */

static int refuse_client(struct door *d, const char *words)
{
	char line[TALK_LINE];

	snprintf(line, sizeof(line), "netload %d no %s", TALK_VERSION, words);
	door_say(d, line);
	return -EPROTO;
}

/* 0, or the peer was told why not. */
static int hear_load(struct trip *r)
{
	char line[TALK_LINE], words[96];
	int err = door_hear(&r->control, line, clock_now() + HELLO_NS, true);

	if (err <= 0)
		return err == -EPROTO ? refuse_client(&r->control, "this is netload; that was no line of its") : err ? err : -ECONNRESET;
	err = talk_read_load(line, &r->load);
	if (err == -EPROTONOSUPPORT) {
		snprintf(words, sizeof(words), "this end speaks version %d; take the same netload at both ends", TALK_VERSION);
		return refuse_client(&r->control, words);
	}
	if (err)
		return refuse_client(&r->control, err == -ERANGE ? "a value that cannot be" : "this is netload; that was no line of its");
	return 0;
}

/* A socket that only who sits where the control connection comes from can reach, at a port of its own. */
static int open_port(struct trip *r, struct door_place *here, int *port)
{
	int fd;

	door_set_port(here, 0);
	fd = r->load.udp ? door_udp(here) : door_listen(here, true);
	if (fd < 0)
		return fd;
	if (door_here(fd, here))
		return -errno;
	*port = door_port(here);
	return fd;
}

/* The next datagram or connection at `fd`, if it is one of this load's streams: its number, else -1. */
static int64_t who_comes(struct trip *r, int *fd, const struct door_place *peer)
{
	unsigned char mark[TALK_MARK];
	struct door_place from = { .size = sizeof(from.addr) };
	uint64_t number;
	int64_t lane;
	int got = *fd;

	if (!r->load.udp) {
		got = accept4(*fd, (struct sockaddr *)&from.addr, &from.size, SOCK_NONBLOCK | SOCK_CLOEXEC);
		if (got < 0)
			return -1;
		/* the mark is behind the handshake by less than a round trip */
		if (!door_same_host(&from, peer) || door_wait(got, POLLIN, clock_now() + NS_PER_S, true) <= 0 ||
		    recv(got, mark, sizeof(mark), 0) != sizeof(mark)) {
			close(got);
			return -1;
		}
	} else if (recvfrom(got, mark, sizeof(mark), 0, (struct sockaddr *)&from.addr, &from.size) != sizeof(mark) ||
		   !door_same_host(&from, peer)) {
		return -1;
	}
	lane = talk_read_mark(mark, r->key, r->load.lanes, &number);
	if (lane >= 0 && r->load.udp && connect(got, (struct sockaddr *)&from.addr, from.size))
		lane = -1;
	if ((lane < 0 || r->lane[lane].fd) && !r->load.udp) {
		close(got);
		return -1;
	}
	*fd = got;
	return lane;
}

static void begin_lane(struct trip *r, int64_t lane, int fd)
{
	/* (the header is known from the socket, the batch from the header) */
	lane_begin(&r->lane[lane], fd, r->load.udp, push_batch_bytes(&r->load, 66));
	r->lane[lane].takes_mark = true;
}

static int wait_for_lanes(struct trip *r, const int *fds, int ports, const struct door_place *peer)
{
	int64_t until = clock_now() + OPEN_NS, open = 0;
	struct pollfd p[LOAD_LANES + 1];

	while (open < r->load.lanes) {
		p[0] = (struct pollfd){ .fd = r->control.fd, .events = POLLRDHUP };
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
			int64_t lane = p[i + 1].revents ? who_comes(r, &fd, peer) : -1;

			if (lane < 0 || (r->load.udp && lane != i))
				continue;
			begin_lane(r, lane, fd);
			open++;
		}
	}
	return 0;
}

static int open_lanes(struct trip *r)
{
	int fds[LOAD_LANES], port[LOAD_LANES], ports = r->load.udp ? (int)r->load.lanes : 1, err = 0;
	struct door_place here, peer;
	char line[TALK_LINE];

	if (door_here(r->control.fd, &here) || door_there(r->control.fd, &peer) || getrandom(&r->key, sizeof(r->key), 0) != sizeof(r->key))
		return -ECONNRESET;
	for (int i = 0; i < ports; i++) {
		fds[i] = open_port(r, &here, &port[i]);
		if (fds[i] < 0)
			return refuse_client(&r->control, "no port is free");
	}
	talk_write_ok(line, sizeof(line), r->key, port, ports);
	err = door_say(&r->control, line);
	if (!err)
		err = wait_for_lanes(r, fds, ports, &peer);
	if (!r->load.udp)
		close(fds[0]);
	if (err == -ETIMEDOUT)
		refuse_client(&r->control, "the streams did not come; is there something between the two ends that lets only one port through?");
	return err;
}

static void add_up(struct served *total, const struct trip *r)
{
	for (int64_t i = 0; i < r->load.lanes; i++) {
		atomic_fetch_add(&total->got_payload, r->own.lane[i].got_payload);
		atomic_fetch_add(&total->got_wire, r->own.lane[i].got_wire);
		atomic_fetch_add(&total->sent_payload, r->own.lane[i].sent_payload);
		atomic_fetch_add(&total->sent_wire, r->own.lane[i].sent_wire);
	}
}

/* The load itself: 0, or it did not end as it should. */
static int carry_load(struct trip *r, struct served *total)
{
	char line[TALK_LINE];
	int err;

	r->pulls = true;
	r->pushes = r->load.both;
	err = trip_start(r);
	if (err)
		return err;
	snprintf(line, sizeof(line), "netload %d go", TALK_VERSION);
	err = door_say(&r->control, line);
	/* As long as it takes: a sender that is gone is noticed by the kernel. */
	if (!err)
		err = door_hear_side(&r->control, &r->other, r->load.lanes, INT64_MAX, true);
	trip_end_push(r, true);
	trip_end_pull(r, err != 0);
	add_up(total, r);
	/* told to stop, it still tells the sender what came */
	if (!err || err == -EINTR)
		door_say_side(&r->control, &r->own, r->load.lanes);
	return err == -EINTR ? 0 : err;
}

static void notice_who_is_gone(int fd)
{
	setsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &(int){ 1 }, sizeof(int));
	setsockopt(fd, IPPROTO_TCP, TCP_KEEPIDLE, &(int){ 10 }, sizeof(int));
	setsockopt(fd, IPPROTO_TCP, TCP_KEEPINTVL, &(int){ 5 }, sizeof(int));
	setsockopt(fd, IPPROTO_TCP, TCP_KEEPCNT, &(int){ 4 }, sizeof(int));
}

/* In a process of its own: 0: served. 1: refused. 2: broken. */
static int serve_one(int fd, struct served *total)
{
	static struct trip r;	/* zeroed */
	struct rt_state got;
	int err;

	r.control.fd = fd;
	notice_who_is_gone(fd);
	err = hear_load(&r);
	if (err) {
		atomic_fetch_add(&total->refused, 1);
		return 1;
	}
	rt_setup(0, &got);
	munlockall();	/* netload.c says why */
	err = open_lanes(&r);
	if (!err)
		err = carry_load(&r, total);
	atomic_fetch_add(err ? &total->broken : &total->loads, 1);
	/* the last line must not be lost with the connection */
	shutdown(fd, SHUT_WR);
	door_wait(fd, POLLIN, clock_now() + NS_PER_S, false);
	trip_free(&r);
	return err ? 2 : 0;
}

/* --- all of them ----------------------------------------------------------------------------------------------- */

struct children {
	pid_t pid[SERVE_AT_ONCE];
	int n;
	bool told;
};

static int take_next(int listener, struct served *total, struct children *c)
{
	struct door full = { .fd = accept4(listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC) };
	pid_t parent = getpid(), child;

	if (full.fd < 0)
		return 0;
	if (c->n >= SERVE_AT_ONCE) {
		refuse_client(&full, "too many loads at once");
		atomic_fetch_add(&total->refused, 1);
		close(full.fd);
		return 0;
	}
	child = fork();
	if (!child) {
		proc_die_with_parent(parent);
		close(listener);
		_exit(serve_one(full.fd, total));
	}
	close(full.fd);
	if (child < 0)
		return -errno;
	c->pid[c->n++] = child;
	return 0;
}

/* True: one that was more than a refusal has ended. */
static bool reap_children(struct children *c, struct served *total)
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

int serve(int listener, bool once, struct served *total)
{
	struct children c = { .n = 0 };
	bool over = false;
	int err = 0;

	while ((!over && !err) || c.n) {
		if (over || err)
			clock_sleep_until(clock_now() + 10 * NS_PER_MS);
		else if (door_wait(listener, POLLIN, clock_now() + 50 * NS_PER_MS, true) == 1)
			err = take_next(listener, total, &c);
		over = (reap_children(&c, total) && once) || over || proc_stop;
		if ((proc_stop || err) && !c.told) {	/* who told us may not have told them */
			c.told = true;
			for (int i = 0; i < c.n; i++)
				kill(c.pid[i], SIGTERM);
		}
	}
	return err;
}
