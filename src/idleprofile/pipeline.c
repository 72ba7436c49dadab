// SPDX-License-Identifier: GPL-3.0-or-later
#include "pipeline.h"
#include "memory.h"
#include "proc.h"
#include "random.h"

#define WAITS_KEPT 500000
#define NAMES 512 /* names of culprits kept apart over the run */

static void update_longest_event(struct pipeline_cpu_total *t, const struct lost_time_event *e)
{
	const struct event_culprit *who = event_culprits_largest(&e->who);

	if (e->lost_ns <= t->longest_ns)
		return;
	t->longest_ns = e->lost_ns;
	t->longest_at_ns = e->start_ns;
	snprintf(t->longest_who, sizeof(t->longest_who), "%s", who ? who->name : "");
}

static void record_event(void *arg, const struct lost_time_event *e)
{
	struct cpu_pipeline *c = arg;

	c->total.of_length[lengths_find_bin(e->lost_ns)]++;
	logs_write_event(c->f->cfg.logs, c->spin->cpu, e, c->f->cfg.trace);
	if (e->tick) {
		c->total.ticks++;
		c->total.tick_ns += e->lost_ns;
		return;
	}
	logs_write_culprits(c->f->cfg.logs, c->spin->cpu, e);
	c->total.events++;
	c->total.lost_ns += e->lost_ns;
	update_longest_event(&c->total, e);
	lengths_add(&c->f->sums.lengths, e->lost_ns);
	if (c->f->names)
		culprit_table_add(c->f->names, &e->who);
}

static void log_bin(void *arg, int64_t start_ns, int64_t bin_ns, int64_t lost_ns, int64_t tick_ns)
{
	struct cpu_pipeline *c = arg;

	logs_write_bin(c->f->cfg.logs, c->spin->cpu, start_ns, bin_ns, lost_ns, tick_ns);
}

/* Removes own work from *lost and from the shares. True: the whole gap was own work. */
static bool subtract_own_work(struct cpu_pipeline *c, int64_t from, int64_t to, int64_t *lost, struct culprit_share *share,
			      size_t *n)
{
	struct own_work_time found =
		c->f->cfg.trace ? own_work_remove_shares(&c->f->tids, share, n) : own_work_find(&c->itself, from, to);

	if (!found.there)
		return false;
	if (*lost - found.ns < OWN_WORK_REST_NS) {
		c->total.itself_ns += *lost;
		return true;
	}
	c->total.itself_ns += found.ns;
	*lost -= found.ns;
	return false;
}

/* Clips the gap and its shares to the profile. False: nothing is left. */
static bool clip_gap(const struct gap_pipeline *f, struct lost_time_gap *p, struct culprit_share *share)
{
	int64_t from = p->start_ns < f->start_ns ? f->start_ns : p->start_ns, to = p->end_ns > f->end_ns ? f->end_ns : p->end_ns;

	if (to <= from)
		return false;
	p->lost_ns -= p->end_ns - p->start_ns - (to - from);
	if (p->lost_ns <= 0)
		return false;
	if (from > p->start_ns || to < p->end_ns)
		p->shares = shares_clip(share, p->shares, from, to);
	p->start_ns = from;
	p->end_ns = to;
	return true;
}

static void add_gap(struct cpu_pipeline *c, int64_t from, int64_t to, int64_t lost)
{
	struct culprit_share share[SHARES_MAX];
	struct lost_time_gap p = { .start_ns = from, .end_ns = to, .lost_ns = lost, .share = share };

	p.shares = c->who ? attribution_split_gap(c->who, from, to, share, SHARES_MAX) : 0;
	p.tick = c->who ? shares_are_tick(share, p.shares) : ticks_classify_gap(&c->ticks, from, to - from);
	if (!clip_gap(c->f, &p, share) || subtract_own_work(c, p.start_ns, p.end_ns, &p.lost_ns, share, &p.shares))
		return;
	for (size_t i = 0; i < p.shares; i++)
		if (share[i].kind == CULPRIT_UNEXPLAINED) {
			c->total.unexplained_ns += share[i].ns;
			c->total.missed_ns += strcmp(share[i].name, MISSED_SWITCH_NAME) ? 0 : share[i].ns;
		}
	bins_add_gap(&c->bins, p.start_ns, p.end_ns, p.lost_ns, p.tick);
	events_add_gap(&c->events, &p);
}

/* Counts time in which the loop paused by itself, or was not on its CPU: what ran then is not known, and is not counted as lost. */
static void add_unwatched_time(struct cpu_pipeline *c, int64_t from, int64_t to)
{
	if (from < c->f->start_ns)
		from = c->f->start_ns;
	if (to > c->f->end_ns)
		to = c->f->end_ns;
	if (to <= from)
		return;
	c->total.unwatched_ns += to - from;
	bins_skip(&c->bins, from, to);
}

static int add_trace_record(void *who, const struct trace_record *r)
{
	attribution_add_record(who, r);
	return 0;
}

