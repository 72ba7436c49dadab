// SPDX-License-Identifier: GPL-3.0-or-later
/* trains_extract - CPU competition in all trains of a cell (its repeats and their trains in subfolders), from their cell.json.
 *
 * Figures: disturbed_percent (largest sum of foreign and stolen CPU time of one train); cost_ms (CPU time of a redraw: as measured
 * in the last train, otherwise the parameter); fair_stall_ms (mean stall with a fair share of the CPU beside `sinks` CPU hogs);
 * same_group (1: the application and the CPU hogs compete in one scheduling group, 0: not). Texts: session, app, sinks: their
 * scheduling group, "autogroup=... nice=... policy=... cpus=... cgroup=..."; a value that differs between trains is "varies". */
#include "engine.h"

/* Returns cell.json of train number i of a cell, in the order of repeats; NULL: there are no more. */
static const struct json_document *get_train_json(const struct experiment_cell *c, size_t i)
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

/* Compares one word of "autogroup=/autogroup-4 session=17 nice=0 ... cgroup=/"; a missing word equals a missing word. */
static bool words_agree(const char *a, const char *b, const char *word)
{
	const char *x = strstr(a, word), *y = strstr(b, word);
	size_t n;

	if (!x || !y)
		return x == y;
	n = strcspn(x, " ");
	return strcspn(y, " ") == n && !strncmp(x, y, n);
}

/* Merges the scheduling group of a train into `kept`; values that differ become "varies". The session leader's pid is left out: it
 * may differ between trains. */
static void merge_words(char *kept, size_t size, const char *words)
{
	char text[1024] = "";
	size_t n = 0;

	for (const char *w = words; w && *w && n < sizeof(text); w += strspn(w, " ")) {
		int length = (int)strcspn(w, " "), name = (int)strcspn(w, "=");

		if (name < length && strncmp(w, "session=", 8) != 0) {
			char key[32];
			bool varies;

			snprintf(key, sizeof(key), "%.*s=", name, w);
			varies = *kept && !words_agree(kept, w, key);
			n += (size_t)snprintf(text + n, sizeof(text) - n, "%s%.*s", n ? " " : "", varies ? name : length, w);
			if (varies && n < sizeof(text))
				n += (size_t)snprintf(text + n, sizeof(text) - n, "=varies");
		}
		w += length;
	}
	if (*text)
		snprintf(kept, size, "%s", text);
}

/* Whether the process is in a cpu cgroup of the lab, /thinprobe-ID-NAME: in one, the kernel does not look at autogroups. */
static bool is_in_lab_group(const char *words)
{
	for (const char *name = words; (name = strstr(name, "/thinprobe-"));) {
		name += strlen("/thinprobe-");
		if (strspn(name, "0123456789abcdef") == 6 && name[6] == '-')
			return true;
	}
	return false;
}

/* Returns 1 if the application and the CPU hogs are in one scheduling group, 0 if not, NAN: not known. */
static double compare_scheduling_groups(const struct experiment_cell *c, const struct json_document *train)
{
	const char *app = json_get_text(train, "autogroup.app"), *sinks = json_get_text(train, "autogroup.sinks"),
		   *name = cell_text(c, "app");

	if ((!app || !*app) && name && !strcmp(name, "own")) /* the session's server is the application */
		app = json_get_text(train, "autogroup.session");
	if (!app || !sinks || !*app || !*sinks)
		return NAN;
	return words_agree(app, sinks, "cgroup=") && (is_in_lab_group(app) || words_agree(app, sinks, "autogroup-"));
}

static void compute_trains_figures(const struct experiment_cell *c)
{
	static const char *const competes[] = { "session", "app", "sinks" };
	double cost = NAN, period = NAN, disturbed = NAN, same_group = NAN, fair;
	char text[3][1024] = { "", "", "" };
	const struct json_document *j;

	for (size_t i = 0; (j = get_train_json(c, i)); i++) {
		double same = compare_scheduling_groups(c, j), steal = json_number(j, "steal_percent");

		json_get_real(j, "cost_ms", &cost);
		json_get_real(j, "period_ms", &period);
		disturbed = fmax(disturbed, json_number(j, "foreign_percent") + (isnan(steal) ? 0 : steal));
		same_group = isnan(same) ? same_group : same;
		for (int k = 0; k < 3; k++)
			merge_words(text[k], sizeof(text[k]), json_get_text(j, "autogroup.%s", competes[k]));
	}
	give_values({ "disturbed_percent", disturbed }, { "same_group", same_group },
		    { "cost_ms", isfinite(cost) ? cost : cell_number(c, "cost_ms") });
	/* Mean stall with a fair share: keys come every period; with n CPU hogs an application gets 1 / (n + 1) of the CPU, so a redraw
	 * takes cost * (n + 1), which is the interval between two redraws once it is longer than the period. */
	fair = cost * (cell_number(c, "sinks") + 1) - period;
	extractor_set_value("fair_stall_ms", isfinite(fair) ? fmax(0, fair) : (double)NAN);
	for (int k = 0; k < 3; k++)
		extractor_set_text(competes[k], text[k]);
}

const struct extractor_hooks trains_extractor = { .name = "trains", .finish_cell = compute_trains_figures };
