// SPDX-License-Identifier: GPL-3.0-or-later
#include "load_report.h"
#include "confine.h"
#include "held_up.h"
#include "say.h"

#include <math.h>
#include <string.h>

#define MEGA 1e6
#define HELD 0.005 /* deviation up to which a rate was kept */

/* Rate of `bytes` in `ns`; NAN: ns is 0, the time is not known. */
static double mbit_per_s(double bytes, int64_t ns)
{
	return ns > 0 ? bytes * 8 / ((double)ns / NS_PER_S) / MEGA : NAN;
}

/* Duration for received rates: of the sending, or of the receiving where that took longer. */
static int64_t receiving_span_ns(const struct load_counts *sender, const struct load_counts *receiver)
{
	return receiver->got_ns > sender->sent_ns ? receiver->got_ns : sender->sent_ns;
}

static double lost_percent(const struct stream_counts *sent, const struct stream_counts *got)
{
	return sent->sent_frames ? 100.0 * (double)(sent->sent_frames - got->got_frames) / (double)sent->sent_frames : NAN;
}

/* NAN: no rate was asked for. */
static double offered_mbit_s(const struct load_session *r)
{
	return r->load.rate ? (double)r->load.rate / MEGA : NAN;
}

/* Bits a second that an end sent, as --rate-in counts them; NAN: not known. */
static double sent_bits_per_s(const struct load_session *r, const struct load_counts *end)
{
	struct stream_counts all = load_sum_streams(end->lane, r->load.lanes);

	return MEGA * mbit_per_s((double)(r->load.payload_bits ? all.sent_payload : all.sent_wire), end->sent_ns);
}

/* Whether an end, &r->own or &r->other, kept the rate to within 0.5 %; true where no rate was asked for, false if not known. */
static bool is_rate_held(const struct load_session *r, const struct load_counts *end)
{
	return !r->load.rate || fabs(sent_bits_per_s(r, end) / (double)r->load.rate - 1) <= HELD;
}

/* Bits of the frames that are sent at once. */
static double batch_bits(const struct load_session *r)
{
	int64_t header = load_stream_frame_header(&r->lane[0], r->load.size);
	int64_t counted = r->load.size + (r->load.payload_bits ? 0 : header);

	return 8 * (double)tx_batch_bytes(&r->load, header) / (double)r->load.size * (double)counted;
}

bool report_warn_rate(struct rec_report *rec, const struct load_session *r, const struct load_counts *end)
{
	double sent = sent_bits_per_s(r, end), asked = (double)r->load.rate, seconds = (double)end->sent_ns / NS_PER_S;
	char why[80] = "the link takes no more, or an end did not get the CPU";

	if (is_rate_held(r, end) || (seconds < 0.5 && !end->given_up_frames && !end->refused_frames))
		return false;
	if (fabs(sent - asked) * seconds <= batch_bits(r))
		strcpy(why, "the load is too short for frames of this size: give a longer --time");
	else if (sent > asked && !load_sum_streams(end->lane, r->load.lanes).resent_frames)
		strcpy(why, "the kernel sent more frames than were asked for");
	else if (sent > asked)
		snprintf(why, sizeof(why), "%s sent again",
			 counted_text(load_sum_streams(end->lane, r->load.lanes).resent_frames, "frame"));
	rec_warn(rec, "%.4g of %.4g Mbit/s were sent%s: %s", sent / MEGA, asked / MEGA, end == &r->own ? "" : " back", why);
	return true;
}

static void report_mbit_s(struct rec_report *rec, const char *key, int64_t bits)
{
	rec_add_real(rec, key, bits < 0 ? NAN : (double)bits / MEGA, 6);
}

/* One direction of a load: what `from` sent and `to` received. A span of 0 ns: that end's counts are not known. */
struct load_direction {
	const struct load_counts *from, *to;
	bool sender_known, receiver_known;
	struct stream_counts sent, got;
	int64_t sent_ns, got_ns;
};

