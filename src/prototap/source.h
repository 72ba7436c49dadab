/* SPDX-License-Identifier: GPL-3.0-or-later */
/* source - all packets of a run: a live capture, or files merged in the order of their times.
 *
 * Packets go to a function one by one and belong to the source; they are gone when it returns. */
#ifndef PROTOTAP_SOURCE_H
#define PROTOTAP_SOURCE_H

#include "capture.h"

#include <stdbool.h>
#include <stdint.h>

#define SOURCE_WHY CAPTURE_WHY

struct source;

/* Captures from now on. NULL with the reason and its cure in `why`. */
struct source *source_live(const struct capture_live_cfg *cfg, char *why);

/* Opens the files ("-": standard input), reading nothing yet: privileges can go before a byte is looked at. NULL with `why`. */
struct source *source_files(char *const *paths, int n, char *why);
/* Reads their headers: all must be captures of one and the same link type. 0, or -1 with `why`. */
int source_begin(struct source *s, char *why);

const struct link *source_link(const struct source *s);
bool source_nanoseconds(const struct source *s);	/* live: the kernel's times are that fine */
int source_snaplen(const struct source *s);		/* the largest */

/* Hands over some packets: how many, 0 at the end of the files (live: when there are none now), -1 with `why`. A damaged
 * file is read up to the damage, which source_damage() tells; a file that begins to mix link types is an error. */
int source_take(struct source *s, packet_fn *fn, void *context, char *why);

/* Live: sleeps until packets are there, a signal comes or `timeout_ns` is over. */
void source_wait(struct source *s, int64_t timeout_ns);
/* How long a packet may stay in the ring before source_take() sees it. */
int64_t source_latency_ns(const struct source *s);

/* How many files could not be read to their end, and why the first of them. */
int source_damage(const struct source *s, const char **why);

/* Packets the kernel, and the network card, lost; -1: not known. Of files: what pcapng says of both together. */
struct source_drops {
	int64_t kernel, interface;
};
void source_drops(struct source *s, struct source_drops *out);

/* 0, or -errno when not all could be written to write_path. */
int source_close(struct source *s);

#endif
