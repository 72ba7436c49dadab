// SPDX-License-Identifier: GPL-3.0-or-later
#include "report.h"
#include "clock.h"
#include "binomial.h"
#include "who.h"

#include <math.h>

static double seconds(int64_t ns)
{
	return (double)ns / (double)NS_PER_S;
}

static double percent(int64_t part, int64_t whole)
{
	return whole > 0 ? 100.0 * (double)part / (double)whole : NAN;
}

static int64_t step(const struct report *p, int i, double quantile)
{
	const struct spin_cpu *c = &p->spin->cpu[i];

	return stamp_map_length(p->map, spin_step(c, quantile, c->limit));
}

/* Of the worst CPU. max: the longest turn that is not a lost part. */
static void report_clock(struct rec *r, const struct report *p)
{
	int64_t p50 = 0, p999 = 0, max = 0;

	for (int i = 0; i < p->spin->n; i++) {
		p50 = step(p, i, 0.5) > p50 ? step(p, i, 0.5) : p50;
		p999 = step(p, i, 0.999) > p999 ? step(p, i, 0.999) : p999;
		max = step(p, i, 1) > max ? step(p, i, 1) : max;
	}
	rec_int(r, "resolution_ns", p->threshold_ns + p50);
	rec_str(r, "clock", p->spin->tsc ? "tsc" : "vdso");
	rec_object(r, "step_ns");
	rec_int(r, "p50", p50);
	rec_int(r, "p999", p999);
	rec_int(r, "max", max);
	rec_end(r);
	rec_str(r, "placed", p->spin->place);
}

/* A CPU's time without what nobody watched. */
static int64_t watched_ns(const struct report *p, int i)
{
	return p->wall_ns - follow_total(p->follow, i)->unwatched_ns;
}

static void report_cpus(struct rec *r, const struct report *p)
{
	rec_array(r, "cpus");
	for (int i = 0; i < p->spin->n; i++) {
		const struct follow_total *t = follow_total(p->follow, i);

		rec_object(r, NULL);
		rec_int(r, "cpu", p->spin->cpu[i].cpu);
		rec_real(r, "wall_s", seconds(p->wall_ns), 6);
		rec_real(r, "lost_s", seconds(t->lost_ns), 9);
		rec_real(r, "lost_percent", percent(t->lost_ns, watched_ns(p, i)), 4);
		rec_int(r, "events", t->events);
		rec_real(r, "tick_s", seconds(t->tick_ns), 9);
		rec_int(r, "ticks", t->ticks);
		rec_real(r, "itself_s", seconds(t->itself_ns), 9);
		rec_real(r, "unwatched_s", seconds(t->unwatched_ns), 9);
		rec_real(r, "spin_s", p->spin_ns[i] < 0 ? NAN : seconds(p->spin_ns[i]), 6);
		rec_end(r);
	}
	rec_end(r);
}

static void report_ticks(struct rec *r, const struct report *p)
{
	int64_t n = 0, ns = 0, period = 0;
	bool learned = false;

	for (int i = 0; i < p->spin->n; i++) {
		n += follow_total(p->follow, i)->ticks;
		ns += follow_total(p->follow, i)->tick_ns;
		period = follow_ticks(p->follow, i)->period_ns;
		learned |= follow_ticks(p->follow, i)->learned;
	}
	rec_object(r, "ticks");
	rec_str(r, "told_by", p->who ? "kernel records" : learned ? "period" : NULL);
	rec_real(r, "period_ms", period ? (double)period / NS_PER_MS : NAN, 6);
	rec_int(r, "count", n);
	rec_real(r, "per_s", p->wall_ns ? (double)n / seconds(p->wall_ns) / p->spin->n : NAN, 3);
	rec_real(r, "lost_s", seconds(ns), 9);
	rec_real(r, "mean_us", n ? (double)ns / (double)n / NS_PER_US : NAN, 3);
	rec_end(r);
}

static void report_histogram(struct rec *r, const struct report *p)
{
	const struct lengths *l = follow_lengths(p->follow);
	int64_t sum = 0, events = 0;

	rec_array(r, "histogram");
	for (int i = 0; i < LENGTHS_BINS; i++) {
		sum += l->bin_ns[i];
		events += l->bin_events[i];
		if (lengths_edge(i) < p->threshold_ns && !events)
			continue;
		if (i == LENGTHS_BINS - 1 && !l->bin_events[i])
			break;
		if (p->brief && !l->bin_events[i])
			continue;
		rec_object(r, NULL);
		rec_real(r, "upto_ms", i == LENGTHS_BINS - 1 ? NAN : (double)lengths_edge(i) / NS_PER_MS, 6);
		rec_real(r, "cumulative_s", seconds(sum), 9);
		rec_int(r, "events", events);
		rec_end(r);
	}
	rec_end(r);
}

