/* SPDX-License-Identifier: GPL-3.0-or-later */
/* source - all packets of a run: a live capture, or files merged in the order of packet times.
 *
 * Packets are handed to a function one by one, belong to the source, and are gone when the function returns. */
#pragma once

#include "capture.h"
#include "why.h"

#include <stdbool.h>
#include <stdint.h>

struct packet_source;

/* Starts a live capture. NULL with the reason and its cure in `why`. */
struct packet_source *source_open_live(const struct capture_cfg *cfg, struct why *why);

/* Opens the files ("-": standard input) without reading, so that privileges can be dropped before. NULL with the reason in
 * `why`. */
struct packet_source *source_open_files(char *const *paths, int n, struct why *why);
/* Reads the files' headers; all must have the same link type. `sort`: hand packets over in the order of their times, as far as
 * order.h can; also without it where a file cannot be read twice. A second call begins anew at the start of all files. 0, or -1
 * with the reason in `why`. */
int source_begin(struct packet_source *s, bool sort, struct why *why);
/* Whether packets are sorted, and how many were put before others that stand earlier in the files. */
bool source_is_sorted(const struct packet_source *s, uint64_t *moved);

const struct link_layer *source_link_layer(const struct packet_source *s);
const struct capture_format *source_get_format(const struct packet_source *s); /* of the live capture */

/* Hands some packets to `fn`. How many; 0: the end of the files, or live no packet at present; -1 with the reason in `why`. A
 * damaged file is read up to the damage (source_count_damaged()); link types that change within a file are an error. */
int source_deliver(struct packet_source *s, packet_fn *fn, void *context, struct why *why);

/* Live: sleeps until there are packets, a signal comes or `timeout_ns` is over. */
void source_wait(struct packet_source *s, int64_t timeout_ns);

/* Number of files that could not be read to their end; *why: the reason for the first one. */
int source_count_damaged(const struct packet_source *s, const char **why);

/* Packets lost by the kernel and by the network card; -1: not known. For files: their sum, as pcapng records it, in `kernel`. */
struct source_drops {
	int64_t kernel, interface;
};
void source_read_drops(struct packet_source *s, struct source_drops *out);

/* 0, or -errno: not everything could be written to write_path. */
int source_close(struct packet_source *s);