static struct load_direction make_direction(const struct load_session *r, const struct load_counts *from, bool sender_known,
					    const struct load_counts *to, bool receiver_known)
{
	return (struct load_direction){
		.from = from,
		.to = to,
		.sender_known = sender_known,
		.receiver_known = receiver_known,
		.sent = load_sum_streams(from->lane, r->load.lanes),
		.got = load_sum_streams(to->lane, r->load.lanes),
		.sent_ns = sender_known ? from->sent_ns : 0,
		.got_ns = receiver_known ? receiving_span_ns(from, to) : 0,
	};
}

/* Rates by the bits that --rate-in counts: of whole frames, or of their payload. */
static double sent_mbit_s(const struct load_session *r, const struct load_direction *d)
{
	return mbit_per_s((double)(r->load.payload_bits ? d->sent.sent_payload : d->sent.sent_wire), d->sent_ns);
}

static double received_mbit_s(const struct load_session *r, const struct load_direction *d)
{
	return mbit_per_s((double)(r->load.payload_bits ? d->got.got_payload : d->got.got_wire), d->got_ns);
}

static void report_direction(struct rec_report *rec, const struct load_session *r, const struct load_direction *d)
{
	const struct stream_counts *sent = &d->sent, *got = &d->got;
	bool tx = d->sender_known, rx = d->receiver_known, udp = r->load.udp, lost = tx && rx && udp;
	const struct {
		const char *key;
		bool known;
		int64_t n;
	} counts[] = {
		{ "sent_frames", tx, sent->sent_frames },
		{ "sent_wire_bytes", tx, sent->sent_wire },
		{ "sent_payload_bytes", tx, sent->sent_payload },
		{ "received_frames", rx, got->got_frames },
		{ "received_wire_bytes", rx, got->got_wire },
		{ "received_payload_bytes", rx, got->got_payload },
		{ "lost_frames", lost, sent->sent_frames - got->got_frames },
		{ "reordered_frames", rx && udp, got->reordered },
		{ "duplicate_frames", rx && udp, got->duplicate },
		{ "receiver_dropped_frames", rx && udp, d->to->dropped_frames },
		{ "resent_frames", tx && !udp, sent->resent_frames },
		{ "refused_frames", tx && udp, d->from->refused_frames },
		{ "given_up_frames", tx, d->from->given_up_frames },
	};

	rec_add_reals(rec, { "offered_mbit_s", offered_mbit_s(r), 6 }, { "sent_mbit_s", sent_mbit_s(r, d), 6 },
		      { "received_mbit_s", received_mbit_s(r, d), 6 }, { "seconds", tx ? (double)d->sent_ns / NS_PER_S : NAN, 6 });
	report_mbit_s(rec, "sent_lowest_second_mbit_s", tx ? d->from->sent_low : -1);
	report_mbit_s(rec, "sent_highest_second_mbit_s", tx ? d->from->sent_high : -1);
	report_mbit_s(rec, "received_lowest_second_mbit_s", rx ? d->to->got_low : -1);
	report_mbit_s(rec, "received_highest_second_mbit_s", rx ? d->to->got_high : -1);
	rec_add_real(rec, "sent_payload_mbit_s", mbit_per_s((double)sent->sent_payload, d->sent_ns), 6);
	rec_add_real(rec, "received_payload_mbit_s", mbit_per_s((double)got->got_payload, d->got_ns), 6);
	for (size_t i = 0; i < sizeof(counts) / sizeof(*counts); i++)
		rec_add_known_int(rec, counts[i].key, counts[i].known, counts[i].n);
	rec_add_real(rec, "lost_percent", lost ? lost_percent(sent, got) : NAN, 4);
	rec_add_real(rec, "behind_ms", tx && r->load.rate ? (double)d->from->behind_ns / NS_PER_MS : NAN, 3);
}

