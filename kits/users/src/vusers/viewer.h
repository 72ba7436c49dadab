/* SPDX-License-Identifier: GPL-3.0-or-later */
/* viewer - a client of VNC or RDP by a library (view_vnc.c, view_rdp.c), in a process of its own: decodes all pixels and tells when
 * they answer a key. What crashes on the bytes of a server is that process alone. Input never waits for a picture. */
#pragma once

#include "rdp/client.h"
#include "why.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define VIEWER_SERVER 300
#define RDP_USER 256

extern const struct viewer_kind viewer_vnc, viewer_rdp;

/* What all viewers of RDP share. */
struct rdp_viewer_cfg {
	const struct rdp_client_ops *library;
	const char *host;	   /* the name that is to be in the certificate */
	const char *user;	   /* DOMAIN\USER or USER; a % in it stands for the number of the viewer */
	const char *known_servers; /* list of certificates, as of rdp_trust_read() */
	bool cert_ignore;
	int width, height; /* of the screen to ask for */
};

struct viewer_cfg {
	const struct viewer_kind *kind;
	const char *encodings; /* VNC: separated by blanks, preferred first */
	const char *password;  /* NULL: none */
	bool patch;  /* the answer is the next number in the patch of refecho; else the next update that changes a pixel */
	bool blind;  /* RDP: decode no pixels; the answer is the next update */
	bool move;   /* input moves the pointer; else it presses keys */
	int sandbox; /* enum confine_mode */
	const struct rdp_viewer_cfg *rdp;
	int port;	/* RDP: of the server */
	int64_t number; /* RDP: of the user */
};

/* What its process has seen, shared with the caller, for reading alone. */
struct viewer_seen {
	_Atomic bool ready, asked;	 /* asked: waiting for an answer */
	_Atomic uint32_t shown, awaited; /* number in the patch; number that answers the request */
	_Atomic uint32_t unasked;	 /* changes that no request awaited (viewer_take_unasked()) */
	_Atomic int64_t answered_ns;	 /* when the answer was in the pixels (CLOCK_MONOTONIC); 0: not yet */
	_Atomic int64_t sent_ns;	 /* RDP: when the input left the process; 0: not yet */
	_Atomic int64_t cpu_ns;		 /* CPU time of the process */
	_Atomic int64_t memory_bytes;	 /* RDP: its share of memory (PSS) when it had the first picture */
	_Atomic int width, height;
	int err; /* why it was refused, for NOTICE_REFUSED */
	struct why why;
	char server[VIEWER_SERVER]; /* RDP: version, security, how pictures come; "": not known yet */
};

struct viewer;

/* Forks: before the first thread, and before this process gives up its rights. Ends the program where that fails. */
struct viewer *viewer_start(const struct viewer_cfg *cfg);
/* Hands over `fd` (connected, blocking; stays the caller's), for the handshake and a request of the whole screen; the outcome comes
 * with viewer_look(). 0 or -ETIMEDOUT. */
int viewer_begin(struct viewer *v, int fd, int port);
/* The same, and waits until the server is greeted. 0, or -errno with the reason in `why`: EACCES (refused), EPROTO, ETIMEDOUT,
 * EINTR (a stop signal), ENOTRECOVERABLE (the process crashed). */
int viewer_open(struct viewer *v, int fd, int port, int64_t until_ns, struct why *why);
/* Lets go of the connection. */
void viewer_close(struct viewer *v);

/* Readable when viewer_look() has something to tell. */
int viewer_fd(const struct viewer *v);
/* 0; -EPIPE: the connection is closed, or the bytes are of another protocol; others as viewer_open(). */
int viewer_look(struct viewer *v, struct why *why);
/* Whether it crashed on what it read, with the reason in `why`. */
bool viewer_explain_crash(struct viewer *v, struct why *why);
/* Whether the first screen has arrived, and with cfg.patch the patch was found in it. */
bool viewer_is_ready(const struct viewer *v);
/* To be called before a request is sent: the next answer will be for it. */
void viewer_expect_answer(struct viewer *v);
/* Updates that changed the screen while no request awaited its answer, since the last call. Those before the first answer of a
 * connection do not count (the session may still begin), nor those within 50 ms of an answer (they may be the rest of it). */
uint32_t viewer_take_unasked(struct viewer *v);
int viewer_send(struct viewer *v, uint32_t number, int64_t until_ns); /* input `number`: 0 or -EPIPE */
uint32_t viewer_received_bytes(const struct viewer *v); /* on this connection, modulo 2^32: only differences are used */
const struct viewer_seen *viewer_get_seen(const struct viewer *v);
