/* SPDX-License-Identifier: GPL-3.0-or-later */
/* itself - this program's own work on the CPUs that it profiles, told apart from what it looks for.
 *
 * With kernel records: by thread id, of its own threads and of processes it was told to ignore. Without: from notes of
 * when it worked. */
#ifndef THINPROBE_ITSELF_H
#define THINPROBE_ITSELF_H

#include "who.h"

#define ITSELF_REST_NS 50000	/* a part with less than this beside its own work is wholly its own: switches, the timer */
#define ITSELF_NOTES 4096
#define ITSELF_TIDS 256

struct itself_found {
	bool there;
	int64_t ns;
};

/* Notes of one CPU, in a circle: the oldest go. */
struct itself {
	uint32_t first, n;
	struct { int64_t from, to, cpu_ns; } note[ITSELF_NOTES];
};
/* It worked between these times, and used `cpu_ns` of CPU. */
void itself_note(struct itself *w, int64_t from, int64_t to, int64_t cpu_ns);
/* Its own time in [from, to]. Parts in ascending order; notes that end before `from` are dropped. */
struct itself_found itself_in_time(struct itself *w, int64_t from, int64_t to);

/* The calling thread's own work, for a note. cpu -1: it was moved while at it. */
struct itself_work {
	int cpu;
	int64_t from, to, cpu_ns;
};
void itself_begin(struct itself_work *w);
void itself_end(struct itself_work *w);

struct itself_tids {
	int n, own;			/* the first `own` stay */
	int tid[ITSELF_TIDS];
	const int64_t *ignore;
	int ignores;
	int64_t refreshed_ns;
};
/* The calling thread, and the threads of `ignore` (not owned). */
void itself_tids_init(struct itself_tids *t, const int64_t *ignore, int ignores);
void itself_tids_add(struct itself_tids *t, int tid);
/* Looks again, at most once a second, which threads the ignored processes have. */
void itself_tids_refresh(struct itself_tids *t);
/* Takes its own shares out of the list and says what they had. */
struct itself_found itself_in_shares(const struct itself_tids *t, struct who_share *share, size_t *n);

#endif
