/* latencies - the response times that analyze has found, read back from its report (JSON), and figures on them by setting. */
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

/* Of the inputs that both have answered, how many have a ratio A / B in each bin of that width; the last bin has all beyond. Each side is a setting: the mean of
 * its runs. The ratios, in thousandths, are added to `all`. */
void settings_ratio(const struct latencies *l, const struct setting *a, const struct setting *b, double width, uint32_t *bin, int bins, struct sample *all);

#endif
