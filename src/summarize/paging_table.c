// SPDX-License-Identifier: GPL-3.0-or-later
#include "paging.h"
#include "clock.h"
#include "medians.h"
#include "whole.h"

#include <math.h>
#include <stdio.h>

#define DRAWS 2000
#define MS ((double)NS_PER_MS)

const char *const paging_state_names[] = { "in_memory", "paged_out", "kept", "not_evicted", "not_in_memory", NULL };

static void add_key(struct sample *s, double ms, bool above)
{
	if (isfinite(ms))
		(above ? sample_add_censored : sample_add)(s, llround(ms * MS));
}

static void least(double *of, double v, bool first)
{
	if (first || !(*of <= v))
		*of = v;
}

void paging_pool_add(struct paging_pool *p, const struct paging_run *run)
{
	enum paging_state s = run->state;
	bool first = !p->runs[s];

	add_key(&p->first[s], run->first_ms, run->first_above);
	add_key(&p->second[s], run->second_ms, run->second_above);
	least(&p->evicted_least[s], run->evicted_percent, first);
	least(&p->major_least[s], run->major_least, first);
	for (int f = 0; f < PAGING_FIGURES; f++) {
		if (!isfinite(run->of[f]))
			continue;
		p->sum[s][f] += run->of[f];
		p->known[s][f]++;
	}
	if (s == PAGING_NOT_EVICTED && first)
		snprintf(p->why, sizeof(p->why), "%s", run->why);
	p->runs[s]++;
}

void paging_pool_free(struct paging_pool *p)
{
	for (int s = 0; s < PAGING_STATES; s++) {
		sample_free(&p->first[s]);
		sample_free(&p->second[s]);
	}
	*p = (struct paging_pool){ 0 };
}

#define KEYS(name) name "_n", name "_min_ms", name "_mean_ms", name "_p50_ms", name "_p50_ms_low", name "_p50_ms_high", name "_max_ms", name "_above", \
	"second_" name "_p50_ms", "second_" name "_max_ms"
const char *const paging_summary_columns[] = {
	"cell", "protocol", "swap", "session", "method", "state", "repeats", "failed", "marked", "attempts", "not_evicted", "not_in_memory", "why",
	KEYS("in_memory"), KEYS("paged_out"), KEYS("kept"),
	"evicted_percent_min", "not_evicted_percent_min", "swap_bytes", "anonymous_bytes", "file_resident_bytes", "file_others_bytes",
	"major_faults_min", "major_faults", "minor_faults", "swap_in_bytes", "read_percent", "kept_major_faults",
	NULL,
};

static double mean_of(const struct paging_pool *p, enum paging_state s, enum paging_figure f)
{
	return p->known[s][f] ? p->sum[s][f] / (double)p->known[s][f] : (double)NAN;
}

/* A figure that keys without an echo reach is known from below only. */
static void write_keys(struct rows *t, struct paging_pool *p, enum paging_state state, uint64_t seed)
{
	struct sample *s = &p->first[state];
	double low = NAN, high = NAN;

	medians_interval(s, DRAWS, seed, &low, &high);
	rows_int(t, (int64_t)s->n);
	whole_number(t, sample_min(s).value / MS, 3);
	whole_number(t, sample_mean(s).value / MS, 3);
	whole_number(t, sample_quantile(s, 0.5).value / MS, 3);
	whole_number(t, low / MS, 3);
	whole_number(t, high / MS, 3);
	whole_number(t, sample_max(s).value / MS, 3);
	rows_int(t, (int64_t)s->censored);
	whole_number(t, sample_quantile(&p->second[state], 0.5).value / MS, 3);
	whole_number(t, sample_max(&p->second[state]).value / MS, 3);
}

static void write_names(struct rows *t, const struct paging_cell *c)
{
	rows_str(t, c->cell);
	rows_str(t, c->protocol);
	rows_str(t, c->swap);
	rows_str(t, c->session);
	rows_str(t, c->method);
}

void paging_write_cell(struct rows *t, const struct paging_cell *c, struct paging_pool *p, uint64_t seed)
{
	static const enum paging_figure residency[] = { PAGING_SWAP, PAGING_ANONYMOUS, PAGING_FILE, PAGING_FILE_OTHERS };
	size_t out = p->runs[PAGING_OUT], not = p->runs[PAGING_NOT_EVICTED];

	write_names(t, c);
	rows_str(t, p->repeats ? "measured" : p->tried ? "failed" : "not measured");
	rows_int(t, (int64_t)p->repeats);
	rows_int(t, (int64_t)p->failed);
	rows_int(t, (int64_t)p->marked);
	rows_int(t, (int64_t)(out + p->runs[PAGING_KEPT] + not));
	rows_int(t, (int64_t)not);
	rows_int(t, (int64_t)p->runs[PAGING_NOT_IN_MEMORY]);
	rows_str(t, p->why);
	for (int s = 0; s <= PAGING_KEPT; s++)
		write_keys(t, p, (enum paging_state)s, seed);
	whole_number(t, out ? p->evicted_least[PAGING_OUT] : (double)NAN, 1);
	whole_number(t, not ? p->evicted_least[PAGING_NOT_EVICTED] : (double)NAN, 1);
	for (size_t i = 0; i < sizeof(residency) / sizeof(*residency); i++)
		whole_number(t, mean_of(p, PAGING_OUT, residency[i]), 0);
	whole_number(t, out ? p->major_least[PAGING_OUT] : (double)NAN, 0);
	whole_number(t, mean_of(p, PAGING_OUT, PAGING_MAJOR), 1);
	whole_number(t, mean_of(p, PAGING_OUT, PAGING_MINOR), 1);
	whole_number(t, mean_of(p, PAGING_OUT, PAGING_SWAP_IN), 0);
	whole_number(t, mean_of(p, PAGING_OUT, PAGING_READ_PERCENT), 1);
	whole_number(t, mean_of(p, PAGING_KEPT, PAGING_MAJOR), 1);
	rows_end(t);
}

const char *const paging_run_columns[] = {
	"cell", "protocol", "swap", "session", "method", "repeat", "run", "state", "first_key_ms", "first_key_above", "second_key_ms", "evicted_percent",
	"swap_bytes", "anonymous_bytes", "file_resident_bytes", "file_others_bytes", "major_faults", "minor_faults", "swap_in_bytes",
	"read_percent", "why", NULL,
};

void paging_write_run(struct rows *t, const struct paging_cell *c, int64_t repeat, int64_t number, const struct paging_run *run)
{
	write_names(t, c);
	rows_int(t, repeat);
	rows_int(t, number);
	rows_str(t, paging_state_names[run->state]);
	whole_number(t, run->first_ms, 3);
	rows_int(t, run->first_above);
	whole_number(t, run->second_ms, 3);
	whole_number(t, run->evicted_percent, 1);
	for (int f = 0; f < PAGING_FIGURES; f++)
		whole_number(t, run->of[f], 0);
	rows_str(t, run->why);
	rows_end(t);
}
