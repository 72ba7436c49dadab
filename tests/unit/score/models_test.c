// SPDX-License-Identifier: GPL-3.0-or-later
/* models - published rules on hand-made samples; and cells of a table with quotes. */
#include "../unit.h"
#include "lines.h"
#include "score/models.h"

static const struct models_limits limits = {
	.perception = 100,
	.crisp = 150,
	.noticeable = 1000,
	.annoying = 2000,
	.unacceptable = 5000,
	.apdex_target = 100,
	.apdex_tolerating = 4,
	.apdex_excellent = 0.94,
	.apdex_good = 0.85,
	.apdex_fair = 0.7,
	.apdex_poor = 0.5,
	.wu_expected = 100,
	.wu_beta = 2,
	.vsi_base = 15,
	.vsi_dropped = 2,
	.vsi_samples = 5,
	.vsi_per_user = 0.4,
	.vsi_trim = 0.05,
	.vsi_margin = 1000,
};

static struct latency_sample one[400];

static struct latency_samples samples(const double *ms, size_t n)
{
	for (size_t i = 0; i < n; i++)
		one[i] = (struct latency_sample){ .early_ms = ms[i], .late_ms = ms[i], .users = NAN };
	return (struct latency_samples){ .one = one, .n = n };
}

/* A latency between 50 ms and 9 s may be of each class, one between 400 and 1000 ms of two. */
TEST(classes_of_ranges)
{
	static const double from[] = { 50, 50, 400, 9000 }, to[] = { 50, 9000, 1000, 9000 };
	static const double least_by_hand[] = { 0.25, 0, 0, 0, 0.25 }, most_by_hand[] = { 0.5, 0.5, 0.5, 0.25, 0.5 };
	struct latency_samples s = samples(from, 4);
	double least[MODELS_TOLIA], most[MODELS_TOLIA];

	for (size_t i = 0; i < 4; i++)
		one[i].late_ms = to[i];
	models_compute_tolia(&s, &limits, least, most);
	for (size_t c = 0; c < MODELS_TOLIA; c++) {
		assert_near(least[c], least_by_hand[c], 1e-12);
		assert_near(most[c], most_by_hand[c], 1e-12);
	}
}

TEST(rules_by_hand)
{
	static const double ms[] = { 50, 100, 101, 150, 400, 401, 1000, 2100, 5000, 9000 };
	struct latency_samples s = samples(ms, 10), none = { 0 };
	struct models_apdex_result a;
	double share[MODELS_TOLIA], most[MODELS_TOLIA], mean;

	assert_near(models_late_share(&s, MODELS_LATE, 100), 0.8, 1e-12);
	models_compute_tolia(&s, &limits, share, most);
	assert_near(share[0], 0.3, 1e-12); /* 50 100 101 */
	assert_near(share[1], 0.3, 1e-12); /* 150 400 401 */
	assert_near(share[2], 0.1, 1e-12); /* 1000 */
	assert_near(share[3], 0.1, 1e-12);
	assert_near(share[4], 0.2, 1e-12);
	assert_memory_equal(share, most, sizeof(share));
	models_compute_apdex(&s, MODELS_LATE, &limits, &a);
	assert_int_equal(a.satisfied, 2);
	assert_int_equal(a.tolerating, 3);
	assert_int_equal(a.frustrated, 5);
	assert_near(a.score, 0.35, 1e-12);
	assert_string_equal(models_apdex_word(&limits, a.score), "unacceptable");
	assert_string_equal(models_apdex_word(&limits, 0.85), "good");
	for (int half = 5; half < 1000; half += 10) /* halves go up, whatever they are in binary */
		assert_near(models_round_apdex(half / 1000.0), (half + 5) / 1000.0, 1e-12);
	assert_string_equal(models_apdex_word(&limits, 0.9349), "good"); /* words are of hundredths: 0.93 and 0.94 */
	assert_string_equal(models_apdex_word(&limits, 0.9351), "excellent");
	assert_string_equal(models_apdex_word(&limits, 0.4949), "unacceptable");
	assert_string_equal(models_apdex_word(&limits, 0.4951), "poor");
	s.one[0].failed = true; /* soon, but with an error */
	models_compute_apdex(&s, MODELS_LATE, &limits, &a);
	assert_int_equal(a.satisfied, 1);
	assert_int_equal(a.frustrated, 6);
	/* (.001 .05 .3 .301 .9 2 4.9 8.9)^2 */
	assert_near(models_felt_delay(&s, MODELS_LATE, &limits, &mean), 1e-6 + 0.0025 + 0.09 + 0.090601 + 0.81 + 4 + 24.01 + 79.21,
		    1e-9);
	assert_near(mean, 10.8213102, 1e-6);
	assert_true(isnan(models_late_share(&none, MODELS_LATE, 100)));
	assert_null(models_apdex_word(&limits, NAN));
}

