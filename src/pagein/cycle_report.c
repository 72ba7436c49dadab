// SPDX-License-Identifier: GPL-3.0-or-later
#include "pagein.h"
#include "clock.h"
#include "held_up.h"
#include "say.h"

#include <math.h>

static double latency_ms(const struct timed_key *key, bool doubtful)
{
	return key->asked && key->answer.answered_ns && key_is_doubtful(key) == doubtful
		       ? (double)(key->answer.answered_ns - key->answer.due_ns) / NS_PER_MS
		       : NAN;
}

static void report_process(struct rec_report *r, pid_t pid, const struct process_readings *p)
{
	const struct smaps_sum *m = &p->before.memory;

	rec_begin_object(r, NULL);
	rec_add_int(r, "pid", pid);
	rec_add_str(r, "name", *p->before.name ? p->before.name : NULL);
	rec_add_int(r, "swap_bytes", m->anonymous_swap);
	rec_add_int(r, "anonymous_private_bytes", m->anonymous_resident + m->anonymous_swap);
	rec_add_real(r, "evicted_percent", judge_evicted_percent(&p->judged), 2);
	rec_add_ints(r, { "file_resident_bytes", m->file_resident }, { "file_mapped_by_others_bytes", m->file_shared },
		     { "shared_memory_resident_bytes", m->shared_memory_resident }, { "resident_bytes", m->all.rss },
		     { "locked_bytes", m->all.locked }, { "major_faults", p->judged.major }, { "minor_faults", p->judged.minor },
		     { "second_major_faults", p->second_major }, { "second_minor_faults", p->second_minor });
	rec_end(r);
}

static void report_run(struct rec_report *r, const struct cycle_cfg *cfg, struct cycle_run *run)
{
	int64_t major = 0, minor = 0;
	bool timed = run->first.asked;

	for (size_t i = 0; i < cfg->n; i++) {
		major += run->process[i].judged.major;
		minor += run->process[i].judged.minor;
	}
	rec_begin_object(r, NULL);
	rec_add_int(r, "run", run->number);
	rec_add_str(r, "state", judge_words[run->verdict.state]);
	rec_add_str(r, "method", run->out ? cycle_methods[cfg->method] : NULL);
	rec_add_str(r, "why", judge_reasons[run->verdict.why]);
	/* no latency for a run that could not be paged out: readers would take it for that of a paged out one */
	if (run->verdict.state == JUDGE_NOT_EVICTED)
		timed = false;
	rec_add_real(r, "first_key_ms", timed ? latency_ms(&run->first, false) : NAN, 3);
	rec_add_real(r, "second_key_ms", timed ? latency_ms(&run->second, false) : NAN, 3);
	rec_begin_object(r, "above");
	rec_add_real(r, "first_key_ms", timed ? latency_ms(&run->first, true) : NAN, 3);
	rec_add_real(r, "second_key_ms", timed ? latency_ms(&run->second, true) : NAN, 3);
	rec_end(r);
	if (cfg->type_ns)
		rec_add_sample(r, "typed_ms", &run->typed, NS_PER_MS);
	rec_add_str(r, "echo", timed ? run->first.answer.how : NULL);
	rec_add_int(r, "major_faults", major);
	rec_add_int(r, "minor_faults", minor);
	rec_add_count(r, "swap_in_bytes", run->read_bytes);
	rec_add_count(r, "second_swap_in_bytes", run->second_read_bytes);
	rec_add_int(r, "refaulted_bytes", run->verdict.refaulted_bytes);
	rec_add_real(r, "refaulted_read_percent", run->first.asked ? run->verdict.read_percent : NAN, 1);
	rec_add_count(r, "swap_cached_bytes", run->cached_bytes);
	rec_add_real(r, "evict_s", run->out ? (double)run->evict_ns / NS_PER_S : NAN, 3);
	rec_add_ints(r, { "attempts", run->attempts }, { "hogs_killed", run->hogs_killed }, { "warm_keys", run->warm_keys });
	rec_begin_array(r, "processes");
	for (size_t i = 0; i < cfg->n; i++)
		report_process(r, cfg->pid[i], &run->process[i]);
	rec_end(r);
	rec_end(r);
}

