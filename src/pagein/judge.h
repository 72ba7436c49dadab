/* SPDX-License-Identifier: GPL-3.0-or-later */
/* judge - whether a run counts as paged out, from what was read before the key and after it. Pure.
 *
 * Paged out (experiments/paging/README.md): before the key, swap holds at least 90 % of what only
 * swap can hold of every process; and what the key brought back came from the device. Pages that
 * only wait in the swap cache look swapped, too, but come back by minor faults, at the speed of
 * memory: a figure from them would be of something else. */
#ifndef PAGEIN_JUDGE_H
#define PAGEIN_JUDGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define JUDGE_EVICTED_PERCENT 90	/* of each process, at least */
#define JUDGE_KEPT_PERCENT 10		/* at most: it has resisted */
#define JUDGE_READ_PERCENT 50		/* of what came back, at least, must have been read */

/* Bytes of a process's private anonymous memory just before the key, and what the key did. */
struct judge_process {
	int64_t resident, swap;
	int64_t locked;			/* its fair share (PSS) of what it has locked into memory, of any kind */
	int64_t swap_after;		/* the same after the echo */
	int64_t major, minor;		/* faults in between */
};

/* What is known of the device. */
struct judge_device {
	int64_t read_bytes;		/* swapped in between, by everybody in sight; below 0: not known */
	int64_t cached_bytes;		/* in swap and still in memory just before the key, of everybody in sight; below 0: not known */
	int64_t fault_bytes;		/* the most that one major fault reads: a page and those read ahead with it */
};

enum judge_state { JUDGE_IN_MEMORY, JUDGE_PAGED_OUT, JUDGE_KEPT, JUDGE_NOT_EVICTED, JUDGE_NOT_IN_MEMORY };
extern const char *const judge_words[];	/* of judge_state, as reports say them */

enum judge_why {
	JUDGE_CLEAR,
	JUDGE_RESIDENT,		/* too much was still in memory before the key */
	JUDGE_LOCKED,		/* the same, and it is locked there */
	JUDGE_NOTHING_ANONYMOUS,	/* a process has no such memory: nothing can be proven by it */
	JUDGE_NO_MAJOR_FAULT,	/* nothing was read from the device after the key */
	JUDGE_SWAP_CACHE,	/* more than half of what came back had never left memory */
	JUDGE_MAJOR_FAULT	/* of a run in memory: something had to be read after all */
};
extern const char *const judge_reasons[];	/* of judge_why; NULL: clear */

struct judge_verdict {
	enum judge_state state;
	enum judge_why why;
	int64_t refaulted_bytes;	/* that came back from swap after the key */
	double read_percent;		/* of these were read from the device for a major fault of these processes, as far as one
					 * can tell; NAN when nothing came back */
};

/* How much of it is in swap. NAN without anonymous memory. */
double judge_evicted_percent(const struct judge_process *p);

/* Before the key: JUDGE_CLEAR when every process counts as evicted, else what is in the way. */
enum judge_why judge_evicted(const struct judge_process *p, size_t n);
/* Before the key: all of them have resisted, whatever was done to them. */
bool judge_kept(const struct judge_process *p, size_t n);

/* After it, of a run that was to be paged out, and of one that was to be in memory. */
void judge_paged_out(const struct judge_process *p, size_t n, const struct judge_device *device, struct judge_verdict *out);
void judge_in_memory(const struct judge_process *p, size_t n, const struct judge_device *device, struct judge_verdict *out);

#endif
