// SPDX-License-Identifier: GPL-3.0-or-later
#include "resident.h"
#include "proc.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

static int read_small(pid_t pid, const char *what, char *text, size_t size)
{
	char path[64];
	ssize_t n;
	int fd, err;

	snprintf(path, sizeof(path), "/proc/%d/%s", (int)pid, what);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return errno == ENOENT ? -ESRCH : -errno;
	n = read(fd, text, size - 1);
	err = errno;
	close(fd);
	if (n < 0)
		return -err;
	text[n] = '\0';
	text[strcspn(text, "\n")] = '\0';
	return 0;
}

int resident_faults(pid_t pid, struct resident *out)
{
	char text[1024];
	struct proc_stat is;
	int err = read_small(pid, "stat", text, sizeof(text));

	if (err)
		return err;
	if (proc_read_stat(text, &is))
		return -EPROTO;
	out->minor = is.minor;
	out->major = is.major;
	return 0;
}

int resident_read(pid_t pid, struct resident *out)
{
	int err = read_small(pid, "comm", out->name, sizeof(out->name));

	if (!err)
		err = smaps_read(pid, &out->memory, NULL, NULL);
	if (!err && !out->memory.mappings)	/* it has ended, nobody waited for it yet */
		err = -ESRCH;
	if (!err)
		err = resident_faults(pid, out);
	return err == -ENOENT ? -ESRCH : err;
}
