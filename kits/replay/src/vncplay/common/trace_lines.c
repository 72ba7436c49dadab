// SPDX-License-Identifier: GPL-3.0-or-later
#include "trace_lines.h"
#include "array.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

const char *const trace_event_words[] = { "move", "press", "release", "keydown", "keyup", "snapshot", NULL };
const char *const trace_why_words[] = { "click", "key", "hover", NULL };

int trace_find_word(const char *const *words, const char *word)
{
	for (int i = 0; word && words[i]; i++)
		if (!strcmp(words[i], word))
			return i;
	return -1;
}

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
	int err;

	if (t->n == TRACE_EVENTS_MOST)
		err = trace_lines_set_error(r, "more than %d events", TRACE_EVENTS_MOST);
	else
		err = array_room(&t->events, t->n);
	if (err) {
		free(e->pixels);
		return err;
	}
	t->events[t->n] = *e;
	t->events[t->n++].line = r->line;
	return 0;
}

uint32_t *trace_lines_alloc(struct trace_line_reader *r, struct pixel_area box, int *err)
{
	size_t n = (size_t)box.w * (size_t)box.h;
	uint32_t *pixels;

	*err = 0;
	if (n > TRACE_SNAPSHOT_MOST)
		*err = trace_lines_set_error(r, "a snapshot of %dx%d pixels is too large", box.w, box.h);
	else if (r->pixels + n > TRACE_PIXELS_MOST)
		*err = trace_lines_set_error(r, "more than %u pixels in all snapshots", TRACE_PIXELS_MOST);
	if (*err)
		return NULL;
	pixels = malloc(n * sizeof(*pixels));
	if (!pixels) {
		*err = -ENOMEM;
		return NULL;
	}
	for (size_t i = 0; i < n; i++)
		pixels[i] = TRACE_ANY;
	r->pixels += n;
	return pixels;
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
