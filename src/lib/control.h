/* SPDX-License-Identifier: GPL-3.0-or-later */
/* control - orders for a program that runs: lines through a fifo. */
#ifndef THINPROBE_CONTROL_H
#define THINPROBE_CONTROL_H

#include <stdbool.h>
#include <stddef.h>

/* Lines out of what comes in pieces. A line that is too long is cut, to one that nobody understands. */
struct control_lines {
	size_t n;
	char text[128];
};
/* Takes pieces of `data` up to the end of a line: how many bytes it took. *line is then that line, until the next call, or
 * NULL when none has ended yet. */
size_t control_lines_take(struct control_lines *in, const char *data, size_t size, const char **line);

struct control {
	int fd;			/* to poll; -1: there is none */
	bool made;
	const char *path;	/* not ours */
	struct control_lines lines;
};

/* Opens the fifo, and makes it where it is not there. 0 or -errno, with a line in `why`; then nothing is left. */
int control_open(struct control *c, const char *path, char *why, size_t size);
/* Each line that has come (of very many the first ones: poll again), in its order, to `heed`. */
void control_read(struct control *c, void (*heed)(void *arg, const char *line), void *arg);
/* Removes the fifo, if it was made here. */
void control_remove(struct control *c);

#endif
