/* SPDX-License-Identifier: GPL-3.0-or-later */
/* serve - the reference server: RFB or HTTP, with queues of known behaviour (struct service_stations); it can stall once.
 *
 * RFB: security type None; a key press (or a pointer move) passes the stations and then changes a square that only its own client
 * sees. HTTP: every request passes the stations and is then answered with a body of fixed size. */
#pragma once

#include "sample.h"
#include "target.h"

#define STATIONS_MOST 16

/* Queueing stations in series, each serving one request at a time, first come, first served. With ascending arrivals the departure
 * is known at the arrival (Lindley 1952): a station begins when the request is there and the one before has left. With exponential
 * service this is the closed network of mean value analysis. Pure. */
struct service_stations {
	int n;
	double mean_ns[STATIONS_MOST];
	bool exponential;		/* exponential service times; else constant */
	int64_t free_ns[STATIONS_MOST]; /* when the last request leaves each station */
	double busy_ns[STATIONS_MOST];	/* total service time of each station */
	uint64_t random;
};

/* Parses mean service times: "50ms,40ms,30ms". 0 or -EINVAL. */
int stations_parse(const char *text, struct service_stations *out);
/* Adds a request that arrives at `now_ns`, and returns when it leaves the last station (ns). Calls must have ascending times. */
int64_t stations_add_request(struct service_stations *s, int64_t now_ns);

struct serve_cfg {
	const struct target *at;
	struct service_stations stations; /* n 0: requests are answered at once */
	int64_t pause_at_ns, pause_ns;	  /* stall of pause_ns (0: none), pause_at_ns after the first request */
	int64_t size;			  /* HTTP: bytes of a response body */
	int64_t width, height;		  /* RFB: size of the desktop in pixels */
};

struct serve_sums {
	int64_t guests, guests_most;	     /* clients: in total, and at once */
	int64_t requests, answered, refused; /* refused: clients that spoke another protocol */
	struct sample inside;		     /* ns in the stations, by the model */
	struct sample late;		     /* ns from leaving the stations to sending the answer */
	int64_t cpu_ns, ns;		     /* CPU time and duration of the run */
	double busy[STATIONS_MOST];	     /* utilisation of each station since the first request, 0 to 1 */
};

/* Returns a listening socket, or -errno. */
int serve_listen(const struct target *at);
/* Serves clients until a stop signal. 0 or -errno. `out` starts all zero; the caller frees its samples. */
int serve_clients(int listener, const struct serve_cfg *cfg, struct serve_sums *out);
