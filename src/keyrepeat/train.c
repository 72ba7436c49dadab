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

#define SPIN_NS (100 * NS_PER_US)	/* waking up takes about so long; the rest of the wait is spun, never more than this */
#define RELEASE_NS (5 * NS_PER_MS)	/* how long a tapped key is down, unless the next is due before */
#define LEAD_NS (20 * NS_PER_MS)	/* from the start to the first possible due time */
#define LOOK_NS (2 * NS_PER_MS)		/* between looks while draining: nothing is measured by it but the drain */
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

int64_t train_quiet_ns(double noise_per_s)
{
	double period = noise_per_s > 0 ? 1.2 / noise_per_s * (double)NS_PER_S : 0;

	/* Where updates come by themselves, a pause as long as theirs proves nothing. */
	if (noise_per_s > 0.5 || period < (double)NS_PER_S)
		return NS_PER_S;
	return period > 10e9 ? 10 * NS_PER_S : (int64_t)period;
}

int64_t train_drain_ns(int watch, double noise_per_s)
{
	return watch == WATCH_UPDATE && noise_per_s > 0.5 ? 2 * NS_PER_S : 10 * NS_PER_S;
}

/* The run as it goes: which key is down, and why it ends. */
struct run {
	const struct train_cfg *cfg;
	struct train *train;
	int down;			/* target's number of the key that is down; -1: none */
	int64_t release_ns;		/* when it goes up again; INT64_MAX: not before the end */
};

static bool ended(struct run *run)
{
	if (run->train->end == TRAIN_COMPLETE) {
		/* in this order: who is told to stop may close the connection for it */
		if (proc_stop)
			run->train->end = TRAIN_INTERRUPTED;
		else if (atomic_load(&run->cfg->seen->dropped))
			run->train->end = TRAIN_DROPPED;
	}
	return run->train->end != TRAIN_COMPLETE;
}

static void press(struct run *run, int key, bool down)
{
	if (run->cfg->target->send(run->cfg->self, key, down))
		run->train->end = TRAIN_DROPPED;
	run->down = down ? key : -1;
}

/* A sleep that a signal ends even if it comes just before: long waits through proc_wait_stop(), only the rest precisely. */
static void sleep_until(int64_t due_ns)
{
	if (due_ns - clock_now() > 20 * NS_PER_MS)
		proc_wait_stop(due_ns - 10 * NS_PER_MS);
	if (!proc_stop)
		clock_sleep_until(due_ns);
}

/* A server that reads nothing fills the socket; a blocking send would then hold up the whole train. So the
 * key waits, with its due time standing, until there is room or until `until_ns`. */
static bool can_send(struct run *run, int64_t until_ns)
{
	struct pollfd fd = { .fd = run->cfg->target->send_fd(run->cfg->self), .events = POLLOUT };
	int64_t since = 0;

	while (fd.fd >= 0 && poll(&fd, 1, 0) == 0) {
		if (!since)
			since = clock_now();
		if (ended(run) || clock_now() >= until_ns)
			return false;
		poll(&fd, 1, 1);
	}
	if (since && clock_now() - since > run->train->blocked_ns)
		run->train->blocked_ns = clock_now() - since;
	return true;
}

static void release_before(struct run *run, int64_t due_ns)
{
	int64_t at = run->release_ns < due_ns - NS_PER_MS ? run->release_ns : due_ns - NS_PER_MS;

	if (run->down < 0 || run->release_ns == INT64_MAX)
		return;
	sleep_until(at);
	if (!ended(run) && can_send(run, due_ns))
		press(run, run->down, false);
}

static void send_key(struct run *run, struct pair_key *key, int number, int64_t give_up_ns)
{
	release_before(run, key->due_ns);
	sleep_until(key->due_ns - SPIN_NS);
	if (ended(run) || !can_send(run, give_up_ns))
		return;
	while (clock_now() < key->due_ns)
		;
	key->sent_ns = clock_now();
	/* still down: the server took nothing while it should have gone up, or gaps are shorter than a tap */
	if (run->down >= 0 && run->release_ns != INT64_MAX)
		press(run, run->down, false);
	press(run, number, true);
	run->release_ns = run->cfg->hold ? INT64_MAX : key->sent_ns + RELEASE_NS;
}

/* In hold mode on a display that repeats by itself: one press, and then only time passes. */
static void let_repeat(struct pair_key *key)
{
	sleep_until(key->due_ns);
	key->repeated = true;
}

/* Quiet while the last key still waits for its first update is not rest but a stall: only the limit ends that. */
static bool rested(const struct run *run, const struct train_block *b, int64_t quiet_ns)
{
	int64_t now = clock_now(), change = atomic_load(&run->cfg->seen->last_change_ns);
	const struct pair_key *last = &run->train->key[b->first + b->n - 1];

	return change >= pair_gone_ns(last) && now - change >= quiet_ns && now - last->due_ns >= quiet_ns;
}

