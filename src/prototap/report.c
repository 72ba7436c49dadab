// SPDX-License-Identifier: GPL-3.0-or-later
#include "run.h"
#include "say.h"

#include <stdarg.h>
#include <string.h>

const char *const run_decodes[] = { "none", "rfb", "x11", "auto", NULL };

#define METER(member) COUNTER_FIELD(#member, struct meter, member)

static void report_capture(struct rec *r, const struct capture_run *run)
{
	static const struct counter_field fragments[] = {
		METER(first_fragments), COUNTER_FIELD("fragments", struct meter, decoded[DECODED_FRAGMENT]),
		METER(fragment_wire_bytes), METER(fragment_ip_bytes),
	}, unread[] = {
		METER(truncated), COUNTER_FIELD("too_short", struct meter, decoded[DECODED_SHORT]),
		COUNTER_FIELD("malformed", struct meter, decoded[DECODED_MALFORMED]),
	}, flows[] = {
		COUNTER_FIELD("flows_given_up", struct meter, flows_evicted), COUNTER_FIELD("time_steps_back", struct meter, steps_back),
		METER(largest_frame_bytes),
	};
	const struct meter *m = &run->meter;
	char why[RUN_WHY];

	rec_object(r, "capture");
	rec_int(r, "packets", (int64_t)m->packets);
	rec_int(r, "selected_packets", (int64_t)(m->decoded[DECODED_SEGMENT] - m->unasked));
	rec_int(r, "other_packets", (int64_t)(m->decoded[DECODED_OTHER] + m->unasked));
	REPORT_COUNTERS(r, fragments, m);
	rec_count(r, "dropped", run->drops.kernel);
	rec_count(r, "interface_dropped", run->drops.interface);
	REPORT_COUNTERS(r, unread, m);
	rec_int(r, "missing_bytes", (int64_t)(m->sum[INPUT].missing_bytes + m->sum[DISPLAY].missing_bytes));
	rec_int(r, "resynchronized", (int64_t)(m->sum[INPUT].resynchronized + m->sum[DISPLAY].resynchronized));
	REPORT_COUNTERS(r, flows, m);
	rec_int(r, "start_ns", m->first_ns);
	rec_real(r, "duration_s", (double)(m->last_ns - m->first_ns) / NS_PER_S, 6);
	if (run->damaged) {
		rec_int(r, "damaged_files", run->damaged);
		rec_str(r, "damage", run->damage);
	}
	if (*run->error)
		rec_str(r, "ended_by", run->error);
	rec_str(r, "why_empty", run_empty(run, why) ? why : NULL);
	rec_str(r, "why_lost", run_lost(run, why) ? why : NULL);
	rec_end(r);
}

/* --- lost packets --- */

