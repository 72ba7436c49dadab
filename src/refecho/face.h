/* SPDX-License-Identifier: GPL-3.0-or-later */
/* face - interface of the back-ends that receive keys and show patches: an X11 window (face_x11.c), a VNC server (face_vnc.c), a
 * Wayland window (face_wayland.c). */
#pragma once

#include "why.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct echo_face_cfg {
	const char *display; /* X11: the display */
	const char *listen;  /* VNC: IPv4 address to listen on */
	int port;	     /* VNC: TCP port */
	int cell;	     /* pixels of a patch cell */
	bool noise;	     /* draw the patch with noise (scene.h) */
	uint64_t seed;	     /* of the random numbers for the noise */
	/* Called for each key press that is no modifier, read at now_ns (CLOCK_MONOTONIC); character 0: not ASCII. */
	void (*key)(void *arg, int64_t now_ns, unsigned char character);
	/* Called when all that was drawn has been written to the socket of the display or of a client, at now_ns. */
	void (*flushed)(void *arg, int64_t now_ns);
	/* Called, by faces with `presents`, when the number was shown on the output, at at_ns. A number may be left out: a later one
	 * was shown in its place. */
	void (*presented)(void *arg, uint32_t number, int64_t at_ns);
	void *arg; /* passed to all */
};

struct echo_face {
	/* Sleeps until an event comes, until_ns is reached or a stop signal arrives (proc_stop), and handles all events. With
	 * until_ns in the past, only handles events. 0, or -errno with a line in `why`: the display is gone. */
	int (*wait)(struct echo_face *f, int64_t until_ns, struct why *why);
	/* Draws the number as a patch and adds the characters to the line of text. The next wait() reports errors. */
	void (*draw)(struct echo_face *f, uint32_t number, const unsigned char *typed, size_t n);
	void (*close)(struct echo_face *f);
	bool presents; /* calls `presented` */
};

/* Whether a keysym of X, VNC or Wayland, which have the same numbers, is of a key that types nothing. */
static inline bool face_is_modifier_key(uint32_t keysym)
{
	return (keysym >= 0xffe1 && keysym <= 0xffee) || keysym == 0xff7f || keysym == 0xff7e ||
	       (keysym >= 0xfe01 && keysym <= 0xfe13);
}

/* All show number 0 before they return. NULL with one line in `why`. */
struct echo_face *face_open_x11(const struct echo_face_cfg *cfg, struct why *why);
struct echo_face *face_open_vnc(const struct echo_face_cfg *cfg, struct why *why);
/* On the display that WAYLAND_DISPLAY names. */
struct echo_face *face_open_wayland(const struct echo_face_cfg *cfg, struct why *why);
extern const bool face_wayland_built; /* false: where it was compiled, libwayland was missing, and it cannot be opened */
