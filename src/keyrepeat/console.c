// SPDX-License-Identifier: GPL-3.0-or-later
#include "console.h"
#include "cli.h"
#include "clock.h"
#include "held_up.h"
#include "proc.h"
#include "progress.h"
#include "say.h"
#include "target.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Writes "600 keys in 30.0 s (20/s)". */
static void describe_typing(const struct console_cfg *cfg, size_t keys, int64_t ns, char *text, size_t size)
{
	if (cfg->script)
		snprintf(text, size, "%s acts of %s in %s", count_text((int64_t)keys), cfg->script, ns_text((double)ns));
	else
		snprintf(text, size, "%s key%s in %s (%.3g/s)", count_text((int64_t)keys), keys == 1 ? "" : "s",
			 ns_text((double)ns), cfg->rate_per_s);
}

void console_announce(const struct console_cfg *cfg)
{
	char what[200];

	if (!isatty(STDERR_FILENO) || !cfg->keys || !*cfg->receiver)
		return;
	describe_typing(cfg, cfg->keys, cfg->time_ns, what, sizeof(what));
	warn("types %s into %s on %s; Ctrl-C ends it", what, cfg->receiver, cfg->target);
}

/* How long the answer to the latest of keys sent one by one took; -1: none yet. */
static int64_t latest_wait_ns(const struct console_progress *p)
{
	size_t gone = atomic_load(&p->train->gone), updates = atomic_load(&p->seen->updates);
	int64_t at = updates ? p->seen->update[updates - 1].first_ns : 0;

	if (!p->train->one_by_one || !gone || !updates)
		return -1;
	if (gone > 1 && at < key_sent_time(&p->train->key[gone - 1])) /* that one is under way */
		gone--;
	return at < key_sent_time(&p->train->key[gone - 1]) ? -1 : at - key_sent_time(&p->train->key[gone - 1]);
}

static void *show_progress_thread(void *arg)
{
	struct console_progress *p = arg;
	struct progress_line line;
	int64_t begin = clock_now();

	progress_start(&line, false);
	while (!atomic_load(&p->stopping)) {
		int64_t now = clock_now(), last = atomic_load(&p->seen->last_change_ns), wait = latest_wait_ns(p);

		if (progress_take_due(&line, now)) {
			progress_show(&line, "%s  %s of %s keys  %s updates%s%s%s%s%s", ns_text((double)(now - begin)),
				      count_text((int64_t)atomic_load(&p->train->gone)), count_text((int64_t)p->cfg->keys),
				      count_text((int64_t)atomic_load(&p->seen->updates)), last ? ", the last " : "",
				      last ? ns_text((double)(now - last)) : "", last ? " ago" : "", wait < 0 ? "" : ", after ",
				      wait < 0 ? "" : ns_text((double)wait));
		}
		clock_sleep(now + 50 * NS_PER_MS);
	}
	progress_end(&line);
	return NULL;
}

void console_show_progress(struct console_progress *p, bool quiet)
{
	p->running = !quiet && isatty(STDERR_FILENO) && p->cfg->keys && !proc_start_thread(&p->thread, 0, show_progress_thread, p);
}

void console_end_progress(struct console_progress *p)
{
	if (!p->running)
		return;
	atomic_store(&p->stopping, true);
	pthread_join(p->thread, NULL);
	p->running = false;
}

/* A quantile of the latency from due to seen. Under overload only the shortest latency does not depend on the length of the run. */
static struct figure latency_quantile(struct train_figures *f, double p)
{
	return p > 0 && f->backlog.overloaded ? figure_absent("overloaded")
					      : figure_make_range(sample_quantile(&f->from_due, p), sample_quantile(&f->high, p));
}

static const char *quantile_text(struct train_figures *f, double p)
{
	struct figure q = latency_quantile(f, p);

	return p < 1 && !sample_supports(&f->high, p) ? "-" : figure_text(&q, NS_PER_MS);
}

