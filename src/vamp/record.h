/* SPDX-License-Identifier: GPL-3.0-or-later */
/* told - the record of a run: for its report, its log and `vamp status`. */
#ifndef VAMP_TOLD_H
#define VAMP_TOLD_H

#include "judge.h"
#include "sample.h"

enum told_ended { ENDED_NOT, ENDED_INPUT, ENDED_TIME, ENDED_STOP };
extern const char *const ended_words[];		/* "", "input", "time", "stop" */

struct told_episode {
	int64_t started_ns, ended_ns;	/* started: the event was seen */
	int64_t decided_ns;		/* when the tags were applied; 0: they were not */
	char trigger[32];
	enum told_ended ended;
	struct judged judged;
	int err;			/* of applying them */
};

#define TOLD_MOST 16384		/* a daemon runs for weeks */
struct told {
	struct told_episode *episode;	/* owned */
	size_t n;
	int64_t left_out;		/* older episodes, which are no longer kept: see TOLD_MOST */
	struct sample decision_ns;	/* of every episode: from the event to the tags applied */
	int64_t began_ns, now_ns;
	int64_t cpu_ns;			/* of the daemon, its watchdog and other children */
	int64_t samples, missed;	/* sub-epochs sampled; those that passed without */
	size_t processes;		/* in scope at the last sample */
	size_t most_processes;
	size_t not_undone;
	char way[512], sound[256];	/* one line each: how which processes are throttled; which sound server is asked */
};

/* Room for another episode: it, or NULL. */
struct told_episode *told_add(struct told *t);
/* The one that lasts, or NULL. */
struct told_episode *told_lasting(const struct told *t);
double told_cpu_percent(const struct told *t);
void told_free(struct told *t);

#endif
