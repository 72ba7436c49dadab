/* SPDX-License-Identifier: GPL-3.0-or-later */
/* side_file - the side file OUT.rfb.aux of a replay: inputs sent and waits for the screen, with their times. Text, one line for
 * each event; vncplay(1) has the format. All times count from the beginning of the log OUT.rfb. */
#pragma once

#include "trace.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* Creates a side file; `began_ns`: when the log began, as all now_ns CLOCK_MONOTONIC. NULL with errno. Lines have times in us;
 * beside them stand lines as the VNCplay of 2005 wrote them, in ms. */
struct growing_file *side_file_create(const char *path, int64_t began_ns);
void side_file_write_setting(struct growing_file *w, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* The next n bytes of the log arrived. */
void side_file_write_arrival(struct growing_file *w, size_t n, int64_t came_ns);
void side_file_write_start(struct growing_file *w, int64_t now_ns);
/* An input was sent, its number counted from 0 without snapshots; x, y: the pointer, which may differ from the trace. */
void side_file_write_input(struct growing_file *w, int n, const struct trace_event *input, int x, int y, int64_t now_ns,
			   int64_t late_ns);
void side_file_write_wiggle(struct growing_file *w, int64_t now_ns, int x, int y); /* the pointer was moved aside or back */

enum side_file_event { SIDE_WAIT, SIDE_OK, SIDE_TIMEOUT };
struct awaited_screen { /* a snapshot that a replay waits for */
	int n;		/* its number, from 0 */
	int line;	/* in the trace */
	enum trace_why why;
	int64_t waited_ns;
	int mismatched, of, dx, dy; /* pixels that differ, of how many; displacement in pixels */
	bool pointer_masked;
};
void side_file_write_wait(struct growing_file *w, enum side_file_event what, const struct awaited_screen *s, int64_t now_ns);
void side_file_write_end(struct growing_file *w, int64_t now_ns, const char *status);

struct sent_input {		    /* an input of a side file */
	enum trace_event_kind kind; /* never TRACE_SNAPSHOT */
	int64_t at_us;		    /* us since the log began */
	int n;			    /* number of the input in the trace; in the form of 2005: in the side file */
	int line;		    /* in the trace; 0: not known */
	int x, y, button;	    /* -1, -1, 0: not known */
	uint32_t keysym;	    /* 0: not known */
};

struct arrival {
	uint64_t end; /* bytes of the log until then, without the heads of its blocks */
	int64_t at_us;
};

struct sent_inputs {
	struct sent_input *input; /* ascending in time; owned, as the other lists */
	size_t n;
	struct arrival *arrival; /* of all bytes; none: the log knows whole milliseconds */
	size_t n_arrivals;
	uint32_t *sync_ms; /* when snapshots matched */
	size_t n_syncs;
	uint32_t *old_ms; /* times of the input lines in the form of 2005, mouse and keyboard alike */
	size_t n_old;
	int64_t end_us;	 /* when the replay ended; -1: not known */
	char status[32]; /* how the replay ended (complete, timeout, ...); "": not known */
	bool old;	 /* all inputs are in the form of 2005 */
	bool cut;	 /* the last line is incomplete, or times decrease */
};

/* Reads a side file, of vncplay ("input N KIND at US ...") or of the VNCplay of 2005 ("== sending mouse click event at MS").
 * Where both forms occur, inputs are taken from the first. The form of 2005 does not distinguish press and release: they
 * alternate, except that an event 2 s or more after a press and at most 500 ms before another event begins a new click, since the
 * release was not sent. Unknown lines are skipped. 0, -EPROTO (no known line: not a side file), -EIO. */
int sent_inputs_read(FILE *in, struct sent_inputs *out);
void sent_inputs_free(struct sent_inputs *in);

/* An input that should have a response: a press with its release, or a movement. */
enum stimulus_kind { STIMULUS_CLICK, STIMULUS_DRAG, STIMULUS_SCROLL, STIMULUS_KEY, STIMULUS_MOVE };
extern const char *const stimulus_words[];

struct stimulus {
	enum stimulus_kind kind;
	int n;			      /* number of the press in the trace */
	int64_t press_us, release_us; /* us since the log began; -1: not released */
};

/* Clicks, keys and turns of the wheel, ascending in time; *n: their number. Owned by the caller. */
struct stimulus *stimuli_make(const struct sent_inputs *in, size_t *n);
