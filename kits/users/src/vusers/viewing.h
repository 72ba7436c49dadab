/* SPDX-License-Identifier: GPL-3.0-or-later */
/* viewing - the process of a viewer (viewer.h): what was drawn, and which answer that is. Its protocols are view_vnc.c and
 * view_rdp.c. */
#pragma once

#include "apart.h"
#include "patch.h"
#include "viewer.h"

#include <sys/types.h>

enum notice_kind { NOTICE_GREETED, NOTICE_REFUSED, NOTICE_SEEN, NOTICE_LOST };

/* What a protocol does in the process. */
struct viewer_kind {
	void (*prepare)(
		struct viewer *v); /* before the process gives up its rights; NULL: nothing. Stores what it needs in v->own */
	/* Greets the server, tells how that ended, and reads all that it sends until the connection ends, and closes `fd`. True:
	 * it was greeted. */
	bool (*view)(struct viewer *v, int fd, int port);
	/* Sends input `number`, while another thread is in view(). NULL: the caller sends it itself. */
	void (*input)(struct viewer *v, uint32_t number);
};

struct viewer {
	struct viewer_cfg cfg;
	struct viewer_seen *seen;
	int talk; /* this process's end */
	/* of the caller */
	pid_t process;
	int fd;		 /* the connection; -1: none */
	uint32_t number; /* of the connection */
	bool greeted;	 /* the server was, on this connection */
	bool gone;	 /* the process is; how is in `status` */
	int status;
	/* of the process */
	int server_fd, port; /* of the connection */
	void *own;	     /* of the protocol */
	struct apart_memory picture;
	int width, height;
	uint32_t *before; /* copy of the screen, to find changed pixels; NULL with cfg.patch; owned */
	int before_width, before_height;
	bool changed; /* the update being read changes a pixel */
	bool found;   /* the patch was found, at `place` */
	struct patch_place place;
};

/* Makes the picture, of 4 bytes a pixel with green the second. NULL: no memory, or no such size. */
void *viewing_make_picture(struct viewer *v, int width, int height);
/* The update being read has drawn in this area. */
void viewing_note_pixels(struct viewer *v, int x, int y, int w, int h);
/* An update is complete, at `now`. */
void viewing_end_update(struct viewer *v, int64_t now);
/* Bytes that a connection has received, also unread ones, modulo 2^32. */
uint32_t viewing_count_received(int fd);
void viewing_notify(struct viewer *v, enum notice_kind kind);
