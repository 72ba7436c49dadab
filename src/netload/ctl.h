/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ctl - the messages between the two ends of a load.
 *
 *	sender					server
 *	CTL_LOAD: the load			CTL_OK: its key and ports	(or CTL_NO: why not)
 *	(opens its streams, each with a mark)	CTL_GO
 *	... the load ...
 *	CTL_STREAM: one for each stream
 *	CTL_TOTAL: of its end			CTL_STREAM, CTL_TOTAL
 *
 * A message on the control connection is "TPNL", 16 bits of version, 16 bits of kind, and numbers of 64 bits (CTL_NO: text), all
 * with the highest byte first. Each kind has one length. Anything else is refused: anybody may connect. */
#pragma once

#include "load.h"

#define CTL_VERSION 2
#define CTL_MARK_BYTES 32   /* each datagram of the load, and each TCP stream of it, begins with a mark */
#define CTL_REASON_BYTES 96 /* of a refusal, with its terminating zero */

enum ctl_kind { CTL_LOAD, CTL_OK, CTL_GO, CTL_STREAM, CTL_TOTAL, CTL_NO };
#define CTL_LOAD_NUMBERS 11
#define CTL_OK_NUMBERS (1 + LOAD_STREAMS) /* the key, and a port for each stream; TCP: the first port alone */

/* Sends a message within 5 s; `numbers`: those of its kind (CTL_NO: CTL_REASON_BYTES of text). 0 or -errno. */
int ctl_send(int fd, enum ctl_kind kind, const void *numbers);
/* Receives a message of this kind. 0; -ECONNREFUSED: a refusal came, whose text is in `reason` (NULL: not wanted) with unprintable
 * characters replaced; -ECONNRESET: the other end has closed; -ETIMEDOUT; -EINTR: a stop signal came, and `heeds_stop`; -EPROTO:
 * not such a message; -EPROTONOSUPPORT: of another version; or another -errno. */
int ctl_receive(int fd, enum ctl_kind kind, int64_t *numbers, int64_t until_ns, bool heeds_stop, char reason[CTL_REASON_BYTES]);

int ctl_send_load(int fd, const struct load_cfg *load);
/* Sends the counts of one end, in 1 + `lanes` messages. 0 or -errno. */
int ctl_send_counts(int fd, const struct load_counts *s, int64_t lanes);
/* Receive the messages of ctl_send_load() and ctl_send_counts(). 0, an error of ctl_receive(), or -ERANGE: a value is out of range;
 * nothing is written then. */
int ctl_receive_load(int fd, struct load_cfg *load, int64_t until_ns);
int ctl_receive_counts(int fd, struct load_counts *s, int64_t lanes, int64_t until_ns, bool heeds_stop);

/* A mark shows by the load's key that a stream belongs to the load, and carries its stream's and datagram's number. */
void ctl_format_mark(unsigned char *mark, uint64_t key, int64_t lane, uint64_t number);
/* The stream's number, or -EPROTO: not a mark of this load. */
int64_t ctl_parse_mark(const unsigned char *mark, uint64_t key, int64_t lanes, uint64_t *number);
