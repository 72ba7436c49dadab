// SPDX-License-Identifier: GPL-3.0-or-later
/* Figures of trains played by hand, against values computed by hand. Times in ms from 1000. */
#define AFTER_ALL drop_figures
#include "../unit.h"
#include "keyrepeat/figures.h"
#include "clock.h"

#include <math.h>

#define MS NS_PER_MS
#define AT(ms) ((1000 + (int64_t)(ms)) * MS)

static struct key_times key[64];
static struct key_train_block block[4];
static struct key_train train;
static struct observations seen;
static struct pair_update update[64];
static struct shown_number shown[64];
static struct train_figures f;
static const struct figures_cfg_of_train by_patch = { WATCH_PATCH, 50 * MS, 100 * MS, 0, 0 },
					 by_update = { WATCH_UPDATE, 50 * MS, 100 * MS, 0, 0 };

/* n keys due each 50 ms, sent late_us after that, one block that ends at end_ms */
static void type(size_t n, int64_t late_us, int64_t end_ms)
{
	memset(key, 0, sizeof(key));
	memset(&seen, 0, sizeof(seen));
	for (size_t i = 0; i < n; i++) {
		key[i].due_ns = AT(50 * i);
		key[i].sent_ns = AT(50 * i) + late_us * NS_PER_US;
	}
	block[0] = (struct key_train_block){ 0, n, AT(0), AT(end_ms), PAIR_DRAINED };
	train = (struct key_train){ .key = key, .block = block, .blocks = 1, .due = n, .begin_ns = AT(-20), .end_ns = AT(end_ms) };
	seen.update = update;
	seen.shown = shown;
}

static void see(int64_t ms)
{
	update[seen.updates++] = (struct pair_update){ AT(ms), AT(ms), false };
}

#define SEE(...) see_each((int64_t[]){ __VA_ARGS__ }, COUNT(((int64_t[]){ __VA_ARGS__ })))
static void see_each(const int64_t *ms, size_t n)
{
	for (size_t i = 0; i < n; i++)
		see(ms[i]);
}

static void show(int64_t ms, uint32_t number)
{
	see(ms);
	shown[seen.shows++] = (struct shown_number){ AT(ms), number };
}

static void compute(const struct figures_cfg_of_train *cfg)
{
	figures_free(&f);
	figures_compute(cfg, &train, &seen, &f);
}

static double statistic(struct sample *s, const char *name)
{
	struct sample_stat stat = !strcmp(name, "mean")	 ? sample_mean(s)
				  : !strcmp(name, "min") ? sample_min(s)
				  : !strcmp(name, "max") ? sample_max(s)
							 : sample_quantile(s, atof(name + 1) / 100);

	return !strcmp(name, "n")	   ? (double)s->n
	       : !strcmp(name, "censored") ? (double)s->censored
	       : !strcmp(name, "later")	   ? (double)s->censored_min / MS
					   : stat.value / MS;
}

/* A figure by its name; of a sample "from_due.p50", in ms. */
static double find_figure(const char *name)
{
	static const char *const name_of[] = { "keys_due",	  "keys_sent",	   "keys_skipped", "keys_answered",   "keys_exact",
					       "keys_in_doubt",	  "in_flight",	   "coalesced",	   "updates",	      "late",
					       "late_high",	  "ahead",	   "stalls",	   "restless",	      "owed",
					       "overloaded",	  "backlog_per_s", "late_percent", "updates_per_key", "left_late",
					       "left_late_max_ms" };
	const double value[] = { (double)f.keys_due,
				 (double)f.keys_sent,
				 (double)f.keys_skipped,
				 (double)f.keys_answered,
				 (double)f.keys_exact,
				 (double)f.keys_in_doubt,
				 (double)f.in_flight,
				 (double)f.coalesced,
				 (double)f.updates,
				 (double)f.late,
				 (double)f.late_high,
				 (double)f.ahead,
				 (double)f.stalls,
				 (double)f.restless,
				 (double)f.owed,
				 (double)f.backlog.overloaded,
				 (double)f.backlog.per_s,
				 (double)f.late_percent,
				 (double)f.updates_per_key,
				 (double)f.left_late,
				 (double)f.left_late_max_ns / MS };
	static const char *const sample_name[] = { "lateness.", "from_due.", "from_sent.", "high.", "interarrival.", "stall." };
	struct sample *sample[] = { &f.lateness, &f.from_due, &f.from_sent, &f.high, &f.interarrival, &f.stall };

	if (!strcmp(name, "gap"))
		return f.largest_gap_ns < 0 ? NAN : (double)f.largest_gap_ns / MS;
	for (size_t i = 0; i < COUNT(name_of); i++)
		if (!strcmp(name, name_of[i]))
			return value[i];
	for (size_t i = 0; i < COUNT(sample_name); i++)
		if (!strncmp(name, sample_name[i], strlen(sample_name[i])))
			return statistic(sample[i], name + strlen(sample_name[i]));
	fail_msg("no figure is called %s", name);
	return NAN;
}

