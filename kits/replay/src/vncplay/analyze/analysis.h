/* SPDX-License-Identifier: GPL-3.0-or-later */
/* analysis - finds the response to every input in several replays of one trace: animation_mask.h, align.h and responses.h over
 * all tiles of the screen. */
#pragma once

#include "responses.h"

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
