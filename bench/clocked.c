// SPDX-License-Identifier: GPL-3.0-or-later
/* clocked - runs a command and writes what it took to a file: wall_ns cpu_ns peak_bytes status.
 *
 * usage: clocked FILE COMMAND [ARG...]
 * Wall time is from before the fork to after the wait; CPU time (user and system) and peak memory are the kernel's own account
 * of the finished command and of the descendants it waited for (the largest one's peak, not a sum). A peak cannot be
 * below this program's own, about 1 MB: it is small for that reason. */
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static int64_t now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (int64_t)ts.tv_sec * 1000000000 + ts.tv_nsec;
}

static int64_t ns_of(struct timeval t)
{
	return ((int64_t)t.tv_sec * 1000000 + t.tv_usec) * 1000;
}

int main(int argc, char **argv)
{
	struct rusage used;
	int64_t begin;
	int status;
	pid_t pid;
	FILE *out;

	if (argc < 3) {
		fputs("usage: clocked FILE COMMAND [ARG...]\n", stderr);
		return 2;
	}
	out = fopen(argv[1], "we");
	if (!out) {
		fprintf(stderr, "clocked: cannot write %s: %s\n", argv[1], strerror(errno));
		return 1;
	}
	begin = now_ns();
	pid = vfork();
	if (!pid) {
		execvp(argv[2], argv + 2);
		_exit(127);
	}
	while (pid < 0 || wait4(pid, &status, 0, &used) < 0) {
		if (pid >= 0 && errno == EINTR)
			continue;
		fprintf(stderr, "clocked: cannot run %s: %s\n", argv[2], strerror(errno));
		return 1;
	}
	begin = now_ns() - begin;
	status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
	fprintf(out, "%lld %lld %lld %d\n", (long long)begin, (long long)(ns_of(used.ru_utime) + ns_of(used.ru_stime)),
		(long long)used.ru_maxrss * 1024, status);
	return fclose(out) ? 1 : 0;
}