/* `longer`: the true latency is at least `wait`. */
static void add_wakeup_latency(struct cpu_pipeline *c, int64_t wait, bool longer)
{
	struct gap_pipeline *f = c->f;

	f->sums.waits_n++;
	for (int i = 0; i < WAIT_BOUNDS; i++)
		binomial_runs_add(&c->waits[i], wait > wait_bounds_ns[i]);
	if (longer)
		sample_add_censored(&f->sums.waits, wait);
	else if (f->sums.waits_n <= WAITS_KEPT)
		sample_add(&f->sums.waits, wait);
	else { /* Vitter's algorithm R: each wake-up is kept with the same probability */
		uint64_t at = random_bits(&f->random) % (uint64_t)f->sums.waits_n;

		if (at < WAITS_KEPT)
			f->sums.waits.value[at] = wait;
	}
}

static void drain_wakeups(struct gap_pipeline *f, int i)
{
	struct span_ring *ring = &f->wakeups->waker[i].ring;
	struct time_span span;

	for (; ring_peek(ring, &span); ring_drop(ring)) {
		own_work_note(&f->cpu[i].itself, span.to, span.to, 0);
		if (span.from >= f->start_ns && span.from < f->end_ns)
			add_wakeup_latency(&f->cpu[i], span.to - span.from, false);
	}
}

/* Drops what the loop has seen since the last drain: it was on another CPU, or the stamps cannot be converted. */
static void skip_gaps(struct cpu_pipeline *c, int64_t upto)
{
	struct time_span span;

	for (; ring_peek(&c->spin->ring, &span); ring_drop(&c->spin->ring))
		;
	add_unwatched_time(c, c->upto_ns, upto);
	c->upto_ns = upto;
}

static bool has_left_cpu(const struct cpu_idle_loop *loop)
{
	int tid = atomic_load(&loop->tid);

	return tid && !proc_is_pinned(tid, loop->cpu);
}

/* Pauses the loops that were moved from their CPU. True: one was, since the last drain, and took time of another CPU. */
static bool pause_moved_loops(struct gap_pipeline *f)
{
	bool moved = false;

	for (int i = 0; i < f->n; i++) {
		struct cpu_idle_loop *loop = f->cpu[i].spin;

		if (loop->left || !has_left_cpu(loop))
			continue;
		loop->left = moved = true;
		atomic_store(&loop->until, 0);
	}
	return moved;
}

/* `watched`: false: what was seen since the last drain is not true. */
static void drain_cpu(struct gap_pipeline *f, int i, bool watched)
{
	struct cpu_pipeline *c = &f->cpu[i];
	int64_t seen = atomic_load_explicit(&c->spin->seen, memory_order_acquire);
	int64_t upto = clock_now();
	struct time_span span;

	if (c->who)
		trace_drain(f->cfg.trace, c->spin->cpu, add_trace_record, c->who);
	if (f->wakeups)
		drain_wakeups(f, i);
	if (!watched || c->spin->left)
		skip_gaps(c, upto);
	else if (stamp_map_ns(&f->cfg.map, seen) < upto)
		upto = stamp_map_ns(&f->cfg.map, seen);
	for (; ring_peek(&c->spin->ring, &span); ring_drop(&c->spin->ring)) {
		bool spun = span.from >= 0;
		int64_t to = stamp_map_ns(&f->cfg.map, span.to);
		int64_t from, lost;

		if (!spun)
			span.from = -span.from;
		/* Never start before the end of the last drain, although the conversion of stamps may have changed a little since. */
		from = to - stamp_map_span_ns(&f->cfg.map, span.to - span.from);
		from = from > c->upto_ns ? from : c->upto_ns;
		if (to > upto) {
			upto = from < upto ? from : upto;
			break;
		}
		lost = stamp_map_span_ns(&f->cfg.map, span.to - span.from - c->step);
		if (spun)
			add_gap(c, from, to, lost < to - from ? lost : to - from);
		else
			add_unwatched_time(c, from, to);
	}
	if (upto > f->end_ns)
		upto = f->end_ns;
	c->upto_ns = upto;
	if (upto > f->start_ns) {
		events_flush(&c->events, upto);
		bins_flush(&c->bins, upto);
	}
}

void pipeline_drain(struct gap_pipeline *f)
{
	struct own_work_span work;
	struct stamp_pair a;
	bool watched;

	own_work_start(&work);
	stamp_read_pair(f->cfg.spin->tsc, &a);
	stamp_map_add(&f->cfg.map, &a);
	if (f->cfg.trace)
		own_work_tids_refresh(&f->tids);
	watched = !pause_moved_loops(f) && !f->cfg.map.jumped;
	for (int i = 0; i < f->n; i++)
		drain_cpu(f, i, watched);
	logs_flush(f->cfg.logs);
	own_work_stop(&work);
	for (int i = 0; i < f->n; i++)
		if (f->cpu[i].spin->cpu == work.cpu)
			own_work_note(&f->cpu[i].itself, work.from, work.to, work.cpu_ns);
}

