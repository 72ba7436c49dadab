/* SPDX-License-Identifier: GPL-3.0-or-later */
/* play - one replay: its connection, its log and side file, its inputs in time. */
#ifndef THINPROBE_PLAY_H
#define THINPROBE_PLAY_H

#include "await.h"
#include "vncplay/common/deps.h"
#include "sample.h"
#include "vncplay/common/server.h"
#include "vncplay/common/trace.h"

#include <stdbool.h>
#include <stdint.h>

struct play_cfg {
	struct server_cfg server;
	struct await_cfg await;
	double speed, jitter;
	uint64_t seed;
	int64_t wait_end_ns;	/* after the last input, at least */
	bool any_size;
	int asked_masks;	/* the first of await.match.masks: asked for by --mask, and not by --deps */
	const struct deps *deps;	/* NULL: none */
};

enum play_status { PLAY_COMPLETE, PLAY_TIMEOUT, PLAY_CLOSED, PLAY_INTERRUPTED, PLAY_REFUSED, PLAY_FAILED };
extern const char *const play_status_words[];

struct play_result {
	enum play_status status;
	bool began;		/* the first screen was there; else there are no figures */
	char why[640];		/* where it is not complete: a line for people */
	int inputs, snapshots;	/* done */
	/* snapshots: that needed no wait, a wait, were found elsewhere, matched without the pointer's
	 * picture only */
	int at_once, waited, moved, pointer_masked;
	int dependencies;	/* of --deps, met */
	int wiggles;
	struct sample late_ns, wait_ns;	/* of each input; of each snapshot and dependency that was waited for */
	int64_t shifted_ns;	/* by how much the waits have moved the schedule */
	int64_t total_ns;	/* from the first input due to the last one sent */
	int64_t log_ns;		/* the log's length */
	int64_t bytes, updates, cpu_ns;
};

/* `out`: the log, out.aux: the side file; out.expected.ppm and out.actual.ppm are written at a
 * timeout and removed before. Signals (proc.h) end it early. The status is also in `r`, which
 * play_free empties. */
enum play_status play_run(const struct play_cfg *cfg, const struct input_trace *t, const char *out, struct play_result *r);
void play_free(struct play_result *r);

/* Two pictures (PPM) of a snapshot that did not come, OUT.expected.ppm and OUT.actual.ppm, with the
 * screen around it as it is; in the expected one that is darkened. 0 or -errno. */
int play_pictures(const char *out, const struct screen *s, const struct trace_event *shot);
void play_pictures_remove(const char *out);

#endif
