// SPDX-License-Identifier: GPL-3.0-or-later
#include "pagein.h"
#include "clock.h"
#include "proc.h"

#include <errno.h>
#include <string.h>

#define WARM_KEYS 8 /* warm-up keys at most, until one causes no major fault */
#define WARM_GAP_NS (200 * NS_PER_MS)
#define ATTEMPT_GAP_NS (50 * NS_PER_MS) /* between two attempts to page out */
#define HOG_EXTRA_NS (250 * NS_PER_MS)	/* how long a memory hog goes on after all is in swap, in the first round */
#define CACHED_SHARE 10 /* up to 1/10 of the swapped pages may stay in the swap cache; more is worth another attempt */

/* Memory and page faults of all processes at one time. */
struct memory_reading {
	struct process_memory is[CYCLE_PROCESSES];
	int64_t swapped_in;  /* bytes swapped in so far (memgroup_swapin_bytes); -1: not known */
	int64_t group_bytes; /* bytes charged to the memory group now; -1: not known */
};

const char *const cycle_methods[] = { "cgroup", "madvise", "hog", "none", NULL };
const char *const cycle_columns[] = { "run",	      "time_ns",	 "event",	"pid",
				      "swap_bytes",   "anonymous_bytes", "file_bytes",	"major_faults",
				      "minor_faults", "swap_in_bytes",	 "group_bytes", NULL };

/* --- readings --- */

static int64_t read_swapin(const struct memgroup *group)
{
	bool machine;

	return memgroup_swapin_bytes(group, &machine);
}

/* Logs a row for each process if there is a log; `at_ns` 0: now. */
static void log_memory(const struct cycle_cfg *cfg, const struct cycle_run *run, const struct memory_reading *r, const char *event,
		       int64_t at_ns)
{
	if (!cfg->log)
		return;
	at_ns = at_ns ? at_ns : clock_now();
	for (size_t i = 0; i < cfg->n; i++) {
		rows_write_ints(cfg->log, run->number, at_ns);
		rows_write_str(cfg->log, event);
		rows_write_ints(cfg->log, cfg->pid[i], r->is[i].memory.anonymous_swap, r->is[i].memory.anonymous_resident,
				r->is[i].memory.file_resident, r->is[i].major, r->is[i].minor);
		rows_write_counts(cfg->log, r->swapped_in, r->group_bytes);
		rows_end_row(cfg->log);
	}
}

static int explain_unreadable(const struct cycle_cfg *cfg, size_t i, int err, struct why *why)
{
	why_say(why, "process %d: %s", (int)cfg->pid[i],
		err == -ESRCH	 ? "it has ended"
		: err == -EACCES ? "no right to read its memory map; run as its user, or as root"
				 : strerror(-err));
	return -EIO;
}

/* Reads page faults and counters alone: quick, and does not stall the processes. */
static int read_faults(const struct cycle_cfg *cfg, struct memory_reading *r, struct why *why)
{
	for (size_t i = 0; i < cfg->n; i++) {
		int err = resident_read_faults(cfg->pid[i], &r->is[i]);

		if (err)
			return explain_unreadable(cfg, i, err, why);
	}
	r->swapped_in = read_swapin(&cfg->group);
	r->group_bytes = memgroup_used_bytes(&cfg->group);
	return 0;
}

/* 0, or -EIO with a line in `why`: a process has ended, or cannot be read. */
static int read_memory(const struct cycle_cfg *cfg, struct memory_reading *r, struct why *why)
{
	for (size_t i = 0; i < cfg->n; i++) {
		int err = resident_read_process(cfg->pid[i], &r->is[i]);

		if (err)
			return explain_unreadable(cfg, i, err, why);
	}
	return read_faults(cfg, r, why);
}

