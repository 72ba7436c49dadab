/* SPDX-License-Identifier: GPL-3.0-or-later */
/* own_work - this program's own work on the CPUs that it profiles, told apart from what it looks for.
 *
 * With kernel records: by thread id, of its own threads and of processes it was told to ignore. Without: from notes of
 * when it worked. */
#ifndef THINPROBE_OWN_WORK_H
#define THINPROBE_OWN_WORK_H

#include "attribution.h"

#define OWN_WORK_REST_NS 50000	/* a part with less than this beside its own work is wholly its own: switches, the timer */
#define OWN_WORK_NOTES 4096
#define OWN_WORK_TIDS 256

struct own_work_found {
	bool there;
	int64_t ns;
};

/* Notes of one CPU, in a circle: the oldest go. */
struct own_work_notes {
	uint32_t first, n;
	struct { int64_t from, to, cpu_ns; } note[OWN_WORK_NOTES];
};
/* It worked between these times, and used `cpu_ns` of CPU. */
void own_work_add_note(struct own_work_notes *w, int64_t from, int64_t to, int64_t cpu_ns);
/* Its own time in [from, to]. Parts in ascending order; notes that end before `from` are dropped. */
struct own_work_found own_work_in_time(struct own_work_notes *w, int64_t from, int64_t to);

/* The calling thread's own work, for a note. cpu -1: it was moved while at it. */
struct own_work {
	int cpu;
	int64_t from, to, cpu_ns;
};
void own_work_begin(struct own_work *w);
void own_work_end(struct own_work *w);

struct own_work_tids {
	int n, own;			/* the first `own` stay */
	int tid[OWN_WORK_TIDS];
	const int64_t *ignore;
	int ignores;
	int64_t refreshed_ns;
};
/* The calling thread, and the threads of `ignore` (not owned). */
void own_work_tids_init(struct own_work_tids *t, const int64_t *ignore, int ignores);
void own_work_tids_add(struct own_work_tids *t, int tid);
/* Looks again, at most once a second, which threads the ignored processes have. */
void own_work_tids_refresh(struct own_work_tids *t);
/* Takes its own shares out of the list and says what they had. */
struct own_work_found own_work_remove_shares(const struct own_work_tids *t, struct culprit_share *share, size_t *n);

#endif
