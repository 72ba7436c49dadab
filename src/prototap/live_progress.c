// SPDX-License-Identifier: GPL-3.0-or-later
#include "live_progress.h"
#include "say.h"

#include <math.h>
#include <stdio.h>
#include <time.h>

void live_progress_start(struct live_progress *w, bool quiet, int64_t now_ns)
{
	*w = (struct live_progress){ .gap_ns = -1, .line_ns = now_ns };
	progress_start(&w->progress, quiet);
}

void live_progress_track_update_gap(void *watch, uint64_t update, int64_t time_ns, uint64_t bytes)
{
	struct live_progress *w = watch;

	(void)bytes;
	if (update != w->update && w->last_ns && time_ns - w->last_ns > w->gap_ns)
		w->gap_ns = time_ns - w->last_ns;
	w->update = update;
	w->last_ns = time_ns;
}

/* Counts of the display channel of all connections, open and ended. */
static struct channel_traffic_counts sum_display_channel_counts(const struct capture_meter *m, int *open)
{
	struct channel_traffic_counts n = m->sum[DISPLAY];

	*open = 0;
	for (uint32_t i = 1; i < m->table.fresh; i++)
		if (m->table.flow[i].used) {
			counters_add_to_sum(&n, &m->table.flow[i].count[DISPLAY], sizeof(n));
			*open += !has_flow_ended(&m->table.flow[i]);
		}
	return n;
}

void live_progress_show(struct live_progress *w, const struct capture_meter *m, int64_t now_ns)
{
	double seconds = (double)(now_ns - w->line_ns) / NS_PER_S;
	time_t now = time(NULL);
	struct channel_traffic_counts n;
	struct tm when;
	char clock[16];
	uint64_t packets;
	int open;

	if (!is_progress_line_due(&w->progress, now_ns))
		return;
	n = sum_display_channel_counts(m, &open);
	packets = n.tcp_header_bytes > w->before.tcp_header_bytes ? n.packets - w->before.packets : 0;	/* of UDP nobody knows */
	localtime_r(&now, &when);
	strftime(clock, sizeof(clock), "%H:%M:%S", &when);
	fprintf(stderr, "%s  %d open  %s to client  %s updates/s  gap %s%s  resent %s %%\n", clock, open,
		bit_rate_text(8 * (double)(n.wire_bytes - w->before.wire_bytes) / seconds),
		number_text((double)(m->update[0].count - w->updates_before) / seconds),
		w->gap_ns < 0 ? "-" : ns_text((double)w->gap_ns), w->gap_ns > WATCH_GAP_NS ? " !" : "",
		number_text(packets ? 100 * (double)(n.retransmitted_packets - w->before.retransmitted_packets) / (double)packets : (double)NAN));
	w->before = n;
	w->updates_before = m->update[0].count;
	w->gap_ns = -1;
	w->line_ns = now_ns;
}
