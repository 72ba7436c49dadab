// SPDX-License-Identifier: GPL-3.0-or-later
#include "train.h"
#include "apart.h"
#include "memory.h"
#include "plan.h"
#include "proc.h"
#include "rt.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <sys/eventfd.h>
#include <unistd.h>

#define LEAD_NS (20 * NS_PER_MS)       /* from the start of a block to its first possible due time */
#define DRAIN_POLL_NS (2 * NS_PER_MS)  /* between two tests whether all answers have come: resolution of drain times only */
#define WALL_NS NS_PER_S	       /* between two readings of the offset of CLOCK_REALTIME, the clock of packet times */
#define WALL_ROOM_NS (300 * NS_PER_US) /* no reading in this time before a key is due; a reading takes a few microseconds */
#define TURN_POLL_NS NS_PER_MS	       /* between two tests whether the next key may go */
#define TURN_NS (2 * NS_PER_S) /* longest wait for the last key's answer, which may never come; twice the slowest if longer */
#define CONTROL_FROM_NS (BLINK_PERIOD_NS / 5) /* slower answers need a control: watching without keys */
#define STACK_BYTES (1 << 20)		      /* of the watching thread; below the usual 8 MB, as all of it is locked into memory */

static struct {
	pthread_t thread;
	int stop_fd;
	bool running;
	_Atomic bool stopping;
	int priority;
} watcher;

static void *watch_thread(void *arg)
{
	const struct key_train_cfg *cfg = arg;
	struct pollfd fds[2] = { { .fd = cfg->target->watch_fd(cfg->self), .events = POLLIN },
				 { .fd = watcher.stop_fd, .events = POLLIN } };
	struct rt_granted got;

	rt_setup(watcher.priority, &got);
	while (!watcher.stopping) {
		if (cfg->target->handle(cfg->self)) {
			if (!watcher.stopping)
				cfg->seen->dropped = true;
			break;
		}
		while (poll(fds, 2, -1) < 0 && errno == EINTR)
			;
	}
	return NULL;
}

int train_watch_priority(int priority)
{
	return priority > 0 ? priority - 1 : 0;
}

int train_start_watching(const struct key_train_cfg *cfg)
{
	int err;

	watcher.priority = train_watch_priority(cfg->priority);
	watcher.stopping = false;
	watcher.stop_fd = eventfd(0, EFD_CLOEXEC);
	if (watcher.stop_fd < 0)
		return -errno;
	err = proc_start_thread(&watcher.thread, STACK_BYTES, watch_thread, (void *)(uintptr_t)cfg);
	watcher.running = !err;
	return -err;
}

void train_stop_watching(const struct key_train_cfg *cfg)
{
	uint64_t one = 1;

	if (!watcher.running)
		return;
	watcher.stopping = true;
	while (write(watcher.stop_fd, &one, sizeof(one)) < 0 && errno == EINTR)
		;
	if (cfg->target->interrupt)
		cfg->target->interrupt(cfg->self);
	pthread_join(watcher.thread, NULL);
	close(watcher.stop_fd);
	watcher.running = false;
}

/* How long the display must not change before all answers are taken to have come: longer than the pauses between updates without
 * keys, 1 s to 10 s. */
static int64_t quiet_needed_ns(double noise_per_s)
{
	double period = noise_per_s > 0 ? 1.2 / noise_per_s * (double)NS_PER_S : 0;

	if (noise_per_s > 0.5 || period < (double)NS_PER_S)
		return NS_PER_S;
	return period > 10e9 ? 10 * NS_PER_S : (int64_t)period;
}

/* The longest wait for answers after the last key of a block. */
static int64_t answer_limit_ns(int watch, double noise_per_s)
{
	return watch == WATCH_UPDATE && noise_per_s > 0.5 ? 2 * NS_PER_S : 10 * NS_PER_S;
}

