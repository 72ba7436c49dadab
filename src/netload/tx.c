// SPDX-License-Identifier: GPL-3.0-or-later
#include "load_session.h"
#include "memory.h"
#include "pacer.h"
#include "proc.h"
#include "random.h"

#include <errno.h>
#include <netinet/in.h>
#include <netinet/udp.h>
#include <poll.h>
#include <sched.h>

#define NOISE (4 << 20)		/* bytes of random payload; what is sent begins anywhere in them */
#define FAST 1000000000		/* bits a second from which on copying costs most */
#define NOISE_FAST (256 << 10)	/* used at such rates: fits into CPU caches, and exceeds the window of compressors */
#define NOISE_MORE (1 << 20)	/* a repetition of the beginning, for data that begins near the end */
#define CHUNK (128 << 10)	/* bytes sent in one call at full speed */
#define PARCEL 128		/* datagrams sent in one call */
#define SEGMENT_LEAST 64	/* from this many datagrams at once on, the kernel segments them (UDP_SEGMENT) */
#define SEGMENT_MOST 64		/* most segments of a message */
#define MESSAGE_MOST 65000	/* most bytes of a message */
#define NAP_NS (50 * NS_PER_MS) /* longest sleep between checks of the stop flag */

struct tx_thread {
	struct load_session *r;
	struct pacer beat;
	struct second_range second;
	int64_t from_ns, end_ns, turn; /* start and end of the load; stream whose turn the next batch is */
	size_t at, window;	       /* position in the random payload; bytes of it that are used */
};

static unsigned char *make_noise(int64_t seed)
{
	uint64_t state = (uint64_t)seed, v;
	unsigned char *noise = memory_new(1, NOISE + NOISE_MORE);

	for (size_t i = 0; i < NOISE; i += sizeof(v)) {
		v = random_bits(&state);
		memcpy(noise + i, &v, sizeof(v));
	}
	memcpy(noise + NOISE, noise, NOISE_MORE);
	return noise;
}

static int64_t tx_frame_bits(const struct load_cfg *load, const struct load_stream *lane)
{
	return 8 * (load->size + (load->payload_bits ? 0 : load_stream_frame_header(lane, load->size)));
}

int64_t tx_batch_bytes(const struct load_cfg *load, int64_t header)
{
	struct pacer b;
	struct load_stream lane = { .header = header };

	if (!load->rate)
		return 1 << 20;
	if (load->random)
		return load->size;
	pacer_start(&b, load->rate, tx_frame_bits(load, &lane), load->burst_ns, load->catch_up_ns, 0);
	return b.batch * load->size;
}

static const unsigned char *next_noise(struct tx_thread *s, size_t bytes)
{
	const unsigned char *from = s->r->push.noise + s->at;

	s->at = (s->at + bytes) % s->window;
	return from;
}

static int64_t sent_bits(struct tx_thread *s)
{
	int64_t bytes = 0;

	for (int64_t i = 0; i < s->r->load.lanes; i++) {
		load_stream_count_tx(&s->r->lane[i]);
		bytes += s->r->load.payload_bits ? s->r->lane[i].count.sent_payload : s->r->lane[i].count.sent_wire;
	}
	return 8 * bytes;
}

/* Checked also within a batch, which may take long to send. */
static bool is_stop_requested(const struct tx_thread *s)
{
	return atomic_load_explicit(&s->r->push.stop, memory_order_relaxed) || proc_stop;
}

static bool goes_on_sending(struct tx_thread *s, int64_t now)
{
	if (second_range_is_over(&s->second, now)) {
		second_range_close(&s->second, now, sent_bits(s));
		atomic_store(&s->r->push.bits_per_s, s->second.last);
	}
	return !s->r->push.err && now < s->end_ns && !is_stop_requested(s);
}

/* --- one stream ------------------------------------------------------------------------------------------------ */

static bool is_send_buffer_full(int err)
{
	return err == EAGAIN || err == ENOBUFS || err == EINTR;
}

/* Returns the bytes that the kernel took. */
static size_t send_bytes(struct tx_thread *s, struct load_stream *l, size_t bytes, int flags)
{
	ssize_t n = send(l->fd, next_noise(s, bytes), bytes, MSG_NOSIGNAL | flags);

	if (n < 0 && !is_send_buffer_full(errno))
		s->r->push.err = -errno;
	return n < 0 ? 0 : (size_t)n;
}

/* Returns the frames that were begun; l->rest bytes of the last one remain to be sent. Whole segments go in one call; other
 * frames would be merged by the kernel, so each ends a record. */
