// SPDX-License-Identifier: GPL-3.0-or-later
/* torture CLASS N ERRNO REPORT COMMAND - runs a command of the shell in which one program, called as "$IN PROGRAM...", has the Nth
 * call of a class fail, of all its threads and processes from main() on; N 0: none. REPORT gets a line for each class (name,
 * calls), and before them: wait status, 1 if it had to be killed, 1 if it left a process.
 *
 * Calls are intercepted by seccomp's user notification, allocations by the preloaded shim. With READY_MS, SIGINT is sent so long
 * after the program said that it is ready; PATIENCE (s): after that it hangs. */
#include "torture.h"
#include "cli.h"
#include "clock.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <seccomp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MEMORY, STARVE, CLASSES = 15 };
/* on: calls whose first argument is a file or device (f), a socket (s), anything (a) */
static const struct {
	const char *name;
	char on;
	const char *calls;
} class[CLASSES] = {
	[MEMORY] = { "memory", 'a', "" },
	[STARVE] = { "starve", 'a', "" }, /* the Nth allocation and all later ones */
	{ "open", 'a', "open openat openat2 creat" },
	{ "read", 'f', "read readv pread64 preadv" },
	{ "write", 'f', "write writev pwrite64 pwritev ftruncate" },
	{ "place", 'a', "fsync fdatasync rename renameat renameat2 unlink unlinkat mkdir mkdirat" },
	{ "close", 'f', "close" },
	{ "fork", 'a', "fork vfork clone clone3" },
	{ "map", 'a', "mmap mremap" },
	{ "lock", 'a', "mlock mlock2 mlockall" },
	{ "rights", 'a',
	  "sched_setscheduler sched_setparam sched_setattr sched_setaffinity setpriority prlimit64 prctl seccomp capset "
	  "landlock_create_ruleset landlock_add_rule landlock_restrict_self close_range" },
	{ "socket", 'a', "socket bind listen connect accept accept4 setsockopt getsockopt getsockname socketpair" },
	{ "message", 's', "sendto sendmsg sendmmsg recvfrom recvmsg recvmmsg shutdown read readv write writev" },
	{ "wait", 'a', "poll ppoll select pselect6 epoll_wait epoll_pwait nanosleep clock_nanosleep wait4 waitid" },
	{ "fds", 'a',
	  "pipe pipe2 dup dup2 dup3 fcntl eventfd2 timerfd_create epoll_create1 signalfd4 memfd_create fstat newfstatat statx "
	  "stat lstat getdents64 readlink ioctl getrandom" },
};

static int chosen = -1, error;
static int64_t nth, calls[CLASSES];
static struct torture_state *state;

static bool has_word(const char *words, const char *word)
{
	size_t n = strlen(word);

	for (const char *at = words; (at = strstr(at, word)); at += n)
		if ((at == words || at[-1] == ' ') && (!at[n] || at[n] == ' '))
			return true;
	return false;
}

/* The filter asks before the calls of the class, or where none is chosen, of all. */
static void choose_calls(void)
{
	char name[40];
	int used, number;

	for (int k = 0; k < CLASSES; k++)
		for (const char *at = class[k].calls; (chosen < 0 || chosen == k) && sscanf(at, "%39s%n", name, &used) == 1;
		     at += used)
			if ((number = seccomp_syscall_resolve_name(name)) >= 0)
				state->call[state->calls++] = number;
}

static char descriptor_kind(pid_t pid, uint64_t fd)
{
	char path[64], to[8] = "";

	snprintf(path, sizeof(path), "/proc/%d/fd/%d", (int)pid, (int)fd);
	return readlink(path, to, sizeof(to) - 1) <= 0 ? 0 : *to == '/' ? 'f' : *to;
}

static bool is_of_class(int k, const struct seccomp_notif *call)
{
	char *name = seccomp_syscall_resolve_num_arch(SCMP_ARCH_NATIVE, call->data.nr);
	bool is = name && has_word(class[k].calls, name);

	free(name);
	/* what cannot be written to standard error cannot be told */
	return is && (class[k].on == 'a' || (call->data.args[0] != STDERR_FILENO &&
					     descriptor_kind((pid_t)call->pid, call->data.args[0]) == class[k].on));
}

/* Programs that the program starts are left alone. */
static bool is_of_program(pid_t main, pid_t pid)
{
	char path[64], mine[1024], its[1024];
	ssize_t n, m;

	snprintf(path, sizeof(path), "/proc/%d/exe", (int)main);
	n = readlink(path, mine, sizeof(mine));
	snprintf(path, sizeof(path), "/proc/%d/exe", (int)pid);
	m = readlink(path, its, sizeof(its));
	return pid == main || n < 0 || m < 0 || (n == m && !memcmp(mine, its, (size_t)n));
}

static void answer(int listener, pid_t main)
{
	struct seccomp_notif call = { 0 };
	struct seccomp_notif_resp reply = { .flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE };

	if (ioctl(listener, SECCOMP_IOCTL_NOTIF_RECV, &call))
		return;
	for (int k = STARVE + 1; k < CLASSES && atomic_load(&state->on) && is_of_program(main, (pid_t)call.pid); k++)
		if ((chosen < 0 || k == chosen) && is_of_class(k, &call) && ++calls[k] == nth && k == chosen) {
			reply.flags = 0;
			reply.error = -error;
		}
	reply.id = call.id;
	ioctl(listener, SECCOMP_IOCTL_NOTIF_SEND, &reply);
}

