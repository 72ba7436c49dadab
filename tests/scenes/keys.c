// SPDX-License-Identifier: GPL-3.0-or-later
/* keys: trains and keys that are asked for, typed in virtual time into a made-up display, by the code that types into real ones: the
 * linker puts the clock below in place of the real one. Times in ms. What happens:
 *	schedule=single|periodic|asked rate= time= keys= pause= (of asked keys)
 *	ms= (median of the echo) sd= (its scatter, percent) slow= slowms= (so many percent take so long) first= (the first key)
 *	step= (echoes come on this grid) service= (time of one key in a queue) lost= (percent) gap= (a key so soon after another is lost)
 *	hang= (no echo from this key on) flush= (all of them come so late after the last) stall= every= (a stop of all echoes, and how often)
 *	status= (a status line changes so long after each key) clock= digits=1 (a clock beside) fixed=1 (echoes at one place) next=1 */
#include "scene.h"
#include "keyrepeat/figures.h"
#include "keyrepeat/on_demand.h"
#include "keyrepeat/plan.h"
#include "keyrepeat/report.h"
#include "clock.h"
#include "proc.h"
#include "random.h"

#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define KEYS 4000
#define WITHIN_NS (5 * NS_PER_MS)

static struct {
	const struct scene *scene;
	uint64_t *rng;
	struct observations seen;
	int64_t now_ns, tick_ns, free_ns, before_ns, echo_ns, asked, stall_ns;
	int keys, cells, ticks; /* keys that arrived, cells painted, ticks of the clock */
	int64_t truth_ns[KEYS]; /* when a key was painted; 0: never */
	struct {
		int64_t at_ns;
		bool status;
	} todo[2 * KEYS]; /* ascending times */
	int first, last;
} world;

static double number(const char *key)
{
	return scene_number(world.scene, key, 0);
}

static int64_t ms(const char *key)
{
	return (int64_t)(number(key) * NS_PER_MS);
}

static void change(int64_t at_ns, int x, int y, int w)
{
	struct caret_step step = { .at_ns = at_ns,
				   .top = y,
				   .bottom = y + 15,
				   .top_left = x,
				   .left = x,
				   .right = x + w,
				   .all_left = x,
				   .all_right = x + w };

	observations_add_change(&world.seen, &step);
}

static void paint(int64_t at_ns)
{
	int c = number("fixed") > 0 ? 3 : world.cells;

	world.cells++;
	change(at_ns, c % 79 * 8, c / 79 % 20 * 16, 16); /* the letter, and the caret beside it */
}

static void tick(int64_t at_ns)
{
	int w = !(number("digits") > 0) ? 64 : ++world.ticks % 10 ? 8 : world.ticks % 60 ? 16 : 40;

	change(at_ns, 700 - w, 400, w);
	world.tick_ns += ms("clock");
}

/* Shows what is due by now. */
static void run_display(void)
{
	for (;;) {
		int64_t at = world.first < world.last ? world.todo[world.first].at_ns : INT64_MAX;
		bool status = world.first < world.last && world.todo[world.first].status;

		if (world.tick_ns <= at && world.tick_ns <= world.now_ns) {
			tick(world.tick_ns);
		} else if (at <= world.now_ns) {
			world.first++;
			if (status)
				change(at, 300, 440, 80);
			else
				paint(at);
		} else {
			return;
		}
	}
}

static void add_change(int64_t at_ns, bool status)
{
	int i = world.last++;

	for (; i > world.first && world.todo[i - 1].at_ns > at_ns; i--)
		world.todo[i] = world.todo[i - 1];
	world.todo[i].at_ns = at_ns;
	world.todo[i].status = status;
}

static double percent(void)
{
	return 100 * random_fraction(world.rng);
}

static int64_t echo_time(int64_t sent_ns)
{
	int64_t at =
		sent_ns + (int64_t)((double)ms("ms") * exp(scene_number(world.scene, "sd", 5) / 100 * scene_normal(world.rng)));
	int64_t step = ms("step"), stall = ms("stall"), every = ms("every");

	if (percent() < number("slow"))
		at = sent_ns + ms("slowms");
	if (world.keys == 1 && number("first") > 0)
		at = sent_ns + ms("first");
	if (number("service") > 0)
		at = world.free_ns = (world.free_ns > sent_ns ? world.free_ns : sent_ns) + ms("service");
	if (step)
		at += step - at % step;
	if (stall && (at + world.stall_ns) % every < stall)
		at += stall - (at + world.stall_ns) % every;
	at = at > world.echo_ns ? at : world.echo_ns; /* in order */
	world.echo_ns = at;
	return at;
}

