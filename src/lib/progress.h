/* SPDX-License-Identifier: GPL-3.0-or-later */
/* progress - a progress line, once a second, if standard error is a terminal; else nothing is printed.
 *
 *	progress_start(&p, out_cfg.detail == REC_QUIET);
 *	while (... proc_wait_stop(progress_wake(&p, until)) ...)
 *		if (progress_due(&p, clock_now()))
 *			progress_show(&p, "%s keys, %s ms", say_count(n), say_number(ms));
 *	progress_end(&p);	before the report
 */
#ifndef THINPROBE_PROGRESS_H
#define THINPROBE_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

struct progress {
	bool on, shown;
	int64_t next_ns;
};

void progress_start(struct progress *p, bool quiet);
/* The earlier of `until_ns` and the time of the next progress line (CLOCK_MONOTONIC). */
int64_t progress_wake(const struct progress *p, int64_t until_ns);
/* Whether a progress line is due: once a second. */
bool progress_due(struct progress *p, int64_t now_ns);
/* Prints the line over the one before, cut at 79 columns. */
void progress_show(struct progress *p, const char *format, ...) __attribute__((format(printf, 2, 3)));
void progress_end(struct progress *p);

#endif
