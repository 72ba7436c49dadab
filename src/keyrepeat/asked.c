// SPDX-License-Identifier: GPL-3.0-or-later
#include "asked.h"
#include "clock.h"
#include "proc.h"

#define LOOK_NS NS_PER_MS	/* between looks at what the watcher saw; its times are its own, so nothing is measured by this */

const char *const asked_words[] = { "none", "patch", "change", "doubt", NULL };

void asked_start(struct asked *a, const struct target_ops *target, void *self, struct observations *seen, int watch,
		 int64_t timeout_ns)
{
	*a = (struct asked){ .watch = watch, .steps_told = target->tells_steps, .timeout_ns = timeout_ns };
	sender_start(&a->sender, target, self, seen, false);
	a->base = (uint32_t)atomic_load(&seen->number);
}

static enum asked_how look_at_patch(struct asked *a, struct pair_key *key)
{
	const struct observations *seen = a->sender.seen;

	for (size_t n = atomic_load(&seen->shows); a->shows < n; a->shows++) {
		const struct pair_shown *shown = &seen->shown[a->shows];
		uint32_t count = (shown->number - a->base) & 0xffffffu;

		if (shown->at_ns >= key->sent_ns && count >= a->keys && count < 0x800000u) {
			key->answer_ns = shown->at_ns;
			return ASKED_PATCH;
		}
	}
	return ASKED_NONE;
}

static enum asked_how look_at_updates(struct asked *a, struct pair_key *key)
{
	const struct observations *seen = a->sender.seen;

	for (size_t n = atomic_load(&seen->updates); a->updates < n; a->updates++) {
		if (seen->update_ns[a->updates] >= key->sent_ns) {
			key->answer_ns = seen->update_ns[a->updates++];
			return ASKED_CHANGE;
		}
	}
	return ASKED_NONE;
}

/* Goes through what has changed. In doubt, the first such change is kept in *doubt. */
static enum asked_how look_at_steps(struct asked *a, struct pair_key *key, const struct caret_step **doubt)
{
	const struct observations *seen = a->sender.seen;

	for (size_t n = atomic_load(&seen->steps); a->steps < n;) {
		const struct caret_step *step = &seen->step[a->steps++];
		enum lone_verdict verdict;

		if (!key || !key->sent_ns || step->at_ns < key->sent_ns) {
			lone_idle(&a->lone, step);
			continue;
		}
		verdict = lone_judge(&a->lone, step);
		if (verdict == LONE_ECHO) {
			lone_echoed(&a->lone, step);
			key->answer_ns = step->at_ns;
			return ASKED_CHANGE;
		}
		if (verdict == LONE_DOUBT && !*doubt)
			*doubt = step;
	}
	return ASKED_NONE;
}

static enum asked_how look_for_answer(struct asked *a, struct pair_key *key, const struct caret_step **doubt)
{
	if (a->watch == WATCH_PATCH)
		return look_at_patch(a, key);
	return a->steps_told ? look_at_steps(a, key, doubt) : look_at_updates(a, key);
}

static enum asked_how wait_for_echo(struct asked *a, struct pair_key *key)
{
	const struct caret_step *doubt = NULL;
	enum asked_how how;

	while ((how = look_for_answer(a, key, &doubt)) == ASKED_NONE && !sender_ended(&a->sender) &&
	       clock_now() < key->due_ns + a->timeout_ns)
		proc_wait_stop(clock_now() + LOOK_NS);
	if (how == ASKED_NONE && doubt) {
		lone_echoed(&a->lone, doubt);
		key->answer_ns = doubt->at_ns;
		how = ASKED_DOUBT;
	}
	if (how == ASKED_NONE)
		key->censored_ns = clock_now();
	key->high_ns = key->answer_ns;
	key->exact = how == ASKED_PATCH || how == ASKED_CHANGE;
	return how;
}

enum asked_how asked_key(struct asked *a, int number, struct pair_key *key)
{
	const struct caret_step *doubt = NULL;

	if (a->watch == WATCH_UPDATE && a->steps_told)
		look_at_steps(a, NULL, &doubt);		/* so far, all came by itself */
	*key = (struct pair_key){ .due_ns = clock_now() + ASKED_LEAD_NS };
	sender_key(&a->sender, key, number, key->due_ns + a->timeout_ns);
	if (!key->sent_ns) {
		key->censored_ns = clock_now();
		return ASKED_NONE;
	}
	a->keys++;
	sender_release(&a->sender, 0);
	return a->watch == WATCH_NONE ? ASKED_NONE : wait_for_echo(a, key);
}
