/* SPDX-License-Identifier: GPL-3.0-or-later */
/* serve - the end that waits for senders: one process for each load, so that one that goes wrong takes nobody along. */
#ifndef THINPROBE_NETLOAD_SERVE_H
#define THINPROBE_NETLOAD_SERVE_H

#include "door.h"

#include <stdatomic.h>
#include <stdbool.h>

#define SERVE_AT_ONCE 32	/* loads; who comes then is told so */

/* Shared with the processes of the loads. */
struct served {
	atomic_llong loads, refused, broken;	/* broken: they began, and did not end as they should */
	atomic_llong got_payload, got_wire, sent_payload, sent_wire;
};

/* Until told to stop, or (once) one load has been served. 0 or -errno. */
int serve(int listener, bool once, struct served *total);
struct served *serve_total(void);	/* NULL: no memory */

#endif
