/* SPDX-License-Identifier: GPL-3.0-or-later */
/* order - the order in which a disk gets its requests, against the order in which they came. Pure.
 *
 * A request comes when it is handed to the block layer, waits there (for room in the device, or in a scheduler), and is issued when
 * the device takes it. Of each two requests that waited together, one is issued first: the older one keeps the order, the younger
 * one overtakes the other. Kendall's tau over these pairs is (kept - overtaken) / (kept + overtaken): 1 in the order of coming, 0
 * without any order, -1 the last one first. What never waited together is no pair. */
#ifndef THINPROBE_ORDER_H
#define THINPROBE_ORDER_H

#include "sample.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum order_kind { ORDER_QUEUE, ORDER_ISSUE, ORDER_COMPLETE };

struct order_event {
	int64_t time_ns, sector, sectors;	/* a request without data has 0 of them */
	enum order_kind kind;
	bool read, load;			/* of what comes: a read; of the load, and not of anybody else */
	char comm[16];				/* of what comes: whose it is */
};

/* A request that is issued. What was merged is one request, as old as the oldest in it; what was cut in pieces is one at its
 * first piece. */
struct order_request {
	int64_t come_ns, issue_ns, sector, sectors;
	bool read, load;
	char comm[16];
	size_t waiting;		/* requests that waited when it was issued, itself included */
	size_t older;		/* of these, so many had come before it: it overtakes them */
	size_t ahead;		/* reads of the load that waited when it came */
	size_t passed;		/* of these, so many wait still when it is issued */
};

struct order_waiting {
	struct order_request request;
	int64_t from, to;	/* sectors that are not issued yet */
	bool begun;		/* its first piece is issued */
};

struct order_sums {
	int64_t requests, writes;
	int64_t unmatched;		/* issued, but nobody saw them come: before the begin of the trace, or of the driver's own */
	int64_t kept, overtaken;	/* pairs of requests, served in the order they came or not */
	int64_t overtaken_requests;	/* which a younger one has overtaken */
	int64_t ahead, passed;		/* sums over the reads of others than the load */
	int64_t waiting;		/* sum over requests */
	size_t waiting_most;
	struct sample in_device;	/* at each issue: issued and not done, itself included */
	struct sample load_wait, others_wait;	/* ns from coming to being issued, of reads */
	int64_t unissued, unfinished;	/* done, but nobody saw them issued; issued, but nobody saw their end */
};

struct order {
	struct order_waiting *waiting;	/* the oldest first */
	size_t n;
	struct order_device {
		int64_t sector, sectors;
		size_t passed;		/* issued after it and done before it */
	} *device;			/* in the order of their issue */
	size_t in_device;
	int64_t youngest_ns;		/* when the youngest of those issued had come */
	struct order_sums sums;
};

/* Events in the order of time; begins as { 0 }. A few of them may be missing, as the kernel loses some in silence: what is
 * done waits no more, and what twice as many have passed in the device as there are in it is not there any more.
 * 1: *out is a request that this event issues; 0: none; -ENOMEM. */
int order_add_event(struct order *o, const struct order_event *e, struct order_request *out);
/* Kendall's tau as above; NAN: no two requests waited together. */
double order_tau(const struct order_sums *s);
/* a of b in percent; NAN of none. */
double order_percent(int64_t a, int64_t b);
void order_free(struct order *o);

/* The order of time; what comes at the same time as it is issued has come before. For qsort(). */
int order_compare_events(const void *a, const void *b);

#endif
