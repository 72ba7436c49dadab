/* SPDX-License-Identifier: GPL-3.0-or-later */
/* settings - which runs are of one setting, and figures on their response times. */
#ifndef THINPROBE_VNCPLAY_SETTINGS_H
#define THINPROBE_VNCPLAY_SETTINGS_H

#include "latencies.h"

/* Runs of one setting. */
struct setting {
	char *name;
	int *run, runs;
};
struct settings {
	struct setting *setting;
	int n;
};
/* "name=run,run;name=run": in that order; NULL: each label is a setting, of the runs that bear it. 0, or -1 with `why`. */
int settings_make(const struct latencies *l, const char *text, struct settings *out, char *why, size_t size);
void settings_free(struct settings *s);

/* Adds the setting's latencies, in microseconds. */
void settings_sample(const struct latencies *l, const struct setting *s, struct sample *out);
double settings_total_s(const struct latencies *l, const struct setting *s);	/* mean over its runs */

/* Of the inputs that both have answered, how many have a ratio A / B in each bin of that width; the
 * last bin has all beyond. Each side is a setting: the mean of its runs. The ratios, in
 * thousandths, are added to `all`. */
void settings_ratio(const struct latencies *l, const struct setting *a, const struct setting *b,
		    double width, uint32_t *bin, int bins, struct sample *all);

#endif
