// SPDX-License-Identifier: GPL-3.0-or-later
/* keys: decides with keyrepeat's code which screen update answers which key, on made-up displays.
 *
 * The linker puts the clock below in place of the real one. Times in ms, shares in percent. What happens:
 *	schedule=single|periodic|asked, rate, time, pause (between asked keys); ms, sd (median echo, its scatter)
 *	slow, slowms (so many take so long); first (the first key); step (echoes come on this grid); service (of each key, queued)
 *	lost; gap (a key so soon after another is lost); hang, until (no echo from this key on, to this one)
 *	stall, every (all echoes stop, and how often), share (late keys that makes); fixed=1 (echoes at one place)
 *	clock (one beside), digits=1, grows=1 (a log), walks=1 (each line overlaps the last), bar=1 (a progress bar)
 *	second (another clock); blink (the caret does, each period up to half as long again); next=1 (shown with the next key)
 *	so long after each key: status (a status line), popup (below the caret, and moves with it)
 *	pre=1 (the caret changes at once); two (it goes on so long before the letter shows)
 *	so long after each echo: split (the caret alone), redraw (of the last cells)
 *	wrap (a line has so many cells, and is drawn by itself)
 * With schedule=erase, a picture is painted: as above ms, sd, slow, slowms, hang, until, blink, pre, two, and
 *	then, thenms (from this key on, this long); hide=1 (no caret from the key until its echo); block=1 (the caret is one)
 *	coarse (so far from exact, of 255, each pixel is), refine (for so long); glide (the caret arrives so long after the letter)
 *	complete (so long after the letter, what goes with it) */
#include "scene.h"
#include "keyrepeat/figures.h"
#include "keyrepeat/on_demand.h"
#include "keyrepeat/plan.h"
#include "keyrepeat/train_report.h"
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
	int64_t now_ns, sent_ns, echo_ns, free_ns, phase_ns;
	int asked, keys, cells, ticks; /* keys still to be asked for, and arrived; cells painted; ticks of the clock */
	int letters;		       /* in the field, with its keys under way */
	bool eaten;		       /* BackSpace was typed where there was none */
	int64_t truth_ns[KEYS];	       /* when a key was painted; 0: never */
	struct {
		int64_t at_ns;
		char what;
	} todo[10 * KEYS]; /* changes to come, ascending */
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

static bool is_schedule(const char *word)
{
	return !strcmp(scene_word(world.scene, "schedule", "single"), word);
}

static void change(int64_t at_ns, int x, int y, int w, int h)
{
	observations_add_change(&world.seen, &(struct caret_step){ at_ns, y, y + h - 1, x, x, x + w, x, x + w });
}

static void add_change(int64_t at_ns, char what)
{
	int i = world.last++;

	for (; i > world.first && world.todo[i - 1].at_ns > at_ns; i--)
		world.todo[i] = world.todo[i - 1];
	world.todo[i].at_ns = at_ns;
	world.todo[i].what = what;
}

static void tick(int64_t at_ns)
{
	int n = ++world.ticks, w = !(number("digits") > 0) ? 64 : n % 10 ? 8 : n % 60 ? 16 : 40;

	if (number("bar") > 0)
		change(at_ns, 300, 300, 6 * n, 16);
	else if (number("walks") > 0)
		change(at_ns, 300, 200 + 16 * n, 80 + n % 7 * 8, 32); /* with the line before, which the caret leaves */
	else
		change(at_ns, 700 - w, number("grows") > 0 ? 400 + 16 * n : 400, w, 16);
	add_change(at_ns + ms("clock"), 't');
}

static void echo(int64_t at_ns, int cell)
{
	int wrap = (int)number("wrap"), x = (wrap ? cell % wrap : cell) * 8, y = wrap ? cell / wrap * 16 : 0;
	bool last = wrap && cell % wrap == wrap - 1; /* the caret waits over the letter */

	if (y && !x)
		change(at_ns, (wrap - 1) * 8, y - 16, 8, 16);		  /* the caret leaves the line above */
	change(at_ns, x, y, last ? 6 : number("split") > 0 ? 8 : 16, 16); /* the letter, and the caret beside it */
	world.cells++;
	if (number("split") > 0)
		add_change(at_ns + ms("split"), 'c');
	if (number("redraw") > 0)
		add_change(at_ns + ms("redraw"), 'r');
}

#define WIDE 96
#define HIGH 24

static struct {
	uint32_t before[WIDE * HIGH], now[WIDE * HIGH];
	bool letter, caret_on, coarse, completed;
	int caret_x;
	uint32_t caret;
} field;

static void paint(int x, int y, int w, int h, uint32_t colour)
{
	for (int r = y; r < y + h; r++)
		for (int c = x; c < x + w && c < WIDE; c++)
			field.now[r * WIDE + c] = colour;
}

