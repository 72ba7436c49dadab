// SPDX-License-Identifier: GPL-3.0-or-later
#include "stretch.h"

#include <stdio.h>
#include <string.h>

#define OTHERS (-1)	/* no thread's and no interrupt's number */
/* So many named ones that there is still room for the others of each kind. */
#define NAMED (WHO_SHARES - WHO_UNEXPLAINED - 1)

struct stretch *stretch_get(struct stretch_queue *q, size_t i)
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