static void append_why(char *why, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void append_why(char *why, const char *format, ...)
{
	size_t n = strlen(why);
	va_list args;

	va_start(args, format);
	vsnprintf(why + n, RUN_WHY - n, format, args);
	va_end(args);
}

bool run_empty(const struct capture_run *run, char *why)
{
	const struct run_cfg *cfg = run->cfg;
	struct meter_port top[METER_PORTS];
	int n = meter_ports(&run->meter, top);

	*why = '\0';
	if (run->meter.flows || run->damaged)
		return false;
	if (!run->meter.packets) {
		append_why(why, "no packet at all in the capture");
		return true;
	}
	append_why(why, "no TCP or UDP packet");
	if (cfg->port_name)
		append_why(why, " of %s%s", strspn(cfg->port_name, "0123456789") == strlen(cfg->port_name) ? "port " : "", cfg->port_name);
	if (cfg->by_address)
		append_why(why, " of host %s", cfg->server_name);
	if (!n)
		append_why(why, "; the capture has %llu packet%s of other kinds", (unsigned long long)run->meter.packets,
			   run->meter.packets == 1 ? "" : "s");
	if (run->meter.decoded[DECODED_SHORT])
		append_why(why, ", %llu of them captured too short to decode", (unsigned long long)run->meter.decoded[DECODED_SHORT]);
	for (int i = 0; i < n; i++)
		append_why(why, "%s %u (%llu packet%s, %llu bytes)", i ? "," : "; the capture has port", top[i].port,
			  (unsigned long long)top[i].packets, top[i].packets == 1 ? "" : "s", (unsigned long long)top[i].wire_bytes);
	if (n && cfg->by_address)
		append_why(why, "; try it without --server");
	else if (n)
		append_why(why, "; try --port %u", top[0].port);
	return true;
}

static void append_loss(char *why, uint64_t n, const char *what, const char *where)
{
	if (n)
		append_why(why, "%s%llu %s%s %s", *why ? "; " : "", (unsigned long long)n, what, n == 1 ? "" : "s", where);
}

bool run_lost(const struct capture_run *run, char *why)
{
	const struct meter *m = &run->meter;

	*why = '\0';
	if (run->damaged)
		append_why(why, "%s; packets before it were counted", run->damage);
	if (run->damaged > 1)
		append_why(why, "; %d more damaged file%s", run->damaged - 1, run->damaged > 2 ? "s" : "");
	if (*run->error)
		append_why(why, "%s%s; packets before it were counted", *why ? "; " : "", run->error);
	append_loss(why, run->drops.kernel > 0 ? (uint64_t)run->drops.kernel : 0, "packet",
		 run->live ? "dropped by the kernel (--buffer)" : "dropped while it was captured");
	append_loss(why, run->drops.interface > 0 ? (uint64_t)run->drops.interface : 0, "packet", "dropped by the interface");
	append_loss(why, m->sum[INPUT].missing_bytes + m->sum[DISPLAY].missing_bytes, "byte",
		    "of the connections missing from the capture");
	append_loss(why, m->decoded[DECODED_SHORT], "packet", "captured too short to count");
	append_loss(why, m->flows_evicted, "connection", "given up before the end (--flows-max)");
	append_loss(why, run->latency.wire.missed_keys, "key", "outside the capture");
	return *why;
}

/* All selected ports, or only those of X displays. */
static void report_ports(struct rec *r, const char *key, const struct ports *ports, bool displays)
{
	rec_array(r, key);
	for (size_t i = 0; i < ports->spans; i++)
		for (int port = ports->span[i].from; port <= ports->span[i].to; port++)
			if (!displays || ports->use[port] == PORT_DISPLAY)
				rec_int(r, NULL, port);
	rec_end(r);
}

static void report_tap_settings(struct rec *r, const struct capture_run *run, char *const *files)
{
	const struct run_cfg *cfg = run->cfg;

	rec_object(r, "settings");
	if (run->live) {
		rec_str(r, "interface", cfg->interface);
		rec_str(r, "offloads", run->offloads);
		rec_str(r, "timestamps", source_live_facts(run->source)->nanoseconds ? "kernel, ns" : "kernel, us");
		rec_int(r, "snaplen_bytes", source_live_facts(run->source)->snaplen);
		rec_int(r, "buffer_bytes", cfg->buffer_bytes);
		rec_str(r, "written_to", cfg->write_path);
	} else {
		rec_array(r, "files");
		for (; *files; files++)
			rec_str(r, NULL, *files);
		rec_end(r);
	}
	rec_str(r, "link", source_link(run->source)->name);
	rec_str(r, "wire_bytes_are", link_wire_bytes(run->link));
	report_ports(r, "ports", cfg->ports, false);
	report_ports(r, "display_ports", cfg->ports, true);
	rec_str(r, "server", cfg->server_name);
	rec_real(r, "period_ms", (double)cfg->period_ns / NS_PER_MS, 3);
	rec_real(r, "merge_ms", (double)cfg->merge_ns / NS_PER_MS, 3);
	rec_str(r, "keys", cfg->latency.keys);
	rec_str(r, "rows", cfg->latency.rows);
	if (cfg->decode)
		rec_str(r, "decode", run_decodes[cfg->decode]);
	rec_str(r, "traffic", cfg->traffic);
	if (cfg->traffic) {
		rec_real(r, "traffic_bin_ms", (double)cfg->traffic_bin_ns / NS_PER_MS, 3);
		rec_str(r, "traffic_clock", run->live || cfg->latency.keys ? "monotonic" : "packets");
	}
	rec_str(r, "privileges", run->privileges);
	rec_end(r);
}

/* --- the short report --- */

static const char *say_messages(const struct channel_count *n, char *text, size_t size)
{
	if (n->messages)
		snprintf(text, size, "%s x %s", say_count((int64_t)n->messages), say_bytes((double)n->payload_bytes / (double)n->messages));
	else
		snprintf(text, size, "none");
	return text;
}

static void say_channels(struct rec *r, struct meter *m, double seconds)
{
	const struct channel_count *in = &m->sum[INPUT], *out = &m->sum[DISPLAY];
	double wire = (double)(in->wire_bytes + out->wire_bytes), payload = (double)(in->payload_bytes + out->payload_bytes);
	char up[80], down[80];

	rec_table(r, "lrr", "\tto server\tto client");
	rec_row(r, "  packets\t%s\t%s", say_count((int64_t)in->packets), say_count((int64_t)out->packets));
	rec_row(r, "  bytes on the wire\t%s\t%s\t%s %% of it headers", say_bytes((double)in->wire_bytes),
		say_bytes((double)out->wire_bytes),
		say_number(wire > payload ? 100 * (wire - payload) / wire : 0));
	if (seconds > 0)
		rec_row(r, "  average rate\t%s\t%s", say_bits(8 * (double)in->wire_bytes / seconds),
			say_bits(8 * (double)out->wire_bytes / seconds));
	rec_row(r, "  messages\t%s\t%s", say_messages(in, up, sizeof(up)), say_messages(out, down, sizeof(down)));
	if (m->gaps.n)
		rec_row(r, "  screen updates\t\t%s\tp50 gap %s, max %s", say_count((int64_t)m->update[0].count),
			say_ns(sample_quantile(&m->gaps, 0.5).value), say_ns((double)m->update[0].gaps.max));
	else
		rec_row(r, "  screen updates\t\t%s", say_count((int64_t)m->update[0].count));
}

static void say_capture(struct rec *r, struct capture_run *run, double seconds)
{
	struct meter *m = &run->meter;
	struct key_join *w = &run->latency.wire;
	uint64_t resent = m->sum[INPUT].retransmitted_packets + m->sum[DISPLAY].retransmitted_packets;
	char why[RUN_WHY];

	rec_main_table(r, "flows");
	if (!run->live && run_empty(run, why)) {
		rec_warn(r, "%s", why);
		rec_say(r, "%s packets read, none selected", say_count((int64_t)m->packets));
		return;
	}
	if (run_lost(run, why))
		rec_warn(r, "%s", why);
	if (!m->flows) {
		rec_say(r, "%s without a packet", say_ns(seconds * NS_PER_S));
		return;
	}
	rec_say(r, "%s, %s connection%s, %s packets, %s retransmitted", say_ns(seconds * NS_PER_S), say_count((int64_t)m->flows),
		m->flows == 1 ? "" : "s", say_count((int64_t)(m->sum[INPUT].packets + m->sum[DISPLAY].packets)), say_count((int64_t)resent));
	say_channels(r, m, seconds);
	if (run->cfg->latency.keys && w->low.n)
		rec_say(r, "keys: %zu of %zu paired exactly; answered after %s to %s ms (medians)", (size_t)w->exact, (size_t)w->keys,
			say_quantile(&w->low, 0.5, NS_PER_MS), say_quantile(&w->high, 0.5, NS_PER_MS));
}

void run_report(struct rec *r, struct capture_run *run, char *const *files)
{
	int64_t from_ns = run->live ? run->from_ns : run->meter.first_ns, to_ns = run->live ? run->until_ns : run->meter.last_ns;

	setup_finish(&run->meter.setup, to_ns);
	report_tap_settings(r, run, files);
	rec_object(r, "result");
	account_report(r, &run->meter);
	costs_report(r, &run->meter, from_ns, to_ns);
	payload_report(r, &run->meter);
	latency_report(r, &run->latency);
	report_capture(r, run);
	if (run->cfg->traffic) {
		rec_object(r, "traffic");
		rec_int(r, "rows", (int64_t)run->traffic.written);
		rec_int(r, "late_packets", (int64_t)run->traffic.late);
		rec_int(r, "skipped_bins", (int64_t)run->traffic.skipped);
		rec_end(r);
	}
	if (run->live)
		rec_real(r, "cpu_percent", run->cpu_percent, 3);
	rec_end(r);
	say_capture(r, run, (double)(to_ns - from_ns) / NS_PER_S);
}
