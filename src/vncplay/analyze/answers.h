/* SPDX-License-Identifier: GPL-3.0-or-later */
/* answers - from changes that several runs have in common to one answer for each input.
 *
 * Changes that become visible together in every run are one piece. A small piece that agrees with a
 * large one in most runs and not in another belongs to it (a pair gone wrong). Pieces that follow
 * each other within ANSWER_GAP_MS are one paint, such as a window that comes in strips. The answer
 * of an input is the earliest paint after it that is not much weaker than its strongest: weight is
 * the number of tiles, content that is there once counting twice, times the share of the runs that
 * have it. Where another paint follows the release, it is what the latency from the release is of.
 * Paints that are left and follow a movement of the pointer closely in all runs are that
 * movement's. */
#ifndef THINPROBE_ANSWERS_H
#define THINPROBE_ANSWERS_H

#include "align.h"
#include "vncplay/common/side_file.h"

#define ANSWER_GAP_MS 120
#define ANSWER_NONE INT64_MIN

struct answers_run {
	const uint32_t *update_ms;	/* when each update was visible */
	size_t updates;
	const struct stimulus *stimulus;	/* `inputs` of them, the same in all runs; press_us -1: this run ended before */
	const struct input *move;	/* movements of the pointer, by time */
	size_t moves;
	uint8_t *used;		/* out: of each update, whether it is part of an answer */
};

struct answer {
	enum stimulus_kind kind;
	int input;		/* of the trace */
	int64_t at_us;		/* in run 0, or in the first run that has it */
	double confidence;	/* 0 to 1 */
	uint32_t tiles;		/* that its paint changes */
	/* for each run, ANSWER_NONE: missing (not released). Owned by the answers. */
	int64_t *press_us, *release_us, *complete_us;	/* since the press, since the release, last strip since the press */
	int64_t *shown_ms;	/* when, on the log's clock */
};

struct answers {
	struct answer *answer;	/* by input */
	size_t n;
};

/* 0 or -ENOMEM. `changes` is sorted anew. */
int answers_find(const struct answers_run *run, int runs, int inputs, struct sames *changes, struct answers *out);
void answers_free(struct answers *a);

#endif
