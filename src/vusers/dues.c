// SPDX-License-Identifier: GPL-3.0-or-later
#include "dues.h"

#include <errno.h>
#include <stdlib.h>

int dues_open(struct dues *d, size_t room)
{
	*d = (struct dues){ .heap = calloc(room ? room : 1, sizeof(*d->heap)), .room = room };
	return d->heap ? 0 : -ENOMEM;
}

void dues_add(struct dues *d, int64_t at_ns, uint32_t user)
{
	size_t i = d->n++;

	for (; i && d->heap[(i - 1) / 2].at_ns > at_ns; i = (i - 1) / 2)
		d->heap[i] = d->heap[(i - 1) / 2];
	d->heap[i] = (struct due){ at_ns, user };
}

int64_t dues_first(const struct dues *d)
{
	return d->n ? d->heap[0].at_ns : INT64_MAX;
}

struct due dues_take(struct dues *d)
{
	struct due first = d->heap[0], last = d->heap[--d->n];
	size_t i = 0;

	for (size_t child; (child = 2 * i + 1) < d->n; i = child) {
		child += child + 1 < d->n && d->heap[child + 1].at_ns < d->heap[child].at_ns;
		if (d->heap[child].at_ns >= last.at_ns)
			break;
		d->heap[i] = d->heap[child];
	}
	d->heap[i] = last;
	return first;
}

void dues_free(struct dues *d)
{
	free(d->heap);
	*d = (struct dues){ 0 };
}
