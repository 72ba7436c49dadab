// SPDX-License-Identifier: GPL-3.0-or-later
#include "profile_report.h"
#include "say.h"

#include <math.h>
#include <string.h>
#include <time.h>

bool report_warn_logs(struct profile_logs *logs)
{
	const char *path;
	bool any = false;
	int err;

	for (; (err = logs_take_error(logs, &path)); any = true)
		warn("cannot write %s: %s; it ends there, the profile goes on", path, strerror(-err));
	return any;
}

bool report_warn_unwatched(struct rec_report *out, const struct gap_pipeline *f)
{
	int64_t most = pipeline_cpu_sum(f).unwatched_ns;

	if (most)
		rec_warn(out,
			 "not watched for %.3f s, in which this program was stopped or hung, the machine was suspended, or a loop "
			 "had lost its CPU (unplugged, cpuset): that time is in no figure",
			 (double)most / (double)NS_PER_S);
	return most > 0;
}

void report_warn_missed(struct rec_report *out, const struct gap_pipeline *f)
{
	struct pipeline_cpu_total sum = pipeline_cpu_sum(f);

	if (sum.missed_ns * 100 > sum.lost_ns)
		rec_warn(
			out,
			"the kernel left out records of %lld task switches: the culprits of %.1f %% of the lost time are not known",
			(long long)pipeline_missed_switches(f), 100.0 * (double)sum.missed_ns / (double)sum.lost_ns);
}

static double to_seconds(int64_t ns)
{
	return (double)ns / (double)NS_PER_S;
}

static double ratio_percent(int64_t part, int64_t whole)
{
	return whole > 0 ? 100.0 * (double)part / (double)whole : NAN;
}

static int64_t turn_quantile_ns(const struct report_inputs *p, int i, double quantile)
{
	const struct cpu_idle_loop *c = &p->spin->cpu[i];

	return stamp_map_span_ns(p->map, spin_turn_quantile(c, quantile, c->limit));
}

/* Reports the resolution, for the worst CPU. `max`: the longest turn of the loop that is not a gap. */
static void report_resolution(struct rec_report *r, const struct report_inputs *p)
{
	int64_t p50 = 0, p999 = 0, max = 0;

	for (int i = 0; i < p->spin->n; i++) {
		p50 = turn_quantile_ns(p, i, 0.5) > p50 ? turn_quantile_ns(p, i, 0.5) : p50;
		p999 = turn_quantile_ns(p, i, 0.999) > p999 ? turn_quantile_ns(p, i, 0.999) : p999;
		max = turn_quantile_ns(p, i, 1) > max ? turn_quantile_ns(p, i, 1) : max;
	}
	rec_add_int(r, "resolution_ns", p->threshold_ns + p50);
	rec_add_str(r, "clock", p->spin->tsc ? "tsc" : "vdso");
	rec_begin_object(r, "step_ns");
	rec_add_ints(r, { "p50", p50 }, { "p999", p999 }, { "max", max });
	rec_end(r);
	rec_add_str(r, "placed", p->spin->place);
}

/* Wall-clock time of the profile, without the time in which this CPU's loop was paused. */
static int64_t watched_cpu_ns(const struct report_inputs *p, int i)
{
	return p->wall_ns - p->follow->cpu[i].total.unwatched_ns;
}

static void report_cpus(struct rec_report *r, const struct report_inputs *p)
{
	rec_begin_array(r, "cpus");
	for (int i = 0; i < p->spin->n; i++) {
		const struct pipeline_cpu_total *t = &p->follow->cpu[i].total;

		rec_begin_object(r, NULL);
		rec_add_int(r, "cpu", p->spin->cpu[i].cpu);
		rec_add_reals(r, { "wall_s", to_seconds(p->wall_ns), 6 }, { "lost_s", to_seconds(t->lost_ns), 9 },
			      { "lost_percent", ratio_percent(t->lost_ns, watched_cpu_ns(p, i)), 4 });
		rec_add_int(r, "events", t->events);
		rec_add_real(r, "tick_s", to_seconds(t->tick_ns), 9);
		rec_add_int(r, "ticks", t->ticks);
		rec_add_real(r, "itself_s", to_seconds(t->itself_ns), 9);
		rec_add_real(r, "unwatched_s", to_seconds(t->unwatched_ns), 9);
		rec_add_real(r, "spin_s", p->spin_ns[i] < 0 ? NAN : to_seconds(p->spin_ns[i]), 6);
		rec_end(r);
	}
	rec_end(r);
}

