/* SPDX-License-Identifier: GPL-3.0-or-later */
/* pipeline - reads the gaps of the loops and the kernel's records while they come in, and adds them up.
 *
 * A gap goes from the ring through attribution (with a trace), tick detection and removal of this program's own work into events,
 * timeline bins and the length histogram. Memory does not grow with the run. All times are clipped to [start_ns, end_ns), so that
 * the sums are exact on every CPU.
 *
 * Own work: with a trace by thread id. Without, this thread notes when it worked, and the woken tasks when they woke: a gap
 * around such a time with less than 50 us besides counts as own work. */
#pragma once

#include "attribution.h"
#include "binomial.h"
#include "logs.h"
#include "own_work.h"
#include "spin.h"
#include "ticks.h"
#include "wakeups.h"

struct pipeline_cpu_total {
	int64_t lost_ns, events; /* without ticks and own work */
	int64_t tick_ns, ticks;
	int64_t unwatched_ns;		   /* the loop paused since nothing drained its gaps, or left its CPU; in no other figure */
	int64_t itself_ns;		   /* own work of this program, and time of the processes of --ignore */
	int64_t unexplained_ns;		   /* part of lost_ns without a known culprit; only with a trace */
	int64_t missed_ns;		   /* part of unexplained_ns beside task switches that have no record */
	int64_t of_length[LENGTH_BINS];	   /* number of events and ticks in each bin of the length histogram */
	int64_t longest_ns, longest_at_ns; /* the longest event, and when it began (CLOCK_MONOTONIC) */
	char longest_who[24];		   /* main culprit of the longest event; only with a trace */
};

/* Sums over all CPUs. */
struct profile_sums {
	struct event_lengths lengths; /* histogram of the lengths of events */
	struct sample waits;	      /* wake-up latencies of the woken tasks, in ns: a uniform sample (all, up to 500,000) */
	int64_t waits_n;	      /* number of wake-ups measured */
};

struct pipeline_cfg {
	struct idle_loops *spin;
	struct stamp_map map;		/* conversion of stamps to ns, with at least two anchors */
	struct scheduling_trace *trace; /* kernel records; NULL: without culprits */
	struct profile_logs *logs;	/* not owned */
	int64_t bin_ns;
	const struct cli_pids *ignore; /* processes whose time is left out, with a trace; not owned */
	uint64_t seed;
};

struct cpu_pipeline {
	struct gap_pipeline *f;
	struct cpu_idle_loop *spin;
	struct attribution *who;
	struct tick_detector ticks;
	struct event_collector events;
	struct timeline_bins bins;
	struct own_work_notes itself;
	struct pipeline_cpu_total total;
	struct binomial_runs waits[WAIT_BOUNDS]; /* wake-ups; hits: with a latency over wait_bounds_ns[i] */
	int64_t step;				 /* median turn of the loop, in stamps */
	int64_t upto_ns;			 /* no gap before this time is missing */
};

struct gap_pipeline {
	struct pipeline_cfg cfg;
	struct own_work_tids tids;
	struct woken_threads *wakeups;
	int64_t start_ns, end_ns; /* begin and end of the profile; INT64_MAX: not begun */
	int64_t lost_before, missed_before, lost_unread;
	struct profile_sums sums;
	struct culprit_table *names;
	uint64_t random;
	int n;
	struct cpu_pipeline cpu[];
};

struct gap_pipeline *pipeline_new(const struct pipeline_cfg *cfg);
/* From now on, the latencies of these wake-ups are part of the profile. */
void pipeline_set_wakers(struct gap_pipeline *f, struct woken_threads *w);
/* Begins the profile: earlier gaps only served to learn the phase of the tick. Gaps after end_ns will be left out. */
void pipeline_begin(struct gap_pipeline *f, int64_t start_ns, int64_t end_ns);
/* Reads all gaps, records and wake-ups that are there. To be called a few times a second. */
void pipeline_drain(struct gap_pipeline *f);
/* Ends the profile at end_ns (not after the end_ns of pipeline_begin(), nor before the last drain): drains, clips and closes what
 * is open. The loops must be paused; a loop that is not counts as off its CPU until end_ns. The wake-ups must be stopped. */
void pipeline_end(struct gap_pipeline *f, int64_t end_ns);

/* Over all CPUs; unwatched_ns, longest_ns: the most of one CPU. */
struct pipeline_cpu_total pipeline_cpu_sum(const struct gap_pipeline *f);
const struct culprit_total *pipeline_culprits(struct gap_pipeline *f, size_t *n);
/* Number of lost items since the profile began: gaps, wake-ups and kernel records that found no room in their rings, and gaps
 * whose records had been dropped; -1: none is known of, and the kernel does not tell of the last ones. */
int64_t pipeline_lost_items(const struct gap_pipeline *f);
/* Number of task switches that the kernel's records left out, since the profile began; only with a trace. */
int64_t pipeline_missed_switches(const struct gap_pipeline *f);
void pipeline_free(struct gap_pipeline *f);
