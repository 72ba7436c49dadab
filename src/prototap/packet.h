/* SPDX-License-Identifier: GPL-3.0-or-later */
/* packet - one packet as it was captured. */
#ifndef PROTOTAP_PACKET_H
#define PROTOTAP_PACKET_H

#include <stdint.h>

struct packet {
	int64_t time_ns;	/* CLOCK_REALTIME of the capturing host */
	const uint8_t *bytes;	/* the source's, until it is asked for the next */
	uint32_t captured;	/* bytes there are */
	uint32_t original;	/* bytes there were on the wire */
};

#endif