struct key_train_run {
	const struct key_train_cfg *cfg;
	struct key_train *train;
	struct key_sender sender;
	int64_t slowest_ns; /* of single keys: what the slowest answer took, slowly forgotten */
};

/* The longest wait for an answer: at least `least_ns`, and twice what the slowest took. */
static int64_t patience_ns(const struct key_train_run *run, int64_t least_ns)
{
	return 2 * run->slowest_ns <= least_ns ? least_ns : clock_earlier(2 * run->slowest_ns, run->cfg->timeout_ns);
}

static void record_wall_offset(struct key_train *t, int64_t next_due_ns)
{
	int64_t now = clock_now();

	if (t->walls < t->wall_room && next_due_ns - now >= WALL_ROOM_NS &&
	    (!t->walls || now - t->wall[t->walls - 1].at_ns >= WALL_NS))
		clock_read_wall(&t->wall[t->walls++]);
}

/* True if the display has changed since the last key of the block, but not for quiet_ns. (A display that has not changed since the
 * last key is stalled.) */
static bool display_is_quiet(const struct key_train_run *run, const struct key_train_block *b, int64_t quiet_ns)
{
	int64_t now = clock_now(), change = atomic_load(&run->cfg->seen->last_change_ns);
	const struct key_times *last = &run->train->key[b->first + b->n - 1];

	return change >= key_sent_time(last) && now - change >= quiet_ns && now - last->due_ns >= quiet_ns;
}

/* True if there were at least as many updates as keys in the block. */
static bool has_all_updates(const struct key_train_run *run, const struct key_train_block *b)
{
	const struct observations *seen = run->cfg->seen;
	size_t updates = atomic_load(&seen->updates), n = 0;

	while (n < b->n && n < updates && seen->update[updates - 1 - n].first_ns >= key_sent_time(&run->train->key[b->first]))
		n++;
	return n == b->n;
}

/* True if there were as many updates as keys in the block, or the caret has gone as many cells as keys were sent. */
static bool all_keys_echoed(const struct key_train_run *run, const struct key_train_block *b)
{
	const struct observations *seen = run->cfg->seen;
	size_t steps = atomic_load(&seen->steps), keys = b->first + b->n;
	struct shown_number *shown;
	bool known;

	if (has_all_updates(run, b))
		return true;
	if (!steps || seen->steps_lost)
		return false;
	shown = memory_new(steps, sizeof(*shown));
	known = caret_count_shown(seen->step, steps, keys, shown);
	free(shown);
	return known;
}

/* True if no more answers are to be expected for the block. *judged_ns: the last change for which all_keys_echoed() was
 * asked. */
static bool answers_complete(struct key_train_run *run, const struct key_train_block *b, int64_t *judged_ns)
{
	const struct observations *seen = run->cfg->seen;
	int64_t change = atomic_load(&seen->last_change_ns);

	if (run->cfg->watch == WATCH_PATCH) {
		uint32_t shown = (uint32_t)atomic_load(&seen->number) - run->train->base;
		int64_t keys = (int64_t)(b->first + b->n);
		size_t shows = atomic_load(&seen->shows);

		if (!shows || pair_unwrap_number(keys, shown) < keys)
			return false;
		/* blocks need a pause between them for prototap, which pairs keys with updates on the network */
		if (run->cfg->block)
			return display_is_quiet(run, b, NS_PER_S);
		/* a number that counts another user's key answers ours too early: then one more number follows, a key period
		 * later */
		return clock_now() - seen->shown[shows - 1].at_ns >= NS_PER_S + run->cfg->period_ns;
	}
	if (display_is_quiet(run, b, quiet_needed_ns(run->cfg->noise_per_s)))
		return true;
	/* without a new change, the answer would be the same as last time */
	if (change == *judged_ns || !display_is_quiet(run, b, NS_PER_S))
		return false;
	*judged_ns = change;
	return all_keys_echoed(run, b);
}

/* The state of a block when the longest wait is over. A display with updates of its own may never be quiet, or not long enough; but
 * while answers are missing, the picture is not quiet for a second after the last key. */
