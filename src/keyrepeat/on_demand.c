// SPDX-License-Identifier: GPL-3.0-or-later
#include "on_demand.h"
#include "apart.h"
#include "clock.h"
#include "held_up.h"
#include "proc.h"
#include "say.h"

#include <errno.h>
#include <stdio.h>
#include <unistd.h>

#define LEAD_NS (3 * NS_PER_MS) /* from the request to the due time; meanwhile the display is asked where the key would go */
#define POLL_NS NS_PER_MS	/* between two readings of the observations, which carry their own times: not part of a latency */

static const char *const answer_names[] = { "none", "patch", "change", "doubt" };

/* Before a key: how many of those sent the patch does not count. A key that got lost makes no later one unanswered; but its echo
 * may only be late, and be taken for that of the next key. */
static void count_missing(struct on_demand_run *d)
{
	size_t shows = atomic_load(&d->cfg.seen->shows);
	uint32_t number = shows ? d->cfg.seen->shown[shows - 1].number : d->train.base;
	uint32_t counted = (number - d->train.base) & 0xffffffu;
	size_t missing = counted < d->sent ? d->sent - counted : 0;

	d->may_be_late = missing > d->missing;
	d->missing = missing;
}

static enum on_demand_answer find_patch_echo(struct on_demand_run *d, struct key_times *key)
{
	const struct observations *seen = d->cfg.seen;

	for (size_t n = atomic_load(&seen->shows); d->shows < n; d->shows++) {
		const struct shown_number *shown = &seen->shown[d->shows];
		uint32_t count = (shown->number - d->train.base) & 0xffffffu;

		if (shown->at_ns >= key->sent_ns && count + d->missing >= d->sent && count < 0x800000u) {
			if (!d->may_be_late || count >= d->sent) {
				key->answer_ns = shown->at_ns;
				return ON_DEMAND_PATCH;
			}
			if (!key->answer_ns) /* in doubt, if nothing better follows */
				key->answer_ns = shown->at_ns;
		}
	}
	return ON_DEMAND_NONE;
}

static enum on_demand_answer find_echo_update(struct on_demand_run *d, struct key_times *key)
{
	const struct observations *seen = d->cfg.seen;

	for (size_t n = atomic_load(&seen->updates); d->updates < n; d->updates++) {
		if (seen->update[d->updates].first_ns >= key->sent_ns) {
			key->answer_ns = seen->update[d->updates++].first_ns;
			return ON_DEMAND_CHANGE;
		}
	}
	return ON_DEMAND_NONE;
}

/* Judges the changes of the picture that have come. `key` NULL: no key is under way. */
static enum on_demand_answer find_echo_change(struct on_demand_run *d, struct key_times *key)
{
	const struct observations *seen = d->cfg.seen;

	for (size_t n = atomic_load(&seen->steps); d->steps < n;) {
		const struct caret_step *step = &seen->step[d->steps++];
		enum change_verdict verdict;

		if (!key || step->at_ns < key->sent_ns) {
			d->beside |= blink_learn_between(&d->filter, step, d->sent_ns);
			continue;
		}
		verdict = blink_judge_answer(&d->filter, step, key->sent_ns);
		if (verdict >= CHANGE_DOUBTFUL)
			continue;
		blink_keep_echo(&d->filter, step);
		key->answer_ns = step->at_ns;
		d->first = verdict != CHANGE_ECHO;
		return verdict == CHANGE_UNSURE ? ON_DEMAND_DOUBT : ON_DEMAND_CHANGE;
	}
	return ON_DEMAND_NONE;
}

/* Of the changes from number `from` on, of which none was certain: the first that is not known by now to come without keys. */
static enum on_demand_answer settle_doubt(struct on_demand_run *d, struct key_times *key, size_t from)
{
	for (const struct caret_step *step = &d->cfg.seen->step[from]; step < &d->cfg.seen->step[d->steps]; step++) {
		if (step->at_ns < key->sent_ns || blink_judge_answer(&d->filter, step, key->sent_ns) > CHANGE_DOUBTFUL)
			continue;
		blink_keep_echo(&d->filter, step);
		key->answer_ns = step->at_ns;
		return ON_DEMAND_DOUBT;
	}
	return ON_DEMAND_NONE;
}

