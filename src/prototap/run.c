// SPDX-License-Identifier: GPL-3.0-or-later
#include "run.h"
#include "proc.h"
#include "progress.h"
#include "say.h"

#include <math.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#define WAIT_NS (100 * NS_PER_MS)	/* longest sleep between checks of the stop flag */
#define CLOCK_STEP_NS (250 * NS_PER_MS) /* a clock that is slewed does not step so far between two packets */
#define REST_NS (5 * NS_PER_S)		/* longest time for emptying the ring at the end */
#define GAP_NS NS_PER_S			/* a longer gap between updates is marked on the progress line */

/* Longest time that a packet stays in the kernel's ring. */
#define RING_NS (3 * CAPTURE_RING_MS * NS_PER_MS)

/* --- the clock --- */

static void note_set_clock(struct run_state *run, int64_t time_ns, int64_t step_ns)
{
	warn("the clock was set %s by %s%s",
	     step_ns < 0 ? "back"
	     : run->live ? "forward (or this host slept)"
			 : "forward",
	     ns_text(fabs((double)step_ns)),
	     run->cfg->every_ns ? ": no wait is measured over that" : ": latencies across that are wrong");
	run->clock_sets++;
	run->set_ns += step_ns;
	intervals_note_clock_set(&run->intervals, time_ns);
}

static void detect_wall_step(struct run_state *run, int64_t time_ns)
{
	int64_t step_ns = run->wall.offset_ns - run->wall_ns;

	if (llabs(step_ns) >= CLOCK_STEP_NS)
		note_set_clock(run, time_ns, step_ns);
	run->wall_ns = run->wall.offset_ns;
}

/* Reads how far the packets' clock (CLOCK_REALTIME) is ahead of the table's (CLOCK_MONOTONIC). */
static void read_wall_clock(struct run_state *run)
{
	clock_read_wall(&run->wall);
	run->traffic.ahead_ns = run->wall.offset_ns;
}

/* Detects that the clock of the packets was set. In a file, a clock that was set forward looks like a pause. Live, both clocks are
 * read when the time between two packets is implausible. */
static void detect_packet_step(struct run_state *run, int64_t time_ns)
{
	int64_t passed = run->packet_ns ? time_ns - run->packet_ns : 0;

	run->packet_ns = time_ns;
	if (passed > -CLOCK_STEP_NS && passed < CLOCK_STEP_NS)
		return;
	if (!run->live) {
		if (passed < 0 && run->strays) {
			warn("a packet has a time out of line by %s: no wait is measured over that", ns_text((double)-passed));
			intervals_note_clock_set(&run->intervals, time_ns);
		} else if (passed < 0) {
			note_set_clock(run, time_ns, passed);
		} else if (passed >= METER_PAUSE_NS) {
			warn("no packet for %s: is the clock right? No wait is measured over that", ns_text((double)passed));
			intervals_forget_waits(&run->intervals, time_ns);
		}
		return;
	}
	read_wall_clock(run);
	detect_wall_step(run, time_ns);
}

/* --- packets --- */

static bool meter_packet_in_time(void *context, const struct packet *p)
{
	struct run_state *run = context;

	if (p->time_ns > run->until_ns) {
		run->past_end = true;
		return false;
	}
	if (run->observed)
		detect_packet_step(run, p->time_ns);
	meter_add_packet(&run->meter, run->link, p);
	return true;
}

static int begin_meter(struct run_state *run, const struct meter_cfg *meter, struct why *why)
{
	if (meter_init(&run->meter, meter))
		return why_fail(-1, why, "not enough memory for --flows-max %lld", (long long)run->cfg->flows_max);
	/* a file may first be read without observers */
	run->observed = meter->taps && (run->cfg->every_ns || (run->live && run->traffic.rows));
	run->packet_ns = 0;
	return 0;
}

/* --- a line a second on a terminal --- */

struct live_progress {
	struct progress_line progress;
	struct channel_counts before;	 /* counts of the display channel at the last line */
	uint64_t updates_before, update; /* number of updates at the last line; number of the current update */
	int64_t last_ns;		 /* time of the last data of the display channel; 0: none yet */
	int64_t gap_ns;			 /* longest gap between updates since the last line; -1: none */
	int64_t line_ns;		 /* time of the last line (CLOCK_MONOTONIC) */
};

