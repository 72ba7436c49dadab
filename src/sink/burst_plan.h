/* SPDX-License-Identifier: GPL-3.0-or-later */
/* burst_plan - when bursts of CPU time are due and how long each is: at equal intervals, by chance, or as a file says.
 *
 * Pure: no clock, no chance but the seed. Times are ns after a common start. */
#ifndef THINPROBE_BURST_PLAN_H
#define THINPROBE_BURST_PLAN_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define BURST_PLAN_MAX 1000000		/* bursts */
#define BURST_LENGTH_MIN 1000		/* ns: below this two looks at the clock are the burst */
#define BURST_PAUSE_MIN 5000000		/* ns, between bursts by chance: told apart, also where one was kept waiting for a tick */

struct burst_spec {
	enum burst_kind { BURST_EVERY, BURST_RANDOM, BURST_FILE } kind;
	int64_t every_ns, length_ns;		/* BURST_EVERY */
	int64_t n, min_ns, max_ns;		/* BURST_RANDOM: how many, how long */
	double load;				/* and which share of any second at most, 0 < load <= 1 */
	const char *path;			/* BURST_FILE; points into the text */
};

/* Reads, in any order but each word once, "every:100ms,len:5ms",
 * "random:1000[,min:100us][,max:400ms][,load:50%]", or else a file's name. 0, or -EINVAL with what
 * is wrong in `why`. */
int burst_spec_read(const char *text, struct burst_spec *out, char *why, size_t why_size);

struct burst_due {
	int64_t start_ns, length_ns;		/* length: of CPU time */
};

struct burst_plan {
	struct burst_due *due;			/* owned; ascending by start */
	size_t n;
};

/* One burst at 0, every, 2 every ..., all before `time_ns`. 0, -ENOMEM, -E2BIG. */
int burst_plan_every(struct burst_plan *plan, const struct burst_spec *spec, int64_t time_ns);

/* Lengths are log-uniform from min to max: as many from 100 us to 1 ms as from 1 to 10 ms. The pauses are BURST_PAUSE_MIN and an
 * exponential time, whose mean makes the share of bursts `load`; where a second would get more than that, the burst
 * is put off until none does, so the share over the whole is a little less. 0, -ENOMEM, -E2BIG. */
int burst_plan_random(struct burst_plan *plan, const struct burst_spec *spec, uint64_t seed);

/* Rows "burst-plan/1" (schema start_ns length_ns), ascending. 0, -EPROTO for a row that is none, with its number in *line; -ENOMEM,
 * -E2BIG, -EIO. */
int burst_plan_read(struct burst_plan *plan, FILE *in, unsigned long *line);

/* What is wrong with that line, after -EPROTO, in words to stand behind the file's name. Reads the file again, where it can be. */
void burst_plan_fault(FILE *in, unsigned long line, char *why, size_t why_size);

/* Leaves out what begins at `time_ns` or later. */
void burst_plan_cut(struct burst_plan *plan, int64_t time_ns);
void burst_plan_free(struct burst_plan *plan);

#endif
