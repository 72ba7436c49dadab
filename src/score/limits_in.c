// SPDX-License-Identifier: GPL-3.0-or-later
#include "limits_in.h"
#include "cli.h"
#include "rows_in.h"
#include "why.h"

#include <errno.h>
#include <math.h>
#include <stddef.h>
#include <string.h>

#define AT(field) offsetof(struct models_limits, field)

static const struct {
	const char *name;
	size_t at;
	enum limits_in_model model;
} numbers[] = {
	{ "perception", AT(perception), LIMITS_PERCEPTION },
	{ "crisp", AT(crisp), LIMITS_TOLIA }, { "noticeable", AT(noticeable), LIMITS_TOLIA }, { "annoying", AT(annoying), LIMITS_TOLIA },
	{ "unacceptable", AT(unacceptable), LIMITS_TOLIA },
	{ "apdex_tolerating", AT(apdex_tolerating), LIMITS_APDEX }, { "apdex_target", AT(apdex_target), LIMITS_APDEX },
	{ "apdex_excellent", AT(apdex_excellent), LIMITS_APDEX }, { "apdex_good", AT(apdex_good), LIMITS_APDEX },
	{ "apdex_fair", AT(apdex_fair), LIMITS_APDEX }, { "apdex_poor", AT(apdex_poor), LIMITS_APDEX },
	{ "apdex_few", AT(apdex_few), LIMITS_APDEX },
	{ "wu_beta", AT(wu_beta), LIMITS_WU }, { "wu_expected", AT(wu_expected), LIMITS_WU },
	{ "vsimax_margin", AT(vsi_margin), LIMITS_VSI }, { "vsimax_base_samples", AT(vsi_base), LIMITS_VSI },
	{ "vsimax_base_dropped", AT(vsi_dropped), LIMITS_VSI }, { "vsimax_samples", AT(vsi_samples), LIMITS_VSI },
	{ "vsimax_per_user", AT(vsi_per_user), LIMITS_VSI }, { "vsimax_trim", AT(vsi_trim), LIMITS_VSI },
};
#define NUMBERS (sizeof(numbers) / sizeof(*numbers))

struct limits_reading {
	struct limits_in *out;
	bool seen[NUMBERS];
	char *why;
	size_t size;
};

static int take_limit_row(void *context, char *const *cell)
{
	struct limits_reading *r = context;
	double value;

	for (size_t i = 0; i < NUMBERS; i++) {
		if (strcmp(cell[0], numbers[i].name) != 0)
			continue;
		if (cli_read_real(cell[1], &value) || !isfinite(value) || value < 0 || value > 1e9)
			return why_write(-ERANGE, r->why, r->size, "%s is no such number", cell[0]);
		memcpy((char *)&r->out->limits + numbers[i].at, &value, sizeof(value));
		r->seen[i] = true;
		if (!r->out->source[numbers[i].model][0])
			snprintf(r->out->source[numbers[i].model], LIMITS_IN_SOURCE, "%s", cell[2]);
	}
	return 0;
}

int limits_in_read(FILE *in, struct limits_in *out, char *why, size_t size)
{
	static const char *const columns[] = { "name", "value", "source", NULL };
	struct limits_reading r = { .out = out, .why = why, .size = size };
	unsigned long line;
	int err;

	*out = (struct limits_in){ 0 };
	err = rows_in_read(in, "thresholds/1", columns, 3, take_limit_row, &r, &line);
	if (err == -EPROTO)
		snprintf(why, size, "line %lu is not of schema thresholds/1", line);
	if (err == -ERANGE)
		err = -EPROTO;
	for (size_t i = 0; !err && i < NUMBERS; i++)
		if (!r.seen[i]) {
			snprintf(why, size, "%s is missing", numbers[i].name);
			err = -EPROTO;
		}
	return err;
}
