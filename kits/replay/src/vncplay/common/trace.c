// SPDX-License-Identifier: GPL-3.0-or-later
/* trace - reads traces. A trace may come from anywhere: everything is checked. */
#include "trace.h"
#include "cli.h"
#include "clock.h"
#include "memory.h"

#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <time.h>

#define LINE_MOST (1u << 20) /* bytes; the largest snapshot without two equal neighbours has half of it */

#define SIDE_MOST 65535 /* largest coordinate: RFB has 16 bits */
#define EVENTS_MOST 4000000
#define PIXELS_MOST (32u << 20)		       /* of all snapshots together: a few bytes of a line may stand for many pixels */
#define AT_MOST_NS (30ll * 86400 * 1000000000) /* largest time of an event */

const char *const trace_event_words[] = { "move", "press", "release", "keydown", "keyup", "snapshot", NULL };
const char *const trace_why_words[] = { "click", "key", "hover", NULL };

struct trace_line_reader {
	struct input_trace *t;
	size_t pixels; /* pixels of the snapshots so far */
	int line;
	struct why *why; /* the caller's, for an error */
};

/* Writes "line 12: ..." to r->why. Returns -EPROTO. */
static __attribute__((format(printf, 2, 3))) int set_error(struct trace_line_reader *r, const char *format, ...)
{
	va_list args;
	int n = snprintf(r->why->text, sizeof(r->why->text), "line %d: ", r->line);

	va_start(args, format);
	vsnprintf(r->why->text + n, sizeof(r->why->text) - (size_t)n, format, args);
	va_end(args);
	return -EPROTO;
}

/* Adds an event and sets its line. The trace owns its pixels from then on; after an error they are freed. 0, or -EPROTO with the
 * reason. */
static int add_event(struct trace_line_reader *r, const struct trace_event *e)
{
	struct input_trace *t = r->t;

	if (t->n == EVENTS_MOST) {
		free(e->pixels);
		return set_error(r, "more than %d events", EVENTS_MOST);
	}
	memory_more(t->events, (size_t)t->n);
	t->events[t->n] = *e;
	t->events[t->n++].line = r->line;
	return 0;
}

/* Makes e->pixels for e->box, all TRACE_ANY. 0, or -EPROTO: too many. */
static int make_pixels(struct trace_line_reader *r, struct trace_event *e)
{
	size_t n = (size_t)e->box.w * (size_t)e->box.h;

	if (n > TRACE_SNAPSHOT_MOST)
		return set_error(r, "a snapshot of %dx%d pixels is too large", e->box.w, e->box.h);
	if (r->pixels + n > PIXELS_MOST)
		return set_error(r, "more than %u pixels in all snapshots", PIXELS_MOST);
	e->pixels = memory_new(n, sizeof(*e->pixels));
	for (size_t i = 0; i < n; i++)
		e->pixels[i] = TRACE_ANY;
	r->pixels += n;
	return 0;
}

static char *next_word(char **rest)
{
	return strtok_r(NULL, " \t", rest);
}

static bool parse_number(const char *text, int64_t least, int64_t most, int64_t *out)
{
	return text && isdigit((unsigned char)*text) && !cli_parse_int(text, out) && *out >= least && *out <= most;
}

static bool parse_int(const char *text, int least, int most, int *out)
{
	int64_t v;

	if (!parse_number(text, least, most, &v))
		return false;
	*out = (int)v;
	return true;
}

static bool read_hex(const char *text, size_t digits, uint32_t *out)
{
	if (strspn(text, "0123456789abcdefABCDEF") < digits)
		return false;
	*out = 0;
	for (size_t i = 0; i < digits; i++)
		*out = *out << 4 | (uint32_t)(isdigit((unsigned char)text[i]) ? text[i] - '0' : (text[i] | 0x20) - 'a' + 10);
	return true;
}

/* Reads "..." with the escapes \" and \\. */
static bool read_quoted(const char *text, char *out, size_t size)
{
	size_t n = 0;

	if (*text++ != '"')
		return false;
	while (*text && *text != '"') {
		if (*text == '\\')
			text++;
		if (!*text || n + 1 >= size)
			return false;
		out[n++] = *text++;
	}
	out[n] = '\0';
	return text[0] == '"' && !text[1];
}

