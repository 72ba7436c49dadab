// SPDX-License-Identifier: GPL-3.0-or-later
#include "records.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double merge_gaps_ms[MERGES] = { 10, 5, 20 };

static double real(const struct json *j, const char *path)
{
	double v = NAN;

	json_get_real(j, path, &v);
	return v;
}

/* The same updates counted at other merge gaps, in whatever order. */
static void read_merges(const struct json *j, struct train *t)
{
	double merge_ms = real(j, "result.updates.merge_ms");
	char path[64];

	json_get_bool(j, "result.updates.depends_on_merge", &t->depends_on_merge);
	for (int m = 0; m < MERGES; m++)
		if (fabs(merge_ms - merge_gaps_ms[m]) < 1e-6)
			t->wire_updates[m] = real(j, "result.updates.count");
	for (int i = 0; i < MERGES; i++) {
		snprintf(path, sizeof(path), "result.updates.other_merges.%d.merge_ms", i);
		merge_ms = real(j, path);
		snprintf(path, sizeof(path), "result.updates.other_merges.%d.count", i);
		for (int m = 0; m < MERGES; m++)
			if (fabs(merge_ms - merge_gaps_ms[m]) < 1e-6)
				t->wire_updates[m] = real(j, path);
	}
}

/* Two neighbours of U(0, period/3) each: the difference has a standard deviation of period/3 / sqrt(12) * sqrt(2). */
static double schedule_jitter(const char *schedule, double period_ms)
{
	if (schedule && !strcmp(schedule, "jittered"))
		return period_ms / 3 / sqrt(12) * sqrt(2);
	return schedule && !strcmp(schedule, "periodic") ? 0 : NAN;
}

/* Stalls as the probe saw them, which knows where the train begins and ends; the capture also holds what comes before and after. */
void records_probe(const struct json *j, struct train *t, double *schedule_jitter_ms)
{
	const char *pairing = json_get_str(j, "result.pairing");
	double period_ms = real(j, "settings.period_ms");

	json_get_bool(j, "result.overloaded", &t->overloaded);
	t->backlog_per_s = real(j, "result.backlog_per_s");
	t->updates_per_key = real(j, "result.updates_per_key");
	t->coalesced_percent = 100 * real(j, "result.coalesced") / real(j, "result.keys_answered");
	t->stall_mean_ms = real(j, "result.stalls.mean_ms");
	t->stall_positive_ms = real(j, "result.stalls.mean_positive_ms");
	t->stall_count = real(j, "result.stalls.count");
	t->gap_ms = real(j, "result.largest_gap_ms");
	t->jitter_sd_ms = real(j, "result.stalls.jitter_sd_ms");
	t->jitter_variance_ms2 = real(j, "result.stalls.jitter_variance_ms2");
	t->period_ms = real(j, "result.stalls.period_ms");
	*schedule_jitter_ms = schedule_jitter(json_get_str(j, "settings.schedule"), isfinite(t->period_ms) ? t->period_ms : period_ms);
	snprintf(t->pairing, sizeof(t->pairing), "%s", pairing ? pairing : "");
}

void records_capture(const struct json *j, struct train *t, struct cell *c)
{
	double dropped = real(j, "result.capture.dropped"), bytes = real(j, "result.channels.total.wire_bytes");
	double keys = (double)(t->keys.n + t->keys.skipped);

	t->wire_stall_mean_ms = real(j, "result.stalls.mean_ms");
	read_merges(j, t);
	if (isfinite(dropped))
		c->capture_dropped = (isfinite(c->capture_dropped) ? c->capture_dropped : 0) + dropped;
	if (keys > 0)
		t->wire_bytes_per_key = bytes / keys;
	if (!isfinite(t->stall_mean_ms)) {	/* keys were not watched: the wire is all there is */
		t->stall_mean_ms = t->wire_stall_mean_ms;
		t->stall_positive_ms = real(j, "result.stalls.mean_positive_ms");
		t->stall_count = real(j, "result.stalls.count");
		t->period_ms = real(j, "result.stalls.period_ms");
		t->gap_ms = real(j, "result.stalls.max_ms") + t->period_ms;
		t->jitter_sd_ms = real(j, "result.stalls.jitter_sd_ms");
		t->jitter_variance_ms2 = real(j, "result.stalls.jitter_variance_ms2");
	}
}

