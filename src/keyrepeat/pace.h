/* SPDX-License-Identifier: GPL-3.0-or-later */
/* pace - how far apart keys are due when they are typed one at a time, so that each answer can be told from updates alone. Pure.
 *
 * The answers to the first keys decide: from then on the schedule is fixed (open loop), and a key that has to wait for the
 * answer to the one before keeps its due time. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#define PACE_FIRST_KEYS 5	/* the first keys: at least 5, and all of the first quarter of the time */
#define PACE_FIRST_PART 4
#define PACE_ANSWERS 20		/* the latest answers, which are judged */
#define PACE_HELD_NS 1000000LL	/* a key that is sent later than this after its due time had to wait for its turn */

/* The key period for answers that took these times: period_ns if the second longest (from 10 answers on the third longest) takes at
 * most two thirds of it, else twice that time. The longest may be that of the first key, which makes clients read the keymap, or a
 * hiccup. n 0: period_ns. Reorders the times. */
int64_t pace_choose_period_ns(int64_t *answer_time_ns, size_t n, int64_t period_ns);

/* The due time of a key on a schedule stretched from period_ns to slower_ns, counted from the key that it was `offset_ns` after. */
int64_t pace_stretch_offset_ns(int64_t offset_ns, int64_t period_ns, int64_t slower_ns);