static pid_t start(const char *command)
{
	pid_t parent = getpid(), pid = fork();

	if (pid)
		return pid;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	setsid();
	setrlimit(RLIMIT_CPU, &(struct rlimit){ 10, 20 }); /* ends a loop without end by SIGXCPU */
	if (getppid() == parent)
		execl("/bin/sh", "sh", "-c", command, NULL);
	_exit(127);
}

/* Takes the filter's descriptor out of the program. */
static int take_listener(pid_t main, int pidfd)
{
	int fd, got;

	while (!(fd = atomic_load(&state->listener)))
		if (poll(&(struct pollfd){ pidfd, POLLIN, 0 }, 1, 1) > 0)
			return -1;
	got = fd > 0 ? (int)syscall(SYS_pidfd_getfd, pidfd, fd, 0) : -1;
	if (got < 0) {
		kill(main, SIGKILL);
		die(EXIT_RUN, "no filter that asks: %s", strerror(fd > 0 ? errno : -fd));
	}
	atomic_store(&state->taken, 1);
	return got;
}

static bool is_ready(void)
{
	char text[4096];
	ssize_t n = pread(STDERR_FILENO, text, sizeof(text) - 1, 0);

	text[n > 0 ? n : 0] = '\0';
	return strstr(text, "ready");
}

/* Waits for what the program left to end by itself; true: something had to be killed. */
static bool end_orphans(int listener, pid_t main, int64_t until)
{
	for (;;) {
		char path[64], text[400];
		bool others = false, late = clock_now() > until;
		FILE *in;
		size_t n;

		while (waitpid(-1, NULL, WNOHANG) > 0)
			;
		snprintf(path, sizeof(path), "/proc/self/task/%d/children", (int)getpid());
		in = fopen(path, "re");
		n = in ? fread(text, 1, sizeof(text) - 1, in) : 0;
		text[n] = '\0';
		if (in)
			fclose(in);
		for (char *at = text; strtol(at, &at, 10) > 0;)
			others = true;
		for (char *at = text; late && others && *at && *at != '\n';)
			kill((pid_t)strtol(at, &at, 10), SIGKILL), at += *at == ' ';
		if (!others || late)
			return others;
		if (listener >= 0 && poll(&(struct pollfd){ listener, POLLIN, 0 }, 1, 5) > 0)
			answer(listener, main);
		else
			clock_sleep(clock_now() + 2 * NS_PER_MS);
	}
}

static void map_state(const char *report, char *path, size_t size)
{
	int fd;

	snprintf(path, size, "%s.state", report);
	fd = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	if (fd < 0 || ftruncate(fd, sizeof(*state)))
		die(EXIT_RUN, "cannot make %s: %m", path);
	state = mmap(NULL, sizeof(*state), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (state == MAP_FAILED)
		die(EXIT_RUN, "cannot map %s: %m", path);
}

int main(int argc, char **argv)
{
	int64_t ready_ns = getenv("READY_MS") ? atoll(getenv("READY_MS")) * NS_PER_MS : 0,
		stop = ready_ns ? INT64_MAX - 1 : INT64_MAX;
	int64_t patience = (getenv("PATIENCE") ? atoll(getenv("PATIENCE")) : 60) * NS_PER_S, begin = clock_now();
	int pidfd, listener = -1, status, killed = 0;
	char path[1024], in[3000];
	FILE *report;
	pid_t pid;

	if (argc != 6)
		die(EXIT_USAGE, "torture CLASS N ERRNO REPORT COMMAND");
	for (int k = 0; k < CLASSES; k++)
		chosen = !strcmp(class[k].name, argv[1]) ? k : chosen;
	nth = atoll(argv[2]);
	error = atoi(argv[3]);
	map_state(argv[4], path, sizeof(path));
	state->fail_at = chosen == MEMORY || chosen == STARVE ? nth : 0;
	state->starve = chosen == STARVE;
	choose_calls();
	snprintf(in, sizeof(in), "env LD_PRELOAD=%s TORTURE_STATE=%s", getenv("SHIM"), path);
	setenv("IN", in, 1);
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	pid = start(argv[5]);
	pidfd = (int)syscall(SYS_pidfd_open, pid, 0);
	if (state->calls)
		listener = take_listener(pid, pidfd);
	for (struct pollfd f[2] = { { pidfd, POLLIN, 0 }, { listener, POLLIN, 0 } }; !f[0].revents && !killed;) {
		int64_t now;

		poll(f, f[1].fd < 0 ? 1 : 2, 10);
		if (f[1].revents & POLLIN)
			answer(listener, pid);
		now = clock_now();
		if (stop == INT64_MAX - 1 && (is_ready() || now - begin > patience / 4))
			stop = now + ready_ns;
		if (now > stop) {
			kill(pid, SIGINT);
			stop = now + patience / 30; /* as a person does who sees that it goes on */
		}
		killed = now - begin > patience;
	}
	if (killed)
		kill(pid, SIGKILL);
	waitpid(pid, &status, 0);
	calls[MEMORY] = calls[STARVE] = atomic_load(&state->allocations);
	report = fopen(argv[4], "we");
	if (!report)
		die(EXIT_RUN, "cannot write %s: %m", argv[4]);
	fprintf(report, "%d %d %d\n", status, killed, end_orphans(listener, pid, clock_now() + patience / 6));
	for (int k = 0; k < CLASSES; k++)
		fprintf(report, "%s %lld\n", class[k].name, (long long)calls[k]);
	return fclose(report) ? EXIT_RUN : EXIT_OK;
}
