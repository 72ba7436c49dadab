// SPDX-License-Identifier: GPL-3.0-or-later
#include "message.h"

void message_start(struct message_run *m)
{
	*m = (struct message_run){ .direction = -1 };
}

uint32_t message_take(struct message_run *m, int direction, int64_t time_ns, const struct message_part *part, bool *fresh)
{
	uint32_t runs = part->ends + part->open;

	*fresh = m->direction != direction || time_ns - m->last_ns > MESSAGE_PAUSE_NS;
	m->last_ns = time_ns;
	m->direction = part->open ? (int8_t)direction : -1;
	return *fresh ? runs : runs - 1;
}
