/* SPDX-License-Identifier: GPL-3.0-or-later */
/* watch - the main loop: waits for an input, the end of a sub-epoch or of an episode, or a question, and acts on it. */
#ifndef VAMP_WATCH_H
#define VAMP_WATCH_H

#include "throttle.h"
#include "input.h"
#include "tasks.h"
#include "record.h"
#include "undo.h"

struct episode {
	int64_t most_ns;	/* max_int_period */
	int64_t since_ns;
	bool lasts;
};

/* The caller ends the running episode, begins another, or both. */
struct episode_change {
	bool ends, begins;
};
struct episode_change episode_handle_event(struct episode *e, int64_t now_ns, bool sound);
/* True where its time is over: it ends. */
bool episode_has_ended(struct episode *e, int64_t now_ns);
/* When to ask again; INT64_MAX: none lasts. */
int64_t episode_end_due_ns(const struct episode *e);

enum { WATCH_SOURCES = 4, WATCH_WAYS = 4 };
#define WATCH_INPUTS 20		/* a second open episodes; of a flood the rest is passed over */

/* The caller opens the parts, and closes them but where said. */
struct vamp_watch {
	double threshold;		/* share of a CPU */
	int64_t sub_ns;
	struct task_sampler *tasks;
	struct undo *undo;		/* NULL: nothing is changed */
	struct audio *audio;		/* or NULL; its source is one of the sources */
	struct throttle *way[WATCH_WAYS];
	int ways;
	struct input_source *source[WATCH_SOURCES];	/* one that ends is closed and taken out */
	int sources;
	struct rows *log;		/* or NULL */
	int answers;			/* of answer_open */
	struct episode episode;
	struct run_record told;
	int64_t second_ns;		/* when this second of inputs began */
	int inputs;			/* in it */
	int err;			/* why it ended by itself: watch_why; 0: it did not */

	bool applied;			/* a begin without its end */
	int64_t cpu_before_ns;		/* CPU time used by start-up; subtracted from the reported cost */
	struct input_event event;	/* the first that came in one reading; seen_ns 0: none */
	int64_t averaged_ns;
};

/* The first sample. */
void watch_begin(struct vamp_watch *w);
/* Until the time, a signal to stop, the end of the last source of a user's input, or an error (w->err); then all is as before. */
void watch_until(struct vamp_watch *w, int64_t until_ns);
const char *watch_describe_error(int err);
/* Updates cost, way and sound in `told`, for the report and for status. */
void watch_update_record(struct vamp_watch *w);

#endif
