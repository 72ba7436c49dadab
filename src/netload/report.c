// SPDX-License-Identifier: GPL-3.0-or-later
#include "report.h"
#include "say.h"

#include <math.h>

#define MEGA 1e6
#define HELD 0.005

/* Bits a second in Mbit/s. */
static double mbit_per_s(double bytes, int64_t ns)
{
	return ns > 0 ? bytes * 8 / ((double)ns / NS_PER_S) / MEGA : NAN;
}

/* The sums over the streams of what one end counted. */
static struct lane_count sum_lanes(const struct side *s, int64_t lanes)
{
	struct lane_count all = { 0 };

	for (int64_t i = 0; i < lanes; i++) {
		const struct lane_count *c = &s->lane[i];

		all.sent_frames += c->sent_frames;
		all.sent_payload += c->sent_payload;
		all.sent_wire += c->sent_wire;
		all.resent_frames += c->resent_frames;
		all.got_frames += c->got_frames;
		all.got_payload += c->got_payload;
		all.got_wire += c->got_wire;
		all.reordered += c->reordered;
		all.duplicate += c->duplicate;
	}
	return all;
}

/* The time that what came was spread over: that of its sending, or longer where it was held up. */
static int64_t receive_span(const struct side *sender, const struct side *receiver)
{
	return receiver->got_ns > sender->sent_ns ? receiver->got_ns : sender->sent_ns;
}

static double lost_percent(const struct lane_count *sent, const struct lane_count *got)
{
	return sent->sent_frames ? 100.0 * (double)(sent->sent_frames - got->got_frames) / (double)sent->sent_frames : NAN;
}

double report_offered(const struct trip *r)
{
	return r->load.rate ? (double)r->load.rate / MEGA : NAN;
}

double report_sent(const struct trip *r)
{
	struct lane_count all = sum_lanes(&r->own, r->load.lanes);

	return mbit_per_s((double)(r->load.payload_bits ? all.sent_payload : all.sent_wire), r->own.sent_ns);
}

bool report_held(const struct trip *r)
{
	return !r->load.rate || fabs(report_sent(r) / report_offered(r) - 1) <= HELD;
}

static void rec_rate(struct rec *rec, const char *key, int64_t bits)
{
	rec_real(rec, key, bits < 0 ? NAN : (double)bits / MEGA, 6);
}

/* One direction: what `from` sent and `to` received. */
static void direction(struct rec *rec, const struct trip *r, const struct side *from, const struct side *to,
		      bool sender_known, bool receiver_known)
{
	struct lane_count sent = sum_lanes(from, r->load.lanes), got = sum_lanes(to, r->load.lanes);
	bool both = sender_known && receiver_known;

	rec_real(rec, "offered_mbit_s", report_offered(r), 6);
	rec_real(rec, "sent_mbit_s",
		 sender_known ? mbit_per_s((double)(r->load.payload_bits ? sent.sent_payload : sent.sent_wire), from->sent_ns) : NAN, 6);
	rec_real(rec, "received_mbit_s",
		 receiver_known ? mbit_per_s((double)(r->load.payload_bits ? got.got_payload : got.got_wire), receive_span(from, to)) : NAN, 6);
	rec_real(rec, "seconds", sender_known ? (double)from->sent_ns / NS_PER_S : NAN, 6);
	rec_rate(rec, "sent_lowest_second_mbit_s", sender_known ? from->sent_low : -1);
	rec_rate(rec, "sent_highest_second_mbit_s", sender_known ? from->sent_high : -1);
	rec_rate(rec, "received_lowest_second_mbit_s", receiver_known ? to->got_low : -1);
	rec_rate(rec, "received_highest_second_mbit_s", receiver_known ? to->got_high : -1);
	rec_real(rec, "sent_payload_mbit_s", sender_known ? mbit_per_s((double)sent.sent_payload, from->sent_ns) : NAN, 6);
	rec_real(rec, "received_payload_mbit_s", receiver_known ? mbit_per_s((double)got.got_payload, receive_span(from, to)) : NAN, 6);
	rec_known(rec, "sent_frames", sender_known, sent.sent_frames);
	rec_known(rec, "sent_wire_bytes", sender_known, sent.sent_wire);
	rec_known(rec, "sent_payload_bytes", sender_known, sent.sent_payload);
	rec_known(rec, "received_frames", receiver_known, got.got_frames);
	rec_known(rec, "received_wire_bytes", receiver_known, got.got_wire);
	rec_known(rec, "received_payload_bytes", receiver_known, got.got_payload);
	rec_known(rec, "lost_frames", both && r->load.udp, sent.sent_frames - got.got_frames);
	rec_real(rec, "lost_percent", both && r->load.udp ? lost_percent(&sent, &got) : NAN, 4);
	rec_known(rec, "reordered_frames", receiver_known && r->load.udp, got.reordered);
	rec_known(rec, "duplicate_frames", receiver_known && r->load.udp, got.duplicate);
	rec_known(rec, "receiver_dropped_frames", receiver_known && r->load.udp, to->dropped_frames);
	rec_known(rec, "resent_frames", sender_known && !r->load.udp, sent.resent_frames);
	rec_known(rec, "refused_frames", sender_known && r->load.udp, from->refused_frames);
	rec_known(rec, "given_up_frames", sender_known, from->given_up_frames);
	rec_real(rec, "behind_ms", sender_known && r->load.rate ? (double)from->behind_ns / NS_PER_MS : NAN, 3);
}

