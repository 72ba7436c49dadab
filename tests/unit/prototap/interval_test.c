// SPDX-License-Identifier: GPL-3.0-or-later
/* interval and verdict - hand-made connections: waits, ranges, round trips, bounded memory; whose fault a rise is. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdbool.h>
#include <string.h>
#include <cmocka.h>

#include "prototap/interval.h"

#define MS 1000000LL
#define S (1000 * MS)

static struct interval_row rows[64];
static int n_rows, n_ends;

static void keep_row(void *context, const struct interval_row *row)
{
	(void)context;
	if (n_rows < 64)
		rows[n_rows] = *row;
	n_rows++;
}

static void count_end(void *context, int64_t start_ns, int64_t length_ns)
{
	(void)context;
	(void)start_ns;
	(void)length_ns;
	n_ends++;
}

static struct server_ports ports;
static struct intervals t;
static struct flow f;

static int begin(void **state)
{
	(void)state;
	intervals_free(&t);
	memset(&f, 0, sizeof(f));
	f.key.port[0] = 40000;
	f.key.port[1] = 3389;
	f.server = 1;
	t = (struct intervals){ .every_ns = S, .merge_ns = 10 * MS, .period_ns = 50 * MS, .ports = &ports, .row = keep_row,
				.end = count_end };
	n_rows = n_ends = 0;
	return 0;
}

static int end(void **state)
{
	(void)state;
	intervals_free(&t);
	return 0;
}

/* A packet with payload, which acknowledges data of `took` ago (-1: none). */
static void packet(int channel, int64_t at, int64_t took)
{
	static const uint8_t bytes[100] = { 'x', 'x' };
	struct segment s = { .payload_bytes = 10, .wire_bytes = 64, .window = 100, .flags = TCP_ACK, .payload_at = 54 };
	struct packet p = { .time_ns = at, .bytes = bytes, .captured = 64, .original = 64 };
	struct meter_observed_packet seen = { .segment = &s, .packet = &p, .ack = { .took_ns = took } };

	interval_observe_packet(&t, &f, channel, &seen);
	interval_observe_data(&t, &f, channel, at, 10);
}

static void near(int64_t value, int64_t wanted)
{
	assert_true(value >= wanted - wanted * 16 / 1000 && value <= wanted + wanted * 16 / 1000);
}

static void a_histogram_is_off_by_less_than_it_says(void **state)
{
	(void)state;
	for (int64_t ns = 1; ns < 130 * S; ns += ns / 7 + 1) {
		struct response_time_histogram h = { 0 };
		int64_t error;

		response_histogram_add_time(&h, ns / 2);
		response_histogram_add_time(&h, ns);
		response_histogram_add_time(&h, ns * 2);
		error = response_histogram_quantile(&h, 0.5) - ns;
		assert_true((error < 0 ? -error : error) <= ns * 16 / 1000 + 300);
		assert_int_equal(h.max_ns, ns * 2);
		assert_int_equal(h.min_ns, ns / 2);
	}
}

static void an_input_waits_for_the_next_update(void **state)
{
	(void)state;
	for (int i = 0; i < 5; i++) {
		packet(INPUT, 100 * S + i * 150 * MS, 20 * MS);
		packet(DISPLAY, 100 * S + i * 150 * MS + 40 * MS, 30 * MS);
	}
	intervals_advance(&t, 101 * S);
	assert_int_equal(n_rows, 1);
	assert_int_equal(rows[0].start_ns, 100 * S);
	assert_int_equal(rows[0].inputs, 5);
	assert_int_equal(rows[0].updates, 5);
	near(rows[0].next_p50, 40 * MS);
	assert_int_equal(rows[0].next_max, 40 * MS);
	near(rows[0].latest_p50, 40 * MS);	/* as many updates as inputs: exact */
	assert_int_equal(rows[0].gap, 150 * MS);
	near(rows[0].ack[DISPLAY], 20 * MS);
	near(rows[0].ack[INPUT], 30 * MS);
	assert_int_equal(rows[0].waiting, -1);
	assert_int_equal(rows[0].reply, -1);
}

static void inputs_that_share_an_update_have_a_range(void **state)
{
	(void)state;
	packet(INPUT, 100 * S, -1);
	packet(INPUT, 100 * S + 10 * MS, -1);
	packet(INPUT, 100 * S + 20 * MS, -1);
	packet(DISPLAY, 100 * S + 50 * MS, -1);		/* the first at the latest */
	packet(DISPLAY, 100 * S + 150 * MS, -1);	/* the second; and as the display rests from here, the third */
	intervals_advance(&t, 101 * S);
	assert_int_equal(rows[0].next_max, 50 * MS);
	near(rows[0].next_p50, 40 * MS);
	intervals_advance(&t, 102 * S + 500 * MS);
	assert_int_equal(n_rows, 1);	/* no packet, nothing waits for its next update */
	packet(DISPLAY, 102 * S + 600 * MS, -1);
	intervals_advance(&t, 103 * S);
	near(rows[1].latest_p50, 130 * MS);
}

