/* SPDX-License-Identifier: GPL-3.0-or-later */
/* capture - packets of a live interface or of one file, one by one. The only file with libpcap calls. */
#pragma once

#include "decode.h"
#include "why.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* Takes one packet. Returns whether it was counted: only counted packets of a live capture are written to its file. */
typedef bool packet_fn(void *context, const struct packet *p);

struct capture;

#define CAPTURE_FILTER 4096 /* bytes of a filter expression */

struct capture_cfg {
	const char *interface;	/* "any": all interfaces */
	const char *filter;	/* pcap-filter(7), run in the kernel; on Ethernet applied behind VLAN tags, too */
	const char *write_path; /* also write each packet to this pcap file, times in nanoseconds; NULL: no file */
	int snaplen;		/* bytes kept of a packet */
	int64_t buffer_bytes;	/* of the ring shared with the kernel */
	bool promiscuous;	/* also packets to other machines, as on the mirror port of a switch */
};

/* Starts a live capture. NULL with the reason and its cure in `why`. */
struct capture *capture_open_live(const struct capture_cfg *cfg, struct why *why);

/* Reads the header of a file, named `path` in messages. The capture owns and closes the stream,
 * also on error. NULL with the reason in `why`. */
struct capture *capture_open_file(FILE *stream, const char *path, struct why *why);

struct capture_format {
	const struct link_layer *link;
	int snaplen;	  /* bytes kept of a packet */
	bool nanoseconds; /* live: packet times have nanoseconds, else microseconds */
};
const struct capture_format *capture_get_format(const struct capture *c);

/* Live: hands at most `most` packets to `fn`. How many; 0: no packet at present; -1: see capture_error(). */
int capture_deliver(struct capture *c, int most, packet_fn *fn, void *context);
/* Reads one packet of a file, valid until the next call. 1; 0: end of the file; -1: see capture_error(). */
int capture_next(struct capture *c, struct packet *p);

/* The last error, in libpcap's words. */
const char *capture_error(const struct capture *c);
/* Whether the last error is not damage but a kind of file that does not fit into one report; explains kind and cure in `why`. */
bool capture_is_mixed(const struct capture *c, const char *path, struct why *why);

#define CAPTURE_RING_MS 20 /* longest time that a packet of a live capture stays in the kernel's ring unread */

/* Live: sleeps until there are packets, a signal comes or `timeout_ns` is over. */
void capture_wait(struct capture *c, int64_t timeout_ns);
/* Packets lost by the kernel and by the network card; -1: not known. Of a file as far as it was read: their sum, as pcapng records
 * it, in `kernel`; and packets without a time. */
struct capture_drops {
	int64_t kernel, interface;
	uint64_t untimed;
};
void capture_read_drops(struct capture *c, struct capture_drops *out);
/* Lists the offloads by which a network card joins or splits packets, so that packets captured are not packets sent: "tso gso
 * gro", "none", or "unknown" where the device cannot be asked. */
void capture_list_offloads(const char *interface, char *text, size_t size);

/* 0, or -errno: not everything could be written to write_path. */
int capture_close(struct capture *c);