static enum pair_drain drain_at_limit(const struct key_train_run *run, const struct key_train_block *b)
{
	if (run->cfg->watch != WATCH_UPDATE)
		return PAIR_CUT;
	return run->cfg->noise_per_s > 0.5 || display_is_quiet(run, b, NS_PER_S) ? PAIR_NOISY : PAIR_CUT;
}

static void await_answers(struct key_train_run *run, struct key_train_block *b)
{
	const struct key_train_cfg *cfg = run->cfg;
	int64_t begin = clock_now(), judged = 0;
	int64_t limit = begin + patience_ns(run, answer_limit_ns(cfg->watch, cfg->noise_per_s));

	b->drain = PAIR_CUT;
	if (cfg->watch == WATCH_NONE && cfg->block) /* a pause between blocks, for prototap */
		proc_sleep(begin + quiet_needed_ns(cfg->noise_per_s));
	while (cfg->watch != WATCH_NONE && !sender_detect_end(&run->sender)) {
		record_wall_offset(run->train, INT64_MAX);
		if (answers_complete(run, b, &judged)) {
			b->drain = PAIR_DRAINED;
			break;
		}
		if (clock_now() >= limit) {
			b->drain = drain_at_limit(run, b);
			break;
		}
		proc_sleep(clock_now() + DRAIN_POLL_NS);
	}
	b->end_ns = clock_now();
	run->train->drain_ns = b->end_ns - begin;
}

static void send_block(struct key_train_run *run, struct key_train_block *b)
{
	const struct key_train_cfg *cfg = run->cfg;
	struct key_train *t = run->train;
	int64_t give_up, cpu = clock_process_cpu(), now = clock_now();

	b->begin_ns = now + LEAD_NS;
	for (size_t i = b->first; i < b->first + b->n; i++)
		t->key[i].due_ns = b->begin_ns + cfg->offset_ns[i];
	give_up = t->key[b->first + b->n - 1].due_ns + answer_limit_ns(cfg->watch, cfg->noise_per_s);
	for (size_t i = b->first; i < b->first + b->n && !sender_detect_end(&run->sender); i++) {
		if (cfg->hold && cfg->target->repeats_itself && i > b->first) {
			sender_sleep(t->key[i].due_ns);
			t->key[i].repeated = true;
			if (cfg->target->aim && cfg->target->aim(cfg->self, give_up) == -EPIPE)
				run->sender.end = SENDER_DROPPED;
		} else {
			sender_press_key(&run->sender, &t->key[i], cfg->key ? cfg->key[i] : cfg->only, give_up);
		}
		atomic_store(&t->gone, i + 1);
		record_wall_offset(t, i + 1 < b->first + b->n ? t->key[i + 1].due_ns : INT64_MAX);
	}
	/* a held key stays down for half a period after its last repeat was due */
	sender_release_key(&run->sender, t->key[b->first + b->n - 1].due_ns + cfg->period_ns / 2);
	t->busy_ns += clock_now() - now;
	t->cpu_ns += clock_process_cpu() - cpu;
	await_answers(run, b);
}

/* True if the keys of the block are answered and the display has stopped changing, so that a later change begins an update. */
static bool single_keys_answered(const struct key_train_run *run, const struct key_train_block *b)
{
	int64_t now = clock_now(), change = atomic_load(&run->cfg->seen->last_change_ns);
	const struct key_times *first = &run->train->key[b->first], *last = first + b->n - 1;

	if (change < key_sent_time(last) || now - change < OBSERVATIONS_GAP_NS)
		return false;
	if (b->n == 1 || has_all_updates(run, b))
		return true;
	/* One update may have answered several keys. If it was the answer to the first key, the others may take as long. */
	return now - change >= NS_PER_S && now - change >= change - key_sent_time(first);
}

