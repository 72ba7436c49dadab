// SPDX-License-Identifier: GPL-3.0-or-later
#include "models.h"
#include "ascending.h"
#include "cli.h"
#include "memory.h"
#include "rows_in.h"

#include <errno.h>
#include <math.h>

const char *const models_tolia_words[MODELS_TOLIA] = { "crisp", "noticeable", "annoying", "unacceptable", "unusable" };

static double end_ms(const struct latency_sample *one, enum models_end end)
{
	return end == MODELS_EARLY ? one->early_ms : one->later ? MODELS_NEVER : one->late_ms;
}

double models_late_share(const struct latency_samples *s, enum models_end end, double threshold)
{
	size_t late = 0;

	for (size_t i = 0; i < s->n; i++)
		late += end_ms(&s->one[i], end) > threshold;
	return s->n ? (double)late / (double)s->n : (double)NAN;
}

static size_t tolia_class(double ms, const struct models_limits *l)
{
	return ms < l->crisp ? 0 : ms < l->noticeable ? 1 : ms < l->annoying ? 2 : ms < l->unacceptable ? 3 : 4;
}

void models_compute_tolia(const struct latency_samples *s, const struct models_limits *l, double least[static MODELS_TOLIA],
			  double most[static MODELS_TOLIA])
{
	for (size_t c = 0; c < MODELS_TOLIA; c++) {
		size_t sure = 0, possible = 0;

		for (size_t i = 0; i < s->n; i++) {
			size_t from = tolia_class(end_ms(&s->one[i], MODELS_EARLY), l);
			size_t to = tolia_class(end_ms(&s->one[i], MODELS_LATE), l);

			sure += from == c && to == c;
			possible += from <= c && c <= to;
		}
		least[c] = s->n ? (double)sure / (double)s->n : (double)NAN;
		most[c] = s->n ? (double)possible / (double)s->n : (double)NAN;
	}
}

void models_compute_apdex(const struct latency_samples *s, enum models_end end, const struct models_limits *l,
			  struct models_apdex_result *out)
{
	*out = (struct models_apdex_result){ .score = NAN };
	for (size_t i = 0; i < s->n; i++) {
		double ms = s->one[i].failed ? MODELS_NEVER : end_ms(&s->one[i], end);

		if (ms <= l->apdex_target)
			out->satisfied++;
		else if (ms <= l->apdex_target * l->apdex_tolerating)
			out->tolerating++;
		else
			out->frustrated++;
	}
	if (s->n)
		out->score = ((double)out->satisfied + (double)out->tolerating / 2) / (double)s->n;
}

double models_round_apdex(double score)
{
	return floor(score * 100 + 0.5 + 1e-9) / 100; /* 0.285 is a little less in binary */
}

const char *models_apdex_word(const struct models_limits *l, double score)
{
	score = models_round_apdex(score);
	return isnan(score)		     ? NULL
	       : score >= l->apdex_excellent ? "excellent"
	       : score >= l->apdex_good	     ? "good"
	       : score >= l->apdex_fair	     ? "fair"
	       : score >= l->apdex_poor	     ? "poor"
					     : "unacceptable";
}

double models_felt_delay(const struct latency_samples *s, enum models_end end, const struct models_limits *l, double *mean)
{
	double sum = 0;

	for (size_t i = 0; i < s->n; i++) {
		double ms = end_ms(&s->one[i], end);

		sum += ms > l->wu_expected ? pow((ms - l->wu_expected) / 1000, l->wu_beta) : 0;
	}
	*mean = s->n ? sum / (double)s->n : (double)NAN;
	return s->n ? sum : (double)NAN;
}

static double mean_range(const double *v, size_t from, size_t to)
{
	double sum = 0;

	for (size_t i = from; i < to; i++)
		sum += v[i];
	return sum / (double)(to - from);
}

static double vsimax_ms(const struct latency_sample *one, enum models_end end)
{
	return end == MODELS_LATE && (one->failed || one->later) ? MODELS_NEVER : one->late_ms;
}

void models_compute_vsimax(const struct latency_samples *s, enum models_end end, const struct models_limits *l,
			   struct models_vsimax_result *out)
{
	double *v = memory_new(s->n, sizeof(*v)), most = 0;
	size_t base = (size_t)l->vsi_base, dropped = (size_t)l->vsi_dropped, good = 0;

