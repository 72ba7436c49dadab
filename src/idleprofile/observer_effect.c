// SPDX-License-Identifier: GPL-3.0-or-later
#include "observer_effect.h"
#include "proc.h"
#include "wakeups.h"

#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define ROUNDS 5
#define WAKES_PER_S 500.0

struct observer_run {
	struct observer_effect *own;
	struct idle_loops *spin;
	int cpu, err;
	int64_t slot_ns;
	uint64_t random;
	int loop_tid;
	struct observer_round round[ROUNDS];
	double ticks[2]; /* timer interrupts per second, summed over the rounds: without the loop, with it */
};

int64_t observer_parse_ticks(FILE *f, int cpu)
{
	char *line = NULL, *at, *end;
	size_t room = 0;
	int64_t value = -1;
	int column = -1, n = 0;

	/* The head line has one column for each CPU that is online. */
	if (getline(&line, &room, f) > 0) {
		for (at = line; (at = strstr(at, "CPU")); at += 3, n++)
			if (atoi(at + 3) == cpu)
				column = n;
	}
	while (column >= 0 && value < 0 && getline(&line, &room, f) > 0) {
		at = line + strspn(line, " ");
		if (strncmp(at, "LOC:", 4) != 0)
			continue;
		at += 4;
		for (n = 0; n <= column; n++, at = end) {
			value = strtoll(at, &end, 10);
			if (end == at) {
				value = -1;
				break;
			}
		}
		break;
	}
	free(line);
	return value;
}

static double read_tick_count(int cpu)
{
	FILE *f = fopen("/proc/interrupts", "re");
	int64_t n = f ? observer_parse_ticks(f, cpu) : -1;

	if (f)
		fclose(f);
	return n < 0 ? NAN : (double)n;
}

static void measure_wakeups(struct observer_run *t, struct sample *s, int64_t time_ns)
{
	int64_t due = clock_now(), end = due + time_ns;

	while ((due += wakeups_draw_ns(&t->random, WAKES_PER_S)) < end && !proc_stop) {
		clock_sleep(due);
		sample_add(s, clock_now() - due);
	}
}

static double measure_turns(int64_t time_ns)
{
	int64_t start = clock_now(), now = start, turns = 0;

	while (now - start < time_ns && !proc_stop) {
		for (int i = 0; i < 1000; i++)
			__asm__ volatile("" ::: "memory");
		turns++;
		now = clock_now();
	}
	return (double)turns * (double)NS_PER_S / (double)(now - start);
}

static double measure_ticks(int cpu, int64_t time_ns)
{
	int64_t start = clock_now();
	double before = read_tick_count(cpu);

	clock_sleep(start + time_ns);
	return (read_tick_count(cpu) - before) * (double)NS_PER_S / (double)(clock_now() - start);
}

static int64_t loop_cpu_ns(const struct observer_run *t)
{
	struct proc_schedstat stat;

	return proc_read_schedstat(t->loop_tid, &stat) ? 0 : stat.run_ns;
}

/* Works for `time_ns` and measures the turns per second. Time in which neither this thread nor the loop ran went to other tasks. */
static void measure_throughput(struct observer_run *t, struct observer_round *r, bool beside, int64_t time_ns)
{
	int64_t wall = -clock_now(), had = -clock_thread_cpu() - loop_cpu_ns(t);

	r->turns[beside] = measure_turns(time_ns);
	had += clock_thread_cpu() + loop_cpu_ns(t);
	wall += clock_now();
	r->wall_ns += wall;
	r->others_ns += wall > had ? wall - had : 0;
}

static void measure_slot(struct observer_run *t, struct observer_round *r, bool beside)
{
	measure_wakeups(t, beside ? &t->own->beside : &t->own->alone, t->slot_ns * 4 / 10);
	measure_throughput(t, r, beside, t->slot_ns * 3 / 10);
	if (!proc_stop)
		t->ticks[beside] += measure_ticks(t->cpu, t->slot_ns * 3 / 10);
}

static void discard_gaps(struct idle_loops *s)
{
	struct time_span span;

	for (int i = 0; i < s->n; i++)
		while (ring_peek(&s->cpu[i].ring, &span))
			ring_drop(&s->cpu[i].ring);
}

static void *measure_rounds(void *arg)
{
	struct observer_run *t = arg;

	t->err = wakeups_pin_thread(t->cpu);
	for (int i = 0; i < ROUNDS && !t->err; i++) {
		measure_slot(t, &t->round[i], false);
		t->err = spin_send_order(t->spin, SPIN_RUN, 10 * NS_PER_S);
		if (t->err)
			break;
		spin_allow_time(t->spin, t->slot_ns + SPIN_ALLOWANCE_NS);
		measure_slot(t, &t->round[i], true);
		t->err = spin_send_order(t->spin, SPIN_PAUSE, 10 * NS_PER_S);
		discard_gaps(t->spin);
		if (!t->err && proc_stop)
			t->err = -EINTR;
	}
	return NULL;
}

void observer_evaluate(struct observer_effect *o, const struct observer_round *round, int n)
{
	double turns[2] = { 0, 0 }, low = NAN, high = NAN;
	int64_t wall = 0, others = 0;

	for (int i = 0; i < n; i++) {
		double percent = 100 * round[i].turns[1] / round[i].turns[0];

		turns[0] += round[i].turns[0];
		turns[1] += round[i].turns[1];
		wall += round[i].wall_ns;
		others += round[i].others_ns;
		low = i && low < percent ? low : percent;
		high = i && high > percent ? high : percent;
	}
	o->others_percent = wall ? 100 * (double)others / (double)wall : NAN;
	o->disturbed = o->others_percent > OBSERVER_DISTURBED_PERCENT;
	o->throughput_percent = o->disturbed ? NAN : 100 * turns[1] / turns[0];
	o->throughput_low_percent = o->disturbed ? NAN : low;
	o->throughput_high_percent = o->disturbed ? NAN : high;
}

int observer_measure(struct observer_effect *o, struct idle_loops *s, int cpu, int64_t time_ns, uint64_t seed)
{
	struct observer_run t = { .own = o, .spin = s, .cpu = cpu, .slot_ns = time_ns / (2 * ROUNDS), .random = seed };
	pthread_t thread;
	int err;

	*o = (struct observer_effect){ .throughput_percent = NAN,
				       .throughput_low_percent = NAN,
				       .throughput_high_percent = NAN,
				       .others_percent = NAN,
				       .ticks_alone_per_s = NAN,
				       .ticks_beside_per_s = NAN };
	for (int i = 0; i < s->n; i++)
		if (s->cpu[i].cpu == cpu)
			t.loop_tid = atomic_load(&s->cpu[i].tid);
	if (time_ns <= 0)
		return 0;
	/* Measure in a thread of its own, since it pins itself to the CPU. */
	err = -pthread_create(&thread, NULL, measure_rounds, &t);
	if (err)
		return err;
	pthread_join(thread, NULL);
	if (t.err)
		return t.err;
	observer_evaluate(o, t.round, ROUNDS);
	o->ticks_alone_per_s = t.ticks[0] / ROUNDS;
	o->ticks_beside_per_s = t.ticks[1] / ROUNDS;
	return 0;
}

void observer_free(struct observer_effect *o)
{
	sample_free(&o->alone);
	sample_free(&o->beside);
}
