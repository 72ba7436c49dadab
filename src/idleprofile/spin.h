/* SPDX-License-Identifier: GPL-3.0-or-later */
/* spin - the idle loops: one thread per CPU that reads the clock and notes when it did not get the CPU.
 *
 * The threads are SCHED_IDLE, pinned, and live in a process of their own, because a scheduling group (group.h) is
 * entered by a process, and who wakes tasks on the same CPUs must stay outside. A turn of the loop is: read the clock,
 * compare, note how far it came. A turn that took longer than the limit is pushed to the CPU's ring as (stamp before,
 * stamp after); nothing else leaves the loop, and it neither allocates nor calls the system.
 *
 * A loop that nobody looks at (the parent was stopped, or hangs) would spin for ever: it pauses when the time it was given
 * last by spin_watch is over, looks now and then whether there is more, and pushes the pause as a span whose `from` is
 * negative: minus the stamp at which it began. */
#ifndef THINPROBE_SPIN_H
#define THINPROBE_SPIN_H

#include "cli.h"
#include "ring.h"
#include "stamp.h"

#define SPIN_STEPS 8192		/* longest step that calibration tells apart, in stamps */

enum spin_order { SPIN_PAUSE, SPIN_CALIBRATE, SPIN_RUN, SPIN_STOP };

struct spin_cpu {
	int cpu;
	_Atomic int refused;		/* errno of pinning or of SCHED_IDLE */
	_Atomic int tid;
	_Atomic uint32_t doing;		/* the round of orders it has begun to carry out */
	_Atomic bool calibrated;
	int64_t limit;			/* stamps; set before SPIN_RUN */
	_Alignas(64) _Atomic int64_t seen;	/* stamp of its last turn */
	uint32_t steps[SPIN_STEPS];	/* how many turns of calibration took that long; the last: longer */
	struct span_ring ring;
};

/* Lies in memory that both processes see. */
struct spin {
	_Atomic uint32_t order;		/* round * 4 + enum spin_order; a futex */
	_Atomic int64_t until;		/* stamp after which nobody looks: the loops pause by themselves */
	double ns_per_stamp;		/* set before SPIN_RUN */
	bool tsc;
	int n;
	pid_t pid;			/* of the process of the loops */
	_Atomic int failed;		/* errno with which it could not start */
	char place[64];			/* what `enter` said */
	struct spin_cpu cpu[];
};

/* Starts the process and its paused threads. `enter` runs in it first (it joins the scheduling group) and writes where
 * it landed into `place`. 0 or -errno; `out` is freed by spin_end. To be called before other threads are started. */
int spin_start(struct spin **out, const struct cli_cpus *cpus, bool tsc, void (*enter)(void *arg, char *place, size_t size),
	       void *arg);

/* Gives an order and waits until all loops carry it out (not for SPIN_STOP). 0; -ETIMEDOUT: a loop did not get its CPU
 * in that time; -ESRCH: the process is gone; -EINTR: told to stop. */
int spin_order(struct spin *s, enum spin_order order, int64_t within_ns);
/* The loops may run for so long from now. */
void spin_allow(struct spin *s, int64_t for_ns);
#define SPIN_ALLOWANCE_NS (2 * NS_PER_S)
/* Waits for all to have calibrated. Same errors. */
int spin_wait_calibrated(struct spin *s, int64_t within_ns);
/* Whether the process of the loops has ended, by somebody else's hand. */
bool spin_has_ended(struct spin *s);
/* Quantile of one CPU's steps, in stamps, of those no longer than `longest`. */
int64_t spin_step_quantile(const struct spin_cpu *c, double p, int64_t longest);

/* Ends the process, however far it has come, and frees the memory. */
void spin_end(struct spin *s);

#endif
