#include "order.h"

#include <stdlib.h>
#include <string.h>

struct order_piece {
	struct order_piece *next;
	int64_t start;
	uint32_t captured, length;
	uint8_t bytes[];
};

static void hand_over(struct order *o, int64_t start, const uint8_t *bytes, uint32_t captured, uint32_t length, order_fn *fn, void *context)
{
	uint32_t old = (uint32_t)(o->next - start);

	if (start + length <= o->next)
		return;
	o->next = start + length;
	fn(context, captured > old ? bytes + old : NULL, captured > old ? captured - old : 0, length - old);
}

static void drop_first(struct order *o, size_t *held)
{
	struct order_piece *p = o->first;

	o->first = p->next;
	*held -= p->captured;
	free(p);
}

/* What finds no room is kept as a length without bytes. */
static void hold(struct order *o, size_t *held, int64_t start, const uint8_t *bytes, uint32_t captured, uint32_t length)
{
	struct order_piece **at = &o->first, *p;

	while (*at && (*at)->start <= start)
		at = &(*at)->next;
	if (*held + captured > ORDER_ROOM)
		captured = 0;
	p = malloc(sizeof(*p) + captured);
	if (!p)
		return;		/* then it never came */
	*p = (struct order_piece){ .next = *at, .start = start, .captured = captured, .length = length };
	if (captured)
		memcpy(p->bytes, bytes, captured);
	*held += captured;
	*at = p;
}

void order_take(struct order *o, size_t *held, int64_t start, const uint8_t *bytes, uint32_t captured, uint32_t length, order_fn *fn, void *context)
{
	if (start > o->next) {
		hold(o, held, start, bytes, captured, length);
		return;
	}
	hand_over(o, start, bytes, captured, length, fn, context);
	while (o->first && o->first->start <= o->next) {
		hand_over(o, o->first->start, o->first->bytes, o->first->captured, o->first->length, fn, context);
		drop_first(o, held);
	}
}

void order_skip(struct order *o, size_t *held, int64_t end, order_fn *fn, void *context)
{
	while (o->first && o->first->start < end) {
		if (o->first->start > o->next)
			o->next = o->first->start;
		hand_over(o, o->first->start, o->first->bytes, o->first->captured, o->first->length, fn, context);
		drop_first(o, held);
	}
	if (end > o->next)
		o->next = end;
}

void order_free(struct order *o, size_t *held)
{
	while (o->first)
		drop_first(o, held);
}
