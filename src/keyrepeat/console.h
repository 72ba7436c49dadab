/* SPDX-License-Identifier: GPL-3.0-or-later */
/* console - text for the user: an announcement before the first key, a progress line during the run, the short report at the
 * end. */
#pragma once

#include "figures.h"
#include "rec.h"

#include <pthread.h>

struct console_cfg {
	const char *target;   /* as given on the command line */
	const char *receiver; /* window that gets the keys; "": none does */
	const char *script;   /* file with the keys; NULL: one key repeatedly */
	size_t keys;	      /* to be typed; 0: only watches */
	double rate_per_s;
	int64_t time_ns;      /* duration of the train */
	int64_t threshold_ns; /* latency above which a key is late */
	int64_t period_ns;    /* from one key to the next, as asked for */
	int watch;	      /* enum target_watch */
	bool periodic;	      /* keys are due at equal distances: gaps between updates are the server's, not the schedule's */
};

/* Says what will be typed where; only where standard error is a terminal. */
void console_announce(const struct console_cfg *cfg);

/* Writes a progress line each second to a terminal at standard error, in a thread of its own: a terminal that blocks must not delay
 * a key. */
struct console_progress {
	const struct console_cfg *cfg;
	const struct key_train *train;
	const struct observations *seen;
	_Atomic bool stopping;
	bool running;
	pthread_t thread;
};
void console_show_progress(struct console_progress *p, bool quiet);
void console_end_progress(struct console_progress *p);

/* Writes the short report. own_changes: changes of the picture that were left out. */
void console_write_report(struct rec_report *r, const struct console_cfg *cfg, const struct key_train *train,
			  struct train_figures *f, size_t own_changes);
