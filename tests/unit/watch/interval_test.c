// SPDX-License-Identifier: GPL-3.0-or-later
/* interval and verdict - hand-made connections: waits, ranges, round trips, bounded memory; whose fault a rise is. */
#include "watch/interval.h"
#include "../unit.h"

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

static void count_end(void *context, int64_t start_ns, int64_t length_ns, int64_t dropped, bool clock_set)
{
	(void)context;
	(void)start_ns;
	(void)length_ns;
	(void)dropped;
	(void)clock_set;
	n_ends++;
}

static struct server_ports ports;
static struct intervals t;
static struct flow f;
static uint32_t size; /* of messages */

static int begin(void **state)
{
	(void)state;
	intervals_free(&t);
	memset(&f, 0, sizeof(f));
	f.key.port[0] = 40000;
	f.key.port[1] = 5900;
	f.server = 1;
	f.begun[INPUT] = true;
	t = (struct intervals){
		.every_ns = S, .merge_ns = 10 * MS, .period_ns = 50 * MS, .ports = &ports, .row = keep_row, .end = count_end
	};
	n_rows = n_ends = 0;
	size = 10;
	return 0;
}

static int end(void **state)
{
	(void)state;
	intervals_free(&t);
	return 0;
}

static uint32_t sent[CHANNELS];

/* A packet with payload, which acknowledges all data so far, or none. */
static void packet(int channel, int64_t at, bool acknowledges)
{
	static const uint8_t bytes[100] = { [54] = 4, 1 }; /* of the client: a key goes down (RFB) */
	struct segment s = { .payload_bytes = size,
			     .wire_bytes = 64,
			     .window = 100,
			     .payload_at = 54,
			     .flags = acknowledges ? TCP_ACK : 0,
			     .seq = sent[channel],
			     .ack = sent[1 - channel] };
	struct packet p = { .time_ns = at, .bytes = bytes, .captured = 64, .original = 64 };
	struct meter_packet seen = { .segment = &s, .packet = &p, .ack = { .took_ns = -1 } };

	sent[channel] += size;

	interval_add_packet(&t, &f, channel, &seen);
	interval_add_data(&t, &f, channel, at, size);
}

static void near(int64_t value, int64_t wanted)
{
	assert_true(value >= wanted - wanted * 16 / 1000 && value <= wanted + wanted * 16 / 1000);
}

TEST(a_histogram_is_off_by_less_than_it_says)
{
	for (int64_t ns = 1; ns < 130 * S; ns += ns / 7 + 1) {
		struct response_times h = { 0 };
		int64_t error;

		response_add(&h, ns / 2);
		response_add(&h, ns);
		response_add(&h, ns * 2);
		error = response_quantile(&h, 0.5) - ns;
		assert_true((error < 0 ? -error : error) <= ns * 16 / 1000 + 300);
		assert_int_equal(h.max_ns, ns * 2);
		assert_int_equal(h.min_ns, ns / 2);
	}
}

/* Data on its way together: each is acknowledged 200 ms after it was sent, while newer data still waits. */
TEST_WITH(begin, end, round_trips_are_whole_while_data_follows_data)
{
	for (int i = 0; i < 20; i++) {
		packet(INPUT, 100 * S + i * 50 * MS, false);
		if (i >= 4) {
			sent[INPUT] -= 40;
			packet(DISPLAY, 100 * S + i * 50 * MS + MS, true);
			sent[INPUT] += 40;
		}
	}
	intervals_advance(&t, 101 * S);
	near(rows[0].ack[INPUT], 201 * MS);
}

/* In an encrypted protocol the pointer moves, then the picture changes 20 times a second: either after a key that is released as
 * soon as its echo comes, or by itself, which the client acknowledges at once. */
