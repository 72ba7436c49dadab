// SPDX-License-Identifier: GPL-3.0-or-later
#include "order.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Makes room for one more of `size` bytes. 0 or -ENOMEM. */
static int order_grow(void **items, size_t *room, size_t n, size_t size)
{
	size_t more = *room ? *room * 2 : 64;
	void *grown;

	if (n < *room)
		return 0;
	grown = reallocarray(*items, more, size);
	if (!grown)
		return -ENOMEM;
	*items = grown;
	*room = more;
	return 0;
}

static int order_come(struct order *o, const struct order_event *e)
{
	struct order_waiting *w;

	if (e->sectors <= 0)
		return 0;
	if (order_grow((void **)&o->waiting, &o->room, o->n, sizeof(*o->waiting)))
		return -ENOMEM;
	w = &o->waiting[o->n];
	*w = (struct order_waiting){ .from = e->sector, .to = e->sector + e->sectors };
	w->request = (struct order_request){ .come_ns = e->time_ns, .sector = e->sector, .sectors = e->sectors, .read = e->read,
					     .load = e->load };
	memcpy(w->request.comm, e->comm, sizeof(w->request.comm));
	for (size_t i = 0; i < o->n; i++)
		w->request.ahead += !o->waiting[i].begun && o->waiting[i].request.load && o->waiting[i].request.read;
	o->n++;
	return 0;
}

/* Takes what the device gets out of those that wait. Returns the oldest of them, which is in `oldest`; false: nobody saw it come. */
static bool order_match(struct order *o, int64_t from, int64_t to, struct order_waiting *oldest)
{
	size_t kept = 0;
	bool found = false;

	for (size_t i = 0; i < o->n; i++) {
		struct order_waiting *w = &o->waiting[i];
		bool meets = w->from < to && from < w->to;

		if (meets && !found) {
			*oldest = *w;
			found = true;
		}
		if (meets) {
			w->begun = true;
			if (from > w->from && to >= w->to)
				w->to = from;
			else	/* the kernel cuts from the front: a piece out of the middle takes what is before it along */
				w->from = to < w->to ? to : w->to;
		}
		if (w->from < w->to)
			o->waiting[kept++] = *w;
	}
	o->n = kept;
	return found;
}

static void order_sum(struct order *o, const struct order_request *r)
{
	struct order_sums *s = &o->sums;
	int64_t wait = r->issue_ns - r->come_ns;

	s->requests++;
	s->writes += !r->read;
	s->overtaken += (int64_t)r->older;
	s->kept += (int64_t)(r->waiting - 1 - r->older);
	s->waiting += (int64_t)r->waiting;
	s->waiting_most = r->waiting > s->waiting_most ? r->waiting : s->waiting_most;
	s->overtaken_requests += r->come_ns < o->youngest_ns;
	o->youngest_ns = r->come_ns > o->youngest_ns ? r->come_ns : o->youngest_ns;
	if (!r->read)
		return;
	sample_add(r->load ? &s->load_wait : &s->others_wait, wait);
	if (r->load)
		return;
	s->ahead += (int64_t)r->ahead;
	s->passed += (int64_t)r->passed;
}

static int order_issue(struct order *o, const struct order_event *e, struct order_request *out)
{
	struct order_waiting oldest;

	if (order_grow((void **)&o->device, &o->device_room, o->in_device, sizeof(*o->device)))
		return -ENOMEM;
	o->device[o->in_device].sector = e->sector;
	o->device[o->in_device++].sectors = e->sectors;
	o->sums.device_most = o->in_device > o->sums.device_most ? o->in_device : o->sums.device_most;
	if (e->sectors <= 0)
		return 0;
	if (!order_match(o, e->sector, e->sector + e->sectors, &oldest)) {
		o->sums.unmatched++;
		return 0;
	}
	if (oldest.begun)	/* another piece of what was issued */
		return 0;
	*out = oldest.request;
	out->issue_ns = e->time_ns;
	out->waiting = 1;
	for (size_t i = 0; i < o->n; i++) {
		const struct order_request *other = &o->waiting[i].request;
		bool older = other->come_ns < out->come_ns;

		if (o->waiting[i].begun)
			continue;
		out->waiting++;
		out->older += older;
		out->passed += older && other->load && other->read;
	}
	order_sum(o, out);
	return 1;
}

static int order_done(struct order *o, const struct order_event *e)
{
	for (size_t i = 0; i < o->in_device; i++)
		if (o->device[i].sector == e->sector && o->device[i].sectors == e->sectors) {
			o->device[i] = o->device[--o->in_device];
			break;
		}
	return 0;
}

int order_take(struct order *o, const struct order_event *e, struct order_request *out)
{
	switch (e->kind) {
	case ORDER_COME:
		return order_come(o, e);
	case ORDER_ISSUE:
		return order_issue(o, e, out);
	default:
		return order_done(o, e);
	}
}

double order_percent(int64_t a, int64_t b)
{
	return b > 0 ? 100.0 * (double)a / (double)b : (double)NAN;
}

double order_tau(const struct order_sums *s)
{
	int64_t pairs = s->kept + s->overtaken;

	return pairs > 0 ? (double)(s->kept - s->overtaken) / (double)pairs : (double)NAN;
}

void order_free(struct order *o)
{
	free(o->waiting);
	free(o->device);
	sample_free(&o->sums.load_wait);
	sample_free(&o->sums.others_wait);
	*o = (struct order){ 0 };
}

int order_earlier(const void *a, const void *b)
{
	const struct order_event *x = a, *y = b;

	if (x->time_ns != y->time_ns)
		return x->time_ns < y->time_ns ? -1 : 1;
	return (int)x->kind - (int)y->kind;
}
