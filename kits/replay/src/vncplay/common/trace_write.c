// SPDX-License-Identifier: GPL-3.0-or-later
/* trace_write - writes traces, line by line. */
#include "clock.h"
#include "act.h"
#include "trace.h"

#include <stdio.h>

struct growing_file *trace_create(const char *path, const char *server, int width, int height)
{
	char started[32], quoted[2 * 255 + 1], *to = quoted;

	for (int i = 0; server[i] && i < 255; i++) {
		if (server[i] == '"' || server[i] == '\\')
			*to++ = '\\';
		*to++ = (char)((unsigned char)server[i] < 0x20 || server[i] == 0x7f ? '?' : server[i]);
	}
	*to = '\0';
	clock_utc_text(started, sizeof(started));
	return growing_file_create(
		path, "vncplay-trace 1\nserver \"%s\"\nscreen %dx%d\npixels 0x00RRGGBB\ntime us since start\nstarted %s\n", quoted,
		width, height, started);
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
