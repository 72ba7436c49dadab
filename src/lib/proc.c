// SPDX-License-Identifier: GPL-3.0-or-later
#include "proc.h"
#include "account.h"
#include "clock.h"
#include "files.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <mntent.h>
#include <sched.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#define FILES_MOST 65536

atomic_int proc_stop;

void (*proc_before_death)(void);

void proc_die_by(int number)
{
	if (proc_before_death)
		proc_before_death();
	signal(number, SIG_DFL);
	raise(number); /* comes when the handler returns */
}

/* Whatever the program waits for: the second signal ends it. Both of a group and of its driver may come at once, as one. */
static void on_stop_signal(int number)
{
	static _Atomic int64_t first_ns;
	int64_t now = clock_now();

	if (!proc_stop) {
		atomic_store(&first_ns, now);
	} else if (now - atomic_load(&first_ns) > PROC_SECOND_STOP_NS) {
		proc_die_by(number);
	}
	proc_stop = number;
}

void proc_catch_stop(void)
{
	/* no SA_RESTART: long sleeps and reads must return, so that the flag is checked */
	struct sigaction sa = { .sa_handler = on_stop_signal }, hangup;

	sigemptyset(&sa.sa_mask);
	sigaction(SIGINT, &sa, NULL);
	sigaction(SIGTERM, &sa, NULL);
	sigaction(SIGHUP, NULL, &hangup);
	if (hangup.sa_handler != SIG_IGN) /* as nohup wants it */
		sigaction(SIGHUP, &sa, NULL);
	signal(SIGPIPE, SIG_IGN);
	signal(SIGCHLD, SIG_DFL); /* inherited as ignored, children could not be awaited */
}

void proc_fill_stop_set(sigset_t *set)
{
	sigemptyset(set);
	sigaddset(set, SIGINT);
	sigaddset(set, SIGTERM);
	sigaddset(set, SIGHUP);
}

void proc_ignore_stop(void)
{
	signal(SIGINT, SIG_IGN);
	signal(SIGTERM, SIG_IGN);
	signal(SIGHUP, SIG_IGN);
}

void proc_select(int count, fd_set *in, fd_set *out, int64_t until_ns)
{
	int64_t left = until_ns - clock_now();
	struct timespec ts = clock_timespec(left);
	sigset_t all, before;

	if (left <= 0)
		return;
	/* signals are blocked except in pselect(): none is missed between the check of the flag and the sleep */
	proc_fill_stop_set(&all);
	sigprocmask(SIG_BLOCK, &all, &before);
	if (!proc_stop)
		pselect(count, in, out, NULL, until_ns == INT64_MAX ? NULL : &ts, &before);
	sigprocmask(SIG_SETMASK, &before, NULL);
}

void proc_sleep(int64_t until_ns)
{
	while (!proc_stop && clock_now() < until_ns)
		proc_select(0, NULL, NULL, until_ns);
}

int proc_end_with_parent(int signal, pid_t parent)
{
	if (prctl(PR_SET_PDEATHSIG, signal))
		return -errno;
	/* the parent may have died between fork and prctl */
	return getppid() == parent ? 0 : -ESRCH;
}

void proc_require_parent(int64_t parent)
{
	if (parent && proc_end_with_parent(SIGTERM, (pid_t)parent))
		die(EXIT_RUN, "the parent is not process %lld (--parent); it has probably ended", (long long)parent);
}

void proc_set_parent_death_term(void)
{
	prctl(PR_SET_PDEATHSIG, SIGTERM);
}

void proc_require_ready_fd(int fd)
{
	int flags = fcntl(fd, F_GETFL);

	if (fd == STDERR_FILENO)
		return;
	if (flags < 0)
		die_usage("--ready-fd %d is not open", fd);
	if ((flags & O_ACCMODE) == O_RDONLY)
		die_usage("--ready-fd %d is open for reading only", fd);
	if (fd > STDERR_FILENO)
		fcntl(fd, F_SETFD, FD_CLOEXEC); /* it is ours now */
}

void proc_keep_variables(const char *const *kept)
{
	char **to = environ;

	for (char **at = environ; at && *at; at++) {
		const char *const *word = kept;

		while (*word && strncmp(*at, *word, strlen(*word)))
			word++;
		if (*word)
			*to++ = *at;
		else
			explicit_bzero(*at, strlen(*at));
	}
	if (to)
		*to = NULL;
}