static void report_ticks(struct rec_report *r, const struct report_inputs *p)
{
	struct pipeline_cpu_total sum = pipeline_cpu_sum(p->follow);
	int64_t n = sum.ticks, ns = sum.tick_ns, period = p->follow->cpu[0].ticks.period_ns;
	int64_t watched = 0; /* on CPUs of which the period is known */
	bool learned;

	for (int i = 0; i < p->spin->n; i++)
		watched += p->who || p->follow->cpu[i].ticks.learned ? watched_cpu_ns(p, i) : 0;
	learned = watched > 0 && n > 0; /* the watch may end as soon as the period is known */
	rec_begin_object(r, "ticks");
	rec_add_str(r, "told_by", p->who ? "kernel records" : learned ? "period" : NULL);
	rec_add_real(r, "period_ms", period ? (double)period / NS_PER_MS : NAN, 6);
	learned = learned || p->who; /* else ticks count as events */
	rec_add_known_int(r, "count", learned, n);
	rec_add_reals(r, { "per_s", learned && watched ? (double)n / to_seconds(watched) : NAN, 3 },
		      { "lost_s", learned ? to_seconds(ns) : NAN, 9 },
		      { "mean_us", n ? (double)ns / (double)n / NS_PER_US : NAN, 3 });
	rec_end(r);
}

static void report_histogram(struct rec_report *r, const struct report_inputs *p)
{
	const struct event_lengths *l = &p->follow->sums.lengths;
	int64_t sum = 0, events = 0;

	rec_begin_array(r, "histogram");
	for (int i = 0; i < LENGTH_BINS; i++) {
		sum += l->bin_ns[i];
		events += l->bin_events[i];
		if (lengths_edge_ns(i) < p->threshold_ns && !events)
			continue;
		if (i == LENGTH_BINS - 1 && !l->bin_events[i])
			break;
		if (p->brief && !l->bin_events[i])
			continue;
		rec_begin_object(r, NULL);
		rec_add_real(r, "upto_ms", i == LENGTH_BINS - 1 ? NAN : (double)lengths_edge_ns(i) / NS_PER_MS, 6);
		rec_add_real(r, "cumulative_s", to_seconds(sum), 9);
		rec_add_int(r, "events", events);
		rec_end(r);
	}
	rec_end(r);
}

static void report_waits(struct rec_report *r, const struct report_inputs *p)
{
	const struct event_lengths *l = &p->follow->sums.lengths;
	int64_t n = p->follow->sums.waits_n, watched = 0;

	for (int i = 0; i < p->spin->n; i++)
		watched += watched_cpu_ns(p, i);
	rec_begin_array(r, "compulsory");
	for (int i = 0; i < WAIT_BOUNDS; i++) {
		struct binomial_runs waits = { 0 };

		for (int c = 0; c < p->spin->n; c++)
			binomial_runs_join(&waits, &p->follow->cpu[c].waits[i]);
		rec_begin_object(r, NULL);
		rec_add_real(r, "wait_ms", (double)wait_bounds_ns[i] / NS_PER_MS, 6);
		rec_add_real(r, "bound", lengths_wait_bound(l, i, watched), 9);
		rec_add_real(r, "measured", p->wakeups && n ? waits.hits / waits.n : NAN, 9);
		rec_add_real(r, "measured_high", p->wakeups ? binomial_runs_bound(&waits, 1) : NAN, 9);
		rec_end(r);
	}
	rec_end(r);
	if (!p->wakeups) {
		rec_add_str(r, "wakeups", NULL);
		return;
	}
	rec_begin_object(r, "wakeups");
	rec_add_int(r, "n", n);
	rec_add_sample(r, "wait_us", &p->follow->sums.waits, (double)NS_PER_US);
	rec_end(r);
}

