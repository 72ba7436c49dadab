// SPDX-License-Identifier: GPL-3.0-or-later
/* A hand at a window. */
#include "clock.h"
#include "user.h"
#include "view.h"

#include <stdio.h>
#include <stdlib.h>

struct window {
	struct user user;
	struct view *view;
	const struct screen *screen;
};

static int64_t window_wait(struct user *u, fd_set *fds, int *top)
{
	int fd = view_fd(((struct window *)u)->view);

	FD_SET(fd, fds);
	*top = fd > *top ? fd : *top;
	return INT64_MAX;
}

static int window_take(struct user *u, struct recorder *r, int64_t now_ns, char *why, size_t size)
{
	struct window *w = (struct window *)u;
	struct view_event e;
	int err = 0;

	(void)why;
	(void)size;
	for (view_take(w->view, &e); e.kind != VIEW_NOTHING && !err; view_take(w->view, &e)) {
		if (e.kind == VIEW_CLOSED)
			return 1;
		err = e.kind == VIEW_KEY ? recorder_key(r, now_ns, e.keysym, e.down) : recorder_pointer(r, now_ns, e.mask, e.x, e.y);
	}
	return err;
}

static void window_painted(struct user *u, struct box box)
{
	struct window *w = (struct window *)u;

	view_paint(w->view, w->screen, box);
}

static int window_resized(struct user *u)
{
	struct window *w = (struct window *)u;

	view_resize(w->view, w->screen->width, w->screen->height);
	view_paint(w->view, w->screen, (struct box){ 0, 0, w->screen->width, w->screen->height });
	return 0;
}

static void window_shown(struct user *u)
{
	view_flush(((struct window *)u)->view);
}

static void window_close(struct user *u)
{
	view_close(((struct window *)u)->view);
	free(u);
}

struct user *user_window(const struct screen *screen, const char *name, char *why, size_t size)
{
	struct window *w = calloc(1, sizeof(*w));
	char title[300];

	snprintf(title, sizeof(title), "%s - recording", name);
	if (w)
		w->view = view_open(title, screen->width, screen->height, why, size);
	else
		snprintf(why, size, "out of memory");
	if (!w || !w->view) {
		free(w);
		return NULL;
	}
	w->screen = screen;
	w->user = (struct user){ window_wait, window_take, window_painted, window_resized, window_shown, window_close, "window closed" };
	window_painted(&w->user, (struct box){ 0, 0, screen->width, screen->height });
	return &w->user;
}
