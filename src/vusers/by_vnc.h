/* SPDX-License-Identifier: GPL-3.0-or-later */
/* by_vnc - users of VNC servers: each a connection of its own that types a key (or moves the pointer) and waits for the echo. */
#ifndef THINPROBE_VUSERS_BY_VNC_H
#define THINPROBE_VUSERS_BY_VNC_H

#include "crowd.h"
#include "target.h"
#include "vrfb.h"

struct by_vnc_cfg {
	const struct target *target;
	bool move;			/* the pointer, instead of keys */
	bool patch;			/* the echo is the reference application's number */
	struct vrfb_cfg rfb;
};

struct by_vnc;
extern const struct crowd_kind by_vnc_kind;
extern const char *const by_vnc_labels[];	/* what is asked for, by its number */

/* NULL: no memory. Owned by the caller. */
struct by_vnc *by_vnc_open(const struct by_vnc_cfg *cfg, struct crowd *crowd);
void by_vnc_close(struct by_vnc *v);
/* Bytes that came, of all users. */
int64_t by_vnc_bytes(const struct by_vnc *v);

#endif
