// SPDX-License-Identifier: GPL-3.0-or-later
#include "cycle.h"
#include "clock.h"
#include "proc.h"
#include "push.h"
#include "swap.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define WARM_KEYS 8			/* at most, until one needs nothing from the disk */
#define WARM_GAP_NS (200 * NS_PER_MS)

const char *const cycle_methods[] = { "cgroup", "madvise", "hog", "none", NULL };

int cycle_ask(const struct cycle_cfg *cfg, struct cycle_key *key, char why[CYCLE_WHY])
{
	int err = prober_ask(cfg->prober, cfg->patience_ns, &key->answer);

	key->asked = !err;
	if (!err || err == -EINTR)
		return err;
	snprintf(why, CYCLE_WHY, "%s",
		 err == -ETIMEDOUT ? "the prober does not answer: is its --timeout longer than ours, or its display stopped?" :
		 err == -EPROTO ? "the prober answers in other words than keyrepeat --schedule asked" :
			 "the prober has ended: what it said stands above");
	return -EIO;
}

int cycle_warm_up(const struct cycle_cfg *cfg, char why[CYCLE_WHY])
{
	struct cycle_key key;

	return cycle_ask(cfg, &key, why);
}

static int64_t major_faults(const struct cycle_cfg *cfg, const struct reading *r)
{
	int64_t sum = 0;

	for (size_t i = 0; i < cfg->n; i++)
		sum += r->is[i].major;
	return sum;
}

static int64_t more(int64_t before, int64_t after)
{
	return before >= 0 && after >= before ? after - before : -1;
}

/* The key, and what it did: from the last look before it, in *r, to the first after its echo, which is there afterwards. */
static int first_key(const struct cycle_cfg *cfg, struct cycle_run *run, struct reading *r, char why[CYCLE_WHY])
{
	struct judge_process p[CYCLE_PROCESSES];
	struct reading after = *r;
	int err;

	reading_judged(cfg, r, p);
	for (size_t i = 0; i < cfg->n; i++)
		run->process[i].before = r->is[i];
	run->cached_bytes = memgroup_swap_cached(&cfg->group);
	reading_note(cfg, run, r, "before_key", 0);
	err = cycle_ask(cfg, &run->first, why);
	if (!err)
		err = reading_faults(cfg, &after, why);
	if (err)
		return err;
	run->read_bytes = more(r->swapped_in, after.swapped_in);
	run->fault_bytes = swap_fault_bytes();
	for (size_t i = 0; i < cfg->n; i++) {
		p[i].major = after.is[i].major - r->is[i].major;
		p[i].minor = after.is[i].minor - r->is[i].minor;
	}
	if (run->first.answer.sent_ns)
		reading_note(cfg, run, r, "sent", run->first.answer.sent_ns);
	*r = after;
	err = reading_take(cfg, r, why);
	if (err)
		return err;
	for (size_t i = 0; i < cfg->n; i++) {
		p[i].swap_after = r->is[i].memory.anonymous_swap;
		run->process[i].judged = p[i];
	}
	if (run->first.answer.answered_ns)
		reading_note(cfg, run, r, "echo", run->first.answer.answered_ns);
	return 0;
}

static int second_key(const struct cycle_cfg *cfg, struct cycle_run *run, struct reading *r, char why[CYCLE_WHY])
{
	struct reading after;
	int err;

	proc_wait_stop(clock_now() + cfg->pause_ns);
	if (proc_stop)
		return -EINTR;
	err = reading_take(cfg, r, why);	/* what went on after the first echo is not the second key's */
	if (err)
		return err;
	after = *r;
	err = cycle_ask(cfg, &run->second, why);
	if (!err)
		err = reading_faults(cfg, &after, why);
	if (err)
		return err;
	run->second_read_bytes = more(r->swapped_in, after.swapped_in);
	for (size_t i = 0; i < cfg->n; i++) {
		run->process[i].second_major = after.is[i].major - r->is[i].major;
		run->process[i].second_minor = after.is[i].minor - r->is[i].minor;
	}
	if (run->second.answer.sent_ns)
		reading_note(cfg, run, r, "second_sent", run->second.answer.sent_ns);
	err = reading_take(cfg, &after, why);
	if (!err && run->second.answer.answered_ns)
		reading_note(cfg, run, &after, "second_echo", run->second.answer.answered_ns);
	return err;
}

