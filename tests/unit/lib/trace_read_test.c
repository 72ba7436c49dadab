// SPDX-License-Identifier: GPL-3.0-or-later
/* trace_decode_record - samples built byte by byte from linux/perf_event.h, with the fields where the kernel's text says. */
#include "trace_read.h"
#include "../unit.h"

static char text[TRACE_POINTS][TRACEFS_TEXT];
static struct tracepoint_formats points;
static struct trace_record got;
static int64_t lost;

#define COMMON \
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n" \
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"

/* Elsewhere than on today's x86, so that nobody can have learned the places by heart. */
static const char switch_text[] =
	"name: sched_switch\nID: 314\nformat:\n" COMMON "\tfield:pid_t prev_pid;\toffset:8;\tsize:4;\tsigned:1;\n"
	"\tfield:pid_t next_pid;\toffset:12;\tsize:4;\tsigned:1;\n"
	"\tfield:char next_comm[16];\toffset:16;\tsize:16;\tsigned:0;\n"
	"\tfield:char prev_comm[16];\toffset:32;\tsize:16;\tsigned:0;\n"
	"\tfield:int prev_state;\toffset:48;\tsize:4;\tsigned:1;\n"
	"\nprint fmt: \"prev_comm=%s\", REC->prev_comm\n";
static const char irq_text[] =
	"name: irq_handler_entry\nID: 20\nformat:\n" COMMON "\tfield:int irq;\toffset:8;\tsize:4;\tsigned:1;\n"
	"\tfield:__data_loc char[] name;\toffset:12;\tsize:4;\tsigned:0;\n"
	"\nprint fmt: \"irq=%d name=%s\", REC->irq, __get_str(name)\n";

static void number_only(int i, int id, const char *field)
{
	snprintf(text[i], sizeof(text[i]),
		 "name: x\nID: %d\nformat:\n" COMMON "\tfield:int %s;\toffset:8;\tsize:4;\tsigned:1;\n\nprint fmt: \"\"\n", id,
		 field);
}

static int kernel(void **state)
{
	(void)state;
	memset(text, 0, sizeof(text));
	strcpy(text[0], switch_text);
	strcpy(text[1], irq_text);
	number_only(2, 21, "irq");
	number_only(3, 9, "vec");
	number_only(4, 10, "vec");
	for (int i = 5; i < 13; i++)
		number_only(i, 25 + i, "vector");
	lost = 0;
	return tracepoint_formats_parse(&points, text);
}

struct sample {
	struct perf_event_header header;
	uint32_t pid, tid;
	uint64_t time;
	uint32_t size;
	char raw[64];
} __attribute__((packed));

static struct sample sample(uint16_t type)
{
	struct sample s = {
		.header = { PERF_RECORD_SAMPLE, 0, sizeof(s) }, .pid = 77, .tid = 78, .time = 123456789, .size = sizeof(s.raw)
	};

	memcpy(s.raw, &type, sizeof(type));
	return s;
}

static void put(struct sample *s, size_t at, int32_t v)
{
	memcpy(s->raw + at, &v, sizeof(v));
}

static bool read_one(const struct sample *s)
{
	uint64_t room[32];

	memcpy(room, s, sizeof(*s));
	return trace_decode_record(&points, (const struct perf_event_header *)room, &got, &lost);
}

TEST_WITH(kernel, NULL, a_switch)
{
	struct sample s = sample(314);

	put(&s, 8, 78);
	put(&s, 12, 99);
	strcpy(s.raw + 16, "next");
	memcpy(s.raw + 32, "sixteen letters!", 16); /* no end of its own */
	put(&s, 48, 0x100);
	points.initial = true;
	assert_true(read_one(&s));
	assert_int_equal(got.kind, TRACE_SWITCH);
	assert_int_equal(got.time_ns, 123456789);
	assert_int_equal(got.prev_pid, 78);
	assert_int_equal(got.prev_here, 78);
	assert_int_equal(got.next_pid, 99);
	assert_int_equal(got.next_here, 99);
	assert_int_equal(got.prev_process, 77);
	assert_int_equal(got.next_process, 0); /* not seen yet */
	assert_string_equal(got.next_comm, "next");
	assert_string_equal(got.prev_comm, "sixteen letters");
	assert_true(got.prev_wants); /* R+ */
	put(&s, 48, 0);
	assert_true(read_one(&s) && got.prev_wants); /* R */
	s.pid = s.tid = UINT32_MAX;		     /* dying */
	assert_true(read_one(&s));
	assert_int_equal(got.prev_here, 78);
	assert_int_equal(got.prev_process, 77);
	for (int state_bit = 1; state_bit < 0x100; state_bit <<= 1) {
		put(&s, 48, state_bit);
		assert_true(read_one(&s) && !got.prev_wants);
	}
}