static void add_key_latency(struct sample *s, const struct timed_key *key, int64_t timeout_ns, struct cycle_tally *tally)
{
	if (key->asked && key->answer.answered_ns && key_is_doubtful(key)) { /* the echo came then, or later */
		sample_add_censored(s, key->answer.answered_ns - key->answer.due_ns);
		tally->doubtful++;
	} else if (key->asked && key->answer.answered_ns) {
		sample_add(s, key->answer.answered_ns - key->answer.due_ns);
	} else if (key->asked) {
		sample_add_censored(s, timeout_ns);
		tally->unanswered++;
	}
}

static void report_timings(struct rec_report *r, const struct cycle_run *run, size_t n, enum judge_state state,
			   const char *first_name, const char *second_name, int64_t timeout_ns, struct cycle_tally *tally)
{
	struct sample first = { 0 }, second = { 0 };

	for (size_t i = 0; i < n; i++) {
		if (run[i].verdict.state != state)
			continue;
		add_key_latency(&first, &run[i].first, timeout_ns, tally);
		add_key_latency(&second, &run[i].second, timeout_ns, tally);
	}
	rec_add_sample(r, first_name, &first, NS_PER_MS);
	rec_add_sample(r, second_name, &second, NS_PER_MS);
	sample_free(&first);
	sample_free(&second);
}

void report_cycles(struct rec_report *r, const struct cycle_cfg *cfg, struct cycle_run *run, size_t n, int64_t timeout_ns,
		   struct cycle_tally *tally)
{
	*tally = (struct cycle_tally){ 0 };
	for (size_t i = 0; i < n; i++)
		tally->of[run[i].verdict.state]++;
	rec_begin_object(r, "result");
	report_timings(r, run, n, JUDGE_IN_MEMORY, "in_memory_ms", "in_memory_second_ms", timeout_ns, tally);
	report_timings(r, run, n, JUDGE_PAGED_OUT, "paged_out_ms", "paged_out_second_ms", timeout_ns, tally);
	if (cfg->kept)
		report_timings(r, run, n, JUDGE_KEPT, "kept_ms", "kept_second_ms", timeout_ns, tally);
	rec_add_ints(r, { "in_memory", tally->of[JUDGE_IN_MEMORY] }, { "paged_out", tally->of[JUDGE_PAGED_OUT] },
		     { "kept", tally->of[JUDGE_KEPT] }, { "not_evicted", tally->of[JUDGE_NOT_EVICTED] },
		     { "not_in_memory", tally->of[JUDGE_NOT_IN_MEMORY] }, { "unanswered", tally->unanswered },
		     { "doubtful", tally->doubtful });
	held_up_report(r);
	rec_begin_array(r, "runs");
	for (size_t i = 0; i < n; i++)
		report_run(r, cfg, &run[i]);
	rec_end(r);
	rec_end(r);
}

/* --- for people --------------------------------------------------------------------------------------------------- */

static void say_state(struct rec_report *r, const char *name, const struct cycle_run *run, size_t n, enum judge_state state,
		      int64_t timeout_ns)
{
	struct sample first = { 0 }, second = { 0 }, faults = { 0 }, read = { 0 };
	struct cycle_tally unused = { 0 };
	char more[80] = "";
	int64_t runs = 0;

	for (size_t i = 0; i < n; i++) {
		int64_t major = 0;

		if (run[i].verdict.state != state)
			continue;
		runs++;
		add_key_latency(&first, &run[i].first, timeout_ns, &unused);
		add_key_latency(&second, &run[i].second, timeout_ns, &unused);
		for (size_t k = 0; k < CYCLE_PROCESSES; k++)
			major += run[i].process[k].judged.major;
		sample_add(&faults, major);
		if (run[i].read_bytes >= 0)
			sample_add(&read, run[i].read_bytes);
	}
	if (state == JUDGE_PAGED_OUT && first.n)
		snprintf(more, sizeof(more), "\t%s page faults, %s read back", stat_text(&faults, 0.5, 1),
			 read.n ? memory_text(sample_quantile(&read, 0.5).value) : "-");
	if (first.n)
		rec_add_row(r, "%s, %s\t%s ms\t%s ms%s", name, counted_text(runs, "run"), stat_text(&first, 0.5, NS_PER_MS),
			    stat_text(&second, 0.5, NS_PER_MS), more);
	sample_free(&first);
	sample_free(&second);
	sample_free(&faults);
	sample_free(&read);
}

#define APART 3 /* runs of each state: without a delay, chance puts all three of one above those of the other once in twenty */

