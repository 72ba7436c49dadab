/* SPDX-License-Identifier: GPL-3.0-or-later */
/* start - one start of the application: from execvp() to stable content, the events after that, and its end.
 *
 * The application is ready when something has been painted in a window that counts (screen.h) and the content of all windows that
 * count has been stable for the quiet time (stability.h); the time is that of the last change before. Then it is watched on: if
 * the set of windows changes (the main window replaces a splash screen), the application was not ready, and waiting begins anew.
 * Busy processes (over a tenth of a CPU, major faults, waiting for a device) are watched up to ten times as long, as a window may
 * still be loading. Changes inside the same windows do not count in that time. */
#pragma once

#include "drop_cache.h"
#include "subreaper.h"
#include "stability.h"
#include "screen.h"
#include "post_events.h"
#include "traffic.h"
#include "tree.h"
#include "watchdog.h"

enum start_state { START_STABLE, START_CEILING, START_NO_WINDOW, START_EXITED, START_INTERRUPTED, START_NO_DISPLAY };
extern const char *const start_states[];
enum start_event_state { START_EVENT_STABLE, START_EVENT_CEILING, START_EVENT_NO_CHANGE, START_EVENT_EXITED, START_EVENT_NOT_SENT };
extern const char *const start_event_states[];
enum start_end { START_ENDED_BY_ITSELF, START_CLOSED, START_ASKED, START_KILLED };
extern const char *const start_ends[];

/* One row of the log; times on CLOCK_MONOTONIC. */
struct start_log_entry {
	int64_t time_ns;
	const char *kind; /* "exec", "mapped", "painted", "change", "rest" (stable), "again", "input", "end", "swap" */
	const char *name; /* of the event sent or reacted to; NULL: none */
	uint64_t picture; /* hash of the content */
	int windows;	  /* that count */
	const struct traffic_counts *moved; /* of "swap"; else NULL */
};
typedef void start_log(const struct start_log_entry *note);

struct start_cfg {
	struct subreaper_cfg start;
	int64_t quiet_ns;		   /* content unchanged for this long is stable */
	int64_t ceiling_ns;		   /* longest wait for a start, and for each event */
	int64_t watch_on_ns;		   /* how long to watch for another window after that */
	int64_t close_ns;		   /* how long to wait after the request to close, and after SIGTERM */
	bool any_owner;			   /* windows are found by name: they may appear after the command has ended */
	const struct scripted_event *key;  /* sent just before the start, and times count from it; NULL: none */
	const struct event_script *script; /* NULL: no events */
	struct screen_watch *screen;
	struct traffic *traffic;
	struct file_set *learn;	   /* gets the files that the application uses, which costs time; NULL: not wanted */
	struct open_trace *opened; /* with `learn`: reports opened files; fd -1: not available */
	start_log *log;		   /* NULL: no log */
};

/* Times count from when the input was sent; -1: did not happen. */
struct event_result {
	enum start_event_state state;
	int64_t first_change_ns, stable_ns;
};

/* Times count from when the command was executed, or from the key before; -1: did not happen. */
struct start_result {
	enum start_state state;
	enum start_end end;
	int64_t exec_ns;			/* CLOCK_MONOTONIC time from which all times count */
	int64_t mapped_ns, paint_ns, splash_ns; /* first window mapped, first content painted, splash screen mapped */
	int64_t stable_ns;			/* last change before content was stable */
	int64_t changed_again_ns;		/* last change while watching on, since stable_ns; -1: none, but for a caret's */
	int64_t last_change_ns;			/* last change seen, whether or not content became stable */
	bool caret;				/* content ended with two pictures in turn, as with a blinking caret */
	bool busy;				/* content was stable, but processes were still busy when watching ended */
	int splashes;				/* times that content was stable and then another window came */
	int64_t changes, looks;			/* of content; at the screen */
	int64_t longest_ns;			/* largest delay from drawing to the look that showed it */
	int windows, width, height;		/* windows that count; size of the largest, in pixels */
	int processes, threads;			/* when content became stable */
	/* up to the last change, as read at most START_TREE_TICK after it */
	struct tree_sums counts;
	struct traffic_counts moved;
	struct refault_counts refaults;
	int exit_status;	    /* of the command, as wait() gives it; -1: did not end by itself */
	struct tree_memory memory;  /* when watching ended */
	int64_t probe_cpu_ns;	    /* CPU time of this program */
	struct event_result *event; /* one for each event of the script, owned; NULL: no script */
};

#define START_TREE_TICK (100 * NS_PER_MS) /* from one reading of the process tree to the next */

/* Starts the application, waits, plays the script and ends the application. 0 or -errno with nothing left
 * running: -EPIPE: the display went away; -ENOMEM; others: the command could not be started, and subreaper->shared says what was
 * refused. */
int start_measure(const struct start_cfg *cfg, struct subreaper *subreaper, struct start_result *out);
void start_result_free(struct start_result *r);