/* Copies the memory of each process into p[] for judge.h, with no change since this reading. */
static void copy_judged(const struct cycle_cfg *cfg, const struct memory_reading *r, struct judged_process *p)
{
	for (size_t i = 0; i < cfg->n; i++) {
		const struct smaps_sum *m = &r->is[i].memory;

		p[i] = (struct judged_process){ .resident = m->anonymous_resident,
						.swap = m->anonymous_swap,
						.swap_after = m->anonymous_swap,
						.locked = m->all.locked };
	}
}

/* --- keys --- */

/* Sends a key now and waits for its echo. 0, -EINTR or -EIO. */
static int cycle_time_key(const struct cycle_cfg *cfg, struct timed_key *key, struct why *why)
{
	int err = prober_request_key(cfg->prober, cfg->patience_ns, &key->answer);

	key->asked = !err;
	if (!err || err == -EINTR)
		return err;
	why_say(why, "%s",
		err == -ETIMEDOUT
			? "the prober does not answer: is its --timeout longer than that of pagein, or its display stopped?"
		: err == -EPROTO ? "the prober does not answer as keyrepeat --schedule asked does"
				 : "the prober has ended: see its message above");
	return -EIO;
}

int cycle_send_warm_key(const struct cycle_cfg *cfg, struct why *why)
{
	struct timed_key key;

	return cycle_time_key(cfg, &key, why);
}

/* --- eviction --- */

/* Whether too many pages are still in the swap cache. Not asked after madvise, which cannot empty the swap cache, nor beside a
 * memory hog, whose pages may be there. */
static bool has_swap_cached_pages(const struct cycle_cfg *cfg, const struct evict_hog *hog, const struct memory_reading *r)
{
	int64_t swap = 0, cached = memgroup_swap_cache_bytes(&cfg->group);

	for (size_t i = 0; i < cfg->n; i++)
		swap += r->is[i].memory.anonymous_swap;
	return cfg->method != EVICT_MADVISE && !hog->pid && cached * CACHED_SHARE > swap;
}

static int evict_once(const struct cycle_cfg *cfg, struct cycle_run *run, struct evict_hog *hog, struct why *why)
{
	struct why said;
	int err = 0, ended;

	if (cfg->method == EVICT_CGROUP) {
		err = memgroup_page_out(&cfg->group);
		if (err)
			why_say(why, "cannot empty %s: %s", cfg->group.path, strerror(-err));
	} else if (cfg->method == EVICT_MADVISE) {
		for (size_t i = 0; !err && i < cfg->n; i++) {
			err = evict_advise_pageout(cfg->pid[i]);
			if (err)
				why_say(why, "cannot advise on the memory of process %d: %s", (int)cfg->pid[i],
					err == -ENOSYS	? "Linux 5.10 has process_madvise; take --evict cgroup or hog"
					: err == -EPERM ? "CAP_SYS_NICE and the right to trace it are needed; run as root"
							: strerror(-err));
		}
	} else if ((ended = evict_poll_hog(hog, &said)) > 0) {
		run->hogs_killed++; /* memory that was paged out stays out: the next hog continues from there */
	} else if (ended < 0) {
		err = why_fail(-EIO, why, "%s ended before all was paged out: %s", cfg->hog[0], said.text);
	}
	return err ? -EIO : 0;
}

bool key_is_doubtful(const struct timed_key *key)
{
	return !strcmp(key->answer.how, "doubt");
}

/* --type: sends a key if one is due, as a user who goes on typing. */
static int send_due_key(const struct cycle_cfg *cfg, struct cycle_run *run, int64_t *due_ns, struct why *why)
{
	struct timed_key key;
	int64_t now = clock_now();
	int err;

	if (!cfg->type_ns || now < *due_ns)
		return 0;
	*due_ns = now + cfg->type_ns;
	err = cycle_time_key(cfg, &key, why);
	if (!err && key.answer.answered_ns && key_is_doubtful(&key))
		sample_add_censored(&run->typed, key.answer.answered_ns - key.answer.due_ns);
	else if (!err && key.answer.answered_ns)
		sample_add(&run->typed, key.answer.answered_ns - key.answer.due_ns);
	else if (!err)
		sample_add_censored(&run->typed, clock_now() - now);
	return err;
}