static struct verdict judge_sealed(bool typed)
{
	begin(NULL);
	f.key.port[1] = 3389;
	size = 61;
	for (int i = 0; i < 12; i++)
		packet(INPUT, 99 * S + i * 70 * MS, true);
	size = 40;
	for (int64_t at = 100 * S; at < 106 * S; at += 50 * MS) {
		if (typed)
			packet(INPUT, at, true);
		packet(DISPLAY, at + 5 * MS, true);
		packet(INPUT, at + 5 * MS + MS / 10, true);
	}
	intervals_advance(&t, 106 * S);
	assert_int_equal(rows[5].inputs, 0);
	assert_int_equal(rows[5].updates, 20);
	return rows[5].verdict;
}

TEST_WITH(begin, end, a_row_whose_acknowledgements_may_be_keys_is_not_idle)
{
	struct verdict v = judge_sealed(true);

	assert_int_equal(v.word, VERDICT_UNKNOWN);
	assert_int_equal(v.why, WHY_FRAMES);
	assert_int_equal(judge_sealed(false).word, VERDICT_IDLE);
}

TEST_WITH(begin, end, inputs_that_share_an_update_have_a_range)
{
	packet(INPUT, 100 * S, false);
	packet(INPUT, 100 * S + 10 * MS, false);
	packet(INPUT, 100 * S + 20 * MS, false);
	packet(DISPLAY, 100 * S + 50 * MS, false);  /* the first at the latest */
	packet(DISPLAY, 100 * S + 150 * MS, false); /* the second; and as the display rests from here, the third */
	intervals_advance(&t, 101 * S);
	assert_int_equal(rows[0].next_max, 50 * MS);
	near(rows[0].next_p50, 40 * MS);
	intervals_advance(&t, 102 * S + 500 * MS);
	assert_int_equal(n_rows, 1); /* no packet, nothing waits for its next update */
	packet(DISPLAY, 102 * S + 600 * MS, false);
	intervals_advance(&t, 103 * S);
	near(rows[1].latest_p50, 130 * MS);
}

TEST_WITH(begin, end, an_input_without_an_update_waits_and_is_given_up)
{
	packet(DISPLAY, 99 * S, false);
	packet(INPUT, 100 * S + 500 * MS, false);
	intervals_advance(&t, 103 * S);
	assert_int_equal(n_rows, 4);
	assert_int_equal(rows[1].waiting, 500 * MS);
	assert_int_equal(rows[3].waiting, 2500 * MS);
	intervals_advance(&t, 120 * S);
	assert_int_equal(n_rows, 12);
	assert_int_equal(rows[11].unanswered, 1);
	assert_int_equal(rows[11].waiting, -1);
}

/* The first packet came amid an interval, the capture ends amid one. */
TEST_WITH(begin, end, the_first_and_last_row_have_their_own_length)
{
	packet(INPUT, 100 * S + 300 * MS, false);
	packet(INPUT, 101 * S + 200 * MS, false);
	packet(INPUT, 102 * S + 100 * MS, false);
	intervals_finish(&t, 102 * S + 400 * MS);
	assert_int_equal(n_rows, 3);
	assert_int_equal(rows[0].start_ns, 100 * S + 300 * MS);
	assert_int_equal(rows[0].length_ns, 700 * MS);
	assert_int_equal(rows[1].length_ns, S);
	assert_int_equal(rows[2].start_ns, 102 * S);
	assert_int_equal(rows[2].length_ns, 400 * MS);
}

/* A key waits as its connection is reset; the next one has the same ends, and is not older than the capture. */
TEST_WITH(begin, end, inputs_end_with_their_connection)
{
	struct segment syn = { .wire_bytes = 64, .window = 100, .flags = TCP_SYN };
	struct packet p = { .time_ns = 109 * S };

	packet(INPUT, 100 * S, false);
	f.begun[INPUT] = false;
	interval_add_packet(&t, &f, INPUT, &(struct meter_packet){ .segment = &syn, .packet = &p, .ack = { .took_ns = -1 } });
	f.begun[INPUT] = true;
	packet(DISPLAY, 109 * S + 200 * MS, false);
	packet(INPUT, 109 * S + 500 * MS, false);
	packet(DISPLAY, 109 * S + 520 * MS, false);
	intervals_advance(&t, 112 * S);
	assert_int_equal(rows[9].unanswered, 1);
	assert_int_equal(rows[9].next_max, 20 * MS);
	assert_int_equal(rows[9].gap, 320 * MS);
	assert_int_equal(rows[9].unpaired, 0);
}

