// SPDX-License-Identifier: GPL-3.0-or-later
#include "busy.h"
#include "clock.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define OTHERS (-1) /* id of an "others" slice: no thread or interrupt has this number */
/* Maximum number of named slices in an interval: leaves room for an "others" share of each kind. */
#define NAMED (SHARES_MAX - CULPRIT_UNEXPLAINED - 1)

/* Interval number `i` (below q->n), counted from the oldest. */
static struct busy_interval *interval_at(struct busy_queue *q, size_t i)
{
	return &q->interval[(q->first + i) % BUSY_INTERVALS];
}

struct busy_slice *busy_slice_at(struct busy_queue *q, const struct busy_interval *s, size_t i)
{
	return &q->slice[(s->first + i) % BUSY_SLICES];
}

struct busy_interval *busy_open_interval(struct busy_queue *q)
{
	return q->open ? interval_at(q, q->n - 1) : NULL;
}

static void remove_oldest_interval(struct busy_queue *q)
{
	q->first = (q->first + 1) % BUSY_INTERVALS;
	q->n--;
}

static void forget_oldest_interval(struct busy_queue *q)
{
	q->forgotten_ns = interval_at(q, 0)->end_ns;
	remove_oldest_interval(q);
}

void busy_begin_interval(struct busy_queue *q, int64_t start_ns)
{
	struct busy_interval *s;

	if (q->n == BUSY_INTERVALS)
		forget_oldest_interval(q);
	s = interval_at(q, q->n++);
	*s = (struct busy_interval){ .start_ns = start_ns, .end_ns = start_ns, .first = q->slices };
	q->open = true;
}

void busy_end_interval(struct busy_queue *q, int64_t end_ns)
{
	busy_open_interval(q)->end_ns = end_ns;
	q->open = false;
}

void busy_cancel_interval(struct busy_queue *q)
{
	q->n--;
	q->open = false;
}

void busy_drop_intervals(struct busy_queue *q, int64_t until_ns)
{
	while (q->n > (q->open ? 1 : 0) && interval_at(q, 0)->end_ns <= until_ns)
		remove_oldest_interval(q);
}

static struct busy_slice *find_slice(struct busy_queue *q, const struct busy_interval *s, enum culprit_kind kind, int id)
{
	for (size_t i = 0; i < s->n; i++) {
		struct busy_slice *p = busy_slice_at(q, s, i);

		if (p->kind == kind && p->id == id)
			return p;
	}
	return NULL;
}

static struct busy_slice *add_slice(struct busy_queue *q, struct busy_interval *s)
{
	while (q->n > 1 && q->slices - interval_at(q, 0)->first >= BUSY_SLICES)
		forget_oldest_interval(q);
	q->slices++;
	return busy_slice_at(q, s, s->n++);
}

static struct busy_slice *init_slice(struct busy_slice *p, enum culprit_kind kind, int id, int64_t start_ns)
{
	*p = (struct busy_slice){ .kind = kind, .id = id, .start_ns = start_ns, .end_ns = start_ns };
	return p;
}

/* A runnable task counts as greater: it will run again, and without its slice that would look like a new task. */
static bool is_lesser_slice(const struct busy_slice *a, const struct busy_slice *b)
{
	return a->wants != b->wants ? b->wants : a->ns < b->ns;
}

/* Makes room for a slice: merges the slice with the least time into the "others" of its kind. Returns the freed slice. */
static struct busy_slice *merge_least_slice(struct busy_queue *q, struct busy_interval *s)
{
	struct busy_slice *least = NULL, *others;

	for (size_t i = 0; i < s->n; i++) {
		struct busy_slice *p = busy_slice_at(q, s, i);

		if (p->id != OTHERS && (!least || is_lesser_slice(p, least)))
			least = p;
	}
	others = find_slice(q, s, least->kind, OTHERS);
	if (!others) {
		others = init_slice(add_slice(q, s), least->kind, OTHERS, least->start_ns);
		snprintf(others->name, sizeof(others->name), "others");
	}
	others->ns += least->ns;
	span_extend(&others->start_ns, &others->end_ns, least->start_ns, least->end_ns);
	return least;
}

struct busy_slice *busy_ensure_slice(struct busy_queue *q, enum culprit_kind kind, int id, int64_t start_ns)
{
	struct busy_interval *s = busy_open_interval(q);
	struct busy_slice *p = find_slice(q, s, kind, id);
	size_t named = 0;

	if (p)
		return p;
	for (size_t i = 0; i < s->n; i++)
		named += busy_slice_at(q, s, i)->id != OTHERS;
	return init_slice(named < NAMED ? add_slice(q, s) : merge_least_slice(q, s), kind, id, start_ns);
}

/* Shares of a gap while they are collected; the last places are for the "others" of each kind. */
struct gap_share_set {
	size_t n;
	struct culprit_share at[SHARES_MAX + CULPRIT_UNEXPLAINED + 1];
	int before;	    /* index of the share of the latest interrupt so far; -1: none */
	int64_t waiting_ns; /* time without a record before the first interrupt */
};