/* Waits for the turn of the next key: until all keys of the block are answered, or, once a key has waited long enough, until the
 * next is due (due_ns 0: not known yet). An update after the last of several keys may have answered the first: then the others get
 * as long as that took. True: the next key begins a block. */
static bool await_turn(struct key_train_run *run, const struct key_train_block *b, int64_t due_ns, int64_t give_up_ns)
{
	const struct key_times *last = &run->train->key[b->first + b->n - 1];
	int64_t sent = last->sent_ns ? last->sent_ns : last->due_ns;

	while (!single_keys_answered(run, b)) {
		int64_t turns = atomic_load(&run->cfg->seen->last_change_ns) >= sent ? (int64_t)b->n : 1;
		int64_t patience = patience_ns(run, run->cfg->erase ? run->cfg->timeout_ns : TURN_NS);
		int64_t until = sent + turns * patience;

		until = run->cfg->erase ? until : clock_earlier(until, give_up_ns);

		if (sender_detect_end(&run->sender) || (clock_now() >= until && clock_now() >= due_ns - 2 * TURN_POLL_NS))
			return false;
		proc_sleep(clock_now() + TURN_POLL_NS);
	}
	atomic_store(&run->cfg->seen->phase, PHASE_IDLE);
	return true;
}

/* How long the answers to the first key of each of the last blocks took. Returns their number, at most PACE_ANSWERS. */
static size_t measure_answers(const struct key_train_run *run, int64_t took_ns[static PACE_ANSWERS])
{
	const struct observations *seen = run->cfg->seen;
	size_t n = 0, at = 0, updates = atomic_load(&seen->updates), blocks = run->train->blocks;

	for (size_t b = blocks > PACE_ANSWERS ? blocks - PACE_ANSWERS : 0; b < blocks; b++) {
		int64_t sent = key_sent_time(&run->train->key[run->train->block[b].first]);

		while (at < updates && seen->update[at].first_ns < sent)
			at++;
		if (at < updates) /* of one that is erased, the next key waits for all of it */
			took_ns[n++] = (run->cfg->erase ? seen->update[at].last_ns : seen->update[at].first_ns) - sent;
	}
	return n;
}

/* Keeps how long the answer to the last block took, as seen from its first key. */
static void keep_slowest_answer(struct key_train_run *run)
{
	const struct key_train *t = run->train;
	int64_t took = atomic_load(&run->cfg->seen->last_change_ns) - key_sent_time(&t->key[t->block[t->blocks - 1].first]);

	run->slowest_ns -= run->slowest_ns / 8;
	run->slowest_ns = took > run->slowest_ns ? took : run->slowest_ns;
}

/* Makes the keys from `i` on due from now on, at the period of the train, until watch_ns after begin_ns. Returns how many keys
 * there will be. */
static size_t begin_schedule(struct key_train_run *run, size_t i, int64_t begin_ns)
{
	const struct key_train_cfg *cfg = run->cfg;
	struct key_train *t = run->train;
	int64_t begin = clock_now() + LEAD_NS;
	size_t n = i;

	for (; n < cfg->n; n++) {
		int64_t due = begin + plan_stretch_offset_ns(cfg->offset_ns[n] - cfg->offset_ns[i], cfg->period_ns, t->period_ns);

		if (due >= begin_ns + cfg->watch_ns && n > i && !(cfg->erase && n % 2))
			break;
		t->key[n].due_ns = due;
	}
	for (i = n; i < cfg->n; i++)
		t->key[i].due_ns = INT64_MAX;
	return n;
}

/* Chooses the period by the answers to the keys before key `i`. If it is clearly another than before, these are warm-up, and the
 * others become due on a schedule of that period, which begins now. Returns how many keys there will be. */
static size_t choose_period(struct key_train_run *run, size_t i, size_t n, int64_t begin_ns)
{
	struct key_train *t = run->train;
	int64_t took[PACE_ANSWERS], period = plan_choose_period_ns(took, measure_answers(run, took), run->cfg->period_ns);

	if (period <= t->period_ns / 3 * 4 && period > t->period_ns / 2)
		return n;
	t->period_ns = period;
	t->warmup = i;
	t->held = 0;
	return begin_schedule(run, i, begin_ns);
}

