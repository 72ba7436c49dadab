// SPDX-License-Identifier: GPL-3.0-or-later
/* trains_extract - what cell.json of all trains of a cell (its repeats and their other series) tells of the CPUs.
 *
 * Figures: disturbed_percent (largest sum of foreign and stolen CPU time of one train); cost_ms (of a redraw: as it was measured in
 * the last train, else the parameter); fair_stall_ms (mean stall of a fair share beside the parameter `sinks`); same_group (do the
 * application and the CPU hogs compete in one scheduling group: 1, 0). Texts: session, app, sinks: what they compete as,
 * "autogroup=... nice=... policy=... cpus=... cgroup=..."; what differs between trains "varies". */
#include "engine.h"

/* Train number i of a cell, in the order of repeats; NULL: there are no more. */
static const struct json *trains_get_json(const struct cell *c, size_t i)
{
	for (size_t r = 0; r < c->n; r++) {
		if (i == 0)
			return c->repeat[r].json;
		if (--i < c->repeat[r].trains)
			return c->repeat[r].train[i].json;
		i -= c->repeat[r].trains;
	}
	return NULL;
}

/* Compares one word of "autogroup=/autogroup-4 session=17 nice=0 ... cgroup=/": the session's pid differs within a group. */
static bool trains_same_word(const char *a, const char *b, const char *word)
{
	const char *x = strstr(a, word), *y = strstr(b, word);
	size_t n;

	if (!x || !y)
		return x == y;
	n = strcspn(x, " ");
	return strcspn(y, " ") == n && !strncmp(x, y, n);
}

/* Notes what competes as what in `kept`. The session's leader is left out: it may be another one in each train. */
static void trains_merge_words(char *kept, size_t size, const char *words)
{
	char text[1024] = "";
	size_t n = 0;

	for (const char *w = words; w && *w && n < sizeof(text); w += strspn(w, " ")) {
		int length = (int)strcspn(w, " "), name = (int)strcspn(w, "=");

		if (name < length && strncmp(w, "session=", 8) != 0) {
			char key[32];
			bool varies;

			snprintf(key, sizeof(key), "%.*s=", name, w);
			varies = *kept && !trains_same_word(kept, w, key);
			n += (size_t)snprintf(text + n, sizeof(text) - n, "%s%.*s", n ? " " : "", varies ? name : length, w);
			if (varies && n < sizeof(text))
				n += (size_t)snprintf(text + n, sizeof(text) - n, "=varies");
		}
		w += length;
	}
	if (*text)
		snprintf(kept, size, "%s", text);
}

/* Do they compete in one scheduling group? NAN: not told. */
static double app_and_sinks_share_group(const struct cell *c, const struct json *train)
{
	const char *app = json_text(train, "autogroup.app"), *sinks = json_text(train, "autogroup.sinks"), *name = cell_text(c, "app");

	if ((!app || !*app) && name && !strcmp(name, "own"))	/* the session's server is the application */
		app = json_text(train, "autogroup.session");
	if (!app || !sinks || !*app || !*sinks)
		return NAN;
	return trains_same_word(app, sinks, "autogroup-") && trains_same_word(app, sinks, "cgroup=");
}

static void trains_finish_cell(const struct cell *c)
{
	static const char *const competes[] = { "session", "app", "sinks" };
	double cost = NAN, period = NAN, disturbed = NAN, same_group = NAN, fair;
	char text[3][1024] = { "", "", "" };
	const struct json *j;

	for (size_t i = 0; (j = trains_get_json(c, i)); i++) {
		double same = app_and_sinks_share_group(c, j), steal = json_number(j, "steal_percent");

		json_get_real(j, "cost_ms", &cost);
		json_get_real(j, "period_ms", &period);
		disturbed = fmax(disturbed, json_number(j, "foreign_percent") + (isnan(steal) ? 0 : steal));
		same_group = isnan(same) ? same_group : same;
		for (int k = 0; k < 3; k++)
			trains_merge_words(text[k], sizeof(text[k]), json_text(j, "autogroup.%s", competes[k]));
	}
	give_values({ "disturbed_percent", disturbed }, { "same_group", same_group },
		    { "cost_ms", isfinite(cost) ? cost : cell_number(c, "cost_ms") });
	/* Keys of the train come every period; with n CPU hogs an application gets one part in n + 1, so a redraw takes
	 * cost * (n + 1), and the gap between two is that once it is longer than the period. */
	fair = cost * (cell_number(c, "sinks") + 1) - period;
	give_value("fair_stall_ms", isfinite(fair) ? fmax(0, fair) : (double)NAN);
	for (int k = 0; k < 3; k++)
		give_text(competes[k], text[k]);
}

const struct extractor trains_extractor = { .name = "trains", .finish_cell = trains_finish_cell };
