/* SPDX-License-Identifier: GPL-3.0-or-later */
/* main_loop - waits for an input, the end of a sub-epoch or of an episode, or a client of `vamp status`, and handles it.
 *
 * Episodes (Kim et al. 2014, 3.1.2): an input ends the current episode and begins another. Starting sound begins one only if none
 * lasts. An episode ends after its maximum length. */
#pragma once

#include "record.h"
#include "undo.h"

enum { LOOP_SOURCES = 4, LOOP_WAYS = 4 };
#define LOOP_INPUTS 20 /* inputs per second that can begin an episode; further ones are ignored */

/* The caller sets and opens the members up to `answers`, and closes those that are still there. */
struct vamp_daemon {
	struct judge_cfg judge;
	int64_t most_ns; /* maximum length of an episode (max_int_period of the paper) */
	struct task_sampler *tasks;
	struct undo_recorder *undo; /* NULL: nothing is changed */
	struct audio_watch *audio;  /* NULL: sound is not watched; its source is also in `source` */
	struct throttle *way[LOOP_WAYS];
	int ways;
	struct input_source *source[LOOP_SOURCES]; /* a source that ends is closed and removed */
	int sources;
	struct row_file *log; /* NULL: no log */
	int answers;	      /* socket that status_listen() returned */
	struct run_record record;
	int64_t second_ns; /* begin of the current second, for LOOP_INPUTS */
	int inputs;	   /* inputs in this second */
	int err;	   /* error that ended the run, for loop_error_text(); 0: none */

	bool applied;		  /* a throttle's begin was called, its end not yet */
	int64_t cpu_before_ns;	  /* CPU time used by start-up; subtracted from the reported cost */
	struct input_event event; /* the first event of one read; seen_ns 0: none */
	int64_t averaged_ns;
};

/* Takes the first sample of all processes, and records the start of the run. */
void loop_take_first_sample(struct vamp_daemon *w);
/* Runs until `until_ns`, a signal to stop, the end of the last source of user input, or an error (w->err); then undoes the
 * throttling. */
void loop_run(struct vamp_daemon *w, int64_t until_ns);
const char *loop_error_text(int err);
/* Updates cost, way and sound server in the record, for the report. */
void loop_update_record(struct vamp_daemon *w);
