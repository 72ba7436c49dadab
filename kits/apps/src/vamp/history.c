// SPDX-License-Identifier: GPL-3.0-or-later
#include "history.h"

#define BORN_ERROR_NS 20000000 /* error of a process's start time: the kernel gives it in ticks of 10 ms */

size_t history_slot(int64_t sample)
{
	return (size_t)sample % HISTORY_SLOTS;
}

void history_begin_sample(struct sample_times *m, int64_t now_ns, bool fresh)
{
	if (!m->fresh)
		m->last++;
	m->fresh = fresh;
	m->at_ns[history_slot(m->last)] = now_ns;
}

/* First sample of the period: HISTORY_SUBS sub-epochs back; with an extra sample, one more. */
static int64_t first_period_sample(const struct process_history *p, const struct sample_times *m)
{
	int64_t from = m->last - HISTORY_SUBS - m->fresh;

	return from > p->first ? from : p->first;
}

struct cpu_use {
	double run, wait, share;
	bool ran;
};

/* Adds the sub-epoch that ends with sample k. */
static void add_sub_epoch(struct cpu_use *u, const struct thread_history *t, const struct sample_times *m, int64_t k)
{
	size_t a = history_slot(k - 1), b = history_slot(k);
	bool zero = k == t->first; /* the thread started in this sub-epoch */
	double span = (double)(m->at_ns[b] - m->at_ns[a]);
	double run = (double)(t->at[b].run_ns - (zero ? 0 : t->at[a].run_ns));
	double wait = (double)(t->at[b].wait_ns - (zero ? 0 : t->at[a].wait_ns));

	if (run > span)
		run = span;
	if (!zero && t->at[a].wants && t->at[b].wants && t->at[a].sleeps >= 0 && t->at[a].sleeps == t->at[b].sleeps)
		wait = span - run;
	if (wait > span - run)
		wait = span - run;
	u->run += run;
	u->wait += wait;
}

static struct cpu_use thread_use(const struct thread_history *t, const struct sample_times *m, int64_t from, double span)
{
	struct cpu_use u = { 0 };
	double own;

	if (from < t->first - t->born)
		from = t->first - t->born;
	for (int64_t k = from + 1; k <= m->last; k++)
		add_sub_epoch(&u, t, m, k);
	own = (double)(m->at_ns[history_slot(m->last)] - m->at_ns[history_slot(from)]);
	if (own > span)
		own = span; /* the process is younger than the span */
	if (u.run > own)
		u.run = own;
	if (u.wait > own - u.run)
		u.wait = own - u.run;
	u.ran = u.run > 0;
	if (u.ran)
		u.share = u.run / (own - u.wait) * (own / span);
	return u;
}

bool history_is_new(const struct process_history *p, const struct sample_times *m)
{
	return p->first > 0 && p->born_ns > m->at_ns[history_slot(p->first - 1)] - BORN_ERROR_NS;
}

/* Did some thread have or want a CPU in at least three of four samples? */
static bool mostly_wants(const struct process_history *p, const struct sample_times *m, int64_t from)
{
	int wanted = 0, seen = 0;

	for (int64_t k = from + 1; k <= m->last; k++, seen++)
		for (size_t i = 0; i < p->n; i++)
			if (k >= p->thread[i].first && p->thread[i].at[history_slot(k)].wants) {
				wanted++;
				break;
			}
	return wanted * 4 >= seen * 3;
}

struct process_load history_load(const struct process_history *p, const struct sample_times *m, int64_t sub_ns)
{
	int64_t from = first_period_sample(p, m), begin, end = m->at_ns[history_slot(m->last)];
	double run = 0, wait = 0, shares = 0, in_threads = 0, span, all;
	struct process_load out = { 0 };
	int running = 0;
	bool young;

	if (m->last < 0 || p->first > m->last)
		return out;
	young = from == p->first && history_is_new(p, m);
	if (young) /* the process started in the period: count from its start */
		from--;
	begin = m->at_ns[history_slot(from)];
	out.span_ns = end - (young && p->born_ns > begin ? p->born_ns : begin);
	if (out.span_ns < sub_ns / 2)
		return out;
	if (out.span_ns < sub_ns)
		out.span_ns = sub_ns;
	span = (double)out.span_ns;
	all = (double)(p->run_ns[history_slot(m->last)] - (young ? 0 : p->run_ns[history_slot(from)]));
	for (size_t i = 0; i < p->n; i++) {
		struct cpu_use u = thread_use(&p->thread[i], m, from, span);

		in_threads += u.run;
		shares += u.share;
		wait += u.wait;
		running += u.ran;
	}
	run = all > in_threads ? all : in_threads;
	out.run = run / span;
	out.load =
		shares +
		(run - in_threads) /
			span; /* CPU time of threads that have ended or were not sampled: their waits are not known, and count as none */
	if (wait > span - run)
		wait = span - run;
	if (running > 1 && wait >= 0 && run / (span - wait) > out.load && mostly_wants(p, m, from))
		out.load = run / (span - wait);
	if (out.load > (double)(p->n > 1 ? p->n : 1))
		out.load = (double)(p->n > 1 ? p->n : 1);
	return out;
}

void history_update_known_load(struct process_history *p, const struct sample_times *m)
{
	double most = 0;

	if (m->last - HISTORY_SUBS < p->first)
		return;
	for (int64_t k = m->last - HISTORY_SUBS + 1; k <= m->last; k++) {
		size_t a = history_slot(k - 1), b = history_slot(k);
		double span = (double)(m->at_ns[b] - m->at_ns[a]), run = (double)(p->run_ns[b] - p->run_ns[a]);
		struct cpu_use u = { 0 };

		for (size_t i = 0; i < p->n; i++)
			if (k > p->thread[i].first - p->thread[i].born)
				add_sub_epoch(&u, &p->thread[i], m, k);
		if (u.wait > KNOWN_LOAD_WAIT_MAX * span && run + u.wait > KNOWN_LOAD_AWAKE_MAX * span)
			return;
		if (run - u.run > KNOWN_LOAD_SLACK * span) /* the waits of unsampled threads are not known */
			return;
		if (run / (span - u.wait) > most)
			most = run / (span - u.wait);
	}
	p->known = most;
}

enum load_verdict history_judge(const struct process_history *p, const struct process_load *load, double threshold)
{
	if (load->load <= threshold)
		return VERDICT_LOW;
	if (p->known >= 0 && p->known <= threshold && load->run <= p->known * KNOWN_LOAD_GROWTH_MAX + KNOWN_LOAD_SLACK)
		return VERDICT_KNOWN;
	return VERDICT_BACKGROUND;
}
