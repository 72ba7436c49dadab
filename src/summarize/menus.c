// SPDX-License-Identifier: GPL-3.0-or-later
#include "menus.h"
#include "run_folder.h"

#include <math.h>
#include <string.h>

/* Parts between separators; an empty one is none. */
static int menus_parts(const char *text, char separator)
{
	int n = 0;

	for (const char *p = text; *p; p++)
		n += *p != separator && (p == text || p[-1] == separator);
	return n;
}

double menus_index(const struct klm_times *t, const char *path, const char *shortcut)
{
	int keys = menus_parts(shortcut, '+');

	if (*shortcut)
		return (keys ? keys : 1) * t->key;	/* "+" is a key, too */
	return t->home + menus_parts(path, '/') * (t->point + 2 * t->button);
}

double menus_felt(double total, double expected, double beta)
{
	return total <= expected ? 0 : pow(total - expected, beta);
}

static bool menus_read(const struct json *j, const char *prefix, int class, int i, struct menus_event *e)
{
	char of[96];

	snprintf(of, sizeof(of), "%s.classes.%d.events.%d", prefix, class, i);
	*e = (struct menus_event){ inputs_text(j, "%s.application", of), inputs_text(j, "%s.path", of), inputs_text(j, "%s.shortcut", of),
		inputs_number(j, "%s.count", of) };
	if (!e->shortcut)
		e->shortcut = "";
	return e->application && e->path;
}

/* The same event in another class of users; false: they never ask for it. */
static bool menus_find(const struct json *j, const char *prefix, int class, const struct menus_event *like, struct menus_event *out)
{
	for (int i = 0; menus_read(j, prefix, class, i, out); i++)
		if (!strcmp(out->application, like->application) && !strcmp(out->path, like->path))
			return true;
	return false;
}

static bool menus_class(const struct json *j, const char *prefix, int class)
{
	return inputs_text(j, "%s.classes.%d.class", prefix, class);
}

size_t menus_common(const struct json *j, const char *prefix, struct menus_event event[MENUS_EVENTS])
{
	struct menus_event first, same;
	size_t n = 0;

	for (int i = 0; n < MENUS_EVENTS && menus_read(j, prefix, 0, i, &first); i++) {
		struct menus_event e = first;
		bool all = true;

		for (int class = 1; all && menus_class(j, prefix, class); class++) {
			all = menus_find(j, prefix, class, &first, &same);
			e.count += same.count;
			if (all && strcmp(same.shortcut, first.shortcut) != 0)
				e.shortcut = "";
		}
		if (all)
			event[n++] = e;
	}
	return n;
}