static void report_culprits(struct rec_report *r, const struct report_inputs *p)
{
	const struct culprit_total *line;
	struct pipeline_cpu_total sum = pipeline_cpu_sum(p->follow);
	size_t n;

	if (!p->who) {
		rec_add_str(r, "who", NULL);
		rec_add_str(r, "unexplained_s", NULL);
		return;
	}
	line = pipeline_culprits(p->follow, &n);
	rec_begin_array(r, "who");
	for (size_t i = 0; i < n; i++) {
		rec_begin_object(r, NULL);
		rec_add_str(r, "task", line[i].name);
		rec_add_str(r, "kind", culprit_kind_name(line[i].kind));
		rec_add_real(r, "lost_s", to_seconds(line[i].ns), 9);
		rec_add_int(r, "events", line[i].events);
		rec_add_real(r, "longest_ms", (double)line[i].longest_ns / NS_PER_MS, 6);
		rec_add_real(r, "share_percent", ratio_percent(line[i].ns, sum.lost_ns), 3);
		rec_end(r);
	}
	rec_end(r);
	rec_add_real(r, "unexplained_s", to_seconds(sum.unexplained_ns), 9);
}

/* Writes null if the measurement was disturbed by other tasks. */
static void report_observed_waits(struct rec_report *r, const char *key, struct sample *s, bool disturbed)
{
	if (disturbed)
		rec_add_str(r, key, NULL);
	else
		rec_add_sample(r, key, s, (double)NS_PER_US);
}

static void report_observer_effect(struct rec_report *r, const struct report_inputs *p)
{
	rec_begin_object(r, "own");
	report_observed_waits(r, "wakeup_alone_us", &p->own->alone, p->own->disturbed);
	report_observed_waits(r, "wakeup_beside_us", &p->own->beside, p->own->disturbed);
	rec_add_real(r, "throughput_percent", p->own->throughput_percent, 2);
	rec_add_real(r, "throughput_low_percent", p->own->throughput_low_percent, 2);
	rec_add_real(r, "throughput_high_percent", p->own->throughput_high_percent, 2);
	rec_add_real(r, "others_percent", p->own->others_percent, 2);
	rec_add_str(r, "why_none", p->own->disturbed ? "disturbed" : isnan(p->own->others_percent) ? "not asked for" : NULL);
	rec_add_real(r, "ticks_alone_per_s", p->own->ticks_alone_per_s, 1);
	rec_add_real(r, "ticks_beside_per_s", p->own->ticks_beside_per_s, 1);
	rec_add_real(r, "cpu_percent", ratio_percent(p->cpu_ns, p->wall_ns), 4);
	rec_end(r);
}

void report_profile(struct rec_report *r, const struct report_inputs *p)
{
	report_resolution(r, p);
	report_cpus(r, p);
	report_ticks(r, p);
	if (p->brief)
		report_culprits(r, p);
	report_histogram(r, p);
	report_waits(r, p);
	if (!p->brief)
		report_culprits(r, p);
	report_observer_effect(r, p);
	rec_add_int(r, "rows", p->rows);
	rec_add_count(r, "lost_records", pipeline_lost_items(p->follow));
	if (p->who)
		rec_add_int(r, "missed_switches", pipeline_missed_switches(p->follow));
	else
		rec_add_str(r, "missed_switches", NULL);
	rec_add_int(r, "memory_peak_bytes", p->memory_peak_bytes);
}

static double busy_percent(const struct report_inputs *p, int i)
{
	const struct pipeline_cpu_total *t = &p->follow->cpu[i].total;

	return ratio_percent(t->lost_ns + t->tick_ns, watched_cpu_ns(p, i));
}

/* Estimated from the histogram: the geometric mean of the edges of the bin that holds the median. */
static double median_length_ns(const struct pipeline_cpu_total *t)
{
	int64_t n = t->events + t->ticks, sum = 0;
	double middle;
	int bin = 0;

	while (bin < LENGTH_BINS - 1 && 2 * (sum += t->of_length[bin]) < n)
		bin++;
	middle = (double)lengths_edge_ns(bin) / pow(10, 0.05);
	return !n ? NAN : t->ticks ? middle : fmin(middle, (double)t->longest_ns); /* ticks are no longest event */
}

/* Writes culprit and local time of the longest event: "Xvnc, 14:02:11". */
static void describe_longest(const struct pipeline_cpu_total *t, char *text, size_t size)
{
	struct wall_reading now;
	struct tm local;
	time_t at;
	char when[16];

	clock_read_wall(&now);
	at = (time_t)((t->longest_at_ns + now.offset_ns) / NS_PER_S);
	localtime_r(&at, &local);
	strftime(when, sizeof(when), "%H:%M:%S", &local);
	snprintf(text, size, "%s%s%s", t->longest_who, *t->longest_who ? ", " : "", when);
}