static void report_streams(struct rec_report *rec, const struct load_session *r, const struct send_facts *t)
{
	rec_begin_array(rec, "streams");
	for (int64_t i = 0; i < r->load.lanes; i++) {
		const struct stream_counts *a = &r->own.lane[i], *b = &r->other.lane[i];

		rec_begin_object(rec, NULL);
		rec_add_real(rec, "sent_mbit_s", mbit_per_s((double)a->sent_wire, r->own.sent_ns), 6);
		rec_add_int(rec, "sent_frames", a->sent_frames);
		rec_add_int(rec, "sent_wire_bytes", a->sent_wire);
		rec_add_real(rec, "received_mbit_s",
			     t->heard ? mbit_per_s((double)b->got_wire, receiving_span_ns(&r->own, &r->other)) : NAN, 6);
		rec_add_known_int(rec, "received_frames", t->heard, b->got_frames);
		rec_add_known_int(rec, "received_payload_bytes", t->heard, b->got_payload);
		rec_add_real(rec, "lost_percent", t->heard && r->load.udp ? lost_percent(a, b) : NAN, 4);
		rec_add_known_int(rec, "resent_frames", !r->load.udp, a->resent_frames);
		rec_end(rec);
	}
	rec_end(rec);
}

static void report_send_settings(struct rec_report *rec, const struct load_session *r, const struct send_facts *t)
{
	int64_t header = load_stream_frame_header(&r->lane[0], r->load.size);
	char rt[96];

	rt_describe(t->rt, rt, sizeof(rt));
	rec_begin_object(rec, "settings");
	rec_add_str(rec, "to", t->to);
	rec_add_str(rec, "transport", r->load.udp ? "udp" : "tcp");
	rec_add_str(rec, "congestion_control", r->load.udp ? NULL : r->lane[0].congestion);
	rec_add_real(rec, "rate_mbit_s", offered_mbit_s(r), 6);
	rec_add_str(rec, "counts", r->load.payload_bits ? "payload bits" : "frame bits");
	rec_add_bool(rec, "both", r->load.both);
	rec_add_ints(rec, { "streams", r->load.lanes }, { "payload_bytes_per_frame", r->load.size },
		     { "wire_bytes_per_frame", r->load.size + header });
	rec_add_real(rec, "time_s", r->load.time_ns ? (double)r->load.time_ns / NS_PER_S : NAN, 3);
	rec_add_str(rec, "spacing", r->load.random ? "random" : "even");
	rec_add_real(rec, "burst_us", (double)r->load.burst_ns / NS_PER_US, 3);
	rec_add_int(rec, "frames_at_once", r->load.rate ? tx_batch_bytes(&r->load, header) / r->load.size : 0);
	rec_add_real(rec, "catch_up_ms", (double)r->load.catch_up_ns / NS_PER_MS, 3);
	rec_add_int(rec, "seed", r->load.seed);
	rec_add_strs(rec, { "punctual_by", rt }, { "sandbox", confine_state() });
	rec_end(rec);
}

/* ---- for people ---- */

static void say_rate_row(struct rec_report *rec, const char *name, bool known, double mbit_s, int64_t low, const char *note)
{
	if (!known)
		rec_add_row(rec, "  %s\tnot known", name);
	else if (low < 0)
		rec_add_row(rec, "  %s\t%s\t\t%s", name, bit_rate_text(mbit_s * MEGA), note);
	else
		rec_add_row(rec, "  %s\t%s\tslowest second %s\t%s", name, bit_rate_text(mbit_s * MEGA),
			    number_text((double)low / MEGA), note);
}

static void say_direction(struct rec_report *rec, const struct load_session *r, const struct load_direction *d, const char *back,
			  const char *cpu)
{
	char name[32], note[128] = "";

	snprintf(name, sizeof(name), "sent%s", back);
	if (!r->load.udp)
		snprintf(note, sizeof(note), "retransmitted %s", count_text(d->sent.resent_frames));
	say_rate_row(rec, name, d->sender_known, sent_mbit_s(r, d), d->from->sent_low, note);
	snprintf(name, sizeof(name), "received%s", back);
	if (r->load.udp && d->sender_known && d->receiver_known)
		snprintf(note, sizeof(note), "lost %s of %s", count_text(d->sent.sent_frames - d->got.got_frames),
			 count_text(d->sent.sent_frames));
	say_rate_row(rec, name, d->receiver_known, received_mbit_s(r, d), d->to->got_low, r->load.udp ? note : cpu);
}