/* Tries to page out until all processes count as evicted for extra_ns, or until until_ns (CLOCK_MONOTONIC). */
static int evict_repeatedly(const struct cycle_cfg *cfg, struct cycle_run *run, struct evict_hog *hog, struct memory_reading *r,
			    int64_t extra_ns, int64_t until_ns, struct why *why)
{
	struct judged_process p[CYCLE_PROCESSES];
	int64_t since = 0, type_due_ns = 0;
	int err;

	for (;;) {
		enum judge_why obstacle;
		int64_t now;

		if (cfg->method == EVICT_HOG && !hog->pid && (err = evict_start_hog(hog, cfg->hog)))
			return why_fail(-EIO, why, "cannot run %s: %s", cfg->hog[0], strerror(-err));
		err = evict_once(cfg, run, hog, why);
		if (!err)
			err = send_due_key(cfg, run, &type_due_ns, why);
		if (!err)
			err = read_memory(cfg, r, why);
		if (err)
			return err;
		now = clock_now();
		run->attempts++;
		log_memory(cfg, run, r, "evicting", 0);
		copy_judged(cfg, r, p);
		obstacle = judge_find_obstacle(p, cfg->n);
		if (obstacle != JUDGE_CLEAR || has_swap_cached_pages(cfg, hog, r))
			since = 0;
		else if (!since)
			since = now;
		if ((since && now - since >= extra_ns && !cfg->type_ns) || obstacle == JUDGE_NOTHING_ANONYMOUS || now > until_ns)
			return 0;
		proc_sleep(now + ATTEMPT_GAP_NS);
		if (proc_stop)
			return -EINTR;
	}
}

/* Pages the processes out, within cfg->evict_ns, and reads them into *r. Pages that a hog has just displaced are still being
 * written, so the hog runs on, four times as long in each round. Afterwards a hog runs only where cfg->hog_until says so. 0, -EINTR
 * on a stop signal, -EIO with a line in `why`. */
static int page_out(const struct cycle_cfg *cfg, struct cycle_run *run, struct evict_hog *hog, struct memory_reading *r,
		    struct why *why)
{
	int64_t begin = clock_now(), extra = cfg->method == EVICT_HOG ? HOG_EXTRA_NS : 0;
	struct judged_process p[CYCLE_PROCESSES];
	int err;

	for (int round = 0; round < CYCLE_ROUNDS; round++, extra *= 4) {
		if (round && cfg->hog_until == HOG_UNTIL_KEY2_PAUSED)
			evict_stop_hog(hog); /* a paused hog evicts nothing: start a new one */
		err = evict_repeatedly(cfg, run, hog, r, extra, begin + cfg->evict_ns, why);
		if (err)
			return err;
		run->evict_ns = clock_now() - begin;
		if (cfg->hog_until == HOG_UNTIL_EVICTED)
			evict_stop_hog(hog);
		else if (cfg->hog_until == HOG_UNTIL_KEY2_PAUSED)
			evict_pause_hog(hog);
		log_memory(cfg, run, r, "evicted", 0);
		proc_sleep(clock_now() + cfg->settle_ns);
		if (proc_stop)
			return -EINTR;
		err = read_memory(cfg, r, why);
		copy_judged(cfg, r, p);
		if (err || (judge_find_obstacle(p, cfg->n) == JUDGE_CLEAR && !has_swap_cached_pages(cfg, hog, r)) ||
		    clock_now() > begin + cfg->evict_ns)
			return err;
	}
	return 0;
}

/* --- runs --- */

