/* SPDX-License-Identifier: GPL-3.0-or-later */
/* talk - the lines that two ends say to each other on the control connection, and the mark that
 * opens a stream. Pure: text in, text out.
 *
 *	sender					server
 *	netload 1 load rate=... time_ns=...	netload 1 ok key=HEX ports=P,...	(or: netload 1 no WORDS)
 *	(opens its streams, each with a mark)	netload 1 go
 *	... the load ...
 *	netload 1 lane I sent_frames=... ...	(one for each)
 *	netload 1 total sent_ns=... ...
 *						netload 1 lane ... ; netload 1 total ...
 *
 * Numbers are whole, in ASCII, every key once and in its order. What is not said so is refused: the other end may be anybody. */
#ifndef THINPROBE_NETLOAD_TALK_H
#define THINPROBE_NETLOAD_TALK_H

#include "load.h"

#include <stddef.h>

#define TALK_VERSION 1
#define TALK_LINE 1024		/* with its newline and the end of the string */
#define TALK_MARK 32		/* bytes of a mark; every datagram begins with one */

/* Lines without a newline. 0, or -ENOBUFS. */
int talk_write_load(char *line, size_t size, const struct load *load);
int talk_write_ok(char *line, size_t size, uint64_t key, const int *port, int ports);
int talk_write_lane(char *line, size_t size, int64_t lane, const struct lane_count *c);
int talk_write_total(char *line, size_t size, const struct side *s);

/* 0; -EPROTO: no such line; -ERANGE: one with a value that cannot be; -EPROTONOSUPPORT: of another
 * version. Nothing is written to where it is not 0. */
int talk_read_load(const char *line, struct load *load);
/* `ports`: how many there must be. */
int talk_read_ok(const char *line, uint64_t *key, int *port, int ports);
int talk_read_go(const char *line);
int talk_read_lane(const char *line, struct side *s, int64_t lanes);
int talk_read_total(const char *line, struct side *s);
/* The words of a refusal, printable ones only; NULL: it is none. */
const char *talk_read_no(const char *line, char *words, size_t size);

/* Marks: who knows the key belongs to this load. */
void talk_write_mark(unsigned char *mark, uint64_t key, int64_t lane, uint64_t number);
/* The lane, or -EPROTO. */
int64_t talk_read_mark(const unsigned char *mark, uint64_t key, int64_t lanes, uint64_t *number);

#endif