static void say_sent_load(struct rec_report *rec, const struct load_session *r, const struct send_facts *t,
			  const struct load_direction *there, const struct load_direction *back)
{
	double seconds = (double)r->own.sent_ns / NS_PER_S;
	char asked[64] = "as fast as possible", cpu[64] = "";

	if (r->load.rate)
		snprintf(asked, sizeof(asked), "%s of %s bits asked", bit_rate_text((double)r->load.rate),
			 r->load.payload_bits ? "payload" : "frame");
	if (seconds > 0 && t->heard)
		snprintf(cpu, sizeof(cpu), "CPU %s %% here, %s %% there", number_text(100 * t->cpu_s / seconds),
			 number_text((double)r->other.cpu_ns / NS_PER_S / seconds * 100));
	rec_say(rec, "%s to %s, %s, %s", r->load.udp ? "UDP" : "TCP", t->to, asked, ns_text((double)r->own.sent_ns));
	rec_begin_table(rec, "lrll", "%s", "");
	say_direction(rec, r, there, "", cpu);
	if (r->load.both)
		say_direction(rec, r, back, " back", "");
	if (r->load.rate && is_rate_held(r, &r->own) && (!r->load.both || is_rate_held(r, &r->other)))
		rec_say(rec, "Rate held.");
}

void report_sent_load(struct rec_report *rec, const struct load_session *r, const struct send_facts *t)
{
	struct load_direction there = make_direction(r, &r->own, true, &r->other, t->heard);
	struct load_direction back = make_direction(r, &r->other, t->heard, &r->own, true);

	report_send_settings(rec, r, t);
	rec_begin_object(rec, "result");
	report_direction(rec, r, &there);
	rec_add_bool(rec, "rate_held", is_rate_held(r, &r->own));
	rec_add_real(rec, "cpu_percent", r->own.sent_ns > 0 ? 100 * t->cpu_s / ((double)r->own.sent_ns / NS_PER_S) : NAN, 2);
	rec_add_real(rec, "receiver_cpu_percent",
		     t->heard && r->own.sent_ns > 0 ? 100 * (double)r->other.cpu_ns / (double)r->own.sent_ns : NAN, 2);
	rec_add_str(rec, "stopped_by", t->stopped_by);
	held_up_report(rec);
	if (r->load.both) {
		rec_begin_object(rec, "back");
		report_direction(rec, r, &back);
		rec_end(rec);
	}
	report_streams(rec, r, t);
	rec_end(rec);
	rec_set_table(rec, "streams");
	say_sent_load(rec, r, t, &there, &back);
}

void report_served_loads(struct rec_report *rec, const char *bind, int port, bool once, const struct serve_totals *s,
			 double seconds)
{
	rec_begin_object(rec, "settings");
	rec_add_str(rec, "bind", bind);
	rec_add_int(rec, "port", port);
	rec_add_bool(rec, "once", once);
	rec_add_str(rec, "sandbox", confine_state());
	rec_end(rec);
	rec_begin_object(rec, "result");
	rec_add_ints(rec, { "loads", (int64_t)s->loads }, { "loads_broken", (int64_t)s->broken },
		     { "peers_refused", (int64_t)s->refused }, { "received_payload_bytes", (int64_t)s->got_payload },
		     { "received_wire_bytes", (int64_t)s->got_wire }, { "sent_payload_bytes", (int64_t)s->sent_payload },
		     { "sent_wire_bytes", (int64_t)s->sent_wire });
	rec_add_real(rec, "seconds", seconds, 3);
	rec_end(rec);
	rec_say(rec, "%s in %s: %s received, %s sent", counted_text((int64_t)s->loads, "load"), ns_text(seconds * NS_PER_S),
		bytes_text((double)s->got_wire), bytes_text((double)s->sent_wire));
	if (s->broken || s->refused)
		rec_warn(rec, "%s broke off, %s refused", counted_text((int64_t)s->broken, "load"),
			 counted_text((int64_t)s->refused, "client"));
}
