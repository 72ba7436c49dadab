// SPDX-License-Identifier: GPL-3.0-or-later
/* trace_write - writes traces: each line is one write, so that the file is valid up to its last line, even if the process is
 * killed. */
#include "clock.h"
#include "files.h"
#include "keysym.h"
#include "trace.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

struct trace_writer {
	FILE *out;
	int err;	/* the first error; 0: none yet */
	char buffer[1 << 20];	/* (larger than any line) */
};

static int flush_line(struct trace_writer *w)
{
	if (!w->err)
		w->err = files_flush_stream(w->out);
	return w->err;
}

static void write_server_name(struct trace_writer *w, const char *name)
{
	fputs("server \"", w->out);
	for (int i = 0; name[i] && i < 255; i++) {
		if (name[i] == '"' || name[i] == '\\')
			fputs("\\", w->out);
		fprintf(w->out, "%c", (unsigned char)name[i] < 0x20 || name[i] == 0x7f ? '?' : name[i]);
	}
	fputs("\"\n", w->out);
}

struct trace_writer *trace_create(const char *path, const char *server, int width, int height)
{
	struct trace_writer *w = calloc(1, sizeof(*w));
	char started[32];
	int err;

	if (!w)
		return NULL;
	w->out = fopen(path, "we");
	if (!w->out) {
		free(w);
		return NULL;
	}
	setvbuf(w->out, w->buffer, _IOFBF, sizeof(w->buffer));
	clock_utc_text(started, sizeof(started));
	fputs("vncplay-trace 1\n", w->out);
	write_server_name(w, server);
	fprintf(w->out, "screen %dx%d\npixels 0x00RRGGBB\ntime us since start\nstarted %s\n", width, height, started);
	err = flush_line(w);
	if (!err)
		return w;
	trace_finish(w);
	errno = -err;
	return NULL;
}

static void write_snapshot_pixels(struct trace_writer *w, const uint32_t *pixels, size_t n)
{
	for (size_t i = 0, run; i < n; i += run) {
		run = 1;
		while (i + run < n && pixels[i + run] == pixels[i])
			run++;
		if (i)
			fputs(",", w->out);
		if (run > 1)
			fprintf(w->out, "%zu*", run);
		if (pixels[i] == TRACE_ANY)
			fputs("-", w->out);
		else
			fprintf(w->out, "%06x", pixels[i] & 0xffffff);
	}
}

int trace_write_event(struct trace_writer *w, const struct trace_event *e)
{
	const struct box *b = &e->box;
	const char *name;

	fprintf(w->out, "%lld ", (long long)(e->at_ns / NS_PER_US));
	switch (e->kind) {
	case TRACE_MOVE:
		fprintf(w->out, "move %d %d", e->x, e->y);
		break;
	case TRACE_PRESS:
	case TRACE_RELEASE:
		fprintf(w->out, "%s %d %d %d", e->kind == TRACE_PRESS ? "press" : "release", e->button, e->x, e->y);
		break;
	case TRACE_KEY_DOWN:
	case TRACE_KEY_UP:
		name = keysym_name(e->keysym);
		fprintf(w->out, "%s 0x%x%s%s", e->kind == TRACE_KEY_DOWN ? "keydown" : "keyup", e->keysym, *name ? " " : "", name);
		break;
	case TRACE_SNAPSHOT:
		fprintf(w->out, "snapshot %s %d %d %d %d %s", word_of_snapshot_reason(e->why), b->x, b->y, b->w, b->h, e->twin ? "twin " : "");
		write_snapshot_pixels(w, e->pixels, (size_t)b->w * (size_t)b->h);
		break;
	}
	fputs("\n", w->out);
	return flush_line(w);
}

int trace_write_comment(struct trace_writer *w, const char *text)
{
	fprintf(w->out, "# %.400s\n", text);
	return flush_line(w);
}

int trace_finish(struct trace_writer *w)
{
	int err = w->err;

	errno = 0;
	if (fclose(w->out) && !err)
		err = errno ? -errno : -EIO;
	free(w);
	return err;
}