/* More inputs than fit wait: the oldest stays, so its age is right, and all others are counted. */
TEST_WITH(begin, end, inputs_beyond_the_ring_are_counted)
{
	packet(DISPLAY, 99 * S, false);
	for (int i = 0; i < INTERVAL_WAITING + 500; i++)
		packet(INPUT, 100 * S + i * 5 * MS, false);
	packet(DISPLAY, 108 * S, false);
	intervals_advance(&t, 109 * S);
	assert_int_equal(rows[8].waiting, 8 * S);
	assert_int_equal(rows[6].untimed + rows[5].untimed + rows[7].untimed + rows[8].untimed, 500);
	assert_int_equal(rows[9].next_max, 8 * S);
	assert_int_equal(rows[9].unanswered, 0);
}

/* Five inputs share an update; then each input has its own: the last of them must not wait for the next one for ever. */
/* Each update comes 300 ms after its input and soon after the next one: as many updates as inputs, and none answers that one. */
TEST_WITH(begin, end, latest_holds_where_the_server_lags_by_an_input)
{
	for (int scatter = 0; scatter <= 10; scatter += 5) { /* keys of a machine; of people */
		begin(state);
		for (int i = 0; i < 40; i++) {
			int64_t at = 100 * S + (i * 250 + i * 7 % 5 * scatter) * MS;

			packet(INPUT, at, false);
			if (i)
				packet(DISPLAY, 100 * S + ((i - 1) * 250 + (i - 1) * 7 % 5 * scatter + 300) * MS, false);
		}
		intervals_advance(&t, 110 * S);
		for (int i = 1; i < 10; i++) {
			assert_true(rows[i].next_p50 < 100 * MS);
			near(rows[i].latest_p50, 300 * MS);
		}
	}
}

/* Presses every 300 ms, each released after 70 ms and answered after 20 ms, `stop_ns` without updates, then all answered again:
 * how many of the ten presses after the stop count for the verdict. */
static int count_presses_after_stop(int64_t stop_ns)
{
	struct opaque_client c = { 0 };
	int64_t at = 100 * S, stops = at + 30 * S, goes_on = stops + stop_ns, end = goes_on + 3 * S;
	bool learned;
	int input = 0;

	for (; at < end; at += 300 * MS) {
		bool counts = opaque_add_message(&c, 30, at, 0, 0, -1, &learned) == MESSAGE_INPUT;

		input += at >= goes_on && counts;
		if (at < stops || at >= goes_on)
			opaque_add_update(&c, at + 20 * MS, -1, false);
		opaque_add_message(&c, 30, at + 70 * MS, 0, 0, -1, &learned);
	}
	return input;
}

TEST(keys_pressed_in_a_stop_say_little)
{
	assert_int_equal(count_presses_after_stop(0), 10);
	assert_int_equal(count_presses_after_stop(60 * S), 10);
	assert_int_equal(count_presses_after_stop(9 * S), 10);
}

TEST_WITH(begin, end, connections_leave)
{
	for (uint32_t i = 0; i < INTERVAL_FLOWS + 5; i++) {
		f.key.port[0] = (uint16_t)i;
		f.hash = i * 7;
		packet(INPUT, 100 * S, false);
	}
	assert_int_equal(t.flows, INTERVAL_FLOWS);
	assert_int_equal(t.others.row.others, 5);
	assert_int_equal(t.others.row.packets, 5);
	f.key.port[0] = 3;
	f.hash = 21;
	f.reset = true;
	packet(INPUT, 100 * S + MS, false);
	intervals_advance(&t, 101 * S);
	assert_int_equal(t.flows, INTERVAL_FLOWS - 1);
	intervals_advance(&t, 100 * S + 2 * INTERVAL_SILENT_NS);
	assert_int_equal(t.flows, 0);
}

