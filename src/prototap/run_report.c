// SPDX-License-Identifier: GPL-3.0-or-later
#include "run.h"
#include "say.h"

#include <stdarg.h>
#include <string.h>

const char *const run_decodes[] = { "none", "rfb", "x11", "auto", NULL };

#define BOTH_ENDS_SHARE 10 /* of the packets, so many of which are in two files */

#define METER(member) COUNTER_FIELD(#member, struct capture_meter, member)

static void report_capture(struct rec_report *r, const struct run_state *run)
{
	static const struct report_counter fragments[] = {
		METER(first_fragments), COUNTER_FIELD("fragments", struct capture_meter, decoded[DECODED_FRAGMENT]),
		METER(fragment_wire_bytes), METER(fragment_ip_bytes),
	}, unread[] = {
		METER(truncated), COUNTER_FIELD("too_short", struct capture_meter, decoded[DECODED_SHORT]),
		COUNTER_FIELD("malformed", struct capture_meter, decoded[DECODED_MALFORMED]), METER(overlong),
	}, flows[] = {
		COUNTER_FIELD("flows_given_up", struct capture_meter, flows_evicted), COUNTER_FIELD("time_steps_back", struct capture_meter,
												    steps_back),
		COUNTER_FIELD("stray_times", struct capture_meter, strays), METER(largest_frame_bytes), METER(unanswered),
	};
	const struct capture_meter *m = &run->meter;
	struct why why;

	rec_begin_object(r, "capture");
	rec_add_int(r, "packets", (int64_t)m->packets);
	rec_add_int(r, "selected_packets", (int64_t)(m->decoded[DECODED_SEGMENT] - m->unasked - m->duplicates->copies));
	rec_add_int(r, "other_packets", (int64_t)(m->decoded[DECODED_OTHER] + m->unasked));
	rec_add_ints(r, { "copies", (int64_t)m->duplicates->copies }, { "translated", (int64_t)m->translated },
		     { "apart", (int64_t)m->duplicates->apart });
	REPORT_COUNTERS(r, fragments, m);
	rec_add_count(r, "dropped", run->drops.kernel);
	rec_add_count(r, "interface_dropped", run->drops.interface);
	rec_add_int(r, "untimed_packets", (int64_t)run->drops.untimed);
	REPORT_COUNTERS(r, unread, m);
	rec_add_int(r, "missing_bytes", (int64_t)(m->sum[INPUT].missing_bytes + m->sum[DISPLAY].missing_bytes));
	rec_add_int(r, "resynchronized", (int64_t)(m->sum[INPUT].resynchronized + m->sum[DISPLAY].resynchronized));
	REPORT_COUNTERS(r, flows, m);
	rec_add_count(r, "sorted_packets", run->live ? -1 : (int64_t)run->source->order.moved);
	rec_add_int(r, "start_ns", m->first_ns);
	rec_add_real(r, "duration_s", (double)(m->last_ns - m->first_ns) / NS_PER_S, 6);
	if (run->source->damaged) {
		rec_add_int(r, "damaged_files", run->source->damaged);
		rec_add_str(r, "damage", run->source->damage.text);
	}
	if (*run->error.text)
		rec_add_str(r, "ended_by", run->error.text);
	rec_add_str(r, "why_empty", run_is_empty(run, &why) ? why.text : NULL);
	rec_add_str(r, "why_lost", run_has_losses(run, &why) ? why.text : NULL);
	rec_end(r);
}

/* --- lost packets --- */

