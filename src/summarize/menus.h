/* SPDX-License-Identifier: GPL-3.0-or-later */
/* menus - how long a user has to wait for an action (Wu, Zhang, Gu & Sun 2005): T_total = T_index + T_think + T_handle, the times
 * to find it in menus, to think, and to have it carried out.
 *
 * An action is a path through menus ("File/Open"), or a keyboard shortcut ("ctrl+o"). Times of the user are those of
 * data/think.tsv. All times in seconds. */
#ifndef THINPROBE_SUMMARIZE_MENUS_H
#define THINPROBE_SUMMARIZE_MENUS_H

#include "json_in.h"

#include <stddef.h>

struct klm_times {
	double key, point, button, home, mental;
};

/* Returns T_index: one keystroke for each part of the shortcut; without a shortcut (""), moving the hand to the mouse, then
 * pointing and clicking for each level of the path. */
double menus_index_time(const struct klm_times *t, const char *path, const char *shortcut);
/* Returns the delay that the user feels: 0 up to the expected time, (total - expected)^beta beyond. */
double menus_felt_time(double total, double expected, double beta);

struct menus_event {
	const char *application, *path, *shortcut;	/* strings of the JSON file */
	double count;
};
#define MENUS_EVENTS 256
/* Finds the actions that every class of users performs, in `prefix`.classes[]{events[]}: adds up their counts; keeps the shortcut
 * only if all classes have the same. Returns the number of actions, in the order of the first class. */
size_t menus_common_events(const struct json *j, const char *prefix, struct menus_event event[MENUS_EVENTS]);

#endif
