// SPDX-License-Identifier: GPL-3.0-or-later
#include "crew.h"
#include "clock.h"

#include <errno.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/pidfd.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#define LOOK_NS (10 * NS_PER_MS)

struct crew *crew_new(int64_t count)
{
	struct crew *crew = mmap(NULL, sizeof(*crew) + (size_t)count * sizeof(*crew->child), PROT_READ | PROT_WRITE,
				 MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	if (crew == MAP_FAILED || sem_init(&crew->wake, 1, 0))
		return NULL;
	crew->count = count;
	return crew;
}

static void account_child(struct crew_child *c, pid_t pid)
{
	if (!atomic_load(&c->ready))
		return;		/* it was stopped before it had begun */
	c->cpu_ns = clock_cpu_of(pid) - c->start_cpu_ns;
	c->wall_ns = clock_now() - c->start_ns;
	c->accounted = !proc_schedstat(pid, &c->sched);
}

static __attribute__((noreturn)) void child_main(struct crew *crew, int64_t index, pid_t parent, const struct regime *regime,
						 crew_work *work, void *context)
{
	struct crew_child *me = &crew->child[index];
	enum regime_part asked;
	int refused;

	if (proc_die_with_parent(parent))
		_exit(EXIT_RUN);
	prctl(PR_SET_TIMERSLACK, 1UL, 0UL, 0UL, 0UL);
	refused = regime_enter(regime, &asked);
	if (refused) {
		me->asked = asked;
		atomic_store(&me->refused, refused);
		_exit(EXIT_OK);
	}
	me->slice_ns = regime_slice(0);
	me->start_cpu_ns = clock_process_cpu();
	me->start_ns = clock_now();
	work(crew, index, context);
	if (!atomic_load(&crew->stop))
		account_child(me, getpid());
	_exit(EXIT_OK);
}

static void note_end(struct crew_child *c, int status, const struct rusage *used)
{
	c->pid = 0;
	if (WIFEXITED(status) && !WEXITSTATUS(status))
		return;
	c->died = true;
	c->wall_ns = 0;		/* it had no chance to say; the kernel knows what it took */
	c->cpu_ns = ((int64_t)used->ru_utime.tv_sec + used->ru_stime.tv_sec) * NS_PER_S +
		    ((int64_t)used->ru_utime.tv_usec + used->ru_stime.tv_usec) * NS_PER_US;
}

/* Whether it has ended, now or before. */
static bool reap_child(struct crew_child *c, int options)
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
		note_end(c, status, &used);
	else if (pid < 0)
		c->pid = 0;	/* we inherited that nobody hears of children: it has ended all the same */
	return pid != 0;
}

/* Children ignore the signals and look at the flag; one that holds a share wakes within a period. */
void crew_stop(struct crew *crew)
{
	for (int64_t i = 0; i < crew->count; i++)
		if (!reap_child(&crew->child[i], WNOHANG))
			account_child(&crew->child[i], crew->child[i].pid);
	atomic_store(&crew->stop, true);
	for (int64_t i = 0; i < crew->count; i++)
		sem_post(&crew->wake);
}

void crew_end(struct crew *crew, int64_t until_ns)
{
	for (int64_t i = 0; i < crew->count; i++)
		while (!reap_child(&crew->child[i], until_ns == INT64_MAX ? 0 : WNOHANG) && clock_now() < until_ns)
			clock_sleep_until(clock_now() + NS_PER_MS);
}

/* Whether the load is really there: 1, or 0; minus what makes it impossible, instead of waiting for ever. */
static int look_at_children(struct crew *crew, int64_t *who)
{
	for (*who = 0; *who < crew->count; ++*who) {
		struct crew_child *c = &crew->child[*who];

		if (atomic_load(&c->ready))
			continue;
		if (atomic_load(&c->refused))
			return -CREW_REFUSED;
		/* asked after the flags: it may have ended between them and here, and then they tell why next time */
		return reap_child(c, WNOHANG) && c->died ? -CREW_DIED : 0;
	}
	return 1;
}

int crew_start(struct crew *crew, const struct regime *regime, crew_work *work, void *context, int64_t *who)
{
	pid_t me = getpid();
	int seen;

	for (*who = 0; *who < crew->count; ++*who) {
		pid_t pid = fork();

		if (pid < 0) {
			int saved = errno;

			crew_stop(crew);
			crew_end(crew, INT64_MAX);
			return -saved;
		}
		if (!pid) {
			proc_ignore_stop();
			child_main(crew, *who, me, regime, work, context);
		}
		crew->child[*who].pid = crew->child[*who].was = pid;
	}
	while (!(seen = look_at_children(crew, who)) && !proc_stop)
		clock_sleep_until(clock_now() + NS_PER_MS);
	if (seen >= 0)
		return 0;
	crew_stop(crew);
	crew_end(crew, INT64_MAX);
	return -seen;
}

/* Until it has ended: true. Sleeps all the while, since a look now and then would be noise in what
 * is measured beside us; only where there are no pidfds (Linux before 5.3, some containers) it
 * looks. */
static bool wait_for_child(struct crew_child *c, int64_t until_ns, const sigset_t *open)
{
	struct pollfd fd = { .fd = pidfd_open(c->pid, 0), .events = POLLIN };
	bool ended = false;

	while (!(ended = reap_child(c, WNOHANG)) && !proc_stop) {
		int64_t left = until_ns - clock_now(), nap = fd.fd < 0 && left > LOOK_NS ? LOOK_NS : left;
		struct timespec ts = { .tv_sec = nap / NS_PER_S, .tv_nsec = nap % NS_PER_S };

		if (left <= 0)
			break;
		ppoll(&fd, 1, &ts, open);	/* (leaves out a negative descriptor) */
	}
	if (fd.fd >= 0)
		close(fd.fd);
	return ended;
}

bool crew_wait(struct crew *crew, int64_t until_ns)
{
	sigset_t stops, before;
	bool all = true;

	/* Blocked but for the wait itself, so that none comes between a look at proc_stop and the sleep. */
	proc_stop_signals(&stops);
	sigprocmask(SIG_BLOCK, &stops, &before);
	for (int64_t i = 0; i < crew->count && all; i++)
		all = crew->child[i].pid <= 0 || wait_for_child(&crew->child[i], until_ns, &before);
	sigprocmask(SIG_SETMASK, &before, NULL);
	return all;
}
