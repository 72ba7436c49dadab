/* SPDX-License-Identifier: GPL-3.0-or-later */
/* cycle - one run: the application is warmed up or paged out, which is verified; then the first key, a pause, the second key. */
#pragma once

#include "judge.h"
#include "memgroup.h"
#include "prober.h"
#include "rec.h"
#include "resident.h"
#include "sample.h"
#include "why.h"

#define CYCLE_PROCESSES 32
#define CYCLE_ROUNDS 3 /* attempts at most: a process that wakes up and pages in before the key is paged out again */

enum cycle_evict { EVICT_CGROUP, EVICT_MADVISE, EVICT_HOG, EVICT_NONE };
extern const char *const cycle_methods[];
enum hog_until { HOG_UNTIL_EVICTED, HOG_UNTIL_KEY2, HOG_UNTIL_KEY2_PAUSED };

struct cycle_cfg {
	size_t n;
	pid_t pid[CYCLE_PROCESSES];
	int method;	       /* enum cycle_evict */
	struct memgroup group; /* version 0: none */
	char *const *hog;      /* NULL-terminated command of the memory hog */
	int hog_until;	       /* enum hog_until: when the hog ends */
	bool kept;	       /* time also runs whose processes could not be paged out */
	int64_t type_ns;       /* interval of keys while the hog takes memory; 0: none */
	int64_t evict_ns;      /* time limit for paging out */
	int64_t settle_ns, pause_ns, patience_ns;
	struct key_prober *prober;
	struct row_file *log; /* of cycle_columns; NULL: none */
};

/* Memory and faults of one process around the first key. */
struct process_readings {
	struct process_memory before;
	struct judged_process judged;
	int64_t second_major, second_minor; /* faults from the first echo to the second */
};

struct timed_key {
	struct prober_key_times answer;
	bool asked;
};

struct cycle_run {
	int64_t number; /* from 1 */
	bool out;	/* a run that was to be paged out; else in memory */
	struct judge_verdict verdict;
	struct process_readings process[CYCLE_PROCESSES];
	struct timed_key first, second;
	struct sample typed;		       /* latencies of the --type keys, ns; to be freed */
	int64_t read_bytes, second_read_bytes; /* swapped in by the first echo, and from there to the second; -1: not known */
	int64_t most_read_bytes;	       /* by the first echo, by the whole machine: a group's counter may be seconds old */
	int64_t cached_bytes;		       /* in the swap cache just before the first key; -1: not known */
	int64_t fault_bytes;		       /* memgroup_max_fault_bytes() at the time of the first key */
	int64_t evict_ns, attempts;	       /* duration of paging out, and attempts made */
	int64_t warm_keys;
	int64_t hogs_killed; /* hogs that the kernel killed and that were replaced */
};

extern const char *const cycle_columns[]; /* columns of the log, schema pagein/1 */

/* Do one run: 0, with the outcome in run->verdict; -EINTR on a stop signal; -EIO with a line in `why` for anything that ends the
 * measurement: a process or the prober has ended, a hog cannot run. */
int cycle_run_resident(const struct cycle_cfg *cfg, struct cycle_run *run, struct why *why);
int cycle_run_evicted(const struct cycle_cfg *cfg, struct cycle_run *run, struct why *why);

/* Sends a key now and waits for its echo. 0, -EINTR or -EIO as above. */
int cycle_time_key(const struct cycle_cfg *cfg, struct timed_key *key, struct why *why);
/* The same for a key whose latency is not recorded. */
int cycle_send_warm_key(const struct cycle_cfg *cfg, struct why *why);
