// SPDX-License-Identifier: GPL-3.0-or-later
/* load_stream - the kernel's counters of 32 bits go on after 2^32; a frame has the headers of all of its segments. */
#include "netload/load_session.h"
#include "../unit.h"

TEST(a_counter_that_wraps_goes_on)
{
	uint32_t seen = 4294967000u;
	int64_t frames = 0;

	frames += load_stream_advance(&seen, 4294967200u);
	assert_int_equal(frames, 200);
	frames += load_stream_advance(&seen, 104); /* 2^32 is 96 beyond */
	assert_int_equal(frames, 400);
	for (int i = 1; i <= 9; i++)
		frames += load_stream_advance(&seen, 104 + (uint32_t)i * 1000000000u);
	assert_int_equal(frames, 9000000400);
}

TEST(a_frame_has_the_headers_of_its_segments)
{
	struct load_stream tcp = { .header = 66, .mss = 1448 }, udp = { .udp = true, .header = 42 };

	assert_int_equal(load_stream_frame_header(&tcp, 1), 66);
	assert_int_equal(load_stream_frame_header(&tcp, 1448), 66);
	assert_int_equal(load_stream_frame_header(&tcp, 1449), 132);
	assert_int_equal(load_stream_frame_header(&tcp, 65000), 45 * 66);
	assert_int_equal(load_stream_frame_header(&udp, 1472), 42);
}