static struct judge_device judged_device(const struct cycle_run *run)
{
	return (struct judge_device){ run->read_bytes, run->cached_bytes, run->fault_bytes };
}

/* The first key, the second, and what is to be judged of them. */
static int both_keys(const struct cycle_cfg *cfg, struct cycle_run *run, struct reading *r,
		     struct judge_process *p, struct judge_device *of, char why[CYCLE_WHY])
{
	int err = first_key(cfg, run, r, why);

	if (!err)
		err = second_key(cfg, run, r, why);
	for (size_t i = 0; i < cfg->n; i++)
		p[i] = run->process[i].judged;
	*of = judged_device(run);
	return err;
}

/* Keys until one needs nothing from the disk: what a key touches is then in memory. */
static int warm(const struct cycle_cfg *cfg, struct cycle_run *run, char why[CYCLE_WHY])
{
	struct reading r = { 0 };
	int64_t before;
	int err = reading_faults(cfg, &r, why);

	do {
		before = major_faults(cfg, &r);
		if (!err)
			err = cycle_warm_up(cfg, why);
		if (!err)
			err = reading_faults(cfg, &r, why);
		run->warm_keys++;
		if (!err)
			proc_wait_stop(clock_now() + WARM_GAP_NS);
	} while (!err && !proc_stop && major_faults(cfg, &r) > before && run->warm_keys < WARM_KEYS);
	return err ? err : proc_stop ? -EINTR : 0;
}

int cycle_in_memory(const struct cycle_cfg *cfg, struct cycle_run *run, char why[CYCLE_WHY])
{
	struct reading r;
	struct judge_process p[CYCLE_PROCESSES];
	struct judge_device of;
	int err = warm(cfg, run, why);

	if (err)
		return err;
	proc_wait_stop(clock_now() + cfg->settle_ns);
	if (proc_stop)
		return -EINTR;
	err = reading_take(cfg, &r, why);
	if (!err)
		err = both_keys(cfg, run, &r, p, &of, why);
	if (!err)
		judge_in_memory(p, cfg->n, &of, &run->verdict);
	return err;
}

static void record_run(const struct cycle_cfg *cfg, struct cycle_run *run, const struct reading *r)
{
	struct judge_process p[CYCLE_PROCESSES];

	reading_judged(cfg, r, p);
	for (size_t i = 0; i < cfg->n; i++) {
		run->process[i].before = r->is[i];
		run->process[i].judged = p[i];
	}
	run->read_bytes = run->second_read_bytes = -1;
	run->cached_bytes = memgroup_swap_cached(&cfg->group);
}

static int paged_out(const struct cycle_cfg *cfg, struct cycle_run *run, struct evict_hog *hog, char why[CYCLE_WHY])
{
	struct reading r;
	struct judge_process p[CYCLE_PROCESSES];
	struct judge_device of;
	bool kept;
	int err = push_out(cfg, run, hog, &r, why);

	if (err)
		return err;
	reading_judged(cfg, &r, p);
	run->verdict.why = judge_evicted(p, cfg->n);
	kept = run->verdict.why != JUDGE_CLEAR && cfg->kept && judge_kept(p, cfg->n);
	if (run->verdict.why != JUDGE_CLEAR && !kept) {
		run->verdict.state = JUDGE_NOT_EVICTED;
		record_run(cfg, run, &r);
		return 0;
	}
	err = both_keys(cfg, run, &r, p, &of, why);
	if (err)
		return err;
	judge_paged_out(p, cfg->n, &of, &run->verdict);
	if (kept)
		run->verdict.state = JUDGE_KEPT;
	return 0;
}

int cycle_paged_out(const struct cycle_cfg *cfg, struct cycle_run *run, char why[CYCLE_WHY])
{
	struct evict_hog hog = { 0 };
	int err = paged_out(cfg, run, &hog, why);

	evict_hog_stop(&hog);
	return err;
}
