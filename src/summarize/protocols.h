/* SPDX-License-Identifier: GPL-3.0-or-later */
/* protocols - a run of the experiment of that name: RUN/cells/CELL/REPEAT/{cell.json, *.json of prototap} to summary.tsv (protocols/1).
 *
 * A row for each protocol and what was done over it, in the order of run.json's settings.cells:
 *
 *	setup	from nothing until the view is at rest		setup.json of PROTOCOL.session
 *	window	a terminal with an editor comes			window.json
 *	idle	a minute in which nobody does anything		idle.json, times 60 over its length
 *	key	a key typed, with its echo			keys.json, divided by the keys
 *	WORK	a piece of work, whole				prototap.json of PROTOCOL.WORK
 *	all	all pieces of work together, of the repeats that have each of them
 *
 * Figures are means over repeats, those of bytes on the wire with 95 % intervals (Student's t; none from one repeat). Shares and means of
 * sizes are quotients of these means: of all bytes, all messages. Work whose end state was not that of the others is in no figure; where it never
 * was, the figures are of that other work, `state` is "different", and `all` leaves the protocol out. */
#ifndef THINPROBE_SUMMARIZE_PROTOCOLS_H
#define THINPROBE_SUMMARIZE_PROTOCOLS_H

#include "inputs.h"
#include "rec.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What is counted of each channel. */
enum protocols_count { PROTOCOLS_WIRE, PROTOCOLS_IP, PROTOCOLS_PAYLOAD, PROTOCOLS_PACKETS, PROTOCOLS_MESSAGES, PROTOCOLS_ACKS, PROTOCOLS_COUNTS };
enum protocols_channel { PROTOCOLS_INPUT, PROTOCOLS_DISPLAY, PROTOCOLS_TOTAL, PROTOCOLS_CHANNELS };
/* Bytes of headers in both channels together; of TLS the records' headers, not their seals, whose size only their beginning tells. */
enum protocols_header { PROTOCOLS_ETHERNET, PROTOCOLS_IP_HEADER, PROTOCOLS_TRANSPORT, PROTOCOLS_TLS, PROTOCOLS_HEADERS };

/* Of one repeat; NAN: not known. */
struct protocols_sample {
	double count[PROTOCOLS_CHANNELS][PROTOCOLS_COUNTS], header[PROTOCOLS_HEADERS], seconds;
};

struct protocols_row {
	const char *protocol, *what;
	struct protocols_sample *sample;	/* owned; room for every repeat */
	size_t n;				/* that count */
	struct protocols_sample *other;		/* owned; of work that was not the same */
	size_t others, failed, marked, restless;
	double differs_percent;			/* the most; NAN: no picture */
};

extern const char *const protocols_columns[];

/* 0 or -ENOMEM. */
int protocols_row_begin(struct protocols_row *row, const char *protocol, const char *what, size_t repeats);
void protocols_row_write(struct rows *t, const struct protocols_row *row, int64_t seed);
void protocols_row_free(struct protocols_row *row);

/* Adds one sample to another: both must be known. */
void protocols_sample_add(struct protocols_sample *into, const struct protocols_sample *more);
void protocols_sample_scale(struct protocols_sample *s, double by);

/* Writes RUN/summary.tsv. 0, or -errno with a line in `why`. */
int protocols_summarize(const char *folder, struct inputs_counts *out, char *why, size_t size);

#endif
