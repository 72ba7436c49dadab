// SPDX-License-Identifier: GPL-3.0-or-later
/* stalls_extract - updates of the screen beside keys, of the series `stall` (of cells without one, of the
 * repeats themselves): as the probe saw them (keyrepeat.json), which knows where the train begins
 * and ends; else as the capture did (prototap.json).
 *
 * Numbers of a repeat: trains (1), mean_ms, mean_positive_ms, count, gap_ms (largest),
 * jitter_sd_ms, jitter_variance_ms2, updates_per_s, wire_bytes_per_key, schedule_jitter_ms
 * (standard deviation that the schedule itself gives the distances of keys), updates_10ms,
 * updates_5ms, updates_20ms and depends_on_merge (updates that the capture counts at these merge
 * gaps; whether they differ by more than it tolerates). */
#include "keys_extract.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct stalls {
	const struct run *run;
	const struct json *probe, *capture;	/* of the repeat at hand; NULL: none */
	double keys;				/* of its train, with those skipped */
	bool there;				/* it has one */
};

static void *stalls_open(const struct run *run, struct why *why)
{
	return run_state(run, sizeof(struct stalls), 0, why);
}

static int stalls_read(void *state, const struct cell *c, const struct repeat *r, struct why *why)
{
	const struct repeat *train = cell_train(c, r, "stall");
	struct stalls *s = state;
	struct keys keys;
	int err;

	*s = (struct stalls){ .run = s->run, .keys = NAN, .there = train };
	err = train ? repeat_json(train, "keyrepeat.json", &s->probe, why) : 0;
	if (!err && train)
		err = repeat_json(train, "prototap.json", &s->capture, why);
	if (!err && train && s->capture) {
		err = keys_of_repeat(train, &keys, why);
		s->keys = (double)(keys.n + keys.skipped);
		keys_free(&keys);
	}
	return err;
}

/* The largest gap: the capture tells the largest stall. */
static double stalls_gap(const struct stalls *s, bool watched)
{
	return watched ? inputs_number(s->probe, "result.largest_gap_ms")
		       : inputs_number(s->capture, "result.stalls.max_ms") + inputs_number(s->capture, "result.stalls.period_ms");
}

/* Two neighbours of U(0, period/3) each: the difference has a standard deviation of period/3 /
 * sqrt(12) * sqrt(2). */
static double stalls_schedule(const struct json *probe)
{
	const char *schedule = inputs_text(probe, "settings.schedule");
	double period = inputs_number(probe, "result.stalls.period_ms");

	period = isfinite(period) ? period : inputs_number(probe, "settings.period_ms");
	if (schedule && !strcmp(schedule, "jittered"))
		return period / 3 / sqrt(12) * sqrt(2);
	return schedule && !strcmp(schedule, "periodic") ? 0 : NAN;
}

/* The same updates counted at several merge gaps, in whatever order. */
static double stalls_merged(const struct json *capture, double gap_ms)
{
	if (fabs(inputs_number(capture, "result.updates.merge_ms") - gap_ms) < 1e-6)
		return inputs_number(capture, "result.updates.count");
	for (int i = 0; i < 2; i++)
		if (fabs(inputs_number(capture, "result.updates.other_merges.%d.merge_ms", i) - gap_ms) < 1e-6)
			return inputs_number(capture, "result.updates.other_merges.%d.count", i);
	return NAN;
}

static int stalls_number(void *state, const struct cell *c, const struct repeat *r, const char *path, double *out)
{
	static const char *const plain[] = { "mean_ms", "mean_positive_ms", "count", "jitter_sd_ms", "jitter_variance_ms2" };
	const struct stalls *s = state;
	bool watched = isfinite(inputs_number(s->probe, "result.stalls.mean_ms")), depends = false;
	const struct json *j = watched ? s->probe : s->capture;

	(void)c;
	(void)r;
	*out = inputs_number(j, "result.stalls.%s", path);
	for (size_t i = 0; i < sizeof(plain) / sizeof(*plain); i++)
		if (!strcmp(path, plain[i]))
			return 0;
	if (!strcmp(path, "trains"))
		*out = s->there ? 1 : (double)NAN;
	else if (!strcmp(path, "gap_ms"))
		*out = stalls_gap(s, watched);
	else if (!strcmp(path, "updates_per_s"))	/* one each mean stall + period, on average */
		*out = 1000 / (inputs_number(j, "result.stalls.mean_ms") + inputs_number(j, "result.stalls.period_ms"));
	else if (!strcmp(path, "wire_bytes_per_key"))
		*out = s->keys > 0 ? inputs_number(s->capture, "result.channels.total.wire_bytes") / s->keys : (double)NAN;
	else if (!strcmp(path, "schedule_jitter_ms"))
		*out = stalls_schedule(s->probe);
	else if (!strncmp(path, "updates_", 8) && atoi(path + 8) > 0)
		*out = stalls_merged(s->capture, atoi(path + 8));
	else if (!strcmp(path, "depends_on_merge"))
		*out = isnan(stalls_merged(s->capture, 10)) ? (double)NAN :
		       json_get_bool(s->capture, "result.updates.depends_on_merge", &depends) && depends;
	else
		return -ENOENT;
	return 0;
}

const struct extractor stalls_extractor = {
	.name = "stalls", .open = stalls_open, .read = stalls_read, .number = stalls_number,
	.close = free,
};