static void say_latency(struct rec_report *r, struct train_figures *f)
{
	bool few = f->any_answer && !f->backlog.overloaded && !sample_supports(&f->high, 0.99);

	rec_begin_table(r, "lrrrrr", "\tmin\tp50\tp90\tp99\tmax%s", few ? "\t-: too few keys" : "");
	rec_add_row(r, "  latency\t%s\t%s\t%s\t%s\t%s\tms, due to seen", quantile_text(f, 0), quantile_text(f, 0.5),
		    quantile_text(f, 0.9), quantile_text(f, 0.99), quantile_text(f, 1));
}

/* Writes "0", or "0 to 12" where it is not known of all keys. */
static const char *late_keys_text(const struct train_figures *f)
{
	static char text[60];

	if (f->late_high > f->late)
		snprintf(text, sizeof(text), "%s to %s", count_text((int64_t)f->late), count_text((int64_t)f->late_high));
	else
		snprintf(text, sizeof(text), "%s", count_text((int64_t)f->late));
	return text;
}

static void say_late_keys(struct rec_report *r, const struct console_cfg *cfg, const struct key_train *train,
			  const struct train_figures *f)
{
	char unanswered[60] = "", unsent[60] = "", held[80] = "";

	if (f->keys_answered < f->keys_sent)
		snprintf(unanswered, sizeof(unanswered), ", %s %snever answered",
			 count_text((int64_t)(f->keys_sent - f->keys_answered)),
			 cfg->watch == WATCH_UPDATE && f->keys_in_doubt ? "perhaps " : "");
	if (f->keys_sent < f->keys_due)
		snprintf(unsent, sizeof(unsent), ", %s never sent", count_text((int64_t)(f->keys_due - f->keys_sent)));
	if (train->held)
		snprintf(held, sizeof(held), "; %s sent over 1 ms after they were due", count_text((int64_t)train->held));
	rec_add_row(r, "  late\t%s of %s keys over %s%s%s (95 %% confidence: at most %s %%)%s", late_keys_text(f),
		    count_text((int64_t)f->keys_due), ns_text((double)cfg->threshold_ns), unanswered, unsent,
		    number_text(f->late_bound_percent), held);
}

static void say_overload(struct rec_report *r, const struct key_train *train, struct train_figures *f)
{
	struct figure sent = figure_make_range(sample_quantile(&f->from_sent, 0.5), sample_quantile(&f->sent_high, 0.5));

	if (train->one_by_one)
		rec_warn(r,
			 "Overloaded: one at a time, keys came faster than they were answered, so latencies from due "
			 "grow as long as the run lasts; from sending, p50 is %s ms. Cure: a lower --rate.",
			 figure_text(&sent, NS_PER_MS));
	else
		rec_warn(r, "Overloaded: keys came faster than they were answered, so latencies grow as long as the run "
			    "lasts; only the shortest means something.");
}

#define PACE_OFF 0.1 /* a pace further from that asked for is worth a line */

