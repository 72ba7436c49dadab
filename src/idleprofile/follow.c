// SPDX-License-Identifier: GPL-3.0-or-later
#include "follow.h"
#include "itself.h"
#include "stretch.h"
#include "random.h"
#include "trace.h"
#include "who.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WAITS_KEPT 500000
#define NAMES 512		/* culprits told apart over the run */

struct follow_cpu {
	struct follow *f;
	struct spin_cpu *spin;
	struct who *who;
	struct ticks ticks;
	struct events events;
	struct bins bins;
	struct itself itself;
	struct follow_total total;
	int64_t step;			/* of the loop, in stamps */
	int64_t upto_ns;		/* no part before this is missing */
};

struct follow {
	struct follow_cfg cfg;
	struct itself_tids tids;
	struct wakeups *wakeups;
	int64_t start_ns, end_ns;	/* INT64_MAX: not yet */
	int64_t lost_before, missed_before;
	struct follow_sums sums;
	struct culprit_table *names;
	uint64_t random;
	int n;
	struct follow_cpu cpu[];
};

static void keep_longest(struct follow_total *t, const struct event *e)
{
	const struct culprit *who = culprit_main(&e->who);

	if (e->lost_ns <= t->longest_ns)
		return;
	t->longest_ns = e->lost_ns;
	t->longest_at_ns = e->start_ns;
	snprintf(t->longest_who, sizeof(t->longest_who), "%s", who ? who->name : "");
}

static void take_lost_event(void *arg, const struct event *e)
{
	struct follow_cpu *c = arg;

	c->total.of_length[lengths_bin(e->lost_ns)]++;
	logs_event(c->f->cfg.logs, c->spin->cpu, e, c->f->cfg.trace);
	if (e->tick) {
		c->total.ticks++;
		c->total.tick_ns += e->lost_ns;
		return;
	}
	logs_culprits(c->f->cfg.logs, c->spin->cpu, e);
	c->total.events++;
	c->total.lost_ns += e->lost_ns;
	keep_longest(&c->total, e);
	lengths_add(&c->f->sums.lengths, e->lost_ns);
	if (c->f->names)
		culprit_table_add(c->f->names, &e->who);
}

static void take_bin(void *arg, int64_t start_ns, int64_t bin_ns, int64_t lost_ns, int64_t tick_ns)
{
	struct follow_cpu *c = arg;

	logs_bin(c->f->cfg.logs, c->spin->cpu, start_ns, bin_ns, lost_ns, tick_ns);
}

/* Does this program's own work account for the part? Takes its shares out, and what they had off *lost. */
static bool is_itself(struct follow_cpu *c, int64_t from, int64_t to, int64_t *lost, struct who_share *share, size_t *n)
{
	struct itself_found found = c->f->cfg.trace ? itself_in_shares(&c->f->tids, share, n) : itself_in_time(&c->itself, from, to);

	if (!found.there)
		return false;
	if (*lost - found.ns < ITSELF_REST_NS) {
		c->total.itself_ns += *lost;
		return true;
	}
	c->total.itself_ns += found.ns;
	*lost -= found.ns;
	return false;
}

/* What of the part lies in the profile: a task that had the CPU before is not charged with that time. False: nothing. */
static bool clip_part(const struct follow *f, struct part *p, struct who_share *share)
{
	int64_t from = p->start_ns < f->start_ns ? f->start_ns : p->start_ns, to = p->end_ns > f->end_ns ? f->end_ns : p->end_ns;

	if (to <= from)
		return false;
	p->lost_ns -= p->end_ns - p->start_ns - (to - from);
	if (p->lost_ns <= 0)
		return false;
	if (from > p->start_ns || to < p->end_ns)
		p->shares = part_clip(share, p->shares, from, to);
	p->start_ns = from;
	p->end_ns = to;
	return true;
}

static void take_unexplained(struct follow_total *t, const struct who_share *s)
{
	if (s->kind != WHO_UNEXPLAINED)
		return;
	t->unexplained_ns += s->ns;
	if (!strcmp(s->name, WHO_MISSED))
		t->missed_ns += s->ns;
}

