/* SPDX-License-Identifier: GPL-3.0-or-later */
/* records - the packets of a classic pcap file, read in large pieces and handed over where they lie.
 *
 * libpcap copies each packet twice on its way through stdio, which is half of its time. This reads what it is nearly always:
 * a regular file of version 2.4 with microseconds or nanoseconds, in either byte order (draft-ietf-opsawg-pcap). Everything
 * else stays with libpcap, which also has the say on the file's header; records are judged as it judges them. */
#ifndef PROTOTAP_RECORDS_H
#define PROTOTAP_RECORDS_H

#include "decode.h"

#include <stddef.h>
#include <stdint.h>

struct records;

/* The records of the file that begins at offset `at` of `fd`, which stays the caller's and where it
 * is. Read `room` bytes at a time, in as much memory (more only when a packet needs it); `snaplen`:
 * bytes beyond are left out of a packet. NULL: not such a file, or no memory. */
struct records *records_open(int fd, int64_t at, size_t room, uint32_t snaplen);

/* The next packet, which stays until the next call: 1; 0 at the end, -1 when records_error() tells
 * what is damaged, now and ever after. */
int records_next(struct records *r, struct packet *p);
const char *records_error(const struct records *r);

void records_close(struct records *r);	/* NULL: nothing */

#endif
