// SPDX-License-Identifier: GPL-3.0-or-later
#include "start_report.h"
#include "clock.h"
#include "held_up.h"
#include "say.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>

double report_overhead(int64_t startup_ns, int64_t t0_ns, int64_t t0_spread_ns, int64_t t_io_ns)
{
	int64_t swap_ns = startup_ns - t0_ns;

	if (t_io_ns < 0 || swap_ns <= 0 || swap_ns <= OVERHEAD_SPREADS * t0_spread_ns)
		return NAN;
	return (double)(swap_ns - t_io_ns) / (double)swap_ns;
}

static void report_ms(struct rec_report *r, const char *key, int64_t ns)
{
	rec_add_real(r, key, ns < 0 ? NAN : (double)ns / NS_PER_MS, 3);
}

static void report_mean_bytes(struct rec_report *r, const char *key, int64_t bytes, int64_t n)
{
	rec_add_real(r, key, n > 0 && bytes >= 0 ? (double)bytes / (double)n : NAN, 1);
}

static void report_cache_drop(struct rec_report *r, const struct drop_result *c)
{
	rec_begin_object(r, "cold");
	rec_add_int(r, "files", c->files);
	rec_add_int(r, "files_refused", c->refused);
	rec_add_count(r, "dropped_bytes", c->dropped_bytes);
	rec_add_count(r, "stayed_bytes", c->stayed_bytes);
	rec_begin_array(r, "stayed");
	for (int i = 0; i < FILE_SET_STAYED && c->stayed[i] && c->stayed_bytes >= 0; i++) {
		rec_begin_object(r, NULL);
		rec_add_str(r, "file", c->stayed[i]);
		rec_add_int(r, "bytes", c->stayed_of_bytes[i]);
		rec_end(r);
	}
	rec_end(r);
	rec_end(r);
}

static void report_replay(struct rec_report *r, const struct report_cfg *cfg, const struct run_results *run)
{
	bool known = run->io_ns >= 0;

	report_ms(r, "t_io_ms", run->io_ns);
	report_ms(r, "t_io_read_ms", known ? run->replay.read_ns : -1);
	report_ms(r, "t_io_write_ms", known ? run->replay.write_ns : -1);
	rec_add_count(r, "t_io_requests", known ? run->replay.reads + run->replay.writes : -1);
	if (known)
		rec_add_bool(r, "t_io_scaled", run->replay.cut);
	if (cfg->t0_given)
		rec_add_real(r, "e",
			     report_overhead(run->result.stable_ns, cfg->t0_ns, cfg->t0_spread_ns,
					     run->result.stable_ns < 0 ? -1 : run->io_ns),
			     4);
}

static void report_events(struct rec_report *r, const struct event_script *script, const struct event_result *event)
{
	rec_begin_array(r, "events");
	for (size_t i = 0; i < script->n; i++) {
		rec_begin_object(r, NULL);
		rec_add_str(r, "name", script->event[i].name);
		rec_add_str(r, "state", start_event_states[event[i].state]);
		report_ms(r, "first_change_ms", event[i].first_change_ns);
		report_ms(r, "stable_ms", event[i].stable_ns);
		rec_end(r);
	}
	rec_end(r);
}

static void report_run(struct rec_report *r, const struct report_cfg *cfg, const struct run_results *run)
{
	const struct start_result *o = &run->result;

	rec_begin_object(r, NULL);
	rec_add_str(r, "state", start_states[o->state]);
	report_ms(r, "mapped_ms", o->mapped_ns);
	report_ms(r, "first_paint_ms", o->paint_ns);
	report_ms(r, "stable_ms", o->stable_ns);
	report_ms(r, "changed_again_ms", o->changed_again_ns);
	report_ms(r, "splash_ms", o->splash_ns);
	report_ms(r, "last_change_ms", o->last_change_ns);
	rec_add_int(r, "splashes", o->splashes);
	rec_add_bool(r, "caret", o->caret);
	rec_add_bool(r, "busy", o->busy);
	rec_add_ints(r, { "windows", o->windows }, { "width", o->width }, { "height", o->height }, { "changes", o->changes },
		     { "looks", o->looks });
	report_ms(r, "resolution_ms", o->longest_ns);
	rec_add_int(r, "processes", o->processes);
	rec_add_int(r, "threads", o->threads);
	rec_add_real(r, "cpu_s", (double)o->counts.cpu_ns / NS_PER_S, 3);
	rec_add_int(r, "major_faults", o->counts.major_faults);
	rec_add_int(r, "minor_faults", o->counts.minor_faults);
	rec_add_count(r, "swap_in_bytes", o->moved.read_bytes);
	rec_add_count(r, "swap_out_bytes", o->moved.write_bytes);
	rec_add_count(r, "read_requests", o->moved.reads);
	report_mean_bytes(r, "read_bytes_mean", o->moved.read_bytes, o->moved.reads);
	rec_add_count(r, "write_requests", o->moved.writes);
	report_mean_bytes(r, "write_bytes_mean", o->moved.write_bytes, o->moved.writes);
	rec_add_count(r, "refaults_anonymous", o->refaults.anonymous);
	rec_add_count(r, "refaults_file", o->refaults.file);
	rec_add_count(r, "direct_scanned_pages", o->refaults.direct_scanned);
	rec_add_count(r, "resident_bytes", o->memory.resident_bytes);
	rec_add_count(r, "proportional_bytes", o->memory.proportional_bytes);
	rec_add_count(r, "private_bytes", o->memory.private_bytes);
	rec_add_count(r, "swapped_bytes", o->memory.swapped_bytes);
	report_ms(r, "probe_cpu_ms", o->probe_cpu_ns);
	report_replay(r, cfg, run);
	if (cfg->cold)
		report_cache_drop(r, &run->cold);
	if (cfg->script)
		report_events(r, cfg->script, o->event);
	rec_add_str(r, "ended", start_ends[o->end]);
	if (o->exit_status >= 0 && WIFEXITED(o->exit_status))
		rec_add_int(r, "exit_status", WEXITSTATUS(o->exit_status));
	rec_add_int(r, "exec_ns", o->exec_ns);
	rec_end(r);
}

