/* SPDX-License-Identifier: GPL-3.0-or-later */
/* cycle - one run: into memory or out of it, the proof, the first key, a pause, the second key. */
#ifndef PAGEIN_CYCLE_H
#define PAGEIN_CYCLE_H

#include "judge.h"
#include "memgroup.h"
#include "prober.h"
#include "rec.h"
#include "resident.h"
#include "sample.h"

#define CYCLE_PROCESSES 32
#define CYCLE_ROUNDS 3		/* a process that woke up while it was to rest is paged out again, so often */

enum cycle_evict { EVICT_CGROUP, EVICT_MADVISE, EVICT_HOG, EVICT_NONE };
extern const char *const cycle_methods[];

struct cycle_cfg {
	size_t n;
	pid_t pid[CYCLE_PROCESSES];
	int method;			/* enum cycle_evict */
	struct memgroup group;		/* version 0: none */
	char *const *hog;		/* NULL-terminated command */
	bool keep_hog;			/* it stays until the second key */
	bool rest_hog;			/* but touches nothing from the eviction on: it takes SIGUSR1 for that, as memhog does */
	bool kept;			/* time also those that resist */
	int64_t type_ns;		/* a key that often while memory is taken, as long as that is tried; 0: none */
	int64_t evict_ns;		/* try so long */
	int64_t settle_ns, pause_ns, patience_ns;
	struct prober *prober;
	struct rows *log;		/* NULL: none */
};

/* Of one process, around the first key. */
struct cycle_process {
	struct resident before;
	struct judge_process judged;
	int64_t second_major, second_minor;	/* faults from the first echo to the second */
};

struct cycle_key {
	struct prober_answer answer;
	bool asked;
};

struct cycle_run {
	int64_t number;			/* from 1 */
	bool out;			/* it was to be paged out */
	struct judge_verdict verdict;
	struct cycle_process process[CYCLE_PROCESSES];
	struct cycle_key first, second;
	struct sample typed;		/* latencies of keys while memory was taken; to be freed */
	int64_t read_bytes, second_read_bytes;	/* swapped in: to the first echo, and from there to the second; -1: not known */
	int64_t cached_bytes;		/* in memory although in swap, just before the key; -1: not known */
	int64_t fault_bytes;		/* swap.h, at the time */
	int64_t evict_ns;		/* how long it took, and in how many attempts */
	int64_t attempts, warm_keys;
	int64_t hogs_killed;		/* by the kernel, and another one was started */
};

#define CYCLE_WHY 400

extern const char *const cycle_columns[];	/* of the log, schema pagein/1 */

/* Runs it. 0: `run->verdict` says what it was. -EINTR when we are to stop, -EIO with a line in `why` for anything that ends the
 * measurement: a process gone, a prober gone, a hog that cannot run. */
int cycle_in_memory(const struct cycle_cfg *cfg, struct cycle_run *run, char why[CYCLE_WHY]);
int cycle_paged_out(const struct cycle_cfg *cfg, struct cycle_run *run, char why[CYCLE_WHY]);

/* A key that is due now: 0, or as above. */
int cycle_ask(const struct cycle_cfg *cfg, struct cycle_key *key, char why[CYCLE_WHY]);
/* A key whose answer is for nobody. */
int cycle_warm_up(const struct cycle_cfg *cfg, char why[CYCLE_WHY]);

#endif
