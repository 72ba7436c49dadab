/* SPDX-License-Identifier: GPL-3.0-or-later */
/* pcapng_drops - packets lost during a capture, as a pcapng file records them.
 *
 * libpcap skips interface statistics (draft-ietf-opsawg-pcapng, "Interface Statistics Block"). Writers such as dumpcap put them at
 * the end of the file, so blocks are read backwards from there to the last packet. */
#ifndef PROTOTAP_PCAPNG_DROPS_H
#define PROTOTAP_PCAPNG_DROPS_H

#include <stdint.h>

/* Packets lost by interfaces and kernel together, in the file open as `fd`, whose position stays. -1: not recorded (pcap cannot),
 * or not a regular file. */
int64_t pcapng_drops(int fd);

#endif
