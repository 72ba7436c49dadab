/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ctl - the control protocol: lines on the control connection, and the mark that opens a stream. Pure.
 *
 *	sender					server
 *	netload 1 load rate=... time_ns=...	netload 1 ok key=HEX ports=P,...	(or: netload 1 no REASON)
 *	(opens its streams, each with a mark)	netload 1 go
 *	... the load ...
 *	netload 1 lane I sent_frames=... ...	(one for each stream)
 *	netload 1 total sent_ns=... ...
 *						netload 1 lane ... ; netload 1 total ...
 *
 * Numbers are whole, in ASCII; every key stands once and in this order. Anything else is refused: anybody may connect. */
#pragma once

#include "load.h"

#include <stddef.h>

#define CTL_VERSION 1
#define CTL_LINE_MAX 1024 /* bytes of a line with its newline and terminating zero */
#define CTL_MARK_BYTES 32 /* every datagram begins with a mark */

/* Write a line without its newline. 0, or -ENOBUFS: `size` is too small. */
int ctl_format_load(char *line, size_t size, const struct load_cfg *load);
int ctl_format_ok(char *line, size_t size, uint64_t key, const int *port, int ports);
int ctl_format_stream(char *line, size_t size, int64_t lane, const struct stream_counts *c);
int ctl_format_total(char *line, size_t size, const struct load_counts *s);

/* Parse a line. 0; -EPROTO: not such a line; -ERANGE: a value out of range; -EPROTONOSUPPORT: another version. On error nothing is
 * written. */
int ctl_parse_load(const char *line, struct load_cfg *load);
int ctl_parse_ok(const char *line, uint64_t *key, int *port, int ports); /* `ports`: how many the line must have */
int ctl_parse_go(const char *line);
int ctl_parse_stream(const char *line, struct load_counts *s, int64_t lanes);
int ctl_parse_total(const char *line, struct load_counts *s);
/* The reason in a refusal, with unprintable characters replaced; NULL: the line is no refusal. */
const char *ctl_refusal_text(const char *line, char *words, size_t size);

/* A mark shows by the load's key that a stream belongs to the load, and carries its stream's and datagram's number. */
void ctl_format_mark(unsigned char *mark, uint64_t key, int64_t lane, uint64_t number);
/* The stream's number, or -EPROTO: not a mark of this load. */
int64_t ctl_parse_mark(const unsigned char *mark, uint64_t key, int64_t lanes, uint64_t *number);
