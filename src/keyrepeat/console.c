// SPDX-License-Identifier: GPL-3.0-or-later
#include "console.h"
#include "binomial.h"
#include "cli.h"
#include "clock.h"
#include "progress.h"
#include "say.h"
#include "target.h"

#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Writes "600 keys in 30.0 s (20/s)". */
static void describe_keys_to_be_typed(const struct console_cfg *cfg, size_t keys, int64_t ns, char *text, size_t size)
{
	if (cfg->script)
		snprintf(text, size, "%s acts of %s in %s", text_of_count((int64_t)keys), cfg->script, ns_text((double)ns));
	else
		snprintf(text, size, "%s key%s in %s (%g/s)", text_of_count((int64_t)keys), keys == 1 ? "" : "s", ns_text((double)ns),
			 cfg->rate_per_s);
}

void console_announce_typing(const struct console_cfg *cfg)
{
	char what[200];

	if (!isatty(STDERR_FILENO) || !cfg->keys || !*cfg->receiver)
		return;
	describe_keys_to_be_typed(cfg, cfg->keys, cfg->time_ns, what, sizeof(what));
	warn("types %s into %s on %s; Ctrl-C ends it", what, cfg->receiver, cfg->target);
}

static void *progress_line_thread_main(void *arg)
{
	struct console_progress *p = arg;
	struct progress_line line;
	int64_t begin = clock_now();

	progress_start(&line, false);
	while (!atomic_load(&p->stopping)) {
		int64_t now = clock_now(), last = atomic_load(&p->seen->last_change_ns);

		if (is_progress_line_due(&line, now)) {
			progress_show(&line, "%s  %s of %s keys  %s updates%s%s%s", ns_text((double)(now - begin)),
				      text_of_count((int64_t)atomic_load(&p->train->gone)), text_of_count((int64_t)p->cfg->keys),
				      text_of_count((int64_t)atomic_load(&p->seen->updates)), last ? ", the last " : "",
				      last ? ns_text((double)(now - last)) : "", last ? " ago" : "");
		}
		clock_sleep_until(now + 50 * NS_PER_MS);
	}
	progress_end(&line);
	return NULL;
}

void console_progress_start(struct console_progress *p, bool quiet)
{
	sigset_t all, before;

	if (quiet || !isatty(STDERR_FILENO) || !p->cfg->keys)
		return;
	/* signals must reach the sending thread, whose sleep they end */
	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, &before);
	p->running = !pthread_create(&p->thread, NULL, progress_line_thread_main, p);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
}

void console_progress_end(struct console_progress *p)
{
	if (!p->running)
		return;
	atomic_store(&p->stopping, true);
	pthread_join(p->thread, NULL);
	p->running = false;
}

static void say_latency(struct rec_report *r, struct latency_statistics *f)
{
	struct sample *s = &f->from_due;

	rec_begin_text_table(r, "lrrrrr", "\tmin\tp50\tp90\tp99\tmax");
	rec_add_text_table_row(r, "  latency\t%s\t%s\t%s\t%s\t%s\tms, due to seen", text_of_sample_quantile(s, 0, NS_PER_MS),
			       text_of_sample_quantile(s, 0.5,
															 NS_PER_MS),
		text_of_sample_quantile(s, 0.9, NS_PER_MS), text_of_sample_quantile(s, 0.99, NS_PER_MS), text_of_sample_quantile(s, 1,
																 NS_PER_MS));
}

static void say_late_keys(struct rec_report *r, const struct console_cfg *cfg, const struct latency_statistics *f)
{
	char range[40] = "", unanswered[60] = "";

	if (f->late_high > f->late)
		snprintf(range, sizeof(range), " to %s", text_of_count((int64_t)f->late_high));
	if (f->keys_answered < f->keys_due)
		snprintf(unanswered, sizeof(unanswered), ", %s never answered", text_of_count((int64_t)(f->keys_due - f->keys_answered)));
	rec_add_text_table_row(r, "  late\t%s%s of %s keys over %s%s (95 %% confidence: at most %s %%)", text_of_count((int64_t)f->late),
			       range,
		text_of_count((int64_t)f->keys_due), ns_text((double)cfg->threshold_ns), unanswered,
		number_text(100 * binomial_upper_bound_of_share((int64_t)f->late_high, (int64_t)f->keys_due)));
}

static void say_echoes(struct rec_report *r, const struct console_cfg *cfg, struct latency_statistics *f)
{
	double jitter = sample_sd(&f->interarrival).value;

	if (f->backlog.overloaded)
		rec_add_warning_line(r, "Overloaded: keys came faster than they were answered, so latencies grow as long as the run lasts; "
			 "only the shortest means something.");
	say_latency(r, f);
	say_late_keys(r, cfg, f);
	if (f->largest_gap_ns >= 0)
		rec_add_text_table_row(r, "  smoothness\tlongest gap between updates %s; jitter %s", ns_text((double)f->largest_gap_ns),
			isfinite(jitter) ? ns_text(jitter) : "-");
}

void console_write_result(struct rec_report *r, const struct console_cfg *cfg, const struct key_train *train,
			  struct latency_statistics *f)
{
	double seconds = (double)(train->end_ns - train->begin_ns) / NS_PER_S,
	       cpu = train->busy_ns > 0 ? 100.0 * (double)train->cpu_ns / (double)train->busy_ns : NAN;
	char what[200], skipped[60] = "";

	if (!cfg->keys) {
		rec_add_short_report_line(r, "Watched %s for %s: %s update%s came without a key (%s/s)", cfg->target, ns_text(seconds * NS_PER_S),
			text_of_count((int64_t)f->updates), f->updates == 1 ? "" : "s", number_text((double)f->updates / seconds));
		return;
	}
	if (!*cfg->receiver) {
		rec_add_short_report_line(r, "Probe overhead, no server: keys leave %s µs late (p50), %s µs at worst; %s %% of one CPU.",
			text_of_sample_quantile(&f->lateness, 0.5, NS_PER_US), text_of_sample_quantile(&f->lateness, 1, NS_PER_US), number_text(cpu));
		return;
	}
	if (cfg->watch == WATCH_NONE)
		rec_add_warning_line(r, "Nothing was measured: --watch none only types.");
	describe_keys_to_be_typed(cfg, f->keys_sent + f->keys_skipped, train->end_ns - train->begin_ns - train->drain_ns, what,
				  sizeof(what));
	if (f->keys_skipped)
		snprintf(skipped, sizeof(skipped), "first %s ignored; ", text_of_count((int64_t)f->keys_skipped));
	rec_add_short_report_line(r, "Typed %s into %s on %s", what, cfg->receiver, cfg->target);
	if (cfg->watch == WATCH_NONE)
		rec_begin_text_table(r, "llllll", "%s", "");
	else
		say_echoes(r, cfg, f);
	rec_add_text_table_row(r, "  probe\t%skeys sent at most %s late (p50 %s)", skipped, ns_text(sample_max(&f->lateness).value),
		ns_text(sample_quantile(&f->lateness, 0.5).value));
}
