// SPDX-License-Identifier: GPL-3.0-or-later
/* meter - hand-made packets of one connection: what observers see, and what is counted. */
#include "wire/meter.h"
#include "../unit.h"

#define MS 1000000LL

static struct server_ports ports;
static struct capture_meter m;

/* A packet of side `c` in raw IPv4: 10.0.0.1:40000 is the client, 10.0.0.2:5900 the server. */
static void add(int64_t time_ns, int c, int flags, uint32_t seq, uint32_t ack, const char *payload)
{
	uint32_t n = (uint32_t)strlen(payload);
	uint16_t port[2] = { 40000, 5900 };
	uint8_t bytes[256] = { 0x45, 0, 0, (uint8_t)(40 + n), 0, 0, 0x40, 0, 64, 6 };
	struct packet p = { .time_ns = 1000 * MS + time_ns, .bytes = bytes, .captured = 40 + n, .original = 40 + n };

	bytes[12] = bytes[16] = 10;
	bytes[15] = (uint8_t)(1 + c);
	bytes[19] = (uint8_t)(2 - c);
	for (int i = 0; i < 2; i++) {
		bytes[20 + i] = (uint8_t)(port[c] >> (8 - 8 * i));
		bytes[22 + i] = (uint8_t)(port[1 - c] >> (8 - 8 * i));
	}
	for (int i = 0; i < 4; i++) {
		bytes[24 + i] = (uint8_t)(seq >> (24 - 8 * i));
		bytes[28 + i] = (uint8_t)(ack >> (24 - 8 * i));
	}
	bytes[32] = 0x50;
	bytes[33] = (uint8_t)flags;
	bytes[34] = 0x20;
	memcpy(bytes + 40, payload, n);
	meter_add_packet(&m, LINK_IP, &p);
}

static int begin_with(const struct meter_cfg *more)
{
	struct meter_cfg cfg = *more;

	cfg.ports = &ports;
	cfg.period_ns = cfg.merge_ns = 10 * MS;
	cfg.flows_max = cfg.flows_shown = 8;
	cfg.waits_max = 64;
	return meter_init(&m, &cfg);
}

/* A sender 10 ms away; the piece at 1010 is not seen when its followers are. */
static void add_hole_filled_after(int64_t late_ns)
{
	struct meter_cfg cfg = { 0 };

	assert_int_equal(begin_with(&cfg), 0);
	add(0, INPUT, TCP_SYN, 99, 0, "");
	add(10 * MS, DISPLAY, TCP_SYN | TCP_ACK, 999, 100, "");
	add(10 * MS, INPUT, TCP_ACK, 100, 1000, "");
	add(20 * MS, DISPLAY, TCP_ACK | TCP_PSH, 1000, 100, "0123456789");
	add(30 * MS, DISPLAY, TCP_ACK | TCP_PSH, 1020, 100, "0123456789");
	add(31 * MS, INPUT, TCP_ACK, 100, 1010, "");
	add(30 * MS + late_ns, DISPLAY, TCP_ACK | TCP_PSH, 1010, 100, "0123456789");
	add(31 * MS + late_ns, INPUT, TCP_ACK, 100, 1030, "");
	meter_finish(&m);
	assert_int_equal(m.sum[DISPLAY].retransmitted_packets, 0);
	assert_int_equal(m.sum[DISPLAY].out_of_order_packets, 1);
	assert_int_equal(m.sum[DISPLAY].payload_bytes, 30);
}

TEST(what_fills_a_hole_later_than_a_round_trip_was_lost_before)
{
	add_hole_filled_after(200 * MS);
	assert_int_equal(m.sum[DISPLAY].lost_before_packets, 1);
	assert_int_equal(m.sum[INPUT].lost_before_packets, 0);
	meter_free(&m);
	add_hole_filled_after(2 * MS); /* overtaken on the way */
	assert_int_equal(m.sum[DISPLAY].lost_before_packets, 0);
	meter_free(&m);
	add_hole_filled_after(9 * MS);
	assert_int_equal(m.sum[DISPLAY].lost_before_packets, 0);
	meter_free(&m);
}

