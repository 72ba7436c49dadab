/* SPDX-License-Identifier: GPL-3.0-or-later */
/* input_script - reads a script of inputs: one line "[DELAY_MS] WHAT" for each action. Pure.
 *
 * A line begins when all inputs of the line before were sent and its delay is over. Keys and buttons are written as in act.h:
 *
 *	KEY			presses a key, alone ("a", "Return") or with modifiers ("ctrl+shift+s")
 *	down KEY, up KEY	presses or releases a key
 *	move X,Y [over MS]	moves the pointer as a hand does, slower at both ends; over 0: at once
 *	button N down|up|click	button 1 to 8
 *	type [MS] TEXT		types the rest of the line, a character every MS (100)
 *	click X,Y [N [times]] [button B]	moves, pauses and clicks, fast enough for a double click
 *	drag X,Y X,Y [over MS] [button B]
 *	scroll up|down|left|right [N]
 *	pause TIME		500ms, 2s
 *	quiet [TIME]		waits until nothing has changed on the screen for this time (500ms, at most SCRIPT_QUIET_MOST_NS)
 *
 * X,Y may also be written as X Y. Empty lines and lines that begin with # are skipped. */
#pragma once

#include "why.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define SCRIPT_QUIET_MOST_NS 10000000000ll

enum input_script_kind { SCRIPT_LINE, SCRIPT_QUIET, SCRIPT_MOVE, SCRIPT_BUTTON, SCRIPT_KEY };

struct input_script_step {
	enum input_script_kind kind;
	/* after the step before; SCRIPT_LINE: after all inputs were sent; SCRIPT_QUIET: how long the screen must be quiet */
	int64_t after_ns;
	int x, y, button;
	uint32_t keysym;
	bool down;
	int line;
};

struct input_script {
	struct input_script_step *steps; /* owned */
	int n;
};

/* Reads a script for a screen of this size. 0 or -errno; for -EINVAL `why` has the line and the error. input_script_free is
 * due in any case. */
int input_script_read(FILE *in, int width, int height, struct input_script *h, struct why *why);
void input_script_free(struct input_script *h);
