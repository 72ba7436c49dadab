// SPDX-License-Identifier: GPL-3.0-or-later
#include "lock.h"
#include "clock.h"
#include "resident.h"

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
#define SEARCH_BYTES 8192	/* searched at the start of each executable mapping: the vdso has one or two pages */

struct syscall_instruction_search {
	int memory;		/* descriptor of /proc/PID/mem */
	uint64_t found;		/* address of a system call instruction; 0: none yet */
};

/* The bytes 0f 05 (SYSCALL) work wherever they stand; the code behind them is never run. */
static int find_syscall_bytes(void *context, const struct smaps_mapping *m)
{
	struct syscall_instruction_search *s = context;
	unsigned char code[SEARCH_BYTES];
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

static int find_syscall_instruction(pid_t pid, uint64_t *at)
{
	struct syscall_instruction_search s = { 0 };
	struct smaps_sum sum;
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/mem", (int)pid);
	s.memory = open(path, O_RDONLY | O_CLOEXEC);
	if (s.memory < 0)
		return errno == ENOENT ? -ESRCH : errno == EACCES ? -EPERM : -errno;
	smaps_read(pid, &sum, find_syscall_bytes, &s);
	close(s.memory);
	*at = s.found;
	return s.found ? 0 : -ENOEXEC;
}

/* Waits for the next stop of the traced process: 0 with the status of waitpid; -ESRCH if it has ended, -ETIMEDOUT after `until_ns`
 * (CLOCK_MONOTONIC; 0: no limit). */
static int wait_for_ptrace_stop(pid_t pid, int *status, int64_t until_ns)
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

/* Stops the traced process; -ETIMEDOUT for a frozen one, which never stops. Signals that arrive before the stop are
 * delivered to it. */
static int stop_traced_process(pid_t pid)
{
	int64_t until_ns = clock_now() + PATIENCE_NS;
	int status, err;

	if (ptrace(PTRACE_INTERRUPT, pid, 0, 0))
		return -errno;
	for (;;) {
		err = wait_for_ptrace_stop(pid, &status, until_ns);
		if (err || status >> 16 == PTRACE_EVENT_STOP)
			return err;
		if (ptrace(PTRACE_CONT, pid, 0, (void *)(intptr_t)WSTOPSIG(status)))
			return -errno;
	}
}

/* Runs one instruction of the traced process. Only SIGKILL and SIGSTOP can interrupt it: the other signals are blocked. */
static int single_step_traced_process(pid_t pid)
{
	int status, err = ptrace(PTRACE_SINGLESTEP, pid, 0, 0) ? -errno : wait_for_ptrace_stop(pid, &status, 0);

	return err ? err : status >> 16 || WSTOPSIG(status) != SIGTRAP ? -EAGAIN : 0;
}

/* Makes the stopped process run a system call by the instruction at address `at`. Returns the result of the call, 0 or -errno.
 * Then restores the registers: a system call that the stop has interrupted is restarted by the kernel (by orig_rax). */
static int run_syscall_in_process(pid_t pid, uint64_t at, long number, uint64_t argument)
{
	struct user_regs_struct saved, regs;
	struct iovec is = { &saved, sizeof(saved) }, set = { &regs, sizeof(regs) };
	uint64_t mask, all = UINT64_MAX;
	int err;

	if (ptrace(PTRACE_GETREGSET, pid, NT_PRSTATUS, &is))
		return -errno;
	if (is.iov_len != sizeof(saved) || saved.cs != 0x33)	/* a 32-bit program */
		return -ENOSYS;
	/* signals stay blocked during the call */
	if (ptrace(PTRACE_GETSIGMASK, pid, sizeof(mask), &mask) || ptrace(PTRACE_SETSIGMASK, pid, sizeof(all), &all))
		return -errno;
	regs = saved;
	regs.rip = at;
	regs.rax = (unsigned long long)number;
	regs.rdi = argument;
	regs.orig_rax = (unsigned long long)-1;
	err = ptrace(PTRACE_SETREGSET, pid, NT_PRSTATUS, &set) ? -errno : single_step_traced_process(pid);
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

static int trace_and_lock_or_unlock(pid_t pid, bool locked)
{
	struct rlimit none = { RLIM_INFINITY, RLIM_INFINITY };
	uint64_t at = 0;
	int err = find_syscall_instruction(pid, &at);

	if (err)
		return err;
	if (locked)
		prlimit(pid, RLIMIT_MEMLOCK, &none, NULL);	/* if refused, mlockall fails with ENOMEM */
	if (ptrace(PTRACE_SEIZE, pid, 0, 0))
		return -errno;
	err = stop_traced_process(pid);
	if (!err)
		err = locked ? run_syscall_in_process(pid, at, SYS_mlockall, MCL_CURRENT | MCL_FUTURE) : run_syscall_in_process(pid, at,
																SYS_munlockall, 0);
	ptrace(PTRACE_DETACH, pid, 0, 0);
	return err;
}

/* Locks or unlocks the memory of one process. If the tracer died during mlockall, which takes as long as reading all pages from
 * swap, the target would go on with wrong registers and crash. So a child process traces, in a session of its own with all
 * signals blocked.
 *
 * 0, or -ESRCH, -EPERM (no right to trace it, or already traced), -ENOMEM (its memory group has no room for all of it), -EAGAIN
 * (another process stopped it just then), -ETIMEDOUT (did not stop within five seconds), -ENOSYS (not x86-64, or a 32-bit program),
 * -ENOEXEC (no system call instruction found). */
static int set_process_memory_lock(pid_t pid, bool locked)
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
			close(fd);	/* a reader of the parent's output must not wait for this child */
		_exit(-trace_and_lock_or_unlock(pid, locked));
	}
	while (waitpid(child, &status, 0) < 0)
		if (errno != EINTR)
			return -errno;
	return WIFEXITED(status) ? -WEXITSTATUS(status) : -EINTR;
}