static void report_streams(struct rec *rec, const struct trip *r, const struct report_facts *t)
{
	rec_array(rec, "streams");
	for (int64_t i = 0; i < r->load.lanes; i++) {
		const struct lane_count *a = &r->own.lane[i], *b = &r->other.lane[i];

		rec_object(rec, NULL);
		rec_real(rec, "sent_mbit_s", mbit_per_s((double)a->sent_wire, r->own.sent_ns), 6);
		rec_int(rec, "sent_frames", a->sent_frames);
		rec_int(rec, "sent_wire_bytes", a->sent_wire);
		rec_real(rec, "received_mbit_s", t->heard ? mbit_per_s((double)b->got_wire, receive_span(&r->own, &r->other)) : NAN, 6);
		rec_known(rec, "received_frames", t->heard, b->got_frames);
		rec_known(rec, "received_payload_bytes", t->heard, b->got_payload);
		rec_real(rec, "lost_percent", t->heard && r->load.udp ? lost_percent(a, b) : NAN, 4);
		rec_known(rec, "resent_frames", !r->load.udp, a->resent_frames);
		rec_end(rec);
	}
	rec_end(rec);
}

static void report_load_settings(struct rec *rec, const struct trip *r, const struct report_facts *t)
{
	char rt[96];

	rt_describe(t->rt, rt, sizeof(rt));
	rec_object(rec, "settings");
	rec_str(rec, "to", t->to);
	rec_str(rec, "transport", r->load.udp ? "udp" : "tcp");
	rec_real(rec, "rate_mbit_s", report_offered(r), 6);
	rec_str(rec, "counts", r->load.payload_bits ? "payload bits" : "frame bits");
	rec_bool(rec, "both", r->load.both);
	rec_int(rec, "streams", r->load.lanes);
	rec_int(rec, "payload_bytes_per_frame", r->load.size);
	rec_int(rec, "wire_bytes_per_frame", r->load.size + r->lane[0].header);
	rec_real(rec, "time_s", r->load.time_ns ? (double)r->load.time_ns / NS_PER_S : NAN, 3);
	rec_str(rec, "spacing", r->load.random ? "random" : "even");
	rec_real(rec, "burst_us", (double)r->load.burst_ns / NS_PER_US, 3);
	rec_int(rec, "frames_at_once", r->load.rate ? push_batch_bytes(&r->load, r->lane[0].header) / r->load.size : 0);
	rec_real(rec, "catch_up_ms", (double)r->load.catch_up_ns / NS_PER_MS, 3);
	rec_int(rec, "seed", r->load.seed);
	rec_str(rec, "punctual_by", rt);
	rec_end(rec);
}

/* ---- for people ---- */

static void say_side(struct rec *rec, const char *name, bool known, double mbit_s, int64_t low, const char *note)
{
	if (!known)
		rec_row(rec, "  %s\tnot known", name);
	else if (low < 0)
		rec_row(rec, "  %s\t%s\t\t%s", name, say_bits(mbit_s * MEGA), note);
	else
		rec_row(rec, "  %s\t%s\tslowest second %s\t%s", name, say_bits(mbit_s * MEGA), say_number((double)low / MEGA), note);
}

