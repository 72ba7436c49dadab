// SPDX-License-Identifier: GPL-3.0-or-later
#include "starts.h"
#include "clock.h"
#include "interval.h"
#include "medians.h"
#include "whole.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define DRAWS 2000
#define MS ((double)NS_PER_MS)
#define PARTS 1000.0	/* of what is no time */
#define MB 1e6

static double unit(enum starts_figure f)
{
	return f < STARTS_IN ? MS : PARTS;
}

bool starts_pool_add(struct starts_pool *p, const struct starts_run *run)
{
	if (isfinite(run->stable_ms))
		(run->above ? sample_add_censored : sample_add)(&p->stable, llround(run->stable_ms * MS));
	for (int f = 0; f < STARTS_FIGURES; f++)
		if (isfinite(run->of[f]))
			sample_add(&p->of[f], llround(run->of[f] * unit((enum starts_figure)f)));
	if (run->above || !isfinite(run->stable_ms) || !isfinite(run->of[STARTS_IO]))
		return !p->stable.lost;
	if (p->both == p->room) {
		size_t room = p->room ? 2 * p->room : 16;
		double *startup = realloc(p->startup_ms, room * sizeof(*startup)), *io;

		if (!startup)
			return false;
		p->startup_ms = startup;
		io = realloc(p->io_ms, room * sizeof(*io));
		if (!io)
			return false;
		p->io_ms = io;
		p->room = room;
	}
	p->startup_ms[p->both] = run->stable_ms;
	p->io_ms[p->both++] = run->of[STARTS_IO];
	return !p->stable.lost;
}

struct starts_event *starts_event_find(struct starts_pool *p, const char *name)
{
	for (size_t i = 0; i < p->events; i++)
		if (!strcmp(p->event[i].name, name))
			return &p->event[i];
	if (p->events == STARTS_EVENTS || strlen(name) >= sizeof(p->event[0].name))
		return NULL;
	strcpy(p->event[p->events].name, name);
	return &p->event[p->events++];
}

void starts_pool_free(struct starts_pool *p)
{
	sample_free(&p->stable);
	for (int f = 0; f < STARTS_FIGURES; f++)
		sample_free(&p->of[f]);
	for (size_t i = 0; i < p->events; i++) {
		sample_free(&p->event[i].stable);
		sample_free(&p->event[i].first);
	}
	free(p->startup_ms);
	free(p->io_ms);
	*p = (struct starts_pool){ 0 };
}

struct starts_base starts_base_of(struct starts_pool *none)
{
	struct starts_base b = { sample_quantile(&none->stable, 0.5).value / MS, sample_sd(&none->stable).value / MS };

	return b;
}

static double share(double startup_ms, double io_ms, double t0_ms)
{
	return (startup_ms - t0_ms - io_ms) / (startup_ms - t0_ms);
}

struct starts_share starts_share_of(struct starts_pool *p, const struct starts_base *base)
{
	struct starts_share s = { NAN, NAN, NAN };
	struct sample_stat startup = sample_quantile(&p->stable, 0.5), io = sample_quantile(&p->of[STARTS_IO], 0.5);
	struct interval i;
	double *value;
	size_t n = 0;

	/* Of a median at the ceiling nobody knows how long it would have been. */
	if (startup.above || !(startup.value / MS - base->t0_ms > STARTS_SPREADS * base->spread_ms) || !(startup.value / MS > base->t0_ms))
		return s;
	s.e = share(startup.value / MS, io.value / MS, base->t0_ms);
	value = p->both ? calloc(p->both, sizeof(*value)) : NULL;
	for (size_t k = 0; value && k < p->both; k++)
		if (p->startup_ms[k] > base->t0_ms)
			value[n++] = share(p->startup_ms[k], p->io_ms[k], base->t0_ms);
	if (value && interval_t(value, n, &i)) {
		s.low = fmin(i.low, s.e);
		s.high = fmax(i.high, s.e);
	}
	free(value);
	return s;
}

const char *const starts_summary_columns[] = {
	"cell", "app", "start", "axis", "swap", "step", "state", "repeats", "failed", "marked", "runs", "broken", "ceiling", "swap_used_mb", "left_mb",
	"startup_ms", "startup_ms_low", "startup_ms_high", "startup_ms_above", "startup_ms_min", "startup_ms_max", "mapped_ms", "paint_ms", "t0_ms", "t0_spread_ms",
	"t_io_ms", "e", "e_low", "e_high", "blkio_ms", "swapin_ms", "thrashing_ms", "freepages_ms", "swap_in_mb", "swap_out_mb", "major_faults", "minor_faults",
	"read_requests", "delays_discarded", "foreign_percent_max", NULL,
};

static double median(struct starts_pool *p, enum starts_figure f)
{
	return sample_quantile(&p->of[f], 0.5).value / unit(f);
}

