// SPDX-License-Identifier: GPL-3.0-or-later
/* vrfb - bytes of RFB written by hand after RFC 6143, in pieces of any size: what an update is,
 * when it answers, and what is no RFB. */
#include "bytes.h"
#include "patch.h"
#include "random.h"
#include "vusers/guest.h"
#include "vusers/vrfb.h"

#include <errno.h>
#include <sys/socket.h>
#include <unistd.h>
#include "../../../../../tests/unit/unit.h"

static const int32_t encodings[] = { 16, 5, 1, 0 };
static const struct vrfb_cfg cfg = { encodings, 4, NULL }, known = { encodings, 4, "secret" };

/* versions 3.3, 3.7 and 3.8 */
#define V3 "RFB 003.003\n"
#define V7 "RFB 003.007\n"
#define V8 "RFB 003.008\n"
#define HELLO \
	V8 "\2\2\1" \
	   "\0\0\0\0"
/* 40 x 20, 16 bits a pixel, named "hand" */
#define INIT \
	"\0\50\0\24\20\20\0\1\0\37\0\77\0\37\13\5\0\0\0\0" \
	"\0\0\0\4" \
	"hand"

struct stream {
	uint8_t bytes[1 << 16];
	size_t n;
};

static void add(struct stream *s, const void *bytes, size_t n)
{
	assert_true(s->n + n <= sizeof(s->bytes));
	memcpy(s->bytes + s->n, bytes, n);
	s->n += n;
}
#define ADD(s, literal) add(s, literal, sizeof(literal) - 1)

static void add_zeros(struct stream *s, size_t n)
{
	assert_true(s->n + n <= sizeof(s->bytes));
	memset(s->bytes + s->n, 0x55, n);
	s->n += n;
}

static void add_rect(struct stream *s, unsigned w, unsigned h, int32_t encoding)
{
	uint8_t rect[12] = { 0 };

	bytes_put_u16(rect + 4, (uint16_t)w);
	bytes_put_u16(rect + 6, (uint16_t)h);
	bytes_put_u32(rect + 8, (uint32_t)encoding);
	add(s, rect, sizeof(rect));
}

/* What one feed after the other says, in pieces of at most `piece` bytes (0: of any size), and how
 * many bytes it had to say itself. */
struct told {
	int ready, updates, answers, err;
	size_t sent;
	uint8_t first[64];
};

static struct told feed(struct vrfb *v, const struct stream *s, size_t piece, uint64_t seed)
{
	struct told t = { 0 };

	for (size_t at = 0; at < s->n;) {
		size_t n = piece ? piece : 1 + (size_t)(random_bits(&seed) % 300);
		int flags;

		n = n < s->n - at ? n : s->n - at;
		flags = vrfb_parse(v, s->bytes + at, n);
		at += n;
		if (flags < 0) {
			t.err = flags;
			return t;
		}
		t.ready += !!(flags & VRFB_READY);
		t.updates += !!(flags & VRFB_UPDATE);
		t.answers += !!(flags & VRFB_ANSWER);
		for (size_t i = 0; i < v->n_out && t.sent + i < sizeof(t.first); i++)
			t.first[t.sent + i] = v->out[i];
		t.sent += v->n_out;
		v->n_out = 0;
	}
	return t;
}

static void begin(struct stream *s)
{
	ADD(s, HELLO);
	ADD(s, INIT);
}

