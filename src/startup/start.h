/* SPDX-License-Identifier: GPL-3.0-or-later */
/* start - one start of the application: from executing it to its content at rest, the events after it, and its end.
 *
 * Ready is when something has been painted in a window that counts (screen.h) and all windows that
 * count have been at rest for the quiet time (rest.h); the time is that of the last change before
 * it. Then it is watched on: should the set of windows change (a splash screen gives way to the
 * main window), it was not ready, and all begins anew. Busy processes (over a tenth of a CPU, major
 * faults, waiting for a device) are watched ten times as long at most: what still loads will yet
 * show. Changes inside of the same windows meanwhile do not count. */
#ifndef STARTUP_START_H
#define STARTUP_START_H

#include "cold.h"
#include "delays.h"
#include "memory.h"
#include "nanny.h"
#include "opened.h"
#include "rest.h"
#include "screen.h"
#include "then.h"
#include "taskstats.h"
#include "traffic.h"
#include "tree.h"
#include "watchdog.h"

enum start_state { START_STABLE, START_CEILING, START_NO_WINDOW, START_EXITED, START_INTERRUPTED, START_NO_DISPLAY };
extern const char *const start_states[];
enum start_event_state { START_EVENT_STABLE, START_EVENT_CEILING, START_EVENT_NO_CHANGE, START_EVENT_EXITED, START_EVENT_NOT_SENT };
extern const char *const start_event_states[];
enum start_end { START_ENDED_BY_ITSELF, START_CLOSED, START_ASKED, START_KILLED, START_KEPT };
extern const char *const start_ends[];

/* What happened when, for a log; absolute times. */
struct start_note {
	int64_t time_ns;
	const char *kind;	/* "exec", "mapped", "painted", "change", "rest", "again", "input", "end"; "swap" for a step */
	const char *name;	/* of an event */
	uint64_t picture;
	int windows;
	const struct traffic_counts *moved;	/* of "swap" */
};
typedef void start_log(void *context, const struct start_note *note);

struct start_cfg {
	struct nanny_cfg start;
	int64_t quiet_ns, ceiling_ns, watch_on_ns, close_ns;
	bool any_owner;			/* windows go by their name, so the end of the command tells nothing */
	const struct then_event *key;	/* sent just before the start, and times are since then; NULL: none */
	const struct then *script;	/* NULL: no events */
	bool keep;			/* leave it running */
	struct screen_watch *screen;
	struct traffic *traffic;
	struct taskstats_link *taskstats;	/* fd -1: none */
	struct cold *learn;		/* files it uses are added, which costs time; NULL: nobody asks */
	struct opened *opened;		/* tells of them; fd -1: does not */
	start_log *log;			/* may be NULL */
	void *log_context;
};

/* Times are since the input was sent; -1: there is none. */
struct start_event {
	enum start_event_state state;
	int64_t first_change_ns, stable_ns;
};

/* Times are since the command was executed, or since the key before it; -1: there is none. */
struct start_result {
	enum start_state state;
	enum start_end end;
	int64_t exec_ns;			/* CLOCK_MONOTONIC; when the key was sent, if --key started it */
	int64_t mapped_ns, paint_ns, stable_ns, splash_ns;
	int64_t last_change_ns;			/* also where no rest was reached */
	int64_t told_ns;			/* when stable was certain */
	bool caret;				/* two pictures took turns */
	bool busy;				/* taken as ready though processes were still busy */
	int splashes;				/* how often it was at rest and then another window came */
	int64_t changes, looks, longest_ns;
	int windows, width, height;
	int processes, threads;			/* when it was stable */
	/* up to the last change, as far as told within TREE_TICK after it */
	struct tree_counts counts;
	struct traffic_counts moved;
	struct traffic_refaults refaults;
	struct delay_reading delays;
	int64_t delay_readings, delays_discarded;
	int exit_status;			/* of the command, as wait() gives it; -1: not ended by itself */
	struct memory memory;			/* when all watching on was over */
	int64_t probe_cpu_ns;			/* of our own */
	struct start_event *event;		/* one for each of the script, owned; NULL: none */
};

#define START_TREE_TICK (100 * NS_PER_MS)

/* 0, or -errno when it could not be started (cfg.start's words and nanny->told say what was
 * refused), or -EPIPE when the display went away, or -ENOMEM. In all cases nothing of it is left,
 * unless cfg.keep. */
int start_once(const struct start_cfg *cfg, struct nanny *nanny, struct start_result *out);
void start_free(struct start_result *r);

#endif
