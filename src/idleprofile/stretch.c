// SPDX-License-Identifier: GPL-3.0-or-later
#include "stretch.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define OTHERS (-1)	/* no thread's and no interrupt's number */
/* So many named ones that there is still room for the others of each kind. */
#define NAMED (WHO_SHARES - WHO_UNEXPLAINED - 1)

/* `i`: counted from the oldest, below q->n. */
static struct stretch *stretch_get(struct stretch_queue *q, size_t i)
{
	return &q->stretch[(q->first + i) % STRETCHES];
}

struct piece *stretch_piece(struct stretch_queue *q, const struct stretch *s, size_t i)
{
	return &q->piece[(s->first + i) % PIECES];
}

struct stretch *stretch_last(struct stretch_queue *q)
{
	return q->open ? stretch_get(q, q->n - 1) : NULL;
}

static void pop(struct stretch_queue *q)
{
	q->first = (q->first + 1) % STRETCHES;
	q->n--;
}

static void forget_oldest(struct stretch_queue *q)
{
	q->forgotten_ns = stretch_get(q, 0)->end_ns;
	pop(q);
}

struct stretch *stretch_open(struct stretch_queue *q, int64_t start_ns)
{
	struct stretch *s;

	if (q->n == STRETCHES)
		forget_oldest(q);
	s = stretch_get(q, q->n++);
	*s = (struct stretch){ .start_ns = start_ns, .end_ns = start_ns, .first = q->pieces };
	q->open = true;
	return s;
}

void stretch_close(struct stretch_queue *q, int64_t end_ns)
{
	stretch_last(q)->end_ns = end_ns;
	q->open = false;
}

void stretch_undo(struct stretch_queue *q)
{
	q->n--;
	q->open = false;
}

void stretch_drop(struct stretch_queue *q, int64_t until_ns)
{
	while (q->n > (q->open ? 1 : 0) && stretch_get(q, 0)->end_ns <= until_ns)
		pop(q);
}

static struct piece *find_piece(struct stretch_queue *q, const struct stretch *s, enum who_kind kind, int id)
{
	for (size_t i = 0; i < s->n; i++) {
		struct piece *p = stretch_piece(q, s, i);

		if (p->kind == kind && p->id == id)
			return p;
	}
	return NULL;
}

static struct piece *add_piece(struct stretch_queue *q, struct stretch *s)
{
	while (q->n > 1 && q->pieces - stretch_get(q, 0)->first >= PIECES)
		forget_oldest(q);
	q->pieces++;
	return stretch_piece(q, s, s->n++);
}

static struct piece *make(struct piece *p, enum who_kind kind, int id, int64_t start_ns)
{
	*p = (struct piece){ .kind = kind, .id = id, .start_ns = start_ns, .end_ns = start_ns };
	return p;
}

/* A task that wants the CPU comes back: gone by then, it would begin anew each time. */
static bool goes_before(const struct piece *a, const struct piece *b)
{
	return a->wants != b->wants ? b->wants : a->ns < b->ns;
}

/* Makes room for one more: what had the least so far goes to the others of its kind. */
static struct piece *make_piece_room(struct stretch_queue *q, struct stretch *s)
{
	struct piece *least = NULL, *others;

	for (size_t i = 0; i < s->n; i++) {
		struct piece *p = stretch_piece(q, s, i);

		if (p->id != OTHERS && (!least || goes_before(p, least)))
			least = p;
	}
	others = find_piece(q, s, least->kind, OTHERS);
	if (!others) {
		others = make(add_piece(q, s), least->kind, OTHERS, least->start_ns);
		snprintf(others->name, sizeof(others->name), "others");
	}
	others->ns += least->ns;
	who_span(&others->start_ns, &others->end_ns, least->start_ns, least->end_ns);
	return least;
}

struct piece *stretch_find(struct stretch_queue *q, enum who_kind kind, int id, int64_t start_ns)
{
	struct stretch *s = stretch_last(q);
	struct piece *p = find_piece(q, s, kind, id);
	size_t named = 0;

	if (p)
		return p;
	for (size_t i = 0; i < s->n; i++)
		named += stretch_piece(q, s, i)->id != OTHERS;
	return make(named < NAMED ? add_piece(q, s) : make_piece_room(q, s), kind, id, start_ns);
}

/* A part's shares while they are collected: the last places are for the others of each kind. */
struct share_set {
	size_t n;
	struct who_share at[WHO_SHARES + WHO_UNEXPLAINED + 1];
	int before;		/* the latest interrupt so far, -1: none */
	int64_t waiting_ns;	/* without a record, before the first interrupt */
};

