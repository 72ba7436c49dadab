// SPDX-License-Identifier: GPL-3.0-or-later
#include "serve.h"
#include "memory.h"
#include "clock.h"
#include "guest.h"
#include "proc.h"
#include "random.h"
#include "thread.h"

#include <errno.h>
#include <math.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#define AT_ONCE 64
#define SCRATCH (16 << 10)
#define LISTENER UINT32_MAX

/* A request in the stations. */
struct pending_request {
	int64_t at_ns;		/* when it leaves the stations */
	uint32_t guest, serial; /* descriptor and serial number of its client */
};

struct serve_state {
	const struct serve_cfg *cfg;
	struct serve_sums *sums;
	struct service_stations stations;
	struct server_answers way;
	struct served_client *guest; /* by descriptor */
	size_t room;
	struct pending_request *line; /* ascending by at_ns */
	size_t head, n;		      /* of `line`: what is before `head` has left */
	int epoll;
	int64_t first_ns; /* time of the first request; 0: none yet */
	bool paused;
	uint32_t serial;
	int64_t guests;
	uint8_t scratch[SCRATCH];
};

int stations_parse(const char *text, struct service_stations *out)
{
	char copy[STATIONS_MOST * 32], *rest = copy, *word;

	if (snprintf(copy, sizeof(copy), "%s", text) >= (int)sizeof(copy))
		return -EINVAL;
	for (out->n = 0; (word = strsep(&rest, ","));) {
		int64_t ns;

		if (out->n == STATIONS_MOST || cli_parse_ns(word, &ns) || ns < 0 || ns > 3600 * NS_PER_S)
			return -EINVAL;
		out->mean_ns[out->n++] = (double)ns;
	}
	return 0;
}

int64_t stations_add_request(struct service_stations *s, int64_t now_ns)
{
	for (int i = 0; i < s->n; i++) {
		double service = s->mean_ns[i] * (s->exponential ? -log(1 - random_fraction(&s->random)) : 1);

		now_ns = (now_ns > s->free_ns[i] ? now_ns : s->free_ns[i]) + llround(service);
		s->free_ns[i] = now_ns;
		s->busy_ns[i] += service;
	}
	return now_ns;
}

int serve_listen(const struct target *at)
{
	int one = 1, err, fd = socket(at->address.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);

	if (fd < 0)
		return -errno;
	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
	if (!bind(fd, (const struct sockaddr *)&at->address, at->address_size) && !listen(fd, 4096))
		return fd;
	err = -errno;
	close(fd);
	return err;
}

static void drop_client(struct serve_state *s, uint32_t fd, bool refused)
{
	close((int)fd);
	s->guest[fd].serial = 0;
	s->guests--;
	s->sums->refused += refused;
}

static void accept_clients(struct serve_state *s, int listener)
{
	int one = 1, fd;

	while ((fd = accept4(listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC)) >= 0) {
		struct epoll_event want = { .events = EPOLLIN, .data.u32 = (uint32_t)fd };

		if ((size_t)fd >= s->room) {
			size_t room = (size_t)fd * 2;
			struct served_client *grown = reallocarray(s->guest, room, sizeof(*grown));

			if (!grown) {
				close(fd);
				continue;
			}
			memset(grown + s->room, 0, (room - s->room) * sizeof(*grown));
			s->guest = grown;
			s->room = room;
		}
		setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
		client_init(&s->guest[fd], fd, ++s->serial ? s->serial : ++s->serial);
		s->sums->guests++;
		s->guests++;
		s->sums->guests_most += s->guests > s->sums->guests_most;
		if (epoll_ctl(s->epoll, EPOLL_CTL_ADD, fd, &want) || client_send_version(&s->guest[fd], &s->way))
			drop_client(s, (uint32_t)fd, false);
	}
}

/* Clients may have several requests waiting. False: out of memory. */
static bool enqueue_pending(struct serve_state *s, struct pending_request who)
{
	if (s->head > s->n / 2) {
		s->n -= s->head;
		memmove(s->line, s->line + s->head, s->n * sizeof(*s->line));
		s->head = 0;
	}
	if (array_room(&s->line, s->n))
		return false;
	s->line[s->n++] = who;
	return true;
}

/* If the socket took only a part of an answer, waits until it is writable. */
static void await_writable(struct serve_state *s, uint32_t fd)
{
	struct epoll_event want = { .events = EPOLLIN | EPOLLOUT, .data.u32 = fd };

	if (s->guest[fd].left)
		epoll_ctl(s->epoll, EPOLL_CTL_MOD, (int)fd, &want);
}

static void answer_client(struct serve_state *s, struct pending_request who)
{
	struct served_client *g = &s->guest[who.guest];

	if (g->serial != who.serial) /* the client has disconnected */
		return;
	s->sums->answered++;
	sample_add(&s->sums->late, clock_now() - who.at_ns);
	if (client_send_answer(g, &s->way))
		drop_client(s, who.guest, false);
	else
		await_writable(s, who.guest);
}