void proc_close_range(int first, int last)
{
	if (last < first || !close_range((unsigned)first, (unsigned)last, 0))
		return;
	for (int most = (int)sysconf(_SC_OPEN_MAX); first <= last && first < most && first < FILES_MOST; first++)
		close(first);
}

int proc_write_ready(int fd)
{
	ssize_t n;

	if (fd == STDERR_FILENO && isatty(fd))
		return 0;
	do
		n = write(fd, "ready\n", 6);
	while (n < 0 && errno == EINTR);
	return n < 0 ? -errno : 0;
}

void proc_tell_ready(int fd)
{
	int err = proc_write_ready(fd);

	if (err && fd != STDERR_FILENO)
		warn("cannot write \"ready\" to descriptor %d: %s", fd, strerror(-err));
}

const int proc_crashes[PROC_CRASHES] = { SIGSEGV, SIGBUS, SIGABRT, SIGFPE, SIGILL };

int proc_start_thread(pthread_t *thread, size_t stack_bytes, void *(*work)(void *), void *arg)
{
	sigset_t all, before;
	pthread_attr_t attr;
	int err;

	sigfillset(&all);
	for (int i = 0; i < PROC_CRASHES; i++) /* where they are blocked, they cannot be handled */
		sigdelset(&all, proc_crashes[i]);
	pthread_attr_init(&attr);
	if (stack_bytes && stack_bytes < (size_t)PTHREAD_STACK_MIN) /* 128 KiB on arm64; a smaller one is refused */
		stack_bytes = (size_t)PTHREAD_STACK_MIN;
	if (stack_bytes)
		pthread_attr_setstacksize(&attr, stack_bytes);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	err = pthread_create(thread, &attr, work, arg);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	pthread_attr_destroy(&attr);
	return err;
}

/* Room for 8,192 CPUs, the most that a kernel can be built for: it refuses a mask that is too short for its own. */
struct cpu_mask {
	cpu_set_t part[8];
};

int proc_pin_thread(const struct cli_cpus *cpus)
{
	struct cpu_mask set = { 0 }, got;

	if (!cpus->n)
		return 0;
	for (int i = 0; i < cpus->n; i++)
		CPU_SET_S((size_t)cpus->cpu[i], sizeof(set), set.part);
	if (sched_setaffinity(0, sizeof(set), set.part))
		return errno == EINVAL ? -ENODEV : -errno;
	if (sched_getaffinity(0, sizeof(got), got.part))
		return -errno;
	return CPU_EQUAL_S(sizeof(set), set.part, got.part) ? 0 : -ENODEV;
}

bool proc_is_pinned(pid_t tid, int cpu)
{
	struct cpu_mask set = { 0 };

	return sched_getaffinity(tid, sizeof(set), set.part) ||
	       (CPU_COUNT_S(sizeof(set), set.part) == 1 && CPU_ISSET_S((size_t)cpu, sizeof(set), set.part));
}

int proc_allowed_cpus(struct cli_cpus *out)
{
	struct cpu_mask set = { 0 };

	if (sched_getaffinity(0, sizeof(set), set.part))
		return -errno;
	out->n = 0;
	for (int i = 0; i < CLI_CPUS_MAX; i++)
		if (CPU_ISSET_S((size_t)i, sizeof(set), set.part))
			out->cpu[out->n++] = i;
	return 0;
}

int proc_online_cpus(struct cli_cpus *out)
{
	char text[4096];

	return files_read_line("/sys/devices/system/cpu/online", text, sizeof(text)) || cli_parse_cpus(text, out)
		       ? proc_allowed_cpus(out)
		       : 0;
}

int proc_enter_cgroup(const char *folder)
{
	char path[4096];

	if (snprintf(path, sizeof(path), "%s/cgroup.procs", folder) >= (int)sizeof(path))
		return -ENAMETOOLONG;
	return files_write_text(path, "0\n");
}

static FILE *open_proc_file(pid_t pid, const char *what)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/%s", (int)pid, what);
	return fopen(path, "re");
}

int proc_read_schedstat(pid_t pid, struct proc_schedstat *out)
{
	FILE *f = open_proc_file(pid, "schedstat");
	long long run, wait, slices;
	int n;

	if (!f)
		return -errno;
	n = fscanf(f, "%lld %lld %lld", &run, &wait, &slices);
	fclose(f);
	if (n != 3)
		return -ENOENT;
	*out = (struct proc_schedstat){ run, wait, slices };
	return 0;
}

