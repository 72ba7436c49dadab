// SPDX-License-Identifier: GPL-3.0-or-later
#include "plan.h"
#include "ascending.h"
#include "cli.h"
#include "clock.h"
#include "memory.h"
#include "random.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>

const struct input_act plan_back = { .kind = ACT_KEY, .keysym = 0xff08 };
const char *const schedule_names[] = { "periodic", "jittered", "poisson", "blocks", "asked", NULL };

int plan_compute_due_times(enum schedule_kind kind, double rate_per_s, uint64_t seed, int64_t *offset_ns, size_t n)
{
	double period = (double)NS_PER_S / rate_per_s, at = 0, phase = 0;
	uint64_t state = seed;

	/* times are computed from the key's number: adding up a rounded period would drift */
	for (size_t i = 0; i < n; i++) {
		switch (kind) {
		case SCHEDULE_PERIODIC: at = (double)i * period; break;
		case SCHEDULE_JITTERED: at = (double)i * period + random_fraction(&state) * period / 3; break;
		case SCHEDULE_POISSON: at += -log1p(-random_fraction(&state)) * period; break;
		case SCHEDULE_BLOCKS:
			if (i % SCHEDULE_BLOCK == 0)
				phase = random_fraction(&state) * period;
			at = (double)(i % SCHEDULE_BLOCK) * period + phase;
			break;
		case SCHEDULE_ASKED: return -EINVAL;
		}
		if (!(at < 9e18))
			return -ERANGE;
		offset_ns[i] = llround(at);
	}
	return 0;
}

static int plan_script(const struct key_plan_cfg *cfg, struct key_plan *plan, struct why *why)
{
	struct act_script *script = &plan->script;
	const char *wrong;
	size_t line;
	FILE *in = fopen(cfg->script, "re");
	int err;

	if (!in)
		return why_fail(EXIT_RUN, why, "cannot read %s: %s", cfg->script, strerror(errno));
	err = script_read(in, script, &line, &wrong);
	fclose(in);
	if (err == -EPROTO)
		return why_fail(EXIT_USAGE, why, "%s, line %zu: %s", cfg->script, line, wrong);
	if (err == -EINVAL) {
		why_say(why,
			"%s, line %zu: want DELAY_MS and a key, as in \"120 a\" or \"50.5 ctrl+s\", "
			"or move X,Y [over MS] (over: after another move), button N down|up|click, type MS TEXT",
			cfg->script, line);
		return EXIT_USAGE;
	}
	if (err)
		return why_fail(EXIT_RUN, why, "cannot read %s: %s", cfg->script, strerror(-err));
	while (script->n && script->offset_ns[script->n - 1] >= cfg->time_ns)
		script->n--;
	if (!script->n)
		return why_fail(EXIT_USAGE, why, "%s holds nothing before -t ends", cfg->script);
	plan->n = script->n;
	plan->offset_ns = script->offset_ns;
	plan->act = script->act;
	/* stalls are measured against one period: the mean one */
	plan->period_ns = plan->n > 1 ? (plan->offset_ns[plan->n - 1] - plan->offset_ns[0]) / (int64_t)(plan->n - 1) : 0;
	if (plan->period_ns < NS_PER_MS)
		plan->period_ns = NS_PER_MS;
	return 0;
}

/* Makes of the plan of one key one that types it and BackSpace in turns, and ends with BackSpace. */
static void plan_erase(struct key_plan *plan)
{
	struct act_script *script = &plan->script;

	script->offset_ns = plan->offset_ns;
	script->act = memory_new(plan->n, sizeof(*script->act));
	for (size_t i = 0; i < plan->n; i++)
		script->act[i] = i % 2 ? plan_back : plan->only;
	plan->act = script->act;
}