static void begin_single_block(struct key_train *t, size_t first, int64_t at_ns)
{
	if (t->blocks)
		t->block[t->blocks - 1].end_ns = at_ns;
	t->block[t->blocks++] = (struct key_train_block){ .first = first, .n = 1, .begin_ns = at_ns, .drain = PAIR_CUT };
}

/* Sends a key. With `alone`, it begins a block, to which all updates from then on belong. */
static void send_single_key(struct key_train_run *run, size_t i, bool alone, int64_t give_up_ns)
{
	struct key_train *t = run->train;
	struct key_times *key = &t->key[i];

	t->held += key->due_ns + PACE_HELD_NS < clock_now();
	if (clock_now() < give_up_ns) { /* else it is due, and is never sent */
		sender_press_key(&run->sender, key, run->cfg->key ? run->cfg->key[i] : run->cfg->only, give_up_ns);
		sender_release_key(&run->sender, 0);
	}
	if (alone)
		begin_single_block(t, i, key->sent_ns ? key->sent_ns : clock_now());
	else
		t->block[t->blocks - 1].n++;
	atomic_store(&t->gone, i + 1);
}

#define REST_NS (600 * NS_PER_MS)	 /* what shows a character is at rest once nothing has changed for so long ... */
#define RESTLESS_NS (3 * NS_PER_S)	 /* ... or at last after this time */
#define BLINK_SEEN_NS (1300 * NS_PER_MS) /* in which a caret that blinks does so once */

/* Waits until the field shows what key `i` types and, of a character, is at rest. False: it did not show within the timeout. */
static bool await_rest(struct key_train_run *run, size_t i)
{
	const struct observations *seen = run->cfg->seen;
	int64_t begin = clock_now(), shown = 0, now = begin;

	while (!sender_detect_end(&run->sender) && now - begin < (shown ? shown + RESTLESS_NS : run->cfg->timeout_ns)) {
		bool is = atomic_load(&seen->state) == (i % 2 ? FIELD_EMPTY : FIELD_TYPED);

		shown = is && !shown ? now - begin : shown;
		if (is && now - atomic_load(&seen->last_change_ns) >= (i % 2 ? OBSERVATIONS_GAP_NS : REST_NS))
			return true;
		proc_sleep(clock_now() + TURN_POLL_NS);
		now = clock_now();
	}
	return shown;
}

/* Types a character and BackSpace twice, each at rest, so that the watching thread learns how the field looks with and without. A
 * caret that blinked without it is waited for to blink beside it. Returns the keys sent; fewer than these: one did not show. */
static size_t teach_field(struct key_train_run *run)
{
	struct observations *seen = run->cfg->seen;
	size_t i = 0;

	for (; i < OBSERVATIONS_TAUGHT && i < run->cfg->n; i++) {
		run->train->key[i].due_ns = clock_now() + LEAD_NS;
		if (i)
			run->train->block[run->train->blocks - 1].drain = PAIR_DRAINED;
		send_single_key(run, i, true, INT64_MAX);
		if (!await_rest(run, i))
			return i;
		atomic_store(&seen->phase, PHASE_IDLE);
		atomic_store(&seen->rests, i + 1);
		if (i == 0 && atomic_load(&seen->blinks))
			proc_sleep(clock_now() + BLINK_SEEN_NS);
	}
	return i;
}

/* Ends the sending where keys do not show any more: further ones may go elsewhere. */
static void end_unshown(struct key_train_run *run)
{
	const struct key_train *t = run->train;

	if (!sender_detect_end(&run->sender))
		run->sender.end = SENDER_UNSHOWN;
	run->train->waited_ns = clock_now() - key_sent_time(&t->key[t->block[t->blocks - 1].first]);
}

