// SPDX-License-Identifier: GPL-3.0-or-later
#include "trip.h"
#include "talk.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>

#define SCRATCH (256 << 10)
#define PARCEL 64
#define DRAIN_NS (5 * NS_PER_S)		/* how long what was sent may still be on its way */
#define QUIET_NS (300 * NS_PER_MS)	/* with datagrams, this much silence ends it before */
#define LOOK_MS 50

struct puller {
	struct pull *p;
	char *scratch;
	struct second second;
	int64_t first_ns, last_ns;	/* of what came */
};

static void take_tcp(struct puller *s, struct lane *l)
{
	ssize_t n = recv(l->fd, s->scratch, SCRATCH, 0);

	if (!n || (n < 0 && errno != EAGAIN && errno != EINTR))
		l->over = true;
	if (n > 0) {
		l->count.got_payload += n;
		s->last_ns = clock_now();
	}
}

/* Only the marks are read: of the rest nobody wants to know but how long it is. A copy of what came
 * already would hide one that is lost. */
static void take_udp(struct puller *s, struct lane *l)
{
	struct mmsghdr msg[PARCEL] = { 0 };
	struct iovec part[PARCEL];
	unsigned char mark[PARCEL][TALK_MARK];
	uint64_t number;
	int n;

	for (int i = 0; i < PARCEL; i++) {
		part[i] = (struct iovec){ mark[i], TALK_MARK };
		msg[i].msg_hdr = (struct msghdr){ .msg_iov = &part[i], .msg_iovlen = 1 };
	}
	n = recvmmsg(l->fd, msg, PARCEL, MSG_DONTWAIT | MSG_TRUNC, NULL);
	for (int i = 0; i < n; i++) {
		if (msg[i].msg_len < TALK_MARK || talk_read_mark(mark[i], s->p->key, s->p->load->lanes, &number) != l - s->p->lane ||
		    arrive_add(&l->arrive, number) != ARRIVE_NEW)
			continue;
		l->count.got_frames++;
		l->count.got_payload += msg[i].msg_len;
		s->last_ns = clock_now();
	}
}

/* Frame bits so far. For TCP from the payload, as if every frame were whole: asking the kernel each
 * time would cost more than it tells. */
static int64_t all_bits(struct puller *s)
{
	int64_t bytes = 0;

	for (int64_t i = 0; i < s->p->load->lanes; i++) {
		struct lane *l = &s->p->lane[i];
		int64_t size = l->mss && s->p->load->size > l->mss ? l->mss : s->p->load->size, got = l->count.got_payload;

		bytes += s->p->load->payload_bits ? got : got + got / size * l->header;
	}
	return 8 * bytes;
}

static void count_seconds(struct puller *s, int64_t now)
{
	if (!s->last_ns)
		return;
	if (!s->first_ns) {
		s->first_ns = s->last_ns;
		second_start(&s->second, s->first_ns, all_bits(s));
	} else if (second_over(&s->second, now)) {
		second_read(&s->second, now, all_bits(s));
	}
}

static bool goes_on(struct puller *s, int64_t now)
{
	int64_t end = atomic_load(&s->p->end_ns);

	if (now >= end)
		return false;
	if (s->p->load->udp)	/* the end was said at least QUIET before: end_ns is DRAIN later */
		return end == INT64_MAX || (now - s->last_ns < QUIET_NS || now < end - DRAIN_NS + QUIET_NS);
	for (int64_t i = 0; i < s->p->load->lanes; i++)
		if (!s->p->lane[i].over)
			return true;
	return false;
}

static void *pull_main(void *context)
{
	struct pull *p = context;
	struct puller s = { .p = p, .scratch = malloc(SCRATCH), .second = { .low = -1, .high = -1 } };
	struct pollfd fds[LOAD_LANES];
	int64_t cpu = clock_thread_cpu(), now;

	while (now = clock_now(), s.scratch && goes_on(&s, now)) {
		for (int64_t i = 0; i < p->load->lanes; i++)
			fds[i] = (struct pollfd){ .fd = p->lane[i].over ? -1 : p->lane[i].fd, .events = POLLIN };
		if (poll(fds, (nfds_t)p->load->lanes, LOOK_MS) > 0)
			for (int64_t i = 0; i < p->load->lanes; i++)
				if (fds[i].revents)
					(p->load->udp ? take_udp : take_tcp)(&s, &p->lane[i]);
		if (atomic_load(&p->end_ns) == INT64_MAX)
			count_seconds(&s, clock_now());
	}
	for (int64_t i = 0; i < p->load->lanes; i++) {
		lane_read_got(&p->lane[i]);
		p->side->dropped_frames += lane_dropped(&p->lane[i]);
	}
	p->side->got_ns = s.first_ns ? s.last_ns - s.first_ns : 0;
	p->side->got_low = s.second.low;
	p->side->got_high = s.second.high;
	p->side->got_seconds = s.second.seconds;
	p->side->cpu_ns += clock_thread_cpu() - cpu;
	free(s.scratch);
	return NULL;
}

int pull_start(struct pull *p)
{
	atomic_store(&p->end_ns, INT64_MAX);
	return -pthread_create(&p->thread, NULL, pull_main, p);
}

void pull_end(struct pull *p, bool at_once)
{
	atomic_store(&p->end_ns, at_once ? 0 : clock_now() + DRAIN_NS);
	pthread_join(p->thread, NULL);
}
