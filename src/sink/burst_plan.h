/* SPDX-License-Identifier: GPL-3.0-or-later */
/* burst_plan - times and lengths of CPU bursts, periodic, random, or read from a file; and their play.
 *
 * Random numbers depend on the seed only. Times are ns after a common start. */
#pragma once

#include "why.h"

#include <semaphore.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define BURST_PLAN_MAX 1000000	/* bursts */
#define BURST_LENGTH_MIN 1000	/* ns: shorter bursts would consist of clock readings */
#define BURST_PAUSE_MIN 5000000 /* ns between random bursts: they stay distinct even if one is delayed by a scheduler tick */

struct burst_plan_spec {
	enum burst_kind { BURST_EVERY, BURST_RANDOM, BURST_FILE } kind;
	int64_t every_ns, length_ns; /* BURST_EVERY */
	int64_t n, min_ns, max_ns;   /* BURST_RANDOM: number, shortest and longest burst */
	double load;		     /* BURST_RANDOM: share of any second at most, 0 < load <= 1 */
	const char *path;	     /* BURST_FILE; not owned */
};

/* Reads "every:100ms,len:5ms" or "random:1000[,min:100us][,max:400ms][,load:50%]", its words in any order, or else the name of a
 * file. 0, or -EINVAL with the reason in `why`. */
int parse_burst_spec(const char *text, struct burst_plan_spec *out, struct why *why);

struct planned_burst {
	int64_t start_ns, length_ns; /* length: of CPU time */
};

struct burst_plan {
	struct planned_burst *due; /* owned; ascending by start */
	size_t n;
};

/* Bursts at 0, every_ns, 2 * every_ns and so on, before `time_ns`. 0 or -E2BIG. */
int burst_plan_make_periodic(struct burst_plan *plan, const struct burst_plan_spec *spec, int64_t time_ns);

/* Random bursts: lengths log-uniform from min to max (as many from 100 us to 1 ms as from 1 to 10 ms); pauses
 * BURST_PAUSE_MIN plus an exponential time, whose mean makes the share of bursts `load`. A burst that would exceed that
 * share within a second is put off, so the share over the whole plan is a little less. 0 or -E2BIG. */
int burst_plan_make_random(struct burst_plan *plan, const struct burst_plan_spec *spec, uint64_t seed);

/* Reads a table of schema burst-plan/1 (start_ns, length_ns; ascending). 0, -EPROTO for a malformed row, with its number in *line;
 * -E2BIG, -EIO. */
int burst_plan_read_file(struct burst_plan *plan, FILE *in, unsigned long *line);

/* After -EPROTO: writes what is wrong with that line, a text to follow the name of the file. Reads the file again. */
void burst_plan_explain(FILE *in, unsigned long line, struct why *why);

/* Removes the bursts that begin at `time_ns` or later. */
void burst_plan_drop_after(struct burst_plan *plan, int64_t time_ns);
void burst_plan_free(struct burst_plan *plan);

/* Uses CPU time in planned bursts and records the CPU time really used: a reference against which profilers are checked.
 *
 * A burst lasts until the thread has used the planned CPU time (CLOCK_THREAD_CPUTIME_ID), however long that takes. The CPU clock is
 * read within start_ns..end_ns, so that on an idle CPU both differ only by the cost of reading clocks. Interrupts and time stolen
 * unnoticed by a hypervisor count as used. Nothing is written or allocated while bursts run. */

struct burst_record {
	int64_t due_ns, start_ns, end_ns; /* CLOCK_MONOTONIC */
	int64_t asked_ns, cpu_ns;	  /* CPU time planned and used; less only in a burst that a stop cut short */
};

/* How a run is stopped; in memory shared with the stopping process. */
struct burst_stop {
	atomic_bool *flag;
	sem_t *wake; /* posted once for each process after the flag was set */
};

/* Prepares burst_play(): touches the memory of `room` rows and runs a burst of 1 ns. */
void burst_warm_up(struct burst_record *rows, size_t room, const struct burst_stop *stop);

/* Runs the bursts of the plan, whose time 0 is origin_ns. *played: number of complete rows, at any time. A burst that is due before
 * the one before it has ended follows at once. */
void burst_play(const struct burst_plan *plan, int64_t origin_ns, struct burst_record *rows, atomic_size_t *played,
		const struct burst_stop *stop);
