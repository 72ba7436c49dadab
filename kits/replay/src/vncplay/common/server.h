/* SPDX-License-Identifier: GPL-3.0-or-later */
/* server - a connection to an RFB server. libvncclient does the greeting and the authentication (none, or VNC authentication with
 * a password file), this file the stream after it. Only server_connect blocks, for at most timeout_ns. */
#pragma once

#include "confine.h"
#include "rfb.h"
#include "rfb/messages.h"
#include "why.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct server_cfg {
	const char *address;	   /* as vnc_address.h reads it */
	const char *password_file; /* as vncpasswd writes it, or one line of text; NULL: none */
	int64_t timeout_ns;	   /* for the connection and the whole greeting */
	const char *encodings;	   /* words separated by commas, best first; NULL: tight,zlib,hextile,copyrect,raw */
	int sandbox;		   /* enum confine_mode */
};

/* The command-line options of a connection. */
#define SERVER_OPTIONS(cfg) \
	{ CLI_FILE, 0, "password-file", &(cfg).password_file, \
	  .help = "file with the VNC password, as text or made by vncpasswd (none)" }, \
		{ CLI_NS, 0, "connect", &(cfg).timeout_ns, 1e6, 600e9, .help = "time limit for connecting and greeting (10s)" }, \
	{ \
		CLI_STR, 0, "encodings", &(cfg).encodings, \
			.meta = "LIST", .help = "encodings to request, best first (tight,zlib,hextile,copyrect,raw)" \
	}

struct server_greeting {
	uint8_t bytes[MESSAGES_GREETING]; /* as a log has it: RFB 3.3, no security, ServerInit with rfb_xrgb; `n`: its length */
	size_t n;
	uint8_t *ahead; /* bytes read beyond the greeting; owned by the caller */
	size_t ahead_n;
};

struct server_connection {
	int fd;		/* to poll for reading, and for writing while `queued` is not 0 */
	struct why why; /* after an error */
	struct rfb_decoder *rfb;
	struct server_greeting greeting;
	uint8_t queue[256 << 10]; /* bytes that wait for a server that does not read: thousands of inputs */
	size_t queued;
	/* internal: */
	int err;
	int64_t came_ns;	 /* when the bytes read last had arrived, CLOCK_MONOTONIC */
	uint8_t piece[64 << 10]; /* bytes of one read: what is decoded before an input can be sent */
};

/* Connects and requests pixels as rfb_xrgb. `events` are called from server_connect (`resized`) and server_read. NULL with the
 * reason in `why`, and errno: EACCES (refused), EINTR (stopped by a signal), ETIMEDOUT and others. */
struct server_connection *server_connect(const struct server_cfg *cfg, const struct rfb_event_callbacks *events, void *whose,
					 struct why *why);
void server_disconnect(struct server_connection *s);

/* Reads once and decodes. 1: something, 0: nothing to read, -errno: the connection is over (-EPIPE: closed by the server; s->why).
 * Passes all bytes to `tee` with their time of arrival (CLOCK_MONOTONIC). Requests the next update after each
 * complete one. Call it once before the first poll: bytes may have come together with the greeting. */
int server_read(struct server_connection *s, void (*tee)(void *whose, const uint8_t *bytes, size_t n, int64_t now_ns), void *whose);
int server_flush(struct server_connection *s); /* sends what is unsent: 0 or -errno */
/* Confines the program before it connects, for `server_connect` at any later time; files and read as in confine.h. */
void server_confine(const struct server_cfg *cfg, enum confine_profile_number profile, const char *file, const char *report,
		    const char *read);

/* Send a message, or keep it until server_flush, up to 256 KB. 0 or -errno. `mask`: buttons down, bit 0 is button 1. */
int server_send_pointer(struct server_connection *s, int mask, int x, int y);
int server_send_key(struct server_connection *s, uint32_t keysym, bool down);

/* Sends what is unsent until `until_ns` (CLOCK_MONOTONIC) at the latest. */
void server_drain(struct server_connection *s, int64_t until_ns);

/* Lets the kernel note when bytes arrive (SO_TIMESTAMPNS), so that a process that reads late, because its CPU is loaded, still
 * has the time of arrival. Without it, server_recv_stamped returns the time of reading. */
void server_stamp_arrivals(int fd);
/* recv(). *came_ns: in, the result of the last call (0: none); out, when the last of these bytes arrived (CLOCK_MONOTONIC, never
 * decreasing, never later than now). */
ssize_t server_recv_stamped(int fd, void *bytes, size_t n, int flags, int64_t *came_ns);

/* server_greet.c: does the greeting over `fd` (blocking; stays the caller's). `password` NULL: none. 0, or -errno with the reason
 * in `why`: -EACCES (refused), -EPROTO, -ETIMEDOUT, -EINTR, -ENOMEM. */
int server_greet(int fd, int port, const char *password, int64_t until_ns, struct server_greeting *out, struct why *why);
