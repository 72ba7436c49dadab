// SPDX-License-Identifier: GPL-3.0-or-later
/* capacity: searches for the largest number of users whose p95 is at most 100 ms, on a made-up server.
 *
 * Said: right, near (10 %, or one user), low or high; "all-right" or "all-wrong" of the number with which the slowest user meets
 * the criterion, too; "open" if no limit was reached; "untold"; "long" for over 40 measurements. */
#include "scene.h"
#include "judge/search.h"
#include "memory.h"
#include "random.h"

#include <math.h>
#include <string.h>

static char nothing[] = "", full[] = "memory is full";

/* One measurement with n users; `first`: no other was before with that number. */
static struct search_try measure(const struct scene *s, int64_t n, bool first, uint64_t *rng)
{
	double fit = scene_number(s, "fit", 20), users = (double)n, wrong = scene_number(s, "wrong", 0), slow;
	double p95 = scene_number(s, "step", 0) > 0 ? (users <= fit ? 30 : 300)
						    : 100 * pow(users / (fit + 0.5), scene_number(s, "power", 2));
	struct search_try t = {
		.users = n, .apdex = { 1, 1, 1 }, .own_percent = 100 * users / (fit + 2), .ended = nothing, .resource = nothing
	};

	p95 *= exp(scene_number(s, "noise", 0) / 100 * random_normal(rng));
	if (100 * random_fraction(rng) < scene_number(s, "disturbed", 0) || (first && users == wrong))
		p95 *= 10;
	if (first && users == scene_number(s, "pass", 0))
		p95 = 1;
	if (users >= scene_number(s, "unanswered", INFINITY))
		p95 = INFINITY;
	if (users >= scene_number(s, "full", INFINITY))
		t.ended = full;
	slow = users > scene_number(s, "slowest", INFINITY) ? fmax(p95, 200) : p95;
	t.p95_ms[SEARCH_LATE] = p95;
	t.p95_ms[SEARCH_EARLY] = users > fit - scene_number(s, "range", 0) ? fmin(p95, 20) : p95;
	if (scene_number(s, "range", 0) > 0 && t.p95_ms[SEARCH_EARLY] < p95)
		t.p95_ms[SEARCH_LATE] = slow = 900;
	else
		t.p95_ms[SEARCH_EARLY] = t.p95_ms[SEARCH_LATE];
	t.p95_ms[SEARCH_SLOWEST] = slow;
	return t;
}

void scene_draw(const struct scene *s, uint64_t *rng, char said[static SCENE_SAID])
{
	struct search search = { .most = (int64_t)scene_number(s, "most", 64) };
	double truth = scene_number(s, "fit", 20) - scene_number(s, "range", 0), off, all = scene_number(s, "slowest", truth);
	struct search_bounds b;
	int64_t n;

	if (search_parse_criteria(&search, "p95:100ms"))
		return;
	truth = fmin(truth, fmin(scene_number(s, "full", INFINITY), scene_number(s, "unanswered", INFINITY)) - 1);
	truth = fmin(truth, (double)search.most);
	while ((n = search_choose_next(&search)) && search.tries < 200) {
		bool first = true;

		for (size_t i = 0; i < search.tries; i++)
			first &= search.try[i].users != n;
		memory_more(search.try, search.tries);
		search.try[search.tries++] = measure(s, n, first, rng);
	}
	b = search_find_bounds(&search, search.criterion, false);
	off = (double)b.good - truth;
	snprintf(said, SCENE_SAID, "%s %s%s%s%s",
		 off == 0			    ? "right near"
		 : fabs(off) <= fmax(1, truth / 10) ? "near"
		 : off < 0			    ? "low"
						    : "high",
		 (double)search_find_bounds(&search, search.criterion, true).good == fmin(all, truth) ? "all-right" : "all-wrong",
		 b.bad ? "" : " open", b.untold ? " untold" : "", search.tries > 40 ? " long" : "");
	free(search.try);
}
