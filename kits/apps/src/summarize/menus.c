// SPDX-License-Identifier: GPL-3.0-or-later
#include "startup.h"

#include <math.h>
#include <string.h>

/* Returns the number of non-empty parts between separators. */
static int menus_count_parts(const char *text, char separator)
{
	int n = 0;

	for (const char *p = text; *p; p++)
		n += *p != separator && (p == text || p[-1] == separator);
	return n;
}

double menus_action_selection_time_s(const struct klm_operator_times *t, const char *path, const char *shortcut)
{
	int keys = menus_count_parts(shortcut, '+');

	if (*shortcut)
		return (keys ? keys : 1) * t->key;	/* "+" is a key, too */
	return t->home + menus_count_parts(path, '/') * (t->point + 2 * t->button);
}

double menus_felt_delay_s(double total, double expected, double beta)
{
	return total <= expected ? 0 : pow(total - expected, beta);
}

static bool menus_read_action_from_json(const struct json_document *j, const char *prefix, int class, int i,
					struct menus_user_action *e)
{
	char of[96];

	snprintf(of, sizeof(of), "%s.classes.%d.events.%d", prefix, class, i);
	*e = (struct menus_user_action){ json_get_text(j, "%s.application", of), json_get_text(j, "%s.path", of), json_get_text(j,
																"%s.shortcut", of),
		json_number(j, "%s.count", of) };
	if (!e->shortcut)
		e->shortcut = "";
	return e->application && e->path;
}

/* Finds the same action in another class of users; false: the class does not perform it. */
static bool menus_find_same_action_in_class(const struct json_document *j, const char *prefix, int class,
				   const struct menus_user_action *like,
			     struct menus_user_action *out)
{
	for (int i = 0; menus_read_action_from_json(j, prefix, class, i, out); i++)
		if (!strcmp(out->application, like->application) && !strcmp(out->path, like->path))
			return true;
	return false;
}

size_t menus_find_actions_of_all_classes(const struct json_document *j, const char *prefix,
					 struct menus_user_action event[MENUS_EVENTS])
{
	struct menus_user_action first, same;
	size_t n = 0;

	for (int i = 0; n < MENUS_EVENTS && menus_read_action_from_json(j, prefix, 0, i, &first); i++) {
		struct menus_user_action e = first;
		bool all = true;

		for (int class = 1; all && json_get_text(j, "%s.classes.%d.class", prefix, class); class++) {
			all = menus_find_same_action_in_class(j, prefix, class, &first, &same);
			e.count += same.count;
			if (all && strcmp(same.shortcut, first.shortcut) != 0)
				e.shortcut = "";
		}
		if (all)
			event[n++] = e;
	}
	return n;
}
