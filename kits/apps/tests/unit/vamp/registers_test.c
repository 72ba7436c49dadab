// SPDX-License-Identifier: GPL-3.0-or-later
/* registers - which tasks of a guest are background, by page-table registers and times of its vCPUs. */
#include <errno.h>

#include "clock.h"
#include "vamp/vm.h"
#include "../../../../../tests/unit/unit.h"

/* As QEMU 7.2 says them, cut. */
#define REGISTERS(i, cr3) \
	"\r\nCPU#" #i "\r\nRAX=0000000000000000 RBX=ffffffff82e1b940\r\nRIP=ffffffff81c3a1ab RFL=00000246 HLT=1\r\n" \
	"CR0=80050033 CR2=00007f1c2c0a5000 CR3=" cr3 " CR4=000006f0\r\nDR0=0000000000000000\r\n"

TEST(registers_are_read_without_their_tags)
{
	uint64_t task[2];

	assert_int_equal(registers_parse(REGISTERS(0, "0000000003c2a000") REGISTERS(1, "8000000003c2b801"), task, 2), 0);
	assert_int_equal(task[0], 0x3c2a000);
	assert_int_equal(task[1], 0x3c2b000);
	/* Whatever their order, and however many more there are. */
	assert_int_equal(registers_parse(REGISTERS(7, "1000") REGISTERS(1, "2000") REGISTERS(0, "3000"), task, 2), 0);
	assert_int_equal(task[0], 0x3000);
	assert_int_equal(task[1], 0x2000);
}

TEST(a_vcpu_without_a_register_is_an_error)
{
	static const char *const bad[] = { "",
					   "CPU#",
					   "unknown command: 'info registers'\r\n",
					   REGISTERS(0, "1000"),
					   "CPU#0\r\nCPU#1\r\nCR3=1000",
					   "CPU#0\r\nCR3=1000\r\nCPU#1\r\nEIP=0" };
	uint64_t task[2];

	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		assert_int_equal(registers_parse(bad[i], task, 2), -EPROTO);
}

/* Samples of two vCPUs for some time: vCPU i holds task[i], and runs or waits for percent[i] of it. */
static void add_samples(struct guest_registers *r, int64_t *now_ns, int64_t spent_ns[2], int64_t ms, const uint64_t *task,
			const int *percent)
{
	for (; ms > 0; ms -= REGISTERS_NS / NS_PER_MS) {
		*now_ns += REGISTERS_NS;
		for (int i = 0; i < 2; i++)
			spent_ns[i] += REGISTERS_NS / 100 * percent[i];
		registers_add(r, *now_ns, task, spent_ns);
	}
}

TEST(background_is_what_had_over_half_of_a_cpu_in_the_last_second)
{
	struct guest_registers *r = registers_new(2);
	int64_t now_ns = 5, spent_ns[2] = { 7 * NS_PER_S, 0 };

	/* Task 1 loaded a CPU, but two seconds ago; task 3 has 60 % in two threads; task 4 has 45 %. */
	add_samples(r, &now_ns, spent_ns, 2000, (uint64_t[]){ 0x1000, 0x2000 }, (int[]){ 100, 0 });
	add_samples(r, &now_ns, spent_ns, 700, (uint64_t[]){ 0x3000, 0x3000 }, (int[]){ 45, 45 });
	add_samples(r, &now_ns, spent_ns, 600, (uint64_t[]){ 0x4000, 0x2000 }, (int[]){ 75, 10 });
	assert_int_equal(registers_judge(r, now_ns), 0);
	add_samples(r, &now_ns, spent_ns, 1100, (uint64_t[]){ 0x4000, 0x3000 }, (int[]){ 45, 60 });
	assert_int_equal(registers_judge(r, now_ns), 1);
	assert_false(registers_background(r, 0));
	assert_true(registers_background(r, 1));
	/* A task that comes in the episode is none, and what vCPU 1 held goes with its task. */
	add_samples(r, &now_ns, spent_ns, 500, (uint64_t[]){ 0x3000, 0x5000 }, (int[]){ 10, 100 });
	assert_true(registers_background(r, 0));
	assert_false(registers_background(r, 1));
	registers_free(r);
}

TEST(what_ran_before_the_first_sample_of_the_last_second_does_not_count)
{
	struct guest_registers *r = registers_new(1);
	int64_t now_ns = 5, spent_ns = 0;

	/* QEMU answers late: two samples in the last second. 30 % of a CPU, then 70 %. */
	for (int i = 0; i < 4; i++) {
		now_ns += 600 * NS_PER_MS;
		spent_ns += 180 * NS_PER_MS;
		registers_add(r, now_ns, (uint64_t[]){ 0x1000 }, &spent_ns);
	}
	assert_int_equal(registers_judge(r, now_ns), 0);
	now_ns += 600 * NS_PER_MS;
	spent_ns += 420 * NS_PER_MS;
	registers_add(r, now_ns, (uint64_t[]){ 0x1000 }, &spent_ns);
	assert_int_equal(registers_judge(r, now_ns), 1);
	/* and one, which tells nothing of that second */
	now_ns += 2 * NS_PER_S;
	spent_ns += 100 * NS_PER_MS;
	registers_add(r, now_ns, (uint64_t[]){ 0x1000 }, &spent_ns);
	assert_int_equal(registers_judge(r, now_ns), 0);
	registers_free(r);
}

TEST(an_input_before_the_first_samples_finds_nobody)
{
	struct guest_registers *r = registers_new(2);

	assert_int_equal(registers_judge(r, NS_PER_S), 0);
	assert_false(registers_background(r, 1));
	registers_add(r, NS_PER_S, (uint64_t[]){ 0x1000, 0x1000 }, (int64_t[]){ 9 * NS_PER_S, 9 * NS_PER_S });
	assert_int_equal(registers_judge(r, NS_PER_S), 0);
	registers_free(r);
}
