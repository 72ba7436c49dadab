// SPDX-License-Identifier: GPL-3.0-or-later
/* trace_write - writes traces, line by line. */
#include "clock.h"
#include "keysym.h"
#include "trace.h"

#include <stdio.h>

static void write_server_name(FILE *out, const char *name)
{
	fputs("server \"", out);
	for (int i = 0; name[i] && i < 255; i++) {
		if (name[i] == '"' || name[i] == '\\')
			fputs("\\", out);
		fprintf(out, "%c", (unsigned char)name[i] < 0x20 || name[i] == 0x7f ? '?' : name[i]);
	}
	fputs("\"\n", out);
}

struct growing_file *trace_create(const char *path, const char *server, int width, int height)
{
	struct growing_file *f = growing_file_create(path);
	char started[32];

	if (!f)
		return NULL;
	clock_utc_text(started, sizeof(started));
	fputs("vncplay-trace 1\n", f->out);
	write_server_name(f->out, server);
	fprintf(f->out, "screen %dx%d\npixels 0x00RRGGBB\ntime us since start\nstarted %s\n", width, height, started);
	return growing_file_flush_head(f);
}

static void write_snapshot_pixels(FILE *out, const uint32_t *pixels, size_t n)
{
	for (size_t i = 0, run; i < n; i += run) {
		run = 1;
		while (i + run < n && pixels[i + run] == pixels[i])
			run++;
		if (i)
			fputs(",", out);
		if (run > 1)
			fprintf(out, "%zu*", run);
		if (pixels[i] == TRACE_ANY)
			fputs("-", out);
		else
			fprintf(out, "%06x", pixels[i] & 0xffffff);
	}
}

int trace_write_event(struct growing_file *f, const struct trace_event *e)
{
	const struct pixel_area *b = &e->box;
	const char *name;

	fprintf(f->out, "%lld %s", (long long)(e->at_ns / NS_PER_US), trace_event_words[e->kind]);
	switch (e->kind) {
	case TRACE_MOVE: fprintf(f->out, " %d %d", e->x, e->y); break;
	case TRACE_PRESS:
	case TRACE_RELEASE: fprintf(f->out, " %d %d %d", e->button, e->x, e->y); break;
	case TRACE_KEY_DOWN:
	case TRACE_KEY_UP:
		name = keysym_name(e->keysym);
		fprintf(f->out, " 0x%x%s%s", e->keysym, *name ? " " : "", name);
		break;
	case TRACE_SNAPSHOT:
		fprintf(f->out, " %s %d %d %d %d %s", trace_why_words[e->why], b->x, b->y, b->w, b->h, e->twin ? "twin " : "");
		write_snapshot_pixels(f->out, e->pixels, (size_t)b->w * (size_t)b->h);
		break;
	}
	fputs("\n", f->out);
	return growing_file_flush(f);
}

int trace_write_comment(struct growing_file *f, const char *text)
{
	fprintf(f->out, "# %.400s\n", text);
	return growing_file_flush(f);
}