TEST_WITH(begin, end, what_was_usual_outlasts_a_break)
{
	packet(INPUT, 100 * S, false);
	intervals_advance(&t, 100 * S + 2 * INTERVAL_SILENT_NS);
	assert_int_equal(t.flows, 1);
	intervals_advance(&t, 100 * S + 2 * INTERVAL_AWAY_NS);
	intervals_advance(&t, 102 * S + 2 * INTERVAL_AWAY_NS);
	assert_int_equal(t.flows, 0);
}

TEST_WITH(begin, end, a_clock_that_jumps_costs_no_loop)
{
	packet(INPUT, 100 * S, false);
	intervals_advance(&t, 1000000000 * S);
	assert_true(n_ends <= 3601);
	assert_int_equal(t.start_ns, 1000000000 * S);
	intervals_advance(&t, 50 * S);
	assert_int_equal(t.start_ns, 50 * S);
}

/* The hour that the clock was set forward is none in which nothing was done. */
TEST_WITH(begin, end, a_clock_that_is_set_forward_skips_that_time)
{
	packet(INPUT, 100 * S, false);
	intervals_note_clock_set(&t, 3700 * S);
	packet(INPUT, 3700 * S, false);
	assert_int_equal(n_ends, 1);
	intervals_advance(&t, 3703 * S);
	assert_int_equal(n_ends, 4);
	intervals_note_clock_set(&t, 3703 * S + MS); /* by little: the pause that follows is one */
	packet(INPUT, 3703 * S + 2 * MS, false);
	intervals_advance(&t, 3707 * S);
	assert_int_equal(n_ends, 8);
}

