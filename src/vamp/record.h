/* SPDX-License-Identifier: GPL-3.0-or-later */
/* record - the record of a run: for its report, its log and `vamp status`. */
#ifndef VAMP_RECORD_H
#define VAMP_RECORD_H

#include "throttle.h"
#include "input.h"
#include "rec.h"
#include "sample.h"
#include "tasks.h"

/* Processes above the threshold: first those that are background, then those that are spared; both in the order of pids. */
struct judged {
	struct tag *tag;	/* owned */
	size_t n, background;	/* the first so many are background */
};

/* By the last sample of `tasks`; audio NULL: no process plays sound. `threshold`: share of a CPU. 0 or -ENOMEM. */
int judge(const struct tasks *tasks, int64_t sub_ns, double threshold, const struct audio *audio, struct judged *out);
void judged_free(struct judged *j);
/* Are the same processes background? */
bool judged_same(const struct judged *a, const struct judged *b);

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

/* Of each command's --log: ends the program where the file cannot be written, or is a pipe, whose reader could hold us up.
 * NULL: no path. */
struct rows *log_must_open(const char *path, const char *schema, const char *const *columns);

struct rows *log_open(const char *path);
/* These pass over a log that is NULL. */
void log_begin(struct rows *log, const struct told_episode *e);		/* the episode and its tags */
void log_end(struct rows *log, const struct told_episode *e);
/* The counters of sound, where there is an audio. */
void log_sound(struct rows *log, int64_t now_ns, const struct audio *audio);

#define ANSWER_NAME "thinprobe-vamp-"

/* The descriptor to poll, or -errno. */
int answer_open(void);
/* Answers all clients that have connected. Never blocks. */
void answer_clients(int fd, const struct told *t);

#endif
