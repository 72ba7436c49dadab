// SPDX-License-Identifier: GPL-3.0-or-later
/* side - the side file of a replay. */
#include "side.h"

#include "clock.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct side_writer {
	FILE *out;
	int64_t began_ns;
	int err;
};

const char *const side_kinds[] = { "move", "press", "release", "keydown", "keyup", NULL };

struct side_writer *side_create(const char *path, int64_t began_ns)
{
	struct side_writer *w = calloc(1, sizeof(*w));

	if (!w)
		return NULL;
	w->began_ns = began_ns;
	w->out = fopen(path, "we");
	if (!w->out) {
		free(w);
		return NULL;
	}
	fputs("# vncplay-aux 1\n", w->out);
	return w;
}

static int64_t us(const struct side_writer *w, int64_t now_ns)
{
	return (now_ns - w->began_ns) / NS_PER_US;
}

static int64_t since_begin_ms(const struct side_writer *w, int64_t now_ns)
{
	return (now_ns - w->began_ns) / NS_PER_MS;
}

void side_setting(struct side_writer *w, const char *format, ...)
{
	va_list args;

	fputs("# settings: ", w->out);
	va_start(args, format);
	vfprintf(w->out, format, args);
	va_end(args);
	putc('\n', w->out);
}

void side_start(struct side_writer *w, int64_t now_ns)
{
	fprintf(w->out, "run start at %" PRId64 "\n", us(w, now_ns));
}

void side_input(struct side_writer *w, int n, const struct trace_event *input, int x, int y, int64_t now_ns, int64_t late_ns)
{
	fprintf(w->out, "input %d %s at %" PRId64 " line=%d late_us=%" PRId64, n, side_kinds[input->kind],
		us(w, now_ns), input->line, (int64_t)(late_ns / NS_PER_US));
	if (input->kind == TRACE_KEY_DOWN || input->kind == TRACE_KEY_UP)
		fprintf(w->out, " keysym=0x%" PRIx32 "\n", input->keysym);
	else if (input->kind == TRACE_MOVE)
		fprintf(w->out, " x=%d y=%d\n", x, y);
	else
		fprintf(w->out, " x=%d y=%d button=%d\n", x, y, input->button);
	if (input->kind == TRACE_PRESS || input->kind == TRACE_RELEASE)
		fprintf(w->out, "== sending mouse click event at %" PRId64 "\n", since_begin_ms(w, now_ns));
	else if (input->kind != TRACE_MOVE)
		fprintf(w->out, "== sending keyboard event at %" PRId64 "\n", since_begin_ms(w, now_ns));
}

void side_wiggle(struct side_writer *w, int64_t now_ns, int x, int y)
{
	fprintf(w->out, "wiggle at %" PRId64 " x=%d y=%d\n", us(w, now_ns), x, y);
}

void side_snapshot(struct side_writer *w, enum side_snapshot what, const struct side_shot *s, int64_t now_ns)
{
	static const char *const words[] = { "wait", "ok", "timeout" };

	if (s->n < 0)
		fprintf(w->out, "dependency %s at %" PRId64, words[what], us(w, now_ns));
	else
		fprintf(w->out, "snapshot %d %s at %" PRId64, s->n, words[what], us(w, now_ns));
	if (what == SIDE_WAIT && s->n < 0)
		fprintf(w->out, " line=%d\nWaiting for sync... at %" PRId64 "\n", s->line, since_begin_ms(w, now_ns));
	else if (what == SIDE_WAIT)
		fprintf(w->out, " line=%d why=%s\nWaiting for sync... at %" PRId64 "\n", s->line, trace_why_word(s->why),
			since_begin_ms(w, now_ns));
	else
		fprintf(w->out, " waited_us=%" PRId64 " mismatched=%d of=%d moved=%d,%d%s\n", (int64_t)(s->waited_ns / NS_PER_US),
			s->mismatched, s->of, s->dx, s->dy, s->pointer_masked ? " pointer=masked" : "");
	if (what == SIDE_OK)
		fprintf(w->out, "Sync ok at %" PRId64 "\n", since_begin_ms(w, now_ns));
}

void side_end(struct side_writer *w, int64_t now_ns, const char *status)
{
	fprintf(w->out, "run end at %" PRId64 " status=%s\n", us(w, now_ns), status);
}

int side_flush(struct side_writer *w)
{
	errno = 0;
	if (!w->err && (fflush(w->out) || ferror(w->out)))
		w->err = errno ? -errno : -EIO;
	return w->err;
}

int side_finish(struct side_writer *w)
{
	int err = side_flush(w);

	errno = 0;
	if (fclose(w->out) && !err)
		err = errno ? -errno : -EIO;
	free(w);
	return err;
}

int side_read_input(const char *text, struct side_sent *out)
{
	char kind[16], *end;
	struct side_sent sent;
	int used = 0;

	if (strncmp(text, "input ", 6) != 0)
		return 0;
	sent.n = (int)strtol(text + 6, &end, 10);
	if (sscanf(end, " %15s at %" SCNd64 " line=%d%n", kind, &sent.at_us, &sent.line, &used) != 3 || !used || sent.n < 0)
		return 0;
	for (int k = 0; side_kinds[k]; k++)
		if (!strcmp(side_kinds[k], kind)) {
			sent.kind = (enum trace_event_kind)k;
			*out = sent;
			return 1;
		}
	return 0;
}
