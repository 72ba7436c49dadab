// SPDX-License-Identifier: GPL-3.0-or-later
#include "frame.h"

#define PARTS 400
#define LEAST 64

int64_t frame_header(bool udp, bool ipv6, bool timestamps)
{
	return 14 + (ipv6 ? 40 : 20) + (udp ? 8 : 20 + (timestamps ? 12 : 0));
}

int64_t frame_size(int64_t rate, int64_t header, int64_t most)
{
	int64_t size = rate / 8 / PARTS - header;

	if (!rate || size > most)
		return most;
	return size < LEAST ? LEAST : size;
}
