// SPDX-License-Identifier: GPL-3.0-or-later
/* Displays whose library crashes on the answer to the third key, or that answer no more than three: what is kept and counted. */
#include "../unit.h"
#include "apart.h"
#include "keyrepeat/target.h"
#include "keyrepeat/train.h"
#include "clock.h"

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

enum { CRASHES_AT = 3 };

struct display {
	int keys[2]; /* pipe: a byte for each key typed */
	struct observations seen;
};

static int keys_end(void *self)
{
	return ((struct display *)self)->keys[0];
}

static int press_end(void *self)
{
	return ((struct display *)self)->keys[1];
}

static int take_key(void *self, int key, bool down)
{
	(void)key;
	return !down || write(((struct display *)self)->keys[1], "k", 1) == 1 ? 0 : -1;
}

static int answer(void *self)
{
	struct display *d = self;
	char key;

	if (atomic_load(&d->seen.updates) + 1 == CRASHES_AT)
		abort();
	if (read(d->keys[0], &key, 1) == 1)
		observations_add_update(&d->seen, clock_now());
	return 0;
}

static const struct target_ops broken = {
	.scheme = "broken", .send_fd = press_end, .send = take_key, .watch_fd = keys_end, .handle = answer
};

TEST(a_crash_costs_no_key_before_it)
{
	/* far apart: a machine that is held up merges no two updates, and makes no key due until the crash is noticed */
	static const int64_t due[] = { 0, 300 * NS_PER_MS, 600 * NS_PER_MS, 60 * NS_PER_S, 61 * NS_PER_S };
	struct display *display = apart_new(1, sizeof(*display));
	struct key_train_cfg cfg = { .target = &broken,
				     .self = display,
				     .seen = &display->seen,
				     .watch = WATCH_UPDATE,
				     .n = sizeof(due) / sizeof(due[0]),
				     .offset_ns = due,
				     .period_ns = 50 * NS_PER_MS };
	struct key_train *train = apart_new(1, sizeof(*train));
	int status;

	assert_int_equal(pipe(display->keys), 0);
	assert_int_equal(fcntl(display->keys[0], F_SETFL, O_NONBLOCK), 0);
	observations_init(&display->seen, NS_PER_S, 8, 1, 0);
	train_init(&cfg, train);
	if (apart_fork(&status)) {
		train_start_watching(&cfg);
		train_send_keys(&cfg, train);
		_exit(0);
	}
	train_break_off(train);
	assert_int_equal(apart_crash(status), SIGABRT);
	assert_int_equal(train->end, SENDER_DROPPED);
	assert_int_equal(display->seen.updates, CRASHES_AT - 1);
	assert_true(display->seen.update[0].first_ns >= train->key[0].sent_ns);
	assert_int_equal(train->due, CRASHES_AT);
	train_free(train);
	apart_delete(train);
	observations_free(&display->seen);
	close(display->keys[0]);
	close(display->keys[1]);
	apart_delete(display);
}

/* Answers three keys, and no more. */
static int answer_three(void *self)
{
	struct display *d = self;
	char key;

	if (read(d->keys[0], &key, 1) == 1 && atomic_load(&d->seen.updates) < 3)
		observations_add_update(&d->seen, clock_now());
	return 0;
}

static void *leave(void *self)
{
	clock_sleep(clock_now() + 600 * NS_PER_MS);
	atomic_store(&((struct display *)self)->seen.left, "it is gone");
	return NULL;
}

TEST(keys_that_fall_due_while_the_last_one_waits_are_counted)
{
	enum { KEYS = 40 };
	int64_t due[KEYS];
	struct target_ops stuck = broken;
	struct display display = { 0 };
	struct key_train_cfg cfg = { .target = &stuck,
				     .self = &display,
				     .seen = &display.seen,
				     .watch = WATCH_UPDATE,
				     .one_by_one = true,
				     .timeout_ns = NS_PER_S,
				     .n = KEYS,
				     .offset_ns = due,
				     .watch_ns = KEYS * 50 * NS_PER_MS,
				     .period_ns = 50 * NS_PER_MS };
	struct key_train train;
	pthread_t leaver;
	size_t n = 0;

	for (int i = 0; i < KEYS; i++)
		due[i] = i * 50 * NS_PER_MS;
	stuck.handle = answer_three;
	assert_int_equal(pipe(display.keys), 0);
	assert_int_equal(fcntl(display.keys[0], F_SETFL, O_NONBLOCK), 0);
	observations_init(&display.seen, NS_PER_S, KEYS, 1, 0);
	train_init(&cfg, &train);
	assert_int_equal(pthread_create(&leaver, NULL, leave, &display), 0); /* before the watching thread locks the memory */
	assert_int_equal(train_start_watching(&cfg), 0);
	train_send_keys(&cfg, &train);
	pthread_join(leaver, NULL);
	train_stop_watching(&cfg);
	assert_int_equal(train.end, SENDER_LEFT);
	for (int i = 0; i < KEYS; i++)
		n += train.key[i].due_ns <= train.end_ns;
	assert_int_equal(train.due, n);
	assert_true(n > 4);
	train_free(&train);
	observations_free(&display.seen);
	close(display.keys[0]);
	close(display.keys[1]);
}
