/* SPDX-License-Identifier: GPL-3.0-or-later */
/* shelf - packets on their way: each has a slot of memory and the time at which it is due. Pure,
 * and allocates only when it is made.
 *
 * A heap by time, and by arrival among equal times: so packets of one direction that are due together keep their order. */
#ifndef THINPROBE_SHELF_H
#define THINPROBE_SHELF_H

#include <stddef.h>
#include <stdint.h>

#define SHELF_SLOT 2048		/* bytes: a frame of 1,518 and then some, and one less than that */

struct delay_queue;

/* NULL: no memory. All of it is touched: a packet must not wait for a page. */
struct delay_queue *delay_queue_new(size_t packets);
void delay_queue_free(struct delay_queue *s);

/* A free slot of SHELF_SLOT bytes, or NULL: all are taken. It stays free until shelf_put: asked again, the same one comes. */
unsigned char *delay_queue_room(struct delay_queue *s);
/* What was written into the slot of shelf_room goes on its way. */
void delay_queue_put(struct delay_queue *s, int64_t due_ns, size_t bytes, int way);

/* When the first is due; INT64_MAX: there is none. */
int64_t delay_queue_next(const struct delay_queue *s);
/* The first one; its memory holds until the next shelf_put. NULL: none. */
const unsigned char *delay_queue_take(struct delay_queue *s, int64_t *due_ns, size_t *bytes, int *way);

size_t delay_queue_count(const struct delay_queue *s);
size_t delay_queue_most(const struct delay_queue *s);	/* that were on their way together */

#endif
