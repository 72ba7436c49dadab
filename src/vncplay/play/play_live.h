/* SPDX-License-Identifier: GPL-3.0-or-later */
/* play_live - the live side of a replay: what comes is logged before anything else is done with it,
 * what goes is noted with its time. */
#ifndef THINPROBE_PLAY_LIVE_H
#define THINPROBE_PLAY_LIVE_H

#include "vncplay/common/fbs.h"
#include "play.h"
#include "vncplay/common/side_file.h"

#include <signal.h>

struct play_live {
	const struct play_cfg *cfg;
	struct play_result *r;
	struct server *server;
	struct fbs_writer *log;
	struct side_writer *side;
	int log_err;
	int64_t began_ns;		/* the log's 0 */
	int64_t painted_ns;		/* the last time that something was */
	bool shaped;			/* a shape of the pointer came: it is not on the screen */
	struct box covered;		/* of the screen, since it has its size */
	bool whole;			/* all of it, by an update that is over */
	bool touched;			/* something was painted by the last read */
	void (*painted)(void *whose, struct box box);
	void *whose;
	sigset_t outside;		/* the signals that were blocked before */
	unsigned mask;			/* buttons that are down */
	int x, y;			/* of the pointer, as it was sent; -1: it was not */
	struct trace_keys down;
};

/* Connects and begins the log. 0, or -errno with r->why and r->status set; to be ended either way. */
int live_open(struct play_live *l, const struct play_cfg *cfg, const char *out, struct play_result *r);
/* Waits until then, or until something came, which is taken: at most one read, so that an input
 * that is due can go. 0; or -errno: it is over, r->status says how. */
int live_turn(struct play_live *l, int64_t until_ns);
/* Until the whole screen was there once. 0 or -errno, as above. */
int live_first(struct play_live *l, int64_t until_ns);
/* It is over for a reason of our own. */
int live_over(struct play_live *l, enum play_status status, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* To the server. 0 or -errno, as above. */
int live_pointer(struct play_live *l, unsigned mask, int x, int y);
int live_key(struct play_live *l, uint32_t keysym, bool down);

const struct screen *live_screen(const struct play_live *l);
/* Lets go what is still down, ends the log and the side file. */
void live_close(struct play_live *l);

#endif
