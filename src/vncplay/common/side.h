/* SPDX-License-Identifier: GPL-3.0-or-later */
/* side - the side file of a replay, OUT.rfb.aux: what was sent when, and what was waited for. Text,
 * one line an event; vncplay(1) has its format.
 *
 * Times are those of the log: since it began, in us in our own lines, in whole ms in those of the
 * VNCplay of 2005, which stand beside them. The file is valid up to its last line at every
 * instant. */
#ifndef THINPROBE_SIDE_H
#define THINPROBE_SIDE_H

#include "trace.h"

#include <stdbool.h>
#include <stdint.h>

struct side_writer;

/* NULL with errno. `began_ns`: when the log began. */
struct side_writer *side_create(const char *path, int64_t began_ns);
void side_setting(struct side_writer *w, const char *format, ...) __attribute__((format(printf, 2, 3)));
void side_start(struct side_writer *w, int64_t now_ns);
/* Input number `n` (from 0; snapshots do not count), as it was sent: at x, y where that is not where the trace has it. */
void side_input(struct side_writer *w, int n, const struct trace_event *input, int x, int y, int64_t now_ns, int64_t late_ns);
void side_wiggle(struct side_writer *w, int64_t now_ns, int x, int y);

enum side_snapshot { SIDE_WAIT, SIDE_OK, SIDE_TIMEOUT };
struct side_shot {	/* of a snapshot, or of a dependency (line: of the input that waits) */
	int n;			/* number of the snapshot, from 0; -1: a dependency */
	int line;
	enum trace_why why;
	int64_t waited_ns;
	int mismatched, of, dx, dy;
	bool pointer_masked;
};
void side_snapshot(struct side_writer *w, enum side_snapshot what, const struct side_shot *s, int64_t now_ns);
void side_end(struct side_writer *w, int64_t now_ns, const char *status);
/* Puts the lines into the file. 0 or -errno of the first write that failed. */
int side_flush(struct side_writer *w);
int side_finish(struct side_writer *w);

extern const char *const side_kinds[];	/* the words of the file, by trace_kind; TRACE_SNAPSHOT is none of them */

/* An input of such a file: 1, 0 for any other line. */
struct side_sent {
	int n, line;
	enum trace_event_kind kind;
	int64_t at_us;
};
int side_read_input(const char *text, struct side_sent *out);

#endif
