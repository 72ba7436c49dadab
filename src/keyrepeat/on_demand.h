/* SPDX-License-Identifier: GPL-3.0-or-later */
/* on_demand - types a key for each line that comes in, waits for its echo, and prints a line with the answer.
 *
 * The watching thread runs meanwhile (train_start_watching()). Which change of the picture is the echo is decided by
 * blink_filter.h, or read from the patch. */
#pragma once

#include "blink_filter.h"
#include "rec.h"
#include "train.h"

enum on_demand_answer {
	ON_DEMAND_NONE,	  /* no echo before the timeout, or echoes are not watched */
	ON_DEMAND_PATCH,  /* the number in the patch counted the key */
	ON_DEMAND_CHANGE, /* a change at a place where nothing changes without keys */
	ON_DEMAND_DOUBT,  /* a change that may be something else, and no better one followed */
	ON_DEMAND_ANSWERS
};

struct on_demand_cfg {
	const struct target_ops *target;
	void *self; /* the open target */
	struct observations *seen;
	int watch;	    /* enum target_watch */
	int64_t timeout_ns; /* how long to wait for an echo after the key was due */
	int key;	    /* the target's number of the key to type */
	int in_fd, out_fd;
	size_t skip; /* first keys, left out of the figures */
};

struct on_demand_run {
	struct on_demand_cfg cfg;
	struct key_sender sender;
	struct blink_filter filter;
	int64_t sent_ns;	      /* of the last key */
	bool first, beside;	      /* what else answers it is looked for; there was such a change */
	size_t steps, updates, shows; /* observations judged so far */
	struct key_train train;	      /* the keys typed so far, for the log; a key_train_block has one key; train_free() frees it */
	size_t room;		      /* keys */
	size_t count[ON_DEMAND_ANSWERS]; /* keys with each answer */
	size_t sent;			 /* keys sent */
	size_t missing;			 /* when the last key was typed: earlier keys that the patch had not counted */
	bool may_be_late;		 /* one of them is new: its echo may be late, not lost */
};

/* Makes an empty run with room for so many keys, in memory that a child shares (apart.h). d->cfg.self and .key may be set
 * later. */
void on_demand_init(struct on_demand_run *d, const struct on_demand_cfg *cfg, size_t room);
/* Types until the input ends or sender_detect_end(). 0; -EPIPE: nobody reads the answers any more; -ENOSPC: no room for this
 * key. */
int on_demand_type_keys(struct on_demand_run *d);

/* Writes the object "result" of the report. */
void on_demand_report(struct rec_report *r, const struct on_demand_run *d);
