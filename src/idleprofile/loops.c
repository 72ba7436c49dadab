// SPDX-License-Identifier: GPL-3.0-or-later
#include "loops.h"
#include "group.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static struct group group = { .pipe = -1 };
static struct spin *spin;
static pid_t main_pid;

void loops_end(void)
{
	if (getpid() != main_pid)
		return;
	if (spin)
		spin_end(spin);
	spin = NULL;
	group_end(&group);
}

int loops_must_run(int err)
{
	if (err == -ETIMEDOUT)
		die(EXIT_RUN, "an idle loop does not get its CPU: the machine is too busy to be profiled");
	if (err == -ESRCH)
		die(EXIT_RUN, "the idle loops were ended by somebody else; too little memory?");
	if (err && err != -EINTR)
		die(EXIT_RUN, "the idle loops cannot run: %s", strerror(-err));
	return err;
}

const char *loops_why_no_cgroup(void)
{
	if (!group.path[0])
		return group.why;
	return strncmp(spin->place, "cgroup", 6) ? "joining it was refused" : NULL;
}

struct spin *loops_start(const struct cli_cpus *cpus, bool tsc)
{
	int err;

	main_pid = getpid();
	atexit(loops_end);
	group_make(&group);
	err = spin_start(&spin, cpus, tsc, group_enter, &group);
	if (err == -ENODEV)
		die(EXIT_RUN, "--cpus was refused; not all of these are there and allowed, see taskset -cp $$");
	if (loops_must_run(err))
		return NULL;
	if (!strcmp(spin->place, "SCHED_IDLE alone"))
		warn("the loops yield only within their own group (%s)%s", loops_why_no_cgroup(),
		     geteuid() ? "; root can put them into a cgroup" : "");
	if (strstr(spin->place, "container"))
		warn("the loops yield within this container only: what runs outside of it gets less of the CPU, and is not all seen");
	return spin;
}
