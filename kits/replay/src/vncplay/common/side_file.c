// SPDX-License-Identifier: GPL-3.0-or-later
#include "side_file.h"
#include "clock.h"
#include "memory.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>

struct growing_file *side_file_create(const char *path, int64_t began_ns)
{
	struct growing_file *w = growing_file_create(path, "# vncplay-aux 1\n");

	if (w)
		w->began_ns = began_ns;
	return w;
}

static int64_t since_begin_us(const struct growing_file *w, int64_t now_ns)
{
	return (now_ns - w->began_ns) / NS_PER_US;
}

static int64_t since_begin_ms(const struct growing_file *w, int64_t now_ns)
{
	return (now_ns - w->began_ns) / NS_PER_MS;
}

void side_file_write_setting(struct growing_file *w, const char *format, ...)
{
	va_list args;

	fputs("# settings: ", w->out);
	va_start(args, format);
	vfprintf(w->out, format, args);
	va_end(args);
	putc('\n', w->out);
}

void side_file_write_arrival(struct growing_file *w, size_t n, int64_t came_ns)
{
	int64_t us = since_begin_us(w, came_ns);

	fprintf(w->out, "received %zu at %" PRId64 "\n", n, us < 0 ? 0 : us);
}

void side_file_write_start(struct growing_file *w, int64_t now_ns)
{
	fprintf(w->out, "run start at %" PRId64 "\n", since_begin_us(w, now_ns));
}

