/* SPDX-License-Identifier: GPL-3.0-or-later */
/* analyze - what the files of the command share, in the order of their work: changes of tiles that are no responses, changes that
 * several runs have in common, responses, and what is said of them. */
#pragma once

#include "rec.h"
#include "vncplay/common/replay.h"
#include "vncplay/common/tilelog.h"
#include "why.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* --- animation_mask.c --- */

/* Masks changes of a tile that go on without input (a caret, a clock, an animation, scrolling text) and so are
 * no response to one.
 *
 * A response follows its input once; an animation changes its tile several times between two inputs, early and late alike. Such
 * bursts of changes are counted around each input, separately for content that the tile shows repeatedly (a caret) and content
 * that occurs once (noise, text): a letter that appears where a caret blinks is not masked. With several runs, a tile is masked
 * at an input only where all runs but one agree (both, of two): in a slow run responses may pile up. */

enum { MASKED_NEW = 1, MASKED_REPEATED }; /* a masked change whose content is new, or was shown before */

struct tile_change {	  /* one change of a tile in one run */
	uint32_t ms;	  /* when, ms since the log began */
	uint32_t update;  /* number of the update that brought it, in its run */
	uint64_t content; /* hash of the tile from then on */
	uint64_t change;  /* content less the content before: the same for equal changes of different tiles */
	int32_t after;	  /* number of the last input before the change; -1: none */
	uint8_t seen;	  /* out, 1: the tile has this change several times, or had this content before */
	uint8_t masked;	  /* out: MASKED_NEW or MASKED_REPEATED; 0: not masked */
};

struct tile_changes { /* the changes of one tile in one run, ascending in time */
	size_t n;
	struct tile_change *change;
};

struct animation;

/* For runs of `inputs` inputs each. press_ms[run][i]: when input i was sent, press_ms[run][inputs]: when the run ended, ms since
 * the log began; not copied. */
struct animation *animation_new(int runs, int inputs, const uint32_t *const *press_ms);
void animation_free(struct animation *u);
/* Sets `seen` and `masked` of one tile; `track` has one element for each run. */
void animation_mark_tile(struct animation *u, const struct tile_changes *track);

/* Neighbours: tiles that touch masked tiles and change with them are masked as well, such as the minutes of a clock beside its
 * seconds, or the edge of an animation. Of tiles that touch each other and change in one update, all are masked when at least half
 * are, and at most three (or an eighth) are not. Exception: up to four tiles of which only a caret is masked, since they may be a
 * letter that was typed. Sets `masked` of neighbours in one run, for a screen of columns * rows tiles; change i of `tiles` is
 * change[place[i]]. */
void animation_mask_groups(int columns, int rows, const struct tilelog *tiles, const uint32_t *place, struct tile_change *change);

/* Takes tile `start`, and those that touch it directly or through others, out of a set of columns * rows tiles (1: in the set).
 * `tile` gets their indices and has room for all. Returns their number. */
size_t animation_take_group(uint8_t *set, int columns, int rows, uint32_t start, uint32_t *tile);

/* --- align.c --- */

/* Which changes of a tile in several runs are the same one: equal content or an equal change, in the same order, after
 * about the same input.
 *
 * Each run is aligned with the sequence that the runs before it have in common. Of all monotone pairings the one with most pairs
 * is taken, and among those the one whose pairs are nearest in inputs and in time since the input (a heaviest chain, found in
 * O(n log n)). No run is the reference: a change that one run lacks is missing in that run only. */

#define ALIGN_RUNS 255	      /* runs that can be aligned, at most */
#define ALIGN_REACH 3	      /* inputs by which the causes of two equal changes may differ: a slow run may respond late */
#define ALIGN_NONE UINT32_MAX /* in place of an update: this run lacks the change */

struct common_change { /* a change of a tile that several runs have in common */
	uint32_t tile;
	int32_t cause; /* number of the last input before the change, in the run where that number is least */
	uint8_t seen;  /* 1: the change occurs more than once in every run that has it */
};

struct common_changes {
	struct common_change *change;
	uint32_t *at; /* at[i * runs + r]: the update of run r that has change i; ALIGN_NONE: none has */
	size_t n;
	int runs;
};

struct aligner;
/* press_ms as for animation_new. */
struct aligner *aligner_new(int runs, const uint32_t *const *press_ms);
void aligner_free(struct aligner *a);
/* Appends the changes of one tile that at least two runs have in common; masked changes are left out. */
void align_tile(struct aligner *a, uint32_t tile, const struct tile_changes *track, struct common_changes *out);
void common_changes_free(struct common_changes *s);

/* --- responses.c --- */

/* Finds one response for each input among the changes that several runs have in common.
 *
 * Changes that become visible together in every run are one piece. A small piece that agrees with a large one in most runs is
 * merged with it (alignment erred in the others). Pieces that follow each other within RESPONSE_GAP_US are one paint, such as a
 * window that is drawn in strips. The response to an input is the earliest paint after it whose weight is at least half of the
 * greatest: weight is the number of tiles, content that occurs once counting twice, times the share of the runs that have the
 * paint. Where another paint follows the release, the latency from the release is measured to that one. A paint that is left
 * over and closely follows a movement of the pointer in all runs is the response to that movement. */

