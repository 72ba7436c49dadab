/* SPDX-License-Identifier: GPL-3.0-or-later */
/* play - one replay: its connection, log and side file, and its inputs at their times. */
#pragma once

#include "sample.h"
#include "vncplay/common/fbs.h"
#include "vncplay/common/match.h"
#include "vncplay/common/server.h"
#include "vncplay/common/side_file.h"
#include "vncplay/common/trace.h"
#include "why.h"

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

/* --- await.c --- */

/* Waits until the screen shows a snapshot: decides when to go on, to move the pointer, to search elsewhere, to give up.
 * Pure: time comes in as a number, actions go out as a return value.
 *
 * A snapshot is compared from the moment that it is the next event, so that one that matches when its input is due costs no time.
 * A match must last for `settle_ns`. */

enum await_pointer { AWAIT_POINTER_AUTO, AWAIT_POINTER_NEVER, AWAIT_POINTER_ALWAYS };

struct snapshot_wait_cfg {
	struct match_cfg match;
	int64_t timeout_ns, settle_ns;
	int64_t patience_ns;	/* wait before searching elsewhere, or before masking the pointer's picture */
	int64_t wiggle_ns;	/* wait before the pointer is moved aside and back for the first time */
	int64_t wiggle_each_ns; /* wait before the pointer is moved aside and back again */
	int radius;		/* how far to search, pixels; 0: never search */
	int pointer;		/* enum await_pointer: when the pointer's picture is masked */
};

struct snapshot_wait {
	const struct snapshot_wait_cfg *cfg;
	const struct trace_event *shot; /* the snapshot */
	struct match_cfg match;		/* cfg->match, and a mask for the pointer's picture when pointer_masked */
	struct pixel_area masks[MATCH_MASKS + 1];
	int64_t since_ns;		    /* when the input of the snapshot was due; INT64_MAX: not yet */
	int64_t matched_ns;		    /* since when the screen matches; INT64_MAX: it does not */
	int64_t wiggle_at_ns, search_at_ns; /* when to move the pointer aside next, and when to search next */
	bool dirty;			    /* the screen near the snapshot was painted since the last comparison */
	bool out;			    /* the pointer is a pixel beside its place */
	bool pointer_masked, may_wiggle;
	bool held;		    /* a button is down: the pointer must not be moved, and a dragged object moves with it */
	int hint_dx, hint_dy;	    /* by how much the previous click was displaced, pixels */
	int dx, dy;		    /* displacement at which the snapshot is compared as well, pixels */
	struct mismatch_count seen; /* at the recorded place, or at the displacement when it matches there */
	int least;		    /* fewest mismatches at the recorded place; -1: not compared yet */
	enum match_found found;	    /* result of the last search */
	bool searched;
};

/* Begins with a snapshot. `held`: a button is down. `dx`, `dy`: by how much the previous click was displaced, pixels: the
 * snapshot is compared there as well, and only there while a button is down. The caller sets a->may_wiggle. */
void snapshot_wait_begin(struct snapshot_wait *a, const struct snapshot_wait_cfg *cfg, const struct trace_event *shot, bool held,
			 int dx, int dy);
void snapshot_wait_note_painted(struct snapshot_wait *a, struct pixel_area box); /* the server painted `box` */
void snapshot_wait_set_due(struct snapshot_wait *a, int64_t now_ns);		 /* the input of the snapshot is due now */

enum await_word {
	AWAIT_NOT_YET, /* do nothing before *wake_ns, or before something is painted */
	AWAIT_OK,      /* the snapshot matches, displaced by a->dx, a->dy */
	AWAIT_OUT,     /* move the pointer a pixel aside */
	AWAIT_BACK,    /* move the pointer back */
	AWAIT_THERE,   /* move the pointer to where the snapshot was found */
	AWAIT_TIMEOUT
};
/* Returns what to do now. `x`, `y`: the pointer; `drawn`: the server may draw the pointer into the screen (it never sent a
 * cursor shape). */
enum await_word snapshot_wait_step(struct snapshot_wait *a, const struct screen *s, int64_t now_ns, int x, int y, bool drawn,
				   int64_t *wake_ns);

/* --- pacing.c --- */

/* When inputs of a replay are due: an open loop on absolute times, which a wait for the screen shifts as a whole. Pure.
 *
 * The interval from one due time to the next is that of the trace, however late the earlier input was sent, so lateness does not
 * add up. Think times may be scaled (speed, jitter). Intervals within one gesture are kept exactly: while a button or a key is
 * down (a drag, a key that repeats), and between the clicks of a double click. */

struct pacing {
	double speed;		  /* think times are divided by this */
	double jitter;		  /* and multiplied by a random factor from 1 - jitter to 1 + jitter */
	uint64_t random;	  /* state of the random numbers; at first the seed */
	int64_t due_ns;		  /* when the last input was due, CLOCK_MONOTONIC */
	int64_t at_ns;		  /* time of the last input in the trace, ns */
	unsigned buttons;	  /* buttons down after the last input: bit 0 is button 1 */
	struct held_keys down;	  /* keys down after the last input */
	struct trace_event click; /* the last press or release of a button; button 0: none yet */
};