/* The sample's thread id is in our pid namespace, the record's in the initial one. */
TEST_WITH(kernel, NULL, threads_of_two_namespaces)
{
	struct sample s = sample(314);

	put(&s, 8, 4078);
	put(&s, 12, 4099);
	assert_true(read_one(&s));
	assert_int_equal(got.prev_pid, 4078);
	assert_int_equal(got.prev_here, 78);
	assert_int_equal(got.next_here, 0); /* not seen yet */
	put(&s, 8, 4099);
	put(&s, 12, 4078);
	s.tid = 0; /* invisible to us */
	assert_true(read_one(&s));
	assert_int_equal(got.prev_here, 0);
	assert_int_equal(got.next_here, 78);
	put(&s, 8, 4078);
	s.tid = UINT32_MAX; /* dying */
	assert_true(read_one(&s));
	assert_int_equal(got.prev_here, 78);
	put(&s, 8, 4078 + TRACE_THREADS); /* another thread in the same place of the table */
	s.tid = 5;
	assert_true(read_one(&s));
	assert_int_equal(got.prev_here, 5);
	put(&s, 8, 1);
	assert_true(read_one(&s));
	assert_int_equal(got.next_here, 0); /* forgotten, not mistaken */
}

TEST_WITH(kernel, NULL, interrupts)
{
	struct sample s = sample(20);

	put(&s, 8, 25);
	put(&s, 12, 6 << 16 | 40);
	strcpy(s.raw + 40, "disk0");
	assert_true(read_one(&s));
	assert_int_equal(got.kind, TRACE_ENTER);
	assert_int_equal(got.class, TRACE_IRQ);
	assert_int_equal(got.id, 25);
	assert_string_equal(got.name, "disk0");
	put(&s, 12, 200 << 16 | 60); /* beyond the record */
	assert_true(read_one(&s));
	assert_true(strlen(got.name) <= 4);
	put(&s, 12, 6 << 16 | 6000);
	assert_true(read_one(&s));
	assert_string_equal(got.name, "");

	s = sample(9);
	put(&s, 8, 3);
	assert_true(read_one(&s));
	assert_int_equal(got.class, TRACE_SOFTIRQ);
	assert_string_equal(got.name, "NET_RX");
	put(&s, 8, 10);
	assert_true(read_one(&s));
	assert_string_equal(got.name, "softirq 10"); /* no word for it */
	put(&s, 8, -5);
	assert_true(read_one(&s));
	s = sample(10);
	put(&s, 8, 3);
	assert_true(read_one(&s));
	assert_int_equal(got.kind, TRACE_EXIT);
	assert_int_equal(got.id, 3);

	for (int i = 5; i < 13; i++) {
		static const enum trace_class class[] = { TRACE_TIMER, TRACE_RESCHED, TRACE_CALL, TRACE_CALL };

		s = sample((uint16_t)(25 + i));
		put(&s, 8, 251);
		assert_true(read_one(&s));
		assert_int_equal(got.kind, i % 2 ? TRACE_ENTER : TRACE_EXIT);
		assert_int_equal(got.class, class[(i - 5) / 2]);
		assert_int_equal(got.id, 251);
	}
	s = sample(999);
	assert_false(read_one(&s));
}

TEST_WITH(kernel, NULL, lost_records)
{
	struct {
		struct perf_event_header header;
		uint64_t id, lost;
		uint32_t pid, tid;
		uint64_t time;
	} r = { { PERF_RECORD_LOST, 0, sizeof(r) }, 1, 42, 77, 78, 5555 };

	assert_true(trace_decode_record(&points, &r.header, &got, &lost));
	assert_int_equal(got.kind, TRACE_LOST);
	assert_int_equal(got.time_ns, 5555);
	assert_int_equal(lost, 42);
	r.header.size = 16;
	assert_false(trace_decode_record(&points, &r.header, &got, &lost));
	r.header.type = PERF_RECORD_THROTTLE;
	assert_false(trace_decode_record(&points, &r.header, &got, &lost));
	assert_int_equal(lost, 42);
}

