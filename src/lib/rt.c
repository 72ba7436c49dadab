// SPDX-License-Identifier: GPL-3.0-or-later
#include "rt.h"

#include <errno.h>
#include <inttypes.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

static _Atomic pid_t locker; /* the process whose memory is locked; a child of it has none that is */

/* Memory that cannot be used, as behind pictures (apart.h), counts as locked like any other: it is unlocked, and where the limit on
 * locked memory is too low for it, only the rest is locked. */
static bool lock_memory(void)
{
	bool all = !mlockall(MCL_CURRENT | MCL_FUTURE), good = all || !mlockall(MCL_FUTURE);
	FILE *maps = good ? fopen("/proc/self/maps", "re") : NULL;
	uintptr_t from, to;
	char rights[5], line[256];

	while (maps && fgets(line, sizeof(line), maps)) {
		if (sscanf(line, "%" SCNxPTR "-%" SCNxPTR " %4s", &from, &to, rights) != 3 || strstr(line, "[v")) /* the kernel's */
			continue;
		if (!strncmp(rights, "---", 3))
			munlock((void *)from, to - from);
		else if (!all)
			good &= !mlock((void *)from, to - from);
	}
	good &= all || maps;
	if (maps)
		fclose(maps);
	if (!good)
		munlockall();
	return good;
}

void rt_setup(int priority, struct rt_granted *got)
{
	struct sched_param param = { .sched_priority = priority };

	*got = (struct rt_granted){ 0 };
	prctl(PR_SET_TIMERSLACK, 1UL, 0UL, 0UL, 0UL);
	got->locked = locker == getpid() || lock_memory(); /* (once: a later refusal would unlock what is locked) */
	locker = got->locked ? getpid() : 0;
	if (priority <= 0)
		return;
	/* RESET_ON_FORK: child processes do not inherit the real-time priority */
	if (sched_setscheduler(0, SCHED_FIFO | SCHED_RESET_ON_FORK, &param))
		got->why = errno;
	else
		got->fifo = priority;
}

void rt_lock(const void *at, size_t bytes)
{
	if (locker == getpid())
		mlock(at, bytes);
}

void rt_describe(const struct rt_granted *got, char *text, size_t size)
{
	int n = snprintf(text, size, "memory %slocked, ", got->locked ? "" : "not ");

	if (n < 0 || (size_t)n >= size)
		return;
	if (got->fifo)
		snprintf(text + n, size - (size_t)n, "SCHED_FIFO %d", got->fifo);
	else if (got->why)
		snprintf(text + n, size - (size_t)n, "normal priority (%s)", strerror(got->why));
	else
		snprintf(text + n, size - (size_t)n, "normal priority");
}

const char *rt_refused_words(int priority, const struct rt_granted *got)
{
	static char text[200];
	bool late = priority > 0 && !got->fifo;

	if (got->locked && !late)
		return NULL;
	snprintf(text, sizeof(text), "%s%s%s%s; root may have both, or a user with limits on rtprio and memlock",
		 late ? "no real-time priority (" : "", late ? strerror(got->why) : "",
		 !late	       ? ""
		 : got->locked ? ")"
			       : "), ",
		 got->locked ? "" : "memory not locked");
	return text;
}
