/* SPDX-License-Identifier: GPL-3.0-or-later */
/* by_vnc - the VNC protocol of the crowd: each user has a connection, types a key (or moves the pointer) and waits for its echo. */
#pragma once

#include "crowd.h"
#include "target.h"
#include "vrfb.h"

struct vnc_users_cfg {
	const struct target *target;
	bool move;			/* move the pointer instead of typing keys */
	bool patch;			/* the echo is the next number in the patch of refecho; else the next update */
	struct rfb_update_detector_cfg rfb;
};

struct vnc_users;
extern const struct crowd_protocol_hooks by_vnc_protocol;
extern const char *const by_vnc_labels[];	/* names of the requests: "key", "move" */

/* NULL: out of memory. Owned by the caller. */
struct vnc_users *vnc_users_open(const struct vnc_users_cfg *cfg, struct crowd *crowd);
void vnc_users_close(struct vnc_users *v);
