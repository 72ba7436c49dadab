/* SPDX-License-Identifier: GPL-3.0-or-later */
/* records - readers of capture files beside libpcap: a fast one of classic pcap, and packets lost as a pcapng file records them.
 *
 * libpcap copies each packet twice through stdio, half of its time. pcap_reader_next() reads the usual case without a copy:
 * a regular file of version 2.4 with microseconds or nanoseconds, in either byte order (draft-ietf-opsawg-pcap). libpcap reads all
 * other files and every file's header; errors are the same as libpcap's.
 *
 * libpcap skips the interface statistics of pcapng (draft-ietf-opsawg-pcapng, "Interface Statistics Block"). Writers such as
 * dumpcap put them at the end of the file, so pcapng_count_drops() reads blocks backwards from there to the last
 * packet. */
#pragma once

#include "decode.h"

#include <stddef.h>
#include <stdint.h>

struct pcap_reader;

/* Starts at offset `at` of `fd`, which stays the caller's, with its position. Reads `room` bytes at a time into as much memory
 * (more only for a longer packet); packets are cut to `snaplen` bytes. NULL: not such a file. */
struct pcap_reader *pcap_reader_open(int fd, int64_t at, size_t room, uint32_t snaplen);

/* The next packet, valid until the next call: 1; 0: end of the file; -1, now and at all later calls: damaged, see
 * pcap_reader_error(). */
int pcap_reader_next(struct pcap_reader *r, struct packet *p);
const char *pcap_reader_error(const struct pcap_reader *r);

void pcap_reader_close(struct pcap_reader *r); /* NULL is allowed */

/* Packets lost by interfaces and kernel together, in the file open as `fd`, whose position stays. -1: not recorded (pcap cannot),
 * or not a regular file. */
int64_t pcapng_count_drops(int fd);