static void report_compulsory(struct rec *r, const struct report *p)
{
	const struct lengths *l = follow_lengths(p->follow);
	int64_t n = follow_waits_n(p->follow), watched = 0;

	for (int i = 0; i < p->spin->n; i++)
		watched += watched_ns(p, i);
	rec_array(r, "compulsory");
	for (int i = 0; i < LENGTHS_WAITS; i++) {
		int64_t hits = follow_waits_beyond(p->follow, i);

		rec_object(r, NULL);
		rec_real(r, "wait_ms", (double)lengths_waits[i] / NS_PER_MS, 6);
		rec_real(r, "bound", lengths_bound(l, i, watched), 9);
		rec_real(r, "measured", p->wakeups && n ? (double)hits / (double)n : NAN, 9);
		rec_real(r, "measured_high", p->wakeups ? binomial_upper(hits, n) : NAN, 9);
		rec_end(r);
	}
	rec_end(r);
	if (!p->wakeups) {
		rec_str(r, "wakeups", NULL);
		return;
	}
	rec_object(r, "wakeups");
	rec_int(r, "n", n);
	rec_timing(r, "wait_us", follow_waits(p->follow), (double)NS_PER_US);
	rec_end(r);
}

static void report_who(struct rec *r, const struct report *p)
{
	const struct culprit_total *line;
	int64_t lost = 0, unexplained = 0;
	size_t n;

	if (!p->who) {
		rec_str(r, "who", NULL);
		rec_str(r, "unexplained_s", NULL);
		return;
	}
	for (int i = 0; i < p->spin->n; i++) {
		lost += follow_total(p->follow, i)->lost_ns;
		unexplained += follow_total(p->follow, i)->unexplained_ns;
	}
	line = follow_culprits(p->follow, &n);
	rec_array(r, "who");
	for (size_t i = 0; i < n; i++) {
		rec_object(r, NULL);
		rec_str(r, "task", line[i].name);
		rec_str(r, "kind", who_kind_name(line[i].kind));
		rec_real(r, "lost_s", seconds(line[i].ns), 9);
		rec_int(r, "events", line[i].events);
		rec_real(r, "longest_ms", (double)line[i].longest_ns / NS_PER_MS, 6);
		rec_real(r, "share_percent", percent(line[i].ns, lost), 3);
		rec_end(r);
	}
	rec_end(r);
	rec_real(r, "unexplained_s", seconds(unexplained), 9);
}

/* A figure of the loop's effect that others had a hand in is none. */
static void report_wakeup(struct rec *r, const char *key, struct sample *s, bool disturbed)
{
	if (disturbed)
		rec_str(r, key, NULL);
	else
		rec_timing(r, key, s, (double)NS_PER_US);
}

static void report_own(struct rec *r, const struct report *p)
{
	rec_object(r, "own");
	report_wakeup(r, "wakeup_alone_us", &p->own->alone, p->own->disturbed);
	report_wakeup(r, "wakeup_beside_us", &p->own->beside, p->own->disturbed);
	rec_real(r, "throughput_percent", p->own->throughput_percent, 2);
	rec_real(r, "throughput_low_percent", p->own->throughput_low_percent, 2);
	rec_real(r, "throughput_high_percent", p->own->throughput_high_percent, 2);
	rec_real(r, "others_percent", p->own->others_percent, 2);
	rec_str(r, "why_none", p->own->disturbed ? "disturbed" : isnan(p->own->others_percent) ? "not asked for" : NULL);
	rec_real(r, "ticks_alone_per_s", p->own->ticks_alone_per_s, 1);
	rec_real(r, "ticks_beside_per_s", p->own->ticks_beside_per_s, 1);
	rec_real(r, "cpu_percent", percent(p->cpu_ns, p->wall_ns), 4);
	rec_end(r);
}

void report_result(struct rec *r, const struct report *p)
{
	report_clock(r, p);
	report_cpus(r, p);
	report_ticks(r, p);
	if (p->brief)
		report_who(r, p);
	report_histogram(r, p);
	report_compulsory(r, p);
	if (!p->brief)
		report_who(r, p);
	report_own(r, p);
	rec_int(r, "rows", p->rows);
	rec_int(r, "lost_records", follow_lost_records(p->follow));
	if (p->who)
		rec_int(r, "missed_switches", follow_missed_switches(p->follow));
	else
		rec_str(r, "missed_switches", NULL);
	rec_int(r, "memory_peak_bytes", p->memory_peak_bytes);
}
