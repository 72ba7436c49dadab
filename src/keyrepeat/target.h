/* SPDX-License-Identifier: GPL-3.0-or-later */
/* target - interface of the back-ends that keys are sent to and whose pixels are watched: X11, VNC, RDP, null.
 *
 * Two threads use an open target, one sends, one watches. A back-end keeps the data of the two apart. */
#pragma once

#include "act.h"
#include "region.h"
#include "observations.h"
#include "why.h"

#include <stddef.h>
#include <stdint.h>

enum target_watch { WATCH_NONE, WATCH_UPDATE, WATCH_PATCH };

/* The stages of opening, each at its end; 0: not reached, or not known. */
struct target_login {
	int64_t begun_ns, connected_ns, certificate_ns, session_ns, picture_ns, patch_ns;
};

struct target_cfg {
	const char *where;		   /* address of the display: the text after "scheme:" */
	int watch;			   /* enum target_watch */
	bool hold;			   /* one press, then repeats */
	bool keys;			   /* keys will be sent; false: only watches */
	int64_t period_ns;		   /* from one key to the next */
	int64_t patch_wait_ns;		   /* how long open() looks for the patch */
	int64_t connect_ns;		   /* how long open() waits for connection and greeting, and then for the first picture */
	const char *password_file;	   /* NULL: none */
	bool no_password;		   /* an empty one is right: the server asks for none */
	const char *user;		   /* rdp: who logs in; NULL: the one in `where`, else $USER */
	const char *known_servers;	   /* rdp: the list of known certificates; NULL: the user's own */
	bool cert_ignore;		   /* rdp: any certificate will do */
	int priority;			   /* rdp: real-time priority of the threads that decode, if permitted; 0: none */
	struct pixel_area screen;	   /* rdp: size of the screen to ask for */
	uint64_t window;		   /* X11 id of the only window that may get the keys; 0: the one with the focus */
	struct pixel_area region;	   /* only changes in it count, from the corner of `window` if there is one; empty: all */
	bool find_region;		   /* open() types a few keys to find the region */
	const struct input_act *first_key; /* the key to type for find_region */
	const struct input_act *back;	   /* BackSpace, typed after each of these, or NULL */
	struct observations *seen;
	struct target_login *login; /* rdp: filled in, `picture_ns` by a thread of its own */
	void (*connected)(void);    /* vnc, rdp: called before the first byte of the server is read; may be NULL */
};

/* "May be NULL" stands at functions that a target need not have. */
struct target_ops {
	const char *scheme;
	/* Checks the address before anything is opened: 0, or -1 with a line in `why`. May be NULL. */
	int (*check)(const char *where, struct why *why);
	/* Loads a library that not every machine has: 0, or -1 with a line in `why`. May be NULL. */
	int (*load)(struct why *why);
	/* Connects and waits for the display's first picture (and for the patch, with WATCH_PATCH). NULL with one line in `why` that
	 * names the cure. Returns early when proc_stop is set. */
	void *(*open)(const struct target_cfg *cfg, struct why *why);
	/* Prepares an action for send(), before the run. Returns its number, from 0, or -1 with a line in `why`. */
	int (*act)(void *self, const struct input_act *act, struct why *why);
	/* The descriptor on which send() would block while it is not ready for writing; -1: send() never blocks. */
	int (*send_fd)(void *self);
	/* Called about 2 ms before each press, to ask the display where the key would go: 0; -1: not to the chosen window (seen->left
	 * says why); -EPIPE: the connection is broken, or there was no answer by until_ns or soon after a stop signal. May be NULL. */
	int (*aim)(void *self, int64_t until_ns);
	/* Presses (down) or releases a key or button; does nothing with down == false for a pointer move, or a button that is only
	 * pressed or only released. 0 or -EPIPE: the connection is broken. */
	int (*send)(void *self, int key, bool down);
	/* The descriptor that is ready for reading when handle() has something to do. */
	int (*watch_fd)(void *self);
	/* Reads all messages that have come and records what they show in cfg.seen. 0 or -EPIPE. May block in the middle of a
	 * message: runs in the watching thread. */
	int (*handle)(void *self);
	/* Ends a handle() that blocks. May be NULL. */
	void (*interrupt)(void *self);
	/* Restores settings of the display (auto-repeat), disconnects and frees. */
	void (*close)(void *self);
	/* Server, size, encodings, for the report. */
	void (*describe)(void *self, char *text, size_t size);
	/* What gets the keys, for the user: window "xterm". NULL: nothing does. */
	void (*receiver)(void *self, char *text, size_t size);
	/* The region watched, and where it comes from. NULL: the target has no regions, and ignores cfg.window, cfg.region and
	 * cfg.find_region. */
	void (*region)(void *self, struct pixel_area *out, const char **from);
	/* Its library may crash on what a display sends: it is used in a process of its own. */
	bool crashes;
	/* An X display: it has windows to choose from, and its library shares memory with it. */
	bool x11;
	/* In hold mode the display makes the repeats, not this program. */
	bool repeats_itself;
	/* With WATCH_UPDATE, calls observations_record_changes() for each change. */
	bool tells_steps;
	/* Calls observations_add_stamp(), if the server stamps its frames. */
	bool tells_stamps;
};

extern const struct target_ops target_vnc, target_rdp, target_null;
