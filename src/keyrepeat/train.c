// SPDX-License-Identifier: GPL-3.0-or-later
#include "train.h"
#include "clock.h"
#include "proc.h"
#include "rt.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <unistd.h>

#define LEAD_NS (20 * NS_PER_MS)	/* from the start to the first possible due time */
#define LOOK_NS (2 * NS_PER_MS)		/* between looks while draining: nothing is measured by it but the drain */
#define WALL_NS NS_PER_S		/* between readings of CLOCK_REALTIME, which packets carry */
#define WALL_ROOM_NS (300 * NS_PER_US)	/* not so shortly before a key is due; a reading takes a few microseconds */
#define STACK_BYTES (1 << 20)		/* all of it is locked into memory: not the usual 8 MB */

static struct {
	pthread_t thread;
	int stop_fd;
	bool running;
	_Atomic bool stopping;
	int priority;
} watcher;

static void *watch_main(void *arg)
{
	const struct train_cfg *cfg = arg;
	struct pollfd fds[2] = { { .fd = cfg->target->watch_fd(cfg->self), .events = POLLIN },
				 { .fd = watcher.stop_fd, .events = POLLIN } };
	struct rt_state got;

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

int train_watch(const struct train_cfg *cfg)
{
	sigset_t all, before;
	pthread_attr_t attr;
	int err;

	watcher.priority = cfg->priority > 0 ? cfg->priority - 1 : 0;
	watcher.stopping = false;
	watcher.stop_fd = eventfd(0, EFD_CLOEXEC);
	if (watcher.stop_fd < 0)
		return -errno;
	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, STACK_BYTES);
	/* Signals are for the sender: they must end its sleep. */
	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, &before);
	err = pthread_create(&watcher.thread, &attr, watch_main, (void *)(uintptr_t)cfg);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	pthread_attr_destroy(&attr);
	watcher.running = !err;
	return -err;
}

void train_unwatch(const struct train_cfg *cfg)
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

/* How long the display must have been quiet to be called so (a second is enough where the updates, or the caret, account for every
 * key), and how long to wait for that at most. */
static int64_t train_quiet_ns(double noise_per_s)
{
	double period = noise_per_s > 0 ? 1.2 / noise_per_s * (double)NS_PER_S : 0;

	/* Where updates come by themselves, a pause as long as theirs proves nothing. */
	if (noise_per_s > 0.5 || period < (double)NS_PER_S)
		return NS_PER_S;
	return period > 10e9 ? 10 * NS_PER_S : (int64_t)period;
}

static int64_t train_drain_ns(int watch, double noise_per_s)
{
	return watch == WATCH_UPDATE && noise_per_s > 0.5 ? 2 * NS_PER_S : 10 * NS_PER_S;
}

/* The run as it goes. */
struct train_state {
	const struct train_cfg *cfg;
	struct train *train;
	struct sender sender;
};

static bool run_ended(struct train_state *run)
{
	return sender_ended(&run->sender);
}

static void note_wall_offset(struct train *t, int64_t next_due_ns)
{
	int64_t now = clock_now();

	if (t->walls < t->wall_room && next_due_ns - now >= WALL_ROOM_NS && (!t->walls || now - t->wall[t->walls - 1].at_ns >= WALL_NS))
		clock_read_offset(&t->wall[t->walls++]);
}

/* In hold mode on a display that repeats by itself: one press, and then only time passes. */
static void let_repeat(struct pair_key *key)
{
	sender_sleep(key->due_ns);
	key->repeated = true;
}

/* Quiet while the last key still waits for its first update is not rest but a stall: only the limit ends that. */
static bool train_rested(const struct train_state *run, const struct train_block *b, int64_t quiet_ns)
{
	int64_t now = clock_now(), change = atomic_load(&run->cfg->seen->last_change_ns);
	const struct pair_key *last = &run->train->key[b->first + b->n - 1];

	return change >= pair_gone_ns(last) && now - change >= quiet_ns && now - last->due_ns >= quiet_ns;
}