static int read_header_line(struct trace_line_reader *r, const char *first, char *rest)
{
	struct input_trace *t = r->t;
	struct tm when = { 0 };
	const char *end;

	if (t->n)
		return set_error(r, "\"%s\" belongs before the first event", first);
	if (!strcmp(first, "server"))
		return read_quoted(rest, t->server, sizeof(t->server)) ? 0 : set_error(r, "server: a name in quotes is expected");
	if (!strcmp(first, "screen")) {
		char *x = strchr(rest, 'x');

		if (x)
			*x++ = '\0';
		return x && parse_int(rest, 1, SCREEN_SIDE_MOST, &t->width) && parse_int(x, 1, SCREEN_SIDE_MOST, &t->height)
			       ? 0
			       : set_error(r, "screen: a size such as 1024x768 is expected");
	}
	if (!strcmp(first, "pixels"))
		return !strcmp(rest, "0x00RRGGBB") ? 0 : set_error(r, "pixels: only 0x00RRGGBB is known");
	if (!strcmp(first, "time"))
		return !strcmp(rest, "us since start") ? 0 : set_error(r, "time: only \"us since start\" is known");
	if (!strcmp(first, "started")) {
		end = strptime(rest, "%Y-%m-%dT%H:%M:%SZ", &when);
		return end && !*end ? 0 : set_error(r, "started: a time such as 2026-01-31T12:00:00Z is expected");
	}
	return set_error(r, "\"%.20s\" is not a word of a trace", first);
}

/* Reads pixels as in COUNT*RRGGBB,RRGGBB,COUNT*-; "-" is a pixel that is not compared. */
static int read_snapshot_pixels(struct trace_line_reader *r, const char *text, struct trace_event *e)
{
	size_t n = (size_t)e->box.w * (size_t)e->box.h, at = 0;
	int err = make_pixels(r, e);

	if (err)
		return err;
	while (at < n) {
		size_t run = 1, digits = strspn(text, "0123456789");
		uint32_t pixel = TRACE_ANY;

		if (digits > 0 && digits < 7 && text[digits] == '*') {
			run = (size_t)strtoul(text, NULL, 10);
			text += digits + 1;
		}
		if (*text == '-')
			text++;
		else if (read_hex(text, 6, &pixel))
			text += 6;
		else
			break;
		if (!run || run > n - at || *text != (at + run < n ? ',' : '\0'))
			break;
		text += at + run < n;
		while (run--)
			e->pixels[at++] = pixel;
	}
	if (at == n)
		return 0;
	free(e->pixels);
	return set_error(r, "snapshot: %zu pixels are expected, as RRGGBB or COUNT*RRGGBB with commas between", n);
}

static int read_snapshot(struct trace_line_reader *r, char *rest, struct trace_event *e)
{
	int why = find_word(trace_why_words, next_word(&rest)), err;
	const char *pixels;

	if (why < 0)
		return set_error(r, "snapshot: click, key or hover is expected");
	e->why = (enum trace_why)why;
	if (!parse_int(next_word(&rest), 0, SCREEN_SIDE_MOST - 1, &e->box.x) ||
	    !parse_int(next_word(&rest), 0, SCREEN_SIDE_MOST - 1, &e->box.y) ||
	    !parse_int(next_word(&rest), 1, SCREEN_SIDE_MOST, &e->box.w) ||
	    !parse_int(next_word(&rest), 1, SCREEN_SIDE_MOST, &e->box.h) || e->box.x + e->box.w > SCREEN_SIDE_MOST ||
	    e->box.y + e->box.h > SCREEN_SIDE_MOST)
		return set_error(r, "snapshot: X Y WIDTH HEIGHT within %d pixels are expected", SCREEN_SIDE_MOST);
	pixels = next_word(&rest);
	e->twin = pixels && !strcmp(pixels, "twin");
	if (e->twin)
		pixels = next_word(&rest);
	err = read_snapshot_pixels(r, pixels ? pixels : "", e);
	if (!err && next_word(&rest)) {
		free(e->pixels);
		return set_error(r, "snapshot: something follows its pixels");
	}
	return err ? err : add_event(r, e);
}