static int64_t later_ns(int64_t a, int64_t b)
{
	return a > b ? a : b;
}

static struct culprit_share *ensure_share(struct gap_share_set *part, enum culprit_kind kind, int pid, const char *name)
{
	struct culprit_share *s;

	for (size_t i = 0; i < part->n; i++) {
		s = &part->at[i];
		if (s->kind == kind && s->pid == pid && (pid || !strcmp(s->name, name)))
			return s;
	}
	if (part->n >= SHARES_MAX && (pid || strcmp(name, "others"))) /* (a task may have this name) */
		return ensure_share(part, kind, 0, "others");
	s = &part->at[part->n++];
	memset(s, 0, sizeof(*s));
	s->kind = kind;
	s->pid = pid;
	snprintf(s->name, sizeof(s->name), "%s", name);
	s->start_ns = INT64_MAX;
	s->end_ns = INT64_MIN;
	return s;
}

static void add_unrecorded_time(struct culprit_share *s, int64_t ns)
{
	s->ns += ns;
	s->residue_ns += ns;
}

/* Adds time of the gap that no busy interval covers: to the interrupt before it, or to the next one. */
static void credit_uncovered_time(struct gap_share_set *part, int64_t ns)
{
	if (ns <= 0)
		return;
	if (part->before >= 0)
		add_unrecorded_time(&part->at[part->before], ns);
	else
		part->waiting_ns += ns;
}

/* Adds time beside a task switch that has no record. */
static void add_missed_switch_time(struct gap_share_set *part, int64_t from, int64_t to)
{
	struct culprit_share *s;

	if (to <= from)
		return;
	s = ensure_share(part, CULPRIT_UNEXPLAINED, 0, MISSED_SWITCH_NAME);
	s->ns += to - from;
	span_extend(&s->start_ns, &s->end_ns, from, to);
}

static struct culprit_share *add_slice_share(struct gap_share_set *part, const struct busy_slice *p, int64_t ns, int64_t from,
					     int64_t to)
{
	int pid = p->kind != CULPRIT_TASK || p->id < 0 ? 0 : p->here ? p->here : -p->id;
	struct culprit_share *s = ensure_share(part, p->kind, pid, p->name[0] ? p->name : "?");

	if (s->start_ns == INT64_MAX)
		s->resumed = p->resumed;
	else if (s->pid && p->name[0]) /* the task has a new name: a shell has become a compiler, for example */
		snprintf(s->name, sizeof(s->name), "%s", p->name);
	s->wants = p->wants;
	s->ns += ns;
	span_extend(&s->start_ns, &s->end_ns, later_ns(p->start_ns, from), clock_earlier(p->end_ns, to));
	return s;
}

/* Computes ns * part / whole without overflow; both are below 2^53 for any run. */
static int64_t scale_ns(int64_t ns, int64_t part, int64_t whole)
{
	return part >= whole ? ns : (int64_t)((double)ns * ((double)part / (double)whole));
}

/* Adds the slices of a busy interval that lie in [from, to); in proportion where the interval extends beyond it. */
static void add_interval_shares(struct gap_share_set *part, struct busy_queue *q, const struct busy_interval *s, int64_t end_ns,
				int64_t from, int64_t to)
{
	struct culprit_share *largest = NULL;
	int first = -1, last = -1;
	int64_t first_ns = INT64_MAX, last_ns = INT64_MIN, largest_ns = -1, left = to - from;

	for (size_t i = 0; i < s->n; i++) {
		const struct busy_slice *p = busy_slice_at(q, s, i);
		int64_t ns = clock_earlier(scale_ns(p->ns, to - from, end_ns - s->start_ns), left);
		struct culprit_share *share;

		if (p->end_ns < from || p->start_ns > to || (p->ns == 0 && p->kind == CULPRIT_TASK && s->n > 1))
			continue;
		share = add_slice_share(part, p, ns, from, to);
		left -= ns;
		if (ns > largest_ns) {
			largest_ns = ns;
			largest = share;
		}
		if (p->kind == CULPRIT_TASK || p->kind == CULPRIT_UNEXPLAINED)
			continue;
		if (p->start_ns < first_ns) {
			first_ns = p->start_ns;
			first = (int)(share - part->at);
		}
		if (p->end_ns > last_ns) {
			last_ns = p->end_ns;
			last = (int)(share - part->at);
		}
	}
	if (largest)
		largest->ns += left; /* the rounding error */
	else
		credit_uncovered_time(part, left);
	if (first >= 0 && part->waiting_ns) {
		add_unrecorded_time(&part->at[first], part->waiting_ns);
		part->waiting_ns = 0;
	}
	if (last >= 0)
		part->before = last;
}

