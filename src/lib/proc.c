#include "proc.h"
#include "clock.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

volatile sig_atomic_t proc_stop;

static void stop(int signal)
{
	proc_stop = signal;
}

void proc_catch_stop(void)
{
	/* No SA_RESTART: a sleep or a read that waits for long must come back to see the flag. */
	struct sigaction sa = { .sa_handler = stop };

	sigemptyset(&sa.sa_mask);
	sigaction(SIGINT, &sa, NULL);
	sigaction(SIGTERM, &sa, NULL);
	signal(SIGPIPE, SIG_IGN);
}

void proc_wait_stop(int64_t until_ns)
{
	sigset_t both, before;

	/* Blocked but for the wait itself: a signal between the look at the flag and the sleep is not missed. */
	sigemptyset(&both);
	sigaddset(&both, SIGINT);
	sigaddset(&both, SIGTERM);
	sigprocmask(SIG_BLOCK, &both, &before);
	while (!proc_stop) {
		int64_t left = until_ns - clock_now();
		struct timespec ts = { .tv_sec = left / NS_PER_S, .tv_nsec = left % NS_PER_S };

		if (left <= 0)
			break;
		ppoll(NULL, 0, until_ns == INT64_MAX ? NULL : &ts, &before);
	}
	sigprocmask(SIG_SETMASK, &before, NULL);
}

int proc_die_with_parent(pid_t parent)
{
	if (prctl(PR_SET_PDEATHSIG, SIGKILL))
		return -errno;
	/* The parent may have died between fork and prctl, and nobody would tell us. */
	return getppid() == parent ? 0 : -ESRCH;
}

void proc_stop_with_parent(void)
{
	prctl(PR_SET_PDEATHSIG, SIGTERM);
}

void proc_check_ready_fd(int fd)
{
	int flags = fcntl(fd, F_GETFL);

	if (fd == STDERR_FILENO)
		return;
	if (flags < 0)
		die_usage("--ready-fd %d is not open", fd);
	if ((flags & O_ACCMODE) == O_RDONLY)
		die_usage("--ready-fd %d is open for reading only", fd);
}

int proc_ready(int fd)
{
	ssize_t n;

	do
		n = write(fd, "ready\n", 6);
	while (n < 0 && errno == EINTR);
	return n < 0 ? -errno : 0;
}

int proc_pin(const struct cli_cpus *cpus)
{
	cpu_set_t set, got;

	if (!cpus->n)
		return 0;
	CPU_ZERO(&set);
	for (int i = 0; i < cpus->n; i++)
		CPU_SET((size_t)cpus->cpu[i], &set);
	if (sched_setaffinity(0, sizeof(set), &set))
		return errno == EINVAL ? -ENODEV : -errno;
	if (sched_getaffinity(0, sizeof(got), &got))
		return -errno;
	return CPU_EQUAL(&set, &got) ? 0 : -ENODEV;
}

int proc_cpus_allowed(struct cli_cpus *out)
{
	cpu_set_t set;

	if (sched_getaffinity(0, sizeof(set), &set))
		return -errno;
	out->n = 0;
	for (int i = 0; i < CLI_CPUS_MAX && i < CPU_SETSIZE; i++)
		if (CPU_ISSET((size_t)i, &set))
			out->cpu[out->n++] = i;
	return 0;
}

static FILE *open_of(pid_t pid, const char *what)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/%s", (int)pid, what);
	return fopen(path, "re");
}

int proc_schedstat(pid_t pid, struct proc_schedstat *out)
{
	FILE *f = open_of(pid, "schedstat");
	long long run, wait, slices;
	int n;

	if (!f)
		return -errno;
	n = fscanf(f, "%lld %lld %lld", &run, &wait, &slices);
	fclose(f);
	if (n != 3)
		return -ENOENT;
	*out = (struct proc_schedstat){ run, wait, slices };
	return 0;
}

void proc_autogroup(pid_t pid, char *text, size_t size)
{
	FILE *f = open_of(pid, "autogroup");

	text[0] = '\0';
	if (!f)
		return;
	if (!fgets(text, (int)size, f))
		text[0] = '\0';
	text[strcspn(text, "\n")] = '\0';
	fclose(f);
}
