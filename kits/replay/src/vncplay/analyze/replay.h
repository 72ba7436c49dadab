/* SPDX-License-Identifier: GPL-3.0-or-later */
/* replay - one replay as the analysis reads it: changes of the screen (tilelog.h) and inputs sent (side_file.h). */
#pragma once

#include "vncplay/common/side_file.h"
#include "vncplay/common/tilelog.h"
#include "why.h"

struct replay {
	const char *file;  /* the log; the caller's */
	const char *aux;   /* the side file; NULL: FILE.aux; the caller's */
	const char *label; /* name of the replay in reports; the caller's */
	int err;	   /* of replay_read; the caller's */
	struct tilelog tiles;
	struct sent_inputs inputs;
	struct stimulus *stimulus; /* ascending in time; owned */
	size_t stimuli;
	struct sent_input *move; /* movements of the pointer, ascending in time; owned */
	size_t moves;
	int width, height; /* of the screen at the end, pixels */
	uint64_t updates;  /* framebuffer updates in the log */
	uint64_t bytes;	   /* size of the log */
	uint32_t total_ms; /* from the beginning of the log to the end of the replay, or to the last block */
	bool cut;	   /* the log or the side file ends early or is damaged: the part before that is used */
	struct why why;	   /* why the replay is cut or could not be read */
};

/* Reads the log r->file and its side file; `aux` NULL: the side file is FILE.aux. 0; -EPROTO or -errno with the reason and the
 * cure in r->why. A log that is damaged at some place is read up to there and r->cut is set. Several threads may call it for
 * different replays. */
int replay_read(struct replay *r, const char *aux);
void replay_free(struct replay *r);
/* By its side file it ended before its trace did. */
bool replay_is_partial(const struct replay *r);
