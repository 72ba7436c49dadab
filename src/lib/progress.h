/* SPDX-License-Identifier: GPL-3.0-or-later */
/* progress - a progress line, once a second, if standard error is a terminal; else nothing is printed.
 *
 *	progress_start(&p, out_cfg.detail == REC_QUIET);
 *	while (... proc_sleep(progress_wake_ns(&p, until)) ...)
 *		if (progress_take_due(&p, clock_now()))
 *			progress_show(&p, "%s keys, %s ms", count_text(n), number_text(ms));
 *	progress_end(&p);	before the report
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct progress_line {
	bool on, shown;
	int64_t next_ns;
};

void progress_start(struct progress_line *p, bool quiet);
/* The earlier of `until_ns` and the time of the next progress line (CLOCK_MONOTONIC). */
int64_t progress_wake_ns(const struct progress_line *p, int64_t until_ns);
/* Whether a progress line is due: once a second. */
bool progress_take_due(struct progress_line *p, int64_t now_ns);
/* Prints the line over the one before, cut where the terminal ends, or at 79 columns. */
void progress_show(struct progress_line *p, const char *format, ...) __attribute__((format(printf, 2, 3)));
void progress_end(struct progress_line *p);
