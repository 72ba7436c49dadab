// SPDX-License-Identifier: GPL-3.0-or-later
#include "startup.h"

#include <math.h>
#include <string.h>

/* Returns the number of non-empty parts between separators. */
static int count_parts(const char *text, char separator)
{
	int n = 0;

	for (const char *p = text; *p; p++)
		n += *p != separator && (p == text || p[-1] == separator);
	return n;
}

double menus_selection_s(const struct klm_times *t, const char *path, const char *shortcut)
{
	int keys = count_parts(shortcut, '+');

	if (*shortcut)
		return (keys ? keys : 1) * t->key; /* "+" is a key, too */
	return t->home + count_parts(path, '/') * (t->point + 2 * t->button);
}

double menus_felt_delay_s(double total, double expected, double beta)
{
	return total <= expected ? 0 : pow(total - expected, beta);
}

static bool read_action(const struct json_document *j, const char *prefix, int class, int i, struct user_action *e)
{
	char of[96];

	snprintf(of, sizeof(of), "%s.classes.%d.events.%d", prefix, class, i);
	*e = (struct user_action){ json_get_text(j, "%s.application", of), json_get_text(j, "%s.path", of),
				   json_get_text(j, "%s.shortcut", of), json_number(j, "%s.count", of) };
	if (!e->shortcut)
		e->shortcut = "";
	return e->application && e->path;
}

/* Finds the same action in another class of users; false: the class does not perform it. */
static bool find_same_action(const struct json_document *j, const char *prefix, int class, const struct user_action *like,
			     struct user_action *out)
{
	for (int i = 0; read_action(j, prefix, class, i, out); i++)
		if (!strcmp(out->application, like->application) && !strcmp(out->path, like->path))
			return true;
	return false;
}

size_t menus_find_actions(const struct json_document *j, const char *prefix, struct user_action event[static MENUS_EVENTS])
{
	struct user_action first, same;
	size_t n = 0;

	for (int i = 0; n < MENUS_EVENTS && read_action(j, prefix, 0, i, &first); i++) {
		struct user_action e = first;
		bool all = true;

		for (int class = 1; all && json_get_text(j, "%s.classes.%d.class", prefix, class); class ++) {
			all = find_same_action(j, prefix, class, &first, &same);
			e.count += same.count;
			if (all && strcmp(same.shortcut, first.shortcut) != 0)
				e.shortcut = "";
		}
		if (all)
			event[n++] = e;
	}
	return n;
}
