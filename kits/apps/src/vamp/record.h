/* SPDX-License-Identifier: GPL-3.0-or-later */
/* record - judges which processes are background, and records a run: for its report, log ("vamp-log/1") and `vamp status`. */
#pragma once

#include "throttle.h"
#include "audio.h"
#include "rec.h"
#include "sample.h"
#include "tasks.h"

/* Processes with a load above the threshold: first the background processes, then the exempt ones; both in the order of pids. */
struct judged_list {
	struct background_tag *tag; /* owned */
	size_t n, background;	    /* the first `background` of the `n` are background processes */
};

struct judge_cfg {
	double threshold; /* load that makes a process background, as a share of a CPU */
	int64_t sub_ns;
	const char *except; /* names of processes that are not background, with commas; NULL: none */
};

/* Judges by the last sample of `tasks`. `audio` NULL: no process plays sound. 0 or -ENOMEM. */
int record_judge_processes(const struct task_sampler *tasks, const struct judge_cfg *cfg, const struct audio_watch *audio,
			   struct judged_list *out);
/* Adds a process to a report; `why` "": not exempt. */
void record_report_tag(struct rec_report *r, const struct background_tag *tag, const char *why);
void record_free_judged(struct judged_list *j);
/* Do both lists have the same background processes? */
bool record_same_tags(const struct judged_list *a, const struct judged_list *b);

enum episode_end { ENDED_NOT, ENDED_INPUT, ENDED_TIME, ENDED_STOP };
extern const char *const episode_end_words[]; /* "", "input", "time", "stop" */

struct episode_record {
	int64_t started_ns, ended_ns; /* started_ns: the input was read */
	int64_t decided_ns;	      /* when the processes were throttled; 0: they were not */
	char trigger[32];
	enum episode_end ended;
	struct judged_list judged;
	int err; /* error of throttling; 0: none */
};

#define RECORD_EPISODES_MAX 16384 /* a daemon may run for weeks */
struct run_record {
	struct episode_record *episode; /* owned */
	size_t n;
	int64_t left_out;	   /* older episodes, dropped beyond RECORD_EPISODES_MAX */
	struct sample decision_ns; /* time from the input until the processes are throttled, for every episode */
	int64_t began_ns, now_ns;
	int64_t cpu_ns;		 /* CPU time of the daemon, its watchdog and other children */
	int64_t samples, missed; /* sub-epochs sampled, and sub-epochs missed */
	size_t processes;	 /* processes in scope at the last sample */
	size_t most_processes;
	size_t not_undone;
	bool dry;		   /* nothing is changed */
	char way[512], sound[256]; /* one line each: the changes in force; the sound server */
};

/* Adds an episode and returns it; NULL: no memory. */
struct episode_record *record_add_episode(struct run_record *t);
/* The current episode; NULL: none. */
struct episode_record *record_current(const struct run_record *t);
double record_cpu_percent(const struct run_record *t);
void record_free(struct run_record *t);

/* Opens the --log of a command. Ends the program if the file cannot be written, or is a pipe, whose reader could block us. `path`
 * NULL: returns NULL. */
struct row_file *record_open_log(const char *path, const char *schema, const char *const *columns);

struct row_file *record_open_run_log(const char *path);
/* Each row is written when the call returns. A `log` of NULL is ignored. */
/* a row for the episode and for each judged process */
void record_write_begin(struct row_file *log, const struct episode_record *e);
void record_write_end(struct row_file *log, const struct episode_record *e);
/* Writes the wake-up counts of the sound server; `audio` may be NULL. */
void record_write_audio(struct row_file *log, int64_t now_ns, const struct audio_watch *audio);

#define ANSWER_NAME "thinprobe-vamp-"

/* Listens on an abstract Unix socket, "thinprobe-vamp-UID-PID", for `vamp status`. Returns the descriptor to poll, or -errno. */
int status_listen(void);
/* Answers all clients that have connected, without blocking. Each gets lines of tab-separated cells, then the end of the
 * connection:
 *   episode SECONDS TRIGGER     (only if one lasts; seconds since its begin)
 *   cost PERCENT PROCESSES EPISODES
 *   way TEXT, sound TEXT
 *   background|excluded PID COMM LOAD_PERCENT RUN_PERCENT WHY */
void status_answer_clients(int fd, const struct run_record *t);