static void write_names(struct rows *t, const struct starts_cell *c)
{
	rows_str(t, c->cell);
	rows_str(t, c->app);
	rows_str(t, c->start);
	rows_str(t, c->axis);
	rows_str(t, c->swap);
	rows_int(t, c->step);
}

void starts_write_cell(struct rows *t, const struct starts_cell *c, struct starts_pool *p, const struct starts_base *base, uint64_t seed)
{
	struct sample_stat startup = sample_quantile(&p->stable, 0.5);
	/* beside a hog that goes on, the device's traffic is the hog's too: no T_IO of the start */
	struct starts_share e = strcmp(c->axis, "left") ? starts_share_of(p, base) : (struct starts_share){ NAN, NAN, NAN };
	double low = NAN, high = NAN;

	medians_interval(&p->stable, DRAWS, seed, &low, &high);
	write_names(t, c);
	rows_str(t, p->repeats ? "measured" : "failed");
	rows_int(t, (int64_t)p->repeats);
	rows_int(t, (int64_t)p->failed);
	rows_int(t, (int64_t)p->marked);
	rows_int(t, (int64_t)p->stable.n);
	rows_int(t, (int64_t)p->broken);
	rows_int(t, (int64_t)p->stable.censored);
	whole_number(t, p->swap_known ? p->swap_sum / (double)p->swap_known / MB : (double)NAN, 3);
	whole_number(t, p->left_known ? p->left_sum / (double)p->left_known / MB : (double)NAN, 3);
	whole_number(t, startup.value / MS, 3);
	whole_number(t, low / MS, 3);
	whole_number(t, high / MS, 3);
	rows_int(t, startup.above);
	whole_number(t, sample_min(&p->stable).value / MS, 3);
	whole_number(t, sample_max(&p->stable).value / MS, 3);
	whole_number(t, median(p, STARTS_MAPPED), 3);
	whole_number(t, median(p, STARTS_PAINT), 3);
	whole_number(t, base->t0_ms, 3);
	whole_number(t, base->spread_ms, 3);
	whole_number(t, median(p, STARTS_IO), 3);
	whole_number(t, e.e, 4);
	whole_number(t, e.low, 4);
	whole_number(t, e.high, 4);
	for (int f = STARTS_BLKIO; f <= STARTS_FREEPAGES; f++)
		whole_number(t, median(p, (enum starts_figure)f), 3);
	whole_number(t, median(p, STARTS_IN) / MB, 3);
	whole_number(t, median(p, STARTS_OUT) / MB, 3);
	for (int f = STARTS_MAJOR; f <= STARTS_DISCARDED; f++)
		whole_number(t, median(p, (enum starts_figure)f), 1);
	whole_number(t, p->repeats ? p->foreign_max : (double)NAN, 3);
	rows_end(t);
}

const char *const starts_event_columns[] = {
	"cell", "app", "start", "axis", "swap", "step", "event", "n", "unchanged", "event_ms", "event_ms_low", "event_ms_high", "event_ms_above", "event_ms_max",
	"first_change_ms", NULL,
};

void starts_write_events(struct rows *t, const struct starts_cell *c, struct starts_pool *p, uint64_t seed)
{
	for (size_t i = 0; i < p->events; i++) {
		struct starts_event *e = &p->event[i];
		struct sample_stat m = sample_quantile(&e->stable, 0.5);
		double low = NAN, high = NAN;

		medians_interval(&e->stable, DRAWS, seed, &low, &high);
		write_names(t, c);
		rows_str(t, e->name);
		rows_int(t, (int64_t)e->stable.n);
		rows_int(t, (int64_t)e->unchanged);
		whole_number(t, m.value / MS, 3);
		whole_number(t, low / MS, 3);
		whole_number(t, high / MS, 3);
		rows_int(t, m.above);
		whole_number(t, sample_max(&e->stable).value / MS, 3);
		whole_number(t, sample_quantile(&e->first, 0.5).value / MS, 3);
		rows_end(t);
	}
}

const char *const starts_run_columns[] = {
	"cell", "app", "start", "axis", "swap", "step", "repeat", "run", "startup_ms", "startup_above", "mapped_ms", "paint_ms", "t_io_ms", "blkio_ms", "swapin_ms",
	"thrashing_ms", "freepages_ms", "swap_in_bytes", "swap_out_bytes", "major_faults", "minor_faults", "read_requests", "delays_discarded", NULL,
};

void starts_write_run(struct rows *t, const struct starts_cell *c, int64_t repeat, int64_t number, const struct starts_run *run)
{
	write_names(t, c);
	rows_int(t, repeat);
	rows_int(t, number);
	whole_number(t, run->stable_ms, 3);
	rows_int(t, run->above);
	for (int f = 0; f < STARTS_FIGURES; f++)
		whole_number(t, run->of[f], f < STARTS_IN ? 3 : 0);
	rows_end(t);
}
