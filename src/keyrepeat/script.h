/* SPDX-License-Identifier: GPL-3.0-or-later */
/* script - what a person does, from a file: a line each, "DELAY_MS WHAT".
 *
 * The delay counts from the due time of what came before (the first: from the start), so that the
 * whole schedule stands before the run. WHAT is
 *
 *	KEY			a key, as in "120 a", or with others held down, as in "50 ctrl+shift+s"
 *	move X,Y		the pointer is there
 *	move X,Y over MS	it goes there from where it was, in a straight line, a step
 *				every 20 ms; between button 1 down and up it drags
 *	button N down|up|click	1 to 8
 *	type MS TEXT		the rest of the line, a character every so many ms
 *
 * Empty lines and lines that begin with # are left out; # as a key is written 0x23. */
#ifndef KEYREPEAT_SCRIPT_H
#define KEYREPEAT_SCRIPT_H

#include "act.h"

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define SCRIPT_STEP_MS 20	/* between two steps of a move; mice tell faster, viewers do not send faster */

struct script {
	size_t n;
	int64_t *offset_ns;	/* owned; ascending, from the start */
	struct act *act;	/* owned */
};

/* Reads to the end. 0 or -errno; for -EINVAL, *line is the line that is wrong. script_free() in any case. */
int script_read(FILE *in, struct script *out, size_t *line);
void script_free(struct script *s);

#endif
