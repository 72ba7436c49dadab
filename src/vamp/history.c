// SPDX-License-Identifier: GPL-3.0-or-later
#include "history.h"

#define BORN_ERROR_NS 20000000	/* the kernel gives the start of a process in ticks of 10 ms */

size_t moments_slot(int64_t sample)
{
	return (size_t)sample % HISTORY_SLOTS;
}

void moments_next(struct moments *m, int64_t now_ns, bool fresh)
{
	if (!m->fresh)
		m->last++;
	m->fresh = fresh;
	m->at_ns[moments_slot(m->last)] = now_ns;
}

/* A period of whole sub-epochs; a fresh sample adds its piece of one. */
static int64_t oldest(const struct past *p, const struct moments *m)
{
	int64_t from = m->last - HISTORY_SUBS - m->fresh;

	return from > p->first ? from : p->first;
}

struct used {
	double run, wait, share;
	bool ran;
};

/* Of a sub-epoch: the one that ends with sample k. */
static void add_sub(struct used *u, const struct thread_past *t, const struct moments *m, int64_t k)
{
	size_t a = moments_slot(k - 1), b = moments_slot(k);
	bool zero = k == t->first;	/* born since */
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

static struct used thread_used(const struct thread_past *t, const struct moments *m, int64_t from, double span)
{
	struct used u = { 0 };
	double own;

	if (from < t->first - t->born)
		from = t->first - t->born;
	for (int64_t k = from + 1; k <= m->last; k++)
		add_sub(&u, t, m, k);
	own = (double)(m->at_ns[moments_slot(m->last)] - m->at_ns[moments_slot(from)]);
	if (own > span)
		own = span;	/* of a young process */
	if (u.run > own)
		u.run = own;
	if (u.wait > own - u.run)
		u.wait = own - u.run;
	u.ran = u.run > 0;
	if (u.ran)
		u.share = u.run / (own - u.wait) * (own / span);
	return u;
}

bool past_young(const struct past *p, const struct moments *m)
{
	return p->first > 0 && p->born_ns > m->at_ns[moments_slot(p->first - 1)] - BORN_ERROR_NS;
}

/* In at least three of four samples some thread had or wanted a CPU. */
static bool mostly_wants(const struct past *p, const struct moments *m, int64_t from)
{
	int wanted = 0, seen = 0;

	for (int64_t k = from + 1; k <= m->last; k++, seen++)
		for (size_t i = 0; i < p->n; i++)
			if (k >= p->thread[i].first && p->thread[i].at[moments_slot(k)].wants) {
				wanted++;
				break;
			}
	return wanted * 4 >= seen * 3;
}

struct history_load past_load(const struct past *p, const struct moments *m, int64_t sub_ns)
{
	int64_t from = oldest(p, m), begin, end = m->at_ns[moments_slot(m->last)];
	double run = 0, wait = 0, shares = 0, in_threads = 0, span, all;
	struct history_load out = { 0 };
	int running = 0;
	bool young;

	if (m->last < 0 || p->first > m->last)
		return out;
	young = from == p->first && past_young(p, m);
	if (young)	/* all of its life is known */
		from--;
	begin = m->at_ns[moments_slot(from)];
	out.span_ns = end - (young && p->born_ns > begin ? p->born_ns : begin);
	if (out.span_ns < sub_ns / 2)
		return out;
	if (out.span_ns < sub_ns)
		out.span_ns = sub_ns;
	span = (double)out.span_ns;
	all = (double)(p->run_ns[moments_slot(m->last)] - (young ? 0 : p->run_ns[moments_slot(from)]));
	for (size_t i = 0; i < p->n; i++) {
		struct used u = thread_used(&p->thread[i], m, from, span);

		in_threads += u.run;
		shares += u.share;
		wait += u.wait;
		running += u.ran;
	}
	run = all > in_threads ? all : in_threads;
	out.run = run / span;
	out.load = shares + (run - in_threads) / span;	/* of threads that have ended, or were not looked at yet: without their waits */
	if (wait > span - run)
		wait = span - run;
	if (running > 1 && wait >= 0 && run / (span - wait) > out.load && mostly_wants(p, m, from))
		out.load = run / (span - wait);
	if (out.load > (double)(p->n > 1 ? p->n : 1))
		out.load = (double)(p->n > 1 ? p->n : 1);
	return out;
}

void past_learn(struct past *p, const struct moments *m)
{
	double most = 0;

	if (m->last - HISTORY_SUBS < p->first)
		return;
	for (int64_t k = m->last - HISTORY_SUBS + 1; k <= m->last; k++) {
		size_t a = moments_slot(k - 1), b = moments_slot(k);
		double span = (double)(m->at_ns[b] - m->at_ns[a]), run = (double)(p->run_ns[b] - p->run_ns[a]);
		struct used u = { 0 };

		for (size_t i = 0; i < p->n; i++)
			if (k > p->thread[i].first - p->thread[i].born)
				add_sub(&u, &p->thread[i], m, k);
		if (u.wait > PAST_KNOWN_WAIT * span && run + u.wait > PAST_KNOWN_AWAKE * span)
			return;
		if (run - u.run > PAST_KNOWN_SLACK * span)	/* its waits were not looked at */
			return;
		if (run / (span - u.wait) > most)
			most = run / (span - u.wait);
	}
	p->known = most;
}

enum verdict past_judge(const struct past *p, const struct history_load *load, double threshold)
{
	if (load->load <= threshold)
		return VERDICT_LOW;
	if (p->known >= 0 && p->known <= threshold && load->run <= p->known * PAST_KNOWN_MORE + PAST_KNOWN_SLACK)
		return VERDICT_KNOWN;
	return VERDICT_BACKGROUND;
}
