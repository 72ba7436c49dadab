// SPDX-License-Identifier: GPL-3.0-or-later
/* Burst plans: what is a list and what is none, closed forms of the distributions, and the cap held
 * against a count of every millisecond. */
#include "sink/burst_plan.h"
#include "clock.h"
#include "why.h"

#include <errno.h>
#include <math.h>
#include "../unit.h"

static struct why why;

static struct burst_plan_spec spec_of(const char *text)
{
	struct burst_plan_spec spec;

	assert_int_equal(parse_burst_spec(text, &spec, &why), 0);
	return spec;
}

TEST(lists_are_read)
{
	struct burst_plan_spec s = spec_of("every:100ms,len:5ms");

	assert_int_equal(s.kind, BURST_EVERY);
	assert_int_equal(s.every_ns, 100 * NS_PER_MS);
	assert_int_equal(s.length_ns, 5 * NS_PER_MS);
	s = spec_of("random:1000");
	assert_int_equal(s.kind, BURST_RANDOM);
	assert_int_equal(s.n, 1000);
	assert_int_equal(s.min_ns, 100 * NS_PER_US);
	assert_int_equal(s.max_ns, 400 * NS_PER_MS);
	assert_near(s.load, 0.5, 1e-12);
	s = spec_of("random:7,load:30%,max:20ms,min:1ms");
	assert_int_equal(s.n, 7);
	assert_int_equal(s.min_ns, NS_PER_MS);
	assert_int_equal(s.max_ns, 20 * NS_PER_MS);
	assert_near(s.load, 0.3, 1e-12);
	assert_near(spec_of("random:7,load:80").load, 0.8, 1e-12);
	s = spec_of("len:5ms,every:30ms");
	assert_true(s.kind == BURST_EVERY && s.every_ns == 30 * NS_PER_MS);
	s = spec_of("./every:1s");
	assert_int_equal(s.kind, BURST_FILE);
	assert_string_equal(s.path, "./every:1s");
}

TEST(what_is_no_list_is_told)
{
	static const char *const wrong[] = {
		"",
		"every:100ms",
		"every:100ms,",
		"every:100ms,,len:5ms",
		"every:100ms,len:5",
		"every:100ms,len:5ms,max:3ms",
		"every:,len:5ms",
		"every:100ms,len:0s",
		"every:100ms,len:500ns",
		"every:1ms,len:2ms",
		"every:100ms,len",
		"random:",
		"random:0",
		"random:-1",
		"random:1000001",
		"random:10,len:5ms",
		"random:10,min:5ms,max:4ms",
		"random:10,load:0",
		"random:10,load:101%",
		"random:10,load:%",
		"random:10,max:501ms",
		"random:10,load:30%",
		"random:10 ,max:1ms",
		"every:9ms,every:9ms,len:5ms",
		"len:5ms",
		"len:5ms,every:9ms,len:5ms",
		"max:5ms",
		"random:9,random:9",
		"every:9ms,len:5ms,random:2",
	};
	struct burst_plan_spec spec;

	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
		*why.text = '\0';
		if (parse_burst_spec(wrong[i], &spec, &why) != -EINVAL || !*why.text)
			fail_msg("\"%s\" was taken", wrong[i]);
	}
	/* exactly the share of a second */
	spec = spec_of("random:10,max:500ms");
}

TEST(at_equal_intervals_none_drifts_and_none_is_late)
{
	struct burst_plan_spec spec = spec_of("every:30ms,len:5ms");
	struct burst_plan plan;

	assert_int_equal(burst_plan_make_periodic(&plan, &spec, NS_PER_S), 0);
	assert_int_equal(plan.n, 34); /* 0, 30, ... 990 ms */
	assert_int_equal(plan.due[0].start_ns, 0);
	assert_int_equal(plan.due[33].start_ns, 990 * NS_PER_MS);
	assert_int_equal(plan.due[33].length_ns, 5 * NS_PER_MS);
	burst_plan_drop_after(&plan, 60 * NS_PER_MS);
	assert_int_equal(plan.n, 2); /* one that begins just then is left out */
	burst_plan_free(&plan);
	assert_int_equal(burst_plan_make_periodic(&plan, &spec, 90 * NS_PER_MS), 0);
	assert_int_equal(plan.n, 3);
	burst_plan_free(&plan);
	spec = spec_of("every:1ms,len:5us");
	assert_int_equal(burst_plan_make_periodic(&plan, &spec, 2000 * NS_PER_S), -E2BIG);
}