TEST(what_a_user_did)
{
	static const struct {
		enum input_protocol kind;
		size_t n;
		enum client_message message;
		uint8_t bytes[120], buttons;
	} cases[] = {
		{ INTERVAL_RFB, 10, MESSAGE_REPLY, { 3, 1 }, 0 }, /* a request */
		{ INTERVAL_RFB, 1, MESSAGE_OTHER, { 1 }, 0 },	  /* of the handshake */
		{ INTERVAL_RFB, 0, MESSAGE_OPAQUE, { 4, 1 }, 0 },
		{ INTERVAL_RFB, 8, MESSAGE_INPUT, { 4, 1 }, 0 },
		{ INTERVAL_RFB, 8, MESSAGE_OTHER, { 4, 0 }, 0 },			    /* released */
		{ INTERVAL_RFB, 8, MESSAGE_OTHER, { 4, 1, [6] = 0xff, 0xe3 }, 0 },	    /* Control_L */
		{ INTERVAL_RFB, 12, MESSAGE_OTHER, { 255, 0, 0, 1, [6] = 0xff, 0xe9 }, 0 }, /* Alt_L */
		{ INTERVAL_X11, 32, MESSAGE_OTHER, { 2, 37 }, 0 },			    /* Control_L */
		{ INTERVAL_RFB, 18, MESSAGE_INPUT, { 3, 1, [10] = 4, 1 }, 0 },
		{ INTERVAL_RFB, 18, MESSAGE_INPUT, { 6, [7] = 2, [10] = 4, 1 }, 0 }, /* behind clipboard text */
		{ INTERVAL_RFB, 10, MESSAGE_REPLY, { 248, [8] = 1 }, 0 },
		{ INTERVAL_RFB, 12, MESSAGE_INPUT, { 255, 0, 0, 1 }, 0 },
		{ INTERVAL_RFB, 8, MESSAGE_OPAQUE, { 23, 3, 3 }, 0 }, /* TLS */
		{ INTERVAL_RFB, 6, MESSAGE_OTHER, { 5, 0 }, 0 },      /* the pointer moves; */
		{ INTERVAL_RFB, 6, MESSAGE_INPUT, { 5, 1 }, 1 },
		{ INTERVAL_RFB, 6, MESSAGE_OTHER, { 5, 1 }, 1 }, /* is dragged; */
		{ INTERVAL_RFB, 6, MESSAGE_INPUT, { 5, 3 }, 3 }, /* a second button; */
		{ INTERVAL_RFB, 6, MESSAGE_OTHER, { 5, 1 }, 1 },
		{ INTERVAL_RFB, 6, MESSAGE_OTHER, { 5, 0 }, 0 },
		{ INTERVAL_RFB, 6, MESSAGE_INPUT, { 5, 1 }, 1 }, /* and the first one again */
		{ INTERVAL_X11, 32, MESSAGE_OTHER, { 6 }, 1 },	 /* motion */
		{ INTERVAL_X11, 32, MESSAGE_OTHER, { 3 }, 1 },	 /* a key released */
		{ INTERVAL_X11, 32, MESSAGE_REPLY, { 1 }, 1 },
		{ INTERVAL_X11, 32, MESSAGE_INPUT, { 2 }, 1 },
		{ INTERVAL_X11, 72, MESSAGE_INPUT, { 1, [7] = 0, [32] = 4 }, 1 },	    /* a button behind a reply */
		{ INTERVAL_X11, 68, MESSAGE_INPUT, { 1, [4] = 1, [32] = 9, [36] = 2 }, 1 }, /* a key behind one of 4 more bytes */
		{ INTERVAL_X11, 84, MESSAGE_INPUT, { 35, 131, [4] = 13, [8] = 2, [32] = 6 }, 1 },  /* XI_KeyPress */
		{ INTERVAL_X11, 84, MESSAGE_INPUT, { 35, 131, [7] = 13, [9] = 4, [32] = 6 }, 1 },  /* XI_ButtonPress, big-endian */
		{ INTERVAL_X11, 116, MESSAGE_OTHER, { 35, 131, [4] = 13, [8] = 6, [84] = 6 }, 1 }, /* XI_Motion */
		{ INTERVAL_X11, 32, MESSAGE_REPLY, { 35, 148, [8] = 2 }, 1 },			   /* PresentIdleNotify */
		{ INTERVAL_X11, 64, MESSAGE_INPUT, { 35, 148, [8] = 2, [32] = 2 }, 1 },
		{ INTERVAL_OPAQUE, 10, MESSAGE_OPAQUE, { 3, 1 }, 1 },
	};
	uint8_t buttons = 0; /* of the cases in this order */

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		assert_int_equal(input_classify_payload(cases[i].kind, cases[i].bytes, cases[i].n, &buttons), cases[i].message);
		assert_int_equal(buttons, cases[i].buttons);
	}
}

/* --- verdicts --- */

static struct verdict_readings seen;
static struct verdict_baseline b;

static void read_anew(bool near_server)
{
	seen = (struct verdict_readings){
		.length_ns = S, .open_ns = { -1, -1, -1, -1, -1 }, .packets = 100, .server_is_near = near_server
	};
}

/* An interval with four inputs, each with these times in ms (-1: none). */
static struct verdict judge_interval(int wait, int client_ack, int server_ack, int reply)
{
	const int ms[VERDICT_PARTS] = { wait, client_ack, server_ack, reply, -1, -1, -1 };

	for (int p = 0; p < VERDICT_PARTS; p++)
		for (int i = 0; i < 4 && ms[p] >= 0; i++)
			usual_add_value(&b.part[p], ms[p] * MS);
	return verdict_add_interval(&b, &seen);
}

/* So many of them, each with this verdict. */
static void expect(int times, int wait, int client_ack, int server_ack, int reply, enum verdict_word word)
{
	for (int i = 0; i < times; i++)
		assert_int_equal(judge_interval(wait, client_ack, server_ack, reply).word, word);
}

/* One of them, of which nothing is learned. */
static struct verdict try_interval(int wait, int client_ack, int server_ack, int reply)
{
	struct verdict_baseline before = b;
	struct verdict v = judge_interval(wait, client_ack, server_ack, reply);

	b = before;
	return v;
}

