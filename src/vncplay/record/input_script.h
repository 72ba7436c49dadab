/* SPDX-License-Identifier: GPL-3.0-or-later */
/* hand - what a person does at a screen, from a file: a line each, "[DELAY_MS] WHAT". Pure.
 *
 * A line begins when all that the line before did has been sent, and its delay has gone by. Words
 * and keys are those of keys and buttons elsewhere in the suite:
 *
 *	KEY			a key, as in "a", "Return", or with others held down, as in "ctrl+shift+s"
 *	down KEY, up KEY	one that stays down meanwhile
 *	move X,Y [over MS]	the pointer goes there as a hand does, slowly at both ends; over 0:
 *				it is there at once
 *	button N down|up|click	1 to 8
 *	type [MS] TEXT		the rest of the line, a character every so many ms (100)
 *	click X,Y [N [times]] [button B]	goes there, rests, and clicks, fast enough for a double click
 *	drag X,Y X,Y [over MS] [button B]
 *	scroll up|down|left|right [N]
 *	pause TIME		500ms, 2s
 *	quiet [TIME]		until nothing on the screen has changed for so long (500ms), at most SCRIPT_QUIET_MOST_NS
 *
 * X Y may also be written with a blank between. Empty lines and lines that begin with # are left out. */
#ifndef THINPROBE_VNCPLAY_HAND_H
#define THINPROBE_VNCPLAY_HAND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define SCRIPT_QUIET_MOST_NS 10000000000ll

enum input_script_kind { SCRIPT_LINE, SCRIPT_QUIET, SCRIPT_MOVE, SCRIPT_BUTTON, SCRIPT_KEY };

struct input_script_step {
	enum input_script_kind kind;
	int64_t after_ns;	/* the step before; of SCRIPT_LINE: after everything has been sent; of SCRIPT_QUIET: how long it is to be quiet */
	int x, y, button;
	uint32_t keysym;
	bool down;
	int line;
};

struct input_script {
	struct input_script_step *steps;	/* owned */
	int n;
};

/* Reads to the end, for a screen of that size. 0, -errno; for -EINVAL `why` has the line and what
 * is wrong with it. input_script_free() in any case. */
int input_script_read(FILE *in, int width, int height, struct input_script *h, char *why, size_t size);
void input_script_free(struct input_script *h);

#endif
