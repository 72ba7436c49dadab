// SPDX-License-Identifier: GPL-3.0-or-later
#include "needs.h"

#include <errno.h>
#include <stdlib.h>

int needs_watch(struct needs *w, const struct deps *deps, int line)
{
	needs_free(w);
	*w = (struct needs){ .dirty = true, .since_ns = INT64_MAX };
	if (!deps)
		return 0;
	w->need = deps_of(deps, line, &w->n);
	if (!w->n)
		return 0;
	w->changed = calloc((size_t)w->n, sizeof(*w->changed));
	if (w->changed)
		return 0;
	w->n = 0;
	return -ENOMEM;
}

void needs_free(struct needs *w)
{
	free(w->changed);
	w->changed = NULL;
	w->n = 0;
}

void needs_painted(struct needs *w, struct box box)
{
	for (int i = 0; i < w->n; i++)
		if (box_meets(box, w->need[i].box))
			w->changed[i] = w->dirty = true;
}

static int unmet(const struct needs *w, const struct screen *s)
{
	for (int i = 0; i < w->n; i++)
		if (w->need[i].any ? !w->changed[i] : deps_hash(s, w->need[i].box) != w->need[i].hash)
			return i;
	return -1;
}

bool needs_hold(struct needs *w, const struct screen *s, int64_t settle_ns, int64_t now_ns)
{
	if (w->dirty) {
		w->dirty = false;
		if (unmet(w, s) >= 0)
			w->since_ns = INT64_MAX;
		else if (w->since_ns == INT64_MAX)
			w->since_ns = now_ns;
	}
	return w->since_ns != INT64_MAX && now_ns - w->since_ns >= settle_ns;
}

const struct deps_before *needs_unmet(const struct needs *w, const struct screen *s)
{
	int i = unmet(w, s);

	return &w->need[i < 0 ? 0 : i];
}