static int64_t send_frames(struct tx_thread *s, struct load_stream *l, int64_t frames)
{
	int64_t size = s->r->load.size, took = 0;
	int end = size % l->mss ? MSG_EOR : 0;

	if (l->rest) {
		l->rest -= (int64_t)send_bytes(s, l, (size_t)l->rest, end);
		if (l->rest)
			return 0;
	}
	while (took < frames && !l->rest && !is_stop_requested(s)) {
		int64_t n = end ? 1 : frames - took, bytes = n * size;

		if (bytes > NOISE_MORE)
			bytes = NOISE_MORE / size * size;
		bytes = (int64_t)send_bytes(s, l, (size_t)bytes, end);
		n = (bytes + size - 1) / size;
		l->rest = n * size - bytes;
		took += n;
		if (!n)
			break;
	}
	return took;
}

/* Lets the kernel segment large messages into datagrams (generic segmentation offload), which takes a fraction of the time. */
static void begin_segmentation(struct load_stream *l, int64_t size)
{
	l->segments = MESSAGE_MOST / size < SEGMENT_MOST ? MESSAGE_MOST / size : SEGMENT_MOST;
	if (l->segments > 1 && setsockopt(l->fd, IPPROTO_UDP, UDP_SEGMENT, &(int){ (int)size }, sizeof(int)))
		l->segments = 0;
}

static void end_segmentation(struct load_stream *l)
{
	l->segments = 0;
	setsockopt(l->fd, IPPROTO_UDP, UDP_SEGMENT, &(int){ 0 }, sizeof(int));
}

/* Returns the datagrams that the kernel took. */
static int64_t send_datagrams(struct tx_thread *s, struct load_stream *l, int64_t frames)
{
	struct mmsghdr msg[PARCEL] = { 0 };
	struct iovec part[PARCEL][2];
	unsigned char mark[PARCEL][CTL_MARK_BYTES];
	size_t size = (size_t)s->r->load.size;
	int64_t lane = l - s->r->lane, took = 0;

	while (took < frames && !is_stop_requested(s)) {
		unsigned n = frames - took < PARCEL ? (unsigned)(frames - took) : PARCEL,
			 per = l->segments ? (unsigned)l->segments : 1;
		int sent;

		for (unsigned i = 0; i < n; i++) {
			ctl_format_mark(mark[i], s->r->key, lane, (uint64_t)(l->count.sent_frames + i));
			part[i][0] = (struct iovec){ mark[i], CTL_MARK_BYTES };
			part[i][1] =
				(struct iovec){ (void *)(uintptr_t)next_noise(s, size - CTL_MARK_BYTES), size - CTL_MARK_BYTES };
			if (i % per == 0)
				msg[i / per].msg_hdr = (struct msghdr){ .msg_iov = part[i] };
			msg[i / per].msg_hdr.msg_iovlen += 2;
		}
		sent = sendmmsg(l->fd, msg, (n + per - 1) / per, MSG_NOSIGNAL);
		if (sent < 0 && per > 1 && (errno == EINVAL || errno == EIO)) {
			end_segmentation(l);
			continue;
		}
		if (sent < 0 && !is_send_buffer_full(errno) && errno != ECONNREFUSED)
			s->r->push.err = -errno;
		if (sent <= 0)
			break;
		sent = (unsigned)sent * per < n ? sent * (int)per : (int)n;
		l->count.sent_frames += sent;
		l->count.sent_payload += (int64_t)size * sent;
		took += sent;
	}
	return took;
}

static void await_buffer(struct tx_thread *s, int64_t until_ns)
{
	struct pollfd p[LOAD_STREAMS];
	int64_t left = (until_ns - clock_now()) / NS_PER_MS;

	for (int64_t i = 0; i < s->r->load.lanes; i++)
		p[i] = (struct pollfd){ .fd = s->r->lane[i].fd, .events = POLLOUT };
	poll(p, (nfds_t)s->r->load.lanes, left < 1 ? 1 : (int)left);
}

/* --- the schedule ---------------------------------------------------------------------------------------------- */

/* Sends a batch, on streams in turn; a stream that takes nothing is skipped. Returns the frames that were sent or given up. */
static int64_t send_batch(struct tx_thread *s, int64_t frames)
{
	const struct load_cfg *load = &s->r->load;
	int64_t took = 0;

	for (int64_t tried = 0; tried < load->lanes && took < frames; tried++) {
		struct load_stream *l = &s->r->lane[s->turn++ % load->lanes];

		took += l->udp ? send_datagrams(s, l, frames - took) : send_frames(s, l, frames - took);
	}
	if (load->udp && took < frames && !is_stop_requested(s)) { /* datagrams: an open loop does not wait for buffer space */
		s->r->own.refused_frames += frames - took;
		took = frames;
	}
	return took;
}