/* The known values of all stable starts; `of`: where the value is in struct run_results. */
static struct sample collect_times(const struct run_results *run, int64_t n, size_t of)
{
	struct sample s = { 0 };

	for (int64_t i = 0; i < n; i++) {
		int64_t ns = *(const int64_t *)((const char *)&run[i] + of);

		if (run[i].result.state == START_STABLE && ns >= 0)
			sample_add(&s, ns);
	}
	return s;
}

static void report_timing(struct rec_report *r, const char *key, const struct run_results *run, int64_t n, size_t of)
{
	struct sample s = collect_times(run, n, of);

	rec_add_sample(r, key, &s, NS_PER_MS);
	sample_free(&s);
}

static void say_sample(struct rec_report *r, const char *name, const char *more, struct sample *s)
{
	if (s->n == 1)
		rec_add_row(r, "  %s%s\t%s\tms", name, more, stat_text(s, 0.5, NS_PER_MS));
	else if (s->n)
		rec_add_row(r, "  %s%s\t%s\t%s\t%s\tms", name, more, stat_text(s, 0.5, NS_PER_MS), stat_text(s, 0, NS_PER_MS),
			    stat_text(s, 1, NS_PER_MS));
}

static void say_timing(struct rec_report *r, const char *name, const struct run_results *run, int64_t n, size_t of)
{
	struct sample s = collect_times(run, n, of);

	say_sample(r, name, "", &s);
	sample_free(&s);
}

/* Two events, as the text has room for two more rows; --json has all. */
static void say_event_timings(struct rec_report *r, const struct event_script *script, const struct run_results *run, int64_t n)
{
	for (size_t i = 0; script && script->n <= 2 && i < script->n; i++) {
		struct sample rest = { 0 };

		for (int64_t k = 0; k < n; k++)
			if (run[k].result.event && run[k].result.event[i].state == START_EVENT_STABLE)
				sample_add(&rest, run[k].result.event[i].stable_ns);
		say_sample(r, script->event[i].name, ": stable", &rest);
		sample_free(&rest);
	}
	if (script && script->n > 2)
		rec_say(r, "the times of its %s are in \"events\" of --json", counted_text((int64_t)script->n, "event"));
}

/* The state of the last start that was not stable. */
static enum start_state find_last_failure(const struct run_results *run, int64_t n)
{
	while (n && run[n - 1].result.state == START_STABLE)
		n--;
	return n ? run[n - 1].result.state : START_STABLE;
}

/* The events of the script that had no stable answer, in all starts that were stable. */
static int64_t count_unanswered(const struct event_script *script, const struct run_results *run, int64_t n)
{
	int64_t missed = 0;

	for (int64_t k = 0; k < n; k++)
		for (size_t i = 0; script && i < script->n && run[k].result.state == START_STABLE; i++)
			missed += !run[k].result.event || run[k].result.event[i].state != START_EVENT_STABLE;
	return missed;
}

/* Where the files were before each start. */
static const char *cache_words(const struct report_cfg *cfg, const struct run_results *run, int64_t n)
{
	if (!cfg->cold)
		return cfg->warmed ? "cached" : "as they were";
	for (int64_t i = 0; i < n; i++)
		if (run[i].cold.stayed_bytes != 0 || run[i].cold.refused > 0)
			return "dropped as far as they could be";
	return "on disk";
}

