/* SPDX-License-Identifier: GPL-3.0-or-later */
/* frame - how many bits cross the wire for so much payload, as a shaper counts them: from the first
 * byte of the Ethernet header to the last of the payload (preamble, checksum and gap are not its
 * business). Pure.
 *
 *	UDP   14 + 20 (IPv4; IPv6: 40) + 8
 *	TCP   14 + 20 (40) + 20 + 12 where there are timestamps */
#ifndef THINPROBE_NETLOAD_FRAME_H
#define THINPROBE_NETLOAD_FRAME_H

#include <stdbool.h>
#include <stdint.h>



int64_t frame_header(bool udp, bool ipv6, bool timestamps);

/* The payload of a frame at `rate` (bits a second; 0: as fast as it goes) that was not asked for:
 * `most`, or less where a whole frame would be over a 400th of a second's bits, so that every
 * second holds its share to a quarter of a percent; at least 64 bytes. */
int64_t frame_size(int64_t rate, int64_t header, int64_t most);

#endif
