/* SPDX-License-Identifier: GPL-3.0-or-later */
/* follow - reads what the loops and the kernel's trace have noted, as it comes, and adds it up.
 *
 * Streaming: a part goes from the ring through the shares of who ran (with a trace), the tick and this program's own
 * work taken apart, into events, bins and lengths; memory does not grow with the run. Everything is clipped to
 * [start_ns, end_ns), so that sums over that time are exact on every CPU.
 *
 * Its own work: with a trace by thread id. Without, this thread notes when it worked, and the woken tasks when they were
 * woken: a part around such a time that holds less than 50 us besides is wholly its own. */
#ifndef THINPROBE_FOLLOW_H
#define THINPROBE_FOLLOW_H

#include "logs.h"
#include "events.h"
#include "sample.h"
#include "spin.h"
#include "ticks.h"
#include "wakeups.h"

struct follow_total {
	int64_t lost_ns, events;	/* ticks and its own work left out */
	int64_t tick_ns, ticks;
	int64_t unwatched_ns;		/* the loop paused by itself since nobody drained; in no other figure */
	int64_t itself_ns;		/* this program's own work, and what it was told to ignore */
	int64_t unexplained_ns;		/* of lost_ns; with a trace */
	int64_t missed_ns;		/* of unexplained_ns: beside switches that have no record */
	int64_t of_length[LENGTHS_BINS];	/* events, and here ticks too */
	int64_t longest_ns, longest_at_ns;	/* the longest event, and when it began (CLOCK_MONOTONIC) */
	char longest_who[24];		/* who had most of it; with a trace */
};

/* Over all CPUs. */
struct follow_sums {
	struct lengths lengths;		/* of events */
	struct sample waits;		/* of the woken tasks, ns: a uniform sample (all, up to 500,000) */
	int64_t waits_n;		/* how many waits there were */
	int64_t waits_beyond[LENGTHS_WAITS];	/* how many of them were longer than lengths_waits[i] */
};

struct follow;

struct follow_cfg {
	struct spin *spin;
	struct stamp_map map;		/* with at least two anchors */
	struct trace *trace;		/* NULL: without culprits */
	struct logs *logs;		/* not owned */
	int64_t bin_ns;
	const int64_t *ignore;		/* processes whose time is not wanted, with a trace; not owned */
	int ignores;
	uint64_t seed;
};

/* NULL: no memory. */
struct follow *follow_new(const struct follow_cfg *cfg);
/* Whose waits belong to the profile; from now on. */
void follow_wakeups(struct follow *f, struct wakeups *w);
/* The profile begins now: what came before has only been learned from. end_ns: what comes after it is left out. */
void follow_begin(struct follow *f, int64_t start_ns, int64_t end_ns);
/* Takes what is there. To be called a few times a second. */
void follow_drain(struct follow *f);
/* The profile ends at end_ns, which is not after what follow_begin said, nor before the last drain: takes what is there, clips, and
 * closes what is open. The loops must be paused, or are taken to be without the CPU until then; wake-ups stopped. */
void follow_end(struct follow *f, int64_t end_ns);

const struct follow_total *follow_total(const struct follow *f, int i);
const struct ticks *follow_ticks(const struct follow *f, int i);
/* rec_timing() sorts the waits. */
struct follow_sums *follow_sums(struct follow *f);
const struct culprit_total *follow_culprits(struct follow *f, size_t *n);
/* Parts and waits that found no room in their rings, kernel records likewise, and parts whose
 * records had gone; since the beginning. */
int64_t follow_lost_records(const struct follow *f);
/* Switches that the kernel's records left out, since the profile began; with a trace. */
int64_t follow_missed_switches(const struct follow *f);
void follow_free(struct follow *f);

#endif
