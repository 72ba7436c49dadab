/* SPDX-License-Identifier: GPL-3.0-or-later */
/* server - a connection to an RFB server: libvncclient greets it and proves who we are, after that the stream is ours.
 *
 * Never blocks after server_open, which ends in a stated time. Security: none, or VNC authentication by a password file. */
#ifndef THINPROBE_SERVER_H
#define THINPROBE_SERVER_H

#include "rfb.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct server_cfg {
	const char *address;	/* as vnc_address.h reads it */
	const char *password_file;	/* as vncpasswd writes it, or plain text of one line; NULL: none */
	int64_t timeout_ns;	/* for the greeting, all of it */
	/* words, separated by commas; NULL: tight,zlib,hextile,copyrect,raw. The cursor's, LastRect and
	 * DesktopSize are always offered */
	const char *encodings;
	bool exclusive;		/* others are to be disconnected */
};

/* The options of a connection that commands share. */
#define SERVER_OPTIONS(cfg) \
	{ CLI_STR, 0, "password-file", &(cfg).password_file, 0, 0, \
	  "the password of VNC authentication, as vncpasswd writes it or as text (none)", NULL, NULL, "FILE" }, \
	{ CLI_NS, 0, "connect", &(cfg).timeout_ns, 1e6, 600e9, "give up a connection or a greeting that takes longer (10s)", \
	  NULL, NULL, NULL }, \
	{ CLI_STR, 0, "encodings", &(cfg).encodings, 0, 0, "what the server may send, best first (tight,zlib,hextile,copyrect,raw)", \
	  NULL, NULL, "LIST" }

struct server;

/* NULL with the reason in `why`, and errno: EACCES (refused), EINTR (told to stop), ETIMEDOUT and
 * others. Asks for rfb_xrgb. `events` are called from server_read. */
struct server *server_open(const struct server_cfg *cfg, const struct rfb_events *events, void *whose, char *why, size_t size);
void server_close(struct server *s);

int server_fd(const struct server *s);	/* to be polled for reading; and for writing while server_has_unsent() */
bool server_has_unsent(const struct server *s);	/* something could not be sent yet */
/* Reads and takes what has come. 1: something, 0: nothing, -errno: over (-EPIPE: the server closed;
 * server_why tells). Every byte goes to `tee`, too, with the time at which it came to this machine
 * (CLOCK_MONOTONIC): the log. Asks for the next update whenever one is whole. To be called once
 * before the first poll: it tells the size of the screen, and what came together with the
 * greeting. */
int server_read(struct server *s, void (*tee)(void *whose, const uint8_t *bytes, size_t n, int64_t now_ns), void *whose);
int server_flush(struct server *s);	/* sends what waits: 0 or -errno */
const char *server_why(const struct server *s);

/* 0 or -errno. What cannot be sent at once is kept, up to a bound. `mask`: the buttons that are down, bit 0 is button 1. */
int server_pointer(struct server *s, int mask, int x, int y);
int server_key(struct server *s, uint32_t keysym, bool down);
int server_request_update(struct server *s, bool incremental);	/* for an update of the whole screen */

const struct rfb *server_rfb(const struct server *s);	/* its screen, its name */
/* The greeting as a log has it: RFB 3.3, no security, ServerInit in the format that was asked for.
 * Returns its length, at most `size`. */
size_t server_greeting(const struct server *s, uint8_t *bytes, size_t size);

/* From now on the kernel notes it. Where it cannot, server_stamp_peek tells when the bytes were read. */
void server_stamp_enable(int fd);

/* recv(), and in *came_ns (in: that of the read before; 0: none) when the last of these bytes came:
 * CLOCK_MONOTONIC, never before the one before, never after now. */
ssize_t server_stamp_recv(int fd, void *bytes, size_t n, int flags, int64_t *came_ns);

/* --- server_greet.c: the greeting, by libvncclient --- */

#define SERVER_NAME_MOST (1 << 20)	/* bytes of a desktop's name; libvncclient refuses longer ones */

/* What a greeting ends with: what the server told of itself, and what it said beyond that. */
struct server_greeting_result {
	int width, height;
	uint8_t *name;		/* as it came, not terminated; owned */
	size_t name_n;
	uint8_t *ahead;		/* bytes that were read beyond the greeting; owned */
	size_t ahead_n;
};
/* Greets and proves who we are over `fd` (blocking), which stays the caller's. NULL password: none.
 * 0, or -errno with the reason in `why`: -EACCES (refused), -EPROTO, -ETIMEDOUT, -EINTR, -ENOMEM.
 * Nothing is owned then. */
int server_greet(int fd, int port, const char *password, bool shared, int64_t until_ns,
		 struct server_greeting_result *out, char *why, size_t size);

#endif
