/* SPDX-License-Identifier: GPL-3.0-or-later */
/* await - waiting until the screen shows a snapshot: when to go on, when to shake the pointer, when
 * to look around, when to give up. Pure: time comes in as a number, what is to be sent goes out as
 * a word.
 *
 * A snapshot is looked at as soon as it is the next one, so that one that holds when its input is
 * due costs no time. A match must hold for `settle_ns`. */
#ifndef THINPROBE_AWAIT_H
#define THINPROBE_AWAIT_H

#include "vncplay/common/deps.h"
#include "vncplay/common/match.h"
#include "vncplay/common/trace.h"

#include <stdbool.h>
#include <stdint.h>

enum await_pointer { AWAIT_POINTER_AUTO, AWAIT_POINTER_NEVER, AWAIT_POINTER_ALWAYS };

struct await_cfg {
	struct match_cfg match;
	int64_t timeout_ns, settle_ns;
	int64_t patience_ns;		/* before it is looked for elsewhere, or the pointer's picture is left out */
	int64_t wiggle_ns, wiggle_each_ns;	/* the first time, and then */
	int radius;			/* 0: never look elsewhere */
	int pointer;			/* enum await_pointer: whether the picture of the pointer counts */
};

struct await {
	const struct await_cfg *cfg;
	const struct trace_event *shot;
	struct match_cfg match;		/* with the pointer's mask, where there is one */
	struct box masks[MATCH_MASKS + 1];
	int64_t since_ns;		/* its input is due: this is waited for; INT64_MAX: not yet */
	int64_t matched_ns;		/* it has been seen since; INT64_MAX: it is not */
	int64_t wiggle_at_ns, search_at_ns;
	bool dirty, out;		/* the screen around has changed; the pointer is beside its place */
	bool pointer_masked, may_wiggle;
	bool held;			/* a button is down: the pointer is not ours to move, nor is the thing that it holds where it was */
	int hint_dx, hint_dy;		/* where what was found before has gone */
	int dx, dy;			/* where it is seen */
	struct match_seen seen;		/* at its own place, or where it moved to */
	int least;			/* mismatches, of all looks at its own place; -1: none yet */
	enum match_found found;		/* of the last search */
	bool searched;
};

/* From now on this is the next snapshot. `held`: a button is down. `dx`, `dy`: how far the click
 * before has moved, if it did: while a button is down it is looked for there only, else there also.
 * a->may_wiggle is the caller's to set. */
void await_begin(struct await *a, const struct await_cfg *cfg, const struct trace_event *shot, bool held, int dx, int dy);
/* Something was painted there. */
void await_painted(struct await *a, struct box box);
/* Its input is due. */
void await_due(struct await *a, int64_t now_ns);

enum await_word {
	AWAIT_NOT_YET,		/* nothing to do before *wake_ns, or before something is painted */
	AWAIT_OK,		/* seen, at dx, dy of its place */
	AWAIT_OUT,		/* the pointer goes a pixel aside */
	AWAIT_BACK,		/* and back */
	AWAIT_THERE,		/* the pointer goes to where it was found */
	AWAIT_TIMEOUT
};
/* `x`, `y`: where the pointer is; `drawn`: the server may be drawing it into the screen (no shape of it ever came). */
enum await_word await_step(struct await *a, const struct screen *s, int64_t now_ns, int x, int y, bool drawn, int64_t *wake_ns);

struct needs {			/* zeroed: none */
	const struct deps_before *need;	/* the file's */
	int n;
	bool *changed;		/* of those: since they are watched; owned */
	bool dirty;		/* one of them may be met, or no longer */
	int64_t since_ns;	/* all of them are met since; INT64_MAX: not yet */
};

/* Those of this line from now on; `deps` NULL: none. 0 or -ENOMEM, and then there are none. */
int needs_watch(struct needs *w, const struct deps *deps, int line);
void needs_free(struct needs *w);
/* Something was painted there. */
void needs_painted(struct needs *w, struct box box);
/* Whether all of them are met, and have been for `settle_ns`. */
bool needs_hold(struct needs *w, const struct screen *s, int64_t settle_ns, int64_t now_ns);
/* One that is not met; where each is, the first. There must be one. */
const struct deps_before *needs_unmet(const struct needs *w, const struct screen *s);

#endif