TEST_WITH(kernel, NULL, other_kernels)
{
	assert_string_equal(points.missing, "");
	assert_true(points.id[13] < 0); /* arm's own, not missed where irq_vectors is there */
	/* No irq_vectors: said; with arm's there is nothing to say. */
	for (int i = 5; i < 13; i++)
		text[i][0] = '\0';
	assert_int_equal(tracepoint_formats_parse(&points, text), 0);
	assert_string_equal(points.missing,
			    "local_timer_entry local_timer_exit reschedule_entry reschedule_exit "
			    "call_function_entry call_function_exit call_function_single_entry call_function_single_exit");
	number_only(13, 50, "reason");
	number_only(14, 51, "reason");
	assert_int_equal(tracepoint_formats_parse(&points, text), 0);
	assert_string_equal(points.missing, "");
	/* An entry without its exit would never end. */
	text[2][0] = '\0';
	assert_int_equal(tracepoint_formats_parse(&points, text), 0);
	assert_true(points.id[1] < 0);
	assert_string_equal(points.missing, "irq_handler_entry irq_handler_exit");
	assert_int_equal(tracepoint_drop_pair(&points, 4), 3);
	assert_true(points.id[3] < 0 && points.id[4] < 0);
	assert_string_equal(points.missing, "irq_handler_entry irq_handler_exit softirq_exit softirq_entry");
	/* Nothing can be told without switches. */
	text[0][0] = '\0';
	assert_true(tracepoint_formats_parse(&points, text) < 0);
}

TEST(the_kernels_text)
{
	struct tracefs_field f = tracefs_find_field(switch_text, "next_comm");

	assert_int_equal(f.offset, 16);
	assert_int_equal(f.size, 16);
	assert_int_equal(tracefs_find_field(switch_text, "next_com").size, 0);
	assert_int_equal(tracefs_find_field(switch_text, "pid").size, 0);
	assert_int_equal(tracefs_find_field("\tfield:int a;\toffset:4", "a").size, 0);
	assert_int_equal(tracefs_find_field("\tfield:int a;\toffset:4;\tsize:-1;", "a").size, 0);
	assert_int_equal(tracefs_find_field("\tfield:int", "a").size, 0);
	assert_int_equal(tracefs_event_id(switch_text), 314);
	assert_int_equal(tracefs_event_id("name: x\nformat:"), -1);
	assert_int_equal(tracefs_event_id(""), -1);
}

/* Texts and samples cut and changed anywhere: no step outside the record. */
TEST_WITH(kernel, NULL, anything)
{
	uint32_t seed = 99;

	for (int round = 0; round < 3000; round++) {
		kernel(NULL);
		for (int k = 0; k < 8; k++) {
			seed = seed * 1664525 + 1013904223;
			text[(seed >> 28) % TRACE_POINTS][(seed >> 8) % 900] = (char)(seed >> 20);
		}
		tracepoint_formats_parse(&points, text);
		for (int k = 0; k < 20; k++) {
			static const uint16_t types[] = { 314, 20, 21, 9, 10, 30 };
			struct sample s;
			size_t size;
			struct perf_event_header *exact;

			seed = seed * 1664525 + 1013904223;
			s = sample(types[(seed >> 8) % 6]);
			put(&s, 8 + (seed >> 16) % 48, (int32_t)seed);
			if (seed & 0x400)
				s.size = (seed >> 12) % 100;
			size = sizeof(s) - (seed & 0x800 ? (seed >> 20) % (sizeof(s) - 8) : 0);
			s.header.size = (uint16_t)size;
			exact = malloc(size);
			assert_non_null(exact);
			memcpy(exact, &s, size);
			if (trace_decode_record(&points, exact, &got, &lost))
				assert_true(strlen(got.name) < sizeof(got.name));
			free(exact);
		}
	}
}
