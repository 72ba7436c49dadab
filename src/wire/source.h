/* SPDX-License-Identifier: GPL-3.0-or-later */
/* source - all packets of a run: a live capture, or files merged in the order of packet times.
 *
 * Packets are handed to a function one by one, belong to the source, and are gone when the function returns. */
#pragma once

#include "order.h"
#include "why.h"

#include <stdbool.h>
#include <stdint.h>

struct source_file {
	const char *path;	 /* the caller's */
	FILE *stream;		 /* NULL once the capture that reads it closes it */
	char *buffer;		 /* owned; the stream's buffer, which must outlive it */
	int again;		 /* descriptor with which the file can be read once more; -1: none */
	struct capture *capture; /* NULL until source_begin() */
	struct packet head;	 /* the file's next packet */
};

/* For reading alone. */
struct packet_source {
	struct capture *live; /* NULL: files */
	struct source_file *file;
	int files;
	struct source_file **next; /* owned; the files with a next packet, by its time, at equal times in their order */
	int n_next;
	bool sorted; /* packets go through `order`, which counts those put before others that stand earlier in the files */
	struct packet_order order;
	int damaged;	   /* files that could not be read to their end */
	struct why damage; /* of the first of them */
};

/* Starts a live capture. NULL with the reason and its cure in `why`. */
struct packet_source *source_open_live(const struct capture_cfg *cfg, struct why *why);

/* Opens the files ("-": standard input) without reading, so that privileges can be dropped before. NULL with the reason in
 * `why`. */
struct packet_source *source_open_files(char *const *paths, int n, struct why *why);
/* Reads the files' headers; all must have the same link type. `sort`: hand packets over in the order of their times, as far as
 * order.h can; also without it where a file cannot be read twice. A second call begins anew at the start of all files. 0, or -1
 * with the reason in `why`. */
int source_begin(struct packet_source *s, bool sort, struct why *why);

const struct link_layer *source_link_layer(const struct packet_source *s);

/* Reads some packets and hands them to `fn`; of sorted files a packet once no earlier one can come. Returns how many were read; 0:
 * the end of the files (the packets held were handed over before), or live no packet at present; -1 with the reason in `why`. A
 * damaged file is read up to the damage; link types that change within a file are an error. */
int source_deliver(struct packet_source *s, packet_fn *fn, void *context, struct why *why);

/* Those of all files together. */
void source_read_drops(struct packet_source *s, struct capture_drops *out);

/* 0, or -errno: not everything could be written to write_path. */
int source_close(struct packet_source *s);