static void an_input_without_an_update_waits_and_is_given_up(void **state)
{
	(void)state;
	packet(DISPLAY, 99 * S, -1);
	packet(INPUT, 100 * S + 500 * MS, -1);
	intervals_advance(&t, 103 * S);
	assert_int_equal(n_rows, 4);
	assert_int_equal(rows[1].waiting, 500 * MS);
	assert_int_equal(rows[3].waiting, 2500 * MS);
	intervals_advance(&t, 120 * S);
	assert_int_equal(n_rows, 12);
	assert_int_equal(rows[11].unanswered, 1);
	assert_int_equal(rows[11].waiting, -1);
}

static void connections_leave(void **state)
{
	(void)state;
	for (uint32_t i = 0; i < INTERVAL_FLOWS + 5; i++) {
		f.key.port[0] = (uint16_t)i;
		f.hash = i * 7;
		packet(INPUT, 100 * S, -1);
	}
	assert_int_equal(t.flows, INTERVAL_FLOWS);
	assert_true(t.beyond > 0);
	f.key.port[0] = 3;
	f.hash = 21;
	f.reset = true;
	packet(INPUT, 100 * S + MS, -1);
	intervals_advance(&t, 101 * S);
	assert_int_equal(t.flows, INTERVAL_FLOWS - 1);
	intervals_advance(&t, 100 * S + 2 * INTERVAL_SILENT_NS);
	assert_int_equal(t.flows, 0);
}

static void a_clock_that_jumps_costs_no_loop(void **state)
{
	(void)state;
	packet(INPUT, 100 * S, -1);
	intervals_advance(&t, 1000000000 * S);
	assert_true(n_ends <= 3601);
	assert_int_equal(t.start_ns, 1000000000 * S);
	intervals_advance(&t, 50 * S);
	assert_int_equal(t.start_ns, 50 * S);
}

static void what_a_user_did(void **state)
{
	static const uint8_t request[10] = { 3, 1 }, down[8] = { 4, 1 }, up[8] = { 4, 0 }, move[6] = { 5, 0 }, drag[6] = { 5, 1 };
	static const uint8_t both[18] = { 3, 1, [10] = 4, 1 }, sealed[8] = { 23, 3, 3 }, motion[32] = { 6 }, press[32] = { 2 };
	static const uint8_t reply[72] = { 1, [7] = 0, [32] = 4 }, fence[10] = { 248, [8] = 1 }, qemu[12] = { 255, 0, 0, 1 };

	(void)state;
	assert_false(is_payload_user_input(INTERVAL_RFB, request, sizeof(request)));
	assert_false(is_payload_user_input(INTERVAL_RFB, down + 1, 1));	/* of the handshake */
	assert_true(is_payload_user_input(INTERVAL_RFB, down, 0));
	assert_true(is_payload_user_input(INTERVAL_RFB, down, sizeof(down)));
	assert_false(is_payload_user_input(INTERVAL_RFB, up, sizeof(up)));
	assert_false(is_payload_user_input(INTERVAL_RFB, move, sizeof(move)));
	assert_true(is_payload_user_input(INTERVAL_RFB, drag, sizeof(drag)));
	assert_true(is_payload_user_input(INTERVAL_RFB, both, sizeof(both)));
	assert_true(is_payload_user_input(INTERVAL_RFB, sealed, sizeof(sealed)));
	assert_false(is_payload_user_input(INTERVAL_RFB, fence, sizeof(fence)));
	assert_true(is_payload_user_input(INTERVAL_RFB, qemu, sizeof(qemu)));
	assert_false(is_payload_user_input(INTERVAL_X11, motion, sizeof(motion)));
	assert_true(is_payload_user_input(INTERVAL_X11, press, sizeof(press)));
	assert_true(is_payload_user_input(INTERVAL_X11, reply, sizeof(reply)));
	assert_true(is_payload_user_input(INTERVAL_OPAQUE, request, sizeof(request)));
}

/* Ten usual intervals, then one of these figures in ms (-1: not known). */
static enum verdict_word judge(bool near_server, int wait, int client_ack, int server_ack, int reply)
{
	struct verdict_interval_readings usual = { .part = { 40 * MS, 10 * MS, near_server ? MS / 2 : 20 * MS, 15 * MS }, .packets = 100,
				      .server_is_near = near_server };
	struct verdict_interval_readings now = { .part = { wait * MS, client_ack * MS, server_ack * MS, reply * MS }, .packets = 100,
				    .server_is_near = near_server };
	struct verdict_baseline b;

