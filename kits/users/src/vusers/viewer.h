/* SPDX-License-Identifier: GPL-3.0-or-later */
/* viewer - a full VNC client, by libvncclient: decodes all pixels and tells when they answer a key. Its calls block; shutting down
 * the socket ends them. Each viewer runs in its own thread. */
#pragma once

#include "why.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct viewer_cfg {
	const char *encodings; /* separated by blanks, preferred first */
	const char *password;  /* NULL: none */
	bool patch; /* the answer is the next number in the patch of refecho; else the next update that changes a pixel */
};

struct viewer;

/* Must be called once before the first viewer_open(). */
void viewer_catch_messages(void);
/* Does the handshake over `fd` (connected, blocking; stays the caller's) and requests the whole screen. NULL with errno and the
 * reason in `why`: EACCES (refused), EPROTO, ENOMEM, ENOTRECOVERABLE: the library crashed, and malloc() may be locked for this
 * thread. */
struct viewer *viewer_open(int fd, int port, const struct viewer_cfg *cfg, struct why *why);
/* After a crash it only unmaps the picture. */
void viewer_close(struct viewer *v);

/* Reads the messages that have arrived; blocks in the middle of a message. 0; -EPIPE: the connection is closed, or the
 * bytes are no RFB; -ENOTRECOVERABLE: as above. */
int viewer_read(struct viewer *v);
/* Whether the library crashed on what it read, with the reason in `why`. */
bool viewer_explain_crash(const struct viewer *v, struct why *why);
/* Whether the first screen has arrived, and with cfg.patch the patch was found in it. */
bool viewer_is_ready(const struct viewer *v);
/* To be called before a request is sent: the next answer will be for it. */
void viewer_expect_answer(struct viewer *v);
/* When the answer was in the pixels (ns, CLOCK_MONOTONIC); 0: not yet. */
int64_t viewer_answered_ns(const struct viewer *v);
int viewer_send(struct viewer *v, const uint8_t *bytes, size_t n); /* 0 or -EPIPE */
void viewer_get_size(const struct viewer *v, int *width, int *height);
