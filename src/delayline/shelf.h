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

struct shelf;

/* NULL: no memory. All of it is touched: a packet must not wait for a page. */
struct shelf *shelf_new(size_t packets);
void shelf_free(struct shelf *s);

/* A free slot of SHELF_SLOT bytes, or NULL: all are taken. It stays free until shelf_put: asked again, the same one comes. */
unsigned char *shelf_room(struct shelf *s);
/* What was written into the slot of shelf_room goes on its way. */
void shelf_put(struct shelf *s, int64_t due_ns, size_t bytes, int way);

/* When the first is due; INT64_MAX: there is none. */
int64_t shelf_next(const struct shelf *s);
/* The first one; its memory holds until the next shelf_put. NULL: none. */
const unsigned char *shelf_take(struct shelf *s, int64_t *due_ns, size_t *bytes, int *way);

size_t shelf_count(const struct shelf *s);
size_t shelf_most(const struct shelf *s);	/* that were on their way together */

#endif