static void say_cpus(struct rec_report *r, const struct report_inputs *p)
{
	const struct pipeline_cpu_total *worst = NULL;

	for (int i = 0; i < p->spin->n; i++)
		if (!worst || p->follow->cpu[i].total.longest_ns > worst->longest_ns)
			worst = &p->follow->cpu[i].total;
	rec_begin_table(r, "rrrrr", "CPU\tlost\tinterruptions/s\tmedian\tlongest");
	for (int i = 0; i < p->spin->n; i++) {
		const struct pipeline_cpu_total *t = &p->follow->cpu[i].total;
		char mark[64] = "", arrow[72] = "", lost[24] = "-";

		if (t == worst && t->events) {
			describe_longest(t, mark, sizeof(mark));
			snprintf(arrow, sizeof(arrow), "\t<- %s", mark);
		}
		if (watched_cpu_ns(p, i) > 0)
			snprintf(lost, sizeof(lost), "%s %%", number_text(busy_percent(p, i)));
		rec_add_row(r, "%d\t%s\t%s\t%s\t%s%s", p->spin->cpu[i].cpu, lost,
			    number_text((double)(t->events + t->ticks) / to_seconds(watched_cpu_ns(p, i))),
			    ns_text(median_length_ns(t)), ns_text((double)t->longest_ns), arrow);
		rec_rank_row(r, (double)t->longest_ns);
	}
}

/* Shares of all lost time, including ticks. */
static void say_culprits(struct rec_report *r, const struct report_inputs *p)
{
	struct pipeline_cpu_total sum = pipeline_cpu_sum(p->follow);
	int64_t tick = sum.tick_ns, all = sum.tick_ns + sum.lost_ns, unexplained = sum.unexplained_ns, named = 0;
	const struct culprit_total *line;
	char text[200];
	size_t n, used;

	if (!p->who || !all)
		return;
	line = pipeline_culprits(p->follow, &n);
	used = (size_t)snprintf(text, sizeof(text), "taken by: timer tick %.0f %%", ratio_percent(tick, all));
	for (size_t i = 0, shown = 0; i < n && shown < 3 && ratio_percent(line[i].ns, all) >= 0.5; i++) {
		if (line[i].kind == CULPRIT_UNEXPLAINED || !strcmp(line[i].name, "others"))
			continue;
		used += (size_t)snprintf(text + used, sizeof(text) - used, ", %s %.0f %%", line[i].name,
					 ratio_percent(line[i].ns, all));
		named += line[i].ns;
		shown++;
	}
	if (ratio_percent(all - tick - named - unexplained, all) >= 0.5)
		used += (size_t)snprintf(text + used, sizeof(text) - used, ", others %.0f %%",
					 ratio_percent(all - tick - named - unexplained, all));
	snprintf(text + used, sizeof(text) - used, ", unexplained %.0f %%", ratio_percent(unexplained, all));
	rec_say(r, "%s", text);
}

void say_profile(struct rec_report *r, const struct report_inputs *p)
{
	static struct cli_cpus taken;
	int64_t watched = 0;
	double most = 0;
	char list[64];
	int wait = 0;

	for (int i = 0; i < p->spin->n; i++) {
		watched += watched_cpu_ns(p, i);
		if (!(busy_percent(p, i) >= 50)) /* or not known: not watched */
			continue;
		taken.cpu[taken.n++] = p->spin->cpu[i].cpu;
		most = fmax(most, busy_percent(p, i));
	}
	cli_format_cpus(&taken, list, sizeof(list));
	if (taken.n)
		rec_warn(r, "CPU %s not idle: other work took %s%s %%.%s", list, taken.n > 1 ? "up to " : "", number_text(most),
			 p->who ? "" : " --who tells which.");
	while (wait_bounds_ns[wait] < NS_PER_MS)
		wait++;
	snprintf(list, sizeof(list), "%d CPU%s, %s", p->spin->n, p->spin->n == 1 ? "" : "s", ns_text((double)p->wall_ns));
	if (taken.n)
		rec_say(r, "%s. Not idle: nothing can be said of waits.", list);
	else
		rec_say(r, "%s: a task would have waited over 1 ms with a chance of at most %s %%", list,
			number_text(100 * lengths_wait_bound(&p->follow->sums.lengths, wait, watched)));
	say_cpus(r, p);
	say_culprits(r, p);
}