/* 200 samples, one more user each ten; latency 500 ms, and from 15 users on 1,600 ms. */
TEST(vsimax_by_hand)
{
	struct latency_samples s = { .one = one, .n = 200 };
	struct models_vsimax_result v;

	for (size_t i = 0; i < 200; i++)
		one[i] = (struct latency_sample){ .late_ms = i < 140 ? 500 : 1600, .users = (double)(1 + i / 10) };
	one[3].late_ms = 1; /* of the shortest two, which are dropped */
	one[4].late_ms = 2;
	models_compute_vsimax(&s, MODELS_LATE, &limits, &v);
	assert_near(v.base, 500, 1e-9);
	assert_near(v.limit, 1500, 1e-9);
	assert_true(v.reached);
	/* At 15 users 11 samples are averaged, nine of them after the trim: over 1500 takes nine long ones
	 * of nine (8: 1477.8), so ten of eleven. The tenth of them is the last with 15 users. */
	assert_near(v.users, 15, 0);
	assert_near(v.last, 1600, 1e-9);
	s.n = 140;
	models_compute_vsimax(&s, MODELS_LATE, &limits, &v);
	assert_false(v.reached);
	assert_near(v.users, 14, 0);
	for (size_t i = 0; i < 200; i++)
		one[i].users = NAN;
	models_compute_vsimax(&s, MODELS_LATE, &limits, &v);
	assert_false(v.known);
	s.n = 14;
	models_compute_vsimax(&s, MODELS_LATE, &limits, &v);
	assert_true(isnan(v.base));
}

/* The documentation's example: of 60 users 5 + 24 samples are averaged, less one at either end. Of
 * 40 samples 20 take 500 ms and 20 take 2,000: the last 29 but one are 10 and 19 of them, less one
 * each (9 x 500 + 18 x 2000) / 27 = 1500, not over the limit of 500 + 1000; the last 29 are 9 and
 * 20: 42000 / 27. (Its 31, less two at either end, would not be over it by then.) */
TEST(vsimax_of_sixty_users)
{
	struct latency_samples s = { .one = one, .n = 39 };
	struct models_vsimax_result v;

	for (size_t i = 0; i < 40; i++)
		one[i] = (struct latency_sample){ .late_ms = i < 20 ? 500 : 2000, .users = 60 };
	models_compute_vsimax(&s, MODELS_LATE, &limits, &v);
	assert_true(v.known);
	assert_false(v.reached);
	assert_near(v.last, 1500, 1e-9);
	s.n = 40;
	models_compute_vsimax(&s, MODELS_LATE, &limits, &v);
	assert_true(v.reached);
	assert_near(v.last, 42000.0 / 27, 1e-9);
	assert_near(v.limit, 1500, 1e-9);
}

TEST(cells_with_quotes)
{
	char line[] = "a,\"b, \"\"c\"\"\",,\"d\"x,e\r\n", tabs[] = "\"a\"\t\tb", many[] = "1,2,3";
	char *cell[5];

	assert_int_equal(fields_split(line, ',', cell, 5), 5);
	assert_string_equal(cell[0], "a");
	assert_string_equal(cell[1], "b, \"c\"");
	assert_string_equal(cell[2], "");
	assert_string_equal(cell[3], "d");
	assert_string_equal(cell[4], "e");
	assert_int_equal(fields_find_name(cell, 5, "e"), 4);
	assert_int_equal(fields_find_name(cell, 5, "f"), -1);
	assert_int_equal(fields_split(tabs, '\t', cell, 5), 3);
	assert_string_equal(cell[0], "\"a\"");
	assert_int_equal(fields_split(many, ',', cell, 2), 0);
}