/* Names of figures, and their values; "none": not a number. */
static void expect(const char *text)
{
	char words[400], *name, *wanted;

	snprintf(words, sizeof(words), "%s", text);
	for (name = strtok(words, " "); name; name = strtok(NULL, " ")) {
		double value = find_figure(name);

		wanted = strtok(NULL, " ");
		if (strcmp(wanted, "none") ? !(fabs(value - atof(wanted)) < 1e-6) : !isnan(value))
			fail_msg("%s is %f, wanted %s", name, value, wanted);
	}
}

TEST(patch_train)
{
	/* keys at 0 50 100 150 270; the first is skipped; 3 and 4 share a picture, 5 is never answered */
	type(5, 20, 10300);
	key[4].due_ns += 70 * MS;
	key[4].sent_ns += 70 * MS;
	key[0].skipped = true;
	show(30, 1);
	show(70, 2);
	show(260, 4);
	compute(&by_patch);
	expect("keys_due 4 keys_sent 4 keys_skipped 1 keys_answered 3 keys_exact 3 coalesced 1 updates 2");
	/* latencies 20, 160, 110 and one later than 10030 */
	expect("late 3 late_high 3 late_percent 75 updates_per_key 0.5 from_due.min 20 from_due.n 4 "
	       "from_due.censored 1 from_due.later 10030 from_sent.min 19.98 lateness.max 0.02");
	/* gaps 40 (from the echo of the skipped key) and 190: stalls -10 and 140 */
	expect("interarrival.n 2 stalls 1 stall.mean 65");
	assert_true(fabs(f.mean_positive_ns / MS - 70) < 1e-6);
	/* the picture stood still from 260 to the end */
	expect("gap 10040");
}

TEST(a_key_of_somebody_else_makes_patch_keys_ranges)
{
	/* answers take 120 ms; somebody types at 20, so our second key is number 3 */
	type(4, 0, 1400);
	show(120, 1);
	show(140, 2);
	show(170, 3);
	show(220, 4);
	show(270, 5);
	compute(&by_patch);
	expect("ahead 1 keys_answered 4 keys_exact 0 from_due.min 70 from_due.max 120 high.min 120 high.max 140");
}

TEST(keys_that_the_patch_did_not_count_may_be_any)
{
	/* answers take 10 ms; the keys at 50 and 100 are lost, so the last two are numbers 2 and 3 */
	type(5, 0, 10300);
	show(10, 1);
	show(160, 2);
	show(210, 3);
	compute(&by_patch);
	expect("keys_exact 1 keys_answered 3");
	/* 10 ms and, of the others, two are never answered */
	expect("from_due.p50 10 high.censored 2");
	assert_true(f.late <= 2 && f.late_high >= 2);
	/* while it still counts, the others may come later */
	train.end_ns = AT(300);
	compute(&by_patch);
	expect("keys_exact 3");
}

TEST(as_many_updates_as_keys_prove_nothing_beside_noise)
{
	/* a block of 1.3 s: noise of 0.03/s disturbs 3.8 % of such blocks, 0.05/s 6.3 % */
	struct figures_cfg_of_train cfg = by_update;

	cfg.noise_per_s = 0.03;
	type(3, 0, 1300);
	SEE(60, 90, 120);
	compute(&cfg);
	expect("keys_exact 3");
	cfg.noise_per_s = 0.05;
	compute(&cfg);
	expect("keys_exact 0 keys_answered 3 from_due.max 60");
}

TEST(end_before_the_threshold_leaves_lateness_open)
{
	/* the connection broke 30 ms after the last key: it may or may not become late */
	type(2, 0, 80);
	train.end = SENDER_DROPPED;
	block[0].drain = PAIR_CUT;
	show(10, 1);
	compute(&by_patch);
	expect("late 0 late_high 1 in_flight 0");
}

TEST(an_interrupted_train_leaves_out_keys_in_flight)
{
	/* answers take 10 and 300 ms; of the last two keys, one has waited for 310 ms at the end, the other for 260 */
	type(4, 0, 410);
	train.end = SENDER_INTERRUPTED;
	block[0].drain = PAIR_CUT;
	show(10, 1);
	show(350, 2);
	compute(&by_patch);
	expect("in_flight 1 keys_due 3 from_due.n 3");
	/* the key that waits longer than any answer took stays */
	expect("from_due.censored 1");
}

