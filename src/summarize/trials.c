// SPDX-License-Identifier: GPL-3.0-or-later
#include "trials.h"

#define TRIALS_SCALE 1e6 /* samples hold whole numbers: millionths */

static const char *const trials_statistics[] = { "n", "above", "mean", "sd", "min", "median", "max", "p50", NULL };
enum trials_statistic { TRIALS_N, TRIALS_ABOVE, TRIALS_MEAN, TRIALS_SD, TRIALS_MIN, TRIALS_MEDIAN, TRIALS_MAX, TRIALS_P50 };

struct trial *trials_add(struct cell_trials *t, int64_t repeat, int64_t number)
{
	struct trial *one;

	t->of = memory_grow(t->of, t->n, sizeof(*one));
	one = &t->of[t->n++];
	*one = (struct trial){ .repeat = repeat, .number = number };
	for (int v = 0; v < TRIALS_VALUES; v++)
		one->value[v] = NAN;
	return one;
}

void trials_set_value(struct trial *t, int value, double v, bool above)
{
	t->value[value] = v;
	t->above |= (uint32_t)above << value;
}

void trials_read_file(struct cell_trials *t, const struct experiment_repeat *r, const char *file, trials_reader *read)
{
	const struct json_document *j = repeat_get_json(r, file);
	const char *state;
	char path[64];

	if (!j)
		die(EXIT_RUN, "%s/%s: missing", r->folder, file);
	for (int64_t n = 0;; n++) {
		snprintf(path, sizeof(path), "result.runs.%lld", (long long)n);
		state = json_get_text(j, "%s.state", path);
		if (!state)
			return;
		read(r, j, path, state, trials_add(t, r->number, n + 1));
	}
}

/* The median's interval. Trials of one repeat may be more alike than those of different ones, so it holds that of the repeats' own
 * medians, too. */
static struct figure estimate_median(double *v, const int64_t *repeat, size_t n)
{
	double *own = memory_new(n, sizeof(*own));
	struct figure f, of_repeats;
	size_t repeats = 0;

	for (size_t i = 0, end; i < n; i = end) {
		for (end = i + 1; end < n && repeat[end] == repeat[i];)
			end++;
		own[repeats++] = interval_quantile(v + i, end - i, 0.5);
	}
	f = engine_estimate(ESTIMATE_MEDIAN_CI, v, n);
	of_repeats = engine_estimate(ESTIMATE_MEDIAN_CI, own, repeats);
	if (isfinite(f.low) && isfinite(of_repeats.low)) {
		f.low = fmin(f.low, of_repeats.low);
		f.high = fmax(f.high, of_repeats.high);
	}
	free(own);
	return f;
}

struct figure trials_statistic(const struct cell_trials *t, unsigned groups, int value, const char *text, const char *statistic)
{
	struct sample s = { 0 };
	struct figure f = FIGURE_ABSENT, all;
	struct sample_stat of = { NAN, false };
	double *v = memory_new(t->n, sizeof(*v)), bound = INFINITY; /* bound: the least lower bound */
	int64_t *repeat = memory_new(t->n, sizeof(*repeat));
	size_t n = 0;

	for (const struct trial *one = t->of; one < t->of + t->n; one++) {
		if (!(groups >> one->group & 1) || !isfinite(one->value[value]) || (text && strcmp(text, one->text) != 0))
			continue;
		(one->above >> value & 1 ? sample_add_censored : sample_add)(&s, llround(one->value[value] * TRIALS_SCALE));
		v[n] = round(one->value[value] * TRIALS_SCALE);
		repeat[n++] = one->repeat;
		if (one->above >> value & 1)
			bound = fmin(bound, one->value[value]);
	}
	switch (find_word(trials_statistics, statistic)) {
	case TRIALS_N: of.value = (double)s.n * TRIALS_SCALE; break;
	case TRIALS_ABOVE: of.value = (double)s.censored * TRIALS_SCALE; break;
	case TRIALS_MEAN: of = sample_mean(&s); break;
	case TRIALS_SD: of = sample_sd(&s); break;
	case TRIALS_MIN: of = sample_min(&s); break;
	case TRIALS_MAX: of = sample_max(&s); break;
	case TRIALS_P50:
		f = estimate_median(v, repeat, n);
		/* fall through */
	case TRIALS_MEDIAN: of = sample_quantile(&s, 0.5); break;
	}
	sample_free(&s);
	free(repeat);
	free(v);
	of.value /= TRIALS_SCALE;
	all = figure_statistic(of);
	all.low = f.low / TRIALS_SCALE;
	all.high =
		f.high / TRIALS_SCALE < bound ? f.high / TRIALS_SCALE : (double)NAN; /* beyond, only that it is larger is known */
	return all;
}

static bool parse_groups(const char *const *names, char *words, unsigned *groups)
{
	char *rest = NULL;

	*groups = 0;
	for (char *word = strtok_r(words, "+", &rest); word; word = strtok_r(NULL, "+", &rest)) {
		int g = find_word(names, word);

		if (g < 0)
			return false;
		*groups |= 1u << g;
	}
	return *groups;
}

bool trials_compute_figure(const struct cell_trials *t, const char *const *groups, const char *const *values, const char *path,
			   struct figure *out)
{
	char words[96], value[32], statistic[16] = "";
	int parts = sscanf(path, "%95[^.].%31[^.].%15s", words, value, statistic), v;
	unsigned mask, n = 0;

	if (parts < 2 || !parse_groups(groups, words, &mask))
		return false;
	v = find_word(values, value);
	if (parts == 2 && !strcmp(value, "n")) {
		for (size_t i = 0; i < t->n; i++)
			n += mask >> t->of[i].group & 1;
		*out = figure_exact((double)n);
	} else if (v < 0 || find_word(trials_statistics, statistic) < 0) {
		return false;
	} else {
		*out = trials_statistic(t, mask, v, NULL, statistic);
	}
	return true;
}

void trials_begin_row(const struct experiment_cell *c, const struct trial *t, const char *const *values, int last,
		      struct table_out *out)
{
	row_set_parameters(out, c);
	row_numbers(out, { "repeat", (double)t->repeat }, { "run", (double)t->number });
	for (int v = 0; v <= last; v++)
		row_set_number(out, values[v], t->value[v]);
}
