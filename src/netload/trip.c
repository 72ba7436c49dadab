// SPDX-License-Identifier: GPL-3.0-or-later
#include "trip.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

int trip_start(struct trip *r)
{
	int err = 0;

	r->own.sent_low = r->own.sent_high = r->own.got_low = r->own.got_high = -1;
	r->push.load = r->pull.load = &r->load;
	r->push.lane = r->pull.lane = r->lane;
	r->push.key = r->pull.key = r->key;
	r->push.side = r->pull.side = &r->own;
	if (r->pushes) {
		r->noise = noise_new(r->load.seed);
		r->push.noise = r->noise;
		err = r->noise ? 0 : -ENOMEM;
	}
	if (!err && r->pulls)
		err = pull_start(&r->pull);
	if (!err && r->pushes) {
		err = push_start(&r->push);
		if (err && r->pulls)
			pull_end(&r->pull, true);
	}
	return err;
}

void trip_end_push(struct trip *r, bool at_once)
{
	if (!r->pushes)
		return;
	if (at_once)
		atomic_store(&r->push.stop, true);
	push_join(&r->push);
	for (int64_t i = 0; i < r->load.lanes; i++)
		r->own.lane[i] = r->lane[i].count;
}

void trip_end_pull(struct trip *r, bool at_once)
{
	if (!r->pulls)
		return;
	pull_end(&r->pull, at_once);
	for (int64_t i = 0; i < r->load.lanes; i++)
		r->own.lane[i] = r->lane[i].count;
}

void trip_free(struct trip *r)
{
	for (int64_t i = 0; i < r->load.lanes; i++)
		if (r->lane[i].fd > 0)
			close(r->lane[i].fd);
	if (r->control.fd > 0)
		close(r->control.fd);
	free(r->noise);
}