static void at_least(double *most, double v)
{
	if (isfinite(v) && !(v <= *most))
		*most = v;
}

/* Compares one word of "autogroup=/autogroup-4 session=17 nice=0 ... cgroup=/": the session's pid differs within a group. */
static bool same_word(const char *a, const char *b, const char *word)
{
	const char *x = strstr(a, word), *y = strstr(b, word);
	size_t n;

	if (!x || !y)
		return x == y;
	n = strcspn(x, " ");
	return strcspn(y, " ") == n && !strncmp(x, y, n);
}

/* Notes what process competes as what. The session's leader is left out: it may be another one in each train. What differs from
 * the trains before is replaced by "varies". False: no memory. */
static bool note_competitor(char **kept, const char *words)
{
	char text[1024] = "";
	size_t n = 0;

	for (const char *w = words; w && *w && n < sizeof(text); w += strspn(w, " ")) {
		int length = (int)strcspn(w, " "), name = (int)strcspn(w, "=");

		if (name < length && strncmp(w, "session=", 8) != 0) {
			char key[32];
			bool varies;

			snprintf(key, sizeof(key), "%.*s=", name, w);
			varies = *kept && !same_word(*kept, w, key);
			n += (size_t)snprintf(text + n, sizeof(text) - n, "%s%.*s", n ? " " : "", varies ? name : length, w);
			if (varies && n < sizeof(text))
				n += (size_t)snprintf(text + n, sizeof(text) - n, "=varies");
		}
		w += length;
	}
	if (!*text)
		return true;
	free(*kept);
	*kept = strdup(text);
	return *kept != NULL;
}

bool records_circumstances(const struct json *j, struct cell *c)
{
	const char *marked = json_get_str(j, "marked");
	const char *app = json_get_str(j, "autogroup.app"), *sinks = json_get_str(j, "autogroup.sinks");
	double busy = real(j, "server_busy_percent");
	double foreign = real(j, "foreign_percent"), steal = real(j, "steal_percent");

	at_least(&c->foreign_max, foreign);
	at_least(&c->steal_max, steal);
	at_least(&c->disturbed_max, foreign + (isfinite(steal) ? steal : 0));
	c->foreign_unknown += isfinite(foreign) ? 0 : 1;
	at_least(&c->probe_max, real(j, "probe_cpu_percent"));
	at_least(&c->capture_max, real(j, "capture_cpu_percent"));
	if (isfinite(busy)) {
		c->busy_n++;
		c->busy_mean = c->busy_n == 1 ? busy : c->busy_mean + (busy - c->busy_mean) / (double)c->busy_n;
	}
	json_get_real(j, "cost_ms", &c->cost_ms);
	json_get_real(j, "period_ms", &c->period_ms);
	if ((!app || !*app) && !strcmp(c->app, "own"))	/* the session's server is the application */
		app = json_get_str(j, "autogroup.session");
	if (app && sinks && *app && *sinks)
		c->same_group = same_word(app, sinks, "autogroup-") && same_word(app, sinks, "cgroup=");
	c->marked += marked && *marked;
	return note_competitor(&c->competes[COMPETITOR_SESSION], json_get_str(j, "autogroup.session")) &&
	       note_competitor(&c->competes[COMPETITOR_APP], json_get_str(j, "autogroup.app")) &&
	       note_competitor(&c->competes[COMPETITOR_SINKS], json_get_str(j, "autogroup.sinks"));
}
