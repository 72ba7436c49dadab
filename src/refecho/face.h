/* SPDX-License-Identifier: GPL-3.0-or-later */
/* face - where keys come from and patches go to: an X11 window, or a VNC server. Each in its own file. */
#ifndef THINPROBE_REFECHO_FACE_H
#define THINPROBE_REFECHO_FACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct face_cfg {
	const char *display;	/* X11 */
	const char *listen;	/* VNC: address */
	int port;
	int cell;
	bool noise;
	uint64_t seed;		/* of the noise */
	/* A key press that types something (no modifier) was read at now_ns. */
	void (*key)(void *arg, int64_t now_ns, unsigned char character);
	/* What was drawn has left this process at now_ns: given to the display's socket, or written to a client's. */
	void (*flushed)(void *arg, int64_t now_ns);
	void *arg;
};

struct face {
	/* Sleeps until something comes, `until_ns`, or a stop signal (proc_stop), and handles what came; already past: only
	 * looks. 0, or -errno with a line in `why` when the display is gone. */
	int (*wait)(struct face *f, int64_t until_ns, char *why, size_t size);
	/* Shows the number and adds the characters to the line. Errors show in the next wait. */
	void (*draw)(struct face *f, uint32_t number, const unsigned char *typed, size_t n);
	void (*close)(struct face *f);
};

/* Shows number 0 before they return. NULL with one line in `why`. */
struct face *face_x11_open(const struct face_cfg *cfg, char *why, size_t size);
struct face *face_vnc_open(const struct face_cfg *cfg, char *why, size_t size);

#endif
