// SPDX-License-Identifier: GPL-3.0-or-later
#include "train_report.h"
#include "cli.h"
#include "clock.h"
#include "apart.h"
#include "held_up.h"
#include "say.h"

#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

const char *const report_columns[] = { "key",	      "due_ns",	  "sent_ns", "answer_ns",	   "answer_high_ns",
				       "censored_ns", "skipped",  "block",   "realtime_offset_ns", "earliest_ns",
				       "handed_ns",   "frame_ms", NULL };

int report_write_keys(struct row_file *rows, const struct key_train *train)
{
	size_t b = 0;

	for (size_t i = 0; i < train->due; i++) {
		const struct key_times *key = &train->key[i];

		/* to prototap, a block ends with a display at rest: keys sent one by one are a train */
		while (!train->one_by_one && i >= train->block[b].first + train->block[b].n)
			b++;
		rows_write_ints(rows, (int64_t)i + 1, key->due_ns);
		rows_write_times(rows, key->sent_ns, key->answer_ns, key->high_ns, key->censored_ns);
		rows_write_ints(rows, key->skipped, (int64_t)b + 1);
		if (train->walls)
			rows_write_int(rows, wall_offset_ns(train->wall, train->walls, key->sent_ns ? key->sent_ns : key->due_ns));
		else
			rows_write_empty(rows);
		rows_write_times(rows, key->earliest_ns, key->handed_ns, key->frame_ms);
		rows_end_row(rows);
	}
	return rows_close(rows);
}

/* Under overload, latencies grow with the length of the run: only their number and the shortest latency are meaningful. */
static void report_latency(struct rec_report *r, const char *name, struct sample *early, struct sample *late, bool overloaded)
{
	static const char *const unknown[] = { "mean", "sd", "p25", "p50", "p75", "p90", "p95", "p99", "p999", "max" };
	struct figure min;

	if (!overloaded) {
		rec_add_sample_range(r, name, early, late, NS_PER_MS);
		return;
	}
	min = figure_make_range(sample_min(early), sample_min(late));
	rec_begin_object(r, name);
	rec_add_int(r, "n", (int64_t)late->n);
	rec_add_real(r, "min", min.above ? NAN : min.value / NS_PER_MS, 3);
	for (size_t i = 0; i < sizeof(unknown) / sizeof(*unknown); i++)
		rec_add_real(r, unknown[i], NAN, 3);
	rec_add_int(r, "censored", (int64_t)late->censored);
	if (figure_is_range(&min)) {
		rec_begin_object(r, "range");
		rec_add_range(r, "min", &min, NS_PER_MS);
		rec_end(r);
	}
	rec_add_str(r, "why", "overloaded");
	rec_end(r);
}

static void report_stalls(struct rec_report *r, const struct figures_cfg_of_train *cfg, struct train_figures *f)
{
	double sd = sample_sd(&f->interarrival).value / NS_PER_MS;

	rec_begin_object(r, "stalls");
	rec_add_real(r, "period_ms", (double)cfg->period_ns / NS_PER_MS, 3);
	rec_add_ints(r, { "intervals", (int64_t)f->stall.n }, { "count", (int64_t)f->stalls });
	rec_add_reals(r, { "mean_ms", sample_mean(&f->stall).value / NS_PER_MS, 3 },
		      { "mean_positive_ms", f->mean_positive_ns / NS_PER_MS, 3 },
		      { "max_ms", sample_max(&f->stall).value / NS_PER_MS, 3 }, { "jitter_sd_ms", sd, 3 },
		      { "jitter_variance_ms2", sd * sd, 3 });
	rec_end(r);
}

/* How many keys were answered by a frame with a stamp; nothing if no frame has one. */
static void report_stamped(struct rec_report *r, const struct key_train *train)
{
	int64_t n = 0;

	for (size_t i = 0; i < train->due; i++)
		n += !train->key[i].skipped && train->key[i].frame_ms;
	if (n)
		rec_add_int(r, "keys_stamped", n);
}

