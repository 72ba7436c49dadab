// SPDX-License-Identifier: GPL-3.0-or-later
#include "held_up.h"
#include "clock.h"
#include "proc.h"
#include "say.h"

#include <math.h>
#include <sched.h>

#define BEAT_NS (50 * NS_PER_MS)
#define PAUSE_NS (500 * NS_PER_MS)
#define STACK_BYTES (64 << 10)

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int64_t last_ns, sum_ns = -1;

int64_t held_up_pause_ns(int64_t between_ns)
{
	return between_ns - BEAT_NS >= PAUSE_NS ? between_ns - BEAT_NS : 0;
}

int64_t held_up_ns(void)
{
	struct timespec ts;
	int64_t now, sum;

	pthread_mutex_lock(&lock);
	clock_gettime(CLOCK_BOOTTIME, &ts);
	now = (int64_t)ts.tv_sec * NS_PER_S + ts.tv_nsec;
	if (sum_ns >= 0)
		sum_ns += held_up_pause_ns(now - last_ns);
	last_ns = now;
	sum = sum_ns;
	pthread_mutex_unlock(&lock);
	return sum;
}

static int beat_priority;

static void *run_beat(void *arg)
{
	if (beat_priority > 0)
		sched_setscheduler(0, SCHED_FIFO, &(struct sched_param){ .sched_priority = beat_priority });
	for (;;) {
		held_up_ns();
		clock_sleep(clock_now() + BEAT_NS);
	}
	return arg;
}

void held_up_watch(int priority)
{
	pthread_t beat;

	held_up_ns();
	sum_ns = 0;
	beat_priority = priority;
	if (proc_start_thread(&beat, STACK_BYTES, run_beat, NULL))
		sum_ns = -1;
}

void held_up_report(struct rec_report *r)
{
	int64_t ns = held_up_ns();

	rec_add_real(r, "held_up_ms", ns < 0 ? (double)NAN : (double)ns / NS_PER_MS, 3);
}

const char *held_up_words(const char *name)
{
	static char text[200];
	int64_t ns = held_up_ns();

	text[0] = '\0';
	if (ns > 0)
		snprintf(
			text, sizeof(text),
			"%s itself did not run for %s: it was stopped, or the machine suspended, or others kept the CPU; run it again",
			name, ns_text((double)ns));
	return text;
}

bool held_up_warn(struct rec_report *r, const char *name)
{
	const char *words = held_up_words(name);

	if (*words)
		rec_warn(r, "%s", words);
	return *words;
}