TEST(what_is_asked_for_is_passed_over_in_pieces_of_any_size)
{
	static struct stream s;

	s.n = 0;
	begin(&s);
	ADD(&s, "\0\0\0\1"); /* the first update */
	add_rect(&s, 40, 20, 0);
	add_zeros(&s, 40 * 20 * 2);
	ADD(&s, "\2"); /* a bell */
	ADD(&s, "\3\0\0\0\0\0\0\5"
		"clips");
	ADD(&s, "\1\0\0\0\0\2"
		"rrggbbrrggbb");
	ADD(&s, "\0\0\0\4"); /* (hextile: walk_test.c) */
	add_rect(&s, 3, 3, 1);
	add_zeros(&s, 4);
	add_rect(&s, 9, 9, 16);
	ADD(&s, "\0\0\1\0");
	add_zeros(&s, 256);
	add_rect(&s, 9, 2, -239); /* a cursor: pixels and a mask of two bytes a row */
	add_zeros(&s, 9 * 2 * 2 + 2 * 2);
	add_rect(&s, 30, 10, -223); /* a new size */
	ADD(&s, "\0\0\xff\xff");    /* as many as there are */
	add_rect(&s, 0, 0, 0);
	add_rect(&s, 2, 1, 16);
	ADD(&s, "\0\0\0\0");
	add_rect(&s, 0, 0, -224); /* the last one */
	ADD(&s, "\0\0\0\0");	  /* and one of nothing */
	for (size_t piece = 0; piece < 70; piece++) {
		struct vrfb v;
		struct told t;

		vrfb_init(&v, &cfg, NULL);
		t = feed(&v, &s, piece ? piece : 1, 0);
		assert_int_equal(t.err, 0);
		assert_int_equal(t.ready, 1);
		assert_int_equal(t.answers, 0);
		if (piece == 1)
			assert_int_equal(t.updates, 3);
		assert_int_equal(v.width, 30);
		assert_int_equal(v.height, 10);
		assert_int_equal(v.in.have, 0);
		assert_int_equal(v.in.skip, 0);
	}
	for (uint64_t seed = 1; seed < 200; seed++) {
		struct vrfb v;

		vrfb_init(&v, &cfg, NULL);
		assert_int_equal(feed(&v, &s, 0, seed).err, 0);
		assert_int_equal(v.height, 10);
	}
}

TEST(what_it_says_itself_is_as_the_specification_has_it)
{
	static struct stream s;
	/* version, None, shared, four encodings and three pseudo-encodings, a request for the whole screen */
	static const char said[] = V8 "\1"
				      "\1"
				      "\2\0\0\7"
				      "\0\0\0\20"
				      "\0\0\0\5"
				      "\0\0\0\1"
				      "\0\0\0\0"
				      "\xff\xff\xff\x11"
				      "\xff\xff\xff\x21"
				      "\xff\xff\xff\x20"
				      "\3\0\0\0\0\0\0\50\0\24";
	struct vrfb v;
	struct told t;

	s.n = 0;
	begin(&s);
	vrfb_init(&v, &cfg, NULL);
	t = feed(&v, &s, 1, 0);
	assert_int_equal(t.sent, sizeof(said) - 1);
	assert_memory_equal(t.first, said, sizeof(said) - 1);
	/* after an update the next one is asked for, of what has changed */
	s.n = 0;
	ADD(&s, "\0\0\0\1");
	add_rect(&s, 1, 1, 0);
	add_zeros(&s, 2);
	t = feed(&v, &s, 0, 1);
	assert_int_equal(t.sent, 10);
	assert_memory_equal(t.first, "\3\1\0\0\0\0\0\50\0\24", 10);
}

TEST(an_update_that_began_before_the_key_or_has_no_pixels_is_no_answer)
{
	static struct stream s;
	struct vrfb v;

	vrfb_init(&v, &cfg, NULL);
	s.n = 0;
	begin(&s);
	ADD(&s, "\0\0\0\0");
	assert_int_equal(feed(&v, &s, 7, 0).ready, 1);
	s.n = 0;
	ADD(&s, "\0\0\0\1");
	add_rect(&s, 2, 2, 0);
	add_zeros(&s, 4); /* half of it */
	assert_int_equal(feed(&v, &s, 3, 0).updates, 0);
	vrfb_expect_answer(&v);
	s.n = 0;
	add_zeros(&s, 4);
	ADD(&s, "\0\0\0\1"); /* a cursor only */
	add_rect(&s, 8, 1, -239);
	add_zeros(&s, 8 * 2 + 1);
	assert_int_equal(feed(&v, &s, 1, 0).answers, 0);
	s.n = 0;
	ADD(&s, "\0\0\0\2");
	add_rect(&s, 1, 1, 0);
	add_zeros(&s, 2);
	add_rect(&s, 1, 1, 0);
	add_zeros(&s, 1);
	assert_int_equal(feed(&v, &s, 1, 0).answers, 0); /* not before its end */
	s.n = 0;
	add_zeros(&s, 1);
	assert_int_equal(feed(&v, &s, 1, 0).answers, 1);
	assert_int_equal(v.unasked, 1);
	s.n = 0;
	ADD(&s, "\0\0\0\1"); /* nobody has asked */
	add_rect(&s, 1, 1, 0);
	add_zeros(&s, 2);
	assert_int_equal(feed(&v, &s, 1, 0).answers, 0);
	assert_int_equal(v.unasked, 2);
}

