// SPDX-License-Identifier: GPL-3.0-or-later
/* To be preloaded: call number CALL of FUNCTION, or with 0 the first call after SIGUSR1, crashes as if within malloc(), so that
 * its thread waits for ever where it allocates or frees. With HANGS, it only waits for ever. PLUGIN: the file, loaded by the
 * program, that has the function. */
#include <dlfcn.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#define NAME_OF(function) #function
#define NAME(function) NAME_OF(function)

extern void *__libc_malloc(size_t), *__libc_calloc(size_t, size_t), *__libc_realloc(void *, size_t);
extern void __libc_free(void *);

static _Thread_local int locked;
static volatile sig_atomic_t told;

static void note_signal(int number)
{
	told = number;
}

__attribute__((constructor)) static void await_signal(void)
{
	signal(SIGUSR1, note_signal);
}

static void wait_for_lock(void)
{
	while (locked)
		sleep(1);
}

void *malloc(size_t n)
{
	wait_for_lock();
	return __libc_malloc(n);
}

void *calloc(size_t n, size_t size)
{
	wait_for_lock();
	return __libc_calloc(n, size);
}

void *realloc(void *p, size_t n)
{
	wait_for_lock();
	return __libc_realloc(p, n);
}

void free(void *p)
{
	if (p)
		wait_for_lock();
	__libc_free(p);
}

int FUNCTION(void *a, void *b, void *c)
{
	static _Atomic int calls;
	int (*real)(void *, void *, void *);

#ifdef PLUGIN
	*(void **)&real = dlsym(dlopen(PLUGIN, RTLD_NOW | RTLD_NOLOAD), NAME(FUNCTION));
#else
	*(void **)&real = dlsym(RTLD_NEXT, NAME(FUNCTION));
#endif
	if (CALL ? ++calls == CALL : told) {
#ifdef HANGS
		pause();
#endif
		locked = 1;
		abort();
	}
	return real(a, b, c);
}
