// SPDX-License-Identifier: GPL-3.0-or-later
/* flow and ports - the table when it is full, the ranking, and who is the server. */
#include <errno.h>

#include "wire/flow.h"
#include "wire/ports.h"
#include "../unit.h"

static struct segment segment_of(uint8_t from, uint16_t from_port, uint8_t to, uint16_t to_port, uint8_t flags)
{
	struct segment s = { .port = { from_port, to_port }, .flags = flags };

	s.address[0][15] = from;
	s.address[1][15] = to;
	return s;
}

TEST(both_directions_are_one_flow)
{
	struct segment there = segment_of(1, 40000, 2, 5900, 0), back = segment_of(2, 5900, 1, 40000, 0);
	struct segment local = segment_of(1, 40000, 1, 5900, 0), local_back = segment_of(1, 5900, 1, 40000, 0);
	struct flow_key a, b;

	assert_int_equal(flow_make_key(&there, &a), 0);
	assert_int_equal(flow_make_key(&back, &b), 1);
	assert_memory_equal(&a, &b, sizeof(a));
	back.transport = TRANSPORT_UDP; /* but not of another transport */
	flow_make_key(&back, &b);
	assert_memory_not_equal(&a, &b, sizeof(a));
	assert_int_equal(flow_make_key(&local, &a) + flow_make_key(&local_back, &b), 1);
	assert_memory_equal(&a, &b, sizeof(a));
}

static struct flow *add(struct flow_table *t, uint16_t port, int64_t last_ns)
{
	struct segment s = segment_of(1, port, 2, 5900, 0);
	struct flow_key key;
	struct flow *f, *victim;

	flow_make_key(&s, &key);
	victim = flow_find_victim(t);
	if (victim)
		flow_remove(t, victim);
	f = flow_new(t, &key, flow_hash(t, &key));
	assert_non_null(f);
	f->last_ns = last_ns;
	return f;
}

static struct flow *find(struct flow_table *t, uint16_t port)
{
	struct segment s = segment_of(2, 5900, 1, port, 0);
	struct flow_key key;

	flow_make_key(&s, &key);
	return flow_find(t, &key, flow_hash(t, &key));
}

TEST(a_full_table_gives_up_what_ended_then_the_oldest)
{
	struct flow_table t;

	assert_int_equal(flow_table_init(&t, 4, 42), 0);
	for (uint16_t i = 0; i < 4; i++)
		add(&t, (uint16_t)(100 + i), i == 2 ? 5 : 10 + i);
	assert_int_equal(t.used, 4);
	find(&t, 103)->reset = true;
	add(&t, 200, 50);
	assert_null(find(&t, 103));
	add(&t, 201, 51);
	assert_null(find(&t, 102));
	assert_non_null(find(&t, 100));
	assert_non_null(find(&t, 101));
	assert_non_null(find(&t, 200));
	assert_non_null(find(&t, 201));
	flow_table_free(&t);
}

/* Many more than there is room for: every one that is said to be there is found, and no other. */
TEST(the_table_stays_consistent)
{
	struct flow_table t;
	int there = 0;

	assert_int_equal(flow_table_init(&t, 100, 7), 0);
	for (int i = 1; i <= 20000; i++) {
		uint16_t port = (uint16_t)i;
		struct flow *f;

		if (find(&t, port))
			flow_remove(&t, find(&t, port));
		f = add(&t, port, i);
		assert_ptr_equal(find(&t, port), f);
		if (i % 3 == 0 && find(&t, (uint16_t)(i - 1)))
			flow_remove(&t, find(&t, (uint16_t)(i - 1)));
	}
	for (int i = 1; i <= 20000; i++)
		there += find(&t, (uint16_t)i) != NULL;
	assert_int_equal(there, t.used);
	assert_true(t.used <= 100);
	flow_table_free(&t);
}

