/* SPDX-License-Identifier: GPL-3.0-or-later */
/* run - what one run of prototap was asked for, what it holds, and its report. */
#ifndef PROTOTAP_RUN_H
#define PROTOTAP_RUN_H

#include "latency.h"
#include "meter.h"
#include "ports.h"
#include "rec.h"
#include "source.h"
#include "traffic.h"

struct run_cfg {
	const struct ports *ports;
	const char *interface, *write_path, *server_name, *traffic;
	const char *port_name;	/* --port as it was given; NULL: no port */
	uint8_t server[16];
	bool by_address, promiscuous;
	int64_t time_ns, period_ns, merge_ns, flows, flows_max, snaplen, buffer_bytes, ready_fd, traffic_bin_ns;
	int decode;	/* enum content_decode; 0: nothing */
	struct latency_cfg latency;
};

extern const char *const run_decodes[];	/* words, the first for DECODE_RFB */

struct tap_run {
	const struct run_cfg *cfg;
	struct source *source;
	struct meter meter;
	struct latency latency;
	struct traffic_bins traffic;
	enum link_type link;
	int64_t from_ns;		/* live: where the capture began */
	int64_t until_ns;		/* live: packets after this time (CLOCK_REALTIME) came after the end */
	bool past_end;			/* one such was seen: the ring held no more of ours */
	bool live;
	const char *damage;		/* what a file could not be read behind */
	int damaged;
	char error[SOURCE_WHY];		/* live: why the capture ended by itself */
	double cpu_percent;
	struct source_drops drops;
	char privileges[128], offloads[64];
};

#define RUN_WHY 1024
/* After meter_finish(). Whether no packet was selected; `why` then also says what the capture has instead. */
bool run_empty(const struct tap_run *run, char *why);
/* Whether some was lost; `why` then says what. */
bool run_lost(const struct tap_run *run, char *why);

/* Parts of the report, all after meter_finish(), written into the open object.
 * account_tell: flows, channels, headers, session, updates, largest gap and stalls. costs_tell: setup, idle, per_key and acks of
 * a capture from `from_ns` to `to_ns`. findings_tell: tls and, where it was asked for, decoded. */
void account_tell(struct rec *r, struct meter *m);
void costs_tell(struct rec *r, const struct meter *m, int64_t from_ns, int64_t to_ns);
void findings_tell(struct rec *r, const struct meter *m);
/* Bytes that TLS adds to the payload: record headers, and what sealing adds where it is known. */
uint64_t findings_tls_bytes(const struct contents *all);

/* Settings and result, after meter_finish(). `files` ends with NULL. */
void run_report(struct rec *r, struct tap_run *run, char *const *files);

#endif
