// SPDX-License-Identifier: GPL-3.0-or-later
/* Writing of traces: one write a line, so that the file is valid up to its last line whatever happens to this process. */
#include "clock.h"
#include "keysym.h"
#include "trace.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct trace_writer {
	int fd;
	int err;	/* the first, which stays */
	char *text;	/* of a line */
	size_t n, room;
};

static void add_text(struct trace_writer *w, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void add_text(struct trace_writer *w, const char *format, ...)
{
	va_list args;
	int n;

	if (w->n + 512 > w->room) {	/* more than any one call adds, names of servers included: 255 bytes, each with a backslash */
		size_t more = w->room ? 2 * w->room : 4096;
		char *grown = w->err ? NULL : realloc(w->text, more);

		if (!grown) {
			w->err = w->err ? w->err : -ENOMEM;
			return;
		}
		w->text = grown;
		w->room = more;
	}
	va_start(args, format);
	n = vsnprintf(w->text + w->n, w->room - w->n, format, args);
	va_end(args);
	if (n > 0)
		w->n += (size_t)n < w->room - w->n ? (size_t)n : w->room - w->n - 1;
}

static int write_pending(struct trace_writer *w)
{
	size_t at = 0;

	while (!w->err && at < w->n) {
		ssize_t n = write(w->fd, w->text + at, w->n - at);

		if (n >= 0)
			at += (size_t)n;
		else if (errno != EINTR)
			w->err = -errno;
	}
	w->n = 0;
	return w->err;
}

static void say_name(struct trace_writer *w, const char *name)
{
	add_text(w, "server \"");
	for (int i = 0; name[i] && i < 255; i++) {
		if (name[i] == '"' || name[i] == '\\')
			add_text(w, "\\");
		add_text(w, "%c", (unsigned char)name[i] < 0x20 || name[i] == 0x7f ? '?' : name[i]);
	}
	add_text(w, "\"\n");
}

struct trace_writer *trace_create(const char *path, const char *server, int width, int height)
{
	struct trace_writer *w = calloc(1, sizeof(*w));
	char started[32];
	int err;

	if (!w)
		return NULL;
	w->fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
	err = w->fd < 0 ? errno : 0;
	if (!err) {
		clock_utc(started, sizeof(started));
		add_text(w, "vncplay-trace 1\n");
		say_name(w, server);
		add_text(w, "screen %dx%d\npixels 0x00RRGGBB\ntime us since start\nstarted %s\n", width, height, started);
		err = -write_pending(w);
	}
	if (!err)
		return w;
	if (w->fd >= 0)
		close(w->fd);
	free(w->text);
	free(w);
	errno = err;
	return NULL;
}

static void say_pixels(struct trace_writer *w, const uint32_t *pixels, size_t n)
{
	for (size_t i = 0, run; i < n && !w->err; i += run) {
		run = 1;
		while (i + run < n && pixels[i + run] == pixels[i])
			run++;
		if (i)
			add_text(w, ",");
		if (run > 1)
			add_text(w, "%zu*", run);
		if (pixels[i] == TRACE_ANY)
			add_text(w, "-");
		else
			add_text(w, "%06x", pixels[i] & 0xffffff);
	}
}

int trace_add(struct trace_writer *w, const struct trace_event *e)
{
	const struct box *b = &e->box;
	const char *name;

	add_text(w, "%lld ", (long long)(e->at_ns / NS_PER_US));
	switch (e->kind) {
	case TRACE_MOVE:
		add_text(w, "move %d %d", e->x, e->y);
		break;
	case TRACE_PRESS:
	case TRACE_RELEASE:
		add_text(w, "%s %d %d %d", e->kind == TRACE_PRESS ? "press" : "release", e->button, e->x, e->y);
		break;
	case TRACE_KEY_DOWN:
	case TRACE_KEY_UP:
		name = keysym_name(e->keysym);
		add_text(w, "%s 0x%x%s%s", e->kind == TRACE_KEY_DOWN ? "keydown" : "keyup", e->keysym, *name ? " " : "", name);
		break;
	case TRACE_SNAPSHOT:
		add_text(w, "snapshot %s %d %d %d %d %s", trace_why_word(e->why), b->x, b->y, b->w, b->h, e->twin ? "twin " : "");
		say_pixels(w, e->pixels, (size_t)b->w * (size_t)b->h);
		break;
	}
	add_text(w, "\n");
	return write_pending(w);
}

int trace_note(struct trace_writer *w, const char *text)
{
	add_text(w, "# %.400s\n", text);
	return write_pending(w);
}

int trace_finish(struct trace_writer *w)
{
	int err = w->err;

	if (close(w->fd) && !err)
		err = -errno;
	free(w->text);
	free(w);
	return err;
}
