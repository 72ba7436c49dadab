/* SPDX-License-Identifier: GPL-3.0-or-later */
/* vnc - what the files of the VNC target share; the one file of this room that includes the header of libvncclient. */
#pragma once

#include "patch.h"
#include "target.h"
#include "why.h"

#include <rfb/rfbclient.h>

struct vnc_client {
	rfbClient *client;
	struct screen_observations *seen;
	const char *password_file;	/* NULL: none */
	int watch;			/* enum target_watch */
	bool asked;			/* the server asked for a password */
	struct why bad_password;	/* why the password file cannot be read; "": can be */
	struct pixel_area area;		/* around all rectangles of the update; empty: it had none */
	uint32_t *before;		/* the picture before the update; NULL: none yet */
	int before_width, before_height;
	bool pictured;			/* the first whole picture has come */
	bool found;			/* `place` is where the patch is */
	struct patch_place place;
	int acts;
	struct input_act *act;		/* the prepared actions; owned */
	int x, y, buttons;		/* position of the pointer; bit N - 1: button N is down */
};

/* vnc_send.c */
int vnc_prepare_act(void *p, const struct input_act *act, struct why *why);
int vnc_target_socket_fd(void *p);
int vnc_press_or_release(void *p, int number, bool down);
