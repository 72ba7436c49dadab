// SPDX-License-Identifier: GPL-3.0-or-later
#include "contain.h"
#include "proc.h"

#include <setjmp.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/mman.h>

static _Thread_local struct {
	sigjmp_buf before;
	volatile sig_atomic_t within; /* a contained call is running */
	bool ready;
	_Alignas(16) char stack[32 << 10]; /* for the signal handler: the thread's own stack may have overflowed */
} own;

static void on_crash(int number)
{
	if (own.within)
		siglongjmp(own.before, number);
	signal(number, SIG_DFL);
	raise(number);
}

static void catch_crashes(void)
{
	/* SA_NODEFER: siglongjmp() does not restore the signal mask, which would take a system call at each contain_call() */
	struct sigaction act = { .sa_handler = on_crash, .sa_flags = SA_ONSTACK | SA_NODEFER };
	stack_t other = { .ss_sp = own.stack, .ss_size = sizeof(own.stack) }, had;

	/* A signal stack of AddressSanitizer stays: at the end of the thread it would free ours in its place. */
	if (sigaltstack(NULL, &had) || (had.ss_flags & SS_DISABLE))
		sigaltstack(&other, NULL);
	for (int i = 0; i < PROC_CRASHES; i++)
		sigaction(proc_crashes[i], &act, NULL);
	own.ready = true;
}

int contain_call(int (*call)(void *arg), void *arg, int *result)
{
	int crashed;

	if (!own.ready)
		catch_crashes();
	crashed = sigsetjmp(own.before, 0);
	if (!crashed) {
		own.within = true;
		*result = call(arg);
	}
	own.within = false;
	return crashed;
}

void contain_free(struct contained_memory *m)
{
	if (m->at)
		munmap(m->at, m->mapped);
	m->at = NULL;
}

void *contain_picture(struct contained_memory *m, int width, int height)
{
	uint64_t pixels = (uint64_t)width * (uint64_t)height, behind = ((uint64_t)width * 2 + 2) * UINT16_MAX * sizeof(uint32_t);

	contain_free(m);
	if (!pixels || pixels > CONTAIN_PIXELS_MOST)
		return NULL;
	if (sizeof(void *) < 8 && behind > (64 << 20)) /* all of it would not fit into a 32-bit address space */
		behind = 64 << 20;
	m->mapped = (size_t)(pixels * sizeof(uint32_t) + behind);
	m->at = mmap(NULL, m->mapped, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (m->at == MAP_FAILED)
		m->at = NULL;
	else if (mprotect(m->at, (size_t)pixels * sizeof(uint32_t), PROT_READ | PROT_WRITE))
		contain_free(m);
	return m->at;
}
