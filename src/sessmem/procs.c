// SPDX-License-Identifier: GPL-3.0-or-later
#include "procs.h"
#include "array.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* A small file of /proc in one read; its length, or -errno. */
static ssize_t read_proc_file(const char *path, char *text, size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -errno : read(fd, text, size - 1);

	if (fd < 0)
		return n;
	if (n < 0)
		n = -errno;
	close(fd);
	text[n > 0 ? n : 0] = '\0';
	return n;
}

int procs_look(pid_t pid, struct member *out)
{
	char path[64], text[1024];
	ssize_t n;

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	n = read_proc_file(path, text, sizeof(text));
	if (n <= 0)
		return n == -ENOENT || n == 0 ? -ESRCH : (int)n;
	return member_read(text, out);
}

int procs_scan(struct member **out, size_t *n)
{
	struct member *m = NULL;
	size_t have = 0;
	struct dirent *e;
	DIR *dir = opendir("/proc");

	if (!dir)
		return -errno;
	while ((e = readdir(dir))) {
		if (!isdigit((unsigned char)e->d_name[0]))
			continue;
		if (array_room(&m, have)) {
			free(m);
			closedir(dir);
			return -ENOMEM;
		}
		if (!procs_look((pid_t)atoi(e->d_name), &m[have]))
			have++;
	}
	closedir(dir);
	*out = m;
	*n = have;
	return 0;
}

bool procs_stands(pid_t pid)
{
	char path[320], text[1024];
	bool all = true;
	struct dirent *e;
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/%d/task", (int)pid);
	dir = opendir(path);
	while (dir && all && (e = readdir(dir))) {
		struct member thread;

		if (!isdigit((unsigned char)e->d_name[0]))
			continue;
		snprintf(path, sizeof(path), "/proc/%d/task/%s/stat", (int)pid, e->d_name);
		all = read_proc_file(path, text, sizeof(text)) <= 0 || member_read(text, &thread) || strchr("TtZX", thread.state);
	}
	if (dir)
		closedir(dir);
	return all;
}

void procs_command(pid_t pid, char *text, size_t size)
{
	char path[64];
	ssize_t n;

	snprintf(path, sizeof(path), "/proc/%d/cmdline", (int)pid);
	n = read_proc_file(path, text, size);
	while (n > 0 && !text[n - 1])
		n--;
	for (ssize_t i = 0; i < n; i++)
		if (!text[i])
			text[i] = ' ';
}

int64_t procs_page_tables(pid_t pid)
{
	char path[64], text[8192];
	const char *at;

	snprintf(path, sizeof(path), "/proc/%d/status", (int)pid);
	if (read_proc_file(path, text, sizeof(text)) <= 0)
		return -1;
	at = strstr(text, "\nVmPTE:");
	return at ? strtoll(at + strlen("\nVmPTE:"), NULL, 10) * 1024 : -1;
}
