/* SPDX-License-Identifier: GPL-3.0-or-later */
/* recorder_inside - what the two halves of the recorder share: recorder.c holds, sends and logs,
 * recorder_look.c says what an input needs to be seen first. */
#ifndef THINPROBE_VNCPLAY_RECORDER_INSIDE_H
#define THINPROBE_VNCPLAY_RECORDER_INSIDE_H

#include "fresh.h"
#include "recorder.h"

struct held_event {
	struct trace_event e;	/* no snapshot */
	int mask;		/* of the buttons, with it */
};

struct recorder_past {		/* of an input that was sent */
	struct trace_event e;
	int64_t sent_ns;	/* INT64_MIN: there was none */
};

struct recorder {
	struct recorder_cfg cfg;
	struct recorder_out out;
	void *whose;
	const struct screen *screen;
	struct fresh fresh;
	int64_t start_ns, changed_ns;

	struct held_event *queue;	/* a ring */
	int first, n, room;
	int mask, x, y;		/* as the user has them: of the end of the queue */
	int64_t at_ns;		/* of the input that was taken last */

	struct recorder_past any, press, key, move;	/* the last of each */
	int buttons;		/* as the server has them */
	struct trace_keys down;	/* keys that the server has down */
	int64_t anchor_ns;	/* what changed since then is the answer to the last press or run of keys */
	struct box soon;	/* what of it changed soon after an input */
	struct box keyed;	/* the area of the last run of keys */

	bool looked;		/* of the first in the queue: what it needs is known */
	bool needs;
	enum trace_why why;
	struct box area;	/* where it needs to be seen */
	int64_t ready_ns;	/* when it could have gone without being held back */
	bool waited;
	struct recorder_count count;
};

uint32_t recorder_ms(const struct recorder *r, int64_t ns);	/* of fresh: since the start, from 1 */
/* Sets needs, why and area for the first of the queue. */
void recorder_look(struct recorder *r, const struct held_event *h, int64_t now_ns);
/* When the area has come to rest, if nothing more happens. */
int64_t recorder_rest(const struct recorder *r, int64_t now_ns);
/* Takes and logs the snapshots that were asked for. `restless`: it has not come to rest. 0 or -errno. */
int recorder_shoot(struct recorder *r, const struct held_event *h, int64_t now_ns, bool restless);

#endif
