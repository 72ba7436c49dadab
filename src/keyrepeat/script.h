/* SPDX-License-Identifier: GPL-3.0-or-later */
/* script - reads a file of keys, pointer moves and clicks, one action a line: "DELAY_MS WHAT".
 *
 * The delay counts from the due time of the action before (of the first: from the start), so that all due times are known before
 * the run. WHAT is
 *
 *	KEY			a key, as in "120 a", or with modifiers, as in "50 ctrl+shift+s"
 *	move X,Y		moves the pointer at once
 *	move X,Y over MS	moves the pointer in a straight line, in steps of 20 ms; drags between "button 1 down" and "button 1 up"
 *	button N down|up|click	N is 1 to 8
 *	type MS TEXT		types the rest of the line, a character every MS milliseconds
 *
 * Empty lines and lines that begin with # are ignored; the key # is written 0x23. */
#pragma once

#include "act.h"

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define SCRIPT_STEP_MS 20 /* between two steps of a move: mice report more often, but viewers do not send more often */

struct act_script {
	size_t n;
	int64_t *offset_ns;    /* due times, ascending, from the start; owned */
	struct input_act *act; /* owned */
};

/* Reads the whole file, of lines up to 65534 bytes. 0 or -errno; for -EINVAL, *line is the number of the line that is no action,
 * for -EPROTO of one that is no text, with the reason in *wrong. script_free() in all cases. */
int script_read(FILE *in, struct act_script *out, size_t *line, const char **wrong);
void script_free(struct act_script *s);
