// SPDX-License-Identifier: GPL-3.0-or-later
#include "trip.h"
#include "beat.h"
#include "proc.h"
#include "random.h"
#include "talk.h"

#include <errno.h>
#include <poll.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>

#define NOISE (4 << 20)
#define NOISE_FAST (256 << 10)	/* at full speed: what fits into the nearest caches, and is longer than a compressor looks back */
#define NOISE_MORE (1 << 20)	/* behind it: a chunk may begin anywhere */
#define CHUNK (128 << 10)	/* at full speed */
#define PARCEL 64		/* datagrams in one call */
#define NAP_NS (50 * NS_PER_MS)	/* between looks at the stop flag */

struct pusher {
	struct push *p;
	struct beat beat;
	struct second second;
	int64_t from_ns, end_ns, turn;	/* turn: whose the next batch is */
	size_t at, window;		/* in the noise; so much of it is used */
};

unsigned char *noise_new(int64_t seed)
{
	uint64_t state = (uint64_t)seed, v;
	unsigned char *noise = malloc(NOISE + NOISE_MORE);

	for (size_t i = 0; noise && i < NOISE; i += sizeof(v)) {
		v = random_bits(&state);
		memcpy(noise + i, &v, sizeof(v));
	}
	if (noise)
		memcpy(noise + NOISE, noise, NOISE_MORE);
	return noise;
}

static int64_t push_frame_bits(const struct load *load, const struct lane *lane)
{
	return 8 * (load->size + (load->payload_bits ? 0 : lane->header));
}

int64_t push_batch_bytes(const struct load *load, int64_t header)
{
	struct beat b;
	struct lane lane = { .header = header };

	if (!load->rate)
		return 1 << 20;
	if (load->random)
		return load->size;
	beat_start(&b, load->rate, push_frame_bits(load, &lane), load->burst_ns, load->catch_up_ns, 0);
	return b.batch * load->size;
}

static const unsigned char *some_noise(struct pusher *s, size_t bytes)
{
	const unsigned char *from = s->p->noise + s->at;

	s->at = (s->at + bytes) % s->window;
	return from;
}

static int64_t all_bits(struct pusher *s)
{
	int64_t bytes = 0;

	for (int64_t i = 0; i < s->p->load->lanes; i++) {
		lane_read_sent(&s->p->lane[i]);
		bytes += s->p->load->payload_bits ? s->p->lane[i].count.sent_payload : s->p->lane[i].count.sent_wire;
	}
	return 8 * bytes;
}

/* Also in the middle of a batch: one of a second's frames may take longer than anybody waits. */
static bool is_told(const struct pusher *s)
{
	return atomic_load_explicit(&s->p->stop, memory_order_relaxed) || proc_stop;
}

static bool goes_on(struct pusher *s, int64_t now)
{
	if (second_over(&s->second, now)) {
		second_read(&s->second, now, all_bits(s));
		atomic_store(&s->p->bits_per_s, s->second.last);
	}
	return !s->p->err && now < s->end_ns && !is_told(s);
}

/* --- one stream ------------------------------------------------------------------------------------------------ */

static bool is_full(int err)
{
	return err == EAGAIN || err == ENOBUFS || err == EINTR;
}

/* Bytes that the kernel took. */
static size_t give(struct pusher *s, struct lane *l, size_t bytes, int flags)
{
	ssize_t n = send(l->fd, some_noise(s, bytes), bytes, MSG_NOSIGNAL | flags);

	if (n < 0 && !is_full(errno))
		s->p->err = -errno;
	return n < 0 ? 0 : (size_t)n;
}

/* Frames that have begun; the rest of the last one is owed. Whole segments go in one call; smaller
 * frames would grow together, so each ends a record. */
static int64_t put_tcp(struct pusher *s, struct lane *l, int64_t frames)
{
	int64_t size = s->p->load->size, took = 0;

	if (l->rest) {
		l->rest -= (int64_t)give(s, l, (size_t)l->rest, size < l->mss ? MSG_EOR : 0);
		if (l->rest)
			return 0;
	}
	while (took < frames && !l->rest && !is_told(s)) {
		int64_t n = size < l->mss ? 1 : frames - took, bytes = n * size;

		if (bytes > NOISE_MORE)
			bytes = NOISE_MORE / size * size;
		bytes = (int64_t)give(s, l, (size_t)bytes, size < l->mss ? MSG_EOR : 0);
		n = (bytes + size - 1) / size;
		l->rest = n * size - bytes;
		took += n;
		if (!n)
			break;
	}
	return took;
}

/* Datagrams that the kernel took. */
static int64_t put_udp(struct pusher *s, struct lane *l, int64_t frames)
{
	struct mmsghdr msg[PARCEL] = { 0 };
	struct iovec part[PARCEL][2];
	unsigned char mark[PARCEL][TALK_MARK];
	size_t size = (size_t)s->p->load->size;
	int64_t lane = l - s->p->lane, took = 0;

	while (took < frames && !is_told(s)) {
		unsigned n = frames - took < PARCEL ? (unsigned)(frames - took) : PARCEL;
		int sent;

		for (unsigned i = 0; i < n; i++) {
			talk_write_mark(mark[i], s->p->key, lane, (uint64_t)(l->count.sent_frames + i));
			part[i][0] = (struct iovec){ mark[i], TALK_MARK };
			part[i][1] = (struct iovec){ (void *)(uintptr_t)some_noise(s, size - TALK_MARK), size - TALK_MARK };
			msg[i].msg_hdr = (struct msghdr){ .msg_iov = part[i], .msg_iovlen = 2 };
		}
		sent = sendmmsg(l->fd, msg, n, MSG_NOSIGNAL);
		if (sent < 0 && !is_full(errno) && errno != ECONNREFUSED)
			s->p->err = -errno;
		if (sent <= 0)
			break;
		l->count.sent_frames += sent;
		l->count.sent_payload += (int64_t)size * sent;
		took += sent;
	}
	return took;
}

