// SPDX-License-Identifier: GPL-3.0-or-later
#include "forwarder.h"
#include "clock.h"

#include <errno.h>
#include <poll.h>
#include <unistd.h>

#define BATCH 16 /* frames read from an interface before frames that are due are written */
/* Waking up takes up to EARLY, more than a packet may be late: so we wake up EARLY before a due time and busy-wait, for at most 1
 * / SPIN_PART of the time so far. Typing never needs more; heavier traffic must leave the CPU to other processes. */
#define EARLY (100 * NS_PER_US)
#define SPIN_PART 50

/* Reads and schedules one frame of interface `i`; false: none was there. The time is taken right after the read. */
static bool read_frame(struct tap_forwarder *p, int i)
{
	static unsigned char nowhere[DELAY_QUEUE_SLOT];
	struct forward_way *way = &p->way[i];
	unsigned char *slot = delay_queue_slot(p->queue);
	ssize_t n = read(p->ends[i].fd, slot ? slot : nowhere, DELAY_QUEUE_SLOT);
	int64_t now = clock_now(), due;
	enum link_fate fate;

	if (n <= 0) {
		if (n < 0 && errno != EAGAIN && errno != EINTR)
			p->broken = 1 + i;
		return false;
	}
	way->packets++;
	way->bytes += n;
	if (n == DELAY_QUEUE_SLOT || !slot) { /* a frame as long as that was cut off by read() */
		*(n == DELAY_QUEUE_SLOT ? &way->too_long : &way->no_room) += 1;
		return true;
	}
	fate = link_path_schedule(&way->path, now, n, &due);
	way->fate[fate]++;
	if (fate == LINK_PASSES)
		delay_queue_push(p->queue, due, (size_t)n, i);
	return true;
}

static void write_due_frames(struct tap_forwarder *p)
{
	int64_t now = clock_now(), due;
	size_t bytes;
	int i;

	while (delay_queue_due_ns(p->queue) <= now) {
		const unsigned char *frame = delay_queue_pop(p->queue, &due, &bytes, &i);

		if (write(p->ends[!i].fd, frame, bytes) == (ssize_t)bytes)
			p->way[i].passed_bytes += (int64_t)bytes;
		else
			p->way[i].refused++;
		now = clock_now();
		/* The time of the write is part of our delay. */
		delay_hist_add(&p->added, now - due);
	}
}

bool forwarder_run_once(struct tap_forwarder *p, int control, int64_t until_ns, const sigset_t *while_waiting)
{
	struct pollfd fd[] = { { p->ends[0].fd, POLLIN, 0 }, { p->ends[1].fd, POLLIN, 0 }, { control, POLLIN, 0 } };
	int64_t now = clock_now(), next = delay_queue_due_ns(p->queue), left;
	struct timespec ts;
	bool spins = false;

	if (p->begun_ns == 0)
		p->begun_ns = now;
	if (next > until_ns)
		next = until_ns;
	left = next == INT64_MAX ? 0 : next - now;
	if (p->spun_ns < (now - p->begun_ns) / SPIN_PART) {
		spins = left <= EARLY && next != INT64_MAX;
		left -= EARLY;
	}
	if (left < 0)
		left = 0;
	ts = clock_timespec(left);
	if (ppoll(fd, 3, next == INT64_MAX ? NULL : &ts, while_waiting) < 0)
		return false;
	if (spins)
		p->spun_ns += clock_now() - now;
	write_due_frames(p);
	for (int i = 0; i < 2; i++) {
		for (int n = 0; fd[i].revents && n < BATCH && read_frame(p, i); n++)
			;
	}
	write_due_frames(p);
	return fd[2].revents != 0;
}
