/* SPDX-License-Identifier: GPL-3.0-or-later */
/* menus - what a user feels of an event (Wu, Zhang, Gu & Sun 2005): T_total = T_index + T_think + T_handle, to find it, to
 * think, to have it done.
 *
 * An event is a way through menus ("File/Open"), or a shortcut that does without ("ctrl+o"). Times of hand and mind are
 * those of data/think.tsv. All in seconds. */
#ifndef THINPROBE_SUMMARIZE_MENUS_H
#define THINPROBE_SUMMARIZE_MENUS_H

#include "json_in.h"

#include <stddef.h>

struct klm_times {
	double key, point, button, home, mental;
};

/* By the shortcut, a key for each of its parts; without one ("") the hand goes to the mouse, then a target and a click for
 * each level. */
double menus_index_time(const struct klm_times *t, const char *path, const char *shortcut);
/* Nothing up to what was expected, (total - expected)^beta beyond. */
double menus_felt_time(double total, double expected, double beta);

struct menus_event {
	const char *application, *path, *shortcut;	/* the JSON's */
	double count;
};
#define MENUS_EVENTS 256
/* The events that every class of users asks for, of `prefix`.classes[]{events[]}: counts added up, the shortcut only where all
 * have the same. Returns how many there are, in the order of the first class. */
size_t menus_common_events(const struct json *j, const char *prefix, struct menus_event event[MENUS_EVENTS]);

#endif
