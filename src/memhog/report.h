/* SPDX-License-Identifier: GPL-3.0-or-later */
/* report - what was asked for, what was taken, and where it is. */
#ifndef THINPROBE_MEMHOG_REPORT_H
#define THINPROBE_MEMHOG_REPORT_H

#include "hog.h"
#include "rec.h"
#include "room.h"
#include "smaps.h"

#include <sys/resource.h>

enum touching { TOUCH_NONE, TOUCH_KEEP };
enum pattern { PATTERN_SEQ, PATTERN_RANDOM, PATTERN_STREAM };
extern const char *const report_touch_words[], *const report_pattern_words[], *const report_swap_words[];	/* NULL-terminated */

/* The options. */
struct wish {
	int64_t size, until_swap, rate, reserve, time_ns, threads, seed, ready_fd;
	double percent;
	int touching, pattern, huge;
	int swap_of;			/* 0 this process, 1 its group */
	bool write, read;
	const char *cgroup;
};

enum report_end { END_TIME, END_SIGNAL, END_RESERVE, END_SIZE };

struct world {
	struct room_machine machine;
	struct room_group group;
	int64_t reserve, left_least, look_ns;	/* look_ns: when to look at what is left again */
	int64_t swapped_goal;			/* what --until-swap counted at the end of the fill */
	bool marked;				/* first to be ended when memory is short */
};

/* What smaps and the kernel's counters said at one time. */
struct memory_picture {
	struct smaps_figures is;		/* of the hog's memory alone */
	int err;
	struct rusage used;
};
void report_look(const struct hog *h, struct memory_picture *out);

/* `filled`, `last`: when it was filled, and at the end; touch_ns: in between. */
void report_hog(struct rec *r, const struct wish *cfg, const struct world *world, struct hog *h,
	    const struct memory_picture *filled, const struct memory_picture *last, int64_t touch_ns, enum report_end end);

#endif
