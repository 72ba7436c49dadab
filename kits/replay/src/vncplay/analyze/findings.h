/* SPDX-License-Identifier: GPL-3.0-or-later */
/* findings - writes the response times: as a report (rec.h), or as the rows that scripts of 2005 read. */
#pragma once

#include "analysis.h"
#include "method_2005.h"
#include "rec.h"
#include "why.h"

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
