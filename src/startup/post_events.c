// SPDX-License-Identifier: GPL-3.0-or-later
#include "post_events.h"
#include "array.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static int modifier_of(const char *text, size_t n)
{
	static const struct {
		const char *name;
		int modifier;
	} known[] = {
		{ "ctrl", POST_CTRL }, { "control", POST_CTRL }, { "shift", POST_SHIFT }, { "alt", POST_ALT }, { "super", POST_SUPER },
	};

	for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++)
		if (strlen(known[i].name) == n && !strncmp(known[i].name, text, n))
			return known[i].modifier;
	return 0;
}

/* Reads the modifiers before a key; "ctrl++" is the key + with Ctrl. Returns the name of the key; NULL: an unknown modifier. */
static const char *read_modifiers(const char *text, int *modifiers)
{
	const char *plus;
	int one;

	*modifiers = 0;
	while ((plus = strchr(text, '+')) && plus > text && plus[1]) {
		one = modifier_of(text, (size_t)(plus - text));
		if (!one)
			return NULL;
		*modifiers |= one;
		text = plus + 1;
	}
	return *text ? text : NULL;
}

/* NULL, or an error. */
static const char *read_post_word(struct post_word *w, const char *text)
{
	char after;

	if (!strncmp(text, "type:", 5)) {
		w->kind = POST_TYPE;
		text += 5;
		if (!*text)
			return "nothing to type";
	} else if (!strncmp(text, "click:", 6)) {
		w->kind = POST_CLICK;
		if (sscanf(text + 6, "%d,%d%c", &w->x, &w->y, &after) != 2)
			return "a click is click:X,Y";
		text = "";
	} else {
		w->kind = POST_KEY;
		text = read_modifiers(text, &w->modifiers);
		if (!text)
			return "a key is its name, with ctrl+, shift+, alt+ or super+ in front";
	}
	w->text = strdup(text);
	return w->text ? NULL : "no memory";
}

/* NULL, or an error. */
static const char *read_post_event(struct post_event *e, char *line)
{
	char *tab = strchr(line, '\t'), *rest, *word;
	const char *wrong;

	if (!tab || tab == line)
		return "a name, a tab, then keys";
	*tab = '\0';
	e->name = strdup(line);
	if (!e->name)
		return "no memory";
	for (word = strtok_r(tab + 1, " \t", &rest); word; word = strtok_r(NULL, " \t", &rest)) {
		if (e->words == POST_WORDS)
			return "too many words";
		wrong = read_post_word(&e->word[e->words++], word);
		if (wrong)
			return wrong;
	}
	return e->words ? NULL : "no keys after the name";
}

int post_events_read(struct post_events *s, FILE *in, char *why, size_t size)
{
	const char *wrong = NULL;
	char *line = NULL;
	size_t room = 0;
	unsigned long at = 0;

	*s = (struct post_events){ 0 };
	while (!wrong && getline(&line, &room, in) >= 0) {
		at++;
		line[strcspn(line, "\r\n")] = '\0';
		if (!line[strspn(line, " \t")] || line[0] == '#')
			continue;
		if (array_room(&s->event, s->n)) {
			wrong = "no memory";
			break;
		}
		s->event[s->n] = (struct post_event){ 0 };
		wrong = read_post_event(&s->event[s->n++], line);
	}
	free(line);
	if (!wrong && !s->n)
		wrong = "no event in it";
	if (!wrong)
		return 0;
	snprintf(why, size, "line %lu: %s", at, wrong);
	post_events_free(s);
	return -EPROTO;
}

void post_events_free(struct post_events *s)
{
	for (size_t i = 0; i < s->n; i++) {
		for (int k = 0; k < s->event[i].words; k++)
			free(s->event[i].word[k].text);
		free(s->event[i].name);
	}
	free(s->event);
	*s = (struct post_events){ 0 };
}
