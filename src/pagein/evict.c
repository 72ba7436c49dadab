// SPDX-License-Identifier: GPL-3.0-or-later
#include "pagein.h"
#include "clock.h"
#include "memory.h"
#include "proc.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#ifndef MADV_PAGEOUT
#define MADV_PAGEOUT 21
#endif

#define PATIENCE_NS (5 * NS_PER_S)

struct mapping_list {
	struct iovec *at;
	size_t n;
};

static int add_mapping(void *context, const struct smaps_mapping *m)
{
	struct mapping_list *list = context;

	if (m->kind == SMAPS_SPECIAL || !m->is.rss)
		return 0;
	memory_more(list->at, list->n);
	list->at[list->n++] = (struct iovec){ (void *)(uintptr_t)m->start, (size_t)(m->end - m->start) };
	return 0;
}

int evict_advise_pageout(pid_t pid)
{
	struct mapping_list list = { 0 };
	struct smaps_sum sum;
	int fd = (int)syscall(SYS_pidfd_open, pid, 0), err;

	if (fd < 0)
		return -errno;
	err = smaps_read(pid, &sum, add_mapping, &list);
	/* one by one: the kernel stops at the first mapping that it refuses */
	for (size_t i = 0; !err && i < list.n; i++)
		if (syscall(SYS_process_madvise, fd, &list.at[i], 1, MADV_PAGEOUT, 0) < 0 &&
		    (errno == EPERM || errno == ESRCH || errno == ENOSYS))
			err = -errno;
	free(list.at);
	close(fd);
	return err == -ENOENT ? -ESRCH : err;
}

int evict_start_hog(struct evict_hog *h, char *const *command)
{
	int null = open("/dev/null", O_RDWR | O_CLOEXEC), started[2], err = 0;
	pid_t parent = getpid();

	*h = (struct evict_hog){ .stderr_fd = memfd_create("hog", MFD_CLOEXEC) };
	if (null < 0 || h->stderr_fd < 0 || pipe2(started, O_CLOEXEC)) {
		err = -errno;
		close(null);
		return err;
	}
	h->pid = fork();
	if (!h->pid) {
		setpgid(0, 0);
		dup2(null, STDIN_FILENO);
		dup2(null, STDOUT_FILENO);
		dup2(h->stderr_fd, STDERR_FILENO);
		signal(SIGPIPE, SIG_DFL);
		if (!proc_end_with_parent(SIGTERM, parent))
			execvp(command[0], command);
		err = errno;
		_exit(write(started[1], &err, sizeof(err)) == sizeof(err) ? 127 : 126);
	}
	if (h->pid < 0)
		err = -errno;
	close(started[1]);
	/* a successful exec closes the pipe, a failed one writes its errno */
	if (h->pid > 0 && read(started[0], &err, sizeof(err)) == sizeof(err)) {
		waitpid(h->pid, NULL, 0);
		err = -err;
	}
	close(started[0]);
	close(null);
	if (err) {
		close(h->stderr_fd);
		h->pid = 0;
	} else {
		setpgid(h->pid, h->pid); /* parent and child both call this: either may run first */
	}
	return err;
}

static void read_last_line(int fd, char *text, size_t size)
{
	off_t length = lseek(fd, 0, SEEK_END), from = length > (off_t)size - 1 ? length - (off_t)size + 1 : 0;
	ssize_t n = pread(fd, text, size - 1, from);
	char *line;

	text[n > 0 ? n : 0] = '\0';
	while (n > 0 && text[n - 1] == '\n')
		text[--n] = '\0';
	line = strrchr(text, '\n');
	if (line)
		memmove(text, line + 1, strlen(line));
}

int evict_poll_hog(struct evict_hog *h, struct why *why)
{
	int status, killed;

	if (!h->pid || waitpid(h->pid, &status, WNOHANG) != h->pid)
		return 0;
	/* a shell reports a killed child as exit status 137 */
	killed =
		(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL) || (WIFEXITED(status) && WEXITSTATUS(status) == 128 + SIGKILL);
	read_last_line(h->stderr_fd, why->text, sizeof(why->text));
	if (!*why->text && WIFSIGNALED(status))
		why_say(why, "ended by signal %d", WTERMSIG(status));
	else if (!*why->text)
		why_say(why, "ended with status %d", WEXITSTATUS(status));
	kill(-h->pid, SIGTERM);
	close(h->stderr_fd);
	h->pid = 0;
	return killed ? 1 : -1;
}

void evict_pause_hog(const struct evict_hog *h)
{
	if (h->pid)
		kill(-h->pid, SIGUSR1);
}

void evict_stop_hog(struct evict_hog *h)
{
	int64_t until = clock_now() + PATIENCE_NS;

	if (!h->pid)
		return;
	kill(-h->pid, SIGTERM);
	while (waitpid(h->pid, NULL, WNOHANG) == 0) {
		if (clock_now() > until)
			kill(-h->pid, SIGKILL);
		clock_sleep(clock_now() + 5 * NS_PER_MS);
	}
	close(h->stderr_fd);
	h->pid = 0;
}

int resident_read_faults(pid_t pid, struct process_memory *out)
{
	struct proc_stat is;

	if (proc_read_stat(pid, &is))
		return -ESRCH;
	out->minor = is.minor;
	out->major = is.major;
	return 0;
}

int resident_read_process(pid_t pid, struct process_memory *out)
{
	int err = smaps_read(pid, &out->memory, NULL, NULL);

	proc_read_line(pid, "comm", out->name, sizeof(out->name));
	if (!err && !out->memory.mappings) /* a zombie */
		err = -ESRCH;
	if (!err)
		err = resident_read_faults(pid, out);
	return err == -ENOENT ? -ESRCH : err;
}
