// SPDX-License-Identifier: GPL-3.0-or-later
/* The null target: answers every press at once, through a pipe to the watching thread. Measures keyrepeat's own overhead, from a
 * due time over send, poll, read and time stamp to a recorded update. */
#include "target.h"
#include "clock.h"
#include "memory.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

struct null_target {
	struct observations *seen;
	int pipe[2];
	bool watched;
	uint32_t number;
};

static void *null_open(const struct target_cfg *cfg, struct why *why)
{
	struct null_target *self = memory_new(1, sizeof(*self));

	if (pipe2(self->pipe, O_CLOEXEC | O_NONBLOCK)) {
		why_say(why, "cannot make a pipe: %s", strerror(errno));
		free(self);
		return NULL;
	}
	self->seen = cfg->seen;
	self->watched = cfg->watch != WATCH_NONE;
	observations_add_number(self->seen, clock_now(), 0);
	return self;
}

static int null_add_act(void *p, const struct input_act *act, struct why *why)
{
	(void)p;
	(void)act;
	(void)why;
	return 0;
}

static int null_send_fd(void *p)
{
	return ((struct null_target *)p)->pipe[1];
}

static int null_send_key(void *p, int key, bool down)
{
	struct null_target *self = p;

	(void)key;
	return !down || !self->watched || write(self->pipe[1], "k", 1) == 1 ? 0 : -EPIPE;
}

static int null_watch_fd(void *p)
{
	return ((struct null_target *)p)->pipe[0];
}

static int null_record_echoes(void *p)
{
	struct null_target *self = p;
	char key[64];
	ssize_t n = read(self->pipe[0], key, sizeof(key));
	int64_t now = clock_now();

	if (n <= 0)
		return 0;
	self->number = (self->number + (uint32_t)n) & 0xffffffu;
	observations_add_update(self->seen, now);
	observations_add_number(self->seen, now, self->number);
	return 0;
}

static void null_close(void *p)
{
	struct null_target *self = p;

	close(self->pipe[0]);
	close(self->pipe[1]);
	free(self);
}

static void null_describe(void *p, char *text, size_t size)
{
	(void)p;
	snprintf(text, size, "answers itself: the tool's own cost");
}

const struct target_ops target_null = {
	.scheme = "null",
	.open = null_open,
	.act = null_add_act,
	.send_fd = null_send_fd,
	.send = null_send_key,
	.watch_fd = null_watch_fd,
	.handle = null_record_echoes,
	.close = null_close,
	.describe = null_describe,
};