static void read_client(struct serve_state *s, uint32_t fd)
{
	struct served_client *g = &s->guest[fd];
	ssize_t n = recv((int)fd, s->scratch, SCRATCH, 0);
	int64_t now = clock_now();
	int asked;

	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	asked = n > 0 ? client_parse_requests(g, &s->way, s->scratch, (size_t)n) : -EPIPE;
	if (asked < 0) {
		drop_client(s, fd, asked == -EPROTO);
		return;
	}
	await_writable(s, fd);
	for (uint32_t serial = g->serial; asked-- && g->serial == serial;) {
		struct pending_request who = { now, fd, serial };

		s->first_ns = s->first_ns ? s->first_ns : now;
		s->sums->requests++;
		who.at_ns = stations_add_request(&s->stations, now);
		sample_add(&s->sums->inside, who.at_ns - now);
		if (!s->stations.n)
			answer_client(s, who);
		else if (!enqueue_pending(s, who))
			drop_client(s, fd, false);
	}
}

static void on_client_event(struct serve_state *s, uint32_t fd, uint32_t events)
{
	if (!s->guest[fd].serial)
		return;
	if (events & EPOLLOUT) {
		struct epoll_event want = { .events = EPOLLIN, .data.u32 = fd };

		if (client_send_rest(&s->guest[fd], &s->way)) {
			drop_client(s, fd, false);
			return;
		}
		if (!s->guest[fd].left)
			epoll_ctl(s->epoll, EPOLL_CTL_MOD, (int)fd, &want);
	}
	if (events & (EPOLLIN | EPOLLERR | EPOLLHUP))
		read_client(s, fd);
}

/* Answers the requests that have left the stations by now. Returns when the next one leaves, INT64_MAX: none. */
static int64_t answer_due_requests(struct serve_state *s, int64_t now)
{
	while (s->head < s->n && s->line[s->head].at_ns <= now)
		answer_client(s, s->line[s->head++]);
	return s->head < s->n ? s->line[s->head].at_ns : INT64_MAX;
}

/* Stalls once (--freeze). */
static void stall_when_due(struct serve_state *s, int64_t now)
{
	if (!s->cfg->pause_ns || s->paused || !s->first_ns || now < s->first_ns + s->cfg->pause_at_ns)
		return;
	s->paused = true;
	clock_sleep(now + s->cfg->pause_ns);
}

static int serve_loop(struct serve_state *s, int listener, const sigset_t *mask)
{
	while (!proc_stop) {
		struct epoll_event event[AT_ONCE];
		int64_t now = clock_now(), until;
		int n;

		stall_when_due(s, now);
		until = answer_due_requests(s, clock_now());
		if (s->cfg->pause_ns && !s->paused && s->first_ns && until > s->first_ns + s->cfg->pause_at_ns)
			until = s->first_ns + s->cfg->pause_at_ns;
		n = thread_wait_events(s->epoll, event, AT_ONCE, until, mask);
		if (n < 0)
			return n;
		for (int i = 0; i < n; i++) {
			if (event[i].data.u32 == LISTENER)
				accept_clients(s, listener);
			else
				on_client_event(s, event[i].data.u32, event[i].events);
		}
	}
	return 0;
}

int serve_clients(int listener, const struct serve_cfg *cfg, struct serve_sums *out)
{
	struct epoll_event want = { .events = EPOLLIN, .data.u32 = LISTENER };
	struct serve_state *s = memory_new(1, sizeof(*s));
	int64_t from = clock_now(), now;
	sigset_t stops, before;
	int err;

	*s = (struct serve_state){
		.cfg = cfg, .sums = out, .stations = cfg->stations, .epoll = epoll_create1(EPOLL_CLOEXEC), .room = 1024
	};
	s->guest = memory_new(s->room, sizeof(*s->guest));
	answers_make(&s->way, cfg->at->http, cfg->size, (uint16_t)cfg->width, (uint16_t)cfg->height);
	proc_fill_stop_set(&stops);
	sigprocmask(SIG_BLOCK, &stops, &before);
	err = s->epoll < 0 || epoll_ctl(s->epoll, EPOLL_CTL_ADD, listener, &want) ? -errno : serve_loop(s, listener, &before);
	sigprocmask(SIG_SETMASK, &before, NULL);
	now = clock_now();
	out->ns = now - from;
	out->cpu_ns = clock_process_cpu();
	for (int i = 0; i < s->stations.n; i++) {
		double queued_ns = fmax(0, (double)(s->stations.free_ns[i] - now)); /* of requests that it has not served yet */

		out->busy[i] = s->first_ns ? fmin(1, (s->stations.busy_ns[i] - queued_ns) / (double)(now - s->first_ns)) : 0;
	}
	for (size_t fd = 0; fd < s->room; fd++)
		if (s->guest[fd].serial)
			close((int)fd);
	answers_free(&s->way);
	free(s->guest);
	free(s->line);
	close(s->epoll);
	free(s);
	return err;
}
