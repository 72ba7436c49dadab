/* source - where packets come from: a live interface, or capture files merged in the order of their times.
 *
 * All of libpcap is in source.c. Packets go to a function one by one and belong to the source; they are gone when it returns. */
#ifndef PROTOTAP_SOURCE_H
#define PROTOTAP_SOURCE_H

#include "decode.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct packet {
	int64_t time_ns;	/* CLOCK_REALTIME of the capturing host */
	const uint8_t *bytes;
	uint32_t captured;	/* bytes there are */
	uint32_t original;	/* bytes there were on the wire */
};
typedef void packet_fn(void *context, const struct packet *p);

struct source;

#define SOURCE_WHY 512		/* room for a reason in words */

struct source_live_cfg {
	const char *interface;	/* "any": all of them */
	const char *filter;	/* pcap-filter(7), run in the kernel */
	const char *write_path;	/* also write each packet there, pcap with nanoseconds; NULL: nowhere */
	int snaplen;
	int64_t buffer_bytes;	/* of the ring shared with the kernel */
};

/* Captures from now on. NULL with the reason and its cure in `why`. */
struct source *source_live(const struct source_live_cfg *cfg, char *why);

/* Opens the files ("-": standard input), reading nothing yet: privileges can go before a byte is looked at. NULL with `why`. */
struct source *source_files(char *const *paths, int n, char *why);
/* Reads their headers: all must be captures of one and the same link type. 0, or -1 with `why`. */
int source_begin(struct source *s, char *why);

enum link_type source_link(const struct source *s);
const char *source_link_name(const struct source *s);
bool source_nanoseconds(const struct source *s);	/* of every file */
int source_snaplen(const struct source *s);		/* the largest */

/* Hands over some packets: how many, 0 at the end of the files (live: when there are none now), -1 with `why`. A damaged
 * file is read up to the damage, which source_damage() tells; a file that begins to mix link types is an error. */
int source_take(struct source *s, packet_fn *fn, void *context, char *why);

/* Live: sleeps until packets are there, a signal comes or `timeout_ns` is over. */
void source_wait(struct source *s, int64_t timeout_ns);
/* How long a packet may stay in the ring before source_take() sees it. */
int64_t source_latency_ns(const struct source *s);

/* How many files could not be read to their end, and why the first of them. */
int source_damage(const struct source *s, const char **why);

/* Packets the kernel, and the network card, lost; -1: not known. Of files: what pcapng says of both together. */
struct source_drops {
	int64_t kernel, interface;
};
void source_drops(struct source *s, struct source_drops *out);

/* 0, or -errno when not all could be written to write_path. */
int source_close(struct source *s);

#endif
