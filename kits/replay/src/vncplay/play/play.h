/* SPDX-License-Identifier: GPL-3.0-or-later */
/* play - one replay: its connection, log and side file, and its inputs at their times. */
#pragma once

#include "await.h"
#include "sample.h"
#include "vncplay/common/fbs.h"
#include "vncplay/common/server.h"
#include "vncplay/common/side_file.h"
#include "vncplay/common/trace.h"
#include "why.h"

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

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
