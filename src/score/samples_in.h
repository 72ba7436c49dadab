/* SPDX-License-Identifier: GPL-3.0-or-later */
/* samples_in - latencies out of a table: one column of them, JMeter's elapsed, or keys that were
 * due and answered. In the order of the file. */
#ifndef THINPROBE_SCORE_SAMPLES_IN_H
#define THINPROBE_SCORE_SAMPLES_IN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct samples_in_one {
	double ms;
	double users;	/* active then; NAN: not known */
	bool later;	/* later than that: how much is not known */
	bool failed;	/* answered, but with an error */
};

struct samples_in {
	struct samples_in_one *one;	/* owned */
	size_t n;
	size_t passed;			/* rows without a latency, of a warm-up, or due at another time */
	size_t later, failed;
	char name[64];			/* of the column, or what was read */
};

struct samples_in_cfg {
	const char *column;	/* NULL: due_ns and answer_ns (keyrepeat's log), elapsed (JTL), latency_ms, r_ms: the first that is there */
	double unit_ms;		/* of it; 0: as its name ends (_ns, _us, _ms, _s; elapsed: ms) */
	/* (failed: as the column success of a JTL says) */
	int64_t from_ns, to_ns;	/* keys that were due then; others are passed over */
	const char *users;	/* the column of active users; NULL: allThreads or users, if there */
};

/* 0; -EPROTO with `why` and the line; -ENOMEM, -EIO. To be freed either way. */
int samples_in_read(FILE *in, const struct samples_in_cfg *cfg, struct samples_in *out, unsigned long *line, const char **why);
void samples_in_free(struct samples_in *s);

#endif