static int64_t sum_major_faults(const struct cycle_cfg *cfg, const struct memory_reading *r)
{
	int64_t sum = 0;

	for (size_t i = 0; i < cfg->n; i++)
		sum += r->is[i].major;
	return sum;
}

static int64_t counter_increase(int64_t before, int64_t after)
{
	return before >= 0 && after >= before ? after - before : -1;
}

/* Sends the first key; counts page faults and swap-ins from the reading before the key (in *r) to the one after its echo (then in
 * *r). */
static int time_first_key(const struct cycle_cfg *cfg, struct cycle_run *run, struct memory_reading *r, struct why *why)
{
	struct judged_process p[CYCLE_PROCESSES];
	struct memory_reading after = *r;
	const struct memgroup machine = { 0 };
	int64_t all_before = read_swapin(&machine);
	int err;

	copy_judged(cfg, r, p);
	for (size_t i = 0; i < cfg->n; i++)
		run->process[i].before = r->is[i];
	run->cached_bytes = memgroup_swap_cache_bytes(&cfg->group);
	log_memory(cfg, run, r, "before_key", 0);
	err = cycle_time_key(cfg, &run->first, why);
	if (!err)
		err = read_faults(cfg, &after, why);
	if (err)
		return err;
	run->read_bytes = counter_increase(r->swapped_in, after.swapped_in);
	run->most_read_bytes = counter_increase(all_before, read_swapin(&machine));
	run->fault_bytes = memgroup_max_fault_bytes();
	for (size_t i = 0; i < cfg->n; i++) {
		p[i].major = after.is[i].major - r->is[i].major;
		p[i].minor = after.is[i].minor - r->is[i].minor;
	}
	if (run->first.answer.sent_ns)
		log_memory(cfg, run, r, "sent", run->first.answer.sent_ns);
	*r = after;
	err = read_memory(cfg, r, why);
	if (err)
		return err;
	for (size_t i = 0; i < cfg->n; i++) {
		p[i].swap_after = r->is[i].memory.anonymous_swap;
		run->process[i].judged = p[i];
	}
	if (run->first.answer.answered_ns)
		log_memory(cfg, run, r, "echo", run->first.answer.answered_ns);
	return 0;
}

static int time_second_key(const struct cycle_cfg *cfg, struct cycle_run *run, struct memory_reading *r, struct why *why)
{
	struct memory_reading after;
	int err;

	proc_sleep(clock_now() + cfg->pause_ns);
	if (proc_stop)
		return -EINTR;
	err = read_memory(cfg, r, why); /* faults after the first echo do not count for the second key */
	if (err)
		return err;
	after = *r;
	err = cycle_time_key(cfg, &run->second, why);
	if (!err)
		err = read_faults(cfg, &after, why);
	if (err)
		return err;
	run->second_read_bytes = counter_increase(r->swapped_in, after.swapped_in);
	for (size_t i = 0; i < cfg->n; i++) {
		run->process[i].second_major = after.is[i].major - r->is[i].major;
		run->process[i].second_minor = after.is[i].minor - r->is[i].minor;
	}
	if (run->second.answer.sent_ns)
		log_memory(cfg, run, r, "second_sent", run->second.answer.sent_ns);
	err = read_memory(cfg, &after, why);
	if (!err && run->second.answer.answered_ns)
		log_memory(cfg, run, &after, "second_echo", run->second.answer.answered_ns);
	return err;
}

static struct swap_readings get_swap_readings(const struct cycle_run *run)
{
	return (struct swap_readings){ run->most_read_bytes, run->cached_bytes, run->fault_bytes };
}

/* Sends both keys, and sets *p and *device, the readings that judge.h takes. */
static int time_both_keys(const struct cycle_cfg *cfg, struct cycle_run *run, struct memory_reading *r, struct judged_process *p,
			  struct swap_readings *device, struct why *why)
{
	int err = time_first_key(cfg, run, r, why);

