/* SPDX-License-Identifier: GPL-3.0-or-later */
/* viewer - a whole client of a VNC server, by libvncclient: it has all pixels, and tells when they
 * answer a key. It blocks; whoever shuts the socket down ends that. Each in a thread of its own. */
#ifndef THINPROBE_VUSERS_VIEWER_H
#define THINPROBE_VUSERS_VIEWER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct viewer_cfg {
	const char *encodings;		/* with blanks between, the best first */
	const char *password;		/* NULL: there is none */
	bool patch;			/* the answer is the reference application's next number; else the next update that changes a pixel */
};

struct viewer;

/* Once, before the first. */
void viewer_prepare(void);
/* Greets over `fd` (connected, blocking; it stays the caller's) and asks for a picture. NULL with
 * errno and the reason in `why`: EACCES (refused), EPROTO, ENOMEM. */
struct viewer *viewer_open(int fd, int port, const struct viewer_cfg *cfg, char *why, size_t size);
void viewer_close(struct viewer *v);

/* Takes what has come, of which there is something, until no message has begun. 0 or -EPIPE: the
 * connection is over, or what came was no RFB. */
int viewer_read(struct viewer *v);
/* The picture is there, and the patch in it where that is looked for. */
bool viewer_ready(const struct viewer *v);
/* A key (or the pointer) is about to be sent: forgets answers to the one before. */
void viewer_ask(struct viewer *v);
/* When the answer stood in the pixels (CLOCK_MONOTONIC), 0: it has not come. */
int64_t viewer_answered(const struct viewer *v);
int viewer_send(struct viewer *v, const uint8_t *bytes, size_t n);	/* 0 or -EPIPE */
void viewer_size(const struct viewer *v, int *width, int *height);

#endif
