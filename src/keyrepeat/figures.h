/* SPDX-License-Identifier: GPL-3.0-or-later */
/* figures - pairs the keys of a train with the updates seen and computes the statistics of the report (docs/method.md). Pure. */
#pragma once

#include "backlog.h"
#include "sample.h"
#include "train.h"

struct figures_cfg_of_train {
	int watch; /* enum target_watch */
	int64_t period_ns;
	int64_t threshold_ns; /* a key answered later than this after its due time is late */
	double noise_per_s;   /* updates that come without a key */
	int64_t time_ns;      /* duration asked for */
};

/* Skipped (warm-up) keys and keys that never fell due do not count, unless a member says otherwise. All times in ns. */
struct train_figures {
	size_t keys_due, keys_sent, keys_skipped, keys_answered;
	size_t keys_in_doubt; /* keys that an update came after, but may have answered another key */
	size_t lost;	      /* keys that the display, at rest in the end, never answered */
	size_t owed;	      /* single keys: given up, and no update accounts for them */
	int64_t silent_ns;  /* no key that was sent from here on was answered, since the first key was due; 0: the last keys were */
	double typed_per_s; /* pace at which keys were really sent; NAN below two */
	size_t in_flight;   /* last keys, left out: interrupted before they had waited as long as others did */
	size_t keys_exact;  /* keys whose answer is known exactly, not as a range */
	size_t coalesced;   /* keys whose picture answered a later key, too */
	size_t updates;	    /* from the first key to the answer of the last, block by block */
	size_t late, late_high;		   /* keys certainly late; keys possibly late */
	size_t ahead;			   /* pictures that showed more keys than had been sent */
	bool any_answer;		   /* at least one key was answered, skipped or not */
	bool caret;			   /* keys were paired by the position of the caret, not by the number of updates */
	bool restless;			   /* single keys: the display never came to rest, so no late end is known */
	struct backlog_growth backlog;	   /* of all keys, skipped ones included */
	struct sample lateness;		   /* from due to sent */
	size_t left_late;		   /* single keys that left late because this machine was busy (keys_left_late) */
	int64_t left_late_max_ns;	   /* by how much the latest of these left too late */
	struct sample from_due, from_sent; /* latency until the earliest possible answer */
	struct sample high, sent_high;	   /* latency from due and from sent until the latest possible answer */
	struct sample interarrival;	   /* from one update to the next */
	struct sample stall;		   /* inter-arrival time minus the period; may be negative */
	size_t stalls;			   /* values above 0 in `stall` */
	double mean_positive_ns;	   /* mean of max(0, stall); NAN: no stalls known */
	int64_t largest_gap_ns;		   /* between updates; also the gap up to the end, if keys were unanswered; -1: none */
	double late_percent, late_high_percent, updates_per_key; /* NAN without keys */
	double late_bound_percent; /* upper 95 % bound of late_high_percent, by runs of late keys: a stall makes many late */
};

/* Pairs the keys of the train with the updates seen and fills in *out. */
void figures_compute(const struct figures_cfg_of_train *cfg, struct key_train *train, const struct observations *seen,
		     struct train_figures *out);
void figures_free(struct train_figures *f);
