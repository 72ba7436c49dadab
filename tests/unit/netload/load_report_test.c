// SPDX-License-Identifier: GPL-3.0-or-later
/* report - what is said of a load whose server was not heard of. */
#include "../unit.h"
#include "../said.h"
#include "netload/load_report.h"

static const char *said_of_load(bool udp)
{
	static struct load_session load;
	static const struct rt_granted rt;
	struct rec_report *r = begin_said(REC_TEXT);

	load.load = (struct load_cfg){ .lanes = 1, .size = 1000, .both = true, .udp = udp };
	load.own = (struct load_counts){ .sent_ns = NS_PER_S, .got_ns = NS_PER_S, .sent_low = -1, .got_low = -1 };
	report_sent_load(r, &load, &(struct send_facts){ .to = "a:1", .stopped_by = "time", .rt = &rt });
	return end_said(r);
}

TEST(datagrams_are_not_sent_again)
{
	assert_null(strstr(said_of_load(true), "retransmitted"));
	assert_non_null(strstr(said_of_load(false), "retransmitted"));
}

/* One second at 2 Mbit/s in each direction; of TCP, frames sent again are in what was sent. */
static struct load_session both_ways = { .load = { .lanes = 1, .rate = 2000000, .size = 2000, .both = true },
					 .lane[0].header = 50 };

static void fill(struct load_counts *end, int64_t wire_bytes)
{
	*end = (struct load_counts){
		.sent_ns = NS_PER_S, .sent_low = -1, .got_low = -1, .lane[0] = { .sent_wire = wire_bytes, .resent_frames = 77 }
	};
}

static const char *warned_of(struct load_counts *end, int64_t wire_bytes)
{
	struct rec_report *r = begin_said(REC_TEXT);

	fill(end, wire_bytes);
	assert_true(report_warn_rate(r, &both_ways, end));
	return end_said(r);
}

TEST(more_than_asked_is_no_fault_of_the_link)
{
	assert_null(strstr(warned_of(&both_ways.own, 261500), "link"));
	assert_non_null(strstr(warned_of(&both_ways.own, 261500), "77 frames"));
	assert_non_null(strstr(warned_of(&both_ways.own, 200000), "link"));
}

/* One frame of 2,050 bytes more or less than 250,000 bytes. */
TEST(frames_too_large_for_so_short_a_load)
{
	assert_non_null(strstr(warned_of(&both_ways.own, 248000), "too short"));
	assert_non_null(strstr(warned_of(&both_ways.own, 252000), "too short"));
	assert_null(strstr(warned_of(&both_ways.own, 247900), "too short"));
}

TEST(both_directions_must_keep_the_rate)
{
	static const struct rt_granted rt;
	static const struct send_facts facts = { .to = "a:1", .stopped_by = "time", .rt = &rt, .heard = true };

	for (int missed = 0; missed < 2; missed++) {
		struct rec_report *r = begin_said(REC_TEXT);

		fill(&both_ways.own, 250000);
		fill(&both_ways.other, missed ? 150000 : 250000);
		report_sent_load(r, &both_ways, &facts);
		assert_int_equal(!strstr(end_said(r), "Rate held"), missed);
	}
	assert_non_null(strstr(warned_of(&both_ways.other, 150000), "back"));
}