static enum on_demand_answer find_echo(struct on_demand_run *d, struct key_times *key)
{
	if (d->cfg.watch == WATCH_PATCH)
		return find_patch_echo(d, key);
	return d->cfg.target->tells_steps ? find_echo_change(d, key) : find_echo_update(d, key);
}

/* True if another place changed soon after an echo that may be none. */
static bool first_echo_is_doubtful(struct on_demand_run *d)
{
	int64_t until = clock_now() + BLINK_PERIOD_NS;

	d->beside = false;
	while (!d->beside && !sender_detect_end(&d->sender) && clock_now() < until) {
		proc_sleep(clock_now() + POLL_NS);
		find_echo_change(d, NULL);
	}
	return d->beside || blink_echoes_part(&d->filter);
}

/* held_ns: the pauses of this program before the key was sent. */
static enum on_demand_answer await_echo(struct on_demand_run *d, struct key_times *key, int64_t held_ns)
{
	enum on_demand_answer answer;
	size_t from = d->steps;

	d->first = false;
	while ((answer = find_echo(d, key)) == ON_DEMAND_NONE && !sender_detect_end(&d->sender) &&
	       clock_now() < key->due_ns + d->cfg.timeout_ns)
		proc_sleep(clock_now() + POLL_NS);
	d->sent_ns = key->sent_ns;
	if (answer == ON_DEMAND_NONE && d->cfg.watch == WATCH_PATCH && key->answer_ns)
		answer = ON_DEMAND_DOUBT;
	if (d->cfg.watch == WATCH_UPDATE && d->cfg.target->tells_steps && (answer == ON_DEMAND_NONE || answer == ON_DEMAND_DOUBT))
		answer = settle_doubt(d, key, from);
	if (d->first && first_echo_is_doubtful(d))
		answer = ON_DEMAND_DOUBT;
	if (answer != ON_DEMAND_NONE && held_up_ns() > held_ns)
		answer = ON_DEMAND_DOUBT;
	key->exact = answer == ON_DEMAND_PATCH || answer == ON_DEMAND_CHANGE;
	if (key->exact)
		key->high_ns = key->answer_ns;
	else
		key->censored_ns = clock_now();
	return answer;
}

static enum on_demand_answer type_key(struct on_demand_run *d, struct key_times *key)
{
	int64_t held_ns = held_up_ns();

	if (d->cfg.watch == WATCH_UPDATE && d->cfg.target->tells_steps)
		find_echo_change(d, NULL);
	count_missing(d);
	*key = (struct key_times){ .due_ns = clock_now() + LEAD_NS };
	sender_press_key(&d->sender, key, d->cfg.key, key->due_ns + d->cfg.timeout_ns);
	if (!key->sent_ns) {
		key->censored_ns = clock_now();
		return ON_DEMAND_NONE;
	}
	d->sent++;
	sender_release_key(&d->sender, 0);
	return d->cfg.watch == WATCH_NONE ? ON_DEMAND_NONE : await_echo(d, key, held_ns);
}

static int print_echo(const struct on_demand_run *d, const struct key_times *key, enum on_demand_answer answer)
{
	char line[160], sent[24] = "none", answered[24] = "none";
	size_t done = 0, length;

	if (key->sent_ns)
		snprintf(sent, sizeof(sent), "%lld", (long long)key->sent_ns);
	if (key->answer_ns)
		snprintf(answered, sizeof(answered), "%lld", (long long)key->answer_ns);
	length = (size_t)snprintf(line, sizeof(line), "%zu\t%lld\t%s\t%s\t%s\n", d->train.blocks, (long long)key->due_ns, sent,
				  answered, answer_names[answer]);
	while (done < length) {
		ssize_t n = write(d->cfg.out_fd, line + done, length - done);

		if (n < 0 && errno != EINTR)
			return -EPIPE;
		done += n > 0 ? (size_t)n : 0;
	}
	return 0;
}