/* The picture of the reference application: the patch at (16, 16), cells of 8 pixels, 32 bits each. */
static void add_patch(struct stream *s, uint32_t number)
{
	struct patch_cells cells;

	patch_encode(number, &cells);
	ADD(s, "\0\0\0\1"
	       "\0\20\0\20\0\100\0\60\0\0\0\0");
	for (int y = 0; y < 48; y++)
		for (int x = 0; x < 64; x++)
			add(s, cells.white[y / 8][x / 8] ? "\xff\xff\xff\0" : "\0\0\0\0", 4);
}

TEST(where_the_patch_is_read_only_the_next_number_answers)
{
	static struct stream s;
	struct vrfb_patch patch;
	struct vrfb v;

	for (size_t piece = 0; piece < 9; piece++) {
		vrfb_init(&v, &cfg, &patch);
		s.n = 0;
		begin(&s);
		add_patch(&s, 0xffffff);
		assert_int_equal(feed(&v, &s, piece, piece + 1).ready, 1);
		assert_true(patch.seen);
		assert_int_equal(patch.shown, 0xffffff);
		vrfb_expect_answer(&v);
		s.n = 0;
		add_patch(&s, 0xffffff); /* something else has changed */
		assert_int_equal(feed(&v, &s, piece, piece + 1).answers, 0);
		s.n = 0;
		add_patch(&s, 0); /* numbers go round */
		assert_int_equal(feed(&v, &s, piece, piece + 1).answers, 1);
	}
}

TEST(who_refuses_or_wants_a_password_or_speaks_something_else_is_told_apart)
{
	static const struct {
		const char *bytes;
		size_t n;
		int err;
	} cases[] = {
#define CASE(literal, err) { literal, sizeof(literal) - 1, err }
		CASE("HTTP/1.1 200 OK\r\n", -EPROTO),
		CASE(V8 "\0"
			"\0\0\0\3"
			"no!",
		     -ECONNREFUSED),
		CASE(V8 "\1\2", -EACCES),
		CASE(V8 "\2\2\22", -EACCES),
		CASE(V8 "\1\22", -EPROTONOSUPPORT), /* Tight's security */
		CASE(V8 "\1\1"
			"\0\0\0\1",
		     -ECONNREFUSED),
		CASE(V3 "\0\0\0\0", -ECONNREFUSED),
		CASE(V3 "\0\0\0\2", -EACCES),
		CASE(V8 "\1\1"
			"\0\0\0\0"
			"\0\0\0\24\20\20\0\1\0\37\0\77\0\37\13\5\0\0\0\0"
			"\0\0\0\0",
		     -EPROTO),			/* no pixel wide */
		CASE(HELLO INIT "\7", -EPROTO), /* no such message */
		CASE(HELLO INIT "\0\0\0\1"
				"\0\0\0\0\0\1\0\1\0\0\0\143",
		     -EPROTO), /* no such encoding */
#undef CASE
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		static struct stream s;
		struct vrfb v;

		s.n = 0;
		add(&s, cases[i].bytes, cases[i].n);
		vrfb_init(&v, &cfg, NULL);
		assert_int_equal(feed(&v, &s, 1 + i % 3, 0).err, cases[i].err);
	}
}