static void report_echoes(struct rec_report *r, const struct figures_cfg_of_train *cfg, const struct key_train *train,
			  struct train_figures *f)
{
	rec_add_real(r, "updates_per_key", f->updates_per_key, 3);
	rec_add_ints(r, { "keys_answered", (int64_t)f->keys_answered }, { "keys_exact", (int64_t)f->keys_exact });
	report_stamped(r, train);
	/* with updates alone, it is not known how many keys a picture answered */
	rec_add_real(r, "coalesced", cfg->watch == WATCH_PATCH || f->caret ? (double)f->coalesced : NAN, 0);
	rec_add_str(r, "pairing", cfg->watch == WATCH_PATCH ? "patch" : f->caret ? "caret" : "updates");
	rec_add_real(r, "threshold_ms", (double)cfg->threshold_ns / NS_PER_MS, 3);
	rec_add_real(r, "late_share_percent", f->late_high > f->late ? NAN : f->late_percent, 3);
	rec_add_real(r, "late_share_high_percent", f->late_high_percent, 3); /* with the latest possible answer of each key */
	rec_add_real(r, "late_share_bound_percent", f->late_bound_percent, 3);
	rec_add_real(r, "backlog_per_s", f->backlog.per_s, 3);
	rec_add_bool(r, "overloaded", f->backlog.overloaded);
	report_latency(r, "latency_from_due_ms", &f->from_due, &f->high, f->backlog.overloaded);
	/* keys that are sent one by one queue before they are sent */
	report_latency(r, "latency_from_sent_ms", &f->from_sent, &f->sent_high, f->backlog.overloaded && !train->one_by_one);
	if (cfg->watch == WATCH_UPDATE)
		report_latency(r, "latency_high_ms", &f->high, &f->high, f->backlog.overloaded);
	if (f->late_high > f->late) {
		struct figure late = { .from = f->late_percent, .to = f->late_high_percent };

		rec_begin_object(r, "range");
		rec_add_range(r, "late_share_percent", &late, 1);
		rec_end(r);
	}
	rec_add_sample(r, "update_interarrival_ms", &f->interarrival, NS_PER_MS);
	rec_add_real(r, "largest_gap_ms", f->largest_gap_ns < 0 ? NAN : (double)f->largest_gap_ns / NS_PER_MS, 3);
	report_stalls(r, cfg, f);
	rec_add_real(r, "drain_s", (double)train->drain_ns / NS_PER_S, 3);
}

/* Reports the offset between the clock of packet times (CLOCK_REALTIME) and that of keys (CLOCK_MONOTONIC), with its error. */
static void add_clock_offset(struct rec_report *r, const struct key_train *train)
{
	int64_t error = 0;

	for (size_t i = 0; i < train->walls; i++)
		if (train->wall[i].error_ns > error)
			error = train->wall[i].error_ns;
	rec_begin_object(r, "realtime_offset");
	rec_add_int(r, "readings", (int64_t)train->walls);
	rec_add_real(r, "error_us", (double)error / NS_PER_US, 3);
	rec_add_real(r, "step_us", (double)wall_largest_step(train->wall, train->walls) / NS_PER_US, 3);
	rec_end(r);
}

