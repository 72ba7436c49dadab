/* SPDX-License-Identifier: GPL-3.0-or-later */
/* pipeline - reads what the loops and the kernel's trace have noted, as it comes, and adds it up.
 *
 * Streaming: a part goes from the ring through the shares of who ran (with a trace), the tick and this program's own
 * work taken apart, into events, bins and lengths; memory does not grow with the run. Everything is clipped to
 * [start_ns, end_ns), so that sums over that time are exact on every CPU.
 *
 * Its own work: with a trace by thread id. Without, this thread notes when it worked, and the woken tasks when they were
 * woken: a part around such a time that holds less than 50 us besides is wholly its own. */
#ifndef THINPROBE_PIPELINE_H
#define THINPROBE_PIPELINE_H

#include "logs.h"
#include "events.h"
#include "sample.h"
#include "spin.h"
#include "ticks.h"
#include "wakeups.h"

struct pipeline_cpu_total {
	int64_t lost_ns, events;	/* ticks and its own work left out */
	int64_t tick_ns, ticks;
	int64_t unwatched_ns;		/* the loop paused by itself since nobody drained; in no other figure */
	int64_t itself_ns;		/* this program's own work, and what it was told to ignore */
	int64_t unexplained_ns;		/* of lost_ns; with a trace */
	int64_t missed_ns;		/* of unexplained_ns: beside switches that have no record */
	int64_t of_length[LENGTH_BINS];	/* events, and here ticks too */
	int64_t longest_ns, longest_at_ns;	/* the longest event, and when it began (CLOCK_MONOTONIC) */
	char longest_who[24];		/* who had most of it; with a trace */
};

/* Over all CPUs. */
struct pipeline_sums {
	struct length_histogram lengths;		/* of events */
	struct sample waits;		/* of the woken tasks, ns: a uniform sample (all, up to 500,000) */
	int64_t waits_n;		/* how many waits there were */
	int64_t waits_beyond[WAIT_BOUNDS];	/* how many of them were longer than wait_bounds_ns[i] */
};

struct gap_pipeline;

struct pipeline_cfg {
	struct spin *spin;
	struct stamp_map map;		/* with at least two anchors */
	struct trace *trace;		/* NULL: without culprits */
	struct profile_logs *logs;		/* not owned */
	int64_t bin_ns;
	const int64_t *ignore;		/* processes whose time is not wanted, with a trace; not owned */
	int ignores;
	uint64_t seed;
};

/* NULL: no memory. */
struct gap_pipeline *pipeline_new(const struct pipeline_cfg *cfg);
/* Whose waits belong to the profile; from now on. */
void follow_add_wakeups(struct gap_pipeline *f, struct wakeups *w);
/* The profile begins now: what came before has only been learned from. end_ns: what comes after it is left out. */
void pipeline_begin(struct gap_pipeline *f, int64_t start_ns, int64_t end_ns);
/* Takes what is there. To be called a few times a second. */
void pipeline_drain(struct gap_pipeline *f);
/* The profile ends at end_ns, which is not after what follow_begin said, nor before the last drain: takes what is there, clips, and
 * closes what is open. The loops must be paused, or are taken to be without the CPU until then; wake-ups stopped. */
void pipeline_end(struct gap_pipeline *f, int64_t end_ns);

const struct pipeline_cpu_total *pipeline_cpu_total(const struct gap_pipeline *f, int i);
const struct tick_detector *pipeline_ticks(const struct gap_pipeline *f, int i);
/* rec_timing() sorts the waits. */
struct pipeline_sums *pipeline_sums(struct gap_pipeline *f);
const struct culprit_total *pipeline_culprits(struct gap_pipeline *f, size_t *n);
/* Parts and waits that found no room in their rings, kernel records likewise, and parts whose
 * records had gone; since the beginning. */
int64_t pipeline_lost_records(const struct gap_pipeline *f);
/* Switches that the kernel's records left out, since the profile began; with a trace. */
int64_t pipeline_missed_switches(const struct gap_pipeline *f);
void pipeline_free(struct gap_pipeline *f);

#endif