/* The challenge's answer is openssl's (tests/unit/lib/vnc_test.c says how). */
TEST(every_version_is_spoken_with_and_without_a_password)
{
#define CHALLENGE "0123456789abcdef"
#define ANSWER "\x75\x24\x40\xee\x2b\xfc\xc2\xa0\xd9\x01\x3f\xd2\x03\x71\xe2\x3b"
	static const struct {
		const char *bytes, *said;
		size_t n, n_said;
		int err;
	} cases[] = {
#define CASE(literal, words, err) { literal, words, sizeof(literal) - 1, sizeof(words) - 1, err }
		CASE(V3 "\0\0\0\2" CHALLENGE "\0\0\0\0" INIT "\0\0\0\0", V3 ANSWER "\1\2", 0),
		CASE(V7 "\1\2" CHALLENGE "\0\0\0\0" INIT "\0\0\0\0", V7 "\2" ANSWER "\1\2", 0),
		CASE(V8 "\3\23\2\5" CHALLENGE "\0\0\0\0" INIT "\0\0\0\0", V8 "\2" ANSWER "\1\2", 0),
		CASE(V3 "\0\0\0\1" INIT "\0\0\0\0", V3 "\1\2", 0),
		CASE(V7 "\1\1" INIT "\0\0\0\0", V7 "\1\1\2", 0),
		/* where None is offered too, nothing is to be proven */
		CASE(V8 "\2\2\1"
			"\0\0\0\0" INIT "\0\0\0\0",
		     V8 "\1"
			"\1\2",
		     0),
		/* it was the wrong one; and once too often */
		CASE(V8 "\1\2" CHALLENGE "\0\0\0\1"
			"\0\0\0\2"
			"no",
		     "", -EKEYREJECTED),
		CASE(V3 "\0\0\0\2" CHALLENGE "\0\0\0\2", "", -EKEYREJECTED),
#undef CASE
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		for (size_t piece = 0; piece < 20; piece++) {
			static struct stream s;
			struct vrfb v;
			struct told t;

			s.n = 0;
			add(&s, cases[i].bytes, cases[i].n);
			vrfb_init(&v, &known, NULL);
			t = feed(&v, &s, piece, piece);
			assert_int_equal(t.err, cases[i].err);
			if (cases[i].err)
				continue;
			assert_int_equal(t.ready, 1);
			assert_memory_equal(t.first, cases[i].said, cases[i].n_said);
		}
	}
}

/* Whatever comes, it stays within its memory (under sanitizers), and comes to an end. */
TEST(garbage_is_refused_or_passed_over)
{
	static struct stream s;
	uint64_t random = 99;

	for (int round = 0; round < 3000; round++) {
		struct vrfb_patch patch;
		struct vrfb v;

		s.n = 0;
		if (round % 3)
			begin(&s);
		if (round % 3 == 2)
			ADD(&s, "\0\0\0\377");
		for (int i = 0; i < 400; i++) {
			uint64_t bits = random_bits(&random);

			/* small numbers, of which sizes and kinds are made, more often than others */
			add(&s, &(uint8_t){ (uint8_t)(bits % 3 ? bits >> 8 & 7 : bits >> 8) }, 1);
		}
		vrfb_init(&v, &cfg, round % 2 ? &patch : NULL);
		feed(&v, &s, (size_t)(round % 50), (uint64_t)round);
		assert_true(v.n_out <= sizeof(v.out));
	}
}

/* The same of what clients say to the reference server. */
TEST(garbage_from_clients_is_refused_or_passed_over)
{
	static struct server_answers way[2];
	uint64_t random = 98;

	for (int round = 0; round < 2000; round++) {
		bool http = round % 4 == 3;
		struct served_client g;
		int fd[2], err = 0;

		if (!way[http].answer)
			answers_make(&way[http], http, 10, 16, 16);
		assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, fd), 0);
		client_init(&g, fd[0], 1);
		if (round % 4)
			err = client_parse_requests(&g, &way[http], (const uint8_t *)(http ? "GET / HTTP/1.1" : V8 "\1\1"), 14);
		for (int i = 0; i < 300 && err >= 0; i++) {
			uint64_t bits = random_bits(&random);

			err = client_parse_requests(&g, &way[http], &(uint8_t){ (uint8_t)(bits % 5 ? bits >> 8 & 7 : bits >> 8) },
						    1);
		}
		close(fd[0]);
		close(fd[1]);
	}
	answers_free(&way[0]);
	answers_free(&way[1]);
}
