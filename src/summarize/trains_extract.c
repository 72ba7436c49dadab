// SPDX-License-Identifier: GPL-3.0-or-later
/* trains_extract - what cell.json of all trains of a cell (its repeats and their other series) tells of the
 * CPUs.
 *
 * Figures: disturbed_percent (largest sum of foreign and stolen CPU time of one train); cost_ms (of
 * a redraw: as it was measured in the last train, else the parameter); fair_stall_ms (mean stall of
 * a fair share beside the parameter `sinks`); same_group (do the application and the CPU hogs
 * compete in one scheduling group: 1, 0). Texts: session, app, sinks: what they compete as,
 * "autogroup=... nice=... policy=... cpus=... cgroup=..."; what differs between trains "varies". */
#include "engine.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct trains {
	const struct run *run;
	char text[1024];
};

static void *trains_open(const struct run *run, struct why *why)
{
	return run_state(run, sizeof(struct trains), 0, why);
}

/* Train number i of a cell, in the order of repeats; NULL: there are no more. */
static const struct json *trains_at(const struct cell *c, size_t i)
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

/* Compares one word of "autogroup=/autogroup-4 session=17 nice=0 ... cgroup=/": the session's pid
 * differs within a group. */
static bool trains_same_word(const char *a, const char *b, const char *word)
{
	const char *x = strstr(a, word), *y = strstr(b, word);
	size_t n;

	if (!x || !y)
		return x == y;
	n = strcspn(x, " ");
	return strcspn(y, " ") == n && !strncmp(x, y, n);
}

/* Notes what competes as what in `kept`. The session's leader is left out: it may be another one in
 * each train. */
static void trains_note(char *kept, size_t size, const char *words)
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

static double trains_same_group(const struct cell *c)
{
	const char *name = cell_text(c, "app");
	const struct json *j;
	double same = NAN;

	for (size_t i = 0; (j = trains_at(c, i)); i++) {
		const char *app = json_get_str(j, "autogroup.app"), *sinks = json_get_str(j, "autogroup.sinks");

		if ((!app || !*app) && name && !strcmp(name, "own"))	/* the session's server is the application */
			app = json_get_str(j, "autogroup.session");
		if (app && sinks && *app && *sinks)
			same = trains_same_word(app, sinks, "autogroup-") && trains_same_word(app, sinks, "cgroup=");
	}
	return same;
}

static double trains_disturbed(const struct cell *c)
{
	const struct json *j;
	double most = NAN;

	for (size_t i = 0; (j = trains_at(c, i)); i++) {
		double foreign = inputs_number(j, "foreign_percent"), steal = 0;

		json_get_real(j, "steal_percent", &steal);
		most = fmax(most, foreign + steal);
	}
	return most;
}

static int trains_figure(void *state, const struct cell *c, const char *path, struct figure *out)
{
	double cost = NAN, period = NAN;
	const struct json *j;

	(void)state;
	for (size_t i = 0; (j = trains_at(c, i)); i++) {
		json_get_real(j, "cost_ms", &cost);
		json_get_real(j, "period_ms", &period);
	}
	if (!strcmp(path, "disturbed_percent"))
		out->value = trains_disturbed(c);
	else if (!strcmp(path, "same_group"))
		out->value = trains_same_group(c);
	else if (!strcmp(path, "cost_ms"))
		out->value = isfinite(cost) ? cost : cell_number(c, "cost_ms");
	else if (strcmp(path, "fair_stall_ms") != 0)
		return -ENOENT;
	else if (isfinite(cost * (cell_number(c, "sinks") + 1) - period))
		/* Keys of the train come every period; with n CPU hogs an application gets one part in n + 1, so a redraw takes
		 * cost * (n + 1), and the gap between two is that once it is longer than the period. */
		out->value = fmax(0, cost * (cell_number(c, "sinks") + 1) - period);
	return 0;
}

static const char *trains_text(void *state, const struct cell *c, const char *path)
{
	struct trains *s = state;
	const struct json *j;

	s->text[0] = '\0';
	for (size_t i = 0; (j = trains_at(c, i)); i++)
		trains_note(s->text, sizeof(s->text), inputs_text(j, "autogroup.%s", path));
	return s->text;
}

const struct extractor trains_extractor = {
	.name = "trains", .open = trains_open, .figure = trains_figure, .text = trains_text,
	.close = free,
};
