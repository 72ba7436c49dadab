/* SPDX-License-Identifier: GPL-3.0-or-later */
/* startup - start-up times under memory pressure, the time that paging adds, and the share of it that is I/O
 * (startup_extract.c). */
#pragma once

#include "summarize/trials.h"

enum startup_group { STARTUP_STARTED, STARTUP_BROKEN }; /* broken: the application ended by itself, or was ended */
enum startup_value {
	STARTUP_TIME,
	STARTUP_MAPPED,
	STARTUP_PAINT,
	STARTUP_IO,
	STARTUP_SWAP_IN,
	STARTUP_SWAP_OUT,
	STARTUP_MAJOR,
	STARTUP_MINOR,
	STARTUP_READS,
	STARTUP_SWAP_IN_MB,
	STARTUP_SWAP_OUT_MB,
};
/* unchanged: 1 if no change of the screen was seen */
enum startup_event_value { STARTUP_EVENT, STARTUP_FIRST_CHANGE, STARTUP_UNCHANGED };

/* What is kept of a cell. */
struct startup_trials {
	struct cell_trials starts, events; /* an event's text is its name */
};

struct startup_base {
	double t0_ms, spread_ms; /* T0 and its standard deviation; NAN: not known */
};
/* share e of the added time that is not I/O */
struct figure startup_added_share(const struct startup_trials *s, struct startup_base base);

/* --- menus.c ------------------------------------------------------------------------------------------------------- */

/* Menus: how long a user has to wait for an action (Wu, Zhang, Gu & Sun 2005): T_total = T_index + T_think + T_handle, the times
 * to find it in menus, to think, and to have it carried out.
 *
 * An action is a path through menus ("File/Open"), or a keyboard shortcut ("ctrl+o"). Times of the user are those of
 * kits/apps/data/think.tsv. All times in seconds. */
struct klm_times {
	double key, point, button, home, mental;
};

/* Returns T_index: one keystroke for each part of the shortcut; without a shortcut (""), moving the hand to the mouse, then
 * pointing and clicking for each level of the path. */
double menus_selection_s(const struct klm_times *t, const char *path, const char *shortcut);
/* Returns the delay that the user feels: 0 up to the expected time, (total - expected)^beta beyond. */
double menus_felt_delay_s(double total, double expected, double beta);

struct user_action {
	const char *application, *path, *shortcut; /* strings of the JSON file */
	double count;
};
#define MENUS_EVENTS 256
/* Finds the actions that every class of users performs, in `prefix`.classes[]{events[]}: adds up their counts; keeps the shortcut
 * only if all classes have the same. Returns the number of actions, in the order of the first class. */
size_t menus_find_actions(const struct json_document *j, const char *prefix, struct user_action event[static MENUS_EVENTS]);
