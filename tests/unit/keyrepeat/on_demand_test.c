// SPDX-License-Identifier: GPL-3.0-or-later
/* A display whose patch counts all keys but the second one. */
#include "../unit.h"
#include "clock.h"
#include "keyrepeat/on_demand.h"
#include "keyrepeat/target.h"

#include <fcntl.h>
#include <pthread.h>
#include <unistd.h>

struct display {
	int keys[2]; /* pipe: a byte for each key typed */
	struct observations seen;
};

static int press_end(void *self)
{
	return ((struct display *)self)->keys[1];
}

static int take_key(void *self, int key, bool down)
{
	(void)key;
	return !down || write(((struct display *)self)->keys[1], "k", 1) == 1 ? 0 : -1;
}

static const struct target_ops counting = { .scheme = "counting", .send_fd = press_end, .send = take_key };

static void *count_all_but_one(void *self)
{
	struct display *d = self;
	uint32_t number = 0;
	char key;

	for (int n = 1; read(d->keys[0], &key, 1) == 1; n++)
		if (n != 2)
			observations_add_number(&d->seen, clock_now(), ++number);
	return NULL;
}

TEST(a_key_that_got_lost_leaves_no_later_one_unanswered)
{
	struct display display = { 0 };
	struct on_demand_run run;
	int asked[2], devnull = open("/dev/null", O_WRONLY | O_CLOEXEC);
	struct on_demand_cfg cfg = { .target = &counting,
				     .self = &display,
				     .seen = &display.seen,
				     .watch = WATCH_PATCH,
				     .timeout_ns = NS_PER_S,
				     .out_fd = devnull };
	pthread_t counter;

	assert_true(devnull >= 0);
	assert_int_equal(pipe(display.keys), 0);
	assert_int_equal(pipe(asked), 0);
	cfg.in_fd = asked[0];
	observations_init(&display.seen, NS_PER_S, 8, 8, 0);
	atomic_store(&display.seen.number, 0);
	assert_int_equal(pthread_create(&counter, NULL, count_all_but_one, &display), 0);
	assert_int_equal(write(asked[1], "a\na\na\na\n", 8), 8);
	close(asked[1]);
	on_demand_init(&run, &cfg, 8);
	assert_int_equal(on_demand_type_keys(&run), 0);
	close(display.keys[1]);
	pthread_join(counter, NULL);
	assert_int_equal(run.train.due, 4);
	assert_int_equal(run.count[ON_DEMAND_PATCH], 2);
	assert_int_equal(run.count[ON_DEMAND_NONE], 1);
	assert_int_equal(run.count[ON_DEMAND_DOUBT], 1); /* the third one: the second's echo might only have been late */
	assert_true(run.train.key[3].exact);
	train_free(&run.train);
	observations_free(&display.seen);
	close(display.keys[0]);
	close(asked[0]);
	close(devnull);
}
