// SPDX-License-Identifier: GPL-3.0-or-later
/* prototap_fuzz - packets of any kind through decoder, flows, streams, messages and updates; whole
 * files through the reader.
 *
 * Input: one byte whose lower half chooses what follows, and whose upper half with what it is
 * measured (1: only port 5900, 2: only server 10.0.0.2, 4: RFB and X11 are decoded, 8: keys were
 * typed). 0 to LINK_TYPES - 1: packets of that link type, each as u16 captured, u16 beyond
 * (original - captured), u32 microseconds since the one before (little endian), and the captured
 * bytes. WHOLE_FILE, PCAPNG: a capture file. TWO_FILES: u16 length of the first of two, which are merged.
 */
#include "watch/interval.h"
#include "wire/meter.h"
#include "wire/source.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { WHOLE_FILE = LINK_TYPES, TWO_FILES, PCAPNG, KINDS };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int file_of(const uint8_t *data, size_t size, int which)
{
	static int fd[2] = { -1, -1 };

	if (fd[which] < 0)
		fd[which] = memfd_create("fuzz", 0);
	if (ftruncate(fd[which], (off_t)size) || pwrite(fd[which], data, size, 0) != (ssize_t)size)
		abort();
	return fd[which];
}

struct reading {
	struct capture_meter *meter;
	enum link_type link;
};

static bool take(void *context, const struct packet *p)
{
	struct reading *r = context;

	meter_add_packet(r->meter, r->link, p);
	return true;
}

static void fuzz_files(struct capture_meter *m, const uint8_t *data, size_t size, size_t first)
{
	int fd[2] = { file_of(data, first, 0), first < size ? file_of(data + first, size - first, 1) : -1 },
	    n = first < size ? 2 : 1;
	char path[2][32];
	struct why why;
	char *paths[2] = { path[0], path[1] };
	struct reading reading = { .meter = m };
	struct packet_source *s;

	for (int i = 0; i < n; i++)
		snprintf(path[i], sizeof(path[i]), "/proc/self/fd/%d", fd[i]);
	s = source_open_files(paths, n, &why);
	if (s && !source_begin(s, size & 1, &why)) {
		reading.link = source_link_layer(s)->type;
		while (source_deliver(s, take, &reading, &why) > 0)
			;
	}
	if (s)
		source_close(s);
}

static void fuzz_packets(struct capture_meter *m, enum link_type link, const uint8_t *data, size_t size)
{
	int64_t now = 0;

	for (size_t at = 0; at + 8 <= size;) {
		uint32_t captured = data[at] | (uint32_t)data[at + 1] << 8, beyond = data[at + 2] | (uint32_t)data[at + 3] << 8, us;
		uint8_t *copy;

		memcpy(&us, data + at + 4, 4);
		at += 8;
		if (captured > size - at)
			captured = (uint32_t)(size - at);
		now += (int32_t)us * 1000LL;
		copy = malloc(captured ? captured : 1); /* of its exact size: a read beyond is seen */
		if (!copy)
			return;
		memcpy(copy, data + at, captured);
		meter_add_packet(m, link, &(struct packet){ now, copy, captured, captured + beyond, 0 });
		free(copy);
		at += captured;
	}
}

/* What was decoded, what was not and what no record of the protocol had are together what crossed. */
static void check_decoded(const struct capture_meter *m)
{
	const struct payload_totals *all = &m->contents;
	uint64_t bytes = all->x11->setup[0].bytes + all->x11->setup[1].bytes, payload = 0;

	for (int i = 0; i < RFB_CLIENT_KINDS; i++)
		bytes += all->rfb->client[i].bytes;
	for (int i = 0; i < RFB_SERVER_KINDS; i++)
		bytes += all->rfb->server[i].bytes;
	for (int k = 0; k < X11_KINDS; k++)
		for (int e = 0; e < all->x11->extensions; e++)
			for (int i = 0; i < X11_MINORS; i++)
				bytes += all->x11->tally[k][e][i].bytes;
	for (int k = 0; k < PAYLOAD_KINDS; k++)
		bytes += all->undecoded[k];
	for (int c = 0; c < CHANNELS; c++)
		payload += m->sum[c].payload_bytes;
	if (bytes > payload || m->pool.held || all->x11_open)
		abort();
}

/* Records hold no more than was there, and set-up, idling and keys have each packet once. */
static void check_costs(const struct capture_meter *m)
{
	for (int c = 0; c < CHANNELS; c++) {
		const struct channel_counts *n = &m->sum[c];
		const struct tls_counts *tls = &m->contents.tls[c];
		uint64_t packets = 0, payload = 0;

		for (int p = 0; p < PLACES; p++) {
			packets += m->setup.count[p][c].packets;
			payload += m->setup.count[p][c].payload_bytes;
		}
		if (packets != n->packets || payload != n->payload_bytes || tls->record_bytes > n->payload_bytes)
			abort();
		if (n->pure_acks + n->payload_packets > n->packets || n->fresh_acks > n->pure_acks ||
		    n->delayed_acks > n->fresh_acks || tls->records * TLS_HEADER > tls->record_bytes)
			abort();
	}
}