/* Forty usual intervals. */
static void learn_anew(bool near_server, int client_ack, int server_ack, int reply)
{
	read_anew(near_server);
	verdict_init(&b);
	for (int i = 0; i < 40; i++)
		judge_interval(40, client_ack, server_ack, reply);
}

/* Whose a wait of 640 ms is, where 40 are usual. */
static enum verdict_word judge_late_wait(struct verdict_wait w)
{
	learn_anew(true, 10, 1, 15);
	w.part = PART_WAIT;
	w.host = VERDICT_SERVER;
	w.took_ns = w.least_ns = 640 * MS;
	verdict_add_wait(&b, &seen.late, &w);
	return try_interval(40, 10, 1, 15).word;
}

TEST(a_late_wait_is_told_by_its_own_packets)
{
	assert_int_equal(judge_late_wait((struct verdict_wait){ .way_ns = 40 * MS, .acked = true }), VERDICT_SERVER);
	assert_int_equal(judge_late_wait((struct verdict_wait){ .way_ns = 200 * MS, .acked = true }), VERDICT_SERVER);
	assert_int_equal(judge_late_wait((struct verdict_wait){ .way_ns = 600 * MS }), VERDICT_NETWORK);
	assert_int_equal(judge_late_wait((struct verdict_wait){ .way_ns = 600 * MS, .lost = true }), VERDICT_NETWORK);
	assert_int_equal(judge_late_wait((struct verdict_wait){ .way_ns = 0, .lost = true }), VERDICT_UNKNOWN);
	assert_int_equal(judge_late_wait((struct verdict_wait){ .closed_ns = 400 * MS }), VERDICT_CLIENT);
	assert_int_equal(judge_late_wait((struct verdict_wait){ .busy_ns = 400 * MS }), VERDICT_UNKNOWN);
	assert_int_equal(judge_late_wait((struct verdict_wait){ .way_ns = -1 }), VERDICT_UNKNOWN); /* UDP */
	assert_int_equal(try_interval(40, 10, 1, 15).rise_ns / MS, 600);
}

/* However often it comes, and however long: none of these is learned. */
TEST(freezes_never_become_usual)
{
	learn_anew(true, 10, 1, 15);
	for (int i = 0; i < 3600; i++) {
		read_anew(true);
		for (int k = 0; k < 1 + i % 2 * 8; k++)
			verdict_add_wait(
				&b, &seen.late,
				&(struct verdict_wait){
					.part = PART_WAIT, .host = VERDICT_SERVER, .took_ns = 700 * MS, .least_ns = 700 * MS });
		assert_int_equal(judge_interval(40, 10, 1, 15).word, VERDICT_SERVER);
	}
	read_anew(true);
	assert_int_equal(judge_interval(40, 10, 1, 15).word, VERDICT_USUAL);
}

/* Forty usual intervals, then one of these times. */
static enum verdict_word judge(bool near_server, int wait, int client_ack, int server_ack, int reply)
{
	learn_anew(near_server, 10, near_server ? 0 : 20, 15);
	return judge_interval(wait, client_ack, server_ack, reply).word;
}

TEST(a_rise_has_a_cause)
{
	assert_int_equal(judge(true, 45, 12, 1, 15), VERDICT_USUAL);
	assert_int_equal(judge(true, 40, 110, 1, 115), VERDICT_NETWORK);   /* on the client's side */
	assert_int_equal(judge(false, 140, 10, 120, 15), VERDICT_NETWORK); /* on the server's side */
	assert_int_equal(judge(true, 160, 10, 120, 15), VERDICT_NETWORK);  /* a client in the LAN whose network gets worse */
	assert_int_equal(judge(true, 140, 10, 40, 15), VERDICT_SERVER);
	assert_int_equal(judge(false, 240, 10, 60, 15), VERDICT_SERVER); /* 40 ms are a delayed acknowledgement */
	assert_int_equal(judge(false, 75, 10, 55, 15), VERDICT_UNKNOWN); /* the update carried the acknowledgement */
	assert_int_equal(judge(true, 140, 45, 1, 130), VERDICT_CLIENT);
	assert_int_equal(judge(true, -1, 10, 1, 900), VERDICT_CLIENT); /* stopped: no inputs either */
	assert_int_equal(judge(true, -1, 10, 1, 15), VERDICT_IDLE);
}