TEST(lengths_are_log_uniform)
{
	struct burst_plan_spec spec = spec_of("random:20000,min:100us,max:400ms");
	size_t below[4] = { 0 };
	struct burst_plan plan;
	double sum = 0;

	assert_int_equal(burst_plan_make_random(&plan, &spec, 7), 0);
	assert_int_equal(plan.n, 20000);
	for (size_t i = 0; i < plan.n; i++) {
		int64_t length = plan.due[i].length_ns, edge = NS_PER_MS;

		assert_true(length >= 100 * NS_PER_US && length <= 400 * NS_PER_MS);
		for (int d = 0; d < 3; d++, edge *= 10)
			below[d] += length < edge;
		sum += (double)length;
	}
	/* P(length < x) = ln(x / min) / ln(max / min); three standard deviations of n = 20000 are at most 0.0107 */
	assert_near((double)below[0] / 20000, log(10) / log(4000), 0.011);
	assert_near((double)below[1] / 20000, log(100) / log(4000), 0.011);
	assert_near((double)below[2] / 20000, log(1000) / log(4000), 0.011);
	/* mean = (max - min) / ln(max / min) = 48.2 ms; its standard deviation here is 0.6 ms */
	assert_near(sum / 20000 / NS_PER_MS, 399.9 / log(4000), 2);
	burst_plan_free(&plan);
}

/* Counts what each millisecond holds, and slides a second over them: nothing of how the plan was made. */
TEST(no_second_holds_more_than_the_load)
{
	static const struct {
		const char *text;
		double load;
	} each[] = {
		{ "random:3000", 0.5 },
		{ "random:2000,load:90%", 0.9 },
		{ "random:2000,load:50%,max:500ms,min:200ms", 0.5 },
		{ "random:4000,max:20ms,min:1ms,load:20%", 0.2 },
	};

	for (size_t k = 0; k < sizeof(each) / sizeof(*each); k++) {
		struct burst_plan_spec spec = spec_of(each[k].text);
		double most = 0, held = 0, all = 0, *ms;
		struct burst_plan plan;
		size_t n, last;

		assert_int_equal(burst_plan_make_random(&plan, &spec, 3), 0);
		last = plan.n - 1;
		n = (size_t)((plan.due[last].start_ns + plan.due[last].length_ns) / NS_PER_MS) + 2;
		ms = calloc(n, sizeof(*ms));
		assert_non_null(ms);
		for (size_t i = 0; i < plan.n; i++) {
			int64_t at = plan.due[i].start_ns, end = at + plan.due[i].length_ns;

			if (i)
				assert_true(at >= plan.due[i - 1].start_ns + plan.due[i - 1].length_ns + BURST_PAUSE_MIN);
			while (at < end) {
				int64_t edge = (at / NS_PER_MS + 1) * NS_PER_MS, to = edge < end ? edge : end;

				ms[at / NS_PER_MS] += (double)(to - at);
				at = to;
			}
			all += (double)plan.due[i].length_ns;
		}
		for (size_t i = 0; i < n; i++) {
			held += ms[i] - (i >= 1000 ? ms[i - 1000] : 0);
			most = held > most ? held : most;
		}
		assert_true(most <= each[k].load * NS_PER_S + 1);
		/* and it is no idle promise: the cap is reached somewhere, and the whole is not far below */
		assert_true(most >= 0.9 * each[k].load * NS_PER_S);
		assert_true(all / ((double)n * NS_PER_MS) > 0.6 * each[k].load);
		free(ms);
		burst_plan_free(&plan);
	}
}

static int read_text(const char *text, struct burst_plan *plan, unsigned long *line)
{
	FILE *in = fmemopen((void *)(uintptr_t)text, strlen(text), "r");
	int err;

	assert_non_null(in);
	err = burst_plan_read_file(plan, in, line);
	fclose(in);
	return err;
}

TEST(a_file_is_what_it_says)
{
	unsigned long line;
	struct burst_plan plan;

	assert_int_equal(read_text("schema\tstart_ns\tlength_ns\nburst-plan/1\t0\t4000000000\nburst-plan/1\t5000000000\t1000\n",
				   &plan, &line),
			 0);
	assert_int_equal(plan.n, 2);
	assert_int_equal(plan.due[0].length_ns, 4 * NS_PER_S);
	assert_int_equal(plan.due[1].start_ns, 5 * NS_PER_S);
	burst_plan_free(&plan);
	/* backwards; no length; one too short; another schema */
	assert_int_equal(read_text("schema\tstart_ns\tlength_ns\nburst-plan/1\t9\t2000\nburst-plan/1\t8\t2000\n", &plan, &line),
			 -EPROTO);
	assert_int_equal(line, 3);
	assert_int_equal(read_text("schema\tstart_ns\tlength_ns\nburst-plan/1\t9\t\n", &plan, &line), -EPROTO);
	assert_int_equal(read_text("schema\tstart_ns\tlength_ns\nburst-plan/1\t9\t999\n", &plan, &line), -EPROTO);
	assert_int_equal(read_text("schema\tstart_ns\tlength_ns\nburst-plan/1\t\t2000\n", &plan, &line), -EPROTO);
	assert_int_equal(read_text("schema\tstart_ns\tlength_ns\nburst/1\t9\t2000\n", &plan, &line), -EPROTO);
}