/* As many updates as keys in the block, or a caret that has gone as many cells as keys were sent: nothing is left to wait for. */
static bool accounted(const struct train_state *run, const struct train_block *b)
{
	const struct observations *seen = run->cfg->seen;
	size_t updates = atomic_load(&seen->updates), steps = atomic_load(&seen->steps), keys = b->first + b->n, n = 0;
	struct pair_shown *shown;
	bool known;

	while (n < b->n && n < updates && seen->update_ns[updates - 1 - n] >= pair_gone_ns(&run->train->key[b->first]))
		n++;
	if (n == b->n)
		return true;
	if (!steps || seen->steps_lost)
		return false;
	shown = calloc(steps, sizeof(*shown));
	known = shown && caret_count(seen->step, steps, keys, shown);
	free(shown);
	return known;
}

static bool answered(struct train_state *run, const struct train_block *b, int64_t *judged_ns)
{
	const struct observations *seen = run->cfg->seen;
	int64_t change = atomic_load(&seen->last_change_ns);

	if (run->cfg->watch == WATCH_PATCH) {
		uint32_t shown = (uint32_t)atomic_load(&seen->number) - run->train->base;

		if ((shown & 0xffffffu) < b->first + b->n || (shown & 0xffffffu) > 0x7fffffu)
			return false;
		/* blocks must also be apart for who pairs them by their updates on the wire */
		return !run->cfg->block || train_rested(run, b, NS_PER_S);
	}
	if (train_rested(run, b, train_quiet_ns(run->cfg->noise_per_s)))
		return true;
	/* The account changes with the picture only. */
	if (change == *judged_ns || !train_rested(run, b, NS_PER_S))
		return false;
	*judged_ns = change;
	return accounted(run, b);
}

/* What a wait up to its limit has shown. Noise may keep a display from ever being quiet, or ask for more quiet than there is
 * time; but answers still under way do not look like a picture that has rested since the last key. */
static enum pair_drain at_limit(const struct train_state *run, const struct train_block *b)
{
	if (run->cfg->watch != WATCH_UPDATE)
		return PAIR_CUT;
	return run->cfg->noise_per_s > 0.5 || train_rested(run, b, NS_PER_S) ? PAIR_NOISY : PAIR_CUT;
}

static void await_drain(struct train_state *run, struct train_block *b)
{
	const struct train_cfg *cfg = run->cfg;
	int64_t begin = clock_now(), limit = begin + train_drain_ns(cfg->watch, cfg->noise_per_s), judged = 0;

	b->drain = PAIR_CUT;
	if (cfg->watch == WATCH_NONE && cfg->block)	/* nobody looks, but the blocks must be apart for who does */
		proc_wait_stop(begin + train_quiet_ns(cfg->noise_per_s));
	while (cfg->watch != WATCH_NONE && !run_ended(run)) {
		note_wall_offset(run->train, INT64_MAX);
		if (answered(run, b, &judged)) {
			b->drain = PAIR_DRAINED;
			break;
		}
		if (clock_now() >= limit) {
			b->drain = at_limit(run, b);
			break;
		}
		proc_wait_stop(clock_now() + LOOK_NS);
	}
	b->end_ns = clock_now();
	run->train->drain_ns = b->end_ns - begin;
}

static void run_block(struct train_state *run, struct train_block *b)
{
	const struct train_cfg *cfg = run->cfg;
	struct train *t = run->train;
	int64_t give_up, cpu = clock_process_cpu(), now = clock_now();

	b->begin_ns = now + LEAD_NS;
	for (size_t i = b->first; i < b->first + b->n; i++)
		t->key[i].due_ns = b->begin_ns + cfg->offset_ns[i];
	give_up = t->key[b->first + b->n - 1].due_ns + train_drain_ns(cfg->watch, cfg->noise_per_s);
	for (size_t i = b->first; i < b->first + b->n && !run_ended(run); i++) {
		if (cfg->hold && cfg->target->repeats_itself && i > b->first)
			let_repeat(&t->key[i]);
		else
			sender_key(&run->sender, &t->key[i], cfg->key ? cfg->key[i] : cfg->only, give_up);
		atomic_store(&t->gone, i + 1);
		note_wall_offset(t, i + 1 < b->first + b->n ? t->key[i + 1].due_ns : INT64_MAX);
	}
	/* a held key stays down until its last repeat has surely been made */
	sender_release(&run->sender, t->key[b->first + b->n - 1].due_ns + cfg->period_ns / 2);
	t->busy_ns += clock_now() - now;
	t->cpu_ns += clock_process_cpu() - cpu;
	await_drain(run, b);
}

