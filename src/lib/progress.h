/* SPDX-License-Identifier: GPL-3.0-or-later */
/* progress - a line of how it goes, once a second, on a terminal at standard error; nothing anywhere else.
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
/* `until_ns`, or the time of the next line if that is earlier. */
int64_t progress_wake(const struct progress *p, int64_t until_ns);
/* Whether a line is due; once a second. */
bool progress_due(struct progress *p, int64_t now_ns);
/* Takes the place of the line before; cut at 79 columns. */
void progress_show(struct progress *p, const char *format, ...) __attribute__((format(printf, 2, 3)));
void progress_end(struct progress *p);

#endif