static bool is_interrupt(enum who_kind kind)
{
	return kind != WHO_TASK && kind != WHO_UNEXPLAINED;
}

static int64_t least_ns(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

static int64_t most_ns(int64_t a, int64_t b)
{
	return a > b ? a : b;
}

static struct who_share *share_of(struct share_set *part, enum who_kind kind, int pid, const char *name)
{
	struct who_share *s;

	for (size_t i = 0; i < part->n; i++) {
		s = &part->at[i];
		if (s->kind == kind && s->pid == pid && (pid || !strcmp(s->name, name)))
			return s;
	}
	if (part->n >= WHO_SHARES && strcmp(name, "others"))
		return share_of(part, kind, 0, "others");
	s = &part->at[part->n++];
	memset(s, 0, sizeof(*s));
	s->kind = kind;
	s->pid = pid;
	snprintf(s->name, sizeof(s->name), "%s", name);
	s->start_ns = INT64_MAX;
	s->end_ns = INT64_MIN;
	return s;
}

static void add_residue(struct who_share *s, int64_t ns)
{
	s->ns += ns;
	s->residue_ns += ns;
}

/* Time in the part that no stretch covers: the way from the interrupt before, or to the next one. */
static void add_uncovered(struct share_set *part, int64_t ns)
{
	if (ns <= 0)
		return;
	if (part->before >= 0)
		add_residue(&part->at[part->before], ns);
	else
		part->waiting_ns += ns;
}

/* Time beside a switch that has no record. */
static void add_unseen(struct share_set *part, int64_t from, int64_t to)
{
	struct who_share *s;

	if (to <= from)
		return;
	s = share_of(part, WHO_UNEXPLAINED, 0, WHO_MISSED);
	s->ns += to - from;
	who_span(&s->start_ns, &s->end_ns, from, to);
}

static struct who_share *add_piece_share(struct share_set *part, const struct piece *p, int64_t ns, int64_t from, int64_t to)
{
	int pid = p->kind != WHO_TASK || p->id < 0 ? 0 : p->here ? p->here : -p->id;
	struct who_share *s = share_of(part, p->kind, pid, p->name[0] ? p->name : "?");

	if (s->start_ns == INT64_MAX)
		s->resumed = p->resumed;
	else if (s->pid && p->name[0])	/* a shell before, a compiler now */
		snprintf(s->name, sizeof(s->name), "%s", p->name);
	s->wants = p->wants;
	s->ns += ns;
	who_span(&s->start_ns, &s->end_ns, most_ns(p->start_ns, from), least_ns(p->end_ns, to));
	return s;
}

/* ns * part / whole, without overflow: both are below 2^53 for any run. */
static int64_t portion(int64_t ns, int64_t part, int64_t whole)
{
	return part >= whole ? ns : (int64_t)((double)ns * ((double)part / (double)whole));
}

/* What of a stretch lies in [from, to); its pieces in proportion where it sticks out. */
static void add_stretch(struct share_set *part, struct stretch_queue *q, const struct stretch *s, int64_t end_ns, int64_t from,
			int64_t to)
{
	struct who_share *largest = NULL;
	int first = -1, last = -1;
	int64_t first_ns = INT64_MAX, last_ns = INT64_MIN, largest_ns = -1, left = to - from;

	for (size_t i = 0; i < s->n; i++) {
		const struct piece *p = stretch_piece(q, s, i);
		int64_t ns = least_ns(portion(p->ns, to - from, end_ns - s->start_ns), left);
		struct who_share *share;

		if (p->end_ns < from || p->start_ns > to || (p->ns == 0 && p->kind == WHO_TASK && s->n > 1))
			continue;
		share = add_piece_share(part, p, ns, from, to);
		left -= ns;
		if (ns > largest_ns) {
			largest_ns = ns;
			largest = share;
		}
		if (!is_interrupt(p->kind))
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
		largest->ns += left;	/* rounding */
	else
		add_uncovered(part, left);
	if (first >= 0 && part->waiting_ns) {
		add_residue(&part->at[first], part->waiting_ns);
		part->waiting_ns = 0;
	}
	if (last >= 0)
		part->before = last;
}

static int by_share_time(const void *a, const void *b)
{
	const struct who_share *x = a, *y = b;

	return x->ns < y->ns ? 1 : x->ns > y->ns ? -1 : (int)x->kind - (int)y->kind;
}

/* No interrupt anywhere: the task's way in and out, or nothing that has a record. */
static void settle_waiting(struct share_set *part, int64_t start_ns, int64_t end_ns)
{
	struct who_share *s = NULL;

	if (!part->waiting_ns)
		return;
	for (size_t i = 0; i < part->n; i++)
		if (!s || part->at[i].ns > s->ns)
			s = &part->at[i];
	if (!s) {
		s = share_of(part, WHO_UNEXPLAINED, 0, "unexplained");
		s->start_ns = start_ns;
		s->end_ns = end_ns;
	}
	add_residue(s, part->waiting_ns);
}

/* The smallest as one, under the kind of the largest among them. */
static size_t fold(struct who_share *at, size_t n, size_t max)
{
	struct who_share *rest = max ? &at[max - 1] : NULL;

	if (n <= max || !max)
		return n < max ? n : max;
	for (size_t i = max; i < n; i++) {
		rest->ns += at[i].ns;
		rest->residue_ns += at[i].residue_ns;
		who_span(&rest->start_ns, &rest->end_ns, at[i].start_ns, at[i].end_ns);
		rest->wants |= at[i].wants;
		rest->resumed |= at[i].resumed;
	}
	rest->pid = 0;
	snprintf(rest->name, sizeof(rest->name), "others");
	return max;
}

size_t part_shares(struct stretch_queue *q, int64_t start_ns, int64_t end_ns, int64_t skew_ns, struct who_share *out,
		   size_t max)
{
	struct share_set part = { .before = -1 };
	int64_t at = start_ns;
	bool unseen = false;	/* what comes after `at` */
	size_t n;

	if (end_ns <= start_ns)
		return 0;
	for (size_t i = 0; i < q->n; i++) {
		const struct stretch *s = stretch_get(q, i);
		bool open = s == stretch_last(q);
		int64_t s_end = open ? most_ns(end_ns, s->start_ns) : s->end_ns;
		int64_t from = most_ns(s->start_ns, at), to = least_ns(s_end, end_ns);

		if (s->start_ns >= end_ns)
			break;
		if (s->start_ns < start_ns - skew_ns && s_end > end_ns + skew_ns)
			continue;
		if (unseen || s->came_unseen)
			add_unseen(&part, at, from);
		else
			add_uncovered(&part, from - at);
		at = from;
		if (from < to) {
			add_stretch(&part, q, s, s_end, from, to);
			at = to;
		}
		unseen = s->went_unseen && s_end >= start_ns - skew_ns;
	}
	if (unseen)
		add_unseen(&part, at, end_ns);
	else
		add_uncovered(&part, end_ns - at);
	settle_waiting(&part, start_ns, end_ns);
	qsort(part.at, part.n, sizeof(*part.at), by_share_time);
	n = fold(part.at, part.n, max);
	memcpy(out, part.at, n * sizeof(*out));
	return n;
}

/* Those of which nothing lies there go. Returns how many stay, *sum is their time. */
static size_t cut_shares(struct who_share *share, size_t n, int64_t from, int64_t to, int64_t *sum)
{
	size_t kept = 0;

	*sum = 0;
	for (size_t i = 0; i < n; i++) {
		struct who_share s = share[i];
		int64_t span = s.end_ns - s.start_ns, begin = most_ns(s.start_ns, from), end = least_ns(s.end_ns, to);

		if (begin > end || (begin == end && span > 0))
			continue;
		if (span > 0) {
			s.ns = portion(s.ns, end - begin, span);
			s.residue_ns = portion(s.residue_ns, end - begin, span);
		}
		s.start_ns = begin;
		s.end_ns = end;
		*sum += s.ns;
		share[kept++] = s;
	}
	return kept;
}

size_t part_clip(struct who_share *share, size_t n, int64_t from, int64_t to)
{
	int64_t sum, left = to - from;
	struct who_share main;
	size_t largest = 0;

	if (!n)
		return 0;
	main = share[0];
	n = cut_shares(share, n, from, to, &sum);
	if (!sum) {		/* a residue's time: of the one that had the most */
		main.start_ns = from;
		main.end_ns = to;
		main.ns = main.residue_ns = left;
		share[0] = main;
		return 1;
	}
	for (size_t i = 0; i < n; i++) {
		share[i].ns = portion(share[i].ns, to - from, sum);
		left -= share[i].ns;
		if (share[i].ns > share[largest].ns)
			largest = i;
	}
	share[largest].ns += left;
	return n;
}