/* Waits until the field shows so, also after a stop signal. False: it does not within wait_ns. */
static bool await_state(const struct key_train_run *run, enum field_state state, int64_t wait_ns)
{
	const struct observations *seen = run->cfg->seen;
	int64_t until = clock_now() + wait_ns;

	while (atomic_load(&seen->state) != (int)state && !seen->dropped && clock_now() < until)
		clock_sleep(clock_now() + TURN_POLL_NS);
	return atomic_load(&seen->state) == (int)state;
}

/* Takes back the last key, if it has no BackSpace after it, as where a signal came between the two, or a server hangs: once it
 * shows, as for a key that was lost, BackSpace would take what was there before. Waits until that shows: a server may not read what
 * came just before the connection was closed. */
static void take_back(struct key_train_run *run)
{
	const struct key_train_cfg *cfg = run->cfg;
	size_t sent = atomic_load(&run->train->gone);
	bool shown;

	while (sent && !run->train->key[sent - 1].sent_ns)
		sent--;
	if (!cfg->erase || !sent || run->sender.end == SENDER_LEFT || run->sender.end == SENDER_DROPPED)
		return;
	if (sent % 2 == 0 && run->sender.end != SENDER_UNSHOWN)
		return;
	shown = await_state(run, sent % 2 ? FIELD_TYPED : FIELD_EMPTY, cfg->timeout_ns);
	run->train->late_ns = shown ? atomic_load(&cfg->seen->last_change_ns) - run->train->key[sent - 1].sent_ns : -1;
	if (shown && sent % 2) {
		sender_tap_last(&run->sender, cfg->key[1]);
		await_state(run, FIELD_EMPTY, TURN_NS);
	}
	run->train->block[run->train->blocks - 1].end_ns = clock_now();
}

/* Sends each key when it is due and the one before is answered. The answers to the first keys decide how far apart the others are
 * due. Where keys are erased, none is sent once the schedule has ended so long ago that the last one would have been given up. */
static void send_singly(struct key_train_run *run)
{
	const struct key_train_cfg *cfg = run->cfg;
	struct key_train *t = run->train;
	int64_t start = clock_now(), begin = start, cpu = clock_process_cpu();
	int64_t limit = answer_limit_ns(cfg->watch, cfg->noise_per_s);
	int64_t give_up = begin + LEAD_NS + cfg->offset_ns[cfg->n - 1] + limit;
	bool answered = true, first_part;
	size_t n = cfg->n, taught = 0;

	t->one_by_one = true;
	for (size_t i = 0; i < n; i++)
		t->key[i].due_ns = begin + LEAD_NS + cfg->offset_ns[i];
	if (cfg->erase) {
		taught = teach_field(run);
		begin = clock_now();
		n = begin_schedule(run, t->blocks, begin);
		give_up = t->key[n - 1].due_ns + limit;
		if (taught < t->blocks)
			end_unshown(run);
	}
	for (size_t i = taught; i < n && !sender_detect_end(&run->sender); i++) {
		if (i) {
			answered = await_turn(run, &t->block[t->blocks - 1], t->key[i].due_ns, give_up);
			keep_slowest_answer(run);
		}
		if (cfg->erase && !answered)
			end_unshown(run);
		if (sender_detect_end(&run->sender))
			break;
		if (cfg->erase && clock_now() >= give_up) {
			t->unsent = n - i;
			break;
		}
		if (i == PACE_FIRST_KEYS && atomic_load(&cfg->seen->last_change_ns) < start) {
			t->block[t->blocks - 1].n =
				n - t->block[t->blocks - 1].first; /* no echo: the other keys will not be sent */
			break;
		}
		first_part = clock_now() - begin < cfg->watch_ns / PACE_FIRST_PART;
		if (i == PACE_FIRST_KEYS || (i > PACE_FIRST_KEYS && first_part) ||
		    (t->blocks > 1 && i < PACE_FIRST_KEYS && !first_part && !t->warmup)) {
			n = choose_period(run, i, n, begin);
			give_up = t->key[n - 1].due_ns + limit;
			answered = answered || await_turn(run, &t->block[t->blocks - 1], t->key[i].due_ns, give_up);
		}
		if (i && answered)
			t->block[t->blocks - 1].drain = PAIR_DRAINED;
		send_single_key(run, i, answered, give_up);
		record_wall_offset(t, i + 1 < n ? t->key[i + 1].due_ns : INT64_MAX);
	}
	t->busy_ns = clock_now() - start;
	t->cpu_ns = clock_process_cpu() - cpu;
	if (t->blocks && run->sender.end != SENDER_UNSHOWN)
		await_answers(run, &t->block[t->blocks - 1]);
}

