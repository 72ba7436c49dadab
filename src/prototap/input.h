/* SPDX-License-Identifier: GPL-3.0-or-later */
/* input - capture files as streams of bytes: opened while we still may, looked at when we may no more. */
#ifndef PROTOTAP_INPUT_H
#define PROTOTAP_INPUT_H

#include <stdio.h>

struct input_stream {
	const char *path;	/* the caller's */
	FILE *stream;		/* NULL once somebody else closes it */
	char *buffer;		/* of the stream: outlives it */
};

/* Opens `path` ("-": standard input) without reading from it. 0 or -errno; input_close() either way. */
int input_open(struct input_stream *in, const char *path);
void input_close(struct input_stream *in);

/* Lets this process open as many files as the system grants it. */
void input_many(void);

/* The command that unpacks the file to standard output, told by its first bytes, or NULL: it is not
 * compressed. Nothing is used up, of a pipe neither. */
const char *input_unpack(struct input_stream *in);

#endif