static void show_field(int64_t at_ns)
{
	uint32_t far = (uint32_t)number("coarse") * 0x10101u;

	paint(0, 0, WIDE, HIGH, 0xf0f0f0);
	if (field.caret_on)
		paint(field.caret_x, 4, number("block") > 0 ? 9 : 2, 16, field.caret);
	if (field.letter)
		paint(10, 9, 6, 9, field.caret_on && field.caret_x == 9 && number("block") > 0 ? 0xf0f0f0 : 0x202020);
	if (field.completed)
		paint(24, 8, 50, 8, 0x909090);
	for (int i = 0; i < WIDE * HIGH && field.coarse; i++)
		field.now[i] ^= (uint32_t)random_bits(world.rng) & far;
	observations_record_changes(&world.seen, at_ns, field.before, field.now, WIDE, &(struct pixel_area){ 0, 0, WIDE, HIGH });
}

/* 'a' and 'A' show the letter, 'b' and 'B' take it away; the small ones move the caret alone. */
static void happen_in_field(int64_t at_ns, char what)
{
	bool typed = what == 'a' || what == 'A', letter = what == 'A' || what == 'B';

	if (what == 'h')
		field.caret_on = false;
	else if (what == 'p')
		field.caret = 0xff00ff;
	else if (what == 'k')
		field.caret_on = !field.caret_on;
	else if (what == 'm')
		field.completed = field.letter;
	else if (what == 'r')
		field.coarse = false;
	if (letter) {
		field.letter = typed;
		field.completed = false;
		field.coarse = number("coarse") > 0;
	}
	if (what == 'a' || what == 'b' || (letter && !(number("glide") > 0))) {
		field.caret_x = typed ? 19 : 9;
		field.caret_on = true;
		field.caret = 0x202020;
	}
	show_field(at_ns);
	if (what == 'k')
		add_change(at_ns + ms("blink"), what);
	if (letter && number("refine") > 0)
		add_change(at_ns + ms("refine"), 'r');
	if (letter && typed && number("complete") > 0)
		add_change(at_ns + ms("complete"), 'm');
	if (letter && number("glide") > 0)
		add_change(at_ns + ms("glide"), typed ? 'a' : 'b');
}

static void type_in_field(int64_t sent_ns, int i, bool typed)
{
	if (number("pre") > 0 || number("hide") > 0)
		add_change(sent_ns + NS_PER_MS / 10, number("pre") > 0 ? 'p' : 'h');
	if (!world.truth_ns[i])
		return;
	if (number("two") > 0)
		add_change(world.truth_ns[i], typed ? 'a' : 'b');
	world.truth_ns[i] += ms("two");
	add_change(world.truth_ns[i], typed ? 'A' : 'B');
}

static void happen(int64_t at_ns, char what)
{
	int cell = number("fixed") > 0 ? 3 : world.cells;

	if (is_schedule("erase")) {
		happen_in_field(at_ns, what);
		return;
	}
	if (what == 'e')
		echo(at_ns, cell);
	else if (what == 't')
		tick(at_ns);
	else if (what == 's')
		change(at_ns, 300, 440, 80, 16);
	else if (what == '2')
		change(at_ns, 500, 440, 64, 16);
	else if (what == 'l')
		change(at_ns, (cell > 0 ? cell - 1 : 0) * 8 + 1, 4, 6, 10);
	else if (what == 'p')
		change(at_ns, cell * 8, 20, 60, 100);
	else if (what == 'r')
		change(at_ns, (cell > 5 ? cell - 5 : 0) * 8, 0, cell > 5 ? 40 : cell * 8, 16);
	else
		change(at_ns, cell * 8, 0, 8, 16);
	if (what == '2')
		add_change(at_ns + ms("second"), what);
	if (what == 'b')
		add_change(at_ns + (int64_t)((double)ms("blink") * (1 + random_fraction(world.rng) / 2)), what);
}

static void pass_time(int64_t until_ns)
{
	for (; world.todo[world.first].at_ns <= until_ns && world.first < world.last; world.first++)
		happen(world.todo[world.first].at_ns, world.todo[world.first].what);
	world.now_ns = until_ns > world.now_ns ? until_ns : world.now_ns;
}

static bool happens(const char *percent)
{
	return 100 * random_fraction(world.rng) < number(percent);
}