TEST(what_stopped_is_late_however_long)
{
	struct verdict v;

	learn_anew(true, 10, 1, 15);
	seen.open_ns[PART_WAIT] = 300 * MS; /* not over 200 ms and three times 40: late for nobody, and not known as usual */
	v = judge_interval(-1, -1, 1, -1);
	assert_int_equal(v.word, VERDICT_UNKNOWN);
	assert_int_equal(v.why, WHY_WAITING);
	assert_int_equal(v.rise_ns, -1);
	assert_int_equal(judge_interval(40, -1, 1, -1).word, VERDICT_USUAL); /* others have ended */
	for (int s = 1; s <= 3600; s++) {
		seen.open_ns[PART_WAIT] = s * S;
		v = judge_interval(-1, -1, 1, -1);
		assert_int_equal(v.word, VERDICT_SERVER);
		assert_int_equal(v.why, WHY_WAITING); /* keys without an effect, maybe */
		near(v.rise_ns, s * S - 40 * MS);
	}
	/* Nor does the server's host answer: it may be the host as well as the network, unless the host sends anything else. */
	for (int near_server = 0; near_server < 2; near_server++) {
		seen.server_is_near = near_server;
		seen.open_ns[PART_SERVER_ACK] = seen.heard_ns[PART_SERVER_ACK] = 3600 * S;
		assert_int_equal(try_interval(-1, -1, -1, -1).word, VERDICT_UNKNOWN);
		seen.heard_ns[PART_SERVER_ACK] = 100 * MS;
		assert_int_equal(try_interval(-1, -1, -1, -1).word, VERDICT_NETWORK);
	}
}

TEST(lost_packets_and_closed_windows)
{
	read_anew(false);
	verdict_init(&b);
	expect(VERDICT_FIRST, 40, 10, 20, -1, VERDICT_LEARNING);
	expect(40, 40, 10, 20, -1, VERDICT_USUAL);
	assert_int_equal(try_interval(80, 10, 50, -1).word, VERDICT_UNKNOWN);
	seen.retransmitted = 5;
	assert_int_equal(try_interval(80, 10, 50, -1).word, VERDICT_NETWORK);
	seen.zero_windows = 1;
	assert_int_equal(try_interval(80, 10, 50, -1).word, VERDICT_CLIENT);
	seen.blind = WHY_DROPS; /* an update that the kernel lost is no wait */
	assert_int_equal(judge_interval(80, 10, 50, -1).word, VERDICT_UNKNOWN);
}

TEST(a_reply_that_the_kernel_lost_is_no_late_client)
{
	learn_anew(true, 10, 1, 15);
	seen.open_ns[PART_REPLY] = 2 * S;
	assert_int_equal(try_interval(-1, 10, 1, -1).word, VERDICT_CLIENT);
	seen.blind = WHY_DROPS;
	assert_int_equal(judge_interval(-1, 10, 1, -1).why, WHY_DROPS);
}

/* What was lost from the start on is no news, and does not make a slow server a slow network. */
TEST(steady_loss_is_usual)
{
	read_anew(true);
	verdict_init(&b);
	seen.retransmitted = 20;
	expect(VERDICT_FIRST, 40, 10, 1, -1, VERDICT_LEARNING);
	expect(30, 40, 10, 1, -1, VERDICT_USUAL);
	assert_int_equal(judge_interval(200, 10, 1, -1).word, VERDICT_SERVER);
	seen.retransmitted = 90; /* a slow server, or updates that wait for lost packets */
	assert_int_equal(judge_interval(200, 10, 1, -1).word, VERDICT_UNKNOWN);
}