/* The port of the one that was connected to is a viewer's. */
TEST(who_greets_first_is_the_server)
{
	struct meter_cfg cfg = { 0 };

	assert_int_equal(begin_with(&cfg), 0);
	add(0, INPUT, TCP_SYN, 99, 0, "");
	add(10 * MS, DISPLAY, TCP_SYN | TCP_ACK, 999, 100, "");
	add(10 * MS, INPUT, TCP_ACK, 100, 1000, "");
	add(11 * MS, INPUT, TCP_ACK | TCP_PSH, 100, 1000, "RFB 003.008\n");
	add(12 * MS, DISPLAY, TCP_ACK | TCP_PSH, 1000, 112, "RFB 003.008\n");
	meter_finish(&m);
	assert_int_equal(m.top.flow[0].server, 0);
	assert_int_equal(m.top.flow[0].server_clue, BY_GREETING);
	assert_int_equal(m.sum[DISPLAY].packets, 3);
	assert_int_equal(m.sum[INPUT].packets, 2);
	assert_int_equal(m.sum[DISPLAY].payload_bytes, 12);
	assert_int_equal(m.setup.count[PLACE_SETUP][DISPLAY].packets, 3);
	assert_int_equal(m.sum[DISPLAY].retransmitted_packets + m.sum[DISPLAY].missing_bytes + m.sum[INPUT].missing_bytes, 0);
	meter_free(&m);
}

TEST(an_answer_to_a_greeting_that_is_not_there_is_the_clients)
{
	struct meter_cfg cfg = { 0 };

	assert_int_equal(begin_with(&cfg), 0);
	add(0, INPUT, TCP_SYN, 99, 0, "");
	add(10 * MS, DISPLAY, TCP_SYN | TCP_ACK, 999, 100, "");
	add(12 * MS, INPUT, TCP_ACK | TCP_PSH, 100, 1012, "RFB 003.008\n");
	meter_finish(&m);
	assert_int_equal(m.top.flow[0].server, 1);
	assert_int_equal(m.sum[INPUT].payload_bytes, 12);
	meter_free(&m);
}

TEST(a_connection_without_an_answer_is_counted)
{
	struct meter_cfg cfg = { 0 };

	assert_int_equal(begin_with(&cfg), 0);
	add(0, INPUT, TCP_SYN, 99, 0, "");
	add(1000 * MS, INPUT, TCP_SYN, 99, 0, "");
	meter_finish(&m);
	assert_int_equal(m.unanswered, 1);
	meter_free(&m);
	assert_int_equal(begin_with(&cfg), 0); /* the answer is not in the capture, but the client has it */
	add(0, INPUT, TCP_SYN, 99, 0, "");
	add(10 * MS, INPUT, TCP_ACK, 100, 1000, "");
	meter_finish(&m);
	assert_int_equal(m.unanswered, 0);
	meter_free(&m);
}

struct witness {
	int packets, begun;
};

static void watch_packet(void *context, const struct flow *f, int c, const struct meter_packet *seen)
{
	struct witness *w = context;

	(void)seen;
	w->packets++;
	w->begun += f->begun[c];
}

static void watch_data(void *context, const struct flow *f, int c, int64_t time_ns, uint64_t bytes)
{
	(void)context;
	(void)f;
	(void)c;
	(void)time_ns;
	(void)bytes;
}

TEST(observers_see_that_a_connection_begins_with_its_first_packet)
{
	struct witness w = { 0 };
	struct meter_cfg cfg = { .taps = 1, .tap[0] = { .context = &w, .packet = watch_packet, .data = watch_data } };

	assert_int_equal(begin_with(&cfg), 0);
	add(0, INPUT, TCP_SYN, 99, 0, "");
	add(1 * MS, DISPLAY, TCP_SYN | TCP_ACK, 499, 100, "");
	assert_int_equal(w.packets, 2);
	assert_int_equal(w.begun, 2);
	meter_free(&m);
}
