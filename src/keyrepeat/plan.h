/* SPDX-License-Identifier: GPL-3.0-or-later */
/* plan - which keys will be sent, and when, counted from the start of the train. */
#pragma once

#include "act.h"
#include "script.h"
#include "target.h"
#include "why.h"

#define PLAN_KEYS_MAX 10000000

/* Times are computed before the run starts, so that nothing that happens during the run moves a due time (open loop): a stalled
 * server never lowers the number of samples. The same seed gives the same times on every machine. */
#define SCHEDULE_BLOCK 20 /* keys in a block */

enum schedule_kind {
	SCHEDULE_PERIODIC, /* key i at i periods; needed to measure stalls, which are gaps beyond the period */
	SCHEDULE_JITTERED, /* key i at i periods + U(0, period / 3): does not stay in phase with the frames of a display */
	SCHEDULE_POISSON,  /* exponentially distributed gaps with the period as their mean */
	SCHEDULE_BLOCKS,   /* periodic within blocks of SCHEDULE_BLOCK keys, each block with a random phase */
	SCHEDULE_ASKED	   /* a key for each line on standard input (on_demand.h) */
};

extern const char *const schedule_names[]; /* NULL-terminated */

/* Fills `offset_ns` with n ascending due times, counted from the start of the train, or of the key's block (when a block starts
 * depends on how long the one before took to drain). 0; -ERANGE: a time does not fit into int64_t; -EINVAL: SCHEDULE_ASKED. */
int plan_compute_due_times(enum schedule_kind kind, double rate_per_s, uint64_t seed, int64_t *offset_ns, size_t n);

struct key_plan_cfg {
	const char *script; /* file with the actions; NULL: one key repeatedly, as below */
	const char *key;
	bool erase;	   /* every second key is BackSpace, so that nothing is left */
	double rate_per_s; /* 0: no keys */
	int64_t time_ns;   /* length of the train */
	int schedule;	   /* enum schedule_kind */
	uint64_t seed;
};

struct key_plan {
	size_t n;	    /* actions: keys, pointer moves, buttons */
	int64_t *offset_ns; /* when each is due; owned by `script` if there is one */
	int64_t period_ns;  /* mean time from one to the next */
	struct act_script script;
	const struct input_act *act; /* n actions, in `script`; NULL: all are `only` */
	struct input_act only;
	int *key;     /* the target's numbers of `act` */
	int only_key; /* the target's number of `only` */
};

extern const struct input_act plan_back; /* BackSpace */

/* 0, or an exit status (EXIT_USAGE, EXIT_RUN) with a line in `why`. For SCHEDULE_ASKED the plan has one key. */
int plan_make(const struct key_plan_cfg *cfg, struct key_plan *out, struct why *why);
/* The first key of the script without modifiers, or the key of --key; NULL: all have modifiers. */
const struct input_act *plan_first_plain_key(const struct key_plan *plan);
/* True if the plan moves the pointer or presses its buttons. */
bool plan_uses_pointer(const struct key_plan *plan);
/* Looks up all actions at the open target, before the first key is sent. 0, or -1 with a line in `why`. */
int plan_prepare_acts(struct key_plan *plan, const struct target_ops *target, void *self, struct why *why);

/* How far apart keys are due when they are typed one at a time, so that each answer can be told from updates alone: the answers to
 * the first keys decide. From then on the schedule is fixed (open loop), and a key that has to wait for the answer to the one
 * before keeps its due time. */
#define PACE_FIRST_KEYS 5 /* the first keys: at least 5 (two, if these take longer), and all of the first quarter of the time */
#define PACE_FIRST_PART 4
#define PACE_ANSWERS 20	       /* the latest answers, which are judged */
#define PACE_HELD_NS 1000000LL /* a key that is sent later than this after its due time had to wait for its turn */

/* The key period for answers that took these times: period_ns if three of four take at most two thirds of it, and all but the
 * longest, with the rest after each, at most four fifths on average; else twice that time. The longest may be that of the first
 * key, which makes clients read the keymap, or a hiccup. n 0: period_ns. Reorders the times. */
int64_t plan_choose_period_ns(int64_t *answer_time_ns, size_t n, int64_t period_ns);

/* Stretches `offset_ns`, the time from a reference key to another key on a schedule of period period_ns, to a schedule of period
 * slower_ns. */
int64_t plan_stretch_offset_ns(int64_t offset_ns, int64_t period_ns, int64_t slower_ns);