#define RESPONSE_GAP_US 120000
#define RESPONSE_NONE INT64_MIN /* in place of a time: this run lacks it */

struct analyzed_run { /* one run; owns its lists */
	const struct replay *replay;
	int inputs;		    /* of the run with most */
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
	int64_t *shown_us;		/* when the first strip was shown, us since the log began */
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
	double since_us; /* time from the cause to the piece: median over the runs that have it */
	uint32_t *at;	 /* for each run the update that has the piece; ALIGN_NONE: none. Part of paint_pieces.at */
};

struct paint_pieces {
	struct paint_piece *piece; /* ascending in cause, then in since_us */
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
	int64_t *shown_us, *whole_us; /* for each run, when the first and the last strip were shown; RESPONSE_NONE: missing */
};

/* Gathers the paint that begins with piece `first`. Its lists of `runs` times are the caller's. Pieces of other paints with the
 * same cause are moved behind it. */
void paint_gather_burst(const struct analyzed_run *run, const struct paint_pieces *p, size_t first, struct paint_burst *out);

/* --- analysis.c --- */

/* Finds the response to every input in several replays of one trace: animation_mask.h, align.h and responses.h over
 * all tiles of the screen. */

struct masked_place {	       /* a part of the screen that changes without input */
	struct pixel_area box; /* pixels */
	uint64_t changes;      /* of its tiles, in all runs */
};

struct analysis_result {
	int inputs; /* clicks, keys and turns of the wheel of the run that has most */
	struct responses responses;
	struct masked_place *masked; /* the largest first */
	size_t n_masked;
	uint64_t *unmatched; /* for each run: updates after an input that belong to no response; NULL: not counted */
	bool differ;	     /* the runs do not have the same inputs in the same order: not replays of one trace? */
};

/* `runs` is at most ALIGN_RUNS. */
void analyze_replays(const struct replay *replay, int runs, struct analysis_result *out);
void analysis_result_free(struct analysis_result *s);

/* --- method_2005.c --- */

/* --method paper: response times as Zeldovich & Chandra 2005, section 3.3, found them, step by step as their
 * analyzer does.
 *
 * The screen is reduced to every fourth pixel of every fourth row (scale). Changes within one millisecond are one frame (join). A
 * frame of the first run is looked for when more than 2 % of its pixels differ from the last frame that was looked for (differ):
 * in each run, the frame with most equal pixels between the snapshot two before and the snapshot two after, 500 ms more on either
 * side. The cause of a frame is the last input before it in all runs. No frame is ever missing; a wrong match is not noticed. */

struct method_2005_cfg {
	int64_t scale;	       /* every scale-th pixel of every scale-th row is compared; at least 1 */
	double differ_percent; /* of the pixels */
	int64_t join_ns;       /* changes less than this apart are one frame; logs have whole milliseconds */
};
#define METHOD_2005_DEFAULTS \
	{ \
		4, 2, 1000000 \
	}

struct frame_match {
	uint32_t ms;	    /* when the first run showed the frame, ms since its log began */
	uint32_t *found_ms; /* for each run: when it showed the frame; ALIGN_NONE: no frame there */
	uint32_t *equal;    /* for each run: equal pixels, of method_2005.pixels */
};

struct frame_matches {
	struct method_2005_cfg cfg;
	struct frame_match *match;
	size_t n;
	int runs;
	uint32_t pixels;   /* of the reduced screen */
	uint32_t *numbers; /* storage of found_ms and equal */
};

/* Reads the logs a second time, after replay_read. 0; -EPROTO with `why`: the runs have different numbers of snapshots, or the
 * reduced screen has no pixel; -errno. */
int method_2005_find(const struct method_2005_cfg *cfg, const struct replay *replay, int runs, struct frame_matches *out,
		     struct why *why);
void method_2005_free(struct frame_matches *p);
/* One response for each match; its cause is the last input before it in all runs. Press and release of buttons and keys count as
 * inputs, as in side files of 2005. */
void method_2005_make_responses(const struct replay *replay, int runs, const struct frame_matches *p, struct responses *out);
void method_2005_write(FILE *out, const struct frame_matches *p);

/* --- findings.c --- */

/* Writes the response times: as a report (rec.h), or as the rows that scripts of 2005 read. */

struct findings {
	const char *method;	     /* tiles, paper */
	const struct replay *replay; /* `runs` of them */
	bool labelled;		     /* labels tell settings apart; else all replays are of one setting */
	int runs;
	struct analysis_result analysis;   /* owned; --method paper fills in inputs and responses only */
	struct why unusable;		   /* of findings_are_unusable */
	const struct frame_matches *paper; /* matches by the method of 2005; NULL: --method tiles was chosen */
};

/* True, with the reason in `why`, when the response times say nothing: a replay has responses to fewer than half of the inputs,
 * or medians of replays of one setting differ more than twofold, and by more than FINDINGS_FRAME_US. */
#define FINDINGS_FRAME_US 17000 /* a screen frame at 60 Hz */
bool findings_are_unusable(const struct findings *f, struct why *why);

void findings_report(struct rec_report *out, const struct findings *f);
/* Rows "Sync log I:", "input_ts: I: MS" and "== A@0 matches with B@I (p/q)". A response that one run lacks is left out in all
 * runs, since the scripts of 2005 pair rows by their order. */
void findings_write_2005(FILE *out, const struct findings *f);
