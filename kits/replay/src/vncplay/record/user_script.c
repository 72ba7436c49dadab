// SPDX-License-Identifier: GPL-3.0-or-later
/* user_script - makes the inputs of a script. Each line begins when all inputs before it were sent. Of the screen only its
 * being quiet matters. */
#include "input_script.h"
#include "downcast.h"
#include "recorder.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct script_source {
	struct input_source user;
	struct input_script hand;
	int next;
	int64_t base_ns;  /* when the previous step was due, CLOCK_MONOTONIC */
	int64_t since_ns; /* since when the current step waits, CLOCK_MONOTONIC; 0: it does not yet */
	int64_t wake_ns;
	int mask, x, y;
};

static int64_t script_prepare_wait(struct input_source *u, fd_set *fds, int *top)
{
	(void)fds;
	(void)top;
	return DOWNCAST(u, struct script_source, u->wait == script_prepare_wait)->wake_ns;
}

/* Whether a step may be done now; sets s->wake_ns. */
static bool prepare_step(struct script_source *s, const struct input_script_step *step, const struct recorder *r, int64_t now_ns)
{
	int64_t quiet;

	if (step->kind == SCRIPT_QUIET || (step->kind == SCRIPT_LINE && !s->since_ns)) {
		s->wake_ns = INT64_MAX; /* (the recorder wakes up when it sends the input) */
		if (recorder_has_queued(r))
			return false;
	}
	if (!s->since_ns)
		s->since_ns = step->kind == SCRIPT_LINE || step->kind == SCRIPT_QUIET ? now_ns : s->base_ns;
	s->wake_ns = s->since_ns + step->after_ns;
	if (step->kind == SCRIPT_QUIET) {
		quiet = recorder_last_change_ns(r) + step->after_ns;
		s->wake_ns = quiet > s->wake_ns ? quiet : s->wake_ns;
		if (s->wake_ns > s->since_ns + SCRIPT_QUIET_MOST_NS)
			s->wake_ns = s->since_ns + SCRIPT_QUIET_MOST_NS;
	}
	return now_ns >= s->wake_ns;
}

static int perform_step(struct script_source *s, const struct input_script_step *step, struct recorder *r, int64_t at_ns)
{
	switch (step->kind) {
	case SCRIPT_MOVE:
		s->x = step->x;
		s->y = step->y;
		return recorder_accept_pointer(r, at_ns, s->mask, s->x, s->y);
	case SCRIPT_BUTTON:
		s->mask = step->down ? s->mask | 1 << (step->button - 1) : s->mask & ~(1 << (step->button - 1));
		return recorder_accept_pointer(r, at_ns, s->mask, s->x, s->y);
	case SCRIPT_KEY: return recorder_accept_key(r, at_ns, step->keysym, step->down);
	default: return 0;
	}
}

static int script_pass_inputs(struct input_source *u, struct recorder *r, int64_t now_ns, struct why *why)
{
	struct script_source *s = DOWNCAST(u, struct script_source, u->take == script_pass_inputs);
	int err = 0;

	(void)why;
	while (s->next < s->hand.n && !err) {
		const struct input_script_step *step = &s->hand.steps[s->next];

		if (!prepare_step(s, step, r, now_ns))
			return 0;
		s->base_ns = s->wake_ns;
		s->since_ns = 0;
		s->next++;
		err = perform_step(s, step, r, s->base_ns);
	}
	s->wake_ns = INT64_MAX;
	return err ? err : !recorder_has_queued(r);
}

static void script_close(struct input_source *u)
{
	input_script_free(&DOWNCAST(u, struct script_source, u->close == script_close)->hand);
	free(u);
}

struct input_source *script_source_open(const struct screen *screen, const char *path, struct why *why)
{
	struct script_source *s = calloc(1, sizeof(*s));
	FILE *in = strcmp(path, "-") != 0 ? fopen(path, "re") : stdin;
	struct why line = { "" };
	int err = !s ? -ENOMEM : !in ? -errno : input_script_read(in, screen->width, screen->height, &s->hand, &line);

	if (in && in != stdin)
		fclose(in);
	if (s)
		s->user = (struct input_source){ script_prepare_wait, script_pass_inputs, NULL, NULL, script_close, "script done" };
	if (err) {
		why_fail(err, why, "%s: %s", path, *line.text ? line.text : strerror(-err));
		if (s)
			script_close(&s->user);
		return NULL;
	}
	return &s->user;
}
