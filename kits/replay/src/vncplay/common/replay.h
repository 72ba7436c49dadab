/* SPDX-License-Identifier: GPL-3.0-or-later */
/* replay - reads one replay: changes of the screen (tilelog.h) and inputs sent (side_file.h). */
#pragma once

#include "rfb.h"
#include "side_file.h"
#include "tilelog.h"
#include "why.h"

struct replay {		   /* zeroed but for file, aux and label */
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
	int resizes;	   /* sizes that the screen had, including the first */
	uint64_t updates;  /* framebuffer updates in the log */
	uint64_t bytes;	   /* size of the log */
	bool exact; /* the side file has the microseconds in which all bytes arrived; else times of updates are ms, rounded down */
	uint32_t total_ms; /* from the beginning of the log to the end of the replay, or to the last block */
	bool cut;	   /* the log or the side file ends early or is damaged: the part before that is used */
	struct why why;	   /* why the replay is cut or could not be read */
};

/* Reads the log and its side file. 0; -EPROTO or -errno with the reason and the cure in r->why. A log that is damaged at some place
 * is read up to there and r->cut is set. Several threads may call it for different replays. */
int replay_read(struct replay *r);
void replay_free(struct replay *r);
/* By its side file it ended before its trace did. */
bool replay_is_partial(const struct replay *r);

/* Decodes a log that replay_read() has read once more, as far as it can be decoded. `before` is called before each block, and at
 * the end with UINT32_MAX. 0 or -errno. *cut (may be NULL): the log breaks off there, or what follows cannot be decoded. */
int replay_decode(const char *file, const struct rfb_event_callbacks *events, void *whose,
		  void (*before)(void *whose, const struct screen *s, uint32_t ms), bool *cut);
