/* SPDX-License-Identifier: GPL-3.0-or-later */
/* study - several replays of one trace, and the answer to every input: unrest.h, align.h and answers.h over all tiles. */
#ifndef THINPROBE_STUDY_H
#define THINPROBE_STUDY_H

#include "answers.h"
#include "replay.h"

struct masked {			/* where the screen changes by itself */
	struct box box;
	uint64_t changes;	/* of its tiles, in all runs */
};

struct study {
	int inputs;		/* presses, keys, turns of a wheel: of the run with the most */
	struct answers answers;
	struct masked *masked;	/* the largest first */
	size_t n_masked;
	uint64_t *unmatched;	/* for each run: updates after an input that belong to no answer */
	bool differ;		/* the runs do not have the same inputs in the same order: not replays of one trace? */
};

/* Returns 0 or -ENOMEM. `runs` must not exceed ALIGN_RUNS. */
int study_replays(const struct replay *replay, int runs, struct study *out);
void study_free(struct study *s);

#endif