void side_file_write_input(struct growing_file *w, int n, const struct trace_event *input, int x, int y, int64_t now_ns,
			   int64_t late_ns)
{
	fprintf(w->out, "input %d %s at %" PRId64 " line=%d late_us=%" PRId64, n, trace_event_words[input->kind],
		since_begin_us(w, now_ns), input->line, (int64_t)(late_ns / NS_PER_US));
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

void side_file_write_wiggle(struct growing_file *w, int64_t now_ns, int x, int y)
{
	fprintf(w->out, "wiggle at %" PRId64 " x=%d y=%d\n", since_begin_us(w, now_ns), x, y);
}

void side_file_write_wait(struct growing_file *w, enum side_file_event what, const struct awaited_screen *s, int64_t now_ns)
{
	static const char *const words[] = { "wait", "ok", "timeout" };

	fprintf(w->out, "snapshot %d %s at %" PRId64, s->n, words[what], since_begin_us(w, now_ns));
	if (what == SIDE_WAIT)
		fprintf(w->out, " line=%d why=%s\nWaiting for sync... at %" PRId64 "\n", s->line, trace_why_words[s->why],
			since_begin_ms(w, now_ns));
	else
		fprintf(w->out, " waited_us=%" PRId64 " mismatched=%d of=%d moved=%d,%d%s\n", (int64_t)(s->waited_ns / NS_PER_US),
			s->mismatched, s->of, s->dx, s->dy, s->pointer_masked ? " pointer=masked" : "");
	if (what == SIDE_OK)
		fprintf(w->out, "Sync ok at %" PRId64 "\n", since_begin_ms(w, now_ns));
}

void side_file_write_end(struct growing_file *w, int64_t now_ns, const char *status)
{
	fprintf(w->out, "run end at %" PRId64 " status=%s\n", since_begin_us(w, now_ns), status);
}

#define LINE_MOST 4096
#define TIME_MOST (INT64_C(1) << 52) /* microseconds; 142 years */
#define NEW_CLICK_US 2000000
#define SOON_US 500000
#define DRAG_PIXELS 4

const char *const stimulus_words[] = { "click", "drag", "scroll", "key", "move" };

void sent_inputs_free(struct sent_inputs *in)
{
	free(in->input);
	free(in->arrival);
	free(in->sync_ms);
	free(in->old_ms);
	*in = (struct sent_inputs){ 0 };
}

static void add_input(struct sent_inputs *in, struct sent_input one)
{
	memory_more(in->input, in->n);
	in->input[in->n++] = one;
}

static void add_time(uint32_t **list, size_t *n, int64_t ms)
{
	memory_more(*list, *n);
	(*list)[(*n)++] = (uint32_t)ms;
}

/* Reads a whole number that ends at the end of `text` or before a space. */
static bool read_whole_number(const char *text, int64_t most, int64_t *out)
{
	char *end;

	if (*text < '0' || *text > '9')
		return false;
	errno = 0;
	*out = strtoll(text, &end, 10);
	return !errno && *out <= most && (!*end || *end == ' ');
}

static bool parse_key_number(const char *line, const char *key, int base, int64_t *out)
{
	const char *at = strstr(line, key);
	char *end;

	if (!at)
		return false;
	errno = 0;
	*out = strtoll(at + strlen(key), &end, base);
	return !errno && end > at + strlen(key) && *out >= 0 && *out <= UINT32_MAX;
}

static bool read_input_line(struct sent_inputs *in, const char *line)
{
	struct sent_input one = { .x = -1, .y = -1 };
	int64_t v;
	int n, kind, at = 0;
	char word[16];

	if (sscanf(line, "input %9d %15s at %n", &n, word, &at) != 2 || !at || n < 0 ||
	    !read_whole_number(line + at, TIME_MOST, &one.at_us))
		return false;
	one.n = n;
	kind = find_word(trace_event_words, word);
	if (kind < 0 || kind == TRACE_SNAPSHOT)
		return false;
	one.kind = (enum trace_event_kind)kind;
	if (parse_key_number(line, " line=", 10, &v))
		one.line = (int)(v & INT32_MAX);
	if (parse_key_number(line, " x=", 10, &v))
		one.x = (int)(v & 0xffff);
	if (parse_key_number(line, " y=", 10, &v))
		one.y = (int)(v & 0xffff);
	if (parse_key_number(line, " button=", 10, &v))
		one.button = (int)(v & 0xff);
	if (parse_key_number(line, " keysym=", 16, &v))
		one.keysym = (uint32_t)v;
	in->old = false;
	add_input(in, one);
	return true;
}

static bool read_arrival_line(struct sent_inputs *in, const char *rest)
{
	struct arrival one = { .end = in->n_arrivals ? in->arrival[in->n_arrivals - 1].end : 0 };
	int64_t bytes;
	char *at;

	if (!read_whole_number(rest, UINT32_MAX, &bytes))
		return false;
	at = strstr(rest, " at ");
	if (!at || !read_whole_number(at + 4, TIME_MOST, &one.at_us))
		return false;
	one.end += (uint64_t)bytes;
	memory_more(in->arrival, in->n_arrivals);
	in->arrival[in->n_arrivals++] = one;
	return true;
}

static bool skip_prefix(const char *line, const char *with, const char **rest)
{
	size_t n = strlen(with);

	if (strncmp(line, with, n) != 0)
		return false;
	*rest = line + n;
	return true;
}

/* Reads a line. False: it is not known. */
static bool read_known_line(struct sent_inputs *in, struct sent_inputs *old, const char *line)
{
	const char *rest, *word;
	int64_t v;

	if (skip_prefix(line, "input ", &rest))
		return read_input_line(in, line);
	if (skip_prefix(line, "received ", &rest))
		return read_arrival_line(in, rest);
	if (skip_prefix(line, "== sending mouse click event at ", &rest) ||
	    skip_prefix(line, "== sending keyboard event at ", &rest)) {
		struct sent_input one = {
			.x = -1, .y = -1, .kind = line[11] == 'm' ? TRACE_PRESS : TRACE_KEY_DOWN, .n = (int)old->n
		};

		if (!read_whole_number(rest, UINT32_MAX, &v))
			return false;
		one.at_us = v * 1000;
		add_input(old, one);
		add_time(&in->old_ms, &in->n_old, v);
		return true;
	}
	if (skip_prefix(line, "Sync ok at ", &rest) && read_whole_number(rest, UINT32_MAX, &v)) {
		add_time(&in->sync_ms, &in->n_syncs, v);
		return true;
	}
	if (skip_prefix(line, "run end at ", &rest) && read_whole_number(rest, TIME_MOST, &v)) {
		in->end_us = v;
		word = strstr(rest, "status=");
		if (word)
			snprintf(in->status, sizeof(in->status), "%.*s", (int)strcspn(word + 7, " "), word + 7);
		return true;
	}
	return skip_prefix(line, "# vncplay-aux", &rest) || skip_prefix(line, "run start at ", &rest) ||
	       skip_prefix(line, "Waiting for sync", &rest);
}

/* Lines in the form of 2005: decides which of them are releases. */
static void mark_2005_releases(struct sent_inputs *old)
{
	/* [0]: of the mouse, [1]: of the keyboard: index of the press that is not released yet; -1: none */
	ptrdiff_t held[2] = { -1, -1 };

	for (size_t i = 0; i < old->n; i++) {
		struct sent_input *e = &old->input[i];
		bool key = e->kind == TRACE_KEY_DOWN;
		size_t next = i + 1;

		while (next < old->n && (old->input[next].kind == TRACE_KEY_DOWN) != key)
			next++;
		if (held[key] >= 0 && e->at_us - old->input[held[key]].at_us >= NEW_CLICK_US && next < old->n &&
		    old->input[next].at_us - e->at_us <= SOON_US)
			held[key] = -1;
		if (held[key] < 0) {
			held[key] = (ptrdiff_t)i;
		} else {
			e->kind = key ? TRACE_KEY_UP : TRACE_RELEASE;
			held[key] = -1;
		}
	}
}

static int compare_times(const void *a, const void *b)
{
	const struct sent_input *x = a, *y = b;

	return x->at_us != y->at_us ? (x->at_us > y->at_us) - (x->at_us < y->at_us) : (x->n > y->n) - (x->n < y->n);
}

static void sort_inputs(struct sent_inputs *in)
{
	for (size_t i = 1; i < in->n; i++)
		if (in->input[i].at_us < in->input[i - 1].at_us)
			in->cut = true;
	if (in->cut && in->n)
		qsort(in->input, in->n, sizeof(*in->input), compare_times);
}

int sent_inputs_read(FILE *file, struct sent_inputs *in)
{
	struct sent_inputs old = { 0 };
	char line[LINE_MOST];
	bool known = false, whole = true;
	int err;

	*in = (struct sent_inputs){ .end_us = -1, .old = true };
	while (fgets(line, sizeof(line), file)) {
		size_t n = strlen(line);
		bool began = whole;

		whole = n && line[n - 1] == '\n';
		if (!began) /* the rest of a line that is too long */
			continue;
		if (!whole && feof(file)) { /* the last line is incomplete: digits may be missing */
			in->cut = true;
			break;
		}
		line[strcspn(line, "\r\n")] = '\0';
		known |= read_known_line(in, &old, line);
	}
	err = ferror(file) ? -EIO : known ? 0 : -EPROTO;
	if (in->old) {
		in->input = old.input;
		in->n = old.n;
		old.input = NULL;
	}
	sort_inputs(in);
	if (in->old)
		mark_2005_releases(in);
	sent_inputs_free(&old);
	if (err)
		sent_inputs_free(in);
	return err;
}

static bool is_wheel_input(const struct sent_input *e)
{
	return e->button >= 4 && e->button <= 7;
}

struct stimulus *stimuli_make(const struct sent_inputs *in, size_t *n)
{
	struct stimulus *list = memory_new(in->n, sizeof(*list));
	size_t *from = memory_new(in->n, sizeof(*from)); /* for each stimulus: index of its input */

	*n = 0;
	for (size_t i = 0; i < in->n; i++) {
		const struct sent_input *e = &in->input[i];

		if (e->kind == TRACE_PRESS || e->kind == TRACE_KEY_DOWN) {
			from[*n] = i;
			list[(*n)++] = (struct stimulus){ e->kind == TRACE_KEY_DOWN ? STIMULUS_KEY
							  : is_wheel_input(e)	    ? STIMULUS_SCROLL
										    : STIMULUS_CLICK,
							  e->n, e->at_us, -1 };
			continue;
		}
		if (e->kind == TRACE_MOVE)
			continue;
		for (size_t k = *n;
		     k-- > 0 && k + 64 > *n;) { /* find the last press of the same key or button that is not released yet */
			const struct sent_input *p = &in->input[from[k]];

			if (list[k].release_us >= 0 || (p->kind == TRACE_KEY_DOWN) != (e->kind == TRACE_KEY_UP) ||
			    p->button != e->button || (p->keysym != e->keysym && p->kind == TRACE_KEY_DOWN))
				continue;
			list[k].release_us = e->at_us;
			if (list[k].kind == STIMULUS_CLICK && p->x >= 0 && e->x >= 0 &&
			    (abs(p->x - e->x) > DRAG_PIXELS || abs(p->y - e->y) > DRAG_PIXELS))
				list[k].kind = STIMULUS_DRAG;
			break;
		}
	}
	free(from);
	return list;
}
