/* SPDX-License-Identifier: GPL-3.0-or-later */
/* inputs - what a replay sent and when: the reader of the side file OUT.rfb.aux.
 *
 * Reads both what this vncplay writes ("input N KIND at US ...") and the lines of the VNCplay of
 * 2005 ("== sending mouse click event at MS"). Where there are lines of the first kind, those of
 * the second are left out. The old ones do not tell a press from a release: they are taken in turn
 * as press and release; but one that comes 2 s or more after a press and is followed within 500 ms
 * by another begins a new click, since a release was not sent. Lines that are not known are
 * skipped. */
#ifndef THINPROBE_VNCPLAY_INPUTS_H
#define THINPROBE_VNCPLAY_INPUTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum input_kind { INPUT_MOVE, INPUT_PRESS, INPUT_RELEASE, INPUT_DOWN, INPUT_UP };

struct input {
	enum input_kind kind;
	int64_t at_us;		/* on the log's clock */
	int n;			/* which of the trace; of the old form: which of the file */
	int x, y, button;	/* -1, -1, 0: not known */
	uint32_t keysym;	/* 0: not known */
};

struct inputs {
	struct input *input;	/* by time */
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
int inputs_read(FILE *in, struct inputs *out);
void inputs_free(struct inputs *in);

/* What is to be answered: a press with its release, or a key. */
enum stimulus_kind { STIMULUS_CLICK, STIMULUS_DRAG, STIMULUS_SCROLL, STIMULUS_KEY, STIMULUS_MOVE };
extern const char *const stimulus_words[];

struct stimulus {
	enum stimulus_kind kind;
	int n;			/* as of its press */
	int64_t press_us, release_us;	/* -1: not released */
};

/* Presses, keys and turns of a wheel, by time. Owned by the caller; NULL: none, or no memory with errno. */
struct stimulus *inputs_stimuli(const struct inputs *in, size_t *n);

#endif
