/* SPDX-License-Identifier: GPL-3.0-or-later */
/* judge - whether a run counts as paged out, from readings before and after the key. Pure.
 *
 * Paged out (experiments/paging/README.md): before the key at least 90 % of the private anonymous memory of every process is in
 * swap, and the pages that the key brings back are read from the device. Pages in the swap cache look swapped, too, but come back
 * by minor faults, at the speed of memory: their latency is not that of paging. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define JUDGE_EVICTED_PERCENT 90 /* of the anonymous memory of each process, at least: paged out */
#define JUDGE_KEPT_PERCENT 10	 /* at most: the process resisted paging */
#define JUDGE_READ_PERCENT 50	 /* of the swapped pages that came back, at least, must have been read from the device */

/* Private anonymous memory of one process just before the key, in bytes, and page faults caused by the key. */
struct judged_process {
	int64_t resident, swap;
	int64_t locked;	      /* its fair share (PSS) of what it has locked into memory, of any kind */
	int64_t swap_after;   /* bytes in swap after the echo */
	int64_t major, minor; /* page faults from the key to its echo */
};

/* Counters of the swap device. */
struct swap_readings {
	int64_t read_bytes;   /* the most that was swapped in from the key to its echo; below 0: not known */
	int64_t cached_bytes; /* in the swap cache just before the key, of the group or machine; below 0: not known */
	int64_t fault_bytes;  /* the most that one major fault reads: a page and those read ahead with it */
};

enum judge_state { JUDGE_IN_MEMORY, JUDGE_PAGED_OUT, JUDGE_KEPT, JUDGE_NOT_EVICTED, JUDGE_NOT_IN_MEMORY };
extern const char *const judge_words[]; /* names of enum judge_state in reports */

enum judge_why {
	JUDGE_CLEAR,
	JUDGE_RESIDENT,		 /* too much was still resident before the key */
	JUDGE_LOCKED,		 /* too much was still resident, because it is locked */
	JUDGE_NOTHING_ANONYMOUS, /* a process has no anonymous memory: nothing can be proven by it */
	JUDGE_NO_MAJOR_FAULT,	 /* nothing was read from the device after the key */
	JUDGE_SWAP_CACHE,	 /* more than half of the pages that came back were not read from the device */
	JUDGE_MAJOR_FAULT	 /* a run in memory caused major faults */
};
extern const char *const judge_reasons[]; /* a sentence for each enum judge_why; NULL for JUDGE_CLEAR */

struct judge_verdict {
	enum judge_state state;
	enum judge_why why;
	int64_t refaulted_bytes; /* came back from swap from the key to its echo */
	double read_percent;	 /* the part of refaulted_bytes read from the device (an estimate); NAN: nothing came back */
};

/* Percent of the private anonymous memory that is in swap. NAN without anonymous memory. */
double judge_evicted_percent(const struct judged_process *p);

/* State before the key: JUDGE_CLEAR if every process counts as evicted, else why not. */
enum judge_why judge_find_obstacle(const struct judged_process *p, size_t n);
/* State before the key: whether all processes have resisted paging (JUDGE_KEPT_PERCENT). */
bool judge_all_kept(const struct judged_process *p, size_t n);

/* The verdict after the key, for a run that was to be paged out and for one that was to be in memory. */
void judge_evicted_run(const struct judged_process *p, size_t n, const struct swap_readings *device, struct judge_verdict *out);
void judge_resident_run(const struct judged_process *p, size_t n, const struct swap_readings *device, struct judge_verdict *out);
