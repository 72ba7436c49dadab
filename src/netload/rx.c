// SPDX-License-Identifier: GPL-3.0-or-later
#include "load_session.h"
#include "memory.h"

#include <errno.h>
#include <poll.h>

#define SCRATCH (256 << 10)	   /* bytes received in one call over TCP */
#define PARCEL 64		   /* datagrams received in one call */
#define DRAIN_NS (5 * NS_PER_S)	   /* longest time that sent data may stay under way */
#define QUIET_NS (300 * NS_PER_MS) /* a silence of this length after the sender's end: no more datagrams will come */
#define LOOK_MS 50		   /* longest wait between checks whether the load is over */

struct rx_thread {
	struct load_session *r;
	char *scratch;
	struct second_range second;
	int64_t first_ns, last_ns; /* arrival of the first and the last data; 0: none yet */
};

static void receive_bytes(struct rx_thread *s, struct load_stream *l)
{
	ssize_t n = recv(l->fd, s->scratch, SCRATCH, 0);

	if (!n || (n < 0 && errno != EAGAIN && errno != EINTR))
		l->over = true;
	if (n > 0) {
		l->count.got_payload += n;
		s->last_ns = clock_now();
	}
}

/* Reads only the marks. Copies are not counted: they would hide datagrams that were lost. */
static void receive_datagrams(struct rx_thread *s, struct load_stream *l)
{
	struct mmsghdr msg[PARCEL] = { 0 };
	struct iovec part[PARCEL];
	unsigned char mark[PARCEL][CTL_MARK_BYTES];
	uint64_t number;
	int n;

	for (int i = 0; i < PARCEL; i++) {
		part[i] = (struct iovec){ mark[i], CTL_MARK_BYTES };
		msg[i].msg_hdr = (struct msghdr){ .msg_iov = &part[i], .msg_iovlen = 1 };
	}
	n = recvmmsg(l->fd, msg, PARCEL, MSG_DONTWAIT | MSG_TRUNC, NULL);
	for (int i = 0; i < n; i++) {
		if (msg[i].msg_len < CTL_MARK_BYTES ||
		    ctl_parse_mark(mark[i], s->r->key, s->r->load.lanes, &number) != l - s->r->lane ||
		    arrivals_add_datagram(&l->arrive, number) != SEQ_NEW)
			continue;
		l->count.got_frames++;
		l->count.got_payload += msg[i].msg_len;
		s->last_ns = clock_now();
	}
}

/* Frame bits (or payload bits) received so far; for TCP estimated from the payload: asking the kernel each time costs too much. */
static int64_t received_bits(struct rx_thread *s)
{
	int64_t bytes = 0;

	for (int64_t i = 0; i < s->r->load.lanes; i++) {
		struct load_stream *l = &s->r->lane[i];
		int64_t size = l->mss && s->r->load.size > l->mss ? l->mss : s->r->load.size, got = l->count.got_payload;

		bytes += s->r->load.payload_bits ? got : got + got / size * l->header;
	}
	return 8 * bytes;
}

static void update_rates(struct rx_thread *s, int64_t now)
{
	if (!s->last_ns)
		return;
	if (!s->first_ns) {
		s->first_ns = s->last_ns;
		second_range_start(&s->second, s->first_ns, received_bits(s));
	} else if (second_range_is_over(&s->second, now)) {
		second_range_close(&s->second, now, received_bits(s));
		for (int64_t i = 0; !s->r->load.udp && i < s->r->load.lanes; i++)
			load_stream_count_rx(&s->r->lane[i]); /* before its counter wraps twice */
	}
}

static bool goes_on_receiving(struct rx_thread *s, int64_t now)
{
	int64_t end = atomic_load(&s->r->pull.end_ns);

	if (now >= end)
		return false;
	if (s->r->load.udp) /* end_ns lies DRAIN_NS after the sender's end */
		return end == INT64_MAX || (now - s->last_ns < QUIET_NS || now < end - DRAIN_NS + QUIET_NS);
	for (int64_t i = 0; i < s->r->load.lanes; i++)
		if (!s->r->lane[i].over)
			return true;
	return false;
}

static void *run_receiver(void *context)
{
	struct load_session *r = context;
	struct rx_thread s = { .r = r, .scratch = memory_new(1, SCRATCH), .second = { .low = -1, .high = -1 } };
	struct pollfd fds[LOAD_STREAMS];
	int64_t cpu = clock_thread_cpu(), now;

	while (now = clock_now(), goes_on_receiving(&s, now)) {
		for (int64_t i = 0; i < r->load.lanes; i++)
			fds[i] = (struct pollfd){ .fd = r->lane[i].over ? -1 : r->lane[i].fd, .events = POLLIN };
		if (poll(fds, (nfds_t)r->load.lanes, LOOK_MS) > 0)
			for (int64_t i = 0; i < r->load.lanes; i++)
				if (fds[i].revents)
					(r->load.udp ? receive_datagrams : receive_bytes)(&s, &r->lane[i]);
		if (atomic_load(&r->pull.end_ns) == INT64_MAX)
			update_rates(&s, clock_now());
	}
	for (int64_t i = 0; i < r->load.lanes; i++) {
		load_stream_count_rx(&r->lane[i]);
		r->pull.count.dropped_frames += load_stream_dropped(&r->lane[i]);
	}
	r->pull.count.got_ns = s.first_ns ? s.last_ns - s.first_ns : 0;
	r->pull.count.got_low = s.second.low;
	r->pull.count.got_high = s.second.high;
	r->pull.count.got_seconds = s.second.seconds;
	r->pull.count.cpu_ns = clock_thread_cpu() - cpu;
	free(s.scratch);
	return NULL;
}

int rx_start(struct load_session *r)
{
	atomic_store(&r->pull.end_ns, INT64_MAX);
	return -pthread_create(&r->pull.thread, NULL, run_receiver, r);
}

void rx_stop(struct load_session *r, bool at_once)
{
	atomic_store(&r->pull.end_ns, at_once ? 0 : clock_now() + DRAIN_NS);
	pthread_join(r->pull.thread, NULL);
	r->own.dropped_frames = r->pull.count.dropped_frames;
	r->own.got_ns = r->pull.count.got_ns;
	r->own.got_low = r->pull.count.got_low;
	r->own.got_high = r->pull.count.got_high;
	r->own.got_seconds = r->pull.count.got_seconds;
	r->own.cpu_ns += r->pull.count.cpu_ns;
}
