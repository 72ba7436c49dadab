/* SPDX-License-Identifier: GPL-3.0-or-later */
/* drops - what a pcapng file itself says was lost while it was captured.
 *
 * libpcap reads over interface statistics (draft-ietf-opsawg-pcapng, "Interface Statistics Block");
 * writers such as dumpcap put them at the end of the file, so the blocks are walked backwards from
 * there until the first packet. */
#ifndef PROTOTAP_DROPS_H
#define PROTOTAP_DROPS_H

#include <stdint.h>

/* Packets lost by interfaces and kernel together, of the file open as `fd`, whose position stays where it is. -1: not
 * recorded (pcap has no place for it), or `fd` is no regular file. */
int64_t drops_recorded(int fd);

#endif
