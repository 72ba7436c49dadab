/* prototap_fuzz - packets of any kind through decoder, flows, streams, messages and updates; and pcapng's own account of drops.
 *
 * Input: one byte that chooses (0-2: link type of packets; 3: the rest is a pcapng file for drops.c), then packets of
 * u16 captured, u16 beyond (original - captured), u32 microseconds since the one before (little endian), and the captured bytes. */
#include "prototap/drops.h"
#include "prototap/meter.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void fuzz_drops(const uint8_t *data, size_t size)
{
	int fd = memfd_create("fuzz", 0);

	if (fd < 0)
		return;
	if (write(fd, data, size) == (ssize_t)size)
		drops_recorded(fd);
	close(fd);
}

/* What must hold whatever came in: nothing is counted twice, nothing is lost unsaid. */
static void check(const struct meter *m)
{
	uint64_t packets = 0, carried = 0, accounted = 0;

	for (int c = 0; c < CHANNELS; c++) {
		const struct channel_count *n = &m->sum[c];

		packets += n->packets;
		carried += n->ip_bytes - n->ip_header_bytes - n->tcp_header_bytes;
		accounted += n->payload_bytes + n->retransmitted_bytes;
		if (n->messages > n->packets || n->link_header_bytes + n->ip_bytes > n->wire_bytes)
			abort();
	}
	if (packets + m->unasked != m->decoded[DECODED_SEGMENT] || carried != accounted)
		abort();
	for (int i = 0; i < MERGES; i++)
		if (m->update[i].count > m->sum[DISPLAY].messages || (m->update[i].count && m->update[i].gaps.n > m->update[i].count - 1))
			abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct ports ports;	/* none asked for */
	struct meter_cfg cfg = { .ports = &ports, .period_ns = 50000000, .merge_ns = 10000000, .flows_max = 4,
				 .flows_shown = 3, .waits_max = 10 };
	int64_t now = 0;
	struct meter m;

	if (!size)
		return 0;
	if (data[0] % 4 == 3) {
		fuzz_drops(data + 1, size - 1);
		return 0;
	}
	if (meter_init(&m, &cfg))
		return 0;
	for (size_t at = 1; at + 8 <= size;) {
		uint32_t captured = data[at] | (uint32_t)data[at + 1] << 8, beyond = data[at + 2] | (uint32_t)data[at + 3] << 8, us;
		uint8_t *copy;

		memcpy(&us, data + at + 4, 4);
		at += 8;
		if (captured > size - at)
			captured = (uint32_t)(size - at);
		now += (int32_t)us * 1000LL;
		copy = malloc(captured ? captured : 1);	/* of its exact size: a read beyond is seen */
		if (!copy)
			break;
		memcpy(copy, data + at, captured);
		meter_packet(&m, (enum link_type)(data[0] % 4), now, copy, captured, captured + beyond);
		free(copy);
		at += captured;
	}
	meter_finish(&m);
	check(&m);
	meter_free(&m);
	return 0;
}
