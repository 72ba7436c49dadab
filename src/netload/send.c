// SPDX-License-Identifier: GPL-3.0-or-later
#include "send.h"
#include "proc.h"
#include "why.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define ANSWER_NS (5 * NS_PER_S)
#define OPEN_NS (12 * NS_PER_S)
#define REPORT_NS (15 * NS_PER_S)
#define OPENS UINT64_MAX	/* the number of a datagram that only opens */

const char *const send_end_words[] = { "time", "signal", "server", "broken" };

static int because(char *why, size_t size, int err, const char *words)
{
	return why_write(err, why, size, "%s", words);
}

/* A line of the server that is not what was hoped for. */
static int not_so(struct trip *r, const char *line, int heard, char *why, size_t size)
{
	char words[128];

	(void)r;
	if (heard == -EINTR)
		return because(why, size, -EINTR, "told to stop");
	if (heard == -ETIMEDOUT)
		return because(why, size, -ETIMEDOUT, "it takes connections, but does not answer as netload serve does");
	if (heard <= 0)
		return because(why, size, -ECONNRESET,
			       heard == -EPROTO ? "it answers, but not as netload serve does" : "it closed the connection");
	if (talk_read_no(line, words, sizeof(words)))
		return why_write(-EPROTO, why, size, "it refuses: %s", words);
	return because(why, size, -EPROTO, "it answers, but not as this version of netload serve does");
}

static int open_lane(struct trip *r, int64_t i, const struct door_place *to)
{
	unsigned char mark[TALK_MARK];
	int fd;

	if (r->load.udp) {
		fd = socket(to->addr.ss_family, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
		if (fd < 0)
			return -errno;
		r->lane[i].fd = fd;
		return connect(fd, (const struct sockaddr *)&to->addr, to->size) ? -errno : 0;
	}
	fd = door_connect(to, clock_now() + ANSWER_NS, true);
	if (fd < 0)
		return fd;
	r->lane[i].fd = fd;
	talk_write_mark(mark, r->key, i, OPENS);
	return write(fd, mark, sizeof(mark)) == (ssize_t)sizeof(mark) ? 0 : -errno;
}

/* Datagrams may be lost: again and again, until the server says that all is there. */
static int hear_go(struct trip *r, char *line)
{
	unsigned char mark[TALK_MARK];
	int64_t until = clock_now() + OPEN_NS;
	int heard;

	do {
		for (int64_t i = 0; r->load.udp && i < r->load.lanes; i++) {
			talk_write_mark(mark, r->key, i, OPENS);
			if (send(r->lane[i].fd, mark, sizeof(mark), MSG_NOSIGNAL) < 0 && errno != EAGAIN && errno != ECONNREFUSED)
				return -errno;
		}
		heard = door_hear(&r->control, line, clock_now() + 100 * NS_PER_MS, true);
	} while (heard == -ETIMEDOUT && clock_now() < until);
	return heard;
}

static void choose_frame_size(struct load *load, int control)
{
	int64_t header, most = lane_most(control, load->udp, &header);

	if (load->size)
		return;
	load->size = frame_size(load->rate, header, most);
}

static int agree(struct trip *r, int *port, char *why, size_t size)
{
	char line[TALK_LINE] = "";
	int heard;

	choose_frame_size(&r->load, r->control.fd);
	if (talk_write_load(line, sizeof(line), &r->load) || door_say(&r->control, line))
		return because(why, size, -ECONNRESET, "it closed the connection");
	heard = door_hear(&r->control, line, clock_now() + ANSWER_NS, true);
	if (heard != 1 || talk_read_ok(line, &r->key, port, r->load.udp ? (int)r->load.lanes : 1))
		return not_so(r, line, heard, why, size);
	return 0;
}

int send_open(struct trip *r, const struct door_place *to, char *why, size_t size)
{
	struct door_place place = *to;
	char line[TALK_LINE] = "";
	int port[LOAD_LANES], err, heard;

	r->control.fd = door_connect(to, clock_now() + ANSWER_NS, false);
	if (r->control.fd < 0)
		return because(why, size, r->control.fd, r->control.fd == -EINTR ? "told to stop" : strerror(-r->control.fd));
	err = agree(r, port, why, size);
	for (int64_t i = 0; !err && i < r->load.lanes; i++) {
		door_set_port(&place, port[r->load.udp ? i : 0]);
		err = open_lane(r, i, &place);
		if (err)
			snprintf(why, size, "stream %d at port %d: %s", (int)i + 1, door_port(&place), strerror(-err));
	}
	if (err)
		return err;
	heard = hear_go(r, line);
	if (heard != 1 || talk_read_go(line))
		return not_so(r, line, heard, why, size);
	for (int64_t i = 0; i < r->load.lanes; i++) {
		int64_t header;

		lane_most(r->lane[i].fd, r->load.udp, &header);
		lane_begin(&r->lane[i], r->lane[i].fd, r->load.udp, push_batch_bytes(&r->load, header));
	}
	return 0;
}

/* Until the sending half is over, the server has something to say, or a signal comes. */
static enum send_end watch_load(struct trip *r, void (*ready)(void), void (*look)(const struct trip *r))
{
	struct pollfd p = { .fd = r->control.fd, .events = POLLIN };
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

int send_carry(struct trip *r, void (*ready)(void), void (*look)(const struct trip *r), enum send_end *end, bool *heard)
{
	int err;

	r->pushes = true;
	r->pulls = r->load.both;
	err = trip_start(r);
	if (err)
		return err;
	*end = watch_load(r, ready, look);
	trip_end_push(r, *end != SEND_TIME);
	err = door_say_side(&r->control, &r->own, r->load.lanes);
	/* (the stop flag is up already when a signal ended it: the report is waited for all the same) */
	if (!err || *end == SEND_SERVER)
		err = door_hear_side(&r->control, &r->other, r->load.lanes, clock_now() + REPORT_NS, false);
	*heard = !err;
	trip_end_pull(r, err != 0);
	return 0;
}