static int compare_shares(const void *a, const void *b)
{
	const struct culprit_share *x = a, *y = b;

	return x->ns < y->ns ? 1 : x->ns > y->ns ? -1 : (int)x->kind - (int)y->kind;
}

/* Assigns the remaining time of a gap without any interrupt: to the largest task, else as unexplained. */
static void assign_leftover_time(struct gap_share_set *part, int64_t start_ns, int64_t end_ns)
{
	struct culprit_share *s = NULL;

	if (!part->waiting_ns)
		return;
	for (size_t i = 0; i < part->n; i++)
		if (!s || part->at[i].ns > s->ns)
			s = &part->at[i];
	if (!s) {
		s = ensure_share(part, CULPRIT_UNEXPLAINED, 0, "unexplained");
		s->start_ns = start_ns;
		s->end_ns = end_ns;
	}
	add_unrecorded_time(s, part->waiting_ns);
}

/* Sums the smallest shares as one "others" share, of the kind of the largest of them. */
static size_t merge_smallest_shares(struct culprit_share *at, size_t n, size_t max)
{
	struct culprit_share *rest = max ? &at[max - 1] : NULL;

	if (n <= max || !max)
		return n < max ? n : max;
	for (size_t i = max; i < n; i++) {
		rest->ns += at[i].ns;
		rest->residue_ns += at[i].residue_ns;
		span_extend(&rest->start_ns, &rest->end_ns, at[i].start_ns, at[i].end_ns);
		rest->wants |= at[i].wants;
		rest->resumed |= at[i].resumed;
	}
	rest->pid = 0;
	snprintf(rest->name, sizeof(rest->name), "others");
	return max;
}

size_t busy_split_gap(struct busy_queue *q, int64_t start_ns, int64_t end_ns, int64_t skew_ns, struct culprit_share *out,
		      size_t max)
{
	struct gap_share_set part = { .before = -1 };
	int64_t at = start_ns;
	bool unseen = false; /* the switch at `at` has no record */
	size_t n;

	if (end_ns <= start_ns)
		return 0;
	for (size_t i = 0; i < q->n; i++) {
		const struct busy_interval *s = interval_at(q, i);
		bool open = s == busy_open_interval(q);
		int64_t s_end = open ? later_ns(end_ns, s->start_ns) : s->end_ns;
		int64_t from = later_ns(s->start_ns, at), to = clock_earlier(s_end, end_ns);

		if (s->start_ns >= end_ns)
			break;
		if (s->start_ns < start_ns - skew_ns && s_end > end_ns + skew_ns)
			continue;
		if (unseen || s->begin_unrecorded)
			add_missed_switch_time(&part, at, from);
		else
			credit_uncovered_time(&part, from - at);
		at = from;
		if (from < to) {
			add_interval_shares(&part, q, s, s_end, from, to);
			at = to;
		}
		unseen = s->end_unrecorded && s_end >= start_ns - skew_ns;
	}
	if (unseen)
		add_missed_switch_time(&part, at, end_ns);
	else
		credit_uncovered_time(&part, end_ns - at);
	assign_leftover_time(&part, start_ns, end_ns);
	qsort(part.at, part.n, sizeof(*part.at), compare_shares);
	n = merge_smallest_shares(part.at, part.n, max);
	memcpy(out, part.at, n * sizeof(*out));
	return n;
}

/* Removes the shares that do not touch [from, to), and shortens the others. Returns how many stay; *sum is their time. */
static size_t clip_shares(struct culprit_share *share, size_t n, int64_t from, int64_t to, int64_t *sum)
{
	size_t kept = 0;

	*sum = 0;
	for (size_t i = 0; i < n; i++) {
		struct culprit_share s = share[i];
		int64_t span = s.end_ns - s.start_ns, begin = later_ns(s.start_ns, from), end = clock_earlier(s.end_ns, to);

		if (begin > end || (begin == end && span > 0))
			continue;
		if (span > 0) {
			s.ns = scale_ns(s.ns, end - begin, span);
			s.residue_ns = scale_ns(s.residue_ns, end - begin, span);
		}
		s.start_ns = begin;
		s.end_ns = end;
		*sum += s.ns;
		share[kept++] = s;
	}
	return kept;
}

size_t shares_clip(struct culprit_share *share, size_t n, int64_t from, int64_t to)
{
	int64_t sum, left = to - from;
	struct culprit_share main;
	size_t largest = 0;

	if (!n)
		return 0;
	main = share[0];
	n = clip_shares(share, n, from, to, &sum);
	if (!sum) { /* only unrecorded time lies in [from, to): the largest share gets it */
		main.start_ns = from;
		main.end_ns = to;
		main.ns = main.residue_ns = left;
		share[0] = main;
		return 1;
	}
	for (size_t i = 0; i < n; i++) {
		share[i].ns = scale_ns(share[i].ns, to - from, sum);
		left -= share[i].ns;
		if (share[i].ns > share[largest].ns)
			largest = i;
	}
	share[largest].ns += left;
	return n;
}