static void take_part(struct follow_cpu *c, int64_t from, int64_t to, int64_t lost)
{
	struct who_share share[WHO_SHARES];
	struct part p = { .start_ns = from, .end_ns = to, .lost_ns = lost, .share = share };

	p.shares = c->who ? who_part(c->who, from, to, share, WHO_SHARES) : 0;
	p.tick = c->who ? who_is_tick(share, p.shares) : ticks_take(&c->ticks, from, to - from);
	if (!clip_part(c->f, &p, share) || is_itself(c, p.start_ns, p.end_ns, &p.lost_ns, share, &p.shares))
		return;
	for (size_t i = 0; i < p.shares; i++)
		take_unexplained(&c->total, &share[i]);
	bins_part(&c->bins, p.start_ns, p.end_ns, p.lost_ns, p.tick);
	events_part(&c->events, &p);
}

/* The loop did not run: what did is not known, and is not called lost. */
static void take_unwatched(struct follow_cpu *c, int64_t from, int64_t to)
{
	if (from < c->f->start_ns)
		from = c->f->start_ns;
	if (to > c->f->end_ns)
		to = c->f->end_ns;
	if (to > from)
		c->total.unwatched_ns += to - from;
}

static int take_trace_record(void *who, const struct trace_record *r)
{
	who_record(who, r);
	return 0;
}

/* longer: it waited at least that long */
static void keep_wait(struct follow *f, int64_t wait, bool longer)
{
	f->sums.waits_n++;
	for (int i = 0; i < LENGTHS_WAITS && wait > lengths_waits[i]; i++)
		f->sums.waits_beyond[i]++;
	if (longer)
		sample_add_censored(&f->sums.waits, wait);
	else if (f->sums.waits_n <= WAITS_KEPT)
		sample_add(&f->sums.waits, wait);
	else {	/* Vitter's algorithm R: each of all is kept with the same probability */
		uint64_t at = random_bits(&f->random) % (uint64_t)f->sums.waits_n;

		if (at < WAITS_KEPT)
			f->sums.waits.value[at] = wait;
	}
}

static void take_wakes(struct follow *f, int i)
{
	struct ring *ring = wakeups_ring(f->wakeups, i);
	struct span span;

	for (; ring_peek(ring, &span); ring_drop(ring)) {
		itself_note(&f->cpu[i].itself, span.to, span.to, 0);
		if (span.from >= f->start_ns && span.from < f->end_ns)
			keep_wait(f, span.to - span.from, false);
	}
}

static int64_t most_ns(int64_t a, int64_t b)
{
	return a > b ? a : b;
}

static void drain_cpu(struct follow *f, int i)
{
	struct follow_cpu *c = &f->cpu[i];
	int64_t seen = atomic_load_explicit(&c->spin->seen, memory_order_acquire);
	int64_t upto = clock_now();
	struct span span;

	if (c->who)
		trace_drain(f->cfg.trace, c->spin->cpu, take_trace_record, c->who);
	if (f->wakeups)
		take_wakes(f, i);
	if (stamp_map_ns(&f->cfg.map, seen) < upto)
		upto = stamp_map_ns(&f->cfg.map, seen);
	for (; ring_peek(&c->spin->ring, &span); ring_drop(&c->spin->ring)) {
		bool watched = span.from >= 0;
		int64_t to = stamp_map_ns(&f->cfg.map, span.to);
		int64_t from, lost;

		if (!watched)
			span.from = -span.from;
		/* What the last drain has done with stays so, also where the line through the anchors has moved a little since. */
		from = most_ns(to - stamp_map_length(&f->cfg.map, span.to - span.from), c->upto_ns);
		if (to > upto) {
			upto = from < upto ? from : upto;
			break;
		}
		lost = stamp_map_length(&f->cfg.map, span.to - span.from - c->step);
		if (watched)
			take_part(c, from, to, lost < to - from ? lost : to - from);
		else
			take_unwatched(c, from, to);
	}
	if (upto > f->end_ns)
		upto = f->end_ns;
	c->upto_ns = upto;
	if (upto > f->start_ns) {
		events_until(&c->events, upto);
		bins_until(&c->bins, upto);
	}
}

void follow_drain(struct follow *f)
{
	struct itself_work work;
	struct stamp_anchor a;

	itself_begin(&work);
	stamp_take_anchor(f->cfg.spin->tsc, &a);
	stamp_map_add(&f->cfg.map, &a);
	if (f->cfg.trace)
		itself_tids_refresh(&f->tids);
	for (int i = 0; i < f->n; i++)
		drain_cpu(f, i);
	logs_flush(f->cfg.logs);
	itself_end(&work);
	for (int i = 0; i < f->n; i++)
		if (f->cpu[i].spin->cpu == work.cpu)
			itself_note(&f->cpu[i].itself, work.from, work.to, work.cpu_ns);
}