/* Each key is a block from when it was sent until the next was. */
#define SEND(end_ms, ...) send_singly(COUNT(((int64_t[]){ __VA_ARGS__ })), (int64_t[]){ __VA_ARGS__ }, end_ms)
static void send_singly(size_t n, const int64_t *sent_ms, int64_t end_ms)
{
	static struct key_train_block single[64];

	type(n, 0, end_ms);
	for (size_t i = 0; i < n; i++) {
		key[i].sent_ns = AT(sent_ms[i]);
		single[i] = (struct key_train_block){ i, 1, AT(sent_ms[i]), AT(i + 1 < n ? sent_ms[i + 1] : end_ms), PAIR_DRAINED };
	}
	train.block = single;
	train.blocks = n;
	train.one_by_one = true;
	train.period_ns = 50 * MS;
}

TEST(a_key_drawn_again_after_the_next_key_is_not_exact)
{
	/* each key is drawn after 5 ms, and again after 70 */
	SEND(1300, 0, 50, 100);
	SEE(5, 55, 70, 105, 120, 170);
	compute(&by_update);
	expect("keys_answered 3 keys_exact 0 from_due.max 5 high.min 70 high.max 70");
}

TEST(a_key_that_waited_for_its_turn_is_a_range_from_due)
{
	/* the first key is answered after 170 ms; sent when due, the others would have been answered between then and when they were */
	SEND(1300, 0, 180, 210);
	SEE(170, 200, 230);
	compute(&by_update);
	expect("keys_exact 3 from_due.p0 70 from_due.p50 120 high.p0 130 high.p50 150 from_sent.p50 20 late 2 "
	       "late_high 3 left_late 0");
}

TEST(a_key_that_waited_for_rest_might_have_been_answered_as_fast)
{
	/* the first answer was there when the second key was due; until it was sent, the picture had to be at rest */
	SEND(1300, 0, 58);
	SEE(45, 80);
	compute(&by_update);
	expect("from_due.min 22 from_due.max 45 high.min 30 left_late 0");
}

TEST(a_key_that_left_late_without_a_reason_is_counted)
{
	/* answers take 20 ms; the second key left 25 ms late, the third 8 ms, 3 of them after the picture had been at rest */
	SEND(1300, 0, 75, 108, 151);
	SEE(20, 95, 128, 171);
	compute(&by_update);
	expect("left_late 1 left_late_max_ms 25");
	key[1].skipped = true;
	compute(&by_update);
	expect("left_late 0 left_late_max_ms 0");
	/* the server took 130 ms for the first key; the others left one by one, 10 ms after each answer */
	SEND(1300, 0, 140, 155, 170);
	SEE(130, 145, 160, 175);
	compute(&by_update);
	expect("left_late 0");
	/* the second one left 105 ms after it was due, but only 15 ms after the answer and the rest */
	SEND(1300, 0, 155);
	SEE(130, 175);
	compute(&by_update);
	expect("left_late 1 left_late_max_ms 15");
}

TEST(a_key_that_waited_until_the_answer_was_drawn_left_in_time)
{
	/* the first answer is drawn from 20 to 65 ms; the second key leaves when the picture has been at rest for 10 ms */
	SEND(1300, 0, 76, 107);
	SEE(20, 96, 127);
	update[0].last_ns = AT(65);
	compute(&by_update);
	expect("left_late 0");
}

TEST(without_rest_at_the_end_no_late_end_is_known)
{
	static int64_t sent_ms[40];

	for (int i = 0; i < 40; i++)
		sent_ms[i] = 50 * i;
	/* an update 30 ms after each key; the display moves until the end */
	send_singly(40, sent_ms, 12000);
	train.block[39].drain = PAIR_CUT;
	for (int i = 0; i < 40; i++)
		see(50 * i + 30);
	see(11900);
	compute(&by_update);
	expect("keys_exact 0 keys_in_doubt 40 late 0 late_high 40 restless 1 overloaded 0");
	/* interrupted 100 ms after the last answer, the display had no time to rest; an update for each key is none of its own */
	train.end = SENDER_INTERRUPTED;
	train.block[39].end_ns = train.end_ns = AT(2080);
	seen.updates = 40;
	compute(&by_update);
	expect("restless 0 keys_exact 39");
	/* more are */
	for (int i = 0; i < 5; i++)
		see(2000 + 15 * i);
	compute(&by_update);
	expect("restless 1");
	/* rest, after which the last key had no answer */
	train.end = SENDER_COMPLETE;
	train.block[39].end_ns = train.end_ns = AT(12000);
	seen.updates = 39;
	compute(&by_update);
	expect("restless 0 keys_exact 39");
}

