// SPDX-License-Identifier: GPL-3.0-or-later
#include "load_session.h"

#include <stdlib.h>
#include <unistd.h>

int load_session_start(struct load_session *r)
{
	int err = 0;

	r->own.sent_low = r->own.sent_high = r->own.got_low = r->own.got_high = -1;
	if (r->pulls)
		err = rx_start(r);
	if (err || !r->pushes)
		return err;
	err = tx_start(r);
	if (err && r->pulls)
		rx_stop(r, true);
	return err;
}

void load_session_stop_tx(struct load_session *r, bool at_once)
{
	if (!r->pushes)
		return;
	if (at_once)
		atomic_store(&r->push.stop, true);
	pthread_join(r->push.thread, NULL);
	for (int64_t i = 0; i < r->load.lanes; i++) { /* the receiving thread may still count in the other members */
		const struct stream_counts *c = &r->lane[i].count;

		r->own.lane[i] = (struct stream_counts){ .sent_frames = c->sent_frames,
							 .sent_payload = c->sent_payload,
							 .sent_wire = c->sent_wire,
							 .resent_frames = c->resent_frames };
	}
}

void load_session_stop_rx(struct load_session *r, bool at_once)
{
	if (!r->pulls)
		return;
	rx_stop(r, at_once);
	for (int64_t i = 0; i < r->load.lanes; i++)
		r->own.lane[i] = r->lane[i].count;
}

void load_session_free(struct load_session *r)
{
	for (int64_t i = 0; i < r->load.lanes; i++)
		if (r->lane[i].fd > 0)
			close(r->lane[i].fd);
	if (r->control > 0)
		close(r->control);
	free(r->push.noise);
}