struct follow *follow_new(const struct follow_cfg *cfg)
{
	int n = cfg->spin->n;
	struct follow *f = calloc(1, sizeof(*f) + (size_t)n * sizeof(struct follow_cpu));
	bool failed = !f;

	if (!f)
		return NULL;
	f->cfg = *cfg;
	f->n = n;
	f->start_ns = f->end_ns = INT64_MAX;
	f->random = cfg->seed;
	itself_tids_init(&f->tids, cfg->ignore, cfg->ignores);
	if (cfg->trace) {
		f->names = culprit_table_new(NAMES);
		failed = !f->names;
	}
	for (int i = 0; i < n; i++) {
		struct follow_cpu *c = &f->cpu[i];

		c->f = f;
		c->spin = &cfg->spin->cpu[i];
		c->step = spin_step(c->spin, 0.5, SPIN_STEPS);
		if (cfg->trace) {
			c->who = who_new(atomic_load(&c->spin->tid));
			failed |= !c->who;
		}
		c->ticks.period_ns = ticks_period();
		events_init(&c->events, c->ticks.period_ns, take_lost_event, c);
	}
	if (failed) {
		follow_free(f);
		return NULL;
	}
	return f;
}

void follow_wakeups(struct follow *f, struct wakeups *w)
{
	f->wakeups = w;
	for (int i = 0; i < f->n; i++)
		itself_tids_add(&f->tids, wakeups_tid(w, i));
}

static int64_t lost_records(const struct follow *f)
{
	int64_t lost = f->cfg.trace ? trace_lost(f->cfg.trace) : 0;

	for (int i = 0; i < f->n; i++) {
		lost += atomic_load(&f->cpu[i].spin->ring.overflowed);
		lost += f->cpu[i].who ? who_forgotten(f->cpu[i].who) : 0;
		if (f->wakeups)
			lost += atomic_load(&wakeups_ring(f->wakeups, i)->overflowed);
	}
	return lost;
}

static int64_t missed_switches(const struct follow *f)
{
	int64_t missed = 0;

	for (int i = 0; i < f->n; i++)
		missed += f->cpu[i].who ? who_missed(f->cpu[i].who) : 0;
	return missed;
}

void follow_begin(struct follow *f, int64_t start_ns, int64_t end_ns)
{
	f->start_ns = start_ns;
	f->end_ns = end_ns;
	f->lost_before = lost_records(f);
	f->missed_before = missed_switches(f);
	for (int i = 0; i < f->n; i++)
		bins_init(&f->cpu[i].bins, start_ns, f->cfg.bin_ns, take_bin, &f->cpu[i]);
}

void follow_end(struct follow *f, int64_t end_ns)
{
	f->end_ns = end_ns;
	follow_drain(f);
	for (int i = 0; f->wakeups && i < f->n; i++) {
		int64_t due = wakeups_left(f->wakeups, i);

		if (due >= f->start_ns && due < end_ns)
			keep_wait(f, end_ns - due, true);
	}
	for (int i = 0; i < f->n; i++) {
		struct follow_cpu *c = &f->cpu[i];

		/* still without the CPU: lost until the end, whatever comes after (as of the drain: it may just be coming back) */
		if (c->upto_ns < end_ns)
			take_part(c, c->upto_ns, end_ns, end_ns - c->upto_ns);
		events_end(&c->events);
		bins_end(&c->bins, end_ns);
	}
}

const struct follow_total *follow_total(const struct follow *f, int i)
{
	return &f->cpu[i].total;
}

const struct ticks *follow_ticks(const struct follow *f, int i)
{
	return &f->cpu[i].ticks;
}

struct follow_sums *follow_sums(struct follow *f)
{
	return &f->sums;
}

const struct culprit_total *follow_culprits(struct follow *f, size_t *n)
{
	*n = 0;
	return f->names ? culprit_table_lines(f->names, n) : NULL;
}

int64_t follow_lost_records(const struct follow *f)
{
	return lost_records(f) - f->lost_before;
}

int64_t follow_missed_switches(const struct follow *f)
{
	return missed_switches(f) - f->missed_before;
}

void follow_free(struct follow *f)
{
	for (int i = 0; i < f->n; i++)
		if (f->cpu[i].who)
			who_free(f->cpu[i].who);
	if (f->names)
		culprit_table_free(f->names);
	sample_free(&f->sums.waits);
	free(f);
}
