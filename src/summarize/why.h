/* SPDX-License-Identifier: GPL-3.0-or-later */
/* why - what went wrong, in one line. */
#ifndef THINPROBE_SUMMARIZE_WHY_H
#define THINPROBE_SUMMARIZE_WHY_H

struct why {
	char text[4608];
};
/* Sets the line, "FILE: what is wrong with it", and returns err. */
int why_set(struct why *why, int err, const char *format, ...) __attribute__((format(printf, 3, 4)));
int why_no_memory(struct why *why);	/* -ENOMEM */

#endif
