/* SPDX-License-Identifier: GPL-3.0-or-later */
/* replay - one replay as the analysis wants it: what changed on the screen (tilelog.h), what was sent (inputs.h). */
#ifndef THINPROBE_REPLAY_H
#define THINPROBE_REPLAY_H

#include "vncplay/common/side_file.h"
#include "tilelog.h"

struct replay {
	const char *file;	/* the log; the caller's */
	const char *label;	/* what it is called in reports; the caller's */
	struct tilelog tiles;
	struct inputs inputs;
	struct stimulus *stimulus;
	size_t stimuli;
	struct input *move;	/* movements of the pointer */
	size_t moves;
	int width, height;	/* of the screen at the end */
	uint64_t updates, bytes;
	uint32_t total_ms;	/* until the replay ended, or the last block */
	bool cut;		/* the log or the side file ends early, or is broken from some place on */
	char why[200];		/* it is cut, or could not be read */
};

/* Fills in what lies in the files. 0; -EPROTO, -errno: not usable at all, `why` says so and what to
 * do. A log that is broken at some place is read up to there and `cut`. `aux` NULL: beside the log.
 * Can be called from several threads for several replays. */
int replay_read(struct replay *r, const char *aux);
void replay_free(struct replay *r);

#endif
