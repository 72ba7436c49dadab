/* SPDX-License-Identifier: GPL-3.0-or-later */
/* needs - what the next input waits for besides its snapshot: the dependencies of its line
 * (deps.h), while the screen changes. Pure: time comes in as a number. */
#ifndef THINPROBE_VNCPLAY_NEEDS_H
#define THINPROBE_VNCPLAY_NEEDS_H

#include "vncplay/common/deps.h"

#include <stdbool.h>
#include <stdint.h>

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