/* As many updates as keys in the block, or a caret that has gone as many cells as keys were sent: nothing is left to wait for. */
static bool accounted(const struct run *run, const struct train_block *b)
{
	const struct seen *seen = run->cfg->seen;
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

static bool answered(struct run *run, const struct train_block *b, int64_t *judged_ns)
{
	const struct seen *seen = run->cfg->seen;
	int64_t change = atomic_load(&seen->last_change_ns);

	if (run->cfg->watch == WATCH_PATCH) {
		uint32_t shown = (uint32_t)atomic_load(&seen->number) - run->train->base;

		return (shown & 0xffffffu) >= b->first + b->n && (shown & 0xffffffu) <= 0x7fffffu;
	}
	if (rested(run, b, train_quiet_ns(run->cfg->noise_per_s)))
		return true;
	/* The account changes with the picture only. */
	if (change == *judged_ns || !rested(run, b, NS_PER_S))
		return false;
	*judged_ns = change;
	return accounted(run, b);
}

/* What a wait up to its limit has shown. Noise may keep a display from ever being quiet, or ask for more quiet than there is
 * time; but answers still under way do not look like a picture that has rested since the last key. */
static enum pair_drain at_limit(const struct run *run, const struct train_block *b)
{
	if (run->cfg->watch != WATCH_UPDATE)
		return PAIR_CUT;
	return run->cfg->noise_per_s > 0.5 || rested(run, b, NS_PER_S) ? PAIR_NOISY : PAIR_CUT;
}

static void drain(struct run *run, struct train_block *b)
{
	const struct train_cfg *cfg = run->cfg;
	int64_t begin = clock_now(), limit = begin + train_drain_ns(cfg->watch, cfg->noise_per_s), judged = 0;

	b->drain = PAIR_CUT;
	if (cfg->watch == WATCH_NONE && cfg->block)	/* nobody looks, but the blocks must be apart for who does */
		proc_wait_stop(begin + train_quiet_ns(cfg->noise_per_s));
	while (cfg->watch != WATCH_NONE && !ended(run)) {
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

static void run_block(struct run *run, struct train_block *b)
{
	const struct train_cfg *cfg = run->cfg;
	struct train *t = run->train;
	int64_t give_up, cpu = clock_process_cpu(), now = clock_now();

	b->begin_ns = now + LEAD_NS;
	for (size_t i = b->first; i < b->first + b->n; i++)
		t->key[i].due_ns = b->begin_ns + cfg->offset_ns[i];
	give_up = t->key[b->first + b->n - 1].due_ns + train_drain_ns(cfg->watch, cfg->noise_per_s);
	for (size_t i = b->first; i < b->first + b->n && !ended(run); i++) {
		if (cfg->hold && cfg->target->repeats_itself && i > b->first)
			let_repeat(&t->key[i]);
		else
			send_key(run, &t->key[i], cfg->key ? cfg->key[i] : cfg->only, give_up);
	}
	if (run->down >= 0) {
		/* a held key stays down until its last repeat has surely been made */
		sleep_until(run->release_ns != INT64_MAX ? run->release_ns : t->key[b->first + b->n - 1].due_ns + cfg->period_ns / 2);
		if (t->end != TRAIN_DROPPED && can_send(run, clock_now()))
			press(run, run->down, false);
	}
	t->busy_ns += clock_now() - now;
	t->cpu_ns += clock_process_cpu() - cpu;
	drain(run, b);
}

static size_t count_due(const struct train *t)
{
	size_t due = 0;

	for (size_t b = 0; b < t->blocks; b++)
		for (size_t i = t->block[b].first; i < t->block[b].first + t->block[b].n; i++)
			due += t->key[i].due_ns <= t->end_ns;
	return due;
}

int train_run(const struct train_cfg *cfg, struct train *out)
{
	size_t size = cfg->block ? cfg->block : cfg->n ? cfg->n : 1, blocks = (cfg->n + size - 1) / size;
	struct run run = { .cfg = cfg, .train = out, .down = -1 };

	*out = (struct train){ .key = calloc(cfg->n + 1, sizeof(*out->key)), .block = calloc(blocks + 1, sizeof(*out->block)) };
	if (!out->key || !out->block)
		return -ENOMEM;
	for (size_t i = 0; i < cfg->n; i++)
		out->key[i].due_ns = INT64_MAX;	/* touched before the run, like everything it writes */
	out->base = (uint32_t)atomic_load(&cfg->seen->number);
	out->begin_ns = clock_now();
	if (!cfg->n) {
		int64_t cpu = clock_process_cpu(), until = out->begin_ns + cfg->watch_ns;

		while (!ended(&run) && clock_now() < until)
			proc_wait_stop(clock_now() + 100 * NS_PER_MS < until ? clock_now() + 100 * NS_PER_MS : until);
		out->busy_ns = clock_now() - out->begin_ns;
		out->cpu_ns = clock_process_cpu() - cpu;
	}
	for (size_t i = 0; i < blocks && !ended(&run); i++) {
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
	out->due = count_due(out);
	return 0;
}

void train_free(struct train *t)
{
	free(t->key);
	free(t->block);
	t->key = NULL;
	t->block = NULL;
}
