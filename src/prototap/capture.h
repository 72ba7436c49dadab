/* SPDX-License-Identifier: GPL-3.0-or-later */
/* capture - where packets come from, one by one: a live interface or one file. All of libpcap is in capture.c. */
#ifndef PROTOTAP_CAPTURE_H
#define PROTOTAP_CAPTURE_H

#include "decode.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* True when it is counted: what a live capture writes to its file is what was counted, and no more. */
typedef bool packet_fn(void *context, const struct packet *p);

struct capture;

#define CAPTURE_WHY 1024	/* room for a reason in words */
#define CAPTURE_FILTER 4096	/* room for a filter */

struct capture_live_cfg {
	const char *interface;	/* "any": all of them */
	const char *filter;	/* pcap-filter(7), run in the kernel; on Ethernet also behind VLAN tags */
	const char *write_path;	/* also write each packet there, pcap with nanoseconds; NULL: nowhere */
	int snaplen;
	int64_t buffer_bytes;	/* of the ring shared with the kernel */
	bool promiscuous;	/* also what is for others: on the mirror port of a switch */
};

/* Captures from now on. NULL with the reason and its cure in `why`. */
struct capture *capture_live(const struct capture_live_cfg *cfg, char *why);

/* Reads the header of a file; `path` is for words only, `room` what may be read ahead, in bytes. The stream is the capture's from
 * now on, which closes it. NULL with `why`. */
struct capture *capture_file(FILE *stream, const char *path, size_t room, char *why);

const struct link *capture_link(const struct capture *c);
int capture_snaplen(const struct capture *c);
bool capture_nanoseconds(const struct capture *c);	/* live: the kernel's times are that fine */

/* Hands over at most `most` packets: how many, 0 at the end (live: when there are none now), -1 when capture_error() tells more. */
int capture_take(struct capture *c, int most, packet_fn *fn, void *context);
/* The same of a file for one packet, which stays until the next call: 1, 0, -1. */
int capture_next(struct capture *c, struct packet *p);

/* In libpcap's words, or in the same as its. */
const char *capture_error(const struct capture *c);
/* Whether that error is no damage, but something that libpcap does not read: what, and the cure, in `why`. */
bool capture_refused(const struct capture *c, const char *path, char *why);

/* Live: sleeps until packets are there, a signal comes or `timeout_ns` is over. */
void capture_wait(struct capture *c, int64_t timeout_ns);
/* How long a packet may stay in the ring before capture_take() sees it; of a file 0. */
int64_t capture_latency_ns(const struct capture *c);
/* Packets the kernel, and the network card, lost; false: not known. */
bool capture_drops(struct capture *c, int64_t *kernel, int64_t *interface);

/* Writes the segmentation offloads of a network card that join or split packets before the capture sees them: "tso gso gro",
 * "none", or "unknown" where the device cannot be asked. */
void capture_offloads(const char *interface, char *text, size_t size);

/* 0, or -errno when not all could be written to write_path. */
int capture_close(struct capture *c);

#endif