/* Updates of the display's own, ten a second, come within 60 ms of a key about as often as its answer. */
TEST(waits_as_long_as_those_for_noise_have_no_late_end)
{
	struct figures_cfg_of_train noisy = by_update;
	static int64_t sent_ms[40];

	for (int i = 0; i < 40; i++)
		sent_ms[i] = 100 * i;
	for (int noise = 0; noise <= 10; noise += 2) {
		send_singly(40, sent_ms, 6000);
		for (int i = 0; i < 40; i++)
			see(100 * i + 60);
		noisy.noise_per_s = noise;
		compute(&noisy);
		assert_int_equal(f.restless, noise > 4);
	}
}

/* A signal came while the last key waited until it was due. */
TEST(an_erased_key_keeps_its_answer_where_the_next_was_never_sent)
{
	SEND(400, 0, 100, 200, 300);
	train.erased = true;
	key[3].sent_ns = 0;
	SEE(20, 130, 240);
	compute(&by_update);
	expect("keys_sent 3 keys_answered 3 from_sent.n 3 from_sent.max 40");
}

TEST(nothing_is_known_of_keys_never_sent)
{
	/* the second key is never answered; the last two wait for that in vain */
	SEND(10300, 0, 50, 0, 0);
	key[2].sent_ns = key[3].sent_ns = 0;
	train.block[1].n = 3;
	train.block[1].end_ns = AT(10300);
	train.block[1].drain = PAIR_CUT;
	train.blocks = 2;
	see(20);
	compute(&by_update);
	expect("keys_sent 2 late 1 late_high 3 from_due.censored 1 high.censored 3 updates_per_key 0.5");
}

TEST(rest_between_blocks_is_no_gap)
{
	type(4, 0, 1200);
	block[0].n = 2;
	block[0].end_ns = AT(1100);
	block[1] = (struct key_train_block){ 2, 2, AT(1200), AT(2300), PAIR_DRAINED };
	train.blocks = 2;
	train.end_ns = AT(2300);
	for (size_t i = 2; i < 4; i++)
		key[i].due_ns = key[i].sent_ns = AT(1200 + 50 * ((int64_t)i - 2));
	SEE(10, 65, 1215, 1260);
	compute(&by_update);
	expect("keys_exact 4 updates 4");
	/* 55 and 45 */
	expect("interarrival.n 2 gap 55");
}

TEST(a_key_given_up_waits_no_longer_than_the_next_answered)
{
	/* the last key of the first block is never answered, each of the 44 after it at once */
	type(60, 0, 5300);
	block[0].n = 16;
	block[0].end_ns = AT(790);
	block[0].drain = PAIR_CUT;
	block[1] = (struct key_train_block){ 16, 44, AT(800), AT(5300), PAIR_DRAINED };
	train.blocks = 2;
	for (int i = 0; i < 60; i++)
		if (i != 15)
			see(50 * i + 10);
	compute(&by_update);
	expect("keys_answered 59 overloaded 0");
	assert_true(fabs(f.backlog.per_s) < 0.01);
}

TEST(late_echoes_of_skipped_keys_do_not_count)
{
	/* every echo 120 ms after its key: those of the two skipped keys come while later ones are being sent */
	type(6, 0, 500);
	key[0].skipped = key[1].skipped = true;
	for (uint32_t i = 0; i < 6; i++)
		show(50 * i + 120, i + 1);
	compute(&by_patch);
	expect("updates 4 interarrival.n 4 updates_per_key 1");
}

TEST(without_keys_only_updates)
{
	type(0, 0, 900);
	train.blocks = 0;
	see(-500); /* before it began */
	SEE(100, 600);
	compute(&by_update);
	expect("updates 2 keys_due 0 late_percent none");
}

/* A display repeats a held key, 20 ms more behind each time, and leaves the last repeat out; its pictures come 10 ms after it. */
TEST(repeats_of_display)
{
	type(6, 0, 10300);
	for (size_t i = 1; i < 6; i++) {
		key[i].sent_ns = 0;
		key[i].repeated = true;
	}
	key[0].skipped = true;
	for (int i = 0; i < 5; i++)
		show(70 * i + 10, (uint32_t)i + 1);
	compute(&by_patch);
	expect("keys_due 5 keys_exact 0 late 0 late_high 1 overloaded 0 gap 70");
	/* that of the fourth key was 10 ms, and is known to be from 0 to 70 */
	expect("from_due.p50 0 high.p50 70");
}

static int drop_figures(void **state)
{
	figures_free(&f);
	return 0;
}
