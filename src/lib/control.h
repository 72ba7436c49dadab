/* SPDX-License-Identifier: GPL-3.0-or-later */
/* control - commands for a running program: lines written to a fifo. */
#pragma once

#include "why.h"

#include <stdbool.h>
#include <stddef.h>

/* Assembles lines from pieces of data. A line that is too long is cut, and then matches no command. */
struct line_assembler {
	size_t n;
	char text[128];
};
/* Consumes `data` up to the end of a line. Returns the number of bytes consumed; *line is the complete line, valid until the next
 * call, or NULL if none is complete. */
size_t line_assemble(struct line_assembler *in, const char *data, size_t size, const char **line);

struct command_fifo {
	int fd;		  /* descriptor of the fifo; -1: not open */
	bool made;	  /* the fifo was created by fifo_open() */
	const char *path; /* not owned */
	struct line_assembler lines;
};

/* Opens the fifo, and creates it if it does not exist; what is created is removed at exit at the latest. 0, or -errno with a line
 * in `why` and nothing left behind. */
int fifo_open(struct command_fifo *c, const char *path, struct why *why);
/* Calls `heed` for each line that has arrived (at most some KB: poll again). */
void fifo_read_lines(struct command_fifo *c, void (*heed)(void *arg, const char *line), void *arg);
/* Removes the fifo if fifo_open() created it; where this fails, exit() tries again. */
void fifo_remove(struct command_fifo *c);