static int read_event(struct trace_line_reader *r, char *at, char *rest)
{
	const struct trace_event *last = r->t->n ? &r->t->events[r->t->n - 1] : NULL;
	struct trace_event e = { .x = last ? last->x : -1, .y = last ? last->y : -1 };
	const char *what = next_word(&rest), *text;
	int kind = find_word(trace_event_words, what);
	int64_t us;

	if (!parse_number(at, 0, AT_MOST_NS / NS_PER_US, &us))
		return set_error(r, "\"%.20s\" is not a time in microseconds", at);
	e.at_ns = us * NS_PER_US;
	if (last && e.at_ns < last->at_ns)
		return set_error(r, "earlier than the line before");
	if (kind < 0)
		return set_error(r, "\"%.20s\" is not an event", what ? what : "");
	e.kind = (enum trace_event_kind)kind;
	if (!r->t->width)
		return set_error(r, "an event before the screen's size (a line such as screen 1024x768)");
	switch (e.kind) {
	case TRACE_SNAPSHOT: return read_snapshot(r, rest, &e);
	case TRACE_PRESS:
	case TRACE_RELEASE:
		if (!parse_int(next_word(&rest), 1, 8, &e.button))
			return set_error(r, "%s: a button from 1 to 8 is expected", what);
		/* fall through */
	case TRACE_MOVE:
		if (!parse_int(next_word(&rest), 0, SIDE_MOST, &e.x) || !parse_int(next_word(&rest), 0, SIDE_MOST, &e.y))
			return set_error(r, "%s: X Y are expected, from 0 to %d", what, SIDE_MOST);
		break;
	default:
		text = next_word(&rest);
		if (!text || strncmp(text, "0x", 2) != 0 || strlen(text) > 10 || !read_hex(text + 2, strlen(text + 2), &e.keysym) ||
		    !e.keysym || e.keysym > 0x1fffffff)
			return set_error(r, "%s: a keysym such as 0xff0d is expected", what);
		next_word(&rest); /* the key's name is a comment */
	}
	return next_word(&rest) ? set_error(r, "%s: something follows that does not belong there", what) : add_event(r, &e);
}

/* Reads a line without its end. 1; 0: the file ends, *cut: within a line; -EPROTO, -ENOMEM, -errno. */
static int fetch_line(FILE *in, struct trace_line_reader *r, char *text, bool *cut)
{
	long at = ftell(in); /* -1: a pipe */
	size_t n;

	r->line++;
	if (!fgets(text, LINE_MOST, in))
		return ferror(in) ? (errno ? -errno : -EIO) : 0;
	n = strlen(text);
	if (n && text[n - 1] == '\n') {
		text[n - 1 - (n > 1 && text[n - 2] == '\r')] = '\0';
		return 1;
	}
	if (n == LINE_MOST - 1)
		return set_error(r, "longer than any line of a trace");
	*cut = feof(in) && (at < 0 || ftell(in) - at == (long)n); /* (a zero byte ends the text, but not the line) */
	if (*cut)
		return 0;
	return r->line == 1 ? set_error(r, "not a trace: it is no text; give what vncplay record wrote")
			    : set_error(r, "a zero byte: the trace is damaged; record it again, or cut it before this line");
}

static int read_first_line(struct trace_line_reader *r, const char *text)
{
	static const char head[] = "vncplay-trace ";

	if (!strncmp(text, head, sizeof(head) - 1))
		return !strcmp(text + sizeof(head) - 1, "1")
			       ? 0
			       : set_error(r, "version %.20s of the format; this program reads version 1", text + sizeof(head) - 1);
	if ((isdigit((unsigned char)*text) || *text == '-') && strstr(text, " type="))
		return set_error(r, "a trace of the VNCplay of 2005, which is read no more: record the session by vncplay record");
	if (!strncmp(text, "FBS ", 4))
		return set_error(r, "not a trace but a log, as vncplay play writes it: give the trace that it was played from");
	return set_error(r, "not a trace: it does not begin with \"vncplay-trace 1\"; give what vncplay record wrote");
}

static int read_trace_line(struct trace_line_reader *r, char *text)
{
	char *rest = NULL, *first;

	if (text[strspn(text, " \t")] == '#')
		return 0;
	first = strtok_r(text, " \t", &rest);
	if (!first)
		return 0;
	return isdigit((unsigned char)*first) ? read_event(r, first, rest) : read_header_line(r, first, rest);
}

int trace_load(const char *path, struct input_trace *t, struct why *why)
{
	struct trace_line_reader r = { .t = t, .why = why };
	FILE *in = fopen(path, "re");
	char *text = malloc(LINE_MOST);
	int err = text ? 0 : -ENOMEM, more;

	*t = (struct input_trace){ 0 };
	*why->text = '\0';
	if (!in) {
		err = -errno;
		free(text);
		return err;
	}
	errno = 0;
	while (!err && (more = fetch_line(in, &r, text, &t->cut)) != 0)
		err = more < 0 ? more : r.line == 1 ? read_first_line(&r, text) : read_trace_line(&r, text);
	if (!err && r.line == 1)
		err = set_error(&r, t->cut ? "not a trace, or cut within its first line" : "the file is empty");
	free(text);
	fclose(in);
	if (err)
		trace_free(t);
	return err;
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
