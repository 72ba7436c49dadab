// SPDX-License-Identifier: GPL-3.0-or-later
#include "opened.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/fanotify.h>
#include <unistd.h>

int opened_start(struct opened *o)
{
	const char *const places[] = { "/", ".", getenv("HOME") };
	int err;

	o->fd = fanotify_init(FAN_CLASS_NOTIF | FAN_CLOEXEC | FAN_NONBLOCK | FAN_UNLIMITED_QUEUE, O_RDONLY | O_CLOEXEC);
	if (o->fd < 0)
		return -errno;
	for (size_t i = 0; i < sizeof(places) / sizeof(*places); i++) {
		if (!places[i] || !fanotify_mark(o->fd, FAN_MARK_ADD | FAN_MARK_FILESYSTEM, FAN_OPEN, AT_FDCWD, places[i]) || i)
			continue;
		err = -errno;
		opened_stop(o);
		return err;
	}
	return 0;
}

static void learn_file(struct cold *c, int fd)
{
	char link[64], path[4096];
	ssize_t n;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	n = readlink(link, path, sizeof(path) - 1);
	if (n <= 0)
		return;
	path[n] = '\0';
	cold_add(c, path);
}

void opened_learn(struct opened *o, struct cold *c, pid_t root)
{
	_Alignas(struct fanotify_event_metadata) char text[8192];
	const struct fanotify_event_metadata *e;
	pid_t last = 0;
	bool ours = false;
	ssize_t n;

	while (o->fd >= 0 && (n = read(o->fd, text, sizeof(text))) > 0) {
		for (e = (const void *)text; FAN_EVENT_OK(e, n); e = FAN_EVENT_NEXT(e, n)) {
			/* mostly several in a row are of one process */
			if (e->pid != last) {
				last = e->pid;
				ours = last > 0 && tree_holds(root, last);
			}
			if (ours && e->fd >= 0)
				learn_file(c, e->fd);
			if (e->fd >= 0)
				close(e->fd);
		}
	}
}

void opened_stop(struct opened *o)
{
	if (o->fd >= 0)
		close(o->fd);
	o->fd = -1;
}
