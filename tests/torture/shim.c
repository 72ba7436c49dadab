// SPDX-License-Identifier: GPL-3.0-or-later
/* shim - is preloaded into the tortured program: from main() on, it counts allocations and fails one, and hands the tool a filter
 * that asks it before system calls. Programs that this one starts are left alone. */
#include "torture.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV
#define SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV (1UL << 5)
#endif

extern void *__libc_malloc(size_t), *__libc_calloc(size_t, size_t), *__libc_realloc(void *, size_t),
	*__libc_memalign(size_t, size_t);

static struct torture_state *state;
static int (*program_main)(int, char **, char **);

static int is_failing(void)
{
	int64_t n;

	if (!state || !atomic_load(&state->on))
		return 0;
	n = atomic_fetch_add(&state->allocations, 1) + 1;
	if (!state->fail_at || !(n == state->fail_at || (state->starve && n > state->fail_at)))
		return 0;
	errno = ENOMEM;
	return 1;
}

void *malloc(size_t n)
{
	return is_failing() ? NULL : __libc_malloc(n);
}

void *calloc(size_t n, size_t size)
{
	return is_failing() ? NULL : __libc_calloc(n, size);
}

void *realloc(void *p, size_t n)
{
	return is_failing() ? NULL : __libc_realloc(p, n);
}

void *reallocarray(void *p, size_t n, size_t size)
{
	size_t all;

	if (__builtin_mul_overflow(n, size, &all)) {
		errno = ENOMEM;
		return NULL;
	}
	return realloc(p, all);
}

void *memalign(size_t alignment, size_t n)
{
	return is_failing() ? NULL : __libc_memalign(alignment, n);
}

void *aligned_alloc(size_t alignment, size_t n)
{
	return memalign(alignment, n);
}

int posix_memalign(void **p, size_t alignment, size_t n)
{
	void *got = memalign(alignment, n);

	if (got)
		*p = got;
	return got ? 0 : ENOMEM;
}

static int install_filter(void)
{
	struct sock_filter code[TORTURE_CALLS + 3] = { BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)) };
	struct sock_fprog program = { .filter = code };
	unsigned long flags = SECCOMP_FILTER_FLAG_NEW_LISTENER | SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV;
	unsigned n = 1;
	long fd;

	for (int i = 0; i < state->calls; i++, n++)
		code[n] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned)state->call[i],
						       (uint8_t)(state->calls - i), 0);
	code[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
	code[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_USER_NOTIF);
	program.len = (unsigned short)n;
	fd = syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, flags, &program);
	if (fd < 0 && errno == EACCES && !prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
		fd = syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, flags, &program);
	return fd < 0 ? -errno : (int)fd;
}

static int tortured_main(int argc, char **argv, char **envp)
{
	int fd = open(getenv("TORTURE_STATE"), O_RDWR | O_CLOEXEC);
	void *map = mmap(NULL, sizeof(*state), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

	close(fd);
	unsetenv("LD_PRELOAD");
	unsetenv("TORTURE_STATE");
	if (map == MAP_FAILED)
		_exit(127);
	state = map;
	if (state->calls) {
		fd = install_filter();
		atomic_store(&state->listener, fd);
		while (!atomic_load(&state->taken))
			sched_yield(); /* (of no class, so not intercepted) */
		close(fd);
	}
	atomic_store(&state->on, 1);
	return program_main(argc, argv, envp);
}

int __libc_start_main(int (*main)(int, char **, char **), int argc, char **argv, void (*init)(void), void (*fini)(void),
		      void (*rtld_fini)(void), void *stack_end)
{
	int (*start)(int (*)(int, char **, char **), int, char **, void (*)(void), void (*)(void), void (*)(void), void *);

	*(void **)&start = dlsym(RTLD_NEXT, "__libc_start_main");
	program_main = main;
	return start(tortured_main, argc, argv, init, fini, rtld_fini, stack_end);
}