static void run_paced(struct tx_thread *s)
{
	int64_t now, wake, frames, took;
	int64_t left = 0, since = 0; /* frames of a batch that the kernel has not taken yet; when it was first offered */

	while (now = clock_now(), goes_on_sending(s, now)) {
		if (left && now - since > s->r->load.catch_up_ns) /* too late: the pacer gives them up */
			left = 0;
		if (!left)
			since = now;
		frames = left ? left : pacer_take_due(&s->beat, now, &wake);
		if (frames) {
			took = send_batch(s, frames);
			pacer_count_done(&s->beat, took);
			atomic_store(&s->r->push.started, true);
			left = frames - took;
			if (left)
				await_buffer(s, now + NAP_NS < s->end_ns ? now + NAP_NS : s->end_ns);
			continue;
		}
		if (wake > now + NAP_NS)
			wake = now + NAP_NS;
		clock_sleep(wake < s->end_ns ? wake : s->end_ns);
	}
	/* Frames due before the end are still sent. */
	if (now < s->end_ns || s->r->push.err)
		return;
	if (left || pacer_take_due(&s->beat, s->end_ns - 1, &wake))
		pacer_count_done(&s->beat, send_batch(s, left ? left : s->beat.batch));
	pacer_give_up_rest(&s->beat, s->end_ns - 1);
}

static void run_unpaced(struct tx_thread *s)
{
	const struct load_cfg *load = &s->r->load;
	int64_t now;

	while (now = clock_now(), goes_on_sending(s, now)) {
		int64_t took = 0;

		for (int64_t i = 0; i < load->lanes; i++)
			took += load->udp ? send_datagrams(s, &s->r->lane[i], PARCEL)
					  : (int64_t)send_bytes(s, &s->r->lane[i], CHUNK, 0);
		atomic_store(&s->r->push.started, true);
		if (!took)
			await_buffer(s, now + NAP_NS);
	}
}

static void segment_batches(struct tx_thread *s, int64_t frames)
{
	for (int64_t i = 0; i < s->r->load.lanes; i++)
		if (s->r->load.udp && frames >= SEGMENT_LEAST)
			begin_segmentation(&s->r->lane[i], s->r->load.size);
}

static void *run_sender(void *context)
{
	struct load_session *r = context;
	struct tx_thread s = { .r = r, .window = r->load.rate && r->load.rate < FAST ? NOISE : NOISE_FAST };
	int64_t *room = r->load.random ? memory_new(PACER_BLOCK_MAX, sizeof(*room)) : NULL;
	int64_t cpu = clock_thread_cpu();

	/* Set here: the priority that rt_setup() gave the process is not inherited by threads. */
	if (r->push.priority)
		sched_setscheduler(0, SCHED_FIFO | SCHED_RESET_ON_FORK,
				   &(struct sched_param){ .sched_priority = r->push.priority });
	s.from_ns = clock_now();
	s.end_ns = r->load.time_ns ? s.from_ns + r->load.time_ns : INT64_MAX;
	second_range_start(&s.second, s.from_ns, sent_bits(&s));
	if (r->load.rate) {
		pacer_start(&s.beat, r->load.rate, tx_frame_bits(&r->load, r->lane), r->load.burst_ns, r->load.catch_up_ns,
			    s.from_ns);
		if (room)
			pacer_use_random(&s.beat, (uint64_t)r->load.seed, room);
		segment_batches(&s, s.beat.batch);
		run_paced(&s);
	} else {
		segment_batches(&s, PARCEL);
		run_unpaced(&s);
	}
	r->own.sent_ns = clock_now() - s.from_ns;
	second_range_close(&s.second, s.from_ns + r->own.sent_ns, sent_bits(&s));
	for (int64_t i = 0; i < r->load.lanes; i++) {
		load_stream_count_tx(&r->lane[i]);
		if (!r->lane[i].udp)
			shutdown(r->lane[i].fd, SHUT_WR);
	}
	r->own.sent_low = s.second.low;
	r->own.sent_high = s.second.high;
	r->own.sent_seconds = s.second.seconds;
	r->own.behind_ns = s.beat.behind_ns;
	r->own.given_up_frames = s.beat.given_up;
	r->own.cpu_ns = clock_thread_cpu() - cpu;
	free(room);
	atomic_store(&r->push.over, true);
	return NULL;
}

int tx_start(struct load_session *r)
{
	r->push.noise = make_noise(r->load.seed);
	return -pthread_create(&r->push.thread, NULL, run_sender, r);
}
