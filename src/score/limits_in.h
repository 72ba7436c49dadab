/* SPDX-License-Identifier: GPL-3.0-or-later */
/* limits_in - the numbers of the models, from a table such as data/thresholds.tsv. */
#ifndef THINPROBE_SCORE_LIMITS_IN_H
#define THINPROBE_SCORE_LIMITS_IN_H

#include "models.h"

#include <stdio.h>

#define LIMITS_IN_SOURCE 256
enum limits_in_model { LIMITS_PERCEPTION, LIMITS_TOLIA, LIMITS_APDEX, LIMITS_WU, LIMITS_VSI, LIMITS_MODELS };

struct limits_in {
	struct models_limits limits;
	char source[LIMITS_MODELS][LIMITS_IN_SOURCE];	/* of each model: where its first number comes from */
};

/* 0; -EPROTO with what is wrong in `why` (a name that is missing, or a number). -EIO. */
int limits_in_read(FILE *in, struct limits_in *out, char *why, size_t size);

#endif