int proc_parse_stat(const char *text, struct proc_stat *out)
{
	const char *name = strchr(text, '('), *after = strrchr(text, ')');

	*out = (struct proc_stat){ .cpu = -1 };
	/* 3 state, 4 parent, 5 group, 6 session, 7 terminal, 8 its group, 9 flags, 10-13 faults, 14-17
	 * times, 18-19 priority, 20 threads, 22 start, 39 CPU */
	if (!name || !after || after < name ||
	    sscanf(after + 1,
		   " %c %d %*d %d %*d %*d %u %" SCNd64 " %" SCNd64 " %" SCNd64 " %" SCNd64 " %" SCNd64 " %" SCNd64 " %" SCNd64
		   " %" SCNd64 " %*d %*d %" SCNd64 " %*d %" SCNu64
		   " %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %d",
		   &out->state, &out->ppid, &out->session, &out->flags, &out->minor, &out->minor_waited, &out->major,
		   &out->major_waited, &out->user, &out->system, &out->user_waited, &out->system_waited, &out->threads, &out->start,
		   &out->cpu) < 14)
		return -EPROTO;
	snprintf(out->comm, sizeof(out->comm), "%.*s", (int)(after - name - 1), name + 1);
	return 0;
}

int proc_read_stat(pid_t pid, struct proc_stat *out)
{
	char path[64], text[1024];

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	return files_read_all(path, text, sizeof(text)) || proc_parse_stat(text, out) ? -ESRCH : 0;
}

void proc_read_line(pid_t pid, const char *file, char *text, size_t size)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/%s", (int)pid, file);
	files_read_line(path, text, size);
}

int64_t proc_read_status(pid_t pid, const char *key)
{
	char folder[32];

	snprintf(folder, sizeof(folder), "/proc/%d", (int)pid);
	return account_read_number(folder, "status", key);
}

pid_t proc_thread_pid(pid_t tid)
{
	int64_t pid = proc_read_status(tid, "Tgid:");

	return pid > 0 ? (pid_t)pid : 0;
}

int64_t proc_memory_peak(pid_t pid)
{
	int64_t peak = proc_read_status(pid, "VmHWM:");

	return peak > 0 ? peak : 0;
}

/* Lines are "7:cpu,cpuacct:/a/b" (version 1) or "0::/a/b" (version 2, used if no line of version 1 has the controller). */
int proc_parse_cgroup(FILE *f, const char *controller, char *text, size_t size)
{
	char line[4200];

	text[0] = '\0';
	while (fgets(line, sizeof(line), f)) {
		char *names = strchr(line, ':'), *group = names ? strchr(++names, ':') : NULL;
		bool here = false;

		if (!group)
			continue;
		*group++ = '\0';
		group[strcspn(group, "\n")] = '\0';
		if (!*names && !*text && strlen(group) < size)
			strcpy(text, group);
		for (char *rest, *name = strtok_r(names, ",", &rest); name; name = strtok_r(NULL, ",", &rest))
			here = here || !strcmp(name, controller);
		if (here) {
			if (snprintf(text, size, "%s", group) < (int)size)
				return 1;
			text[0] = '\0';
			return 0;
		}
	}
	return *text ? 2 : 0;
}

int proc_read_cgroup(pid_t pid, const char *controller, char *text, size_t size)
{
	FILE *f = open_proc_file(pid, "cgroup");
	int version;

	text[0] = '\0';
	if (!f)
		return 0;
	version = proc_parse_cgroup(f, controller, text, size);
	fclose(f);
	return version;
}

int proc_find_cgroup_mount(const char *root, const char *controller, char *folder, size_t size)
{
	char path[4096];
	struct mntent *m;
	int version = 0;
	FILE *f;

	snprintf(path, sizeof(path), "%s/proc/self/mounts", root);
	f = setmntent(path, "re");
	while (f && version != 1 && (m = getmntent(f))) {
		int here = !strcmp(m->mnt_type, "cgroup") && hasmntopt(m, controller) ? 1
			   : !version && !strcmp(m->mnt_type, "cgroup2")	      ? 2
										      : 0;

		if (here && snprintf(path, sizeof(path), "%s%s", root, m->mnt_dir) < (int)size) {
			strcpy(folder, path);
			version = here;
		}
	}
	if (f)
		endmntent(f);
	return version;
}