int plan_make(const struct key_plan_cfg *cfg, struct key_plan *out, struct why *why)
{
	bool asked = cfg->schedule == SCHEDULE_ASKED;
	double n = asked ? 1 : round(cfg->rate_per_s * (double)cfg->time_ns / NS_PER_S);

	*out = (struct key_plan){ 0 };
	if (cfg->script)
		return plan_script(cfg, out, why);
	out->period_ns = cfg->rate_per_s > 0 ? llround(NS_PER_S / cfg->rate_per_s) : 50 * NS_PER_MS;
	if (asked)
		out->period_ns = NS_PER_MS; /* the longest update: keys on demand may follow each other closely */
	if (!(cfg->rate_per_s > 0))
		return 0;
	if (n < 1 || n > PLAN_KEYS_MAX)
		return why_fail(EXIT_USAGE, why, "-t times --rate are %.0f keys: 1 to %d", n, PLAN_KEYS_MAX);
	if (act_parse_key(cfg->key, &out->only)) {
		why_say(why,
			"--key %s: no such key; give a character, a name such as Return, "
			"U20AC or 0xff0d, after ctrl+, shift+ or alt+ if these are held",
			cfg->key);
		return EXIT_USAGE;
	}
	out->n = (size_t)n + (cfg->erase && (size_t)n % 2);
	out->offset_ns = memory_new(out->n, sizeof(*out->offset_ns));
	if (!asked && plan_compute_due_times((enum schedule_kind)cfg->schedule, cfg->rate_per_s, cfg->seed, out->offset_ns, out->n))
		return why_fail(EXIT_USAGE, why, "--rate %g is too low", cfg->rate_per_s);
	if (cfg->erase)
		plan_erase(out);
	return 0;
}

const struct input_act *plan_first_plain_key(const struct key_plan *plan)
{
	if (!plan->act)
		return plan->only.held ? NULL : &plan->only;
	for (size_t i = 0; i < plan->n; i++)
		if (plan->act[i].kind == ACT_KEY && !plan->act[i].held)
			return &plan->act[i];
	return NULL;
}

bool plan_uses_pointer(const struct key_plan *plan)
{
	for (size_t i = 0; plan->act && i < plan->n; i++)
		if (plan->act[i].kind != ACT_KEY)
			return true;
	return false;
}

int plan_prepare_acts(struct key_plan *plan, const struct target_ops *target, void *self, struct why *why)
{
	size_t j;

	if (!plan->n)
		return 0;
	if (!plan->act) {
		plan->only_key = target->act(self, &plan->only, why);
		return plan->only_key < 0 ? -1 : 0;
	}
	plan->key = memory_new(plan->n, sizeof(*plan->key));
	for (size_t i = 0; i < plan->n; i++) {
		/* keys recur, so equal ones are looked up once; moves do not, and there may be thousands */
		for (j = plan->act[i].kind == ACT_MOVE ? i : 0; j < i && !act_equals(&plan->act[j], &plan->act[i]); j++)
			;
		plan->key[i] = j < i ? plan->key[j] : target->act(self, &plan->act[i], why);
		if (plan->key[i] < 0)
			return -1;
	}
	return 0;
}

int64_t plan_choose_period_ns(int64_t *answer_time_ns, size_t n, int64_t period_ns)
{
	int64_t typical, busy = 0;

	if (!n)
		return period_ns;
	qsort(answer_time_ns, n, sizeof(*answer_time_ns), ascending_int64);
	typical = answer_time_ns[n - 1 - (n + 2) / 4];
	for (size_t i = 0; i + 1 < n; i++)
		busy += (answer_time_ns[i] + OBSERVATIONS_GAP_NS) / (int64_t)(n - 1);
	if (typical > period_ns / 3 * 2)
		return 2 * typical;
	return busy > period_ns / 5 * 4 ? 2 * busy : period_ns;
}

int64_t plan_stretch_offset_ns(int64_t offset_ns, int64_t period_ns, int64_t slower_ns)
{
	return slower_ns == period_ns ? offset_ns : (int64_t)((double)offset_ns / (double)period_ns * (double)slower_ns);
}
