/* SPDX-License-Identifier: GPL-3.0-or-later */
/* run - options and state of one run of prototap, and its report. */
#pragma once

#include "clock.h"
#include "confine.h"
#include "latency.h"
#include "rec.h"
#include "traffic.h"
#include "why.h"
#include "watch/interval_write.h"
#include "wire/meter.h"
#include "wire/ports.h"
#include "wire/source.h"

#include <stdbool.h>
#include <stdint.h>

struct run_cfg {
	const struct server_ports *ports;
	const char *interface, *write_path, *server_name, *traffic;
	const char *port_name; /* text of --port; NULL: not given */
	uint8_t server[16];
	bool by_address, promiscuous;
	int64_t time_ns, period_ns, merge_ns, warmup, flows, flows_max, snaplen, buffer_bytes, ready_fd, traffic_bin_ns;
	int64_t parent;	  /* pid: prototap ends when this process does; 0: not given */
	int64_t every_ns; /* length of the intervals; 0: none */
	int decode;	  /* enum payload_decode */
	struct latency_cfg latency;
};

extern const char *const run_decodes[]; /* words of --decode, by enum payload_decode */

struct run_state {
	const struct run_cfg *cfg;
	struct packet_source *source;
	struct capture_meter meter;
	struct key_latency latency;
	struct traffic_bins traffic;
	struct intervals intervals;
	struct interval_writer writer;
	enum link_type link;
	int64_t from_ns;		/* live: start of the capture (CLOCK_REALTIME) */
	bool observed;			/* packets are seen by intervals or (live) by bins, not only counted */
	int64_t packet_ns;		/* every: time of the packet before; 0: none */
	uint64_t clock_sets, unwritten; /* unwritten: every: writes of its files that failed */
	bool strays;			/* files: all steps back are of single packets that are stamped apart */
	struct wall_reading wall;	/* live: by how much CLOCK_REALTIME is ahead of CLOCK_MONOTONIC, as last read */
	int64_t wall_ns;		/* the same as of the last step */
	int64_t set_ns;			/* by how much the clock was set, in total */
	int64_t until_ns;		/* live: end of the capture (CLOCK_REALTIME) */
	bool past_end;			/* live: a packet after until_ns was read, so the ring has none before it */
	bool live;
	bool again;	  /* live: the interface had disappeared, and is back */
	bool quiet;	  /* no progress line */
	struct why error; /* live: error that ended the capture; empty: none */
	bool sorted;	  /* files: packets were put into the order of their times */
	double cpu_percent;
	struct capture_drops drops;
	char privileges[128], offloads[64];
};

/* run.c: counts all packets of the source, up to the end of the run, with `meter`, to which run_live() may add an observer.
 * 0, or -1 with the reason in `why`. */
int run_live(struct run_state *run, struct meter_cfg *meter, struct why *why);
int run_files(struct run_state *run, struct meter_cfg *meter, struct why *why);

/* Whether no packet was selected; `why` then tells what the capture has instead. After meter_finish(). */
bool run_is_empty(const struct run_state *run, struct why *why);
/* Whether packets or keys were lost; `why` then tells which. After meter_finish(). */
bool run_has_losses(const struct run_state *run, struct why *why);

double share_percent(uint64_t part, uint64_t whole); /* NAN: `whole` is 0 */

/* Parts of the report, all after meter_finish(), written into the open object. report_traffic: flows, channels, headers,
 * session, updates, largest gap and stalls. report_phases: setup, idle, per_key and acks of a capture from
 * `from_ns` to `to_ns`.
 * report_protocols: tls and, where it was asked for, decoded. *_holds: what held senders up. say_decoded: what was decoded in
 * some lines of text, and why not all. */
void report_traffic(struct rec_report *r, struct capture_meter *m);
void report_phases(struct rec_report *r, const struct capture_meter *m, int64_t from_ns, int64_t to_ns);
void report_protocols(struct rec_report *r, const struct capture_meter *m);
void report_holds(struct rec_report *r, const struct capture_meter *m);
void say_holds(struct rec_report *r, const struct capture_meter *m);
void say_decoded(struct rec_report *r, const struct payload_totals *all);

/* Writes settings and result, after meter_finish(). `files` ends with NULL. */
void run_report(struct rec_report *r, struct run_state *run, char *const *files);

/* Drops every right that reading packets does not need, since anybody may send packets to be decoded: confines itself as asked and,
 * as root, becomes the user who called sudo, else nobody. The user id stays where the user namespace maps no other, or where the
 * other user could not put one of `files` in its place. Describes in `said` what was done. 0, or -errno with the reason in `why`:
 * the program should end. */
int drop_privileges(struct confine_cfg *confine, char *said, size_t size, struct why *why);

/* A parent that keeps its rights and reads no packets, and children that give up theirs and capture: where the interface
 * disappears, the next child begins when it is there again. Exit statuses of a child: its interface disappeared; the interface is
 * back, but cannot be opened yet. */
#define SUPERVISE_GONE 75
#define SUPERVISE_NOT_YET 76

/* Forks the children. Returns in each child only: false in the first, true in a later one, whose interface is back. The
 * parent passes stop signals on, and exits with the status of the last child. Where the interface is gone at until_ns (0: no such
 * time), it exits, too. */
bool supervise_fork(const char *interface, int64_t until_ns);