/* speed > 0; 0 <= jitter < 1. The first input is due at `start_ns` (CLOCK_MONOTONIC) plus its time in the trace. */
void pacing_start(struct pacing *t, double speed, double jitter, uint64_t seed, int64_t start_ns);
/* Returns when an input is due (CLOCK_MONOTONIC). To be called once for each input, in order; not for snapshots. */
int64_t pacing_compute_due(struct pacing *t, const struct trace_event *input);
/* The last input had to wait for the screen until `now_ns`: it and all later inputs are due later by that wait, which is
 * returned (ns; 0: it was not late). */
int64_t pacing_shift(struct pacing *t, int64_t now_ns);

/* --- play_run.c: the replay --- */

struct play_cfg {
	struct server_cfg server;
	struct snapshot_wait_cfg await;
	double speed, jitter; /* as in struct pacing */
	uint64_t seed;
	int64_t wait_end_ns; /* how long to log after the last input, at least */
	bool any_size;
};

enum play_status { PLAY_COMPLETE, PLAY_TIMEOUT, PLAY_CLOSED, PLAY_INTERRUPTED, PLAY_REFUSED, PLAY_FAILED };
extern const char *const play_status_words[];

struct play_result {
	enum play_status status;
	bool began;		   /* the server sent a whole screen; false: there are no figures */
	struct why why;		   /* the error message, unless the status is PLAY_COMPLETE */
	int inputs, snapshots;	   /* inputs sent, snapshots matched */
	int at_once, waited;	   /* snapshots that matched when their input was due, or later */
	int moved, pointer_masked; /* snapshots found displaced, or matched only with the pointer's picture masked */
	int wiggles;		   /* times that the pointer was moved aside and back */
	struct sample late_ns;	   /* for each input: sent minus due */
	struct sample wait_ns;	   /* for each snapshot that did not match at once: the wait */
	int64_t shifted_ns;	   /* by how much waits have delayed the schedule */
	int64_t total_ns;	   /* from the first input due to the last input sent */
	int64_t log_ns;		   /* length of the log */
	int64_t bytes, updates;	   /* received from the server: bytes, framebuffer updates */
	int64_t cpu_ns;		   /* CPU time of this process */
};

/* Runs one replay. `out`: path of the log; writes the side file out.aux, and at a timeout the pictures out.expected.ppm and
 * out.actual.ppm, which it removes first. A signal to stop (proc.h) ends it early. Returns r->status; play_result_free empties
 * `r`. */
enum play_status play_trace(const struct play_cfg *cfg, const struct input_trace *t, const char *out, struct play_result *r);
void play_result_free(struct play_result *r);

/* --- play_connection.c: what the server sends is logged before it is used, what is sent is noted with its time --- */

struct live_replay {
	const struct play_cfg *cfg;
	struct play_result *r;
	struct server_connection *server;
	struct growing_file *log;
	struct growing_file *side;
	int log_err;		   /* the first error of writing the log */
	int64_t began_ns;	   /* when the log began, CLOCK_MONOTONIC */
	int64_t painted_ns;	   /* when the server painted last, CLOCK_MONOTONIC */
	bool shaped;		   /* the server sent a cursor shape: it does not draw the pointer into the screen */
	struct pixel_area covered; /* the area painted since the screen got its size */
	bool whole;		   /* an update has ended with all of the screen painted */
	bool touched;		   /* the last read painted something */
	void (*painted)(void *whose, struct pixel_area box);
	void *whose;
	sigset_t outside; /* signals blocked before live_open */
	unsigned mask;	  /* buttons down: bit 0 is button 1 */
	int x, y;	  /* the pointer as sent last; -1: not sent yet */
	struct held_keys down;
};

/* Connects and begins the log. 0, or -errno with r->status and r->why set. live_close is due either way. */
int live_open(struct live_replay *l, const struct play_cfg *cfg, const char *out, struct play_result *r);
/* Waits until `until_ns` (CLOCK_MONOTONIC) or until the server sends; reads at most once, so that an input that is due can be
 * sent. 0, or -errno with r->status and r->why set: the replay is over. */
int live_wait(struct live_replay *l, int64_t until_ns);
/* Waits until the whole screen was painted once. 0 or -errno, as live_wait. */
int live_await_screen(struct live_replay *l, int64_t until_ns);
/* Sets r->status and r->why. Returns -ECANCELED. */
int live_fail(struct live_replay *l, enum play_status status, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* Send an input. 0 or -errno, as live_wait. `mask`: buttons down, bit 0 is button 1. */
int live_send_pointer(struct live_replay *l, unsigned mask, int x, int y);
int live_send_key(struct live_replay *l, uint32_t keysym, bool down);

const struct screen *live_screen(const struct live_replay *l);
/* Releases all buttons and keys, ends the log and the side file. */
void live_close(struct live_replay *l);

/* Writes out.expected.ppm and out.actual.ppm: the snapshot and the screen in its place, each with the screen around it, which is
 * darkened in the expected picture. 0 or -errno. */
int play_write_pictures(const char *out, const struct screen *s, const struct trace_event *shot);
void play_remove_pictures(const char *out);
