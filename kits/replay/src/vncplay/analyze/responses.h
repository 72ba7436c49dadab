/* SPDX-License-Identifier: GPL-3.0-or-later */
/* responses - finds one response for each input among the changes that several runs have in common.
 *
 * Changes that become visible together in every run are one piece. A small piece that agrees with a large one in most runs is
 * merged with it (alignment erred in the others). Pieces that follow each other within RESPONSE_GAP_MS are one paint, such as a
 * window that is drawn in strips. The response to an input is the earliest paint after it whose weight is at least half of the
 * greatest: weight is the number of tiles, content that occurs once counting twice, times the share of the runs that have the
 * paint. Where another paint follows the release, the latency from the release is measured to that one. A paint that is left
 * over and closely follows a movement of the pointer in all runs is the response to that movement. */
#pragma once

#include "align.h"
#include "vncplay/common/replay.h"

#define RESPONSE_GAP_MS 120
#define RESPONSE_NONE INT64_MIN /* in place of a time: this run lacks it */

struct analyzed_run { /* one run; owns its lists */
	const struct replay *replay;
	struct stimulus *stimulus;  /* as many as in the run with most; beyond the run's own: press_us -1 */
	uint32_t *press_ms;	    /* when each input was sent and, last, when the run ended; ms since the log began */
	uint32_t *start;	    /* for each tile: index of its first change in `change` */
	struct tile_change *change; /* ascending in tile, then in time */
	uint32_t *place;	    /* for each change of the log: its index in `change` */
	uint8_t *used, *masked;	    /* for each update, 1: it belongs to a response; it has a change that is not masked */
};

struct response {
	enum stimulus_kind kind;
	int input;	   /* number of the input in the trace, from 0 */
	int64_t at_us;	   /* when the input was sent, in the first run that has the response; us since its log began */
	double confidence; /* 0 to 1 */
	uint32_t tiles;	   /* that the response changes */
	/* For each run, RESPONSE_NONE: missing, or not released. press_us owns all four lists. */
	int64_t *press_us, *release_us; /* from the press, from the release to the first strip of the response */
	int64_t *complete_us;		/* from the press to the last strip */
	int64_t *shown_ms;		/* when the first strip was shown, ms since the log began */
};

struct responses {
	struct response *item; /* ascending in `input` */
	size_t n;
};

void responses_find(const struct analyzed_run *run, int runs, struct common_changes *changes, struct responses *out);
/* Appends a response all of whose times are RESPONSE_NONE. The pointer is valid until the next call. */
struct response *responses_add(struct responses *out, int runs);
void responses_free(struct responses *a);

/* --- paint_pieces.c: changes that become visible together in every run are one piece, pieces in quick succession one paint --- */

struct paint_piece {
	int32_t cause; /* number of the last input before the piece, as in struct common_change */
	uint32_t tiles;
	double mass;	 /* 1 for each tile, 0.5 for a tile whose change occurs more than once */
	double since_ms; /* time from the cause to the piece: median over the runs that have it */
	uint32_t *at;	 /* for each run the update that has the piece; ALIGN_NONE: none. Part of paint_pieces.at */
};

struct paint_pieces {
	struct paint_piece *piece; /* ascending in cause, then in since_ms */
	size_t n;
	uint32_t *at;
	struct main_piece {
		int32_t cause; /* of the heaviest piece of this update; of equal masses, of the first */
		double mass;   /* of that piece; 0: no piece */
	} * *owner;	       /* for each run and update */
	int runs;
};

/* Groups changes that the runs show together into pieces, in *out; free them with paint_pieces_free(). Only reads `changes`. */
void paint_group_pieces(const struct analyzed_run *run, int runs, struct common_changes *changes, struct paint_pieces *out);
void paint_pieces_free(struct paint_pieces *p);

struct paint_burst {	 /* neighbours in the list of pieces */
	size_t first, n; /* its pieces are first to first + n - 1 */
	int32_t cause;	 /* number of the last input before the paint */
	double mass;	 /* sum over its pieces */
	double share;	 /* of the runs, those that have the paint: 0 to 1 */
	uint32_t tiles;
	int64_t *shown_ms, *whole_ms; /* for each run, when the first and the last strip were shown; RESPONSE_NONE: missing */
};

/* Gathers the paint that begins with piece `first`. Its lists of `runs` times are the caller's. Pieces of other paints with the
 * same cause are moved behind it. */
void paint_gather_burst(const struct analyzed_run *run, const struct paint_pieces *p, size_t first, struct paint_burst *out);