static int send_key(void *self, int key, bool down)
{
	int64_t sent = world.now_ns, rest = sent - world.before_ns;
	int i = world.keys, hang = (int)number("hang");
	bool lost;

	(void)self;
	(void)key;
	if (!down || i >= KEYS)
		return 0;
	world.before_ns = sent;
	world.keys++;
	if (number("status") > 0)
		add_change(sent + ms("status"), true);
	lost = percent() < number("lost") || rest < ms("gap") || (hang && i + 1 >= hang);
	if (number("next") > 0 && i) {
		world.truth_ns[i - 1] = sent + ms("ms");
		add_change(sent + ms("ms"), false);
	} else if (!lost && !(number("next") > 0)) {
		world.truth_ns[i] = echo_time(sent);
		add_change(world.truth_ns[i], false);
	}
	return 0;
}

/* --- the clock --- */

static void pass_time(int64_t until_ns)
{
	world.now_ns = until_ns > world.now_ns ? until_ns : world.now_ns;
	run_display();
}

int64_t __wrap_clock_now(void);
int64_t __wrap_clock_process_cpu(void);
int __wrap_clock_sleep(int64_t due_ns);
void __wrap_proc_sleep(int64_t until_ns);
bool __wrap_sender_await_line(struct key_sender *s, int fd);

int64_t __wrap_clock_now(void)
{
	pass_time(world.now_ns + 2 * NS_PER_US);
	return world.now_ns;
}

int64_t __wrap_clock_process_cpu(void)
{
	return 0;
}

int __wrap_clock_sleep(int64_t due_ns)
{
	pass_time(due_ns);
	return 0;
}

void __wrap_proc_sleep(int64_t until_ns)
{
	pass_time(until_ns);
}

bool __wrap_sender_await_line(struct key_sender *s, int fd)
{
	(void)s;
	(void)fd;
	pass_time(world.now_ns +
		  (int64_t)(scene_number(world.scene, "pause", 700) * (0.5 + random_fraction(world.rng)) * NS_PER_MS));
	return world.asked-- > 0;
}

/* --- what is said --- */

static int no_fd(void *self)
{
	(void)self;
	return -1;
}

static const struct target_ops target = { .scheme = "made up", .send_fd = no_fd, .send = send_key, .tells_steps = true };

static void say(char *said, const char *word)
{
	snprintf(said + strlen(said), SCENE_SAID - strlen(said), "%s%s", *said ? " " : "", word);
}

/* Compares exact answers with the truth: "strange" if more than one of fifty, and more than one, is wrong. */
static void say_pairs(const struct key_train *t, char *said)
{
	size_t exact = 0, wrong = 0, outside = 0;

	for (size_t i = 0; i < t->due; i++) {
		const struct key_times *k = &t->key[i];

		if (k->sent_ns && k->answer_ns && world.truth_ns[i] &&
		    (k->answer_ns > world.truth_ns[i] + WITHIN_NS || (k->high_ns && k->high_ns < world.truth_ns[i] - WITHIN_NS)))
			outside++;
		if (!k->exact || k->skipped)
			continue;
		exact++;
		wrong += !world.truth_ns[i] || llabs(k->answer_ns - world.truth_ns[i]) > WITHIN_NS;
	}
	say(said, wrong > 1 && 50 * wrong > exact ? "strange" : "true");
	say(said, 2 * exact > t->due ? "exact" : exact ? "some" : "inexact");
	if (20 * outside > t->due)
		say(said, "outside");
}

/* Compares the median of the latency from sending with the truth. */
static void say_median(const struct key_train *t, struct train_figures *f, char *said)
{
	struct sample truth = { 0 };
	struct figure p50 = figure_make_range(sample_quantile(&f->from_sent, 0.5), sample_quantile(&f->sent_high, 0.5), 0);
	double is;

	for (size_t i = 0; i < t->due; i++)
		if (t->key[i].sent_ns && !t->key[i].skipped && world.truth_ns[i])
			sample_add(&truth, world.truth_ns[i] - t->key[i].sent_ns);
	is = sample_quantile(&truth, 0.5).value;
	sample_free(&truth);
	if (figure_is_range(&p50) || !isfinite(p50.value))
		say(said, isfinite(is) && ((isfinite(p50.from) && p50.from > is + (double)WITHIN_NS) ||
					   (isfinite(p50.to) && p50.to < is - (double)WITHIN_NS))
				  ? "false-range"
				  : "range");
	else
		say(said, fabs(p50.value - is) <= fmax(WITHIN_NS, 0.05 * is) ? "right" : "wrong");
}