TEST(the_ranking_keeps_the_largest)
{
	struct flow_ranking r;

	ranking_init(&r, 5);
	for (uint64_t i = 0; i < 1000; i++) {
		struct flow f = { .start_ns = (int64_t)i };

		f.count[0].wire_bytes = i * 7919 % 1000; /* each of 0 to 999 once */
		ranking_offer(&r, &f);
	}
	ranking_sort(&r);
	assert_int_equal(r.n, 5);
	for (uint32_t i = 0; i < 5; i++)
		assert_int_equal(flow_bytes(&r.flow[i]), 999 - i);
	ranking_free(&r);
	ranking_init(&r, 0);
	ranking_offer(&r, &(struct flow){ 0 });
	assert_int_equal(r.n, 0);
	ranking_free(&r);
}

static struct server_ports ports;

TEST(reads_ports)
{
	static const char *const wrong[] = { "",	  "0",	 "65536", "5900,", ",5900",	  "5900-",
					     "5900-5800", "x:5", "x11:",  "5900 ", "99999999999", "-5" };
	char text[4096];
	const char *asked;

	ports = (struct server_ports){ 0 };
	assert_int_equal(ports_parse_list(&ports, "5900-5902,6001,server:6002,x11:6091"), 0);
	assert_int_equal(ports_parse_list(&ports, "65535"), 0);
	assert_int_equal(ports.use[5899], PORT_NONE);
	assert_int_equal(ports.use[5902], PORT_SERVER);
	assert_int_equal(ports.use[6001], PORT_DISPLAY);
	assert_int_equal(ports.use[6002], PORT_SERVER);
	assert_int_equal(ports.use[6091], PORT_DISPLAY);
	assert_int_equal(ports.use[65535], PORT_SERVER);
	assert_int_equal(ports_write_filter(&ports, text, sizeof(text)), 0);
	asked = "portrange 5900-5902 or port 6001 or port 6002 or port 6091 or port 65535 or (ip[6:2]";
	assert_memory_equal(text, asked, strlen(asked));
	assert_int_equal(ports_write_filter(&ports, text, 20), -E2BIG);
	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++)
		assert_int_equal(ports_parse_list(&ports, wrong[i]), -EINVAL);
}

static int server_of(const struct segment *s, enum server_clue *by)
{
	int end = -1;

	return ports_find_server(&ports, NULL, s, &end, by) ? end : -1;
}

TEST(the_server_is_found)
{
	struct segment s = segment_of(1, 40000, 2, 5900, TCP_SYN);
	uint8_t address[16] = { [15] = 1 };
	enum server_clue by;
	int end;

	ports = (struct server_ports){ 0 };
	assert_int_equal(server_of(&s, &by), 1);
	assert_int_equal(by, BY_SYN);
	s.flags = TCP_SYN | TCP_ACK;
	assert_int_equal(server_of(&s, &by), 0);
	s.flags = TCP_ACK;
	assert_int_equal(server_of(&s, &by), 1);
	assert_int_equal(by, BY_LOWER_PORT);
	s.port[1] = 6000;
	assert_int_equal(server_of(&s, &by), 0); /* an X display */
	assert_true(ports_find_server(&ports, address, &s, &end, &by));
	assert_int_equal(end, 0);
	assert_int_equal(by, BY_ADDRESS);
	address[15] = 9;
	assert_false(ports_find_server(&ports, address, &s, &end, &by));
	assert_int_equal(ports_parse_list(&ports, "5900,x11:6091"), 0);
	assert_int_equal(server_of(&s, &by), -1);
	s.port[1] = 5900;
	assert_int_equal(server_of(&s, &by), 1);
	assert_int_equal(by, BY_PORT);
	s.port[1] = 6091;
	assert_int_equal(server_of(&s, &by), 0);
	s.port[0] = 5900; /* both were asked for: guessed, and 6091 is known to be a display */
	s.flags = TCP_SYN;
	assert_int_equal(server_of(&s, &by), 0);
	assert_int_equal(by, BY_SYN);
}