#else

static int set_process_memory_lock(pid_t pid, bool locked)
{
	(void)pid;
	(void)locked;
	return -ENOSYS;
}

#endif

static const char *lock_failure_text(int err)
{
	switch (-err) {
	case ESRCH:
		return "there is no such process";
	case EPERM:
		return "no right to trace it, or a debugger traces it already; run as root";
	case ENOSYS: return "only 64-bit programs on x86-64 can be locked";
	case EAGAIN: return "not all of it could be locked, or another process stopped it just then: try again";
	case ETIMEDOUT:
		return "it does not stop for ptrace: is it frozen, or blocked on a disk that does not answer?";
	case ENOMEM:
		return "not all of it fits into memory, or its limit on locked memory cannot be lifted: give its group more, or run as root";
	default:
		return strerror(-err);
	}
}

static void unlock_first_processes(const pid_t *pid, size_t n)
{
	for (size_t i = 0; i < n; i++)
		set_process_memory_lock(pid[i], false);
}

static int lock_or_unlock_process(pid_t pid, bool lock, struct process_memory *before, struct process_memory *after,
				  struct why *why)
{
	int err = read_process_memory_and_faults(pid, before);

	if (!err)
		err = set_process_memory_lock(pid, lock);
	if (err) {
		why_say(why, "cannot %s process %d: %s", lock ? "lock" : "unlock", (int)pid, lock_failure_text(err));
		return -1;
	}
	err = read_process_memory_and_faults(pid, after);
	if (!err && (lock ? !after->memory.anonymous_swap && after->memory.all.locked : !after->memory.all.locked))
		return 0;
	why_say(why, "process %d has made the call, but its memory is not %s", (int)pid, lock ? "locked" : "unlocked");
	if (lock)
		set_process_memory_lock(pid, false);
	return -1;
}

int lock_or_unlock_all_processes(const pid_t *pid, size_t n, bool lock, struct rec_report *out, struct why *why)
{
	rec_begin_object(out, "settings");
	rec_add_str(out, "action", lock ? "lock" : "unlock");
	rec_end_container(out);
	rec_begin_object(out, "result");
	rec_begin_array(out, "processes");
	for (size_t i = 0; i < n; i++) {
		struct process_memory before, after;

		if (lock_or_unlock_process(pid[i], lock, &before, &after, why)) {
			if (lock)
				unlock_first_processes(pid, i);
			return -1;
		}
		rec_begin_object(out, NULL);
		rec_add_int(out, "pid", pid[i]);
		rec_add_str(out, "name", after.name);
		rec_add_ints(out, { "locked_bytes", after.memory.all.locked }, { "resident_bytes", after.memory.all.rss },
			     { "resident_before_bytes", before.memory.all.rss },
			     { "swap_before_bytes", before.memory.anonymous_swap });
		rec_end_container(out);
	}
	rec_end_container(out);
	rec_end_container(out);
	return 0;
}
