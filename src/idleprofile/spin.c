// SPDX-License-Identifier: GPL-3.0-or-later
#include "spin.h"
#include "proc.h"

#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define CALIBRATION_TURNS 300000 /* turns; take some milliseconds */
#define STACK_BYTES 65536
#define LOOK_NS (20 * NS_PER_MS) /* between checks whether a paused loop may spin again */

static void futex_wait(_Atomic uint32_t *word, uint32_t value)
{
	syscall(SYS_futex, word, FUTEX_WAIT, value, NULL, NULL, 0);
}

static void futex_wake(_Atomic uint32_t *word)
{
	syscall(SYS_futex, word, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
}

static size_t shared_bytes(int n)
{
	return sizeof(struct idle_loops) + (size_t)n * sizeof(struct cpu_idle_loop);
}

/* Pauses until more time is allowed or another order comes. Returns the stamp of the end of the pause. */
static __attribute__((noinline)) int64_t pause_loop(struct idle_loops *s, struct cpu_idle_loop *me, uint32_t order, bool tsc,
						    int64_t since)
{
	int64_t now;

	do {
		clock_sleep(clock_now() + LOOK_NS);
		now = stamp_read(tsc);
	} while (now > atomic_load(&me->until) && atomic_load(&s->order) == order);
	ring_push(&me->ring, -since, now);
	return now;
}

/* Inlined twice, so that the choice of the clock is made outside the loop. */
static inline __attribute__((always_inline)) void run_idle_loop(struct idle_loops *s, struct cpu_idle_loop *me, uint32_t order,
								bool tsc)
{
	const int64_t limit = me->limit;
	int64_t last = stamp_read(tsc);

	atomic_store_explicit(&me->seen, last, memory_order_release);
	atomic_store(&me->doing, order);
	while (atomic_load_explicit(&s->order, memory_order_relaxed) == order) {
		int64_t now = stamp_read(tsc);

		if (__builtin_expect(now - last > limit, 0))
			ring_push(&me->ring, last, now);
		if (__builtin_expect(now > atomic_load_explicit(&me->until, memory_order_relaxed), 0))
			now = pause_loop(s, me, order, tsc, now);
		/* Store after the push: a reader of `seen` then finds all gaps that ended before it. */
		atomic_store_explicit(&me->seen, now, memory_order_release);
		last = now;
	}
}

/* The same turn as in run_idle_loop(), with its length counted in memory that was touched before. */
static inline __attribute__((always_inline)) void calibrate_loop(struct idle_loops *s, struct cpu_idle_loop *me, uint32_t order,
								 bool tsc)
{
	int64_t last;

	memset(me->steps, 0, sizeof(me->steps));
	atomic_store(&me->doing, order);
	last = stamp_read(tsc);
	for (int i = 0; i < CALIBRATION_TURNS && atomic_load_explicit(&s->order, memory_order_relaxed) == order; i++) {
		int64_t now = stamp_read(tsc);
		int64_t step = now - last;

		me->steps[step < 0 ? 0 : step < SPIN_STEPS ? step : SPIN_STEPS - 1]++;
		if (__builtin_expect(now > atomic_load_explicit(&me->until, memory_order_relaxed), 0))
			break;
		atomic_store_explicit(&me->seen, now, memory_order_release);
		last = now;
	}
	atomic_store(&me->calibrated, true);
}

static void carry_out_order(struct idle_loops *s, struct cpu_idle_loop *me, uint32_t order)
{
	switch ((enum spin_loop_command)(order % 4)) {
	case SPIN_CALIBRATE:
		if (s->tsc)
			calibrate_loop(s, me, order, true);
		else
			calibrate_loop(s, me, order, false);
		break;
	case SPIN_RUN:
		if (s->tsc)
			run_idle_loop(s, me, order, true);
		else
			run_idle_loop(s, me, order, false);
		break;
	default: atomic_store(&me->doing, order);
	}
}

struct spin_thread_args {
	struct idle_loops *spin;
	struct cpu_idle_loop *cpu;
};

static void *run_loop_thread(void *arg)
{
	struct spin_thread_args *seat = arg;
	struct idle_loops *s = seat->spin;
	struct cpu_idle_loop *me = seat->cpu;
	struct sched_param param = { 0 };
	struct cli_cpus one = { .n = 1, .cpu = { me->cpu } };
	char name[16];
	int err = proc_pin_thread(&one);

	snprintf(name, sizeof(name), "idleloop/%d", me->cpu);
	prctl(PR_SET_NAME, name);
	if (!err && sched_setscheduler(0, SCHED_IDLE, &param))
		err = -errno;
	memset(me->ring.span, 0, sizeof(me->ring.span)); /* page in the ring before the measurement */
	atomic_store(&me->refused, -err);
	atomic_store(&me->tid, (int)gettid());
	while (!err) {
		uint32_t order = atomic_load(&s->order);

		if (order % 4 == SPIN_STOP)
			break;
		carry_out_order(s, me, order);
		while (atomic_load(&s->order) == order)
			futex_wait(&s->order, order);
	}
	return NULL;
}

static __attribute__((noreturn)) void run_loop_process(struct idle_loops *s, pid_t parent, void (*enter)(void *, char *, size_t),
						       void *arg)
{
	static pthread_t thread[CLI_CPUS_MAX];
	static struct spin_thread_args seat[CLI_CPUS_MAX];
	int err = 0;

	if (proc_end_with_parent(SIGKILL, parent))
		_exit(EXIT_RUN);
	proc_ignore_stop();
	enter(arg, s->place, sizeof(s->place));
	for (int i = 0; i < s->n && !err; i++) {
		seat[i] = (struct spin_thread_args){ s, &s->cpu[i] };
		err = proc_start_thread(&thread[i], STACK_BYTES, run_loop_thread, &seat[i]);
	}
	if (err) {
		atomic_store(&s->failed, err);
		_exit(EXIT_RUN);
	}
	mlockall(MCL_CURRENT); /* where allowed; all of the memory has been touched already */
	for (int i = 0; i < s->n; i++)
		pthread_join(thread[i], NULL);
	_exit(EXIT_OK);
}

bool spin_reap_ended(struct idle_loops *s)
{
	int status;

	if (s->pid > 0 && waitpid(s->pid, &status, WNOHANG) != 0)
		s->pid = 0;
	return s->pid <= 0;
}

static bool loop_has_started(const struct cpu_idle_loop *c, uint32_t what)
{
	(void)what;
	return atomic_load(&c->tid) != 0;
}

static bool loop_is_obeying(const struct cpu_idle_loop *c, uint32_t what)
{
	return atomic_load(&c->doing) == what;
}

static bool loop_is_calibrated(const struct cpu_idle_loop *c, uint32_t what)
{
	(void)what;
	return atomic_load(&c->calibrated);
}

/* Waits until `is` holds for all loops. A signal to stop does not end a wait for SPIN_PAUSE: the gaps are still to be read. */
static int wait_all_loops(struct idle_loops *s, bool (*is)(const struct cpu_idle_loop *, uint32_t), uint32_t what,
			  int64_t within_ns)
{
	bool pausing = is == loop_is_obeying && what % 4 == SPIN_PAUSE;
	int64_t end = clock_now() + within_ns;

	for (int i = 0; i < s->n; i++) {
		while (!is(&s->cpu[i], what)) {
			if (atomic_load(&s->failed))
				return -atomic_load(&s->failed);
			if (spin_reap_ended(s))
				return -ESRCH;
			if (proc_stop && !pausing)
				return -EINTR;
			if (clock_now() > end)
				return -ETIMEDOUT;
			clock_sleep(clock_now() + NS_PER_MS);
		}
	}
	return 0;
}

void spin_allow_time(struct idle_loops *s, int64_t for_ns)
{
	int64_t until = stamp_read(s->tsc) + (int64_t)((double)for_ns / s->ns_per_stamp);

	for (int i = 0; i < s->n; i++)
		atomic_store(&s->cpu[i].until, s->cpu[i].left ? 0 : until);
}

int spin_send_order(struct idle_loops *s, enum spin_loop_command order, int64_t within_ns)
{
	uint32_t next = (atomic_load(&s->order) / 4 + 1) * 4 + order;

	if (order == SPIN_RUN)
		spin_allow_time(s, SPIN_ALLOWANCE_NS);
	atomic_store(&s->order, next);
	futex_wake(&s->order);
	return order == SPIN_STOP ? 0 : wait_all_loops(s, loop_is_obeying, next, within_ns);
}

int spin_await_calibration(struct idle_loops *s, int64_t within_ns)
{
	return wait_all_loops(s, loop_is_calibrated, 0, within_ns);
}

int64_t spin_turn_quantile(const struct cpu_idle_loop *c, double p, int64_t longest)
{
	int64_t last = longest < SPIN_STEPS - 1 ? longest : SPIN_STEPS - 2;
	uint64_t all = 0, below = 0;

	for (int64_t i = 0; i <= last; i++)
		all += c->steps[i];
	for (int64_t i = 0; i <= last; i++) {
		below += c->steps[i];
		if (below && (double)below >= p * (double)all)
			return i;
	}
	return last;
}

int spin_start(struct idle_loops **out, const struct cli_cpus *cpus, bool tsc, void (*enter)(void *, char *, size_t), void *arg)
{
	struct idle_loops *s = mmap(NULL, shared_bytes(cpus->n), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	pid_t parent = getpid(), pid;
	int err;

	if (s == MAP_FAILED)
		return -errno;
	s->tsc = tsc;
	s->n = cpus->n;
	for (int i = 0; i < s->n; i++) {
		s->cpu[i].cpu = cpus->cpu[i];
		s->cpu[i].until = INT64_MAX; /* no limit: calibration ends by itself */
	}
	pid = fork(); /* into a local variable: in the child it is 0 */
	if (!pid)
		run_loop_process(s, parent, enter, arg);
	s->pid = pid;
	if (pid < 0) {
		err = -errno;
		spin_end(s);
		return err;
	}
	err = wait_all_loops(s, loop_has_started, 0, 60 * NS_PER_S);
	for (int i = 0; i < s->n && !err; i++)
		err = -atomic_load(&s->cpu[i].refused);
	if (err)
		spin_end(s);
	else
		*out = s;
	return err;
}

void spin_end(struct idle_loops *s)
{
	if (s->pid > 0) {
		spin_send_order(s, SPIN_STOP, 0);
		/* A starved loop would carry out the order late or never, and has nothing more to report. */
		kill(s->pid, SIGKILL);
		while (waitpid(s->pid, NULL, 0) < 0 && errno == EINTR)
			;
	}
	munmap(s, shared_bytes(s->n));
}