static int64_t draw_echo_time(int64_t sent_ns)
{
	double sd = scene_number(world.scene, "sd", 5) / 100;
	int64_t at = sent_ns + (int64_t)((double)ms("ms") * exp(sd * random_normal(world.rng)));

	if (number("then") > 0 && world.keys >= (int)number("then"))
		at = sent_ns + ms("thenms");
	if (happens("slow"))
		at = sent_ns + ms("slowms");
	if (world.keys == 1 && number("first") > 0)
		at = sent_ns + ms("first");
	if (number("service") > 0)
		at = world.free_ns = (world.free_ns > sent_ns ? world.free_ns : sent_ns) + ms("service");
	if (number("step") > 0)
		at += ms("step") - at % ms("step");
	if (number("every") > 0 && (at + world.phase_ns) % ms("every") < ms("stall"))
		at += ms("stall") - (at + world.phase_ns) % ms("every");
	world.echo_ns = at > world.echo_ns ? at : world.echo_ns; /* in order */
	return world.echo_ns;
}

static int send_key(void *self, int key, bool down)
{
	int64_t sent = world.now_ns, rest = sent - world.sent_ns;
	int i = world.keys, hang = (int)number("hang"), until = (int)scene_number(world.scene, "until", KEYS);
	bool lost = happens("lost") || rest < ms("gap") || (hang && i + 1 >= hang && i + 1 < until);

	(void)self;
	if (!down || i >= KEYS)
		return 0;
	world.sent_ns = sent;
	world.keys++;
	if (is_schedule("erase")) {
		world.truth_ns[i] = lost ? 0 : draw_echo_time(sent);
		world.letters += lost ? 0 : key ? -1 : 1;
		world.eaten |= world.letters < 0;
		type_in_field(sent, i, !key);
		return 0;
	}
	if (number("status") > 0)
		add_change(sent + ms("status"), 's');
	if (number("popup") > 0)
		add_change(sent + ms("popup"), 'p');
	if (number("pre") > 0)
		add_change(sent + NS_PER_MS / 10, 'c');
	if (number("next") > 0)
		i--;
	if (i < 0 || lost)
		return 0;
	world.truth_ns[i] = draw_echo_time(sent);
	add_change(world.truth_ns[i], 'e');
	if (number("two") > 0)
		add_change(world.truth_ns[i] += ms("two"), 'l');
	return 0;
}

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
	double pause = scene_number(world.scene, "pause", 700) * NS_PER_MS;

	(void)s;
	(void)fd;
	pass_time(world.now_ns + (int64_t)(pause * (0.5 + random_fraction(world.rng))));
	return world.asked-- > 0;
}

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

/* Exact answers beside the truth: "strange" if more than one, and more than one of fifty, is wrong; "outside" if more than one of
 * twenty ranges does not hold the truth. */
static void say_pairs(const struct key_train *t, char *said)
{
	size_t exact = 0, wrong = 0, outside = 0;

	for (size_t i = 0; i < t->due; i++) {
		const struct key_times *k = &t->key[i];
		int64_t truth = world.truth_ns[i];

		outside += k->sent_ns && (!t->erased || !k->skipped) && k->answer_ns && truth &&
			   (k->answer_ns > truth + WITHIN_NS || (k->high_ns && k->high_ns < truth - WITHIN_NS));
		exact += k->exact && !k->skipped;
		wrong += k->exact && !k->skipped && (!truth || llabs(k->answer_ns - truth) > WITHIN_NS);
	}
	say(said, wrong > 1 && 50 * wrong > exact ? "strange" : "true");
	say(said, 2 * exact > t->due ? "exact" : exact ? "some" : "inexact");
	say(said, 20 * outside > t->due ? "outside" : "");
}

/* The median from sending beside the truth. */
static void say_median(const struct key_train *t, struct train_figures *f, char *said)
{
	struct sample truth = { 0 };
	struct figure p50 = figure_make_range(sample_quantile(&f->from_sent, 0.5), sample_quantile(&f->sent_high, 0.5));
	double is;

	for (size_t i = 0; i < t->due; i++)
		if (t->key[i].sent_ns && !t->key[i].skipped && world.truth_ns[i])
			sample_add(&truth, world.truth_ns[i] - t->key[i].sent_ns);
	is = sample_quantile(&truth, 0.5).value;
	sample_free(&truth);
	if (figure_is_range(&p50) || !isfinite(p50.value))
		say(said, p50.from > is + WITHIN_NS || p50.to < is - WITHIN_NS ? "wrong" : "range");
	else
		say(said, fabs(p50.value - is) <= fmax(WITHIN_NS, 0.05 * is) ? "right" : "wrong");
}

/* Measured keys that were never painted. */
static size_t count_lost(const struct key_train *t)
{
	size_t lost = 0;

	for (size_t i = 0; i < t->due; i++)
		lost += t->key[i].sent_ns && !t->key[i].skipped && !world.truth_ns[i];
	return lost;
}

