/* SPDX-License-Identifier: GPL-3.0-or-later */
/* order - the order in which a disk serves requests, compared with the order of their arrival. Pure.
 *
 * A request arrives when it is handed to the block layer, waits there (for room in the device, or in a scheduler), and is issued
 * when the device takes it. Of any two requests that waited together, one is issued first: the older one (order kept) or the
 * younger one (overtaken). Kendall's tau over these pairs is (kept - overtaken) / (kept + overtaken): 1 in the order of arrival, 0
 * in random order, -1 in reverse order. Requests that never waited together are no pair. */
#pragma once

#include "sample.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum order_kind { ORDER_QUEUE, ORDER_ISSUE, ORDER_COMPLETE };

struct disk_request_event {
	int64_t time_ns, sector, sectors;	/* sectors: 0 for a request without data */
	enum order_kind kind;
	bool read, load;			/* for ORDER_QUEUE: the request is a read; its process is the load */
	char comm[16];				/* for ORDER_QUEUE: name of its process */
};

/* A request that is issued. Merged requests count as one, as old as the oldest of them; a request that is split counts when its
 * first piece is issued. */
struct issued_disk_request {
	int64_t come_ns, issue_ns, sector, sectors;
	bool read, load;
	char comm[16];
	size_t waiting;		/* waiting requests when it was issued, including itself */
	size_t older;		/* waiting requests that arrived before this one, which is served before them */
	size_t ahead;		/* reads of the load that waited when it arrived */
	size_t passed;		/* reads in `ahead` that still wait when it is issued */
};

struct waiting_disk_request {
	struct issued_disk_request request;
	int64_t from, to;	/* sectors that are not issued yet */
	bool begun;		/* the first piece of the request has been issued */
};

struct disk_request_order_sums {
	int64_t requests, writes;
	int64_t unmatched;		/* issued requests whose arrival was not seen: before the trace began, or of the driver itself */
	int64_t kept, overtaken;	/* pairs of requests, issued in the order of arrival or not */
	int64_t overtaken_requests;	/* requests that a younger request has overtaken */
	int64_t ahead, passed;		/* sums over the reads of other processes than the load */
	int64_t waiting;		/* sum over requests of issued_disk_request.waiting */
	size_t waiting_most;
	struct sample in_device;	/* requests in the device at each issue, including the issued one */
	struct sample load_wait, others_wait;	/* ns that reads waited from arrival to issue */
	int64_t unissued, unfinished;	/* unissued: completed, but no issue was seen; unfinished: issued, but no completion was seen */
};

struct request_order_state {
	struct waiting_disk_request *waiting;	/* oldest first */
	size_t n;
	struct uncompleted_disk_request {
		int64_t sector, sectors;
		size_t passed;		/* requests issued later that have completed */
	} *device;			/* in the order of issue */
	size_t in_device;
	int64_t youngest_ns;		/* arrival of the youngest request issued so far */
	struct disk_request_order_sums sums;
};

/* Takes the next event in the order of time. *o begins as { 0 }. A few events may be missing, because the kernel loses some without
 * notice: a completed request no longer waits, and a request in the device that twice as many later requests have passed as are in
 * the device counts as gone. 1: this event issues the request *out; 0: none; -ENOMEM. */
int order_handle_request_event(struct request_order_state *o, const struct disk_request_event *e, struct issued_disk_request *out);
/* Kendall's tau; NAN: no two requests waited together. */
double order_kendall_tau(const struct disk_request_order_sums *s);
/* a of b in percent; NAN if b is 0. */
double percentage_of_total_count(int64_t a, int64_t b);
void request_order_state_free(struct request_order_state *o);

/* Order of qsort(): by time; at equal times an arrival comes before an issue. */
int compare_disk_events_by_time(const void *a, const void *b);
