// SPDX-License-Identifier: GPL-3.0-or-later
#include "stamp.h"
#include "files.h"

#include <stdlib.h>
#include <string.h>

#if STAMP_HAS_TSC
#include <cpuid.h>
#endif

#define TRIES 16
/* Minimum distance of two anchors: closer ones give a slope with an error over 1 ppm (50 ns in 50 ms). */
#define BASELINE_NS (50 * NS_PER_MS)
#define JUMP_NS (100 * NS_PER_US) /* more than the errors of two anchors */

static bool kernel_uses_tsc(void)
{
	char word[32];

	return !files_read_line("/sys/devices/system/clocksource/clocksource0/current_clocksource", word, sizeof(word)) &&
	       !strcmp(word, "tsc");
}

static bool has_invariant_tsc(void)
{
#if STAMP_HAS_TSC
	unsigned a, b, c, d;

	return __get_cpuid(0x80000007u, &a, &b, &c, &d) && (d & (1u << 8));
#else
	return false;
#endif
}

bool stamp_tsc_is_usable(const char **why)
{
	const char *reason = NULL;

	if (!STAMP_HAS_TSC)
		reason = "no time-stamp counter on this processor";
	else if (!has_invariant_tsc())
		reason = "the time-stamp counter is not invariant";
	else if (!kernel_uses_tsc())
		reason = "the kernel does not keep time by the time-stamp counter";
	if (why)
		*why = reason;
	return !reason;
}

void stamp_read_pair(bool tsc, struct stamp_pair *out)
{
	int64_t tightest = INT64_MAX;

	if (!tsc) {
		out->ns = out->stamp = clock_now();
		out->error = 0;
		return;
	}
	for (int i = 0; i < TRIES; i++) {
		int64_t first = stamp_read_tsc();
		int64_t ns = clock_now();
		int64_t last = stamp_read_tsc();

		if (last - first < tightest) {
			tightest = last - first;
			out->stamp = first + tightest / 2;
			out->ns = ns;
		}
	}
	out->error = tightest / 2 + 1;
}

/* Whether the counter ran on while the clock stood (suspend), or jumped (a virtual machine that was paused or moved). */
static bool has_jumped(const struct stamp_map *m, const struct stamp_pair *a)
{
	int64_t passed = a->ns - m->last.ns;

	return m->anchors > 1 && llabs(passed - stamp_map_span_ns(m, a->stamp - m->last.stamp)) > passed / 100 + JUMP_NS;
}

void stamp_map_add(struct stamp_map *m, const struct stamp_pair *a)
{
	m->jumped = has_jumped(m, a);
	if (m->anchors == 0 || m->jumped) /* a new line begins, after a jump with the slope so far */
		m->before = m->last = *a;
	else if (m->anchors > 1 && m->last.ns - m->before.ns < BASELINE_NS)
		m->last = *a;
	else {
		m->before = m->last;
		m->last = *a;
	}
	m->anchors++;
	if (m->last.stamp > m->before.stamp)
		m->ns_per_stamp = (double)(m->last.ns - m->before.ns) / (double)(m->last.stamp - m->before.stamp);
}

int64_t stamp_map_span_ns(const struct stamp_map *m, int64_t stamps)
{
	return (int64_t)((double)stamps * m->ns_per_stamp + (stamps < 0 ? -0.5 : 0.5));
}

int64_t stamp_map_ns(const struct stamp_map *m, int64_t stamp)
{
	return m->last.ns + stamp_map_span_ns(m, stamp - m->last.stamp);
}
