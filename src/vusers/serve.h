/* SPDX-License-Identifier: GPL-3.0-or-later */
/* serve - a server of known behaviour for users to be held against: RFB, or HTTP; its queues are
 * those of stations.h, and it can stand still once.
 *
 * RFB: security type None; a key pressed (or the pointer moved) has passed the stations and then
 * changes a square that only its own client sees. HTTP: whatever is asked for is answered with as
 * many bytes as told, when it has passed the stations. */
#ifndef THINPROBE_VUSERS_SERVE_H
#define THINPROBE_VUSERS_SERVE_H

#include "sample.h"
#include "target.h"

#define STATIONS_MOST 16

struct stations {
	int n;
	double mean_ns[STATIONS_MOST];
	bool exponential;		/* else each service takes its mean */
	int64_t free_ns[STATIONS_MOST];	/* when its last customer leaves */
	double busy_ns[STATIONS_MOST];	/* service given */
	uint64_t random;
};

/* "50ms,40ms,30ms". 0 or -EINVAL. */
int stations_parse(const char *text, struct stations *out);
/* When a request that arrives at `now_ns` leaves the last station (ns). Calls must have ascending times. */
int64_t stations_pass(struct stations *s, int64_t now_ns);

struct serve_cfg {
	const struct target *at;
	struct stations stations;	/* n 0: answers at once */
	int64_t pause_at_ns, pause_ns;	/* after the first request, it does nothing for so long; 0: never */
	int64_t size;			/* bytes of an answer's body, HTTP */
	int64_t width, height;		/* of the desktop, RFB */
};

struct serve_sums {
	int64_t guests, guests_most, requests, answered, refused;	/* refused: guests that spoke something else */
	struct sample inside;		/* ns, from when a request was read to when it had passed the stations */
	struct sample late;		/* ns, from there to when its answer went */
	int64_t cpu_ns, ns;
	double busy[STATIONS_MOST];	/* share of the time since the first request */
};

/* A socket that listens, or -errno. */
int serve_listen(const struct target *at);
/* Until a signal (proc.h). 0 or -errno. `out` starts all zero; its samples are the caller's. */
int serve_guests(int listener, const struct serve_cfg *cfg, struct serve_sums *out);

#endif