static void say_echoes(struct rec_report *r, const struct console_cfg *cfg, const struct key_train *train, struct train_figures *f,
		       size_t own_changes)
{
	struct figure p50 = latency_quantile(f, 0.5), p90 = latency_quantile(f, 0.9);
	double jitter = sample_sd(&f->interarrival).value, asked_per_s = (double)NS_PER_S / (double)cfg->period_ns;

	if (f->backlog.overloaded && f->any_answer)
		say_overload(r, train, f);
	if (train->one_by_one && fabs(f->typed_per_s / asked_per_s - 1) > PACE_OFF)
		rec_say(r, "  not the %.3g/s asked for: each waits for the answer before; --schedule periodic does not wait",
			asked_per_s);
	say_latency(r, f);
	say_late_keys(r, cfg, train, f);
	if (own_changes)
		rec_add_row(r, "  beside\t%s left out, where the picture changes without keys, too",
			    counted_text((int64_t)own_changes, "change"));
	if (cfg->periodic && f->largest_gap_ns >= 0)
		rec_add_row(r, "  smoothness\tlongest gap between updates %s; jitter %s", ns_text((double)f->largest_gap_ns),
			    isfinite(jitter) ? ns_text(jitter) : "-");
	if (figure_is_range(&p50) || figure_is_range(&p90))
		rec_add_row(
			r, "  ranges\t%s",
			train->due && train->key[train->due - 1].repeated
				? "when the display repeated the held key is not known: --mode tap is exact"
			: f->ahead ? "which keys the patch counted for somebody else is not known: let nobody else type"
			: cfg->watch == WATCH_PATCH ? "the patch counted fewer keys than were sent: does the program get each?"
			: !train->one_by_one
				? "updates do not tell which key they answer: without --schedule, keys are typed one at a time; "
				  "--watch patch is exact"
			: f->restless ? "which updates are the display's own is not known: --watch patch is exact"
			: f->keys_in_doubt
				? "a key had no answer, so later updates may answer the key before: does each key change the display "
				  "at once? --watch patch is exact"
			: train->held ? "keys had to wait for the answer before: a lower --rate is exact, and so is --watch patch"
				      : "not each key has one update: stop what moves on the display; --watch patch is exact");
	if (f->any_answer)
		rec_set_summary(r, "latency p50 %s, max %s ms; %s of %s late", quantile_text(f, 0.5), quantile_text(f, 1),
				late_keys_text(f), count_text((int64_t)f->keys_due));
}

void console_write_report(struct rec_report *r, const struct console_cfg *cfg, const struct key_train *train,
			  struct train_figures *f, size_t own_changes)
{
	double seconds = (double)(train->end_ns - train->begin_ns) / NS_PER_S,
	       cpu = train->busy_ns > 0 ? 100.0 * (double)train->cpu_ns / (double)train->busy_ns : NAN;
	char what[200], skipped[60] = "";
	struct console_cfg typed = *cfg;

	if (!cfg->keys) {
		rec_say(r, "Watched %s for %s: %s update%s came without a key (%s/s)", cfg->target, ns_text(seconds * NS_PER_S),
			count_text((int64_t)f->updates), f->updates == 1 ? "" : "s", number_text((double)f->updates / seconds));
		return;
	}
	if (!f->keys_due && f->keys_skipped)
		rec_warn(r, "nothing measured: the first %s were warm-up; a longer -t, or --warmup 0",
			 counted_text((int64_t)f->keys_skipped, "key"));
	if (!*cfg->receiver) {
		if (!f->keys_due) {
			rec_say(r, "Probe overhead, no server: no key was counted");
			return;
		}
		rec_say(r, "Probe overhead, no server: keys leave %s µs late (p50), %s µs at worst; %s %% of one CPU.",
			stat_text(&f->lateness, 0.5, NS_PER_US), stat_text(&f->lateness, 1, NS_PER_US), number_text(cpu));
		if (f->backlog.overloaded)
			rec_warn(r, "Keys left ever later, since each waited for the answer before: try a lower --rate, or "
				    "--schedule periodic.");
		return;
	}
	if (cfg->watch == WATCH_NONE)
		rec_warn(r, "Nothing was measured: --watch none only types.");
	if (f->typed_per_s > 0)
		typed.rate_per_s = f->typed_per_s;
	describe_typing(&typed, f->keys_sent + f->keys_skipped, train->end_ns - train->begin_ns - train->drain_ns, what,
			sizeof(what));
	if (f->keys_skipped)
		snprintf(skipped, sizeof(skipped), "first %s ignored; ", count_text((int64_t)f->keys_skipped));
	rec_say(r, "Typed %s into %s on %s", what, cfg->receiver, cfg->target);
	if (cfg->watch == WATCH_NONE || held_up_ns() > 0) /* latencies would be held against the server */
		rec_begin_table(r, "llllll", "%s", "");
	else
		say_echoes(r, cfg, train, f, own_changes);
	rec_add_row(r, "  probe\t%skeys sent at most %s late (p50 %s)", skipped, ns_text(sample_max(&f->lateness).value),
		    ns_text(sample_quantile(&f->lateness, 0.5).value));
}