static void track_update_gap(void *watch, const struct flow *f, int channel, int64_t time_ns, uint64_t bytes)
{
	struct live_progress *w = watch;

	(void)bytes;
	if (channel != DISPLAY)
		return;
	if (f->update[0] != w->update && w->last_ns && time_ns - w->last_ns > w->gap_ns)
		w->gap_ns = time_ns - w->last_ns;
	w->update = f->update[0];
	w->last_ns = time_ns;
}

/* Sums the display channel (server to client) of all connections, open and ended. *open: how many are open. */
static struct channel_counts sum_display_channel(const struct capture_meter *m, int *open)
{
	struct channel_counts n = m->sum[DISPLAY];

	*open = 0;
	for (uint32_t i = 1; i < m->table.fresh; i++)
		if (m->table.flow[i].used) {
			counters_add(&n, &m->table.flow[i].count[DISPLAY], sizeof(n));
			*open += !flow_has_ended(&m->table.flow[i]);
		}
	return n;
}

static void show_progress(struct live_progress *w, const struct capture_meter *m, int64_t now_ns)
{
	double seconds = (double)(now_ns - w->line_ns) / NS_PER_S;
	time_t now = time(NULL);
	struct channel_counts n;
	struct tm when;
	char clock[16];
	uint64_t packets;
	int open;

	if (!progress_take_due(&w->progress, now_ns))
		return;
	n = sum_display_channel(m, &open);
	packets = n.tcp_header_bytes > w->before.tcp_header_bytes ? n.packets - w->before.packets
								  : 0; /* the end of a UDP conversation is not known */
	localtime_r(&now, &when);
	strftime(clock, sizeof(clock), "%H:%M:%S", &when);
	fprintf(stderr, "%s  %d open  %s to client  %s updates/s  gap %s%s  resent %s %%\n", clock, open,
		bit_rate_text(8 * (double)(n.wire_bytes - w->before.wire_bytes) / seconds),
		number_text((double)(update_count_all(&m->update[0]) - w->updates_before) / seconds),
		w->gap_ns < 0 ? "-" : ns_text((double)w->gap_ns), w->gap_ns > GAP_NS ? " !" : "",
		number_text(packets ? 100 * (double)(n.retransmitted_packets - w->before.retransmitted_packets) / (double)packets
				    : (double)NAN));
	w->before = n;
	w->updates_before = update_count_all(&m->update[0]);
	w->gap_ns = -1;
	w->line_ns = now_ns;
}

/* --- live --- */

/* The clock is read about once a second, and drops each time. */
static void watch_clock_and_drops(struct run_state *run, int64_t now)
{
	if (now - run->wall.at_ns >= NS_PER_S)
		read_wall_clock(run);
	detect_wall_step(run, now + run->wall.offset_ns - RING_NS);
	source_read_drops(run->source, &run->drops);
	run->intervals.dropped = run->drops.kernel;
}

/* Closes the intervals that are over, also while no packet comes. `empty_ns`: when the ring was found empty; packets of the time
 * just before it may still come. */
static void close_elapsed_intervals(struct run_state *run, int64_t empty_ns)
{
	if (run->cfg->every_ns)
		intervals_advance(&run->intervals, empty_ns + run->wall.offset_ns - RING_NS);
}

/* Counts the packets that came before the end and are still in the kernel's ring; packets from now on are not counted. A full ring
 * takes longer to empty than packets stay in it, and a flood keeps it full: then reading stops at the first packet after the
 * end. */
static void drain_ring(struct run_state *run, int64_t end)
{
	int64_t drained = end + RING_NS, now;
	int n = 0;

	while (n >= 0 && (now = clock_now()) < end + REST_NS && (now < drained || (n > 0 && !run->past_end))) {
		if (!n)
			capture_wait(run->source->live, drained - now);
		n = source_deliver(run->source, meter_packet_in_time, run, &run->error);
	}
}

