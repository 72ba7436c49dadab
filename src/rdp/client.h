/* SPDX-License-Identifier: GPL-3.0-or-later */
/* client - a client of RDP without a display, on libfreerdp: what a program asks of the plug-in that is linked with it.
 *
 * libfreerdp loads over a hundred libraries, and is not on every machine: so it is linked with the plug-in alone (freerdp.c), which
 * a program loads when it needs it, and which uses nothing of the program but these functions. */
#pragma once

#include "area.h"
#include "why.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define RDP_PLUGIN "keyrepeat_rdp.so"	/* in the folder of the program */
#define RDP_PLUGIN_OPS "rdp_client_ops" /* the name of its struct rdp_client_ops */
#define RDP_PLUGIN_ABI 6

/* Does a server accept user and password? MAYBE: it has just closed the connection after it had asked for them; or there is a
 * session for which it asked for none before (as NLA does), and which may show a login dialog. */
enum rdp_refusal { RDP_REFUSED_NOT, RDP_REFUSED_MAYBE, RDP_REFUSED };

struct rdp_client;

struct rdp_client_cfg {
	int fd;		      /* a socket that is connected to the server; the client's from then on, also after an error */
	const char *host;     /* the name that is to be in the certificate of the server */
	const char *user;     /* DOMAIN\USER or USER */
	const char *password; /* NULL: none */
	int width, height;    /* of the screen to ask for */
	bool unchecked;	      /* also a server without TLS, which has no certificate that trust() could look at */
	bool blind;	      /* decode no pixels: `drawn` then tells of each bitmap or frame that came, wherever it was drawn */
	void *self;	      /* of the functions below, which the threads of the library call, one at a time */
	/* Whether to go on with a certificate that no authority of the system vouches for, or is of another name. */
	bool (*trust)(void *self, const char *fingerprint);
	/* Memory for a screen of this size: 4 bytes a pixel, blue first, rows without a gap. It is used until the next call. NULL:
	 * there is none, and the one before stays in use: libfreerdp draws on after a server has asked for 0x0 pixels. */
	uint8_t *(*resize)(void *self, int width, int height);
	/* The library has drawn in this area, at this time (CLOCK_MONOTONIC). */
	void (*drawn)(void *self, int64_t at_ns, const struct pixel_area *in);
	/* After drawn() at the same time: that was of a frame of the graphics pipeline with this stamp of the server's. May be NULL. */
	void (*stamped)(void *self, int64_t at_ns, uint32_t stamp);
};

struct rdp_client_ops {
	int abi; /* RDP_PLUGIN_ABI */
	/* Connects, which ends where the socket is shut down; *refused: what became of the password. NULL with the reason in `why`. */
	struct rdp_client *(*connect)(const struct rdp_client_cfg *cfg, enum rdp_refusal *refused, struct why *why);
	/* Handles what comes for so long, -1: always: 0. -1: the connection has ended, or the socket was shut down. */
	int (*handle)(struct rdp_client *c, int timeout_ms);
	/* Why the connection has ended, in a word of the library. */
	const char *(*explain_end)(struct rdp_client *c);
	/* Presses or releases the key of a PC keyboard with this scancode (set 1; 0x100: an extended one). False: the connection
	 * has ended. These three may be called by another thread than handle() is. */
	bool (*key)(struct rdp_client *c, uint16_t scancode, bool down);
	/* The same for a character of the Basic Multilingual Plane that no key has, if the server takes such characters. */
	bool (*takes_characters)(struct rdp_client *c);
	bool (*character)(struct rdp_client *c, uint16_t code, bool down);
	/* Sends a mouse event, TS_POINTER_EVENT of MS-RDPBCGR 2.2.8.1.1.3.1.1.3. */
	bool (*pointer)(struct rdp_client *c, unsigned flags, int x, int y);
	/* Version, security, and how pictures came until now. */
	void (*describe)(struct rdp_client *c, char *text, size_t size);
	void (*close)(struct rdp_client *c);
};

/* Loads it: it is not on every machine. To be called before the program gives up its rights. NULL with a line in `why`: it is not
 * there, or of another build. */
const struct rdp_client_ops *rdp_plugin_load(struct why *why);

/* The time of day, in ms, by the clock of the server when it stamped a frame (timestamp of MS-RDPEGFX 2.2.2.11); 0: it did not, or
 * this is no time of day. */
int64_t rdp_stamp_ms(uint32_t stamp);

/* Keys of a PC keyboard with the US layout, as RDP sends them (scancode set 1). */
#define SCANCODE_SHIFT 0x2a

/* The key that has a keysym; 0: none. *shift: with Shift. */
unsigned scancode_find(uint32_t keysym, bool *shift);
/* The character of a keysym that no key has; 0: it is no character of the Basic Multilingual Plane. */
uint16_t scancode_find_character(uint32_t keysym);