void on_demand_init(struct on_demand_run *d, const struct on_demand_cfg *cfg, size_t room)
{
	*d = (struct on_demand_run){ .cfg = *cfg,
				     .room = room,
				     .train = { .key = apart_new(room, sizeof(*d->train.key)),
						.block = apart_new(room, sizeof(*d->train.block)),
						.wall = apart_new(room, sizeof(*d->train.wall)) } };
}

int on_demand_type_keys(struct on_demand_run *d)
{
	const struct on_demand_cfg *cfg = &d->cfg;
	struct key_train *t = &d->train;
	int err = 0;

	sender_init(&d->sender, cfg->target, cfg->self, cfg->seen, false);
	t->base = (uint32_t)atomic_load(&cfg->seen->number);
	t->begin_ns = clock_now();
	while (!err && sender_await_line(&d->sender, cfg->in_fd)) {
		size_t i = t->blocks;
		enum on_demand_answer answer;

		if (i == d->room) {
			err = -ENOSPC;
			break;
		}
		answer = type_key(d, &t->key[i]);
		t->key[i].skipped = i < cfg->skip;
		t->block[i] = (struct key_train_block){ .first = i, .n = 1, .begin_ns = t->key[i].due_ns, .end_ns = clock_now() };
		clock_read_wall(&t->wall[i]);
		t->walls = t->due = ++t->blocks;
		d->count[answer]++;
		err = print_echo(d, &t->key[i], answer);
	}
	t->end_ns = clock_now();
	t->end = d->sender.end;
	t->blocked_ns = d->sender.blocked_ns;
	return err;
}

static const char *quantile_range_text(struct sample ends[static 2], double p)
{
	struct figure f =
		figure_make_range(sample_quantile(&ends[0], p), p < 1 ? sample_quantile(&ends[1], p) : sample_max(&ends[1]));

	return figure_text(&f, NS_PER_MS);
}

void on_demand_report(struct rec_report *r, const struct on_demand_run *d)
{
	struct sample due[2] = { 0 }, sent[2] = { 0 };
	const struct key_train *t = &d->train;
	int64_t asked = (int64_t)t->blocks, answered = asked - (int64_t)d->count[ON_DEMAND_NONE];

	for (size_t i = 0; i < t->blocks && d->cfg.watch != WATCH_NONE; i++) {
		for (int late = 0; late < 2 && !t->key[i].skipped; late++) {
			key_add_latency(&t->key[i], KEY_FROM_DUE | (late ? KEY_LATE : KEY_EARLY), &due[late]);
			key_add_latency(&t->key[i], KEY_FROM_SENT | (late ? KEY_LATE : KEY_EARLY), &sent[late]);
		}
	}
	rec_begin_object(r, "result");
	rec_add_ints(r, { "keys_due", asked }, { "keys_sent", (int64_t)d->sent }, { "keys_answered", answered },
		     { "in_doubt", (int64_t)d->count[ON_DEMAND_DOUBT] });
	rec_add_sample_range(r, "latency_from_due_ms", &due[0], &due[1], NS_PER_MS);
	rec_add_sample_range(r, "latency_from_sent_ms", &sent[0], &sent[1], NS_PER_MS);
	rec_say(r, "%s asked for, %s answered: p50 %s ms, at most %s ms", counted_text(asked, "key"), count_text(answered),
		quantile_range_text(due, 0.5), quantile_range_text(due, 1));
	rec_add_real(r, "longest_block_ms", (double)t->blocked_ns / NS_PER_MS, 3);
	if (t->log_err)
		rec_add_bool(r, "log_lost", true);
	rec_end(r);
	for (int late = 0; late < 2; late++) {
		sample_free(&due[late]);
		sample_free(&sent[late]);
	}
}
