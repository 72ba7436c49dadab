/* SPDX-License-Identifier: GPL-3.0-or-later */
/* crew - the processes of a load: started together, stopped together, each leaving its account in memory that all share. */
#ifndef THINPROBE_CREW_H
#define THINPROBE_CREW_H

#include "proc.h"
#include "regime.h"

#include <semaphore.h>
#include <stdatomic.h>

struct crew_child {
	pid_t pid;			/* of a running one; 0: it has ended */
	pid_t was;			/* the same for ever */
	atomic_bool ready;		/* set by its work when the load is there, or can be at once */
	enum regime_part asked;		/* what was refused */
	atomic_int refused;		/* with this errno */
	int64_t start_ns, start_cpu_ns;	/* of its work */
	int64_t wall_ns, cpu_ns;	/* of its work; of one that died the CPU time in all */
	int64_t slice_ns;		/* as regime_slice() */
	struct proc_schedstat sched;
	bool accounted, died;		/* sched is known; it was ended by something else than us */
};

struct crew {
	atomic_bool stop;		/* its children look at it */
	sem_t wake;			/* posted once for each when it is set, for those that sleep */
	atomic_llong origin_ns;		/* 0, or since when times of a plan count */
	int64_t count;
	struct crew_child child[];
};

/* Runs in a child until `stop`, or until it has no more to do. */
typedef void crew_work(struct crew *crew, int64_t index, void *context);

/* NULL with errno set. Lives as long as the process. */
struct crew *crew_new(int64_t count);

/* Starts the children and waits until all are ready, or proc_stop. 0, or else all that were started have ended, and *who is the
 * child that failed: -errno, it could not be started; CREW_REFUSED, its regime was (child.asked, child.refused); CREW_DIED. */
enum { CREW_REFUSED = 1, CREW_DIED };
int crew_start(struct crew *crew, const struct regime *regime, crew_work *work, void *context, int64_t *who);

/* Waits until all have ended of themselves, until `until_ns`, or until proc_stop. Whether all have. */
bool crew_wait(struct crew *crew, int64_t until_ns);
/* Accounts for all that still run and tells them to end. Needs no CPU time of theirs: a low priority may get none for seconds. */
void crew_stop(struct crew *crew);
/* After crew_stop(): waits until all have ended, or until `until_ns` (INT64_MAX: for ever). Who had been killed is known then. */
void crew_end(struct crew *crew, int64_t until_ns);

#endif
