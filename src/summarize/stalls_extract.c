// SPDX-License-Identifier: GPL-3.0-or-later
/* stalls_extract - stalls of screen updates during trains in folder `stall` (in cells without such trains: the repeats themselves):
 * as the probe saw them (keyrepeat.json), which knows where the train begins and ends; otherwise from the capture (prototap.json).
 *
 * Numbers of a repeat: trains (1), mean_ms, mean_positive_ms, count, gap_ms (largest), jitter_sd_ms, jitter_variance_ms2,
 * updates_per_s, wire_bytes_per_key, schedule_jitter_ms (standard deviation of the intervals between keys due to their schedule
 * alone), updates_10ms, updates_5ms, updates_20ms (updates in the capture if packets up to so many ms apart are merged),
 * depends_on_merge (1: these differ by more than prototap tolerates). */
#include "engine.h"
#include "key_figures.h"

/* Standard deviation of the intervals between keys by their schedule. Two neighbours are each moved by U(0, period/3): their
 * difference has a standard deviation of period/3 / sqrt(12) * sqrt(2). */
static double stalls_scheduled_interval_sd_ms(const struct json_document *probe)
{
	const char *schedule = json_get_text(probe, "settings.schedule");
	double period = json_number(probe, "result.stalls.period_ms");

	period = isfinite(period) ? period : json_number(probe, "settings.period_ms");
	if (schedule && !strcmp(schedule, "jittered"))
		return period / 3 / sqrt(12) * sqrt(2);
	return schedule && !strcmp(schedule, "periodic") ? 0 : NAN;
}

/* Returns the number of updates in the capture for a merge gap; NAN: not counted for this gap. */
static double stalls_update_count_of_merge_gap(const struct json_document *capture, double gap_ms)
{
	if (fabs(json_number(capture, "result.updates.merge_ms") - gap_ms) < 1e-6)
		return json_number(capture, "result.updates.count");
	for (int i = 0; i < 2; i++)
		if (fabs(json_number(capture, "result.updates.other_merges.%d.merge_ms", i) - gap_ms) < 1e-6)
			return json_number(capture, "result.updates.other_merges.%d.count", i);
	return NAN;
}

/* Returns the number of keys of a train, including skipped ones. */
static double stalls_count_all_keys_of_train(const struct experiment_repeat *train)
{
	struct key_samples keys = keys_read_train(train).keys;
	size_t n = keys.n + keys.skipped;

	keys_free(&keys);
	return (double)n;
}

static void stalls_read_files_of_repeat(const struct experiment_repeat *r)
{
	static const char *const plain[] = { "mean_ms", "mean_positive_ms", "count", "jitter_sd_ms", "jitter_variance_ms2" };
	const struct experiment_repeat *train = repeat_find_train_or_itself(r->cell, r, "stall");
	const struct json_document *probe = train ? repeat_get_json_file(train, "keyrepeat.json") : NULL;
	const struct json_document *capture = train ? repeat_get_json_file(train, "prototap.json") : NULL;
	bool watched = isfinite(json_number(probe, "result.stalls.mean_ms")), depends = false;
	const struct json_document *j = watched ? probe : capture;
	double period = json_number(j, "result.stalls.period_ms"), keys = capture ? stalls_count_all_keys_of_train(train) : (double)NAN;

	for (size_t i = 0; i < sizeof(plain) / sizeof(*plain); i++)
		extractor_set_value(plain[i], json_number(j, "result.stalls.%s", plain[i]));
	extractor_set_value("trains", train ? 1 : (double)NAN);
	extractor_set_value("gap_ms", watched ? json_number(probe, "result.largest_gap_ms") : json_number(j, "result.stalls.max_ms") +
			    period);
	/* on average one update per mean stall plus period */
	give_values({ "updates_per_s", 1000 / (json_number(j, "result.stalls.mean_ms") + period) },
		    { "wire_bytes_per_key", keys > 0 ? json_number(capture, "result.channels.total.wire_bytes") / keys : (double)NAN },
		    { "schedule_jitter_ms", stalls_scheduled_interval_sd_ms(probe) }, { "updates_10ms",
		    	stalls_update_count_of_merge_gap(capture, 10) },
		    { "updates_5ms", stalls_update_count_of_merge_gap(capture, 5) }, { "updates_20ms",
		    	stalls_update_count_of_merge_gap(capture, 20) });
	if (capture)
		json_get_bool(capture, "result.updates.depends_on_merge", &depends);
	extractor_set_value("depends_on_merge", isnan(stalls_update_count_of_merge_gap(capture, 10)) ? (double)NAN : depends);
}

const struct extractor_hooks stalls_extractor = { .name = "stalls", .read_repeat = stalls_read_files_of_repeat };
