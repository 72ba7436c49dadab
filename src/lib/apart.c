// SPDX-License-Identifier: GPL-3.0-or-later
#include "apart.h"
#include "memory.h"
#include "proc.h"
#include "rec.h"
#include "rt.h"

#include <errno.h>
#include <signal.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#define HEAD 64 /* bytes before an array, of which the first hold what is mapped */

void *apart_new(size_t n, size_t size)
{
	size_t bytes, *at = MAP_FAILED;

	if (!__builtin_mul_overflow(n, size, &bytes) && !__builtin_add_overflow(bytes, HEAD, &bytes))
		at = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	must_alloc(at == MAP_FAILED ? NULL : at);
	*at = bytes;
	return (char *)at + HEAD;
}

void apart_delete(void *array)
{
	size_t *at = array ? (void *)((char *)array - HEAD) : NULL;

	if (at)
		munmap(at, *at);
}

static int wait_child(pid_t child, const sigset_t *signals)
{
	int status, sig;

	for (;;) {
		sig = sigwaitinfo(signals, NULL);
		if (sig == SIGCHLD && waitpid(child, &status, WNOHANG) == child)
			return status;
		if (sig > 0 && sig != SIGCHLD)
			kill(child, sig);
	}
}

pid_t apart_start(void)
{
	pid_t parent = getpid(), child = fork();

	if (child < 0)
		die(EXIT_RUN, "cannot start a process: %s", strerror(errno));
	if (!child && proc_end_with_parent(SIGKILL, parent) == -ESRCH)
		_exit(EXIT_RUN); /* nobody is left to be told */
	return child;
}

bool apart_fork(int *status)
{
	sigset_t signals, before;
	pid_t child;

	proc_fill_stop_set(&signals);
	sigaddset(&signals, SIGCHLD);
	sigprocmask(SIG_BLOCK, &signals, &before);
	signal(SIGCHLD, SIG_DFL); /* a caller may have ignored it: then there is none */
	child = apart_start();
	if (child)
		*status = wait_child(child, &signals);
	else
		rec_adopt();
	sigprocmask(SIG_SETMASK, &before, NULL);
	return !child;
}

int apart_crash(int status)
{
	for (int i = 0; WIFSIGNALED(status) && i < PROC_CRASHES; i++)
		if (proc_crashes[i] == WTERMSIG(status))
			return proc_crashes[i];
	return 0;
}

void apart_free(struct apart_memory *m)
{
	if (m->at)
		munmap(m->at, m->mapped);
	m->at = NULL;
}

/* Reserves memory that does not count as locked, also where all that is mapped is locked (mlockall()): one page grows, unlocked. */
static void *map_unlocked(size_t bytes)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	void *at = mmap(NULL, page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0), *grown;

	if (at == MAP_FAILED)
		return at;
	munlock(at, page);
	grown = mremap(at, page, bytes, MREMAP_MAYMOVE);
	if (grown == MAP_FAILED)
		munmap(at, page);
	return grown;
}

void *apart_picture(struct apart_memory *m, int width, int height)
{
	uint64_t pixels = (uint64_t)width * (uint64_t)height, behind = ((uint64_t)width * 2 + 2) * UINT16_MAX * sizeof(uint32_t);
	struct apart_memory made;

	if (width <= 0 || height <= 0 || pixels > APART_PIXELS_MOST)
		return NULL;
	if (sizeof(void *) < 8 && behind > (64 << 20)) /* all of it would not fit into a 32-bit address space */
		behind = 64 << 20;
	made.mapped = (size_t)(pixels * sizeof(uint32_t) + behind);
	made.at = map_unlocked(made.mapped);
	if (made.at == MAP_FAILED)
		return NULL;
	if (mprotect(made.at, (size_t)pixels * sizeof(uint32_t), PROT_READ | PROT_WRITE)) {
		apart_free(&made);
		return NULL;
	}
	rt_lock(made.at, (size_t)pixels * sizeof(uint32_t));
	apart_free(m);
	*m = made;
	return m->at;
}