	verdict_baseline_init(&b);
	for (int i = 0; i < 10; i++)
		verdict_judge_and_learn(&b, (100 + i) * S, &usual);
	if (wait < 0)
		now.part[PART_WAIT] = -1;
	return verdict_judge_and_learn(&b, 110 * S, &now).word;
}

static void a_rise_has_a_cause(void **state)
{
	(void)state;
	assert_int_equal(judge(true, 45, 12, 1, 15), VERDICT_USUAL);
	assert_int_equal(judge(true, 40, 110, 1, 115), VERDICT_NETWORK);	/* on the client's side */
	assert_int_equal(judge(false, 140, 10, 120, 15), VERDICT_NETWORK);	/* on the server's side */
	assert_int_equal(judge(true, 140, 10, 40, 15), VERDICT_SERVER);
	assert_int_equal(judge(false, 240, 10, 60, 15), VERDICT_SERVER);	/* 40 ms are a delayed acknowledgement */
	assert_int_equal(judge(false, 75, 10, 55, 15), VERDICT_UNKNOWN);	/* the update carried the acknowledgement */
	assert_int_equal(judge(true, 140, 45, 1, 130), VERDICT_CLIENT);
	assert_int_equal(judge(true, -1, 10, 1, 900), VERDICT_CLIENT);		/* stopped: no inputs either */
	assert_int_equal(judge(true, -1, 10, 1, 15), VERDICT_IDLE);
}

static void lost_packets_and_closed_windows(void **state)
{
	struct verdict_interval_readings seen = { .part = { 40 * MS, 10 * MS, 20 * MS, -1 }, .packets = 100 };
	struct verdict_baseline b, copy;

	(void)state;
	verdict_baseline_init(&b);
	for (int i = 0; i < VERDICT_FIRST; i++)
		assert_int_equal(verdict_judge_and_learn(&b, (100 + i) * S, &seen).word, VERDICT_LEARNING);
	seen.part[PART_WAIT] = 80 * MS;
	seen.part[PART_SERVER_ACK] = 50 * MS;
	copy = b;
	assert_int_equal(verdict_judge_and_learn(&copy, 103 * S, &seen).word, VERDICT_UNKNOWN);
	seen.retransmitted = 5;
	copy = b;
	assert_int_equal(verdict_judge_and_learn(&copy, 103 * S, &seen).word, VERDICT_NETWORK);
	seen.zero_windows = 1;
	assert_int_equal(verdict_judge_and_learn(&b, 103 * S, &seen).word, VERDICT_CLIENT);
}

static void what_lasts_becomes_usual(void **state)
{
	struct verdict_interval_readings seen = { .part = { 40 * MS, -1, MS, -1 }, .packets = 100, .server_is_near = true };
	struct verdict_baseline b, copy;

	(void)state;
	verdict_baseline_init(&b);
	for (int i = 0; i < 10; i++)
		verdict_judge_and_learn(&b, (100 + i) * S, &seen);
	seen.part[PART_WAIT] = 200 * MS;
	copy = b;
	for (int i = 0; i < VERDICT_MEMORY; i++)
		copy.least[PART_SERVER_ACK][i] = -1;	/* UDP */
	assert_int_equal(verdict_judge_and_learn(&copy, 111 * S, &seen).word, VERDICT_UNKNOWN);
	assert_int_equal(verdict_judge_and_learn(&b, 111 * S, &seen).word, VERDICT_SERVER);
	for (int64_t at = 120; at < 120 + 17 * 60; at += 10)
		verdict_judge_and_learn(&b, at * S, &seen);
	assert_int_equal(verdict_judge_and_learn(&b, (120 + 18 * 60) * S, &seen).word, VERDICT_USUAL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_histogram_is_off_by_less_than_it_says),
		cmocka_unit_test_setup_teardown(an_input_waits_for_the_next_update, begin, end),
		cmocka_unit_test_setup_teardown(inputs_that_share_an_update_have_a_range, begin, end),
		cmocka_unit_test_setup_teardown(an_input_without_an_update_waits_and_is_given_up, begin, end),
		cmocka_unit_test_setup_teardown(connections_leave, begin, end),
		cmocka_unit_test_setup_teardown(a_clock_that_jumps_costs_no_loop, begin, end),
		cmocka_unit_test(what_a_user_did),
		cmocka_unit_test(a_rise_has_a_cause),
		cmocka_unit_test(lost_packets_and_closed_windows),
		cmocka_unit_test(what_lasts_becomes_usual),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
