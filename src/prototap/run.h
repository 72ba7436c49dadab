/* SPDX-License-Identifier: GPL-3.0-or-later */
/* run - options and state of one run of prototap, and its report. */
#ifndef PROTOTAP_RUN_H
#define PROTOTAP_RUN_H

#include "interval_write.h"
#include "latency.h"
#include "meter.h"
#include "ports.h"
#include "rec.h"
#include "source.h"
#include "traffic.h"

struct run_cfg {
	const struct ports *ports;
	const char *interface, *write_path, *server_name, *traffic;
	const char *port_name;	/* text of --port; NULL: not given */
	uint8_t server[16];
	bool by_address, promiscuous;
	int64_t time_ns, period_ns, merge_ns, flows, flows_max, snaplen, buffer_bytes, ready_fd, traffic_bin_ns;
	int64_t every_ns;	/* length of the intervals; 0: none */
	int decode;	/* enum payload_decode */
	struct latency_cfg latency;
};

extern const char *const run_decodes[];	/* words of --decode, by enum payload_decode */

struct capture_run {
	const struct run_cfg *cfg;
	struct source *source;
	struct meter meter;
	struct latency latency;
	struct traffic_bins traffic;
	struct intervals intervals;
	struct interval_writer writer;
	enum link_type link;
	int64_t from_ns;		/* live: start of the capture (CLOCK_REALTIME) */
	int64_t until_ns;		/* live: end of the capture (CLOCK_REALTIME) */
	bool past_end;			/* live: a packet after until_ns was read, so the ring has none before it */
	bool live;
	const char *damage;		/* why the first damaged file could not be read to its end */
	int damaged;			/* number of damaged files */
	char error[SOURCE_WHY];		/* live: error that ended the capture; empty: none */
	double cpu_percent;
	struct source_drops drops;
	char privileges[128], offloads[64];
};

#define RUN_WHY 1024
/* Whether no packet was selected; `why` then tells what the capture has instead. After meter_finish(). */
bool run_empty(const struct capture_run *run, char *why);
/* Whether packets or keys were lost; `why` then tells which. After meter_finish(). */
bool run_lost(const struct capture_run *run, char *why);

double percent_of(uint64_t part, uint64_t whole);	/* NAN: `whole` is 0 */

/* Parts of the report, all after meter_finish(), written into the open object. account_report: flows, channels, headers, session,
 * updates, largest gap and stalls. costs_report: setup, idle, per_key and acks of a capture from `from_ns` to `to_ns`.
 * payload_report: tls and, where it was asked for, decoded. */
void account_report(struct rec *r, struct meter *m);
void costs_report(struct rec *r, const struct meter *m, int64_t from_ns, int64_t to_ns);
void payload_report(struct rec *r, const struct meter *m);
/* Bytes that TLS adds to the payload: record headers, and where known the overhead of encryption. */
uint64_t payload_tls_bytes(const struct payload_totals *all);

/* Writes settings and result, after meter_finish(). `files` ends with NULL. */
void run_report(struct rec *r, struct capture_run *run, char *const *files);

/* Drops every right that reading packets does not need, since anybody may send packets to be decoded: sets no_new_privs, drops all
 * capabilities and, as root, becomes the user who called sudo, else nobody. The user id stays where the user namespace maps no
 * other, or where the other user could not put one of the `n` files `keep` in its place (NULL or "-": none). Describes in `said`
 * what was done. 0, or -errno: the program should end. */
int privilege_drop(const char *const *keep, size_t n, char *said, size_t size);

#endif
