// SPDX-License-Identifier: GPL-3.0-or-later
#include "order.h"
#include "array.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static int order_on_request_queue(struct request_order_state *o, const struct disk_request_event *e)
{
	struct waiting_disk_request *w;

	if (e->sectors <= 0)
		return 0;
	if (array_room(&o->waiting, o->n))
		return -ENOMEM;
	w = &o->waiting[o->n];
	*w = (struct waiting_disk_request){ .from = e->sector, .to = e->sector + e->sectors };
	w->request = (struct issued_disk_request){ .come_ns = e->time_ns, .sector = e->sector, .sectors = e->sectors, .read = e->read,
					     .load = e->load };
	memcpy(w->request.comm, e->comm, sizeof(w->request.comm));
	for (size_t i = 0; i < o->n; i++)
		w->request.ahead += !o->waiting[i].begun && o->waiting[i].request.load && o->waiting[i].request.read;
	o->n++;
	return 0;
}

/* Returns the request waiting for sectors from `at` on, before `to`, that begins first, and of those the oldest; NULL: none. */
static struct waiting_disk_request *order_find_waiting_request(struct request_order_state *o, int64_t at, int64_t to)
{
	struct waiting_disk_request *found = NULL;

	for (size_t i = 0; i < o->n; i++) {
		struct waiting_disk_request *w = &o->waiting[i];
		int64_t begins = w->from > at ? w->from : at;

		if (w->to > at && w->from < to && (!found || begins < (found->from > at ? found->from : at)))
			found = w;
	}
	return found;
}

/* Removes the issued sectors from the waiting requests, each sector once (two requests may wait for the same sector). *oldest: the
 * oldest of these requests; false: none was waiting. */
static bool order_remove_issued_sectors(struct request_order_state *o, int64_t from, int64_t to,
					struct waiting_disk_request *oldest)
{
	struct waiting_disk_request *w;
	bool found = false;
	size_t kept = 0;

	while (from < to && (w = order_find_waiting_request(o, from, to))) {
		if (!found || w->request.come_ns < oldest->request.come_ns)
			*oldest = *w;
		found = true;
		w->begun = true;
		/* the kernel splits requests from the front: sectors before an issued middle piece are issued with it */
		from = w->from = w->to < to ? w->to : to;
	}
	for (size_t i = 0; i < o->n; i++)
		if (o->waiting[i].from < o->waiting[i].to)
			o->waiting[kept++] = o->waiting[i];
	o->n = kept;
	return found;
}

static void order_add_issued_request_to_sums(struct request_order_state *o, const struct issued_disk_request *r)
{
	struct disk_request_order_sums *s = &o->sums;
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

static int order_on_request_issue(struct request_order_state *o, const struct disk_request_event *e,
				  struct issued_disk_request *out)
{
	struct waiting_disk_request oldest;

	if (array_room(&o->device, o->in_device))
		return -ENOMEM;
	if (e->sectors <= 0)	/* a flush has no sector by which its completion could be recognized */
		return 0;
	o->device[o->in_device++] = (struct uncompleted_disk_request){ e->sector, e->sectors, 0 };
	sample_add(&o->sums.in_device, (int64_t)o->in_device);
	if (!order_remove_issued_sectors(o, e->sector, e->sector + e->sectors, &oldest)) {
		o->sums.unmatched++;
		return 0;
	}
	if (oldest.begun)	/* another piece of a request that was issued before */
		return 0;
	*out = oldest.request;
	out->issue_ns = e->time_ns;
	out->waiting = 1;
	for (size_t i = 0; i < o->n; i++) {
		const struct issued_disk_request *other = &o->waiting[i].request;
		bool older = other->come_ns < out->come_ns;

		if (o->waiting[i].begun)
			continue;
		out->waiting++;
		out->older += older;
		out->passed += older && other->load && other->read;
	}
	order_add_issued_request_to_sums(o, out);
	return 1;
}

/* Removes requests that were completed although no issue was seen. */
static void order_drop_unissued_requests(struct request_order_state *o, const struct disk_request_event *e)
{
	size_t kept = 0;

	for (size_t i = 0; i < o->n; i++) {
		const struct waiting_disk_request *w = &o->waiting[i];

		if (w->from >= e->sector && w->to <= e->sector + e->sectors)
			o->sums.unissued++;
		else
			o->waiting[kept++] = *w;
	}
	o->n = kept;
}

static int order_on_request_complete(struct request_order_state *o, const struct disk_request_event *e)
{
	size_t at = 0, kept = 0;

	if (e->sectors <= 0)
		return 0;
	while (at < o->in_device && (o->device[at].sector != e->sector || o->device[at].sectors != e->sectors))
		at++;
	if (at == o->in_device) {
		order_drop_unissued_requests(o, e);
		return 0;
	}
	for (size_t i = 0; i < o->in_device; i++) {
		struct uncompleted_disk_request d = o->device[i];
		bool lost = i < at && ++d.passed > 2 * o->in_device;

		o->sums.unfinished += lost;
		if (i != at && !lost)
			o->device[kept++] = d;
	}
	o->in_device = kept;
	return 0;
}

int order_handle_request_event(struct request_order_state *o, const struct disk_request_event *e, struct issued_disk_request *out)
{
	switch (e->kind) {
	case ORDER_QUEUE: return order_on_request_queue(o, e);
	case ORDER_ISSUE: return order_on_request_issue(o, e, out);
	default: return order_on_request_complete(o, e);
	}
}

double percentage_of_total_count(int64_t a, int64_t b)
{
	return b > 0 ? 100.0 * (double)a / (double)b : (double)NAN;
}

double order_kendall_tau(const struct disk_request_order_sums *s)
{
	int64_t pairs = s->kept + s->overtaken;

	return pairs > 0 ? (double)(s->kept - s->overtaken) / (double)pairs : (double)NAN;
}

void request_order_state_free(struct request_order_state *o)
{
	free(o->waiting);
	free(o->device);
	sample_free(&o->sums.in_device);
	sample_free(&o->sums.load_wait);
	sample_free(&o->sums.others_wait);
	*o = (struct request_order_state){ 0 };
}

int compare_disk_events_by_time(const void *a, const void *b)
{
	const struct disk_request_event *x = a, *y = b;

	if (x->time_ns != y->time_ns)
		return x->time_ns < y->time_ns ? -1 : 1;
	return (int)x->kind - (int)y->kind;
}
