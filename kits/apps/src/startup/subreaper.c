// SPDX-License-Identifier: GPL-3.0-or-later
#include "subreaper.h"
#include "clock.h"
#include "proc.h"
#include "tree.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

static struct tree below;

/* The command gets none of root's capabilities, but the three that xterm needs to start a shell as root: to give away its
 * pseudoterminal, and to set the shell's user and groups. (An ordinary user has none, and may drop none.) */
static void drop_capabilities(void)
{
	for (unsigned long cap = 0; prctl(PR_CAPBSET_READ, cap, 0UL, 0UL, 0UL) >= 0; cap++)
		if (cap != CAP_CHOWN && cap != CAP_SETGID && cap != CAP_SETUID)
			prctl(PR_CAPBSET_DROP, cap, 0UL, 0UL, 0UL);
}

static void exec_command(const struct subreaper_cfg *cfg, struct subreaper_shared *shared)
{
	static const int reset[] = { SIGINT, SIGTERM, SIGHUP, SIGPIPE, SIGCHLD };
	sigset_t none;
	int in = open("/dev/null", O_RDONLY | O_CLOEXEC);
	int out = open(cfg->output ? cfg->output : "/dev/null", O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
	int err;

	for (size_t i = 0; i < sizeof(reset) / sizeof(*reset); i++)
		signal(reset[i], SIG_DFL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	setpgid(0, 0);
	err = cfg->cgroup ? proc_enter_cgroup(cfg->cgroup) : 0;
	if (err) {
		atomic_store(&shared->group_refused, -err);
		_exit(127);
	}
	if (in < 0 || out < 0 || dup2(in, 0) < 0 || dup2(out, 1) < 0 || dup2(out, 2) < 0 || setenv("DISPLAY", cfg->display, 1)) {
		atomic_store(&shared->refused, errno);
		_exit(127);
	}
	drop_capabilities();
	atomic_store(&shared->exec_ns, clock_now());
	execvp(cfg->command[0], cfg->command);
	atomic_store(&shared->refused, errno);
	_exit(127);
}

static void on_child_signal(int signal)
{
	(void)signal;
}

/* Collects the status of all children that have ended. False once there are no more children. */
static bool reap_orphans(pid_t first, struct subreaper_shared *shared)
{
	int status;
	pid_t pid;

	while ((pid = waitpid(-1, &status, WNOHANG)) > 0) {
		if (pid == first) {
			atomic_store(&shared->status, status);
			atomic_store(&shared->ended, true);
		}
	}
	return pid == 0;
}

static void kill_descendants(pid_t first, struct subreaper_shared *shared)
{
	struct tree_sums unused;

	if (first > 0 && !atomic_load(&shared->ended))
		kill(-first, SIGKILL); /* the list below needs memory, which may be what ended the program */
	for (bool left = true; left; clock_sleep(clock_now() + 2 * NS_PER_MS)) {
		tree_list_processes(&below, getpid(), &unused);
		tree_signal(&below, SIGKILL);
		left = reap_orphans(first, shared);
	}
}

static void subreaper_main(int pipe, int started, const struct subreaper_cfg *cfg, struct subreaper_shared *shared)
{
	struct sigaction sa = { .sa_handler = on_child_signal };
	struct pollfd fd = { .fd = pipe, .events = POLLIN };
	sigset_t child, before;
	pid_t first;

	prctl(PR_SET_CHILD_SUBREAPER, 1UL, 0UL, 0UL, 0UL);
	setpgid(0, 0); /* a signal to the group of this program must not end the process that cleans up */
	proc_ignore_stop();
	sigemptyset(&sa.sa_mask);
	sigaction(SIGCHLD, &sa, NULL);
	sigemptyset(&child);
	sigaddset(&child, SIGCHLD);
	sigprocmask(SIG_BLOCK, &child, &before);
	first = fork();
	if (!first)
		exec_command(cfg, shared);
	if (first < 0)
		atomic_store(&shared->refused, errno);
	close(started);
	while (reap_orphans(first, shared)) {
		if (ppoll(&fd, 1, NULL, &before) > 0)
			break;
	}
	kill_descendants(first, shared);
	atomic_store(&shared->all_ended, true);
	while (poll(&fd, 1, -1) < 0) /* keep our pid valid while the main program still walks the process tree below it */
		;
	_exit(0);
}

int subreaper_start(struct subreaper *n, const struct subreaper_cfg *cfg)
{
	int life[2], started[2], err;
	char unused;

	if (!n->shared) {
		void *shared = mmap(NULL, sizeof(*n->shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

		if (shared == MAP_FAILED)
			return -ENOMEM;
		n->shared = shared;
	}
	memset(n->shared, 0, sizeof(*n->shared));
	/* `life` is closed when this program ends, `started` when the command is executed */
	if (pipe2(life, O_CLOEXEC) || pipe2(started, O_CLOEXEC))
		return -errno;
	n->pid = fork();
	if (!n->pid) {
		close(life[1]);
		close(started[0]);
		subreaper_main(life[0], started[1], cfg, n->shared);
	}
	err = n->pid < 0 ? errno : 0;
	close(life[0]);
	close(started[1]);
	n->pipe = life[1];
	while (!err && read(started[0], &unused, 1) < 0 && errno == EINTR)
		;
	close(started[0]);
	if (!err)
		err = atomic_load(&n->shared->group_refused) ? n->shared->group_refused : n->shared->refused;
	if (err)
		subreaper_end(n, 0);
	return -err;
}

bool subreaper_running(const struct subreaper *n)
{
	return n->pid > 0 && !atomic_load(&n->shared->all_ended);
}

int subreaper_end(struct subreaper *n, int64_t patience_ns)
{
	int64_t until = clock_now() + patience_ns;
	struct tree_sums unused;
	int how = 0;

	if (n->pid > 0) {
		tree_list_processes(&below, n->pid, &unused);
		if (below.n && patience_ns) {
			tree_signal(&below, SIGTERM);
			how = 1;
			while (subreaper_running(n) && clock_now() < until)
				clock_sleep(clock_now() + 5 * NS_PER_MS);
		}
		if (subreaper_running(n))
			how = 2;
		close(n->pipe);
		while (waitpid(n->pid, NULL, 0) < 0 && errno == EINTR)
			;
	}
	n->pid = 0;
	return how;
}