	*out = (struct models_vsimax_result){ .base = NAN, .limit = NAN, .last = NAN, .users = NAN };
	for (size_t i = 0; i < s->n; i++)
		if (!s->one[i].failed)
			v[good++] = vsimax_ms(&s->one[i], end);
	if (good >= base && base > dropped) {
		qsort(v, good, sizeof(*v), ascending_double);
		out->base = mean_range(v, dropped, base);
		out->limit = out->base + l->vsi_margin;
	}
	for (size_t i = 0; i < s->n && isfinite(out->base) && !out->reached; i++) {
		double users = s->one[i].users, of = l->vsi_samples + round(l->vsi_per_user * users), trim;
		size_t n;

		if (!(of <= (double)(i + 1)))
			continue;
		n = (size_t)of;
		trim = fmax(1, round(l->vsi_trim * of));
		if (2 * trim >= of)
			continue;
		for (size_t j = 0; j < n; j++)
			v[j] = vsimax_ms(&s->one[i + 1 - n + j], end);
		qsort(v, n, sizeof(*v), ascending_double);
		out->known = true;
		out->last = mean_range(v, (size_t)trim, n - (size_t)trim);
		out->reached = out->last > out->limit;
		if (!out->reached)
			most = fmax(most, users);
	}
	if (out->known)
		out->users = most;
	free(v);
}

/* --- their numbers, from a table ---------------------------------------------------------------------------------- */

#define AT(field) offsetof(struct models_limits, field)

static const struct {
	const char *name;
	size_t at;
	enum limits_in_model model;
} numbers[] = {
	{ "perception", AT(perception), LIMITS_PERCEPTION },
	{ "crisp", AT(crisp), LIMITS_TOLIA },
	{ "noticeable", AT(noticeable), LIMITS_TOLIA },
	{ "annoying", AT(annoying), LIMITS_TOLIA },
	{ "unacceptable", AT(unacceptable), LIMITS_TOLIA },
	{ "apdex_tolerating", AT(apdex_tolerating), LIMITS_APDEX },
	{ "apdex_target", AT(apdex_target), LIMITS_APDEX },
	{ "apdex_excellent", AT(apdex_excellent), LIMITS_APDEX },
	{ "apdex_good", AT(apdex_good), LIMITS_APDEX },
	{ "apdex_fair", AT(apdex_fair), LIMITS_APDEX },
	{ "apdex_poor", AT(apdex_poor), LIMITS_APDEX },
	{ "apdex_few", AT(apdex_few), LIMITS_APDEX },
	{ "wu_beta", AT(wu_beta), LIMITS_WU },
	{ "wu_expected", AT(wu_expected), LIMITS_WU },
	{ "vsimax_margin", AT(vsi_margin), LIMITS_VSI },
	{ "vsimax_base_samples", AT(vsi_base), LIMITS_VSI },
	{ "vsimax_base_dropped", AT(vsi_dropped), LIMITS_VSI },
	{ "vsimax_samples", AT(vsi_samples), LIMITS_VSI },
	{ "vsimax_per_user", AT(vsi_per_user), LIMITS_VSI },
	{ "vsimax_trim", AT(vsi_trim), LIMITS_VSI },
};
#define NUMBERS (sizeof(numbers) / sizeof(*numbers))

struct limits_reader {
	struct models_sourced_limits *out;
	bool seen[NUMBERS];
	struct why *why;
};

static int read_limit_row(void *context, char *const *cell)
{
	struct limits_reader *r = context;
	double value;

	for (size_t i = 0; i < NUMBERS; i++) {
		if (strcmp(cell[0], numbers[i].name) != 0)
			continue;
		if (cli_parse_real(cell[1], &value) || !isfinite(value) || value < 0 || value > 1e9)
			return why_fail(-ERANGE, r->why, "%s: the value is not a number from 0 to 1e9", cell[0]);
		memcpy((char *)&r->out->limits + numbers[i].at, &value, sizeof(value));
		r->seen[i] = true;
		if (!r->out->source[numbers[i].model][0])
			snprintf(r->out->source[numbers[i].model], LIMITS_IN_SOURCE, "%s", cell[2]);
	}
	return 0;
}

int models_read_limits(FILE *in, struct models_sourced_limits *out, struct why *why)
{
	static const char *const columns[] = { "name", "value", "source", NULL };
	struct limits_reader r = { .out = out, .why = why };
	unsigned long line;
	int err;

	*out = (struct models_sourced_limits){ 0 };
	err = rows_in_read(in, "thresholds/1", columns, 3, read_limit_row, &r, &line);
	if (err == -EPROTO)
		why_say(why, "line %lu is not of schema thresholds/1", line);
	if (err == -ERANGE)
		err = -EPROTO;
	for (size_t i = 0; !err && i < NUMBERS; i++)
		if (!r.seen[i]) {
			why_say(why, "%s is missing", numbers[i].name);
			err = -EPROTO;
		}
	return err;
}
