// SPDX-License-Identifier: GPL-3.0-or-later
#include "post_events.h"
#include "lines.h"
#include "memory.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int post_parse_key(const char *text, struct input_act *out)
{
	/* modifiers that act_parse_key() does not know */
	static const struct {
		const char *prefix;
		unsigned held;
	} more[] = { { "super+", POST_SUPER }, { "control+", ACT_CTRL } };
	char name[64], *at;
	unsigned held = 0;

	if (snprintf(name, sizeof(name), "%s", text) >= (int)sizeof(name))
		return -EINVAL;
	for (size_t i = 0; i < sizeof(more) / sizeof(*more); i++) {
		size_t length = strlen(more[i].prefix);

		at = strstr(name, more[i].prefix);
		if (!at || (at > name && at[-1] != '+'))
			continue;
		held |= more[i].held;
		memmove(at, at + length, strlen(at + length) + 1);
	}
	if (act_parse_key(name, out))
		return -EINVAL;
	out->held |= held;
	return 0;
}

static void add_act(struct scripted_event *e, const struct input_act *act)
{
	memory_more(e->act, e->n);
	e->act[e->n++] = *act;
}

/* Adds the characters of a text as keys. NULL, or an error. */
static const char *add_text(struct scripted_event *e, const char *text)
{
	if (!*text)
		return "nothing to type";
	while (*text) {
		struct input_act act;

		if (act_parse_character(&text, &act))
			return "a character that no key types";
		add_act(e, &act);
	}
	return NULL;
}

/* NULL, or an error. */
static const char *parse_word(struct scripted_event *e, const char *text)
{
	struct input_act act = { .kind = ACT_BUTTON, .button = 1 };
	char after;

	if (!strncmp(text, "type:", 5))
		return add_text(e, text + 5);
	if (!strncmp(text, "click:", 6)) {
		if (sscanf(text + 6, "%d,%d%c", &act.x, &act.y, &after) != 2)
			return "a click is click:X,Y";
	} else if (post_parse_key(text, &act)) {
		return "a key is its name, with ctrl+, shift+, alt+ or super+ in front";
	}
	add_act(e, &act);
	return NULL;
}

/* NULL, or an error. */
static const char *read_event(struct scripted_event *e, char *line)
{
	char *tab = strchr(line, '\t'), *rest;
	const char *wrong = NULL;

	if (!tab || tab == line)
		return "a name, a tab, then keys";
	*tab = '\0';
	e->name = must_alloc(strdup(line));
	for (char *word = strtok_r(tab + 1, " \t", &rest); word && !wrong; word = strtok_r(NULL, " \t", &rest))
		wrong = parse_word(e, word);
	return wrong || e->n ? wrong : "no keys after the name";
}

int event_script_read(struct event_script *s, FILE *in, struct why *why)
{
	const char *wrong = NULL;
	struct line_reader lines;
	int got = 0;

	*s = (struct event_script){ 0 };
	if (line_reader_init(&lines, in))
		return why_fail(-ENOMEM, why, "no memory");
	while (!wrong && (got = line_reader_next(&lines)) == 1) {
		char *line = lines.text;

		if (!line[strspn(line, " \t")] || line[0] == '#')
			continue;
		memory_more(s->event, s->n);
		s->event[s->n] = (struct scripted_event){ 0 };
		wrong = read_event(&s->event[s->n++], line);
	}
	if (!wrong && got == -EPROTO)
		wrong = lines.why;
	if (!wrong && !got && !s->n)
		wrong = "no event in it";
	if (wrong)
		why_say(why, "line %lu: %s", lines.line - !got, wrong);
	else if (got)
		why_say(why, "%s", strerror(-got));
	line_reader_free(&lines);
	if (!wrong && !got)
		return 0;
	event_script_free(s);
	return -EPROTO;
}

void event_script_free(struct event_script *s)
{
	for (size_t i = 0; i < s->n; i++) {
		free(s->event[i].act);
		free(s->event[i].name);
	}
	free(s->event);
	*s = (struct event_script){ 0 };
}