	if (!err)
		err = time_second_key(cfg, run, r, why);
	for (size_t i = 0; i < cfg->n; i++)
		p[i] = run->process[i].judged;
	*device = get_swap_readings(run);
	return err;
}

/* Sends keys until one causes no major fault (the pages that a key touches are then in memory), but at most WARM_KEYS. */
static int warm_up(const struct cycle_cfg *cfg, struct cycle_run *run, struct why *why)
{
	struct memory_reading r = { 0 };
	int64_t before;
	int err = read_faults(cfg, &r, why);

	do {
		before = sum_major_faults(cfg, &r);
		if (!err)
			err = cycle_send_warm_key(cfg, why);
		if (!err)
			err = read_faults(cfg, &r, why);
		run->warm_keys++;
		if (!err)
			proc_sleep(clock_now() + WARM_GAP_NS);
	} while (!err && !proc_stop && sum_major_faults(cfg, &r) > before && run->warm_keys < WARM_KEYS);
	return err ? err : proc_stop ? -EINTR : 0;
}

int cycle_run_resident(const struct cycle_cfg *cfg, struct cycle_run *run, struct why *why)
{
	struct memory_reading r;
	struct judged_process p[CYCLE_PROCESSES];
	struct swap_readings device;
	int err = warm_up(cfg, run, why);

	if (err)
		return err;
	proc_sleep(clock_now() + cfg->settle_ns);
	if (proc_stop)
		return -EINTR;
	err = read_memory(cfg, &r, why);
	if (!err)
		err = time_both_keys(cfg, run, &r, p, &device, why);
	if (!err)
		judge_resident_run(p, cfg->n, &device, &run->verdict);
	return err;
}

/* Records the memory of a run whose processes could not be paged out: no keys are sent in it. */
static void record_unevicted(const struct cycle_cfg *cfg, struct cycle_run *run, const struct memory_reading *r)
{
	struct judged_process p[CYCLE_PROCESSES];

	copy_judged(cfg, r, p);
	for (size_t i = 0; i < cfg->n; i++) {
		run->process[i].before = r->is[i];
		run->process[i].judged = p[i];
	}
	run->read_bytes = run->second_read_bytes = -1;
	run->cached_bytes = memgroup_swap_cache_bytes(&cfg->group);
}

static int measure_evicted_run(const struct cycle_cfg *cfg, struct cycle_run *run, struct evict_hog *hog, struct why *why)
{
	struct memory_reading r;
	struct judged_process p[CYCLE_PROCESSES];
	struct swap_readings device;
	struct why said;
	bool kept;
	int err = page_out(cfg, run, hog, &r, why);

	if (err)
		return err;
	copy_judged(cfg, &r, p);
	run->verdict.why = judge_find_obstacle(p, cfg->n);
	kept = run->verdict.why != JUDGE_CLEAR && cfg->kept && judge_all_kept(p, cfg->n);
	if (run->verdict.why != JUDGE_CLEAR && !kept) {
		run->verdict.state = JUDGE_NOT_EVICTED;
		record_unevicted(cfg, run, &r);
		return 0;
	}
	err = time_both_keys(cfg, run, &r, p, &device, why);
	if (err)
		return err;
	judge_evicted_run(p, cfg->n, &device, &run->verdict);
	if (kept)
		run->verdict.state = JUDGE_KEPT;
	if (cfg->hog_until != HOG_UNTIL_EVICTED && (!hog->pid || (err = evict_poll_hog(hog, &said)))) {
		run->hogs_killed += err > 0;
		run->verdict.state = JUDGE_NOT_EVICTED;
		run->verdict.why = JUDGE_HOG_ENDED;
	}
	return 0;
}

int cycle_run_evicted(const struct cycle_cfg *cfg, struct cycle_run *run, struct why *why)
{
	struct evict_hog hog = { 0 };
	int err = measure_evicted_run(cfg, run, &hog, why);

	evict_stop_hog(&hog);
	return err;
}