static void append_text(struct why *why, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void append_text(struct why *why, const char *format, ...)
{
	size_t n = strlen(why->text);
	va_list args;

	va_start(args, format);
	vsnprintf(why->text + n, sizeof(why->text) - n, format, args);
	va_end(args);
}

bool run_is_empty(const struct run_state *run, struct why *why)
{
	const struct run_cfg *cfg = run->cfg;
	struct port_count top[METER_PORTS];
	int n = meter_rank_ports(&run->meter, top);
	uint64_t others;

	*why->text = '\0';
	if (run->meter.flows || run->source->damaged)
		return false;
	if (!run->meter.packets) {
		append_text(why, "no packet at all in the capture");
		return true;
	}
	if (run->meter.decoded[DECODED_SHORT] && !n) {
		append_text(why, "the snap length is too short to decode %llu of %llu packets: take 96 bytes or more",
			    (unsigned long long)run->meter.decoded[DECODED_SHORT], (unsigned long long)run->meter.packets);
		return true;
	}
	append_text(why, "no TCP or UDP packet");
	if (cfg->port_name)
		append_text(why, " of %s%s", strspn(cfg->port_name, "0123456789") == strlen(cfg->port_name) ? "port " : "",
			    cfg->port_name);
	if (cfg->by_address)
		append_text(why, " of host %s", cfg->server_name);
	others = run->meter.packets - run->meter.decoded[DECODED_SHORT] - run->meter.decoded[DECODED_MALFORMED];
	if (!n)
		append_text(why, "; the capture has %llu packet%s of other kinds", (unsigned long long)others,
			    others == 1 ? "" : "s");
	if (run->meter.decoded[DECODED_MALFORMED])
		append_text(why, ", %llu malformed (headers do not fit, or another link type than the file says)",
			    (unsigned long long)run->meter.decoded[DECODED_MALFORMED]);
	if (run->meter.decoded[DECODED_SHORT])
		append_text(why, ", %llu captured too short to decode (snap length)",
			    (unsigned long long)run->meter.decoded[DECODED_SHORT]);
	for (int i = 0; i < n; i++)
		append_text(why, "%s %u (%llu packet%s, %llu bytes)", i ? "," : "; the capture has port", top[i].port,
			    (unsigned long long)top[i].packets, top[i].packets == 1 ? "" : "s",
			    (unsigned long long)top[i].wire_bytes);
	if (n && cfg->by_address)
		append_text(why, "; try it without --server");
	else if (n)
		append_text(why, "; try --port %u", top[0].port);
	return true;
}

static void append_count(struct why *why, uint64_t n, const char *what, const char *where)
{
	if (n)
		append_text(why, "%s%llu %s%s %s", *why->text ? "; " : "", (unsigned long long)n, what, n == 1 ? "" : "s", where);
}

/* Not where a mirror's late copy is in the next file of a ring. */
static bool are_both_ends(const struct capture_meter *m)
{
	return m->duplicates->apart > m->decoded[DECODED_SEGMENT] / BOTH_ENDS_SHARE;
}

bool run_has_losses(const struct run_state *run, struct why *why)
{
	const struct capture_meter *m = &run->meter;
	uint64_t strays = run->live || run->sorted ? 0 : m->strays;

	*why->text = '\0';
	if (run->source->damaged)
		append_text(why, "%s; packets before it were counted", run->source->damage.text);
	if (run->source->damaged > 1)
		append_text(why, "; %d more damaged file%s", run->source->damaged - 1, run->source->damaged > 2 ? "s" : "");
	if (*run->error.text)
		append_text(why, "%s%s; packets before it were counted", *why->text ? "; " : "", run->error.text);
	if (!run->live) /* live, the disk may have been full for a while: the program went on */
		append_count(why, run->unwritten, "write", "of --intervals or --metrics failed");
	append_count(why, run->drops.kernel > 0 ? (uint64_t)run->drops.kernel : 0, "packet",
		     run->live ? "dropped by the kernel (--buffer)" : "dropped while it was captured");
	append_count(why, run->drops.interface > 0 ? (uint64_t)run->drops.interface : 0, "packet", "dropped by the interface");
	append_count(why, m->sum[INPUT].missing_bytes + m->sum[DISPLAY].missing_bytes, "byte",
		     "of the connections missing from the capture");
	if (are_both_ends(m))
		append_text(why,
			    "%sthe files are of two places on the way, such as both ends (%llu packets are in both, up to %s "
			    "later): each counts once, but times are wrong; read one of the files",
			    *why->text ? "; " : "", (unsigned long long)m->duplicates->apart,
			    ns_text((double)m->duplicates->apart_ns));
	append_count(why, m->one_way, "connection", "of which only one direction is in the capture");
	append_count(why, m->decoded[DECODED_SHORT], "packet", "captured too short to count (snap length)");
	append_count(why, m->flows_evicted, "connection", "given up before the end (--flows-max)");
	append_count(why, run->latency.wire.missed_keys, "key", "outside the capture");
	append_count(why, run->live ? run->clock_sets : 0, "step",
		     "of the clock, which was set (or this host slept): times across that are wrong");
	append_count(why, run->drops.untimed, "packet", "without a time in the file (simple packet blocks): times are wrong");
	append_count(why, strays, "packet", "with a time out of line");
	if (strays)
		append_text(why, " (by up to %s): times there are wrong", ns_text((double)m->stray_ns));
	append_count(why, run->live ? 0 : m->steps_back - strays, "step",
		     run->sorted ? "back in time, too far to sort; reordercap sorts the file, unless the clock was set"
				 : "back in time: the clock was set, and times across that are wrong");
	return *why->text;
}

/* All selected ports, or only those of X displays. */
static void report_ports(struct rec_report *r, const char *key, const struct server_ports *ports, bool displays)
{
	rec_begin_array(r, key);
	for (size_t i = 0; i < ports->spans; i++)
		for (int port = ports->span[i].from; port <= ports->span[i].to; port++)
			if (!displays || ports->use[port] == PORT_DISPLAY)
				rec_add_int(r, NULL, port);
	rec_end(r);
}

static void report_settings(struct rec_report *r, const struct run_state *run, char *const *files)
{
	const struct run_cfg *cfg = run->cfg;

	rec_begin_object(r, "settings");
	if (run->live) {
		rec_add_strs(r, { "interface", cfg->interface }, { "offloads", run->offloads },
			     { "timestamps", capture_get_format(run->source->live)->nanoseconds ? "kernel, ns" : "kernel, us" });
		rec_add_int(r, "snaplen_bytes", capture_get_format(run->source->live)->snaplen);
		rec_add_int(r, "buffer_bytes", cfg->buffer_bytes);
		rec_add_str(r, "written_to", cfg->write_path);
	} else {
		rec_begin_array(r, "files");
		for (; *files; files++)
			rec_add_str(r, NULL, *files);
		rec_end(r);
	}
	rec_add_str(r, "link", source_link_layer(run->source)->name);
	rec_add_str(r, "wire_bytes_are", wire_bytes_text(run->link));
	report_ports(r, "ports", cfg->ports, false);
	report_ports(r, "display_ports", cfg->ports, true);
	rec_add_str(r, "server", cfg->server_name);
	rec_add_real(r, "period_ms", (double)cfg->period_ns / NS_PER_MS, 3);
	rec_add_real(r, "merge_ms", (double)cfg->merge_ns / NS_PER_MS, 3);
	rec_add_int(r, "warmup", cfg->warmup);
	rec_add_str(r, "keys", cfg->latency.keys);
	rec_add_str(r, "rows", cfg->latency.rows);
	if (cfg->decode)
		rec_add_str(r, "decode", run_decodes[cfg->decode]);
	rec_add_str(r, "traffic", cfg->traffic);
	if (cfg->traffic) {
		rec_add_real(r, "traffic_bin_ms", (double)cfg->traffic_bin_ns / NS_PER_MS, 3);
		rec_add_str(r, "traffic_clock", run->live || cfg->latency.keys ? "monotonic" : "packets");
	}
	rec_add_strs(r, { "privileges", run->privileges }, { "sandbox", confine_state() });
	rec_end(r);
}

/* --- the short report --- */

static const char *messages_text(const struct channel_counts *n, char *text, size_t size)
{
	if (n->messages)
		snprintf(text, size, "%s x %s", count_text((int64_t)n->messages),
			 bytes_text((double)n->payload_bytes / (double)n->messages));
	else
		snprintf(text, size, "none");
	return text;
}

/* With what fills a frame up. What is sent again is payload. */
static uint64_t header_bytes(const struct channel_counts *n)
{
	return n->wire_bytes - n->ip_bytes + n->ip_header_bytes + n->tcp_header_bytes + n->udp_header_bytes;
}

static void say_channels(struct rec_report *r, struct capture_meter *m, double seconds)
{
	const struct channel_counts *in = &m->sum[INPUT], *out = &m->sum[DISPLAY];
	double wire = (double)(in->wire_bytes + out->wire_bytes), headers = (double)(header_bytes(in) + header_bytes(out));
	int64_t open = meter_open_gap(m), closed = m->update[0].gaps.max;
	char up[80], down[80];

	rec_begin_table(r, "lrr", "\tto server\tto client");
	rec_add_row(r, "  packets\t%s\t%s", count_text((int64_t)in->packets), count_text((int64_t)out->packets));
	rec_add_row(r, "  bytes on the wire\t%s\t%s\t%s %% of it headers", bytes_text((double)in->wire_bytes),
		    bytes_text((double)out->wire_bytes), number_text(wire > 0 ? 100 * headers / wire : 0));
	if (seconds > 0)
		rec_add_row(r, "  average rate\t%s\t%s", bit_rate_text(8 * (double)in->wire_bytes / seconds),
			    bit_rate_text(8 * (double)out->wire_bytes / seconds));
	rec_add_row(r, "  messages\t%s\t%s", messages_text(in, up, sizeof(up)), messages_text(out, down, sizeof(down)));
	if (m->gaps.n)
		rec_add_row(r, "  screen updates\t\t%s\tp50 gap %s, max %s%s", count_text((int64_t)update_count_all(&m->update[0])),
			    ns_text(sample_quantile(&m->gaps, 0.5).value), open > closed ? ">" : "",
			    ns_text((double)(open > closed ? open : closed)));
	else
		rec_add_row(r, "  screen updates\t\t%s", count_text((int64_t)update_count_all(&m->update[0])));
	if (open > closed && m->open_inputs)
		rec_say(r, "no update in the last %s, though %s came", ns_text((double)open),
			counted_text((int64_t)m->open_inputs, "input message"));
}

static void say_summary(struct rec_report *r, struct run_state *run, double seconds)
{
	struct capture_meter *m = &run->meter;
	struct key_update_join *w = &run->latency.wire;
	char address[FLOW_ADDRESS];
	uint64_t lost = m->sum[INPUT].lost_before_packets + m->sum[DISPLAY].lost_before_packets;
	uint64_t resent = m->sum[INPUT].retransmitted_packets + m->sum[DISPLAY].retransmitted_packets;
	struct why why;

	rec_set_table(r, "flows");
	if (!run->live && run_is_empty(run, &why)) {
		rec_warn(r, "%s", why.text);
		rec_say(r, "%s read, none selected", counted_text((int64_t)m->packets, "packet"));
		return;
	}
	if (run_has_losses(run, &why))
		rec_warn(r, "%s", why.text);
	else if (!run->live && m->pause_ns >= METER_PAUSE_NS)
		rec_warn(r, "two packets are %s apart: if nothing paused, the clock was set forward, and times across it are wrong",
			 ns_text((double)m->pause_ns));
	if (m->decoded[DECODED_MALFORMED])
		rec_warn(r, "%s not counted: malformed", counted_text((int64_t)m->decoded[DECODED_MALFORMED], "packet"));
	if (m->overlong)
		rec_warn(r, "%s longer in the file than on the wire: cut to the length on the wire",
			 counted_text((int64_t)m->overlong, "packet"));
	if (m->duplicates->copies > m->translated)
		rec_warn(r, "%s left out as copies: captured twice, as at a mirror port or with -i any",
			 counted_text((int64_t)(m->duplicates->copies - m->translated), "packet"));
	if (m->translated)
		rec_warn(r, "%s left out as copies, translated (the others: --server %s)",
			 counted_text((int64_t)m->translated, "packet"),
			 flow_address(&m->translated_key, m->translated_server, address));
	if (!m->flows) {
		rec_say(r, "%s without a packet", ns_text(seconds * NS_PER_S));
		return;
	}
	rec_say(r, "%s, %s, %s, %s retransmitted", ns_text(seconds * NS_PER_S), counted_text((int64_t)m->flows, "connection"),
		counted_text((int64_t)(m->sum[INPUT].packets + m->sum[DISPLAY].packets), "packet"),
		m->sum[INPUT].tcp_header_bytes + m->sum[DISPLAY].tcp_header_bytes ? count_text((int64_t)resent)
										  : "not known (UDP) how many");
	if (lost)
		rec_say(r, "%s sent again since %s lost before the capture point", counted_text((int64_t)lost, "more packet"),
			lost == 1 ? "it was" : "they were");
	if (m->unanswered)
		rec_say(r, "%s the server answered nothing", counted_text((int64_t)m->unanswered, "connection to which"));
	say_channels(r, m, seconds);
	say_holds(r, m);
	if (run->cfg->decode)
		say_decoded(r, &m->contents);
	if (run->source->order.moved)
		rec_say(r, "%s stood behind later ones and %s sorted by time",
			counted_text((int64_t)run->source->order.moved, "packet"), run->source->order.moved == 1 ? "was" : "were");
	if (run->cfg->latency.keys && w->low.n)
		rec_say(r, "keys: %zu of %zu paired exactly%s; answered after %s to %s ms (medians)", (size_t)w->exact,
			(size_t)w->keys, run->cfg->latency.noise.window_ns ? "" : " if no update came by itself (--idle)",
			stat_text(&w->low, 0.5, NS_PER_MS), stat_text(&w->high, 0.5, NS_PER_MS));
}

void run_report(struct rec_report *r, struct run_state *run, char *const *files)
{
	int64_t from_ns = run->live ? run->from_ns : run->meter.first_ns, to_ns = run->live ? run->until_ns : run->meter.last_ns;

	session_end_setup(&run->meter.setup, to_ns);
	report_settings(r, run, files);
	rec_begin_object(r, "result");
	report_traffic(r, &run->meter);
	report_phases(r, &run->meter, from_ns, to_ns);
	report_holds(r, &run->meter);
	report_protocols(r, &run->meter);
	latency_report(r, &run->latency);
	report_capture(r, run);
	if (run->cfg->traffic) {
		rec_begin_object(r, "traffic");
		rec_add_ints(r, { "rows", (int64_t)run->traffic.written }, { "late_packets", (int64_t)run->traffic.late },
			     { "skipped_bins", (int64_t)run->traffic.skipped });
		rec_end(r);
	}
	if (run->live)
		rec_add_real(r, "cpu_percent", run->cpu_percent, 3);
	rec_end(r);
	say_summary(r, run, (double)(to_ns - from_ns - (run->live ? run->set_ns : 0)) / NS_PER_S);
}
