/* SPDX-License-Identifier: GPL-3.0-or-later */
/* latencies - the response times that analyze has found, read back from its report (JSON). Which
 * runs are of one setting: settings.h. */
#ifndef THINPROBE_LATENCIES_H
#define THINPROBE_LATENCIES_H

#include "sample.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct latencies_run {
	char *label;
	double total_s;
};

struct latencies {
	struct latencies_run *run;
	int runs;
	size_t n;		/* inputs with an answer in some run */
	double *ms;		/* of input i in run r: ms[i * runs + r]; NAN: none */
};

enum latencies_from { LATENCIES_PRESS, LATENCIES_RELEASE, LATENCIES_COMPLETE };
extern const char *const latencies_words[];

/* With an answer's confidence at least so much. 0, or -1 with `why`. */
int latencies_read(const char *path, enum latencies_from from, double confidence, struct latencies *out, char *why, size_t size);
void latencies_free(struct latencies *l);
/* The run of that label or, where none has it, of that number from 0; -1: there is none. */
int latencies_run(const struct latencies *l, const char *name);

#endif
