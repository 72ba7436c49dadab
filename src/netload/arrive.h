/* SPDX-License-Identifier: GPL-3.0-or-later */
/* arrive - which datagrams of a numbered stream came, out of order or twice. Pure.
 *
 * The last ARRIVE_WINDOW numbers are remembered one by one; what comes later than that counts as
 * reordered (a copy of one so old would be taken for it). */
#ifndef THINPROBE_NETLOAD_ARRIVE_H
#define THINPROBE_NETLOAD_ARRIVE_H

#include <stdint.h>

#define ARRIVE_WINDOW 4096
#define ARRIVE_JUMP 1000000000	/* no stream loses so many in a row: such a number is no datagram of ours */

struct arrive {
	int64_t next;			/* one more than the highest number */
	int64_t got, reordered, duplicate;
	uint64_t seen[ARRIVE_WINDOW / 64];
};

/* ARRIVE_STRANGER: not a number of this stream; ARRIVE_AGAIN: a copy, which is no further datagram of those that were sent. */
enum arrive_kind { ARRIVE_STRANGER, ARRIVE_NEW, ARRIVE_AGAIN };
enum arrive_kind arrive_add(struct arrive *a, uint64_t number);

#endif
