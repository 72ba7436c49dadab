// SPDX-License-Identifier: GPL-3.0-or-later
#include "push.h"
#include "clock.h"
#include "proc.h"
#include "why.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define LOOK_NS (50 * NS_PER_MS)	/* between attempts */
#define BEYOND_NS (250 * NS_PER_MS)	/* a hog goes on after all is in swap, at first */
/* a tenth of what is in swap may still be in memory, too: more is on its way, and worth another
 * attempt */
#define CACHED_SHARE 10

/* More of it is still in memory than will do, although swap has it. Advice cannot change that, and
 * beside a hog it may be the hog's. */
static bool lingers(const struct cycle_cfg *cfg, const struct evict_hog *hog, const struct reading *r)
{
	int64_t swap = 0, cached = memgroup_swap_cached(&cfg->group);

	for (size_t i = 0; i < cfg->n; i++)
		swap += r->is[i].memory.anonymous_swap;
	return cfg->method != EVICT_MADVISE && !hog->pid && cached * CACHED_SHARE > swap;
}

static int attempt(const struct cycle_cfg *cfg, struct cycle_run *run, struct evict_hog *hog, char why[CYCLE_WHY])
{
	char said[200];
	int err = 0, ended;

	if (cfg->method == EVICT_CGROUP) {
		err = memgroup_evict(&cfg->group);
		if (err)
			snprintf(why, CYCLE_WHY, "cannot empty %s: %s", cfg->group.path, strerror(-err));
	} else if (cfg->method == EVICT_MADVISE) {
		for (size_t i = 0; !err && i < cfg->n; i++) {
			err = evict_by_advice(cfg->pid[i]);
			if (err)
				snprintf(why, CYCLE_WHY, "cannot advise on the memory of process %d: %s", (int)cfg->pid[i],
					 err == -ENOSYS ? "Linux 5.10 has process_madvise; take --evict cgroup or hog" :
					 err == -EPERM ? "it takes CAP_SYS_NICE and the right to trace it; run as root" : strerror(-err));
		}
	} else if ((ended = evict_hog_ended(hog, said, sizeof(said))) > 0) {
		run->hogs_killed++;	/* what it pushed out stays out: another one goes on */
	} else if (ended < 0) {
		snprintf(why, CYCLE_WHY, "%s ended before all was paged out: %s", cfg->hog[0], said);
		err = -EIO;
	}
	return err ? -EIO : 0;
}

/* Somebody types on: a key where one is due. */
static int type_key(const struct cycle_cfg *cfg, struct cycle_run *run, int64_t *due_ns, char why[CYCLE_WHY])
{
	struct cycle_key key;
	int64_t now = clock_now();
	int err;

	if (!cfg->type_ns || now < *due_ns)
		return 0;
	*due_ns = now + cfg->type_ns;
	err = cycle_ask(cfg, &key, why);
	if (!err && key.answer.answered_ns)
		sample_add(&run->typed, key.answer.answered_ns - key.answer.due_ns);
	else if (!err)
		sample_add_censored(&run->typed, clock_now() - now);
	return err;
}

/* Until all processes count as evicted, and so long beyond; or until the time is up. */
static int evict(const struct cycle_cfg *cfg, struct cycle_run *run, struct evict_hog *hog, struct reading *r,
		 int64_t beyond_ns, int64_t until_ns, char why[CYCLE_WHY])
{
	struct judge_process p[CYCLE_PROCESSES];
	int64_t since = 0, type_due_ns = 0;
	int err;

	for (;;) {
		enum judge_why in_the_way;
		int64_t now;

		if (cfg->method == EVICT_HOG && !hog->pid && (err = evict_hog_start(hog, cfg->hog)))
			return why_write(-EIO, why, CYCLE_WHY, "cannot run %s: %s", cfg->hog[0], strerror(-err));
		err = attempt(cfg, run, hog, why);
		if (!err)
			err = type_key(cfg, run, &type_due_ns, why);
		if (!err)
			err = reading_take(cfg, r, why);
		if (err)
			return err;
		now = clock_now();
		run->attempts++;
		reading_note(cfg, run, r, "evicting", 0);
		reading_judged(cfg, r, p);
		in_the_way = judge_evicted(p, cfg->n);
		if (in_the_way != JUDGE_CLEAR || lingers(cfg, hog, r))
			since = 0;
		else if (!since)
			since = now;
		if ((since && now - since >= beyond_ns && !cfg->type_ns) || in_the_way == JUDGE_NOTHING_ANONYMOUS || now > until_ns)
			return 0;
		proc_wait_stop(now + LOOK_NS);
		if (proc_stop)
			return -EINTR;
	}
}

/* What a hog has just pushed out is still being written: it
 * goes on for a moment, and longer when that was not enough. */
int push_out(const struct cycle_cfg *cfg, struct cycle_run *run, struct evict_hog *hog, struct reading *r, char why[CYCLE_WHY])
{
	int64_t begin = clock_now(), beyond = cfg->method == EVICT_HOG ? BEYOND_NS : 0;
	struct judge_process p[CYCLE_PROCESSES];
	int err;

	for (int round = 0; round < CYCLE_ROUNDS; round++, beyond *= 4) {
		if (round && cfg->rest_hog)
			evict_hog_stop(hog);	/* one that rests evicts nothing more: another one does */
		err = evict(cfg, run, hog, r, beyond, begin + cfg->evict_ns, why);
		if (err)
			return err;
		run->evict_ns = clock_now() - begin;
		if (!cfg->keep_hog)
			evict_hog_stop(hog);
		else if (cfg->rest_hog)
			evict_hog_rest(hog);
		reading_note(cfg, run, r, "evicted", 0);
		proc_wait_stop(clock_now() + cfg->settle_ns);
		if (proc_stop)
			return -EINTR;
		err = reading_take(cfg, r, why);
		reading_judged(cfg, r, p);
		if (err || (judge_evicted(p, cfg->n) == JUDGE_CLEAR && !lingers(cfg, hog, r)) || clock_now() > begin + cfg->evict_ns)
			return err;
	}
	return 0;
}
