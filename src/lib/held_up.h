/* SPDX-License-Identifier: GPL-3.0-or-later */
/* held_up - whether this program itself did not run for a time while it measured: stopped (SIGSTOP, Ctrl-Z), frozen with its
 * cgroup, traced, suspended with the machine, or kept from its CPU. What it measured then is no fault of what it measures.
 *
 * A thread looks at CLOCK_BOOTTIME, which a suspend does not stop, every 50 ms. Where it comes half a second late or more, the
 * program had a pause, whatever its cause. Shorter pauses come of every busy machine, and are only seen as late keys or frames. */
#pragma once

#include "rec.h"

#include <stdbool.h>
#include <stdint.h>

/* Begins to watch, in a thread with the real-time priority of the program (0: none), which waits for a CPU as the program does. */
void held_up_watch(int priority);
/* The sum of the pauses so far, each without up to 50 ms of its beginning; 0: none; -1: not watched. */
int64_t held_up_ns(void);
/* How long a program had not run that looks again between_ns after the last look; 0: not for as long as a pause lasts. Pure. */
int64_t held_up_pause_ns(int64_t between_ns);

/* Adds the sum to the report, as held_up_ms. */
void held_up_report(struct rec_report *r);
/* The warning of it, of program `name`; "": there was no pause. Valid until the next call. */
const char *held_up_words(const char *name);
/* Adds that warning to the report. False: there was no pause. */
bool held_up_warn(struct rec_report *r, const char *name);
