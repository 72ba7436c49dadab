/* SPDX-License-Identifier: GPL-3.0-or-later */
/* paging - a run of the paging experiment: RUN/cells/CELL/REPEAT/{cell.json,pagein.json} to tables.
 *
 *	summary.tsv	(paging/1) a row for each cell of run.json's settings.cells, in that order: the first key and the second, in memory,
 *			paged out, and (kept) protected, under the same pressure; residency before the key, faults after it
 *	runs.tsv	(paging-run/1) every run of every repeat
 *
 * A figure is over the runs of all complete repeats: each of them is an eviction of its own. The interval of a median: medians.h.
 * A key without an echo is "later than" its time limit: it stays in, and a figure that it reaches is a lower bound (NAME_above = 1). */
#ifndef THINPROBE_SUMMARIZE_PAGING_H
#define THINPROBE_SUMMARIZE_PAGING_H

#include "inputs.h"
#include "rec.h"
#include "sample.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What pagein judged a run to be. The last two are of no figure: what was to be paged out was not, or what was to be in memory was not. */
enum paging_state { PAGING_IN_MEMORY, PAGING_OUT, PAGING_KEPT, PAGING_NOT_EVICTED, PAGING_NOT_IN_MEMORY, PAGING_STATES };

/* What is known of one run beside its two keys; processes summed up, NAN: not known. PAGING_READ_PERCENT: of what came back from swap, so much was read. */
enum paging_figure { PAGING_SWAP, PAGING_ANONYMOUS, PAGING_FILE, PAGING_FILE_OTHERS, PAGING_MAJOR, PAGING_MINOR, PAGING_SWAP_IN, PAGING_READ_PERCENT,
		     PAGING_FIGURES };

struct paging_run {
	enum paging_state state;
	double first_ms, second_ms;	/* NAN: no such key */
	bool first_above, second_above;	/* no echo by then */
	double evicted_percent;		/* of the process of which least was */
	double major_least;		/* major faults of the process that had fewest */
	double of[PAGING_FIGURES];
	char why[128];			/* it counts as nothing better */
};

/* One cell: all its runs. Zeroed is empty. */
struct paging_pool {
	struct sample first[PAGING_STATES], second[PAGING_STATES];	/* ns */
	double sum[PAGING_STATES][PAGING_FIGURES], evicted_least[PAGING_STATES], major_least[PAGING_STATES];
	size_t known[PAGING_STATES][PAGING_FIGURES], runs[PAGING_STATES];
	size_t repeats, failed, marked, tried;	/* tried: there is something of them */
	char why[128];			/* of the first that was not evicted */
};

struct paging_cell {
	char cell[128], protocol[64], swap[32], session[32], method[32];
};

void paging_pool_add(struct paging_pool *p, const struct paging_run *run);
void paging_pool_free(struct paging_pool *p);

extern const char *const paging_summary_columns[], *const paging_run_columns[], *const paging_state_names[];
void paging_write_cell(struct rows *t, const struct paging_cell *c, struct paging_pool *p, uint64_t seed);
void paging_write_run(struct rows *t, const struct paging_cell *c, int64_t repeat, int64_t number, const struct paging_run *run);

/* 0, or -errno with one line in `why`. */
int paging_summarize(const char *folder, struct inputs_counts *out, char *why, size_t size);

#endif