static void say_direction(struct rec *rec, const struct trip *r, const struct side *from, const struct side *to, bool sender_known,
			  bool receiver_known, const char *back, const char *cpu)
{
	struct lane_count sent = sum_lanes(from, r->load.lanes), got = sum_lanes(to, r->load.lanes);
	bool payload = r->load.payload_bits;
	char name[32], note[128];

	snprintf(name, sizeof(name), "sent%s", back);
	snprintf(note, sizeof(note), "retransmitted %s", say_count(sent.resent_frames));
	say_side(rec, name, sender_known, mbit_per_s((double)(payload ? sent.sent_payload : sent.sent_wire), from->sent_ns),
		 from->sent_low, r->load.udp ? "" : note);
	snprintf(name, sizeof(name), "received%s", back);
	if (r->load.udp && sender_known && receiver_known)
		snprintf(note, sizeof(note), "lost %s of %s", say_count(sent.sent_frames - got.got_frames), say_count(sent.sent_frames));
	say_side(rec, name, receiver_known, mbit_per_s((double)(payload ? got.got_payload : got.got_wire), receive_span(from, to)),
		 to->got_low, r->load.udp ? note : cpu);
}

static void say_send(struct rec *rec, const struct trip *r, const struct report_facts *t)
{
	double seconds = (double)r->own.sent_ns / NS_PER_S;
	char asked[64] = "as fast as it goes", cpu[64] = "";

	if (r->load.rate)
		snprintf(asked, sizeof(asked), "%s of %s bits asked", say_bits((double)r->load.rate),
			 r->load.payload_bits ? "payload" : "frame");
	if (seconds > 0 && t->heard)
		snprintf(cpu, sizeof(cpu), "CPU %s %% here, %s %% there", say_number(100 * t->cpu_s / seconds),
			 say_number((double)r->other.cpu_ns / NS_PER_S / seconds * 100));
	rec_say(rec, "%s to %s, %s, %s", r->load.udp ? "UDP" : "TCP", t->to, asked, say_ns((double)r->own.sent_ns));
	rec_table(rec, "lrll", "%s", "");
	say_direction(rec, r, &r->own, &r->other, true, t->heard, "", cpu);
	if (r->load.both)
		say_direction(rec, r, &r->other, &r->own, t->heard, true, " back", "");
	if (r->load.rate && report_held(r))
		rec_say(rec, "Rate held.");
}

void report_send(struct rec *rec, const struct trip *r, const struct report_facts *t)
{
	report_load_settings(rec, r, t);
	rec_object(rec, "result");
	direction(rec, r, &r->own, &r->other, true, t->heard);
	rec_bool(rec, "rate_held", report_held(r));
	rec_real(rec, "cpu_percent", r->own.sent_ns > 0 ? 100 * t->cpu_s / ((double)r->own.sent_ns / NS_PER_S) : NAN, 2);
	rec_real(rec, "receiver_cpu_percent",
		 t->heard && r->own.sent_ns > 0 ? 100 * (double)r->other.cpu_ns / (double)r->own.sent_ns : NAN, 2);
	rec_str(rec, "stopped_by", t->stopped_by);
	if (r->load.both) {
		rec_object(rec, "back");
		direction(rec, r, &r->other, &r->own, t->heard, true);
		rec_end(rec);
	}
	report_streams(rec, r, t);
	rec_end(rec);
	rec_main_table(rec, "streams");
	say_send(rec, r, t);
}

void report_served(struct rec *rec, const char *bind, int port, bool once, const struct served *s, double seconds)
{
	rec_object(rec, "settings");
	rec_str(rec, "bind", bind);
	rec_int(rec, "port", port);
	rec_bool(rec, "once", once);
	rec_end(rec);
	rec_object(rec, "result");
	rec_int(rec, "loads", (int64_t)s->loads);
	rec_int(rec, "loads_broken", (int64_t)s->broken);
	rec_int(rec, "peers_refused", (int64_t)s->refused);
	rec_int(rec, "received_payload_bytes", (int64_t)s->got_payload);
	rec_int(rec, "received_wire_bytes", (int64_t)s->got_wire);
	rec_int(rec, "sent_payload_bytes", (int64_t)s->sent_payload);
	rec_int(rec, "sent_wire_bytes", (int64_t)s->sent_wire);
	rec_real(rec, "seconds", seconds, 3);
	rec_end(rec);
	rec_say(rec, "%s loads in %s: %s received, %s sent", say_count((int64_t)s->loads), say_ns(seconds * NS_PER_S),
		say_bytes((double)s->got_wire), say_bytes((double)s->sent_wire));
	if (s->broken || s->refused)
		rec_warn(rec, "%s loads broke off, %s peers were refused", say_count((int64_t)s->broken), say_count((int64_t)s->refused));
}
