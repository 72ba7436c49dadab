// SPDX-License-Identifier: GPL-3.0-or-later
#include "traffic.h"

#include <string.h>

const char *const traffic_columns[] = { "bin_start_ns",	   "input_packets",	 "input_wire_bytes",	  "input_payload_bytes",
					"display_packets", "display_wire_bytes", "display_payload_bytes", NULL };

static int64_t find_bin(const struct traffic_bins *t, int64_t time_ns)
{
	int64_t at = t->typed ? key_log_convert(t->typed, time_ns) : time_ns - t->ahead_ns, n = at / t->bin_ns;

	return n * t->bin_ns > at ? n - 1 : n; /* rounded down, also below 0 */
}

static void write_row(struct traffic_bins *t)
{
	rows_write_int(t->rows, t->bin * t->bin_ns);
	for (int c = 0; c < CHANNELS; c++) {
		rows_write_ints(t->rows, (int64_t)t->count[c].packets, (int64_t)t->count[c].wire_bytes,
				(int64_t)t->count[c].payload_bytes);
	}
	rows_end_row(t->rows);
	t->written++;
	t->bin++;
	memset(t->count, 0, sizeof(t->count));
}

static void write_rows(struct traffic_bins *t, int64_t bin)
{
	if (bin - t->bin > TRAFFIC_SKIP_MAX) {
		write_row(t);
		t->skipped += (uint64_t)(bin - t->bin);
		t->bin = bin;
	}
	while (t->bin < bin)
		write_row(t);
}

void traffic_begin(struct traffic_bins *t, int64_t time_ns)
{
	if (!t->rows)
		return;
	t->bin = find_bin(t, time_ns);
	t->begun = true;
}

void traffic_add_packet(void *traffic, const struct flow *f, int channel, const struct meter_packet *seen)
{
	struct traffic_bins *t = traffic;
	int64_t bin = find_bin(t, seen->packet->time_ns);

	(void)f;
	if (!t->begun)
		traffic_begin(t, seen->packet->time_ns);
	if (bin > t->bin)
		write_rows(t, bin);
	t->late += bin < t->bin;
	t->count[channel].packets++;
	t->count[channel].wire_bytes += seen->segment->wire_bytes;
}

/* Called after a packet, whose bin is current; early data of a connection that ends counts in the current bin. */
void traffic_add_payload(void *traffic, const struct flow *f, int channel, int64_t time_ns, uint64_t bytes)
{
	struct traffic_bins *t = traffic;

	(void)f;
	(void)time_ns;
	t->count[channel].payload_bytes += bytes;
}

void traffic_finish(struct traffic_bins *t, int64_t time_ns)
{
	int64_t bin = find_bin(t, time_ns);

	if (!t->begun)
		return;
	if (bin > t->bin)
		write_rows(t, bin);
	write_row(t);
}
