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
struct judged_list {
	struct loaded_process *tag;	/* owned */
	size_t n, background;	/* the first so many are background */
};

/* By the last sample of `tasks`; audio NULL: no process plays sound. `threshold`: share of a CPU. 0 or -ENOMEM. */
int judge_processes(const struct task_sampler *tasks, int64_t sub_ns, double threshold, const struct audio *audio,
		    struct judged_list *out);
void judged_list_free(struct judged_list *j);
/* Are the same processes background? */
bool judged_list_same_background(const struct judged_list *a, const struct judged_list *b);

enum episode_end { ENDED_NOT, ENDED_INPUT, ENDED_TIME, ENDED_STOP };
extern const char *const episode_end_words[];		/* "", "input", "time", "stop" */

struct episode_record {
	int64_t started_ns, ended_ns;	/* started: the event was seen */
	int64_t decided_ns;		/* when the tags were applied; 0: they were not */
	char trigger[32];
	enum episode_end ended;
	struct judged_list judged;
	int err;			/* of applying them */
};

#define RECORD_EPISODES_MAX 16384		/* a daemon runs for weeks */
struct run_record {
	struct episode_record *episode;	/* owned */
	size_t n;
	int64_t left_out;		/* older episodes, which are no longer kept: see RECORD_EPISODES_MAX */
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
struct episode_record *run_record_add_episode(struct run_record *t);
/* The one that lasts, or NULL. */
struct episode_record *run_record_current_episode(const struct run_record *t);
double run_record_cpu_percent(const struct run_record *t);
void run_record_free(struct run_record *t);

/* Of each command's --log: ends the program where the file cannot be written, or is a pipe, whose reader could hold us up.
 * NULL: no path. */
struct rows *log_must_open(const char *path, const char *schema, const char *const *columns);

struct rows *log_open_episodes(const char *path);
/* These pass over a log that is NULL. */
void log_write_episode(struct rows *log, const struct episode_record *e);		/* the episode and its tags */
void log_write_episode_end(struct rows *log, const struct episode_record *e);
/* The counters of sound, where there is an audio. */
void log_write_wakeups(struct rows *log, int64_t now_ns, const struct audio *audio);

#define ANSWER_NAME "thinprobe-vamp-"

/* The descriptor to poll, or -errno. */
int status_listen(void);
/* Answers all clients that have connected. Never blocks. */
void status_answer_clients(int fd, const struct run_record *t);

#endif