static void say_delay(struct rec_report *r, const struct cycle_run *run, size_t n, int64_t timeout_ns)
{
	struct sample in = { 0 }, out = { 0 };
	struct cycle_tally unused = { 0 };

	for (size_t i = 0; i < n; i++)
		if (run[i].verdict.state == JUDGE_IN_MEMORY || run[i].verdict.state == JUDGE_PAGED_OUT)
			add_key_latency(run[i].verdict.state == JUDGE_IN_MEMORY ? &in : &out, &run[i].first, timeout_ns, &unused);
	if (in.n >= APART && out.n >= APART && !in.censored && sample_min(&out).value > sample_max(&in).value)
		rec_say(r, "Paging out delays the first key by %s%s (difference of the medians).",
			sample_quantile(&out, 0.5).above ? "more than " : "",
			ns_text(sample_quantile(&out, 0.5).value - sample_quantile(&in, 0.5).value));
	else if (in.n && out.n)
		rec_say(r, "These runs do not tell whether paging out delays the first key: they are %s.",
			in.n < APART || out.n < APART ? "too few" : "not apart");
	sample_free(&in);
	sample_free(&out);
}

/* The most frequent reason why runs were not paged out. */
static enum judge_why find_main_reason(const struct cycle_run *run, size_t n)
{
	int count[JUDGE_HOG_ENDED + 1] = { 0 };
	enum judge_why most = JUDGE_CLEAR;

	for (size_t i = 0; i < n; i++)
		if (run[i].verdict.state == JUDGE_NOT_EVICTED && ++count[run[i].verdict.why] > count[most])
			most = run[i].verdict.why;
	return most;
}

static const char *cure_text(enum judge_why why)
{
	switch (why) {
	case JUDGE_RESIDENT: return "Use --evict hog, a longer --evict-timeout, or a --settle in which the application is idle.";
	case JUDGE_LOCKED: return "It has locked its memory itself (mlock); --kept times such runs.";
	case JUDGE_SWAP_CACHE:
	case JUDGE_NO_MAJOR_FAULT: return "Put swap on a slow disk: slowdisk, or thinprobe run paging --swap slow:2.5ms.";
	case JUDGE_NOTHING_ANONYMOUS: return "Give processes with anonymous memory as --pid.";
	default: return "";
	}
}

void report_say_cycles(struct rec_report *r, const struct cycle_cfg *cfg, const struct cycle_run *run, size_t n, int64_t timeout_ns,
		       const struct cycle_tally *tally)
{
	enum judge_why why = find_main_reason(run, n);
	int64_t tried = tally->of[JUDGE_PAGED_OUT] + tally->of[JUDGE_NOT_EVICTED];

	if (tally->of[JUDGE_NOT_EVICTED])
		rec_warn(r, "%s page the process out%s%s (%s of %s). %s",
			 tally->of[JUDGE_PAGED_OUT] ? "Could not always" : "Could not", judge_reasons[why] ? ": " : "",
			 judge_reasons[why] ? judge_reasons[why] : "", count_text(tally->of[JUDGE_PAGED_OUT]),
			 counted_text(tried, "run"), cure_text(why));
	if (tried && memgroup_zswap_is_on() > 0)
		rec_warn(r, "zswap is on: pages may come back from compressed memory; write N to "
			    "/sys/module/zswap/parameters/enabled");
	if (tally->of[JUDGE_NOT_IN_MEMORY])
		rec_warn(r, "left out: %s in memory with major page faults", counted_text(tally->of[JUDGE_NOT_IN_MEMORY], "run"));
	if (tally->doubtful)
		rec_warn(r, "in doubt: what was taken for the echo of %s may not be it, and it may have come later",
			 counted_text(tally->doubtful, "key"));
	if (tally->unanswered)
		rec_warn(r, "not answered in %s: %s", ns_text((double)timeout_ns), counted_text(tally->unanswered, "key"));
	rec_say(r, "%s of two keys each; time from the key to the first screen update", counted_text((int64_t)n, "run"));
	rec_begin_table(r, "lrr", "median\tfirst key\tsecond key");
	say_state(r, "in memory", run, n, JUDGE_IN_MEMORY, timeout_ns);
	say_state(r, "paged out", run, n, JUDGE_PAGED_OUT, timeout_ns);
	if (cfg->kept)
		say_state(r, "resisted", run, n, JUDGE_KEPT, timeout_ns);
	say_delay(r, run, n, timeout_ns);
}
