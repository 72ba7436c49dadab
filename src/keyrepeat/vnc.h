/* SPDX-License-Identifier: GPL-3.0-or-later */
/* vnc - what the files of the VNC target share, and the one place that names libvncclient. */
#ifndef KEYREPEAT_VNC_H
#define KEYREPEAT_VNC_H

#include "patch.h"
#include "target.h"

#include <rfb/rfbclient.h>

struct vnc_client {
	rfbClient *client;
	struct observations *seen;
	const char *password_file;
	int watch;
	bool asked;
	char bad_password[256];	/* why its file cannot be read */
	bool changed;			/* this update had a rectangle of pixels */
	struct { int left, top, right, bottom; } area;	/* around all of them */
	uint32_t *before;		/* the picture before this update; NULL: not kept */
	int before_width, before_height;
	bool pictured;			/* the first whole picture has come */
	bool found;
	struct patch_place place;
	int acts;
	struct act *act;		/* what was prepared; owned */
	int x, y, buttons;		/* the pointer, and a bit for each button that is down */
};

/* vnc_send.c */
int vnc_act(void *p, const struct act *act, char *why);
int vnc_send_fd(void *p);
int vnc_send(void *p, int number, bool down);

#endif