void report_train_result(struct rec_report *r, const struct figures_cfg_of_train *cfg, const struct key_train *train,
			 const struct observations *seen, struct train_figures *f, bool keys)
{
	static const char *const ends[] = { "complete", "interrupted", "connection dropped", "window left", "key not shown" };
	double seconds = (double)(train->end_ns - train->begin_ns) / NS_PER_S;

	rec_begin_object(r, "result");
	rec_add_str(r, "ended", ends[train->end]);
	rec_add_real(r, "seconds", seconds, 3);
	if (keys) {
		rec_add_ints(r, { "keys_due", (int64_t)f->keys_due }, { "keys_sent", (int64_t)f->keys_sent },
			     { "keys_skipped", (int64_t)f->keys_skipped });
		if (f->in_flight)
			rec_add_int(r, "keys_in_flight", (int64_t)f->in_flight);
		rec_add_real(r, "typed_per_s", f->typed_per_s, 3);
		rec_add_bool(r, "one_by_one", train->one_by_one);
		if (train->one_by_one) {
			rec_add_real(r, "key_period_ms", (double)train->period_ns / NS_PER_MS, 3);
			rec_add_ints(r, { "keys_held", (int64_t)train->held }, { "keys_left_late", (int64_t)f->left_late });
			rec_add_real(r, "left_late_max_ms", (double)f->left_late_max_ns / NS_PER_MS, 3);
		}
		rec_add_sample(r, "lateness_us", &f->lateness, NS_PER_US);
		rec_add_reals(r, { "send_blocked_ms", (double)train->blocked_ns / NS_PER_MS, 3 },
			      { "handed_over_ms", (double)train->handed_ns / NS_PER_MS, 3 },
			      { "tcp_rtt_ms", train->rtt_ns ? (double)train->rtt_ns / NS_PER_MS : NAN, 3 });
		held_up_report(r);
	}
	if (cfg->watch != WATCH_NONE)
		rec_add_int(r, "updates", (int64_t)f->updates);
	if (seen->filters)
		rec_add_int(r, "own_changes", (int64_t)seen->own);
	if (cfg->watch != WATCH_NONE && keys)
		report_echoes(r, cfg, train, f);
	else if (cfg->watch != WATCH_NONE)
		rec_add_real(r, "unsolicited_per_s", seconds > 0 ? (double)f->updates / seconds : NAN, 4);
	if (cfg->watch == WATCH_PATCH) {
		rec_add_ints(r, { "patch_unreadable", (int64_t)seen->unreadable }, { "patch_ahead", (int64_t)f->ahead },
			     { "patch_base", (int64_t)train->base });
	}
	if (cfg->watch != WATCH_NONE)
		rec_add_int(r, "updates_lost", (int64_t)seen->lost);
	if (train->log_err)
		rec_add_bool(r, "log_lost", true);
	add_clock_offset(r, train);
	rec_add_real(r, "probe_cpu_percent", train->busy_ns > 0 ? 100.0 * (double)train->cpu_ns / (double)train->busy_ns : NAN, 3);
	rec_end(r);
}

const char *report_explain_end(const struct observations *seen, const struct key_train *train)
{
	static char text[200];
	enum sender_end end = train->end;

	if (end == SENDER_LEFT)
		snprintf(text, sizeof(text), "%s, so the keys were stopped: leave the window alone while it is measured",
			 (const char *)seen->left);
	else if (end == SENDER_UNSHOWN && train->late_ns > train->waited_ns)
		snprintf(text, sizeof(text),
			 "a key was shown only after %s, so no more were typed: the server, or what shows the key, hung",
			 ns_text((double)train->late_ns));
	else if (end == SENDER_UNSHOWN)
		snprintf(
			text, sizeof(text),
			"a key was not shown within %s, so no more were typed: it was lost, it went elsewhere, or the server hangs",
			ns_text((double)train->waited_ns));
	else if (end != SENDER_DROPPED)
		return NULL;
	else if (seen->crashed == SIGKILL)
		return APART_KILLED "; what was measured until then is kept";
	else if (seen->crashed)
		snprintf(text, sizeof(text), APART_CRASHED "the server; what was measured until then is kept",
			 sigabbrev_np(seen->crashed));
	else
		return "the connection was dropped; is the server still running? What was measured until then is kept";
	return text;
}

static const char unread[] = "the patch cannot be read any more: has refecho ended, or is its window covered or moved?";