/* What must hold whatever came in: nothing is counted twice, nothing is lost unsaid. */
static void check(const struct capture_meter *m)
{
	uint64_t packets = 0, carried = 0, accounted = 0, what = 0;

	for (int c = 0; c < CHANNELS; c++) {
		const struct channel_counts *n = &m->sum[c];

		packets += n->packets;
		carried += n->ip_bytes - n->ip_header_bytes - n->tcp_header_bytes - n->udp_header_bytes + n->beyond_bytes;
		accounted += n->payload_bytes + n->retransmitted_bytes + n->keep_alives;
		if (n->messages > n->packets || n->link_header_bytes + n->ip_bytes > n->wire_bytes ||
		    n->beyond_bytes > n->payload_bytes)
			abort();
	}
	if (packets + m->unasked + m->duplicates->copies != m->decoded[DECODED_SEGMENT] || carried != accounted)
		abort();
	for (int i = 0; i <= DECODED_MALFORMED; i++)
		what += m->decoded[i];
	if (what != m->packets || m->fragment_ip_bytes > m->fragment_wire_bytes)
		abort();
	for (int i = 0; i < MERGES; i++)
		if (m->update[i].count > m->sum[DISPLAY].messages ||
		    (m->update[i].count && m->update[i].gaps.n > m->update[i].count - 1))
			abort();
}

/* Three keys, 0.1, 0.15 and 3 s after the packets' clock began, the first one to warm up. */
static const struct key_log *keys(void)
{
	static struct key_times key[3] = { { .due_ns = 100000000, .sent_ns = 100000000, .skipped = 1 },
					   { .due_ns = 150000000, .sent_ns = 150000000 },
					   { .due_ns = 3000000000 } };
	static struct wall_reading wall = { .at_ns = 1 };
	static const struct key_log typed = { .key = key, .wall = &wall, .n = 3, .walls = 1 };

	return &typed;
}

static void check_interval(void *context, const struct interval_row *row)
{
	(void)context;
	if (row->unanswered > row->inputs + INTERVAL_WAITING || row->next_p50 > row->next_max || row->verdict.word >= VERDICTS)
		abort();
}

static void ignore_end(void *context, int64_t start_ns, int64_t length_ns, int64_t dropped, bool clock_set)
{
	(void)context;
	(void)start_ns;
	(void)length_ns;
	(void)dropped;
	(void)clock_set;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const uint8_t server[16] = { [10] = 0xff, [11] = 0xff, 10, 0, 0, 2 };
	static struct server_ports none, vnc;
	struct meter_cfg cfg = {
		.ports = &none, .period_ns = 50000000, .merge_ns = 10000000, .flows_max = 4, .flows_shown = 3, .waits_max = 10
	};
	struct intervals intervals = { .every_ns = 100 * 1000000000LL,
				       .merge_ns = 10000000,
				       .period_ns = 50000000,
				       .ports = &vnc,
				       .rfb = true,
				       .row = check_interval,
				       .end = ignore_end };
	struct capture_meter m;
	int kind;

	if (!vnc.spans)
		ports_parse_list(&vnc, "5900");
	if (size < 3)
		return 0;
	kind = (data[0] & 15) % KINDS;
	if (data[0] & 16)
		cfg.ports = &vnc;
	if (data[0] & 32)
		cfg.server = server;
	if (data[0] & 64)
		cfg.decode = DECODE_AUTO;
	if (data[0] & 128)
		cfg.typed = keys();
	cfg.tap[cfg.taps++] =
		(struct meter_observer){ .context = &intervals, .packet = interval_add_packet, .data = interval_add_data };
	if (meter_init(&m, &cfg))
		return 0;
	if (kind == WHOLE_FILE || kind == PCAPNG) {
		fuzz_files(&m, data + 1, size - 1, size - 1);
	} else if (kind == TWO_FILES) {
		size_t first = data[1] | (size_t)data[2] << 8;

		fuzz_files(&m, data + 3, size - 3, first < size - 3 ? first : size - 3);
	} else {
		fuzz_packets(&m, (enum link_type)kind, data + 1, size - 1);
	}
	meter_finish(&m);
	check(&m);
	check_costs(&m);
	if (cfg.decode)
		check_decoded(&m);
	intervals_free(&intervals);
	meter_free(&m);
	return 0;
}