TEST(loss_that_lasts_becomes_usual)
{
	learn_anew(true, 10, 1, -1);
	seen.length_ns = 10 * S;
	seen.retransmitted = 20;
	expect(90, 40, 10, 1, -1, VERDICT_NETWORK); /* 15 minutes */
	for (int i = 0; i < 10; i++)
		judge_interval(40, 10, 1, -1);
	expect(1000, 40, 10, 1, -1, VERDICT_USUAL);
}

/* A server whose delay is near a multiple of the time between two keys: half of them are followed at once by another's update. That
 * shows where messages are read and it is known which update answers which. */
TEST(some_late_updates_without_pairs)
{
	read_anew(true);
	seen.length_ns = 10 * S;
	verdict_init(&b);
	for (int i = 0; i < 60; i++)
		judge_interval(20, 10, 1, -1);
	for (int known = 0; known < 4; known++) {
		struct verdict_baseline before = b;
		bool hidden = known < 3;
		struct verdict v;

		seen.opaque = known % 2 == 0;
		if (known / 2)
			usual_add_value(&b.part[PART_LATEST], 20 * MS);
		for (int i = 0; i < 4; i++)
			usual_add_value(&b.part[PART_WAIT], (i % 2 ? 150 : 10) * MS);
		v = verdict_add_interval(&b, &seen);
		b = before;
		assert_int_equal(v.word, hidden ? VERDICT_UNKNOWN : VERDICT_USUAL);
		assert_int_equal(v.why, hidden ? WHY_RANGE : WHY_NONE);
		assert_int_equal(try_interval(20, 10, 1, -1).word, VERDICT_USUAL);
	}
}

TEST(what_lasts_becomes_usual)
{
	learn_anew(true, -1, 1, -1);
	seen.length_ns = 10 * S;
	expect(90, 200, -1, 1, -1, VERDICT_SERVER); /* 15 minutes */
	for (int i = 0; i < 30; i++)
		judge_interval(200, -1, 1, -1);
	assert_int_equal(judge_interval(200, -1, 1, -1).word, VERDICT_USUAL);
	b.part[PART_SERVER_ACK] = (struct usual){ 0 }; /* UDP: no acknowledgement at all */
	assert_int_equal(try_interval(600, -1, -1, -1).word, VERDICT_UNKNOWN);
	for (int i = 0; i < USUAL_LEAST; i++) /* those of the client do not tell how long the way to the server is */
		judge_interval(200, 10, -1, -1);
	assert_int_equal(judge_interval(600, 10, -1, -1).word, VERDICT_UNKNOWN);
}

/* An interval of inputs that all came beside others. */
static enum verdict_word judge_beside(int inputs, int64_t wait_ns)
{
	for (int i = 0; i < inputs; i++)
		usual_add_value(&b.part[PART_BESIDE], wait_ns);
	return judge_interval(-1, -1, 1, -1).word;
}

TEST(what_has_risen_is_not_usual_for_want_of_others)
{
	for (int few = 0; few <= 4; few += 4) { /* inputs beside others, before the server got slower than the keys */
		learn_anew(true, -1, 1, -1);
		judge_beside(few, 20 * MS);
		seen.length_ns = 10 * S;
		for (int i = 0; i < 90; i++) /* 15 minutes */
			assert_int_equal(judge_beside(40, 300 * MS), VERDICT_SERVER);
		for (int i = 0; i < 12; i++)
			judge_beside(40, 300 * MS);
		assert_int_equal(judge_beside(40, 300 * MS), VERDICT_USUAL);
	}
}

TEST(few_beside_others_rise_above_those_alone)
{
	learn_anew(true, -1, 1, -1);
	seen.length_ns = 10 * S;
	expect(40, 40, -1, 1, -1, VERDICT_USUAL);
	for (int i = 0; i < 2; i++) {
		usual_add_value(&b.part[PART_BESIDE], 200 * MS);
		assert_int_equal(judge_beside(8, 20 * MS), VERDICT_USUAL);
	}
	assert_int_equal(judge_beside(4, 300 * MS), VERDICT_SERVER);
}