struct gap_pipeline *pipeline_new(const struct pipeline_cfg *cfg)
{
	int n = cfg->spin->n;
	struct gap_pipeline *f = memory_new(1, sizeof(*f) + (size_t)n * sizeof(struct cpu_pipeline));

	f->cfg = *cfg;
	f->n = n;
	f->start_ns = f->end_ns = INT64_MAX;
	f->random = cfg->seed;
	own_work_tids_init(&f->tids, cfg->ignore);
	if (cfg->trace)
		f->names = culprit_table_new(NAMES);
	for (int i = 0; i < n; i++) {
		struct cpu_pipeline *c = &f->cpu[i];

		c->f = f;
		c->spin = &cfg->spin->cpu[i];
		c->step = spin_turn_quantile(c->spin, 0.5, SPIN_STEPS);
		if (cfg->trace)
			c->who = attribution_new(atomic_load(&c->spin->tid));
		c->ticks.period_ns = ticks_period_ns();
		events_init(&c->events, c->ticks.period_ns, record_event, c);
	}
	return f;
}

void pipeline_set_wakers(struct gap_pipeline *f, struct woken_threads *w)
{
	f->wakeups = w;
	for (int i = 0; i < f->n; i++)
		own_work_tids_add(&f->tids, atomic_load(&w->waker[i].tid));
}

static int64_t sum_lost_records(const struct gap_pipeline *f)
{
	int64_t lost = f->cfg.trace ? trace_lost_records(f->cfg.trace) : 0;

	for (int i = 0; i < f->n; i++) {
		lost += atomic_load(&f->cpu[i].spin->ring.overflowed);
		lost += f->cpu[i].who ? f->cpu[i].who->late : 0;
		if (f->wakeups)
			lost += atomic_load(&f->wakeups->waker[i].ring.overflowed);
	}
	return lost;
}

static int64_t sum_missed_switches(const struct gap_pipeline *f)
{
	int64_t missed = 0;

	for (int i = 0; i < f->n; i++)
		missed += f->cpu[i].who ? f->cpu[i].who->missed : 0;
	return missed;
}

void pipeline_begin(struct gap_pipeline *f, int64_t start_ns, int64_t end_ns)
{
	f->start_ns = start_ns;
	f->end_ns = end_ns;
	f->lost_before = sum_lost_records(f);
	f->missed_before = sum_missed_switches(f);
	for (int i = 0; i < f->n; i++)
		bins_init(&f->cpu[i].bins, start_ns, f->cfg.bin_ns, log_bin, &f->cpu[i]);
}

void pipeline_end(struct gap_pipeline *f, int64_t end_ns)
{
	f->end_ns = end_ns;
	pipeline_drain(f);
	for (int i = 0; f->wakeups && i < f->n; i++) {
		int64_t due = f->wakeups->waker[i].due;

		if (due >= f->start_ns && due < end_ns)
			add_wakeup_latency(&f->cpu[i], end_ns - due, true);
	}
	f->lost_unread = f->cfg.trace ? trace_unread_losses(f->cfg.trace) : 0;
	for (int i = 0; i < f->n; i++) {
		struct cpu_pipeline *c = &f->cpu[i];

		/* The loop is still off its CPU: the time until the end is lost. (c->upto_ns is from the drain: the loop may just be coming
		 * back.) */
		if (c->upto_ns < end_ns)
			add_gap(c, c->upto_ns, end_ns, end_ns - c->upto_ns);
		events_finish(&c->events);
		bins_finish(&c->bins, end_ns);
	}
}

struct pipeline_cpu_total pipeline_cpu_sum(const struct gap_pipeline *f)
{
	struct pipeline_cpu_total sum = { 0 };

	for (int i = 0; i < f->n; i++) {
		const struct pipeline_cpu_total *t = &f->cpu[i].total;

		sum.lost_ns += t->lost_ns;
		sum.events += t->events;
		sum.tick_ns += t->tick_ns;
		sum.ticks += t->ticks;
		sum.unexplained_ns += t->unexplained_ns;
		sum.missed_ns += t->missed_ns;
		sum.unwatched_ns = t->unwatched_ns > sum.unwatched_ns ? t->unwatched_ns : sum.unwatched_ns;
		sum.longest_ns = t->longest_ns > sum.longest_ns ? t->longest_ns : sum.longest_ns;
	}
	return sum;
}

const struct culprit_total *pipeline_culprits(struct gap_pipeline *f, size_t *n)
{
	*n = 0;
	return f->names ? culprit_table_sort(f->names, n) : NULL;
}

int64_t pipeline_lost_items(const struct gap_pipeline *f)
{
	int64_t lost = sum_lost_records(f) - f->lost_before;

	return f->lost_unread >= 0 ? lost + f->lost_unread : lost ? lost : -1;
}

int64_t pipeline_missed_switches(const struct gap_pipeline *f)
{
	return sum_missed_switches(f) - f->missed_before;
}

void pipeline_free(struct gap_pipeline *f)
{
	for (int i = 0; i < f->n; i++)
		free(f->cpu[i].who);
	if (f->names)
		culprit_table_free(f->names);
	sample_free(&f->sums.waits);
	free(f);
}
