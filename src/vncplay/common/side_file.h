/* SPDX-License-Identifier: GPL-3.0-or-later */
/* side - the side file of a replay, OUT.rfb.aux: what was sent when, and what was waited for. Text,
 * one line an event; vncplay(1) has its format.
 *
 * Times are those of the log: since it began, in us in our own lines, in whole ms in those of the
 * VNCplay of 2005, which stand beside them. The file is valid up to its last line at every
 * instant. */
#ifndef THINPROBE_SIDE_H
#define THINPROBE_SIDE_H

#include "trace.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct side_writer;

/* NULL with errno. `began_ns`: when the log began. */
struct side_writer *side_create(const char *path, int64_t began_ns);
void side_setting(struct side_writer *w, const char *format, ...) __attribute__((format(printf, 2, 3)));
void side_start(struct side_writer *w, int64_t now_ns);
/* Input number `n` (from 0; snapshots do not count), as it was sent: at x, y where that is not where the trace has it. */
void side_input(struct side_writer *w, int n, const struct trace_event *input, int x, int y, int64_t now_ns, int64_t late_ns);
void side_wiggle(struct side_writer *w, int64_t now_ns, int x, int y);

enum side_snapshot { SIDE_WAIT, SIDE_OK, SIDE_TIMEOUT };
struct side_awaited {	/* of a snapshot, or of a dependency (line: of the input that waits) */
	int n;			/* number of the snapshot, from 0; -1: a dependency */
	int line;
	enum trace_why why;
	int64_t waited_ns;
	int mismatched, of, dx, dy;
	bool pointer_masked;
};
void side_snapshot(struct side_writer *w, enum side_snapshot what, const struct side_awaited *s, int64_t now_ns);
void side_end(struct side_writer *w, int64_t now_ns, const char *status);
/* Puts the lines into the file. 0 or -errno of the first write that failed. */
int side_flush(struct side_writer *w);
int side_finish(struct side_writer *w);

/* --- reading --- */

struct sent_input {
	enum trace_event_kind kind;	/* no TRACE_SNAPSHOT */
	int64_t at_us;		/* on the log's clock */
	int n;			/* which of the trace; of the old form: which of the file */
	int line;		/* of the trace; 0: not known */
	int x, y, button;	/* -1, -1, 0: not known */
	uint32_t keysym;	/* 0: not known */
};

struct sent_inputs {
	struct sent_input *input;	/* by time */
	size_t n;
	uint32_t *sync_ms;	/* when a snapshot was there */
	size_t n_syncs;
	uint32_t *old_ms;	/* the old lines as they are, for who wants to write them again: mouse and keyboard alike */
	size_t n_old;
	int64_t end_us;		/* when the replay ended; -1: not told */
	char status[32];	/* complete, timeout, ...; "": not told */
	bool old;		/* has only lines of the old form */
	bool cut;		/* the last line is not whole, or times go back */
};

/* 0, -EPROTO (not one known line: this is no such file), -ENOMEM, -EIO. */
int sent_inputs_read(FILE *in, struct sent_inputs *out);
void sent_inputs_free(struct sent_inputs *in);

/* What is to be answered: a press with its release, or a key. */
enum stimulus_kind { STIMULUS_CLICK, STIMULUS_DRAG, STIMULUS_SCROLL, STIMULUS_KEY, STIMULUS_MOVE };
extern const char *const stimulus_words[];

struct stimulus {
	enum stimulus_kind kind;
	int n;			/* as of its press */
	int64_t press_us, release_us;	/* -1: not released */
};

/* Presses, keys and turns of a wheel, by time. Owned by the caller; NULL: none, or no memory with errno. */
struct stimulus *sent_inputs_stimuli(const struct sent_inputs *in, size_t *n);

#endif