/* True if answers were so slow, or so few, that the watching before the first key may have been too short to tell them from a clock
 * beside a field that shows nothing. *longest_ns: the longest wait. */
static bool answers_need_control(const struct key_train_run *run, int64_t *longest_ns)
{
	const struct observations *seen = run->cfg->seen;
	const struct key_train *t = run->train;
	size_t updates = atomic_load(&seen->updates), n;
	int64_t took[PACE_ANSWERS];

	*longest_ns = 0;
	if (!seen->filters || !updates || !t->blocks || run->cfg->key) /* not after a script */
		return false;
	if (t->one_by_one) {
		n = measure_answers(run, took);
		for (size_t i = 0; i < n; i++)
			*longest_ns = took[i] > *longest_ns ? took[i] : *longest_ns;
		return n && plan_choose_period_ns(took, n, 0) > 2 * CONTROL_FROM_NS;
	}
	for (size_t i = 1; i < updates; i++)
		if (seen->update[i].first_ns - seen->update[i - 1].first_ns > *longest_ns)
			*longest_ns = seen->update[i].first_ns - seen->update[i - 1].first_ns;
	return *longest_ns > CONTROL_FROM_NS && 2 * updates < run->cfg->n;
}

/* Watches without keys for two and a half times the longest wait: what changes now changes by itself. */
static void watch_without_keys(struct key_train_run *run)
{
	const struct key_train_cfg *cfg = run->cfg;
	int64_t begin = clock_now(), longest;
	size_t updates = atomic_load(&cfg->seen->updates);

	if (!answers_need_control(run, &longest))
		return;
	atomic_store(&cfg->seen->phase, PHASE_IDLE);
	while (!sender_detect_end(&run->sender) && clock_now() < begin + clock_earlier(longest / 2 * 5, cfg->timeout_ns))
		proc_sleep(clock_now() + TURN_POLL_NS);
	run->train->drain_ns += clock_now() - begin;
	run->train->strays = atomic_load(&cfg->seen->updates) - updates;
}

/* Where keys go one by one and the train ends early, keys fell due while the last one waited: they belong to its block, or a longer
 * stall would have better figures. Keys that are erased end where one does not show, and only those sent count. */
static void add_overdue_keys(struct key_train *t)
{
	struct key_train_block *last = t->blocks ? &t->block[t->blocks - 1] : NULL;

	while (t->one_by_one && !t->erased && last && last->first + last->n < t->n &&
	       t->key[last->first + last->n].due_ns <= t->end_ns)
		last->n++;
}

static size_t count_due_keys(const struct key_train *t)
{
	size_t due = 0;

	for (size_t b = 0; b < t->blocks; b++)
		for (size_t i = t->block[b].first; i < t->block[b].first + t->block[b].n; i++)
			due += t->key[i].due_ns <= t->end_ns;
	return due;
}

/* Allocates room for one reading of the clock offset a second, up to the end of the longest drain of each block, and writes to it,
 * so that the run causes no page faults. */
