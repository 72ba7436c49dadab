/* SPDX-License-Identifier: GPL-3.0-or-later */
/* spin - the idle loops: one thread per CPU that reads the clock and records when it did not get the CPU.
 *
 * The threads are SCHED_IDLE and pinned, and live in a process of their own: a scheduling group (group.h) is entered by a
 * process, and tasks that this program wakes on the same CPUs must stay outside of it. A turn of the loop reads the clock,
 * compares, and stores the time. A turn that takes longer than the limit is a gap: it is pushed to the CPU's ring as (stamp
 * before, stamp after). The loop itself neither allocates nor makes system calls.
 *
 * So that a loop does not spin for ever when its parent was stopped or hangs, it pauses when the time allowed by
 * spin_allow_time() is over, checks every 20 ms whether more was allowed, and pushes the pause as a span whose `from` is
 * negative: minus the stamp at which the pause began. */
#pragma once

#include "cli.h"
#include "ring.h"
#include "stamp.h"

#define SPIN_STEPS 8192 /* turn lengths that calibration can tell apart, in stamps */

enum spin_loop_command { SPIN_PAUSE, SPIN_CALIBRATE, SPIN_RUN, SPIN_STOP };

struct cpu_idle_loop {
	int cpu;
	_Atomic int refused; /* errno of pinning or of SCHED_IDLE; 0: neither failed */
	_Atomic int tid;
	_Atomic uint32_t doing; /* the value of spin.order that the loop carries out now */
	_Atomic bool calibrated;
	bool left;			   /* it was moved to another CPU, and pauses for good: there it would only disturb */
	_Atomic int64_t until;		   /* stamp after which it pauses by itself */
	int64_t limit;			   /* longest turn that is not a gap, in stamps; set before SPIN_RUN */
	_Alignas(64) _Atomic int64_t seen; /* stamp of the latest turn */
	uint32_t steps
		[SPIN_STEPS]; /* histogram of calibration: number of turns by length in stamps; the last counts all longer ones */
	struct span_ring ring;
};

/* In memory shared by this process and that of the loops. */
struct idle_loops {
	_Atomic uint32_t order; /* round * 4 + enum spin_loop_command; a futex */
	double ns_per_stamp;	/* set before SPIN_RUN */
	bool tsc;
	int n;
	pid_t pid;	    /* process of the loops; 0: it has ended */
	_Atomic int failed; /* errno of starting the threads; 0: they started */
	char place[64];	    /* result that `enter` wrote */
	struct cpu_idle_loop cpu[];
};

/* Starts the process and its paused threads. `enter` runs in that process first (it enters the scheduling group) and writes its
 * result into `place`. 0 or -errno; *out is freed by spin_end(). To be called before other threads are started. */
int spin_start(struct idle_loops **out, const struct cli_cpus *cpus, bool tsc, void (*enter)(void *arg, char *place, size_t size),
	       void *arg);

/* Gives an order and waits until all loops carry it out (no wait for SPIN_STOP). 0; -ETIMEDOUT: a loop did not get its CPU within
 * within_ns; -ESRCH: the process has ended; -EINTR: a signal to stop came. */
int spin_send_order(struct idle_loops *s, enum spin_loop_command order, int64_t within_ns);
/* Allows the loops to spin until `for_ns` from now, but for those that have left their CPU. */
void spin_allow_time(struct idle_loops *s, int64_t for_ns);
#define SPIN_ALLOWANCE_NS (2 * NS_PER_S)
/* Waits until all loops are calibrated. Errors as spin_send_order(). */
int spin_await_calibration(struct idle_loops *s, int64_t within_ns);
/* Whether the process of the loops has ended; if so, reaps it. */
bool spin_reap_ended(struct idle_loops *s);
/* Quantile `p` (0..1) of the turn lengths of one CPU's calibration, in stamps, among turns no longer than `longest`. */
int64_t spin_turn_quantile(const struct cpu_idle_loop *c, double p, int64_t longest);

/* Ends the process, whatever its state, and frees the memory. */
void spin_end(struct idle_loops *s);