/* Why nothing that was typed was answered; NULL: something was. */
static const char *explain_silence(const struct figures_cfg_of_train *cfg, const struct key_train *train,
				   const struct observations *seen, const struct train_figures *f, bool keys)
{
	static char text[200];
	bool sent = keys && train->due && key_sent_time(&train->key[0]) != INT64_MAX;
	bool silent = f->lost && !f->keys_answered && !f->keys_in_doubt;

	if (sent && cfg->watch == WATCH_UPDATE && !f->any_answer) {
		snprintf(text, sizeof(text), "no echo: %s; does the window have the focus, and does it show what is typed?",
			 seen->own ? "the picture changed only where it changes by itself" : "not one update in the whole train");
		return text;
	}
	if (seen->unread && (silent || (sent && !f->any_answer)))
		return unread;
	if (sent && cfg->watch == WATCH_PATCH && !f->any_answer)
		return "no echo: the patch counted not one key; does refecho's window have the focus?";
	if (silent) {
		snprintf(text, sizeof(text),
			 "no echo from %s on, and the display at rest: keys were lost. Did the session stop, or the "
			 "window lose the focus?%s",
			 ns_text((double)f->silent_ns), seen->erases ? "" : " A lower --rate loses fewer");
		return text;
	}
	return NULL;
}

/* Why keys were not sent, or their answers are not known; NULL: neither. */
static const char *explain_doubt(const struct key_train *train, const struct observations *seen, const struct train_figures *f)
{
	static char text[200];

	if (train->one_by_one && f->keys_sent < f->keys_due) {
		snprintf(text, sizeof(text),
			 "%s never sent: each waited for an answer that took long or never came. Does each key "
			 "change the display?%s",
			 counted_text((int64_t)(f->keys_due - f->keys_sent), "key"),
			 seen->erases ? "" : " --schedule periodic sends without waiting");
		return text;
	}
	if (f->owed) {
		snprintf(text, sizeof(text),
			 "%s had no answer: lost, or shown with the next key, so later updates may answer the key before%s",
			 counted_text((int64_t)f->owed, "key"), seen->erases ? "" : "; --watch patch is exact");
		return text;
	}
	if (f->restless) {
		snprintf(text, sizeof(text),
			 "the display never came to rest, so no update is known to answer a key: stop what moves on it%s",
			 seen->erases ? "" : ", or watch a --region without it; --watch patch is exact");
		return text;
	}
	return NULL;
}

const char *report_find_trouble(const struct figures_cfg_of_train *cfg, const struct key_train *train,
				const struct observations *seen, const struct train_figures *f, bool keys, int *status)
{
	static char text[200];
	const char *why = report_explain_end(seen, train);

	*status = EXIT_RUN;
	if (why)
		return why;
	if (train->end == SENDER_INTERRUPTED) {
		*status = EXIT_INTERRUPTED;
		if (keys && !train->due)
			return "interrupted before the first key was due";
		snprintf(text, sizeof(text), "interrupted after %s of %s", ns_text((double)(train->end_ns - train->begin_ns)),
			 ns_text((double)cfg->time_ns));
		return text;
	}
	if (held_up_ns() > 0) {
		*status = EXIT_LOSSY;
		return held_up_words("keyrepeat");
	}
	why = explain_silence(cfg, train, seen, f, keys);
	if (why)
		return why;
	*status = EXIT_LOSSY;
	if (seen->covered_ns) {
		snprintf(text, sizeof(text),
			 "another window came in front of what is watched after %s, so no later key is exact: leave it alone",
			 ns_text((double)(seen->covered_ns - train->begin_ns)));
		return text;
	}
	if (f->ahead)
		return "the patch counted keys that keyrepeat did not send; does another program or user type there?";
	if (seen->lost)
		return "more updates came than there was room for; the rest are counted as updates_lost";
	if (f->lost) {
		snprintf(text, sizeof(text), "nothing was answered from %s on (%s): %s", ns_text((double)f->silent_ns),
			 counted_text((int64_t)f->lost, "key"),
			 seen->unread ? unread : "did the session stop, or the window lose the focus?");
		return text;
	}
	why = explain_doubt(train, seen, f);
	if (!why && train->log_err)
		why = "the log does not have all keys; these figures do";
	*status = why ? EXIT_LOSSY : EXIT_OK;
	return why;
}
