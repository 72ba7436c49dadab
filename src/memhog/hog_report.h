/* SPDX-License-Identifier: GPL-3.0-or-later */
/* hog_report - the settings and results of memhog: memory filled, resident and in swap. */
#pragma once

#include "hog.h"
#include "rec.h"
#include "headroom.h"
#include "smaps.h"

#include <sys/resource.h>

enum touching { TOUCH_NONE, TOUCH_KEEP };
enum pattern { PATTERN_SEQ, PATTERN_RANDOM, PATTERN_STREAM };
enum { ACCESS_READ, ACCESS_WRITE }; /* memhog_options.access */
/* NULL-terminated */
extern const char *const report_access_words[], *const report_touch_words[], *const report_pattern_words[];
extern const char *const report_swap_words[];

/* The options of memhog. */
struct memhog_options {
	int64_t size, until_swap, rate, reserve, time_ns, threads, seed, ready_fd;
	double percent;
	int touching, pattern, huge, access;
	int swap_of; /* whose swapped memory is counted: 0: this process, 1: its cgroup */
	const char *cgroup;
};

enum report_end { END_TIME, END_SIGNAL, END_RESERVE, END_SIZE };

/* State of the machine and of the memory cgroup. */
struct hog_world {
	struct machine_memory machine;
	struct group_memory group;
	int64_t reserve;      /* bytes to be kept free */
	int64_t left_least;   /* least free bytes seen; INT64_MAX: not checked yet */
	int64_t look_ns;      /* time of the next check (CLOCK_MONOTONIC) */
	int64_t swapped_goal; /* bytes in swap that --until-swap counted last */
	bool marked;	      /* oom_score_adj was raised: first victim of the OOM killer */
};

/* Readings of smaps and getrusage at one time. */
struct hog_reading {
	struct smaps_values is; /* of the memory of the hog alone */
	int err;		/* 0, or -errno: `is` could not be read */
	struct rusage used;
};
void report_read_hog(const struct memory_hog *h, struct hog_reading *out);

/* `filled`, `last`: readings after filling and at the end; touch_ns: the time between. */
void report_hog(struct rec_report *r, const struct memhog_options *cfg, const struct hog_world *world, struct memory_hog *h,
		const struct hog_reading *filled, const struct hog_reading *last, int64_t touch_ns, enum report_end end);