static void type_train(char *said)
{
	static int64_t offset[KEYS];
	static const char *const statuses[] = { [EXIT_OK] = "measured", [EXIT_RUN] = "no-echo", [EXIT_LOSSY] = "lossy" };
	bool single = !strcmp(scene_word(world.scene, "schedule", "single"), "single");
	double rate = scene_number(world.scene, "rate", 20), seconds = scene_number(world.scene, "time", 15000) / 1000;
	struct figures_cfg_of_train by = { WATCH_UPDATE, (int64_t)(NS_PER_S / rate), 100 * NS_PER_MS, 0,
					   (int64_t)(seconds * NS_PER_S) };
	struct key_train_cfg cfg = { .target = &target,
				     .seen = &world.seen,
				     .watch = WATCH_UPDATE,
				     .offset_ns = offset,
				     .n = (size_t)(rate * seconds),
				     .one_by_one = single,
				     .period_ns = by.period_ns,
				     .watch_ns = by.time_ns,
				     .timeout_ns = 30 * NS_PER_S };
	struct train_figures f;
	struct key_train t;
	int status;

	plan_compute_due_times(single ? SCHEDULE_JITTERED : SCHEDULE_PERIODIC, rate, random_mix(*world.rng), offset, cfg.n);
	world.seen.filters = true;
	pass_time(world.now_ns + BLINK_PERIOD_NS);
	train_send_keys(&cfg, &t);
	observations_drop_own(&world.seen);
	for (size_t i = 0; i < t.due && i < (t.warmup ? t.warmup : 5); i++)
		t.key[i].skipped = true;
	figures_compute(&by, &t, &world.seen, &f);
	report_find_trouble(&by, &t, &world.seen, &f, true, &status);
	say(said, statuses[status]);
	if (f.any_answer)
		say_median(&t, &f, said);
	say_pairs(&t, said);
	say(said, f.backlog.overloaded ? "overloaded" : "steady");
	if (t.period_ns > by.period_ns)
		say(said, "slower-pace");
	figures_free(&f);
	train_free(&t);
}

static void type_asked(char *said)
{
	static int out = -1;
	struct on_demand_cfg cfg = { .target = &target, .seen = &world.seen, .watch = WATCH_UPDATE, .timeout_ns = 30 * NS_PER_S };
	struct on_demand_run d;

	cfg.out_fd = out = out < 0 ? open("/dev/null", O_WRONLY | O_CLOEXEC) : out;
	world.asked = (int64_t)scene_number(world.scene, "keys", 20);
	pass_time(world.now_ns + BLINK_PERIOD_NS);
	on_demand_type_keys(&d, &cfg);
	say_pairs(&d.train, said);
	if (d.count[ON_DEMAND_NONE] * 2 > d.train.blocks)
		say(said, "none");
	if (d.count[ON_DEMAND_DOUBT] * 4 > d.train.blocks)
		say(said, "doubt");
	train_free(&d.train);
}

void scene_draw(const struct scene *s, uint64_t *rng, char said[static SCENE_SAID])
{
	static struct caret_step step[10 * KEYS];
	static struct pair_update update[10 * KEYS];
	int64_t clock;

	memset(&world, 0, sizeof(world));
	world.scene = s;
	world.rng = rng;
	world.now_ns = NS_PER_S;
	clock = ms("clock");
	world.tick_ns = clock ? world.now_ns + (int64_t)(random_fraction(rng) * (double)clock) : INT64_MAX;
	world.stall_ns = (int64_t)(random_fraction(rng) * (double)ms("every"));
	world.seen.step = step;
	world.seen.update = update;
	world.seen.step_room = world.seen.update_room = 10 * KEYS;
	world.seen.longest_ns = (int64_t)(NS_PER_S / scene_number(s, "rate", 20));
	world.seen.number = -1;
	if (!strcmp(scene_word(s, "schedule", "single"), "asked"))
		type_asked(said);
	else
		type_train(said);
}
