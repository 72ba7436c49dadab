/* SPDX-License-Identifier: GPL-3.0-or-later */
/* viewer - a full VNC client, by libvncclient, in a process of its own: decodes all pixels and tells when they answer a key. What
 * crashes on the bytes of a server is that process alone. Keys are sent from here, and never wait for a picture. */
#pragma once

#include "why.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct viewer_cfg {
	const char *encodings; /* separated by blanks, preferred first */
	const char *password;  /* NULL: none */
	bool patch;  /* the answer is the next number in the patch of refecho; else the next update that changes a pixel */
	int sandbox; /* enum confine_mode */
};

struct viewer;

/* Forks: before the first thread, and before this process gives up its rights. Ends the program where that fails. */
struct viewer *viewer_start(const struct viewer_cfg *cfg);
/* Hands over `fd` (connected, blocking; stays the caller's), for the handshake and a request of the whole screen. 0, or -errno with
 * the reason in `why`: EACCES (refused), EPROTO, ETIMEDOUT, EINTR (a stop signal), ENOTRECOVERABLE (the process crashed). */
int viewer_open(struct viewer *v, int fd, int port, int64_t until_ns, struct why *why);
/* Lets go of the connection. */
void viewer_close(struct viewer *v);

/* Readable when viewer_look() has something to tell. */
int viewer_fd(const struct viewer *v);
/* 0; -EPIPE: the connection is closed, or the bytes are no RFB; -ENOTRECOVERABLE: the process crashed, and is gone. */
int viewer_look(struct viewer *v);
/* Whether it crashed on what it read, with the reason in `why`. */
bool viewer_explain_crash(struct viewer *v, struct why *why);
/* Whether the first screen has arrived, and with cfg.patch the patch was found in it. */
bool viewer_is_ready(const struct viewer *v);
/* To be called before a request is sent: the next answer will be for it. */
void viewer_expect_answer(struct viewer *v);
/* When the answer was in the pixels (ns, CLOCK_MONOTONIC); 0: not yet. */
int64_t viewer_answered_ns(const struct viewer *v);
int viewer_send(struct viewer *v, const uint8_t *bytes, size_t n, int64_t until_ns); /* 0 or -EPIPE */
void viewer_get_size(const struct viewer *v, int *width, int *height);
int64_t viewer_cpu_ns(const struct viewer *v); /* CPU time of its process */