int run_live(struct run_state *run, struct meter_cfg *meter, struct why *why)
{
	int64_t start, end, now, asked, cpu;
	struct live_progress watch = { .gap_ns = -1, .line_ns = clock_now() };
	int n = 0;

	progress_start(&watch.progress, run->quiet);
	if (watch.progress.on)
		meter->tap[meter->taps++] = (struct meter_observer){ .context = &watch, .data = track_update_gap };
	if (begin_meter(run, meter, why))
		return -1;
	if (!run->again)
		proc_write_ready((int)run->cfg->ready_fd);
	cpu = clock_process_cpu();
	start = clock_now();
	end = run->cfg->time_ns ? start + run->cfg->time_ns : INT64_MAX;
	asked = start;
	read_wall_clock(run);
	run->wall_ns = run->wall.offset_ns;
	run->from_ns = start + run->wall.offset_ns;
	traffic_begin(&run->traffic, run->from_ns);
	while (n >= 0 && !proc_stop && (now = clock_now()) < end) {
		watch_clock_and_drops(run, now);
		if (!n)
			close_elapsed_intervals(run, asked);
		show_progress(&watch, &run->meter, now);
		if (!n) {
			if (run->latency.rows)
				rows_flush(run->latency.rows);
			if (run->traffic.rows)
				rows_flush(run->traffic.rows);
			capture_wait(run->source->live, end - now < WAIT_NS ? end - now : WAIT_NS);
		}
		asked = clock_now();
		n = source_deliver(run->source, meter_packet_in_time, run, &run->error);
	}
	read_wall_clock(run);
	now = clock_now();
	run->until_ns = now + run->wall.offset_ns;
	watch_clock_and_drops(run, now);
	if (n >= 0)
		drain_ring(run, now);
	run->cpu_percent = 100 * (double)(clock_process_cpu() - cpu) / (double)(clock_now() - start);
	source_read_drops(run->source, &run->drops);
	meter_finish(&run->meter);
	return 0;
}

/* --- files --- */

/* Reads the files once, or `again` from their start. */
static int read_files(struct run_state *run, const struct meter_cfg *meter, bool again, bool sort, struct why *why)
{
	int n;

	if (again) {
		meter_free(&run->meter);
		if (source_begin(run->source, sort, why))
			return -1;
	}
	if (begin_meter(run, meter, why))
		return -1;
	do
		n = source_deliver(run->source, meter_packet_in_time, run, why);
	while (n > 0 && !proc_stop);
	if (n < 0)
		return -1;
	meter_finish(&run->meter);
	return 0;
}

/* How far packets are out of order: number of segments that did not come in the order of their sequence numbers, plus the number of
 * connections, as disorder splits connections. */
static uint64_t count_disorder(const struct capture_meter *m)
{
	const struct channel_counts *in = &m->sum[INPUT], *out = &m->sum[DISPLAY];

	return m->flows + in->retransmitted_packets + in->out_of_order_packets + out->retransmitted_packets +
	       out->out_of_order_packets;
}

/* Sorting costs twice the time of counting, and most files are in order: files are first read without sorting, and once more if
 * packets were out of order. If sorting leaves the connections in less order, or a connection went back by hours and sorting does
 * not improve its order, then packets were written in order and the clock was set. Observers write as they go, so they get packets
 * only when the order is known. */
int run_files(struct run_state *run, struct meter_cfg *meter, struct why *why)
{
	struct meter_cfg alone = *meter;
	uint64_t disordered;
	bool set_back, strays;

	alone.taps = 0;
	run->sorted = run->source->sorted;
	if (read_files(run, run->sorted ? meter : &alone, false, false, why))
		return -1;
	if (!run->sorted) {
		if (run->meter.steps_back) {
			disordered = count_disorder(&run->meter);
			set_back = run->meter.set_back;
			strays = run->meter.strays == run->meter.steps_back;
			if (read_files(run, &alone, true, true, why))
				return -1;
			run->sorted = count_disorder(&run->meter) + set_back <= disordered;
			run->strays = strays && !run->sorted;
		}
		if ((meter->taps || (!run->sorted && run->source->sorted)) && read_files(run, meter, true, run->sorted, why))
			return -1;
	}
	source_read_drops(run->source, &run->drops);
	return 0;
}
