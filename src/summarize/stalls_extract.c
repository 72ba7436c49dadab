// SPDX-License-Identifier: GPL-3.0-or-later
/* stalls_extract - stalls of screen updates during trains in folder `stall` (in cells without such trains: the repeats themselves):
 * as the probe saw them (keyrepeat.json), which knows where the train begins and ends; otherwise from the capture (prototap.json).
 *
 * Numbers of a repeat: trains (1), mean_ms, mean_positive_ms, count, gap_ms (largest), jitter_sd_ms, jitter_variance_ms2,
 * updates_per_s, wire_bytes_per_key, schedule_jitter_ms (standard deviation of the intervals between keys due to their schedule
 * alone), updates_10ms, updates_5ms, updates_20ms (updates in the capture if packets up to so many ms apart are merged),
 * depends_on_merge (1: these differ by more than prototap tolerates); of a train in folder `hold`, with a key held down,
 * held_mean_ms, held_jitter_sd_ms, and the same of its capture, held_wire_mean_ms, held_wire_jitter_sd_ms. */
#include "engine.h"
#include "key_figures.h"

/* Standard deviation of the intervals between keys by their schedule. Two neighbours are each moved by U(0, period/3): their
 * difference has a standard deviation of period/3 / sqrt(12) * sqrt(2). */
static double compute_schedule_sd(const struct json_document *probe)
{
	const char *schedule = json_get_text(probe, "settings.schedule");
	double period = json_number(probe, "result.stalls.period_ms");

	period = isfinite(period) ? period : json_number(probe, "settings.period_ms");
	if (schedule && !strcmp(schedule, "jittered"))
		return period / 3 / sqrt(12) * sqrt(2);
	return schedule && !strcmp(schedule, "periodic") ? 0 : NAN;
}

/* Returns the number of updates in the capture for a merge gap; NAN: not counted for this gap. */
static double count_updates(const struct json_document *capture, double gap_ms)
{
	if (fabs(json_number(capture, "result.updates.merge_ms") - gap_ms) < 1e-6)
		return json_number(capture, "result.updates.count");
	for (int i = 0; i < 2; i++)
		if (fabs(json_number(capture, "result.updates.other_merges.%d.merge_ms", i) - gap_ms) < 1e-6)
			return json_number(capture, "result.updates.other_merges.%d.count", i);
	return NAN;
}

/* Returns the number of keys of a train, including skipped ones. */
static double count_keys(const struct experiment_repeat *train)
{
	struct key_samples keys = keys_read_train(train).keys;
	size_t n = keys.n + keys.skipped;

	keys_free(&keys);
	return (double)n;
}

static void read_held(const struct experiment_repeat *train)
{
	const struct json_document *probe = train ? repeat_get_json(train, "keyrepeat.json") : NULL;
	const struct json_document *capture = train ? repeat_get_json(train, "prototap.json") : NULL;

	give_values({ "held_mean_ms", json_number(probe, "result.stalls.mean_ms") },
		    { "held_jitter_sd_ms", json_number(probe, "result.stalls.jitter_sd_ms") },
		    { "held_wire_mean_ms", json_number(capture, "result.stalls.mean_ms") },
		    { "held_wire_jitter_sd_ms", json_number(capture, "result.stalls.jitter_sd_ms") });
}

static void read_repeat(const struct experiment_repeat *r)
{
	static const char *const plain[] = { "mean_ms", "mean_positive_ms", "count", "jitter_sd_ms", "jitter_variance_ms2" };
	const struct experiment_repeat *train = repeat_pick_train(r->cell, r, "stall");
	const struct json_document *probe = train ? repeat_get_json(train, "keyrepeat.json") : NULL;
	const struct json_document *capture = train ? repeat_get_json(train, "prototap.json") : NULL;
	bool watched = isfinite(json_number(probe, "result.stalls.mean_ms")), depends = false;
	const struct json_document *j = watched ? probe : capture;
	double period = json_number(j, "result.stalls.period_ms"), keys = capture ? count_keys(train) : (double)NAN;

	for (size_t i = 0; i < sizeof(plain) / sizeof(*plain); i++)
		extractor_set_value(plain[i], json_number(j, "result.stalls.%s", plain[i]));
	extractor_set_value("trains", train ? 1 : (double)NAN);
	extractor_set_value("gap_ms", watched ? json_number(probe, "result.largest_gap_ms")
					      : json_number(j, "result.stalls.max_ms") + period);
	/* on average one update per mean stall plus period */
	give_values(
		{ "updates_per_s", 1000 / (json_number(j, "result.stalls.mean_ms") + period) },
		{ "wire_bytes_per_key", keys > 0 ? json_number(capture, "result.channels.total.wire_bytes") / keys : (double)NAN },
		{ "schedule_jitter_ms", compute_schedule_sd(probe) }, { "updates_10ms", count_updates(capture, 10) },
		{ "updates_5ms", count_updates(capture, 5) }, { "updates_20ms", count_updates(capture, 20) });
	if (capture)
		json_get_bool(capture, "result.updates.depends_on_merge", &depends);
	read_held(repeat_find_train(r, "hold"));
	extractor_set_value("depends_on_merge", isnan(count_updates(capture, 10)) ? (double)NAN : depends);
}

const struct extractor_hooks stalls_extractor = { .name = "stalls", .read_repeat = read_repeat };