static void alloc_wall_offsets(const struct key_train_cfg *cfg, struct key_train *t, size_t size, size_t blocks)
{
	t->wall_room = 16 + (size_t)(cfg->n ? 0 : cfg->watch_ns / WALL_NS);
	for (size_t i = 0; i < blocks; i++) {
		size_t last = (i + 1) * size < cfg->n ? (i + 1) * size : cfg->n;

		t->wall_room += (size_t)(cfg->offset_ns[last - 1] / WALL_NS) + 14;
	}
	t->wall = apart_new(t->wall_room, sizeof(*t->wall));
	for (size_t i = 0; i < t->wall_room; i++)
		t->wall[i].at_ns = INT64_MAX;
}

static size_t block_size(const struct key_train_cfg *cfg)
{
	return cfg->block ? cfg->block : cfg->n ? cfg->n : 1;
}

static size_t count_blocks(const struct key_train_cfg *cfg)
{
	return (cfg->n + block_size(cfg) - 1) / block_size(cfg);
}

void train_init(const struct key_train_cfg *cfg, struct key_train *t)
{
	size_t blocks = count_blocks(cfg);

	*t = (struct key_train){ .n = cfg->n,
				 .key = apart_new(cfg->n, sizeof(*t->key)),
				 .period_ns = cfg->period_ns,
				 .erased = cfg->erase,
				 .block = apart_new((cfg->one_by_one ? cfg->n : blocks) + 1, sizeof(*t->block)) };
	alloc_wall_offsets(cfg, t, block_size(cfg), blocks);
	for (size_t i = 0; i < cfg->n; i++)
		t->key[i].due_ns = INT64_MAX; /* written to before the run, so that no page fault delays a key */
}

void train_break_off(struct key_train *t)
{
	t->end_ns = clock_now();
	if (t->blocks) {
		t->block[t->blocks - 1].drain = PAIR_CUT;
		t->block[t->blocks - 1].end_ns = t->end_ns;
	}
	add_overdue_keys(t);
	t->due = count_due_keys(t);
	t->end = SENDER_DROPPED;
}

void train_send_keys(const struct key_train_cfg *cfg, struct key_train *out)
{
	size_t size = block_size(cfg), blocks = count_blocks(cfg);
	struct key_train_run run = { .cfg = cfg, .train = out };

	sender_init(&run.sender, cfg->target, cfg->self, cfg->seen, cfg->hold);
	out->base = (uint32_t)atomic_load(&cfg->seen->number);
	record_wall_offset(out, INT64_MAX);
	out->begin_ns = clock_now();
	if (!cfg->n) {
		int64_t cpu = clock_process_cpu(), until = out->begin_ns + cfg->watch_ns;

		while (!sender_detect_end(&run.sender) && clock_now() < until)
			proc_sleep(clock_earlier(clock_now() + 100 * NS_PER_MS, until));
		out->busy_ns = clock_now() - out->begin_ns;
		out->cpu_ns = clock_process_cpu() - cpu;
	}
	if (cfg->one_by_one && cfg->n)
		send_singly(&run);
	for (size_t i = 0; !cfg->one_by_one && i < blocks && !sender_detect_end(&run.sender); i++) {
		struct key_train_block *b = &out->block[out->blocks];

		/* without any echo in the first block, give up: each further block would wait 10 s */
		if (i && cfg->watch != WATCH_NONE && atomic_load(&cfg->seen->last_change_ns) < out->begin_ns)
			break;
		out->blocks++;
		b->first = i * size;
		b->n = cfg->n - b->first < size ? cfg->n - b->first : size;
		send_block(&run, b);
	}
	watch_without_keys(&run);
	take_back(&run);
	out->end_ns = clock_now();
	if (out->walls < out->wall_room)
		clock_read_wall(&out->wall[out->walls++]);
	add_overdue_keys(out);
	out->due = count_due_keys(out);
	out->end = run.sender.end;
	out->blocked_ns = run.sender.blocked_ns;
	out->handed_ns = run.sender.handed_ns;
}

void train_free(struct key_train *t)
{
	apart_delete(t->key);
	apart_delete(t->block);
	apart_delete(t->wall);
}
