// SPDX-License-Identifier: GPL-3.0-or-later
#include "wakeups.h"
#include "clock.h"
#include "memory.h"
#include "proc.h"
#include "random.h"

#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <math.h>
#include <pthread.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define STACK_BYTES 65536

int wakeups_pin_thread(int cpu)
{
	struct cli_cpus one = { .n = 1, .cpu = { cpu } };
	struct sched_param param = { 0 };
	int err = proc_pin_thread(&one);

	if (!err && sched_getscheduler(0) != SCHED_OTHER && sched_setscheduler(0, SCHED_OTHER, &param))
		err = -errno;
	prctl(PR_SET_TIMERSLACK, 1UL, 0UL, 0UL, 0UL);
	return err;
}

int64_t wakeups_draw_ns(uint64_t *random, double rate_per_s)
{
	return (int64_t)(-log1p(-random_fraction(random)) / rate_per_s * (double)NS_PER_S);
}

/* True: the due time has come; false: *stop was set. */
static bool sleep_woken_thread(const _Atomic uint32_t *stop, int64_t due_ns)
{
	struct timespec ts = clock_timespec(due_ns);

	while (!atomic_load(stop))
		if (syscall(SYS_futex, stop, FUTEX_WAIT_BITSET_PRIVATE, 0, &ts, NULL, FUTEX_BITSET_MATCH_ANY) && errno == ETIMEDOUT)
			return true;
	return false;
}

static void *run_woken_thread(void *arg)
{
	struct woken_thread *me = arg;

	me->err = wakeups_pin_thread(me->cpu);
	memset(me->ring.span, 0, sizeof(me->ring.span));
	atomic_store(&me->tid, (int)gettid());
	me->due = clock_now() + wakeups_draw_ns(&me->random, me->rate);
	while (!me->err && sleep_woken_thread(me->stop, me->due)) {
		ring_push(&me->ring, me->due, clock_now());
		me->due += wakeups_draw_ns(&me->random, me->rate);
	}
	return NULL;
}

int wakeups_start(struct woken_threads **out, const struct cli_cpus *cpus, double rate_per_s, uint64_t seed)
{
	struct woken_threads *w = memory_new(1, sizeof(*w));
	int err = 0;

	w->waker = must_alloc(aligned_alloc(64, (size_t)cpus->n * sizeof(*w->waker)));
	memset(w->waker, 0, (size_t)cpus->n * sizeof(*w->waker));
	while (w->n < cpus->n && !err) {
		struct woken_thread *me = &w->waker[w->n];

		me->cpu = cpus->cpu[w->n];
		me->stop = &w->stop;
		me->rate = rate_per_s;
		me->random = seed + (uint64_t)w->n * 0x10001;
		err = -proc_start_thread(&me->thread, STACK_BYTES, run_woken_thread, me);
		w->n += !err;
	}
	for (int i = 0; i < w->n && !err; i++) {
		while (!atomic_load(&w->waker[i].tid))
			clock_sleep(clock_now() + NS_PER_MS);
		err = w->waker[i].err;
	}
	if (err) {
		wakeups_stop(w);
		wakeups_free(w);
		return err;
	}
	*out = w;
	return 0;
}

void wakeups_stop(struct woken_threads *w)
{
	atomic_store(&w->stop, 1);
	syscall(SYS_futex, &w->stop, FUTEX_WAKE_PRIVATE, INT_MAX, NULL, NULL, 0);
	for (int i = 0; i < w->n; i++)
		pthread_join(w->waker[i].thread, NULL);
}

void wakeups_free(struct woken_threads *w)
{
	free(w->waker);
	free(w);
}
