// SPDX-License-Identifier: GPL-3.0-or-later
#include "lock.h"
#include "clock.h"
#include "smaps.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#ifdef __x86_64__

#define PATIENCE_NS (5 * NS_PER_S)
#define LOOK_BYTES 8192		/* at the beginning of each mapping with code: the vdso is one page or two */

struct syscall_search {
	int memory;		/* /proc/PID/mem */
	uint64_t found;
};

/* 0f 05 executes as a system call wherever it stands; what follows it is never run. */
static int look_for_syscall(void *context, const struct smaps_mapping *m)
{
	struct syscall_search *s = context;
	unsigned char code[LOOK_BYTES];
	size_t want = m->end - m->start < sizeof(code) ? (size_t)(m->end - m->start) : sizeof(code);
	ssize_t n;

	if (m->perms[2] != 'x' || m->start > INT64_MAX)
		return 0;
	n = pread(s->memory, code, want, (off_t)m->start);
	for (ssize_t i = 0; i + 1 < n; i++) {
		if (code[i] == 0x0f && code[i + 1] == 0x05) {
			s->found = m->start + (uint64_t)i;
			return -ECANCELED;
		}
	}
	return 0;
}

static int find_instruction(pid_t pid, uint64_t *at)
{
	struct syscall_search s = { 0 };
	struct smaps_sum sum;
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/mem", (int)pid);
	s.memory = open(path, O_RDONLY | O_CLOEXEC);
	if (s.memory < 0)
		return errno == ENOENT ? -ESRCH : errno == EACCES ? -EPERM : -errno;
	smaps_read(pid, &sum, look_for_syscall, &s);
	close(s.memory);
	*at = s.found;
	return s.found ? 0 : -ENOEXEC;
}

/* The next stop of the tracee, as waitpid tells it; -ESRCH when it has ended instead, -ETIMEDOUT after `until_ns` (0: never). */
static int next_stop(pid_t pid, int *status, int64_t until_ns)
{
	for (;;) {
		pid_t got = waitpid(pid, status, __WALL | (until_ns ? WNOHANG : 0));

		if (got > 0)
			return WIFSTOPPED(*status) ? 0 : -ESRCH;
		if (got < 0 && errno != EINTR)
			return -errno;
		if (until_ns && clock_now() > until_ns)
			return -ETIMEDOUT;
		if (until_ns)
			clock_sleep_until(clock_now() + NS_PER_MS / 10);
	}
}

/* Until it has stopped for us, which one that is frozen never does. Signals that come first go where they were meant to: it would
 * miss them. */
static int stop_process(pid_t pid)
{
	int64_t until_ns = clock_now() + PATIENCE_NS;
	int status, err;

	if (ptrace(PTRACE_INTERRUPT, pid, 0, 0))
		return -errno;
	for (;;) {
		err = next_stop(pid, &status, until_ns);
		if (err || status >> 16 == PTRACE_EVENT_STOP)
			return err;
		if (ptrace(PTRACE_CONT, pid, 0, (void *)(intptr_t)WSTOPSIG(status)))
			return -errno;
	}
}

/* One instruction, which nothing but SIGKILL and SIGSTOP can come before: the others are held back. */
static int single_step(pid_t pid)
{
	int status, err = ptrace(PTRACE_SINGLESTEP, pid, 0, 0) ? -errno : next_stop(pid, &status, 0);

	return err ? err : status >> 16 || WSTOPSIG(status) != SIGTRAP ? -EAGAIN : 0;
}

/* The system call at `at`, made by the stopped process; its result is 0 or -errno. It goes on where
 * it was: a call that the stop has interrupted is begun anew by the kernel, which looks at orig_rax
 * for that. */
static int call(pid_t pid, uint64_t at, long number, uint64_t argument)
{
	struct user_regs_struct saved, regs;
	struct iovec is = { &saved, sizeof(saved) }, set = { &regs, sizeof(regs) };
	uint64_t mask, all = UINT64_MAX;
	int err;

	if (ptrace(PTRACE_GETREGSET, pid, NT_PRSTATUS, &is))
		return -errno;
	if (is.iov_len != sizeof(saved) || saved.cs != 0x33)	/* a 32-bit program */
		return -ENOSYS;
	/* signals wait until it is over */
	if (ptrace(PTRACE_GETSIGMASK, pid, sizeof(mask), &mask) || ptrace(PTRACE_SETSIGMASK, pid, sizeof(all), &all))
		return -errno;
	regs = saved;
	regs.rip = at;
	regs.rax = (unsigned long long)number;
	regs.rdi = argument;
	regs.orig_rax = (unsigned long long)-1;
	err = ptrace(PTRACE_SETREGSET, pid, NT_PRSTATUS, &set) ? -errno : single_step(pid);
	if (err == -ESRCH)
		return err;
	set.iov_len = sizeof(regs);
	if (!err)
		err = ptrace(PTRACE_GETREGSET, pid, NT_PRSTATUS, &set) ? -errno : (int)(long long)regs.rax;
	is.iov_len = sizeof(saved);
	ptrace(PTRACE_SETREGSET, pid, NT_PRSTATUS, &is);
	ptrace(PTRACE_SETSIGMASK, pid, sizeof(mask), &mask);
	return err;
}

static int lock_it(pid_t pid, bool locked)
{
	struct rlimit none = { RLIM_INFINITY, RLIM_INFINITY };
	uint64_t at = 0;
	int err = find_instruction(pid, &at);

	if (err)
		return err;
	if (locked)
		prlimit(pid, RLIMIT_MEMLOCK, &none, NULL);	/* where that is refused, the call will tell */
	if (ptrace(PTRACE_SEIZE, pid, 0, 0))
		return -errno;
	err = stop_process(pid);
	if (!err)
		err = locked ? call(pid, at, SYS_mlockall, MCL_CURRENT | MCL_FUTURE) : call(pid, at, SYS_munlockall, 0);
	ptrace(PTRACE_DETACH, pid, 0, 0);
	return err;
}

/* A process that lost who traces it in the middle of the call, which takes as long as reading all
 * of it from swap, would go on with the wrong registers, and die. So it is a child that traces,
 * which nothing that ends us ends. */
int lock_process(pid_t pid, bool locked)
{
	pid_t child = fork();
	sigset_t all;
	int status;

	if (child < 0)
		return -errno;
	if (!child) {
		sigfillset(&all);
		sigprocmask(SIG_BLOCK, &all, NULL);
		setsid();
		for (int fd = 0; fd < 3; fd++)
			close(fd);	/* who waits for our parent's output does not wait for us */
		_exit(-lock_it(pid, locked));
	}
	while (waitpid(child, &status, 0) < 0)
		if (errno != EINTR)
			return -errno;
	return WIFEXITED(status) ? -WEXITSTATUS(status) : -EINTR;
}

#else

int lock_process(pid_t pid, bool locked)
{
	(void)pid;
	(void)locked;
	return -ENOSYS;
}

#endif
