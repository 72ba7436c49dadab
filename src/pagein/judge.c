// SPDX-License-Identifier: GPL-3.0-or-later
#include "pagein.h"

#include <math.h>

const char *const judge_words[] = { "in_memory", "paged_out", "kept", "not_evicted", "not_in_memory", NULL };

const char *const judge_reasons[] = {
	NULL,
	"too much of the process was still in memory before the key",
	"the process is locked in memory",
	"a process has no anonymous memory: nothing can be proven by it",
	"no major fault after the key: the pages that it needed were in memory",
	"less than half of what came back was read from the device: the rest was in the swap cache, in zswap, or zeros",
	"major faults after the key: not all pages that it needed were in memory",
	"the hog ended before the second key: memory was no longer short",
};

double judge_evicted_percent(const struct judged_process *p)
{
	return p->swap + p->resident > 0 ? 100.0 * (double)p->swap / (double)(p->swap + p->resident) : NAN;
}

/* Whether it would count as evicted without what it has locked. */
static bool is_kept_by_locks(const struct judged_process *p)
{
	double most = (100 - JUDGE_EVICTED_PERCENT) / 100.0 * (double)(p->swap + p->resident);

	return p->locked > 0 && (double)(p->resident - p->locked) <= most;
}

enum judge_why judge_find_obstacle(const struct judged_process *p, size_t n)
{
	enum judge_why why = JUDGE_CLEAR;

	for (size_t i = 0; i < n; i++) {
		double percent = judge_evicted_percent(&p[i]);

		if (isnan(percent))
			return JUDGE_NOTHING_ANONYMOUS;
		if (percent < JUDGE_EVICTED_PERCENT)
			why = why == JUDGE_LOCKED || is_kept_by_locks(&p[i]) ? JUDGE_LOCKED : JUDGE_RESIDENT;
	}
	return n ? why : JUDGE_NOTHING_ANONYMOUS;
}

bool judge_all_kept(const struct judged_process *p, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!(judge_evicted_percent(&p[i]) <= JUDGE_KEPT_PERCENT))
			return false;
	return n > 0;
}

/* Estimates the bytes read from the device, for any process: its counter, which is the most (pages of zeros and of zswap come back
 * by major faults and are not read); without it, the refaulted bytes that cannot have been in the swap cache, or all of them. */
static int64_t estimate_read_bytes(const struct swap_readings *device, int64_t refaulted)
{
	if (device->read_bytes >= 0)
		return device->read_bytes;
	if (device->cached_bytes < 0)
		return refaulted;
	return refaulted > device->cached_bytes ? refaulted - device->cached_bytes : 0;
}

static int64_t compute_refaulted(const struct judged_process *p, size_t n, const struct swap_readings *device,
				 struct judge_verdict *out)
{
	int64_t major = 0, read;

	*out = (struct judge_verdict){ .why = JUDGE_CLEAR };
	for (size_t i = 0; i < n; i++) {
		major += p[i].major;
		/* processes whose swap grew meanwhile must not cancel what others got back */
		if (p[i].swap_after < p[i].swap)
			out->refaulted_bytes += p[i].swap - p[i].swap_after;
	}
	read = estimate_read_bytes(device, out->refaulted_bytes);
	if (major * device->fault_bytes < read) /* the key's major faults of these processes read at most so much */
		read = major * device->fault_bytes;
	out->read_percent = out->refaulted_bytes > 0 ? 100.0 * (double)read / (double)out->refaulted_bytes : NAN;
	if (out->read_percent > 100)
		out->read_percent = 100;
	return major;
}

void judge_evicted_run(const struct judged_process *p, size_t n, const struct swap_readings *device, struct judge_verdict *out)
{
	int64_t major = compute_refaulted(p, n, device, out);

	out->why = judge_find_obstacle(p, n);
	if (out->why == JUDGE_CLEAR && !major)
		out->why = JUDGE_NO_MAJOR_FAULT;
	if (out->why == JUDGE_CLEAR && !(out->read_percent >= JUDGE_READ_PERCENT))
		out->why = JUDGE_SWAP_CACHE;
	out->state = out->why == JUDGE_CLEAR ? JUDGE_PAGED_OUT : JUDGE_NOT_EVICTED;
}

void judge_resident_run(const struct judged_process *p, size_t n, const struct swap_readings *device, struct judge_verdict *out)
{
	out->state = JUDGE_IN_MEMORY;
	if (compute_refaulted(p, n, device, out)) {
		out->state = JUDGE_NOT_IN_MEMORY;
		out->why = JUDGE_MAJOR_FAULT;
	}
}