static int64_t put_frames(struct pusher *s, struct lane *l, int64_t frames)
{
	return l->udp ? put_udp(s, l, frames) : put_tcp(s, l, frames);
}

static void wait_for_room(struct pusher *s, int64_t until_ns)
{
	struct pollfd p[LOAD_LANES];
	int64_t left = (until_ns - clock_now()) / NS_PER_MS;

	for (int64_t i = 0; i < s->p->load->lanes; i++)
		p[i] = (struct pollfd){ .fd = s->p->lane[i].fd, .events = POLLOUT };
	poll(p, (nfds_t)s->p->load->lanes, left < 1 ? 1 : (int)left);
}

/* --- the schedule ---------------------------------------------------------------------------------------------- */

/* The streams take turns, batch by batch; one that takes nothing is passed over. Frames that went, or are given up. */
static int64_t hand_out_frames(struct pusher *s, int64_t frames)
{
	const struct load *load = s->p->load;
	int64_t took = 0;

	for (int64_t tried = 0; tried < load->lanes && took < frames; tried++) {
		struct lane *l = &s->p->lane[s->turn++ % load->lanes];

		took += put_frames(s, l, frames - took);
	}
	if (load->udp && took < frames && !is_told(s)) {	/* an open loop does not wait for a buffer */
		s->p->side->refused_frames += frames - took;
		took = frames;
	}
	return took;
}

static void keep_time(struct pusher *s)
{
	int64_t now, wake, frames, took;

	while (now = clock_now(), goes_on(s, now)) {
		frames = beat_ask(&s->beat, now, &wake);
		if (frames) {
			took = hand_out_frames(s, frames);
			beat_done(&s->beat, took);
			atomic_store(&s->p->started, true);
			if (took < frames)
				wait_for_room(s, now + NAP_NS < s->end_ns ? now + NAP_NS : s->end_ns);
			continue;
		}
		if (wake > now + NAP_NS)
			wake = now + NAP_NS;
		clock_sleep_until(wake < s->end_ns ? wake : s->end_ns);
	}
	/* What was due before the end is owed still, when the end comes first. */
	if (now < s->end_ns || s->p->err)
		return;
	if (beat_ask(&s->beat, s->end_ns - 1, &wake))
		beat_done(&s->beat, hand_out_frames(s, s->beat.batch));
	beat_give_up_rest(&s->beat, s->end_ns - 1);
}

static void go_flat_out(struct pusher *s)
{
	const struct load *load = s->p->load;
	int64_t now;

	while (now = clock_now(), goes_on(s, now)) {
		int64_t took = 0;

		for (int64_t i = 0; i < load->lanes; i++)
			took += load->udp ? put_udp(s, &s->p->lane[i], PARCEL) : (int64_t)give(s, &s->p->lane[i], CHUNK, 0);
		atomic_store(&s->p->started, true);
		if (!took)
			wait_for_room(s, now + NAP_NS);
	}
}

static void *push_main(void *context)
{
	struct push *p = context;
	struct pusher s = { .p = p, .window = p->load->rate ? NOISE : NOISE_FAST };
	int64_t *room = p->load->random ? calloc(BEAT_BLOCK, sizeof(*room)) : NULL;
	int64_t cpu = clock_thread_cpu();

	/* not inherited: rt_setup() keeps it from what is started later */
	if (p->priority)
		sched_setscheduler(0, SCHED_FIFO | SCHED_RESET_ON_FORK, &(struct sched_param){ .sched_priority = p->priority });
	s.from_ns = clock_now();
	s.end_ns = p->load->time_ns ? s.from_ns + p->load->time_ns : INT64_MAX;
	second_start(&s.second, s.from_ns, all_bits(&s));
	if (p->load->rate) {
		beat_start(&s.beat, p->load->rate, push_frame_bits(p->load, p->lane), p->load->burst_ns, p->load->catch_up_ns, s.from_ns);
		if (room)
			beat_random(&s.beat, (uint64_t)p->load->seed, room);
		keep_time(&s);
	} else {
		go_flat_out(&s);
	}
	p->side->sent_ns = clock_now() - s.from_ns;
	second_read(&s.second, s.from_ns + p->side->sent_ns, all_bits(&s));
	for (int64_t i = 0; i < p->load->lanes; i++) {
		lane_read_sent(&p->lane[i]);
		if (!p->lane[i].udp)
			shutdown(p->lane[i].fd, SHUT_WR);
	}
	p->side->sent_low = s.second.low;
	p->side->sent_high = s.second.high;
	p->side->sent_seconds = s.second.seconds;
	p->side->behind_ns = s.beat.behind_ns;
	p->side->given_up_frames = s.beat.given_up;
	p->side->cpu_ns += clock_thread_cpu() - cpu;
	free(room);
	atomic_store(&p->over, true);
	return NULL;
}

int push_start(struct push *p)
{
	return -pthread_create(&p->thread, NULL, push_main, p);
}

void push_join(struct push *p)
{
	pthread_join(p->thread, NULL);
}