static size_t count_due(const struct train *t)
{
	size_t due = 0;

	for (size_t b = 0; b < t->blocks; b++)
		for (size_t i = t->block[b].first; i < t->block[b].first + t->block[b].n; i++)
			due += t->key[i].due_ns <= t->end_ns;
	return due;
}

/* A reading a second, from the first key of each block to the end of its longest drain; touched
 * before the run, as all it writes. */
static int make_wall_room(const struct train_cfg *cfg, struct train *t, size_t size, size_t blocks)
{
	t->wall_room = 16 + (size_t)(cfg->n ? 0 : cfg->watch_ns / WALL_NS);
	for (size_t i = 0; i < blocks; i++) {
		size_t last = (i + 1) * size < cfg->n ? (i + 1) * size : cfg->n;

		t->wall_room += (size_t)(cfg->offset_ns[last - 1] / WALL_NS) + 14;
	}
	t->wall = calloc(t->wall_room, sizeof(*t->wall));
	for (size_t i = 0; t->wall && i < t->wall_room; i++)
		t->wall[i].at_ns = INT64_MAX;
	return t->wall ? 0 : -ENOMEM;
}

int train_run(const struct train_cfg *cfg, struct train *out)
{
	size_t size = cfg->block ? cfg->block : cfg->n ? cfg->n : 1, blocks = (cfg->n + size - 1) / size;
	struct train_state run = { .cfg = cfg, .train = out };

	*out = (struct train){ .key = calloc(cfg->n + 1, sizeof(*out->key)), .block = calloc(blocks + 1, sizeof(*out->block)) };
	if (!out->key || !out->block || make_wall_room(cfg, out, size, blocks))
		return -ENOMEM;
	for (size_t i = 0; i < cfg->n; i++)
		out->key[i].due_ns = INT64_MAX;	/* touched before the run, like everything it writes */
	sender_start(&run.sender, cfg->target, cfg->self, cfg->seen, cfg->hold);
	out->base = (uint32_t)atomic_load(&cfg->seen->number);
	note_wall_offset(out, INT64_MAX);
	out->begin_ns = clock_now();
	if (!cfg->n) {
		int64_t cpu = clock_process_cpu(), until = out->begin_ns + cfg->watch_ns;

		while (!run_ended(&run) && clock_now() < until)
			proc_wait_stop(clock_now() + 100 * NS_PER_MS < until ? clock_now() + 100 * NS_PER_MS : until);
		out->busy_ns = clock_now() - out->begin_ns;
		out->cpu_ns = clock_process_cpu() - cpu;
	}
	for (size_t i = 0; i < blocks && !run_ended(&run); i++) {
		struct train_block *b = &out->block[out->blocks];

		/* blocks without any echo at all would take 10 s each */
		if (i && cfg->watch != WATCH_NONE && atomic_load(&cfg->seen->last_change_ns) < out->begin_ns)
			break;
		out->blocks++;
		b->first = i * size;
		b->n = cfg->n - b->first < size ? cfg->n - b->first : size;
		run_block(&run, b);
	}
	out->end_ns = clock_now();
	if (out->walls < out->wall_room)
		clock_read_offset(&out->wall[out->walls++]);
	out->due = count_due(out);
	out->end = run.sender.end;
	out->blocked_ns = run.sender.blocked_ns;
	return 0;
}

void train_free(struct train *t)
{
	free(t->key);
	free(t->block);
	free(t->wall);
	t->wall = NULL;
	t->key = NULL;
	t->block = NULL;
}