void report_say_starts(struct rec_report *r, const struct report_cfg *cfg, const struct run_results *run, int64_t n,
		       const char *command)
{
	const struct start_result *last = NULL;
	int64_t good = 0, again = 0, busy = 0, latest_ns = 0, read, unanswered = count_unanswered(cfg->script, run, n);
	char state[40];

	for (int64_t i = 0; i < n; i++) {
		good += run[i].result.state == START_STABLE;
		if (run[i].result.state != START_STABLE)
			continue;
		last = &run[i].result;
		again += last->changed_again_ns >= 0;
		busy += last->busy;
		latest_ns = last->changed_again_ns > latest_ns ? last->changed_again_ns : latest_ns;
	}
	if (!n) {
		rec_warn(r, "%s was not started: a signal came first.", command);
		return;
	}
	if (good < n) {
		snprintf(state, sizeof(state), "%s", start_states[find_last_failure(run, n)]);
		for (char *p = state; *p; p++)
			*p = *p == '_' ? ' ' : *p;
		rec_warn(r, "%s of %s starts did not reach stable content, the last of them: %s (see \"runs\" in --json)",
			 count_text(n - good), count_text(n), state);
	}
	if (again)
		rec_warn(r, "changed again after it was stable, in %s of %s starts, by %s later: a longer --settle waits for that",
			 count_text(again), count_text(n), ns_text((double)latest_ns));
	if (busy)
		rec_warn(r, "its processes were still busy in %s of %s starts: a longer --watch-after waits for more windows",
			 count_text(busy), count_text(n));
	if (unanswered)
		rec_warn(r, "%s had no stable answer (see \"events\" in --json)", counted_text(unanswered, "event"));
	if (!good) {
		rec_say(r, "%s: %s start%s, no times", command, count_text(n), n == 1 ? "" : "s");
		return;
	}
	rec_say(r, "%s: %s start%s, files %s", command, count_text(n), n == 1 ? "" : "s", cache_words(cfg, run, n));
	rec_begin_table(r, good > 1 ? "lrrr" : "lr", "%s", good > 1 ? "\tmedian\tmin\tmax" : "");
	say_timing(r, "window appears", run, n, offsetof(struct run_results, result.mapped_ns));
	say_timing(r, "first pixels", run, n, offsetof(struct run_results, result.paint_ns));
	say_timing(r, "content stable", run, n, offsetof(struct run_results, result.stable_ns));
	say_event_timings(r, cfg->script, run, n);
	read = last->moved.read_bytes;
	if (last->memory.resident_bytes > 0)
		rec_say(r, "%s%s resident%s%s%s", n > 1 ? "the last stable one: " : "",
			memory_text((double)last->memory.resident_bytes), read < 0 ? "" : ", ",
			read < 0 ? ""
			: read	 ? memory_text((double)read)
				 : "nothing",
			read < 0 ? "" : " read from swap");
}

static void report_event_timings(struct rec_report *r, const struct event_script *script, const struct run_results *run, int64_t n)
{
	rec_begin_array(r, "events");
	for (size_t i = 0; i < script->n; i++) {
		struct sample first = { 0 }, rest = { 0 };
		int64_t missed = 0;

		for (int64_t k = 0; k < n; k++) {
			const struct event_result *e = run[k].result.event ? &run[k].result.event[i] : NULL;

			if (!e || e->state != START_EVENT_STABLE) {
				missed++;
				continue;
			}
			sample_add(&first, e->first_change_ns);
			sample_add(&rest, e->stable_ns);
		}
		rec_begin_object(r, NULL);
		rec_add_str(r, "name", script->event[i].name);
		rec_add_int(r, "missed", missed);
		rec_add_sample(r, "first_change_ms", &first, NS_PER_MS);
		rec_add_sample(r, "stable_ms", &rest, NS_PER_MS);
		rec_end(r);
		sample_free(&first);
		sample_free(&rest);
	}
	rec_end(r);
}

int64_t report_starts(struct rec_report *r, const struct report_cfg *cfg, const struct run_results *run, int64_t n)
{
	int64_t good = 0, longest = 0;

	rec_begin_object(r, "result");
	rec_begin_array(r, "runs");
	for (int64_t i = 0; i < n; i++) {
		report_run(r, cfg, &run[i]);
		good += run[i].result.state == START_STABLE;
		if (run[i].result.longest_ns > longest)
			longest = run[i].result.longest_ns;
	}
	rec_end(r);
	rec_add_int(r, "runs_stable", good);
	rec_add_int(r, "runs_not_stable", n - good);
	report_timing(r, "mapped_ms", run, n, offsetof(struct run_results, result.mapped_ns));
	report_timing(r, "first_paint_ms", run, n, offsetof(struct run_results, result.paint_ns));
	report_timing(r, "stable_ms", run, n, offsetof(struct run_results, result.stable_ns));
	report_timing(r, "t_io_ms", run, n, offsetof(struct run_results, io_ns));
	if (cfg->script)
		report_event_timings(r, cfg->script, run, n);
	report_ms(r, "resolution_ms", longest);
	held_up_report(r);
	rec_end(r);
	return good;
}
