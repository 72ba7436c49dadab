// SPDX-License-Identifier: GPL-3.0-or-later
#include "pump.h"
#include "clock.h"

#include <errno.h>
#include <poll.h>
#include <unistd.h>

#define BATCH 16	/* frames that are read before those that are due go on */
/* To wake up takes longer than a packet may wait, and not always as long: so we wake up early and
 * look again and again until it is time, for at most that part of all time. Keys and their echoes
 * never need more; where more goes on, others need the CPU. */
#define EARLY (100 * NS_PER_US)
#define SPIN_PART 50

/* Has the queue of an end anything left? Stamped right after the read: whatever comes later is our own delay. */
static bool take_in(struct pump *p, int i)
{
	static unsigned char nowhere[SHELF_SLOT];
	struct pump_way *way = &p->way[i];
	unsigned char *slot = delay_queue_room(p->shelf);
	ssize_t n = read(p->ends[i].fd, slot ? slot : nowhere, SHELF_SLOT);
	int64_t now = clock_now(), due;
	enum path_fate fate;

	if (n <= 0) {
		if (n < 0 && errno != EAGAIN && errno != EINTR)
			p->broken = 1 + i;
		return false;
	}
	way->packets++;
	way->bytes += n;
	if (!slot || n == SHELF_SLOT) {	/* of a longer frame the rest is gone: half of it is no frame */
		way->no_room++;
		return true;
	}
	fate = path_take(&way->path, now, n, &due);
	way->fate[fate]++;
	if (fate == PATH_PASSES)
		delay_queue_put(p->shelf, due, (size_t)n, i);
	return true;
}

static void hand_over_frames(struct pump *p)
{
	int64_t now = clock_now(), due;
	size_t bytes;
	int i;

	while (delay_queue_next(p->shelf) <= now) {
		const unsigned char *frame = delay_queue_take(p->shelf, &due, &bytes, &i);

		if (write(p->ends[!i].fd, frame, bytes) == (ssize_t)bytes)
			p->way[i].passed_bytes += (int64_t)bytes;
		else
			p->way[i].refused++;
		now = clock_now();
		/* With the write: then it is the other end's. */
		late_add(&p->late, now - due);
	}
}

bool pump_turn(struct pump *p, int control, int64_t until_ns, const sigset_t *while_waiting)
{
	struct pollfd fd[] = { { p->ends[0].fd, POLLIN, 0 }, { p->ends[1].fd, POLLIN, 0 }, { control, POLLIN, 0 } };
	int64_t now = clock_now(), next = delay_queue_next(p->shelf), left;
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
	ts = (struct timespec){ .tv_sec = left / NS_PER_S, .tv_nsec = left % NS_PER_S };
	if (ppoll(fd, 3, next == INT64_MAX ? NULL : &ts, while_waiting) < 0)
		return false;
	if (spins)
		p->spun_ns += clock_now() - now;
	hand_over_frames(p);
	for (int i = 0; i < 2; i++) {
		for (int n = 0; fd[i].revents && n < BATCH && take_in(p, i); n++)
			;
	}
	hand_over_frames(p);
	return fd[2].revents != 0;
}
