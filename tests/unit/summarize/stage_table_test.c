// SPDX-License-Identifier: GPL-3.0-or-later
/* stage_table - two repeats by hand, one with the application's log and one without. */
#include "summarize/stage_table.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#define MS 1000000LL

/* One key with these stages in ms, 0 for one that is not known. */
static void add_key(struct train *t, const int64_t (*ms)[STAGES_ALL])
{
	int64_t sum = 0;

	for (int s = 0; s < STAGES_ALL; s++) {
		if (!(*ms)[s])
			continue;
		sample_add(&t->stages.of[s], (*ms)[s] * MS);
		sum += (*ms)[s];
	}
	sample_add(&t->stages.latency, sum * MS);
	t->stages.split++;
	t->stages.keys += 2;	/* one that could not be split beside it */
}

static double cell(const char *folder, const char *stage, int column)
{
	char path[64], line[512], *at, *word;
	double value = -1;
	FILE *in;

	snprintf(path, sizeof(path), "%s/stages.tsv", folder);
	in = fopen(path, "r");
	assert_non_null(in);
	while (fgets(line, sizeof(line), in)) {
		at = line;
		for (int i = 1; (word = strsep(&at, "\t")); i++) {
			if (i == 4 && strcmp(word, stage) != 0)
				break;
			if (i == column)
				value = atof(word);
		}
	}
	fclose(in);
	return value;
}

enum { KEYS = 5, OF_KEYS, MEAN, TO = 14 };

static size_t table(struct train *train, size_t n, char *folder)
{
	char app[] = "heavy", protocol[] = "vnc";
	struct cell c = { .app = app, .protocol = protocol, .train = { train }, .n = { n } };
	struct run run = { .cell = &c, .n = 1 };
	size_t rows;

	assert_non_null(mkdtemp(folder));
	assert_int_equal(stage_table_write(folder, &run, &rows), 0);
	return rows;
}

static void end(struct train *train, size_t n, const char *folder)
{
	char path[64];

	for (size_t i = 0; i < n; i++)
		stages_free(&train[i].stages);
	snprintf(path, sizeof(path), "%s/stages.tsv", folder);
	unlink(path);
	rmdir(folder);
}

static void where_some_repeats_have_a_log_the_others_are_left_out(void **state)
{
	/* due_sent, sent_wire, wire_app, app_drawn, drawn_wire, wire_pixels, wire_wire */
	static const int64_t with[] = { 1, 2, 3, 40, 5, 6, 0 }, without[] = { 7, 8, 0, 0, 0, 9, 100 };
	struct train train[2] = { 0 };
	char folder[] = "/tmp/stages.XXXXXX";

	(void)state;
	add_key(&train[0], (const int64_t (*)[STAGES_ALL])&without);
	add_key(&train[1], (const int64_t (*)[STAGES_ALL])&with);
	assert_int_equal(table(train, 2, folder), 7);
	assert_true(cell(folder, "wire_wire", MEAN) < 0);	/* no such row */
	assert_true(cell(folder, "due_sent", MEAN) == 1);
	assert_true(cell(folder, "wire_app", MEAN) == 3);
	assert_true(cell(folder, "latency", MEAN) == 57);
	assert_true(cell(folder, "wire_pixels", TO) == 57);
	assert_true(cell(folder, "latency", KEYS) == 1);
	assert_true(cell(folder, "latency", OF_KEYS) == 2);
	end(train, 2, folder);
}

static void where_none_has_one_stage_stands_for_three(void **state)
{
	static const int64_t without[] = { 7, 8, 0, 0, 0, 9, 100 };
	struct train train[2] = { 0 };
	char folder[] = "/tmp/stages.XXXXXX";

	(void)state;
	for (int i = 0; i < 2; i++)
		add_key(&train[i], (const int64_t (*)[STAGES_ALL])&without);
	assert_int_equal(table(train, 2, folder), 5);
	assert_true(cell(folder, "wire_wire", MEAN) == 100);
	assert_true(cell(folder, "latency", MEAN) == 124);
	assert_true(cell(folder, "wire_pixels", TO) == 124);
	assert_true(cell(folder, "latency", OF_KEYS) == 4);
	end(train, 2, folder);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(where_some_repeats_have_a_log_the_others_are_left_out),
		cmocka_unit_test(where_none_has_one_stage_stands_for_three),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
