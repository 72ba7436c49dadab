// SPDX-License-Identifier: GPL-3.0-or-later
#include "trace_lines.h"
#include "memory.h"

#include <errno.h>
#include <stdarg.h>

const char *const trace_event_words[] = { "move", "press", "release", "keydown", "keyup", "snapshot", NULL };
const char *const trace_why_words[] = { "click", "key", "hover", NULL };

int trace_lines_set_error(struct trace_line_reader *r, const char *format, ...)
{
	va_list args;
	int n = snprintf(r->why->text, sizeof(r->why->text), "line %d: ", r->line);

	va_start(args, format);
	vsnprintf(r->why->text + n, sizeof(r->why->text) - (size_t)n, format, args);
	va_end(args);
	return -EPROTO;
}

int trace_lines_add_event(struct trace_line_reader *r, const struct trace_event *e)
{
	struct input_trace *t = r->t;

	if (t->n == TRACE_EVENTS_MOST) {
		free(e->pixels);
		return trace_lines_set_error(r, "more than %d events", TRACE_EVENTS_MOST);
	}
	memory_more(t->events, (size_t)t->n);
	t->events[t->n] = *e;
	t->events[t->n++].line = r->line;
	return 0;
}

int trace_lines_alloc(struct trace_line_reader *r, struct trace_event *e)
{
	size_t n = (size_t)e->box.w * (size_t)e->box.h;

	if (n > TRACE_SNAPSHOT_MOST)
		return trace_lines_set_error(r, "a snapshot of %dx%d pixels is too large", e->box.w, e->box.h);
	if (r->pixels + n > TRACE_PIXELS_MOST)
		return trace_lines_set_error(r, "more than %u pixels in all snapshots", TRACE_PIXELS_MOST);
	e->pixels = memory_new(n, sizeof(*e->pixels));
	for (size_t i = 0; i < n; i++)
		e->pixels[i] = TRACE_ANY;
	r->pixels += n;
	return 0;
}

void trace_free(struct input_trace *t)
{
	for (int i = 0; i < t->n; i++)
		free(t->events[i].pixels);
	free(t->events);
	*t = (struct input_trace){ 0 };
}

int trace_count_inputs(const struct input_trace *t)
{
	int n = 0;

	for (int i = 0; i < t->n; i++)
		n += t->events[i].kind != TRACE_SNAPSHOT;
	return n;
}

void held_keys_update(struct held_keys *k, uint32_t keysym, bool down)
{
	int i = 0;

	while (i < k->n && k->key[i] != keysym)
		i++;
	if (down && i == k->n && i < TRACE_KEYS_MOST)
		k->key[k->n++] = keysym;
	else if (!down && i < k->n)
		k->key[i] = k->key[--k->n];
}
