// SPDX-License-Identifier: GPL-3.0-or-later
#include "events.h"

static void hand_out_event(struct events *e, struct event *which)
{
	if (which->parts)
		e->each(e->arg, which);
	which->parts = 0;
}

static void begin_event(struct event *v, const struct part *p)
{
	v->start_ns = p->start_ns;
	v->lost_ns = 0;
	v->parts = 0;
	v->tick = p->tick;
	v->who.n = 0;
}

static void join_part(struct event *v, const struct part *p)
{
	v->end_ns = p->end_ns;
	v->lost_ns += p->lost_ns;
	v->parts++;
	v->wants = false;
	for (size_t i = 0; i < p->shares; i++)
		v->wants |= p->share[i].wants;
	if (p->shares)
		culprit_add(&v->who, p->share, p->shares);
}

void events_init(struct events *e, int64_t tick_ns, void (*each)(void *, const struct event *), void *arg)
{
	e->join_ns = tick_ns && tick_ns / 2 < EVENTS_JOIN_NS ? tick_ns / 2 : EVENTS_JOIN_NS;
	e->hold_ns = WHO_SLICE_NS;
	e->each = each;
	e->arg = arg;
	e->held.parts = e->open.parts = 0;
	e->held.who.n = e->open.who.n = 0;
}

void events_until(struct events *e, int64_t now_ns)
{
	if (e->open.parts && now_ns - e->open.end_ns >= e->join_ns) {
		if (e->open.wants && !e->held.parts) {
			/* its task is only interrupted: kept aside, while what the loop meets meanwhile is told apart */
			e->held = e->open;
			e->open.parts = 0;
		} else
			hand_out_event(e, &e->open);
	}
	if (e->held.parts && now_ns - e->held.end_ns >= e->hold_ns)
		hand_out_event(e, &e->held);
}

void events_part(struct events *e, const struct part *p)
{
	struct event *to = &e->open;

	if (p->tick) {
		struct event tick = { .parts = 0 };

		begin_event(&tick, p);
		join_part(&tick, p);
		e->each(e->arg, &tick);
		return;
	}
	events_until(e, p->start_ns);
	if (e->held.parts && p->shares && who_continues(p->share, p->shares)) {
		hand_out_event(e, &e->open);
		to = &e->held;
	} else if (!to->parts)
		begin_event(to, p);
	join_part(to, p);
	if (to == &e->held && !to->wants) {
		/* whole again: what follows within the gap belongs to it as to any other */
		e->open = e->held;
		e->held.parts = 0;
	}
}

void events_end(struct events *e)
{
	hand_out_event(e, &e->held);
	hand_out_event(e, &e->open);
}
