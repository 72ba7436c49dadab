// SPDX-License-Identifier: GPL-3.0-or-later
#include "workers.h"
#include "clock.h"

#include <errno.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/pidfd.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#define POLL_NS (10 * NS_PER_MS) /* polling interval where pidfds are missing */

struct workers *workers_new(int64_t count)
{
	struct workers *workers = mmap(NULL, sizeof(*workers) + (size_t)count * sizeof(*workers->child), PROT_READ | PROT_WRITE,
				       MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	if (workers == MAP_FAILED || sem_init(&workers->wake, 1, 0))
		return NULL;
	workers->count = count;
	return workers;
}

static void record_child_time(struct worker *c, pid_t pid)
{
	struct proc_stat stat;

	if (!atomic_load(&c->ready))
		return; /* stopped before its work began */
	c->cpu_ns = clock_pid_cpu(pid) - c->start_cpu_ns;
	c->wall_ns = clock_now() - c->start_ns;
	c->accounted = !proc_read_schedstat(pid, &c->sched);
	c->was_ready = !proc_read_stat(pid, &stat) && stat.state == 'R';
}

static __attribute__((noreturn)) void worker_main(struct workers *workers, int64_t index, pid_t parent,
						  const struct cpu_policy *policy, worker_function *work, void *context)
{
	struct worker *me = &workers->child[index];
	enum cpu_policy_part asked;
	int refused;

	if (proc_end_with_parent(SIGKILL, parent))
		_exit(EXIT_RUN);
	prctl(PR_SET_TIMERSLACK, 1UL, 0UL, 0UL, 0UL);
	refused = cpu_policy_apply(policy, &asked);
	if (refused) {
		me->asked = asked;
		atomic_store(&me->refused, refused);
		_exit(EXIT_OK);
	}
	if (!index)
		proc_allowed_cpus(&workers->cpus);
	me->slice_ns = cpu_policy_slice_ns(0);
	me->start_cpu_ns = clock_process_cpu();
	me->start_ns = clock_now();
	work(workers, index, context);
	if (!atomic_load(&workers->stop))
		record_child_time(me, getpid());
	_exit(EXIT_OK);
}

static void record_child_end(struct worker *c, int status, const struct rusage *used)
{
	c->pid = 0;
	if (WIFEXITED(status) && !WEXITSTATUS(status))
		return;
	c->died = true;
	c->wall_ns = 0; /* a killed process has not reported; wait4() tells its CPU time */
	c->cpu_ns = ((int64_t)used->ru_utime.tv_sec + used->ru_stime.tv_sec) * NS_PER_S +
		    ((int64_t)used->ru_utime.tv_usec + used->ru_stime.tv_usec) * NS_PER_US;
}

/* Whether the process has ended, now or before. */
static bool reap_child(struct worker *c, int options)
{
	struct rusage used;
	int status;
	pid_t pid;

	if (c->pid <= 0)
		return true;
	do
		pid = wait4(c->pid, &status, options, &used);
	while (pid < 0 && errno == EINTR);
	if (pid > 0)
		record_child_end(c, status, &used);
	else if (pid < 0)
		c->pid = 0; /* SIGCHLD is ignored (inherited), so its status is lost: it has ended */
	return pid != 0;
}

/* Processes ignore signals and check `stop`; one that holds a share wakes up within a period. */
void workers_stop(struct workers *workers)
{
	for (int64_t i = 0; i < workers->count; i++)
		if (!reap_child(&workers->child[i], WNOHANG))
			record_child_time(&workers->child[i], workers->child[i].pid);
	atomic_store(&workers->stop, true);
	for (int64_t i = 0; i < workers->count; i++)
		sem_post(&workers->wake);
}

void workers_reap(struct workers *workers, int64_t until_ns)
{
	for (int64_t i = 0; i < workers->count; i++)
		while (!reap_child(&workers->child[i], until_ns == INT64_MAX ? 0 : WNOHANG) && clock_now() < until_ns)
			clock_sleep(clock_now() + NS_PER_MS);
}

/* Whether all processes are ready: 1 yes, 0 not yet; -WORKERS_REFUSED or -WORKERS_DIED (*who: which one). */
static int workers_ready_state(struct workers *workers, int64_t *who)
{
	for (*who = 0; *who < workers->count; ++*who) {
		struct worker *c = &workers->child[*who];

		if (atomic_load(&c->ready))
			continue;
		if (atomic_load(&c->refused))
			return -WORKERS_REFUSED;
		/* checked after the flags: if the process ended in between, the flags tell why at the next call */
		return reap_child(c, WNOHANG) && c->died ? -WORKERS_DIED : 0;
	}
	return 1;
}

int workers_start(struct workers *workers, const struct cpu_policy *policy, worker_function *work, void *context, int64_t *who)
{
	pid_t me = getpid();
	int seen;

	for (*who = 0; *who < workers->count; ++*who) {
		pid_t pid = fork();

		if (pid < 0) {
			int saved = errno;

			workers_stop(workers);
			workers_reap(workers, INT64_MAX);
			return -saved;
		}
		if (!pid) {
			proc_ignore_stop();
			worker_main(workers, *who, me, policy, work, context);
		}
		workers->child[*who].pid = workers->child[*who].was = pid;
	}
	while (!(seen = workers_ready_state(workers, who)) && !proc_stop)
		clock_sleep(clock_now() + NS_PER_MS);
	if (seen >= 0)
		return 0;
	workers_stop(workers);
	workers_reap(workers, INT64_MAX);
	return -seen;
}

/* Waits until the process has ended (true), until `until_ns`, or for a stop signal. Sleeps on a pidfd, since polling would disturb
 * measurements; polls only where pidfds are missing (Linux before 5.3, some containers). */
static bool await_child(struct worker *c, int64_t until_ns, const sigset_t *open)
{
	struct pollfd fd = { .fd = pidfd_open(c->pid, 0), .events = POLLIN };
	bool ended = false;

	while (!(ended = reap_child(c, WNOHANG)) && !proc_stop) {
		int64_t left = until_ns - clock_now(), nap = fd.fd < 0 && left > POLL_NS ? POLL_NS : left;
		struct timespec ts = clock_timespec(nap);

		if (left <= 0)
			break;
		ppoll(&fd, 1, &ts, open); /* ignores a negative descriptor */
	}
	if (fd.fd >= 0)
		close(fd.fd);
	return ended;
}

bool workers_wait(struct workers *workers, int64_t until_ns)
{
	sigset_t stops, before;
	bool all = true;

	/* stop signals are blocked except in ppoll(): none is missed between the check of proc_stop and the sleep */
	proc_fill_stop_set(&stops);
	sigprocmask(SIG_BLOCK, &stops, &before);
	for (int64_t i = 0; i < workers->count && all; i++)
		all = workers->child[i].pid <= 0 || await_child(&workers->child[i], until_ns, &before);
	sigprocmask(SIG_SETMASK, &before, NULL);
	return all;
}
