// SPDX-License-Identifier: GPL-3.0-or-later
#include "delayline.h"
#include "clock.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <stdio.h>
#include <sys/resource.h>
#include <unistd.h>

#define BATCH 16 /* frames read from an interface before frames that are due are written */
/* Waking up takes up to EARLY, more than a packet may be late: so we wake up EARLY before a due time and busy-wait, for at most 1
 * / SPIN_PART of the time so far. Typing never needs more; heavier traffic must leave the CPU to other processes. */
#define EARLY (100 * NS_PER_US)
#define SPIN_PART 50
/* A wait that ends later than asked for, by more than LATE, shows that the program was held up; so it is never longer than BEAT. */
#define BEAT (20 * NS_PER_MS)
#define LATE NS_PER_MS

static volatile sig_atomic_t continued; /* it was stopped (SIGSTOP, Ctrl-Z), and goes on */

static void on_continue(int signal)
{
	continued = signal;
}

/* How long this thread has been ready to run without a CPU, so far; -1: the kernel does not tell. */
static int64_t read_waited(const struct tap_forwarder *p)
{
	char text[64];
	long long ran, waited;
	ssize_t n = p->schedstat < 0 ? -1 : pread(p->schedstat, text, sizeof(text) - 1, 0);

	if (n <= 0)
		return -1;
	text[n] = '\0';
	return sscanf(text, "%lld %lld", &ran, &waited) == 2 && ran > 0 ? waited : -1;
}

void forwarder_init(struct tap_forwarder *p)
{
	struct sigaction sa = { .sa_handler = on_continue };

	sigaction(SIGCONT, &sa, NULL);
	p->schedstat = open("/proc/thread-self/schedstat", O_RDONLY | O_CLOEXEC);
	p->waited_ns = read_waited(p);
	p->clear_ns[0] = p->clear_ns[1] = clock_now();
}

static int64_t count_sleeps(void)
{
	struct rusage u;

	return getrusage(RUSAGE_THREAD, &u) ? 0 : u.ru_nvcsw;
}

/* After a wait: until when, at least, no frame can have come. A thread that slept was woken by the first frame; what passed since
 * then is the time that it waited for its CPU. Not so if it was stopped. */
static void note_wait(struct tap_forwarder *p, const struct pollfd *fd, int64_t sleeps, int64_t expected_ns)
{
	int64_t now = clock_now(), before = p->waited_ns;

	if (count_sleeps() == sleeps)
		return; /* it did not wait: something was there */
	p->waited_ns = read_waited(p);
	if (continued || before < 0 || p->waited_ns < 0 || now - (p->waited_ns - before) > expected_ns + LATE) {
		continued = 0;
		return;
	}
	for (int i = 0; i < 2; i++) {
		int64_t clear = fd[i].revents ? now - (p->waited_ns - before) : now;

		if (clear > p->clear_ns[i])
			p->clear_ns[i] = clear;
	}
}

/* Reads and schedules one frame of interface `i`; false: none was there. The time is taken right after the read. */
static bool read_frame(struct tap_forwarder *p, int i)
{
	static unsigned char nowhere[DELAY_QUEUE_SLOT];
	struct forward_way *way = &p->way[i];
	unsigned char *slot = delay_queue_slot(p->queue);
	int64_t began = clock_now(), now, due;
	ssize_t n = read(p->ends[i].fd, slot ? slot : nowhere, DELAY_QUEUE_SLOT);
	enum link_fate fate;

	if (n <= 0) {
		if (n < 0 && errno != EAGAIN && errno != EINTR)
			p->broken = 1 + i;
		p->clear_ns[i] = began;
		return false;
	}
	now = clock_now();
	delay_hist_add(&p->unseen, now - p->clear_ns[i]);
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
	int64_t now = clock_now(), next = delay_queue_due_ns(p->queue), left, sleeps = count_sleeps();
	struct timespec ts;
	bool spins = false;

	if (p->begun_ns == 0)
		p->begun_ns = now;
	if (next > until_ns)
		next = until_ns;
	if (next > now + BEAT)
		next = now + BEAT;
	left = next - now;
	if (p->spun_ns < (now - p->begun_ns) / SPIN_PART) {
		spins = left <= EARLY;
		left -= EARLY;
	}
	if (left < 0)
		left = 0;
	ts = clock_timespec(left);
	if (ppoll(fd, 3, &ts, while_waiting) < 0)
		return false;
	note_wait(p, fd, sleeps, now + left);
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

void delay_hist_add(struct delay_hist *l, int64_t ns)
{
	if (ns < 0)
		ns = 0;
	if (l->n == 0 || ns < l->min_ns)
		l->min_ns = ns;
	if (ns > l->max_ns)
		l->max_ns = ns;
	l->n++;
	l->sum_ns += (double)ns;
	if (ns / 1000 < DELAY_HIST_MAX_US)
		l->count[ns / 1000]++;
}

double delay_hist_mean_us(const struct delay_hist *l)
{
	return l->n ? l->sum_ns / (double)l->n / 1000 : NAN;
}

double delay_hist_percentile(const struct delay_hist *l, double p)
{
	int64_t wanted = (int64_t)ceil(p * (double)l->n), seen = 0;

	if (l->n == 0 || (p > 0.75 && (double)l->n * (1 - p) < 10 - 1e-9))
		return NAN;
	if (wanted < 1)
		wanted = 1;
	for (int64_t us = 0; us < DELAY_HIST_MAX_US; us++) {
		seen += l->count[us];
		if (seen >= wanted)
			return fmin((double)us + 1, (double)l->max_ns / 1000);
	}
	return (double)l->max_ns / 1000;
}

int64_t delay_hist_count_below(const struct delay_hist *l, int64_t us)
{
	int64_t seen = 0;

	for (int64_t i = 0; i < us && i < DELAY_HIST_MAX_US; i++)
		seen += l->count[i];
	return seen;
}
