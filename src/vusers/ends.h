/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ends - the two ends that vusers can be, many users or the server that they are held against; and
 * what both are told by options. */
#ifndef THINPROBE_VUSERS_ENDS_H
#define THINPROBE_VUSERS_ENDS_H

#include "rec.h"
#include "think.h"

#include <stdint.h>

enum echo_method { ECHO_NEXT, ECHO_PATCH };
enum per { PER_OBJECT, PER_PAGE };

struct ends_cfg {
	int64_t users, watched, think_ns, ramp_ns, time_ns, skip_ns, timeout_ns, threshold_ns, late_ns;
	int64_t seed, ready_fd, priority, size, width, parallel;
	double rate, nz;
	const char *think_text, *think_file, *password_file, *log, *jtl, *workload, *encodings, *stations, *pause;
	struct think think;	/* as --think-dist has it; the ends set its mean */
	int asks, echo, per, service;
	struct rec_cfg out;
};

/* Both die with a line where a word is wrong, or the run cannot be; else the exit status. */
int ends_users(struct ends_cfg *cfg, const char *target);

/* For both: this thread made punctual, and how well that went. */
void ends_be_punctual(const struct ends_cfg *cfg, char *text, size_t size);

#endif