static void type_train(char *said)
{
	static int64_t offset[KEYS];
	static int key[KEYS];
	bool erase = is_schedule("erase");
	static const char *const statuses[] = { [EXIT_OK] = "measured", [EXIT_RUN] = "no-echo", [EXIT_LOSSY] = "lossy" };
	double rate = scene_number(world.scene, "rate", 20), seconds = scene_number(world.scene, "time", 15000) / 1000;
	struct figures_cfg_of_train by = { WATCH_UPDATE, (int64_t)(NS_PER_S / rate), 100 * NS_PER_MS, 0,
					   (int64_t)(seconds * NS_PER_S) };
	struct key_train_cfg cfg = { .target = &target,
				     .seen = &world.seen,
				     .watch = WATCH_UPDATE,
				     .offset_ns = offset,
				     .n = (size_t)(rate * seconds),
				     .one_by_one = erase || is_schedule("single"),
				     .erase = erase,
				     .key = erase ? key : NULL,
				     .period_ns = by.period_ns,
				     .watch_ns = by.time_ns,
				     .timeout_ns = (erase ? 10 : 30) * NS_PER_S };
	struct train_figures f;
	struct key_train t;
	int status;

	plan_compute_due_times(cfg.one_by_one ? SCHEDULE_JITTERED : SCHEDULE_PERIODIC, rate, random_mix(*world.rng), offset, cfg.n);
	for (size_t i = 0; i < cfg.n; i++)
		key[i] = i % 2;
	world.seen.filters = !erase;
	pass_time(world.now_ns + BLINK_PERIOD_NS);
	train_init(&cfg, &t);
	train_send_keys(&cfg, &t);
	observations_drop_own(&world.seen);
	for (size_t i = 0; i < t.due && i < (t.warmup ? t.warmup : 5); i++)
		t.key[i].skipped = true;
	figures_compute(&by, &t, &world.seen, &f);
	report_find_trouble(&by, &t, &world.seen, &f, true, &status);
	say(said, status == EXIT_OK && number("lost") > 0 && !count_lost(&t) ? "none-lost" : statuses[status]);
	if (f.any_answer)
		say_median(&t, &f, said);
	say_pairs(&t, said);
	say(said, t.end == SENDER_UNSHOWN ? "not-shown" : t.end == SENDER_LEFT ? "left" : "");
	say(said, erase && field.letter ? "letter-stays" : "");
	say(said, world.eaten ? "text-eaten" : "");
	say(said, f.backlog.overloaded ? "overloaded" : "steady");
	say(said, t.period_ns > by.period_ns ? "slower-pace" : "pace-kept");
	say(said, f.late_bound_percent < number("share") ? "bound-too-low" : "bounded");
	figures_free(&f);
	train_free(&t);
}

static void type_asked(char *said)
{
	static int out = -1;
	struct on_demand_cfg cfg = { .target = &target, .seen = &world.seen, .watch = WATCH_UPDATE, .timeout_ns = 30 * NS_PER_S };
	struct on_demand_run d;

	cfg.out_fd = out = out < 0 ? open("/dev/null", O_WRONLY | O_CLOEXEC) : out;
	world.asked = 20;
	pass_time(world.now_ns + BLINK_PERIOD_NS);
	on_demand_init(&d, &cfg, KEYS);
	on_demand_type_keys(&d);
	say_pairs(&d.train, said);
	say(said, d.count[ON_DEMAND_NONE] * 2 > d.train.blocks	  ? "none"
		  : d.count[ON_DEMAND_DOUBT] * 4 > d.train.blocks ? "doubt"
								  : "");
	train_free(&d.train);
}

void scene_draw(const struct scene *s, uint64_t *rng, char said[static SCENE_SAID])
{
	static struct caret_step step[10 * KEYS];
	static struct pair_update update[10 * KEYS];

	memset(&world, 0, sizeof(world));
	world.scene = s;
	world.rng = rng;
	world.now_ns = NS_PER_S;
	for (int i = 0; i < 3; i++) {
		int64_t period = ms((const char *[]){ "clock", "second", "blink" }[i]);

		if (period)
			add_change(world.now_ns + (int64_t)(random_fraction(rng) * (double)period),
				   i == 2 && is_schedule("erase") ? 'k' : "t2b"[i]);
	}
	world.phase_ns = (int64_t)(random_fraction(rng) * (double)ms("every"));
	world.seen.step = step;
	world.seen.update = update;
	world.seen.step_room = world.seen.update_room = 10 * KEYS;
	world.seen.longest_ns = (int64_t)(NS_PER_S / scene_number(s, "rate", 20));
	world.seen.number = -1;
	memset(&field, 0, sizeof(field));
	field.caret_x = 9;
	field.caret_on = true;
	field.caret = 0x202020;
	world.seen.erases = is_schedule("erase");
	if (world.seen.erases) { /* (the others have no picture, only changes) */
		observations_begin_picture(&world.seen, &(struct pixel_area){ 0, 0, WIDE, HIGH });
		show_field(world.now_ns);
		observations_clear(&world.seen);
	}
	if (is_schedule("asked"))
		type_asked(said);
	else
		type_train(said);
}
